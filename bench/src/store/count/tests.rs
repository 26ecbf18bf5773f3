//! The independent count, against lines counted by hand.

use super::*;

const LINE: &[u8] = b"<34>nov  1 10:00:00 gw-1 postfix/smtpd[42]: auth-failed.now, tail: user=<eve> authentication failure; x.";

#[track_caller]
fn check(finds: Finds, want: bool) {
    assert_eq!(Line::read(LINE).has(&finds), want);
}

#[test]
fn words_are_those_of_the_manual() {
    let found: Vec<_> = words(b"--a.b-c. (x_y) 10.0.0.1: =z").collect();
    assert_eq!(found, [&b"a.b-c"[..], b"x_y", b"10.0.0.1", b"z"]);
}

#[test]
fn every_way_to_find_can_say_yes_and_no() {
    check(Finds::Any, true);
    check(Finds::Word("user"), true);
    check(Finds::Word("failed"), false);
    check(Finds::Word("smtpd"), true);
    check(Finds::Word("gw-1"), true);
    check(Finds::Starts("auth-"), true);
    check(Finds::Ends("now"), true);
    check(Finds::Ends("failed"), false);
    check(Finds::Has("ail"), true);
    check(Finds::Has("aix"), false);
    check(Finds::Phrase(&["authentication", "failure"]), true);
    check(Finds::Phrase(&["failure", "authentication"]), false);
    check(Finds::Phrase(&["x", "postfix"]), false);
    check(Finds::Near("autentication"), true);
    check(Finds::Near("autentiction"), false);
    check(Finds::Host("gw-1"), true);
    check(Finds::Host("gw"), false);
    check(Finds::All(&[Finds::Word("user"), Finds::Not(&Finds::Word("root"))]), true);
    check(Finds::One(&[Finds::Word("root"), Finds::Word("mail")]), false);
}

#[test]
fn one_edit_is_one_edit() {
    for (left, right, want) in [
        ("abc", "abc", true),
        ("abc", "abd", true),
        ("abc", "xbc", true),
        ("abc", "ab", true),
        ("bc", "abc", true),
        ("abc", "acb", false),
        ("abc", "a", false),
        ("", "a", true),
        ("", "ab", false),
    ] {
        assert_eq!(one_edit(left.as_bytes(), right.as_bytes()), want, "{left} {right}");
    }
}
