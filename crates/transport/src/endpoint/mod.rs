//! Servers that speak a protocol of their own, and connections to them.
//!
//! In: what a configuration says about a server. Out: open connections. Holds: nothing. Limits: see each.
//!
//! | module | what it does |
//! |---|---|
//! | `server` | a server, and a connection to it |
//! | `connector` | connections that are encrypted |

mod connector;
mod server;

pub use connector::{Connector, refusal};
pub use server::{Breach, Endpoint, OpenError, Patience, Wire, in_time, push, until_deadline};
