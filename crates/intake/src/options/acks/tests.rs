//! Numbers of requests: opened, closed, queried, within limits.

use super::*;

#[test]
fn numbers_of_a_channel_rise_and_are_safe_when_they_are_closed() {
    let book = AckBook::default();
    assert_eq!([book.open("a"), book.open("a"), book.open("b")], [Some(0), Some(1), Some(0)]);
    assert_eq!(book.are_safe("a", &[0, 1, 2]), [false; 3]);
    book.close("a", 0);
    book.close("b", 7);
    book.close("unknown", 0);
    assert_eq!(book.are_safe("a", &[0, 1, 2]), [true, false, false]);
    assert_eq!(book.are_safe("b", &[0, 7]), [false; 2]);
    assert_eq!(book.are_safe("unknown", &[0]), [false]);
    assert_eq!(book.open("a"), Some(2), "a number is used once");
}

#[test]
fn a_channel_has_a_limit_of_open_numbers() {
    let book = AckBook::default();
    (0..OPEN_MAX as u64).for_each(|number| assert_eq!(book.open("a"), Some(number)));
    assert_eq!(book.open("a"), None);
    assert_eq!(book.open("b"), Some(0));
    book.close("a", 3);
    assert_eq!(book.open("a"), Some(OPEN_MAX as u64));
}

#[test]
fn the_number_of_channels_is_limited() {
    let book = AckBook::default();
    let name = |number: usize| format!("channel {number}");
    (0..CHANNELS_MAX).for_each(|number| assert_eq!(book.open(&name(number)), Some(0)));
    assert_eq!(book.open("new"), None, "all of them have something open");
    assert_eq!(book.open(&name(5)), Some(1), "one that is known is served");
    // A channel with nothing open makes space, and begins again.
    book.close(&name(7), 0);
    assert_eq!(book.open("new"), Some(0));
    assert_eq!(book.open(&name(7)), None);
    assert_eq!(book.lock().len(), CHANNELS_MAX);
}
