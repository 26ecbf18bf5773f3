//! API tokens: made, used, refused, revoked; and every call by every role and scope.

use super::{
    scopes::{EVA, Site},
    *,
};
use crate::{
    Policy,
    request::token_calls::{CALLS, TokenNeed},
};
use accounts::{TOKEN_SCOPES, TokenScope};
use axum::http::Method;
use serde_json::{Value, json};
use std::collections::BTreeSet;

const PASSWORD: &str = "a long password";
const BASIC: &str = "authorization: Basic ZXZhOmEgbG9uZyBwYXNzd29yZA==\r\nx-requested-by: t\r\n";

fn bearer(token: &str) -> String {
    format!("authorization: Bearer {token}\r\n")
}

/// A call with Basic credentials that makes a token; its answer.
fn make(server: &Server, user: &str, more: Value) -> (u16, Value) {
    let mut body = json!({"name": "t", "scopes": ["search"], "password": PASSWORD});
    body.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    let (status, _, answer) = server.ask("POST /api/v1/tokens", &basic(user), &body.to_string());
    (status, serde_json::from_str(&answer).unwrap())
}

fn basic(user: &str) -> String {
    use base64::{Engine, prelude::BASE64_STANDARD};
    let pair = BASE64_STANDARD.encode(format!("{user}:{PASSWORD}"));
    format!("authorization: Basic {pair}\r\nx-requested-by: t\r\n")
}

fn text(answer: &Value) -> String {
    answer["token"].as_str().unwrap().to_owned()
}

/// The code of an answer, and its status.
fn status(server: &Server, token: &str, request: &str) -> u16 {
    server.ask(request, &bearer(token), "{}").0
}

#[test]
fn a_token_is_shown_once_and_works_until_it_is_revoked() {
    let server = Server::start();
    let (created, answer) = make(&server, "eva", json!({"name": "grafana", "networks": ["127.0.0.0/8"]}));
    assert_eq!(created, 201, "{answer}");
    let token = text(&answer);
    assert_eq!(answer["last_four"], &token[37..]);
    let kept = std::fs::read_to_string(server.folder.path().join("users.json")).unwrap();
    assert!(!kept.contains(&token[5..35]), "only a hash is kept");
    assert_eq!(status(&server, &token, "GET /api/v1/session"), 200);
    assert_eq!(status(&server, &token, "HEAD /api/v1/session"), 200);
    assert_eq!(server.ask("GET /api/v1/session", &format!("authorization: bearer {token}\r\n"), "").0, 200);
    let (_, _, list) = server.ask("GET /api/v1/tokens", BASIC, "");
    let list: Value = serde_json::from_str(&list).unwrap();
    let listed = &list["tokens"][0];
    assert_eq!((listed["name"].as_str(), listed["used_from"].as_str()), (Some("grafana"), Some("127.0.0.1")));
    assert!(
        listed["used_us"].as_u64() >= listed["created_us"].as_u64() && listed.get("token").is_none(),
        "{listed}"
    );
    assert_eq!(
        listed["expires_us"].as_u64().unwrap() - listed["created_us"].as_u64().unwrap(),
        90 * 86_400 * 1_000_000
    );
    let id = listed["id"].as_str().unwrap();
    assert_eq!(server.ask(&format!("DELETE /api/v1/tokens/{id}"), BASIC, "").0, 200);
    assert_eq!(status(&server, &token, "GET /api/v1/session"), 401);
    assert_eq!(server.ask(&format!("DELETE /api/v1/tokens/{id}"), BASIC, "").0, 404);
    let ledger = server.backend.ledger.lock().unwrap().join("\n");
    assert_eq!(ledger, "eva add-token\neva revoke-token");
}

