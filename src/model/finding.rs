//! What a flow came to.

use super::{Failure, Identification, Operation, StatusReport};

/// The state last reported, and what stopped the flow where something did.
#[derive(Debug, Default)]
pub struct Finding {
    pub report: StatusReport,
    pub operation: Option<Operation>,
    pub failure: Option<Failure>,
    /// Whether only the methods were looked at.
    pub is_listing: bool,
    /// Whom an MCP server takes the user for, where one was asked.
    pub identification: Option<Identification>,
}

impl Finding {
    /// Nothing but a failure.
    #[must_use]
    pub fn failed(failure: Failure) -> Self {
        Self { failure: Some(failure), ..Self::default() }
    }

    /// The same with how its login or logout ended.
    #[must_use]
    pub fn ended(self, operation: Operation) -> Self {
        Self { operation: Some(operation), ..self }
    }
}
