//! Connections to servers that speak a protocol of their own.
//!
//! In: where a server is. Out: bytes both ways. Holds: nothing that all share. Limits: see each.
//!
//! | module | what it does |
//! |---|---|
//! | `endpoint` | connections to a server, for destinations |
//! | `dialogue` | requests and their answers over a connection, both ways at once |
//! | `kept_link` | a connection that is kept between requests |
//! | `attempt` | a request over a kept connection, once more over a new one |
//! | `size_limit` | messages that are too large for a broker, as far as it has said |
//! | `tls` | verdicts over connections that cannot be encrypted |

pub(crate) mod attempt;
pub(crate) mod dialogue;
pub(crate) mod endpoint;
pub(crate) mod kept_link;
pub(crate) mod size_limit;
pub(crate) mod tls;

pub(crate) use delivery::{failure, verdicts};
pub(crate) use endpoint::{encrypt, open, open_in_clear};
pub(crate) use transport::endpoint::{Endpoint, Wire};
