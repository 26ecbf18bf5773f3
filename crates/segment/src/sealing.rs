//! What sealing adds to a segment's messages: who may open it, and the record that says when it was sealed.
//!
//! In: the logspace's recipients and notary. Out: a lock, a record. Limits: a segment that is sealed for nobody is
//! not encrypted; one without a notary has no record.

use evidence::{Facts, Recipient};

/// How a segment is to be sealed.
#[derive(Clone, Copy, Default)]
pub struct Sealing<'a> {
    /// Who may open it; nobody: it is not encrypted.
    pub recipients: &'a [Recipient],
    /// Makes the record of the chain of evidence.
    pub notary: Option<&'a dyn Fn(Facts) -> Option<String>>,
}

impl<'a> Sealing<'a> {
    /// Encrypted for these recipients, without a record.
    pub fn for_recipients(recipients: &'a [Recipient]) -> Sealing<'a> {
        Sealing { recipients, notary: None }
    }

    /// With a record that `notary` makes of what the segment is known by; `None` keeps it from being sealed.
    pub fn with_notary(self, notary: &'a dyn Fn(Facts) -> Option<String>) -> Sealing<'a> {
        Sealing { notary: Some(notary), ..self }
    }
}
