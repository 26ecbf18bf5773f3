//! A server that fails, and comes back.

use super::*;

/// Plays events: `f` a failure, `s` a success, `?` a question, a digit so many seconds. Returns the answers.
fn play(events: &str) -> String {
    let (mut breaker, mut now, mut out) = (Breaker::default(), Instant::now(), String::new());
    for event in events.chars() {
        match event {
            'f' => {
                if let Some(pause) = breaker.fail(now, Duration::from_secs(5)) {
                    out.push_str(&format!("[{}]", pause.as_secs()));
                }
            }
            's' => out.push(if breaker.succeed() { '!' } else { '.' }),
            '?' => out.push(match breaker.permission(now) {
                Permission::Ask => 'a',
                Permission::Probe => 'p',
                Permission::Wait => 'w',
            }),
            digit => now += Duration::from_secs(u64::from(digit.to_digit(10).unwrap())),
        }
    }
    out
}

#[test]
fn three_failures_in_a_row_are_enough() {
    assert_eq!(play("?ff?f?"), "aa[1]w");
    assert_eq!(play("ffsff?f?"), ".a[1]w");
    // Those that were on their way count no more.
    assert_eq!(play("ffffff1?"), "[1]p");
}

#[test]
fn one_key_is_asked_after_a_pause_and_pauses_grow() {
    assert_eq!(play("fff1??s?"), "[1]pw!a");
    assert_eq!(play("fff1?f1?1?f3?1?f4?1?f5?"), "[1]pwpwpwpp");
}
