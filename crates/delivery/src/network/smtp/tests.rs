//! A mail server with prepared answers.

use super::*;
use crate::testing::{Setup, accept, spec, tcp_to};
use message::{Outcome, WriteBudget};
use std::{
    io::{BufRead, BufReader, Write},
    net::TcpListener,
    sync::atomic::Ordering,
    thread::JoinHandle,
};
use transport::{
    testing::{Pki, SecurePeer, delivery, eventually, output, token},
    tls::{PeerVerify, SenderTls, TlsOptions},
};
use wire::mail_dialogue::MailLogin;

/// A mail for `$HOST` that says `$MSG`.
const FORM: &str =
    "MAIL FROM:<a@b>\r\nRCPT TO:<$HOST@b>\r\nRCPT TO:<x@b>\r\n\r\nSubject: x\r\n\r\n$MSG\r\n.\r\n";
const BEGIN: [(&str, &str); 2] = [("", "220 hi"), ("EHLO", "250-me\r\n250 SIZE 9")];
const MAIL: [(&str, &str); 5] = [
    ("MAIL FROM:<a@b>", "250 y"),
    ("RCPT TO:<h@b>", "250 y"),
    ("RCPT TO:<x@b>", "250 y"),
    ("DATA", "354 go"),
    (".", "250 y"),
];

/// Plays connections, each a list of what is heard and what is answered; an empty answer closes. `.` is a whole mail.
fn server(
    listener: &TcpListener,
    connections: Vec<Vec<(&'static str, &'static str)>>,
) -> JoinHandle<Vec<String>> {
    let listener = listener.try_clone().unwrap();
    std::thread::spawn(move || {
        let mut mails = Vec::new();
        for steps in connections {
            let mut stream = BufReader::new(accept(&listener));
            for (heard, answer) in steps {
                let mut text = String::new();
                while !heard.is_empty() && (text.is_empty() || heard == "." && !text.ends_with("\r\n.\r\n")) {
                    assert!(stream.read_line(&mut text).unwrap() > 0, "the client left at {heard}");
                }
                match heard {
                    "." => mails.push(text),
                    _ => assert!(text.starts_with(heard), "{text} is not {heard}"),
                }
                if answer.is_empty() {
                    break;
                }
                stream.get_mut().write_all(format!("{answer}\r\n").as_bytes()).unwrap();
            }
        }
        mails
    })
}

fn target(listener: &TcpListener) -> MailTarget {
    let answer_within = Duration::from_secs(5);
    MailTarget { socket: tcp_to(listener), starttls: None, login: None, answer_within, retries: 1 }
}

/// Sends one mail and looks how it went: written, dropped.
#[track_caller]
fn check(
    change: impl Fn(&mut MailTarget),
    connections: Vec<Vec<(&'static str, &'static str)>>,
    want: (u64, u64),
) -> Vec<String> {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let played = server(&listener, connections);
    let mut target = target(&listener);
    change(&mut target);
    let setup = Setup::new(spec(DestinationDriver::Mail(Box::new(target)), FORM));
    let (ack, seen) = token();
    setup.outlet.deliver(delivery(&["h|one"], ack, true), &WriteBudget::none());
    eventually("the token comes back", || *seen.lock().unwrap() == Some(Outcome::Done));
    let counters = &setup.registry.list()[0];
    eventually("all is settled", || (counters.written.load(Ordering::Relaxed), counters.dropped()) == want);
    played.join().unwrap()
}

fn all(parts: &[&[(&'static str, &'static str)]]) -> Vec<(&'static str, &'static str)> {
    parts.concat()
}

#[test]
fn a_mail_is_written_when_it_is_taken() {
    let mails = check(|_| (), vec![all(&[&BEGIN, &MAIL])], (1, 0));
    assert_eq!(mails, ["Subject: x\r\n\r\none\r\n.\r\n"]);
}

#[test]
fn mails_go_one_after_the_other() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let played = server(&listener, vec![all(&[&BEGIN, &MAIL, &MAIL])]);
    let setup = Setup::new(spec(DestinationDriver::Mail(Box::new(target(&listener))), FORM));
    setup.send(&["h|one", "h|two"]);
    assert_eq!(played.join().unwrap(), ["Subject: x\r\n\r\none\r\n.\r\n", "Subject: x\r\n\r\ntwo\r\n.\r\n"]);
}

