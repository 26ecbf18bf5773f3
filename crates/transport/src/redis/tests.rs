//! Commands and replies.

use super::*;

#[test]
fn commands_keep_every_byte() {
    let mut out = Vec::new();
    let arguments: [&[u8]; 3] = [b"LPUSH", b"a b\r\n", b"\0\xff"];
    encode(arguments.into_iter(), &mut out);
    assert_eq!(out, b"*3\r\n$5\r\nLPUSH\r\n$5\r\na b\r\n\r\n$2\r\n\0\xff\r\n");
}

fn shown(reply: &Reply<'_>) -> String {
    match reply {
        Reply::Nothing => "nothing".to_owned(),
        Reply::Text(text) => String::from_utf8_lossy(text).into_owned(),
        Reply::Refused(text) => format!("refused {}", String::from_utf8_lossy(text)),
        Reply::List(list) => format!("[{}]", list.iter().map(shown).collect::<Vec<_>>().join(", ")),
    }
}

#[track_caller]
fn check_reply(bytes: &[u8], want: &str) {
    let found = match decode(bytes) {
        Ok(None) => "not whole".to_owned(),
        Ok(Some((reply, size))) => format!("{size}: {}", shown(&reply)),
        Err(breach) => breach.0.to_owned(),
    };
    assert_eq!(found, want, "{}", String::from_utf8_lossy(bytes));
}

#[test]
fn replies_are_read_whatever_they_are() {
    check_reply(b"", "not whole");
    check_reply(b"+OK\r", "not whole");
    check_reply(b"+OK\r\n+more", "5: OK");
    check_reply(b":12\r\n", "5: 12");
    check_reply(b"-OOM full\r\n", "11: refused OOM full");
    check_reply(b"$3\r\nabc\r\n", "9: abc");
    check_reply(b"$3\r\nabc\r", "not whole");
    check_reply(b"$-1\r\n", "5: nothing");
    check_reply(b"*2\r\n$1\r\na\r\n:1\r\n", "15: [a, 1]");
    check_reply(b"*2\r\n$1\r\na\r\n", "not whole");
    check_reply(b"*-1\r\n", "5: nothing");
    check_reply(b"*0\r\n", "4: []");
    // What a list claims is not believed before it comes.
    check_reply(b"*999999999999\r\n:1\r\n", "not whole");
    check_reply(b"$3\r\nabcd\r\n", "a text is longer than it says");
    check_reply(b"$2000000000\r\nabc", "its answer is too long");
    check_reply(b"$-2\r\n", "a length is no number");
    check_reply(b"$99999999999999999999\r\n", "a length is no number");
    check_reply(b"HTTP/1.1 400 Bad Request\r\n", "this is no reply of Redis");
    check_reply(b"+OK\n", "a line has another end");
    check_reply(b"\r\n", "an empty reply");
    // Eight tables within each other, and nine.
    check_reply(&[b"*1\r\n".repeat(8), b":1\r\n".to_vec()].concat(), "36: [[[[[[[[1]]]]]]]]");
    check_reply(&[b"*1\r\n".repeat(9), b":1\r\n".to_vec()].concat(), "this is no reply of Redis");
    // The longest text, and one byte more.
    check_reply(b"$1048576\r\nabc", "not whole");
    check_reply(b"$1048577\r\nabc", "its answer is too long");
    check_reply(&vec![b'+'; 1 << 17], "a line has no end");
}
