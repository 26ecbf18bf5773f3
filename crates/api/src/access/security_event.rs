//! Events about log-ins and refusals that are recorded.
//!
//! In: nothing. Out: events for the ledger. Limits: names are as claimed; the ledger cuts them when it writes
//! them.

use accounts::{AccountChange, DirectoryState};
use std::net::IpAddr;

/// A security event.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum SecurityEvent {
    /// A user opened a session.
    LoggedIn {
        /// The user.
        user: String,
        /// Address of the client.
        address: IpAddr,
    },
    /// A call with the correct password and without a session.
    Authenticated {
        /// The user.
        user: String,
        /// Address of the client.
        address: IpAddr,
    },
    /// A call with an API token.
    TokenUsed {
        /// The owner of the token.
        user: String,
        /// Id of the token.
        token: String,
        /// Address of the client.
        address: IpAddr,
    },
    /// A call with an API token that is not accepted.
    TokenRefused {
        /// The owner of the token; empty when it is unknown.
        user: String,
        /// Id of the token; empty when it is unknown.
        token: String,
        /// The fault, in fixed words.
        reason: &'static str,
        /// Address of the client.
        address: IpAddr,
    },
    /// A link of an invitation that is not accepted.
    InvitationRefused {
        /// The reason, in the words of the answer.
        reason: String,
        /// Address of the client.
        address: IpAddr,
    },
    /// A user ended a session.
    LoggedOut {
        /// The user.
        user: String,
    },
    /// A wrong user or password.
    Failed {
        /// The name that was claimed.
        user: String,
        /// Address of the client.
        address: IpAddr,
    },
    /// A wrong code of the second factor, after the right password.
    WrongCode {
        /// The user.
        user: String,
        /// The reason, in the words of the answer.
        reason: String,
        /// Address of the client.
        address: IpAddr,
    },
    /// An attempt that was not checked, because there were too many failures.
    LockedOut {
        /// The name that was claimed.
        user: String,
        /// Address of the client.
        address: IpAddr,
    },
    /// A log-in that cannot be read: no name, no password, no JSON.
    Malformed {
        /// The fault, in fixed words.
        reason: &'static str,
        /// Address of the client.
        address: IpAddr,
    },
    /// A call for a host that this server is not known as.
    WrongHost {
        /// The host that was named; empty when the header names none.
        host: String,
        /// Address of the client.
        address: IpAddr,
    },
    /// An account of a directory was made, or has other rights.
    DirectoryRights {
        /// The account.
        user: String,
        /// The change.
        change: AccountChange,
    },
    /// An account of a directory was suspended.
    DirectorySuspended {
        /// The account.
        user: String,
        /// The reason.
        state: DirectoryState,
    },
    /// The right password of somebody whom the directory gives no right to be here.
    DirectoryDenied {
        /// The name that was claimed.
        user: String,
        /// The reason, in the words of the answer.
        reason: String,
        /// Address of the client.
        address: IpAddr,
    },
    /// The directory cannot be asked.
    DirectoryUnavailable {
        /// The reason.
        reason: String,
    },
    /// A user requested something that they may not do.
    Refused {
        /// The user.
        user: String,
        /// The logspace; empty when it concerns none.
        logspace: String,
        /// The right that they lack.
        right: &'static str,
    },
}
