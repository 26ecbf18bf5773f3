//! The reasons why `search`, `tail` or `export` has no answer.
//!
//! In: failures of a session, of its answers, of the file to write. Out: a sentence for the user. Holds nothing.

use crate::authorities::TrustError;
use objects::FolderError;
use serde_json::Value;
use std::{
    fmt, io,
    path::{Path, PathBuf},
};

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
    /// A length of time cannot be read.
    Duration {
        /// The text.
        text: String,
    },
    /// Nothing became of a test in time.
    NoTest,
    /// The server refuses files.
    Files { reason: String, problems: Vec<FileProblem> },
    /// A folder of files cannot be read or written.
    Folder(FolderError),
    /// A file is not text.
    Encoding {
        /// The file.
        path: PathBuf,
        /// The line of the first wrong byte, from 1.
        line: usize,
        /// Its character in the line, from 1.
        column: usize,
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

/// A problem of a file that was sent.
#[derive(Debug)]
pub(super) struct FileProblem {
    path: PathBuf,
    /// The line and the character in it, from 1; none for the whole file.
    place: Option<(u64, u64)>,
    message: String,
}

impl FileProblem {
    /// Reads a problem of an answer.
    pub(super) fn of(problem: &Value) -> FileProblem {
        let text = |member: &str| problem[member].as_str().unwrap_or_default().to_owned();
        FileProblem {
            path: text("file").into(),
            place: problem["line"].as_u64().zip(problem["column"].as_u64()),
            message: text("message"),
        }
    }
}

impl fmt::Display for FileProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:", self.path.display())?;
        if let Some((line, column)) = self.place {
            write!(f, "{line}:{column}:")?;
        }
        write!(f, " {}", self.message)
    }
}

impl AskError {
    /// The same with the folder in front of the names of files.
    pub(super) fn in_folder(self, folder: &Path) -> AskError {
        match self {
            AskError::Files { reason, problems } => {
                let placed =
                    |problem: FileProblem| FileProblem { path: folder.join(&problem.path), ..problem };
                AskError::Files { reason, problems: problems.into_iter().map(placed).collect() }
            }
            other => other,
        }
    }
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
            AskError::Duration { text } => {
                write!(f, "{text:?} is no length of time; write 30m, 2h or 7d")
            }
            AskError::NoTest => f.write_str("nothing has become of the test yet; see GET /notifications"),
            AskError::Files { reason, problems } => {
                f.write_str(reason)?;
                problems.iter().try_for_each(|problem| write!(f, "\n{problem}"))
            }
            AskError::Folder(error) => error.fmt(f),
            AskError::Encoding { path, line, column } => {
                write!(f, "{}:{line}:{column}: this is not text in UTF-8", path.display())
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
    use serde_json::json;

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
                AskError::Encoding { path: "/x".into(), line: 2, column: 3 },
                "/x:2:3: this is not text in UTF-8",
            ),
            (
                AskError::Files {
                    reason: "no".to_owned(),
                    problems: vec![
                        FileProblem::of(&json!({"file": "a", "line": 3, "column": 9, "message": "one"})),
                        FileProblem::of(&json!({"file": "b", "message": "two"})),
                    ],
                }
                .in_folder(Path::new("in")),
                "no\nin/a:3:9: one\nin/b: two",
            ),
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
