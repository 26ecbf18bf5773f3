//! Rows for the meaning of names in pipes, in messages and in tables, and for the handling of odd values.

use super::{NOW_US, options};
use crate::{
    Query, Search, SearchScope, stream,
    tests::naive::{START_US, document, snapshot, with_value},
};
use lookup::Document;

/// Three messages with a value in every field.
fn store() -> SearchScope {
    let line = |n: i64| {
        let mut made = document(n, "web", "app", &format!("text {n}"));
        made.pid = format!("{}", 100 + n).into_bytes();
        made.msgid = b"ID".to_vec();
        made.tags = vec!["one".to_owned(), format!("t{n}")];
        with_value(made, "user", "ann")
    };
    snapshot((1..4).map(line).collect(), 2).into()
}

fn of(documents: Vec<Document>) -> SearchScope {
    snapshot(documents, 4).into()
}

/// Checks the lines of a table; a missing value is a minus sign.
#[track_caller]
fn check_in(space: &SearchScope, text: &str, want: &[&str]) {
    let query = Query::parse(text, &options()).unwrap();
    let mut rows = Vec::new();
    stream(space, &query, &Search::default(), &mut |row| {
        rows.push(row);
        true
    })
    .unwrap();
    let cell = |row: &Document, name: &crate::Name| match name.value(row) {
        Some((value, _)) => String::from_utf8_lossy(&value).into_owned(),
        None => "-".to_owned(),
    };
    let columns = query.columns().unwrap_or_default();
    let line = |row: &Document| columns.iter().map(|name| cell(row, name)).collect::<Vec<_>>().join(" ");
    assert_eq!(rows.iter().map(line).collect::<Vec<_>>(), want, "{text}");
}

#[track_caller]
fn check(text: &str, want: &[&str]) {
    check_in(&store(), text, want);
}

#[test]
fn names_of_messages() {
    // Message 3 has facility 3 and severity 3; it arrived three seconds after its event time.
    for (names, want) in [
        ("host, program, pid, msgid", "web app 103 ID"),
        ("facility, severity, tags", "daemon err one,t3"),
        ("source, peer", "s_net 10.0.0.3"),
        ("message, user, none", "text 3 ann -"),
        ("raw", "<27>1 web app: text 3"),
        ("@received", "2026-01-01T00:00:03Z"),
        ("@event", "2026-01-01T00:00:00Z"),
        ("@skew, @sequence", "3 2"),
    ] {
        check(&format!("* | head 1 | fields {names}"), &[want]);
    }
}

#[test]
fn names_of_tables() {
    // Group keys are shown as they were in the messages.
    for (name, want) in [
        ("pid", &["101 1", "102 1", "103 1"][..]),
        ("msgid", &["ID 3"]),
        ("source", &["s_net 3"]),
        ("peer", &["10.0.0.1 1", "10.0.0.2 1", "10.0.0.3 1"]),
        ("tags", &["one 3", "t1 1", "t2 1", "t3 1"]),
        ("facility", &["daemon 1", "mail 1", "user 1"]),
        ("severity", &["alert 1", "crit 1", "err 1"]),
        ("message", &["text 1 1", "text 2 1", "text 3 1"]),
        ("raw", &["<18>1 web app: text 2 1", "<27>1 web app: text 3 1", "<9>1 web app: text 1 1"]),
        ("@sequence", &["0 1", "1 1", "2 1"]),
        ("@skew", &["1 1", "2 1", "3 1"]),
        ("@received", &["2026-01-01T00:00:01Z 1", "2026-01-01T00:00:02Z 1", "2026-01-01T00:00:03Z 1"]),
        ("@event", &["2026-01-01T00:00:00Z 3"]),
    ] {
        check(&format!("* | stats count() by {name}"), want);
        check(
            &format!("* | where * | stats count() by {name}, program | fields {name}, count"),
            want_once(name, want),
        );
    }
    check("* | stats count() by severity, facility", &["alert user 1", "crit mail 1", "err daemon 1"]);
    check("* | stats count() by facility, severity", &["daemon err 1", "mail crit 1", "user alert 1"]);
    check(
        "* | rex /(?<facility>[0-9])/ | fields facility, severity",
        &["daemon err", "mail crit", "user alert"],
    );
    check("* | stats count() by @sequence | sort -@sequence | head 1 | fields @sequence", &["2"]);
    check("* | stats sum(@skew), max(@sequence), avg(@sequence)", &["6 2 1"]);
    check("* | stats min(@received), max(@event)", &["2026-01-01T00:00:01Z 2026-01-01T00:00:00Z"]);
}

