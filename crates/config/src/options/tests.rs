//! Rows for the values that options take: values as written, and values that do not fit.

use std::path::Path;

use super::{Driver, Misfit, Standing, ValueKind, driver, drivers, later, row};
use crate::tree::{Call, Kind, Statement};
use crate::{Memory, parse};

/// The option `x` as it is written between parentheses.
fn written(text: &str) -> Call {
    let files = Memory::default().file("main.conf", format!("@version: 4.8\noptions {{ x({text}); }};"));
    let (tree, report) = parse(Path::new("main.conf"), &files);
    assert!(report.is_usable(), "{text}: {}", report.render_plain(&tree.texts));
    match tree.statements.first() {
        Some(Statement::Options(options)) => options[0].clone(),
        other => panic!("{text}: {other:?}"),
    }
}

#[track_caller]
fn takes(kind: ValueKind, texts: &[&str]) {
    for text in texts {
        assert_eq!(kind.fit(&written(text)).err().map(|misfit| misfit.message), None, "{text}");
    }
}

/// Checks the message, the column of the error and the accepted values.
#[track_caller]
fn refuses(kind: ValueKind, text: &str, message: &str, column: u32, accepted: &str) {
    let misfit = kind.fit(&written(text)).expect_err(text);
    let line = "@version: 4.8\n".len() as u32;
    let Misfit { span, message: got, accepted: wanted, .. } = misfit;
    assert_eq!((got.as_str(), span.start - line + 1, wanted.as_str()), (message, column, accepted), "{text}");
}

const UNFIT: &str = "this value does not fit";

#[test]
fn takes_yes_and_no_in_every_spelling() {
    takes(ValueKind::YesNo, &["yes", "no", "on", "off", "TRUE", "\"false\"", "0", "1"]);
    refuses(ValueKind::YesNo, "maybe", UNFIT, 13, "yes or no");
    refuses(ValueKind::YesNo, "", "`x()` needs a value", 11, "yes or no");
    refuses(ValueKind::YesNo, "yes no", "`x()` takes one value", 17, "yes or no");
}

#[test]
fn numbers_have_both_bounds() {
    takes(ValueKind::Number(1, 5), &["1", "5", "\"3\"", "' 4 '"]);
    refuses(ValueKind::Number(1, 5), "0", UNFIT, 13, "a number from 1 to 5");
    refuses(ValueKind::Number(1, 5), "6", UNFIT, 13, "a number from 1 to 5");
    refuses(ValueKind::Number(1, 5), "2.5", UNFIT, 13, "a number from 1 to 5");
    refuses(ValueKind::Number(3, i64::MAX), "2", UNFIT, 13, "a number from 3");
    refuses(ValueKind::Number(i64::MIN, i64::MAX), "a", UNFIT, 13, "a number");
    takes(ValueKind::Decimal(0.5, 2.0), &["0.5", "2", "\"1.25\""]);
    refuses(ValueKind::Decimal(0.5, 2.0), "0.4", UNFIT, 13, "a number from 0.5 to 2");
    refuses(ValueKind::Decimal(0.5, 2.0), "2.1", UNFIT, 13, "a number from 0.5 to 2");
    refuses(ValueKind::Decimal(0.5, f64::INFINITY), "0", UNFIT, 13, "a number from 0.5");
    let port = "a port from 0 to 65535, or the name of its service";
    takes(ValueKind::Port, &["0", "65535", "\"514\"", "syslog"]);
    refuses(ValueKind::Port, "65536", UNFIT, 13, port);
    refuses(ValueKind::Port, "-1", UNFIT, 13, port);
    refuses(ValueKind::Port, "no-such-service", UNFIT, 13, port);
}

#[test]
fn modes_are_octal() {
    takes(ValueKind::Mode, &["0640", "\"0640\"", "640", "-1", "-2", "0x1a0", ""]);
    refuses(ValueKind::Mode, "-3", UNFIT, 13, "a mode such as 0640");
    refuses(ValueKind::Mode, "010000", UNFIT, 13, "a mode such as 0640");
    refuses(ValueKind::Mode, "\"rw-\"", UNFIT, 13, "a mode such as 0640");
    takes(ValueKind::Id, &["root", "0", "\"log readers\"", ""]);
    refuses(ValueKind::Id, "a(b)", UNFIT, 13, "a name or a number");
}

#[test]
fn ages_have_units() {
    let accepted = "seconds, or a number with a unit of s, m, h, d, w, y such as \"90d\"";
    takes(ValueKind::Age, &["0", "60", "\"90d\"", "12h", "1y", "5m", "2w", "\"7 d\""]);
    refuses(ValueKind::Age, "-1", UNFIT, 13, accepted);
    refuses(ValueKind::Age, "3q", UNFIT, 13, accepted);
    refuses(ValueKind::Age, "\"99999999999999999y\"", UNFIT, 13, accepted);
}

