//! Queries, and rows.

use super::*;

#[track_caller]
fn check(text: &str, want: Result<&str, SqlQueryError>) {
    let found = SqlQuery::parse(text).map(|query| query.text.replace(MARK, "<key>"));
    assert_eq!(found.as_deref().map_err(Clone::clone), want, "{text}");
}

#[test]
fn the_key_is_a_value_of_its_own() {
    check("select a from t where k = ?", Ok("select a from t where k = <key>"));
    check(
        "select '?' as \"?\", `?` from t where k=(?) or l=?::int",
        Ok("select '?' as \"?\", `?` from t where k=(<key>) or l=<key>::int"),
    );
    check("select 'it''s ?' from t where k in (?,?)", Ok("select 'it''s ?' from t where k in (<key>,<key>)"));
    check("select 1", Err(SqlQueryError::NoKey));
    check("select '?'", Err(SqlQueryError::NoKey));
    check("select 'a from t where k = ?", Err(SqlQueryError::OpenQuote));
    // Characters beside the key that would change the meaning of its quotes, or become a part of the quoted text.
    for (text, beside) in [
        ("k = E?", 'E'),
        ("k = _utf8?", '8'),
        ("k = U&?", '&'),
        ("k = 'a'?", '\''),
        ("k = ?'a'", '\''),
        ("k = ??", '?'),
        ("k = ?x", 'x'),
    ] {
        check(text, Err(SqlQueryError::Beside(beside)));
    }
    for refused in ["\\", "$", "#", "--", "/*", ";", "\0"] {
        check(
            &format!("select {refused} from t where k = ?"),
            Err(SqlQueryError::Refused(REFUSED.iter().find(|text| **text == refused).unwrap())),
        );
    }
}

#[track_caller]
fn check_rows(columns: &[&str], rows: &[&[Value]], want: &str) {
    let rows = Rows {
        columns: columns.iter().map(|name| (*name).to_owned()).collect(),
        rows: rows.iter().map(|row| row.to_vec()).collect(),
        is_cut: false,
    };
    let naming = Naming { prefix: "p.".to_owned(), single: "value".to_owned() };
    let shown = match found(&rows, &naming) {
        Answer::Values(values) => {
            let one = |value: &crate::values::NamedValue| {
                format!("{}={} {:?}", value.name.as_str(), String::from_utf8_lossy(&value.value), value.kind)
            };
            values.list.iter().map(one).collect::<Vec<_>>().join("; ")
        }
        other => format!("{other:?}"),
    };
    assert_eq!(shown, want);
}

#[test]
fn rows_are_values() {
    let text = |text: &str| Value::Text(text.to_owned());
    let row: &[Value] = &[text("Ann"), Value::Integer(7), Value::Null, Value::Boolean(true)];
    check_rows(
        &["owner", "floor", "none", "up"],
        &[row, row],
        "p.owner=Ann String; p.floor=7 Integer; p.up=true Boolean",
    );
    check_rows(&["owner"], &[], "Missing");
    check_rows(&["owner"], &[&[Value::Null]], "Missing");
    check_rows(
        &["Name", "VALUE"],
        &[&[text("a"), text("1")], &[text("b"), Value::Double(0.5)]],
        "p.a=1 String; p.b=0.5 Double",
    );
}

#[test]
fn an_error_of_the_key_is_no_fault_of_the_server() {
    let error = |fault, words: &str| failure(&QueryError { fault, words: words.to_owned() });
    assert_eq!(
        error(QueryFault::Refused, "22P02 invalid input syntax for type integer"),
        Ok(Answer::Refused)
    );
    for words in ["42501 permission denied", "1142 (42000) SELECT command denied", "2200 x"] {
        assert_eq!(error(QueryFault::Refused, words), Err(Fault::server(words)));
    }
    assert!(
        error(QueryFault::NoTable, "42P01 relation").is_err() && error(QueryFault::Lost, "22P02 x").is_err()
    );
}
