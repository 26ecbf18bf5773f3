//! Answers of Elasticsearch, OpenSearch and those that speak like them to a bulk request: a result for each item.
//!
//! In: the body of an answer. Out: the result of each item, in the order of the request. Holds: nothing.
//! Limits: an answer that does not account for every item is an error, and its request is sent again: nothing counts
//! as written because someone said nothing of it.

mod plain;

use serde_json::Value;
use std::fmt;

/// Longest text of a server that is repeated in our log.
const REASON_CHARACTERS_MAX: usize = 200;
/// Longest text of a server that is stored in a dead letter.
const QUOTE_CHARACTERS_MAX: usize = 900;
/// Stands between an error and its cause.
const CAUSE: &str = " (cause: ";
/// Behind these words Elasticsearch quotes the message, which our log must not hold.
const QUOTES_MESSAGE: [&str; 2] = ["Preview of field's value", CAUSE];

/// The result of one item.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(in crate::http) struct ItemResult {
    /// The result as an HTTP status.
    pub(in crate::http) status: u16,
    /// The action was `create`: a document of this id must not be there.
    pub(in crate::http) creates: bool,
    /// The type of the error; empty when there is none.
    pub(in crate::http) kind: String,
    /// Why it was refused, without quotes from the message; empty when it was not refused.
    pub(in crate::http) reason: String,
    /// The same in the server's own words, which may quote the message.
    pub(in crate::http) quote: String,
}

impl ItemResult {
    fn delivered() -> ItemResult {
        let (kind, reason, quote) = (String::new(), String::new(), String::new());
        ItemResult { status: 200, creates: false, kind, reason, quote }
    }

    /// Returns the words of the server: a line for our log, and all of them.
    pub(in crate::http) fn answer(&self) -> String {
        let rest = self.quote.strip_prefix(&self.reason).unwrap_or(&self.quote).trim_start();
        let line = format!("{} {}", self.status, self.reason);
        if rest.is_empty() { line } else { format!("{line}\n{rest}") }
    }
}

/// An answer that does not report the results of the items.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(in crate::http) enum BulkAnswerError {
    /// It is not JSON, or was cut.
    NotJson,
    /// It has neither results nor the word that there were no errors.
    NoResults,
    /// It has results, but not one for each item.
    Count {
        /// Results that are there.
        results: usize,
        /// Items of the request.
        items: usize,
    },
    /// The result of an item has neither a status nor an error.
    Item,
}

impl fmt::Display for BulkAnswerError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the server answered with success, but ")?;
        match self {
            BulkAnswerError::NotJson => f.write_str("not in JSON, or not to the end"),
            BulkAnswerError::NoResults => f.write_str("does not say what became of the messages"),
            BulkAnswerError::Count { results, items } => {
                write!(f, "with {results} results for {items} messages")
            }
            BulkAnswerError::Item => f.write_str("with a result that has no status"),
        }
    }
}

/// Reads the results of `items` items.
pub(in crate::http) fn results(body: &[u8], items: usize) -> Result<Vec<ItemResult>, BulkAnswerError> {
    if let Some(statuses) = plain::statuses(body).filter(|statuses| statuses.len() == items) {
        let taken = |status| ItemResult { status, ..ItemResult::delivered() };
        return Ok(statuses.into_iter().map(taken).collect());
    }
    let answer: Value = serde_json::from_slice(body).map_err(|_| BulkAnswerError::NotJson)?;
    let has_errors = answer.get("errors").and_then(Value::as_bool);
    let Some(results) = answer.get("items").and_then(Value::as_array) else {
        // With filter_path=errors in its address that is all a server says.
        return match has_errors {
            Some(false) => Ok(vec![ItemResult::delivered(); items]),
            _ => Err(BulkAnswerError::NoResults),
        };
    };
    let results: Vec<ItemResult> =
        results.iter().map(|result| item(result, has_errors)).collect::<Result<_, _>>()?;
    if results.len() == items {
        return Ok(results);
    }
    // A custom body may have several items per message: a message succeeds only if all of them do.
    let is_good = |result: &ItemResult| (200..300).contains(&result.status);
    if results.len() > items && results.len().is_multiple_of(items.max(1)) {
        match results.iter().find(|result| !is_good(result)) {
            None => return Ok(vec![ItemResult::delivered(); items]),
            Some(bad) if items == 1 => return Ok(vec![bad.clone()]),
            Some(_) => {}
        }
    }
    Err(BulkAnswerError::Count { results: results.len(), items })
}