#[test]
fn a_token_needs_the_password_and_a_token_makes_none() {
    let server = Server::start();
    assert_eq!(make(&server, "eva", json!({"password": "a wrong password"})).0, 401);
    let (_, head, _) = server.login(PASSWORD);
    let session = super::scopes::cookie(&head);
    let body = json!({"name": "t", "scopes": ["search"], "password": "a wrong password"}).to_string();
    assert_eq!(server.ask("POST /api/v1/tokens", &session, &body).0, 401, "an open session is not enough");
    let scopes: Vec<&str> = TOKEN_SCOPES.iter().map(|scope| scope.name()).collect();
    let token = text(&make(&server, "eva", json!({"scopes": scopes})).1);
    let body = json!({"name": "t", "scopes": ["search"], "password": PASSWORD}).to_string();
    for request in
        ["POST /api/v1/tokens", "GET /api/v1/tokens", "DELETE /api/v1/tokens/x", "POST /api/v1/logout"]
    {
        let (status, _, answer) = server.ask(request, &bearer(&token), &body);
        assert_eq!(status, 403, "{request}: {answer}");
    }
    for (more, want) in [
        (json!({"days": 367}), 400),
        (json!({"days": 0}), 400),
        (json!({"scopes": []}), 400),
        (json!({"scopes": ["everything"]}), 400),
        (json!({"name": ""}), 400),
        (json!({"networks": ["10.0.0.0/33"]}), 400),
        (json!({"logspaces": ["no such/name"]}), 400),
        (json!({"surprise": 1}), 400),
    ] {
        assert_eq!(make(&server, "eva", more.clone()).0, want, "{more}");
    }
}

#[test]
fn tokens_that_are_not_accepted_are_counted_and_others_are_not_held_up() {
    let server = Server::start();
    let good = text(&make(&server, "eva", json!({})).1);
    let far = text(&make(&server, "eva", json!({"networks": ["10.0.0.0/8"]})).1);
    let mut mistyped = good.clone();
    mistyped.replace_range(10..11, if &good[10..11] == "a" { "b" } else { "a" });
    let asked = |token: &str| server.ask("GET /api/v1/session", &bearer(token), "");
    // No file of users is needed to refuse a wrong checksum.
    let users = server.folder.path().join("users.json");
    let kept = std::fs::read(&users).unwrap();
    std::fs::write(&users, "{").unwrap();
    let (status, _, body) = asked(&mistyped);
    assert!(status == 401 && body.contains("checksum"), "{status} {body}");
    assert_eq!(asked(&good).0, 500);
    std::fs::write(&users, kept).unwrap();
    let (status, _, body) = asked(&far);
    assert!(status == 401 && body.contains("address"), "{status} {body}");
    let unknown = accounts::TokenText::draw().unwrap();
    let (status, _, body) = asked(unknown.reveal());
    assert!(status == 401 && body.contains("unknown"), "{status} {body}");
    let refused: Vec<u16> = (0..4).map(|_| asked("nonsense").0).collect();
    assert_eq!(refused, [401, 401, 429, 429]);
    assert_eq!(asked(&good).0, 200, "a right token does not wait for the wrong ones");
    let events = server.backend.events.lock().unwrap();
    let named = |event: &SecurityEvent| match event {
        SecurityEvent::TokenRefused { user, reason, .. } => Some(format!("{user}: {}", &reason[..20])),
        SecurityEvent::TokenUsed { user, .. } => Some(format!("{user} used")),
        SecurityEvent::LockedOut { .. } => Some("locked".to_owned()),
        _ => None,
    };
    let events: Vec<String> = events.iter().filter_map(named).collect();
    assert_eq!(events.iter().filter(|event| *event == "locked").count(), 2, "{events:?}");
    assert!(events.contains(&"eva: the API token may no".to_owned()), "{events:?}");
    assert_eq!(events.last().map(String::as_str), Some("eva used"));
}

#[test]
fn a_token_ends_with_its_time_its_user_and_its_rights() {
    let policy = Policy { token_lifetime: std::time::Duration::ZERO, ..Policy::default() };
    let server = Server::listening(Given { policy: Arc::new(policy), ..Given::default() }, |options| options);
    let token = text(&make(&server, "eva", json!({})).1);
    let (code, _, body) = server.ask("GET /api/v1/session", &bearer(&token), "");
    assert!(code == 401 && body.contains("expired"), "{body}");
    let server = Server::start();
    server.accounts.add("bob", PASSWORD).unwrap();
    let token = text(&make(&server, "bob", json!({"scopes": ["metrics"]})).1);
    let metrics = |token: &str| {
        server.ask("GET /metrics", &format!("{}x-forwarded-for: 10.1.1.1\r\n", bearer(token)), "").0
    };
    assert_eq!(metrics(&token), 403, "the token gives nothing that its owner does not have");
    server.accounts.grant("bob", EVERY_LOGSPACE, &RIGHTS).unwrap();
    assert_eq!(metrics(&token), 200);
    server.accounts.revoke("bob", EVERY_LOGSPACE, &RIGHTS).unwrap();
    assert_eq!(metrics(&token), 403, "a grant that was taken is gone at once");
    server.accounts.set_password("bob", "another password").unwrap();
    assert_eq!(status(&server, &token, "GET /api/v1/session"), 200, "a token outlasts the password");
    server.accounts.remove("bob").unwrap();
    assert_eq!(status(&server, &token, "GET /api/v1/session"), 401);
    server.accounts.add("bob", PASSWORD).unwrap();
    assert_eq!(status(&server, &token, "GET /api/v1/session"), 401, "another user of that name is another");
}

