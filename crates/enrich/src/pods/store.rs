//! The pods of a node, as far as they are known.
//!
//! In: pods of the API server, as they come and go; files whose pods are looked for. Out: pods. Holds: pods by their names, also those that
//! are gone while files of theirs are read; under a lock that is held for no longer than a look-up takes.
//! Limits: `cache-bytes()`: pods that are gone are forgotten first, those that were not used for longest before others; a pod that does not fit
//! then is left out and counted. A pod that is gone and was not used for [`GONE_KEPT`] is forgotten.
//!
//! A batch waits for a pod that is not known only while the API server works, for `metadata-timeout()` at most, and all waits together
//! that were in vain take a tenth of the time: see [`REST_FACTOR`].

use super::{
    file_name::{Instance, LogFile},
    pod::Pod,
};
use crate::{fault::Fault, known::LookupStore};
use std::{
    collections::{HashMap, HashSet},
    sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError, Weak, atomic::Ordering::Relaxed},
    time::{Duration, Instant},
};
use tokio::sync::watch::{self, Receiver, Sender};

/// How long a pod that is gone is kept after its last message.
const GONE_KEPT: Duration = Duration::from_secs(3600);
/// After a wait that was in vain, nobody waits for this many times as long: files of pods that the API server never knew, or has
/// forgotten, must not hold up the others.
const REST_FACTOR: u32 = 9;

/// The pods of a node that are known, and their counters. It continues over reloads that change nothing about it.
#[derive(Debug, Default)]
pub struct PodStore {
    inner: Mutex<Inner>,
    /// Wakes those who wait: there are other pods, or the API server fails.
    changed: Condvar,
    /// Counters, and whether the API server works, as for other servers of lookups.
    pub(crate) lookups: Arc<LookupStore>,
    /// The watcher that runs, if one does.
    pub(super) watcher: Mutex<Weak<Handle>>,
}

#[derive(Debug, Default)]
struct Inner {
    /// By UUID.
    pods: HashMap<String, Entry>,
    /// UUIDs by namespace and name: pods of one name follow each other.
    names: HashMap<(String, String), Vec<String>>,
    bytes: usize,
    server: Server,
    /// Until when nobody waits.
    rests_until: Option<Instant>,
}

/// Keeps the watcher running.
#[derive(Debug)]
pub(crate) struct Handle {
    _stop: Sender<()>,
}

impl Handle {
    /// Makes one, and what fails to receive when it is dropped.
    pub(super) fn new() -> (Arc<Handle>, Receiver<()>) {
        let (stop, stopped) = watch::channel(());
        (Arc::new(Handle { _stop: stop }), stopped)
    }
}

/// The state of the API server.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
enum Server {
    /// It has not answered yet.
    #[default]
    Unknown,
    /// All pods were listed, and changes are watched.
    Watched,
    /// The last request failed.
    Failing,
}

#[derive(Clone, Debug)]
struct Entry {
    pod: Arc<Pod>,
    life: Life,
    used: Instant,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Life {
    Present,
    Gone,
}

/// A pod that was looked for.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum PodLookup {
    Known(Arc<Pod>),
    /// The API server has none of this name.
    Missing,
    /// It cannot be asked.
    Failed,
}

impl PodStore {
    /// Returns the counters and the state of the API server, which are those of lookups.
    pub fn lookups(&self) -> &Arc<LookupStore> {
        &self.lookups
    }

    /// Looks for the pod of a file. Waits for one that is not known, until a time at most, which it moves when others have waited.
    pub(crate) fn find(&self, file: &LogFile<'_>, patience: Duration) -> PodLookup {
        let start = Instant::now();
        let mut inner = self.inner();
        loop {
            let now = Instant::now();
            if let Some(pod) = inner.find(file, now) {
                return PodLookup::Known(pod);
            }
            let waited = now.saturating_duration_since(start);
            let is_resting = inner.rests_until.is_some_and(|until| now < until);
            let left = patience.saturating_sub(waited);
            if left.is_zero() || is_resting || inner.server == Server::Failing {
                if !is_resting && inner.server != Server::Failing {
                    inner.rests_until = Some(now + waited * REST_FACTOR);
                }
                let is_listed = inner.server == Server::Watched;
                return if is_listed { PodLookup::Missing } else { PodLookup::Failed };
            }
            inner = self.changed.wait_timeout(inner, left).unwrap_or_else(PoisonError::into_inner).0;
        }
    }

    /// Adds a pod, or replaces what was known of it. Returns false when it does not fit.
    pub(super) fn put(&self, pod: Pod, bytes_max: usize) -> bool {
        let fits = self.inner().put(pod, Life::Present, bytes_max, Instant::now());
        self.tell();
        fits
    }

