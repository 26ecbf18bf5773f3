//! Rows of mails; first those that try to add header lines.

use super::{ADDRESS_BYTES_MAX, Mail, Mailbox, Role, envelope};
use proptest::prelude::*;

fn person(name: &[u8], address: &[u8]) -> Mailbox {
    Mailbox { name: name.to_vec(), address: address.to_vec() }
}

fn mail(people: &[(Role, &[u8], &[u8])], fields: &[(&str, &[u8])], text: &[u8]) -> Vec<u8> {
    let mut out = Vec::new();
    let people = people.iter().map(|(role, name, address)| (*role, person(name, address))).collect();
    let fields = fields.iter().map(|(name, value)| ((*name).to_owned(), value.to_vec())).collect();
    Mail { people, fields, text: text.to_vec() }.append(&mut out);
    out
}

#[track_caller]
fn check(got: &[u8], want: &str) {
    assert_eq!(String::from_utf8_lossy(got).replace("\r\n", "\n"), want);
}

const MIME: &str =
    "MIME-Version: 1.0\nContent-Type: text/plain; charset=UTF-8\nContent-Transfer-Encoding: 7bit\n\n";

#[test]
fn everybody_has_a_place() {
    let people: &[(Role, &[u8], &[u8])] = &[
        (Role::From, b"log server", b"logs@example.org"),
        (Role::Sender, b"", b"daemon@example.org"),
        (Role::ReplyTo, b"", b"help@example.org"),
        (Role::To, b"Ops, \"first\" line", b"ops@example.org"),
        (Role::To, b"", b"more@example.org"),
        (Role::Cc, b"", b"cc@example.org"),
        (Role::Bcc, b"Nobody sees me", b"hidden@example.org"),
    ];
    let want = "MAIL FROM:<logs@example.org>\nRCPT TO:<ops@example.org>\nRCPT TO:<more@example.org>\n\
        RCPT TO:<cc@example.org>\nRCPT TO:<hidden@example.org>\n\n\
        From: log server\n <logs@example.org>\nSender: daemon@example.org\nReply-To: help@example.org\n\
        To: \"Ops, \\\"first\\\" line\"\n <ops@example.org>,\n more@example.org\nCc: cc@example.org\n\
        Subject: disk full\n";
    let got = mail(people, &[("Subject", b"disk full")], b"one\n.two\r\nthree\rfour");
    check(&got, &format!("{want}{MIME}one\n..two\nthree\nfour\n.\n"));
    let envelope = envelope(&got).unwrap();
    assert_eq!((envelope.from, envelope.to.len()), (&b"logs@example.org"[..], 4));
    assert!(got[envelope.data].starts_with(b"From: log server"));
}

#[test]
fn no_value_begins_a_line() {
    let evil = b"a@b>\r\nRCPT TO:<spam@example.net>\r\nDATA\r\n<";
    let got = mail(
        &[(Role::From, b"x\r\nBcc: y@z", b"f@g"), (Role::To, b"", evil)],
        &[("Subject", b"hi\r\n\r\nbody\nX-Evil: yes\0")],
        b"x\r\n.\r\nQUIT\r\n",
    );
    let want = "MAIL FROM:<f@g>\nRCPT TO:<a@bRCPTTO:spam@example.netDATA>\n\n\
        From: \"x  Bcc: y@z\"\n <f@g>\nTo: a@bRCPTTO:spam@example.netDATA\n\
        Subject: hi    body X-Evil: yes \n";
    check(&got, &format!("{want}{MIME}x\n..\nQUIT\n.\n"));
}

#[test]
fn letters_beyond_ascii_are_encoded() {
    let got = mail(
        &[(Role::From, "Jürgen".as_bytes(), b"j@g")],
        &[("Subject", "für".as_bytes())],
        "grün\n".as_bytes(),
    );
    check(
        &got,
        "MAIL FROM:<j@g>\n\nFrom: =?UTF-8?B?SsO8cmdlbg==?=\n <j@g>\nSubject: =?UTF-8?B?ZsO8cg==?=\n\
        MIME-Version: 1.0\nContent-Type: text/plain; charset=UTF-8\nContent-Transfer-Encoding: base64\n\nZ3LDvG4NCg==\n.\n",
    );
}

#[test]
fn long_values_are_folded() {
    let got = mail(
        &[],
        &[("Subject", "word ".repeat(30).trim_end().as_bytes()), ("Content-Type", b"text/html")],
        b"",
    );
    let lines: Vec<&[u8]> = got.split(|byte| *byte == b'\n').collect();
    assert!(lines.iter().all(|line| line.len() <= 78), "{}", got.escape_ascii());
    let text = String::from_utf8(got).unwrap();
    assert!(text.contains("\r\nContent-Type: text/html\r\nMIME-Version: 1.0\r\nContent-Transfer"), "{text}");
    let long = mail(&[(Role::To, b"", &[b'a'; 600])], &[("Subject", &[b'b'; 20_000])], &[b'c'; 2000]);
    assert!(long.split(|byte| *byte == b'\n').all(|line| line.len() <= ADDRESS_BYTES_MAX + 12));
}

proptest! {
    /// Whatever the values contain, the commands, the header and the end of the mail stay where they are.
    #[test]
    fn the_form_holds(
        name in prop::collection::vec(any::<u8>(), 0..60), address in prop::collection::vec(any::<u8>(), 0..60),
        subject in prop::collection::vec(any::<u8>(), 0..200), text in prop::collection::vec(any::<u8>(), 0..200),
    ) {
        let got = mail(&[(Role::From, b"", b"f@g"), (Role::To, &name, &address)], &[("Subject", &subject)], &text);
        let sent = envelope(&got).unwrap();
        prop_assert_eq!(sent.from, b"f@g");
        prop_assert!(sent.to.len() <= 1);
        let data = &got[sent.data];
        let head_end = data.windows(4).position(|part| part == b"\r\n\r\n").unwrap();
        let head = String::from_utf8(data[..head_end].to_vec()).unwrap();
        let names: Vec<&str> = head.lines().filter(|line| !line.starts_with(' ')).map(|line| line.split(':').next().unwrap()).collect();
        let known = ["From", "To", "Subject", "MIME-Version", "Content-Type", "Content-Transfer-Encoding"];
        prop_assert!(names.iter().all(|name| known.contains(name)), "{:?}", head);
        prop_assert!(head.lines().all(|line| !line.trim().is_empty()), "{:?}", head);
        prop_assert_eq!(data.windows(5).filter(|part| *part == b"\r\n.\r\n").count(), 1);
        prop_assert!(data.ends_with(b"\r\n.\r\n"));
        prop_assert!(data.iter().enumerate().all(|(at, byte)| *byte != b'\n' || data[at - 1] == b'\r'));
    }
}
