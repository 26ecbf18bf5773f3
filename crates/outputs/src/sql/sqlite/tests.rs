//! Rows in a file.

use super::*;
use message::RecordId;
use std::path::Path;

fn schema(file: &Path, change: impl FnOnce(&mut Schema)) -> Arc<Schema> {
    let column = |name: &str, kind: &str| (name.to_owned(), kind.to_owned());
    let mut schema = Schema {
        server: SqlServer::Sqlite(file.to_owned()),
        columns: vec![column("host", "text"), column("size", "integer NOT NULL CHECK (size < 100)")],
        default_columns: Vec::new(),
        indexes: vec!["host".to_owned()],
        tables: TableMaking::Make,
        session_statements: Vec::new(),
        create_append: String::new(),
        unique_column: None,
    };
    change(&mut schema);
    Arc::new(schema)
}

fn row(sequence: u64, host: &str, size: i64) -> Row {
    Row {
        id: RecordId { incarnation: 1, sequence },
        cells: vec![Cell::Text(host.to_owned()), Cell::Integer(size)],
    }
}

fn read(file: &Path, query: &str) -> Vec<String> {
    let open = rusqlite::Connection::open(file).unwrap();
    let mut statement = open.prepare(query).unwrap();
    let rows = statement.query_map([], |row| row.get::<_, String>(0)).unwrap();
    rows.map(Result::unwrap).collect()
}

fn verdicts(judgements: &[Judgement]) -> Vec<Verdict> {
    judgements.iter().map(|judgement| judgement.verdict).collect()
}

#[test]
fn tables_are_made_and_widened() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("logs.db");
    let mut first = Sqlite::new(schema(&file, |_| {}));
    assert_eq!(first.exchange("m", &[row(0, "a", 1), row(1, "b", 2)]), Judgement::delivered(2));
    assert_eq!(read(&file, "SELECT host FROM m ORDER BY size"), ["a", "b"]);
    assert_eq!(read(&file, "SELECT name FROM sqlite_master WHERE type = 'index'"), ["m_host_idx"]);
    let mut wider = Sqlite::new(schema(&file, |schema| {
        schema.columns[1].1 = "integer".to_owned();
        schema.columns.push(("text".to_owned(), "text".to_owned()));
    }));
    let mut wide = row(2, "c", 3);
    wide.cells.push(Cell::Text("it's; \"quoted\" DROP TABLE m --".to_owned()));
    assert_eq!(wider.exchange("m", &[wide]), Judgement::delivered(1));
    assert_eq!(read(&file, "SELECT text FROM m WHERE host = 'c'"), ["it's; \"quoted\" DROP TABLE m --"]);
}

#[test]
fn a_request_is_stored_whole_or_not_at_all() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("logs.db");
    let mut sqlite = Sqlite::new(schema(&file, |_| {}));
    let refused = sqlite.exchange("m", &[row(0, "a", 1), row(1, "bad", 100)]);
    assert_eq!(verdicts(&refused), [Verdict::Split(DeadReason::Constraint)]);
    assert_eq!(read(&file, "SELECT host FROM m"), Vec::<String>::new());
    assert_eq!(sqlite.exchange("m", &[row(0, "a", 1)]), Judgement::delivered(1));
}

#[test]
fn a_row_with_an_id_comes_once() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("logs.db");
    let mut sqlite = Sqlite::new(schema(&file, |schema| schema.unique_column = Some("record".to_owned())));
    for _ in 0..3 {
        assert_eq!(sqlite.exchange("m", &[row(7, "a", 1), row(8, "b", 1)]), Judgement::delivered(2));
    }
    assert_eq!(
        read(&file, "SELECT record FROM m ORDER BY record"),
        ["00000000000000010000000000000007", "00000000000000010000000000000008"]
    );
}

#[test]
fn a_missing_table_that_is_not_to_be_made_holds() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("logs.db");
    let mut sqlite = Sqlite::new(schema(&file, |schema| schema.tables = TableMaking::Leave));
    assert_eq!(verdicts(&sqlite.exchange("m", &[row(0, "a", 1)])), [Verdict::Hold(HoldReason::Schema)]);
    rusqlite::Connection::open(&file).unwrap().execute_batch("CREATE TABLE m (host text)").unwrap();
    let held = sqlite.exchange("m", &[row(0, "a", 1)]);
    assert_eq!(
        (verdicts(&held), held[0].answer.as_str()),
        (vec![Verdict::Hold(HoldReason::Schema)], "table m has no column size")
    );
    rusqlite::Connection::open(&file)
        .unwrap()
        .execute_batch("ALTER TABLE m ADD COLUMN size integer")
        .unwrap();
    assert_eq!(sqlite.exchange("m", &[row(0, "a", 1)]), Judgement::delivered(1));
}

#[test]
fn a_mistake_in_a_statement_of_the_configuration_holds() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("logs.db");
    let mut sqlite = Sqlite::new(schema(&file, |schema| schema.create_append = "; SELECT size".to_owned()));
    let held = sqlite.exchange("m", &[row(0, "a", 1)]);
    assert_eq!(verdicts(&held), [Verdict::Hold(HoldReason::Schema)]);
    assert!(held[0].answer.contains("no such column: size"), "{}", held[0].answer);
}