#[test]
fn tokens_of_others_are_for_administrators() {
    let server = Server::start();
    for name in ["bob", "ann"] {
        server.accounts.add(name, PASSWORD).unwrap();
    }
    let id = make(&server, "bob", json!({})).1["id"].as_str().unwrap().to_owned();
    assert_eq!(server.ask("GET /api/v1/tokens?user=bob", &basic("ann"), "").0, 403);
    assert_eq!(server.ask(&format!("DELETE /api/v1/tokens/{id}"), &basic("ann"), "").0, 404);
    let (_, _, list) = server.ask("GET /api/v1/tokens?user=bob", BASIC, "");
    assert!(list.contains(&id), "{list}");
    assert_eq!(server.ask("GET /api/v1/tokens?user=nobody", BASIC, "").0, 404);
    assert_eq!(server.ask(&format!("DELETE /api/v1/tokens/{id}"), BASIC, "").0, 200);
    for number in 0..100 {
        assert_eq!(make(&server, "ann", json!({})).0, 201, "{number}");
    }
    assert_eq!(make(&server, "ann", json!({})).0, 409);
}

#[test]
fn without_a_ledger_no_token_is_made_or_used() {
    let server = Server::listening(Given { is_full: true, ..Given::default() }, |options| options);
    let new = accounts::NewToken {
        name: "t".to_owned(),
        scopes: vec![TokenScope::Search],
        logspaces: vec!["*".to_owned()],
        networks: Vec::new(),
        days: 1,
    };
    let issued = new.issue(crate::state::now_s()).unwrap();
    server.accounts.add_token("eva", issued.token).unwrap();
    assert_eq!(status(&server, issued.text.reveal(), "GET /api/v1/session"), 500);
    assert_eq!(make(&server, "eva", json!({})).0, 500);
    assert_eq!(server.accounts.tokens("eva").unwrap().len(), 1);
}

#[test]
fn a_long_answer_ends_with_its_token() {
    use crate::{
        access::sessions::{Proof, User},
        scope::Keyring,
        search::transfer::access::Access,
    };
    let server = Server::start();
    let id = make(&server, "eva", json!({"scopes": ["export"], "logspaces": ["a"]})).1["id"].clone();
    let id = id.as_str().unwrap();
    let access = |rights: &[(&str, accounts::Right)]| {
        let token = server.accounts.tokens("eva").unwrap().remove(0);
        let user =
            User { name: "eva".to_owned(), proof: Proof::Token(Box::new(token)), keyring: Keyring::new() };
        let rights = rights.iter().map(|(name, right)| ((*name).to_owned(), *right)).collect();
        Access::new(server.state.clone(), user, rights)
    };
    let export = access(&[("a", accounts::Right::Export)]);
    assert!(export.is_granted());
    assert!(!access(&[("b", accounts::Right::Search)]).is_granted(), "another logspace");
    assert!(!access(&[("a", accounts::Right::Administer)]).is_granted(), "another right");
    server.accounts.revoke_token("eva", id).unwrap();
    assert!(!export.is_granted());
}

