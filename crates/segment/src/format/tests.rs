//! Round trips of every encoding.

use super::*;
use lookup::Bitmap;
use proptest::prelude::*;

fn decoded(documents: &[u32], length: u32) -> Bitmap {
    let mut bytes = Vec::new();
    postings::encode(documents, length, &mut bytes);
    let mut bitmap = Bitmap::none(length);
    postings::decode(FileSlice::loose(&bytes), documents.len() as u64, &mut bitmap).unwrap();
    bitmap
}

#[track_caller]
fn check_postings(documents: impl Iterator<Item = u32>, length: u32) {
    let documents: Vec<u32> = documents.collect();
    assert_eq!(decoded(&documents, length).iter().collect::<Vec<_>>(), documents);
}

#[test]
fn postings_of_every_shape() {
    check_postings(0..1, 1);
    check_postings(0..1000, 1000);
    check_postings((0..1000).step_by(3), 1000);
    check_postings((0..1_000_000).step_by(7001), 1_000_000);
    check_postings([5, 999_999].into_iter(), 1_000_000);
    check_postings((0..128).chain([500_000]), 1_000_000);
    check_postings((999_000..1_000_000).step_by(5), 1_000_000);
    for (count, step) in
        (1..40).flat_map(|count| [1, 2, 77, 300, 4001, 20_011, 100_003].map(|step| (count, step)))
    {
        check_postings((0..count).map(|at| at * step + at % 2 * (step / 2)), 4_194_304);
    }
}

#[track_caller]
fn check_numbers(want: &[i64]) {
    let mut bytes = Vec::new();
    numbers::encode(want, &mut bytes);
    let stored = numbers::Numbers::open(FileSlice::loose(&bytes), want.len()).unwrap();
    let blocks = want.len().div_ceil(numbers::BLOCK);
    let got: Vec<i64> = (0..blocks).flat_map(|block| stored.block(block).unwrap()).collect();
    assert_eq!(got, want);
    if want.is_sorted() {
        for bound in want.iter().flat_map(|number| [*number, number.saturating_add(1)]).chain([i64::MIN]) {
            let place = want.partition_point(|number| *number < bound);
            assert_eq!(stored.lower_bound(bound).unwrap(), place, "first of at least {bound}");
        }
    }
}

#[test]
fn numbers_of_every_shape() {
    check_numbers(&[]);
    check_numbers(&[-1; 700]);
    check_numbers(&[i64::MIN, i64::MAX, 0, -1]);
    check_numbers(&(0..700).map(|at| at / 300).collect::<Vec<_>>());
    check_numbers(&(0..700).map(|at| 1_700_000_000_000_000 + at * 1000).collect::<Vec<_>>());
    check_numbers(&(0..300).map(|at| at * 1_000_000 * (at % 2)).collect::<Vec<_>>());
}

#[test]
fn numbers_of_every_width_come_back() {
    for width in 0..=64 {
        let largest = if width == 0 { 0 } else { u64::MAX >> (64 - width) };
        let mixed = |at: u64| (at.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ at << 40) & largest;
        let numbers: Vec<u64> = (0..77).map(mixed).chain([largest, 0, largest]).collect();
        let mut bytes = vec![0xaa];
        bits::encode(numbers.iter().copied(), width, &mut bytes);
        assert_eq!(bytes.len(), 1 + bits::size_of(numbers.len(), width), "{width} bits");
        for (index, want) in numbers.iter().enumerate() {
            assert_eq!(bits::at(&bytes[1..], index, width), *want, "number {index} of {width} bits");
        }
        assert_eq!(bits::width_of(largest), width);
        assert_eq!(bits::at(&[], 3, width), 0, "behind the end");
    }
}

/// A header with changed bytes and a corrected checksum.
fn header(changes: &[(usize, u8)]) -> String {
    let mut bytes = include_bytes!("../../testdata/segment-v2.segment").to_vec();
    changes.iter().for_each(|(at, byte)| bytes[*at] = *byte);
    let checksum = crc32fast::hash(&bytes[..508]);
    bytes[508..512].copy_from_slice(&checksum.to_le_bytes());
    match file::SegmentFile::from_bytes(bytes, &evidence::Keys::default()).unwrap() {
        Ok(_) => "whole".to_owned(),
        Err(damage) => format!("{} at {}", damage.what, damage.offset),
    }
}

