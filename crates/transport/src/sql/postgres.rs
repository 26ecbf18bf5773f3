//! Sessions of PostgreSQL.
//!
//! In: a login, statements. Out: an open session; rows. Holds: a session.
//! Limits: [`CONNECT_MOST`]; of results those of the statement.

use super::{
    Dialect, QueryError, QueryFault, RowLimits, Rows, SqlLogin, Statement, Value,
    statement::{Shape, row_size},
};
use crate::endpoint::{Connector, OpenError, refusal};
use futures_util::StreamExt as _;
use std::{error::Error as _, pin::pin, time::Duration};
use tokio::task::JoinHandle;
use tokio_postgres::{
    Client, Error, NoTls, SimpleQueryMessage, config::SslMode, error::SqlState, types::Type,
};

/// Longest wait for a session.
const CONNECT_MOST: Duration = Duration::from_secs(10);
/// Most statements whose columns are known.
const SHAPES_MAX: usize = 64;

/// The reason why there is no session.
#[derive(Debug)]
pub enum ConnectError {
    /// Certificates or keys cannot be read.
    Settings(OpenError),
    /// The server cannot be reached, or refuses.
    Server(Error),
}

impl From<Error> for ConnectError {
    fn from(error: Error) -> ConnectError {
        ConnectError::Server(error)
    }
}

/// Opens a session. The task reads from the socket until the client is dropped; the client notices the end of the connection at its
/// next call.
pub async fn connect_postgres(login: &SqlLogin) -> Result<(Client, JoinHandle<()>), ConnectError> {
    let SqlLogin { host, port, user, password, database, tls } = login;
    let mut config = tokio_postgres::Config::new();
    // A host that begins with a slash is the folder of a unix socket.
    config.host(host).port(*port).user(user).dbname(database);
    config.application_name("duramen").connect_timeout(CONNECT_MOST).keepalives(true);
    if !password.is_empty() {
        config.password(password);
    }
    match tls {
        None => {
            config.ssl_mode(SslMode::Disable);
            let (client, connection) = config.connect(NoTls).await?;
            Ok((client, spawn(connection)))
        }
        Some(tls) => {
            config.ssl_mode(SslMode::Require);
            let settings = |error| ConnectError::Settings(OpenError::Settings(error));
            let connector = Connector::of(tls).map_err(settings)?;
            let (client, connection) = config.connect(connector).await?;
            Ok((client, spawn(connection)))
        }
    }
}

fn spawn(connection: impl Future<Output = Result<(), Error>> + Send + 'static) -> JoinHandle<()> {
    tokio::spawn(async move {
        let _ = connection.await;
    })
}

/// A session whose statements return rows.
pub(super) struct Session {
    client: Client,
    reader: JoinHandle<()>,
    /// The columns of statements.
    shapes: Vec<(String, Vec<Type>)>,
}

impl Drop for Session {
    fn drop(&mut self) {
        self.reader.abort();
    }
}

impl Session {
    pub(super) async fn open(login: &SqlLogin) -> Result<Session, QueryError> {
        let opened = connect_postgres(login).await.map_err(|error| match error {
            ConnectError::Settings(error) => QueryError::lost(error),
            ConnectError::Server(error) => QueryError::lost(words(&error)),
        });
        let (client, reader) = opened?;
        let session = Session { client, reader, shapes: Vec::new() };
        // Our literals are written for it, whatever the server's default is.
        session.execute("SET standard_conforming_strings = on").await?;
        Ok(session)
    }

    pub(super) async fn execute(&self, text: &str) -> Result<(), QueryError> {
        self.client.batch_execute(text).await.map_err(|error| failure(&error))
    }

    /// Asks for rows. Their values come as text; the types of columns are asked for once for each statement.
    pub(super) async fn query(
        &mut self,
        statement: &Statement<'_>,
        limits: RowLimits,
    ) -> Result<Rows, QueryError> {
        let types = self.types(statement).await?;
        let text = statement.text(Dialect::Postgres);
        let found = self.client.simple_query_raw(&text).await.map_err(|error| failure(&error))?;
        let mut found = pin!(found);
        let (mut rows, mut bytes) = (Rows::default(), 0);
        while let Some(message) = found.next().await {
            match message.map_err(|error| failure(&error))? {
                SimpleQueryMessage::RowDescription(columns) => {
                    rows.columns = columns.iter().map(|column| column.name().to_owned()).collect();
                }
                SimpleQueryMessage::Row(row) => {
                    if limits.are_reached(rows.rows.len(), bytes) {
                        rows.is_cut = true;
                        break;
                    }
                    let value = |index| row.try_get(index).ok().flatten();
                    let values = (0..row.len()).map(|index| typed(value(index), types.get(index)));
                    let values: Vec<Value> = values.collect();
                    bytes += row_size(&values);
                    rows.rows.push(values);
                }
                _ => {}
            }
        }
        if types.len() != rows.columns.len() {
            // The table was changed since: the types belong to other columns.
            self.shapes.clear();
            return Err(QueryError::new(QueryFault::Refused, "the table was changed, it is read again"));
        }
        Ok(rows)
    }

