//! Sessions: listed, ended, replaced at a log-in, not kept by timers; their cookies.

use super::*;
use crate::access::sessions::Activity;
use accounts::TokenHash;
use serde_json::{Value, json};

const BASIC: &str = "authorization: Basic ZXZhOmEgbG9uZyBwYXNzd29yZA==\r\nx-requested-by: t\r\n";

fn session(server: &Server, user: &str, more: &str) -> String {
    let body = json!({"user": user, "password": "a long password"}).to_string();
    let (status, head, body) = server.ask("POST /api/v1/login", more, &body);
    assert_eq!(status, 200, "{body}");
    super::scopes::cookie(&head)
}

fn json_of(answer: (u16, String, String)) -> (u16, Value) {
    (answer.0, serde_json::from_str(&answer.2).unwrap())
}

#[test]
fn sessions_are_seen_and_ended() {
    let server = Server::start();
    server.accounts.add("bob", "a long password").unwrap();
    let (one, two) = (session(&server, "eva", "user-agent: Browser One\r\n"), session(&server, "eva", ""));
    let bob = session(&server, "bob", "");
    let (status, list) = json_of(server.ask("GET /api/v1/sessions", &one, ""));
    let sessions = list["sessions"].as_array().unwrap();
    assert_eq!((status, sessions.len()), (200, 2), "{list}");
    let own = sessions.iter().find(|session| session["current"] == true).unwrap();
    assert_eq!((own["agent"].as_str(), own["address"].as_str()), (Some("Browser One"), Some("127.0.0.1")));
    assert!(own["ends_us"].as_u64() > own["used_us"].as_u64());
    let other = sessions.iter().find(|session| session["current"] == false).unwrap()["id"].as_str().unwrap();
    assert_eq!(server.ask("GET /api/v1/sessions?user=eva", &bob, "").0, 403);
    assert_eq!(server.ask(&format!("DELETE /api/v1/sessions/{other}"), &bob, "").0, 404);
    assert_eq!(server.ask("DELETE /api/v1/sessions?user=eva", &bob, "").0, 403);
    let (status, ended) = json_of(server.ask(&format!("DELETE /api/v1/sessions/{other}"), &one, ""));
    assert_eq!((status, ended), (200, json!({"ended": 1})));
    assert_eq!(server.ask("GET /api/v1/session", &two, "").0, 401);
    assert_eq!(server.ask(&format!("DELETE /api/v1/sessions/{other}"), &one, "").0, 404);
    let file = std::fs::read_to_string(server.folder.path().join("sessions.json")).unwrap();
    assert!(!file.contains(other), "an ended session does not come back with a restart");
    // All others, and all of another user.
    let third = session(&server, "eva", "");
    assert_eq!(json_of(server.ask("DELETE /api/v1/sessions", &one, "")).1, json!({"ended": 1}));
    assert_eq!(server.ask("GET /api/v1/session", &third, "").0, 401);
    assert_eq!(server.ask("GET /api/v1/session", &one, "").0, 200);
    assert_eq!(
        json_of(server.ask("GET /api/v1/sessions?user=bob", BASIC, "")).1["sessions"]
            .as_array()
            .unwrap()
            .len(),
        1
    );
    assert_eq!(json_of(server.ask("DELETE /api/v1/sessions?user=bob", BASIC, "")).1, json!({"ended": 1}));
    assert_eq!(server.ask("GET /api/v1/session", &bob, "").0, 401);
    let ledger = server.backend.ledger.lock().unwrap().join("\n");
    assert_eq!(ledger, "eva end-session\neva end-session\neva end-session");
}

#[test]
fn a_command_ends_all_sessions_of_a_user_but_no_password() {
    let server = Server::start();
    let open = session(&server, "eva", "");
    server.accounts.end_sessions("eva").unwrap();
    assert_eq!(server.ask("GET /api/v1/session", &open, "").0, 401);
    let open = session(&server, "eva", "");
    assert_eq!(server.ask("GET /api/v1/session", &open, "").0, 200);
    server.accounts.end_sessions("eva").unwrap();
    assert_eq!(server.ask("GET /api/v1/session", &open, "").0, 401);
    assert!(server.accounts.end_sessions("nobody").is_err());
}

#[test]
fn a_log_in_ends_the_session_that_the_browser_had() {
    let server = Server::start();
    let old = session(&server, "eva", "");
    let new = session(&server, "eva", &old);
    assert_ne!(old, new);
    assert_eq!(server.ask("GET /api/v1/session", &old, "").0, 401);
    assert_eq!(server.ask("GET /api/v1/session", &new, "").0, 200);
}

