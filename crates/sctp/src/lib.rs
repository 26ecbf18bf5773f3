//! An endpoint of SCTP without its sockets: associations that carry messages by their importance over links that lose.
//!
//! In: datagrams with their addresses, messages with their policies, the time, a random seed. Out: datagrams, arrived
//! messages, the fate of each message. Holds: associations. Limits: all memory of an association and their number are bounded by
//! [`Options`]; a peer whose cookie has not come back has no memory here at all.
//!
//! The modules, in reading order; each imports only modules below it:
//!
//! | module | what it does |
//! |---|---|
//! | `endpoint` | finds the association of a packet, answers strangers |
//! | `association` | handshake, shutdown, what chunks do, what packets hold |
//! | `outbound` | lanes, copies, repeats, abandonment, the rate of the path |
//! | `inbound` | what has arrived, what is whole, what comes next |
//! | `path` | signs of life, the largest packet |
//! | `secrets` | cookies, random numbers |
//! | `codec` | bytes <-> chunks, parameters, causes |
//! | `interface` | what an endpoint and its user exchange |

mod association;
pub mod codec;
mod endpoint;
mod inbound;
mod interface;
mod outbound;
mod path;
mod secrets;
#[cfg(test)]
mod tests;

pub use endpoint::{Counters, Endpoint, Transmit};
pub use interface::{
    AbandonReason, AssociationId, DownReason, Event, LANES, Message, MessageId, Options, Peer, Policy,
    ReceivedMessage, SendError, Time,
};
