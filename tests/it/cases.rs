//! The agents that public reports tell of, played through the real program.

use serde_json::Value;

use crate::common::{Agent, Place, Pty, Run};

fn all_cases() -> Vec<Value> {
    serde_json::from_str(include_str!("cases.json")).unwrap()
}

fn case(id: &str) -> Value {
    all_cases().into_iter().find(|case| case["id"] == id).unwrap_or_else(|| panic!("no case {id}"))
}

/// What a run came to, on pipes or on a pseudo-terminal.
struct Played {
    code: i32,
    text: String,
    /// Stdout by itself, where there was no terminal.
    stdout: Option<String>,
}

/// Plays a case in one of its forms: JSON or text, version 1 or 2.
fn play(id: &str, json: bool, version: u64) {
    let case = if version == 2 { in_v2(&case(id)) } else { case(id) };
    let mut place = Place::new();
    let opts = &case["opts"];
    for (name, value) in opts["env"].as_object().into_iter().flatten() {
        place.env(name, value.as_str().unwrap());
    }
    // Every agent repeats a secret that it was given; it must show nowhere.
    place.env("SCRIPTED_AGENT_SAYS", PLANTED);
    let mut script = case["agent_script"].clone();
    if opts["verify"] == false {
        remember(&mut script);
    }
    let agent = Agent::new(&place, id, script);
    let words = arguments(&place, &case, &agent, json);
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let played = if opts["tty"] == true {
        on_terminal(&agent, opts, place.pty(&words))
    } else {
        let run: Run = place.run_with(&words, opts["stdin"].as_str().unwrap_or_default());
        Played { code: run.code, text: run.all(), stdout: Some(run.stdout) }
    };
    check(&case, &agent, &played, json);
    let trace = std::fs::read_to_string(place.path("trace")).unwrap_or_default();
    for (where_to, text) in [("the output", &played.text), ("the trace", &trace)] {
        for secret in [PLANTED, "demo-secret-value"] {
            assert!(!text.contains(secret), "{secret} shows in {where_to} of {id}\n{text}");
        }
    }
}

/// Lets a script whose state never changes say afterwards that its login worked.
fn remember(script: &mut Value) {
    let steps = script.as_array_mut().unwrap();
    for step in steps.iter_mut().filter(|step| step["on"] == "auth/status") {
        step["state"] = serde_json::json!({"in": false});
    }
    steps.push(serde_json::json!({
        "on": "auth/status", "state": {"in": true}, "reply": {"authenticated": true},
    }));
}

/// A secret that every agent is given by `--env` and repeats.
const PLANTED: &str = "planted-value-0123456789";

/// The case with its agent speaking version 2.
fn in_v2(case: &Value) -> Value {
    let text = serde_json::to_string(case).unwrap();
    // Inside of strings quotes are escaped, so that both forms are looked for.
    let renamed = [
        ("protocolVersion", "1", "protocolVersion", "2"),
        ("agentCapabilities", "", "capabilities", ""),
        ("agentInfo", "", "info", ""),
    ];
    let mut text = text;
    for (from, old, to, new) in renamed {
        for quote in ["\"", "\\\""] {
            text = text.replace(
                &format!("{quote}{from}{quote}:{old}"),
                &format!("{quote}{to}{quote}:{new}"),
            );
        }
    }
    let methods = [("authenticate", "auth/login"), ("logout", "auth/logout")];
    for (from, to) in methods {
        text = text.replace(&format!("\"on\":\"{from}\""), &format!("\"on\":\"{to}\""));
        text = text.replace(&format!("\"reply_to\":\"{from}\""), &format!("\"reply_to\":\"{to}\""));
    }
    let mut case: Value = serde_json::from_str(&text).unwrap();
    type_methods(&mut case["agent_script"]);
    for list in ["sends", "says"] {
        for entry in case["expect"][list].as_array_mut().into_iter().flatten() {
            if let Some((_, to)) = methods.iter().find(|(from, _)| entry == from) {
                *entry = (*to).into();
            }
        }
    }
    case["opts"]["protocol"] = "2".into();
    case
}

