//! What an error of MongoDB means.
//!
//! In: its code, and words. Out: verdicts, and words for our log and for a dead letter. Holds: nothing.
//! Limits: [`ANSWER_CHARACTERS_MAX`].
//!
//! What someone can mend, or what ends by itself, costs no message: a set without a primary, a user without a right. What is dead
//! is a document that the server will not have. The numbers are those of `error_codes.yml`.

use crate::link::failure::{ANSWER_CHARACTERS_MAX, Failure};
use delivery::{HoldReason, Verdict, Wait};
use transport::DeadReason;

/// A document with this value of a unique index exists.
pub(super) const DUPLICATE_KEYS: [i64; 3] = [11000, 11001, 12582];

/// An error of a command, a document or a write concern.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(super) struct ServerError {
    pub(super) code: i64,
    /// The name of the code; empty if the server gives none.
    pub(super) name: String,
    pub(super) words: String,
    /// The server says that the same may be tried again.
    pub(super) is_retryable: bool,
}

/// Returns true when the server that we use is not the primary any more, or ends.
pub(super) fn is_no_primary(code: i64) -> bool {
    matches!(code, 91 | 189 | 10058 | 10107 | 11600 | 11602 | 13435 | 13436)
}

/// Judges what holds or delays a message whatever it is; `None` for other errors.
fn of_server(error: &ServerError) -> Option<Verdict> {
    Some(match error.code {
        _ if is_no_primary(error.code) => Verdict::Later(Wait::Busy),
        // Another server of the set, or the network between them, is away.
        6 | 7 | 89 | 133 | 262 | 9001 => Verdict::Later(Wait::Busy),
        // A conflict, a lock, a time limit, a collection that another is just making, an operator who ends what runs.
        24 | 46 | 48 | 50 | 112 | 202 | 11601 => Verdict::Later(Wait::BackOff),
        // A session that the server has forgotten; another login is due.
        391 => Verdict::Later(Wait::Busy),
        11 | 18 => Verdict::Hold(HoldReason::Credentials),
        13 => Verdict::Hold(HoldReason::Access),
        // No room, or a limit of a hosted service.
        14031 | 8000 => Verdict::Hold(HoldReason::Quota),
        // The command, the database or the collection is not what the configuration thinks.
        26 | 59 | 72 | 73 | 166 | 13297 => Verdict::Hold(HoldReason::Schema),
        _ if error.is_retryable => Verdict::Later(Wait::Busy),
        _ => return None,
    })
}

/// Judges a command that was refused as a whole.
pub(super) fn of_command(error: &ServerError) -> Failure {
    let verdict = of_server(error).unwrap_or(match error.code {
        10334 | 17280 | 17419 | 17420 => Verdict::Split(DeadReason::TooLarge),
        _ => Verdict::Split(DeadReason::Rejected),
    });
    failure(verdict, error)
}

/// Judges a document that was refused.
pub(super) fn of_document(error: &ServerError) -> Failure {
    let verdict = of_server(error).unwrap_or(match error.code {
        code if DUPLICATE_KEYS.contains(&code) => Verdict::Dead(DeadReason::Constraint),
        121 => Verdict::Dead(DeadReason::Constraint),
        10334 | 17280 | 17419 | 17420 => Verdict::Dead(DeadReason::TooLarge),
        14 => Verdict::Dead(DeadReason::Type),
        52 | 55 | 56 | 57 => Verdict::Dead(DeadReason::BadName),
        _ => Verdict::Dead(DeadReason::Rejected),
    });
    failure(verdict, error)
}

/// Judges documents that are stored, but not by as many servers as they must be. Sent again, they wait for these again.
pub(super) fn of_concern(error: &ServerError) -> Failure {
    let verdict = match error.code {
        // No set has so many servers, or such a name of them.
        2 | 9 | 79 | 100 => Verdict::Hold(HoldReason::Schema),
        _ => of_server(error).unwrap_or(Verdict::Later(Wait::Busy)),
    };
    failure(verdict, error)
}

/// Judges a refused login.
pub(super) fn of_login(error: &ServerError) -> Failure {
    let verdict = match of_server(error) {
        Some(verdict @ Verdict::Later(_)) => verdict,
        _ => Verdict::Hold(HoldReason::Credentials),
    };
    failure(verdict, error)
}

/// Returns a verdict with the words of the server. What stands behind a brace or a quotation mark may be a message's, so only its
/// dead letter gets it.
fn failure(verdict: Verdict, error: &ServerError) -> Failure {
    let ServerError { code, name, words, .. } = error;
    let words: String =
        words.chars().filter(|character| !character.is_control()).take(ANSWER_CHARACTERS_MAX).collect();
    let plain =
        words.split(['{', '"', '\'', '`']).next().unwrap_or_default().trim_end_matches([' ', ':', ',']);
    let head: Vec<&str> = [name.as_str(), plain].into_iter().filter(|part| !part.is_empty()).collect();
    let head = format!("{code} {}", head.join(": "));
    let answer = match verdict {
        Verdict::Dead(_) | Verdict::Split(_) if plain.len() < words.len() => format!("{head}\n{words}"),
        _ => head,
    };
    Failure { verdict, answer }
}
