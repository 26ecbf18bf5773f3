//! A tap shows messages to its viewers while it has any.

use super::*;
use message::{Ack, Message, Origin, Stamp};

/// Counts what it sees.
#[derive(Default)]
struct Counter(AtomicUsize);

impl Viewer for Counter {
    fn look(&self, _: &Batch, selection: &Selection) {
        self.0.fetch_add(selection.count(), Ordering::Relaxed);
    }
}

#[test]
fn viewers_come_and_go() {
    let mut batch =
        Batch::new(Arc::default(), vec![Arc::new(Origin::default())], Stamp::default(), Ack::none());
    batch.messages.extend([Message::default(), Message::default()]);
    let (tap, one, other) = (TapPoint::default(), Arc::new(Counter::default()), Arc::new(Counter::default()));
    let viewers: [Arc<dyn Viewer>; 2] = [one.clone(), other.clone()];
    let pass = |is_open: bool, want: (usize, usize)| {
        assert_eq!(tap.is_open(), is_open);
        tap.pass(&batch, &Selection::all(2));
        tap.pass(&batch, &Selection::none(2));
        assert_eq!((one.0.load(Ordering::Relaxed), other.0.load(Ordering::Relaxed)), want);
    };
    pass(false, (0, 0));
    tap.open(viewers[0].clone());
    pass(true, (2, 0));
    tap.open(viewers[1].clone());
    pass(true, (4, 2));
    tap.close(&viewers[0]);
    pass(true, (4, 4));
    tap.close(&viewers[0]);
    pass(true, (4, 6));
    tap.close(&viewers[1]);
    pass(false, (4, 6));
}
