//! The API over a real socket, spoken to byte by byte.

mod callers;
mod dashboards;
mod factor;
mod kept;
mod limits;
mod rights;
mod saved_objects;
mod saved_rules;
pub(crate) mod scopes;
mod sessions;
mod tokens;
mod users;

use crate::{Backend, Ids, ListenOptions, Listening, Scope, SecurityEvent, State, listen};
use accounts::{Accounts, EVERY_LOGSPACE, RIGHTS};
use std::{
    io::{Read, Write},
    net::{SocketAddr, TcpStream},
    sync::Arc,
};
use tokio::runtime::Runtime;

/// A backend with some logspaces.
#[derive(Default)]
struct Given {
    scopes: Vec<Arc<Scope>>,
    ledger: std::sync::Mutex<Vec<String>>,
    events: std::sync::Mutex<Vec<crate::SecurityEvent>>,
    scratch: std::path::PathBuf,
    policy: Arc<crate::Policy>,
    /// True when nothing can be written down.
    is_full: bool,
    /// Sentences about parts that do not run, sources, destinations, and rules.
    troubles: [Vec<String>; 4],
}

impl Backend for Given {
    fn scopes(&self) -> Vec<Arc<Scope>> {
        self.scopes.clone()
    }

    fn metrics(&self) -> String {
        "a_total 1\n".into()
    }

    fn scratch(&self) -> &std::path::Path {
        &self.scratch
    }

    fn policy(&self) -> Arc<crate::Policy> {
        self.policy.clone()
    }

    fn not_running(&self) -> Vec<String> {
        self.troubles[0].clone()
    }

    fn source_troubles(&self) -> Vec<String> {
        self.troubles[1].clone()
    }

    fn destination_troubles(&self) -> Vec<String> {
        self.troubles[2].clone()
    }

    fn rule_troubles(&self) -> Vec<String> {
        self.troubles[3].clone()
    }

    fn note(&self, entry: &evidence::LedgerEntry) -> std::io::Result<()> {
        self.writable()?;
        let line = format!("{} {} {} {}", entry.user, entry.action, entry.logspace, entry.question);
        self.ledger.lock().unwrap().push(line.trim_end().to_owned());
        Ok(())
    }

    fn security(&self, event: &crate::SecurityEvent) -> std::io::Result<()> {
        self.writable()?;
        self.events.lock().unwrap().push(event.clone());
        Ok(())
    }
}

impl Given {
    fn writable(&self) -> std::io::Result<()> {
        if self.is_full { Err(std::io::ErrorKind::StorageFull.into()) } else { Ok(()) }
    }
}

/// A server of the test, with the user `eva`.
pub(crate) struct Server {
    pub(crate) runtime: Runtime,
    pub(crate) listening: Option<Listening>,
    pub(crate) address: SocketAddr,
    pub(crate) accounts: Accounts,
    backend: Arc<Given>,
    pub(crate) state: Arc<State>,
    pub(crate) folder: tempfile::TempDir,
}

impl Server {
    pub(crate) fn start() -> Server {
        Server::with(Vec::new())
    }

    pub(crate) fn with(scopes: Vec<Arc<Scope>>) -> Server {
        Server::listening(Given { scopes, ..Given::default() }, |options| options)
    }

    /// A server with a backend, which listens as `change` says.
    fn listening(given: Given, change: impl FnOnce(ListenOptions) -> ListenOptions) -> Server {
        let folder = tempfile::tempdir().unwrap();
        let accounts = Accounts::at(&folder.path().join("users.json"));
        accounts.add("eva", "a long password").unwrap();
        accounts.grant("eva", EVERY_LOGSPACE, &RIGHTS).unwrap();
        let backend = Arc::new(Given { scratch: folder.path().to_owned(), ..given });
        let ids = Ids::load_or_draw(&folder.path().join("rows.key")).unwrap();
        let objects = Arc::new(objects::Store::open(&folder.path().join("objects/objects.db")));
        let kept = accounts.clone().with_administrator();
        let state = State::new(backend.clone(), kept, objects, ids, "loghost.example").unwrap();
        state.keep_sessions(&folder.path().join("sessions.json")).unwrap();
        state.keep_token_uses(&folder.path().join("token-uses.json")).unwrap();
        let state = Arc::new(state);
        let runtime =
            tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap();
        let options = change(ListenOptions::plain(([127, 0, 0, 1], 0).into()));
        let listening = runtime.block_on(listen(options, state.clone())).unwrap();
        let address = listening.address;
        Server { runtime, address, listening: Some(listening), accounts, backend, state, folder }
    }

