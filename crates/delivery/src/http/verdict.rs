//! What an answer means for the messages of its request.
//!
//! In: a status, of an answer or of one item in it, or why there is none. Out: a verdict. Holds: nothing.
//! Limits: none.

use super::client::Reply;
use crate::options::ResponseAction;

/// Judges an answer.
pub(super) fn of(reply: &Reply, actions: &[(u16, ResponseAction)]) -> ResponseAction {
    match reply {
        Reply::Status { status, .. } => of_status(*status, actions),
        Reply::Failed(_) => ResponseAction::Disconnect,
    }
}

/// Judges a status. What the configuration says counts first.
pub(super) fn of_status(status: u16, actions: &[(u16, ResponseAction)]) -> ResponseAction {
    if let Some((_, action)) = actions.iter().find(|(known, _)| *known == status) {
        return *action;
    }
    match status {
        200..=299 => ResponseAction::Success,
        // Too early, too many, busy: the server says itself that it will take them later.
        408 | 425 | 429 | 503 => ResponseAction::Disconnect,
        400..=499 => ResponseAction::Drop,
        _ => ResponseAction::Retry,
    }
}
