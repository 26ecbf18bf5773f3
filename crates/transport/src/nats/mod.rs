//! What sources and destinations of NATS share.
//!
//! In: names, texts; bytes of lines. Out: bytes; the content of lines. Holds: nothing. Limits: see each.
//!
//! | module | what it does |
//! |---|---|
//! | `line` | lines of the protocol, and the headers of messages |
//! | `login` | the greeting of a server, who we are, and why we are refused |

mod line;
mod login;

pub use line::{Header, Headers, LINE_BYTES_MAX, Line, MessageHead, decode_line, headers};
pub use login::{Complaint, Greeting, NatsLogin, UnfitServer, connect};

#[cfg(test)]
mod tests;
