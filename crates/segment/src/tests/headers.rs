//! Recoded headers whose parts are all in columns: the parts are stored only once.

use super::*;

/// A batch of lines in RFC 5424 format: the header before the text, its parts, its time.
fn batch(lines: &[(&str, [&str; 4], Stamp)]) -> Batch {
    let (mut bytes, mut messages) = (Vec::new(), Vec::new());
    for (header, parts, event) in lines {
        let start = bytes.len();
        bytes.extend_from_slice(header.as_bytes());
        let find = |part: &str| match header.find(part) {
            Some(at) if !part.is_empty() => Span::received(start + at, part.len()),
            _ => Span::EMPTY,
        };
        let mut message = Message::default();
        [message.host, message.program, message.pid, message.msgid] = parts.map(find);
        message.text = Span::received(bytes.len(), 4);
        bytes.extend_from_slice(b"text");
        message.raw = Span::received(start, bytes.len() - start);
        message.pri = Priority(38);
        message.event = *event;
        messages.push(message);
    }
    let received = Stamp::known(1_700_560_900_000_000, 0);
    let mut batch = Batch::new(Arc::new(bytes), vec![Arc::new(Origin::default())], received, Ack::none());
    batch.messages = messages;
    batch
}

/// Tuesday, 2023-11-21 10:00:00 in UTC.
const EVENT_US: i64 = 1_700_560_800_000_000;

#[test]
fn parts_of_headers_come_back() {
    let utc = Stamp::known(EVENT_US, 0);
    let lines = [
        ("<38>1 2023-11-21T10:00:00Z web-1 sshd 4242 ID47 - ", ["web-1", "sshd", "4242", "ID47"], utc),
        ("<38>1 2023-11-21T10:00:00.000Z web-1 sshd 4242 ID48 - ", ["web-1", "sshd", "4242", "ID48"], utc),
        (
            "<38>1 2023-11-21T12:00:00.250+02:00 web-1 sshd 4242 - - ",
            ["web-1", "sshd", "4242", ""],
            Stamp::known(EVENT_US + 250_000, 7_200),
        ),
        ("<38>Nov 21 10:00:00 web-1 sshd[4242]: ", ["web-1", "sshd", "4242", ""], utc),
        ("<38>Nov 21 10:00:00 web-1 sshd[4242]: Nov 21 10:00:00 ", ["web-1", "sshd", "4242", ""], utc),
        ("<38>Nov 21 10:00:01 web-1 sshd[4242]: ", ["web-1", "sshd", "4242", ""], utc),
        ("<39>Nov 21 10:00:00 web-1 sshd: ", ["web-1", "sshd", "", ""], utc),
        ("<38", ["", "", "", ""], utc),
        ("<380>web-1 web-1 sshd2 sshd ", ["web-1", "sshd", "", ""], utc),
        ("38>web-10 web-1: ", ["web-1", "", "", ""], utc),
    ];
    let mut active = Active::new(0, Some(learned(&["text"])));
    for _ in 0..20 {
        active.append(&batch(&lines), &Selection::all(lines.len()));
    }
    let recoded = Sealed::from_bytes(recoded_bytes(&active)).unwrap();
    let read = documents(&recoded);
    assert_eq!(read, documents(&*active.view()));
    for (document, (header, parts, _)) in read.iter().zip(&lines) {
        assert_eq!(document.raw, format!("{header}text").into_bytes());
        assert_eq!(document.msgid, parts[3].as_bytes());
    }
}
