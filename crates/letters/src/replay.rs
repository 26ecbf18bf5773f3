//! Replays dead letters.
//!
//! In: a store, the entrance of a destination. Out: the messages, under the ids that they had; letters leave the store
//! when the destination has settled their messages. Holds: letters in flight.
//! Limits: [`ON_THE_WAY_MAX`] letters in flight. A message that is refused again comes back as a new letter, which is
//! not part of this replay.

use crate::{DeadLetters, Letter, LetterSelection, StoreError, Unread};
use message::{Ack, AckSink, Delivery, Outcome, Outlet, Selection, WriteBudget};
use std::{
    collections::BTreeSet,
    sync::{Arc, Condvar, Mutex, PoisonError},
    time::Duration,
};

/// Most letters that are on their way at a time.
const ON_THE_WAY_MAX: usize = 1_000;
/// Longest wait before it looks whether it is to stop.
const STALL: Duration = Duration::from_millis(200);

/// Letters in flight.
#[derive(Default)]
struct OnTheWay {
    state: Mutex<Progress>,
    changed: Condvar,
}

#[derive(Default)]
struct Progress {
    waiting: usize,
    done: BTreeSet<u64>,
}

struct Sink {
    on_the_way: Arc<OnTheWay>,
    number: u64,
}

impl AckSink for Sink {
    fn acknowledge(&self, outcome: Outcome) {
        let mut state = self.on_the_way.state.lock().unwrap_or_else(PoisonError::into_inner);
        state.waiting -= 1;
        if outcome == Outcome::Done {
            state.done.insert(self.number);
        }
        drop(state);
        self.on_the_way.changed.notify_one();
    }
}

/// Delivers the chosen letters that are in the store now, and waits until they are settled or `is_stopped` returns
/// true. Returns how many left the store, and how many stay because they cannot be read.
pub fn replay(
    letters: &DeadLetters,
    outlet: &dyn Outlet,
    selection: &LetterSelection,
    is_stopped: &dyn Fn() -> bool,
) -> Result<(usize, Unread), StoreError> {
    let mut chosen = BTreeSet::new();
    let unread = letters.read(selection, &mut |number, _| chosen.insert(number))?;
    let (mut replayed, mut done, mut next) = (0, BTreeSet::new(), 0);
    loop {
        let mut part = Vec::new();
        letters.read_from(next, selection, &mut |number, letter| {
            if chosen.contains(&number) {
                part.push((number, letter));
            }
            part.len() < ON_THE_WAY_MAX
        })?;
        next = part.last().map_or(next, |(number, _)| number + 1);
        let is_over = part.is_empty() || is_stopped();
        letters.expect(&part);
        let settled = if is_over { BTreeSet::new() } else { deliver(part, outlet, is_stopped) };
        replayed += settled.len();
        done.extend(settled);
        if is_over {
            letters.remove(&done)?;
            return Ok((replayed, unread));
        }
        // Removing letters after one that stays renumbers the others: this is done at the end.
        letters.remove_first(&mut done)?;
    }
}

fn deliver(part: Vec<(u64, Letter)>, outlet: &dyn Outlet, is_stopped: &dyn Fn() -> bool) -> BTreeSet<u64> {
    let on_the_way = Arc::<OnTheWay>::default();
    for (number, letter) in part {
        on_the_way.state.lock().unwrap_or_else(PoisonError::into_inner).waiting += 1;
        let sink = Sink { on_the_way: on_the_way.clone(), number };
        let selection = Selection::all(letter.batch.len());
        let ack = Ack::new(Box::new(sink));
        let delivery =
            Delivery { batch: letter.batch, selection, ack, controlled: true, first: Some(letter.id) };
        outlet.deliver(delivery, &WriteBudget::none());
    }
    let mut state = on_the_way.state.lock().unwrap_or_else(PoisonError::into_inner);
    while state.waiting > 0 && !is_stopped() {
        state = on_the_way.changed.wait_timeout(state, STALL).unwrap_or_else(PoisonError::into_inner).0;
    }
    std::mem::take(&mut state.done)
}
