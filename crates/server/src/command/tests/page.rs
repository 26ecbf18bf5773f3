//! A running server, as its page and its tools for operators show it.

use super::{
    server::{CONFIG, PASSWORD, Running, send_three, wait_for_written},
    transcript::Transcript,
};
use crate::control::{self, Reply};
use evidence::Identity;
use flate2::read::GzDecoder;
use std::{
    fs,
    io::{Read, Write},
    net::{TcpListener, TcpStream},
    os::unix::fs::PermissionsExt,
    path::Path,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    thread,
};
use transport::testing::{PATIENCE, eventually};

/// Calls the page, and returns the status, the headers and the body.
fn call(running: &Running, request: &str, headers: &str, body: &str) -> (u16, String, String) {
    let url = running.url();
    let mut peer = TcpStream::connect(url.strip_prefix("http://").unwrap()).unwrap();
    let length = body.len();
    write!(
        peer,
        "{request} HTTP/1.1\r\nconnection: close\r\ncontent-type: application/json\r\ncontent-length: {length}\r\n\
         x-requested-by: test\r\n{headers}\r\n{body}"
    )
    .unwrap();
    let mut bytes = Vec::new();
    peer.read_to_end(&mut bytes).unwrap();
    let text = String::from_utf8_lossy(&bytes);
    let (head, body) = text.split_once("\r\n\r\n").unwrap();
    (head[9..12].parse().unwrap(), head.to_owned(), body.to_owned())
}

