//! Rows of what servers say.

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
