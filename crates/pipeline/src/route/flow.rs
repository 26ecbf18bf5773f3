//! Messages within a path, and how they are joined again after a junction.
//!
//! In: copies of one batch, each with some of its messages. Out: as few copies as can hold them.
//! Holds: a batch and a selection. Limits: a message that left a junction several times needs a copy each
//! time; the copies continue one after the other.

use message::{Ack, Batch, Selection, Stamp};
use std::sync::Arc;

/// Some messages of a batch, in the state in which the steps so far left them.
#[derive(Clone, Debug)]
pub(super) struct Flow {
    pub(super) batch: Arc<Batch>,
    pub(super) selection: Selection,
    /// True when a parser made the batch: then it is no copy of the one that entered the path.
    pub(super) made: bool,
}

/// Permission of destinations to drop messages for which they have no space.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum FlowControl {
    /// They may not: the source waits.
    On,
    /// They may.
    Off,
}

impl FlowControl {
    pub(super) fn is_on(self) -> bool {
        self == FlowControl::On
    }
}

impl From<bool> for FlowControl {
    fn from(is_on: bool) -> FlowControl {
        if is_on { FlowControl::On } else { FlowControl::Off }
    }
}

/// Events that parsers get besides messages.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum TimerEvent {
    /// Time has passed.
    Tick,
    /// No more messages will arrive.
    Close,
}

/// The properties of a batch that go with it to another thread.
pub(super) struct BranchContext {
    pub(super) source: String,
    pub(super) ack: Ack,
    pub(super) now: Stamp,
    pub(super) control: FlowControl,
}

/// Joins the results of the channels of a junction. Messages keep their order within a copy.
pub(super) fn join(outs: Vec<Flow>) -> Vec<Flow> {
    let mut joined: Vec<Flow> = Vec::with_capacity(1);
    for out in outs.into_iter().filter(|out| !out.selection.is_empty()) {
        let fits =
            |flow: &&mut Flow| !flow.made && !out.made && are_disjoint(&flow.selection, &out.selection);
        match joined.iter_mut().find(fits) {
            Some(flow) => merge(flow, out),
            None => joined.push(out),
        }
    }
    joined
}

fn are_disjoint(left: &Selection, right: &Selection) -> bool {
    left.words().iter().zip(right.words()).all(|(left, right)| left & right == 0)
}

fn merge(flow: &mut Flow, mut other: Flow) {
    if !Arc::ptr_eq(&flow.batch, &other.batch) {
        // The copy with fewer messages moves into the other one.
        if flow.selection.count() < other.selection.count() {
            std::mem::swap(flow, &mut other);
        }
        let batch = Arc::make_mut(&mut flow.batch);
        for index in other.selection.iter() {
            batch.adopt(index, &other.batch);
        }
    }
    flow.selection.or(&other.selection);
}
