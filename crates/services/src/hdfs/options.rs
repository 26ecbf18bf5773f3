//! The options of `hdfs()`.
//!
//! In: values that were checked when the configuration was read. Out: the same values, for the driver. Holds:
//! options only. Limits: none.

use delivery::Batches;
use message::Render;
use std::time::Duration;
use transport::tls::SenderTls;

/// `compression()`
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum HdfsCompression {
    /// `no`
    #[default]
    None,
    /// `yes`, `gzip`: each batch is a complete part of the file.
    Gzip,
    /// `zstd`: each batch is a complete frame.
    Zstd,
}

/// `hdfs-append-enabled()`
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum HdfsAppend {
    /// `no`: each file that is begun gets a name of its own, `NAME.ID`.
    #[default]
    NewFiles,
    /// `yes`: a file that is there is continued.
    Continue,
}

/// `hdfs()`.
pub struct HdfsTarget {
    /// The URLs of the NameNodes, by [`super::name_node_address`]; one of them is active.
    pub name_nodes: Vec<String>,
    /// `username()`: who we are for servers without Kerberos.
    pub username: String,
    /// `hdfs-file()`
    pub file: Box<dyn Render>,
    /// `hdfs-archive-dir()`: where finished files go.
    pub archive: Option<String>,
    /// `hdfs-max-filename-length()`
    pub name_bytes_max: usize,
    /// `hdfs-append-enabled()`
    pub append: HdfsAppend,
    /// `max-file-size()`: size at which a file is finished.
    pub file_bytes_max: Option<u64>,
    /// `time-reap()`: time without a message after which a file is finished.
    pub reap_after: Option<Duration>,
    /// `template()`
    pub text: Box<dyn Render>,
    /// `compression()`
    pub compression: HdfsCompression,
    /// `compresslevel()`
    pub compression_level: u32,
    /// `timeout()`: longest time of a request.
    pub timeout: Duration,
    /// `tls()`, for URLs that begin with `https://`.
    pub tls: SenderTls,
    /// How messages are gathered.
    pub batches: Batches,
}
