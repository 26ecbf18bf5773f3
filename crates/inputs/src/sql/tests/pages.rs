//! Pages of a table that grows, with rows that have one value of the column.

use super::*;

/// Makes a row of `uid:text`.
fn row(text: &str) -> Vec<Value> {
    let (uid, text) = text.split_once(':').unwrap();
    let uid = match uid {
        "" => Value::Null,
        uid => uid.parse().map_or(Value::Text(uid.to_owned()), Value::Integer),
    };
    vec![Value::Text(text.to_owned()), uid]
}

fn results(rows: &[&str]) -> Rows {
    Rows {
        columns: vec!["text".to_owned(), "ID".to_owned()],
        rows: rows.iter().map(|text| row(text)).collect(),
        is_cut: false,
    }
}

fn texts(page: &Page) -> Vec<String> {
    let text = |row: &Vec<Value>| String::from_utf8(row[0].to_bytes()).unwrap();
    page.rows.rows.iter().map(text).collect()
}

/// Takes the results of queries for at most three rows one after the other, and returns what was new in each.
#[track_caller]
fn check(position: Position, queries: &[(&[&str], &[&str], Rest)]) -> Pages {
    let mut pages = Pages::new(position);
    for (rows, want, rest) in queries {
        let limits = pages.limits(3);
        let page = pages.take(results(rows), "id", limits).unwrap();
        assert_eq!((texts(&page).as_slice(), page.rest), (want.map_texts().as_slice(), *rest), "{rows:?}");
        // A position that comes from a file continues as one that was kept.
        pages.position = Position::from_text(&page.behind.to_text()).unwrap();
    }
    pages
}

trait MapTexts {
    fn map_texts(&self) -> Vec<String>;
}

impl MapTexts for &[&str] {
    fn map_texts(&self) -> Vec<String> {
        self.iter().map(|text| (*text).to_owned()).collect()
    }
}

#[test]
fn rows_come_once() {
    check(
        Position::Start,
        &[
            (&["1:a", "2:b", "3:c"], &["a", "b", "c"], Rest::Likely),
            (&["3:c", "4:d"], &["d"], Rest::Empty),
            (&["4:d"], &[], Rest::Empty),
            // All were deleted.
            (&[], &[], Rest::Empty),
            (&["5:e"], &["e"], Rest::Empty),
        ],
    );
}

#[test]
fn rows_of_one_value_come_once_whenever_they_come() {
    check(
        Position::Start,
        &[
            (&["1:a", "2:b"], &["a", "b"], Rest::Empty),
            (&["2:b", "2:c"], &["c"], Rest::Empty),
            // In whatever order the database has them.
            (&["2:c", "2:d", "2:b"], &["d"], Rest::Likely),
            // Two rows that are equal are two rows.
            (&["2:b", "2:b", "2:c", "2:d"], &["b"], Rest::Likely),
            (&["2:b", "2:b", "2:c", "2:d"], &[], Rest::Likely),
        ],
    );
}

#[test]
fn more_rows_of_one_value_than_a_query_returns_are_read() {
    let pages = check(
        Position::Start,
        &[
            (&["7:a", "7:b", "7:c"], &["a", "b", "c"], Rest::Likely),
            (&["7:c", "7:a", "7:b"], &[], Rest::Likely),
        ],
    );
    assert_eq!(pages.limits(3).rows, 6);
    let mut pages = pages;
    let limits = pages.limits(3);
    let page = pages.take(results(&["7:a", "7:b", "7:c", "7:d", "8:e"]), "id", limits).unwrap();
    assert_eq!((texts(&page), page.rest), (vec!["d".to_owned(), "e".to_owned()], Rest::Empty));
    assert_eq!(pages.limits(3).rows, 3);
}

#[test]
fn too_many_rows_of_one_value_are_reported() {
    let mut pages = Pages::new(Position::At {
        uid: Value::Integer(7),
        seen: vec![fingerprint(&results(&[]).columns, &row("7:a"))],
    });
    let found = loop {
        let limits = pages.limits(1);
        let mut found = results(&["7:a"]);
        found.is_cut = true;
        if let Err(error) = pages.take(found, "id", limits) {
            break error;
        }
    };
    assert_eq!(found, PageError::Ties(STRETCH_MAX));
}

#[test]
fn rows_behind_a_start_are_new() {
    let behind = Position::Behind { uid: Value::Integer(2) };
    check(behind, &[(&["3:c"], &["c"], Rest::Empty), (&["3:c", "3:d"], &["d"], Rest::Empty)]);
}

#[test]
fn rows_without_a_place_are_counted() {
    let mut pages = Pages::new(Position::Start);
    let page = pages.take(results(&[":x", "1:a"]), "id", pages.limits(3)).unwrap();
    assert_eq!((texts(&page), page.odd), (vec!["a".to_owned()], 1));
}

#[test]
fn results_that_cannot_be_read_are_refused() {
    let mut pages = Pages::new(Position::Start);
    let limits = pages.limits(3);
    let found = pages.take(results(&["2:b", "1:a"]), "id", limits);
    assert_eq!(found.err(), Some(PageError::Disorder("id".to_owned())));
    let found = pages.take(results(&["1:a"]), "number", limits);
    assert_eq!(found.err(), Some(PageError::NoColumn("number".to_owned())));
    // The order of texts is the database's.
    assert!(pages.take(results(&["b:b", "a:a"]), "id", limits).is_ok());
}
