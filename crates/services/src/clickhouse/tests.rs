//! Rows, names and requests.

mod exchanges;

use super::{
    column::{ClickhouseColumn, Form},
    options::{ClickhouseContent, ClickhouseFormat, ClickhouseTarget},
    receiver::ClickhouseReceiver,
    statement::{self, ColumnNameError, check_name},
};
use crate::{
    http::{Compression, RequestSettings},
    testing::{Long, Timed, row},
};
use delivery::{Batches, Cell, Receiver};
use message::Render;
use proptest::{collection::vec, prelude::any, proptest};
use std::time::Duration;
use transport::{
    testing::Text,
    tls::{SenderTls, TlsOptions},
};

#[track_caller]
fn check_form(kinds: &[&str], want: Form) {
    for kind in kinds {
        assert_eq!(Form::of_type(kind), want, "{kind}");
    }
}

#[test]
fn a_type_says_how_values_are_written() {
    check_form(
        &["", "String", "FixedString(9)", "LowCardinality(String)", "Nullable(String)", "varchar(9)", "TEXT"],
        Form::Text,
    );
    check_form(
        &[
            "UInt8",
            "Int256",
            "INTEGER",
            "int unsigned",
            "Float64",
            "Decimal(9, 2)",
            "Decimal64(3)",
            "LowCardinality(Nullable(UInt8))",
            "double precision",
        ],
        Form::Number,
    );
    check_form(&["Bool", "Nullable(boolean)"], Form::Truth);
    check_form(
        &["Array(String)", "Map(String, UInt8)", "Tuple(a UInt8)", "JSON", "Nested(a UInt8)"],
        Form::Structure,
    );
    check_form(
        &["DateTime", "DateTime64(3, 'UTC')", "Nullable(Date)", "UUID", "IPv4", "Enum8('a' = 1)", "Interval"],
        Form::Other,
    );
}

#[track_caller]
fn check_value(kind: &str, text: &str, want: Option<&str>) {
    let mut out = Vec::new();
    let is_there = Form::of_type(kind).push(text.as_bytes(), &mut out);
    assert_eq!(is_there.then(|| String::from_utf8(out).unwrap()).as_deref(), want, "{kind} {text}");
}

#[test]
fn values_stay_one_value() {
    check_value("String", "", Some("\"\""));
    check_value("String", "7", Some("\"7\""));
    check_value("String", "\",\"b\":1}\n\\\u{0}", Some("\"\\\",\\\"b\\\":1}\\n\\\\\\u0000\""));
    check_value("UInt8", " 7 ", Some("7"));
    check_value("UInt64", "18446744073709551615", Some("18446744073709551615"));
    check_value("Decimal(38, 2)", "-12345678901234567890123456.78", Some("-12345678901234567890123456.78"));
    check_value("Float64", "1e3", Some("1e3"));
    check_value("UInt8", "", None);
    for text in ["007", "+7", "seven", "1,2", "7}", "1 2", "true", "0x7"] {
        check_value("UInt8", text, Some(&format!("\"{text}\"")));
    }
    check_value("Bool", "true", Some("true"));
    check_value("Bool", "1", Some("1"));
    check_value("Bool", "yes", Some("\"yes\""));
    check_value("Array(UInt8)", "[1, 2]", Some("[1, 2]"));
    check_value("Map(String, String)", "{\"a\":\"b\"}", Some("{\"a\":\"b\"}"));
    for text in ["1", "[1", "[1],[2]", "[1]}", "a,b"] {
        check_value("Array(UInt8)", text, Some(&format!("\"{text}\"")));
    }
    check_value("DateTime", "1234567890", Some("\"1234567890\""));
    check_value("DateTime", " ", None);
}

proptest! {
    #[test]
    fn whatever_a_message_says_its_row_is_one_object(text in vec(any::<u8>(), 0..40)) {
        for kind in ["String", "UInt8", "Bool", "Array(String)", "DateTime"] {
            let mut out = Vec::new();
            if Form::of_type(kind).push(&text, &mut out) {
                assert!(serde_json::from_slice::<serde_json::Value>(&out).is_ok(), "{kind} {out:?}");
            }
        }
    }
}

#[test]
fn names_are_quoted() {
    assert_eq!(
        statement::insert("d", "t`; DROP TABLE x", &["a\\", "b\"c"], "JSONEachRow"),
        "INSERT INTO `d`.`t\\`; DROP TABLE x` (`a\\\\`, `b\"c`) FORMAT JSONEachRow"
    );
    assert_eq!(
        statement::insert("d", "a.b", &[], "JSONCompactEachRow"),
        "INSERT INTO `d`.`a.b` FORMAT JSONCompactEachRow"
    );
    assert_eq!(check_name("a b`"), Ok(()));
    assert_eq!(check_name(""), Err(ColumnNameError::Empty));
    assert_eq!(check_name("a\nb"), Err(ColumnNameError::Control));
    assert_eq!(check_name(&"x".repeat(256)), Err(ColumnNameError::TooLong));
}

