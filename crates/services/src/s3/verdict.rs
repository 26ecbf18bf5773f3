//! What an answer means for the messages of an object.
//!
//! In: a status, and XML with the code and the words of an error. Out: a verdict. Holds: nothing. Limits:
//! [`ANSWER_CHARACTERS_MAX`].
//!
//! No message is lost because of a fault that an operator can fix: such a fault holds.

use crate::http::{Answer, Reply};
use delivery::{
    HoldReason, Verdict, Wait,
    failure::{ANSWER_CHARACTERS_MAX, Failure},
};
use std::time::Duration;
use transport::DeadReason;

/// Judges the outcome of a request. `Ok`: the server has the object, also if it had it before.
pub(super) fn of_reply(reply: Reply) -> Result<(), Failure> {
    match reply.answer()? {
        Answer { status: 200..=299, .. } => Ok(()),
        Answer { status, wait, body, .. } => {
            let error = ServerError::read(&body);
            // The object is there: an earlier attempt stored it, because no other batch has its name.
            if status == 412 && matches!(error.code.as_str(), "PreconditionFailed" | "") {
                return Ok(());
            }
            let verdict = of_code(&error.code, wait).unwrap_or_else(|| of_status(status, &error, wait));
            Err(Failure { verdict, answer: error.answer(status) })
        }
    }
}

/// An error as the server describes it.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(super) struct ServerError {
    /// `<Code>`; empty when the answer is not that of S3.
    pub(super) code: String,
    /// `<Message>`
    words: String,
}

impl ServerError {
    pub(super) fn read(body: &[u8]) -> ServerError {
        let text = String::from_utf8_lossy(body);
        ServerError { code: element(&text, "Code"), words: element(&text, "Message") }
    }

    pub(super) fn answer(&self, status: u16) -> String {
        let note = match self.code.as_str() {
            "RequestTimeTooSkewed" => ": the clock of this machine, or that of the server, is wrong",
            "" => ": this is no answer of S3",
            _ => "",
        };
        let blank = |text: &str| if text.is_empty() { String::new() } else { format!(" {text}") };
        format!("the server answered {status}{}{}{note}", blank(&self.code), blank(&self.words))
    }
}

/// Returns the text of the first element of a name, on one line and of bounded length.
fn element(text: &str, name: &str) -> String {
    let (open, close) = (format!("<{name}>"), format!("</{name}>"));
    let inside = text.split_once(&open).and_then(|(_, rest)| rest.split_once(&close));
    let inside = inside.map_or("", |(inside, _)| inside);
    let plain: String = inside.chars().filter(|c| !c.is_control()).take(ANSWER_CHARACTERS_MAX).collect();
    let entities = [
        ("&lt;", "<"),
        ("&gt;", ">"),
        ("&quot;", "\""),
        ("&#34;", "\""),
        ("&apos;", "'"),
        ("&#39;", "'"),
        ("&amp;", "&"),
    ];
    entities.iter().fold(plain, |text, (entity, letter)| text.replace(entity, letter))
}

/// Judges a code of S3; `None` for one that says no more than its status.
pub(super) fn of_code(code: &str, wait: Option<Duration>) -> Option<Verdict> {
    Some(match code {
        "SignatureDoesNotMatch"
        | "InvalidAccessKeyId"
        | "InvalidToken"
        | "ExpiredToken"
        | "InvalidSecurity"
        | "MissingSecurityHeader"
        | "AuthorizationHeaderMalformed" => Verdict::Hold(HoldReason::Credentials),
        "AccessDenied" | "AllAccessDisabled" | "AccountProblem" | "NotSignedUp" => {
            Verdict::Hold(HoldReason::Access)
        }
        "NoSuchBucket"
        | "InvalidBucketName"
        | "InvalidBucketState"
        | "PermanentRedirect"
        | "IllegalLocationConstraintException"
        | "InvalidStorageClass"
        | "InvalidEncryptionAlgorithmError"
        | "AccessControlListNotSupported"
        | "InvalidArgument"
        | "InvalidRequest"
        | "NotImplemented" => Verdict::Hold(HoldReason::Schema),
        code if code.starts_with("KMS.") => Verdict::Hold(HoldReason::Schema),
        "QuotaExceeded" | "ServiceQuotaExceeded" | "XMinioStorageFull" => Verdict::Hold(HoldReason::Quota),
        "EntityTooLarge" | "MaxMessageLengthExceeded" => Verdict::Split(DeadReason::TooLarge),
        "KeyTooLongError" | "InvalidURI" | "XMinioInvalidObjectName" => Verdict::Dead(DeadReason::BadName),
        // The clock is wrong, the server is busy, or another request for this object is under way.
        "RequestTimeTooSkewed"
        | "SlowDown"
        | "ServiceUnavailable"
        | "ConditionalRequestConflict"
        | "OperationAborted" => Verdict::Later(wait.map_or(Wait::Busy, Wait::For)),
        // The body was damaged or cut off on its way.
        "BadDigest"
        | "IncompleteBody"
        | "RequestTimeout"
        | "XAmzContentSHA256Mismatch"
        | "XAmzContentChecksumMismatch" => Verdict::Later(Wait::BackOff),
        _ => return None,
    })
}

fn of_status(status: u16, error: &ServerError, wait: Option<Duration>) -> Verdict {
    match status {
        401 | 407 => Verdict::Hold(HoldReason::Credentials),
        403 => Verdict::Hold(HoldReason::Access),
        507 => Verdict::Hold(HoldReason::Quota),
        413 => Verdict::Split(DeadReason::TooLarge),
        408 | 409 | 425 | 429 | 503 => Verdict::Later(wait.map_or(Wait::Busy, Wait::For)),
        501 | 505 => Verdict::Hold(HoldReason::Schema),
        500..=599 => Verdict::Later(wait.map_or(Wait::BackOff, Wait::For)),
        // Redirections, addresses without anything, and servers that do not speak S3: all objects would be refused.
        ..=399 | 404 | 405 | 410 | 600.. => Verdict::Hold(HoldReason::Schema),
        _ if error.code.is_empty() => Verdict::Hold(HoldReason::Schema),
        _ => Verdict::Dead(DeadReason::Rejected),
    }
}

#[cfg(test)]
mod tests;