#[test]
fn timers_do_not_keep_sessions() {
    let server = Server::start();
    let open = session(&server, "eva", "");
    let token = open.split('=').nth(1).unwrap().split('\r').next().unwrap();
    let used =
        || server.state.sessions().of_user("eva", &crate::Policy::default(), crate::state::now_s())[0].used_s;
    // A session that was opened much later than now would be from another clock.
    let long_ago = crate::state::now_s() - 100;
    let back = || {
        let credential = server.accounts.credential("eva");
        let _ =
            server
                .state
                .sessions()
                .user(token, &crate::Policy::default(), long_ago, Activity::User, |_| credential);
    };
    back();
    assert_eq!(server.ask("GET /api/v1/logspaces", &format!("{open}x-automatic: 1\r\n"), "").0, 200);
    assert_eq!(server.ask("GET /api/v1/health", &open, "").0, 200);
    assert_eq!(used(), long_ago);
    assert_eq!(server.ask("GET /api/v1/logspaces", &open, "").0, 200);
    assert!(used() > long_ago);
}

#[test]
fn an_encrypted_page_has_a_cookie_that_no_other_host_can_set() {
    let server = Server::start();
    let https = "x-forwarded-proto: https\r\n";
    let body = r#"{"user":"eva","password":"a long password"}"#;
    let (_, head, _) = server.ask("POST /api/v1/login", https, body);
    assert!(head.contains("set-cookie: __host-duramen_session="), "{head}");
    assert!(head.contains("; httponly; samesite=strict; path=/; secure"), "{head}");
    let token = head.split("session=").nth(1).unwrap().split(';').next().unwrap();
    let ask = |cookie: &str, more: &str| {
        server.ask("GET /api/v1/session", &format!("cookie: {cookie}={token}\r\n{more}"), "").0
    };
    assert_eq!(ask("__Host-duramen_session", https), 200);
    assert_eq!(ask("duramen_session", https), 401, "any page of the domain could have set it");
    let headers = format!("cookie: __Host-duramen_session={token}\r\nx-requested-by: t\r\n{https}");
    let (status, head, _) = server.ask("POST /api/v1/logout", &headers, "{}");
    assert!(status == 200 && head.contains("__host-duramen_session=; httponly"), "{head}");
    assert_eq!(ask("__Host-duramen_session", https), 401);
}

#[test]
fn a_password_is_changed_with_the_one_until_now_and_ends_other_sessions() {
    let server = Server::start();
    let (here, there) = (session(&server, "eva", ""), session(&server, "eva", ""));
    let change = |headers: &str, old: &str, new: &str| {
        let body = json!({"password": old, "new_password": new}).to_string();
        json_of(server.ask("POST /api/v1/password", headers, &body))
    };
    let new = "quite another long one";
    let (status, answer) = change(&here, "certainly wrong", new);
    assert_eq!((status, answer["error"]["code"].as_str()), (401, Some("wrong_password")), "{answer}");
    let (status, answer) = change(&here, "a long password", "short");
    assert_eq!((status, answer["error"]["code"].as_str()), (400, Some("bad_request")), "{answer}");
    assert_eq!(server.login("a long password").0, 200, "a refused password changes nothing");
    server.state.sessions().end("eva", |hash| ![&here, &there].iter().any(|cookie| has_hash(cookie, hash)));
    assert_eq!(change(&here, "a long password", new), (200, json!({"ended": 1})));
    assert_eq!(server.ask("GET /api/v1/session", &here, "").0, 200, "the session of the call stays");
    assert_eq!(server.ask("GET /api/v1/session", &there, "").0, 401);
    assert_eq!(server.login("a long password").0, 401);
    assert_eq!(server.login(new).0, 200);
    let ledger = server.backend.ledger.lock().unwrap().join("\n");
    assert_eq!(ledger, ["eva set-password"; 3].join("\n"), "one that fails is in it before and after");
}

fn has_hash(cookie: &str, hash: &TokenHash) -> bool {
    cookie
        .split("session=")
        .nth(1)
        .is_some_and(|rest| TokenHash::of(rest.split(['\r', ';']).next().unwrap_or_default()) == *hash)
}

#[test]
fn a_locked_user_is_out_at_once_and_learns_no_more_than_others() {
    let server = Server::start();
    server.accounts.add("bob", "a long password").unwrap();
    let open = session(&server, "bob", "");
    assert_eq!(server.ask("GET /api/v1/session", &open, "").0, 200);
    server.accounts.lock("bob").unwrap();
    assert_eq!(server.ask("GET /api/v1/session", &open, "").0, 401);
    let try_log_in = |user: &str| {
        let body = json!({"user": user, "password": "a long password"}).to_string();
        json_of(server.ask("POST /api/v1/login", "", &body))
    };
    assert_eq!(try_log_in("bob"), try_log_in("nobody"));
    server.accounts.unlock("bob").unwrap();
    assert_eq!(try_log_in("bob").0, 200);
    assert_eq!(server.ask("GET /api/v1/session", &open, "").0, 401, "a session from before stays ended");
}
