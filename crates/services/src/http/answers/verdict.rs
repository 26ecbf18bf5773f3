//! The meaning of a status for messages.
//!
//! In: a status, of an answer or of one item in it. Out: a verdict. Holds: the configured actions. Limits: none.
//!
//! No message is lost because of a fault that an operator can fix: wrong credentials and a missing or closed index
//! hold. What the server refuses permanently is found by halving the request, unless the server names the message.

use super::{super::options::ResponseAction, bulk::ItemResult};
use delivery::{HoldReason, Verdict, Wait};
use std::time::Duration;
use transport::DeadReason;

/// The error of Elasticsearch for an index that takes nothing now: read-only, the disk is full.
const BLOCKED: &str = "cluster_block_exception";

/// The verdicts of a destination.
#[derive(Debug)]
pub(crate) struct Judge {
    /// `response-action()`, which counts first.
    pub(crate) actions: Vec<(u16, ResponseAction)>,
    /// `retries()` is written: errors of the server are not borne without end.
    pub(crate) bounds_errors: bool,
}

impl Judge {
    /// Judges the status of an answer, which may request a pause.
    pub(crate) fn of_status(&self, status: u16, wait: Option<Duration>) -> Verdict {
        if let Some(verdict) = self.of_action(status, wait) {
            return verdict;
        }
        match status {
            200..=299 => Verdict::Delivered,
            401 | 407 => Verdict::Hold(HoldReason::Credentials),
            403 | 451 => Verdict::Hold(HoldReason::Access),
            402 | 507 => Verdict::Hold(HoldReason::Quota),
            413 | 414 | 431 => Verdict::Split(DeadReason::TooLarge),
            409 => Verdict::Split(DeadReason::Constraint),
            // Too early, too many, busy: the server itself says that it will accept them later.
            408 | 425 | 429 | 503 => Verdict::Later(wait.map_or(Wait::Busy, Wait::For)),
            // Nothing exists at this address, or it expects something else: all messages would be refused.
            404..=406 | 410 | 411 | 415 | 417 | 421 | 426 | 501 | 505 | 511 => {
                Verdict::Hold(HoldReason::Schema)
            }
            400..=499 => Verdict::Split(DeadReason::Rejected),
            500..=599 => self.of_error(wait),
            _ => Verdict::Hold(HoldReason::Schema),
        }
    }

    /// Judges the result of one message.
    pub(in crate::http) fn of_item(&self, item: &ItemResult) -> Verdict {
        if let Some(verdict) = self.of_action(item.status, None) {
            return verdict;
        }
        match (item.status, item.kind.as_str()) {
            (_, BLOCKED) => Verdict::Hold(HoldReason::Quota),
            // A document with this id exists: an earlier attempt stored it.
            (409, _) if item.creates => Verdict::Delivered,
            (404, "document_missing_exception") => Verdict::Dead(DeadReason::Rejected),
            (400, "index_closed_exception") => Verdict::Hold(HoldReason::Access),
            // No more shards are allowed, so the index cannot be made.
            (400, "validation_exception") => Verdict::Hold(HoldReason::Quota),
            (400, "invalid_index_name_exception") => Verdict::Dead(DeadReason::BadName),
            (400, "mapper_parsing_exception" | "document_parsing_exception") => {
                Verdict::Dead(DeadReason::Type)
            }
            (status, _) => match self.of_status(status, None) {
                Verdict::Split(reason) => Verdict::Dead(reason),
                verdict => verdict,
            },
        }
    }

    /// Judges an error of the server that may pass.
    pub(crate) fn of_error(&self, wait: Option<Duration>) -> Verdict {
        match (self.bounds_errors, wait) {
            (true, _) => Verdict::Later(Wait::BackOff),
            (false, Some(wait)) => Verdict::Later(Wait::For(wait)),
            (false, None) => Verdict::Later(Wait::Busy),
        }
    }

    pub(in crate::http) fn of_action(&self, status: u16, wait: Option<Duration>) -> Option<Verdict> {
        let (_, action) = self.actions.iter().find(|(known, _)| *known == status)?;
        Some(match action {
            ResponseAction::Success => Verdict::Delivered,
            ResponseAction::Drop => Verdict::Drop,
            ResponseAction::Retry => Verdict::Later(Wait::BackOff),
            ResponseAction::Disconnect => Verdict::Later(wait.map_or(Wait::Reopen, Wait::For)),
        })
    }
}

#[cfg(test)]
mod tests {
    //! What statuses and results mean.

    use super::*;

    fn judge(bounds_errors: bool) -> Judge {
        let actions = vec![
            (418, ResponseAction::Drop),
            (502, ResponseAction::Disconnect),
            (520, ResponseAction::Success),
            (521, ResponseAction::Retry),
        ];
        Judge { actions, bounds_errors }
    }

