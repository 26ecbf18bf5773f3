//! Elasticsearch as far as shippers need it: the answers of `_bulk`, and of the requests that they make before sending.
//!
//! In: outcomes of items; requests for version, licence, health, templates. Out: answers.
//! Holds: nothing. Limits: templates, policies and pipelines are accepted but not stored; searches are not supported.

use super::answer::{self, Answer, quoted};
use hyper::{Method, StatusCode};
use std::ops::Range;
use wire::{BulkItem, BulkOperation};

/// The version in our answers: of the line that every shipper of today sends to.
const VERSION: &str = "8.17.0";

/// Official clients refuse a server that does not say so.
fn product(answer: Answer) -> Answer {
    answer::with(answer, "x-elastic-product", "Elasticsearch")
}

/// JSON of Elasticsearch.
pub(super) fn json(status: StatusCode, body: impl Into<hyper::body::Bytes>) -> Answer {
    product(answer::json(status, body))
}

/// An error in Elasticsearch's form.
pub(super) fn error(status: StatusCode, kind: &str, reason: &str) -> Answer {
    let cause = format!("\"type\":{},\"reason\":{}", quoted(kind), quoted(reason));
    let body =
        format!("{{\"error\":{{\"root_cause\":[{{{cause}}}],{cause}}},\"status\":{}}}", status.as_u16());
    json(status, body)
}

/// Answers a question that is no document.
pub(super) fn question(method: &Method, path: &str) -> Answer {
    let is_get = *method == Method::GET || *method == Method::HEAD;
    let known = match path.trim_end_matches('/') {
        "" => Some(root()),
        "/_cluster/health" => Some(HEALTH.to_owned()),
        "/_license" => Some(LICENSE.to_owned()),
        "/_xpack" => Some(XPACK.to_owned()),
        "/_nodes" | "/_nodes/http" | "/_nodes/_all/http" => Some(NODES.to_owned()),
        "/_cat/health" => {
            return product(answer::text(
                StatusCode::OK,
                "1 00:00:00 duramen green 1 1 0 0 0 0 0 0 - 100.0%\n",
            ));
        }
        _ => None,
    };
    match known {
        Some(body) if is_get => json(StatusCode::OK, body),
        Some(_) => {
            error(StatusCode::METHOD_NOT_ALLOWED, "illegal_argument_exception", "not with this method")
        }
        // Index templates, lifecycle policies, ingest pipelines, data streams, aliases.
        None if is_get => error(StatusCode::NOT_FOUND, "resource_not_found_exception", "it is not kept here"),
        None => json(StatusCode::OK, "{\"acknowledged\":true}"),
    }
}

fn root() -> String {
    format!(
        "{{\"name\":\"duramen\",\"cluster_name\":\"duramen\",\"cluster_uuid\":\"duramen-http-source\",\"version\":\
         {{\"number\":\"{VERSION}\",\"build_flavor\":\"default\",\"build_type\":\"tar\",\"build_hash\":\"0\",\
         \"build_date\":\"2025-01-01T00:00:00.000Z\",\"build_snapshot\":false,\"lucene_version\":\"9.12.0\",\
         \"minimum_wire_compatibility_version\":\"7.17.0\",\"minimum_index_compatibility_version\":\"7.0.0\"}},\
         \"tagline\":\"You Know, for Search\"}}"
    )
}

const HEALTH: &str = "{\"cluster_name\":\"duramen\",\"status\":\"green\",\"timed_out\":false,\"number_of_nodes\":1,\
    \"number_of_data_nodes\":1,\"active_primary_shards\":0,\"active_shards\":0,\"relocating_shards\":0,\
    \"initializing_shards\":0,\"unassigned_shards\":0,\"delayed_unassigned_shards\":0,\
    \"number_of_pending_tasks\":0,\"number_of_in_flight_fetch\":0,\"task_max_waiting_in_queue_millis\":0,\
    \"active_shards_percent_as_number\":100.0}";
const LICENSE: &str =
    "{\"license\":{\"status\":\"active\",\"uid\":\"duramen\",\"type\":\"basic\",\"issued_to\":\"duramen\"}}";
const XPACK: &str = "{\"license\":{\"status\":\"active\",\"uid\":\"duramen\",\"type\":\"basic\",\"mode\":\"basic\"},\
    \"features\":{\"ilm\":{\"available\":true,\"enabled\":true}}}";
const NODES: &str =
    "{\"_nodes\":{\"total\":1,\"successful\":1,\"failed\":0},\"cluster_name\":\"duramen\",\"nodes\":{}}";

/// Returns the answer to `_bulk`. `first_id` starts the identifiers of documents without one.
pub(super) fn bulk(items: &[BulkItem], body: &[u8], index: Option<&str>, first_id: u64) -> Answer {
    let errors = items.iter().any(|item| !item.taken);
    let mut out = format!("{{\"took\":0,\"errors\":{errors},\"items\":[");
    for (place, item) in items.iter().enumerate() {
        if place > 0 {
            out.push(',');
        }
        let written = |range: &Option<Range<usize>>| {
            range.as_ref().map(|range| format!("\"{}\"", String::from_utf8_lossy(&body[range.clone()])))
        };
        let index =
            written(&item.index).or_else(|| index.map(quoted)).unwrap_or_else(|| "\"logs\"".to_owned());
        let id = written(&item.id).unwrap_or_else(|| quoted(&identifier(first_id, place)));
        out.push_str(&format!(
            "{{\"{}\":{{\"_index\":{index},\"_id\":{id},{}}}}}",
            item.operation.name(),
            standing(item)
        ));
    }
    out.push_str("]}");
    json(StatusCode::OK, out)
}

fn standing(item: &BulkItem) -> &'static str {
    if item.taken {
        return "\"_version\":1,\"result\":\"created\",\"_shards\":{\"total\":1,\"successful\":1,\"failed\":0},\
                \"_seq_no\":0,\"_primary_term\":1,\"status\":201";
    }
    match item.operation {
        BulkOperation::Update | BulkOperation::Delete => {
            "\"status\":400,\"error\":{\"type\":\"illegal_argument_exception\",\
             \"reason\":\"messages do not change: only create and index\"}"
        }
        BulkOperation::Create | BulkOperation::Index => {
            "\"status\":400,\"error\":{\"type\":\"document_parsing_exception\",\
             \"reason\":\"the document is no JSON object\"}"
        }
    }
}

/// The answer to a single document.
pub(super) fn document(index: &str, id: u64) -> Answer {
    let id = identifier(id, 0);
    json(
        StatusCode::CREATED,
        format!(
            "{{\"_index\":{},\"_id\":\"{id}\",\"_version\":1,\"result\":\"created\",\
             \"_shards\":{{\"total\":1,\"successful\":1,\"failed\":0}},\"_seq_no\":0,\"_primary_term\":1}}",
            quoted(index)
        ),
    )
}

fn identifier(first: u64, place: usize) -> String {
    format!("{first:016x}{place:06x}")
}

#[cfg(test)]
mod tests;
