//! `hdfs()`: files of Hadoop, written over WebHDFS.
//!
//! In: messages. Out: requests to a NameNode and, where it sends them, to DataNodes. Holds: connections, and the files that
//! are written. Limits: those of batches; [`files::FILES_MAX`] files at a time for a destination.
//!
//! Modules in reading order:
//! - `options`: the options of the driver.
//! - `path`: names of files.
//! - `receiver`: the name and the text of each message.
//! - `files`: the files that are written, and what may be in them without being acknowledged.
//! - `connection`: the batch of one file, appended.
//! - `operations`: the calls of WebHDFS, and the NameNode that takes them.
//! - `verdict`: what an answer means.

mod connection;
mod files;
mod operations;
mod options;
mod path;
mod receiver;
#[cfg(test)]
mod tests;
mod verdict;

pub use operations::{NameNodeError, name_node_address};
pub use options::{HdfsAppend, HdfsCompression, HdfsTarget};
pub use receiver::HdfsReceiver;
