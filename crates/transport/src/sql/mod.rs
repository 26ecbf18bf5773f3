//! Databases that speak SQL: logins, sessions, statements, rows of results.
//!
//! In: what a configuration says about a database; statements. Out: rows. Holds: a connection for each client.
//! Limits: see each.
//!
//! | module | what it does |
//! |---|---|
//! | `client` | statements to any of the databases, and the rows that they return |
//! | `postgres` | sessions of PostgreSQL |
//! | `sqlite` | files of SQLite that are read |
//! | [`mysql`] | the protocol of MySQL and MariaDB |
//! | `tls` | connections to PostgreSQL that are encrypted |
//! | `statement` | statements with values in them, and their results |
//! | `dialect` | names and values inside the text of statements |
//! | `query_error` | the reasons why a statement has no rows |
//! | `login` | a database, and how to log in |
//! | `value` | values of rows |

mod client;
mod dialect;
mod login;
pub mod mysql;
mod postgres;
mod query_error;
mod sqlite;
mod statement;
mod tls;
mod value;

pub use client::Client;
pub use dialect::Dialect;
pub use login::{SqlLogin, SqlServer};
pub use postgres::{ConnectError, connect_postgres};
pub use query_error::{QueryError, QueryFault};
pub use statement::{RowLimits, Rows, Statement};
pub use tls::{ConnectorTo, Encrypted};
pub use value::Value;
