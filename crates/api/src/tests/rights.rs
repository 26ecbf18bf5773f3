//! Rights that are refused, lost meanwhile, or cannot be written down.

use super::{
    scopes::{EVA, Site, member, open},
    *,
};
use crate::{
    Limits, Policy, ScopeKind,
    access::sessions::{Activity, Proof, User},
    scope::Keyring,
    search::transfer::{access::Access, transfer},
};
use accounts::Right;
use axum::body::to_bytes;
use serde_json::{Value, json};
use std::io;

impl Server {
    /// The user behind a right password, without a session.
    pub(crate) fn user(&self, name: &str) -> User {
        let credential = self.accounts.credential(name).unwrap().unwrap();
        User { name: name.to_owned(), proof: Proof::Password(credential), keyring: Keyring::new() }
    }

    /// The user of a fresh session.
    fn session(&self) -> (String, User) {
        let head = self.login("a long password").1;
        let token = head.split("duramen_session=").nth(1).unwrap().split(';').next().unwrap().to_owned();
        let _inside = self.runtime.enter();
        let user = self.state.session(&token, Activity::User).ok().unwrap().unwrap();
        (token, user)
    }

    fn refusals(&self) -> Vec<String> {
        let events = self.backend.events.lock().unwrap();
        let refused = events.iter().filter_map(|event| match event {
            SecurityEvent::Refused { user, logspace, right } => Some(format!("{user} {right} {logspace}")),
            _ => None,
        });
        refused.collect()
    }
}

#[test]
fn a_long_answer_needs_the_password_the_session_and_every_right() {
    let server = Server::start();
    let rights = |names: &[(&str, Right)]| {
        names.iter().map(|(name, right)| ((*name).to_owned(), *right)).collect::<Vec<_>>()
    };
    let access = |user, of: &[(&str, Right)]| Access::new(server.state.clone(), user, rights(of));
    let all = [("a", Right::Search), ("a", Right::Export), ("b", Right::Search)];
    let (token, user) = server.session();
    let (by_session, by_password) = (access(user, &all), access(server.user("eva"), &all));
    assert!(by_session.is_granted() && by_password.is_granted());
    server.state.sessions().close(&token);
    assert!(!by_session.is_granted() && by_password.is_granted(), "the session ended");
    server.accounts.revoke("eva", EVERY_LOGSPACE, &RIGHTS).unwrap();
    server.accounts.grant("eva", "a", &RIGHTS).unwrap();
    assert!(!by_password.is_granted(), "the right to b is lost");
    server.accounts.grant("eva", "b", &[Right::Search]).unwrap();
    assert!(by_password.is_granted());
    assert!(access(server.user("eva"), &[]).is_granted());
    server.accounts.set_password("eva", "another password").unwrap();
    assert!(!by_password.is_granted(), "another password");
    assert!(access(server.user("eva"), &all).is_granted());
    std::fs::write(server.folder.path().join("users.json"), "{").unwrap();
    assert!(!by_password.is_granted(), "without a file of users there are no rights");
}

#[test]
fn a_session_that_is_too_old_ends_long_answers() {
    let policy = Policy { session_lifetime: std::time::Duration::ZERO, ..Policy::default() };
    let server = Server::listening(Given { policy: Arc::new(policy), ..Given::default() }, |options| options);
    let credential = server.accounts.credential("eva").unwrap().unwrap();
    let now_s = crate::state::now_s();
    server.state.sessions().open("t", "eva", credential, &Policy::default(), now_s);
    let none = |_: &str| Ok::<_, io::Error>(Some(credential));
    let user =
        server.state.sessions().user("t", &Policy::default(), now_s, Activity::User, none).unwrap().unwrap();
    assert!(!Access::new(server.state.clone(), user, Vec::new()).is_granted());
    assert!((1_700_000_000..10_000_000_000).contains(&now_s), "seconds since 1970: {now_s}");
}

