//! MySQL and MariaDB: rows written through their protocol.
//!
//! In: rows. Out: a transaction for each request. Holds: a session. Limits: see each.
//!
//! | module | what it does |
//! |---|---|
//! | `connection` | requests, tables, failures |
//! | `codes` | the meaning of the server's errors |
//! | `parameters` | values of statements |

mod codes;
mod connection;
mod parameters;

pub(super) use connection::Mysql;

#[cfg(test)]
mod tests;
