//! Callers: the names that they may use, those behind proxies, and those that come encrypted or should.

use super::*;
use crate::Policy;
use rcgen::{CertifiedKey, generate_simple_self_signed};
use rustls::{
    ClientConfig, ClientConnection, RootCertStore, ServerConfig, StreamOwned,
    crypto::aws_lc_rs::default_provider,
    pki_types::{PrivateKeyDer, ServerName},
};

/// Sends a request as it is, and returns the status and the whole answer, in lower case.
fn raw(stream: &mut (impl Read + Write), request: &str) -> (u16, String) {
    stream.write_all(request.as_bytes()).unwrap();
    let mut bytes = Vec::new();
    // The end may come without a goodbye.
    let _ = stream.read_to_end(&mut bytes);
    let text = String::from_utf8_lossy(&bytes).to_lowercase();
    (text.get(9..12).and_then(|status| status.parse().ok()).unwrap_or(0), text)
}

pub(super) fn plain(address: SocketAddr, request: &str) -> (u16, String) {
    raw(&mut TcpStream::connect(address).unwrap(), request)
}

#[test]
fn only_calls_for_this_server_are_answered() {
    let policy = Policy { allowed_hosts: vec!["logs.example".to_owned()], ..Policy::default() };
    let server = Server::listening(Given { policy: Arc::new(policy), ..Given::default() }, |options| options);
    let rows = [
        ("/metrics", "host: localhost", 200),
        ("/metrics", "host: 127.0.0.1:80", 200),
        ("/metrics", "host: loghost.example", 200),
        ("/metrics", "host: loghost:8080", 200),
        ("/metrics", "host: logs.example", 200),
        ("/metrics", "host: logs", 421),
        ("/metrics", "host: evil.example", 421),
        ("/metrics", "host: evil.example\r\nhost: localhost", 421),
        ("/metrics", "host: user@localhost", 400),
        ("http://localhost/metrics", "host: localhost", 200),
        ("http://evil.example/metrics", "host: localhost", 421),
        ("/api/v1/health", "host: evil.example", 421),
    ];
    for (path, host, want) in rows {
        let (status, text) =
            plain(server.address, &format!("GET {path} HTTP/1.1\r\n{host}\r\nconnection: close\r\n\r\n"));
        assert_eq!(status, want, "{path} {host}: {text}");
        let is_json = text.contains("content-type: application/json");
        assert_eq!(is_json, path.starts_with("/api/"), "{path}: errors of the API have its shape");
    }
    let events = server.backend.events.lock().unwrap();
    let hosts: Vec<&str> = events
        .iter()
        .map(|event| match event {
            SecurityEvent::WrongHost { host, .. } => host.as_str(),
            other => panic!("{other:?}"),
        })
        .collect();
    assert_eq!(hosts, ["logs", "evil.example", "evil.example", "", "evil.example", "evil.example"]);
}

#[test]
fn answers_have_the_headers_that_protect_the_page() {
    let server = Server::start();
    for (path, is_private) in [
        ("/", false),
        ("/manual/", false),
        ("/metrics", true),
        ("/api/v1/health", true),
        ("/api/v1/no", true),
    ] {
        let (_, head, _) = server.ask(&format!("GET {path}"), "", "");
        for header in [
            "content-security-policy: default-src 'none'; script-src 'self'",
            "x-content-type-options: nosniff",
            "x-frame-options: deny",
            "referrer-policy: no-referrer",
        ] {
            assert!(head.contains(header), "{path}: {head}");
        }
        assert!(!head.contains("strict-transport-security"), "{path}: it came in clear");
        assert!(!is_private || head.contains("cache-control: no-store"), "{path}: {head}");
    }
}

#[test]
fn figures_are_for_this_machine_and_for_administrators() {
    let server = Server::start();
    let basic = "authorization: Basic ZXZhOmEgbG9uZyBwYXNzd29yZA==\r\n";
    let forwarded =
        |header: &str, more: &str| server.ask("GET /metrics", &format!("{header}\r\n{more}"), "").0;
    for header in ["x-forwarded-for: 10.1.1.1", "forwarded: for=10.1.1.1"] {
        assert_eq!((forwarded(header, ""), forwarded(header, basic)), (401, 200), "{header}");
    }
}

