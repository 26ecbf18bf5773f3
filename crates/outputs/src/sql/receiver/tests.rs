//! Values of columns, and rows of messages.

use super::*;
use crate::{
    sql::options::{Column, TableMaking},
    testing::{Timed, closed_port, row, runtime, shown},
};
use delivery::{RequestLimits, Row};
use message::{RecordId, Render};
use std::time::Duration;
use transport::{sql::SqlLogin, testing::Text};

#[test]
fn values_have_the_type_of_their_template() {
    let rows: &[(&str, ValueKind, Option<Cell>)] = &[
        ("5", ValueKind::Integer, Some(Cell::Integer(5))),
        (" -5 ", ValueKind::Integer, Some(Cell::Integer(-5))),
        ("9223372036854775808", ValueKind::Integer, None),
        ("five", ValueKind::Integer, None),
        ("", ValueKind::Integer, None),
        ("0.25", ValueKind::Double, Some(Cell::Double(0.25))),
        ("True", ValueKind::Boolean, Some(Cell::Boolean(true))),
        ("0", ValueKind::Boolean, Some(Cell::Boolean(false))),
        ("perhaps", ValueKind::Boolean, None),
        ("x", ValueKind::Null, Some(Cell::Null)),
        ("x", ValueKind::Bytes, Some(Cell::Bytes(b"x".to_vec()))),
        ("x", ValueKind::Json, Some(Cell::Text("x".to_owned()))),
    ];
    for (text, kind, want) in rows {
        assert_eq!(typed(text.as_bytes(), *kind), *want, "{text} as {kind:?}");
    }
    assert_eq!(typed(b"a\xffb", ValueKind::String), Some(Cell::Text("a\u{fffd}b".to_owned())));
}

fn login() -> SqlLogin {
    SqlLogin {
        host: "127.0.0.1".to_owned(),
        port: closed_port(),
        user: "me".to_owned(),
        password: String::new(),
        database: "logs".to_owned(),
        tls: None,
    }
}

fn column(name: &str, template: Option<Box<dyn Render>>, kind: ValueKind) -> Column {
    let value = match template {
        Some(template) => ColumnValue::Template(template, kind),
        None => ColumnValue::Default,
    };
    Column { name: name.to_owned(), kind: "text".to_owned(), value }
}

fn target(server: SqlServer, table: &str) -> SqlTarget {
    SqlTarget {
        server,
        table: Text::boxed(table),
        columns: vec![
            column("Time", Some(Box::<Timed>::default()), ValueKind::String),
            column("Made", None, ValueKind::String),
            column("Size", Some(Text::boxed("$MSG")), ValueKind::Integer),
        ],
        indexes: vec!["Time".to_owned()],
        null: Some("-".to_owned()),
        tables: TableMaking::Make,
        session_statements: vec!["SET x".to_owned()],
        create_append: "WITH y".to_owned(),
        unique_column: Some("Id".to_owned()),
        batches: Batches {
            lines: 0,
            bytes: 77,
            wait: Some(Duration::from_secs(3)),
            workers: 1,
            retries: Some(4),
        },
    }
}

#[test]
fn a_row_has_a_table_and_values() {
    let postgres = || SqlServer::Postgres(login());
    let mut receiver = SqlReceiver::new(target(postgres(), "Logs_$HOST"));
    assert_eq!(row(&mut receiver, "Web|12"), "logs_web: Text(\"t77n9\"), Integer(12)");
    assert_eq!(row(&mut receiver, "Web|-"), "logs_web: Text(\"t77n9\"), Null");
    assert_eq!(row(&mut receiver, "Web|many"), "Cast: the value for column Size is no Integer");
    let mut receiver = SqlReceiver::new(target(postgres(), "$MSG"));
    assert_eq!(row(&mut receiver, "h|a.b.c"), "BadName: the name of the table has more than one dot");
    assert_eq!(row(&mut receiver, "h|"), "BadName: the name of the table is empty");
    let long = format!("h|{}", "x".repeat(64));
    let want = "BadName: the name of the table has 64 bytes, at most 63 are possible";
    assert_eq!(row(&mut receiver, &long), want);
    let mut timed = SqlTarget { table: Box::<Timed>::default(), ..target(postgres(), "") };
    timed.columns.clear();
    assert_eq!(row(&mut SqlReceiver::new(timed), "h|1"), "t77n9: ");
}

#[test]
fn the_schema_has_the_names_of_the_database() {
    let shown = |server: SqlServer| {
        let schema = SqlReceiver::new(target(server, "Logs")).schema;
        let texts = [&schema.session_statements[0], &schema.create_append, &schema.indexes[0]];
        let columns: Vec<_> = schema.all_columns().collect();
        format!("{columns:?} {texts:?} {:?} {}", schema.columns, schema.default_columns.len())
    };
    assert_eq!(
        shown(SqlServer::Postgres(login())),
        "[(\"time\", \"text\"), (\"size\", \"text\"), (\"made\", \"text\"), (\"id\", \"varchar(32)\")] \
         [\"SET x\", \"WITH y\", \"time\"] [(\"time\", \"text\"), (\"size\", \"text\")] 1"
    );
    assert_eq!(
        shown(SqlServer::Mysql(login())),
        "[(\"Time\", \"text\"), (\"Size\", \"text\"), (\"Made\", \"text\"), \
         (\"Id\", \"char(32) CHARACTER SET ascii COLLATE ascii_bin\")] \
         [\"SET x\", \"WITH y\", \"Time\"] [(\"Time\", \"text\"), (\"Size\", \"text\")] 1"
    );
    assert!(shown(SqlServer::Sqlite("/x".into())).contains("(\"Id\", \"text\")"));
}

#[test]
fn each_server_has_its_connection_and_its_name() {
    let login = login();
    let port = login.port;
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("none/logs.db");
    let rows = [Row { id: RecordId { incarnation: 1, sequence: 1 }, cells: Vec::new() }];
    for (server, table, name, answer) in [
        (
            SqlServer::Postgres(login.clone()),
            "Logs",
            format!("pgsql,127.0.0.1,{port},logs,Logs"),
            "1 Later(Reopen) ",
        ),
        (
            SqlServer::Mysql(login),
            "$HOST",
            format!("mysql,127.0.0.1,{port},logs,a template"),
            "1 Later(Reopen) ",
        ),
        (SqlServer::Sqlite(file.clone()), "t", format!("sqlite3,{},t", file.display()), "1 "),
    ] {
        let receiver = SqlReceiver::new(target(server, table));
        assert_eq!(receiver.instance(), name);
        let judged = shown(&runtime().block_on(receiver.connection().send("t", &rows)));
        assert!(judged.starts_with(answer) && !judged.contains("Delivered"), "{judged}");
        let limits = RequestLimits { rows: 1, bytes: 77, wait: Some(Duration::from_secs(3)) };
        assert_eq!((receiver.limits(), receiver.batches().retries), (limits, Some(4)));
    }
}
