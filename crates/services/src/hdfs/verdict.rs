//! Judges what an answer of WebHDFS means for messages.
//!
//! In: a status, and JSON with the exception of the server. Out: a verdict. Holds: nothing. Limits:
//! [`ANSWER_CHARACTERS_MAX`].
//!
//! No message is lost because of a fault that an operator can fix: such a fault holds.

use delivery::{
    HoldReason, Verdict, Wait,
    failure::{ANSWER_CHARACTERS_MAX, Failure},
};
use serde_json::Value;
use transport::DeadReason;

/// An error of the server.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct RemoteError {
    status: u16,
    /// The name of the exception, without its package.
    exception: String,
    message: String,
}

impl RemoteError {
    /// Reads the body of an answer.
    pub(super) fn read(status: u16, body: &[u8]) -> RemoteError {
        let json: Value = serde_json::from_slice(body).unwrap_or_default();
        let text = |name: &str| {
            let text = json.get("RemoteException").and_then(|error| error.get(name)?.as_str());
            text.unwrap_or_default().lines().next().unwrap_or_default().to_owned()
        };
        RemoteError { status, exception: text("exception"), message: text("message") }
    }

    /// The path is that of a folder.
    pub(super) fn no_file(path: &str) -> RemoteError {
        let (exception, message) = ("IsADirectory".to_owned(), format!("{path} is no file"));
        RemoteError { status: 403, exception, message }
    }

    /// Returns true when another NameNode may take the operation.
    pub(super) fn is_of_another_node(&self) -> bool {
        matches!(self.exception.as_str(), "StandbyException" | "SafeModeException" | "RetriableException")
            || self.message.contains("safe mode")
            || matches!(self.status, 502..=504)
    }

    /// Returns true when there is no such file.
    pub(super) fn is_missing(&self) -> bool {
        self.exception == "FileNotFoundException" || (self.status == 404 && self.exception.is_empty())
    }

    /// Returns true when the file is there already.
    pub(super) fn is_there(&self) -> bool {
        self.exception == "FileAlreadyExistsException"
    }

    /// Returns true when a DataNode answers so before it has written anything: it could not open the file. Safe mode and
    /// standby say nothing of the sort: the NameNode may have entered them when the bytes were written and the file was to
    /// be closed.
    pub(super) fn is_of_opening(&self) -> bool {
        self.is_missing()
            || self.is_there()
            || matches!(
                self.exception.as_str(),
                "AlreadyBeingCreatedException"
                    | "RecoveryInProgressException"
                    | "AccessControlException"
                    | "SecurityException"
                    | "InvalidToken"
                    | "UnsupportedOperationException"
            )
    }

    /// Returns what becomes of the messages.
    pub(super) fn failure(&self) -> Failure {
        let verdict = match self.exception.as_str() {
            "StandbyException" | "SafeModeException" | "RetriableException" => Verdict::Later(Wait::Busy),
            // Another writer has the file until its lease ends: one that died, for a minute or more.
            "AlreadyBeingCreatedException" | "RecoveryInProgressException" | "LeaseExpiredException" => {
                Verdict::Later(Wait::Busy)
            }
            "AccessControlException" => Verdict::Hold(HoldReason::Access),
            "SecurityException" | "InvalidToken" | "AuthorizationException" | "AuthenticationException" => {
                Verdict::Hold(HoldReason::Credentials)
            }
            "DSQuotaExceededException"
            | "NSQuotaExceededException"
            | "QuotaExceededException"
            | "MaxDirectoryItemsExceededException" => Verdict::Hold(HoldReason::Quota),
            "ParentNotDirectoryException"
            | "FileAlreadyExistsException"
            | "IsADirectory"
            | "UnsupportedOperationException" => Verdict::Hold(HoldReason::Schema),
            "InvalidPathException" | "PathComponentTooLongException" => Verdict::Dead(DeadReason::BadName),
            _ => self.by_status(),
        };
        let words =
            [self.exception.as_str(), self.message.as_str()].into_iter().filter(|text| !text.is_empty());
        let words: Vec<&str> = words.collect();
        let answer = match words.is_empty() {
            true => format!("the server answered {}", self.status),
            false => format!("the server answered {}: {}", self.status, words.join(": ")),
        };
        Failure { verdict, answer: answer.chars().take(ANSWER_CHARACTERS_MAX).collect() }
    }

    fn by_status(&self) -> Verdict {
        match self.status {
            401 => Verdict::Hold(HoldReason::Credentials),
            // DataNodes are missing or full, or a part of the cluster starts: the exception is an IOException.
            403 | 404 | 500..=599 => Verdict::Later(Wait::Busy),
            400 if self.exception == "IllegalArgumentException" => Verdict::Dead(DeadReason::BadName),
            _ => Verdict::Hold(HoldReason::Schema),
        }
    }
}

/// The server is busy, or its answer was lost.
pub(super) fn busy(answer: String) -> Failure {
    Failure { verdict: Verdict::Later(Wait::Busy), answer }
}

/// The server did not answer.
pub(super) fn silent() -> Failure {
    busy("the server did not answer in time".to_owned())
}

/// The failure of an answer that is not that of WebHDFS.
pub(super) fn not_webhdfs() -> Failure {
    let answer = "what answers is no WebHDFS".to_owned();
    Failure { verdict: Verdict::Hold(HoldReason::Schema), answer }
}
