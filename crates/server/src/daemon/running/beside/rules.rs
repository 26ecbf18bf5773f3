//! The rules of the running server, and the notifications of what they report.
//!
//! In: the folder of rules, rules that people keep on the server, the open logspaces. Out: threads that evaluate the rules, and
//! threads that notify. Holds: these threads, and one that looks for changes of saved rules and of their owners' rights, at
//! least each second. Rules that cannot be used, and channels and routes, are reported in our log and in the health of the server,
//! which runs without them.

use super::saved_rules::{Decision, RuleOwners};
use crate::{
    assemble::LogspaceSpec,
    authorities,
    daemon::settings::Settings,
    data_folder::{
        author::now_us,
        layout::{ALERTS, USERS},
    },
};
use accounts::Accounts;
use alerts::{SavedRules, Watcher, read_folder};
use logspace::Logspace;
use message::Severity;
use notify::{Notifier, NotifierOptions, read_setup};
use objects::Store;
use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
    thread::{self, JoinHandle},
    time::Duration,
};
use transport::{HostPolicy, InternalLog, own_name};

/// The folder of files beside the configuration.
const FOLDER: &str = "rules";

/// Longest time until a change of the rights of an owner is seen.
const LOOK: Duration = Duration::from_secs(1);

/// The threads, and the folder of rules when the configuration names none.
pub(crate) struct Rules {
    watching: Arc<Watching>,
    notifier: Notifier,
    beside: PathBuf,
    /// The thread that looks for changes of saved rules.
    keeper: Mutex<Option<JoinHandle<()>>>,
}

/// State that the thread of saved rules shares with the loop of the server.
struct Watching {
    watcher: Watcher,
    /// The saved rules and their owners; none without a page.
    owners: Option<RuleOwners>,
    /// Held while a decision is made and followed, so that an older one never comes after a newer one.
    decided: Mutex<Decided>,
    is_stopping: AtomicBool,
}

/// The last decision about saved rules.
#[derive(Default)]
struct Decided {
    /// The rules of files, which count before objects of the same id.
    files: BTreeMap<String, PathBuf>,
    decision: Decision,
    /// True when what stopped is in the database.
    is_noted: bool,
    /// The reason why it is not, or why threads cannot be started.
    trouble: Option<String>,
}

impl Rules {
    /// Names the database and the folder; nothing is opened before there are rules.
    pub(crate) fn new(settings: &Settings, objects: Option<&Arc<Store>>) -> Rules {
        let beside = settings.config.parent().unwrap_or(Path::new("")).join(FOLDER);
        let watcher = Watcher::at(&settings.data.join(ALERTS));
        let notifier = Notifier::new(NotifierOptions {
            store: Arc::clone(watcher.store()),
            server: own_name(&HostPolicy { fqdn: true, ..HostPolicy::default() }),
            authorities: authorities::system(),
            clock: Arc::new(now_us),
        });
        let accounts = Accounts::at(&settings.data.join(USERS));
        let owners = objects.map(|objects| RuleOwners::new(Arc::clone(objects), accounts));
        let (decided, is_stopping) = (Mutex::default(), AtomicBool::new(false));
        let watching = Arc::new(Watching { watcher, owners, decided, is_stopping });
        Rules { watching, notifier, beside, keeper: Mutex::default() }
    }

    /// Reads the folder, follows its rules and those of objects, and reports what cannot be used.
    pub(crate) fn follow(
        &self,
        folder: Option<&Path>,
        logspaces: &[(LogspaceSpec, Arc<Logspace>)],
        log: &InternalLog,
    ) {
        let named: Vec<(String, Arc<Logspace>)> =
            logspaces.iter().map(|(spec, logspace)| (spec.name.clone(), Arc::clone(logspace))).collect();
        let folder = folder.unwrap_or(&self.beside);
        // Channels first: what a new rule reports finds its route.
        self.notifier.follow(read_setup(folder), log);
        for trouble in self.notifier.problems() {
            let trouble = trouble.replace('\'', "\\'");
            log.write(Severity::WARNING, &format!("Notifications cannot be used; what='{trouble}'"));
        }
        self.watching.follow(folder, &named);
        for trouble in self.watching.problems() {
            report(log, &trouble);
        }
        let mut keeper = self.keeper.lock().unwrap_or_else(PoisonError::into_inner);
        if self.watching.owners.is_some() && keeper.is_none() {
            let (watching, thread_log) = (Arc::clone(&self.watching), log.clone());
            let started = thread::Builder::new()
                .name("saved-rules".to_owned())
                .spawn(move || watching.keep(&thread_log));
            match started {
                Ok(thread) => *keeper = Some(thread),
                Err(error) => log.write(
                    Severity::WARNING,
                    &format!("Changes of saved rules are not seen before a reload; error='{error}'"),
                ),
            }
        }
    }

