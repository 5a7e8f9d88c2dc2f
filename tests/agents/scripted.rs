//! An agent that plays a scenario: `scripted-agent SCENARIO DIRECTORY [WORD]...`.
//!
//! SCENARIO is a JSON file with a list `agent_script` of steps. DIRECTORY contains what its processes
//! share: `state.json` and the log of all that happened, `log.jsonl`.
//!
//! All steps whose `on` and filters match run in list order; filters are looked at before the
//! first of them runs. `on`: `start`, METHOD (a request), `notify:METHOD`, `answer:ID`, `eof`,
//! `argv:WORD` (started with that word: a login run, no protocol). Filters: `state`, `params`,
//! `params_not` (subsets), `env`, `nth`. Actions, in this order: `delay_ms`, `set`, `ignore`,
//! `shell` (a command on the same streams), `stderr`, `write_raw`, `notify`, `request`,
//! `reply`/`error` (`reply_to`), `child`, `close`, `hang`, `exit`.

#![expect(
    clippy::expect_used,
    clippy::print_stderr,
    reason = "a scenario that is wrong fails its test; agents talk on stderr"
)]

use std::collections::HashMap;
use std::fs::{File, OpenOptions};
use std::io::{self, BufRead, Read, Seek, SeekFrom, Write};
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::sync::mpsc;
use std::time::Duration;

use serde_json::{Value, json};

fn main() {
    let mut args = std::env::args().skip(1);
    let scenario = args.next().expect("a scenario file");
    let directory = PathBuf::from(args.next().expect("a directory"));
    let words: Vec<String> = args.collect();
    let text = std::fs::read_to_string(scenario).expect("the scenario can be read");
    let scenario: Value = serde_json::from_str(&text).expect("the scenario is JSON");
    let steps = scenario["agent_script"].as_array().expect("a list of steps").clone();
    let mut agent = Agent {
        steps,
        directory,
        seen: HashMap::new(),
        pending: HashMap::new(),
        ignores_eof: false,
    };
    agent.log(&json!({"event": "start", "args": words, "pid": std::process::id()}));
    // A program on the terminal speaks for itself, nothing is between it and the person.
    if let (Ok(text), []) = (std::env::var("SCRIPTED_AGENT_SAYS"), words.as_slice()) {
        eprintln!("the agent says {text}");
    }
    for word in &words {
        let event = format!("argv:{word}");
        if agent.has_steps(&event) {
            agent.run(&event, &Value::Null, &Value::Null);
            std::process::exit(0);
        }
    }
    agent.run("start", &Value::Null, &Value::Null);
    let (sender, lines) = mpsc::channel();
    std::thread::spawn(move || {
        for line in io::stdin().lock().lines() {
            let Ok(line) = line else { break };
            if sender.send(line).is_err() {
                break;
            }
        }
    });
    while let Ok(line) = lines.recv() {
        agent.receive(&line);
    }
    agent.log(&json!({"event": "eof"}));
    agent.run("eof", &Value::Null, &Value::Null);
    if agent.ignores_eof {
        hang();
    }
}

struct Agent {
    steps: Vec<Value>,
    directory: PathBuf,
    seen: HashMap<String, u64>,
    pending: HashMap<String, Value>,
    ignores_eof: bool,
}

impl Agent {
    fn receive(&mut self, line: &str) {
        let message: Value = match serde_json::from_str(line) {
            Ok(message) => message,
            Err(_) => return self.log(&json!({"event": "not_json", "line": line})),
        };
        let id = message.get("id").cloned();
        let Some(method) = message["method"].as_str() else {
            self.log(&json!({"event": "answer", "message": message}));
            let name =
                message["id"].as_str().map_or_else(|| message["id"].to_string(), ToOwned::to_owned);
            return self.run(&format!("answer:{name}"), &message, &Value::Null);
        };
        let params = message["params"].clone();
        match id {
            None => {
                self.log(&json!({"event": "notification", "method": method, "message": message}));
                self.run(&format!("notify:{method}"), &params, &Value::Null);
            }
            Some(id) => {
                self.log(&json!({"event": "request", "method": method, "message": message}));
                self.pending.insert(method.to_owned(), id.clone());
                if self.has_steps(method) {
                    self.run(method, &params, &id);
                } else {
                    Self::send(&json!({"jsonrpc": "2.0", "id": id,
                        "error": {"code": -32601, "message": "Method not found"}}));
                }
            }
        }
    }

