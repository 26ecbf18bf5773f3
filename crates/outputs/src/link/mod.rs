//! Connections to servers that speak a protocol of their own.
//!
//! In: where a server is. Out: bytes both ways. Holds: nothing that all share. Limits: see each.
//!
//! | module | what it does |
//! |---|---|
//! | `endpoint` | connections to a server, for destinations |
//! | `dialogue` | requests and their answers over a connection, both ways at once |
//! | `attempt` | a request over a kept connection, once more over a new one |
//! | `tls` | connections that are encrypted |
//! | `failure` | the end of a request that failed |
//! | `verdicts` | judgements over rows, one after the other |

pub(crate) mod attempt;
pub(crate) mod dialogue;
pub(crate) mod endpoint;
pub(crate) mod failure;
pub(crate) mod tls;
pub(crate) mod verdicts;

pub(crate) use endpoint::{encrypt, in_time, open, open_in_clear};
pub(crate) use transport::endpoint::{Endpoint, Wire};
