//! The meaning of a status of gRPC for messages.
//!
//! In: an answer. Out: a verdict. Holds: nothing. Limits: none.
//!
//! No message is lost because of a fault that an operator can fix: such a fault holds, where syslog-ng drops the request.

use super::{answer::GrpcAnswer, options::GrpcSettings};
use crate::http::{Judge, ResponseAction};
use delivery::{HoldReason, Verdict, Wait, failure::Failure};
use transport::DeadReason;

/// Words of servers for a message that is longer than they take: no other status is for that.
const TOO_LARGE: [&str; 3] = ["larger than max", "too large", "exceeds maximum"];

/// Judges an answer. `Ok`: the server took the request.
pub(super) fn judge(settings: &GrpcSettings, answer: &GrpcAnswer) -> Result<(), Failure> {
    let verdict = verdict(settings, answer);
    if verdict == Verdict::Delivered {
        return Ok(());
    }
    // Words about a message may quote it, so only its dead letter gets them.
    let is_of_message = matches!(verdict, Verdict::Split(_) | Verdict::Dead(_) | Verdict::Drop);
    let said = match answer.http {
        200 => format!("the server answered {}", answer.status.name()),
        http => format!("the server answered {http}: this is no answer of gRPC"),
    };
    let answer = match (answer.words.is_empty(), is_of_message) {
        (true, _) => said,
        (false, true) => format!("{said}\n{}", answer.words),
        (false, false) => format!("{said}: {}", answer.words),
    };
    Err(Failure { verdict, answer })
}

fn verdict(settings: &GrpcSettings, answer: &GrpcAnswer) -> Verdict {
    let later = answer.wait.map_or(Wait::Busy, Wait::For);
    let action = settings.actions.iter().find(|(status, _)| *status == answer.status && answer.http == 200);
    if let Some((_, action)) = action {
        return match action {
            ResponseAction::Success => Verdict::Delivered,
            ResponseAction::Drop => Verdict::Drop,
            ResponseAction::Retry => Verdict::Later(Wait::BackOff),
            ResponseAction::Disconnect => Verdict::Later(answer.wait.map_or(Wait::Reopen, Wait::For)),
        };
    }
    let http = Judge { actions: Vec::new(), bounds_errors: settings.bounds_errors };
    match (answer.http, answer.status.0) {
        (200, 0) => Verdict::Delivered,
        // Loki answers with statuses of HTTP.
        (200, status @ 100..600) => http.of_status(status as u16, answer.wait),
        (200, 3) => Verdict::Split(DeadReason::Rejected),
        (200, 6) => Verdict::Split(DeadReason::Constraint),
        (200, 16) => Verdict::Hold(HoldReason::Credentials),
        (200, 7) => Verdict::Hold(HoldReason::Access),
        // This service, or what the request names, is not there; or the server is not in the state for it.
        (200, 5 | 9 | 12) => Verdict::Hold(HoldReason::Schema),
        (200, 8) if TOO_LARGE.iter().any(|words| answer.words.contains(words)) => {
            Verdict::Split(DeadReason::TooLarge)
        }
        // Cancelled, too late, exhausted, aborted, out of range, unavailable, data lost on the way: they pass.
        (200, 1 | 4 | 8 | 10 | 11 | 14 | 15) => Verdict::Later(later),
        // Unknown and internal errors may pass, or come again for the same request.
        (200, _) => http.of_error(answer.wait),
        // Somebody on the way answers: the server has not seen the request.
        (status, _) => match http.of_status(status, answer.wait) {
            Verdict::Split(DeadReason::TooLarge) => Verdict::Split(DeadReason::TooLarge),
            Verdict::Split(_) | Verdict::Delivered => Verdict::Hold(HoldReason::Schema),
            verdict => verdict,
        },
    }
}
