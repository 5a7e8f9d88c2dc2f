//! `acp-auth schema`.

/// The JSON Schema of what `--json` prints.
#[must_use]
pub const fn schema() -> &'static str {
    include_str!("../render/schema.json")
}
