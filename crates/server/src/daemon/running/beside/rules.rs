//! The rules of the running server.
//!
//! In: the folder of rules, the open logspaces. Out: threads that evaluate the rules. Holds: the threads. Rules that cannot
//! be used are reported in our log and in the health of the server, which runs without them.

use crate::{assemble::LogspaceSpec, daemon::settings::Settings, data_folder::layout::ALERTS};
use alerts::{Watcher, read_folder};
use logspace::Logspace;
use message::Severity;
use std::{
    path::{Path, PathBuf},
    sync::Arc,
};
use transport::InternalLog;

/// The folder of files beside the configuration.
const FOLDER: &str = "rules";

/// The threads, and the folder of rules when the configuration names none.
pub(crate) struct Rules {
    watcher: Watcher,
    beside: PathBuf,
}

impl Rules {
    /// Names the database and the folder; nothing is opened before there are rules.
    pub(crate) fn new(settings: &Settings) -> Rules {
        let beside = settings.config.parent().unwrap_or(Path::new("")).join(FOLDER);
        Rules { watcher: Watcher::at(&settings.data.join(ALERTS)), beside }
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
        let followed = self.watcher.follow(read_folder(folder.unwrap_or(&self.beside)), &named);
        let failed = followed.err().map(|error| format!("cannot start a thread for rules: {error}"));
        for trouble in self.watcher.problems().into_iter().chain(failed) {
            // A quote must not end the field.
            let trouble = trouble.replace('\'', "\\'");
            log.write(Severity::WARNING, &format!("Rules cannot be used; what='{trouble}'"));
        }
    }

    /// Returns the threads with their figures and their database.
    pub(crate) fn watcher(&self) -> &Watcher {
        &self.watcher
    }
}
