//! Lines of librdkafka, and what our log has of them.

use super::*;

#[track_caller]
fn check(lines: &[(RDKafkaLogLevel, &str)], want: &[&str]) {
    let log = InternalLog::new("test", None);
    let library = LibraryLog::new(log.clone());
    lines.iter().for_each(|(level, words)| library.tell(*level, words));
    let texts: Vec<String> = log.take(10).0.into_iter().map(|entry| entry.text).collect();
    assert_eq!(texts, want);
}

#[test]
fn warnings_are_plain_and_few() {
    use RDKafkaLogLevel::{Error, Info, Warning};
    check(&[(Warning, "a \u{1b}[1mword\nmore")], &["librdkafka: a [1mword; lines='1'"]);
    check(&[(Info, "nothing"), (Error, "b"), (Error, "c")], &["librdkafka: b; lines='1'"]);
    check(&[(Warning, &"x".repeat(400))], &[&format!("librdkafka: {}; lines='1'", "x".repeat(300))]);
}
