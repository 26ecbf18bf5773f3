//! The thread that asks.
//!
//! In: keys that log paths miss. Out: answers, which the store keeps as well. Holds: a thread, which holds the connections; it starts with the
//! first key and ends with this.
//! Limits: an exchange with the server may take `timeout()`; after three that failed one after the other, or [`REQUEST_FAILURES_MAX`] between others
//! that did not, what is left is not asked for. [`REQUESTS_MAX`] requests wait; each log path has one at a time.
//!
//! Keys that several log paths miss at the same time are asked for once.

use crate::{
    fault::{Cause, Fault},
    key::Key,
    known::{Answer, CacheLimits, Known, LookupStore, add},
    servers::Lane,
};
use futures_util::future::join_all;
use message::Severity;
use std::{
    cell::{Cell, RefCell},
    collections::{HashMap, HashSet},
    io,
    sync::{
        Arc, Mutex, PoisonError,
        mpsc::{SyncSender, sync_channel},
    },
    thread,
    time::{Duration, Instant},
};
use tokio::{
    runtime::Builder,
    sync::mpsc::{Receiver as Requests, Sender, channel},
    time::timeout,
};
use transport::InternalLog;

/// Most requests that wait: more than there are log paths.
const REQUESTS_MAX: usize = 1024;

/// Most exchanges of a request that may fail: each takes up to `timeout()`, and a log path waits for it.
const REQUEST_FAILURES_MAX: usize = 8;

/// Keys, and who waits for their answers; nobody waits for those of a probe.
struct Request {
    keys: Vec<Key>,
    answers: Option<SyncSender<Vec<Result<Answer, Cause>>>>,
}

/// Makes connections, none of which is open.
pub(crate) type MakeLanes = Box<dyn Fn() -> Vec<Box<dyn Lane>> + Send + Sync>;

/// The parts that the thread works with.
pub(crate) struct Terms {
    /// The name of the server for our log.
    pub(crate) name: String,
    pub(crate) lanes: MakeLanes,
    /// Longest time of an exchange.
    pub(crate) timeout: Duration,
    /// Longest time for which a server that fails is left alone.
    pub(crate) reopen: Duration,
    pub(crate) limits: CacheLimits,
    pub(crate) store: Arc<LookupStore>,
    pub(crate) log: InternalLog,
}

/// Asks a server, on a thread of its own.
pub(crate) struct Asker {
    terms: Arc<Terms>,
    requests: Mutex<Option<Sender<Request>>>,
}

impl Asker {
    /// Makes one whose thread starts with the first key.
    pub(crate) fn new(terms: Arc<Terms>) -> Asker {
        Asker { terms, requests: Mutex::new(None) }
    }

    /// Asks for keys, and waits for the answers.
    pub(crate) fn ask(&self, keys: Vec<Key>) -> Vec<Result<Answer, Cause>> {
        let count = keys.len();
        let (answers, awaited) = sync_channel(1);
        let answered = match self.send(Request { keys, answers: Some(answers) }) {
            true => awaited.recv().ok(),
            false => None,
        };
        answered.unwrap_or_else(|| vec![Err(Cause::Server); count])
    }

    /// Asks for a key without waiting.
    pub(crate) fn probe(&self, key: Key) {
        if !self.send(Request { keys: vec![key], answers: None }) {
            // It stays left alone, and is probed again.
            self.terms.store.failed(&no_thread(), self.terms.reopen, Instant::now());
        }
    }

    fn send(&self, request: Request) -> bool {
        let mut requests = self.requests.lock().unwrap_or_else(PoisonError::into_inner);
        if requests.is_none() {
            let (sender, inbox) = channel(REQUESTS_MAX);
            let terms = self.terms.clone();
            match thread::Builder::new().name("lookups".to_owned()).spawn(move || run(&terms, inbox)) {
                Ok(_) => *requests = Some(sender),
                Err(error) => cannot_run(&self.terms, &error),
            }
        }
        requests.as_ref().is_some_and(|requests| requests.try_send(request).is_ok())
    }
}

fn cannot_run(terms: &Terms, error: &io::Error) {
    let name = &terms.name;
    terms.log.error(&format!("Cannot start the thread of lookups; lookup='{name}', error='{error}'"));
}

fn no_thread() -> Fault {
    Fault::server("its thread does not run")
}

fn run(terms: &Terms, inbox: Requests<Request>) {
    match Builder::new_current_thread().enable_all().build() {
        Ok(runtime) => runtime.block_on(serve(terms, (terms.lanes)(), inbox)),
        Err(error) => cannot_run(terms, &error),
    }
}

