//! What is sent, and when.

use super::*;
use crate::loggen::content::Cursor;

/// Appends messages of a content whose options are `line`, and returns how many there were, and their bytes.
fn append(content: &Content, cursor: &mut Cursor, count: u64, bytes: usize) -> (u64, String) {
    let mut out = Vec::new();
    let made = content.append(cursor, count, bytes, &mut out);
    (made, String::from_utf8(out).unwrap())
}

/// Checks the numbers of messages of calls with some counts and limits of bytes.
#[track_caller]
fn check(line: &str, calls: &[(u64, usize)], want: &[(u64, &str)]) {
    let content = Content::new(&options(&format!("{line} host"))).unwrap();
    let mut cursor = content.cursor(0);
    let made: Vec<_> =
        calls.iter().map(|(count, bytes)| append(&content, &mut cursor, *count, *bytes)).collect();
    let made: Vec<(u64, &str)> = made.iter().map(|(made, text)| (*made, text.as_str())).collect();
    assert_eq!(made, want, "{line}");
}

#[test]
fn generated_messages_end_at_their_count_or_at_the_bytes() {
    let calls = [(9, 12), (9, 13), (9, 0), (2, 99), (0, 99)];
    let two = "<38>2\n<38>2\n";
    check("-s 5", &calls, &[(2, two), (3, "<38>2\n<38>2\n<38>2\n"), (1, "<38>2\n"), (2, two), (0, "")]);
    check("-s 5 -D", &[(2, 99)], &[(2, "<38>2<38>2")]);
    check("-s 5 -P", &[(2, 99)], &[(2, "5 <38>15 <38>1")]);
    check("-s 5 -P -F", &[(1, 99)], &[(1, "<38>1\n")]);
    check("-s 0", &[(1, 99)], &[(1, "<\n")]);
    let content = Content::new(&options("-s 5 host")).unwrap();
    let (mut cursor, mut out) = (content.cursor(0), b"0123456789".to_vec());
    assert_eq!(content.append(&mut cursor, 9, 12, &mut out), 2, "what is there already does not count");
}

#[test]
fn generated_messages_say_who_sent_them() {
    let run = std::process::id();
    let content = Content::new(&options("-s 100 host")).unwrap();
    let mut cursor = content.cursor(7);
    let (_, first) = append(&content, &mut cursor, 1, 0);
    let (_, second) = append(&content, &mut cursor, 1, 0);
    // `<38>` and the time, of 19 characters.
    let tail = |text: &str| text[23..].to_owned();
    let want = |sequence: u32| {
        format!(" localhost prg00007[1234]: seq: {sequence:010}, thread: 0007, runid: {run:<10}, ")
    };
    assert!(tail(&first).starts_with(&want(0)[..77 - 23]), "{first}");
    assert!(tail(&second).starts_with(&want(1)[..77 - 23]), "{second}");
    let content = Content::new(&options("-s 300 -P -F -p [a@1_b=\"c\"] host")).unwrap();
    let (_, text) = append(&content, &mut content.cursor(3), 1, 0);
    let begin = text.find(" localhost").unwrap();
    assert!(text.starts_with("<38>1 20") && text[..begin].contains('T'), "{text}");
    let want = format!(
        " localhost prg00003 1234 - [a@1_b=\"c\"] \u{feff}seq: 0000000000, thread: 0003, runid: {run:<10}, stamp: {} PADDPADD",
        &text[6..25]
    );
    assert!(text[begin..].starts_with(&want), "{text}");
    assert_eq!(text.len(), 301);
    let large = Content::new(&options("-s 5000000 host")).unwrap();
    assert_eq!(append(&large, &mut large.cursor(0), 1, 0).1.len(), (1 << 20) + 1, "1 MiB at most");
}

#[test]
fn lines_of_a_file_are_framed_and_repeated() {
    let file = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(file.path(), "<1>a\n\n<1>bb\n<1>ccc").unwrap();
    let line = |more: &str| format!("-R {} {more}", file.path().display());
    let all = "<1>a\n<1>bb\n<1>ccc\n";
    check(&line(""), &[(9, 99), (9, 99)], &[(3, all), (0, "")]);
    check(&line(""), &[(9, 11), (9, 7)], &[(2, "<1>a\n<1>bb\n"), (1, "<1>ccc\n")]);
    check(&line(""), &[(9, 10), (9, 0), (9, 0)], &[(1, "<1>a\n"), (1, "<1>bb\n"), (1, "<1>ccc\n")]);
    check(
        &line("-l"),
        &[(2, 99), (2, 99), (2, 99)],
        &[(2, "<1>a\n<1>bb\n"), (1, "<1>ccc\n"), (2, "<1>a\n<1>bb\n")],
    );
    check(&line("-D"), &[(9, 99)], &[(3, "<1>a<1>bb<1>ccc")]);
    check(&line("-P"), &[(9, 99)], &[(3, "4 <1>a5 <1>bb6 <1>ccc")]);
    check(&line("-P -d"), &[(9, 99)], &[(3, all)]);
    check(&line("-P -F"), &[(9, 99)], &[(3, all)]);
    std::fs::write(file.path(), "plain text\n<1>x y\n").unwrap();
    check(&line(""), &[(9, 99)], &[(2, "<38>plain text\n<1>x y\n")]);
    check(&line("-P -F"), &[(1, 99)], &[(1, "<38>1 - localhost loggen - - - plain text\n")]);
    check(&line("-d"), &[(9, 99)], &[(2, "plain text\n<1>x y\n")]);
    check(&line("--skip-tokens 1"), &[(9, 99)], &[(2, "<38>text\n<38>y\n")]);
    check(&line("--skip-tokens 2"), &[(9, 99)], &[(2, "<38>\n<38>\n")]);
    std::fs::write(file.path(), "\n\n").unwrap();
    let wrong =
        |line: &str| Content::new(&options(&format!("{line} host"))).map(drop).unwrap_err().to_string();
    assert_eq!(wrong(&line("")), format!("{} has no lines", file.path().display()));
    assert!(wrong("-R /nowhere/file").starts_with("cannot read /nowhere/file: "));
}

#[test]
fn the_pace_follows_the_clock() {
    #[track_caller]
    fn check(line: &str, rows: &[(u64, u64, bool)]) {
        let start = Instant::now();
        let pace = Pace::new(&options(&format!("{line} host")), start);
        for (millis, due, over) in rows {
            let now = start + Duration::from_millis(*millis);
            assert_eq!((pace.due(now), pace.over(now)), (*due, *over), "{line} at {millis} ms");
        }
    }
    check("", &[(0, 0, false), (500, 500, false), (9_999, 9_999, false), (10_000, 10_000, true)]);
    check("-r 8 -I 1", &[(250, 2, false), (999, 7, false), (1_000, 8, true)]);
    check("-n 3 -r 8", &[(250, 2, false), (500, 3, false)]);
    check("-T -r 8", &[(100_000, 800, false)]);
    check("--perf", &[(0, u64::MAX, false)]);
    check("--perf -n 5", &[(0, 5, false)]);
    check("-r 8 --rate-burst-start", &[(0, 8, false), (1_000, 16, false)]);
}
