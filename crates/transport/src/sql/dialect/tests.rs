//! Names and values that try to end a statement.

use super::*;

#[test]
fn names_without_quotes_are_small_in_postgresql_alone() {
    for (dialect, want) in
        [(Dialect::Postgres, "hostx"), (Dialect::Sqlite, "HostX"), (Dialect::Mysql, "HostX")]
    {
        assert_eq!(dialect.folded("HostX"), want);
    }
}

#[test]
fn quotes_inside_a_name_are_doubled() {
    assert_eq!(Dialect::Postgres.quoted("a\"b`c"), "\"a\"\"b`c\"");
    assert_eq!(Dialect::Mysql.quoted("a\"b`c"), "`a\"b``c`");
    assert_eq!(Dialect::Postgres.quoted_table("logs.messages"), "\"logs\".\"messages\"");
    assert_eq!(Dialect::Mysql.quoted_table("logs.messages"), "`logs`.`messages`");
}

#[test]
fn values_cannot_end_their_quotes() {
    let rows = [
        (Dialect::Postgres, Value::Integer(-7), "'-7'"),
        (Dialect::Mysql, Value::Integer(-7), "-7"),
        (Dialect::Sqlite, Value::Integer(-7), "-7"),
        (Dialect::Postgres, Value::Text("a'b\\' OR 1=1 --".to_owned()), "'a''b\\'' OR 1=1 --'"),
        (Dialect::Mysql, Value::Text("a'b\\' OR 1=1 --".to_owned()), "'a''b\\\\'' OR 1=1 --'"),
        (Dialect::Sqlite, Value::Text("a'b\\".to_owned()), "'a''b\\'"),
        (Dialect::Mysql, Value::Text("a\0b".to_owned()), "'a\\0b'"),
        (Dialect::Postgres, Value::Text("a\0b".to_owned()), "'ab'"),
        (Dialect::Postgres, Value::Bytes(vec![0, 0x27]), "'\\x0027'"),
        (Dialect::Mysql, Value::Bytes(vec![0, 0x27]), "X'0027'"),
        (Dialect::Sqlite, Value::Text("a\0b".to_owned()), "CAST(X'610062' AS TEXT)"),
        (Dialect::Sqlite, Value::Null, "NULL"),
        (Dialect::Mysql, Value::Double(0.1), "0.1"),
        (Dialect::Postgres, Value::Double(1e300), "'1e300'"),
        (Dialect::Mysql, Value::Integer(18_446_744_073_709_551_615), "18446744073709551615"),
    ];
    for (dialect, value, want) in rows {
        let mut found = String::new();
        dialect.push_literal(&value, &mut found);
        assert_eq!(found, want, "{dialect:?} {value:?}");
    }
}
