//! Commands, and answers as collectd 5.12 gives them.

use super::{
    connection::{Answers, answer},
    receiver::{COMMAND_BYTES_MAX, Names, command},
};
use crate::link::dialogue::Dialogue;

fn names(host: &str, plugin: [&str; 2], kind: [&str; 2]) -> Names {
    let bytes = |text: &str| text.as_bytes().to_vec();
    Names {
        host: bytes(host),
        plugin: bytes(plugin[0]),
        plugin_instance: bytes(plugin[1]),
        kind: bytes(kind[0]),
        type_instance: bytes(kind[1]),
    }
}

#[track_caller]
fn check(names: &Names, values: &str, want: &str) {
    let found = match command(names, 60, values.as_bytes()) {
        Ok(command) => String::from_utf8(command).unwrap(),
        Err(error) => format!("{:?}: {}", error.reason, error.text),
    };
    assert_eq!(found, want);
}

#[test]
fn a_message_is_a_value_with_its_names() {
    let plain = names("web", ["app", ""], ["gauge", ""]);
    check(&plain, "5", "PUTVAL \"web/app/gauge\" interval=60 N:5\n");
    check(&plain, " N:1.5:U ", "PUTVAL \"web/app/gauge\" interval=60 N:1.5:U\n");
    check(
        &names("w e/b", ["a-p/p", "i-1"], ["g\"\\", "t/2"]),
        "5",
        "PUTVAL \"w e_b/a_p_p-i-1/g\\\"\\\\-t_2\" interval=60 N:5\n",
    );
    check(
        &names("web\nPUTVAL", ["app", ""], ["gauge", ""]),
        "5",
        "PUTVAL \"web_PUTVAL/app/gauge\" interval=60 N:5\n",
    );
    for values in ["", "5 6", "5\nFLUSH", "a\"b", "\u{20ac}"] {
        check(&plain, values, "Cast: the values are no numbers with : between them");
    }
    check(&names("", ["app", ""], ["gauge", ""]), "5", "BadName: the host is empty");
    let long = names(&"x".repeat(COMMAND_BYTES_MAX), ["app", ""], ["gauge", ""]);
    assert!(command(&long, 60, b"5").is_err());
}

#[track_caller]
fn check_answer(line: &str, want: &str) {
    let found = match answer(line.as_bytes()) {
        Ok(Ok(())) => "done".to_owned(),
        Ok(Err(failure)) => format!("{:?} {}", failure.verdict, failure.answer),
        Err(breach) => breach.0.to_owned(),
    };
    assert_eq!(found, want);
}

#[test]
fn an_answer_says_what_became_of_a_value() {
    check_answer("0 Success: 1 value has been dispatched.", "done");
    check_answer("0", "done");
    check_answer("-1 Parsing the values string failed.", "Dead(Rejected) Parsing the values string failed.");
    check_answer(
        "-1 1 Type `nosuch' isn't defined.",
        "Dead(Rejected) 1 Type\n1 Type `nosuch' isn't defined.",
    );
    check_answer("4 Values found", "this is no answer of collectd to a value");
    check_answer("HTTP/1.1 400", "this is no answer of collectd to a value");
    check_answer("", "this is no answer of collectd to a value");
}

#[test]
fn answers_come_in_pieces() {
    let mut answers = Answers { awaited: 2, found: Vec::new() };
    let text = b"0 Success\n-1 no\n0 more\n";
    assert_eq!(answers.take(&text[..5], &mut Vec::new()), Ok(0));
    assert_eq!(answers.take(&text[..12], &mut Vec::new()), Ok(10));
    // Bytes after the last expected answer stay unread.
    assert_eq!(answers.take(&text[10..], &mut Vec::new()), Ok(6));
    assert_eq!((answers.awaited(), answers.found.len()), (0, 2));
    let mut answers = Answers { awaited: 1, found: Vec::new() };
    assert!(answers.take(&[b'0'; 5000], &mut Vec::new()).is_err());
}
