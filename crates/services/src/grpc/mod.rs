//! gRPC: one call with one message each way, over HTTP/2.
//!
//! In: the path of a call, a message. Out: the message of the answer, or what became of the rows. Holds: a connection.
//! Limits: see each.
//!
//! | module | what it does |
//! |---|---|
//! | `channel` | a connection, and calls over it |
//! | `answer` | the status of an answer, its words, and when to try again |
//! | `judge` | the meaning of a status |
//! | `status` | the statuses by name |
//! | `options` | the options that all destinations over gRPC have |

mod answer;
mod channel;
mod judge;
mod options;
mod status;

#[cfg(test)]
pub(crate) mod tests;

pub use answer::GrpcAnswer;
pub(crate) use channel::{Call, Channel};
pub use options::{GrpcSettings, KeepAlive};
pub(crate) use options::{RenderedHeaders, headers_of};
pub use status::GrpcStatus;
