//! `parallelize()`: the rest of a path runs on other threads, each with its part of the messages.
//!
//! In: messages within a path. Out: the same, passed to the rest of the path on other threads.
//! Messages with the same key stay in order; without a key a whole batch goes to one lane, the next batch to the next.
//! Holds: the rest of the path as a router of its own. Limits: those of the lanes: a full one is waited for.

use super::{
    flow::{BranchContext, Flow},
    lanes::Lanes,
    plan::{Parallel, Path, Plan, PlanError, Router, Step, StepFlags},
};
use message::{Batch, Selection, Stamp};
use std::{
    collections::hash_map::DefaultHasher,
    hash::{Hash, Hasher},
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
};
use template::{RenderOptions, Renderer, Site, Template};

impl Parallel {
    /// Compiles the rest of a path for some lanes. `key` decides which messages stay in order.
    pub fn new(
        steps: Vec<Step>,
        key: Option<Arc<Template>>,
        lanes: Arc<dyn Lanes>,
        options: RenderOptions,
        site: Arc<Site>,
    ) -> Result<Parallel, PlanError> {
        let flags = StepFlags { catchall: true, ..StepFlags::default() };
        let path = Path { steps, flags, ..Path::default() };
        let rest = Arc::new(Router::new(Plan { paths: vec![path], options, site, ..Plan::default() })?);
        Ok(Parallel { lanes, key, rest, next: AtomicUsize::new(0) })
    }

    pub(super) fn steps(&self) -> &[Step] {
        &self.rest.plan().paths[0].steps
    }

    /// Returns the rest of the path.
    pub(super) fn rest(&self) -> &Router {
        &self.rest
    }

    /// Lets the rest of the path know that time has passed.
    pub(super) fn tick(&self, now: Stamp) {
        self.rest.tick(now);
    }

    /// Lets it know that no more messages come.
    pub(super) fn close(&self, now: Stamp) {
        self.rest.close(now);
    }

    /// Hands messages to the lanes.
    pub(super) fn send(&self, flow: &Flow, renderer: &mut Renderer, context: impl Fn() -> BranchContext) {
        let parts = match &self.key {
            Some(key) => self.divided(key, &flow.batch, &flow.selection, renderer),
            None => {
                // Whole batches in turn: dividing one would cost a selection a lane, and gain nothing without a key.
                let lane = self.next.fetch_add(1, Ordering::Relaxed) % self.lanes.count().max(1);
                vec![(lane, flow.selection.clone())]
            }
        };
        for (lane, selection) in parts {
            let (rest, context) = (self.rest.clone(), context());
            let flow = Flow { batch: flow.batch.clone(), selection, made: flow.made };
            self.lanes.send(lane, Box::new(move || rest.resume(flow, context)));
        }
    }

    /// Returns the messages of each lane that gets some.
    fn divided(
        &self,
        key: &Template,
        batch: &Batch,
        selection: &Selection,
        renderer: &mut Renderer,
    ) -> Vec<(usize, Selection)> {
        let count = self.lanes.count().max(1);
        // Each lane starts with all messages and loses those of the others.
        let mut parts: Vec<Selection> = (0..count).map(|_| selection.clone()).collect();
        for index in selection.iter() {
            let mut hasher = DefaultHasher::new();
            key.value(batch, index, renderer).hash(&mut hasher);
            let lane = (hasher.finish() % count as u64) as usize;
            let others = parts.iter_mut().enumerate().filter(|(other, _)| *other != lane);
            others.for_each(|(_, part)| part.remove(index));
        }
        parts.into_iter().enumerate().filter(|(_, part)| !part.is_empty()).collect()
    }
}
