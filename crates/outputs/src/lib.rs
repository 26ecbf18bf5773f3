//! Other people's systems as destinations: one folder each.
//!
//! In: what a configuration says about a system. Out: receivers for [`delivery`], which has the queue, the retries and the dead
//! letters. Holds: nothing that all share. Limits: see each.
//!
//! | module | what it does |
//! |---|---|
//! | `http` | `http()`: bodies of requests, and the bulk requests of Elasticsearch |
//! | `sql` | `sql()`: rows of tables in PostgreSQL, MySQL, MariaDB and SQLite |

mod http;
mod sql;

pub use http::{
    Compression, HttpReceiver, HttpTarget, ItemIds, ItemResults, RequestSettings, ResponseAction,
};
pub use sql::{Column, ColumnValue, SqlLogin, SqlReceiver, SqlServer, SqlTarget, TableMaking};
