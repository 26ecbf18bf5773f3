//! Protocols of connections whose messages are answered when they are safe.
//!
//! In: a connection. Out: batches, and answers. Holds: see each. Limits: the window stops reading.
//!
//! | module | what it does |
//! |---|---|
//! | `relp` | RELP |
//! | `numbered` | SLTP |
//! | `beats` | Lumberjack, which Beats speak |
//! | `replies` | responses that wait until messages are safe |

pub(crate) mod beats;
pub(crate) mod numbered;
pub(crate) mod relp;

mod replies;

pub(crate) use numbered::StreamPositions;
