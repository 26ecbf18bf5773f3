//! Statements to any of the databases, and the rows that they return.
//!
//! In: statements. Out: rows. Holds: a session.
//! Limits: `timeout` for each statement; a statement's results end at [`RowLimits`], and what is left of them is dropped.

use super::{
    Dialect, QueryError, QueryFault, RowLimits, Rows, SqlServer, Statement, Value,
    mysql::{self, ColumnKind, ResultColumn, SessionError},
    postgres, sqlite,
    statement::row_size,
};
use std::{future::Future, time::Duration};
use tokio::time::timeout;

/// Longest wait for a session of MySQL.
const CONNECT_MOST: Duration = Duration::from_secs(10);
/// The session of MySQL as our literals are written for it: a backslash is an escape, and quotes around names are its own.
const MYSQL_SESSION: &str = "SET SESSION sql_mode = 'STRICT_ALL_TABLES'";

enum Session {
    Postgres(postgres::Session),
    Mysql(Box<mysql::Session>),
    Sqlite(sqlite::Session),
}

/// A connection to a database that returns rows.
pub struct Client {
    session: Session,
    /// Longest wait for a statement.
    timeout: Duration,
}

impl Client {
    /// Opens a session. After a statement whose error is [`QueryFault::Lost`] it is of no use.
    pub async fn open(server: &SqlServer, within: Duration) -> Result<Client, QueryError> {
        let session = match server {
            SqlServer::Postgres(login) => Session::Postgres(postgres::Session::open(login).await?),
            SqlServer::Mysql(login) => {
                let opened = timeout(CONNECT_MOST, mysql::Session::open(login)).await;
                let session = opened.map_err(|_| late(CONNECT_MOST))?;
                Session::Mysql(Box::new(session.map_err(QueryError::lost)?))
            }
            SqlServer::Sqlite(path) => Session::Sqlite(sqlite::Session::open(path)?),
        };
        let mut client = Client { session, timeout: within };
        if let Session::Mysql(_) = &client.session {
            client.execute("SET NAMES utf8mb4").await?;
            client.execute(MYSQL_SESSION).await?;
        }
        Ok(client)
    }

    /// Executes a statement whose results are of no interest.
    pub async fn execute(&mut self, text: &str) -> Result<(), QueryError> {
        match &mut self.session {
            Session::Postgres(session) => in_time(self.timeout, session.execute(text)).await,
            Session::Mysql(session) => {
                let query = async { session.query(text).await.map(drop).map_err(|error| failure(&error)) };
                in_time(self.timeout, query).await
            }
            Session::Sqlite(session) => session.execute(text),
        }
    }

    /// Executes a statement, and returns its rows.
    pub async fn query(&mut self, statement: &Statement<'_>, limits: RowLimits) -> Result<Rows, QueryError> {
        let found = match &mut self.session {
            Session::Postgres(session) => in_time(self.timeout, session.query(statement, limits)).await,
            Session::Mysql(session) => in_time(self.timeout, mysql_rows(session, statement, limits)).await,
            Session::Sqlite(session) => session.query(statement, limits),
        };
        if let (Session::Postgres(session), Err(_)) = (&mut self.session, &found) {
            session.forget();
        }
        found
    }
}

async fn in_time<T>(
    most: Duration,
    step: impl Future<Output = Result<T, QueryError>>,
) -> Result<T, QueryError> {
    timeout(most, step).await.unwrap_or_else(|_| Err(late(most)))
}

fn late(most: Duration) -> QueryError {
    QueryError::lost(format!("no answer within {} seconds", most.as_secs()))
}

async fn mysql_rows(
    session: &mut mysql::Session,
    statement: &Statement<'_>,
    limits: RowLimits,
) -> Result<Rows, QueryError> {
    let text = statement.text(Dialect::Mysql);
    let columns = session.begin_rows(&text).await.map_err(|error| failure(&error))?;
    let names = columns.iter().map(|column| column.name.clone()).collect();
    let (mut rows, mut bytes) = (Rows { columns: names, ..Rows::default() }, 0);
    if columns.is_empty() {
        return Ok(rows);
    }
    while let Some(row) = session.next_row(columns.len()).await.map_err(|error| failure(&error))? {
        if limits.are_reached(rows.rows.len(), bytes) {
            // The rest of the results stands before the next answer.
            rows.is_cut = true;
            continue;
        }
        let values: Vec<Value> =
            row.iter().zip(&columns).map(|(text, column)| typed(*text, column)).collect();
        bytes += row_size(&values);
        rows.rows.push(values);
    }
    Ok(rows)
}

/// Returns a value of MySQL from its text.
fn typed(text: Option<&[u8]>, column: &ResultColumn) -> Value {
    let Some(bytes) = text else { return Value::Null };
    match (column.kind, std::str::from_utf8(bytes)) {
        (ColumnKind::Integer, Ok(text)) => Value::integer(text),
        (ColumnKind::Double, Ok(text)) => Value::double(text),
        (ColumnKind::Text, Ok(text)) => Value::Text(text.to_owned()),
        _ => Value::Bytes(bytes.to_vec()),
    }
}

fn failure(error: &SessionError) -> QueryError {
    let SessionError::Server(server) = error else { return QueryError::lost(error) };
    let fault = match server.number {
        1146 => QueryFault::NoTable,
        // The server ends, or the session has no rights yet: those of a new one may be others.
        1042
        | 1043
        | 1047
        | 1053
        | 1077..=1080
        | 1152
        | 1158..=1161
        | 1184
        | 1927
        | 3032
        | 3169
        | 4031
        | 1044
        | 1142
        | 1143
        | 1227 => QueryFault::Lost,
        _ => QueryFault::Refused,
    };
    QueryError::new(fault, server)
}

#[cfg(test)]
mod tests;
