//! Lookups in a database: a query for each key.
//!
//! In: keys. Out: what the rows say. Holds: a session. Limits: those of [`Client`]; [`ROWS`] of a query.
//!
//! The key stands in the query as a value, where the place of `?` was: the client writes it so that it cannot end its quotes. Which places
//! there may be, [`SqlQuery`] says.

use super::lane::{Answers, Asking, Lane};
use crate::{
    fault::Fault,
    key::Key,
    known::Answer,
    values::{Gathering, Naming, VALUES_BYTES_MAX, VALUES_MAX},
};
use message::ValueKind;
use std::{fmt, sync::Arc, time::Duration};
use tokio::{
    runtime::Handle,
    task::{JoinHandle, spawn_blocking},
};
use transport::sql::{Client, QueryError, QueryFault, RowLimits, Rows, SqlServer, Statement, Value};

/// Rows of a query: each may be a value.
const ROWS: RowLimits = RowLimits { rows: VALUES_MAX, bytes: VALUES_BYTES_MAX };
/// The place of the key while a query is in memory: no query has this character.
const MARK: &str = "\0";
/// Texts that begin comments or quotes of other kinds, end a statement, or make a quote mean something else.
const REFUSED: &[&str] = &["\\", "$", "#", "--", "/*", ";", "\0"];

/// A query with a place for the key.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SqlQuery {
    text: String,
}

/// A query that cannot be used.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum SqlQueryError {
    /// It has no `?` outside of quotes.
    NoKey,
    /// A quote has no partner.
    OpenQuote,
    /// It has a text which makes it hard to say where quotes end.
    Refused(&'static str),
    /// A `?` that is no value of its own: something stands right beside it.
    Beside(char),
}

impl fmt::Display for SqlQueryError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            SqlQueryError::NoKey => f.write_str("the query has no ? for the key, outside of quotes"),
            SqlQueryError::OpenQuote => f.write_str("a quote of the query is not closed"),
            SqlQueryError::Refused(text) => {
                write!(
                    f,
                    "the query has `{}`, which is refused here: put it into a view",
                    text.escape_default()
                )
            }
            SqlQueryError::Beside(beside) => {
                write!(f, "`{beside}` stands right beside the ? of the key, which is a value of its own")
            }
        }
    }
}

impl std::error::Error for SqlQueryError {}

impl SqlQuery {
    /// Reads a query. A `?` in quotes is one.
    pub fn parse(text: &str) -> Result<SqlQuery, SqlQueryError> {
        if let Some(refused) = REFUSED.iter().find(|refused| text.contains(**refused)) {
            return Err(SqlQueryError::Refused(refused));
        }
        let (mut out, mut open, mut before) = (String::new(), None, ' ');
        let mut rest = text.chars().peekable();
        while let Some(character) = rest.next() {
            match (open, character) {
                (None, '?') => {
                    let beside = |one: &char| {
                        one.is_alphanumeric() || matches!(one, '\'' | '"' | '`' | '_' | '&' | '?')
                    };
                    let next = rest.peek().copied().unwrap_or(' ');
                    if let Some(beside) = [before, next].into_iter().find(beside) {
                        return Err(SqlQueryError::Beside(beside));
                    }
                    out.push_str(MARK);
                }
                (None, '\'' | '"' | '`') => {
                    open = Some(character);
                    out.push(character);
                }
                (Some(quote), character) if quote == character => {
                    // A doubled quote opens again at once.
                    open = None;
                    out.push(character);
                }
                (_, character) => out.push(character),
            }
            before = character;
        }
        match open {
            Some(_) => Err(SqlQueryError::OpenQuote),
            None if !out.contains(MARK) => Err(SqlQueryError::NoKey),
            None => Ok(SqlQuery { text: out }),
        }
    }
}

/// A session, and what is asked over it.
pub(crate) struct SqlLane {
    asking: SqlAsking,
    client: Option<Client>,
    /// A file that is read on a thread of its own, which a slow disk may hold for longer than anybody waits.
    reading: Option<JoinHandle<()>>,
}

/// The question, and how its answer is read.
#[derive(Clone)]
struct SqlAsking {
    server: SqlServer,
    query: SqlQuery,
    naming: Naming,
    timeout: Duration,
}

impl SqlLane {
    pub(crate) fn new(server: SqlServer, query: SqlQuery, naming: Naming, timeout: Duration) -> SqlLane {
        SqlLane { asking: SqlAsking { server, query, naming, timeout }, client: None, reading: None }
    }

