//! The program `acp-auth`; everything is in the library.

fn main() -> std::process::ExitCode {
    acp_auth::run()
}
