//! Values for messages that other people's systems hold: a server of HTTP, Redis or a database answers for a key what a table of a
//! file answers for a selector.
//!
//! In: messages, a template of their key, a server. Out: the same messages with the values of their keys. Holds: a cache, and a
//! thread with connections.
//! Limits: see each module. A server that fails or hangs costs three times `timeout()`, and then nothing: it is asked again beside
//! the messages, which pass meanwhile with older values or without.
//!
//! The modules, in reading order; each imports only modules above it:
//!
//! | module | what it does |
//! |---|---|
//! | `key` | keys, and texts with places for them |
//! | `values` | the values of a key, from the answer of a server |
//! | `fault` | failures of a server |
//! | `known` | answers and failures, for as long as they are of use |
//! | `servers` | connections, and what is asked over them |
//! | `asker` | the thread that asks |
//! | `step` | the step of a log path |
//! | `pods` | the same for pods of Kubernetes, which are watched instead of asked for |

mod asker;
mod fault;
mod key;
mod known;
mod pods;
mod servers;
mod step;
#[cfg(test)]
mod testing;
mod values;

pub use key::{KeyText, KeyTextError};
pub use known::{CacheLimits, LookupCounts, LookupStore};
pub use pods::{ApiServer, PodStep, PodStepOptions, PodStore, PodWatch};
pub use servers::{Backend, BackendServer, SqlQuery, SqlQueryError};
pub use step::{LookupStep, OnFailure, StepOptions};
pub use values::Naming;