/// Serves requests until nobody can send any more.
async fn serve(terms: &Terms, mut lanes: Vec<Box<dyn Lane>>, mut inbox: Requests<Request>) {
    while let Some(first) = inbox.recv().await {
        let mut requests = vec![first];
        while let Ok(request) = inbox.try_recv() {
            requests.push(request);
        }
        let answers = answers_of(terms, &mut lanes, &requests).await;
        for request in requests {
            let Some(waiting) = request.answers else { continue };
            let answer = |key: &Key| answers.get(key).cloned().unwrap_or(Err(Cause::Paused));
            // A path that is gone needs none.
            let _ = waiting.send(request.keys.iter().map(answer).collect());
        }
    }
}

/// Returns the answers to the keys of some requests.
async fn answers_of(
    terms: &Terms,
    lanes: &mut [Box<dyn Lane>],
    requests: &[Request],
) -> HashMap<Key, Result<Answer, Cause>> {
    let mut answers: HashMap<Key, Result<Answer, Cause>> = HashMap::new();
    let mut seen = HashSet::new();
    let all = requests.iter().flat_map(|request| &request.keys);
    let distinct: Vec<Key> = all.filter(|key| seen.insert(*key)).cloned().collect();
    // Another request may have brought an answer since it was missed.
    let known = terms.store.known(&distinct, &terms.limits, Instant::now());
    let mut missed = Vec::new();
    for (key, known) in distinct.into_iter().zip(known) {
        match known {
            Known::Fresh(found) => drop(answers.insert(key, Ok(found))),
            Known::Expired(_) | Known::Nothing => missed.push(key),
        }
    }
    let probes = Cell::new(requests.iter().any(|request| request.answers.is_none()));
    if probes.get() && missed.is_empty() {
        // Only an exchange shows whether the server works again.
        let key = requests.iter().flat_map(|request| &request.keys).next();
        missed.extend(key.cloned());
    }
    let found = exchange(terms, lanes, &missed, &probes).await;
    answers.extend(missed.into_iter().zip(found));
    answers
}

/// Asks the server, over all connections at the same time, while it works; a probe is asked for whether it does or not.
async fn exchange(
    terms: &Terms,
    lanes: &mut [Box<dyn Lane>],
    keys: &[Key],
    probes: &Cell<bool>,
) -> Vec<Result<Answer, Cause>> {
    let next = Cell::new(0);
    let found: RefCell<Vec<Result<Answer, Cause>>> = RefCell::new(vec![Err(Cause::Paused); keys.len()]);
    let (is_over, failures) = (Cell::new(false), Cell::new(0));
    let work = lanes.iter_mut().map(|lane| async {
        while probes.take() || terms.store.works() && !is_over.get() {
            let first = next.get();
            let part = &keys[first..(first + lane.keys_max()).min(keys.len())];
            if part.is_empty() {
                break;
            }
            next.set(first + part.len());
            let answers = match timeout(terms.timeout, lane.ask(part)).await {
                Ok(answers) => answers,
                Err(_) => {
                    lane.close();
                    vec![Err(Fault::timeout()); part.len()]
                }
            };
            if answers.iter().any(Result::is_err) {
                failures.set(failures.get() + 1);
            }
            record(terms, part, &answers);
            // Who is on the way may bring an answer after that; what is left is not asked for all the same.
            is_over.set(is_over.get() || !terms.store.works() || failures.get() >= REQUEST_FAILURES_MAX);
            let mut found = found.borrow_mut();
            for (place, answer) in answers.into_iter().enumerate().take(part.len()) {
                found[first + place] = answer.map_err(|fault| fault.cause);
            }
        }
    });
    join_all(work).await;
    found.into_inner()
}

/// Records the answers of one exchange, and what they say about the server.
fn record(terms: &Terms, keys: &[Key], answers: &[Result<Answer, Fault>]) {
    let Terms { name, limits, store, log, .. } = terms;
    let now = Instant::now();
    let mut is_back = false;
    for (key, answer) in keys.iter().zip(answers) {
        match answer {
            Ok(found) => {
                is_back |= store.answered(key, found, limits, now);
                let counter = match found {
                    Answer::Refused => &store.counters.refused,
                    Answer::Values(_) | Answer::Missing => &store.counters.answered,
                };
                add(counter, 1);
            }
            Err(_) => add(&store.counters.unanswered, 1),
        }
    }
    if is_back {
        log.write(Severity::NOTICE, &format!("Lookups work again; lookup='{name}'"));
    }
    // An exchange that fails does so for all its keys, or for those that are left.
    let Some(fault) = answers.iter().find_map(|answer| answer.as_ref().err()) else { return };
    if let Some(pause) = store.failed(fault, terms.reopen, now) {
        log.error(&format!(
            "Lookups fail, the server is left alone for a while; lookup='{name}', error='{}', seconds='{}'",
            fault.words,
            pause.as_secs()
        ));
    }
}

#[cfg(test)]
mod tests;