#[test]
fn a_dropped_table_is_made_again() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("logs.db");
    let mut sqlite = Sqlite::new(schema(&file, |_| {}));
    assert_eq!(sqlite.exchange("m", &[row(0, "a", 1)]), Judgement::delivered(1));
    rusqlite::Connection::open(&file).unwrap().execute_batch("DROP TABLE m").unwrap();
    assert_eq!(verdicts(&sqlite.exchange("m", &[row(1, "b", 1)])), [Verdict::Later(Wait::BackOff)]);
    assert_eq!(sqlite.exchange("m", &[row(1, "b", 1)]), Judgement::delivered(1));
    assert_eq!(read(&file, "SELECT host FROM m"), ["b"]);
}

#[test]
fn another_writer_is_waited_for() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("logs.db");
    let mut sqlite = Sqlite::new(schema(&file, |_| {}));
    assert_eq!(sqlite.exchange("m", &[row(0, "a", 1)]), Judgement::delivered(1));
    let other = rusqlite::Connection::open(&file).unwrap();
    other.execute_batch("BEGIN IMMEDIATE").unwrap();
    assert_eq!(verdicts(&sqlite.exchange("m", &[row(1, "b", 1)])), [Verdict::Later(Wait::BackOff)]);
    other.execute_batch("ROLLBACK").unwrap();
    assert_eq!(sqlite.exchange("m", &[row(1, "b", 1)]), Judgement::delivered(1));
}

#[test]
fn a_file_that_cannot_be_opened_is_tried_again() {
    let folder = tempfile::tempdir().unwrap();
    let mut sqlite = Sqlite::new(schema(&folder.path().join("missing/logs.db"), |_| {}));
    let waiting = sqlite.exchange("m", &[row(0, "a", 1)]);
    assert_eq!(verdicts(&waiting), [Verdict::Later(Wait::Reopen)]);
    assert!(waiting[0].answer.contains("cannot open"), "{}", waiting[0].answer);
}

#[test]
fn bytes_and_nothing_are_stored_as_they_are() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("logs.db");
    let mut sqlite = Sqlite::new(schema(&file, |schema| {
        schema.columns = ["a", "b", "c"].map(|name| (name.to_owned(), "blob".to_owned())).to_vec();
        schema.indexes = Vec::new();
    }));
    let cells = vec![Cell::Bytes(vec![0, 255]), Cell::Null, Cell::Double(0.5)];
    assert_eq!(sqlite.exchange("m", &[Row { id: RecordId::default(), cells }]), Judgement::delivered(1));
    assert_eq!(read(&file, "SELECT hex(a) || typeof(b) || typeof(c) FROM m"), ["00FFnullreal"]);
}

#[test]
fn a_file_is_closed_when_that_is_asked() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("logs.db");
    let mut sqlite = Sqlite::new(schema(&file, |_| {}));
    let runtime = crate::testing::runtime();
    for host in ["a", "b"] {
        let sent = runtime.block_on(sqlite.send("m", &[row(0, host, 1)]));
        assert_eq!(sent, Judgement::delivered(1));
        assert_eq!(read(&file, "SELECT host FROM m"), [host]);
        sqlite.close();
        // An open connection would go on writing to a file that is gone.
        std::fs::remove_file(&file).unwrap();
    }
}

#[test]
fn every_kind_of_value_is_stored() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("logs.db");
    let kinds = ["b", "d", "n", "t", "x"];
    let mut sqlite = Sqlite::new(schema(&file, |schema| {
        schema.columns = kinds.iter().map(|name| ((*name).to_owned(), String::new())).collect();
        schema.indexes.clear();
    }));
    let cells = vec![
        Cell::Boolean(true),
        Cell::Double(1.5),
        Cell::Null,
        Cell::Text("t".to_owned()),
        Cell::Bytes(vec![0, 255]),
    ];
    let stored = sqlite.exchange("m", &[Row { id: RecordId { incarnation: 1, sequence: 1 }, cells }]);
    assert_eq!(stored, Judgement::delivered(1));
    let query = "SELECT quote(b) || quote(d) || quote(n) || quote(t) || quote(x) FROM m";
    assert_eq!(read(&file, query), ["11.5NULL't'X'00FF'"]);
}

#[test]
fn a_session_that_cannot_begin_is_tried_again() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("logs.db");
    let statements = |text: &str| vec![text.to_owned()];
    let mut sqlite = Sqlite::new(schema(&file, |schema| schema.session_statements = statements("NONSENSE")));
    assert_eq!(verdicts(&sqlite.exchange("m", &[row(0, "a", 1)])), [Verdict::Later(Wait::Reopen)]);
    let pragma = statements("PRAGMA user_version = 7");
    let mut sqlite = Sqlite::new(schema(&file, |schema| schema.session_statements = pragma));
    assert_eq!(sqlite.exchange("m", &[row(0, "a", 1)]), Judgement::delivered(1));
    assert_eq!(read(&file, "SELECT quote(user_version) FROM pragma_user_version"), ["7"]);
}
