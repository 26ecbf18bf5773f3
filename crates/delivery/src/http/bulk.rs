//! Answers of Elasticsearch, OpenSearch and those that speak like them to a bulk request: a result for each item.
//!
//! In: the body of an answer. Out: the result of each item, in the order of the request. Holds: nothing.
//! Limits: an answer that does not account for every item is an error, and its request is sent again: nothing counts
//! as written because somebody said nothing of it.

use serde_json::{Map, Value};
use std::fmt;

/// Longest text of a server that is repeated in our log.
const REASON_CHARACTERS_MAX: usize = 200;
/// Behind these words Elasticsearch quotes the message, which our log must not hold.
const QUOTES_MESSAGE: &str = "Preview of field's value";

/// The result of one item.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) struct ItemResult {
    /// As a status of HTTP.
    pub(super) status: u16,
    /// Why it was refused; empty when it was not.
    pub(super) reason: String,
}

impl fmt::Display for ItemResult {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.status, self.reason)
    }
}

/// An answer that does not say what became of the items.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum BulkAnswerError {
    /// It is no JSON, or was cut.
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
pub(super) fn results(body: &[u8], items: usize) -> Result<Vec<ItemResult>, BulkAnswerError> {
    let answer: Value = serde_json::from_slice(body).map_err(|_| BulkAnswerError::NotJson)?;
    let has_errors = answer.get("errors").and_then(Value::as_bool);
    let Some(results) = answer.get("items").and_then(Value::as_array) else {
        // With filter_path=errors in its address that is all a server says.
        return match has_errors {
            Some(false) => Ok(vec![ItemResult { status: 200, reason: String::new() }; items]),
            _ => Err(BulkAnswerError::NoResults),
        };
    };
    let results: Vec<ItemResult> =
        results.iter().map(|result| item(result, has_errors)).collect::<Result<_, _>>()?;
    if results.len() == items {
        return Ok(results);
    }
    // A body of one's own making may have several items in each message: good is then only what is good as a whole.
    let is_good = |result: &ItemResult| (200..300).contains(&result.status);
    if results.len() > items && results.len().is_multiple_of(items.max(1)) && results.iter().all(is_good) {
        return Ok(vec![ItemResult { status: 200, reason: String::new() }; items]);
    }
    Err(BulkAnswerError::Count { results: results.len(), items })
}

/// `{"index": {"status": 400, "error": {"type": "...", "reason": "..."}}}`
fn item(result: &Value, has_errors: Option<bool>) -> Result<ItemResult, BulkAnswerError> {
    let inner = result.as_object().and_then(|action| action.values().next()).and_then(Value::as_object);
    let inner = inner.ok_or(BulkAnswerError::Item)?;
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
    Ok(ItemResult { status, reason: error.map(reason).unwrap_or_default() })
}

fn reason(error: &Value) -> String {
    let text = |object: &Map<String, Value>, name: &str| {
        object.get(name).and_then(Value::as_str).unwrap_or_default().to_owned()
    };
    let whole = match error {
        Value::String(text) => text.clone(),
        Value::Object(object) => format!("{}: {}", text(object, "type"), text(object, "reason")),
        _ => "no reason".to_owned(),
    };
    let own = whole.split(QUOTES_MESSAGE).next().unwrap_or_default().trim_end();
    own.chars()
        .take(REASON_CHARACTERS_MAX)
        .map(|character| if character.is_control() { ' ' } else { character })
        .collect()
}

#[cfg(test)]
mod tests;
