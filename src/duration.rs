//! Durations as people write them.

use std::time::Duration;

/// Reads a duration such as `30s`, `2m` or `1500ms`.
///
/// # Errors
/// What is wrong with it.
pub fn parse_duration(text: &str) -> Result<Duration, String> {
    match humantime::parse_duration(text) {
        Ok(duration) if duration.is_zero() => Err("a time limit is more than zero".to_owned()),
        Ok(duration) => Ok(duration),
        Err(_) => Err(format!("`{text}` is not a duration; write it as 30s, 2m or 1500ms")),
    }
}