#[test]
fn invalid_header_values_are_refused_at_their_offset() {
    for (changes, want) in [
        (&[][..], "whole"),
        (&[(0, b'd')], "not a segment at 0"),
        (&[(8, 0)], "written by a newer version at 8"),
        (&[(8, 99)], "written by a newer version at 8"),
        (&[(9, 1)], "written by a newer version at 8"),
        (&[(10, 1)], "an unknown checksum, hash or chunk size at 10"),
        (&[(12, 2)], "an unknown checksum, hash or chunk size at 10"),
        (&[(13, 2)], "an unknown encryption at 13"),
        (&[(14, 17)], "an unknown checksum, hash or chunk size at 10"),
        (&[(15, 2)], "an unknown checksum, hash or chunk size at 10"),
        (&[(44, 1)], "more documents than a segment can have at 48"),
    ] {
        assert_eq!(header(changes), want, "{changes:?}");
    }
}

proptest! {
    #[test]
    fn ordinals_come_back(numbers in prop::collection::vec(0u32..100_000, 0..300)) {
        let width = ordinals::width_of(numbers.iter().copied().max().unwrap_or(0));
        let mut bytes = Vec::new();
        ordinals::encode(&numbers, width, &mut bytes);
        let mut group = [0; ordinals::GROUP];
        for (index, want) in numbers.chunks(ordinals::GROUP).enumerate() {
            ordinals::decode_group(&FileSlice::loose(&bytes), index, width, &mut group).unwrap();
            prop_assert_eq!(&group[..want.len()], want);
        }
    }

    #[test]
    fn dictionaries_come_back(strings in prop::collection::btree_set(prop::collection::vec(97u8..100, 0..40), 0..200)) {
        let mut encoder = dictionary::Encoder::default();
        for string in &strings {
            encoder.push(string);
            encoder.data.push(string.len() as u8);
        }
        let bytes = encoder.finish().concat();
        let stored = dictionary::Dictionary::open(FileSlice::loose(&bytes)).unwrap();
        let (mut got, mut buffer) = (Vec::new(), Vec::new());
        for block in 0..stored.blocks() {
            stored.walk(block, &mut buffer, |entry, reader| {
                assert_eq!(reader.byte()?, entry.string.len() as u8);
                got.push(entry.string.to_vec());
                Ok(true)
            }).unwrap();
        }
        prop_assert_eq!(&got, &strings.iter().cloned().collect::<Vec<_>>());
        for (at, string) in got.iter().enumerate() {
            let block = stored.block_of(|first| first <= string.as_slice()).unwrap();
            prop_assert_eq!(block, at / dictionary::BLOCK);
        }
    }

    #[test]
    fn blocks_come_back(
        frames in prop::collection::vec(("[a\n]{0,6}", prop::option::of("[b\n]{0,4}")), 0..20),
    ) {
        let mut block = frame::Frames::default();
        for (raw, text) in &frames {
            block.push(raw.as_bytes());
            text.iter().for_each(|text| block.push_text(text.as_bytes()));
        }
        let mut bytes = Vec::new();
        block.encode(&mut bytes);
        let mut layout = frame::Layout::default();
        layout.read(&bytes, frames.len()).unwrap();
        let got: Vec<&[u8]> = layout.frames.iter().map(|place| &bytes[place.clone()]).collect();
        prop_assert_eq!(got, frames.iter().map(|(raw, _)| raw.as_bytes()).collect::<Vec<_>>());
        let got: Vec<&[u8]> = layout.texts.iter().map(|place| &bytes[place.clone()]).collect();
        prop_assert_eq!(got, frames.iter().flat_map(|(_, text)| text).map(String::as_bytes).collect::<Vec<_>>());
    }

    #[test]
    fn any_bytes_are_survived(bytes in prop::collection::vec(any::<u8>(), 0..200), count in 0u64..300) {
        let part = FileSlice::loose(&bytes);
        let _ = postings::decode(part, count, &mut Bitmap::none(1000));
        if let Ok(stored) = numbers::Numbers::open(part, count as usize) {
            let _ = (stored.block(0), stored.lower_bound(7));
        }
        if let Ok(stored) = dictionary::Dictionary::open(part) {
            let _ = stored.block_of(|first| first < b"x");
            let _ = stored.walk(0, &mut Vec::new(), |_, reader| Ok(reader.varint()? > 0));
        }
        let _ = frame::Layout::default().read(&bytes, count as usize);
        let _ = list::entries(&bytes).count();
        let _ = file::SegmentFile::from_bytes(bytes, &evidence::Keys::default());
    }
}
