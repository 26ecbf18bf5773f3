//! Damaged files: every flipped bit is found, and no bytes make a reader panic.

use super::*;
use crate::SegmentInspector;
use evidence::{Identity, Keys, Recipient};
use lookup::{Bound, Column, Pattern, Phrase, ReadError};
use std::sync::LazyLock;

fn line(at: usize) -> Line {
    let words = ["failed", "password", "for", "root"];
    Line {
        host: format!("web-{}", at % 3),
        program: "sshd".into(),
        pid: at.to_string(),
        text: format!("{} user{} {} 10.0.0.{}", words[at % 4], at, words[at % 3], at % 7),
        values: if at.is_multiple_of(20) {
            vec![("n".into(), at.to_string(), ValueKind::Integer)]
        } else {
            Vec::new()
        },
        rewritten: at.is_multiple_of(50).then(|| "changed here".into()),
        ..Line::default()
    }
}

fn active() -> Active {
    let mut active = Active::new(11, Some(learned(&["failed", "password"])));
    append(&mut active, &(0..300).map(line).collect::<Vec<_>>());
    active
}

fn whole() -> Vec<u8> {
    sealed_bytes(&active())
}

/// The bytes of the segment, recoded.
static RECODED: LazyLock<Vec<u8>> = LazyLock::new(|| recoded_bytes(&active()));

/// The bytes of an encrypted segment, and the keys that open it.
fn encrypted() -> (Vec<u8>, Keys) {
    let (recipient, identity) = Identity::draw().unwrap();
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("one.segment");
    let recipients = [Recipient::load(&recipient).unwrap()];
    active().seal_as(&path, &Sealing::for_recipients(&recipients)).unwrap();
    (std::fs::read(path).unwrap(), Keys::of(vec![Identity::parse(&identity, None).unwrap()]))
}

/// Reads everything; the answers may be wrong or missing, but there is no panic.
fn ask_all(sealed: &Sealed) {
    let cancel = CancelToken::unlimited();
    let patterns = [
        Pattern::Exact("failed".into()),
        Pattern::Prefix("us".into()),
        Pattern::Wildcard("*s*".into()),
        Pattern::Range { lower: Bound::Number { value: 3.0, inclusive: true }, upper: Bound::Open },
    ];
    for pattern in &patterns {
        let _ = sealed.words(pattern, &cancel);
        for column in [Column::Host, Column::Pid, Column::Tags, Column::Severity, Column::Named("n".into())] {
            if let Ok(found) = sealed.values(&column, pattern, &cancel) {
                let _ = sealed.count_values(&column, &found, &cancel, &mut |_, _| ());
            }
        }
    }
    let words = patterns[..1].to_vec();
    let _ = sealed.phrase(&Phrase { words, slop: 0 }, &cancel);
    let _ = sealed.event_between(0, i64::MAX, &cancel);
    let _ = sealed.received_edges(&[0, i64::MAX]);
    let _ = sealed.columns();
    let mut ends = [0, sealed.len().saturating_sub(1)].into_iter();
    let _ = sealed.read(&mut ends, &cancel, &mut |_, _| true);
    let _ = sealed.verify(&cancel);
}

#[test]
fn every_flipped_bit_is_found() {
    for whole in [whole(), recoded_bytes(&active())] {
        for at in (0..whole.len()).step_by(23) {
            let mut bytes = whole.clone();
            bytes[at] ^= 1 << (at % 7);
            let found = Sealed::from_bytes(bytes).and_then(|sealed| sealed.verify(&CancelToken::unlimited()));
            assert!(matches!(found, Err(ReadError::Corrupt { .. })), "flip at {at}: {found:?}");
        }
    }
}

#[test]
fn cut_files_are_found() {
    for whole in [whole(), recoded_bytes(&active())] {
        for length in (0..whole.len()).step_by(97) {
            assert!(Sealed::from_bytes(whole[..length].to_vec()).is_err(), "cut at {length}");
        }
    }
}

#[test]
fn the_location_of_damage_is_reported() {
    let whole = whole();
    let mut bytes = whole.clone();
    bytes[600] ^= 1;
    let sealed = Sealed::from_bytes(bytes);
    let error = sealed.map(|_| ()).unwrap_err().to_string();
    assert_eq!(error, "memory is damaged at offset 512: checksum mismatch");
}

/// Corrects all checksums.
fn with_checksums(whole: &[u8], mut bytes: Vec<u8>) -> Vec<u8> {
    let trailer = bytes.len() - 32;
    let footer = u64::from_le_bytes(bytes[trailer..trailer + 8].try_into().unwrap()) as usize;
    let sections = u32::from_le_bytes(whole[footer..footer + 4].try_into().unwrap()) as usize;
    let mut at = footer + 4 + sections * 24 + 4;
    for chunk in (512..footer).step_by(1 << 16) {
        let checksum = crc32fast::hash(&bytes[chunk..footer.min(chunk + (1 << 16))]);
        bytes[at..at + 4].copy_from_slice(&checksum.to_le_bytes());
        at += 4;
    }
    let checksum = crc32fast::hash(&bytes[footer..trailer]);
    bytes[trailer + 12..trailer + 16].copy_from_slice(&checksum.to_le_bytes());
    bytes
}

