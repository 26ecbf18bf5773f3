//! MySQL and MariaDB: their protocol.
//!
//! In: statements. Out: their answers. Holds: a session. Limits: see each; bytes from a server are bounded
//! by `packet`, and nothing is ever sent to it except what is configured.
//!
//! | module | what it does |
//! |---|---|
//! | `session` | an open connection: login, statements |
//! | `greeting` | login, proofs of passwords without sending them |
//! | `answer` | answers to statements |
//! | `packet` | packets on the wire, and the fields in them |

mod answer;
mod greeting;
mod packet;
mod session;

pub use answer::{ColumnKind, ResultColumn, ServerError};
pub use greeting::{LoginRefusal, Privacy};
pub use packet::{PacketError, put_counted_number};
pub use session::{Results, Session, SessionError};

#[cfg(test)]
mod tests;
