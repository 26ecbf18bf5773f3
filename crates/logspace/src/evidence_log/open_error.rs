//! The reasons why the evidence of a logspace cannot be opened.
//!
//! In: the file and what is wrong with it. Out: a sentence with the remedy.

use evidence::KeyError;
use std::{fmt, io, path::PathBuf};

/// A reason why the evidence of a logspace cannot be opened.
#[derive(Debug)]
pub enum OpenEvidenceError {
    /// A file or directory cannot be used.
    Io {
        /// Which.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// The key that signs the evidence cannot be used.
    SignKey(KeyError),
    /// The key that signed the evidence so far is gone.
    SignKeyGone {
        /// Its former path.
        path: PathBuf,
        /// Its fingerprint, when the chain exists.
        signer: Option<String>,
    },
    /// A newer version of the program wrote the chain.
    Newer {
        /// The chain's file.
        path: PathBuf,
    },
}

impl fmt::Display for OpenEvidenceError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            OpenEvidenceError::Io { path, source } => {
                write!(f, "cannot open logspace {}: {source}", path.display())
            }
            OpenEvidenceError::SignKey(error) => error.fmt(f),
            OpenEvidenceError::SignKeyGone { path, signer } => {
                let (path, signer) = (path.display(), signer.as_deref().unwrap_or("another key"));
                write!(
                    f,
                    "{path} is missing, and what was sealed so far is signed with {signer}: put that key back; or, when it \
                     is lost, make a new one (openssl genpkey -algorithm ED25519) and name it with sign-key() in the \
                     options of logspace(): the change of key is then recorded in the chain of evidence"
                )
            }
            OpenEvidenceError::Newer { path } => {
                let path = path.display();
                write!(
                    f,
                    "{path} was written by a newer version of duramen: nothing is changed; start that version"
                )
            }
        }
    }
}

impl std::error::Error for OpenEvidenceError {}
