//! MySQL and MariaDB: their protocol, and rows written through it.
//!
//! In: rows. Out: a transaction for each request. Holds: a session. Limits: see each; bytes from a server are bounded
//! by [`packet`], and nothing is ever sent to it except what is configured.
//!
//! | module | what it does |
//! |---|---|
//! | `connection` | requests, tables, failures |
//! | `session` | an open connection: login, statements |
//! | `codes` | the meaning of the server's errors |
//! | `greeting` | login, proofs of passwords without sending them |
//! | `answer` | answers to statements |
//! | `parameters` | values of statements |
//! | `packet` | packets on the wire, and the fields in them |

mod answer;
mod codes;
mod connection;
mod greeting;
mod packet;
mod parameters;
mod session;

pub(super) use connection::Mysql;

#[cfg(test)]
mod tests;
