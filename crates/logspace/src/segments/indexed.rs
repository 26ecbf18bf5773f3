//! The segments of real logspaces, which have an index.
//!
//! In: messages, paths. Out: [`Active`] and [`Sealed`] segments. Limits: theirs.

use super::{Growing, MakeDraftError, Outline, Recoded, Segments};
use evidence::{Digest, Facts, Keys};
use lookup::{ReadError, SegmentView};
use message::{Batch, Selection};
use segment::{
    Active, DOCUMENTS_MAX, Draft, RecodeError, RecodeReport, Recoding, SealError, Sealed, Sealing,
    SegmentForm, SegmentInspector,
};
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

    fn rest(&self) {
        segment::release_spare_memory();
    }

    fn open(&self, path: &Path, keys: &Keys) -> Result<Arc<dyn SegmentView>, ReadError> {
        Ok(Arc::new(Sealed::unlock(path, keys)?))
    }

    fn outline(&self, path: &Path) -> Result<Outline, ReadError> {
        let inspector = SegmentInspector::open(path, &Keys::default())?;
        let (record, contents) = (inspector.record(), inspector.contents());
        let form = inspector.form();
        let (first, count, received_us) = match inspector.extent() {
            Some(extent) => extent,
            None => {
                let sealed = inspector.read()?;
                (sealed.first_sequence(), u64::from(sealed.len()), sealed.received_range())
            }
        };
        Ok(Outline { first, count, received_us, contents, record, form })
    }

    fn recode(
        &self,
        path: &Path,
        target: &Path,
        recoding: &mut Recoding<'_>,
    ) -> Result<Box<dyn Recoded>, MakeDraftError> {
        let inspector = SegmentInspector::open(path, recoding.keys)?;
        if inspector.is_encrypted() == recoding.recipients.is_empty() {
            return Err(MakeDraftError::OtherRecipients { path: path.to_owned() });
        }
        let form = inspector.form();
        let sealed = inspector.read()?;
        let draft = match form {
            SegmentForm::Sealed => sealed.recode(target, recoding),
            SegmentForm::Recoded | SegmentForm::Aged => sealed.age(target, recoding),
        };
        Ok(Box::new(draft?))
    }
}

/// Most bytes by which a record that names what was replaced is longer than the previous record: it is appended to
/// the file.
const RECORD_BYTES: u64 = 1024;

impl Recoded for Draft {
    fn messages(&self) -> Digest {
        Draft::messages(self)
    }

    fn is_smaller(&self) -> bool {
        self.report().file + RECORD_BYTES < self.report().before
    }

    fn finish(
        self: Box<Self>,
        notary: &dyn Fn(Facts) -> Option<String>,
    ) -> Result<RecodeReport, RecodeError> {
        Draft::finish(*self, notary).map_err(RecodeError::Write)
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

    fn seal(&self, path: &Path, sealing: &Sealing<'_>) -> Result<(), SealError> {
        Active::seal_as(self, path, sealing)?;
        Ok(())
    }

    fn is_full(&self) -> bool {
        Active::is_full(self)
    }

    fn memory_bytes(&self) -> u64 {
        Active::memory_bytes(self)
    }

    fn values_without_column(&self) -> u64 {
        Active::values_without_column(self)
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
