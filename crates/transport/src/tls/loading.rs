//! The settings of one driver and the files read for them.
//!
//! In: options. Out: settings, read when a configuration is applied. Holds: them, shared by copies.
//! Limits: a key whose password is missing is not an error of the configuration: it is retried at each use.

use super::{error::TlsError, options::TlsOptions};
use std::sync::{Arc, OnceLock};

/// Settings that can be read from files.
pub trait Load: Sized {
    /// Reads it.
    fn load(options: &TlsOptions) -> Result<Self, TlsError>;
}

/// Options, and the settings read for them. Two are equal when their options are: other certificates in the same files
/// are no reason to close connections.
#[derive(Clone, Debug)]
pub struct Configured<T> {
    /// The options.
    pub options: Arc<TlsOptions>,
    loaded: Arc<OnceLock<T>>,
}

impl<T: Load> Configured<T> {
    /// Creates settings whose files have not been read yet.
    pub fn new(options: TlsOptions) -> Configured<T> {
        Configured { options: Arc::new(options), loaded: Arc::default() }
    }

    /// The settings, read now unless they were.
    pub fn settings(&self) -> Result<&T, TlsError> {
        if let Some(loaded) = self.loaded.get() {
            return Ok(loaded);
        }
        let loaded = T::load(&self.options)?;
        Ok(self.loaded.get_or_init(|| loaded))
    }
}

impl<T> PartialEq for Configured<T> {
    fn eq(&self, other: &Configured<T>) -> bool {
        self.options == other.options
    }
}

impl<T> Eq for Configured<T> {}

#[cfg(test)]
mod tests;
