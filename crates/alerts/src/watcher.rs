//! Starts and ends the threads that evaluate rules.
//!
//! In: the rules of the folder and the open logspaces, at the start and at each reload; rules of objects, whenever they change. Out: one thread for each logspace that
//! rules watch. Holds: the threads. Without rules there is neither a thread nor a database.

use crate::{
    folder::{FolderProblem, RuleSet, SavedRule},
    follower::{self, Desk, Ending, Pace, Surroundings},
    status::{FollowerStatus, StallReason},
    store::Store,
};
use logspace::{Clock, Logspace, OsClock};
use std::{
    collections::{BTreeMap, BTreeSet},
    io, mem,
    path::Path,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    thread::{self, JoinHandle},
};

/// The threads of all logspaces.
pub struct Watcher {
    store: Arc<Store>,
    clock: Arc<dyn Clock>,
    pace: Pace,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    threads: BTreeMap<String, Thread>,
    /// The open logspaces.
    logspaces: Vec<(String, Arc<Logspace>)>,
    /// The last rules of the folder that could be used; none before there were any.
    files: Option<RuleSet>,
    /// Faults of the folder.
    file_problems: Vec<String>,
    /// The rules of objects, and the reasons why others do not run.
    saved: SavedRules,
    /// Faults of logspaces, and of the names in rules.
    problems: Vec<String>,
}

/// The rules of objects that run, and the reasons why others do not.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct SavedRules {
    /// Those that run, by id.
    pub running: Vec<SavedRule>,
    /// Reasons why others do not, one sentence each.
    pub problems: Vec<String>,
}

struct Thread {
    desk: Arc<Desk>,
    status: Arc<Mutex<FollowerStatus>>,
    handle: JoinHandle<()>,
}

impl Thread {
    fn end(self, ending: Ending) {
        self.desk.end(ending);
        // A thread that panicked has reported it.
        let _ = self.handle.join();
    }
}

impl Watcher {
    /// Names the database of a data folder; nothing is opened before there are rules.
    pub fn at(database: &Path) -> Watcher {
        Watcher::with(Store::at(database), Arc::new(OsClock), Pace::default())
    }

    /// The same with another clock, and another pace.
    pub(crate) fn with(store: Store, clock: Arc<dyn Clock>, pace: Pace) -> Watcher {
        Watcher { store: Arc::new(store), clock, pace, state: Mutex::default() }
    }

    /// Returns the database.
    pub fn store(&self) -> &Arc<Store> {
        &self.store
    }

    /// Follows the rules of the folder, those of objects, and the logspaces of a configuration. Files with errors change
    /// nothing: as long as there are some, the rules of files that were in force stay so, across a restart as well.
    pub fn follow(
        &self,
        read: Result<RuleSet, Vec<FolderProblem>>,
        saved: SavedRules,
        logspaces: &[(String, Arc<Logspace>)],
    ) -> io::Result<()> {
        let mut state = self.locked();
        let open: BTreeSet<&str> = logspaces.iter().map(|(name, _)| name.as_str()).collect();
        let gone: Vec<String> =
            state.threads.keys().filter(|name| !open.contains(name.as_str())).cloned().collect();
        for name in gone {
            state.threads.remove(&name).into_iter().for_each(|thread| thread.end(Ending::Stop));
        }
        state.logspaces = logspaces.to_vec();
        state.saved = saved;
        match read {
            Ok(set) => (state.files, state.file_problems) = (Some(set), Vec::new()),
            Err(problems) => state.file_problems = problems.iter().map(ToString::to_string).collect(),
        }
        self.apply(&mut state)
    }

    /// Follows other rules of objects; files and logspaces stay.
    pub fn follow_saved(&self, saved: SavedRules) -> io::Result<()> {
        let mut state = self.locked();
        if state.saved == saved {
            return Ok(());
        }
        let before = mem::replace(&mut state.saved, saved);
        let applied = self.apply(&mut state);
        if applied.is_err() {
            // The next call tries it again.
            state.saved = before;
        }
        applied
    }

    /// Has each logspace watched by its rules.
    fn apply(&self, state: &mut State) -> io::Result<()> {
        state.problems.clear();
        let mut unknown = unknown(state);
        for one in state.logspaces.clone() {
            let files = match &state.files {
                Some(files) => Some(files.clone()),
                None => self.files_before(state, &one.0),
            };
            let Some(files) = files else { continue };
            let (set, problems) = files.with_saved(&state.saved.running, &one.0);
            unknown.extend(problems.iter().map(ToString::to_string));
            self.follow_one(state, &one, &Arc::new(set))?;
        }
        unknown.sort_unstable();
        unknown.dedup();
        state.problems.extend(unknown);
        Ok(())
    }

