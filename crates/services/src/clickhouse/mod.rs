//! `clickhouse()`: batches of messages as rows of a table, each inserted by one request over HTTP.
//!
//! In: templates of columns. Out: requests, and what the server answers. Holds: connections. Limits: see
//! [`ClickhouseTarget`].
//!
//! | module | what it does |
//! |---|---|
//! | `receiver` | rows of messages |
//! | `column` | the value of a column, in the form for its type |
//! | `statement` | the INSERT, with its names quoted |
//! | `connection` | the request for a batch, and its repeats |
//! | `verdict` | what an answer means |
//! | `options` | what a configuration says |

mod column;
mod connection;
mod options;
mod receiver;
mod statement;
mod verdict;

#[cfg(test)]
mod tests;

pub use column::ClickhouseColumn;
pub use options::{ClickhouseContent, ClickhouseFormat, ClickhouseTarget};
pub use receiver::ClickhouseReceiver;
pub use statement::{ColumnNameError, check_name};
