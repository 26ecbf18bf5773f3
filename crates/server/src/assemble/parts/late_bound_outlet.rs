//! The end of a log path whose queue is connected later.
//!
//! In: deliveries. Out: the same, to the queue, or to one of several queues in turn. Holds: the queue, once it is known:
//! paths are made before destinations start; the number of messages that each of several queues got.
//! Limits: a delivery before that is dropped with its token; sources start after all outlets are connected.

use message::{Delivery, Outlet, WriteBudget};
use pipeline::route::TapPoint;
use std::sync::{
    Arc, OnceLock,
    atomic::{AtomicU64, Ordering},
};

/// The outlets of the drivers of a destination, by id.
pub(crate) type Outlets = Vec<(String, Arc<LateBoundOutlet>)>;

/// The end of a path.
pub(crate) struct LateBoundOutlet {
    outlet: OnceLock<Arc<dyn Outlet>>,
    tap: Arc<TapPoint>,
}

impl LateBoundOutlet {
    /// Makes one that shares deliveries among others: each goes to the one that got the fewest messages.
    pub(crate) fn sharing(outlets: Vec<Arc<LateBoundOutlet>>) -> LateBoundOutlet {
        let share = LateBoundOutlet::new(Arc::default());
        let given = outlets.iter().map(|_| AtomicU64::new(0)).collect();
        share.connect(Arc::new(SharedAmong { outlets, given }));
        share
    }

    /// Makes one without a queue. A tap on the destination sees the messages that pass here.
    pub(crate) fn new(tap: Arc<TapPoint>) -> LateBoundOutlet {
        LateBoundOutlet { outlet: OnceLock::new(), tap }
    }

    /// Connects the queue. The first one stays.
    pub(crate) fn connect(&self, outlet: Arc<dyn Outlet>) {
        // A second queue would mean two destinations with one id, which is refused.
        let _ = self.outlet.set(outlet);
    }
}

impl Outlet for LateBoundOutlet {
    fn deliver(&self, delivery: Delivery, budget: &WriteBudget) {
        self.tap.pass(&delivery.batch, &delivery.selection);
        if let Some(outlet) = self.outlet.get() {
            outlet.deliver(delivery, budget);
        }
    }
}

struct SharedAmong {
    outlets: Vec<Arc<LateBoundOutlet>>,
    given: Vec<AtomicU64>,
}

impl Outlet for SharedAmong {
    fn deliver(&self, delivery: Delivery, budget: &WriteBudget) {
        let fewest =
            self.given.iter().zip(&self.outlets).min_by_key(|(given, _)| given.load(Ordering::Relaxed));
        if let Some((given, outlet)) = fewest {
            given.fetch_add(delivery.selection.count() as u64, Ordering::Relaxed);
            outlet.deliver(delivery, budget);
        }
    }
}
