//! The thread that lists the pods of a node, and watches them.
//!
//! In: an API server. Out: pods in the store. Holds: the version up to which everything is known. It ends when nobody needs it.
//! Limits: after a failure it pauses, from [`PAUSE_MIN`] on, twice as long each time, up to `time-reopen()`; what is known is kept meanwhile.
//!
//! After a break the watch goes on where it was; only when the server does not have that version any more, everything is listed again.

use super::{
    api::{ApiClient, ApiError, ApiServer, Event},
    store::{Handle, PodStore},
};
use crate::{fault::Fault, known::add};
use message::Severity;
use std::{
    collections::HashSet,
    io,
    sync::{Arc, PoisonError},
    thread,
    time::{Duration, Instant},
};
use tokio::{
    runtime::Builder,
    sync::watch::Receiver,
    time::{sleep, timeout},
};
use transport::InternalLog;

/// First pause after a failure, and the least time between two lists or two watches.
const PAUSE_MIN: Duration = Duration::from_secs(1);
/// Longest time of a whole list.
const LIST_WITHIN: Duration = Duration::from_secs(60);
/// Most characters of a server's words in our log.
const WORDS_MAX: usize = 500;

/// The node that is watched, and the limits.
#[derive(Clone, Debug)]
pub struct PodWatch {
    /// The API server, and the node.
    pub server: ApiServer,
    /// `cache-bytes()`
    pub bytes_max: usize,
    /// `time-reopen()`: longest pause after failures.
    pub reopen: Duration,
    /// Its name for our log and the counters.
    pub name: String,
}

impl PodStore {
    /// Returns what keeps the thread running, which it starts if it does not run.
    pub(super) fn watched(self: &Arc<PodStore>, what: &PodWatch, log: &InternalLog) -> Arc<Handle> {
        let mut known = self.watcher.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(handle) = known.upgrade() {
            return handle;
        }
        let (handle, stopped) = Handle::new();
        *known = Arc::downgrade(&handle);
        let follower = Follower {
            what: what.clone(),
            store: self.clone(),
            log: log.clone(),
            client: ApiClient::new(what.server.clone()),
            version: None,
            pause: PAUSE_MIN,
        };
        let (name, log) = (what.name.clone(), log.clone());
        let cannot = move |error: &io::Error| {
            log.error(&format!("Cannot start the thread of lookups; lookup='{name}', error='{error}'"));
        };
        let run = {
            let cannot = cannot.clone();
            move || match Builder::new_current_thread().enable_all().build() {
                Ok(runtime) => runtime.block_on(follower.run(stopped)),
                Err(error) => cannot(&error),
            }
        };
        if let Err(error) = thread::Builder::new().name("pods".to_owned()).spawn(run) {
            cannot(&error);
        }
        handle
    }
}

struct Follower {
    what: PodWatch,
    store: Arc<PodStore>,
    log: InternalLog,
    client: ApiClient,
    /// Everything up to here is known.
    version: Option<String>,
    /// The next pause after a failure.
    pause: Duration,
}

/// How far a request came.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Reached {
    List,
    EndOfWatch,
}

impl Follower {
    /// Lists and watches until nobody needs it any more.
    async fn run(mut self, mut stopped: Receiver<()>) {
        tokio::select! {
            // An error: the other side is gone.
            _ = stopped.changed() => {}
            () = self.follow() => {}
        }
    }

    async fn follow(&mut self) {
        loop {
            let start = Instant::now();
            let outcome = match self.version.clone() {
                None => self.list().await,
                Some(version) => self.watch(&version).await,
            };
            let is_listed = self.version.is_some();
            let pause = match outcome {
                Ok(Reached::List) => Duration::ZERO,
                // A server that ends each watch at once is not asked without a pause.
                Ok(Reached::EndOfWatch) => PAUSE_MIN.saturating_sub(start.elapsed()),
                Err(ApiError::Expired) => {
                    self.version = None;
                    if is_listed { PAUSE_MIN.saturating_sub(start.elapsed()) } else { self.next_pause() }
                }
                Err(ApiError::Unreadable(fault)) => {
                    self.version = None;
                    self.report(&fault);
                    self.next_pause()
                }
                Err(ApiError::Fault(fault)) => {
                    self.report(&fault);
                    self.next_pause()
                }
            };
            sleep(pause).await;
        }
    }

    fn next_pause(&mut self) -> Duration {
        let pause = self.pause;
        self.pause = (pause * 2).min(self.what.reopen.max(PAUSE_MIN));
        pause
    }

    async fn list(&mut self) -> Result<Reached, ApiError> {
        let (store, bytes_max) = (self.store.clone(), self.what.bytes_max);
        let (mut uids, mut left_out) = (HashSet::new(), 0);
        let taken = |pods: Vec<super::pod::Pod>| {
            for pod in pods {
                uids.insert(pod.uid.clone());
                left_out += usize::from(!store.put(pod, bytes_max));
            }
        };
        let listed = timeout(LIST_WITHIN, self.client.list(taken)).await;
        let version = listed.map_err(|_| ApiError::Fault(Fault::timeout()))??;
        self.answered(uids.len());
        self.store.listed(&uids);
        self.leave_out(left_out);
        self.version = Some(version);
        Ok(Reached::List)
    }

    async fn watch(&mut self, version: &str) -> Result<Reached, ApiError> {
        let mut events = self.client.watch(version).await?;
        self.answered(0);
        while let Some((event, version)) = events.next().await? {
            match event {
                Event::Present(pod) => {
                    add(&self.store.lookups.counters.answered, 1);
                    let fits = self.store.put(pod, self.what.bytes_max);
                    self.leave_out(usize::from(!fits));
                }
                Event::Deleted(pod) => self.store.delete(pod, self.what.bytes_max),
                Event::Nothing => {}
            }
            if version.is_some() {
                self.version = version;
            }
        }
        Ok(Reached::EndOfWatch)
    }

    fn answered(&mut self, pods: usize) {
        self.pause = PAUSE_MIN;
        add(&self.store.lookups.counters.answered, pods);
        if self.store.works() {
            let name = &self.what.name;
            self.log.write(Severity::NOTICE, &format!("Lookups work again; lookup='{name}'"));
        }
    }

    fn report(&self, fault: &Fault) {
        add(&self.store.lookups.counters.unanswered, 1);
        if let Some(pause) = self.store.failed(fault, self.what.reopen) {
            self.log.error(&format!(
                "Lookups fail, the server is left alone for a while; lookup='{}', error='{}', seconds='{}'",
                self.what.name,
                fault.words.chars().filter(|one| !one.is_control()).take(WORDS_MAX).collect::<String>(),
                pause.as_secs()
            ));
        }
    }

    /// Reports pods that did not fit, once a list or an event.
    fn leave_out(&self, pods: usize) {
        if pods > 0 {
            add(&self.store.lookups.counters.refused, pods);
            let (name, bytes) = (&self.what.name, self.what.bytes_max);
            self.log.warning(&format!(
                "Pods do not fit into the cache, their messages get no metadata; lookup='{name}', pods='{pods}', cache_bytes='{bytes}'"
            ));
        }
    }
}
