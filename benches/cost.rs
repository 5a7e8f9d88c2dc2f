//! What acp-auth costs by itself: `cargo bench`. It prints figures and asserts nothing.
//!
//! The agent is the built-in one; a bare pipe client, which writes two requests and reads two
//! lines, shows how much of the time is the agent's own.

#![expect(clippy::unwrap_used, clippy::print_stdout, reason = "a bench that fails may panic")]

use std::io::{BufRead, BufReader, Read, Write};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use tempfile::TempDir;

const ROUNDS: usize = 200;

/// How long the agents of the concurrency rounds take to answer.
const SLOW: Duration = Duration::from_millis(300);

fn main() {
    let home = tempfile::tempdir().unwrap();
    let start = median(ROUNDS, || run_to_end(command(&home, &["--version"])));
    let bare = median(ROUNDS, || bare_client(&home));
    let status = median(ROUNDS, || first_answer(command(&home, &["status", "demo"])).0);
    println!("start-up (--version)                {start:>10.2?}");
    println!("bare pipe client on the demo agent  {bare:>10.2?}");
    println!("acp-auth status demo, to its answer {status:>10.2?}");
    println!("own cost of a status                {:>10.2?}", status.saturating_sub(bare));
    let (_, peak, threads) = first_answer(command(&home, &["status", "demo"]));
    println!("peak resident memory                {peak:>7} KiB, {threads} thread(s)");
    let size = std::fs::metadata(program()).unwrap().len() / 1024;
    println!("program size                        {size:>7} KiB");
    let one = at_once(&home, 1);
    println!("1 agent that takes {SLOW:?}            {one:>10.2?}");
    for count in [4, 16, 64] {
        let several = at_once(&home, count);
        let more = several.saturating_sub(one);
        println!(
            "{count:>2} such agents at once             {several:>10.2?}, {more:.2?} more than one"
        );
    }
}

fn program() -> &'static Path {
    Path::new(env!("CARGO_BIN_EXE_acp-auth"))
}

fn command(home: &TempDir, args: &[&str]) -> Command {
    let mut command = Command::new(program());
    command.args(args).env("HOME", home.path()).env_remove("ACP_AUTH_CONFIG");
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

fn median(rounds: usize, mut round: impl FnMut() -> Duration) -> Duration {
    let mut times: Vec<Duration> = (0..rounds).map(|_| round()).collect();
    times.sort();
    times[rounds / 2]
}

fn run_to_end(mut command: Command) -> Duration {
    let started = Instant::now();
    assert!(command.status().unwrap().code().is_some());
    started.elapsed()
}

/// The time to the first line of the answer, and the memory and threads of the program then.
fn first_answer(mut command: Command) -> (Duration, u64, u64) {
    let started = Instant::now();
    let mut child = command.spawn().unwrap();
    let mut stdout = BufReader::new(child.stdout.take().unwrap());
    stdout.read_line(&mut String::new()).unwrap();
    let elapsed = started.elapsed();
    let facts = facts(&child);
    stdout.read_to_end(&mut Vec::new()).unwrap();
    child.wait().unwrap();
    (elapsed, facts.0, facts.1)
}

/// Peak resident memory in KiB, and the number of threads.
fn facts(child: &Child) -> (u64, u64) {
    let status =
        std::fs::read_to_string(format!("/proc/{}/status", child.id())).unwrap_or_default();
    let number = |name: &str| {
        let line = status.lines().find(|line| line.starts_with(name));
        line.and_then(|line| line.split_whitespace().nth(1)?.parse().ok()).unwrap_or(0)
    };
    (number("VmHWM:"), number("Threads:"))
}

/// The same two requests with nothing around them.
fn bare_client(home: &TempDir) -> Duration {
    let mut agent = command(home, &["demo-agent"]);
    let started = Instant::now();
    let mut child = agent.stdin(Stdio::piped()).spawn().unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let mut stdout = BufReader::new(child.stdout.take().unwrap());
    let mut line = String::new();
    for request in [
        r#"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":1}}"#,
        r#"{"jsonrpc":"2.0","id":1,"method":"auth/status","params":{}}"#,
    ] {
        writeln!(stdin, "{request}").unwrap();
        stdout.read_line(&mut line).unwrap();
    }
    let elapsed = started.elapsed();
    drop(stdin);
    child.wait().unwrap();
    elapsed
}

/// The time until the last of several slow agents has been reported.
fn at_once(home: &TempDir, count: usize) -> Duration {
    let mut config = String::new();
    for index in 0..count {
        let script =
            format!("sleep {}; exec {} demo-agent", SLOW.as_secs_f64(), program().display());
        config.push_str(&format!("[agents.a{index}]\ncommand = [\"sh\", \"-c\", \"{script}\"]\n"));
    }
    let path = home.path().join("config.toml");
    std::fs::write(&path, config).unwrap();
    let mut command = command(home, &["status", "--json", "--config", path.to_str().unwrap()]);
    let started = Instant::now();
    let mut child = command.spawn().unwrap();
    let mut stdout = child.stdout.take().unwrap();
    // The document is written at once when the last answer is known; the agents end after it.
    stdout.read_exact(&mut [0; 1]).unwrap();
    let elapsed = started.elapsed();
    stdout.read_to_end(&mut Vec::new()).unwrap();
    child.wait().unwrap();
    elapsed
}