    /// Returns what is wrong, one sentence each.
    pub(crate) fn troubles(&self) -> Vec<String> {
        let decided = self.watching.decided().trouble.clone();
        let watcher = self.watching.watcher.troubles();
        watcher.into_iter().chain(decided).chain(self.notifier.troubles()).collect()
    }

    /// Returns why saved rules that are switched on do not run, by their ids.
    pub(crate) fn stopped(&self) -> BTreeMap<String, String> {
        self.watching.decided().decision.reasons()
    }

    /// Ends the threads; they go on where they were at the next start.
    pub(crate) fn stop(&self) {
        self.watching.is_stopping.store(true, Ordering::Relaxed);
        if let Some(owners) = &self.watching.owners {
            owners.objects().wake();
        }
        let keeper = self.keeper.lock().unwrap_or_else(PoisonError::into_inner).take();
        // A thread that panicked has reported it.
        let _ = keeper.map(JoinHandle::join);
        self.watching.watcher.stop();
        self.notifier.stop();
    }

    /// Returns the threads that evaluate rules, with their figures and their database.
    pub(crate) fn watcher(&self) -> &Watcher {
        &self.watching.watcher
    }
}

impl Watching {
    fn decided(&self) -> MutexGuard<'_, Decided> {
        self.decided.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns what is wrong with rules, one sentence each.
    fn problems(&self) -> Vec<String> {
        let trouble = self.decided().trouble.clone();
        self.watcher.problems().into_iter().chain(trouble).collect()
    }

    /// Follows the rules of a folder, and the saved ones.
    fn follow(&self, folder: &Path, logspaces: &[(String, Arc<Logspace>)]) {
        let read = read_folder(folder);
        let mut decided = self.decided();
        if let Ok(set) = &read {
            decided.files = set.files();
            if let Some(owners) = &self.owners {
                owners.objects().set_taken(decided.files.clone());
            }
        }
        let saved = self.decide(&mut decided);
        let followed = self.watcher.follow(read, saved, logspaces);
        self.note(&mut decided, followed.err());
    }

    /// Decides which saved rules run. While accounts cannot be read the last decision counts.
    fn decide(&self, decided: &mut Decided) -> SavedRules {
        let decision = self.owners.as_ref().map(|owners| owners.decide(&decided.files));
        match decision {
            Some(Ok(decision)) if decision != decided.decision => {
                (decided.decision, decided.is_noted) = (decision, false);
            }
            _ => {}
        }
        decided.decision.saved.clone()
    }

    /// Writes down what stopped and what runs again, once; a failure is tried again.
    fn note(&self, decided: &mut Decided, failed: Option<std::io::Error>) {
        decided.trouble = failed.map(|error| format!("cannot start a thread for rules: {error}"));
        if decided.is_noted || self.owners.is_none() {
            return;
        }
        let Decision { stopped, .. } = &decided.decision;
        match self.watcher.store().note_stopped(stopped, &decided.decision.running(), now_us()) {
            Ok(()) => decided.is_noted = true,
            Err(error) => decided.trouble = Some(error.to_string()),
        }
    }

    /// Follows changes of saved rules and of their owners' rights until the server stops.
    fn keep(&self, log: &InternalLog) {
        let Some(owners) = &self.owners else { return };
        let (mut seen, mut told) = (0, self.problems());
        while !self.is_stopping.load(Ordering::Relaxed) {
            seen = owners.objects().wait_for_change(seen, LOOK);
            let mut decided = self.decided();
            let saved = self.decide(&mut decided);
            let followed = self.watcher.follow_saved(saved);
            self.note(&mut decided, followed.err());
            drop(decided);
            let problems = self.problems();
            problems
                .iter()
                .filter(|problem| !told.contains(problem))
                .for_each(|problem| report(log, problem));
            told = problems;
        }
    }
}

/// Writes what is wrong with rules into our log.
fn report(log: &InternalLog, trouble: &str) {
    // A quote must not end the field.
    let trouble = trouble.replace('\'', "\\'");
    log.write(Severity::WARNING, &format!("Rules cannot be used; what='{trouble}'"));
}
