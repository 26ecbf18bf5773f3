//! One row as one line.
//!
//! In: a row of the API. Out: a line. Control characters of messages are shown as `\x..`: a log line must not
//! steer the terminal of the one who reads it.

use super::Format;
use jiff::{Timestamp, tz::TimeZone};
use serde_json::Value;
use std::fmt::Write;

/// The line of a row.
pub(super) fn line(row: &Value, format: Format) -> String {
    match format {
        Format::Json => row.to_string(),
        Format::Message => shown(row["message"].as_str().unwrap_or_default()),
        Format::Text => {
            let time = row["received_us"].as_i64().and_then(|us| Timestamp::from_microsecond(us).ok());
            let zone = TimeZone::system();
            let time = time.map_or_else(String::new, |time| {
                time.to_zoned(zone).strftime("%Y-%m-%dT%H:%M:%S%.3f%:z").to_string()
            });
            let field = |name: &str| shown(row[name].as_str().unwrap_or_default());
            let pid = field("pid");
            let pid = if pid.is_empty() { pid } else { format!("[{pid}]") };
            let (host, program, message) = (field("host"), field("program"), field("message"));
            let colon = if program.is_empty() { "" } else { ": " };
            format!("{time} {host} {} {program}{pid}{colon}{message}", field("severity"))
        }
    }
}

/// A text that cannot steer a terminal.
pub(super) fn shown(text: &str) -> String {
    let mut line = String::with_capacity(text.len());
    for c in text.chars() {
        if c.is_control() && c != '\t' {
            // Writing to a string cannot fail.
            let _ = write!(line, "\\x{:02x}", u32::from(c));
        } else {
            line.push(c);
        }
    }
    line
}

#[cfg(test)]
mod tests {
    //! Rows for lines.

    use super::*;
    use serde_json::json;

    #[test]
    fn terminals_are_safe() {
        let row =
            json!({"message": "a\u{1b}[2Jb\nc", "host": "h", "program": "p", "pid": "1", "severity": "err"});
        assert_eq!(line(&row, Format::Message), "a\\x1b[2Jb\\x0ac");
        assert_eq!(line(&row, Format::Text), " h err p[1]: a\\x1b[2Jb\\x0ac");
    }
}
