//! The reasons why the verbs of `duramen queue` do not do, or not wholly, what was asked.

use super::diskq::DiskqError;
use delivery::{AppendError, LookError};
use std::{ffi::OsString, fmt, io, path::PathBuf};
use template::TemplateError;

/// The reasons why queues are not shown, or not all of them.
#[derive(Debug)]
pub(super) enum QueueError {
    /// A folder cannot be read.
    Folder { path: PathBuf, source: io::Error },
    /// There is no queue in a folder.
    NoQueue(PathBuf),
    /// A queue cannot be read.
    Unreadable(LookError),
    /// A queue file of syslog-ng cannot be read.
    Diskq(DiskqError),
    /// Messages cannot be taken over.
    Import(ImportError),
    /// A queue cannot be moved.
    Move(MoveError),
    /// A part of a queue is damaged.
    Damaged(String),
    /// The template cannot be parsed.
    Template(TemplateError),
    /// The messages cannot be printed.
    Print(io::Error),
    /// Several queues have errors; the others were shown.
    Several(Vec<QueueError>),
}

impl fmt::Display for QueueError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            QueueError::Folder { path, source } => write!(f, "cannot read {}: {source}", path.display()),
            QueueError::NoQueue(folder) => write!(f, "there is no queue in {}", folder.display()),
            QueueError::Unreadable(error) => error.fmt(f),
            QueueError::Diskq(error) => error.fmt(f),
            QueueError::Import(error) => error.fmt(f),
            QueueError::Move(error) => error.fmt(f),
            QueueError::Damaged(reason) => f.write_str(reason),
            QueueError::Template(error) => error.fmt(f),
            QueueError::Print(error) => write!(f, "cannot print: {error}"),
            QueueError::Several(errors) => {
                let lines: Vec<String> = errors.iter().map(QueueError::to_string).collect();
                f.write_str(&lines.join("\n"))
            }
        }
    }
}

impl std::error::Error for QueueError {}

/// The reasons why messages are not taken over.
#[derive(Debug)]
pub(super) enum ImportError {
    /// A path is no queue file of syslog-ng.
    NotAQueue(PathBuf),
    /// The folder above the queue is missing.
    Above(PathBuf, io::Error),
    /// The queue cannot be opened.
    Open(LookError),
    /// The queue cannot be written.
    Append(AppendError),
    /// The queue cannot be given to the owner of the folder above it.
    Owner(PathBuf, io::Error),
    /// A file that was taken over cannot be renamed.
    Rename(PathBuf, io::Error),
    /// The messages in a shared log cannot be read.
    Shared(LookError),
    /// A destination whose messages were taken over cannot be removed from its log.
    Forget(PathBuf, io::Error),
}

impl fmt::Display for ImportError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ImportError::NotAQueue(path) => write!(
                f,
                "{} is not a queue file of syslog-ng, nor that of a destination in a shared log",
                path.display()
            ),
            ImportError::Above(path, error) => write!(
                f,
                "cannot read {}: {error}; --into names a queue in the folder that disk-buffer(dir(...)) names",
                path.display()
            ),
            ImportError::Open(LookError::InUse(path)) => {
                write!(f, "{} is in use: stop the server first", path.display())
            }
            ImportError::Open(error) => error.fmt(f),
            ImportError::Append(error) => error.fmt(f),
            ImportError::Owner(path, error) => {
                write!(f, "cannot change the owner of {}: {error}", path.display())
            }
            ImportError::Shared(error) => error.fmt(f),
            ImportError::Forget(path, error) => write!(
                f,
                "the messages of {} were taken over, but it cannot be removed: {error}; do not import it again",
                path.display()
            ),
            ImportError::Rename(path, error) => write!(
                f,
                "the messages of {} were taken over, but it cannot be renamed: {error}; do not import it again",
                path.display()
            ),
        }
    }
}

impl std::error::Error for ImportError {}

/// The reasons why a queue stays where it is.
#[derive(Debug)]
pub(super) enum MoveError {
    /// A path is not a queue.
    NotAQueue(PathBuf),
    /// A destination shares its log with others, which would stay behind.
    Shared(PathBuf),
    /// A server uses it, or it cannot be opened.
    Open(LookError),
    /// There is something at the new place.
    Exists(PathBuf),
    /// The new name cannot be that of a folder.
    Name(OsString),
    /// The disk refuses.
    Io { path: PathBuf, source: io::Error },
}

impl fmt::Display for MoveError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            MoveError::Shared(path) => {
                write!(
                    f,
                    "{} is part of a log that destinations share: name the folder of the log",
                    path.display()
                )
            }
            MoveError::NotAQueue(path) => write!(f, "{} is no queue of a disk buffer", path.display()),
            MoveError::Open(error) => error.fmt(f),
            MoveError::Exists(path) => {
                write!(f, "{} exists; remove it or move it away first", path.display())
            }
            MoveError::Name(name) => write!(f, "\"{}\" cannot be the name of a queue", name.display()),
            MoveError::Io { path, source } => write!(f, "cannot move {}: {source}", path.display()),
        }
    }
}

impl std::error::Error for MoveError {}
