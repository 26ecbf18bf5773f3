//! Why a logspace cannot be opened.
//!
//! In: the file and what is wrong with it. Out: a sentence with the remedy.

use evidence::KeyError;
use std::{io, path::PathBuf};

/// Why a logspace cannot be opened.
#[derive(Debug)]
pub enum OpenLogspaceError {
    /// A file or directory cannot be used.
    Io {
        /// Which.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// The journal cannot be opened.
    Journal(journal::OpenError),
    /// The journal cannot be read.
    Replay(journal::ReadError),
    /// The key that signs the evidence cannot be used.
    SignKey(KeyError),
    /// The key that signed the evidence so far is gone.
    SignKeyGone {
        /// The path that it had.
        path: PathBuf,
        /// Its fingerprint, when the chain is there.
        signer: Option<String>,
    },
    /// A newer version of the program wrote a file.
    Newer {
        /// Which.
        path: PathBuf,
    },
}

impl std::fmt::Display for OpenLogspaceError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            OpenLogspaceError::Io { path, source } => {
                write!(f, "cannot open logspace {}: {source}", path.display())
            }
            OpenLogspaceError::Journal(error) => error.fmt(f),
            OpenLogspaceError::Replay(error) => error.fmt(f),
            OpenLogspaceError::SignKey(error) => error.fmt(f),
            OpenLogspaceError::SignKeyGone { path, signer } => {
                let (path, signer) = (path.display(), signer.as_deref().unwrap_or("another key"));
                write!(
                    f,
                    "{path} is missing, and what was sealed so far is signed with {signer}: put that key back; or, when it \
                     is lost, make a new one (openssl genpkey -algorithm ED25519) and name it with sign-key() in the \
                     options of logspace(): the change of key is then recorded in the chain of evidence"
                )
            }
            OpenLogspaceError::Newer { path } => {
                let path = path.display();
                write!(
                    f,
                    "{path} was written by a newer version of duramen: nothing is changed; start that version"
                )
            }
        }
    }
}

impl std::error::Error for OpenLogspaceError {}
