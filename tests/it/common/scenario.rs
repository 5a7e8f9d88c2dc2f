//! Scripted agents and what they saw.

use std::path::PathBuf;
use std::process::Child;

use serde_json::{Value, json};

use super::{Place, Pty, Run, eventually, example, is_alive};

/// A scripted agent in a place: its scenario, and the log of what happened to it.
pub struct Agent {
    scenario: PathBuf,
    directory: PathBuf,
}

impl Agent {
    pub fn new(place: &Place, name: &str, steps: Value) -> Self {
        let scenario = place
            .write(&format!("{name}/scenario.json"), &json!({"agent_script": steps}).to_string());
        Self { directory: scenario.parent().unwrap().to_owned(), scenario }
    }

    /// The program and its arguments.
    pub fn words(&self) -> Vec<String> {
        vec![
            example("scripted-agent"),
            self.scenario.to_str().unwrap().to_owned(),
            self.directory.to_str().unwrap().to_owned(),
        ]
    }

    /// `args`, then `--` and this agent's command.
    pub fn after(&self, args: &[&str]) -> Vec<String> {
        let mut words: Vec<String> = args.iter().map(ToString::to_string).collect();
        words.push("--".to_owned());
        words.extend(self.words());
        words
    }

    /// Runs `args` on this agent.
    pub fn run(&self, place: &Place, args: &[&str]) -> Run {
        let words = self.after(args);
        place.run(&words.iter().map(String::as_str).collect::<Vec<_>>())
    }

    /// Runs `args` with `--json` on this agent: the run, and what it says of the agent.
    pub fn run_json(&self, place: &Place, args: &[&str]) -> (Run, Value) {
        let words = self.after(args);
        let (run, document) = place.run_json(&words.iter().map(String::as_str).collect::<Vec<_>>());
        (run, document["agents"][0].clone())
    }

    /// Starts `args` on this agent and does not wait.
    pub fn start(&self, place: &Place, args: &[&str]) -> Child {
        let words = self.after(args);
        place.start(&words.iter().map(String::as_str).collect::<Vec<_>>())
    }

    /// Runs `args` on this agent at a pseudo-terminal.
    pub fn pty(&self, place: &Place, args: &[&str]) -> Pty {
        let words = self.after(args);
        place.pty(&words.iter().map(String::as_str).collect::<Vec<_>>())
    }

    /// The agent as a table of a configuration file.
    pub fn table(&self, name: &str) -> String {
        let words = serde_json::to_string(&self.words()).unwrap();
        format!("[agents.{name}]\ncommand = {words}\n")
    }

    pub fn log(&self) -> Vec<Value> {
        let text = std::fs::read_to_string(self.directory.join("log.jsonl")).unwrap_or_default();
        text.lines().filter_map(|line| serde_json::from_str(line).ok()).collect()
    }

    pub fn state(&self) -> Value {
        let text = std::fs::read_to_string(self.directory.join("state.json")).unwrap_or_default();
        serde_json::from_str(&text).unwrap_or_default()
    }

    fn events(&self, event: &str) -> Vec<Value> {
        self.log().into_iter().filter(|entry| entry["event"] == event).collect()
    }

    /// The methods of the requests it got, in order.
    pub fn requests(&self) -> Vec<String> {
        let methods = self.events("request").into_iter();
        methods.map(|entry| entry["method"].as_str().unwrap().to_owned()).collect()
    }

    /// The messages it got: requests, notifications and answers.
    pub fn messages(&self) -> Vec<Value> {
        self.log()
            .into_iter()
            .map(|entry| entry["message"].clone())
            .filter(|message| !message.is_null())
            .collect()
    }

    /// The arguments of each process, beyond those that name the scenario.
    pub fn starts(&self) -> Vec<Vec<String>> {
        let starts = self.events("start").into_iter();
        starts.map(|entry| serde_json::from_value(entry["args"].clone()).unwrap()).collect()
    }

    /// Waits until something happened to it.
    #[track_caller]
    pub fn wait_for(&self, event: &str, fits: impl Fn(&Value) -> bool) {
        eventually(&format!("the agent sees {event}"), || {
            self.log().iter().any(|entry| entry["event"] == event && fits(entry)).then_some(())
        });
    }

    /// None of its processes, nor of their children, runs any more.
    #[track_caller]
    pub fn assert_nothing_left(&self) {
        for entry in self.log() {
            if let Some(pid) = entry["pid"].as_u64() {
                assert!(!is_alive(pid), "process {pid} was left behind: {entry}");
            }
        }
    }
}

/// The steps of a v1 agent that offers `auth/status`, one agent method and logout.
pub fn answers_v1() -> Value {
    json!({"on": "initialize", "reply": {
        "protocolVersion": 1,
        "agentCapabilities": {"auth": {"status": {}, "logout": {}}},
        "agentInfo": {"name": "scripted", "title": "Scripted Agent", "version": "1.2.3"},
        "authMethods": [{"id": "web", "name": "Browser"}],
    }})
}

/// The same in v2.
pub fn answers_v2() -> Value {
    json!({"on": "initialize", "reply": {
        "protocolVersion": 2,
        "capabilities": {"auth": {"status": {}}},
        "info": {"name": "scripted", "title": "Scripted Agent", "version": "1.2.3"},
        "authMethods": [{"methodId": "web", "name": "Browser", "type": "agent"}],
    }})
}
