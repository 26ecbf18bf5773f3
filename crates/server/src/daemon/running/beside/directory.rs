//! The directory of people who have no password here.
//!
//! In: options. Out: the directory for sign-ins. Holds: the directory that is configured now.

use directory::{DirectoryError, Ldap, LdapOptions};
use std::sync::{Arc, Mutex, PoisonError};

/// The directory that is configured now.
#[derive(Default)]
pub(crate) struct DirectoryInUse(Mutex<Option<Arc<Ldap>>>);

impl DirectoryInUse {
    /// Reads the certificates that the options name.
    pub(crate) fn load(options: Option<&LdapOptions>) -> Result<Option<Arc<Ldap>>, DirectoryError> {
        options.map(|options| Ldap::new(options.clone()).map(Arc::new)).transpose()
    }

    /// Takes a directory into use.
    pub(crate) fn take(&self, directory: Option<Arc<Ldap>>) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = directory;
    }

    /// Returns the directory.
    pub(crate) fn present(&self) -> Option<Arc<Ldap>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}
