//! The bit set against a plain set of numbers.

use super::Bitmap;
use proptest::prelude::*;
use std::collections::BTreeSet;

fn bitmap(length: u32, documents: &BTreeSet<u32>) -> Bitmap {
    let mut bitmap = Bitmap::none(length);
    documents.iter().for_each(|document| bitmap.add(*document));
    bitmap
}

fn plain(bitmap: &Bitmap) -> BTreeSet<u32> {
    bitmap.iter().collect()
}

proptest! {
    #[test]
    fn agrees_with_a_plain_set(
        length in 1u32..300,
        documents in proptest::collection::vec(0u32..300, 0..80),
        start in 0u32..320,
        end in 0u32..320,
    ) {
        let set: BTreeSet<u32> = documents.into_iter().filter(|document| *document < length).collect();
        let mut bitmap = bitmap(length, &set);
        prop_assert_eq!((bitmap.len(), bitmap.is_empty()), (length, set.is_empty()));
        prop_assert!((0..400).all(|document| bitmap.has(document) == set.contains(&document)));
        prop_assert_eq!(bitmap.iter().collect::<Vec<_>>(), set.iter().copied().collect::<Vec<_>>());
        prop_assert_eq!(bitmap.iter_rev().collect::<Vec<_>>(), set.iter().rev().copied().collect::<Vec<_>>());
        let inside = set.iter().filter(|document| (start..end).contains(document)).count() as u64;
        prop_assert_eq!(bitmap.count_range(start..end), inside);
        let mut kept = bitmap.clone();
        kept.keep_range(start..end);
        prop_assert_eq!(kept.count(), inside);
        bitmap.negate();
        prop_assert_eq!(bitmap.count(), u64::from(length) - set.len() as u64);
    }

    #[test]
    fn the_algebra_is_that_of_sets(
        length in 130u32..300,
        left in proptest::collection::btree_set(0u32..130, 0..60),
        right in proptest::collection::btree_set(0u32..130, 0..60),
    ) {
        let other = bitmap(length, &right);
        let joined = |join: fn(&mut Bitmap, &Bitmap)| {
            let mut bitmap = bitmap(length, &left);
            join(&mut bitmap, &other);
            plain(&bitmap)
        };
        prop_assert_eq!(joined(Bitmap::and), &left & &right);
        prop_assert_eq!(joined(Bitmap::or), &left | &right);
        prop_assert_eq!(joined(Bitmap::and_not), &left - &right);
        let mut removed = bitmap(length, &left);
        right.iter().chain(&[length, 1000]).for_each(|document| removed.remove(*document));
        prop_assert_eq!(plain(&removed), &left - &right);
    }
}

#[test]
fn words_hold_a_bit_for_each_document() {
    let mut bitmap = Bitmap::none(70);
    assert_eq!(bitmap.words(), [0, 0]);
    bitmap.words_mut()[0] = 0b101;
    bitmap.words_mut()[1] = 1 << 5;
    assert_eq!(bitmap.iter().collect::<Vec<_>>(), [0, 2, 69]);
    assert_eq!(bitmap.words(), [0b101, 1 << 5]);
    assert_eq!(Bitmap::all(70).words(), [u64::MAX, 0b11_1111]);
    assert_eq!(Bitmap::all(64).words(), [u64::MAX]);
}
