//! The bit set against a plain set of numbers.

use super::Bitmap;
use proptest::prelude::*;
use std::collections::BTreeSet;

proptest! {
    #[test]
    fn agrees_with_a_plain_set(
        length in 1u32..300,
        documents in proptest::collection::vec(0u32..300, 0..80),
        start in 0u32..320,
        end in 0u32..320,
    ) {
        let plain: BTreeSet<u32> = documents.into_iter().filter(|document| *document < length).collect();
        let mut bitmap = Bitmap::none(length);
        plain.iter().for_each(|document| bitmap.add(*document));
        prop_assert_eq!(bitmap.iter().collect::<Vec<_>>(), plain.iter().copied().collect::<Vec<_>>());
        prop_assert_eq!(bitmap.iter_rev().collect::<Vec<_>>(), plain.iter().rev().copied().collect::<Vec<_>>());
        let inside = plain.iter().filter(|document| (start..end).contains(document)).count() as u64;
        prop_assert_eq!(bitmap.count_range(start..end), inside);
        let mut kept = bitmap.clone();
        kept.keep_range(start..end);
        prop_assert_eq!(kept.count(), inside);
        bitmap.negate();
        prop_assert_eq!(bitmap.count(), u64::from(length) - plain.len() as u64);
    }
}