/// `{"index": {"status": 400, "error": {"type": "...", "reason": "..."}}}`
fn item(result: &Value, has_errors: Option<bool>) -> Result<ItemResult, BulkAnswerError> {
    let (action, inner) = result
        .as_object()
        .and_then(|result| result.iter().next())
        .and_then(|(action, inner)| Some((action, inner.as_object()?)))
        .ok_or(BulkAnswerError::Item)?;
    let error = inner.get("error").filter(|error| !error.is_null());
    let status = inner.get("status").and_then(Value::as_u64).and_then(|status| u16::try_from(status).ok());
    let status = match (status, error) {
        // An error counts, even with a status of success.
        (Some(status), Some(_)) if (200..300).contains(&status) => 500,
        (Some(status), _) => status,
        (None, Some(_)) => 500,
        (None, None) if has_errors == Some(false) => 200,
        (None, None) => return Err(BulkAnswerError::Item),
    };
    let whole = error.map(words_of).unwrap_or_default();
    Ok(ItemResult {
        status,
        creates: action == "create",
        kind: error.and_then(|error| text(error, "type")).unwrap_or_default().to_owned(),
        reason: shortened(without_quote(&whole), REASON_CHARACTERS_MAX),
        quote: shortened(&whole, QUOTE_CHARACTERS_MAX),
    })
}

/// Returns the error text of an answer's body, without quotes from a message; empty when it is not JSON.
pub(in crate::http) fn words(body: &[u8]) -> String {
    let Ok(answer) = serde_json::from_slice::<Value>(body) else { return String::new() };
    let error = answer.get("error").filter(|error| !error.is_null());
    let whole = match error {
        Some(error) => words_of(error),
        None => {
            ["text", "message"].iter().find_map(|name| text(&answer, name)).unwrap_or_default().to_owned()
        }
    };
    shortened(without_quote(&whole), REASON_CHARACTERS_MAX)
}

/// Returns the beginning of a body, as text of one line.
pub(in crate::http) fn quoted(body: &[u8]) -> String {
    shortened(String::from_utf8_lossy(body).trim(), QUOTE_CHARACTERS_MAX)
}

fn text<'a>(object: &'a Value, name: &str) -> Option<&'a str> {
    object.get(name).and_then(Value::as_str)
}

fn words_of(error: &Value) -> String {
    let word = |name| text(error, name).unwrap_or_default();
    match error {
        Value::String(text) => text.clone(),
        Value::Object(_) => {
            // The first cause names the value, while the error only says that there was one.
            let cause = error.get("caused_by").and_then(|cause| text(cause, "reason"));
            let cause = cause.map(|cause| format!("{CAUSE}{cause})")).unwrap_or_default();
            format!("{}: {}{cause}", word("type"), word("reason"))
        }
        _ => "no reason".to_owned(),
    }
}

fn without_quote(whole: &str) -> &str {
    let end = QUOTES_MESSAGE.iter().filter_map(|words| whole.find(words)).min().unwrap_or(whole.len());
    whole[..end].trim_end()
}

fn shortened(text: &str, characters_max: usize) -> String {
    let plain = |character: char| if character.is_control() { ' ' } else { character };
    text.chars().take(characters_max).map(plain).collect()
}

#[cfg(test)]
mod tests;
