//! The calls that API tokens may be used for.
//!
//! In: a method and the path of a route. Out: the scope that a token needs. Holds nothing. A call that is not in the table takes no
//! token, so that a new one is closed until somebody decides; a test compares the table with the description of the API.

use accounts::TokenScope;
use axum::http::Method;

/// The requirement of a call to a token.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum TokenNeed {
    /// The call answers every token.
    AnyToken,
    /// The token needs a scope.
    Scope(TokenScope),
    /// The call takes no token: it is about the account itself, or about a session.
    NoToken,
}

use TokenNeed::{AnyToken, NoToken, Scope};
use TokenScope::{Administer, Export, Metrics, ReadAlerts, ReadObjects, Search, WriteAlerts, WriteObjects};

/// Methods, paths of routes, and what they ask of a token.
pub(crate) const CALLS: &[(&str, &str, TokenNeed)] = &[
    ("POST", "/api/v1/logout", NoToken),
    ("GET", "/api/v1/session", AnyToken),
    ("GET", "/api/v1/sessions", NoToken),
    ("DELETE", "/api/v1/sessions", NoToken),
    ("DELETE", "/api/v1/sessions/{id}", NoToken),
    ("POST", "/api/v1/password", NoToken),
    ("GET", "/api/v1/factor", NoToken),
    ("POST", "/api/v1/factor", NoToken),
    ("POST", "/api/v1/factor/enrol", NoToken),
    ("POST", "/api/v1/factor/recovery", NoToken),
    ("POST", "/api/v1/factor/remove", NoToken),
    ("GET", "/api/v1/tokens", NoToken),
    ("POST", "/api/v1/tokens", NoToken),
    ("DELETE", "/api/v1/tokens/{id}", NoToken),
    ("GET", "/api/v1/users", NoToken),
    ("POST", "/api/v1/users", NoToken),
    ("POST", "/api/v1/users/{name}/{action}", NoToken),
    ("PUT", "/api/v1/users/{name}/access", NoToken),
    ("PUT", "/api/v1/roles/{name}", NoToken),
    ("POST", "/api/v1/roles/{name}/remove", NoToken),
    ("GET", "/api/v1/logspaces", AnyToken),
    ("POST", "/api/v1/search", Scope(Search)),
    ("POST", "/api/v1/facets", Scope(Search)),
    ("GET", "/api/v1/columns", Scope(Search)),
    ("GET", "/api/v1/values", Scope(Search)),
    ("GET", "/api/v1/validate", Scope(Search)),
    ("POST", "/api/v1/explain", Scope(Search)),
    ("GET", "/api/v1/context", Scope(Search)),
    ("GET", "/api/v1/message", Scope(Search)),
    ("GET", "/api/v1/tail", Scope(Search)),
    ("GET", "/api/v1/export", Scope(Export)),
    ("GET", "/api/v1/export/report", Scope(Export)),
    ("GET", "/api/v1/package", Scope(Export)),
    ("POST", "/api/v1/package", Scope(Export)),
    ("POST", "/api/v1/unlock", NoToken),
    ("POST", "/api/v1/lock", NoToken),
    ("POST", "/api/v1/seal", Scope(Administer)),
    ("GET", "/api/v1/objects", Scope(ReadObjects)),
    ("POST", "/api/v1/objects", Scope(WriteObjects)),
    ("GET", "/api/v1/objects/{id}", Scope(ReadObjects)),
    ("PUT", "/api/v1/objects/{id}", Scope(WriteObjects)),
    ("DELETE", "/api/v1/objects/{id}", Scope(WriteObjects)),
    ("GET", "/api/v1/objects/{id}/versions", Scope(ReadObjects)),
    ("GET", "/api/v1/objects/{id}/versions/{revision}", Scope(ReadObjects)),
    ("POST", "/api/v1/objects/{id}/restore", Scope(WriteObjects)),
    ("GET", "/api/v1/objects/{id}/acl", Scope(ReadObjects)),
    ("PUT", "/api/v1/objects/{id}/acl", Scope(WriteObjects)),
    ("POST", "/api/v1/dashboards/run", Scope(Search)),
    ("POST", "/api/v1/dashboards/{id}/run", Scope(Search)),
    ("GET", "/api/v1/object-files", Scope(ReadObjects)),
    ("POST", "/api/v1/object-files/plan", Scope(ReadObjects)),
    ("POST", "/api/v1/object-files/apply", Scope(WriteObjects)),
    ("GET", "/api/v1/alerts", Scope(ReadAlerts)),
    ("POST", "/api/v1/alerts/{number}/acknowledge", Scope(WriteAlerts)),
    ("GET", "/api/v1/notifications", Scope(ReadAlerts)),
    ("GET", "/api/v1/notifications/{id}", Scope(ReadAlerts)),
    ("GET", "/api/v1/silences", Scope(ReadAlerts)),
    ("POST", "/api/v1/silences", Scope(WriteAlerts)),
    ("DELETE", "/api/v1/silences/{number}", Scope(WriteAlerts)),
    ("POST", "/api/v1/channels/{id}/test", Scope(WriteAlerts)),
    ("GET", "/api/v1/rules", Scope(ReadAlerts)),
    ("POST", "/api/v1/rules/preview", Scope(Search)),
    ("GET", "/api/v1/rules/{id}/state", Scope(ReadAlerts)),
    ("GET", "/api/v1/health", AnyToken),
    ("GET", "/metrics", Scope(Metrics)),
];

/// Returns what a call asks of a token; routes answer `HEAD` as they answer `GET`.
pub(crate) fn needed(method: &Method, route: Option<&str>) -> TokenNeed {
    let method = if method == Method::HEAD { Method::GET } else { method.clone() };
    let row = CALLS.iter().find(|(of, path, _)| *of == method.as_str() && Some(*path) == route);
    row.map_or(NoToken, |(_, _, need)| *need)
}
