//! `acp-auth agents`.

use super::Run;
use crate::agents::list;
use crate::cli::AgentsArgs;
use crate::outcome::RunOutcome;

/// Lists every agent that can be named and where it is defined. Starts nothing.
pub async fn agents(run: &Run, args: &AgentsArgs) -> RunOutcome {
    if args.known {
        return run.answer_whole(RunOutcome { is_catalog: true, ..RunOutcome::empty("agents") });
    }
    match run.with_definitions(list).await {
        Ok((listed, problems)) => {
            let outcome =
                RunOutcome { listed: Some(listed), problems, ..RunOutcome::empty("agents") };
            run.answer_whole(outcome)
        }
        Err(failure) => run.answer_failure("agents", failure),
    }
}
