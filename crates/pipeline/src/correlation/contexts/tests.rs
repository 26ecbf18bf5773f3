//! Rows for what contexts leave behind when they end.

use super::*;
use crate::correlation::Scope;
use message::{Ack, Batch, Message, Stamp};
use std::sync::Arc;

fn key(name: &str) -> Key {
    let mut batch = Batch::new(Arc::default(), Vec::new(), Stamp::default(), Ack::none());
    batch.messages.push(Message::default());
    Key::of(Scope::Global, &batch, 0, name.as_bytes())
}

#[test]
fn contexts_that_are_closed_leave_neither_bytes_nor_timers() {
    let contexts: Contexts<u32> = Contexts::new(Limits::default());
    let open = |name: &str, timeout_s| {
        contexts.change(key(name), 0, || 1, |_, _| ContextState::Open { timeout_s, added: 100 });
    };
    open("kept", 50);
    for _ in 0..10_000 {
        open("short", 5);
        contexts.change(key("short"), 0, || 1, |_, _| ContextState::Closed);
        // A context that is closed before it was ever kept takes no memory either.
        contexts.change(key("short"), 0, || 1, |_, _| ContextState::Closed);
    }
    let timers: usize = contexts.shards.iter().map(|shard| shard.locked().timers.len()).sum();
    assert!(timers <= 2 * 70, "{timers}");
    let bytes: usize = contexts.shards.iter().map(|shard| shard.locked().bytes).sum();
    assert_eq!((contexts.len(), bytes), (1, 104));
    // The timer of the open context is among those that were kept.
    assert_eq!(contexts.expire(50).len(), 0);
    assert_eq!(contexts.expire(51).len(), 1);
    let left: usize = contexts.shards.iter().map(|shard| shard.locked().bytes).sum();
    assert_eq!((contexts.len(), left, contexts.early()), (0, 0, 0));
}

#[test]
fn bytes_follow_what_a_context_gains_and_loses() {
    let contexts: Contexts<()> = Contexts::new(Limits::default());
    let bytes = || contexts.shards.iter().map(|shard| shard.locked().bytes).sum::<usize>();
    for (added, want) in [(1000, 1003), (500, 1503), (-1200, 303), (0, 303)] {
        contexts.change(key("abc"), 0, || (), |_, ()| ContextState::Open { timeout_s: 1, added });
        assert_eq!(bytes(), want);
    }
}
