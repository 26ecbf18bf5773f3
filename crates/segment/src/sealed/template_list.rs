//! A position in the postings.
//!
//! In: an entry of the section of templates. Out: the same, in few bytes.

/// The documents of a template: a single one, or the position of a list.
#[derive(Clone, Copy)]
pub(super) struct TemplateList {
    /// Number of documents.
    pub(super) count: u32,
    /// The one document, or where among the postings the list of several begins.
    pub(super) at: u32,
    /// Bytes of the list.
    pub(super) size: u32,
}