/// The bytes of a transfer of some pieces, as a client with access gets them.
fn sent(server: &Server, user: User, pieces: usize, is_stalled: bool) -> Result<String, String> {
    let (client, mut transfer) = server.runtime.block_on(async { transfer::<io::Error>() });
    if is_stalled {
        transfer.stall();
    }
    let sender = std::thread::spawn(move || {
        (0..pieces).try_for_each(|number| client.send(Ok(number.to_string().into()))).is_ok()
    });
    let access = Access::new(server.state.clone(), user, vec![("a".to_owned(), Right::Export)]);
    let body = server.runtime.block_on(async {
        let first = transfer.first().await.transpose().map_err(|error| error.to_string())?;
        let body = transfer.into_body(first, access, ());
        to_bytes(body, 64 << 20).await.map_err(|error| error.to_string())
    });
    let has_sent = sender.join().unwrap();
    let body = body?;
    assert!(has_sent, "a client that gets all has been sent all");
    Ok(String::from_utf8(body.to_vec()).unwrap())
}

#[test]
fn what_is_cut_does_not_look_whole() {
    let server = Server::start();
    assert_eq!(sent(&server, server.user("eva"), 12, false).as_deref(), Ok("01234567891011"));
    assert_eq!(sent(&server, server.user("eva"), 0, false).as_deref(), Ok(""));
    let cut = sent(&server, server.user("eva"), 3, true).unwrap_err();
    assert_eq!(cut, "the client took nothing for too long");
    server.accounts.revoke("eva", EVERY_LOGSPACE, &[Right::Export]).unwrap();
    let lost = sent(&server, server.user("eva"), usize::MAX, false).unwrap_err();
    assert_eq!(lost, "the user may not have this any more");
}

#[test]
fn a_client_that_went_away_gets_nothing() {
    let server = Server::start();
    let (client, transfer) = server.runtime.block_on(async { transfer::<io::Error>() });
    drop(transfer);
    assert!(client.send(Ok("x".into())).is_err());
}

#[test]
fn refusals_are_written_down_and_missing_logspaces_are_not() {
    let site = Site::start();
    let search =
        |who, logspace: &str| site.text(who, "POST /api/v1/search", &json!({"logspace": logspace})).0;
    assert_eq!(search("bob", "open-only"), 200);
    assert_eq!(search("bob", "nowhere"), 404);
    assert!(site.server.refusals().is_empty());
    assert_eq!(search("bob", "all"), 404);
    assert_eq!(site.text("bob", "GET /api/v1/export?logspace=both", &Value::Null).0, 403);
    assert_eq!(site.text("bob", "POST /api/v1/seal", &json!({"logspace": "open-only"})).0, 403);
    assert_eq!(site.server.refusals(), ["bob search all", "bob export both", "bob administer open-only"]);
}

