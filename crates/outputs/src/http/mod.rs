//! `http()`: messages as bodies of requests, and the bulk requests of Elasticsearch and those that speak like it.
//!
//! In: templates of addresses and bodies. Out: requests, and what their answers say about each message. Holds: a connection
//! for each address. Limits: see [`HttpTarget`].
//!
//! | module | what it does |
//! |---|---|
//! | `receiver` | rows of messages |
//! | `connection` | a request with its rows, sent to one address after the other |
//! | `targets` | the addresses: whose turn it is, and which failed |
//! | `body` | the body of a request |
//! | `action` | what a message of a bulk request asks for, and the id of its document |
//! | `bulk` | answers that have a result for each message |
//! | `verdict` | what a status means |
//! | `client`, `proxy` | one exchange over a connection |
//! | `options` | what a configuration says |

mod action;
mod body;
mod bulk;
mod client;
mod connection;
mod options;
mod proxy;
mod receiver;
mod targets;
mod verdict;

#[cfg(test)]
mod tests;

pub use options::{Compression, HttpTarget, ItemIds, ItemResults, RequestSettings, ResponseAction};
pub use receiver::HttpReceiver;
