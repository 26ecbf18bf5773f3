//! The open logspaces of a family. They stay open over reloads.
//!
//! In: names. Out: logspaces, found or made. Holds: the logspaces in the order in which they were made, counters.
//! Limits: the caller says how many there may be; those that are on disk at a start are all opened.

use super::super::{error::ReloadError, opener::Opener};
use crate::{
    assemble::LogspaceSpec,
    data_folder::families::{self, MakeFolderError},
};
use logspace::{Logspace, Retention};
use message::Severity;
use std::{
    collections::HashMap,
    fmt,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicU64, AtomicUsize, Ordering::Relaxed},
    },
    thread,
};

/// Threads that open logspaces: most of the time goes into waiting for the disk.
const OPENING_THREADS: usize = 8;

/// The counters of a family, besides those of its logspaces.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
pub(crate) struct FamilyStats {
    /// Messages that wait to be sorted.
    pub(crate) queued: u64,
    /// Messages dropped because too much waited, on paths without flow control.
    pub(crate) dropped_full: u64,
    /// Messages that could not be stored before the end; their sources were notified.
    pub(crate) dropped_closed: u64,
    /// Messages whose name got no logspace of its own.
    pub(crate) overflowed: u64,
    /// Open logspaces.
    pub(crate) logspaces: u64,
}

/// The live counters.
#[derive(Default)]
pub(super) struct Counters {
    pub(super) queued: AtomicU64,
    pub(super) dropped_full: AtomicU64,
    pub(super) dropped_closed: AtomicU64,
    pub(super) overflowed: AtomicU64,
}

/// An open logspace with its options.
#[derive(Clone)]
pub(crate) struct FamilyLogspace {
    pub(crate) spec: LogspaceSpec,
    pub(crate) logspace: Arc<Logspace>,
    number: u64,
}

/// The open logspaces of a family.
pub(crate) struct Members {
    opener: Opener,
    template: String,
    state: Mutex<State>,
    /// How many there are, for callers that only want to know about new ones.
    count: AtomicUsize,
    pub(super) counters: Counters,
}

struct State {
    /// The options of each; its name is the one with macros.
    base: LogspaceSpec,
    open: Vec<FamilyLogspace>,
    by_name: HashMap<String, usize>,
}

/// The reasons why a logspace is not added.
#[derive(Debug)]
pub(super) enum AddError {
    /// There are as many as there may be.
    TooMany,
    /// Its folder cannot be made.
    Folder(MakeFolderError),
    /// It cannot be opened.
    Open(ReloadError),
}

