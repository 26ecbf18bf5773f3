//! Maps paths to formats.
//!
//! In: a method and a path. Out: an endpoint. Holds: nothing. Limits: unlisted paths do not exist.

use hyper::Method;

/// The endpoint that a request names.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Endpoint {
    /// `/_bulk`, `/INDEX/_bulk`
    Bulk { index: Option<String> },
    /// `/INDEX/_doc`, `/INDEX/_create/ID`
    Document { index: String },
    /// All else that shippers ask Elasticsearch for.
    Elastic,
    /// `/loki/api/v1/push`
    Loki,
    /// `/v1/logs`
    Otlp,
    /// `LogsService/Export`
    OtlpGrpc,
    /// `/services/collector/event`
    HecEvents,
    /// `/services/collector/raw`
    HecRaw,
    /// `/services/collector/ack`
    HecAck,
    /// `/services/collector/health`
    HecHealth,
    /// `/gelf`
    Gelf,
    /// `/upload`
    Journal,
    /// `/` and `/lines`
    Lines,
    /// `/health`, `/ready`
    Health,
}

/// Path of the log service in gRPC.
pub(crate) const GRPC_LOGS: &str = "/opentelemetry.proto.collector.logs.v1.LogsService/Export";

/// The endpoint of a request, or the fault.
pub(crate) fn endpoint(method: &Method, path: &str) -> Result<Endpoint, Unrouted> {
    let path = if path.len() > 1 { path.trim_end_matches('/') } else { path };
    let is_get = *method == Method::GET || *method == Method::HEAD;
    let is_write = writes(method);
    let write = |endpoint| if is_write { Ok(endpoint) } else { Err(Unrouted::Method) };
    let get = |endpoint| if is_get { Ok(endpoint) } else { Err(Unrouted::Method) };
    match path {
        "/" | "" => return Ok(if is_get { Endpoint::Elastic } else { Endpoint::Lines }),
        "/lines" => return write(Endpoint::Lines),
        "/health" | "/ready" | "/healthz" => return get(Endpoint::Health),
        "/loki/api/v1/push" | "/api/prom/push" => return write(Endpoint::Loki),
        "/v1/logs" => return write(Endpoint::Otlp),
        GRPC_LOGS => return write(Endpoint::OtlpGrpc),
        "/gelf" => return write(Endpoint::Gelf),
        "/upload" => return write(Endpoint::Journal),
        _ => {}
    }
    if let Some(rest) = path.strip_prefix("/services/collector") {
        return match rest {
            "" | "/event" | "/event/1.0" | "/1.0" => write(Endpoint::HecEvents),
            "/raw" | "/raw/1.0" => write(Endpoint::HecRaw),
            "/ack" | "/ack/1.0" => write(Endpoint::HecAck),
            "/health" | "/health/1.0" => get(Endpoint::HecHealth),
            _ => Err(Unrouted::Path),
        };
    }
    elastic(path, method)
}

/// The reason why there is no endpoint.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Unrouted {
    /// No such path.
    Path,
    /// Not allowed with this method.
    Method,
}

fn writes(method: &Method) -> bool {
    *method == Method::POST || *method == Method::PUT
}

fn elastic(path: &str, method: &Method) -> Result<Endpoint, Unrouted> {
    let is_write = writes(method);
    let parts: Vec<&str> = path.split('/').skip(1).collect();
    let index = |name: &str| (!name.starts_with('_') && !name.is_empty()).then(|| name.to_owned());
    match parts.as_slice() {
        ["_bulk"] if is_write => Ok(Endpoint::Bulk { index: None }),
        [name, .., "_bulk"] if is_write && parts.len() <= 3 => Ok(Endpoint::Bulk { index: index(name) }),
        [name, "_doc" | "_create", ..] if is_write && parts.len() <= 3 => {
            index(name).map(|index| Endpoint::Document { index }).ok_or(Unrouted::Path)
        }
        [first, ..] if first.starts_with('_') => Ok(Endpoint::Elastic),
        _ => Err(Unrouted::Path),
    }
}
