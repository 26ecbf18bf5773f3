//! Segment files: any bytes yield answers or an error. Checksums are corrected first, so that the bytes
//! behind them are read.

use lookup::{Bound, CancelToken, Column, Pattern, Phrase, SegmentView};
use segment::Sealed;

const HEADER_BYTES: usize = 512;
const TRAILER_BYTES: usize = 32;
const CHUNK_BYTES: usize = 1 << 16;

/// Runs the target.
pub(crate) fn run(bytes: &[u8]) {
    let mut bytes = bytes.to_vec();
    correct(&mut bytes);
    if let Ok(sealed) = Sealed::from_bytes(bytes) {
        ask(&sealed);
    }
}

fn number(bytes: &[u8], at: usize) -> Option<usize> {
    bytes.get(at..)?.first_chunk().map(|bytes| u32::from_le_bytes(*bytes) as usize)
}

fn put(bytes: &mut [u8], at: usize, checksum: u32) {
    if let Some(place) = bytes.get_mut(at..at.saturating_add(4)) {
        place.copy_from_slice(&checksum.to_le_bytes());
    }
}

/// Writes correct checksums where the file says that they are.
fn correct(bytes: &mut [u8]) -> Option<()> {
    let trailer = bytes.len().checked_sub(TRAILER_BYTES)?;
    let header = crc32fast::hash(bytes.get(..HEADER_BYTES - 4)?);
    put(bytes, HEADER_BYTES - 4, header);
    let footer = number(bytes, trailer)?;
    let mut at = footer.checked_add(8)?.checked_add(number(bytes, footer)?.checked_mul(24)?)?;
    for start in (HEADER_BYTES..footer.min(bytes.len())).step_by(CHUNK_BYTES) {
        let chunk = crc32fast::hash(bytes.get(start..footer.min(start + CHUNK_BYTES))?);
        put(bytes, at, chunk);
        at = at.checked_add(4)?;
    }
    let footer = crc32fast::hash(bytes.get(footer..trailer)?);
    put(bytes, trailer + 12, footer);
    Some(())
}

fn ask(sealed: &Sealed) {
    let cancel = CancelToken::unlimited();
    let patterns = [
        Pattern::Exact(b"failed".to_vec()),
        Pattern::Prefix(b"us".to_vec()),
        Pattern::Wildcard(b"*s*".to_vec()),
        Pattern::Range { lower: Bound::Number { value: 3.0, inclusive: true }, upper: Bound::Open },
    ];
    for pattern in &patterns {
        let _ = sealed.words(pattern, &cancel);
        for column in
            [Column::Host, Column::Pid, Column::Tags, Column::Severity, Column::Named("port".into())]
        {
            if let Ok(found) = sealed.values(&column, pattern, &cancel) {
                let _ = sealed.count_values(&column, &found, &cancel, &mut |_, _| ());
            }
        }
    }
    let words = patterns[..1].to_vec();
    let _ = sealed.phrase(&Phrase { words, slop: 0 }, &cancel);
    let _ = sealed.event_between(0, i64::MAX, &cancel);
    let _ = sealed.received_edges(&[0, i64::MAX]);
    let _ = (sealed.columns(), sealed.verify(&cancel));
}