#[test]
fn hostile_bytes_with_right_checksums_are_survived() {
    survive(&whole(), 400);
}

#[test]
fn hostile_bytes_of_recoded_segments_are_survived() {
    survive(&recoded_bytes(&active()), 1200);
}

fn survive(whole: &[u8], rounds: usize) {
    let mut state = 7u64;
    let mut next = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as usize
    };
    let mut opened = 0;
    for round in 0..rounds {
        let mut bytes = whole.to_vec();
        for _ in 0..=round % 3 {
            // Also in the footer, but not in the header and the trailer, whose checksums would be wrong.
            let at = 512 + next() % (bytes.len() - 512 - 32);
            bytes[at] = [0, 1, 0x7f, 0x80, 0xff, next() as u8][next() % 6];
        }
        if let Ok(sealed) = Sealed::from_bytes(with_checksums(whole, bytes)) {
            opened += 1;
            ask_all(&sealed);
        }
    }
    assert!(opened * 8 > rounds * 3, "only {opened} could be opened: the test asks too little");
}

/// Flips any bit anywhere: opening or checking finds it, with and without the key.
fn check_flip(whole: &[u8], keys: &Keys, at: usize) {
    let mut bytes = whole.to_vec();
    bytes[at / 8] ^= 1 << (at % 8);
    for keys in [keys, &Keys::default()] {
        let Ok(inspector) = SegmentInspector::from_bytes(bytes.clone(), keys) else { continue };
        let troubles: Vec<_> =
            (0..inspector.chunks()).filter_map(|chunk| inspector.examine(chunk).err()).collect();
        let named = troubles.iter().any(|trouble| trouble.place.contains(&(at as u64 / 8)));
        assert!(named, "bit {at}: {troubles:?}");
    }
}

proptest::proptest! {
    #[test]
    fn every_flipped_bit_is_named(ats in proptest::collection::vec(0usize..1 << 30, 8)) {
        let (whole, keys) = encrypted();
        ats.iter().for_each(|at| check_flip(&whole, &keys, at % (whole.len() * 8)));
        let whole = RECODED.clone();
        ats.iter().for_each(|at| check_flip(&whole, &keys, at % (whole.len() * 8)));
        let whole = self::whole();
        ats.iter().for_each(|at| check_flip(&whole, &keys, at % (whole.len() * 8)));
    }
}

#[test]
fn a_locked_segment_shows_its_outside_only() {
    let (bytes, keys) = encrypted();
    assert!(
        memchr::memmem::find(&bytes, b"web-1").is_none() && memchr::memmem::find(&bytes, b"10.0.0").is_none()
    );
    let inspector = SegmentInspector::from_bytes(bytes.clone(), &Keys::default()).unwrap();
    assert!(inspector.is_locked() && inspector.recipients().len() == 1);
    assert_eq!(inspector.extent().map(|(first, count, _)| (first, count)), Some((11, 300)));
    assert!(matches!(inspector.read(), Err(ReadError::Locked { .. })));
    let sealed = SegmentInspector::from_bytes(bytes, &keys).unwrap().read().unwrap();
    assert_eq!(documents(&sealed).len(), 300);
    assert_eq!(sealed.verify(&CancelToken::unlimited()).unwrap().documents, 300);
    for (read, written) in documents(&sealed).iter().zip(documents(&*active().view())) {
        assert_eq!(show(read), show(&written));
    }
}

#[test]
fn chunks_that_change_places_are_found() {
    let (recipient, identity) = Identity::draw().unwrap();
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("one.segment");
    let mut large = Active::new(0, None);
    append(&mut large, &(0..9000).map(line).collect::<Vec<_>>());
    large.seal_as(&path, &Sealing::for_recipients(&[Recipient::load(&recipient).unwrap()])).unwrap();
    let mut bytes = std::fs::read(path).unwrap();
    let (first, second) = (512..512 + (1 << 16), 512 + (1 << 16)..512 + (2 << 16));
    let moved = bytes[first.clone()].to_vec();
    bytes.copy_within(second.clone(), first.start);
    bytes[second].copy_from_slice(&moved);
    let keys = Keys::of(vec![Identity::parse(&identity, None).unwrap()]);
    let inspector = SegmentInspector::from_bytes(bytes, &keys).unwrap();
    assert!(inspector.chunks() > 2);
    let bad = (0..inspector.chunks()).filter(|chunk| inspector.examine(*chunk).is_err()).count();
    assert_eq!(bad, 2);
}
