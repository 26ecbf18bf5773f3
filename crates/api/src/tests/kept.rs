//! What outlives a server, and the limits of passwords and sessions.

use super::*;
use crate::{
    Policy,
    access::sessions::{Activity, Sessions},
};
use std::time::Duration;

/// The cookie that a log-in set, as a header.
fn cookie(head: &str) -> String {
    format!("cookie: {}\r\n", head.split("set-cookie: ").nth(1).unwrap().split(';').next().unwrap())
}

#[test]
fn sessions_are_kept_in_their_file_from_the_log_in_to_the_log_out() {
    let server = Server::start();
    let kept = |session: &str| {
        let mut sessions = Sessions::load(&server.folder.path().join("sessions.json")).unwrap();
        let token = session.trim().split_once('=').unwrap().1;
        let credential = |name: &str| server.accounts.credential(name);
        let user = sessions
            .user(token, &Policy::default(), crate::state::now_s(), Activity::User, credential)
            .unwrap();
        user.map(|user| user.name)
    };
    let session = cookie(&server.login("a long password").1);
    assert_eq!(kept(&session).as_deref(), Some("eva"));
    assert_eq!(server.ask("GET /api/v1/session", &session, "").0, 200);
    let (status, head, _) =
        server.ask("POST /api/v1/logout", &format!("{session}x-requested-by: t\r\n"), "{}");
    assert!(status == 200 && head.contains("duramen_session=; httponly; samesite=strict; path=/; max-age=0"));
    assert_eq!(kept(&session), None);
}

#[test]
fn a_session_ends_when_its_user_does() {
    let server = Server::start();
    let session = cookie(&server.login("a long password").1);
    server.accounts.set_password("eva", "another password").unwrap();
    assert_eq!(server.ask("GET /api/v1/session", &session, "").0, 401);
    let session = cookie(&server.login("another password").1);
    server.accounts.remove("eva").unwrap();
    assert_eq!(server.ask("GET /api/v1/session", &session, "").0, 401);
}

#[test]
fn a_session_of_no_time_is_over_at_once() {
    for (session_lifetime, session_idle) in [(0, 60), (60, 0)] {
        let seconds = Duration::from_secs;
        let policy = Policy {
            session_lifetime: seconds(session_lifetime),
            session_idle: seconds(session_idle),
            ..Policy::default()
        };
        let server =
            Server::listening(Given { policy: Arc::new(policy), ..Given::default() }, |options| options);
        let session = cookie(&server.login("a long password").1);
        assert_eq!(server.ask("GET /api/v1/session", &session, "").0, 401);
    }
}

#[test]
fn health_is_told_to_everybody_and_its_reasons_to_administrators() {
    let says = |text: &str| vec![text.to_owned()];
    let troubles = [
        says("part x is left out"),
        says("source y refuses"),
        says("destination z is full"),
        says("rules are late"),
    ];
    for (at, name) in [(0, "not_running"), (1, "sources"), (2, "destinations"), (3, "rules")] {
        let mut given = Given::default();
        given.troubles[at] = troubles[at].clone();
        let server = Server::listening(given, |options| options);
        let (_, _, body) = server.ask("GET /api/v1/health", "", "");
        let health: serde_json::Value = serde_json::from_str(&body).unwrap();
        assert_eq!(health["status"], "degraded", "{name}");
        assert!(!body.contains(&troubles[at][0]), "{body}");
        let session = cookie(&server.login("a long password").1);
        let (_, _, body) = server.ask("GET /api/v1/health", &session, "");
        let health: serde_json::Value = serde_json::from_str(&body).unwrap();
        assert_eq!(health[name], serde_json::json!(troubles[at]), "{body}");
        server.accounts.revoke("eva", EVERY_LOGSPACE, &[accounts::Right::Administer]).unwrap();
        let (_, _, body) = server.ask("GET /api/v1/health", &session, "");
        assert!(!body.contains(&troubles[at][0]), "{body}");
    }
    let (_, _, body) = Server::start().ask("GET /api/v1/health", "", "");
    assert!(body.contains(r#""status":"ok""#), "{body}");
}

#[test]
fn calls_that_cannot_be_read_are_told_apart_and_written_down() {
    let server = Server::start();
    let large = "x".repeat(20 << 10);
    let rows: [(&str, &str, &str, u16); 8] = [
        ("POST /api/v1/login", "", "{", 400),
        ("POST /api/v1/login", "", &format!(r#"{{"user":"eva","password":"{large}"}}"#), 413),
        ("GET /api/v1/session", "authorization: Digest x\r\n", "", 401),
        ("GET /api/v1/session", "authorization: Basic !\r\n", "", 401),
        ("GET /api/v1/session", "authorization: Basic ZXZh\r\n", "", 401),
        ("GET /api/v1/session", "", "", 401),
        ("GET /api/v1/session", "authorization: Basic ZXZhOmEgbG9uZyBwYXNzd29yZA==\r\n", "", 200),
        (
            "GET /api/v1/session",
            "authorization: Basic ZXZhOmEgbG9uZyBwYXNzd29yZA==\r\ncookie: duramen_session=old\r\n",
            "",
            200,
        ),
    ];
    for (request, headers, body, want) in rows {
        assert_eq!(server.ask(request, headers, body).0, want, "{request} {headers}");
    }
    let events = server.backend.events.lock().unwrap();
    let count = |wanted: &str| {
        let reasons = events.iter().filter_map(|event| match event {
            SecurityEvent::Malformed { reason, .. } => Some(*reason),
            _ => None,
        });
        reasons.filter(|reason| reason.contains(wanted)).count()
    };
    assert_eq!((count("body of the log-in"), count("Authorization")), (2, 3), "{events:?}");
}