    async fn types(&mut self, statement: &Statement<'_>) -> Result<Vec<Type>, QueryError> {
        let Shape(text) = statement.shape();
        if let Some((_, types)) = self.shapes.iter().find(|(known, _)| *known == text) {
            return Ok(types.clone());
        }
        let prepared = self.client.prepare(&text).await.map_err(|error| failure(&error))?;
        let types: Vec<Type> = prepared.columns().iter().map(|column| column.type_().clone()).collect();
        if self.shapes.len() >= SHAPES_MAX {
            self.shapes.clear();
        }
        self.shapes.push((text, types.clone()));
        Ok(types)
    }

    /// Forgets the types of columns: a table may be another one.
    pub(super) fn forget(&mut self) {
        self.shapes.clear();
    }
}

/// Returns a value from its text.
fn typed(text: Option<&str>, kind: Option<&Type>) -> Value {
    let Some(text) = text else { return Value::Null };
    let kind = kind.unwrap_or(&Type::TEXT);
    if [Type::INT2, Type::INT4, Type::INT8, Type::OID].contains(kind) {
        return Value::integer(text);
    }
    if [Type::FLOAT4, Type::FLOAT8].contains(kind) {
        return Value::double(text);
    }
    match text {
        "t" | "f" if *kind == Type::BOOL => Value::Boolean(text == "t"),
        _ if *kind == Type::BYTEA => bytes(text).map_or_else(|| Value::Text(text.to_owned()), Value::Bytes),
        _ => Value::Text(text.to_owned()),
    }
}

/// Returns the bytes that a text of hexadecimal digits stands for.
fn bytes(text: &str) -> Option<Vec<u8>> {
    let digits = text.strip_prefix("\\x")?.as_bytes();
    let pair = |pair: &[u8]| u8::from_str_radix(std::str::from_utf8(pair).ok()?, 16).ok();
    digits.chunks(2).map(pair).collect()
}

fn failure(error: &Error) -> QueryError {
    let Some(database) = error.as_db_error() else { return QueryError::lost(words(error)) };
    let fault = match database.code() {
        code if *code == SqlState::UNDEFINED_TABLE => QueryFault::NoTable,
        // The server ends, or the session is of no use.
        code if matches!(code.code().get(..2), Some("08" | "57" | "58" | "XX" | "28" | "3D")) => {
            if *code == SqlState::QUERY_CANCELED { QueryFault::Refused } else { QueryFault::Lost }
        }
        _ => QueryFault::Refused,
    };
    QueryError::new(fault, words(error))
}

fn words(error: &Error) -> String {
    if let Some(database) = error.as_db_error() {
        return format!("{} {}", database.code().code(), database.message());
    }
    if let Some(why) = error.source().and_then(refusal) {
        return why;
    }
    let cause = error.source().map(|source| format!(": {source}")).unwrap_or_default();
    format!("{error}{cause}")
}

#[cfg(test)]
mod tests {
    //! Texts of values.

    use super::*;

    #[test]
    fn values_have_their_types() {
        let rows = [
            (Some("-7"), Type::INT8, Value::Integer(-7)),
            (Some("0.5"), Type::FLOAT8, Value::Double(0.5)),
            (Some("NaN"), Type::FLOAT8, Value::Text("NaN".to_owned())),
            (Some("t"), Type::BOOL, Value::Boolean(true)),
            (Some("t"), Type::TEXT, Value::Text("t".to_owned())),
            (Some("\\x00ff"), Type::BYTEA, Value::Bytes(vec![0, 255])),
            (Some("\\x0g"), Type::BYTEA, Value::Text("\\x0g".to_owned())),
            (Some("12.50"), Type::NUMERIC, Value::Text("12.50".to_owned())),
            (None, Type::INT4, Value::Null),
        ];
        for (text, kind, want) in rows {
            assert_eq!(typed(text, Some(&kind)), want, "{text:?} {kind}");
        }
    }
}
