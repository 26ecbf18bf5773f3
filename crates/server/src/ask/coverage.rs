//! The completeness of an answer, and the exit status that reports it.
//!
//! In: the parts of an answer that could not be read. Out: lines on standard error, an exit status. Holds nothing.

use super::error::AskError;
use crate::terminal;
use jiff::Timestamp;
use serde_json::Value;
use std::process::ExitCode;

/// Exit status of a command whose answer is incomplete because something could not be read: locked, or
/// damaged.
const INCOMPLETE: u8 = 3;

/// The completeness of an answer.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Coverage {
    Whole,
    /// Something could not be read, and was reported.
    Partial,
}

/// Reports on standard error what is missing from an answer or a report.
pub(super) fn say_unread(answer: &Value) -> Coverage {
    let unread = answer["unread"].as_array().map(Vec::as_slice).unwrap_or_default();
    for part in unread {
        let time = |name: &str| {
            let time = part[name].as_i64().and_then(|us| Timestamp::from_microsecond(us).ok());
            time.map_or_else(|| "?".to_owned(), |time| format!("{time:.3}"))
        };
        let of = part["logspace"].as_str().map(|name| format!("logspace {name}: ")).unwrap_or_default();
        let why = terminal::line(part["why"].as_str().unwrap_or_default());
        errln!("duramen: not read: {of}received {} to {}: {why}", time("from_us"), time("to_us"));
    }
    if unread.is_empty() { Coverage::Whole } else { Coverage::Partial }
}

/// Reports the error of a command and returns its exit status.
pub(super) fn done(result: Result<Coverage, AskError>) -> ExitCode {
    match result {
        Ok(Coverage::Whole) => ExitCode::SUCCESS,
        Ok(Coverage::Partial) => ExitCode::from(INCOMPLETE),
        Err(error) => {
            errln!("duramen: {}", terminal::lines(&error.to_string()));
            ExitCode::FAILURE
        }
    }
}

#[cfg(test)]
mod tests {
    //! Answers that lack something, and errors.

    use super::*;
    use crate::terminal::testing::Tape;
    use serde_json::json;

    #[test]
    fn what_is_missing_is_said() {
        let tape = Tape::default();
        let whole = tape.record(|| say_unread(&json!({"unread": []})));
        assert_eq!((whole, tape.record(|| say_unread(&json!({})))), (Coverage::Whole, Coverage::Whole));
        assert!(tape.printed().errors.is_empty());
        let answer = json!({"unread": [
            {"logspace": "audit", "from_us": 1_795_233_600_000_000_i64, "to_us": 1_795_233_601_500_000_i64, "why": "locked"},
            {"why": "a\u{1b}b"},
        ]});
        assert_eq!(tape.record(|| say_unread(&answer)), Coverage::Partial);
        let said = String::from_utf8(tape.printed().errors).unwrap();
        let want = "duramen: not read: logspace audit: received 2026-11-21T04:00:00.000Z to 2026-11-21T04:00:01.500Z: locked\n\
                    duramen: not read: received ? to ?: a\\x1bb\n";
        assert_eq!(said, want);
    }

    #[test]
    fn an_exit_status_says_how_much_there_is() {
        let tape = Tape::default();
        let statuses =
            tape.record(|| [Ok(Coverage::Whole), Ok(Coverage::Partial), Err(AskError::NoReport)].map(done));
        assert_eq!(statuses, [ExitCode::SUCCESS, ExitCode::from(3), ExitCode::FAILURE]);
        let said = String::from_utf8(tape.printed().errors).unwrap();
        assert_eq!(said, "duramen: the server does not say whether the export has everything\n");
    }
}
