//! The rules of the running server, and the notifications of what they report.
//!
//! In: the folder of rules, the open logspaces. Out: threads that evaluate the rules, and threads that notify. Holds: the
//! threads. Rules that cannot be used, and channels and routes, are reported in our log and in the health of the server,
//! which runs without them.

use crate::{
    assemble::LogspaceSpec,
    authorities,
    daemon::settings::Settings,
    data_folder::{author::now_us, layout::ALERTS},
};
use alerts::{Watcher, read_folder};
use logspace::Logspace;
use message::Severity;
use notify::{Notifier, NotifierOptions, read_setup};
use std::{
    path::{Path, PathBuf},
    sync::Arc,
};
use transport::{HostPolicy, InternalLog, own_name};

/// The folder of files beside the configuration.
const FOLDER: &str = "rules";

/// The threads, and the folder of rules when the configuration names none.
pub(crate) struct Rules {
    watcher: Watcher,
    notifier: Notifier,
    beside: PathBuf,
}

impl Rules {
    /// Names the database and the folder; nothing is opened before there are rules.
    pub(crate) fn new(settings: &Settings) -> Rules {
        let beside = settings.config.parent().unwrap_or(Path::new("")).join(FOLDER);
        let watcher = Watcher::at(&settings.data.join(ALERTS));
        let notifier = Notifier::new(NotifierOptions {
            store: Arc::clone(watcher.store()),
            server: own_name(&HostPolicy { fqdn: true, ..HostPolicy::default() }),
            authorities: authorities::system(),
            clock: Arc::new(now_us),
        });
        Rules { watcher, notifier, beside }
    }

    /// Reads the folder, follows its rules, and reports what cannot be used.
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
        let followed = self.watcher.follow(read_folder(folder), &named);
        let failed = followed.err().map(|error| format!("cannot start a thread for rules: {error}"));
        for trouble in self.watcher.problems().into_iter().chain(failed) {
            // A quote must not end the field.
            let trouble = trouble.replace('\'', "\\'");
            log.write(Severity::WARNING, &format!("Rules cannot be used; what='{trouble}'"));
        }
    }

    /// Returns what is wrong, one sentence each.
    pub(crate) fn troubles(&self) -> Vec<String> {
        self.watcher.troubles().into_iter().chain(self.notifier.troubles()).collect()
    }

    /// Ends the threads; they go on where they were at the next start.
    pub(crate) fn stop(&self) {
        self.watcher.stop();
        self.notifier.stop();
    }

    /// Returns the threads that evaluate rules, with their figures and their database.
    pub(crate) fn watcher(&self) -> &Watcher {
        &self.watcher
    }
}
