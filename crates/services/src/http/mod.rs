//! `http()`: messages as bodies of requests, and the bulk requests of Elasticsearch and compatible systems.
//!
//! In: templates of addresses and bodies. Out: requests, and the results of each message from their answers. Holds: a
//! connection for each address. Limits: see [`HttpTarget`].
//!
//! | module | what it does |
//! |---|---|
//! | `receiver` | rows of messages |
//! | `connection` | sends a request with its rows to one address after the other |
//! | `targets` | the addresses: the next one to use, and those that failed |
//! | `body` | the body of a request |
//! | `action` | the action of a message in a bulk request, and the id of its document |
//! | `answers` | answers that say more than their status |
//! | `verdict` | the meaning of a status |
//! | `client`, `proxy` | one exchange over a connection |
//! | `options` | the options |

mod action;
mod answers;
mod body;
mod client;
mod connection;
mod options;
mod proxy;
mod receiver;
mod targets;
mod verdict;

#[cfg(test)]
mod tests;

pub(crate) use action::ID_DIGITS;
pub(crate) use answers::AnswerForm;
pub(crate) use body::{BodyForm, cells};
pub(crate) use client::{Lane, Reply, Request};
pub use options::{
    Authorization, Authorize, Compression, HttpTarget, ItemIds, ItemResults, RequestSettings, ResponseAction,
};
pub use receiver::HttpReceiver;
pub(crate) use verdict::Judge;
