//! The bytes of messages.

use super::*;
use crate::values::TemplateFault;
use message::{Ack, Message, Priority, Stamp};
use std::sync::Arc;

/// Values that are the same for every message.
struct Fixed(Vec<(&'static str, &'static [u8], ValueKind)>);

impl Values for Fixed {
    fn begin(&mut self, _: Stamp) {}

    fn pairs(&mut self, _: &Batch, _: usize, _: u64, add: &mut dyn FnMut(&str, &[u8], ValueKind)) {
        self.0.iter().for_each(|(name, value, kind)| add(name, value, *kind));
    }

    fn is_macro(&self, name: &str) -> bool {
        name == "SEQ"
    }

    fn named(&mut self, _: &Batch, _: usize, sequence: u64, name: &str) -> Named {
        match name {
            "SEQ" => Named::Macro(sequence.to_string().into_bytes(), ValueKind::Integer),
            _ => Named::Nothing,
        }
    }

    fn template(&mut self, _: &Batch, _: usize, _: u64, text: &str) -> Result<Vec<u8>, TemplateFault> {
        Ok(text.as_bytes().to_vec())
    }
}

#[track_caller]
fn check(values: &[(&'static str, &'static [u8], ValueKind)], learned: &[&str], want: &[u8]) {
    let mut batch = Batch::new(Arc::default(), Vec::new(), Stamp::default(), Ack::default());
    let event = Stamp::known(-1, 3600);
    let mut message = Message::default();
    (message.pri, message.event) = (Priority(13), event);
    batch.messages.push(message);
    let learned: Vec<String> = learned.iter().map(|name| (*name).to_owned()).collect();
    let mut out = b"before".to_vec();
    let item = Item { batch: &batch, index: 0, sequence: 7 };
    Writer::default().append(&item, &mut Fixed(values.to_vec()), &learned, &mut out);
    let head =
        [&7_u64.to_le_bytes()[..], &13_u16.to_le_bytes(), &(-1_i64).to_le_bytes(), &3600_i32.to_le_bytes()]
            .concat();
    let length = (head.len() + want.len()) as u32;
    assert_eq!(out, [b"before", &length.to_le_bytes()[..], &head, want].concat());
}

#[test]
fn names_types_lengths_and_values_follow_each_other() {
    use ValueKind::{Bytes, Integer, String, Tag, Unset};
    check(&[], &[], b"\0\0\0\0\0\0");
    check(
        &[("a", b"x", String), ("bc", b"12", Integer)],
        &[],
        b"\x04\0\0\0\x02\0a\0bc\0\x01\x01\0\0\0\x02\0\0\0x12",
    );
    check(&[("a", b"", String)], &["SEQ", "NO"], b"\x05\0\0\0\x02\0a\0SEQ\0\x01\0\0\0\0\x01\0\0\x007");
    check(
        &[("a\0b", b"x", String), ("t", b"x", Tag), ("u", b"x", Unset), ("y", b"x", Bytes)],
        &[],
        b"\0\0\0\0\0\0",
    );
}
