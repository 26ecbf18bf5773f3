//! The steps of a sign-in that can fail.
//!
//! In: errors of the library and answers of servers. Out: a sentence for people: what, where, what to do.

use ldap3::{LdapError, LdapResult};
use std::{fmt, io, path::PathBuf};
use transport::tls::TlsError;

/// The reasons for which a directory cannot be asked, or does not say who somebody is.
#[derive(Debug)]
pub enum DirectoryError {
    /// The certificates that are trusted cannot be read.
    Tls(TlsError),
    /// The file with the password of the service account cannot be used.
    PasswordFile {
        /// The file.
        path: PathBuf,
        /// The error of the system.
        source: io::Error,
    },
    /// No server can be used: each with its reason.
    NoServer(Vec<ServerError>),
    /// A request failed on the way, or took too long.
    Request {
        /// The server.
        server: String,
        /// The step, such as `the search for the user`.
        step: &'static str,
        /// The reason.
        reason: String,
    },
    /// Several entries have the name.
    Several {
        /// The attributes that were compared.
        attributes: String,
    },
    /// There are more groups than are read.
    TooManyGroups {
        /// Most groups of a person.
        most: usize,
    },
    /// An entry lacks an attribute, or it is of no use.
    Attribute {
        /// Distinguished name of the entry.
        entry: String,
        /// The attribute.
        attribute: String,
        /// The fault.
        fault: &'static str,
    },
}

/// A server that cannot be used.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ServerError {
    /// Its URL.
    pub server: String,
    /// The reason.
    pub reason: String,
}

/// The reasons for which somebody is not signed in.
#[derive(Debug)]
pub enum SignInError {
    /// Nobody has the name, or the password is wrong, or the account is disabled: the client does not learn which.
    Wrong {
        /// The reason, for administrators.
        reason: String,
    },
    /// The password is right, and no rule is about a group of this person.
    NoGroup {
        /// Distinguished name of the person.
        entry: String,
    },
    /// The directory cannot be asked.
    Unavailable(DirectoryError),
}

impl fmt::Display for DirectoryError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            DirectoryError::Tls(error) => {
                write!(f, "the certificates for the directory cannot be used: {error}")
            }
            DirectoryError::PasswordFile { path, source } => {
                write!(f, "cannot read the password of the service account in {}: {source}", path.display())
            }
            DirectoryError::NoServer(servers) => {
                f.write_str("no server of the directory can be used")?;
                servers.iter().try_for_each(|one| write!(f, "; {}: {}", one.server, one.reason))
            }
            DirectoryError::Request { server, step, reason } => {
                write!(f, "{step} failed at {server}: {reason}")
            }
            DirectoryError::Several { attributes } => write!(
                f,
                "several entries have this name in {attributes}, so nobody is signed in by it: name a narrower base() or filter()"
            ),
            DirectoryError::TooManyGroups { most } => {
                write!(f, "the person is in more than {most} groups: name a narrower base() in groups()")
            }
            DirectoryError::Attribute { entry, attribute, fault } => {
                write!(f, "the attribute {attribute} of {entry} {fault}")
            }
        }
    }
}

impl std::error::Error for DirectoryError {}

impl DirectoryError {
    /// Returns true for an error that says nothing about other people.
    pub fn is_of_one_entry(&self) -> bool {
        matches!(
            self,
            DirectoryError::Several { .. }
                | DirectoryError::TooManyGroups { .. }
                | DirectoryError::Attribute { .. }
        )
    }
}

impl fmt::Display for SignInError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            SignInError::Wrong { reason } => f.write_str(reason),
            SignInError::NoGroup { entry } => {
                write!(f, "{entry} is in no group that a grant() of the configuration names")
            }
            SignInError::Unavailable(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for SignInError {}

impl From<DirectoryError> for SignInError {
    fn from(error: DirectoryError) -> SignInError {
        SignInError::Unavailable(error)
    }
}

/// Returns the reason why the library failed, for people.
pub(crate) fn reason(error: &LdapError) -> String {
    match error {
        LdapError::Io { source } => source.to_string(),
        LdapError::Timeout { .. } => "no answer in time".to_owned(),
        LdapError::Rustls { source } => transport::tls::describe(source),
        LdapError::LdapResult { result } => answer(result),
        LdapError::OpSend { .. } | LdapError::ResultRecv { .. } | LdapError::EndOfStream => {
            "the server closed the connection".to_owned()
        }
        other => other.to_string(),
    }
}

/// Returns the answer of a server that is not success: its number, its name, and the server's words.
pub(crate) fn answer(result: &LdapResult) -> String {
    let name = match result.rc {
        1 => "operationsError",
        4 => "sizeLimitExceeded: the service account may not read so many entries",
        8 => "strongerAuthRequired: the server wants an encrypted connection",
        10 => "referral: the entry is on another server, which is not asked",
        13 => "confidentialityRequired: the server wants an encrypted connection",
        32 => "noSuchObject: there is no such branch, or the service account may not see it",
        34 => "invalidDNSyntax",
        49 => "invalidCredentials",
        50 => "insufficientAccessRights",
        51 => "busy",
        52 => "unavailable",
        53 => "unwillingToPerform",
        _ => "",
    };
    let text: String = result.text.chars().filter(|c| !c.is_control()).take(200).collect();
    let parts = [name, text.as_str()];
    let parts: Vec<&str> = parts.into_iter().filter(|part| !part.is_empty()).collect();
    format!(
        "the server answers {}{}{}",
        result.rc,
        if parts.is_empty() { "" } else { ", " },
        parts.join(", ")
    )
}