    /// Has a logspace watched by the rules of a set.
    fn follow_one(
        &self,
        state: &mut State,
        (name, logspace): &(String, Arc<Logspace>),
        set: &Arc<RuleSet>,
    ) -> io::Result<()> {
        let mut wants = !set.watching(name).is_empty();
        if wants && logspace.is_encrypted() {
            state.problems.push(format!("rules of logspace {name}: {}", StallReason::Encrypted));
            wants = false;
        }
        match state.threads.get(name) {
            Some(thread) if wants => thread.desk.put_rules(Arc::clone(set)),
            Some(_) => state.threads.remove(name).into_iter().for_each(|thread| thread.end(Ending::Retire)),
            None if wants => {
                let thread = self.start(name, logspace, Arc::clone(set))?;
                state.threads.insert(name.clone(), thread);
            }
            None => self.retire(state, name),
        }
        Ok(())
    }

    /// Returns the rules of files that watched a logspace before the restart; none when they are not known.
    fn files_before(&self, state: &mut State, name: &str) -> Option<RuleSet> {
        if !self.store.exists() {
            return Some(RuleSet::default());
        }
        match self.store.resumed(name) {
            // A later version may refuse what an earlier one has read; that is among the problems already.
            Ok(Some(resumed)) => RuleSet::of_files(resumed.texts),
            Ok(None) => Some(RuleSet::default()),
            Err(error) => {
                state.problems.push(error.to_string());
                None
            }
        }
    }

    fn start(&self, name: &str, logspace: &Arc<Logspace>, set: Arc<RuleSet>) -> io::Result<Thread> {
        let (store, clock) = (Arc::clone(&self.store), Arc::clone(&self.clock));
        let around = Surroundings::new(name.into(), Arc::clone(logspace), store, clock, self.pace);
        let (desk, status) = (Arc::clone(&around.desk), Arc::clone(&around.status));
        let named = thread::Builder::new().name("rules".to_owned());
        let handle = named.spawn(move || follower::run(around, set))?;
        Ok(Thread { desk, status, handle })
    }

    /// Closes the account of a logspace whose rules were removed while the server was stopped.
    fn retire(&self, state: &mut State, name: &str) {
        if !self.store.exists() {
            return;
        }
        match self.store.resumed(name) {
            Ok(Some(resumed)) if !resumed.texts.is_empty() => {
                if let Err(error) = follower::retire(&self.store, name, self.clock.wall_us()) {
                    state.problems.push(error.to_string());
                }
            }
            Ok(_) => {}
            Err(error) => state.problems.push(error.to_string()),
        }
    }

    /// Returns the figures of each logspace that rules watch.
    pub fn status(&self) -> Vec<FollowerStatus> {
        let state = self.locked();
        let status = |thread: &Thread| thread.status.lock().unwrap_or_else(PoisonError::into_inner).clone();
        state.threads.values().map(status).collect()
    }

    /// Returns what is wrong with the rules themselves, one sentence each.
    pub fn problems(&self) -> Vec<String> {
        let state = self.locked();
        [&state.file_problems, &state.saved.problems, &state.problems]
            .into_iter()
            .flatten()
            .cloned()
            .collect()
    }

    /// Returns what is wrong, one sentence each.
    pub fn troubles(&self) -> Vec<String> {
        self.problems().into_iter().chain(self.status().iter().flat_map(FollowerStatus::troubles)).collect()
    }

    /// Ends the threads; they go on where they were at the next start.
    pub fn stop(&self) {
        self.end_all(Ending::Stop);
    }

    /// Ends the threads.
    pub(crate) fn end_all(&self, ending: Ending) {
        let mut state = self.locked();
        // They can be closed now.
        state.logspaces.clear();
        let threads = mem::take(&mut state.threads);
        drop(state);
        // All at once, then one after the other.
        threads.values().for_each(|thread| thread.desk.end(ending));
        threads.into_values().for_each(|thread| thread.end(ending));
    }

    fn locked(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Watcher {
    fn drop(&mut self) {
        self.stop();
    }
}

/// Returns the names in rules that no logspace has.
fn unknown(state: &State) -> Vec<String> {
    let open: BTreeSet<&str> = state.logspaces.iter().map(|(name, _)| name.as_str()).collect();
    let rules = state.files.iter().flat_map(|set| &set.rules);
    let files = rules.map(|rule| (rule.id.as_ref(), &rule.logspaces));
    let saved = state.saved.running.iter().map(|one| (one.id.as_str(), &one.logspaces));
    let mut found = Vec::new();
    for (id, logspaces) in files.chain(saved) {
        let unknown = logspaces.iter().filter(|name| !open.contains(name.as_str()));
        found.extend(
            unknown.map(|name| format!("rule {id}: there is no logspace {name} that rules can watch")),
        );
    }
    found
}
