//! Values of a statement, as the server gets them.
//!
//! In: rows. Out: the payload of an execution. Holds: nothing. Limits: at most 65,535 values, which the statement made sure of.

use delivery::{Cell, Row};
use transport::sql::mysql::put_counted_number;

/// The command that executes a prepared statement.
const EXECUTE: u8 = 0x17;

/// Types of values on the wire.
mod kind {
    pub(super) const TINY: u8 = 1;
    pub(super) const DOUBLE: u8 = 5;
    pub(super) const NULL: u8 = 6;
    pub(super) const LONG_LONG: u8 = 8;
    pub(super) const BLOB: u8 = 252;
    pub(super) const VAR_STRING: u8 = 253;
}

/// The presence of the id as the last value of a row.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Ids {
    /// It has.
    Sent,
    /// The table has no column for it.
    Left,
}

/// Returns an upper estimate of the bytes that a row takes in an execution.
pub(super) fn size(row: &Row) -> usize {
    // Type, bit of NULL, length; the id is shorter than 64 bytes.
    row.cells.iter().map(|cell| cell.size() + 12).sum::<usize>() + 64
}

/// Makes the payload that executes a statement with the values of rows.
pub(super) fn of_rows(statement: u32, rows: &[Row], ids: Ids, out: &mut Vec<u8>) {
    let cells = || rows.iter().map(|row| &row.cells);
    let count = cells().map(Vec::len).sum::<usize>() + if ids == Ids::Sent { rows.len() } else { 0 };
    let (nulls, kinds) = begin(statement, count, out);
    let mut place = 0;
    let mut id = String::new();
    for row in rows {
        for cell in &row.cells {
            let kind = put(cell, out);
            out[kinds + 2 * place] = kind;
            if kind == kind::NULL {
                out[nulls + place / 8] |= 1 << (place % 8);
            }
            place += 1;
        }
        if ids == Ids::Sent {
            id.clear();
            let _ = std::fmt::Write::write_fmt(&mut id, format_args!("{}", row.id));
            let kind = put_text(id.as_bytes(), out);
            out[kinds + 2 * place] = kind;
            place += 1;
        }
    }
}

/// Makes the payload that executes a statement with the ids of rows.
pub(super) fn of_ids(statement: u32, rows: &[Row], out: &mut Vec<u8>) {
    let (_, kinds) = begin(statement, rows.len(), out);
    for (place, row) in rows.iter().enumerate() {
        let kind = put_text(row.id.to_string().as_bytes(), out);
        out[kinds + 2 * place] = kind;
    }
}

/// Writes the part before the values. Returns the offsets of the NULL bits and of the types.
fn begin(statement: u32, count: usize, out: &mut Vec<u8>) -> (usize, usize) {
    out.clear();
    out.push(EXECUTE);
    out.extend_from_slice(&statement.to_le_bytes());
    // No cursor, and a number that is always one.
    out.extend_from_slice(&[0, 1, 0, 0, 0]);
    let nulls = out.len();
    out.resize(nulls + count.div_ceil(8), 0);
    // The types follow.
    out.push(1);
    let kinds = out.len();
    out.resize(kinds + 2 * count, 0);
    (nulls, kinds)
}

/// Adds a value and returns its type.
fn put(cell: &Cell, out: &mut Vec<u8>) -> u8 {
    match cell {
        Cell::Default | Cell::Null => kind::NULL,
        Cell::Integer(number) => {
            out.extend_from_slice(&number.to_le_bytes());
            kind::LONG_LONG
        }
        Cell::Double(number) => {
            out.extend_from_slice(&number.to_le_bytes());
            kind::DOUBLE
        }
        Cell::Boolean(truth) => {
            out.push(u8::from(*truth));
            kind::TINY
        }
        Cell::Text(text) => put_text(text.as_bytes(), out),
        Cell::Bytes(bytes) => {
            put_text(bytes, out);
            kind::BLOB
        }
    }
}

fn put_text(text: &[u8], out: &mut Vec<u8>) -> u8 {
    put_counted_number(text.len(), out);
    out.extend_from_slice(text);
    kind::VAR_STRING
}
