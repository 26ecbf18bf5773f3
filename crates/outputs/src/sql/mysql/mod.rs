//! MySQL and MariaDB: their protocol, and rows written through it.
//!
//! In: rows. Out: a transaction for each request. Holds: a session. Limits: see each; what a server sends is bounded by
//! [`packet`], and nothing of this machine is ever sent to it but what the configuration says.
//!
//! | module | what it does |
//! |---|---|
//! | `connection` | requests, tables, what becomes of failures |
//! | `session` | an open connection: login, statements |
//! | `codes` | what the errors of the server mean |
//! | `greeting` | login, passwords that are proven without being sent |
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
