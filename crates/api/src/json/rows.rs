//! Rows, facets and errors of `query` in the API's shape.
//!
//! In: answers. Out: JSON to send. Bytes that are not UTF-8 are replaced; the raw bytes are included as base64.

use crate::{
    error::{ApiError, ErrorCode, ErrorDetail},
    json::{
        ids::Ids,
        types::{Bars, EventQuality, Facet, Row, Unread, ValueCount},
    },
    scope::{Scope, ScopeKind},
};
use axum::http::StatusCode;
use base64::{Engine, prelude::BASE64_STANDARD};
use lookup::Document;
use message::{Facility, Priority, ValueKind, ZoneQuality};
use query::{BudgetOf, QueryError, SearchError};
use serde_json::Value;
use std::{collections::BTreeMap, ops::Range, time::Duration};

/// When a search that got no memory may be tried again.
const MEMORY_RETRY_AFTER: Duration = Duration::from_secs(5);
/// Largest whole number that every JSON reader keeps exact (2^53).
const EXACT_MAX: i64 = 1 << 53;

/// A document of a scope as a row; `highlights` are byte ranges of its text.
pub(crate) fn row(ids: &Ids, scope: &Scope, document: &Document, highlights: &[Range<usize>]) -> Row {
    let priority = Priority(document.pri);
    let facility = priority.facility();
    Row {
        sequence: ids.row(scope, document.sequence),
        logspace: member_name(scope, query::member_of(document.sequence).0),
        received_us: document.received_us,
        event_us: document.event.unix_us,
        event_offset_s: document.event.offset_s,
        event_quality: match document.event.quality {
            ZoneQuality::Absent => EventQuality::Absent,
            ZoneQuality::Known => EventQuality::Known,
            ZoneQuality::ZoneGuessed => EventQuality::ZoneGuessed,
            ZoneQuality::YearGuessed => EventQuality::YearGuessed,
        },
        facility: Facility::name(facility).map_or_else(|| facility.0.to_string(), str::to_owned),
        severity: priority.severity().name(),
        host: text(&document.host),
        program: text(&document.program),
        pid: text(&document.pid),
        msgid: text(&document.msgid),
        source: document.source.clone(),
        peer: document.peer.clone(),
        message: text(&document.text),
        tags: document.tags.clone(),
        values: values(document),
        highlights: query::utf16_ranges(&document.text, highlights)
            .into_iter()
            .map(|(start, length)| [start as u32, length as u32])
            .collect(),
    }
}

/// The name-value pairs; a name that is there several times, as structured data may have it, has a list of values.
fn values(document: &Document) -> BTreeMap<String, Value> {
    let mut values: BTreeMap<String, Value> = BTreeMap::new();
    let mut repeated: Vec<&str> = Vec::new();
    for (name, value, kind) in &document.values {
        let value = value_of(value, *kind);
        match values.get_mut(name) {
            None => {
                values.insert(name.clone(), value);
            }
            Some(Value::Array(all)) if repeated.contains(&name.as_str()) => all.push(value),
            Some(first) => {
                *first = Value::Array(vec![first.take(), value]);
                repeated.push(name);
            }
        }
    }
    values
}

/// A time for people: UTC.
pub(crate) fn time(us: i64) -> String {
    jiff::Timestamp::from_microsecond(us).map_or_else(|_| us.to_string(), |time| format!("{time:.3}"))
}

/// The name of a member of a scope that has several.
fn member_name(scope: &Scope, member: usize) -> Option<String> {
    let member = scope.members.get(member).filter(|_| scope.kind == ScopeKind::Multiple)?;
    Some(member.shown.as_ref().to_owned())
}

/// Bytes as text.
pub(crate) fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// Bytes as base64.
pub(crate) fn base64(bytes: &[u8]) -> String {
    BASE64_STANDARD.encode(bytes)
}

/// Base64 as bytes.
pub(crate) fn from_base64(text: &str) -> Option<Vec<u8>> {
    BASE64_STANDARD.decode(text).ok()
}

