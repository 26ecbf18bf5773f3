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
//! | `form` | the form of an answer, by the address it comes from |
//! | `action` | the action of a message in a bulk request, and the id of its document |
//! | `answers` | answers that say more than their status |
//! | `header_class` | headers that a class of the configuration makes |
//! | `client`, `proxy` | one exchange over a connection |
//! | `fetch` | documents of a server, one request after the other; one body to an address that was checked before |
//! | `options` | the options |

mod action;
mod answers;
mod body;
mod client;
mod connection;
mod fetch;
mod form;
mod header_class;
mod options;
mod proxy;
mod receiver;
mod targets;

#[cfg(test)]
mod tests;

pub(crate) use answers::Judge;
pub(crate) use body::{BodyForm, IdForm, cells};
pub(crate) use client::{Answer, Body, Lane, Reply, Request};
pub use fetch::{Document, DocumentBody, FetchAnswer, FetchError, Fetcher, PostAnswer, PostError, Poster};
pub(crate) use form::AnswerForm;
pub use header_class::{OnHeaderError, PythonHeader};
pub use options::{
    AckOptions, Authorization, Authorize, Compression, HttpTarget, IndexSetup, ItemIds, ItemResults,
    RequestSettings, ResponseAction, Rollover, RolloverTarget,
};
pub use receiver::HttpReceiver;
