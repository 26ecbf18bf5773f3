//! The step that runs a command: it takes rows one by one and passes its results to the next.
//!
//! In: rows. Out: rows; `false` when no more are wanted. Holds: the state of its command.

use crate::{answer::SearchError, memory::MemoryPermit};
use lookup::Document;

/// Takes the next row; `false` when no more are wanted.
pub(super) type Next<'a> = &'a mut dyn FnMut(Document) -> Result<bool, SearchError>;

/// A running command.
pub(super) trait Step: Send {
    /// Takes a row; `false` when no more are wanted.
    fn push(&mut self, row: Document, next: Next<'_>) -> Result<bool, SearchError>;

    /// Passes on the rows that were held back.
    fn finish(&mut self, _next: Next<'_>) -> Result<(), SearchError> {
        Ok(())
    }
}

/// Sends a row through all steps.
pub(super) fn push(steps: &mut [Box<dyn Step>], row: Document, sink: Next<'_>) -> Result<bool, SearchError> {
    match steps.split_first_mut() {
        None => sink(row),
        Some((first, rest)) => first.push(row, &mut |row| push(rest, row, sink)),
    }
}

/// Lets every step pass on the rows that it held back, in order.
pub(super) fn finish(steps: &mut [Box<dyn Step>], sink: Next<'_>) -> Result<(), SearchError> {
    for index in 0..steps.len() {
        if let Some((first, rest)) = steps[index..].split_first_mut() {
            first.finish(&mut |row| push(rest, row, sink))?;
        }
    }
    Ok(())
}

/// Rows of a table, with the permit for their memory.
pub(super) struct HeldRows {
    pub(super) rows: Vec<Document>,
    pub(super) memory: MemoryPermit,
}
