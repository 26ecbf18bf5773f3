//! Rows for severities and facilities as programs write them.

use super::*;

#[test]
fn severities_are_numbers_or_names() {
    for (text, want) in [
        ("0", Some((0, true))),
        ("7", Some((7, true))),
        ("8", None),
        ("10", Some((7, false))),
        ("20", Some((7, false))),
        ("30", Some((6, false))),
        ("40", Some((4, false))),
        ("50", Some((3, false))),
        ("60", Some((2, false))),
        ("70", None),
        ("err", Some((3, true))),
        ("Err", Some((3, false))),
        ("error", Some((3, false))),
        ("FATAL", Some((2, false))),
        ("critical error", Some((2, false))),
        ("trace", Some((7, false))),
        ("dbg", Some((7, false))),
        ("Verbose", Some((7, false))),
        ("fine", Some((7, false))),
        ("finer", Some((7, false))),
        ("FINEST", Some((7, false))),
        ("Information", Some((6, false))),
        ("inf", Some((6, false))),
        ("wrn", Some((4, false))),
        ("E", Some((3, false))),
        ("SEVERE", Some((3, false))),
        ("", None),
        ("loud", None),
    ] {
        let found = severity(text.as_bytes()).map(|(severity, is_whole)| (severity.0, is_whole));
        assert_eq!(found, want, "{text}");
    }
    assert_eq!(severity(b"\xff"), None);
}

#[test]
fn facilities_are_numbers_or_names() {
    for (text, want) in [
        ("0", Some((0, true))),
        ("23", Some((23, true))),
        ("24", None),
        ("mail", Some((2, true))),
        ("Mail", Some((2, false))),
        ("security", Some((4, false))),
        ("nobody", None),
    ] {
        let found = facility(text.as_bytes()).map(|(facility, is_whole)| (facility.0, is_whole));
        assert_eq!(found, want, "{text}");
    }
    assert_eq!(facility(b"\xff"), None);
}
