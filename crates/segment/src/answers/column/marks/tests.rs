//! Bits of value ids, compared with checking each id.

use super::{ValueIdRange, gathered};

/// Compares the bits of 64 value ids, counted up and down from a middle, with checking each one.
#[track_caller]
fn check(asked: &[u32], middle: u32) {
    let range = ValueIdRange::of(asked).unwrap();
    for step in [1, 3, 1 << 25] {
        let places: [u32; 64] = std::array::from_fn(|at| {
            middle.wrapping_add((at as u32 * step) % 64).wrapping_sub(7) & i32::MAX as u32
        });
        let want = gathered(&places.map(|place| u8::from(asked.contains(&place))));
        assert_eq!(range.marks(&places), want, "{asked:?} among {places:?}");
        let less_one = places.map(|place| place.wrapping_sub(1) & i32::MAX as u32);
        let want = gathered(&less_one.map(|place| u8::from(asked.contains(&(place + 1)))));
        assert_eq!(range.less_one().marks(&less_one), want, "{asked:?} among {less_one:?}");
        places.iter().for_each(|place| assert_eq!(range.have(*place), asked.contains(place)));
    }
}

#[test]
fn marks_neighbours() {
    check(&[1], 7);
    check(&[1, 2, 3], 7);
    check(&[9, 8, 10], 7);
    check(&[40], 20);
    check(&[70], 20);
    check(&[i32::MAX as u32], i32::MAX as u32 - 20);
    check(&[i32::MAX as u32 - 1, i32::MAX as u32], i32::MAX as u32 - 20);
}

#[test]
fn knows_who_are_no_neighbours() {
    assert!(ValueIdRange::of(&[]).is_none());
    assert!(ValueIdRange::of(&[1, 3]).is_none());
    assert!(ValueIdRange::of(&[5, 7, 8]).is_none());
}