/// A typed value in JSON; numbers that JSON readers would round stay text.
fn value_of(value: &[u8], kind: ValueKind) -> Value {
    let plain = text(value);
    let typed = match kind {
        ValueKind::Integer => {
            plain.parse::<i64>().ok().filter(|number| number.abs() <= EXACT_MAX).map(Value::from)
        }
        ValueKind::Double => plain.parse::<f64>().ok().filter(|number| number.is_finite()).map(Value::from),
        ValueKind::Boolean => match plain.as_str() {
            "true" => Some(Value::from(true)),
            "false" => Some(Value::from(false)),
            _ => None,
        },
        ValueKind::Json | ValueKind::List => serde_json::from_str(&plain).ok(),
        ValueKind::Null => Some(Value::Null),
        _ => None,
    };
    typed.unwrap_or(Value::String(plain))
}

/// The values of a row of a table.
pub(crate) fn cells(row: &Document, columns: &[query::Name]) -> Vec<Value> {
    let cell = |(value, kind): (Vec<u8>, ValueKind)| value_of(&value, kind);
    columns.iter().map(|name| name.value(row).map_or(Value::Null, cell)).collect()
}

/// A histogram.
pub(crate) fn bars(bars: Option<query::Histogram>) -> Bars {
    bars.map_or_else(Bars::default, |bars| Bars {
        start_us: bars.start_us,
        width_us: bars.width_us,
        counts: bars.counts,
    })
}

/// A facet.
pub(crate) fn facet(facet: &query::Facet) -> Facet {
    let values = facet.values.iter();
    Facet {
        column: query::column_name(&facet.column).to_owned(),
        values: values.map(|(value, count)| ValueCount { value: text(value), count: *count }).collect(),
        other: facet.other,
        distinct: facet.distinct,
        coverage: facet.coverage,
    }
}

/// Returns the error in a query, for the client.
pub(crate) fn query_detail(error: &QueryError) -> ErrorDetail {
    ErrorDetail {
        code: ErrorCode::QuerySyntax,
        message: error.message.clone(),
        position: Some(error.position),
        length: Some(error.length),
        suggestion: error.suggestion.clone(),
    }
}

impl From<QueryError> for ApiError {
    fn from(error: QueryError) -> ApiError {
        ApiError::detailed(StatusCode::BAD_REQUEST, query_detail(&error))
    }
}

/// A failed search, for the client. What the store could not read is said: it names the damaged file.
pub(crate) fn search_error(error: &SearchError, limit: Duration) -> ApiError {
    match error {
        SearchError::Cancelled => {
            ApiError::new(StatusCode::REQUEST_TIMEOUT, ErrorCode::Timeout, "the search was cancelled")
        }
        SearchError::TimedOut => {
            let text =
                format!("nothing was searched within {} ms: ask for a shorter time range", limit.as_millis());
            ApiError::new(StatusCode::GATEWAY_TIMEOUT, ErrorCode::Timeout, text)
        }
        SearchError::Refused(why) => ApiError::bad_request(why.clone()),
        SearchError::OverBudget(over) if over.of == BudgetOf::AllSearches => {
            ApiError::busy(over.to_string(), MEMORY_RETRY_AFTER)
        }
        SearchError::OverBudget(over) => {
            ApiError::new(StatusCode::UNPROCESSABLE_ENTITY, ErrorCode::OverBudget, over.to_string())
        }
        SearchError::Read(error) => ApiError::internal(error.to_string()),
    }
}

/// Returns the note about messages that an answer leaves out.
pub(crate) fn unread(scope: &Scope, unread: &query::Unread) -> Unread {
    let messages = unread.messages.as_ref().filter(|_| scope.is_plain());
    Unread {
        logspace: member_name(scope, unread.member),
        from: messages.map(|messages| messages.start),
        to: messages.map(|messages| messages.end),
        from_us: unread.received_us.0,
        to_us: unread.received_us.1,
        why: unread.reason.to_string(),
    }
}

#[cfg(test)]
mod tests;
