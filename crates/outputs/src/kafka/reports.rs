//! What is known of the records on their way.
//!
//! In: records that were given to librdkafka, and its reports. Out: an answer for each, to who waits for it. Holds: an entry
//! for each record that is on its way, or whose answer nobody has asked for yet. Limits: [`UNCLAIMED_MAX`] answers; who
//! waits no longer asks again later, with the same id, so that no record is produced twice because brokers are slow.

use message::RecordId;
use rdkafka::types::RDKafkaErrorCode;
use std::{
    collections::HashMap,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicUsize, Ordering},
    },
};
use tokio::sync::Notify;

/// Most answers that wait for someone to ask. A destination holds fewer rows: beyond, nobody asks any more.
const UNCLAIMED_MAX: usize = 1 << 17;

/// `None`: the brokers have stored it.
pub(super) type Answer = Option<RDKafkaErrorCode>;

/// The state of a record when somebody looks for it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Lookup {
    /// Nothing: it is to be produced.
    New,
    /// It is on its way.
    Sent,
    /// Its answer, which is forgotten here.
    Answered(Answer),
}

/// Somebody who waits for the answers of some records.
#[derive(Default, Debug)]
pub(super) struct Waiter {
    left: AtomicUsize,
    done: Notify,
}

impl Waiter {
    /// Waits until no answer is left.
    pub(super) async fn wait(&self) {
        while self.left.load(Ordering::Acquire) > 0 {
            self.done.notified().await;
        }
    }

    fn end_one(&self) {
        if self.left.fetch_sub(1, Ordering::AcqRel) == 1 {
            self.done.notify_one();
        }
    }
}

#[derive(Debug)]
enum RecordState {
    Sent(Arc<Waiter>),
    Answered(Answer),
}

/// The records of a destination.
#[derive(Default, Debug)]
pub(super) struct Reports {
    places: Mutex<HashMap<RecordId, RecordState>>,
}

impl Reports {
    fn places(&self) -> MutexGuard<'_, HashMap<RecordId, RecordState>> {
        self.places.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Looks for a record. One that is new counts as sent from now on, and `waiter` counts its answer.
    pub(super) fn begin(&self, id: RecordId, waiter: &Arc<Waiter>) -> Lookup {
        let mut places = self.places();
        let found = match places.remove(&id) {
            Some(RecordState::Answered(answer)) => return Lookup::Answered(answer),
            Some(RecordState::Sent(_)) => Lookup::Sent,
            None => Lookup::New,
        };
        if places.len() >= UNCLAIMED_MAX {
            places.retain(|_, place| matches!(place, RecordState::Sent(_)));
        }
        waiter.left.fetch_add(1, Ordering::AcqRel);
        places.insert(id, RecordState::Sent(waiter.clone()));
        found
    }

    /// Takes the answer to a record, if there is one.
    pub(super) fn take(&self, id: RecordId) -> Option<Answer> {
        let mut places = self.places();
        let RecordState::Answered(answer) = places.get(&id)? else { return None };
        let answer = *answer;
        places.remove(&id);
        Some(answer)
    }

    /// Returns true when no record is on its way.
    pub(super) fn is_at_rest(&self) -> bool {
        !self.places().values().any(|state| matches!(state, RecordState::Sent(_)))
    }

    /// Answers all records that are on their way: their producer is gone.
    pub(super) fn give_up(&self) {
        let ids =
            |(id, state): (&RecordId, &RecordState)| matches!(state, RecordState::Sent(_)).then_some(*id);
        let left: Vec<RecordId> = self.places().iter().filter_map(ids).collect();
        left.into_iter().for_each(|id| self.answer(id, Some(RDKafkaErrorCode::PurgeInflight)));
    }

    /// Forgets all records: what becomes of them does not matter any more.
    pub(super) fn forget(&self) {
        self.places().clear();
    }

    /// Notes the answer to a record that is on its way.
    pub(super) fn answer(&self, id: RecordId, answer: Answer) {
        let mut places = self.places();
        let Some(place) = places.get_mut(&id) else { return };
        if let RecordState::Sent(waiter) = place {
            waiter.end_one();
            *place = RecordState::Answered(answer);
        }
    }
}
