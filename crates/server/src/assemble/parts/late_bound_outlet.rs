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
        let given = outlets.iter().map(|_| AtomicU64::new(0)).collect();
        LateBoundOutlet::connected(Arc::new(SharedAmong { outlets, given }))
    }

    /// Makes one that leads to other outlets, which have the taps.
    pub(crate) fn connected(outlet: Arc<dyn Outlet>) -> LateBoundOutlet {
        LateBoundOutlet { outlet: OnceLock::from(outlet), tap: Arc::default() }
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

#[cfg(test)]
mod tests {
    //! Queues that share what comes.

    use super::*;
    use message::{Ack, Batch, Message, Origin, Selection, Stamp};
    use std::sync::Mutex;

    /// Counts what it gets, under a letter.
    struct Counted(char, Arc<Mutex<String>>);

    impl Outlet for Counted {
        fn deliver(&self, delivery: Delivery, _: &WriteBudget) {
            let mut got = self.1.lock().unwrap();
            got.push_str(&format!("{}{} ", self.0, delivery.selection.count()));
        }
    }

    fn delivery(count: usize) -> Delivery {
        let mut batch =
            Batch::new(Arc::default(), vec![Arc::new(Origin::default())], Stamp::default(), Ack::none());
        batch.messages = vec![Message::default(); count];
        let selection = Selection::all(count);
        Delivery { batch: Arc::new(batch), selection, ack: Ack::none(), controlled: true, first: None }
    }

    #[test]
    fn each_delivery_goes_to_who_got_the_fewest_messages() {
        let got = Arc::new(Mutex::new(String::new()));
        let outlets = ['a', 'b', 'c'].map(|name| {
            let outlet = Arc::new(LateBoundOutlet::new(Arc::default()));
            outlet.connect(Arc::new(Counted(name, Arc::clone(&got))));
            // The first queue stays.
            outlet.connect(Arc::new(Counted('x', Arc::clone(&got))));
            outlet
        });
        let shared = LateBoundOutlet::sharing(outlets.to_vec());
        for count in [5, 1, 2, 1, 1, 4, 1] {
            shared.deliver(delivery(count), &WriteBudget::none());
        }
        assert_eq!(*got.lock().unwrap(), "a5 b1 c2 b1 b1 c4 b1 ");
        LateBoundOutlet::new(Arc::default()).deliver(delivery(1), &WriteBudget::none());
        LateBoundOutlet::sharing(Vec::new()).deliver(delivery(1), &WriteBudget::none());
    }
}
