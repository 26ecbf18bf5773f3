//! What a receiver is unless it says otherwise, and the sizes of rows.

use super::*;

struct Plain;

impl Receiver for Plain {
    fn begin(&mut self, _now: Stamp) {}

    fn row(&mut self, _: &Batch, _: usize, _: u64, _: &mut String) -> Result<Vec<Cell>, RowError> {
        Ok(Vec::new())
    }

    fn connection(&self) -> Box<dyn Connection> {
        unreachable!("nobody connects")
    }

    fn batches(&self) -> Batches {
        Batches { lines: 0, bytes: 7, wait: None, workers: 0, retries: None }
    }

    fn instance(&self) -> String {
        "host:1,table".to_owned()
    }
}

#[test]
fn a_receiver_has_a_connection_and_requests_have_a_row() {
    let plain = Plain;
    assert_eq!(plain.limits(), RequestLimits { rows: 1, bytes: 7, wait: None });
    assert_eq!((plain.workers(), plain.settings()), (1, Vec::new()));
    let text = plain.describe("t", &[Cell::Null, Cell::Integer(1)]);
    assert_eq!(text, "host:1,table: a row of 2 values for t");
}

#[test]
fn rows_have_the_bytes_of_their_values() {
    let id = RecordId { incarnation: 1, sequence: 1 };
    for (cell, size) in [
        (Cell::Text("four".to_owned()), 4),
        (Cell::Text(String::new()), 0),
        (Cell::Bytes(vec![0; 9]), 9),
        (Cell::Integer(1), 8),
        (Cell::Double(0.5), 8),
        (Cell::Boolean(true), 8),
        (Cell::Null, 8),
        (Cell::Default, 8),
    ] {
        let row = Row { id, cells: vec![cell.clone(), Cell::Text("ab".to_owned())] };
        assert_eq!((cell.size(), row.payload()), (size, size + 2), "{cell:?}");
        // Besides its values it has an id.
        assert!((1..64).contains(&(row.size() - row.payload())));
    }
}

#[test]
fn reasons_have_the_names_of_our_log() {
    let named = [
        (HoldReason::Credentials, "credentials", true),
        (HoldReason::Access, "access", false),
        (HoldReason::Schema, "schema", false),
        (HoldReason::Quota, "quota", false),
        (HoldReason::Code, "code", true),
        (HoldReason::ManyDead, "many-dead", true),
    ];
    for (reason, name, is_of_all) in named {
        assert_eq!((reason.name(), reason.is_of_all()), (name, is_of_all));
    }
}

#[test]
fn one_verdict_may_be_over_all_rows() {
    let all = Judgement { rows: 3, verdict: Verdict::Delivered, answer: String::new() };
    assert_eq!(Judgement::delivered(3), [all]);
    let drop = Judgement { rows: 2, verdict: Verdict::Drop, answer: "no".to_owned() };
    assert_eq!(Judgement::of_all(2, Verdict::Drop, "no"), [drop]);
}
