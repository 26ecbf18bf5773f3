//! The objects of a bucket that is read: their list and their content.
//!
//! In: a bucket, a beginning of names. Out: pages of the list, and the bytes of an object from an offset on. Holds: two
//! connections. Limits: see [`BucketReader`].
//!
//! | module | what it does |
//! |---|---|
//! | `bucket` | the requests |
//! | `list` | a page of the list, from its XML |
//! | `fault` | what an answer means that is no success |

mod bucket;
mod fault;
mod list;

#[cfg(test)]
mod tests;

pub use bucket::{BucketReader, ListFrom, ObjectBody, S3Bucket};
pub use fault::{FaultKind, ReadFault};
pub use list::{ListedObject, ObjectList};
