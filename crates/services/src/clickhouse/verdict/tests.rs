//! What statuses and exceptions mean.

use super::*;
use std::time::Duration;

const JUDGE: Judge = Judge { actions: Vec::new(), bounds_errors: false };

fn reply(status: u16, header: &'static str, body: &str) -> Reply {
    let mut headers = HeaderMap::new();
    if !header.is_empty() {
        headers.insert(CODE_HEADER, header.parse().unwrap());
    }
    Reply::Status { status, wait: None, headers, body: body.as_bytes().to_vec() }
}

fn judged(reply: Reply) -> (Verdict, String) {
    match of_reply(&JUDGE, reply) {
        Ok(()) => (Verdict::Delivered, String::new()),
        Err(failure) => (failure.verdict, failure.answer),
    }
}

#[track_caller]
fn check(codes: &[u32], want: Verdict) {
    for code in codes {
        // A recent version, an old one, and an exception after the status.
        let recent = format!("Code: {code}. DB::Exception: no. (NAME) (version 24.1)\n");
        let old = format!("Code: {code}, e.displayText() = DB::Exception: no, e.what() = DB::Exception\n");
        let late = format!("\n__exception__\r\nabcdefgh\r\nCode: {code}. DB::Exception: no\n");
        for (status, body) in [(500, &recent), (404, &old), (200, &recent), (200, &late)] {
            assert_eq!(judged(reply(status, "", body)).0, want, "{status} {body}");
        }
        let header: &'static str = Box::leak(code.to_string().into_boxed_str());
        assert_eq!(judged(reply(200, header, "")).0, want, "header {code}");
    }
}

#[test]
fn a_code_says_whether_messages_wait_or_die() {
    check(&[159, 160, 202, 209, 210, 241, 242, 252, 319, 999], Verdict::Later(Wait::Busy));
    check(&[6, 26, 27, 33, 41, 53, 72, 117], Verdict::Split(DeadReason::Type));
    check(&[349, 469], Verdict::Split(DeadReason::Constraint));
    check(&[131], Verdict::Split(DeadReason::TooLarge));
    check(&[192, 193, 194, 516], Verdict::Hold(HoldReason::Credentials));
    check(&[164, 291, 497], Verdict::Hold(HoldReason::Access));
    check(&[16, 60, 81, 73, 115], Verdict::Hold(HoldReason::Schema));
    check(&[201, 243], Verdict::Hold(HoldReason::Quota));
    check(&[1, 9999], Verdict::Later(Wait::BackOff));
}

#[test]
fn words_say_more_than_some_codes() {
    let of = |words: &str| judged(reply(500, "", words)).0;
    assert_eq!(
        of("Code: 252. DB::Exception: Too many partitions for single INSERT block (more than 100)."),
        Verdict::Split(DeadReason::Rejected)
    );
    for code in [49, 36, 9999] {
        let text = format!("Code: {code}. DB::Exception: Unknown element 'x' for type Enum8: (at row 2)\n");
        assert_eq!(of(&text), Verdict::Split(DeadReason::Type));
    }
    assert_eq!(of("Code: 241. DB::Exception: Memory limit exceeded: (at row 2)"), Verdict::Later(Wait::Busy));
}

#[track_caller]
fn check_answer(status: u16, body: &str, want: &str) {
    assert_eq!(judged(reply(status, "", body)).1, want);
}

#[test]
fn the_log_gets_no_row_and_a_dead_letter_does() {
    check_answer(
        500,
        "Code: 27, e.displayText() = DB::Exception: Cannot parse input: expected \" before: secret: (at row 1)\n, e.what()",
        "the server answered Code: 27, e.displayText() = DB::Exception: Cannot parse input: expected \"\n\
         Code: 27, e.displayText() = DB::Exception: Cannot parse input: expected \" before: secret: (at row 1) , e.what()",
    );
    check_answer(404, "Code: 60. No table\n", "the server answered Code: 60. No table");
    let long = format!("Code: 60. {}", "y".repeat(2000));
    assert_eq!(judged(reply(404, "", &long)).1.len(), "the server answered ".len() + 900);
}

#[test]
fn a_success_has_nothing_in_its_body() {
    assert_eq!(judged(reply(200, "", "")).0, Verdict::Delivered);
    assert_eq!(judged(reply(200, "0", "\n")).0, Verdict::Delivered);
    let hold = |status: u16| {
        let answer = format!("the server answered {status}: this is no answer of ClickHouse");
        (Verdict::Hold(HoldReason::Schema), answer)
    };
    assert_eq!(judged(reply(200, "", "<html>It works")), hold(200));
    assert_eq!(judged(reply(400, "", "Bad Request")), hold(400));
    assert_eq!(judged(reply(404, "", "")), hold(404));
    assert_eq!(judged(reply(302, "", "")), hold(302));
    assert_eq!(judged(reply(401, "", "")).0, Verdict::Hold(HoldReason::Credentials));
    assert_eq!(judged(reply(413, "", "")).0, Verdict::Split(DeadReason::TooLarge));
    assert_eq!(judged(reply(503, "", "")).0, Verdict::Later(Wait::Busy));
    assert_eq!(judged(Reply::Silent).0, Verdict::Later(Wait::Busy));
    assert_eq!(judged(Reply::Unreachable("x".to_owned())).0, Verdict::Later(Wait::Reopen));
    let wait = Some(Duration::from_secs(7));
    let asked = Reply::Status { status: 503, wait, headers: HeaderMap::new(), body: Vec::new() };
    assert_eq!(judged(asked).0, Verdict::Later(Wait::For(Duration::from_secs(7))));
}

#[test]
fn an_old_server_names_what_it_does_not_know() {
    let body = "Code: 115, e.displayText() = DB::Exception: Unknown setting insert_deduplication_token";
    assert!(is_unknown_setting(&reply(404, "", body)));
    assert!(!is_unknown_setting(&reply(404, "", "Code: 60, no table")));
    assert!(!is_unknown_setting(&reply(200, "", "")));
    assert!(!is_unknown_setting(&Reply::Silent));
}

#[track_caller]
fn check_named(words: &str, want: &str) {
    let failure = of_reply(&JUDGE, reply(500, "", words)).unwrap_err();
    let judgements = over_rows(5, &failure);
    let shown: Vec<String> =
        judgements.iter().map(|judged| format!("{} {:?}", judged.rows, judged.verdict)).collect();
    assert_eq!(shown.join(", "), want, "{words}");
}

#[test]
fn a_row_that_the_server_names_is_suspected() {
    let split = "5 Split(Type)";
    check_named("Code: 27. DB::Exception: Cannot parse: (at row 1)\n", "1 Suspect(Type), 4 Split(Type)");
    let third = "2 Split(Type), 1 Suspect(Type), 2 Split(Type)";
    check_named("Code: 27. DB::Exception: Cannot parse: (at row 3)\n", third);
    check_named("Code: 27. DB::Exception: expected \" before: '(at row 2)': (at row 3): While", third);
    check_named("Code: 27. DB::Exception: Cannot parse: (at row 5)", "4 Split(Type), 1 Suspect(Type)");
    for row in ["0", "6", "-1", "18446744073709551616", "two", ""] {
        check_named(&format!("Code: 27. DB::Exception: Cannot parse: (at row {row})"), split);
    }
    check_named("Code: 27. DB::Exception: Cannot parse: (at row 3", split);
    check_named("Code: 241. DB::Exception: Memory limit exceeded: (at row 3)", "5 Later(Busy)");
}
