//! The numbers of a batch's messages, at the end of its bytes.
//!
//! In: a numbering and a selection. Out: bytes; from a whole batch's bytes the stream and the runs of numbers. Nothing else of
//! the batch is read. Limits: [`NUMBERS_BYTES_MAX`]; a batch with more is written without numbers.

use super::{
    NUMBERED, NUMBERS_BYTES_MAX, START_BYTES,
    varint::{Taker, put},
};
use crate::{Numbering, Selection, StreamKey};
use std::ops::Range;

/// Appends the numbers of the selected messages.
pub(super) fn put_numbers(numbering: &Numbering, selection: &Selection, out: &mut Vec<u8>) {
    let runs = numbering.runs(selection.iter());
    if runs.is_empty() {
        return;
    }
    let start = out.len();
    let key = &numbering.stream.key;
    put(out, key.sender.len() as u64);
    out.extend_from_slice(key.sender.as_bytes());
    out.extend_from_slice(&key.epoch.to_le_bytes());
    out.push(key.stream);
    put(out, runs.len() as u64);
    let mut end = 0;
    for run in runs {
        // Nearly always ascending; otherwise the difference wraps around, and back.
        put(out, run.start.wrapping_sub(end));
        put(out, run.end - run.start);
        end = run.end;
    }
    if out.len() - start > NUMBERS_BYTES_MAX {
        out.truncate(start);
    }
}

/// Returns the stream and the numbers of the messages in the bytes of a batch; `None` when they have none.
pub fn numbers(bytes: &[u8]) -> Option<(StreamKey, Vec<Range<u64>>)> {
    let fixed = bytes.first_chunk::<START_BYTES>().filter(|fixed| fixed[0] == NUMBERED)?;
    let size = u32::from_le_bytes([fixed[45], fixed[46], fixed[47], 0]) as usize;
    let mut rest = Taker(bytes.get(bytes.len().checked_sub(size).filter(|at| *at >= START_BYTES)?..)?);
    let sender = std::str::from_utf8(rest.counted()?).ok()?.into();
    let epoch = u64::from_le_bytes(*rest.bytes(8)?.first_chunk()?);
    let stream = rest.byte()?;
    let (mut runs, mut end) = (Vec::new(), 0_u64);
    for _ in 0..rest.number()? {
        let start = end.wrapping_add(rest.number()?);
        end = start.checked_add(rest.number()?)?;
        runs.push(start..end);
    }
    rest.0.is_empty().then_some((StreamKey { sender, epoch, stream }, runs))
}
