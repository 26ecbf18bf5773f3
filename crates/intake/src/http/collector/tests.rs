//! Requests for acknowledgements, and the events that remove a number.

use super::*;

#[test]
fn numbers_are_asked_for_in_a_list() {
    for (body, want) in [
        ("{\"acks\":[0,1]}", Some(vec![0, 1])),
        ("{ \"acks\" : [ 7 , 12 , ] }", Some(vec![7, 12])),
        ("{\"acks\":[]}", Some(Vec::new())),
        ("{\"acks\":[x]}", None),
        ("{\"acks\":[-1]}", None),
        ("{\"acks\":[1", None),
        ("{\"acks\":1}", None),
        ("{}", None),
    ] {
        assert_eq!(asked(body.as_bytes()), want, "{body}");
    }
    assert_eq!(asked(b"\xff{\"acks\":[0]}"), None);
}

#[test]
fn a_number_stays_until_its_messages_are_safe() {
    let book = AckBook::default();
    let (number, strike) = open(&book, "c").unwrap();
    assert_eq!(open(&book, "c").unwrap().0, number + 1);
    strike.complete(Outcome::Failed);
    assert_eq!(book.are_safe("c", &[number]), [false]);
    strike.complete(Outcome::Done);
    assert_eq!(book.are_safe("c", &[number, number + 1]), [true, false]);
}
