//! The saved objects of the running server.
//!
//! In: the data folder, the folder of files. Out: the store that the API uses. Holds: the store. A database or a file that
//! cannot be used is reported in our log and in the health of the server, which runs without it.

use crate::{
    daemon::settings::Settings,
    data_folder::layout::{OBJECTS, USERS},
};
use accounts::Accounts;
use message::Severity;
use objects::Store;
use std::{
    path::{Path, PathBuf},
    sync::Arc,
};
use transport::InternalLog;

/// The folder of files beside the configuration.
const FOLDER: &str = "objects";

/// The store, and the folder of files when the configuration names none.
pub(crate) struct SavedObjects {
    store: Arc<Store>,
    beside: PathBuf,
}

impl SavedObjects {
    /// Opens the store of a server with a page; nobody could use that of another one.
    pub(crate) fn open(settings: &Settings) -> Option<SavedObjects> {
        settings.http?;
        let store = Arc::new(Store::open(&settings.data.join(OBJECTS)).with_built_in());
        // Rules need the accounts of their owners before the page is open.
        store.set_users(Arc::new(Accounts::at(&settings.data.join(USERS))));
        let beside = settings.config.parent().unwrap_or(Path::new("")).join(FOLDER);
        Some(SavedObjects { store, beside })
    }

    /// Reads the folder of files, and reports what cannot be used.
    pub(crate) fn reload(&self, folder: Option<&Path>, log: &InternalLog) {
        self.store.reload(folder.unwrap_or(&self.beside));
        for trouble in self.store.troubles() {
            // A quote must not end the field.
            let trouble = trouble.replace('\'', "\\'");
            log.write(Severity::WARNING, &format!("Saved objects cannot be used; what='{trouble}'"));
        }
    }

    /// Returns the store.
    pub(crate) fn store(&self) -> &Arc<Store> {
        &self.store
    }
}