#[test]
fn proxies_name_their_callers() {
    let policy = Policy { trusted_proxies: vec!["127.0.0.1".parse().unwrap()], ..Policy::default() };
    let server = Server::listening(Given { policy: Arc::new(policy), ..Given::default() }, |options| options);
    let body = r#"{"user":"eva","password":"a long password"}"#;
    let (_, head, _) = server.ask("POST /api/v1/login", "x-forwarded-for: 192.0.2.7\r\n", body);
    assert!(head.contains("set-cookie: ") && !head.contains("; secure"), "{head}");
    let (_, head, _) = server.ask("POST /api/v1/login", "x-forwarded-proto: https\r\n", body);
    assert!(head.contains("; path=/; secure"), "{head}");
    let events = server.backend.events.lock().unwrap();
    let addresses: Vec<String> = events
        .iter()
        .filter_map(|event| match event {
            SecurityEvent::LoggedIn { address, .. } => Some(address.to_string()),
            _ => None,
        })
        .collect();
    assert_eq!(addresses, ["192.0.2.7", "127.0.0.1"]);
}

/// The settings of a server named localhost, and of a client that trusts it.
pub(super) fn tls() -> (Arc<ServerConfig>, Arc<ClientConfig>) {
    let CertifiedKey { cert, signing_key } =
        generate_simple_self_signed(vec!["localhost".to_owned()]).unwrap();
    let provider = Arc::new(default_provider());
    let key = PrivateKeyDer::Pkcs8(signing_key.serialize_der().into());
    let server = ServerConfig::builder_with_provider(provider.clone())
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_no_client_auth()
        .with_single_cert(vec![cert.der().clone()], key)
        .unwrap();
    let mut roots = RootCertStore::empty();
    roots.add(cert.der().clone()).unwrap();
    let client = ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_root_certificates(roots)
        .with_no_client_auth();
    (Arc::new(server), Arc::new(client))
}

#[test]
fn callers_in_clear_are_sent_to_the_encrypted_address() {
    let (config, trusting) = tls();
    // A port that is free now.
    let redirect = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let server = Server::listening(Given::default(), |options| ListenOptions {
        redirects: vec![redirect],
        tls: Arc::new(move || Some(config.clone())),
        ..options
    });
    let port = server.address.port();
    let get =
        |path: &str, host: &str| format!("GET {path} HTTP/1.1\r\nhost: {host}\r\nconnection: close\r\n\r\n");
    for address in [server.address, redirect] {
        for (path, host, want) in [
            ("/", "localhost", format!("https://localhost:{port}/")),
            ("/search?q=a%20b", "127.0.0.1:80", format!("https://127.0.0.1:{port}/search?q=a%20b")),
            ("/metrics", "[::1]:80", format!("https://[::1]:{port}/metrics")),
        ] {
            let (status, text) = plain(address, &get(path, host));
            assert_eq!(status, 308, "{text}");
            assert!(text.contains(&format!("location: {want}\r\n")), "{text}");
            assert!(!text.contains("a_total") && !text.contains("strict-transport-security"), "{text}");
        }
        assert_eq!(plain(address, &get("*", "localhost")).0, 400);
    }
    let encrypted = |request: &str| {
        let name = ServerName::try_from("localhost").unwrap();
        let session = ClientConnection::new(trusting.clone(), name).unwrap();
        raw(&mut StreamOwned::new(session, TcpStream::connect(server.address).unwrap()), request)
    };
    let (status, text) = encrypted(&get("/metrics", "localhost"));
    assert!(status == 200 && text.contains("a_total 1"), "{text}");
    assert!(text.contains("strict-transport-security: max-age=31536000\r\n"), "{text}");
    let body = r#"{"user":"eva","password":"a long password"}"#;
    let login = format!(
        "POST /api/v1/login HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\ncontent-type: application/json\r\ncontent-length: {}\r\n\r\n{body}",
        body.len()
    );
    let (status, text) = encrypted(&login);
    assert!(status == 200 && text.contains("; secure"), "{text}");
    assert_eq!(plain(redirect, &login).0, 308, "no password is looked at in clear");
}

#[test]
fn a_port_of_its_own_is_not_named_when_it_is_that_of_https() {
    use crate::request::guard::encrypted_place;
    let place = |host: &str, port| {
        let request = axum::http::Request::builder().uri("/a?b").header("host", host);
        encrypted_place(&request.body(axum::body::Body::empty()).unwrap(), port)
    };
    assert_eq!(place("logs.example", 443).as_deref(), Some("https://logs.example/a?b"));
    assert_eq!(place("logs.example:80", 8443).as_deref(), Some("https://logs.example:8443/a?b"));
    assert_eq!(place("a b", 443), None);
}

#[test]
fn files_of_the_page_are_only_read() {
    let server = Server::start();
    for (request, want) in [
        ("GET /nothing", 404),
        ("GET /manual", 308),
        ("POST /manual/", 405),
        ("GET /manual/nothing", 404),
        ("GET /manualnothing", 404),
        ("GET /api/nothing", 404),
    ] {
        let (status, head, _) = server.ask(request, "", "");
        // A binary without the manual says so.
        assert!(status == want || want == 308 && status == 404, "{request}: {status} {head}");
    }
}
