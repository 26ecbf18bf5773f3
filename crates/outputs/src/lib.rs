//! Other people's systems as destinations: one folder each.
//!
//! In: what a configuration says about a system. Out: receivers for [`delivery`], which has the queue, the retries and the dead
//! letters. Holds: nothing that all share. Limits: see each.
//!
//! | module | what it does |
//! |---|---|
//! | `sql` | `sql()`: rows of tables in PostgreSQL, MySQL, MariaDB and SQLite |

mod sql;

pub use sql::{Column, ColumnValue, SqlLogin, SqlReceiver, SqlServer, SqlTarget, TableMaking};
