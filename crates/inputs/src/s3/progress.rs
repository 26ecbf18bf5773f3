//! The objects that are being read, and what is acknowledged of them.
//!
//! In: pages of the list; offsets that destinations have acknowledged, in any order. Out: the objects that are not read yet, and
//! commits to the register. Holds: the offsets in flight, and objects that the server did not give. Limits: the windows of the workers
//! bound the first, [`UNREADABLE_MAX`] the others.

use super::{
    options::OldObjects,
    register::{Changes, ObjectId, ObjectPosition, Register, RegisterError},
};
use crate::bookmarks::Bookmarks;
use services::ListedObject;
use std::{
    collections::HashMap,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};
use tokio::sync::Notify;

/// Objects that were not given, which are asked for again with each look at the list. More of them are found again when the whole
/// list is read.
const UNREADABLE_MAX: usize = 1000;

/// An object that is to be read.
#[derive(Clone)]
pub(super) struct Job {
    pub(super) object: ListedObject,
    pub(super) id: ObjectId,
    /// The position to begin at.
    pub(super) position: ObjectPosition,
    /// Its batches in flight.
    pub(super) book: Bookmarks<ObjectPosition>,
}

/// Why an object is not read to its end.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Leave {
    /// It was deleted.
    Gone,
    /// It has another content now, which the list shows.
    Changed,
}

/// The progress of a source.
pub(super) struct Progress {
    state: Mutex<State>,
    /// Notified when something is to be saved, or was given up.
    pub(super) changed: Arc<Notify>,
}

struct State {
    register: Register,
    flights: HashMap<ObjectId, Flight>,
    unsaved: Changes,
    unreadable: HashMap<ObjectId, ListedObject>,
    needs_whole_list: bool,
}

/// An object that is being read, or that was read and is not acknowledged.
struct Flight {
    book: Bookmarks<ObjectPosition>,
    is_ended: bool,
}

/// The fate of the batches in flight.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Fate {
    /// All that were acknowledged are saved.
    Saved,
    /// A destination gave some up: they have to be read again.
    GivenUp,
}