    #[test]
    fn a_status_says_whether_messages_wait_or_die() {
        let second = Some(Duration::from_secs(1));
        let rows = [
            (204, None, Verdict::Delivered),
            (302, None, Verdict::Hold(HoldReason::Schema)),
            (400, None, Verdict::Split(DeadReason::Rejected)),
            (401, None, Verdict::Hold(HoldReason::Credentials)),
            (403, None, Verdict::Hold(HoldReason::Access)),
            (404, None, Verdict::Hold(HoldReason::Schema)),
            (407, None, Verdict::Hold(HoldReason::Credentials)),
            (409, None, Verdict::Split(DeadReason::Constraint)),
            (413, None, Verdict::Split(DeadReason::TooLarge)),
            (418, None, Verdict::Drop),
            (422, second, Verdict::Split(DeadReason::Rejected)),
            (429, None, Verdict::Later(Wait::Busy)),
            (429, second, Verdict::Later(Wait::For(Duration::from_secs(1)))),
            (500, None, Verdict::Later(Wait::Busy)),
            (502, None, Verdict::Later(Wait::Reopen)),
            (503, None, Verdict::Later(Wait::Busy)),
            (507, None, Verdict::Hold(HoldReason::Quota)),
            (199, None, Verdict::Hold(HoldReason::Schema)),
            (200, None, Verdict::Delivered),
            (299, None, Verdict::Delivered),
            (300, None, Verdict::Hold(HoldReason::Schema)),
            (402, None, Verdict::Hold(HoldReason::Quota)),
            (405, None, Verdict::Hold(HoldReason::Schema)),
            (408, None, Verdict::Later(Wait::Busy)),
            (411, None, Verdict::Hold(HoldReason::Schema)),
            (412, None, Verdict::Split(DeadReason::Rejected)),
            (414, None, Verdict::Split(DeadReason::TooLarge)),
            (425, None, Verdict::Later(Wait::Busy)),
            (431, None, Verdict::Split(DeadReason::TooLarge)),
            (451, None, Verdict::Hold(HoldReason::Access)),
            (499, None, Verdict::Split(DeadReason::Rejected)),
            (500, second, Verdict::Later(Wait::For(Duration::from_secs(1)))),
            (501, None, Verdict::Hold(HoldReason::Schema)),
            (502, second, Verdict::Later(Wait::For(Duration::from_secs(1)))),
            (511, None, Verdict::Hold(HoldReason::Schema)),
            (520, None, Verdict::Delivered),
            (521, second, Verdict::Later(Wait::BackOff)),
            (599, None, Verdict::Later(Wait::Busy)),
            (600, None, Verdict::Hold(HoldReason::Schema)),
        ];
        for (status, wait, want) in rows {
            assert_eq!(judge(false).of_status(status, wait), want, "{status}");
        }
        assert_eq!(judge(true).of_status(500, second), Verdict::Later(Wait::BackOff));
        assert_eq!(judge(true).of_status(503, None), Verdict::Later(Wait::Busy));
    }

    #[test]
    fn a_result_is_about_its_message_alone() {
        let rows = [
            (201, "create", "", Verdict::Delivered),
            (409, "create", "version_conflict_engine_exception", Verdict::Delivered),
            (409, "index", "version_conflict_engine_exception", Verdict::Dead(DeadReason::Constraint)),
            (400, "index", "mapper_parsing_exception", Verdict::Dead(DeadReason::Type)),
            (400, "index", "illegal_argument_exception", Verdict::Dead(DeadReason::Rejected)),
            (400, "index", "invalid_index_name_exception", Verdict::Dead(DeadReason::BadName)),
            (400, "index", "index_closed_exception", Verdict::Hold(HoldReason::Access)),
            (404, "index", "index_not_found_exception", Verdict::Hold(HoldReason::Schema)),
            (404, "update", "document_missing_exception", Verdict::Dead(DeadReason::Rejected)),
            (403, "index", "security_exception", Verdict::Hold(HoldReason::Access)),
            (403, "index", BLOCKED, Verdict::Hold(HoldReason::Quota)),
            (429, "index", BLOCKED, Verdict::Hold(HoldReason::Quota)),
            (429, "index", "es_rejected_execution_exception", Verdict::Later(Wait::Busy)),
            (413, "index", "", Verdict::Dead(DeadReason::TooLarge)),
            (400, "index", "document_parsing_exception", Verdict::Dead(DeadReason::Type)),
            (400, "index", "validation_exception", Verdict::Hold(HoldReason::Quota)),
            (404, "index", "document_missing_exception", Verdict::Dead(DeadReason::Rejected)),
            (418, "index", "", Verdict::Drop),
        ];
        for (status, action, kind, want) in rows {
            let (kind, reason, quote) = (kind.to_owned(), String::new(), String::new());
            let item = ItemResult { status, creates: action == "create", kind, reason, quote };
            assert_eq!(judge(false).of_item(&item), want, "{item:?}");
        }
    }
}
