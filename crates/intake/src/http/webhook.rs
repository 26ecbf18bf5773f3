//! `webhook()`: each request is one message.
//!
//! In: a request under one of the paths. Out: a message whose text is the body, with values of the path, the query and the
//! headers; an answer in JSON. Holds: nothing.
//! Limits: [`QUERY_VALUES_MAX`] values of a query; those of the listener for bodies. Credentials never become a value.

use super::{
    address::{Plus, decoded},
    answer::{self, Answer},
    body,
    credentials::{self, Standing},
    desk::{Desk, RequestValue},
    refusal::{Refusal, status_and_reason},
};
use crate::options::{RequestHeaders, WebhookContent, WebhookOptions};
use hyper::{HeaderMap, Method, StatusCode, body::Incoming, header::HeaderName, http::request::Parts};
use message::{FieldName, ValueKind};
use serde_json::{Map, Value};
use std::net::IpAddr;
use wire::BodyError;

/// Most values of a query.
const QUERY_VALUES_MAX: usize = 1_000;
/// Before the names of values of the query.
const QUERY_PREFIX: &str = "webhook.query.";
/// The value that has the headers.
const HEADERS: &str = "webhook.headers";
/// Headers that are secrets.
const SECRETS: &[&str] = &["authorization", "proxy-authorization", "cookie", "x-api-key"];

/// Answers a request.
pub(super) async fn answer(parts: &Parts, body: Incoming, options: &WebhookOptions, desk: &Desk) -> Answer {
    match serve(parts, body, options, desk).await {
        Ok(()) => said(StatusCode::OK, "received"),
        Err(fault) => {
            if !matches!(fault, Fault::Refused(Refusal::Unreadable(_))) {
                desk.count_error();
            }
            let (status, why) = match fault {
                Fault::Path => (StatusCode::NOT_FOUND, "nothing is taken under this path".to_owned()),
                Fault::Method => (StatusCode::METHOD_NOT_ALLOWED, "not with this method".to_owned()),
                Fault::Query => (StatusCode::BAD_REQUEST, "the query has too many values".to_owned()),
                Fault::Refused(refusal) => status_and_reason(refusal),
            };
            // Senders of webhooks know few statuses; all of them send again after this one.
            let status = if status == StatusCode::TOO_MANY_REQUESTS {
                StatusCode::SERVICE_UNAVAILABLE
            } else {
                status
            };
            said(status, &why)
        }
    }
}

/// The reason why a request is no message.
enum Fault {
    Path,
    Method,
    Query,
    Refused(Refusal),
}

fn said(status: StatusCode, what: &str) -> Answer {
    answer::json(status, format!("{{\"status\": {}}}", answer::quoted(what)))
}

async fn serve(parts: &Parts, body: Incoming, options: &WebhookOptions, desk: &Desk) -> Result<(), Fault> {
    let mut values = path_values(parts.uri.path(), options).ok_or(Fault::Path)?;
    if parts.method != Method::POST {
        return Err(Fault::Method);
    }
    let standing = credentials::check(&parts.headers, &desk.options);
    if standing != Standing::Allowed {
        return Err(Fault::Refused(Refusal::Credentials(standing)));
    }
    query_values(parts.uri.query().unwrap_or_default(), &mut values).ok_or(Fault::Query)?;
    if options.headers == RequestHeaders::Stored {
        let bytes = headers(&parts.headers).into_bytes();
        values.push(RequestValue { name: FieldName::parse(HEADERS), bytes, kind: ValueKind::Json });
    }
    let client = options.proxy_header.as_ref().and_then(|header| client(&parts.headers, &header.0));
    desk.wait_for_room().await.map_err(|_| Fault::Refused(Refusal::Busy))?;
    let whole = body::receive(body, &parts.headers, &desk.options).await;
    let whole = whole.map_err(|refusal| Fault::Refused(Refusal::Body(refusal)))?;
    if options.content == WebhookContent::Json && !is_object(&whole.bytes) {
        desk.count_error();
        let error = BodyError { offset: 0, reason: "no JSON object" };
        return Err(Fault::Refused(Refusal::Unreadable(error)));
    }
    let sent = desk.take_message(whole, &values, client);
    desk.settled(sent).await.map_err(Fault::Refused)
}

