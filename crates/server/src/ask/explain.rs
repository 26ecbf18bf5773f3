//! `duramen search --explain QUERY`.
//!
//! In: a query and a time range. Out: a line for each part of the condition, indented below the one that it is part of,
//! then what is read and how long it takes.

use super::{
    api::Session,
    coverage::{Coverage, say_unread},
    error::AskError,
    options::{Access, Format, SearchOptions},
};
use crate::terminal;
use serde_json::{Value, json};

/// Width of the column with the conditions.
const ASKS: usize = 44;

pub(super) fn explain(options: &SearchOptions) -> Result<Coverage, AskError> {
    let Access { logspace, format, .. } = &options.access;
    let request = json!({
        "logspace": logspace,
        "query": options.query.join(" "),
        "time": {
            "clock": if options.range.event_time { "event" } else { "received" },
            "from": options.range.from,
            "to": options.range.to,
        },
        "run": true, "timeout_ms": 60_000,
    });
    let answer = Session::open(&options.access.login)?.post("explain", &request)?;
    if *format == Format::Json {
        outln!("{}", terminal::json(&answer.to_string()));
        return Ok(say_unread(&answer));
    }
    outln!(
        "{:<ASKS$} {:>9} {:>11} {:>11} {:>11} {:>9}  reads",
        "asks",
        "words",
        "postings",
        "messages",
        "undecided",
        "ms"
    );
    print_part(&answer["tree"], 0);
    let pipes = answer["pipes"].as_array().into_iter().flatten().filter_map(Value::as_str);
    pipes.for_each(|pipe| outln!("| {pipe}"));
    outln!(
        "{} of {} segments are in the time range, with {} messages",
        count(&answer["segments"]).saturating_sub(count(&answer["skipped_by_time"])),
        count(&answer["segments"]),
        count(&answer["messages"]),
    );
    outln!(
        "{} messages are read: {} blocks of {} bytes",
        count(&answer["messages_read"]),
        count(&answer["blocks_read"]),
        count(&answer["bytes_read"]),
    );
    outln!(
        "estimated {:.1} ms; took {:.1} ms, {} found",
        answer["estimated_ms"].as_f64().unwrap_or_default(),
        answer["took_ms"].as_f64().unwrap_or_default(),
        number(&answer["total"]),
    );
    let hints = answer["hints"].as_array().into_iter().flatten().filter_map(Value::as_str);
    hints.for_each(|hint| errln!("hint: {hint}"));
    Ok(say_unread(&answer))
}

fn print_part(part: &Value, depth: usize) {
    let mut asks = format!("{}{}", "  ".repeat(depth), part["asks"].as_str().unwrap_or_default());
    if let Some((cut, _)) = asks.char_indices().nth(ASKS) {
        asks.truncate(cut);
    }
    outln!(
        "{asks:<ASKS$} {:>9} {:>11} {:>11} {:>11} {:>9.2}  {}",
        number(&part["words"]),
        number(&part["postings"]),
        number(&part["messages"]),
        number(&part["undecided"]),
        part["took_ms"].as_f64().unwrap_or_default(),
        if count(&part["segments"]) == 0 {
            "never looked at"
        } else {
            part["reads"].as_str().unwrap_or_default()
        },
    );
    let parts = part["parts"].as_array().into_iter().flatten();
    parts.for_each(|part| print_part(part, depth + 1));
}

fn count(value: &Value) -> u64 {
    value.as_u64().unwrap_or_default()
}

/// A number, or a dash where there is none.
fn number(value: &Value) -> String {
    value.as_u64().map_or_else(|| "-".to_owned(), |number| number.to_string())
}

#[cfg(test)]
mod tests {
    //! The table of a query's parts.

    use super::*;
    use crate::terminal::testing::Tape;
    use serde_json::json;

    #[test]
    fn parts_are_indented_below_their_whole() {
        let part = |asks: &str, segments: u64, parts: Value| {
            json!({"asks": asks, "segments": segments, "reads": "words", "words": 2, "postings": 30,
                   "messages": 4, "took_ms": 1.25, "parts": parts})
        };
        let inner = part("inner", 1, json!([part("innermost", 0, json!([]))]));
        let long = "x".repeat(ASKS + 5);
        let whole = part("whole", 1, json!([inner, part(&long, 1, json!([]))]));
        let tape = Tape::default();
        tape.record(|| print_part(&whole, 0));
        let printed = String::from_utf8(tape.printed().output).unwrap();
        let row = |asks: &str, reads: &str| {
            format!("{asks:<ASKS$}         2          30           4           -      1.25  {reads}\n")
        };
        let want = [
            row("whole", "words"),
            row("  inner", "words"),
            row("    innermost", "never looked at"),
            row(&format!("  {}", &long[..ASKS - 2]), "words"),
        ];
        assert_eq!(printed, want.concat());
    }
}