    /// Status line, headers and body of one request.
    fn ask(&self, request: &str, headers: &str, body: &str) -> (u16, String, String) {
        let mut peer = TcpStream::connect(self.address).unwrap();
        let length = body.len();
        let head = format!(
            "{request} HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\ncontent-type: application/json\r\n\
             content-length: {length}\r\n{headers}\r\n"
        );
        peer.write_all(head.as_bytes()).unwrap();
        peer.write_all(body.as_bytes()).unwrap();
        let mut bytes = Vec::new();
        peer.read_to_end(&mut bytes).unwrap();
        let text = String::from_utf8_lossy(&bytes);
        let (head, body) = text.split_once("\r\n\r\n").unwrap();
        (head[9..12].parse().unwrap(), head.to_lowercase(), body.to_owned())
    }

    fn login(&self, password: &str) -> (u16, String, String) {
        self.ask("POST /api/v1/login", "", &format!(r#"{{"user":"eva","password":"{password}"}}"#))
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        if let Some(listening) = self.listening.take() {
            self.runtime.block_on(listening.stop());
        }
    }
}

#[test]
fn a_session_opens_and_closes() {
    let server = Server::start();
    assert_eq!(server.ask("GET /api/v1/session", "", "").0, 401);
    let (status, head, body) = server.login("a long password");
    assert_eq!(status, 200, "{body}");
    assert!(head.contains("httponly; samesite=strict"), "{head}");
    let cookie = head.split("set-cookie: ").nth(1).unwrap().split(';').next().unwrap();
    let cookie = format!("cookie: other=1; {cookie}\r\n");
    let (status, _, body) = server.ask("GET /api/v1/session", &cookie, "");
    assert_eq!(status, 200);
    assert!(body.contains(r#""user":"eva""#), "{body}");
    let (status, _, body) = server.ask("POST /api/v1/logout", &cookie, "{}");
    assert_eq!(status, 403, "a call without X-Requested-By: {body}");
    assert_eq!(server.ask("POST /api/v1/logout", &format!("{cookie}x-requested-by: t\r\n"), "{}").0, 200);
    assert_eq!(server.ask("GET /api/v1/session", &cookie, "").0, 401);
}

#[test]
fn attempts_are_limited() {
    let server = Server::start();
    for _ in 0..crate::access::throttle::PAIR.free {
        assert_eq!(server.login("wrong password").0, 401);
    }
    let (status, head, body) = server.login("a long password");
    assert_eq!(status, 429, "{body}");
    assert!(head.contains("retry-after: "), "{head}");
}

#[test]
fn errors_have_one_shape() {
    let server = Server::start();
    let basic = "authorization: Basic ZXZhOmEgbG9uZyBwYXNzd29yZA==\r\nx-requested-by: t\r\n";
    let rows = [
        ("GET /api/v1/nothing", "", "not_found"),
        ("GET /api/v1/columns", "", "not_found"),
        ("POST /api/v1/search", r#"{"query":"\"open"}"#, "query_syntax"),
        ("POST /api/v1/search", r#"{"query":"a","time":{"from":"whenever"}}"#, "bad_request"),
        ("POST /api/v1/search", r#"{"limit":1000000}"#, "bad_request"),
        ("POST /api/v1/search", r#"{"qeury":"a"}"#, "bad_request"),
        ("POST /api/v1/search", "{", "bad_request"),
        ("GET /api/v1/message?sequence=x", "", "not_found"),
        ("GET /api/v1/message", "", "bad_request"),
    ];
    for (request, body, code) in rows {
        let (status, _, answer) = server.ask(request, basic, body);
        let json: serde_json::Value =
            serde_json::from_str(&answer).unwrap_or_else(|_| panic!("{request}: {answer}"));
        assert_eq!(json["error"]["code"], code, "{request} {body}: {status} {answer}");
    }
}

#[test]
fn the_api_describes_itself() {
    let server = Server::start();
    let (status, head, body) = server.ask("GET /api/v1/openapi.json", "", "");
    let json: serde_json::Value = serde_json::from_str(&body).unwrap();
    assert_eq!(status, 200);
    assert!(json["openapi"].as_str().unwrap().starts_with("3.1"));
    assert!(json["paths"]["/api/v1/search"]["post"].is_object());
    assert!(head.contains("content-security-policy: default-src 'none'"), "{head}");
    let figures = server.ask("GET /metrics", "", "").2;
    assert!(figures.starts_with("a_total 1\n# TYPE duramen_kept_results_bytes gauge\n"), "{figures}");
    assert_eq!(server.ask("GET /metrics", "x-forwarded-for: 10.1.1.1\r\n", "").0, 401);
}

#[test]
fn e5_log_ins_failures_lock_outs_and_refusals_are_reported() {
    let server = Server::start();
    server.login("wrong password");
    let (_, head, _) = server.login("a long password");
    let cookie = head.split("set-cookie: ").nth(1).unwrap().split(';').next().unwrap();
    server.ask("POST /api/v1/logout", &format!("cookie: {cookie}\r\nx-requested-by: t\r\n"), "{}");
    server.accounts.add("bob", "another password").unwrap();
    // The user bob may nothing.
    let basic = "authorization: Basic Ym9iOmFub3RoZXIgcGFzc3dvcmQ=\r\nx-forwarded-for: 10.1.1.1\r\n";
    assert_eq!(server.ask("GET /metrics", basic, "").0, 403);
    (0..12).for_each(|_| drop(server.login("wrong password")));
    let events = server.backend.events.lock().unwrap();
    let named = |event: &SecurityEvent| match event {
        SecurityEvent::LoggedIn { user, address } => format!("in {user} {address}"),
        SecurityEvent::Authenticated { user, .. } => format!("call {user}"),
        SecurityEvent::TokenUsed { user, .. } => format!("token {user}"),
        SecurityEvent::TokenRefused { reason, .. } => format!("refused token {reason}"),
        SecurityEvent::InvitationRefused { reason, .. } => format!("refused invitation {reason}"),
        SecurityEvent::LoggedOut { user } => format!("out {user}"),
        SecurityEvent::Failed { user, .. } => format!("failed {user}"),
        SecurityEvent::WrongCode { user, .. } => format!("wrong code {user}"),
        SecurityEvent::LockedOut { user, .. } => format!("locked {user}"),
        SecurityEvent::Refused { user, right, .. } => format!("refused {user} {right}"),
        SecurityEvent::Malformed { reason, .. } => format!("malformed {reason}"),
        SecurityEvent::WrongHost { host, .. } => format!("host {host}"),
        SecurityEvent::DirectoryRights { user, .. } => format!("rights {user}"),
        SecurityEvent::DirectorySuspended { user, .. } => format!("suspended {user}"),
        SecurityEvent::DirectoryDenied { user, .. } => format!("denied {user}"),
        SecurityEvent::DirectoryUnavailable { reason } => format!("unavailable {reason}"),
    };
    let events: Vec<String> = events.iter().map(named).collect();
    assert_eq!(
        events[..5],
        ["failed eva", "in eva 127.0.0.1", "out eva", "call bob", "refused bob administer"],
        "{events:?}"
    );
    assert_eq!(events.last().map(String::as_str), Some("locked eva"), "{events:?}");
}
