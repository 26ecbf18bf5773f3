//! Records that the kernel writes: its log and its process accounting.
//!
//! In: one record. Out: a message in the batch. Holds nothing: see each module.

mod accounting;
mod kmsg;

pub use accounting::{ACCOUNTING_BYTES, push_accounting};
pub use kmsg::push_kmsg;
