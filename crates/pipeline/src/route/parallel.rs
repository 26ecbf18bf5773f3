//! `parallelize()`: the rest of a path runs on other threads, each with its share of the messages.
//!
//! In: messages on their way through a path. Out: the same on their way through the rest of it, elsewhere.
//! Messages with the same key stay in order; without a key a batch goes to one lane whole, the next one to the next.
//! Holds: the rest of the path as a router of its own. Limits: those of the lanes: a full one is waited for.

use super::{Path, Plan, PlanError, Router, Step, StepFlags, flow::Flow};
use message::{Ack, Batch, Selection, Stamp};
use std::{
    collections::hash_map::DefaultHasher,
    fmt,
    hash::{Hash, Hasher},
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
};
use template::{RenderOptions, Renderer, Site, Template};

/// Some work for a lane.
pub type Job = Box<dyn FnOnce() + Send>;

/// Threads that work side by side; each does its jobs in order.
pub trait Lanes: Send + Sync {
    /// Returns the number of lanes.
    fn count(&self) -> usize;
    /// Hands a job to one of them; waits while it has too many.
    fn send(&self, lane: usize, job: Job);
}

/// The rest of a path, and where it runs.
pub struct Parallel {
    lanes: Arc<dyn Lanes>,
    key: Option<Arc<Template>>,
    rest: Arc<Router>,
    next: AtomicUsize,
}

impl fmt::Debug for Parallel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Parallel").field("key", &self.key).field("rest", &self.rest).finish()
    }
}

/// The properties of a batch that go with it to a lane.
pub(super) struct Luggage {
    pub(super) source: String,
    pub(super) ack: Ack,
    pub(super) now: Stamp,
    pub(super) controlled: bool,
}

impl Parallel {
    /// Compiles the rest of a path for some lanes. `key` says which messages stay in order.
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

    pub(super) fn is_timed(&self) -> bool {
        self.rest.is_timed()
    }

    /// Tells the rest of the path that time went on.
    pub(super) fn tick(&self, now: Stamp) {
        self.rest.tick(now);
    }

    /// Tells it that no more messages come.
    pub(super) fn close(&self, now: Stamp) {
        self.rest.close(now);
    }

    /// Hands messages to the lanes.
    pub(super) fn send(&self, flow: &Flow, renderer: &mut Renderer, luggage: impl Fn() -> Luggage) {
        let shares = match &self.key {
            Some(key) => self.shares(key, &flow.batch, &flow.selection, renderer),
            None => {
                let lane = self.next.fetch_add(1, Ordering::Relaxed) % self.lanes.count().max(1);
                vec![(lane, flow.selection.clone())]
            }
        };
        for (lane, selection) in shares {
            let (rest, luggage) = (self.rest.clone(), luggage());
            let flow = Flow { batch: flow.batch.clone(), selection, made: flow.made };
            self.lanes.send(lane, Box::new(move || rest.carry_on(flow, luggage)));
        }
    }

    /// Returns the share of each lane that has one.
    fn shares(
        &self,
        key: &Template,
        batch: &Batch,
        selection: &Selection,
        renderer: &mut Renderer,
    ) -> Vec<(usize, Selection)> {
        let count = self.lanes.count().max(1);
        let mut shares: Vec<Selection> = (0..count).map(|_| selection.clone()).collect();
        for index in selection.iter() {
            let mut hasher = DefaultHasher::new();
            key.value(batch, index, renderer).hash(&mut hasher);
            let lane = (hasher.finish() % count as u64) as usize;
            let others = shares.iter_mut().enumerate().filter(|(other, _)| *other != lane);
            others.for_each(|(_, share)| share.remove(index));
        }
        shares.into_iter().enumerate().filter(|(_, share)| !share.is_empty()).collect()
    }
}
