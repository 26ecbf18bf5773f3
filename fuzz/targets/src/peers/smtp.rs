//! Answers of mail servers, and mails made from arbitrary messages: one envelope, one header, one end.

use wire::mail::{Mail, Mailbox, Role, envelope};
use wire::smtp_answer;

/// Runs the target.
pub(crate) fn run(input: (Vec<u8>, Vec<u8>, Vec<u8>, Vec<u8>)) {
    let (address, name, subject, text) = input;
    if let Ok(Some((answer, size))) = smtp_answer(&text) {
        assert!(size <= text.len() && (200..600).contains(&answer.code));
        let _ = (answer.offer("AUTH"), answer.to_string());
    }
    let mail = Mail {
        people: vec![
            (Role::From, Mailbox { name: Vec::new(), address: b"f@g".to_vec() }),
            (Role::To, Mailbox { name, address }),
        ],
        fields: vec![("Subject".to_owned(), subject)],
        text,
    };
    let mut out = Vec::new();
    mail.append(&mut out);
    let sent = envelope(&out).expect("what was written is read");
    assert!(sent.from == b"f@g" && sent.to.len() <= 1);
    let data = &out[sent.data];
    assert!(data.ends_with(b"\r\n.\r\n"));
    assert_eq!(data.windows(5).filter(|part| *part == b"\r\n.\r\n").count(), 1);
    let bare = |at: usize| data[at] == b'\n' && (at == 0 || data[at - 1] != b'\r');
    assert!(!(0..data.len()).any(bare));
}
