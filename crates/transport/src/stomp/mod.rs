//! What talks to brokers of STOMP needs.
//!
//! In: commands with headers; bytes of a server. Out: bytes; frames. Holds: nothing. Limits: see each.
//!
//! | module | what it does |
//! |---|---|
//! | `frame` | frames of STOMP 1.2 |

mod frame;

pub use frame::{Frame, HEADERS_MAX, Header, body, decode, header, login_header};

#[cfg(test)]
mod tests;