    fn has_steps(&self, event: &str) -> bool {
        self.steps.iter().any(|step| step["on"] == event)
    }

    fn run(&mut self, event: &str, params: &Value, id: &Value) {
        let nth = self.seen.entry(event.to_owned()).or_insert(0);
        *nth += 1;
        let nth = *nth;
        let state = self.with_state(|state| state.clone());
        let matching: Vec<Value> = self
            .steps
            .iter()
            .filter(|step| step["on"] == event && matches(step, &state, params, nth))
            .cloned()
            .collect();
        for step in matching {
            self.act(&step, id);
        }
    }

    fn act(&mut self, step: &Value, id: &Value) {
        if let Some(delay) = step["delay_ms"].as_u64() {
            std::thread::sleep(Duration::from_millis(delay));
        }
        if let Some(set) = step["set"].as_object() {
            self.with_state(|state| {
                for (key, value) in set {
                    state[key] = value.clone();
                }
            });
        }
        for what in step["ignore"].as_array().into_iter().flatten() {
            self.ignore(what.as_str().expect("a signal or EOF"));
        }
        if let Some(command) = step["shell"].as_str() {
            Command::new("sh").args(["-c", command]).status().expect("sh runs");
        }
        write_chunks(&mut io::stderr(), &step["stderr"], id);
        write_chunks(&mut io::stdout(), &step["write_raw"], id);
        if step["notify"].is_object() {
            let mut message = step["notify"].clone();
            message["jsonrpc"] = "2.0".into();
            Self::send(&message);
        }
        if step["request"].is_object() {
            let mut message = step["request"].clone();
            message["jsonrpc"] = "2.0".into();
            if message["id"] == "$ID" {
                message["id"] = id.clone();
            }
            Self::send(&message);
        }
        let id = match step["reply_to"].as_str() {
            Some(method) => self.pending.get(method).cloned().expect("a pending request"),
            None => id.clone(),
        };
        if let Some(result) = step.get("reply") {
            Self::send(&json!({"jsonrpc": "2.0", "id": id, "result": result}));
        }
        if let Some(error) = step.get("error") {
            Self::send(&json!({"jsonrpc": "2.0", "id": id, "error": error}));
        }
        if step["child"].is_object() {
            self.start_child(&step["child"]);
        }
        match step["close"].as_str() {
            Some("stdout") => close_stdout(),
            Some("stdin") => close_stdin(),
            _ => {}
        }
        if step["hang"] == true {
            hang();
        }
        if let Some(status) = step["exit"].as_i64() {
            self.log(&json!({"event": "exit", "status": status}));
            std::process::exit(i32::try_from(status).expect("an exit status"));
        }
    }

    fn ignore(&mut self, what: &str) {
        let signal = match what {
            "EOF" => {
                self.ignores_eof = true;
                return;
            }
            "INT" => signal_hook::consts::SIGINT,
            "TERM" => signal_hook::consts::SIGTERM,
            "HUP" => signal_hook::consts::SIGHUP,
            other => panic!("no signal {other}"),
        };
        signal_hook::flag::register(signal, Arc::new(AtomicBool::new(false))).expect("a handler");
    }

    #[expect(clippy::zombie_processes, reason = "it is there to be left behind")]
    fn start_child(&self, child: &Value) {
        let stdout = if child["hold_stdout"] == true { Stdio::inherit() } else { Stdio::null() };
        let seconds = child["sleep_s"].to_string();
        let mut command = Command::new("sleep");
        command.arg(seconds).stdin(Stdio::null()).stdout(stdout).stderr(Stdio::null());
        let child = command.spawn().expect("sleep runs");
        self.log(&json!({"event": "child", "pid": child.id()}));
    }