/// Several tags are one value if they are one of several keys.
fn want_once<'w>(name: &str, want: &'w [&'w str]) -> &'w [&'w str] {
    if name == "tags" { &["one,t1 1", "one,t2 1", "one,t3 1"] } else { want }
}

#[test]
fn members_of_objects_have_types() {
    let text = |text: &str| of(vec![document(1, "web", "app", text)]);
    let object = r#"at {"a":{"b":1,"c":1.5,"d":true,"e":null,"f":[1,"x"]},"g":"text"} end"#;
    check_in(
        &text(object),
        "* | json | fields a.b, a.c, a.d, a.e, a.f, g",
        &[r#"1 1.5 true - [1,"x"] text"#],
    );
    check_in(&text("{broken"), "* | json | fields a, host", &["- web"]);
    let other = of(vec![with_value(document(1, "web", "app", "x"), "in", r#"{"a":1}"#)]);
    check_in(&other, "* | json field=in | fields a", &["1"]);
    check_in(&other, "* | json in | fields a", &["1"]);
    check_in(&other, "* | json none | fields a", &["-"]);
    // A row takes a limited number of values.
    let members: Vec<String> = (0..1_100).map(|n| format!("\"m{n:04}\":{n}")).collect();
    let many = text(&format!("{{{}}}", members.join(",")));
    check_in(&many, "* | json | fields m0000, m0999, m1000", &["0 999 -"]);
}

#[test]
fn pairs_are_read_with_their_quotes() {
    let text = |text: &str| of(vec![document(1, "web", "app", text)]);
    for (line, names, want) in [
        ("a=1 b=\"two words\" c='it' d=4", "a, b, c, d", "1 two words it 4"),
        (r#"a="q\"b\\c" b=2"#, "a, b", r#"q"b\c 2"#),
        ("a=1,b=2;c=3\td=4", "a, b, c, d", "1 2 3 4"),
        ("=x a=1 ==y b=", "a, b", "1 "),
        (r#"a="open b=2"#, "a, b", "open b=2 -"),
        (r#"a="open\"#, "a", "open"),
        ("x-y.z_1@q=v (k=w", "x-y.z_1@q, k", "v w"),
    ] {
        check_in(&text(line), &format!("* | kv | fields {names}"), &[want]);
    }
    let other = of(vec![with_value(document(1, "web", "app", "x"), "in", "a=1")]);
    check_in(&other, "* | kv field=in | fields a", &["1"]);
    let pairs: Vec<String> = (0..1_100).map(|n| format!("p{n}={n}")).collect();
    check_in(&text(&pairs.join(" ")), "* | kv | fields p0, p999, p1000", &["0 999 -"]);
}

#[test]
fn rows_are_sorted_by_what_they_have() {
    let with = |n: i64, value: Option<&str>| {
        let made = document(n, "web", "app", "x");
        value.map_or_else(|| made.clone(), |value| with_value(made.clone(), "v", value))
    };
    let values = [Some("10"), Some("9"), Some("b"), None, Some("a"), Some("9.0"), Some("-1"), None];
    let space = || of(values.iter().zip(0..).map(|(value, n)| with(n, *value)).collect());
    // Numbers by size, equal ones as they are written, then text; missing values are last in either
    // direction.
    let sorted = ["-1", "9", "9.0", "10", "a", "b", "-", "-"];
    check_in(&space(), "* | sort v | fields v", &sorted);
    check_in(&space(), "* | sort -v | fields v", &["b", "a", "10", "9.0", "9", "-1", "-", "-"]);
    check_in(&space(), "* | sort v desc | head 2 | fields v", &["b", "a"]);
    for count in 1..8 {
        check_in(&space(), &format!("* | sort v | head {count} | fields v"), &sorted[..count]);
    }
    // Of equal keys the newest comes first.
    check_in(&space(), "* | sort host | head 3 | fields @sequence", &["7", "6", "5"]);
    check_in(&space(), "* | sort v | sort host | fields v", &sorted);
    check_in(&space(), "* | dedup host, v | stats count()", &["7"]);
    check_in(&space(), "* | stats min(v), max(v), distinct(v), count(v)", &["-1 b 6 6"]);
    check_in(&space(), "* | stats sum(v), avg(v)", &["27 6.75"]);
}

#[test]
fn counts_by_time_follow_the_clock_of_the_search() {
    let query = Query::parse("* | timechart 2s", &options()).unwrap();
    let shown = |search: &Search| {
        let mut lines = Vec::new();
        stream(&store(), &query, search, &mut |row| {
            let value = |name: &crate::Name| String::from_utf8(name.value(&row).unwrap().0).unwrap();
            lines.push(query.columns().unwrap().iter().map(value).collect::<Vec<_>>().join(" "));
            true
        })
        .unwrap();
        lines
    };
    let received = Search::default();
    assert_eq!(shown(&received), ["2026-01-01T00:00:00Z 1", "2026-01-01T00:00:02Z 2"]);
    // All three have an event time in the first second.
    let event = Search { clock: crate::Clock::Event, ..Search::default() };
    assert_eq!(shown(&event), ["2026-01-01T00:00:00Z 3"]);
    let range = Search { from_us: Some(START_US), to_us: Some(START_US + 4_000_000), ..event };
    assert_eq!(shown(&range), ["2026-01-01T00:00:00Z 3", "2026-01-01T00:00:02Z 0"]);
    assert!(range.to_us.is_some_and(|to_us| to_us < NOW_US));
}

#[test]
fn times_with_fractions_are_sorted() {
    let line = |us: i64| {
        let mut made = document(1, "web", "app", "text");
        made.received_us = START_US + us;
        made.event.unix_us = START_US + us;
        made
    };
    // As texts, the first would be the last, and 0.25 would come after 0.250001.
    let space = of([0, 250_000, 250_001, 300_000].map(line).to_vec());
    let times = [
        "2026-01-01T00:00:00Z",
        "2026-01-01T00:00:00.25Z",
        "2026-01-01T00:00:00.250001Z",
        "2026-01-01T00:00:00.3Z",
    ];
    check_in(&space, "* | sort @event | fields @event", &times);
    check_in(&space, "* | sort -@received | fields @received", &[times[3], times[2], times[1], times[0]]);
    check_in(&space, "* | stats min(@event), max(@received)", &[&format!("{} {}", times[0], times[3])]);
}
