//! The segments of real logspaces: indexed ones.
//!
//! In: messages, paths. Out: [`Active`] and [`Sealed`] segments. Limits: theirs.

use super::segments::{Growing, SealFailed, Segments};
use crate::{
    ReadError, SegmentView,
    segment::{Active, DOCUMENTS_MAX, Sealed},
};
use message::{Batch, Selection};
use std::{path::Path, sync::Arc};

/// Indexed segments.
pub(crate) struct Indexed;

impl Segments for Indexed {
    fn messages_max(&self) -> u64 {
        u64::from(DOCUMENTS_MAX)
    }

    fn begin(&self, first_sequence: u64) -> Box<dyn Growing> {
        Box::new(Active::new(first_sequence, None))
    }

    fn open(&self, path: &Path) -> Result<Arc<dyn SegmentView>, ReadError> {
        Ok(Arc::new(Sealed::open(path)?))
    }
}

impl Growing for Active {
    fn append(&mut self, batch: &Batch, selection: &Selection) {
        Active::append(self, batch, selection);
    }

    fn view(&self) -> Arc<dyn SegmentView> {
        Active::view(self)
    }

    fn begin_next(&self, first_sequence: u64) -> Box<dyn Growing> {
        Box::new(Active::new(first_sequence, self.learned()))
    }

    fn seal(&self, path: &Path) -> Result<(), SealFailed> {
        Active::seal(self, path)?;
        Ok(())
    }

    fn is_full(&self) -> bool {
        Active::is_full(self)
    }

    fn len(&self) -> u32 {
        Active::len(self)
    }

    fn first_sequence(&self) -> u64 {
        Active::first_sequence(self)
    }

    fn received_range(&self) -> (i64, i64) {
        Active::received_range(self)
    }
}