/// The calls of the table as requests, with bodies that are carried out where the caller may.
fn requests() -> Vec<(String, String, TokenNeed)> {
    let body = |method: &str, path: &str| match (method, path.trim_start_matches("/api/v1")) {
        ("POST", "/search" | "/explain") => json!({"logspace": "all", "query": "open"}),
        ("POST", "/facets") => json!({"logspace": "all", "columns": ["host"]}),
        ("POST", "/package" | "/seal" | "/lock") => json!({"logspace": "all"}),
        ("POST", "/unlock") => json!({"logspace": "all", "key": "nonsense"}),
        ("POST", "/objects") => json!({"kind": "search", "name": "x", "spec": {"query": "a"}}),
        ("POST", "/dashboards/run") => json!({"spec": {}, "run": {}}),
        ("POST", "/object-files/plan" | "/object-files/apply") => json!({"files": []}),
        ("POST", "/rules/preview") => {
            json!({"logspace": "all", "rule": {"kind": "match", "query": "a"}, "from": "2000-01-01", "to": "2000-01-02"})
        }
        ("POST", "/alerts/{number}/acknowledge") => json!({"note": "seen"}),
        ("POST", "/silences") => json!({"query": "rule:x", "to_us": 1, "reason": "maintenance"}),
        ("POST", "/tokens") => json!({"name": "x", "scopes": ["search"], "password": PASSWORD}),
        _ => json!({}),
    };
    let query = |path: &str| match path.trim_start_matches("/api/v1") {
        "/columns" => "?logspace=all",
        "/values" => "?logspace=all&column=host",
        "/validate" => "?query=a",
        "/context" | "/message" => "?logspace=all&sequence=3",
        "/export" => "?logspace=all&format=raw",
        "/export/report" | "/package" => "?id=nothing",
        "/objects" => "?of=all",
        _ => "",
    };
    let request = |(method, path, need): &(&str, &str, TokenNeed)| {
        let route = path.replace("{id}", "01990a5e-6c00-7000-8000-000000000001");
        let route = route.replace("{number}", "1").replace("{revision}", "1");
        let route = route.replace("{name}", "nobody").replace("{action}", "lock");
        let query = if *method == "GET" { query(path) } else { "" };
        (format!("{method} {route}{query}"), body(method, path).to_string(), *need)
    };
    // The log-out is left out: it would end the sessions that others are compared with. The tail does not end by itself.
    let is_asked = |row: &&(&str, &str, TokenNeed)| !["/api/v1/logout", "/api/v1/tail"].contains(&row.1);
    CALLS.iter().filter(is_asked).map(request).collect()
}

#[test]
fn every_call_is_in_the_table_of_tokens() {
    let server = Server::start();
    let (_, _, body) = server.ask("GET /api/v1/openapi.json", "", "");
    let described: Value = serde_json::from_str(&body).unwrap();
    let methods = |(path, item): (&String, &Value)| {
        let methods: Vec<String> = item.as_object().unwrap().keys().cloned().collect();
        methods.into_iter().map(|method| format!("{} {path}", method.to_uppercase())).collect::<Vec<_>>()
    };
    let mut described: BTreeSet<String> =
        described["paths"].as_object().unwrap().iter().flat_map(methods).collect();
    for call in
        ["login", "login/code", "invitation", "invitation/accept"].map(|path| format!("POST /api/v1/{path}"))
    {
        assert!(described.remove(&call), "nobody is known before {call}");
    }
    assert!(described.insert("GET /metrics".to_owned()));
    let known: BTreeSet<String> = CALLS.iter().map(|(method, path, _)| format!("{method} {path}")).collect();
    assert_eq!(described, known);
    assert_eq!(known.len(), CALLS.len());
    let needed = crate::request::token_calls::needed;
    assert_eq!(needed(&Method::GET, None), TokenNeed::NoToken);
    assert_eq!(
        needed(&Method::PATCH, Some("/api/v1/search")),
        TokenNeed::NoToken,
        "what is not listed is closed"
    );
}

