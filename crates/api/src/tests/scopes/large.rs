//! Answers of several pieces.

use super::*;

/// A server with a logspace of large messages, and a session there.
fn large(count: usize, bytes: usize) -> (Server, String, tempfile::TempDir) {
    let folder = tempfile::tempdir().unwrap();
    let logspace = open(folder.path(), "large", Vec::new());
    let mut batch =
        Batch::new(Arc::default(), vec![Arc::new(Origin::default())], Stamp::known(START_US, 0), Ack::none());
    for n in 0..count {
        let text = format!("n{n} {}", "x".repeat(bytes));
        let mut message = Message::default();
        message.raw = batch.add_extra(text.as_bytes());
        message.text = message.raw;
        message.host = batch.add_extra(b"web");
        batch.messages.push(message);
    }
    let selection = Selection::all(batch.len());
    let delivery =
        Delivery { batch: Arc::new(batch), selection, ack: Ack::none(), controlled: true, first: None };
    logspace.deliver(delivery, &WriteBudget::none());
    while logspace.stats().messages_stored_total < count as u64 {
        std::thread::yield_now();
    }
    seal(&logspace);
    let server = Server::with(vec![Arc::new(Scope::local("large", logspace))]);
    let session = cookie(&server.login("a long password").1);
    (server, session, folder)
}

/// The body of an answer in chunks (RFC 9112, section 7.1), or as it is.
pub(in crate::tests) fn whole(head: &str, body: &str) -> String {
    if !head.contains("transfer-encoding: chunked") {
        return body.to_owned();
    }
    let (mut rest, mut text) = (body, String::new());
    while let Some((size, after)) = rest.split_once("\r\n") {
        let size = usize::from_str_radix(size, 16).unwrap();
        text.push_str(&after[..size]);
        rest = &after[size + 2..];
    }
    text
}

#[test]
fn answers_of_several_pieces_are_whole() {
    const COUNT: usize = 30;
    let (server, session, _folder) = large(COUNT, 64 << 10);
    for (query, is_piped) in [("", false), ("* | sort @sequence", true)] {
        let body = json!({"query": query, "limit": 100, "bars": 0}).to_string();
        let (status, head, answer) = server.ask("POST /api/v1/search", &session, &body);
        let answer: Value = serde_json::from_str(&whole(&head, &answer)).unwrap();
        assert_eq!((status, &answer["total"]), (200, &json!(COUNT)));
        let names: Vec<&str> = answer["rows"]
            .as_array()
            .unwrap()
            .iter()
            .map(|row| row["message"].as_str().unwrap().split(' ').next().unwrap())
            .collect();
        let mut want: Vec<String> = (0..COUNT).map(|n| format!("n{n}")).collect();
        if !is_piped {
            want.reverse();
        }
        assert_eq!(names, want, "{query}");
    }
    let table = json!({"query": "* | fields message", "limit": 100, "bars": 0}).to_string();
    let (_, head, answer) = server.ask("POST /api/v1/search", &session, &table);
    let answer: Value = serde_json::from_str(&whole(&head, &answer)).unwrap();
    assert_eq!(answer["table"]["rows"].as_array().unwrap().len(), COUNT);
    for format in ["raw", "ndjson", "csv"] {
        let (_, head, text) = server.ask(&format!("GET /api/v1/export?format={format}"), &session, "");
        let text = whole(&head, &text);
        let lines = text.lines().count() - usize::from(format == "csv");
        assert!(lines == COUNT && text.len() > COUNT << 16, "{format}: {lines} lines");
        let id = head.split("x-export-report: ").nth(1).unwrap().split("\r\n").next().unwrap();
        let (_, _, report) = server.ask(&format!("GET /api/v1/export/report?id={id}"), &session, "");
        let report: Value = serde_json::from_str(&report).unwrap();
        assert_eq!((&report["complete"], &report["messages"]), (&json!(true), &json!(COUNT)), "{format}");
    }
    let (status, _, made) = server.ask("POST /api/v1/package", &session, &json!({"query": "n7"}).to_string());
    let made: Value = serde_json::from_str(&made).unwrap();
    assert_eq!((status, &made["messages"], &made["segments"]), (200, &json!(1), &json!(1)), "{made}");
    let (status, head, tar) =
        server.ask(&format!("GET /api/v1/package?id={}", made["id"].as_str().unwrap()), &session, "");
    assert!(status == 200 && head.contains("content-type: application/x-tar"), "{head}");
    let name = made["name"].as_str().unwrap();
    assert!(tar.contains(&format!("{name}/manifest.json")), "the archive has its manifest");
}
