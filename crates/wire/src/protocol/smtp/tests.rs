//! Rows for answers of servers.

use super::{ANSWER_BYTES_MAX, SmtpError, smtp_answer};

#[track_caller]
fn check(bytes: &[u8], want: &str) {
    let got = match smtp_answer(bytes) {
        Ok(None) => "more".to_owned(),
        Ok(Some((answer, size))) => format!("{answer} | {size}"),
        Err(error) => format!("{error:?}"),
    };
    assert_eq!(got, want, "{}", bytes.escape_ascii());
}

#[test]
fn answers_have_lines() {
    check(b"", "more");
    check(b"250 o", "more");
    check(b"250 ok\r\n", "250 ok | 8");
    check(b"250 ok\n354 go\r\n", "250 ok | 7");
    check(b"250\r\n", "250  | 5");
    check(b"250-mail.example\r\n250-SIZE 100\r\n", "more");
    check(
        b"250-mail.example\r\n250-SIZE 100\r\n250 AUTH PLAIN LOGIN\r\n",
        "250 mail.example SIZE 100 AUTH PLAIN LOGIN | 54",
    );
    check(b"550 no\x07\x1b[2J such\xff user\r\n", "550 no[2J such\u{fffd} user | 24");
}

#[test]
fn what_is_no_answer_is_an_error() {
    check(b"hello\r\n", "Code");
    check(b"\r\n", "Code");
    check(b"25\r\n", "Code");
    check(b"099 x\r\n", "Code");
    check(b"600 x\r\n", "Code");
    check(b"250_x\r\n", "Code");
    check(b"+50 x\r\n", "Code");
    check(b"250-a\r\n251 b\r\n", "Code");
    check(&vec![b'2'; ANSWER_BYTES_MAX + 1], "Length");
    let endless = b"250-x\r\n".repeat(ANSWER_BYTES_MAX / 7 + 1);
    assert_eq!(smtp_answer(&endless), Err(SmtpError::Length));
}

#[test]
fn offers_are_found_by_name() {
    let bytes = b"250-AUTH is the name of this host\r\n250-starttls\r\n250-AUTH=PLAIN\r\n250 SIZE 5\r\n";
    let (answer, _) = smtp_answer(bytes).unwrap().unwrap();
    assert_eq!(answer.offer("STARTTLS"), Some(""));
    assert_eq!(answer.offer("AUTH"), Some("PLAIN"));
    assert_eq!(answer.offer("SIZE"), Some("5"));
    assert_eq!(answer.offer("PIPELINING"), None);
}

#[test]
fn codes_say_yes_no_or_never() {
    for (code, is_yes, is_never) in [
        ("200", true, false),
        ("399", true, false),
        ("400", false, false),
        ("499", false, false),
        ("500", false, true),
        ("599", false, true),
    ] {
        let (answer, _) = smtp_answer(format!("{code} x\n").as_bytes()).unwrap().unwrap();
        assert_eq!((answer.is_yes(), answer.is_never()), (is_yes, is_never), "{code}");
    }
    check(b"199 x\r\n", "Code");
}

#[test]
fn answers_are_bounded_and_shown_in_part() {
    let line = |size: usize| [b"250 ", vec![b'x'; size].as_slice(), b"\n"].concat();
    let shown = format!("250 {}", "x".repeat(200));
    check(&line(199), &format!("250 {} | 204", "x".repeat(199)));
    check(&line(200), &format!("{shown} | 205"));
    check(&line(201), &format!("{shown} | 206"));
    check(&line(ANSWER_BYTES_MAX - 5), &format!("{shown} | {ANSWER_BYTES_MAX}"));
    check(&line(ANSWER_BYTES_MAX - 4), "Length");
    check(&vec![b'2'; ANSWER_BYTES_MAX], "more");
    let text = format!("250 {}\u{e9}\n", "x".repeat(199));
    check(text.as_bytes(), &format!("250 {} | 206", "x".repeat(199)));
    assert_eq!(SmtpError::Code.to_string(), "what the server says is no answer of SMTP");
    assert_eq!(SmtpError::Length.to_string(), "the answer of the server is too long");
}