impl fmt::Display for AddError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            AddError::TooMany => f.write_str("there are as many logspaces as logspaces-max() allows"),
            AddError::Folder(error) => error.fmt(f),
            AddError::Open(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for AddError {}

impl Members {
    /// Opens the logspaces of a family that are on disk.
    pub(crate) fn open(opener: Opener, base: LogspaceSpec) -> Result<Members, ReloadError> {
        let root = opener.folder();
        let found = families::found(&root, &base.name)
            .map_err(|source| ReloadError::Folder { path: root.clone(), source })?;
        let template = base.name.clone();
        let state = State { base, open: Vec::new(), by_name: HashMap::new() };
        let state = Mutex::new(state);
        let members =
            Members { opener, template, state, count: AtomicUsize::new(0), counters: Counters::default() };
        members.open_all(found)?;
        Ok(members)
    }

    fn open_all(&self, found: Vec<(u64, String)>) -> Result<(), ReloadError> {
        let opened = in_parallel(&found, |(number, name)| self.open_one(name, *number));
        let mut opened = opened.into_iter().collect::<Result<Vec<FamilyLogspace>, _>>()?;
        opened.sort_by_key(|member| member.number);
        opened.into_iter().for_each(|member| self.push(member));
        Ok(())
    }

    fn open_one(&self, name: &str, number: u64) -> Result<FamilyLogspace, ReloadError> {
        let spec = LogspaceSpec { name: name.to_owned(), ..self.locked().base.clone() };
        let logspace = Arc::new(self.opener.open(&spec).map_err(ReloadError::Logspace)?);
        Ok(FamilyLogspace { spec, logspace, number })
    }

    /// Changes the options of all of them, at a reload.
    pub(crate) fn follow(&self, base: &LogspaceSpec) -> Result<(), ReloadError> {
        let mut state = self.locked();
        if state.base.sealing != base.sealing {
            return Err(ReloadError::SealingChanged { logspace: base.name.clone() });
        }
        let retention =
            Retention { age: base.retention_age, bytes: base.retention_bytes, hold: base.legal_hold };
        for member in &mut state.open {
            member.logspace.set_retention(retention);
            member.spec = LogspaceSpec { name: member.spec.name.clone(), ..base.clone() };
        }
        state.base = base.clone();
        Ok(())
    }

    /// Returns the name with macros.
    pub(crate) fn template(&self) -> &str {
        &self.template
    }

    /// Returns the logspace of a name.
    pub(super) fn named(&self, name: &str) -> Option<Arc<Logspace>> {
        let state = self.locked();
        let index = *state.by_name.get(name)?;
        state.open.get(index).map(|member| member.logspace.clone())
    }

    /// Returns those of the names that have no logspace.
    pub(super) fn missing<'n>(&self, names: impl Iterator<Item = &'n Arc<str>>) -> Vec<Arc<str>> {
        let state = self.locked();
        names.filter(|name| !state.by_name.contains_key(&***name)).cloned().collect()
    }

    /// Makes and opens the logspaces of new names; there may be `most` besides the one named `uncounted`. Returns those
    /// that could not be opened.
    pub(super) fn add(&self, names: &[Arc<str>], most: usize, uncounted: &str) -> Vec<(Arc<str>, AddError)> {
        let (next, mut room) = {
            let state = self.locked();
            let counted = state.open.len() - usize::from(state.by_name.contains_key(uncounted));
            let next = state.open.iter().map(|member| member.number + 1).max().unwrap_or(0);
            (next, most.saturating_sub(counted))
        };
        let (mut numbered, mut errors) = (Vec::new(), Vec::new());
        for name in names {
            if **name != *uncounted {
                if room == 0 {
                    errors.push((name.clone(), AddError::TooMany));
                    continue;
                }
                room -= 1;
            }
            numbered.push((next + numbered.len() as u64, name.clone()));
        }
        let made = in_parallel(&numbered, |(number, name)| self.make_one(name, *number));
        for (made, (_, name)) in made.into_iter().zip(numbered) {
            match made {
                Ok(member) => {
                    self.push(member);
                    let (template, count) = (&self.template, self.count.load(Relaxed));
                    let text = format!(
                        "Logspace opened; logspace='{name}', template='{template}', logspaces='{count}'"
                    );
                    self.opener.log.write(Severity::NOTICE, &text);
                }
                Err(error) => errors.push((name, error)),
            }
        }
        errors
    }

    fn make_one(&self, name: &str, number: u64) -> Result<FamilyLogspace, AddError> {
        families::make(&self.opener.folder(), name, &self.template, number).map_err(AddError::Folder)?;
        self.open_one(name, number).map_err(AddError::Open)
    }

    fn push(&self, member: FamilyLogspace) {
        let mut state = self.locked();
        let index = state.open.len();
        state.by_name.insert(member.spec.name.clone(), index);
        state.open.push(member);
        self.count.store(state.open.len(), Relaxed);
    }

    /// Returns all of them, in the order in which they were made.
    pub(crate) fn list(&self) -> Vec<FamilyLogspace> {
        self.locked().open.clone()
    }

    /// Returns how many there are; they only become more.
    pub(crate) fn count(&self) -> usize {
        self.count.load(Relaxed)
    }

    /// Returns the counters.
    pub(crate) fn stats(&self) -> FamilyStats {
        FamilyStats {
            queued: self.counters.queued.load(Relaxed),
            dropped_full: self.counters.dropped_full.load(Relaxed),
            dropped_closed: self.counters.dropped_closed.load(Relaxed),
            overflowed: self.counters.overflowed.load(Relaxed),
            logspaces: self.count() as u64,
        }
    }

    fn locked(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Does the same for several items on threads of their own, [`OPENING_THREADS`] at most. Returns the results in the order
/// of the items.
fn in_parallel<T: Sync, R: Send>(items: &[T], work: impl Fn(&T) -> R + Sync) -> Vec<R> {
    let (next, done) = (AtomicUsize::new(0), Mutex::new(Vec::new()));
    let take = || {
        loop {
            let index = next.fetch_add(1, Relaxed);
            let Some(item) = items.get(index) else { return };
            let result = work(item);
            done.lock().unwrap_or_else(PoisonError::into_inner).push((index, result));
        }
    };
    // When one panics, so does the caller.
    thread::scope(|scope| (0..OPENING_THREADS.min(items.len())).for_each(|_| drop(scope.spawn(take))));
    let mut done = done.into_inner().unwrap_or_else(PoisonError::into_inner);
    done.sort_by_key(|(index, _)| *index);
    done.into_iter().map(|(_, result)| result).collect()
}
