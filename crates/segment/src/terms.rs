//! What is kept of words beside the lists of their messages.
//!
//! In: tokens as they come, or as a file has them. Out: which are frequent, the templates of texts made of these, which
//! neighbours the others have, which letters a piece of a list has. Limits: see each module.

pub(crate) mod frequent;
pub(crate) mod letters;
pub(crate) mod neighbours;
pub(crate) mod templates;
