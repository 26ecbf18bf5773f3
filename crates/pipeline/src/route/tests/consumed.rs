//! Messages that a parser holds back on purpose.

use super::{super::*, Builder, channel, check, path};
use crate::Parser;
use message::{Batch, Selection};
use std::sync::Arc;
use template::Renderer;

/// Keeps every message, to make others of them.
struct Eater;

impl Parser for Eater {
    fn parse(&self, _: &mut Batch, within: &Selection, _: &mut Renderer) -> Selection {
        Selection::none(within.batch_len())
    }

    fn consumes(&self) -> bool {
        true
    }
}

#[test]
fn l9_consumed_messages_count_as_matched() {
    let eater = || Step::Parser(Arc::new(Eater));
    let counted = || Step::Parser(Arc::new(CountedParser::new(Arc::new(Eater), Arc::default())));
    // Neither `else` nor `fallback` gets them, and a path with `final` has accepted them.
    let in_if = |b: &Builder| {
        let first = channel(vec![b.has("a"), eater(), b.to("then")], "");
        let step = Step::conditional(vec![first], Some(channel(vec![b.to("else")], "")));
        vec![path(vec![step, b.to("behind")], "")]
    };
    check(in_if, &["a", "b"], "else:b behind:b");
    let final_path = |b: &Builder| {
        vec![
            path(vec![b.has("a"), counted(), b.to("never")], "final"),
            path(vec![b.to("next")], ""),
            path(vec![b.to("rest")], "fallback"),
        ]
    };
    check(final_path, &["a", "b"], "next:b");
}
