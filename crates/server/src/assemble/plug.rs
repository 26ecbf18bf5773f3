//! The end of a log path that gets its queue later.
//!
//! In: deliveries. Out: the same, to the queue. Holds: the queue, once it is known: paths are made before destinations start.
//! Limits: what comes before is dropped with its token; sources start after all plugs are connected.

use message::{Delivery, Outlet};
use std::sync::{Arc, OnceLock};

/// The end of a path.
#[derive(Default)]
pub(crate) struct Plug {
    outlet: OnceLock<Arc<dyn Outlet>>,
}

impl Plug {
    /// Gives it its queue. The first one stays.
    pub(crate) fn connect(&self, outlet: Arc<dyn Outlet>) {
        // A second queue would mean two destinations with one id, which the relay refuses.
        let _ = self.outlet.set(outlet);
    }
}

impl Outlet for Plug {
    fn deliver(&self, delivery: Delivery) {
        if let Some(outlet) = self.outlet.get() {
            outlet.deliver(delivery);
        }
    }
}
