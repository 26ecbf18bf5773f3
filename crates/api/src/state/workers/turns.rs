//! A fair order of searches, without threads and clocks.
//!
//! In: searches of users, their progress. Out: which one starts, and which long ones are paused.
//! Holds: searches that wait, and those that run. Every search begins with a short slice of its own; one that
//! needs longer continues among the long ones. Those take turns by user, the oldest of a user first; while
//! slices run, few of them continue.
//! Limits: the constants below. A search after [`QUEUED_PER_USER_MAX`] waiting ones of the same user is refused.

use std::{
    collections::{BTreeMap, HashMap, VecDeque},
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering::Relaxed},
    },
};

/// Searches that begin at once; further ones wait for their turn. They share the cores.
pub const SEARCHES_MAX: usize = 8;
/// First slices at once.
const SLICES_MAX: usize = SEARCHES_MAX;
/// First slices of one user: others always find two slots.
const SLICES_PER_USER_MAX: usize = 6;
/// Long searches that run at once.
const LONG_MAX: usize = 6;
/// Searches that have begun, those that are held included: each has a thread.
pub(super) const BEGUN_MAX: usize = 96;
/// Begun searches of one user.
const BEGUN_PER_USER_MAX: usize = 32;
/// Searches of one user that wait to begin.
const QUEUED_PER_USER_MAX: usize = 512;

/// The order of searches.
pub(super) struct Turns<W> {
    cores: usize,
    waiting: HashMap<Arc<str>, VecDeque<W>>,
    begun: BTreeMap<u64, Begun>,
    next: u64,
}

/// A search that has begun.
struct Begun {
    user: Arc<str>,
    is_long: bool,
    /// True while it waits for something other than the processor.
    is_blocked: bool,
    is_held: Arc<AtomicBool>,
}

/// A search that begins.
pub(super) struct Start<W> {
    pub(super) id: u64,
    pub(super) work: W,
    pub(super) is_held: Arc<AtomicBool>,
    /// Searches that work now, this one included.
    pub(super) running: usize,
}

impl<W> Turns<W> {
    pub(super) fn new(cores: usize) -> Turns<W> {
        Turns { cores, waiting: HashMap::new(), begun: BTreeMap::new(), next: 0 }
    }

    /// Queues a user's search; returns it when too many of the same user wait.
    pub(super) fn push(&mut self, user: &str, work: W) -> Result<(), W> {
        let waiting = self.waiting.entry(user.into()).or_default();
        if waiting.len() >= QUEUED_PER_USER_MAX {
            return Err(work);
        }
        waiting.push_back(work);
        Ok(())
    }

    /// Returns how many searches may begin now.
    pub(super) fn startable(&self) -> usize {
        let of_users: usize =
            self.waiting.iter().map(|(user, waiting)| waiting.len().min(self.room(user))).sum();
        of_users.min(self.room_of_all())
    }

    /// Takes the next search to begin: of the user with the fewest first slices running.
    pub(super) fn start(&mut self) -> Option<Start<W>> {
        if self.room_of_all() == 0 {
            return None;
        }
        let users = self.waiting.iter().filter(|(user, waiting)| !waiting.is_empty() && self.room(user) > 0);
        let user =
            users.map(|(user, _)| user).min_by_key(|user| (self.count(user, Begun::is_slice), *user))?;
        let user = Arc::clone(user);
        let waiting = self.waiting.get_mut(&user)?;
        let work = waiting.pop_front()?;
        if waiting.is_empty() {
            self.waiting.remove(&user);
        }
        let id = self.next;
        self.next += 1;
        let is_held = Arc::new(AtomicBool::new(false));
        let begun = Begun { user, is_long: false, is_blocked: false, is_held: Arc::clone(&is_held) };
        self.begun.insert(id, begun);
        self.hold();
        let running = self.begun.values().filter(|begun| !begun.is_held.load(Relaxed)).count();
        Some(Start { id, work, is_held, running })
    }

    /// Marks a search as long: it has used up its first slice.
    pub(super) fn is_long(&mut self, id: u64) {
        if let Some(begun) = self.begun.get_mut(&id) {
            begun.is_long = true;
        }
        self.hold();
    }

    /// Marks a search as waiting for something other than the processor: others may run meanwhile.
    pub(super) fn is_blocked(&mut self, id: u64) {
        if let Some(begun) = self.begun.get_mut(&id) {
            begun.is_blocked = true;
        }
        self.hold();
    }

    /// Ends the wait of a search.
    pub(super) fn is_unblocked(&mut self, id: u64) {
        if let Some(begun) = self.begun.get_mut(&id) {
            begun.is_blocked = false;
        }
        self.hold();
    }

    /// Removes a search that has ended.
    pub(super) fn end(&mut self, id: u64) {
        if let Some(begun) = self.begun.remove(&id) {
            begun.is_held.store(false, Relaxed);
        }
        self.hold();
    }

    fn count(&self, user: &str, which: impl Fn(&Begun) -> bool) -> usize {
        self.begun.values().filter(|begun| *begun.user == *user && which(begun)).count()
    }

    fn room(&self, user: &str) -> usize {
        let slices = SLICES_PER_USER_MAX.saturating_sub(self.count(user, Begun::is_slice));
        slices.min(BEGUN_PER_USER_MAX.saturating_sub(self.count(user, |_| true)))
    }

    fn room_of_all(&self) -> usize {
        let slices = self.begun.values().filter(|begun| begun.is_slice()).count();
        SLICES_MAX.saturating_sub(slices).min(BEGUN_MAX.saturating_sub(self.begun.len()))
    }

    /// Decides which long searches run: the oldest of each user, then the second oldest of each, and so on.
    fn hold(&mut self) {
        let has_slices = self.begun.values().any(Begun::is_slice);
        let going = if has_slices { (self.cores / 2).clamp(1, LONG_MAX) } else { LONG_MAX };
        let mut ranks: HashMap<&str, usize> = HashMap::new();
        let mut long: Vec<(usize, u64)> = Vec::new();
        for (id, begun) in self.begun.iter().filter(|(_, begun)| begun.is_long && !begun.is_blocked) {
            let rank = ranks.entry(&begun.user).or_default();
            long.push((*rank, *id));
            *rank += 1;
        }
        long.sort_unstable();
        for (place, (_, id)) in long.into_iter().enumerate() {
            if let Some(begun) = self.begun.get(&id) {
                begun.is_held.store(place >= going, Relaxed);
            }
        }
    }
}

impl Begun {
    fn is_slice(&self) -> bool {
        !self.is_long
    }
}

#[cfg(test)]
mod tests;
