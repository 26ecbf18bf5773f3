//! The bytes of requests and answers.
//!
//! In: values. Out: a request; the counts of an answer. Holds: nothing. Limits: [`ANSWER_BYTES_MAX`].
//!
//! The form is that of "Header and data length" and "Zabbix sender" among the protocols in Zabbix's manual: `ZBXD`, a byte of flags,
//! the length of the data and a reserved number as 32 bits each with the low byte first, and JSON.

use crate::link::dialogue::{Breach, Dialogue};
use delivery::{Cell, Row};
use std::fmt::Write;

const MAGIC: &[u8] = b"ZBXD";
/// The flag of the protocol: without those of compression and of large packets.
const FLAGS: u8 = 1;
const HEADER_BYTES: usize = 13;
/// Longest answer: it has two short texts.
const ANSWER_BYTES_MAX: usize = 64 << 10;
/// Since version 6.0 Zabbix keeps one value of an item for each nanosecond and drops others without a sign. It shows seconds, so the time of a
/// value may move within its second.
const MOVED_NS: u64 = 1_000_000_000;

/// The answer of a server to the values of a request.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Answer {
    /// It looked at them.
    Counted {
        /// Values that it took.
        processed: usize,
        /// Values that it refused.
        failed: usize,
    },
    /// It did not look at them; why.
    Failed(String),
}

/// Returns a request for rows of host, key, value and microseconds since 1970. A row has the same time in every request.
pub(super) fn request(rows: &[Row]) -> Vec<u8> {
    let mut text = String::from("{\"request\":\"sender data\",\"data\":[");
    for (index, row) in rows.iter().enumerate() {
        if let [Cell::Text(host), Cell::Text(key), Cell::Text(value), Cell::Integer(at)] =
            row.cells.as_slice()
        {
            let quoted = |text: &String| serde_json::Value::from(text.as_str()).to_string();
            let (host, key, value) = (quoted(host), quoted(key), quoted(value));
            let clock = at.div_euclid(1_000_000);
            let ns = row.id.nanoseconds(at.rem_euclid(1_000_000).unsigned_abs() * 1_000, MOVED_NS);
            let comma = if index > 0 { "," } else { "" };
            let _ = write!(
                text,
                "{comma}{{\"host\":{host},\"key\":{key},\"value\":{value},\"clock\":{clock},\"ns\":{ns}}}"
            );
        }
    }
    text.push_str("]}");
    let mut out = Vec::with_capacity(HEADER_BYTES + text.len());
    out.extend_from_slice(MAGIC);
    out.push(FLAGS);
    // Batches are smaller than that by far.
    out.extend_from_slice(&u32::try_from(text.len()).unwrap_or(u32::MAX).to_le_bytes());
    out.extend_from_slice(&0_u32.to_le_bytes());
    out.extend_from_slice(text.as_bytes());
    out
}

/// Reads the answer to a request.
#[derive(Default)]
pub(super) struct AnswerReader {
    pub(super) answer: Option<Answer>,
}

impl Dialogue for AnswerReader {
    fn take(&mut self, received: &[u8], _out: &mut Vec<u8>) -> Result<usize, Breach> {
        let common = received.len().min(MAGIC.len());
        if received[..common] != MAGIC[..common] {
            return Err(Breach("its answer does not begin as one of Zabbix"));
        }
        let Some((header, rest)) = received.split_at_checked(HEADER_BYTES) else { return Ok(0) };
        if header[MAGIC.len()] != FLAGS {
            return Err(Breach("its answer is compressed, or of another version"));
        }
        let mut size = [0; 4];
        size.copy_from_slice(&header[5..9]);
        let size = u32::from_le_bytes(size) as usize;
        if size > ANSWER_BYTES_MAX {
            return Err(Breach("its answer is too long"));
        }
        let Some(text) = rest.get(..size) else { return Ok(0) };
        self.answer = Some(answer(text)?);
        Ok(HEADER_BYTES + size)
    }

    fn awaited(&self) -> usize {
        usize::from(self.answer.is_none())
    }
}

fn answer(text: &[u8]) -> Result<Answer, Breach> {
    let no_answer = Breach("this is no answer to values");
    let found: serde_json::Value = serde_json::from_slice(text).map_err(|_| no_answer)?;
    let text = |name: &str| found.get(name).and_then(serde_json::Value::as_str).unwrap_or_default();
    let info = text("info");
    match text("response") {
        "success" => match (count(info, "processed"), count(info, "failed")) {
            (Some(processed), Some(failed)) => Ok(Answer::Counted { processed, failed }),
            _ => Err(Breach("its answer has no counts")),
        },
        "failed" => {
            // A proxy of a group answers with the address of another one.
            let other = found.pointer("/redirect/address").and_then(serde_json::Value::as_str);
            Ok(Answer::Failed(match other {
                Some(other) => format!("this host belongs to the proxy {other}: write that into server()"),
                None => info.to_owned(),
            }))
        }
        _ => Err(no_answer),
    }
}

/// Returns the number behind a word: `processed: 1; failed: 0; total: 1; seconds spent: 0.000127`.
fn count(info: &str, word: &str) -> Option<usize> {
    let lower = info.to_ascii_lowercase();
    let (_, rest) = lower.split_once(word)?;
    let rest = rest.trim_start_matches([':', ' ']);
    let digits = rest.split(|c: char| !c.is_ascii_digit()).next()?;
    digits.parse().ok()
}
