//! The meaning of an answer of NRDP.
//!
//! In: a status of HTTP; a status of NRDP, which is 0 or -1 for all results of a request, and its words. Out: a verdict. Holds: nothing.
//! Limits: the words of a server are cut.
//!
//! NRDP judges no single result: it takes a host that Nagios does not know. Its refusals are about the request, so they hold; no
//! message is lost because of a fault that an operator can fix.

use crate::http::{Answer, Reply};
use delivery::{
    HoldReason, Verdict, Wait,
    failure::{ANSWER_CHARACTERS_MAX, Failure},
};
use std::time::Duration;
use transport::DeadReason;

/// The word for a request in which no token was found.
const NO_TOKEN: &str = "NO TOKEN";

/// Judges the outcome of a request with so many results.
pub(super) fn of_reply(reply: Reply, results: usize) -> Result<(), Failure> {
    match reply.answer()? {
        Answer { status: 200..=299, body, .. } => of_body(&body, results),
        Answer { status, wait, .. } => {
            let answer = format!("the server answered {status}");
            Err(Failure { verdict: of_status(status, wait), answer })
        }
    }
}

/// The answer of NRDP to a request.
#[derive(PartialEq, Eq, Debug)]
struct NrdpAnswer {
    status: i64,
    message: String,
    /// The number of results that it has processed, if it says so.
    processed: Option<usize>,
}

impl NrdpAnswer {
    /// Reads an answer, which comes in the form of the request; versions before 2.0 answer in XML.
    fn read(body: &[u8]) -> Option<NrdpAnswer> {
        let text = String::from_utf8_lossy(body);
        let (status, message, output) = match serde_json::from_str::<serde_json::Value>(text.trim()) {
            Ok(json) => {
                let result = json.get("result")?;
                let words = |place: &str| result.pointer(place).and_then(serde_json::Value::as_str);
                let status = result.get("status")?;
                let status = status.as_i64().or_else(|| status.as_str()?.trim().parse().ok())?;
                let message = words("/message").unwrap_or_default();
                (status, message.to_owned(), words("/meta/output").unwrap_or_default().to_owned())
            }
            Err(_) => {
                let element = |name: &str| {
                    let (_, rest) = text.split_once(&format!("<{name}>"))?;
                    Some(rest.split_once(&format!("</{name}>"))?.0.trim().to_owned())
                };
                let status = element("status")?.parse().ok()?;
                (status, element("message").unwrap_or_default(), element("output").unwrap_or_default())
            }
        };
        let processed = output.split_whitespace().next().and_then(|number| number.parse().ok());
        Some(NrdpAnswer { status, message, processed })
    }
}

fn of_body(body: &[u8], results: usize) -> Result<(), Failure> {
    let failure = |verdict, answer: String| Err(Failure { verdict, answer });
    let Some(answer) = NrdpAnswer::read(body) else {
        return failure(Verdict::Hold(HoldReason::Schema), "this is no answer of NRDP".to_owned());
    };
    match answer {
        NrdpAnswer { status: 0, processed, .. } if processed.is_none_or(|processed| processed >= results) => {
            Ok(())
        }
        NrdpAnswer { status: 0, processed, .. } => {
            let processed = processed.unwrap_or_default();
            failure(
                Verdict::Hold(HoldReason::Schema),
                format!(
                    "the server processed {processed} of {results} results: it takes JSON since NRDP 2.0"
                ),
            )
        }
        NrdpAnswer { message, .. } => {
            let plain = message.chars().filter(|character| !character.is_control());
            let plain: String = plain.take(ANSWER_CHARACTERS_MAX).collect();
            failure(of_message(message.trim(), results), format!("the server answered: {plain}"))
        }
    }
}

/// Judges the words of a refusal.
fn of_message(message: &str, results: usize) -> Verdict {
    match message {
        // PHP drops a request that is longer than its post_max_size, and then there is no token.
        NO_TOKEN if results > 1 => Verdict::Split(DeadReason::TooLarge),
        NO_TOKEN | "NO TOKENS" | "BAD TOKEN" | "NOT AUTHENTICATED" | "BAD_USER" => {
            Verdict::Hold(HoldReason::Credentials)
        }
        "HTTPS REQUIRED" | "DENIED TOKEN" | "NOT ENABLED" | "COMMANDS DISABLED" => {
            Verdict::Hold(HoldReason::Access)
        }
        "NO CHECK RESULTS DIR"
        | "BAD CHECK RESULTS DIR"
        | "NO INSTANCE"
        | "BAD INSTANCE"
        | "NO DATA"
        | "BAD XML"
        | "BAD JSON" => Verdict::Hold(HoldReason::Schema),
        _ => Verdict::Later(Wait::BackOff),
    }
}

fn of_status(status: u16, wait: Option<Duration>) -> Verdict {
    match status {
        401 | 407 => Verdict::Hold(HoldReason::Credentials),
        403 => Verdict::Hold(HoldReason::Access),
        413 => Verdict::Split(DeadReason::TooLarge),
        408 | 425 | 429 | 503 => Verdict::Later(wait.map_or(Wait::Busy, Wait::For)),
        500..=599 => Verdict::Later(wait.map_or(Wait::BackOff, Wait::For)),
        _ => Verdict::Hold(HoldReason::Schema),
    }
}

#[cfg(test)]
mod tests;
