//! The order of tags: marks, named ones as first mentioned, sources, others as they were set.

use super::*;
use message::{Ack, Message, Origin, Stamp};

#[test]
fn tags_are_sorted_by_class() {
    let origin = Origin { tags: vec![".source.s".into()], ..Origin::default() };
    let mut batch = Batch::new(Arc::default(), vec![Arc::new(origin)], Stamp::default(), Ack::none());
    batch.messages.push(Message::default());
    for tag in ["z", "a", "second", "first", "message.parse_error"] {
        batch.add_tag(0, tag);
    }
    let check = |mentions: &[&str], want: &str| {
        let mut out = b"kept:".to_vec();
        let order = TagOrder::new(mentions.iter().map(|name| (*name).to_owned()));
        order.append(&batch, 0, &mut out);
        let got = String::from_utf8(out).unwrap();
        // The list is appended to the output: no comma precedes its first element, only the text that is
        // there.
        assert_eq!(got.strip_prefix("kept:"), Some(want));
    };
    check(&["first", "second", "first"], "message.parse_error,first,second,.source.s,z,a");
    check(&["second", "first"], "message.parse_error,second,first,.source.s,z,a");
    check(&[], "message.parse_error,.source.s,z,a,second,first");
}
