//! Damaged files: every flipped bit is found, and no bytes make a reader panic.

use super::*;
use crate::{Bound, Column, Pattern, Phrase, ReadError};

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

fn whole() -> Vec<u8> {
    let mut active = Active::new(11, Some(learned(&["failed", "password"])));
    append(&mut active, &(0..300).map(line).collect::<Vec<_>>());
    sealed_bytes(&active)
}

/// Asks for everything; the answers may be wrong or missing, but there is no panic.
fn ask_all(sealed: &Sealed) {
    let watch = Watch::unlimited();
    let patterns = [
        Pattern::Exact("failed".into()),
        Pattern::Prefix("us".into()),
        Pattern::Wildcard("*s*".into()),
        Pattern::Range { lower: Bound::Number { value: 3.0, inclusive: true }, upper: Bound::Open },
    ];
    for pattern in &patterns {
        let _ = sealed.words(pattern, &watch);
        for column in [Column::Host, Column::Pid, Column::Tags, Column::Severity, Column::Named("n".into())] {
            if let Ok(found) = sealed.values(&column, pattern, &watch) {
                let _ = sealed.count_values(&column, &found, &watch, &mut |_, _| ());
            }
        }
    }
    let words = patterns[..1].to_vec();
    let _ = sealed.phrase(&Phrase { words, slop: 0 }, &watch);
    let _ = sealed.event_between(0, i64::MAX, &watch);
    let _ = sealed.received_edges(&[0, i64::MAX]);
    let _ = sealed.columns();
    let mut ends = [0, sealed.len().saturating_sub(1)].into_iter();
    let _ = sealed.read(&mut ends, &watch, &mut |_, _| true);
    let _ = sealed.verify(&watch);
}

#[test]
fn every_flipped_bit_is_found() {
    let whole = whole();
    for at in (0..whole.len()).step_by(23) {
        let mut bytes = whole.clone();
        bytes[at] ^= 1 << (at % 7);
        let found = Sealed::from_bytes(bytes).and_then(|sealed| sealed.verify(&Watch::unlimited()));
        assert!(matches!(found, Err(ReadError::Corrupt { .. })), "flip at {at}: {found:?}");
    }
}

#[test]
fn cut_files_are_found() {
    let whole = whole();
    for length in (0..whole.len()).step_by(97) {
        assert!(Sealed::from_bytes(whole[..length].to_vec()).is_err(), "cut at {length}");
    }
}

#[test]
fn the_place_of_damage_is_told() {
    let whole = whole();
    let mut bytes = whole.clone();
    bytes[600] ^= 1;
    let sealed = Sealed::from_bytes(bytes);
    let error = sealed.map(|_| ()).unwrap_err().to_string();
    assert_eq!(error, "memory is damaged at offset 512: checksum mismatch");
}

/// Makes all checksums right again.
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
    let whole = whole();
    let mut state = 7u64;
    let mut next = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as usize
    };
    let mut opened = 0;
    for round in 0..400 {
        let mut bytes = whole.clone();
        for _ in 0..=round % 3 {
            // Also in the footer, but not in the header and the trailer, whose checksums would be wrong.
            let at = 512 + next() % (bytes.len() - 512 - 32);
            bytes[at] = [0, 1, 0x7f, 0x80, 0xff, next() as u8][next() % 6];
        }
        if let Ok(sealed) = Sealed::from_bytes(with_checksums(&whole, bytes)) {
            opened += 1;
            ask_all(&sealed);
        }
    }
    assert!(opened > 150, "only {opened} could be opened: the test asks too little");
}
