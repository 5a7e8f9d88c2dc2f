//! Whatever an agent sends in whatever phase: an answer, one document, nothing left.
//!
//! `PROPTEST_CASES=5000 cargo test --test it fuzz` plays more.

use proptest::prelude::*;
use proptest::test_runner::{Config, RngSeed, TestRunner};
use serde_json::{Value, json};

use crate::common::{Agent, Place, answers_v1};

/// How many agents are played where nothing else is asked for.
const USUAL_CASES: u32 = 60;

fn real_answers() -> Vec<Value> {
    serde_json::from_str(include_str!("real-answers.json")).unwrap()
}

/// Lines that real agents sent, as messages.
fn real_lines() -> Vec<String> {
    let mut lines = Vec::new();
    for agent in real_answers() {
        for key in ["initialize_v1", "initialize_asked_for_2"] {
            if agent[key].is_object() {
                lines.push(json!({"jsonrpc": "2.0", "id": 0, "result": agent[key]}).to_string());
            }
        }
        for key in ["auth/status", "session/new without credentials", "logout when logged out"] {
            let mut message = agent[key].clone();
            if message.is_object() {
                message["jsonrpc"] = "2.0".into();
                message["id"] = 1.into();
                lines.push(message.to_string());
            }
        }
        for message in agent["notifications"].as_array().into_iter().flatten() {
            let mut message = message.clone();
            message["jsonrpc"] = "2.0".into();
            lines.push(message.to_string());
        }
    }
    lines
}

/// Bytes, or a real line with some of its bytes changed, cut out or doubled.
fn bytes() -> impl Strategy<Value = Vec<u8>> {
    let lines = real_lines();
    let mutated = (
        proptest::sample::select(lines),
        proptest::collection::vec((any::<prop::sample::Index>(), any::<u8>(), 0..4_u8), 0..6),
    )
        .prop_map(|(line, changes)| {
            let mut bytes = line.into_bytes();
            for (index, byte, kind) in changes {
                let at = index.index(bytes.len().max(1));
                match kind {
                    0 => bytes[at] = byte,
                    1 => bytes.truncate(at.max(1)),
                    2 => bytes.insert(at, byte),
                    _ => bytes.extend_from_within(at..),
                }
            }
            bytes.push(b'\n');
            bytes
        });
    prop_oneof![3 => mutated, 1 => proptest::collection::vec(any::<u8>(), 0..300)]
}

fn as_hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |hex, byte| hex + &format!("{byte:02x}"))
}

#[test]
fn anything_in_any_phase() {
    let cases = std::env::var("PROPTEST_CASES").ok().and_then(|cases| cases.parse().ok());
    let config = Config {
        cases: cases.unwrap_or(USUAL_CASES),
        failure_persistence: None,
        // The same agents each time, unless more are asked for.
        rng_seed: if cases.is_some() { RngSeed::Random } else { RngSeed::Fixed(7) },
        ..Config::default()
    };
    let phases = prop_oneof![
        Just("start"),
        Just("initialize"),
        Just("auth/status"),
        Just("authenticate"),
        Just("logout")
    ];
    let strategy = (phases, bytes(), any::<bool>());
    let result = TestRunner::new(config).run(&strategy, |(phase, bytes, answers_too)| {
        let place = Place::new();
        let mut steps = vec![json!({"on": phase, "write_raw": [{"hex": as_hex(&bytes)}]})];
        if phase != "initialize" || answers_too {
            steps.push(answers_v1());
        }
        if phase != "auth/status" || answers_too {
            steps.push(json!({"on": "auth/status", "reply": {"state": "unknown"}}));
        }
        let command = match phase {
            "authenticate" => "login",
            "logout" => "logout",
            _ => "status",
        };
        let agent = Agent::new(&place, "agent", Value::Array(steps));
        let mut args = vec![command, "--timeout", "150ms", "--push-timeout", "50ms"];
        if command == "login" {
            args.extend(["--login-timeout", "150ms"]);
        }
        let (run, _) = agent.run_json(&place, &args);
        prop_assert!([0, 1, 3, 4, 124].contains(&run.code), "{run}");
        agent.assert_nothing_left();
        let human = agent.run(&place, &args);
        prop_assert_eq!(human.code, run.code, "{}", human);
        prop_assert!(!human.stdout.contains('\u{1b}'), "{human}");
        Ok(())
    });
    result.unwrap();
}

#[test]
fn every_recorded_agent_is_read_whole() {
    for recorded in real_answers() {
        let place = Place::new();
        let name = recorded["agent"].as_str().unwrap();
        let agent = Agent::new(
            &place,
            "agent",
            json!([{"on": "initialize", "reply": recorded["initialize_v1"]}]),
        );
        let (run, report) = agent.run_json(&place, &["login", "--list", "--push-timeout", "50ms"]);
        if recorded["initialize_v1"].is_null() {
            run.assert_code(4);
            continue;
        }
        let methods = recorded["initialize_v1"]["authMethods"].as_array().map_or(0, Vec::len);
        assert_eq!(report["authMethods"].as_array().unwrap().len(), methods, "{name}\n{run}");
        run.assert_code(if methods == 0 { 3 } else { 0 });
        for method in report["authMethods"].as_array().unwrap() {
            // Every method is driven, or refused with a reason.
            let is_driven = method["flow"] != "unsupported";
            assert!(is_driven || method["obstacle"].is_string(), "{name}: {method}");
            let by_hand = method["obstacle"] == "a gateway is configured by hand";
            assert!(is_driven || by_hand, "{name}: {method}");
        }
    }
}
