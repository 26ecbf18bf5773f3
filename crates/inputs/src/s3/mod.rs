//! `s3()` as a source: the lines of a bucket's objects become messages.
//!
//! In: the list of a bucket, the content of objects. Out: batches. Holds: a thread, a connection for the list, and one for each object
//! that is being read. Limits: a page of the list, and for each of `workers()` the window of the source and a decompressor.
//!
//! Names of objects need not grow: the whole list is compared with what is known to be read, on disk, object by object. How far an
//! object is acknowledged is there too.
//!
//! | module | what it does |
//! |---|---|
//! | `source` | the contract with the set of sources |
//! | `reader` | the thread: starts tasks, saves what is acknowledged, ends |
//! | `lister` | finds the objects that are not read yet |
//! | `worker` | reads one object after the other |
//! | `content` | decompresses an object, piece by piece |
//! | `progress` | the objects that are being read, and what is acknowledged of them |
//! | `register` | what was read, on disk |
//! | `troubles` | why something cannot be read at present |
//! | `options` | what a configuration says |

mod content;
mod lister;
mod options;
mod progress;
mod reader;
mod register;
mod source;
mod troubles;
mod worker;

#[cfg(test)]
mod tests;

pub use options::{OldObjects, S3Source};
