//! What the targets in `fuzz/` call; built by `cargo fuzz` alone.

use std::path::Path;

use crate::redact::{Secrets, hide_in};
use crate::untrusted::{Untrusted, clean_line, is_unseen};

/// A value that must not survive redaction, whatever is around it.
const PLANTED: &str = "planted-Value-0123456789";

/// A line on an agent's stdout.
pub fn line(bytes: &[u8]) {
    crate::rpc::fuzz_line(bytes);
}

/// An answer to `initialize`, in both versions.
pub fn initialize(bytes: &[u8]) {
    if let Ok(text) = std::str::from_utf8(bytes) {
        crate::acp::fuzz_initialize(text);
    }
}

/// Foreign text with a secret in it: the first byte says where, the second whether an escape sequence
/// is inside.
pub fn redaction(bytes: &[u8]) {
    let [at, inside, rest @ ..] = bytes else { return };
    let text = String::from_utf8_lossy(rest);
    let secrets = Secrets::default();
    secrets.learn(PLANTED);
    let characters: Vec<char> = text.chars().collect();
    let at = usize::from(*at).min(characters.len());
    let (before, after) = characters.split_at(at);
    let secret = if inside % 2 == 0 {
        PLANTED.to_owned()
    } else {
        let (start, end) = PLANTED.split_at(usize::from(*inside) % PLANTED.len());
        format!("{start}\u{1b}[31m\u{200b}{end}")
    };
    // An escape sequence that was begun takes what follows it along.
    let text: String = before.iter().chain(&[' ']).collect::<String>()
        + &secret
        + " "
        + &after.iter().collect::<String>();
    let cleaned = secrets.clean(&text);
    assert!(!cleaned.contains(PLANTED), "{cleaned:?}");
    assert!(!cleaned.chars().any(|c| is_unseen(c) && c != '\n' && c != '\t'), "{cleaned:?}");
    let label = Untrusted::from(text.as_str()).label();
    assert!(!label.chars().any(is_unseen), "{label:?}");
    assert_eq!(clean_line(&clean_line(&text)), clean_line(&text));
    if let Ok(mut value) = serde_json::from_slice(rest) {
        hide_in(&mut value, &|text| secrets.clean(text));
    }
}

/// A file of definitions in each format that is read.
pub fn definitions(bytes: &[u8]) {
    crate::agents::fuzz_definitions(bytes, Path::new("fuzzed"));
}
