//! Counts of distinct values: exact while there are few, approximate when there are many, however they are
//! merged.

use super::*;

fn of(values: std::ops::Range<u64>) -> Distinct {
    let mut distinct = Distinct::default();
    values.for_each(|value| distinct.add(&value.to_le_bytes()));
    distinct
}

#[track_caller]
fn check_near(distinct: &Distinct, want: u64) {
    let (got, most) = (distinct.count(), want / 50);
    assert!(got.abs_diff(want) <= most, "{got} for {want}");
    // Adding a value once more changes nothing.
    let mut again = distinct.clone();
    (0..100u64).for_each(|value| again.add(&value.to_le_bytes()));
    assert_eq!(again.count(), got);
}

#[test]
fn few_values_are_counted_exactly() {
    for count in [0, 1, 2, 999, EXACT_MAX as u64] {
        assert_eq!(of(0..count).count(), count);
    }
    assert!(matches!(of(0..EXACT_MAX as u64), Distinct::Exact(_)));
    assert!(matches!(of(0..EXACT_MAX as u64 + 1), Distinct::Estimate(_)));
}

#[test]
fn many_values_are_counted_within_two_percent() {
    for count in [10_001, 20_000, 100_000] {
        check_near(&of(0..count), count);
    }
}

#[test]
fn counts_are_joined() {
    for (one, other, want) in [
        (0..10, 5..20, 20),
        (0..40_000, 20_000..60_000, 60_000),
        (0..5_000, 4_000..40_000, 40_000),
        (0..40_000, 30_000..31_000, 40_000),
        (0..40_000, 39_000..41_000, 41_000),
        (0..9_000, 5_000..12_000, 12_000),
    ] {
        let mut distinct = of(one.clone());
        distinct.merge(of(other.clone()));
        match want <= EXACT_MAX as u64 {
            true => assert_eq!(distinct.count(), want),
            false => check_near(&distinct, want),
        }
    }
}