/// Headers of a session of the administrator.
fn session(running: &Running) -> String {
    let body = format!(r#"{{"user":"admin","password":"{PASSWORD}"}}"#);
    let (status, head, body) = call(running, "POST /api/v1/login", "host: localhost\r\n", &body);
    assert_eq!(status, 200, "{body}");
    let cookie = head.split("set-cookie: ").nth(1).unwrap().split(';').next().unwrap();
    format!("host: localhost\r\ncookie: {cookie}\r\n")
}

#[test]
fn the_page_shows_the_server_behind_it() {
    let mut transcript = Transcript::new();
    let config = CONFIG.replace(
        "log everything",
        "options { page(allowed-hosts(\"logs.example\")); };\nlog { source { nosuch(); }; destination(d_host); };\nlog everything",
    );
    let running = Running::start_with(&mut transcript, &config, |settings| settings.skip_unsupported = true);
    send_three(&running, &transcript);
    let data = transcript.dir.path().join("data");
    assert_eq!(fs::metadata(data.join("scratch")).unwrap().permissions().mode() & 0o777, 0o700);
    let (status, _, metrics) = call(&running, "GET /metrics", "host: localhost\r\n", "");
    assert_eq!(status, 200);
    let line = "syslogng_input_events_total{driver=\"network\",id=\"s_in#0\"";
    assert!(metrics.lines().any(|row| row.starts_with(line) && row.ends_with(" 3")), "{metrics}");
    let session = session(&running);
    let get = |path: &str| call(&running, &format!("GET /api/v1/{path}"), &session, "").2;
    let health: serde_json::Value = serde_json::from_str(&get("health")).unwrap();
    assert_eq!(health["status"], "degraded", "{health}");
    assert!(health["not_running"][0].as_str().unwrap().contains("nosuch"), "{health}");
    let logspaces = get("logspaces");
    assert!(logspaces.contains("\"audit\"") && logspaces.contains("\"some\""), "{logspaces}");
    let control = transcript.dir.path().join("ctl");
    let says = |command: &str| match control::ask(&control, command, PATIENCE).unwrap() {
        Reply::Done(text) => text,
        Reply::Failed(text) => panic!("{command}: {text}"),
    };
    assert!(says("CONFIG SKIPPED").contains("nosuch"), "{}", says("CONFIG SKIPPED"));
    assert!(
        says("CONFIG VERIFY").ends_with("OK Configuration file has no errors\n"),
        "{}",
        says("CONFIG VERIFY")
    );
    let health = says("HEALTHCHECK");
    assert!(health.contains("syslogng_is_healthy 0\n") && health.contains("nosuch"), "{health}");
    let status_for = |host: &str| call(&running, "GET /", &format!("host: {host}\r\n"), "").0;
    assert_eq!((status_for("logs.example"), status_for("other.example")), (200, 421));
    call(&running, "POST /api/v1/search", &session, r#"{"logspace":"audit","query":"n1"}"#);
    running.stop(&mut transcript);
    let ledger = transcript.run("duramen ledger ls --data DIR/data");
    for action in ["login", "wrong-host", "search"] {
        assert!(ledger.contains(&format!("\t{action}\t")), "{action}: {ledger}");
    }
}

/// The files of a support bundle.
fn unpacked(path: &Path) -> Vec<(String, String)> {
    let mut archive = tar::Archive::new(GzDecoder::new(fs::File::open(path).unwrap()));
    let entries = archive.entries().unwrap().map(|entry| {
        let mut entry = entry.unwrap();
        let mut text = String::new();
        entry.read_to_string(&mut text).unwrap();
        (entry.path().unwrap().display().to_string(), text)
    });
    entries.collect()
}

#[test]
fn a_support_bundle_shows_the_server_without_its_messages() {
    let mut transcript = Transcript::new();
    let running = Running::start(&mut transcript, CONFIG);
    send_three(&running, &transcript);
    transcript
        .run("duramen support-bundle -c DIR/ctl --data DIR/data -o DIR/bundle.tar.gz --unit none.service");
    running.stop(&mut transcript);
    let files = unpacked(&transcript.dir.path().join("bundle.tar.gz"));
    let text = |name: &str| files.iter().find(|(known, _)| known.ends_with(name)).unwrap().1.as_str();
    assert!(
        text("config.txt").contains("destination d_audit {\n    logspace(\"audit\" "),
        "{}",
        text("config.txt")
    );
    assert!(text("statistics.csv").contains("\nsrc.network;s_in#0;"), "{}", text("statistics.csv"));
    assert!(text("statistics.csv").contains("\ndst.file;d_host#0;-;"), "{}", text("statistics.csv"));
    assert!(text("health.txt").starts_with("OK syslogng_is_healthy 1\n"), "{}", text("health.txt"));
    let conf = transcript.dir.path().join("conf").display().to_string();
    assert!(text("files.txt").contains(&conf), "{}", text("files.txt"));
    assert!(text("data.txt").contains(" logspaces/audit\n"), "{}", text("data.txt"));
    let name = format!("Pid:\t{}\n", std::process::id());
    assert!(text("process.txt").starts_with("== status\n") && text("process.txt").contains(&name));
    assert!(text("process.txt").contains("== open files\n"));
    for (name, text) in &files {
        assert!(!text.contains("n2 failed") && !text.contains("user=eva"), "{name}");
    }
}

/// Answers every request with the status at this moment.
fn receiver(is_refusing: Arc<AtomicBool>) -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    thread::spawn(move || {
        // It ends with the process of the tests.
        while let Ok((mut peer, _)) = listener.accept() {
            let mut bytes = [0; 4096];
            while peer.read(&mut bytes).is_ok_and(|count| count > 0) {
                let status = if is_refusing.load(Ordering::SeqCst) { "422 Wrong" } else { "200 OK" };
                let answer = format!("HTTP/1.1 {status}\r\ncontent-length: 3\r\n\r\nbad");
                if peer.write_all(answer.as_bytes()).is_err() {
                    break;
                }
            }
        }
    });
    port
}

#[test]
fn dead_letters_are_shown_replayed_and_dropped() {
    let mut transcript = Transcript::new();
    let is_refusing = Arc::new(AtomicBool::new(true));
    let port = receiver(is_refusing.clone());
    let config = CONFIG.replace(
        "log everything",
        &format!(
            "destination d_web {{ http(url(\"http://127.0.0.1:{port}/x\") body(\"$MSG\") dead-letters(capacity-bytes(2M))); }};\n\
             log {{ source(s_in); destination(d_web); }};\nlog everything"
        ),
    );
    let running = Running::start(&mut transcript, &config);
    transcript.mask(&format!(":{port}/"), ":WEB/");
    send_three(&running, &transcript);
    let control = transcript.dir.path().join("ctl");
    let wait_for = |figure: &str, count: u32| {
        eventually(figure, || {
            let reply = control::ask(&control, &format!("QUERY GET_SUM dst.http.*.{figure}"), PATIENCE);
            matches!(reply, Ok(Reply::Done(text)) if text == format!("{count}\n"))
        });
    };
    wait_for("dead_letters", 3);
    let dead = "duramen queue dead -c DIR/ctl";
    let cat = transcript.run_quietly(&format!("{dead} cat d_web#0"));
    let cat = String::from_utf8(cat.output).unwrap();
    let id = cat.lines().next().unwrap().rsplit_once("id=").unwrap().1.to_owned();
    assert_eq!(id.len(), 32, "{cat}");
    for line in [
        "ls",
        "cat d_web#0",
        "cat d_web#0 -t $HOST\\n$MSG\\n",
        &format!("cat d_web#0 --id {id} -t $MSG"),
        "cat d_web#0 --reason rejected -t $MSG",
        "cat d_web#0 --reason type",
        "cat d_web#0 --reason nothing",
        "cat d_web#0 --of nothing",
        "cat d_web#0 --id 12",
        "cat d_web#0 -t $(nosuch)",
        "cat nowhere",
        &format!("drop d_web#0 --id {id}"),
        "ls",
    ] {
        transcript.run(&format!("{dead} {line}"));
    }
    is_refusing.store(false, Ordering::SeqCst);
    transcript.run(&format!("{dead} replay d_web#0"));
    transcript.run(&format!("{dead} ls"));
    is_refusing.store(true, Ordering::SeqCst);
    running.send(&["<13>Nov 21 03:00:03 web app: n4 \x1b[2J\n"]);
    wait_for("dead_letters", 1);
    wait_for_written(&transcript, 11);
    running.stop(&mut transcript);
    let ledger = transcript.run_quietly("duramen ledger ls --data DIR/data").output;
    let ledger = String::from_utf8(ledger).unwrap();
    for (action, count) in [("read dead letters", 11), ("drop dead letters", 1), ("replay dead letters", 1)] {
        assert_eq!(ledger.matches(&format!("\t{action}\t")).count(), count, "{action}: {ledger}");
    }
    for line in ["ls", "cat d_web#0 -t $MSG", "cat d_web#0 -t $MSG --raw", "cat nowhere", "replay d_web#0"] {
        transcript.run(&format!("duramen queue dead --folder DIR/data/dead-letters {line}"));
    }
    transcript.mask(&id, "ID");
    transcript.check("command/dead_letters.txt");
}

#[test]
fn encrypted_dead_letters_need_their_key() {
    let (recipient, key) = Identity::draw().unwrap();
    let mut transcript = Transcript::new();
    let is_refusing = Arc::new(AtomicBool::new(true));
    let port = receiver(is_refusing.clone());
    let options = format!("dead-letters(encrypt-certificate(\"{recipient}\"))");
    let config = CONFIG.replace(
        "log everything",
        &format!(
            "destination d_web {{ http(url(\"http://127.0.0.1:{port}/x\") body(\"$MSG\") {options}); }};\n\
             log {{ source(s_in); destination(d_web); }};\nlog everything"
        ),
    );
    transcript.write("key", &key);
    transcript.write("other", &Identity::draw().unwrap().1);
    transcript.write("none", "no key\n");
    let running = Running::start(&mut transcript, &config);
    transcript.mask(&format!(":{port}/"), ":WEB/");
    send_three(&running, &transcript);
    let control = transcript.dir.path().join("ctl");
    eventually("dead letters", || {
        let reply = control::ask(&control, "QUERY GET_SUM dst.http.*.dead_letters", PATIENCE);
        matches!(reply, Ok(Reply::Done(text)) if text == "3\n")
    });
    let dead = "duramen queue dead -c DIR/ctl";
    for line in [
        "ls",
        "cat d_web#0",
        "cat d_web#0 --key DIR/other",
        "cat d_web#0 --key DIR/none",
        "cat d_web#0 --key DIR/other --key DIR/key",
        "cat d_web#0 --reason type",
        "drop d_web#0 --of http://127.0.0.1:WEB/x",
        "replay d_web#0",
    ] {
        transcript.run(&format!("{dead} {line}"));
    }
    is_refusing.store(false, Ordering::SeqCst);
    transcript.run(&format!("{dead} replay d_web#0 --key DIR/key"));
    is_refusing.store(true, Ordering::SeqCst);
    running.send(&["<13>Nov 21 03:00:03 web app: n4\n"]);
    wait_for_written(&transcript, 12);
    running.stop(&mut transcript);
    for line in ["ls", "cat d_web#0", "cat d_web#0 --key DIR/key", "drop d_web#0", "ls"] {
        transcript.run(&format!("duramen queue dead --folder DIR/data/dead-letters {line}"));
    }
    transcript.check("command/dead_letters_encrypted.txt");
}

#[test]
fn sealed_messages_are_unlocked_with_their_key_alone() {
    let (recipient, key) = Identity::draw().unwrap();
    let mut transcript = Transcript::new();
    let config = CONFIG.replace(
        "archive-to(\"DIR/archive\")",
        &format!("archive-to(\"DIR/archive\") encrypt-certificate(\"{recipient}\")"),
    );
    let running = Running::start(&mut transcript, &config);
    send_three(&running, &transcript);
    transcript.run("duramen logspace seal audit -c DIR/ctl");
    transcript.write("key", &key);
    transcript.write("other", &Identity::draw().unwrap().1);
    for (line, want) in [
        ("lock audit", "1 segments are locked\n"),
        ("unlock audit --key DIR/other", "0 segments opened, 1 stay locked\n"),
        ("unlock audit --key DIR/key", "1 segments opened, 0 stay locked\n"),
        ("lock audit", "1 segments are locked\n"),
        ("unlock audit --key DIR/nowhere", ""),
    ] {
        assert_eq!(transcript.run(&format!("duramen logspace {line} -c DIR/ctl")), want, "{line}");
    }
    running.stop(&mut transcript);
    let ledger = transcript.run("duramen ledger ls --data DIR/data");
    assert_eq!(
        (ledger.matches("\tunlock\t").count(), ledger.matches("\tlock\t").count()),
        (2, 2),
        "{ledger}"
    );
}