impl Progress {
    pub(super) fn new(register: Register) -> Progress {
        let state = State {
            register,
            flights: HashMap::new(),
            unsaved: Changes::default(),
            unreadable: HashMap::new(),
            needs_whole_list: false,
        };
        Progress { state: Mutex::new(state), changed: Arc::default() }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns those of a page that are not read, and begins with them. What was read before is saved first, so that a full disk stops
    /// the source instead of making it read everything again.
    pub(super) fn admit(
        &self,
        objects: Vec<ListedObject>,
        old: OldObjects,
    ) -> Result<Vec<Job>, RegisterError> {
        let mut state = self.lock();
        state.save()?;
        let State { register, flights, .. } = &mut *state;
        let skips = old == OldObjects::Skipped && register.is_first_round();
        let mut empty = Changes::default();
        let jobs = register.look(|register| {
            let mut jobs = Vec::new();
            for object in objects {
                let id = ObjectId::of(&object);
                if flights.contains_key(&id) || register.is_known(id)? {
                    continue;
                }
                if object.size == 0 || skips {
                    // There is nothing in it; that also goes for what programs make to show a folder.
                    empty.done.push(id);
                    continue;
                }
                jobs.push((object, id, register.position(id)?));
            }
            Ok(jobs)
        })?;
        register.commit(&empty)?;
        Ok(jobs
            .into_iter()
            .map(|(object, id, position)| state.begin(&self.changed, object, id, position))
            .collect())
    }

    /// Returns the objects that the server did not give, to be tried again.
    pub(super) fn unreadable(&self) -> Result<Vec<Job>, RegisterError> {
        let mut state = self.lock();
        let objects: Vec<_> = state.unreadable.iter().map(|(id, object)| (*id, object.clone())).collect();
        let mut jobs = Vec::with_capacity(objects.len());
        for (id, object) in objects {
            if !state.flights.contains_key(&id) {
                let position = state.register.position(id)?;
                jobs.push(state.begin(&self.changed, object, id, position));
            }
        }
        Ok(jobs)
    }

    /// Notes that the whole list was read. Those that were not given and are not in it any more are forgotten.
    pub(super) fn end_round(&self) -> Result<(), RegisterError> {
        self.lock().register.end_round()
    }

    /// Forgets which objects the server did not give: the whole list is about to show them again.
    pub(super) fn begin_round(&self) {
        let mut state = self.lock();
        state.unreadable.clear();
        state.needs_whole_list = false;
    }

    /// Returns true when an object has changed whose name comes before the last one.
    pub(super) fn needs_whole_list(&self) -> bool {
        self.lock().needs_whole_list
    }

    /// Returns true when there are objects that the server did not give.
    pub(super) fn has_unreadable(&self) -> bool {
        !self.lock().unreadable.is_empty()
    }

    /// An object was read to its end.
    pub(super) fn end(&self, id: ObjectId) {
        let mut state = self.lock();
        if let Some(flight) = state.flights.get_mut(&id) {
            flight.is_ended = true;
        }
        state.unreadable.remove(&id);
        self.changed.notify_one();
    }

    /// An object is not read to its end, and never will be.
    pub(super) fn leave(&self, id: ObjectId, leave: Leave) {
        let mut state = self.lock();
        state.flights.remove(&id);
        state.unsaved.positions.remove(&id);
        state.unsaved.gone.push(id);
        state.needs_whole_list |= leave == Leave::Changed;
        state.unreadable.remove(&id);
        self.changed.notify_one();
    }

    /// The server does not give an object. It is asked for again with the next look at the list.
    pub(super) fn put_off(&self, job: &Job) {
        let mut state = self.lock();
        state.take(job.id);
        state.flights.remove(&job.id);
        if state.unreadable.len() < UNREADABLE_MAX {
            state.unreadable.insert(job.id, job.object.clone());
        }
        self.changed.notify_one();
    }

    /// Saves what is acknowledged.
    pub(super) fn commit(&self) -> Result<Fate, RegisterError> {
        let mut state = self.lock();
        state.save()?;
        let has_failed = state.flights.values().any(|flight| flight.book.has_failed());
        Ok(if has_failed { Fate::GivenUp } else { Fate::Saved })
    }

    /// Returns true when nothing is in flight.
    pub(super) fn is_settled(&self) -> bool {
        self.lock().flights.values().all(|flight| flight.book.is_settled())
    }

    /// Forgets what is in flight: it is read again.
    pub(super) fn restart(&self) {
        self.lock().flights.clear();
    }
}

impl State {
    fn begin(
        &mut self,
        changed: &Arc<Notify>,
        object: ListedObject,
        id: ObjectId,
        position: ObjectPosition,
    ) -> Job {
        let book = Bookmarks::notifying(changed.clone());
        self.flights.insert(id, Flight { book: book.clone(), is_ended: false });
        Job { object, id, position, book }
    }

    /// Takes what is acknowledged of an object.
    fn take(&mut self, id: ObjectId) {
        if let Some(position) = self.flights.get(&id).and_then(|flight| flight.book.take()) {
            self.unsaved.positions.insert(id, position);
        }
    }

    fn save(&mut self) -> Result<(), RegisterError> {
        let State { flights, unsaved, .. } = self;
        flights.retain(|id, flight| {
            if let Some(position) = flight.book.take() {
                unsaved.positions.insert(*id, position);
            }
            let is_done = flight.is_ended && flight.book.is_settled() && !flight.book.has_failed();
            if is_done {
                unsaved.positions.remove(id);
                unsaved.done.push(*id);
            }
            !is_done
        });
        if !self.unsaved.is_empty() {
            self.register.commit(&self.unsaved)?;
            self.unsaved = Changes::default();
        }
        Ok(())
    }
}

#[cfg(test)]
#[path = "tests/progress.rs"]
mod tests;
