//! An agent built on the official SDK: `sdk-agent [v1|v2] STATE_FILE`.
//!
//! It is signed in while `STATE_FILE` exists, and says so by `auth/status` and `auth/status_update`.

#![expect(clippy::expect_used, reason = "a test that starts this wrongly fails")]

use std::path::PathBuf;

use agent_client_protocol::{Agent, Error, Result, Stdio, on_receive_request};

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<()> {
    let mut args = std::env::args().skip(1);
    let version = args.next().expect("a version");
    let state = State { file: args.next().expect("a state file").into() };
    match version.as_str() {
        "v1" => serve_v1(state).await,
        "v2" => serve_v2(state).await,
        other => panic!("no version {other}"),
    }
}

#[derive(Clone)]
struct State {
    file: PathBuf,
}

impl State {
    fn is_signed_in(&self) -> bool {
        self.file.exists()
    }

    fn change(&self, signed_in: bool) -> Result<()> {
        let changed = if signed_in {
            std::fs::write(&self.file, "")
        } else {
            std::fs::remove_file(&self.file)
        };
        changed.map_err(|error| Error::internal_error().data(error.to_string()))
    }
}

/// The same status in either version's types.
macro_rules! status {
    ($schema:ident, $kind:ident, $state:expr) => {{
        use $schema::{AuthAccount, AuthState, $kind};
        if $state.is_signed_in() {
            $kind::new(AuthState::Authenticated).accounts(vec![
                AuthAccount::new("SDK plan")
                    .active(true)
                    .name("Sam Example".to_owned())
                    .email("sam@example.test".to_owned())
                    .organization("Example Org".to_owned()),
                AuthAccount::new("Work key").description("SDK_API_KEY".to_owned()),
            ])
        } else {
            $kind::new(AuthState::Unauthenticated)
        }
    }};
}

async fn serve_v1(state: State) -> Result<()> {
    use agent_client_protocol::v1::schema::{
        self, AgentAuthCapabilities, AgentCapabilities, AuthMethod, AuthMethodAgent,
        AuthStatusCapabilities, AuthStatusRequest, AuthenticateRequest, AuthenticateResponse,
        Implementation, InitializeRequest, InitializeResponse, LogoutCapabilities, LogoutRequest,
        LogoutResponse,
    };
    let (for_status, for_login, for_logout) = (state.clone(), state.clone(), state);
    Agent
        .v1()
        .name("sdk-agent")
        .on_receive_request(
            async move |request: InitializeRequest, responder, _connection| {
                let auth = AgentAuthCapabilities::new()
                    .status(AuthStatusCapabilities::new())
                    .logout(LogoutCapabilities::new());
                responder.respond(
                    InitializeResponse::new(request.protocol_version)
                        .agent_capabilities(AgentCapabilities::new().auth(auth))
                        .agent_info(Implementation::new("sdk-agent", "1.0.0"))
                        .auth_methods(vec![AuthMethod::Agent(
                            AuthMethodAgent::new("sdk-login", "SDK login")
                                .description("Signs in at once".to_owned()),
                        )]),
                )
            },
            on_receive_request!(),
        )
        .on_receive_request(
            async move |_: AuthStatusRequest, responder, _connection| {
                responder.respond(status!(schema, AuthStatusResponse, for_status))
            },
            on_receive_request!(),
        )
        .on_receive_request(
            async move |request: AuthenticateRequest, responder, connection| {
                if &*request.method_id.0 != "sdk-login" {
                    return responder.respond_with_error(Error::invalid_params());
                }
                for_login.change(true)?;
                connection.send_notification(status!(
                    schema,
                    AuthStatusUpdateNotification,
                    for_login
                ))?;
                responder.respond(AuthenticateResponse::new())
            },
            on_receive_request!(),
        )
        .on_receive_request(
            async move |_: LogoutRequest, responder, connection| {
                for_logout.change(false)?;
                connection.send_notification(status!(
                    schema,
                    AuthStatusUpdateNotification,
                    for_logout
                ))?;
                responder.respond(LogoutResponse::new())
            },
            on_receive_request!(),
        )
        .connect_to(Stdio::new())
        .await
}

async fn serve_v2(state: State) -> Result<()> {
    use agent_client_protocol::v2::schema::{
        self, AgentAuthCapabilities, AgentCapabilities, AuthMethod, AuthMethodAgent,
        AuthStatusCapabilities, AuthStatusRequest, Implementation, InitializeRequest,
        InitializeResponse, LoginAuthRequest, LoginAuthResponse, LogoutAuthRequest,
        LogoutAuthResponse,
    };
    let (for_status, for_login, for_logout) = (state.clone(), state.clone(), state);
    Agent
        .v2()
        .name("sdk-agent")
        .on_receive_request(
            async move |request: InitializeRequest, responder, _connection| {
                let auth = AgentAuthCapabilities::new().status(AuthStatusCapabilities::new());
                let info = Implementation::new("sdk-agent", "2.0.0");
                responder.respond(
                    InitializeResponse::new(request.protocol_version, info)
                        .capabilities(AgentCapabilities::new().auth(auth))
                        .auth_methods(vec![AuthMethod::Agent(
                            AuthMethodAgent::new("sdk-login", "SDK login")
                                .description("Signs in at once".to_owned()),
                        )]),
                )
            },
            on_receive_request!(),
        )
        .on_receive_request(
            async move |_: AuthStatusRequest, responder, _connection| {
                responder.respond(status!(schema, AuthStatusResponse, for_status))
            },
            on_receive_request!(),
        )
        .on_receive_request(
            async move |request: LoginAuthRequest, responder, connection| {
                if &*request.method_id.0 != "sdk-login" {
                    return responder.respond_with_error(Error::invalid_params());
                }
                for_login.change(true)?;
                connection.send_notification(status!(
                    schema,
                    AuthStatusUpdateNotification,
                    for_login
                ))?;
                responder.respond(LoginAuthResponse::new())
            },
            on_receive_request!(),
        )
        .on_receive_request(
            async move |_: LogoutAuthRequest, responder, connection| {
                for_logout.change(false)?;
                connection.send_notification(status!(
                    schema,
                    AuthStatusUpdateNotification,
                    for_logout
                ))?;
                responder.respond(LogoutAuthResponse::new())
            },
            on_receive_request!(),
        )
        .connect_to(Stdio::new())
        .await
}