fn columns(columns: &[(&str, &str, &'static str)]) -> ClickhouseContent {
    let column = |(name, kind, text): &(&str, &str, &'static str)| {
        ClickhouseColumn::new((*name).to_owned(), (*kind).to_owned(), Text::boxed(text))
    };
    ClickhouseContent::Columns(columns.iter().map(column).collect())
}

fn json(row: Box<dyn Render>) -> ClickhouseContent {
    ClickhouseContent::Json(row)
}

fn target(content: ClickhouseContent, unique_column: Option<&str>) -> ClickhouseTarget {
    ClickhouseTarget {
        address: "http://127.0.0.1:1".to_owned(),
        database: "logs".to_owned(),
        table: "t".to_owned(),
        content,
        format: ClickhouseFormat::Objects,
        unique_column: unique_column.map(str::to_owned),
        settings: RequestSettings {
            method: "POST".to_owned(),
            headers: vec![("Authorization".to_owned(), "Basic x".to_owned())],
            compression: Compression::None,
            timeout: Duration::from_secs(2),
            follows_redirects: false,
            proxy: None,
            tls: SenderTls::new(TlsOptions::default()),
        },
        batches: Batches {
            lines: 5,
            bytes: 77,
            wait: Some(Duration::from_secs(3)),
            workers: 2,
            retries: Some(4),
        },
    }
}

#[track_caller]
fn check_row(content: ClickhouseContent, unique: Option<&str>, format: ClickhouseFormat, want: &str) {
    let target = ClickhouseTarget { format, ..target(content, unique) };
    let want = want.replace('#', &"0".repeat(32));
    assert_eq!(row(&mut ClickhouseReceiver::new(target), "7|a\"b"), want);
}

#[test]
fn a_row_is_an_object_or_an_array() {
    use ClickhouseFormat::{Arrays, Objects};
    let three = || columns(&[("n", "UInt8", "$HOST"), ("e", "UInt8", ""), ("m", "", "$MSG")]);
    check_row(three(), None, Objects, ": {\"n\":7,\"m\":\"a\\\"b\"}\n");
    check_row(three(), None, Arrays, ": [7,null,\"a\\\"b\"]\n");
    check_row(three(), Some("id"), Objects, ": {\"n\":7,\"m\":\"a\\\"b\",\"id\":\"#\"}\n, Integer(24)");
    check_row(three(), Some("id"), Arrays, ": [7,null,\"a\\\"b\",\"#\"]\n, Integer(16)");
    let empty = || columns(&[("e", "UInt8", "")]);
    check_row(empty(), None, Objects, ": {}\n");
    check_row(empty(), Some("i\"d"), Objects, ": {\"i\\\"d\":\"#\"}\n, Integer(9)");
    check_row(json(Text::boxed(" {\"n\": $HOST} ")), None, Objects, ": {\"n\": 7}\n");
    check_row(
        json(Text::boxed("{\"n\":$HOST}")),
        Some("id"),
        Objects,
        ": {\"n\":7,\"id\":\"#\"}\n, Integer(13)",
    );
    check_row(json(Text::boxed("{ }")), Some("id"), Objects, ": { \"id\":\"#\"}\n, Integer(8)");
    check_row(json(Text::boxed("[$HOST]")), None, Arrays, ": [7]\n");
    let no_row = "Cast: the template of json-var() gives no row in JSON";
    for (text, format) in
        [("$MSG", Objects), ("[1]", Objects), ("{}", Arrays), ("{} {}", Objects), ("", Objects)]
    {
        check_row(json(Text::boxed(text)), None, format, no_row);
    }
}

#[test]
fn templates_know_the_time_and_rows_have_a_longest_length() {
    let timed = |content| row(&mut ClickhouseReceiver::new(target(content, None)), "h|x");
    let column = |value: Box<dyn Render>| {
        ClickhouseContent::Columns(vec![ClickhouseColumn::new("c".to_owned(), String::new(), value)])
    };
    assert_eq!(timed(column(Box::<Timed>::default())), ": {\"c\":\"t77n9\"}\n");
    assert!(timed(column(Box::new(Long((64 << 20) - 8)))).ends_with("long"));
    assert_eq!(timed(column(Box::new(Long(64 << 20)))), "TooLarge: the row has more than 67108864 bytes");
}

#[test]
fn the_configuration_is_kept() {
    let content = columns(&[("n", "UInt8", "$HOST"), ("m", "", "$MSG")]);
    let receiver = ClickhouseReceiver::new(target(content, Some("id")));
    assert_eq!(receiver.batches().lines, 5);
    assert_eq!(receiver.instance(), "clickhouse,http://127.0.0.1:1,logs,t");
    let want = "n UInt8 Number, m  Text Objects Some(\"id\"); \"POST\" [(\"Authorization\", \"Basic x\")] None; \
                2s None; 2 Some(4)";
    assert_eq!(receiver.settings().join("; "), want);
    assert_eq!(
        receiver.url(),
        "http://127.0.0.1:1/?query=INSERT%20INTO%20%60logs%60.%60t%60%20%28%60n%60%2C%20%60m%60%2C%20%60id%60%29%20\
         FORMAT%20JSONEachRow&wait_end_of_query=1&date_time_input_format=best_effort"
    );
    assert_eq!(receiver.describe("", &[Cell::Bytes(b"{\xff}\n".to_vec())]), "clickhouse logs.t: {\u{fffd}}");
    assert_eq!(receiver.describe("", &[]), receiver.instance());
}
