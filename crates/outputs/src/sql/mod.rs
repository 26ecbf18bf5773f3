//! `sql()`: each message is a row of a table, which is created and extended as needed.
//!
//! In: templates for the table and its columns. Out: rows, written together in one transaction. Holds: a connection, the names
//! of known tables. Limits: see [`SqlTarget`].
//!
//! | module | what it does |
//! |---|---|
//! | `receiver` | rows of messages |
//! | `postgres`, `mysql`, `sqlite` | connections |
//! | `statement` | the text of statements |
//! | `identifier` | names of tables and columns, quoted |
//! | `options` | the options |

mod identifier;
mod mysql;
mod options;
mod postgres;
mod receiver;
mod sqlite;
mod statement;

pub use options::{Column, ColumnValue, SqlTarget, TableMaking};
pub use receiver::SqlReceiver;
