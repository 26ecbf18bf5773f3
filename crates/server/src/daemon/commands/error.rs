//! The reasons why a command of the control socket is refused or fails.
//!
//! In: unknown words, failures of commands. Out: a text for the client. Holds nothing.

use super::super::running::ReloadError;
use crate::taps::OpenTapError;
use logspace::MoveError;
use std::{fmt, io};

/// The reason why a command is not carried out.
#[derive(Debug)]
pub(crate) enum CommandError {
    /// No command begins with these words.
    Unknown(String),
    /// No form of `QUERY`.
    UnknownQuery(String),
    /// No form of `LOG`.
    UnknownLevel(String),
    /// No form of `CONFIG`.
    UnknownConfig(String),
    /// No form of `PWD`.
    UnknownCredentials,
    /// No form of `LOGSPACE`.
    UnknownLogspaceVerb,
    /// The loop takes no more events.
    ShuttingDown,
    /// The configuration cannot be used.
    Reload(ReloadError),
    /// The reload is not finished yet.
    SlowReload,
    /// The configuration on the disk has errors: the findings, as a text of several lines.
    Findings(String),
    /// No logspace of this name is open.
    NoLogspace(String),
    /// The words after `UNLOCK` are no private key.
    NoPrivateKey,
    /// The action cannot be recorded; so it is not done.
    Ledger(io::Error),
    /// The segment is still being sealed.
    NotSealed,
    /// The age of segments to archive is no number.
    Age,
    /// The range of segments to restore has one end.
    OneTime,
    /// An end of the range is no number.
    Time,
    /// The segments cannot be moved.
    Move(MoveError),
    /// The request for a tap cannot be parsed.
    TapRequest(serde_json::Error),
    /// The request for dead letters cannot be parsed.
    DeadRequest(serde_json::Error),
    /// The tap cannot be opened.
    Tap(OpenTapError),
}

impl fmt::Display for CommandError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            CommandError::Unknown(line) => write!(f, "unknown command {line}"),
            CommandError::UnknownQuery(verb) => {
                write!(f, "unknown query {verb}: GET, GET_SUM, GET_RESET, GET_SUM_RESET or LIST")
            }
            CommandError::UnknownLevel(rest) => write!(
                f,
                "unknown command LOG {rest}: LEVEL with DEFAULT, VERBOSE, DEBUG or TRACE, or one of the last three \
                 with ON or OFF"
            ),
            CommandError::UnknownConfig(line) => {
                write!(
                    f,
                    "unknown command CONFIG {line}: GET ORIGINAL, GET PREPROCESSED, ID, SKIPPED or VERIFY"
                )
            }
            CommandError::UnknownCredentials => f.write_str("PWD ADD FILE PASSWORD, or PWD STATUS"),
            CommandError::UnknownLogspaceVerb => f.write_str(
                "unknown command: LOGSPACE UNLOCK, LOCK, SEAL, CONFIRM, ARCHIVE, RESTORE, ATTACH or DETACH",
            ),
            CommandError::ShuttingDown => f.write_str("the server is shutting down"),
            CommandError::Reload(error) => error.fmt(f),
            CommandError::SlowReload => {
                f.write_str("the reload takes longer than expected; see the server's own messages")
            }
            CommandError::Findings(text) => f.write_str(text),
            CommandError::Move(error) => error.fmt(f),
            CommandError::NoLogspace(name) => write!(f, "there is no logspace {name}"),
            CommandError::NoPrivateKey => f.write_str("that is no private key"),
            CommandError::Ledger(error) => write!(f, "the ledger cannot be written: {error}"),
            CommandError::NotSealed => {
                f.write_str("the segment is not sealed yet; see the server's own messages")
            }
            CommandError::Age => f.write_str("the age is a number of seconds"),
            CommandError::OneTime => f.write_str("two times are wanted"),
            CommandError::Time => f.write_str("times are microseconds"),
            CommandError::TapRequest(error) => write!(f, "that is no request for a tap: {error}"),
            CommandError::DeadRequest(error) => write!(f, "that is no request for dead letters: {error}"),
            CommandError::Tap(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for CommandError {}