#[test]
fn no_token_does_more_than_its_scope_and_its_owner() {
    let site = Site::start();
    let server = &site.server;
    let all: Vec<&str> = TOKEN_SCOPES.iter().map(|scope| scope.name()).collect();
    let far = "x-forwarded-for: 10.1.1.1\r\n";
    for owner in ["eva", "bob", "ann"] {
        let token = |scopes: &[&str], logspaces: &[&str]| {
            text(&make(server, owner, json!({"scopes": scopes, "logspaces": logspaces})).1)
        };
        let (whole, nowhere) = (token(&all, &["*"]), token(&all, &["nowhere"]));
        let single: Vec<(TokenScope, String)> =
            TOKEN_SCOPES.iter().map(|scope| (*scope, token(&[scope.name()], &["*"]))).collect();
        for (request, body, need) in requests() {
            let by = |headers: &str| server.ask(&request, &format!("{headers}{far}"), &body).0;
            let own = by(&basic(owner));
            let with_all = by(&bearer(&whole));
            // A second object of a name is a conflict, a first one is not: both are allowed.
            let is_same = with_all == own || (own == 201 && with_all == 409);
            match need {
                TokenNeed::NoToken => assert_eq!(with_all, 403, "{owner} {request}"),
                _ => assert!(is_same, "{owner} {request}: {own} by password, {with_all} by token"),
            }
            let is_refused_elsewhere = request.starts_with("GET /api/v1/validate") || own >= 400;
            let elsewhere = by(&bearer(&nowhere));
            assert!(
                elsewhere >= 400 || is_refused_elsewhere || need == TokenNeed::AnyToken || is_own(&request),
                "{owner} {request}: {elsewhere} in another logspace"
            );
            for (scope, token) in &single {
                let got = by(&bearer(token));
                match need {
                    TokenNeed::AnyToken => assert_eq!(got, own, "{owner} {request} {scope}"),
                    TokenNeed::Scope(needed) if needed == *scope => assert!(
                        got == own || got == 403 || (own == 201 && got == 409),
                        "{owner} {request} {scope}: {got}, {own} by password"
                    ),
                    _ => assert_eq!(got, 403, "{owner} {request} {scope}"),
                }
            }
        }
    }
    // By its scope alone each of these does something.
    let eva = |scope: &str| text(&make(server, EVA, json!({"scopes": [scope]})).1);
    for (scope, request, body) in [
        ("search", "POST /api/v1/search", r#"{"logspace":"all"}"#),
        ("export", "GET /api/v1/export?logspace=all&format=raw", ""),
        ("administer", "POST /api/v1/seal", r#"{"logspace":"all"}"#),
        ("objects:read", "GET /api/v1/objects", ""),
        ("alerts:read", "GET /api/v1/alerts", ""),
        ("metrics", "GET /metrics", ""),
    ] {
        let (status, _, answer) = server.ask(request, &format!("{}{far}", bearer(&eva(scope))), body);
        assert_eq!(status, 200, "{scope}: {answer}");
    }
}

#[test]
fn a_saved_dashboard_needs_two_scopes() {
    let site = Site::start();
    let body = json!({"kind": "dashboard", "name": "a", "spec": {"logspace": "all"}});
    let (_, _, made) = site.server.ask("POST /api/v1/objects", BASIC, &body.to_string());
    let made: Value = serde_json::from_str(&made).unwrap();
    let run = format!("POST /api/v1/dashboards/{}/run", made["id"].as_str().unwrap());
    let with = |scopes: &[&str]| {
        let token = text(&make(&site.server, EVA, json!({"scopes": scopes})).1);
        site.server.ask(&run, &bearer(&token), "{}").0
    };
    assert_eq!((with(&["search"]), with(&["objects:read"])), (403, 403));
    assert_eq!(with(&["search", "objects:read"]), 200);
}

/// Returns true for calls about what the owner keeps or learns in any case, and not about a logspace.
fn is_own(request: &str) -> bool {
    let paths = [
        "/api/v1/objects",
        "/api/v1/object-files",
        "/api/v1/alerts",
        "/api/v1/rules",
        "/api/v1/notifications",
        "/api/v1/silences",
    ];
    paths.iter().any(|path| request.contains(path))
}

#[test]
fn health_answers_a_token_with_its_logspaces() {
    let site = Site::start();
    let token = text(&make(&site.server, "eva", json!({"logspaces": ["all"]})).1);
    let (status, _, body) = site.server.ask("GET /api/v1/health", &bearer(&token), "");
    let answer: Value = serde_json::from_str(&body).unwrap();
    let names: Vec<&str> =
        answer["logspaces"].as_array().unwrap().iter().map(|one| one["name"].as_str().unwrap()).collect();
    assert_eq!((status, names), (200, vec!["all"]), "{body}");
    assert_eq!(site.server.ask("GET /api/v1/health", &bearer("nonsense"), "").0, 401);
    let (_, _, body) = site.server.ask("GET /api/v1/logspaces", &bearer(&token), "");
    let names = body.matches("\"name\"").count();
    assert_eq!(names, 1, "{body}");
}
