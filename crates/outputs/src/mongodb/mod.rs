//! `mongodb()`: each message is a document of a collection.
//!
//! In: selections of values, templates of names of collections. Out: inserts, and what the server says of each document.
//! Holds: connections. Limits: see [`MongodbTarget`].
//!
//! | module | what it does |
//! |---|---|
//! | `uri` | the address of servers, with settings |
//! | `receiver` | documents of messages |
//! | `document` | values as a document |
//! | `connection` | inserts with their answers |
//! | `answer` | what an answer says of each document |
//! | `stored` | which documents were stored before |
//! | `session` | an open connection to the primary |
//! | `scram` | the login with a password |
//! | `verdict` | what an error means |
//! | `options` | what a configuration says |

mod answer;
mod connection;
mod document;
mod options;
mod receiver;
mod scram;
mod session;
mod stored;
mod uri;
mod verdict;

#[cfg(test)]
mod tests;

pub use options::{
    InsertOrder, Mechanism, MongodbLogin, MongodbTarget, MongodbTimes, Seeds, Validation, Waiters,
    WriteConcern,
};
pub use receiver::{CollectionNameError, MongodbReceiver, check_collection};
pub use uri::{MongodbUri, UriError};
