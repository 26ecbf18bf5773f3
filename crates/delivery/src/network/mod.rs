//! Receivers at the other end of a socket, one protocol per file.
//!
//! In: rendered messages. Out: bytes. Holds: their connections. Limits: see each.

mod connect;
mod dtls;
mod gelf;
mod numbered;
mod relp;
mod servers;
mod smtp;
mod socket;
mod spoof;
mod talk;

pub use dtls::SecureDatagrams;
pub(crate) use gelf::Gelf;
pub(crate) use numbered::Numbered;
pub(crate) use relp::Relp;
pub(crate) use smtp::Smtp;
pub use smtp::send_mail;
pub(crate) use socket::Socket;
pub(crate) use spoof::{Spoof, raw_socket};

#[cfg(test)]
mod tests;
