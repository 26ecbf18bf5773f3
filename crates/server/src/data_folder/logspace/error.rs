//! The reasons why a verb of `duramen logspace` or `duramen verify-package` does nothing.
//!
//! In: failures to find a logspace, to read its files, keys and evidence, to reach a server. Out: a sentence for the
//! user. Holds nothing.

use evidence::{IdentityError, KeyError, RecipientError, StampRootsError, package::PackageError};
use logspace::{AuditError, ExportError, RebuildIndexError};
use query::QueryError;
use std::{fmt, io, path::PathBuf};

/// The reason why a verb does nothing, or stops.
#[derive(Debug)]
pub(in crate::data_folder) enum VerbError {
    /// There is no folder where the logspace should be.
    NoLogspace { dir: PathBuf },
    /// A file or folder of the logspace cannot be read.
    Read { path: PathBuf, source: io::Error },
    /// A file cannot be written.
    Write { path: PathBuf, source: io::Error },
    /// Standard output cannot be written.
    Print(io::Error),
    /// A word of the command line is no time.
    Time { text: String },
    /// A word of the command line is no time, neither absolute nor relative.
    RelativeTime { text: String },
    /// `--head` is no digest.
    Head,
    /// The query cannot be parsed.
    Query(QueryError),
    /// The condition of a filtered logspace cannot be parsed.
    Filter(QueryError),
    /// The configuration that defines the logspace has errors.
    Configuration { path: PathBuf },
    /// The file of a private key cannot be read.
    KeyFile { path: PathBuf, source: io::Error },
    /// A private key cannot be used.
    Identity { path: PathBuf, source: IdentityError },
    /// A private key that is for a server cannot be used.
    ServerIdentity(IdentityError),
    /// A private key needs a passphrase, and there is no terminal to ask for it.
    NoPassphrase { path: PathBuf },
    /// No passphrase can be read from the terminal.
    Passphrase(io::Error),
    /// The system has no random numbers for a key.
    Randomness,
    /// A recipient cannot be read.
    Recipient(RecipientError),
    /// The key that signs a package cannot be used.
    SignKey(KeyError),
    /// A trusted key cannot be used.
    Trust(KeyError),
    /// The certificates of time-stamping authorities cannot be used.
    StampRoots { path: PathBuf, source: StampRootsError },
    /// The logspace cannot be verified.
    Audit { dir: PathBuf, source: AuditError },
    /// The index cannot be rebuilt.
    Rebuild(RebuildIndexError),
    /// The package cannot be made.
    Export { output: PathBuf, source: ExportError },
    /// The package cannot be verified.
    Package { package: PathBuf, source: PackageError },
    /// No server answers on the control socket.
    Control(io::Error),
}

impl fmt::Display for VerbError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            VerbError::NoLogspace { dir } => {
                let remedy = "a filtered or multiple one is exported with --config FILE";
                write!(f, "there is no logspace in {}; {remedy}", dir.display())
            }
            VerbError::Read { path, source } => write!(f, "{}: {source}", path.display()),
            VerbError::Write { path, source } => write!(f, "cannot write {}: {source}", path.display()),
            VerbError::Print(error) => write!(f, "cannot write: {error}"),
            VerbError::Time { text } => write!(f, "{text} is not a time such as 2026-11-21T10:00:00Z"),
            VerbError::RelativeTime { text } => write!(f, "cannot read the time {text:?}"),
            VerbError::Head => f.write_str("--head takes 64 hexadecimal digits"),
            VerbError::Query(error) => error.fmt(f),
            VerbError::Filter(error) => write!(f, "a filter cannot be read: {error}"),
            VerbError::Configuration { path } => {
                write!(f, "{} has errors: see duramen check", path.display())
            }
            VerbError::KeyFile { path, source } => write!(f, "cannot read {}: {source}", path.display()),
            VerbError::Identity { path, source } => write!(f, "{}: {source}", path.display()),
            VerbError::ServerIdentity(error) => error.fmt(f),
            VerbError::NoPassphrase { path } => {
                write!(f, "{} needs a passphrase: set DURAMEN_PASSPHRASE", path.display())
            }
            VerbError::Passphrase(error) => write!(f, "cannot read a passphrase: {error}"),
            VerbError::Randomness => f.write_str("the system gives no randomness"),
            VerbError::Recipient(error) => error.fmt(f),
            VerbError::SignKey(error) => {
                write!(f, "{error}; the key of the logspace signs, or the one of --sign-key FILE")
            }
            VerbError::Trust(error) => error.fmt(f),
            VerbError::StampRoots { path, source } => write!(f, "{}: {source}", path.display()),
            VerbError::Audit { dir, source } => write!(f, "{}: {source}", dir.display()),
            VerbError::Rebuild(error) => error.fmt(f),
            VerbError::Export { output, source } => write!(f, "{}: {source}", output.display()),
            VerbError::Package { package, source } => write!(f, "{}: {source}", package.display()),
            VerbError::Control(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for VerbError {}

impl VerbError {
    /// Makes an error about reading a path.
    pub(super) fn reading(path: impl Into<PathBuf>) -> impl FnOnce(io::Error) -> VerbError {
        let path = path.into();
        |source| VerbError::Read { path, source }
    }
}