/// Gives the methods of an `initialize` answer the keys of version 2.
fn type_methods(value: &mut Value) {
    match value {
        Value::Array(items) => items.iter_mut().for_each(type_methods),
        Value::Object(fields) => {
            for method in
                fields.get_mut("authMethods").and_then(Value::as_array_mut).into_iter().flatten()
            {
                let Some(method) = method.as_object_mut() else { continue };
                if let Some(id) = method.remove("id") {
                    method.insert("methodId".to_owned(), id);
                    method.entry("type").or_insert_with(|| "agent".into());
                }
            }
            fields.values_mut().for_each(type_methods);
        }
        _ => {}
    }
}

fn arguments(place: &Place, case: &Value, agent: &Agent, json: bool) -> Vec<String> {
    let opts = &case["opts"];
    let mut words = vec![case["command"].as_str().unwrap().to_owned()];
    if json {
        words.push("--json".to_owned());
    }
    words.push("-vv".to_owned());
    words.extend(["--env".to_owned(), format!("PLANTED_KEY={PLANTED}")]);
    words.extend(["--trace".to_owned(), place.path("trace").to_str().unwrap().to_owned()]);
    for arg in opts["args"].as_array().into_iter().flatten() {
        words.push(arg.as_str().unwrap().to_owned());
    }
    if let Some(protocol) = opts["protocol"].as_str() {
        words.extend(["--protocol".to_owned(), protocol.to_owned()]);
    }
    if case["id"] == "E03-v1-only-rejects-2" {
        // Version 1 is asked for first; this is about an agent that is asked for 2.
        words.extend(["--protocol".to_owned(), "2".to_owned()]);
    }
    if let Some(method) = opts["method"].as_str() {
        words.extend(["--method".to_owned(), method.to_owned()]);
    }
    for (option, key) in [
        ("--timeout", "timeout_ms"),
        ("--start-timeout", "max_start_ms"),
        ("--login-timeout", "login_timeout_ms"),
    ] {
        if let Some(milliseconds) = opts[key].as_u64() {
            words.extend([option.to_owned(), format!("{milliseconds}ms")]);
        }
    }
    let Some(names) = opts["agents"].as_array() else {
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        return agent.after(&words);
    };
    let mut config = String::new();
    for (index, name) in names.iter().enumerate() {
        let other = if *name == case["id"] {
            agent.table(&format!("a{index}"))
        } else {
            let steps = self::case(name.as_str().unwrap())["agent_script"].clone();
            Agent::new(place, &format!("a{index}"), steps).table(&format!("a{index}"))
        };
        config.push_str(&other);
        words.push(format!("a{index}"));
    }
    let path = place.write("config.toml", &config);
    words.extend(["--config".to_owned(), path.to_str().unwrap().to_owned()]);
    words
}

fn on_terminal(agent: &Agent, opts: &Value, mut pty: Pty) -> Played {
    if opts["cancel_after_ms"].is_number() {
        // When the program on the terminal runs, whatever that takes, the person gives up.
        agent.wait_for("start", |entry| entry["args"] != Value::Array(Vec::new()));
        pty.send_control('c');
    }
    let (code, text) = pty.finish();
    Played { code, text, stdout: None }
}

