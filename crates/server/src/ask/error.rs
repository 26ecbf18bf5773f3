//! The reasons why `search`, `tail` or `export` has no answer.
//!
//! In: failures of a session, of its answers, of the file to write. Out: a sentence for the user. Holds nothing.

use crate::authorities::TrustError;
use std::{fmt, io, path::PathBuf};

/// The reason why there is no answer, or not all of it.
#[derive(Debug)]
pub(super) enum AskError {
    /// The certificates to trust cannot be read.
    Trust(TrustError),
    /// No password can be read from the terminal.
    Password(io::Error),
    /// The server accepted the password and gave no session.
    NoSession,
    /// No answer came from the server.
    Unreachable {
        /// Address of the API.
        base: String,
        source: Box<ureq::Error>,
    },
    /// The server refused the call.
    Refused {
        reason: String,
        /// Index of the character of the query that the reason is about.
        position: Option<u64>,
        suggestion: Option<String>,
    },
    /// The answer of the server is not JSON.
    Answer(Box<ureq::Error>),
    /// A row of the answer is not JSON.
    Row(serde_json::Error),
    /// The rows of the answer ended early.
    AnswerCutOff(io::Error),
    /// The bytes of the export ended early.
    ExportCutOff(io::Error),
    /// The report of an export is not JSON.
    Report(Box<ureq::Error>),
    /// The server gave no report of the export.
    NoReport,
    /// The file of the export cannot be written.
    Write {
        /// The file.
        path: PathBuf,
        source: io::Error,
    },
    /// The server searched only a part of the time range.
    TimeRanOut,
}

impl fmt::Display for AskError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            AskError::Trust(error) => error.fmt(f),
            AskError::Password(error) => {
                write!(f, "cannot read a password: {error}; or set DURAMEN_PASSWORD")
            }
            AskError::NoSession => f.write_str("the server gave no session; is it a Duramen server?"),
            AskError::Unreachable { base, source } => {
                write!(
                    f,
                    "cannot reach {base}: {source}; is the server running, and is this its --http address?"
                )
            }
            AskError::Refused { reason, position, suggestion } => {
                f.write_str(reason)?;
                if let Some(position) = position {
                    write!(f, " (at character {})", position + 1)?;
                }
                suggestion.iter().try_for_each(|suggestion| write!(f, "; {suggestion}"))
            }
            AskError::Answer(error) => write!(f, "cannot read the server's answer: {error}"),
            AskError::Row(error) => write!(f, "cannot read the server's answer: {error}"),
            AskError::AnswerCutOff(error) => write!(f, "the answer was cut off: {error}"),
            AskError::ExportCutOff(error) => write!(f, "the export was cut off: {error}"),
            AskError::Report(error) => write!(f, "cannot read the report of the export: {error}"),
            AskError::NoReport => f.write_str("the server does not say whether the export has everything"),
            AskError::Write { path, source } => write!(f, "{}: {source}", path.display()),
            AskError::TimeRanOut => {
                f.write_str("the time ran out before everything was searched; narrow the time range (--from)")
            }
        }
    }
}

impl std::error::Error for AskError {}

impl From<TrustError> for AskError {
    fn from(error: TrustError) -> AskError {
        AskError::Trust(error)
    }
}

#[cfg(test)]
mod tests {
    //! Sentences for users.

    use super::*;

    #[test]
    fn errors_say_what_is_wrong() {
        let why = || io::Error::other("why");
        let refused = |position, suggestion: Option<&str>| AskError::Refused {
            reason: "no".to_owned(),
            position,
            suggestion: suggestion.map(str::to_owned),
        };
        let row = serde_json::from_str::<u8>("x").unwrap_err();
        let rows = [
            (AskError::Password(why()), "cannot read a password: why; or set DURAMEN_PASSWORD"),
            (AskError::NoSession, "the server gave no session; is it a Duramen server?"),
            (refused(None, None), "no"),
            (refused(Some(0), Some("do this")), "no (at character 1); do this"),
            (AskError::Row(row), "cannot read the server's answer: expected value at line 1 column 1"),
            (AskError::AnswerCutOff(why()), "the answer was cut off: why"),
            (AskError::ExportCutOff(why()), "the export was cut off: why"),
            (AskError::Write { path: "/x".into(), source: why() }, "/x: why"),
            (
                AskError::TimeRanOut,
                "the time ran out before everything was searched; narrow the time range (--from)",
            ),
        ];
        for (error, want) in rows {
            assert_eq!(error.to_string(), want);
        }
    }
}
