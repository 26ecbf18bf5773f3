//! What an answer means for the messages of its request.
//!
//! In: a status, or why there is none. Out: a verdict. Holds: nothing.
//! Limits: only the status counts; results of single items inside a body are not looked at.

use super::{client::Reply, options::ResponseAction};

/// Judges an answer. What the configuration says counts first.
pub(super) fn of(reply: &Reply, actions: &[(u16, ResponseAction)]) -> ResponseAction {
    let Reply::Status(status, _) = reply else { return ResponseAction::Disconnect };
    if let Some((_, action)) = actions.iter().find(|(known, _)| known == status) {
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
