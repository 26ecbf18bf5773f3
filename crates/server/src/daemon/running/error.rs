//! The reasons why a configuration is not put into use.
//!
//! In: failures of its parts. Out: a text for the console and for the client. Holds nothing.

use super::{hooks::HookError, opener::OpenError};
use directory::DirectoryError;
use std::{fmt, io, path::PathBuf};
use transport::{StageError, tls::TlsError};

/// The reasons why a configuration is not used; the one before stays in use.
#[derive(Debug)]
pub(crate) enum ReloadError {
    /// It has errors: the findings, as a text of several lines.
    Findings(String),
    /// The certificate or the key of the page cannot be used.
    Page(TlsError),
    /// The certificates for the directory of users cannot be used.
    Directory(DirectoryError),
    /// A command of `hook-commands()` failed.
    Hook(HookError),
    /// An open logspace would have to be sealed in another way.
    SealingChanged { logspace: String },
    /// A logspace cannot be opened.
    Logspace(OpenError),
    /// The folder of logspaces cannot be read.
    Folder { path: PathBuf, source: io::Error },
    /// The thread of logspaces whose name has macros cannot be started.
    FamilyThread(io::Error),
    /// A source or a destination cannot be started.
    Stage(StageError),
    /// A destination has no queue, which the check should have found.
    NoQueue { id: String },
}

impl fmt::Display for ReloadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ReloadError::Findings(text) => f.write_str(text.strip_suffix('\n').unwrap_or(text)),
            ReloadError::Page(error) => write!(f, "the page: {error}"),
            ReloadError::Directory(error) => error.fmt(f),
            ReloadError::Hook(error) => error.fmt(f),
            ReloadError::SealingChanged { logspace } => {
                write!(f, "how logspace {logspace} is sealed was changed: restart the server to use it")
            }
            ReloadError::Logspace(error) => error.fmt(f),
            ReloadError::Folder { path, source } => write!(f, "cannot read {}: {source}", path.display()),
            ReloadError::FamilyThread(error) => write!(f, "cannot start a thread for logspaces: {error}"),
            ReloadError::Stage(error) => error.fmt(f),
            ReloadError::NoQueue { id } => write!(f, "destination {id} has no queue: this is a bug"),
        }
    }
}

impl std::error::Error for ReloadError {}

/// The reasons why the parts are not started.
#[derive(Debug)]
pub(crate) enum StartError {
    /// The identity cannot be written to the data folder.
    Identity { data: PathBuf, source: io::Error },
    /// No thread can be started for the names of addresses.
    NamesThread(io::Error),
    /// No threads can be started for sources.
    Sources(StageError),
    /// No thread can be started for tables.
    TablesThread(io::Error),
    /// The configuration cannot be used.
    Configuration(ReloadError),
}

impl fmt::Display for StartError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            StartError::Identity { data, source } => {
                write!(f, "cannot write to {}: {source}", data.display())
            }
            StartError::NamesThread(error) => write!(f, "cannot start the thread of names: {error}"),
            StartError::Sources(error) => error.fmt(f),
            StartError::TablesThread(error) => write!(f, "cannot start a thread: {error}"),
            StartError::Configuration(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for StartError {}

#[cfg(test)]
mod tests {
    //! Sentences for the console.

    use super::*;

    #[test]
    fn errors_say_what_is_wrong() {
        let why = || io::Error::other("why");
        let changed = || ReloadError::SealingChanged { logspace: "a".to_owned() };
        let rows = [
            (StartError::Identity { data: "/d".into(), source: why() }, "cannot write to /d: why"),
            (StartError::NamesThread(why()), "cannot start the thread of names: why"),
            (StartError::TablesThread(why()), "cannot start a thread: why"),
            (
                StartError::Configuration(changed()),
                "how logspace a is sealed was changed: restart the server to use it",
            ),
            (StartError::Configuration(ReloadError::Findings("a\nb\n".to_owned())), "a\nb"),
            (
                StartError::Configuration(ReloadError::NoQueue { id: "d#0".to_owned() }),
                "destination d#0 has no queue: this is a bug",
            ),
        ];
        for (error, want) in rows {
            assert_eq!(error.to_string(), want);
        }
    }
}
