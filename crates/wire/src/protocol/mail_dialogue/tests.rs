//! Answers of servers, and what is said to them.

use super::*;
use crate::smtp_answer;

fn dialogue(encryption: Encryption, login: Option<MailLogin>) -> Dialogue {
    Dialogue::new("me", encryption, login)
}

fn login() -> Option<MailLogin> {
    Some(MailLogin { user: "u".to_owned(), password: "p".to_owned() })
}

/// Gives answers to a dialogue, and shows the step after the last one.
fn heard(dialogue: &mut Dialogue, answers: &[&str]) -> String {
    let mut shown = String::new();
    for answer in answers {
        let text = format!("{}\r\n", answer.replace('\n', "\r\n"));
        let (answer, _) = smtp_answer(text.as_bytes()).unwrap().unwrap();
        shown = show(&dialogue.heard(&answer));
    }
    shown
}

fn show(next: &Next) -> String {
    match next {
        Next::Say(line) => String::from_utf8_lossy(line).trim_end().to_owned(),
        Next::Failed(reason) => format!("failed: {reason}"),
        next => format!("{next:?}"),
    }
}

#[track_caller]
fn check(encryption: Encryption, login: Option<MailLogin>, answers: &[&str], want: &str) {
    let found = heard(&mut dialogue(encryption, login), answers);
    assert!(found.starts_with(want), "{found} after {answers:?}");
}

const PLAIN: Encryption = Encryption::AsConnected;
const TLS: Encryption = Encryption::StartTls;

#[test]
fn a_greeting_goes_its_way() {
    check(PLAIN, None, &["220 hi"], "EHLO me");
    check(PLAIN, None, &["250 hi"], "failed: the mail server refused: 250 hi");
    check(PLAIN, None, &["421 busy"], "failed: the mail server closes the connection: 421 busy");
    check(PLAIN, None, &["220 hi", "250 me"], "Ready");
    check(PLAIN, None, &["220 hi", "502 what"], "HELO me");
    check(PLAIN, None, &["220 hi", "450 later"], "failed: the mail server refused: 450 later");
    check(PLAIN, None, &["220 hi", "502 what", "250 me"], "Ready");
    check(PLAIN, None, &["220 hi", "502 what", "502 no"], "failed: the mail server refused: 502 no");
    // A log-in or encryption needs the list of what the server can do.
    check(PLAIN, login(), &["220 hi", "502 what"], "failed: the mail server refused: 502 what");
    check(TLS, None, &["220 hi", "502 what"], "failed: the mail server refused: 502 what");
    check(
        PLAIN,
        None,
        &["220 hi", "250 me", "250 more"],
        "failed: the mail server spoke without being asked: 250 more",
    );
}

#[test]
fn encryption_comes_before_everything_else() {
    check(TLS, login(), &["220 hi", "250-me\n250 STARTTLS"], "STARTTLS");
    check(TLS, None, &["220 hi", "250-me\n250 SIZE"], "failed: the mail server does not offer STARTTLS");
    check(TLS, None, &["220 hi", "250-me\n250 STARTTLS", "220 go"], "Encrypt");
    check(
        TLS,
        None,
        &["220 hi", "250-me\n250 STARTTLS", "454 no"],
        "failed: the mail server refused: 454 no",
    );
    let mut dialogue = dialogue(TLS, login());
    heard(&mut dialogue, &["220 hi", "250-me\n250 STARTTLS", "220 go"]);
    assert_eq!(show(&dialogue.encrypted()), "EHLO me");
    assert_eq!(heard(&mut dialogue, &["250-me\n250 AUTH PLAIN"]), "AUTH PLAIN AHUAcA==");
    assert_eq!(heard(&mut dialogue, &["235 yes"]), "Ready");
}