    async fn one(&mut self, key: &[u8]) -> Result<Answer, Fault> {
        let key = match std::str::from_utf8(key) {
            Ok(key) if !key.contains('\0') => Value::Text(key.to_owned()),
            _ => return Ok(Answer::Refused),
        };
        if !matches!(self.asking.server, SqlServer::Sqlite(_)) {
            return self.asking.clone().answer(&mut self.client, &key).await;
        }
        if self.reading.as_ref().is_some_and(|reading| !reading.is_finished()) {
            return Err(Fault::timeout());
        }
        let (asking, mut client) = (self.asking.clone(), self.client.take());
        let (sender, answer) = tokio::sync::oneshot::channel();
        self.reading = Some(spawn_blocking(move || {
            let answer = Handle::current().block_on(asking.answer(&mut client, &key));
            // Nobody waits for it any more when it took too long.
            let _ = sender.send((answer, client));
        }));
        match answer.await {
            Ok((answer, client)) => {
                (self.client, self.reading) = (client, None);
                answer
            }
            Err(_) => Err(Fault::server("the thread that reads the file is gone")),
        }
    }

    async fn all(&mut self, keys: &[Key]) -> Answers {
        let mut answers = Vec::with_capacity(keys.len());
        for key in keys {
            answers.push(self.one(key).await);
        }
        answers
    }
}

impl Lane for SqlLane {
    fn keys_max(&self) -> usize {
        1
    }

    fn ask<'a>(&'a mut self, keys: &'a [Key]) -> Asking<'a> {
        Box::pin(self.all(keys))
    }

    fn close(&mut self) {
        self.client = None;
    }
}

impl SqlAsking {
    /// Asks for a key; once more over a new session if the kept one was of no use.
    async fn answer(self, kept: &mut Option<Client>, key: &Value) -> Result<Answer, Fault> {
        let was_open = kept.is_some();
        match self.attempt(kept, key).await {
            Err(QueryError { fault: QueryFault::Lost, .. }) if was_open => {
                self.attempt(kept, key).await.or_else(|error| failure(&error))
            }
            answer => answer.or_else(|error| failure(&error)),
        }
    }

    async fn attempt(&self, kept: &mut Option<Client>, key: &Value) -> Result<Answer, QueryError> {
        let mut client = match kept.take() {
            Some(client) => client,
            None => Client::open(&self.server, self.timeout).await?,
        };
        let statement = Statement::filled(&self.query.text, MARK, key);
        let rows = client.query(&statement, ROWS).await;
        if !rows.as_ref().is_err_and(|error| error.fault == QueryFault::Lost) {
            *kept = Some(client);
        }
        Ok(found(&rows?, &self.naming))
    }
}

/// Judges an error. Data exceptions of PostgreSQL, whose class is 22, are those of the key: a text where a number belongs.
fn failure(error: &QueryError) -> Result<Answer, Fault> {
    let is_of_key = error.fault == QueryFault::Refused
        && error.words.starts_with("22")
        && error.words.get(5..6) == Some(" ");
    match is_of_key {
        true => Ok(Answer::Refused),
        false => Err(Fault::server(error.words.clone())),
    }
}

/// Reads rows: names and values, if the columns are called so; otherwise the columns of the first row.
fn found(rows: &Rows, naming: &Naming) -> Answer {
    let mut gathering = Gathering::new(naming);
    let names: Vec<String> = rows.columns.iter().map(|name| name.to_ascii_lowercase()).collect();
    match names.iter().map(String::as_str).collect::<Vec<_>>().as_slice() {
        ["name", "value"] => {
            for row in &rows.rows {
                if let [name, value] = row.as_slice() {
                    set(&mut gathering, &name.to_bytes(), value);
                }
            }
        }
        _ => {
            let first = rows.rows.first().into_iter().flatten();
            rows.columns
                .iter()
                .zip(first)
                .for_each(|(name, value)| set(&mut gathering, name.as_bytes(), value));
        }
    }
    let values = gathering.finish();
    if values.list.is_empty() { Answer::Missing } else { Answer::Values(Arc::new(values)) }
}

fn set(gathering: &mut Gathering<'_>, name: &[u8], value: &Value) {
    let kind = match value {
        Value::Null => return,
        Value::Integer(_) => ValueKind::Integer,
        Value::Double(_) => ValueKind::Double,
        Value::Boolean(_) => ValueKind::Boolean,
        Value::Text(_) => ValueKind::String,
        Value::Bytes(_) => ValueKind::Bytes,
    };
    gathering.set(name, &value.to_bytes(), kind);
}

#[cfg(test)]
mod tests;
