//! `acp-auth agents`.

use super::Run;
use crate::agents::list;
use crate::outcome::RunOutcome;

/// Lists every agent that can be named and where its definition stands. Starts nothing.
pub fn agents(run: &Run) -> RunOutcome {
    let (listed, problems) = list(&run.settings);
    let outcome = RunOutcome { listed: Some(listed), problems, ..RunOutcome::empty("agents") };
    run.answer_listing(outcome)
}
