//! The end of a log path that gets its queue later.
//!
//! In: deliveries. Out: the same, to the queue, or to one of several queues in turn. Holds: the queue, once it is known:
//! paths are made before destinations start; how many messages each of several queues got.
//! Limits: a delivery before that is dropped with its token; sources start after all plugs are connected.

use message::{Delivery, Outlet, WriteBudget};
use pipeline::route::TapPoint;
use std::sync::{
    Arc, OnceLock,
    atomic::{AtomicU64, Ordering},
};

/// The end of a path.
pub(crate) struct Plug {
    outlet: OnceLock<Arc<dyn Outlet>>,
    tap: Arc<TapPoint>,
}

impl Plug {
    /// Makes one that shares deliveries among others: each goes to the one that got the fewest messages.
    pub(crate) fn sharing(plugs: Vec<Arc<Plug>>) -> Plug {
        let share = Plug::new(Arc::default());
        let given = plugs.iter().map(|_| AtomicU64::new(0)).collect();
        share.connect(Arc::new(Share { plugs, given }));
        share
    }

    /// Makes one without a queue. A tap on the destination sees the messages that pass here.
    pub(super) fn new(tap: Arc<TapPoint>) -> Plug {
        Plug { outlet: OnceLock::new(), tap }
    }

    /// Connects the queue. The first one stays.
    pub(crate) fn connect(&self, outlet: Arc<dyn Outlet>) {
        // A second queue would mean two destinations with one id, which is refused.
        let _ = self.outlet.set(outlet);
    }
}

impl Outlet for Plug {
    fn deliver(&self, delivery: Delivery, budget: &WriteBudget) {
        self.tap.pass(&delivery.batch, &delivery.selection);
        if let Some(outlet) = self.outlet.get() {
            outlet.deliver(delivery, budget);
        }
    }
}

struct Share {
    plugs: Vec<Arc<Plug>>,
    given: Vec<AtomicU64>,
}

impl Outlet for Share {
    fn deliver(&self, delivery: Delivery, budget: &WriteBudget) {
        let fewest =
            self.given.iter().zip(&self.plugs).min_by_key(|(given, _)| given.load(Ordering::Relaxed));
        if let Some((given, plug)) = fewest {
            given.fetch_add(delivery.selection.count() as u64, Ordering::Relaxed);
            plug.deliver(delivery, budget);
        }
    }
}