fn check(case: &Value, agent: &Agent, played: &Played, json: bool) {
    let expect = &case["expect"];
    let context =
        format!("case {}, json {json}, exit code {}\n{}", case["id"], played.code, played.text);
    assert_eq!(Value::from(played.code), expect["exitCode"], "exit code, {context}");
    let strings = |key: &str| -> Vec<String> {
        expect[key]
            .as_array()
            .into_iter()
            .flatten()
            .map(|text| text.as_str().unwrap().to_owned())
            .collect()
    };
    // In JSON our own sentences are not all there, and quotes are escaped.
    if !json {
        for text in strings("says") {
            assert!(unwrapped(&played.text).contains(&text), "says {text:?}, {context}");
        }
    }
    for text in strings("not_says") {
        assert!(!played.text.contains(&text), "says {text:?}, {context}");
    }
    let requests = agent.requests();
    for method in strings("sends") {
        assert!(requests.contains(&method), "sends {method}, not only {requests:?}, {context}");
    }
    for method in strings("never_sends") {
        assert!(!requests.contains(&method), "sends {method}, {context}");
    }
    let argv = strings("argv");
    assert!(
        argv.is_empty() || agent.starts().contains(&argv),
        "argv {:?}, {context}",
        agent.starts()
    );
    if let Some(starts) = expect["starts"].as_u64() {
        assert_eq!(agent.starts().len() as u64, starts, "starts, {context}");
    }
    if expect["no_leftover"] == true {
        agent.assert_nothing_left();
    }
    if let (true, Some(stdout)) = (json, &played.stdout) {
        let document: Value =
            serde_json::from_str(stdout).unwrap_or_else(|error| panic!("{error}, {context}"));
        assert_eq!(document["exitCode"], expect["exitCode"], "{context}");
        let of_case = document["agents"].as_array().unwrap().iter();
        let states: Vec<&Value> = of_case.map(|agent| &agent["state"]).collect();
        if expect["state"].is_string() {
            assert!(states.contains(&&expect["state"]), "state {states:?}, {context}");
        }
    }
    assert!(agent.state()["harm"].is_null(), "{context}");
}

/// The text without the breaks that a terminal inserts at its line ends.
fn unwrapped(text: &str) -> String {
    text.replace("\r\n", "\n")
}

macro_rules! cases {
    ($($name:ident: $id:literal,)*) => {
        $(
            #[test]
            fn $name() {
                for json in [false, true] {
                    play($id, json, 1);
                    if !ONLY_V1.contains(&$id) {
                        play($id, json, 2);
                    }
                }
            }
        )*

        #[test]
        fn every_case_is_played() {
            let played = [$($id),*];
            let known: Vec<Value> = all_cases();
            let left: Vec<&str> = known
                .iter()
                .map(|case| case["id"].as_str().unwrap())
                .filter(|id| !played.contains(id) && !LATER.contains(id))
                .collect();
            assert!(left.is_empty(), "not played: {left:?}");
        }
    };
}

/// Cases about what version 2 does not have, or about the versions themselves.
const ONLY_V1: &[&str] = &[
    "A02-osc-title-glued",
    "A06-bom-before-json",
    "A08-crlf-and-no-final-newline",
    "A09-large-answer",
    "D02-legacy-meta-terminal",
    "D03-type-inside-meta",
    "D08-capability-must-be-advertised",
    "E01-integer-required",
    "E03-v1-only-rejects-2",
    "G08-second-account",
    "J03-env-var-method-present",
    "K02-logout-not-offered",
    "K03-v2-logout-without-marker",
    "D04-broken-and-unknown-entries",
    "D07-v2-early-field-names",
];

/// Cases of features that are still to come.
const LATER: &[&str] = &["O20-mcp-server-exits-on-discover", "O23-mcp-error-number-is-no-401"];

