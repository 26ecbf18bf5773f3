//! The result of a check in JSON.
//!
//! In: texts of a message. Out: an item of `checkresults`. Holds: nothing.
//! Limits: [`NAME_BYTES_MAX`] for names, [`OUTPUT_BYTES_MAX`] for the output; a state that is none is an error.
//!
//! NRDP writes names and states as lines of a file for Nagios, and checks none of them: what would end a line there becomes a blank
//! here, so a message cannot add lines.

use delivery::RowError;
use message::Severity;
use transport::DeadReason;

/// Longest name of a host or a service.
pub(super) const NAME_BYTES_MAX: usize = 255;
/// Longest output: Nagios reads no more of a result.
pub(super) const OUTPUT_BYTES_MAX: usize = 8 << 10;

/// The kind of object that a result is about.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Subject {
    Host,
    Service,
}

/// Makes the item of a result; without a service it is that of a host.
pub(super) fn item(host: &[u8], service: &[u8], state: &[u8], output: &[u8]) -> Result<String, RowError> {
    let host = name(host, "host")?;
    if host.is_empty() {
        return Err(RowError::bad_name("the host is empty"));
    }
    let service = name(service, "service")?;
    let subject = if service.is_empty() { Subject::Host } else { Subject::Service };
    let state = state_of(state, subject)?;
    if output.len() > OUTPUT_BYTES_MAX {
        return Err(RowError::too_large("output", OUTPUT_BYTES_MAX));
    }
    let output = String::from_utf8_lossy(output);
    // NRDP writes an end of a line in the output as Nagios wants it.
    let output: String = output.chars().map(|c| if c.is_control() && c != '\n' { ' ' } else { c }).collect();
    let kind = match subject {
        Subject::Host => "host",
        Subject::Service => "service",
    };
    let quoted = |text: &str| serde_json::Value::from(text).to_string();
    let service = match service.as_str() {
        "" => String::new(),
        service => format!("\"servicename\":{},", quoted(service)),
    };
    Ok(format!(
        "{{\"checkresult\":{{\"type\":\"{kind}\",\"checktype\":\"1\"}},\"hostname\":{},{service}\"state\":\"{state}\",\"output\":{}}}",
        quoted(&host),
        quoted(output.trim_end())
    ))
}

/// Returns a name on one line.
fn name(bytes: &[u8], what: &str) -> Result<String, RowError> {
    if bytes.len() > NAME_BYTES_MAX {
        return Err(RowError::bad_name(format!("the {what} has more than {NAME_BYTES_MAX} bytes")));
    }
    let text = String::from_utf8_lossy(bytes);
    let text: String = text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
    Ok(text.trim().to_owned())
}

/// Returns the word of the state of a message that does not say it.
pub(super) fn state_by_severity(severity: Severity, service: &[u8]) -> &'static str {
    match service.trim_ascii().is_empty() {
        true if severity <= Severity::ERROR => "down",
        true => "up",
        false if severity <= Severity::ERROR => "critical",
        false if severity == Severity::WARNING => "warning",
        false => "ok",
    }
}

/// Returns the number of a state, which is written as such or as a word.
fn state_of(bytes: &[u8], subject: Subject) -> Result<u8, RowError> {
    let word = String::from_utf8_lossy(bytes).trim().to_ascii_lowercase();
    let number = match (word.as_str(), subject) {
        ("0" | "ok" | "up", _) => 0,
        ("1" | "warning", _) | ("down", Subject::Host) => 1,
        ("2" | "critical", _) | ("unreachable", Subject::Host) => 2,
        ("3" | "unknown", Subject::Service) => 3,
        _ => {
            let known = match subject {
                Subject::Host => "0 to 2, up, down or unreachable",
                Subject::Service => "0 to 3, ok, warning, critical or unknown",
            };
            let text = format!("the state is none of {known}");
            return Err(RowError { reason: DeadReason::Cast, text });
        }
    };
    Ok(number)
}
