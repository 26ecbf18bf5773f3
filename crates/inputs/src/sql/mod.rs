//! `sql()` as a source: rows of a table become messages.
//!
//! In: rows. Out: batches. Holds: a connection and a thread for each source. Limits: the window of the source; a query returns at most
//! what `statements` asks for.
//!
//! | module | what it does |
//! |---|---|
//! | `source` | the contract with the set of sources |
//! | `reader` | the thread: connects, queries, holds back, commits positions, ends |
//! | `pages` | what is new in the results of a query, and where the next one begins |
//! | `statements` | the text of queries |
//! | `rows` | rows become messages |
//! | `times` | times in columns |
//! | `position` | how far a table was read |
//! | `options` | what a configuration says |

mod options;
mod pages;
mod position;
mod reader;
mod rows;
mod source;
mod statements;
mod times;

pub use options::{OldRows, Pace, RowColumns, SqlSource};