#[test]
fn old_servers_are_spoken_to() {
    let begin = [("", "220-a\r\n220 hi"), ("EHLO", "502 what?"), ("HELO", "250 me")];
    check(|_| (), vec![all(&[&begin, &MAIL])], (1, 0));
}

#[test]
fn never_is_dropped_and_later_is_tried_again() {
    check(|_| (), vec![all(&[&BEGIN, &[("MAIL", "550 no"), ("RSET", "250 y")]])], (0, 1));
    check(|_| (), vec![all(&[&BEGIN, &MAIL[..4], &[(".", "554 spam"), ("RSET", "250 y")]])], (0, 1));
    let put_off = [("MAIL", "451 not now"), ("RSET", "250 y")];
    check(|_| (), vec![all(&[&BEGIN, &put_off, &MAIL])], (1, 0));
    check(|_| (), vec![all(&[&BEGIN, &put_off, &put_off])], (0, 1));
}

#[test]
fn recipients_are_settled_together() {
    let one_never = [
        ("MAIL", "250 y"),
        ("RCPT", "550 no such user"),
        ("RCPT", "250 y"),
        ("DATA", "354 go"),
        (".", "250 y"),
    ];
    check(|_| (), vec![all(&[&BEGIN, &one_never])], (1, 0));
    let both_never = [("MAIL", "250 y"), ("RCPT", "550 no"), ("RCPT", "550 no"), ("RSET", "250 y")];
    check(|_| (), vec![all(&[&BEGIN, &both_never])], (0, 1));
    let one_later = [("MAIL", "250 y"), ("RCPT", "450 grey"), ("RCPT", "250 y"), ("RSET", "250 y")];
    check(|_| (), vec![all(&[&BEGIN, &one_later, &MAIL])], (1, 0));
    let last_try =
        [("MAIL", "250 y"), ("RCPT", "450 grey"), ("RCPT", "250 y"), ("DATA", "354 go"), (".", "250 y")];
    check(|_| (), vec![all(&[&BEGIN, &one_later, &last_try])], (1, 0));
}

#[test]
fn a_server_that_cannot_be_used_is_tried_for_ever() {
    let busy = vec![("", "421 come back")];
    let odd = vec![("", "hello")];
    let dies = all(&[&BEGIN, &MAIL[..4], &[(".", "")]]);
    let mails = check(|_| (), vec![busy.clone(), busy, odd, dies, all(&[&BEGIN, &MAIL])], (1, 0));
    // Without an answer nobody knows: it is sent again.
    assert_eq!(mails.len(), 2);
}

#[test]
fn a_silent_server_is_given_up() {
    let slow = |target: &mut MailTarget| target.answer_within = Duration::from_millis(100);
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let mut target = target(&listener);
    slow(&mut target);
    let setup = Setup::new(spec(DestinationDriver::Mail(Box::new(target)), FORM));
    setup.send(&["h|one"]);
    let silent = accept(&listener);
    let played = server(&listener, vec![all(&[&BEGIN, &MAIL])]);
    assert_eq!(played.join().unwrap().len(), 1);
    drop(silent);
}

#[test]
fn user_and_password_are_said() {
    let login = |target: &mut MailTarget| {
        target.login = Some(MailLogin { user: "u".to_owned(), password: "p".to_owned() });
    };
    let plain =
        [("", "220 hi"), ("EHLO", "250-me\r\n250 AUTH LOGIN PLAIN"), ("AUTH PLAIN AHUAcA==", "235 y")];
    check(login, vec![all(&[&plain, &MAIL])], (1, 0));
    let by_login = [
        ("", "220 hi"),
        ("EHLO", "250-me\r\n250 AUTH LOGIN"),
        ("AUTH LOGIN", "334 x"),
        ("dQ==", "334 y"),
        ("cA==", "235 y"),
    ];
    check(login, vec![all(&[&by_login, &MAIL])], (1, 0));
    // A password that is not taken today may be tomorrow.
    let refused = vec![("", "220 hi"), ("EHLO", "250-me\r\n250 AUTH PLAIN"), ("AUTH", "535 no")];
    check(login, vec![refused, all(&[&plain, &MAIL])], (1, 0));
}

