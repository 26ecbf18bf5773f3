//! The values of a column in some documents.
//!
//! In: stored columns, documents. Out: the value id of each document, and the values. Holds: the same while it is made.
//! Limits: a document with several values ends it, because a value id has room for one; one counter per distinct
//! value.

use super::{Run, Shown, Source};
use lookup::{Bitmap, CancelToken, ColumnValues, ReadError};
use std::collections::HashMap;

/// The values of an asked column, made from one stored column after the other.
pub(crate) struct ValueIds<'a> {
    documents: &'a Bitmap,
    made: ColumnValues,
    /// The ids of the values, as soon as several stored values may yield the same one.
    known: Option<HashMap<Vec<u8>, u32>>,
    /// True when a document has several values.
    is_ambiguous: bool,
}

impl<'a> ValueIds<'a> {
    /// Begins with documents that have no value.
    pub(crate) fn new(documents: &'a Bitmap) -> ValueIds<'a> {
        let made = ColumnValues::new(documents.count() as usize);
        ValueIds { documents, made, known: None, is_ambiguous: false }
    }

    /// Adds the values of a stored column.
    pub(crate) fn add(
        &mut self,
        source: &dyn Source,
        shown: &Shown,
        cancel: &CancelToken,
    ) -> Result<(), ReadError> {
        if self.is_ambiguous {
            return Ok(());
        }
        let distinct = source.distinct() as usize;
        let stored = stored_ids(source, self.documents, self.made.ids.len(), cancel)?;
        let mut is_used = vec![false; distinct + 1];
        stored.iter().for_each(|id| is_used[*id as usize] = true);
        is_used[0] = false;
        let used = is_used.iter().filter(|is_used| **is_used).count();
        if used == 0 {
            return Ok(());
        }
        // Stored values differ from each other; those of two columns, and those derived from them, need not.
        if self.known.is_none() && (shown.is_shared() || self.made.distinct() > 0) {
            let values = (1..=self.made.distinct() as u32).map(|id| (self.made.value(id).to_vec(), id));
            self.known = Some(values.collect());
        }
        let mut ids = vec![0; distinct + 1];
        if used * 64 < distinct {
            let mut value = Vec::new();
            for id in (1..=distinct).filter(|id| is_used[*id]) {
                source.value(id as u32, &mut value)?;
                ids[id] = self.id_of(shown, &value);
            }
        } else {
            source.values(&[Vec::new()], cancel, &mut |id, value| {
                if is_used.get(id as usize).copied().unwrap_or_default() {
                    ids[id as usize] = self.id_of(shown, value);
                }
                Ok(())
            })?;
        }
        for (own, id) in self.made.ids.iter_mut().zip(stored) {
            let id = ids[id as usize];
            self.is_ambiguous |= *own > 0 && id > 0;
            *own = (*own).max(id);
        }
        Ok(())
    }

    /// Returns the values; none when a document has several.
    pub(crate) fn finish(self) -> Option<ColumnValues> {
        (!self.is_ambiguous).then_some(self.made)
    }

    /// Returns the id of the value that is derived from a stored one; 0 when none is.
    fn id_of(&mut self, shown: &Shown, kept: &[u8]) -> u32 {
        let (mut id, mut count) = (0, 0);
        let (made, known) = (&mut self.made, &mut self.known);
        shown.of(kept, &mut |value| {
            count += 1;
            id = match known {
                None => made.add(value),
                Some(known) => match known.get(value) {
                    Some(id) => *id,
                    None => {
                        let id = made.add(value);
                        known.insert(value.to_vec(), id);
                        id
                    }
                },
            };
        });
        self.is_ambiguous |= count > 1;
        id
    }
}

/// Returns the id of the stored value of each document.
fn stored_ids(
    source: &dyn Source,
    documents: &Bitmap,
    count: usize,
    cancel: &CancelToken,
) -> Result<Vec<u32>, ReadError> {
    let mut ids = vec![0; count];
    let is_all = count == documents.len() as usize;
    // The number of documents before `counted` that are wanted.
    let (mut rank, mut counted) = (0, 0);
    source.runs(Some(documents), cancel, &mut |run| match run {
        Run::Dense { first, value_ids } if is_all => {
            let own = ids.iter_mut().skip(first as usize);
            own.zip(value_ids).for_each(|(own, id)| *own = *id);
        }
        Run::Dense { first, value_ids } => {
            rank += documents.count_range(counted..first) as usize;
            counted = first + value_ids.len() as u32;
            for (document, id) in (first..).zip(value_ids) {
                if document < documents.len() && documents.has(document) {
                    ids[rank] = *id;
                    rank += 1;
                }
            }
        }
        Run::Sparse { documents: these, value_ids } => {
            for (document, id) in these.iter().zip(value_ids) {
                if *document < documents.len() && documents.has(*document) {
                    rank += documents.count_range(counted..*document) as usize;
                    counted = *document;
                    ids[rank] = *id;
                }
            }
        }
    })?;
    Ok(ids)
}
