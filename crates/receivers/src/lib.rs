//! Systems that answer for each message: databases, brokers, indexes, object stores.
//!
//! In: messages. Out: rows made of them, and a verdict over each row. Holds: what of a queue on disk its receiver has staged.
//! Limits: see [`contract::RequestLimits`]; a receiver bounds its stages.
//!
//! The modules, in reading order:
//!
//! | module | what it does |
//! |---|---|
//! | `contract` | what such a system must support, and the verdicts over what it is sent |
//! | `failure` | the end of a request that failed, as a verdict |
//! | `verdicts` | judgements over rows, one after the other |
//! | `staging` | what a receiver has without having it for good: parts of an object that is not complete |
//! | `sequences` | sets of messages of a queue |
//! | `partitioned` | messages with the same key go through in order |
//! | `testing` | rows and verdicts in tests |

pub mod contract;
pub mod failure;
pub mod partitioned;
pub mod sequences;
pub mod staging;
#[cfg(feature = "testing")]
pub mod testing;
pub mod verdicts;