#[test]
fn who_asks_for_no_logspace_is_told_why_there_is_none() {
    let site = Site::start();
    let text = |who| site.text(who, "POST /api/v1/search", &json!({})).1;
    assert!(text("ann").contains("there is no logspace that ann may search"));
    assert!(text("bob").contains("say which logspace: one of open-only, both"));
    site.server.accounts.revoke("bob", "both", &RIGHTS).unwrap();
    assert!(text("bob").contains(r#""total":10"#), "the only one");
    let basic = "authorization: Basic ZXZhOmEgbG9uZyBwYXNzd29yZA==\r\nx-requested-by: t\r\n";
    let empty = Server::start().ask("POST /api/v1/search", basic, "{}");
    assert!(
        empty.0 == 404 && empty.2.contains("the configuration has no logspace() destination"),
        "{empty:?}"
    );
}

#[test]
fn a_package_is_for_those_who_still_have_every_right_to_it() {
    let site = Site::start();
    let made = site.json(EVA, "POST /api/v1/package", json!({"logspace": "open-only"}));
    let take = format!("GET /api/v1/package?id={}", made["id"].as_str().unwrap());
    let accounts = &site.server.accounts;
    let status = || site.server.ask(&take, &site.session(EVA), "").0;
    assert_eq!(status(), 200);
    accounts.revoke("eva", EVERY_LOGSPACE, &RIGHTS).unwrap();
    for (grants, want) in [
        (&[("open-only", &[Right::Search, Right::Export][..])][..], 403),
        (&[("open-only", &[Right::Search]), ("all", &[Right::Search])], 403),
        (&[("open-only", &[Right::Export]), ("all", &[Right::Search])], 403),
        (&[("open-only", &[Right::Search, Right::Export]), ("all", &[Right::Search])], 200),
    ] {
        grants.iter().for_each(|(logspace, rights)| accounts.grant("eva", logspace, rights).unwrap());
        assert_eq!(status(), want, "{grants:?}");
        grants.iter().for_each(|(logspace, _)| accounts.revoke("eva", logspace, &RIGHTS).unwrap());
    }
}

#[test]
fn nothing_is_shown_that_cannot_be_written_down() {
    let folder = tempfile::tempdir().unwrap();
    let scopes = vec![Arc::new(Scope::local("all", open(folder.path(), "all", Vec::new())))];
    let server = Server::listening(Given { scopes, is_full: true, ..Given::default() }, |options| options);
    let (status, head, body) = server.login("a long password");
    assert!(status == 500 && body.contains("nobody is let in") && !head.contains("set-cookie"), "{body}");
    let credential = server.accounts.credential("eva").unwrap().unwrap();
    server.state.sessions().open("t", "eva", credential, &Policy::default(), crate::state::now_s());
    let session = "cookie: duramen_session=t\r\nx-requested-by: t\r\n";
    for (request, body) in [
        ("POST /api/v1/search", "{}"),
        ("POST /api/v1/facets", r#"{"columns":["host"]}"#),
        ("POST /api/v1/explain", "{}"),
        ("POST /api/v1/package", "{}"),
        ("POST /api/v1/seal", "{}"),
        ("POST /api/v1/unlock", r#"{"key":"x"}"#),
        ("GET /api/v1/export", ""),
        ("GET /api/v1/tail", ""),
        ("GET /api/v1/message?sequence=0", ""),
        ("GET /api/v1/context?sequence=0", ""),
    ] {
        let (status, _, answer) = server.ask(request, session, body);
        assert!(status == 500 && answer.contains("nothing is shown"), "{request}: {status} {answer}");
    }
}

#[test]
fn a_session_that_cannot_be_forgotten_on_disk_is_named() {
    let server = Server::start();
    server.state.sessions().take_due(crate::state::now_s());
    let (token, _) = server.session();
    let file = server.folder.path().join("sessions.json");
    std::fs::remove_file(&file).unwrap();
    std::fs::create_dir(&file).unwrap();
    let session = format!("cookie: duramen_session={token}\r\nx-requested-by: t\r\n");
    let (status, _, body) = server.ask("POST /api/v1/logout", &session, "{}");
    assert!(status == 500 && body.contains("logged out, but the file of sessions"), "{body}");
    assert_eq!(server.ask("GET /api/v1/session", &session, "").0, 401);
}

#[test]
fn uses_of_sessions_are_written_now_and_then() {
    let mut server = Server::start();
    // The first use after the start is written, the next one is not, and an unknown token makes nothing due.
    let folder = std::mem::replace(&mut server.folder, tempfile::tempdir().unwrap());
    let file = folder.path().join("sessions.json");
    server.login("a long password");
    server.state.sessions().take_due(crate::state::now_s());
    std::fs::remove_file(&file).unwrap();
    let (token, _) = server.session();
    std::fs::remove_file(&file).unwrap();
    for token in [token.as_str(), "unknown"] {
        server.ask("GET /api/v1/session", &format!("cookie: duramen_session={token}\r\n"), "");
    }
    // The threads that write are waited for.
    drop(server);
    assert!(!file.exists());
}

/// A backend that says only what it has to.
struct Silent;

impl Backend for Silent {
    fn scopes(&self) -> Vec<Arc<Scope>> {
        Vec::new()
    }

    fn metrics(&self) -> String {
        String::new()
    }

    fn scratch(&self) -> &std::path::Path {
        std::path::Path::new("/")
    }

    fn note(&self, _: &evidence::LedgerEntry) -> io::Result<()> {
        Ok(())
    }

    fn security(&self, _: &SecurityEvent) -> io::Result<()> {
        Ok(())
    }
}

#[test]
fn a_backend_without_troubles_names_none() {
    let none: Vec<String> = Vec::new();
    assert_eq!(
        [
            Silent.not_running(),
            Silent.source_troubles(),
            Silent.destination_troubles(),
            Silent.rule_troubles()
        ],
        [none.clone(), none.clone(), none.clone(), none]
    );
    assert!(Silent.alerts().is_none());
    Silent.release_memory();
}

#[test]
fn exports_are_limited_as_configured() {
    let server = Server::start();
    let ids = Ids::load_or_draw(&server.folder.path().join("other.key")).unwrap();
    let limits = Limits {
        exports: 2,
        exports_per_user: 1,
        searches_memory: 4 << 20,
        search_memory: 1 << 20,
        kept_results: 1 << 20,
    };
    let objects = server.state.shared_objects();
    let state = State::new(server.backend.clone(), server.accounts.clone(), objects, ids, "host").unwrap();
    let default = state.memory().budget(&lookup::CancelToken::unlimited()).permit("x").grow_at_once(2 << 20);
    assert!(default.is_ok());
    let state = state.with_limits(limits);
    let slot = state.export_slot(&server.user("eva")).ok().unwrap();
    assert!(state.export_slot(&server.user("eva")).is_err());
    drop(slot);
    assert!(state.export_slot(&server.user("eva")).is_ok());
    let memory = state.memory().budget(&lookup::CancelToken::unlimited());
    assert!(memory.permit("x").grow_at_once(2 << 20).is_err());
}

#[test]
fn trouble_of_a_logspace_is_for_its_administrators() {
    let folder = tempfile::tempdir().unwrap();
    let logspace = open(folder.path(), "all", Vec::new());
    let blocked = folder.path().join("all/2096");
    std::fs::write(&blocked, "in the way").unwrap();
    super::scopes::store(&logspace, "all", 0, 4);
    assert!(logspace.seal_now(std::time::Duration::from_millis(1)).is_none());
    while logspace.stats().last_error.is_none() {
        std::thread::yield_now();
    }
    let scope = |name: &str, kind, members| Arc::new(Scope { name: name.into(), kind, members });
    let view = scope("view", ScopeKind::Filtered, vec![member("all", &logspace, Some("host:open"))]);
    let server = Server::with(vec![Arc::new(Scope::local("all", logspace.clone())), view]);
    let health = |session: &str| -> Value {
        let (_, _, body) = server.ask("GET /api/v1/health", session, "");
        serde_json::from_str(&body).unwrap()
    };
    let (token, _) = server.session();
    let session = format!("cookie: duramen_session={token}\r\n");
    let seen = health(&session);
    assert_eq!(seen["status"], "degraded");
    let error = logspace.stats().last_error.unwrap();
    assert_eq!(seen["logspaces"][0]["error"], error.as_str());
    assert!(seen["logspaces"][1]["error"].is_null(), "{seen}");
    server.accounts.revoke("eva", EVERY_LOGSPACE, &[Right::Administer]).unwrap();
    let seen = health(&session);
    assert_eq!(seen["logspaces"][0]["error"], "something is wrong; who administers the logspace sees what");
    assert_eq!((seen["status"].as_str(), seen["logspaces"][1]["error"].is_null()), (Some("degraded"), true));
    assert_eq!(health(""), json!({"status": "degraded", "logspaces": []}));
    std::fs::remove_file(&blocked).unwrap();
}

#[test]
fn a_package_says_by_which_name_its_messages_were_asked_for() {
    let folder = tempfile::tempdir().unwrap();
    let all = open(folder.path(), "all", Vec::new());
    super::scopes::fill(&all, "all", 0, 4);
    let scope = |name: &str, kind, filter| {
        Arc::new(Scope { name: name.into(), kind, members: vec![member("all", &all, filter)] })
    };
    let server = Server::with(vec![
        Arc::new(Scope::local("all", all.clone())),
        scope("alias", ScopeKind::Multiple, None),
        scope("part", ScopeKind::Filtered, Some("host:open")),
    ]);
    let basic = "authorization: Basic ZXZhOmEgbG9uZyBwYXNzd29yZA==\r\nx-requested-by: t\r\n";
    for (name, want) in [("all", None), ("alias", Some("alias")), ("part", Some("part"))] {
        let (_, _, body) = server.ask("POST /api/v1/package", basic, &json!({"logspace": name}).to_string());
        let made: Value = serde_json::from_str(&body).unwrap();
        let package = server.state.packages().find(made["id"].as_str().unwrap(), "eva").unwrap();
        let manifest = std::fs::read_to_string(package.path().join("manifest.json")).unwrap();
        let view = manifest.split("\"view\": ").nth(1).unwrap();
        assert_eq!(view.starts_with("null"), want.is_none(), "{name}: {view}");
        assert!(want.is_none_or(|want| view.contains(&format!("\"{want}\""))), "{name}: {view}");
    }
}
