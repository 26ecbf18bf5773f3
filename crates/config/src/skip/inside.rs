//! Determines which of two positions is inside the other, across expansions of blocks.
//!
//! In: spans. Out: answers, and the position in the file. Holds: nothing.

use crate::text::{Location, Origin, Span, Texts};

/// Returns the position of an error in a file: for an error inside a block, the position of the block's use.
pub(super) fn top_place(texts: &Texts, span: Span) -> Location {
    let mut span = span;
    while let Origin::Expansion { at, .. } = texts.origin(span.text) {
        span = *at;
    }
    texts.location(span)
}

/// Returns true when a span lies inside another, or was expanded from a position inside it.
pub(super) fn holds(texts: &Texts, outer: Span, inner: Span) -> bool {
    let mut inner = inner;
    if inner == Span::default() {
        return false;
    }
    loop {
        if inner.text == outer.text && outer.start <= inner.start && inner.end <= outer.end {
            return true;
        }
        match texts.origin(inner.text) {
            Origin::Expansion { at, .. } => inner = *at,
            Origin::Root | Origin::Include(_) => return false,
        }
    }
}
