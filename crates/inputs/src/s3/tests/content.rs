//! Objects in every form, cut and damaged at any place, from any offset on.

use super::*;
use flate2::{Compression, write::GzEncoder};

fn gzip(text: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
    encoder.write_all(text).unwrap();
    encoder.finish().unwrap()
}

fn zstd(text: &[u8]) -> Vec<u8> {
    let mut encoder = ::zstd::stream::Encoder::new(Vec::new(), 1).unwrap();
    encoder.include_checksum(true).unwrap();
    encoder.write_all(text).unwrap();
    encoder.finish().unwrap()
}

/// Reads an object in parts of a size, and the text from an offset on. Returns the text, the largest piece, and the end.
fn read(object: &[u8], part: usize, offset: u64) -> (Vec<u8>, usize, Result<(), ContentError>) {
    let mut content = Content::from_start(offset);
    let (mut text, mut largest) = (Vec::new(), 0);
    for part in object.chunks(part) {
        content.add(part);
        loop {
            match content.piece() {
                Ok(Some(piece)) => {
                    largest = largest.max(piece.len());
                    text.extend_from_slice(&piece);
                }
                Ok(None) => break,
                Err(error) => return (text, largest, Err(error)),
            }
        }
    }
    let (rest, ended) = content.finish();
    text.extend_from_slice(&rest);
    (text, largest.max(rest.len()), ended)
}

fn lines(count: usize) -> Vec<u8> {
    (0..count)
        .map(|number| format!("line {number} of a text that is not the same everywhere\n"))
        .collect::<String>()
        .into_bytes()
}

#[test]
fn a_text_comes_whole_whatever_its_form_and_its_parts() {
    let text = lines(600);
    let (first, second) = text.split_at(text.len() / 3);
    let skipped = b"\x50\x2a\x4d\x18\x03\0\0\0abc";
    let objects = [
        text.clone(),
        gzip(&text),
        zstd(&text),
        [gzip(first), gzip(second)].concat(),
        [zstd(first), zstd(second)].concat(),
        [skipped.as_slice(), &zstd(&text)].concat(),
        [gzip(b""), gzip(&text), gzip(b"")].concat(),
    ];
    for (number, object) in objects.iter().enumerate() {
        for part in [1, 4096, 1 << 20] {
            for offset in [0, 1, 10_000, text.len() as u64] {
                let (found, _, ended) = read(object, part, offset);
                assert!(found == text[offset as usize..], "{number} {part} {offset}");
                assert_eq!(ended, Ok(()), "{number} {part} {offset}");
            }
        }
    }
}

#[test]
fn short_objects_are_text() {
    for object in [&b"a"[..], b"a\nb", b"\x1f", b"\x1f\x8b", b"(\xb5/", b"BZ", b"PAR", b"{}\n"] {
        assert_eq!(read(object, 1, 0), (object.to_vec(), object.len(), Ok(())), "{object:?}");
    }
    let (text, _, ended) = read(&gzip(b""), 3, 0);
    assert_eq!((text.len(), ended), (0, Ok(())));
}

#[test]
fn many_bytes_in_few_come_piece_by_piece() {
    let text = vec![b'x'; 4 << 20];
    for object in [gzip(&text), zstd(&text)] {
        assert!(object.len() < 32 << 10);
        let (found, largest, ended) = read(&object, 1 << 20, 0);
        assert_eq!((found.len(), ended), (text.len(), Ok(())));
        assert!(largest <= 4 * PIECE_BYTES, "{largest}");
    }
}

#[test]
fn what_comes_before_damage_is_read() {
    let text = lines(8_000);
    for object in [gzip(&text), zstd(&text)] {
        for size in [object.len() - 1, object.len() - 9, object.len() / 2, 12] {
            let (found, _, ended) = read(&object[..size], 1000, 0);
            assert!(matches!(ended, Err(ContentError::Damaged(_))), "{size} {ended:?}");
            assert!(text.starts_with(&found));
            // A block of Zstandard is decompressed as a whole.
            assert!(found.len() + (256 << 10) >= text.len() * size / object.len(), "{} {size}", found.len());
        }
        let mut damaged = object.clone();
        let middle = damaged.len() / 2;
        damaged[middle..middle + 64].fill(0xff);
        let (found, _, ended) = read(&damaged, 1000, 0);
        assert!(matches!(ended, Err(ContentError::Damaged(_))), "{ended:?}");
        assert!(found.len() > 10_000 && text.starts_with(&found[..10_000]));
        let trailing = [object.as_slice(), b"garbage behind it"].concat();
        let (found, _, ended) = read(&trailing, 1 << 20, 0);
        assert!(found == text && ended.is_err(), "{ended:?}");
    }
}

#[test]
fn forms_without_lines_are_named() {
    for (object, want) in [
        (&b"PAR1\x15\x04\x15"[..], "Parquet"),
        (b"Obj\x01\x04\x16", "Avro"),
        (b"BZh91AY&SY", "bzip2"),
        (b"\xfd7zXZ\0\0\x04", "xz"),
        (b"PK\x03\x04\x14\0", "zip"),
        (b"\x04\x22\x4d\x18\x64\x40", "LZ4"),
    ] {
        let (text, _, ended) = read(object, 3, 0);
        assert_eq!((text.len(), ended), (0, Err(ContentError::Form(want))));
    }
}

#[test]
fn a_window_that_is_too_large_is_refused() {
    let mut encoder = ::zstd::stream::Encoder::new(Vec::new(), 1).unwrap();
    encoder.set_parameter(::zstd::zstd_safe::CParameter::WindowLog(28)).unwrap();
    encoder.write_all(b"text\n").unwrap();
    let (text, _, ended) = read(&encoder.finish().unwrap(), 100, 0);
    assert!(text.is_empty() && matches!(ended, Err(ContentError::Damaged(_))), "{ended:?}");
}