    fn send(message: &Value) {
        let mut stdout = io::stdout().lock();
        // A client that has gone is not a fault of this agent.
        let _ = writeln!(stdout, "{message}").and_then(|()| stdout.flush());
    }

    fn log(&self, entry: &Value) {
        let path = self.directory.join("log.jsonl");
        let mut log = OpenOptions::new().create(true).append(true).open(path).expect("the log");
        log.write_all(format!("{entry}\n").as_bytes()).expect("the log can be written");
    }

    fn with_state<T>(&self, change: impl FnOnce(&mut Value) -> T) -> T {
        let path = self.directory.join("state.json");
        let mut file: File = OpenOptions::new()
            .create(true)
            .truncate(false)
            .read(true)
            .write(true)
            .open(path)
            .expect("the state");
        rustix::fs::flock(&file, rustix::fs::FlockOperation::LockExclusive).expect("a lock");
        let mut text = String::new();
        file.read_to_string(&mut text).expect("the state can be read");
        let mut state = serde_json::from_str(&text).unwrap_or_else(|_| json!({}));
        let result = change(&mut state);
        file.set_len(0).expect("the state can be emptied");
        file.seek(SeekFrom::Start(0)).expect("the state can be rewound");
        write!(file, "{state}").expect("the state can be written");
        result
    }
}

fn matches(step: &Value, state: &Value, params: &Value, nth: u64) -> bool {
    let state_fits = step["state"].as_object().into_iter().flatten().all(|(key, wanted)| {
        let found = state.get(key).cloned().unwrap_or(Value::Bool(false));
        found == *wanted
    });
    let environment_fits = step["env"].as_object().into_iter().flatten().all(|(name, wanted)| {
        let found = std::env::var(name).ok();
        match wanted {
            Value::Bool(wanted) => found.is_some() == *wanted,
            wanted => found.as_deref() == wanted.as_str(),
        }
    });
    state_fits
        && environment_fits
        && step.get("params").is_none_or(|wanted| is_subset(wanted, params))
        && step.get("params_not").is_none_or(|unwanted| !is_subset(unwanted, params))
        && step["nth"].as_u64().is_none_or(|wanted| wanted == nth)
}

fn is_subset(part: &Value, whole: &Value) -> bool {
    match (part, whole) {
        (Value::Object(part), Value::Object(whole)) => part
            .iter()
            .all(|(key, value)| whole.get(key).is_some_and(|found| is_subset(value, found))),
        (part, whole) => part == whole,
    }
}

/// Writes text, `{"hex"}` and `{"repeat", "count"}`, each flushed by itself.
fn write_chunks(stream: &mut impl Write, chunks: &Value, id: &Value) {
    let chunks = match chunks {
        Value::Array(chunks) => chunks.clone(),
        Value::Null => return,
        one => vec![one.clone()],
    };
    for chunk in chunks {
        let bytes = match &chunk {
            Value::String(text) => text.replace("$ID", &id.to_string()).into_bytes(),
            other if other["hex"].is_string() => {
                from_hex(other["hex"].as_str().unwrap_or_default())
            }
            other => {
                let count =
                    usize::try_from(other["count"].as_u64().expect("a count")).expect("a size");
                other["repeat"].as_str().expect("a text").repeat(count).into_bytes()
            }
        };
        // A client that has gone is not a fault of this agent.
        let _ = stream.write_all(&bytes).and_then(|()| stream.flush());
    }
}

fn from_hex(text: &str) -> Vec<u8> {
    (0..text.len())
        .step_by(2)
        .map(|at| u8::from_str_radix(&text[at..at + 2], 16).expect("hex"))
        .collect()
}

/// Closes the stdout pipe of this process and lives on.
fn close_stdout() {
    let nothing = File::create("/dev/null").expect("a null device");
    rustix::stdio::dup2_stdout(&nothing).expect("stdout can be replaced");
}

/// Closes the stdin pipe of this process and lives on.
fn close_stdin() {
    let nothing = File::open("/dev/null").expect("a null device");
    rustix::stdio::dup2_stdin(&nothing).expect("stdin can be replaced");
}

fn hang() -> ! {
    loop {
        std::thread::park();
    }
}
