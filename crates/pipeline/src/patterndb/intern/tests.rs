//! Each text is in a batch only once, however often it is used, and is never mistaken for another one.

use super::*;
use message::{Ack, Stamp};
use std::sync::Arc;

#[test]
fn each_text_is_written_once() {
    let mut batch = Batch::new(Arc::default(), Vec::new(), Stamp::default(), Ack::none());
    let mut table = InternTable::new();
    let first = table.span(&mut batch, b"class");
    let size = batch.extra.len();
    assert_eq!(table.span(&mut batch, b"other").len(), 5);
    let text = "class".to_owned();
    let copy = table.span(&mut batch, text.as_bytes());
    assert_eq!(batch.bytes(copy), b"class");
    let size_before = batch.extra.len();
    assert_eq!(table.span(&mut batch, text.as_bytes()).len(), 5);
    assert_eq!((batch.extra.len(), size), (size_before, 5));
    assert_eq!(batch.bytes(first), b"class");
}

#[test]
fn parts_of_one_text_are_not_taken_for_each_other() {
    let mut batch = Batch::new(Arc::default(), Vec::new(), Stamp::default(), Ack::none());
    let mut table = InternTable::new();
    let text = b"prefixed";
    for length in [8, 6, 3, 8, 3] {
        let span = table.span(&mut batch, &text[..length]);
        assert_eq!(batch.bytes(span), &text[..length]);
    }
}

#[test]
fn more_texts_than_slots_are_right_as_well() {
    let mut batch = Batch::new(Arc::default(), Vec::new(), Stamp::default(), Ack::none());
    let mut table = InternTable::new();
    let texts: Vec<String> = (0..SLOTS * 4).map(|number| format!("text {number}")).collect();
    for text in texts.iter().chain(&texts) {
        let span = table.span(&mut batch, text.as_bytes());
        assert_eq!(batch.bytes(span), text.as_bytes());
    }
}
