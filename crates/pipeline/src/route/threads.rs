//! Paths on threads of their own: those with a parser that waits for another process.
//!
//! In: batches of sources. Out: the same, run by the router: on this thread, or on that of a path. Batches of a source keep their order in each
//! path. Holds: the router; the threads are the server's.
//! Limits: nothing waits here. What waits for a thread holds its acknowledgement, so the windows of the sources bound it; at most one tick
//! waits.
//!
//! A path whose outcome no other path needs goes to its thread alone, so that what it waits for holds up no other path. When another
//! path of the same source needs it (one with `fallback`, or one behind a path that is `final`), all paths of the source run on the thread.

use super::{
    flow::{BranchContext, Flow, TimerEvent},
    lanes::PathThread,
    plan::Router,
};
use message::{Batch, Intake, WriteBudget};
use std::sync::Arc;

impl Router {
    /// Lets a path continue on its thread. A tick is left out while one waits there.
    pub(super) fn continue_on(
        self: &Arc<Self>,
        thread: &PathThread,
        index: usize,
        flow: Flow,
        context: BranchContext,
        timer: Option<TimerEvent>,
    ) {
        let router = self.clone();
        let job = move || router.continue_path(index, flow, context, timer);
        match timer {
            Some(TimerEvent::Tick) => thread.send_tick(Box::new(job)),
            _ => thread.send(Box::new(job)),
        }
    }

    /// Returns the thread on which all paths of a source run: one of them has it, and another needs its outcome.
    fn thread_of(&self, source: &str) -> Option<&PathThread> {
        if !self.threaded {
            return None;
        }
        let paths = || self.paths_of(source).iter().map(|index| &self.plan.paths[*index]);
        let thread = paths().find_map(|path| path.thread.as_ref())?;
        let is_final = |path: &super::Path| path.thread.is_some() && path.flags.last;
        let before_last = self.paths_of(source).len() - 1;
        let matters = paths().any(|path| path.flags.fallback) || paths().take(before_last).any(is_final);
        matters.then_some(thread)
    }
}

/// The entrance of a router for sources.
pub struct Entrance {
    router: Arc<Router>,
}

impl Entrance {
    /// Makes the entrance of a router.
    pub fn new(router: Arc<Router>) -> Entrance {
        Entrance { router }
    }
}

impl Intake for Entrance {
    fn take(&self, batch: Batch, budget: &WriteBudget) {
        let Some(origin) = batch.origins.first().cloned() else { return };
        let router = &self.router;
        let Some(thread) = router.thread_of(&origin.source) else {
            return router.run(batch, (&origin.source, budget), None, Some(router));
        };
        let router = router.clone();
        let job = move || router.run(batch, (&origin.source, &WriteBudget::none()), None, None);
        thread.send(Box::new(job));
    }
}
