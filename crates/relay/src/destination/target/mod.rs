//! The kinds of target that take one stream of messages, one file each.
//!
//! In: rendered messages. Out: bytes. Holds: their connections. Limits: see each.

mod connect;
mod dtls;
mod gelf;
mod pipe;
mod program;
mod pseudofile;
mod relp;
mod servers;
mod smtp;
mod socket;
mod spoof;
mod stdout;
mod stream;
mod talk;
mod terminal;

pub use dtls::SecureDatagrams;
pub(crate) use gelf::Gelf;
pub(crate) use pipe::Pipe;
pub(crate) use program::Program;
pub(crate) use pseudofile::Pseudofile;
pub(crate) use relp::Relp;
pub(crate) use smtp::Smtp;
pub(crate) use socket::Socket;
pub(crate) use spoof::{Spoof, raw_socket};
pub(crate) use stdout::Stdout;
pub(crate) use terminal::Terminals;

#[cfg(test)]
mod tests;