/// Serves one mail over a connection that is encrypted when the client asks for it; with a word before that, the client is
/// to leave. Returns the mail.
fn serve_encrypted(listener: &TcpListener, pki: &Pki, early: &str) -> String {
    let mut line = String::new();
    let mut stream = BufReader::new(accept(listener));
    for (heard, answer) in [("", "220 hi"), ("EHLO", "250-me\r\n250 STARTTLS"), ("STARTTLS", "220 go")] {
        line.clear();
        if !heard.is_empty() {
            stream.read_line(&mut line).unwrap();
        }
        assert!(line.starts_with(heard), "{line}");
        let early = if heard == "STARTTLS" { early } else { "" };
        stream.get_mut().write_all(format!("{answer}\r\n{early}").as_bytes()).unwrap();
    }
    let options = TlsOptions { peer_verify: PeerVerify::NotAsked, ..pki.options("local") };
    let Ok(peer) = SecurePeer::shake(stream.into_inner(), &options) else { return "left".to_owned() };
    let mut stream = BufReader::new(peer);
    let mut answers = all(&[&[("EHLO", "250 SIZE 9")], &MAIL[..4]]).into_iter();
    let mut mail = String::new();
    loop {
        line.clear();
        stream.read_line(&mut line).unwrap();
        let answer = match answers.next() {
            Some((heard, answer)) => {
                assert!(line.starts_with(heard), "{line} is not {heard}");
                answer
            }
            None if line == ".\r\n" => "250 y",
            None => {
                mail += &line;
                continue;
            }
        };
        stream.get_mut().write_all(format!("{answer}\r\n").as_bytes()).unwrap();
        if line == ".\r\n" {
            return mail;
        }
    }
}

#[test]
fn a_mail_goes_over_a_connection_that_was_encrypted_first() {
    let pki = Pki::new();
    pki.issue("local", &["127.0.0.1"], |_| {});
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let mut target = target(&listener);
    target.starttls = Some(SenderTls::new(pki.anonymous()));
    let setup = Setup::new(spec(DestinationDriver::Mail(Box::new(target)), FORM));
    setup.send(&["h|one"]);
    // Replies before the encryption could be anyone's.
    assert_eq!(serve_encrypted(&listener, &pki, "250 me\r\n"), "left");
    assert_eq!(serve_encrypted(&listener, &pki, ""), "Subject: x\r\n\r\none\r\n");
    let counters = &setup.registry.list()[0];
    eventually("it is written", || counters.written.load(Ordering::Relaxed) == 1);
}

#[test]
fn new_settings_and_a_reload_end_a_session_unless_it_is_to_stay() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let first = target(&listener);
    let mut smtp = Smtp::new(first.clone(), InternalLog::new("test", None));
    let mut check = |target: &MailTarget, want: bool| {
        smtp.session = Some(Session::open(&smtp.target).unwrap());
        smtp.configure(DestinationDriver::Mail(Box::new(target.clone())));
        assert_eq!((smtp.session.is_some(), &smtp.target), (want, target));
    };
    check(&first, true);
    let patient = MailTarget { retries: 9, ..first.clone() };
    check(&patient, false);
    check(&patient, true);
    let mut restarting = patient;
    restarting.socket.keep_over_reload = false;
    check(&restarting, false);
    check(&restarting, false);
    smtp.session = Some(Session::open(&smtp.target).unwrap());
    smtp.close();
    assert!(smtp.session.is_none());
}

#[test]
fn an_answer_that_is_late_is_waited_for() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let mut smtp = Smtp::new(target(&listener), InternalLog::new("test", None));
    let mail = b"MAIL FROM:<a@b>\r\nRCPT TO:<h@b>\r\n\r\nx\r\n.\r\n";
    let mut output = output(&[mail]);
    assert_eq!(smtp.write(&mut output).unwrap_err().kind(), io::ErrorKind::WouldBlock);
    assert!(smtp.session.is_some() && output.size() == mail.len());
    smtp.target.answer_within = Duration::ZERO;
    let error = smtp.write(&mut output).unwrap_err();
    assert_eq!((error.kind(), smtp.session.is_some()), (io::ErrorKind::TimedOut, false));
}