#[test]
fn words_are_of_a_list() {
    const WORDS: &[&str] = &["one", "two-three", "4"];
    takes(ValueKind::Word(WORDS), &["one", "\"two_three\"", "ONE", "4"]);
    refuses(ValueKind::Word(WORDS), "five", "`five` is not known here", 13, "one of one, two-three, 4");
    refuses(
        ValueKind::Word(WORDS),
        "relp",
        "`relp` is a driver of its own here: write relp()",
        13,
        "one of one, two-three, 4",
    );
    refuses(ValueKind::Word(WORDS), "\"\"", "`` is not known here", 13, "one of one, two-three, 4");
    refuses(ValueKind::Word(WORDS), "one(1)", "`one` is not known here", 13, "one of one, two-three, 4");
    takes(ValueKind::Words(WORDS), &["", "\"\"", "one two_three", "one, 4"]);
    refuses(ValueKind::Words(WORDS), "one five", "`five` is not known here", 17, "some of one, two-three, 4");
}

#[test]
fn texts_may_be_typed_where_a_row_allows_it() {
    takes(ValueKind::Text, &["a", "\"a b\"", "5", "1.5"]);
    refuses(ValueKind::Text, "a(b)", UNFIT, 13, "text");
    refuses(ValueKind::Text, "a..b", UNFIT, 13, "text");
    takes(ValueKind::Texts, &["", "a b", "a, \"b\", 3"]);
    refuses(ValueKind::Texts, "a int(\"5\")", UNFIT, 15, "one or more texts");
    let typed = "one or more texts; with a type, int(\"text\")";
    takes(ValueKind::TypedTexts, &["a int(\"5\")", "string(x)"]);
    refuses(ValueKind::TypedTexts, "int(\"5\" \"6\")", UNFIT, 13, typed);
    refuses(ValueKind::TypedTexts, "int(1)", UNFIT, 13, typed);
    takes(ValueKind::Template, &["\"$HOST\"", "t_name", "5", "int(\"5\")"]);
    refuses(ValueKind::Template, "a..b", UNFIT, 13, "a template or the name of one");
}

#[test]
fn codes_are_names_or_numbers() {
    takes(ValueKind::Facility, &["mail", "MAIL", "23", "\"local7\""]);
    refuses(ValueKind::Facility, "24", UNFIT, 13, "a facility");
    refuses(ValueKind::Facility, "mial", UNFIT, 13, "a facility");
    takes(ValueKind::Severity, &["err", "error", "0", "7"]);
    refuses(ValueKind::Severity, "8", UNFIT, 13, "a severity");
    refuses(ValueKind::Filter, "a", UNFIT, 13, "a filter expression");
}

#[test]
fn finds_drivers_by_every_name() {
    let names = |kind: Kind, key: &str| driver(kind, key).map(|driver| driver.name);
    assert_eq!(names(Kind::Source, "network"), Some("network"));
    assert_eq!(names(Kind::Source, "usertty"), None);
    assert_eq!(names(Kind::Destination, "usertty"), Some("usertty"));
    assert_eq!(names(Kind::Template, "network"), None);
    assert!(later(Kind::Destination).contains(&"websocket") && later(Kind::Filter).is_empty());
    let tables = driver(Kind::Source, "network").map(|driver| driver.options).unwrap_or_default();
    assert_eq!(row(tables, "tcp-keepalive").map(|row| row.name), Some("tcp-keepalive"));
    assert!(row(tables, "no-such-option").is_none());
}

/// The options that every destination has whose receiver answers for each message, and those that several have.
const DELIVERY_OPTIONS: &[&str] = &[
    "batch-bytes",
    "batch-lines",
    "batch-timeout",
    "dead-letters",
    "disk-buffer",
    "log-fifo-size",
    "on-error",
    "on-full",
    "persist-name",
    "response-action",
    "retries",
    "throttle",
    "time-reopen",
    "worker-partition-key",
    "workers",
];

/// The drivers that do not honour an option of [`DELIVERY_OPTIONS`], with what the manual says about it.
const DEVIATIONS: &[(&str, &[&str])] = &[
    // The meaning of a status: only those that speak HTTP have one.
    (
        "response-action",
        &[
            "sql",
            "mongodb",
            "redis",
            "amqp",
            "collectd",
            "riemann",
            "zabbix",
            "stomp",
            "mqtt",
            "nats",
            "kafka",
            "s3",
            "hdfs",
            "python",
            "clickhouse",
            "nrdp",
        ],
    ),
    // The objects of s3() are not in an order; the others have one connection.
    ("worker-partition-key", &["sql", "riemann", "mqtt", "s3", "hdfs", "python"]),
    ("workers", &["sql", "riemann", "mqtt", "hdfs", "python"]),
];

#[test]
fn receivers_have_the_options_of_delivery() {
    let mut found = Vec::new();
    for name in DELIVERY_OPTIONS {
        let is_honoured = |driver: &&Driver| {
            row(driver.options, name).is_some_and(|row| matches!(row.standing, Standing::Honoured))
        };
        let receivers =
            drivers(Kind::Destination).iter().filter(|driver| row(driver.options, "dead-letters").is_some());
        let without: Vec<&str> =
            receivers.filter(|driver| !is_honoured(driver)).map(|driver| driver.name).collect();
        if !without.is_empty() {
            found.push((*name, without));
        }
    }
    let found: Vec<(&str, &[&str])> =
        found.iter().map(|(name, drivers)| (*name, drivers.as_slice())).collect();
    assert_eq!(found, DEVIATIONS);
}
