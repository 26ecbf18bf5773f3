//! The parameters of sealing: the recipients of a segment, and its record, which says when it was sealed.
//!
//! In: the logspace's recipients and notary. Out: a lock, a record. Limits: a segment without recipients is
//! not encrypted; one without a notary has no record.

use evidence::{Facts, Recipient};

/// How to seal a segment.
#[derive(Clone, Copy, Default)]
pub struct Sealing<'a> {
    /// The recipients that may open it; when empty, it is not encrypted.
    pub recipients: &'a [Recipient],
    /// Makes the record of the chain of evidence.
    pub notary: Option<&'a dyn Fn(Facts) -> Option<String>>,
}

impl<'a> Sealing<'a> {
    /// Seals for these recipients, without a record.
    pub fn for_recipients(recipients: &'a [Recipient]) -> Sealing<'a> {
        Sealing { recipients, notary: None }
    }

    /// Adds a record that `notary` makes from the segment's facts; if it returns `None`, sealing fails.
    pub fn with_notary(self, notary: &'a dyn Fn(Facts) -> Option<String>) -> Sealing<'a> {
        Sealing { notary: Some(notary), ..self }
    }
}
