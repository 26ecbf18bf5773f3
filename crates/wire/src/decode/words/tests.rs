//! Short texts, compared with plain implementations.

use super::*;
use proptest::prelude::*;

proptest! {
    #[test]
    fn a_word_ends_where_a_loop_ends_it(bytes in proptest::collection::vec(prop_oneof![
        4 => any::<u8>(),
        1 => Just(b' '),
        1 => Just(b'!'),
        1 => Just(b';'),
        1 => Just(b'['),
    ], 0..40)) {
        let stops = [b' ', b'[', b':'];
        prop_assert_eq!(first_of(stops, &bytes), bytes.iter().position(|byte| stops.contains(byte)));
    }

    #[test]
    fn texts_are_the_same_byte_by_byte(
        one in proptest::collection::vec(any::<u8>(), 0..30),
        at in any::<prop::sample::Index>(),
        cut in 0_usize..3,
    ) {
        let mut other = one.clone();
        prop_assert!(is_same(&one, &other));
        if !one.is_empty() {
            other[at.index(one.len())] ^= 1;
            prop_assert!(!is_same(&one, &other));
        }
        other = one.clone();
        other.truncate(one.len().saturating_sub(cut));
        prop_assert_eq!(is_same(&one, &other), one == other);
    }
}
