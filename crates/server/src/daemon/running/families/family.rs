//! The outlet of a family of logspaces.
//!
//! In: deliveries, from any thread. Out: the same, to the thread that sorts them. Holds: the queue between, the thread.
//! Limits: those of the queue; a full one drops and counts what comes on paths without flow control.

use super::{
    inbox::{Inbox, Refused},
    members::{Counters, Members},
    sorter::Sorter,
};
use crate::assemble::FamilySpec;
use message::{Ack, Delivery, Outlet, WriteBudget};
use std::{
    collections::HashSet,
    io,
    sync::{Arc, atomic::Ordering::Relaxed},
    thread::{self, JoinHandle},
};
use transport::InternalLog;

/// The rest of the server, as far as a family concerns it.
pub(crate) struct Surroundings {
    /// The names of all other logspaces.
    pub(crate) taken: HashSet<String>,
    /// The server's own log.
    pub(crate) log: InternalLog,
}

/// A family of logspaces, for one configuration. Dropping it delivers what waits.
pub(crate) struct Family {
    /// The open logspaces.
    pub(crate) members: Arc<Members>,
    /// The id of its destination.
    pub(crate) id: String,
    /// The name under which all are searched at once.
    pub(crate) combined: String,
    inbox: Arc<Inbox>,
    thread: Option<JoinHandle<()>>,
}

impl Family {
    /// Starts the thread that sorts messages.
    pub(crate) fn start(
        spec: FamilySpec,
        members: Arc<Members>,
        surroundings: Surroundings,
    ) -> io::Result<Family> {
        let inbox = Arc::new(Inbox::default());
        let (id, combined) = (spec.base.id.clone(), spec.combined);
        let sorter = Sorter {
            inbox: inbox.clone(),
            members: members.clone(),
            names: spec.names,
            taken: surroundings.taken,
            overflow: spec.overflow,
            logspaces_max: spec.logspaces_max,
            idle_after: spec.idle_after,
            log: surroundings.log,
            memory: Default::default(),
        };
        let guard = ClosedAtEnd(inbox.clone());
        let work = move || {
            let _guard = guard;
            sorter.run();
        };
        let thread = thread::Builder::new().name("logspace-sort".to_owned()).spawn(work)?;
        Ok(Family { members, id, combined, inbox, thread: Some(thread) })
    }
}

/// Closes the inbox when the thread ends, also by a defect: then sources learn that nothing is stored.
struct ClosedAtEnd(Arc<Inbox>);

impl Drop for ClosedAtEnd {
    fn drop(&mut self) {
        self.0.close();
    }
}

impl Outlet for Family {
    fn deliver(&self, mut delivery: Delivery, _budget: &WriteBudget) {
        let count = delivery.selection.count() as u64;
        if count == 0 {
            return;
        }
        if !delivery.controlled {
            // The queue is bounded here and must not hold the source back.
            delivery.ack = Ack::none();
        }
        let counters: &Counters = &self.members.counters;
        counters.queued.fetch_add(count, Relaxed);
        if let Err(refused) = self.inbox.put(delivery) {
            counters.queued.fetch_sub(count, Relaxed);
            match refused {
                Refused::Full => counters.dropped_full.fetch_add(count, Relaxed),
                Refused::Closed(delivery) => {
                    delivery.ack.fail();
                    counters.dropped_closed.fetch_add(count, Relaxed)
                }
            };
        }
    }
}

impl Drop for Family {
    fn drop(&mut self) {
        self.inbox.close();
        if let Some(thread) = self.thread.take() {
            // A thread that panicked has reported it.
            let _ = thread.join();
        }
    }
}
