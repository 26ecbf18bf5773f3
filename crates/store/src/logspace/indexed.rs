//! The segments of real logspaces: indexed ones.
//!
//! In: messages, paths. Out: [`Active`] and [`Sealed`] segments. Limits: theirs.

use super::segments::{Growing, Outline, SealFailed, Segments};
use crate::{
    ReadError, SegmentView,
    lock::Keys,
    segment::{Active, DOCUMENTS_MAX, Sealed, Sealing, Shell},
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

    fn open(&self, path: &Path, keys: &Keys) -> Result<Arc<dyn SegmentView>, ReadError> {
        Ok(Arc::new(Sealed::unlock(path, keys)?))
    }

    fn outline(&self, path: &Path) -> Result<Outline, ReadError> {
        let shell = Shell::open(path, &Keys::default())?;
        let record = shell.record();
        let (first, count, received_us) = match shell.extent() {
            Some(extent) => extent,
            None => {
                let sealed = shell.read()?;
                (sealed.first_sequence(), u64::from(sealed.len()), sealed.received_range())
            }
        };
        Ok(Outline { first, count, received_us, record })
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

    fn seal(&self, path: &Path, sealing: &Sealing<'_>) -> Result<(), SealFailed> {
        Active::seal_as(self, path, sealing)?;
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
