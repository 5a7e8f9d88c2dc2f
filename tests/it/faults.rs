//! Faults of the agent's process in every phase, and many agents at once.

use serde_json::{Value, json};

use crate::common::{Agent, Place, answers_v1};

/// The steps that break an agent, put where it would answer.
fn fault(name: &str) -> Vec<Value> {
    match name {
        "killed" => vec![json!({"shell": "kill -KILL $PPID"})],
        "stopped" => vec![json!({"shell": "kill -STOP $PPID"})],
        "closed stdout" => vec![json!({"close": "stdout", "hang": true})],
        "closed stdin" => vec![json!({"close": "stdin", "hang": true})],
        "flooded stdout" => vec![json!({"shell": "yes"})],
        "flooded stdout with messages" => {
            vec![
                json!({"shell": r#"yes '{"jsonrpc":"2.0","method":"auth/status_update","params":{"state":"unknown"}}'"#}),
            ]
        }
        "flooded stdout with requests" => {
            vec![json!({"shell": r#"yes '{"jsonrpc":"2.0","id":1,"method":"fs/read_text_file"}'"#})]
        }
        "flooded stderr" => vec![json!({"shell": "yes >&2"})],
        "forked and exited" => {
            vec![json!({"child": {"sleep_s": 300, "hold_stdout": true}, "exit": 0})]
        }
        other => panic!("no fault {other}"),
    }
}

/// An agent that works up to a phase and has the fault there.
fn breaking(place: &Place, phase: &str, fault_name: &str) -> Agent {
    let mut steps = Vec::new();
    let mut broken = false;
    for (at, step) in [
        ("start", json!({"on": "start"})),
        ("initialize", answers_v1()),
        ("auth/status", json!({"on": "auth/status", "reply": {"state": "unknown"}})),
        ("authenticate", json!({"on": "authenticate", "reply": {}})),
        ("logout", json!({"on": "logout", "reply": {}})),
    ] {
        if at == phase {
            broken = true;
            for mut step in fault(fault_name) {
                step["on"] = at.into();
                steps.push(step);
            }
        } else if !broken || at != "start" {
            steps.push(step);
        }
    }
    Agent::new(place, "agent", Value::Array(steps))
}

const FAULTS: &[(&str, &[i32])] = &[
    ("killed", &[4]),
    ("stopped", &[124]),
    ("closed stdout", &[4]),
    ("closed stdin", &[124]),
    ("flooded stdout", &[124]),
    ("flooded stdout with messages", &[124]),
    // It is given up when what it does not read becomes too much, or when the time is over.
    ("flooded stdout with requests", &[4, 124]),
    ("flooded stderr", &[124]),
    ("forked and exited", &[4]),
];

/// Injects every fault in one phase of a command.
fn inject(phase: &str, command: &str) {
    for (name, codes) in FAULTS {
        let place = Place::new();
        let agent = breaking(&place, phase, name);
        let mut limits = vec!["--timeout", "600ms", "--start-timeout", "900ms"];
        if command == "login" {
            limits.extend(["--login-timeout", "600ms"]);
        }
        let mut args = vec![command];
        args.extend(limits);
        let (run, report) = agent.run_json(&place, &args);
        assert!(codes.contains(&run.code), "{name} at {phase}\n{run}");
        assert_eq!(report["state"], "unknown", "{name} at {phase}");
        let wanted = if phase == "start" { "initialize" } else { phase };
        assert_eq!(report["error"]["phase"], wanted, "{name} at {phase}\n{run}");
        agent.assert_nothing_left();
    }
}

#[test]
fn faults_before_initialize() {
    inject("start", "status");
}

#[test]
fn faults_during_initialize() {
    inject("initialize", "status");
}

#[test]
fn faults_before_the_answer_to_a_status() {
    inject("auth/status", "status");
}

#[test]
fn faults_during_a_login() {
    inject("authenticate", "login");
}

#[test]
fn faults_during_a_logout() {
    inject("logout", "logout");
}

#[test]
fn closed_streams_of_our_own_hang_nothing_and_an_answer_needs_stdout() {
    let place = Place::new();
    let agent = Agent::new(
        &place,
        "agent",
        json!([
            answers_v1(), {"on": "auth/status", "reply": {"state": "unauthenticated"}},
        ]),
    );
    let words = agent
        .after(&["status"])
        .iter()
        .map(|word| format!("'{word}'"))
        .collect::<Vec<_>>()
        .join(" ");
    for (closed, code) in [("<&-", 1), ("2>&-", 1), (">&-", 4), ("<&- >&- 2>&-", 4)] {
        let line = format!("'{}' {words} {closed}", crate::common::program());
        let template = place.command(&[]);
        let mut shell = std::process::Command::new("sh");
        shell.args(["-c", &line]).env_clear();
        shell.envs(template.get_envs().filter_map(|(name, value)| Some((name, value?))));
        shell.stdout(std::process::Stdio::piped()).stderr(std::process::Stdio::piped());
        crate::common::Run::finish(shell.spawn().unwrap()).assert_code(code);
        agent.assert_nothing_left();
    }
}

#[test]
fn many_agents_at_once_do_not_disturb_one_another() {
    let place = Place::new();
    let mut config = String::new();
    let mut agents = Vec::new();
    for index in 0..64 {
        let name = format!("a{index}");
        let steps = match index {
            20 => json!([answers_v1(), {"on": "auth/status", "hang": true}]),
            40 => json!([answers_v1(), {"on": "auth/status", "shell": "yes"}]),
            _ => json!([answers_v1(), {"on": "auth/status", "reply": {"state": "authenticated"}}]),
        };
        let agent = Agent::new(&place, &name, steps);
        config.push_str(&agent.table(&name));
        agents.push(agent);
    }
    place.write("c.toml", &config);
    for jobs in [&[][..], &["--jobs", "3"]] {
        let mut args = vec!["status", "--config", "c.toml", "--timeout", "5s"];
        args.extend(jobs);
        let (run, document) = place.run_json(&args);
        run.assert_code(124);
        let states: Vec<&str> = document["agents"]
            .as_array()
            .unwrap()
            .iter()
            .map(|agent| agent["state"].as_str().unwrap())
            .collect();
        assert_eq!(states.len(), 64);
        assert_eq!(
            states.iter().filter(|state| **state == "authenticated").count(),
            62,
            "{states:?}"
        );
        assert_eq!((states[20], states[40]), ("unknown", "unknown"));
    }
    agents.iter().for_each(Agent::assert_nothing_left);
}

/// The peak resident memory of a run, in KiB.
fn peak_memory(place: &Place, agent: &Agent, args: &[&str]) -> u64 {
    let words = agent.after(args);
    let child = place.start(&words.iter().map(String::as_str).collect::<Vec<_>>());
    let id = child.id();
    let status = format!("/proc/{id}/status");
    agent.wait_for("request", |entry| entry["method"] == "auth/status");
    let text = std::fs::read_to_string(status).unwrap();
    crate::common::Run::finish(child).assert_code(0);
    let line = text.lines().find(|line| line.starts_with("VmHWM:")).unwrap();
    line.split_whitespace().nth(1).unwrap().parse().unwrap()
}

#[test]
fn memory_stays_near_the_longest_line() {
    // 48 MiB that are one message, many small values, or noise.
    for (name, chunks) in [
        (
            "a long text",
            json!(["{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"protocolVersion\":1,\"x\":\"", {"repeat": "0123456789abcdef", "count": 3 << 20}, "\",\"agentCapabilities\":{\"auth\":{\"status\":true}}}}\n"]),
        ),
        (
            "many values",
            json!(["{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"protocolVersion\":1,\"x\":[0", {"repeat": ",[],[],[],[],[],0", "count": 3 << 20}, "],\"agentCapabilities\":{\"auth\":{\"status\":true}}}}\n"]),
        ),
        (
            "noise",
            json!([{"repeat": "0123456789abcdef", "count": 3 << 20}, "\n{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"protocolVersion\":1,\"agentCapabilities\":{\"auth\":{\"status\":true}}}}\n"]),
        ),
        (
            "noise that looks like messages",
            json!([{"repeat": "{\"a\":{\"b\":[{\"c\":", "count": 3 << 20}, "\n{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"protocolVersion\":1,\"agentCapabilities\":{\"auth\":{\"status\":true}}}}\n"]),
        ),
    ] {
        let place = Place::new();
        let agent = Agent::new(
            &place,
            "agent",
            json!([
                {"on": "initialize", "write_raw": chunks},
                {"on": "auth/status", "delay_ms": 200, "reply": {"state": "authenticated"}},
            ]),
        );
        let peak = peak_memory(&place, &agent, &["status"]);
        assert!(peak < (64 + 24) << 10, "{name}: {peak} KiB");
    }
}
