//! Other people's systems that are spoken to over HTTP: one folder each.
//!
//! In: the options of a system. Out: receivers for [`delivery`], which has the queue, the retries and the dead
//! letters. Holds: nothing shared. Limits: see each.
//!
//! | module | what it does |
//! |---|---|
//! | `clickhouse` | `clickhouse()`: batches of messages as rows of a table of ClickHouse |
//! | `cloud` | `cloud-auth()`: tokens that requests show |
//! | `grpc` | calls of gRPC, for `opentelemetry()` and `loki()` |
//! | `hdfs` | `hdfs()`: files of Hadoop, over WebHDFS |
//! | `http` | `http()`: bodies of requests, and the bulk requests of Elasticsearch |
//! | `identity` | a name for a batch that is the same at every attempt |
//! | `loki` | `loki()` over gRPC: lines in streams of labels |
//! | `nrdp` | `nrdp()`: results of checks for Nagios |
//! | `otlp` | `opentelemetry()`, `syslog-ng-otlp()`: messages as log records |
//! | `s3` | `s3()`: batches of messages as objects of a bucket; and a client that reads one |
//! | `url` | URLs of servers, and texts in URLs |

mod clickhouse;
mod cloud;
mod grpc;
mod hdfs;
mod http;
mod identity;
mod loki;
mod nrdp;
mod otlp;
mod s3;
#[cfg(test)]
mod testing;
mod url;

pub use clickhouse::{
    ClickhouseColumn, ClickhouseContent, ClickhouseFormat, ClickhouseReceiver, ClickhouseTarget,
    ColumnNameError, check_name,
};
pub use cloud::{ClientAuth, ClientCredentials, CloudAuth, MetadataAccount, ServiceAccount, Tokens};
pub use grpc::{GrpcAnswer, GrpcSettings, GrpcStatus, KeepAlive};
pub use hdfs::{HdfsAppend, HdfsCompression, HdfsReceiver, HdfsTarget, NameNodeError, name_node_address};
pub use http::{
    AckOptions, Authorization, Authorize, Compression, Document, DocumentBody, FetchAnswer, FetchError,
    Fetcher, HttpReceiver, HttpTarget, IndexSetup, ItemIds, ItemResults, OnHeaderError, PostAnswer,
    PostError, Poster, PythonHeader, RequestSettings, ResponseAction, Rollover, RolloverTarget,
};
pub use loki::{LOKI_MOVED_NS, LokiReceiver, LokiTarget, LokiTime};
pub use nrdp::{NrdpReceiver, NrdpTarget};
pub use otlp::{OtlpForm, OtlpReceiver, OtlpTarget};
pub use s3::{
    AddressError, BucketReader, CHUNK_BYTES_MAX, CHUNK_BYTES_MIN, FaultKind, KeyError, ListFrom,
    ListedObject, MultipartLimits, ObjectBody, ObjectList, ReadFault, S3Bucket, S3Checksum, S3Compression,
    S3Login, S3Receiver, S3Target, bucket_address, check_prefix,
};
pub use url::{encode_into, server_url};
