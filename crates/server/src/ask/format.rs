//! One row as one line.
//!
//! In: a row of the API. Out: a line. Control characters of messages are escaped unless `--raw` is given: a
//! message must not be able to control the user's terminal.

use super::options::{Access, Format};
use crate::terminal;
use jiff::{Timestamp, tz::TimeZone};
use serde_json::Value;

/// Formats a row as a line.
pub(super) fn line(row: &Value, access: &Access) -> String {
    let line = unescaped(row, access.format);
    match (access.raw, access.format) {
        (true, _) => line,
        (false, Format::Json) => terminal::json(&line).into_owned(),
        (false, _) => terminal::line(&line).into_owned(),
    }
}

fn unescaped(row: &Value, format: Format) -> String {
    match format {
        Format::Json => row.to_string(),
        Format::Message => row["message"].as_str().unwrap_or_default().to_owned(),
        Format::Text => {
            let time = row["received_us"].as_i64().and_then(|us| Timestamp::from_microsecond(us).ok());
            let zone = TimeZone::system();
            let time = time.map_or_else(String::new, |time| {
                time.to_zoned(zone).strftime("%Y-%m-%dT%H:%M:%S%.3f%:z").to_string()
            });
            let field = |name: &str| row[name].as_str().unwrap_or_default().to_owned();
            let pid = field("pid");
            let pid = if pid.is_empty() { pid } else { format!("[{pid}]") };
            let (host, program, message) = (field("host"), field("program"), field("message"));
            let colon = if program.is_empty() { "" } else { ": " };
            format!("{time} {host} {} {program}{pid}{colon}{message}", field("severity"))
        }
    }
}

#[cfg(test)]
mod tests {
    //! Rows for lines.

    use super::*;
    use serde_json::json;

    #[test]
    fn m8_terminals_are_safe() {
        let row = json!({"message": "a\u{1b}[2Jb\nc\u{9b}\u{202e}", "host": "h", "program": "p", "pid": "1", "severity": "err"});
        let check = |words: &[&str], want: &str| {
            let access = Access::of(words);
            assert_eq!(line(&row, &access), want);
        };
        check(&["--format", "message"], "a\\x1b[2Jb\\nc\\u{9b}\\u{202e}");
        check(&[], " h err p[1]: a\\x1b[2Jb\\nc\\u{9b}\\u{202e}");
        check(&["--format", "message", "--raw"], "a\u{1b}[2Jb\nc\u{9b}\u{202e}");
        let json = line(&row, &Access::of(&["--format", "json"]));
        assert!(json.contains(r#""message":"a\u001b[2Jb\nc\u009b\u202e""#), "{json}");
    }
}
