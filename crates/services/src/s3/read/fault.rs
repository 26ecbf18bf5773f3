//! The meaning of an answer that is no success, for somebody who reads.
//!
//! In: the outcome of a request. Out: a [`ReadFault`]. Holds: nothing. Limits: those of the words of a server.

use crate::{
    http::Reply,
    s3::verdict::{ServerError, of_code},
};
use delivery::{HoldReason, Verdict, Wait};
use std::{fmt, time::Duration};

/// The reason why something cannot be read, by what may help.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum FaultKind {
    /// The server is away or busy, or the connection broke: it may work later, after the pause that the server asked for.
    Away(Option<Duration>),
    /// The server refuses the key, the bucket, or how it is spoken to: nothing can be read until somebody changes that.
    Refused,
    /// The server does not give this object: others may be readable.
    Object,
    /// There is no such object any more.
    Missing,
    /// The object has another content than it had in the list.
    Changed,
    /// The place in the list that was asked for is not known to the server.
    Place,
}

/// The reason why something cannot be read.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ReadFault {
    /// Its meaning.
    pub kind: FaultKind,
    /// The words of the server, or those of the connection.
    pub words: String,
}

impl fmt::Display for ReadFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.words)
    }
}

/// The subject of a request.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Subject {
    List,
    Object,
}

impl ReadFault {
    /// Returns a fault that may be over soon.
    pub(super) fn away(words: impl Into<String>) -> ReadFault {
        ReadFault { kind: FaultKind::Away(None), words: words.into() }
    }

    /// Judges an outcome that is no success.
    pub(super) fn of(reply: Reply, subject: Subject) -> ReadFault {
        match reply {
            Reply::Unreachable(words) | Reply::Broken(words) => ReadFault::away(words),
            Reply::Silent => ReadFault::away("the server did not answer in time"),
            Reply::Status { status, wait, body, .. } => {
                let error = ServerError::read(&body);
                let kind = kind(status, &error.code, wait, subject);
                ReadFault { kind, words: error.answer(status) }
            }
        }
    }
}

fn kind(status: u16, code: &str, wait: Option<Duration>, subject: Subject) -> FaultKind {
    if subject == Subject::Object {
        match (status, code) {
            (404, "NoSuchKey" | "NoSuchVersion" | "") => return FaultKind::Missing,
            (412, _) => return FaultKind::Changed,
            // An archived object has to be restored before it is read.
            (403, "InvalidObjectState") => return FaultKind::Object,
            _ => {}
        }
    }
    match of_code(code, wait) {
        Some(Verdict::Later(Wait::For(wait))) => return FaultKind::Away(Some(wait)),
        Some(Verdict::Later(_)) => return FaultKind::Away(None),
        Some(Verdict::Hold(HoldReason::Access)) if subject == Subject::Object => return FaultKind::Object,
        // A token of a list that the server has forgotten.
        Some(Verdict::Hold(_)) if subject == Subject::List && code == "InvalidArgument" => {
            return FaultKind::Place;
        }
        Some(Verdict::Hold(_)) => return FaultKind::Refused,
        _ => {}
    }
    match status {
        401 | 407 => FaultKind::Refused,
        408 | 425 | 429 | 500.. => FaultKind::Away(wait),
        _ if subject == Subject::Object => FaultKind::Object,
        _ => FaultKind::Refused,
    }
}