#[test]
fn a_login_needs_a_way_that_both_know() {
    let greeted = |ways: &str| format!("250-me\n250 AUTH {ways}");
    check(PLAIN, login(), &["220 hi", &greeted("LOGIN PLAIN")], "AUTH PLAIN AHUAcA==");
    check(PLAIN, login(), &["220 hi", &greeted("CRAM-MD5 login")], "AUTH LOGIN");
    let neither = "failed: the mail server offers neither AUTH PLAIN nor AUTH LOGIN";
    check(PLAIN, login(), &["220 hi", &greeted("CRAM-MD5")], neither);
    check(PLAIN, login(), &["220 hi", "250 me"], neither);
    check(PLAIN, None, &["220 hi", &greeted("PLAIN")], "Ready");
    let refused = "failed: the mail server does not take user and password: ";
    check(PLAIN, login(), &["220 hi", &greeted("PLAIN"), "250 yes"], refused);
    check(PLAIN, login(), &["220 hi", &greeted("LOGIN"), "235 yes"], refused);
    check(PLAIN, login(), &["220 hi", &greeted("LOGIN"), "334 x", "235 yes"], refused);
    check(PLAIN, login(), &["220 hi", &greeted("LOGIN"), "334 x", "334 y", "334 z"], refused);
    check(PLAIN, login(), &["220 hi", &greeted("LOGIN"), "334 x", "334 y", "235 z"], "Ready");
}

fn envelope<'a>(from: &'a [u8], to: &[&'a [u8]]) -> Envelope<'a> {
    Envelope { from, to: to.to_vec(), data: 0..0 }
}

/// Begins a mail with a server that offers this.
fn begun(offers: &str, envelope: &Envelope<'_>) -> (Dialogue, String) {
    let mut dialogue = dialogue(PLAIN, None);
    heard(&mut dialogue, &["220 hi", &format!("250-me\n250 {offers}")]);
    assert!(dialogue.is_ready() && dialogue.is_at_begin());
    let next = show(&dialogue.begin(envelope, Attempt::Repeatable));
    (dialogue, next)
}

#[test]
fn addresses_are_named_as_the_server_takes_them() {
    let plain = envelope(b"a@b", &[b"c@d"]);
    let (mut dialogue, next) = begun("SIZE", &plain);
    assert_eq!(
        (next.as_str(), dialogue.is_ready(), dialogue.is_at_begin()),
        ("MAIL FROM:<a@b>", false, true)
    );
    assert_eq!(heard(&mut dialogue, &["250 y"]), "RCPT TO:<c@d>");
    assert!(!dialogue.is_at_begin());
    assert_eq!(begun("SMTPUTF8", &plain).1, "MAIL FROM:<a@b>");
    for envelope in [envelope("é@b".as_bytes(), &[b"c@d"]), envelope(b"a@b", &[b"c@d", "ü@d".as_bytes()])] {
        let refused = "Settled(Refused(\"the server takes no addresses beyond ASCII\"))";
        assert_eq!(begun("SIZE", &envelope).1, refused);
        assert!(begun("SMTPUTF8", &envelope).1.ends_with("> SMTPUTF8"));
    }
    let nobody = envelope(b"a@b", &[]);
    assert_eq!(begun("SIZE", &nobody).1, "Settled(Refused(\"it has no recipient\"))");
}

#[test]
fn the_end_of_the_connection_counts_where_it_is_said() {
    let mail = envelope(b"a@b", &[b"c@d"]);
    let (mut dialogue, _) = begun("SIZE", &mail);
    assert!(heard(&mut dialogue, &["421 bye"]).starts_with("failed: the mail server closes the connection"));
    // Behind a mail it is an answer to it as well.
    let (mut dialogue, _) = begun("SIZE", &mail);
    assert_eq!(heard(&mut dialogue, &["250 y", "250 y", "354 go"]), "SayMail");
    assert_eq!(heard(&mut dialogue, &["421 bye"]), "RSET");
    assert_eq!(heard(&mut dialogue, &["250 y"]), "Settled(Later(\"421 bye\"))");
    let (mut dialogue, _) = begun("SIZE", &mail);
    assert_eq!(heard(&mut dialogue, &["250 y", "250 y", "554 no", "250 y"]), "Settled(Refused(\"554 no\"))");
}
