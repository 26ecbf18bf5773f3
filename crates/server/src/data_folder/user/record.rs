//! Writes changes of accounts into the ledger of a data folder, before they are made.
//!
//! In: an action and its details. Out: an error if it cannot be written, and then nothing may be changed. Holds nothing.

use crate::data_folder::{
    author::{now_us, user},
    layout::LEDGER,
};
use accounts::AccountError;
use evidence::{Ledger, LedgerEntry};
use serde_json::{Value, json};
use std::path::Path;

/// Appends an entry.
pub(super) fn append(
    data: &Path,
    action: &'static str,
    logspace: &str,
    details: Value,
) -> Result<(), AccountError> {
    let (logspace, question) = (logspace.to_owned(), String::new());
    let entry = LedgerEntry { at_us: now_us(), user: user(), action, logspace, question, details };
    let path = data.join(LEDGER);
    Ledger::at(&path).append(&entry).map_err(|source| AccountError::Io { path, source })
}

/// Records a change that failed, and returns its outcome.
pub(super) fn failure<T>(
    data: &Path,
    action: &'static str,
    name: &str,
    changed: Result<T, AccountError>,
) -> Result<T, AccountError> {
    if let Err(error) = &changed {
        append(data, action, "", json!({"user": name, "failed": error.to_string()}))?;
    }
    changed
}