cases! {
    d02_legacy_meta_terminal: "D02-legacy-meta-terminal",
    d03_type_inside_meta: "D03-type-inside-meta",
    j03_env_var_method_present: "J03-env-var-method-present",
    a01_log_lines_first: "A01-log-lines-first",
    a02_osc_title_glued: "A02-osc-title-glued",
    a03_login_url_on_stdout: "A03-login-url-on-stdout",
    a05_prompt_without_newline: "A05-prompt-without-newline",
    a06_bom_before_json: "A06-bom-before-json",
    a08_crlf_and_no_final_newline: "A08-crlf-and-no-final-newline",
    a09_large_answer: "A09-large-answer",
    a12_stderr_flood: "A12-stderr-flood",
    b01_agent_request_clashing_id: "B01-agent-request-clashing-id",
    b03_error_with_null_id: "B03-error-with-null-id",
    c01_unknown_request_must_be_answered: "C01-unknown-request-must-be-answered",
    c02_terminal_create_during_login: "C02-terminal-create-during-login",
    c04_identity_push: "C04-identity-push",
    d01_nulls_and_missing_fields: "D01-nulls-and-missing-fields",
    d05_no_methods: "D05-no-methods",
    d08_capability_must_be_advertised: "D08-capability-must-be-advertised",
    d10_several_methods_none_chosen: "D10-several-methods-none-chosen",
    e01_integer_required: "E01-integer-required",
    e03_v1_only_rejects_2: "E03-v1-only-rejects-2",
    f01_detail_in_data_string: "F01-detail-in-data-string",
    f04_expired_token_only_on_stderr: "F04-expired-token-only-on-stderr",
    g01_methods_listed_though_logged_in: "G01-methods-listed-though-logged-in",
    g02_no_status_method: "G02-no-status-method",
    g03_authenticated_means_present: "G03-authenticated-means-present",
    g05_success_but_old_process_stays_out: "G05-success-but-old-process-stays-out",
    g08_second_account: "G08-second-account",
    g09_key_in_env_shadows_login: "G09-key-in-env-shadows-login",
    g10_locked_keychain_hang: "G10-locked-keychain-hang",
    g11_status_must_not_touch: "G11-status-must-not-touch",
    h01_login_never_answers: "H01-login-never-answers",
    h02_slow_login_then_error: "H02-slow-login-then-error",
    h03_initialize_never_answers: "H03-initialize-never-answers",
    h04_slow_first_start: "H04-slow-first-start",
    h05_exits_at_once_with_reason: "H05-exits-at-once-with-reason",
    h08_grandchild_left_behind: "H08-grandchild-left-behind",
    h10_one_slow_agent_among_many: "H10-one-slow-agent-among-many",
    i01_no_authenticate_for_terminal: "I01-no-authenticate-for-terminal",
    i03_login_fails_with_text: "I03-login-fails-with-text",
    i04_login_program_stays_open: "I04-login-program-stays-open",
    i06_terminal_left_raw: "I06-terminal-left-raw",
    i07_method_names_a_command: "I07-method-names-a-command",
    i08_windows_shims: "I08-windows-shims",
    j01_environment_stripped: "J01-environment-stripped",
    j04_command_forms: "J04-command-forms",
    j05_config_comments_and_bom: "J05-config-comments-and-bom",
    j06_secrets_in_trace: "J06-secrets-in-trace",
    k02_logout_not_offered: "K02-logout-not-offered",
    k03_v2_logout_without_marker: "K03-v2-logout-without-marker",
    a11_content_length_framing: "A11-content-length-framing",
    b02_parse_error_id_0: "B02-parse-error-id-0-and-duplicate",
    c03_auth_url_in_notification: "C03-auth-url-in-notification",
    d04_broken_and_unknown_entries: "D04-broken-and-unknown-entries",
    d06_initialize_refused: "D06-initialize-refused-when-logged-out",
    d07_v2_early_field_names: "D07-v2-early-field-names",
    h07_dies_during_login: "H07-dies-during-login",
    o10_secret_with_trailing_newline: "O10-secret-with-trailing-newline-in-env",
    n01_cached_token: "N01-cached-token-needs-authenticate",
    n02_login_accepted: "N02-login-accepted-sessions-still-refused",
    n03_key_lasts_for_one_process: "N03-key-lasts-for-one-process",
    n08_agent_asks_the_client: "N08-agent-asks-the-client-for-a-token",
    n12_details_of_a_real_refusal: "N12-details-of-a-real-refusal",
    n13_opened_and_refused: "N13-opened-and-refused-elsewhere",
    o02_prompt_auth_required: "O02-prompt-auth-required",
    o15_inactive_account: "O15-inactive-account-is-not-the-expected",
    o26_auth_required_text: "O26-auth-required-data-is-a-text",
    l02_already_in_skip_login: "L02-already-in-skip-login",
}