/// Returns the values of the first expression that has the path; `None` when none has it.
fn path_values(path: &str, options: &WebhookOptions) -> Option<Vec<RequestValue>> {
    if options.paths.is_empty() {
        return Some(Vec::new());
    }
    let (pattern, found) =
        options.paths.iter().find_map(|pattern| Some((&pattern.0, pattern.0.captures(path)?)))?;
    let named = pattern.capture_names().flatten();
    let value = |name: &str| {
        let text = found.name(name)?.as_str();
        Some(RequestValue::text(name, decoded(text, Plus::Itself)))
    };
    Some(named.filter_map(value).collect())
}

/// Adds the values of the query; a name that comes several times is a list. Returns `None` when there are too many.
fn query_values(query: &str, values: &mut Vec<RequestValue>) -> Option<()> {
    let mut found: Vec<(Vec<u8>, Vec<Vec<u8>>)> = Vec::new();
    for (index, pair) in query.split('&').filter(|pair| !pair.is_empty()).enumerate() {
        if index == QUERY_VALUES_MAX {
            return None;
        }
        let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
        let (name, value) = (decoded(name, Plus::Blank), decoded(value, Plus::Blank));
        match found.iter_mut().find(|(known, _)| *known == name) {
            Some((_, all)) => all.push(value),
            None => found.push((name, vec![value])),
        }
    }
    for (name, mut all) in found {
        let name = format!("{QUERY_PREFIX}{}", String::from_utf8_lossy(&name));
        values.push(match all.len() {
            1 => RequestValue::text(&name, all.swap_remove(0)),
            _ => RequestValue { name: FieldName::parse(&name), bytes: list(&all), kind: ValueKind::List },
        });
    }
    Some(())
}

/// Writes a list as the language does: with commas, and quotes around what needs them.
fn list(all: &[Vec<u8>]) -> Vec<u8> {
    let mut out = Vec::new();
    for (index, value) in all.iter().enumerate() {
        if index > 0 {
            out.push(b',');
        }
        let is_plain =
            |byte: &u8| byte.is_ascii_alphanumeric() || b"-_.:/@".contains(byte) || !byte.is_ascii();
        if !value.is_empty() && value.iter().all(is_plain) {
            out.extend_from_slice(value);
            continue;
        }
        out.push(b'"');
        for byte in value {
            if matches!(byte, b'"' | b'\\') {
                out.push(b'\\');
            }
            out.push(*byte);
        }
        out.push(b'"');
    }
    out
}

/// Returns the headers as an object: of each name, written as `Content-Type`, a list.
fn headers(headers: &HeaderMap) -> String {
    let mut object = Map::new();
    for name in headers.keys().filter(|name| !SECRETS.contains(&name.as_str())) {
        let all = headers.get_all(name).iter();
        let all = all.map(|value| Value::String(String::from_utf8_lossy(value.as_bytes()).into_owned()));
        let parts = name.as_str().split('-').map(|part| {
            let (first, rest) = part.split_at(part.len().min(1));
            first.to_ascii_uppercase() + rest
        });
        object.insert(parts.collect::<Vec<_>>().join("-"), Value::Array(all.collect()));
    }
    Value::Object(object).to_string()
}

/// Returns the address that the nearest proxy put into a header: the last one.
fn client(headers: &HeaderMap, name: &HeaderName) -> Option<IpAddr> {
    let last = headers.get_all(name).iter().next_back()?.to_str().ok()?;
    last.rsplit(',').next()?.trim().trim_matches(['[', ']']).parse().ok()
}

fn is_object(body: &[u8]) -> bool {
    serde_json::from_slice::<Map<String, Value>>(body).is_ok()
}

#[cfg(test)]
mod tests;
