//! Percentiles are within one percent of the value at their rank.

use super::*;

/// Checks percentiles of numbers with repetitions, added to one sketch or to two that are merged.
#[track_caller]
fn check(numbers: &[(f64, u64)], rank: u8, want: Option<f64>) {
    let (mut whole, mut one, mut other) = (Sketch::default(), Sketch::default(), Sketch::default());
    for (index, (number, times)) in numbers.iter().enumerate() {
        whole.add(*number, *times);
        if index % 2 == 0 { one.add(*number, *times) } else { other.add(*number, *times) }
    }
    one.merge(&other);
    for sketch in [whole, one] {
        let got = sketch.percentile(rank);
        match (got, want) {
            (Some(got), Some(want)) => {
                assert!((got - want).abs() <= want.abs() * 0.01, "{got} for {want}, rank {rank}");
            }
            _ => assert_eq!(got, want),
        }
    }
}

#[test]
fn ranks_are_those_of_the_sorted_numbers() {
    check(&[], 50, None);
    let hundred: Vec<(f64, u64)> = (1..=100).map(|number| (f64::from(number), 1)).collect();
    for rank in [1, 2, 10, 50, 51, 90, 99] {
        check(&hundred, rank, Some(f64::from(rank)));
    }
    let mixed = [(-1_000.0, 2), (-1.0, 1), (0.0, 3), (1e-12, 1), (0.5, 1), (1e6, 2)];
    for (rank, want) in [
        (1, -1_000.0),
        (20, -1_000.0),
        (21, -1.0),
        (30, -1.0),
        (31, 0.0),
        (70, 0.0),
        (71, 0.5),
        (80, 0.5),
        (81, 1e6),
        (99, 1e6),
    ] {
        check(&mixed, rank, Some(want));
    }
    check(&[(3.0, 1)], 50, Some(3.0));
    check(&[(1.0, 99), (1e9, 1)], 99, Some(1.0));
    check(&[(1.0, 98), (1e9, 2)], 99, Some(1e9));
    check(&[(-5.0, 1), (-4.0, 1), (-3.0, 1)], 50, Some(-4.0));
}
