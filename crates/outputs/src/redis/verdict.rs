//! What an error of Redis means.
//!
//! In: its text: a code in capitals, then words. Out: a verdict, and words for our log and for a dead letter. Holds: nothing.
//! Limits: [`ANSWER_CHARACTERS_MAX`].
//!
//! What someone can mend, or what ends by itself, costs no message: wrong credentials, full memory, a replica. What is dead
//! is a message whose own values do not fit.

use crate::link::failure::{ANSWER_CHARACTERS_MAX, Failure};
use delivery::{HoldReason, Verdict, Wait};
use transport::DeadReason;

/// Judges an error.
pub(super) fn failure(text: &str) -> Failure {
    let verdict = verdict(text);
    Failure { verdict, answer: answer(text, verdict) }
}

fn verdict(text: &str) -> Verdict {
    let (code, words) = text.split_once(' ').unwrap_or((text, ""));
    match code {
        // It starts, follows another that is away, or its cluster has no majority.
        "LOADING" | "MASTERDOWN" | "CLUSTERDOWN" | "NOMASTERLINK" | "INPROG" => Verdict::Later(Wait::Busy),
        // A script runs for long; slots move.
        "BUSY" | "UNKILLABLE" | "TRYAGAIN" => Verdict::Later(Wait::BackOff),
        // No memory, no disk, too few replicas; a replica itself.
        "OOM" | "MISCONF" | "NOREPLICAS" | "READONLY" => Verdict::Hold(HoldReason::Quota),
        "NOAUTH" | "WRONGPASS" | "DENIED" => Verdict::Hold(HoldReason::Credentials),
        "NOPERM" => Verdict::Hold(HoldReason::Access),
        // A node of a cluster that has not this key; a script or a group that is missing.
        "MOVED" | "ASK" | "CROSSSLOT" | "NOSCRIPT" | "NOGROUP" => Verdict::Hold(HoldReason::Schema),
        "WRONGTYPE" => Verdict::Dead(DeadReason::Type),
        "ERR" => of_words(words),
        _ => Verdict::Dead(DeadReason::Rejected),
    }
}

/// Judges an error without a code of its own.
fn of_words(words: &str) -> Verdict {
    let begins = |beginnings: &[&str]| beginnings.iter().any(|beginning| words.starts_with(beginning));
    if begins(&["max number of clients"]) {
        Verdict::Later(Wait::Reopen)
    } else if begins(&[
        "invalid password",
        "Client sent AUTH",
        "AUTH ",
        "operation not permitted",
        "unauthenticated",
    ]) {
        Verdict::Hold(HoldReason::Credentials)
    } else if begins(&[
        "unknown command",
        "wrong number of arguments",
        "unknown subcommand",
        "Unknown subcommand",
    ]) {
        // The configuration is wrong for every message.
        Verdict::Hold(HoldReason::Schema)
    } else if begins(&["Protocol error", "string exceeds maximum", "value is too large", "element too large"])
    {
        Verdict::Dead(DeadReason::TooLarge)
    } else if words.contains("not an integer")
        || words.contains("not a valid float")
        || words.contains("is not a float")
    {
        Verdict::Dead(DeadReason::Type)
    } else if begins(&["The ID specified in XADD"]) {
        Verdict::Dead(DeadReason::Constraint)
    } else {
        Verdict::Dead(DeadReason::Rejected)
    }
}

/// Returns the words of the server. What stands behind a quotation mark may be a message's, so only its dead letter gets it.
fn answer(text: &str, verdict: Verdict) -> String {
    let text: String =
        text.chars().filter(|character| !character.is_control()).take(ANSWER_CHARACTERS_MAX).collect();
    let words = text.split(['\'', '"', '`']).next().unwrap_or_default().trim_end_matches([' ', ':', ',']);
    match verdict {
        Verdict::Dead(_) if words.len() < text.len() => format!("{words}\n{text}"),
        _ => words.to_owned(),
    }
}
