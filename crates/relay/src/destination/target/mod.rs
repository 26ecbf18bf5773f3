//! The kinds of target that take one stream of messages, one file each.
//!
//! In: rendered messages. Out: bytes. Holds: their connections. Limits: see each.

mod pipe;
mod program;
mod socket;
mod stdout;
mod terminal;

pub(super) use pipe::Pipe;
pub(super) use program::Program;
pub(super) use socket::Socket;
pub(crate) use socket::set_keepalive;
pub(super) use stdout::Stdout;
pub(super) use terminal::Terminals;
