//! A database, and how to log in.
//!
//! In: values that were checked when the configuration was read. Out: the same, for connections. Holds: nothing that runs.
//! Limits: none.

use super::Dialect;
use crate::tls::SenderTls;
use std::path::PathBuf;

/// A server, and how to log in.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SqlLogin {
    /// `host()`: a name or an address; with a slash at its beginning, the folder of PostgreSQL's unix socket, or the
    /// unix socket of MySQL.
    pub host: String,
    /// `port()`
    pub port: u16,
    /// `username()`
    pub user: String,
    /// `password()`
    pub password: String,
    /// `database()`
    pub database: String,
    /// `tls()`; `None` does not encrypt.
    pub tls: Option<SenderTls>,
}

/// The location of the database.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum SqlServer {
    /// `type(pgsql)`
    Postgres(SqlLogin),
    /// `type(mysql)`
    Mysql(SqlLogin),
    /// `type(sqlite3)`: `database()` is the file.
    Sqlite(PathBuf),
}

impl SqlServer {
    /// Returns the language of the database.
    pub fn dialect(&self) -> Dialect {
        match self {
            SqlServer::Postgres(_) => Dialect::Postgres,
            SqlServer::Mysql(_) => Dialect::Mysql,
            SqlServer::Sqlite(_) => Dialect::Sqlite,
        }
    }

    /// Names the database, without credentials.
    pub fn name(&self) -> String {
        let of =
            |kind: &str, login: &SqlLogin| format!("{kind},{},{},{}", login.host, login.port, login.database);
        match self {
            SqlServer::Postgres(login) => of("pgsql", login),
            SqlServer::Mysql(login) => of("mysql", login),
            SqlServer::Sqlite(path) => format!("sqlite3,{}", path.display()),
        }
    }
}
