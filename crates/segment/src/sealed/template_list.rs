//! A place among the postings.
//!
//! In: what the section of templates says. Out: the same, in few bytes.

/// The documents of a template: one of them, or the place of a list.
#[derive(Clone, Copy)]
pub(super) struct TemplateList {
    /// Number of documents.
    pub(super) count: u32,
    /// The one document, or where among the postings the list of several begins.
    pub(super) at: u32,
    /// Bytes of the list.
    pub(super) size: u32,
}
