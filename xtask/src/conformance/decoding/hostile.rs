//! Runs hostile inputs through every framing and every dialect.
//!
//! In: `hostile/inputs.jsonl`. Out: one row; a case passes when each framing keeps a bounded remainder, no
//! frame is above the limit, a good line sent afterwards gets through, and the raw text of each message is
//! kept.
//! Limits: cases about connections, certificates or the configuration are not judged here.

use crate::conformance::{
    error::RunError,
    records::{records, text},
    row::Row,
};
use message::{Ack, Batch, Origin, Span, Stamp};
use serde_json::Value;
use std::{path::Path, sync::Arc};
use wire::{COUNT_DIGITS_MAX, DecodeOptions, Decoder, Frame, Framer, Framing, Oversize, ParseFlags};

const LIMIT: usize = 65_536;
const PIECE_BYTES: usize = 1_000;
const GOOD: &[u8] = b"\n<13>good line\n";
const FRAMINGS: [Framing; 3] = [Framing::Newline, Framing::OctetCounted, Framing::Auto];

pub(crate) fn run(folder: &Path) -> Result<Vec<Row>, RunError> {
    let cases = records(&folder.join("hostile/inputs.jsonl"))?;
    let mut row = Row::empty("hostile-wire", 100.0);
    for case in &cases {
        let payload = payload(case);
        let found = FRAMINGS.iter().find_map(|framing| fault(&payload, *framing));
        row.count(text(case, "id"), found);
    }
    Ok(vec![row])
}

/// The bytes of a case: parts to concatenate, or base64.
fn payload(case: &Value) -> Vec<u8> {
    let mut bytes = base64(text(case, "payload_base64"));
    for part in case["parts"].as_array().into_iter().flatten() {
        bytes.extend_from_slice(text(part, "text").as_bytes());
        let count = part["count"].as_u64().unwrap_or_default() as usize;
        bytes.extend_from_slice(text(part, "repeat").repeat(count).as_bytes());
    }
    bytes
}

fn base64(text: &str) -> Vec<u8> {
    const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let (mut bytes, mut bits, mut count) = (Vec::new(), 0_u32, 0);
    for value in text.bytes().filter_map(|byte| ALPHABET.iter().position(|known| *known == byte)) {
        bits = (bits << 6 | value as u32) & 0xffff;
        count += 6;
        if count >= 8 {
            count -= 8;
            bytes.push((bits >> count) as u8);
        }
    }
    bytes
}

fn fault(payload: &[u8], framing: Framing) -> Option<String> {
    let mut stream = payload.to_vec();
    stream.extend_from_slice(GOOD);
    let (mut framer, mut rest, mut frames) =
        (Framer::new(framing, LIMIT, Oversize::Cut), Vec::new(), Vec::new());
    let mut last = Vec::new();
    for piece in stream.chunks(PIECE_BYTES) {
        rest.extend_from_slice(piece);
        let used = framer.split(&rest, &mut frames);
        for frame in frames.drain(..) {
            if frame.end - frame.start > LIMIT {
                return Some(format!("{framing:?}: frame of {} bytes", frame.end - frame.start));
            }
            last = rest[frame.start..frame.end].to_vec();
            if !keeps_raw(&rest, frame) {
                return Some(format!("{framing:?}: raw text changed"));
            }
        }
        rest.drain(..used);
        if rest.len() > LIMIT + COUNT_DIGITS_MAX + 1 {
            return Some(format!("{framing:?}: carries {} bytes", rest.len()));
        }
    }
    // An octet-counted stream whose last count is wrong may swallow what follows; a stream of lines may not.
    let good = framing != Framing::Newline || last == b"<13>good line";
    (!good).then(|| format!("{framing:?}: the good line was lost"))
}

/// Decodes a frame with each flag separately; true when the raw text is the frame each time.
fn keeps_raw(bytes: &[u8], frame: Frame) -> bool {
    let line = &bytes[frame.start..frame.end];
    let mut batch = Batch::new(
        Arc::new(line.to_vec()),
        vec![Arc::new(Origin::default())],
        Stamp::known(0, 0),
        Ack::none(),
    );
    for bit in 0..32 {
        let options = DecodeOptions { flags: ParseFlags(1 << bit), ..DecodeOptions::default() };
        Decoder::new(options).decode(&mut batch, Span::received(0, line.len()), frame.marks, 0);
    }
    batch.messages.iter().all(|message| line.starts_with(batch.bytes(message.raw)) && !message.raw.is_empty())
}
