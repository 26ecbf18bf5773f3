//! `s3()`: batches of messages as objects of a bucket, or as parts of larger ones; and a bucket that is read.
//!
//! In: templates of names and texts. Out: objects, and what the server answers. Holds: connections. Limits: see
//! [`S3Target`] and [`BucketReader`].
//!
//! | module | what it does |
//! |---|---|
//! | `receiver` | names and texts of messages |
//! | `address` | the URL of a bucket |
//! | `key` | the name of an object |
//! | `body` | the content of an object |
//! | `connection` | the request for an object, and its repeats |
//! | `shared` | what the connections of a target share |
//! | `limits` | the limits of objects that are larger than a batch |
//! | `multipart` | objects that are larger than a batch |
//! | `signature` | AWS Signature Version 4 |
//! | `verdict` | what an answer means |
//! | `options` | what a configuration says |
//! | `read` | the objects of a bucket: their list and their content |

mod address;
mod body;
mod connection;
mod key;
mod limits;
mod multipart;
mod options;
mod read;
mod receiver;
mod shared;
mod signature;
mod verdict;

#[cfg(test)]
mod tests;

pub use address::{AddressError, bucket_address};
pub use key::{KeyError, check_prefix};
pub use limits::{CHUNK_BYTES_MAX, CHUNK_BYTES_MIN, MultipartLimits};
pub use options::{S3Checksum, S3Compression, S3Login, S3Target};
pub use read::{
    BucketReader, FaultKind, ListFrom, ListedObject, ObjectBody, ObjectList, ReadFault, S3Bucket,
};
pub use receiver::S3Receiver;
