//! Requests and answers of `/sessions` and `/password`.
//!
//! In: JSON. Out: JSON.

use crate::access::sessions::ListedSession;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

const SECOND_US: u64 = 1_000_000;

/// An open session.
#[derive(Serialize, ToSchema)]
pub struct OpenSession {
    /// Its id, by which it is ended.
    pub id: String,
    /// The user.
    pub user: String,
    /// When it was opened, in microseconds since 1970.
    pub opened_us: u64,
    /// When it was used last, in microseconds since 1970; calls of timers do not count.
    pub used_us: u64,
    /// When it ends if it is not used, in microseconds since 1970.
    pub ends_us: u64,
    /// Address of the client that opened it; absent in sessions of earlier versions.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub address: Option<String>,
    /// The browser or program that opened it, as it calls itself.
    pub agent: String,
    /// True for the session of this call.
    pub current: bool,
}

/// The open sessions of a user.
#[derive(Serialize, ToSchema)]
pub struct OpenSessions {
    /// The sessions, the one opened last first.
    pub sessions: Vec<OpenSession>,
}

/// Another password for the caller.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct PasswordRequest {
    /// The password until now, once more.
    pub password: String,
    /// The new one.
    pub new_password: String,
}

/// The sessions that were ended.
#[derive(Serialize, ToSchema)]
pub struct EndedSessions {
    /// Number of sessions.
    pub ended: usize,
}

impl OpenSession {
    /// A session; `present` is the id of that of the call.
    pub(crate) fn of(session: ListedSession, present: Option<&str>) -> OpenSession {
        OpenSession {
            current: present == Some(session.id.as_str()),
            id: session.id,
            user: session.user,
            opened_us: session.opened_s.saturating_mul(SECOND_US),
            used_us: session.used_s.saturating_mul(SECOND_US),
            ends_us: session.ends_s.saturating_mul(SECOND_US),
            address: session.client.address.map(|address| address.to_string()),
            agent: session.client.agent,
        }
    }
}
