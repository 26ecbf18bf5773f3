//! What the sources share that are clients of a broker.
//!
//! In: the protocol of a broker. Out: batches; acknowledgements to the broker once destinations have acknowledged.
//! Holds: one connection for each source. Limits: the window of the source; see each module.
//!
//! | module | what it does |
//! |---|---|
//! | `client` | keeps a connection open, and tries again |
//! | `exchange` | reads and writes over one connection |
//! | `protocol` | the interface of a protocol |
//! | `messages` | publications become the frames of a batch |
//! | `deliveries` | what was read and is not acknowledged yet |
//! | `trouble` | why nothing can be read at present |

mod client;
mod deliveries;
mod exchange;
mod messages;
mod protocol;
mod trouble;

pub(crate) use client::{Broker, read_broker};
pub(crate) use deliveries::{Arrival, Attempt, Deliveries, Ticket};
pub(crate) use messages::Messages;
pub use messages::Metadata;
pub(crate) use protocol::{Broken, Forwarder, Protocol, WindowState};
pub(crate) use trouble::TroubleReport;