    /// Takes note that a pod was deleted. Its last state is kept for what is still read of it.
    pub(super) fn delete(&self, pod: Pod, bytes_max: usize) {
        self.inner().put(pod, Life::Gone, bytes_max, Instant::now());
        self.tell();
    }

    /// Takes note that all pods were listed, and that these are all there are.
    pub(super) fn listed(&self, uids: &HashSet<String>) {
        let now = Instant::now();
        let mut inner = self.inner();
        for (uid, entry) in &mut inner.pods {
            if !uids.contains(uid) {
                entry.life = Life::Gone;
            }
        }
        inner.forget_unused(now);
        inner.server = Server::Watched;
        drop(inner);
        self.tell();
    }

    /// Takes note that the API server answered. Returns true when it had been left alone.
    pub(super) fn works(&self) -> bool {
        self.inner().server = Server::Watched;
        self.lookups.recovered()
    }

    /// Takes note of a failure. Returns how long the server is left alone, when that begins.
    pub(super) fn failed(&self, fault: &Fault, pause_max: Duration) -> Option<Duration> {
        self.inner().server = Server::Failing;
        self.tell();
        self.lookups.failed(fault, pause_max, Instant::now())
    }

    fn tell(&self) {
        let bytes = self.inner().bytes;
        self.lookups.held_beside.store(bytes as u64, Relaxed);
        self.changed.notify_all();
    }

    fn inner(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Inner {
    fn find(&mut self, file: &LogFile<'_>, now: Instant) -> Option<Arc<Pod>> {
        // A key is made for each look-up, of which there is one for each file of a batch.
        let uids = self.names.get(&(file.namespace.to_owned(), file.pod.to_owned()))?;
        let entries = || uids.iter().filter_map(|uid| self.pods.get(uid).map(|entry| (uid, entry)));
        let same = entries().find(|(_, entry)| entry.pod.is_of(file));
        // The status of a new container comes later than its first lines: it is one of the pod that has the name now.
        let is_link = matches!(file.instance, Instance::Container(_));
        let newest = || entries().rfind(|(_, entry)| is_link && entry.life == Life::Present);
        let uid = same.or_else(newest).map(|(uid, _)| uid.clone())?;
        let entry = self.pods.get_mut(&uid)?;
        entry.used = now;
        Some(entry.pod.clone())
    }

    fn put(&mut self, mut pod: Pod, life: Life, bytes_max: usize, now: Instant) -> bool {
        self.forget_unused(now);
        if let Some(before) = self.pods.get(&pod.uid) {
            pod.remember_containers(&before.pod);
        }
        let before = self.pods.get(&pod.uid).map(|entry| (entry.pod.bytes(), entry.used));
        let (old_bytes, used) = before.unwrap_or((0, now));
        let bytes = pod.bytes();
        while self.bytes - old_bytes + bytes > bytes_max {
            let gone = self.pods.iter().filter(|(uid, entry)| entry.life == Life::Gone && **uid != pod.uid);
            let Some(oldest) = gone.min_by_key(|(_, entry)| entry.used).map(|(uid, _)| uid.clone()) else {
                // The old data of this pod is out of date, so it goes too.
                self.forget(&pod.uid);
                return false;
            };
            self.forget(&oldest);
        }
        self.bytes = self.bytes - old_bytes + bytes;
        if before.is_none() {
            let name = (pod.namespace.clone(), pod.name.clone());
            self.names.entry(name).or_default().push(pod.uid.clone());
        }
        self.pods.insert(pod.uid.clone(), Entry { pod: Arc::new(pod), life, used });
        true
    }

    fn forget_unused(&mut self, now: Instant) {
        let is_unused = |entry: &Entry| {
            entry.life == Life::Gone && now.saturating_duration_since(entry.used) >= GONE_KEPT
        };
        let unused = self.pods.iter().filter(|(_, entry)| is_unused(entry));
        let unused: Vec<String> = unused.map(|(uid, _)| uid.clone()).collect();
        unused.iter().for_each(|uid| self.forget(uid));
    }

    fn forget(&mut self, uid: &str) {
        let Some(entry) = self.pods.remove(uid) else { return };
        self.bytes -= entry.pod.bytes();
        let name = (entry.pod.namespace.clone(), entry.pod.name.clone());
        if let Some(uids) = self.names.get_mut(&name) {
            uids.retain(|known| known != uid);
            if uids.is_empty() {
                self.names.remove(&name);
            }
        }
    }
}

#[cfg(test)]
mod tests;
