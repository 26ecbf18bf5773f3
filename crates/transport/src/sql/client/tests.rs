//! Rows of a real file, and statements with values that try to end them.

use super::*;
use tokio::runtime::{Builder, Runtime};

const LIMITS: RowLimits = RowLimits { rows: 100, bytes: 1 << 20 };

fn runtime() -> Runtime {
    Builder::new_current_thread().enable_all().build().unwrap()
}

/// Opens a file of SQLite after some statements.
fn file(folder: &tempfile::TempDir, statements: &str) -> SqlServer {
    let path = folder.path().join("logs.db");
    let open = rusqlite::Connection::open(&path).unwrap();
    open.execute_batch(statements).unwrap();
    SqlServer::Sqlite(path)
}

#[test]
fn rows_have_names_values_and_types() {
    let folder = tempfile::tempdir().unwrap();
    let server = file(
        &folder,
        "CREATE TABLE t (id INTEGER, a, b); INSERT INTO t VALUES (1, 'x''y', 0.5), (2, NULL, X'00ff');",
    );
    let found = runtime().block_on(async {
        let mut client = Client::open(&server, Duration::from_secs(5)).await.unwrap();
        client.query(&Statement::new("SELECT * FROM t ORDER BY id"), LIMITS).await.unwrap()
    });
    assert_eq!(found.columns, ["id", "a", "b"]);
    let text = |text: &str| Value::Text(text.to_owned());
    let want = vec![
        vec![Value::Integer(1), text("x'y"), Value::Double(0.5)],
        vec![Value::Integer(2), Value::Null, Value::Bytes(vec![0, 255])],
    ];
    assert_eq!((found.rows, found.is_cut), (want, false));
}

#[test]
fn results_end_at_their_limits() {
    let folder = tempfile::tempdir().unwrap();
    let server = file(&folder, "CREATE TABLE t (a); INSERT INTO t VALUES (1), (2), (3);");
    let rows = [
        (RowLimits { rows: 2, bytes: 1 << 20 }, 2, true),
        (RowLimits { rows: 3, bytes: 1 << 20 }, 3, false),
        // The row that reaches it is kept.
        (RowLimits { rows: 100, bytes: 1 }, 1, true),
    ];
    for (limits, count, is_cut) in rows {
        let found = runtime().block_on(async {
            let mut client = Client::open(&server, Duration::from_secs(5)).await.unwrap();
            client.query(&Statement::new("SELECT a FROM t"), limits).await.unwrap()
        });
        assert_eq!((found.rows.len(), found.is_cut), (count, is_cut), "{limits:?}");
    }
}

#[test]
fn faults_are_told_apart() {
    let folder = tempfile::tempdir().unwrap();
    let server = file(&folder, "CREATE TABLE t (a);");
    let rows = [
        ("SELECT * FROM missing", QueryFault::NoTable),
        ("SELECT missing FROM t", QueryFault::Refused),
        ("SELEKT", QueryFault::Refused),
    ];
    for (text, fault) in rows {
        let found = runtime().block_on(async {
            let mut client = Client::open(&server, Duration::from_secs(5)).await.unwrap();
            client.query(&Statement::new(text), LIMITS).await
        });
        assert_eq!(found.unwrap_err().fault, fault, "{text}");
    }
    let missing = SqlServer::Sqlite(folder.path().join("missing.db"));
    let found = runtime().block_on(Client::open(&missing, Duration::from_secs(5)));
    assert_eq!(found.err().map(|error| error.fault), Some(QueryFault::Lost));
    assert!(!folder.path().join("missing.db").exists());
}

#[test]
fn values_stay_values() {
    let folder = tempfile::tempdir().unwrap();
    let server = file(&folder, "CREATE TABLE t (a TEXT); INSERT INTO t VALUES ('a'), ('b');");
    for hostile in ["'; DROP TABLE t; --", "\\'; DROP TABLE t; --", "a\0'; DROP TABLE t; --", "$mark"] {
        let value = Value::Text(hostile.to_owned());
        let statement = Statement::filled("SELECT a, $mark AS b FROM t WHERE $mark = $mark", "$mark", &value);
        let found = runtime().block_on(async {
            let mut client = Client::open(&server, Duration::from_secs(5)).await.unwrap();
            client.query(&statement, LIMITS).await.unwrap()
        });
        assert_eq!(found.rows.len(), 2, "{hostile:?}");
        assert_eq!(found.rows[0][1], value);
    }
    let statement = Statement::filled("SELECT a FROM t WHERE a > $mark", "$mark", &Value::Null);
    assert_eq!(statement.shape().0, "SELECT a FROM t WHERE a > NULL");
}
