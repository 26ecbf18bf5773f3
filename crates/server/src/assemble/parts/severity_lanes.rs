//! Divides the messages for a destination among its lanes, by severity: `lanes()`.
//!
//! In: deliveries. Out: for each lane that has messages in a delivery, a delivery with these; the most severe lane first.
//! Holds: the outlets of the lanes. Limits: a batch is acknowledged when all lanes have acknowledged their messages of it.

use message::{Delivery, Outlet, Selection, Severity, WriteBudget};
use std::sync::Arc;
use transport::stats::SEVERITIES;

/// The lanes of a destination.
pub(crate) struct SeverityLanes {
    /// The most severe lane first; the last one has the messages that no other has.
    outlets: Vec<Arc<dyn Outlet>>,
    /// For each severity, the index of its lane.
    lane_of: [usize; SEVERITIES],
}

impl SeverityLanes {
    /// Makes lanes, each with its least severe messages, ordered from the most severe lane on; `rest` gets all others.
    pub(crate) fn new(lanes: Vec<(Severity, Arc<dyn Outlet>)>, rest: Arc<dyn Outlet>) -> SeverityLanes {
        debug_assert!(lanes.is_sorted_by(|a, b| a.0 < b.0), "lanes are in order");
        let lane_of = std::array::from_fn(|severity| {
            lanes.iter().position(|(least, _)| severity <= usize::from(least.0)).unwrap_or(lanes.len())
        });
        let outlets = lanes.into_iter().map(|(_, outlet)| outlet).chain([rest]).collect();
        SeverityLanes { outlets, lane_of }
    }
}

impl Outlet for SeverityLanes {
    fn deliver(&self, delivery: Delivery, budget: &WriteBudget) {
        // The ids of a part would have gaps. Only the queue itself gets deliveries with ids.
        debug_assert!(delivery.first.is_none(), "messages have no ids before their queue");
        let severity = |index: usize| delivery.batch.messages[index].pri.severity();
        let lane = |index: usize| self.lane_of[usize::from(severity(index).0)];
        let Some(first) = delivery.selection.iter().next().map(lane) else { return };
        if delivery.selection.iter().all(|index| lane(index) == first) {
            return self.outlets[first].deliver(delivery, budget);
        }
        let mut parts = vec![Selection::none(delivery.batch.len()); self.outlets.len()];
        delivery.selection.iter().for_each(|index| parts[lane(index)].add(index));
        for (outlet, selection) in self.outlets.iter().zip(parts) {
            if !selection.is_empty() {
                outlet.deliver(Delivery { selection, ..delivery.clone() }, budget);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    //! Rows: the severities of a batch, and what each lane gets of it.

    use super::*;
    use message::{Ack, AckSink, Batch, Facility, Message, Origin, Outcome, Priority, Stamp};
    use std::sync::{
        Mutex,
        atomic::{AtomicUsize, Ordering},
    };

    /// Keeps what it gets.
    #[derive(Default)]
    struct Kept(Mutex<Vec<Delivery>>);

    impl Outlet for Kept {
        fn deliver(&self, delivery: Delivery, _: &WriteBudget) {
            self.0.lock().unwrap().push(delivery);
        }
    }

    /// Counts acknowledgements.
    struct Acknowledged(Arc<AtomicUsize>);

    impl AckSink for Acknowledged {
        fn acknowledge(&self, _: Outcome) {
            self.0.fetch_add(1, Ordering::Relaxed);
        }
    }

    fn delivery(severities: &str, ack: Ack) -> Delivery {
        let mut batch =
            Batch::new(Arc::default(), vec![Arc::new(Origin::default())], Stamp::default(), Ack::none());
        batch.messages = vec![Message::default(); severities.len()];
        for (message, digit) in batch.messages.iter_mut().zip(severities.bytes()) {
            message.pri = Priority::new(Facility::USER, Severity(digit - b'0'));
        }
        let selection = Selection::all(severities.len());
        Delivery { batch: Arc::new(batch), selection, ack, controlled: true, first: None }
    }

    /// Shows the positions that each lane got, by lane.
    fn check(lanes: &[u8], severities: &str, want: &str) {
        let kept: Vec<Arc<Kept>> = (0..=lanes.len()).map(|_| Arc::default()).collect();
        let outlets = lanes.iter().zip(&kept).map(|(least, kept)| (Severity(*least), kept.clone() as _));
        let divided = SeverityLanes::new(outlets.collect(), kept[lanes.len()].clone());
        let acknowledged = Arc::new(AtomicUsize::new(0));
        divided.deliver(
            delivery(severities, Ack::new(Box::new(Acknowledged(acknowledged.clone())))),
            &WriteBudget::none(),
        );
        let mut got = Vec::new();
        for kept in &kept {
            for delivery in kept.0.lock().unwrap().drain(..) {
                assert!(delivery.controlled && delivery.first.is_none());
                // The token is released by the last lane only.
                assert_eq!(acknowledged.load(Ordering::Relaxed), 0);
                let places: Vec<String> = delivery.selection.iter().map(|index| index.to_string()).collect();
                got.push(places.join(","));
            }
            got.push("|".to_owned());
        }
        assert_eq!(got.concat(), want, "{lanes:?} {severities}");
        assert_eq!(acknowledged.load(Ordering::Relaxed), 1);
    }

    #[test]
    fn each_lane_gets_its_severities_in_order() {
        check(&[3], "01234567", "0,1,2,3|4,5,6,7|");
        check(&[2, 3], "73626333", "3|1,5,6,7|0,2,4|");
        check(&[0, 2, 4], "7531640", "6|3|2,5|0,1,4|");
    }

    #[test]
    fn what_is_of_one_lane_is_not_divided() {
        check(&[3], "0123", "0,1,2,3||");
        check(&[3], "777", "|0,1,2|");
        check(&[6], "7", "|0|");
        check(&[3], "", "||");
    }
}
