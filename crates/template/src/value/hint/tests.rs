//! Rows for type hints: their names, which texts fit, and what numbers mean.

use super::*;

#[test]
fn every_name_is_a_hint() {
    for name in HINT_NAMES {
        assert!(TypeHint::from_name(name).is_some(), "{name}");
    }
    assert_eq!(TypeHint::from_name("text"), None);
    assert_eq!(TypeHint::from_name("literal").map(TypeHint::kind), Some(ValueKind::Json));
}

#[test]
fn texts_fit_their_type() {
    let check = |hint: &str, text: &str, want: bool| {
        let hint = TypeHint::from_name(hint).unwrap();
        assert_eq!(hint.fits(text.as_bytes()), want, "{hint:?} {text}");
    };
    check("int", "12", true);
    check("int", "12.5", false);
    check("int", "", false);
    check("double", " 12.5 ", true);
    check("double", "inf", false);
    check("double", "x", false);
    check("boolean", "Tomorrow", true);
    check("boolean", "x", false);
    check("datetime", "1.5", true);
    check("datetime", " 1.5", false);
    check("datetime", "nan", false);
    check("string", "", true);
    check("literal", "{", true);
}

#[test]
fn whole_numbers() {
    let check = |text: &str, want: Option<i64>| assert_eq!(integer(text.as_bytes()), want, "{text}");
    check("0", Some(0));
    check(" 42 ", Some(42));
    check("-42", Some(-42));
    check("+7", Some(7));
    check("0x1f", Some(31));
    check("-0X10", Some(-16));
    check("--1", None);
    check("- 1", None);
    check("0x", None);
    check("1e3", None);
    check("9223372036854775807", Some(i64::MAX));
    check("9223372036854775808", None);
}

#[test]
fn only_the_first_letter_of_a_truth_counts() {
    let check = |text: &str, want: Option<bool>| assert_eq!(truth(text.as_bytes()), want, "{text}");
    check("true", Some(true));
    check("Tue", Some(true));
    check("1", Some(true));
    check("0", Some(false));
    check("Friday", Some(false));
    check("yes", None);
    check("", None);
}
