//! Halves of selections that are too large for one record.

use super::*;

#[test]
fn every_message_is_in_one_half() {
    for (numbers, want_front, want_back) in [
        (vec![0, 1], vec![0], vec![1]),
        (vec![3, 5, 8], vec![3], vec![5, 8]),
        (vec![0, 2, 4, 6, 9], vec![0, 2], vec![4, 6, 9]),
    ] {
        let mut selection = Selection::none(10);
        numbers.iter().for_each(|index| selection.add(*index));
        let (front, back) = halves(&selection);
        assert_eq!(
            (front.iter().collect::<Vec<_>>(), back.iter().collect::<Vec<_>>()),
            (want_front, want_back)
        );
    }
}
