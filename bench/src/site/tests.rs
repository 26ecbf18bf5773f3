//! The fictitious site is the same for the same seed, and has the statistics it promises.

use super::*;
use std::collections::HashSet;

fn lines(seed: u64, count: usize) -> String {
    let mut site = Site::new(seed).expect("the tables can be read");
    let mut out = Vec::new();
    (0..count).for_each(|_| site.write_line(&mut out));
    String::from_utf8(out).expect("all lines are ASCII")
}

#[test]
fn a_seed_gives_the_same_lines_again() {
    assert_eq!(lines(7, 600), lines(7, 600));
    assert_ne!(lines(7, 600), lines(8, 600));
    assert!(lines(7, 600).starts_with(&lines(7, 300)), "a longer corpus starts with the shorter one");
}

#[test]
fn lines_are_bsd_syslog_without_left_over_braces() {
    let text = lines(1, 5_000);
    for line in text.lines() {
        assert!(line.starts_with('<') && line.contains(">Nov  1 00:00:") && line.contains(": "), "{line}");
        for left in ["{hex", "{pid", "{outside", "{1", "{0", "{unit"] {
            assert!(!line.contains(left), "{line}");
        }
    }
}

#[test]
fn the_statistics_are_those_of_a_large_mixed_site() {
    let text = lines(42, 10_000);
    let average = text.len() / text.lines().count();
    assert!((185..200).contains(&average), "{average} bytes a line");
    let hosts: HashSet<_> = text.lines().filter_map(|line| line.split(' ').nth(4)).collect();
    assert!(hosts.len() > 800, "{} hosts", hosts.len());
    let words = |line: &str| {
        line.split(|sign: char| !sign.is_ascii_alphanumeric())
            .filter(|word| !word.is_empty())
            .map(str::to_owned)
            .collect::<HashSet<_>>()
    };
    let distinct = text.lines().map(|line| words(line).len()).sum::<usize>() as f64 / 10_000.0;
    assert!((28.0..40.0).contains(&distinct), "{distinct} distinct words a line");
}
