//! The rate of scrubbing, its end, and what it finds.

use super::*;
use crate::segments::{Indexed, Segments};
use message::{Ack, Batch, Message, Origin, Selection, Span, Stamp};
use std::fs;

/// A segment of 2 MiB that hardly compresses: more chunks than are read between two checks of the rate.
fn segment(dir: &Path) -> std::path::PathBuf {
    let mut chance = sim::Chance::new(5);
    let text: Vec<u8> = (0..2 << 20).map(|_| 33 + chance.below(94) as u8).collect();
    let message = |at: usize| {
        let mut message = Message::default();
        message.raw = Span::received(at << 10, 1 << 10);
        message.text = message.raw;
        message
    };
    let received = Stamp::known(1, 0);
    let mut batch = Batch::new(Arc::new(text), vec![Arc::new(Origin::default())], received, Ack::none());
    batch.messages = (0..2 << 10).map(message).collect();
    let mut growing = Indexed.begin(0);
    growing.append(&batch, &Selection::all(batch.len()));
    let path = dir.join("s.ds");
    growing.seal(&path, &segment::Sealing::default()).unwrap();
    path
}

#[test]
fn a_file_is_read_at_a_rate() {
    let dir = tempfile::tempdir().unwrap();
    let path = segment(dir.path());
    let chunks = SegmentInspector::open(&path, &Keys::default()).unwrap().chunks();
    assert!(chunks > CHUNKS_A_LOOK, "{chunks} chunks");
    let mut pauses = Vec::new();
    let mut pause = |duration: Duration| {
        pauses.push(duration);
        false
    };
    // A chunk an hour: the pauses tell when the next chunks are due.
    assert!(scrub_file(&path, CHUNK_BYTES / 3600 + 1, &mut pause).unwrap().is_empty());
    assert_eq!(pauses.len(), chunks.div_ceil(CHUNKS_A_LOOK));
    assert_eq!(pauses[0], Duration::ZERO);
    let hours = pauses[1].as_secs_f64() / 3600.0;
    assert!((CHUNKS_A_LOOK as f64 * 0.9..CHUNKS_A_LOOK as f64).contains(&hours), "{hours}");
    // Without a limit that matters nothing waits; a rate of 0 is one byte a second, no division by 0.
    let mut longest = Duration::ZERO;
    scrub_file(&path, u64::MAX, &mut |duration| {
        longest = longest.max(duration);
        false
    })
    .unwrap();
    assert_eq!(longest, Duration::ZERO);
    let mut first = None;
    scrub_file(&path, 0, &mut |duration| {
        first.get_or_insert(duration);
        duration > Duration::ZERO
    })
    .unwrap();
    assert_eq!(first, Some(Duration::ZERO));
}

#[test]
fn damage_is_found_before_the_scrubbing_is_ended() {
    let dir = tempfile::tempdir().unwrap();
    let path = segment(dir.path());
    let whole = fs::read(&path).unwrap();
    let harm = |chunk: u64| {
        let mut bytes = whole.clone();
        bytes[(chunk * CHUNK_BYTES + 5000) as usize] ^= 1;
        fs::write(&path, bytes).unwrap();
    };
    let found = |looks: usize| -> Vec<usize> {
        let mut left = looks;
        let mut pause = |_| {
            left = left.saturating_sub(1);
            left == 0
        };
        scrub_file(&path, 1 << 40, &mut pause).unwrap().iter().map(|trouble| trouble.chunk).collect()
    };
    assert_eq!(found(usize::MAX), [0; 0]);
    harm(1);
    assert_eq!(found(usize::MAX), [1]);
    assert_eq!(found(1), [0; 0], "it was ended before the first chunk");
    assert_eq!(found(2), [1]);
    harm(CHUNKS_A_LOOK as u64 + 2);
    assert_eq!(found(2), [0; 0]);
    assert_eq!(found(3), [CHUNKS_A_LOOK + 2]);
    fs::write(&path, "no segment").unwrap();
    assert!(scrub_file(&path, 1, &mut |_| false).is_err());
}
