//! PostgreSQL.
//!
//! In: rows. Out: a transaction for each request. Holds: a session, prepared statements, known tables.
//! A row that the server refuses is searched inside of the transaction, with savepoints: the others are committed once.
//! Limits: those of [`connect_postgres`] and [`EXCHANGE_MOST`]; [`STATEMENTS_MAX`] prepared statements; the tables that are remembered are
//! bounded as for SQLite. A row is acknowledged when the server has said that its transaction is committed.
//!
//! Values go as text, an array for each column: the server converts them to the type of the column, as it does with
//! a literal.

mod search;

use super::{
    options::{Schema, TABLES_KNOWN_MAX, TableMaking},
    statement,
};
use crate::link::{
    failure::{ANSWER_CHARACTERS_MAX, Failure},
    tls::refusal,
    verdicts::Verdicts,
};
use delivery::{Cell, Connection, Exchange, HoldReason, Judgement, Row, Verdict, Wait};
use search::{Refused, Search};
use std::{
    collections::{HashMap, HashSet},
    error::Error as _,
    fmt::Write as _,
    sync::Arc,
    time::{Duration, Instant},
};
use tokio::{task::JoinHandle, time::timeout};
use tokio_postgres::{
    Client, Error, Statement,
    error::SqlState,
    types::{Format, IsNull, Kind, ToSql, Type, private::BytesMut},
};
use transport::{
    DeadReason,
    sql::{ConnectError, SqlLogin, connect_postgres},
};

/// Longest wait for the answers to one request.
const EXCHANGE_MOST: Duration = Duration::from_secs(60);
/// A search for refused rows that takes longer is committed, and goes on with the next request.
const SEARCH_MOST: Duration = Duration::from_secs(20);
/// Most statements that stay prepared: one for each table, or for a table and a number of rows.
const STATEMENTS_MAX: usize = 256;

/// A connection.
pub(super) struct Postgres {
    login: SqlLogin,
    schema: Arc<Schema>,
    session: Option<Session>,
}

/// An open session. Its other half reads from the socket until this one is dropped.
struct Session {
    client: Client,
    reader: JoinHandle<()>,
    /// How rows get into known tables.
    tables: HashMap<String, Way>,
    inserts: HashMap<String, Statement>,
    /// As many rows at a time were accepted lately.
    step: usize,
}

/// How rows get into a table.
#[derive(Clone, Debug)]
enum Way {
    /// An array for each column, of any number of rows. The text of the statement.
    Arrays(String),
    /// A parameter for each value: a column is an array itself.
    Values,
}

impl Drop for Session {
    fn drop(&mut self) {
        self.reader.abort();
    }
}

impl Postgres {
    pub(super) fn new(login: SqlLogin, schema: Arc<Schema>) -> Postgres {
        Postgres { login, schema, session: None }
    }

    async fn connect(&self) -> Result<Session, Failure> {
        let opened = connect_postgres(&self.login).await.map_err(|error| match error {
            ConnectError::Settings(error) => error.into(),
            ConnectError::Server(error) => failure(&error),
        });
        let (client, reader) = opened?;
        let session =
            Session { client, reader, tables: HashMap::new(), inserts: HashMap::new(), step: usize::MAX };
        for text in &self.schema.session_statements {
            let answer = |error| Failure { verdict: Verdict::Later(Wait::Reopen), ..failure(&error) };
            session.client.batch_execute(text).await.map_err(answer)?;
        }
        Ok(session)
    }

    async fn exchange(&mut self, table: &str, rows: &[Row]) -> Result<Vec<Judgement>, Failure> {
        let mut session = match self.session.take() {
            Some(session) if !session.client.is_closed() => session,
            _ => self.connect().await?,
        };
        let written = session.write(&self.schema, table, rows).await;
        let is_lost = written.as_ref().is_err_and(|failure| failure.verdict == Verdict::Later(Wait::Reopen));
        if !is_lost {
            self.session = Some(session);
        }
        written
    }
}

impl Connection for Postgres {
    fn send<'a>(&'a mut self, group: &'a str, rows: &'a [Row]) -> Exchange<'a> {
        Box::pin(async move {
            let result = timeout(EXCHANGE_MOST, self.exchange(group, rows)).await;
            match result {
                Ok(Ok(judgements)) => judgements,
                Ok(Err(Failure { verdict, answer })) => Judgement::of_all(rows.len(), verdict, answer),
                Err(_) => {
                    self.close();
                    let answer = format!("no answer within {} seconds", EXCHANGE_MOST.as_secs());
                    Judgement::of_all(rows.len(), Verdict::Later(Wait::Reopen), answer)
                }
            }
        })
    }

    fn close(&mut self) {
        self.session = None;
    }
}

impl Session {
    async fn write(&mut self, schema: &Schema, table: &str, rows: &[Row]) -> Result<Vec<Judgement>, Failure> {
        let written = self.write_or_search(schema, table, rows).await;
        if let Err(Failure { verdict: Verdict::Hold(_) | Verdict::Later(_), .. }) = &written {
            // Whatever the cause, the table may have changed by the next attempt.
            self.tables.remove(table);
            self.inserts.clear();
        }
        written
    }

    async fn write_or_search(
        &mut self,
        schema: &Schema,
        table: &str,
        rows: &[Row],
    ) -> Result<Vec<Judgement>, Failure> {
        let was_known = self.tables.contains_key(table);
        if !was_known {
            self.prepare_table(schema, table).await?;
        }
        let mut refused = None;
        // Tries all rows at once, unless recent refusals make it likely that one of them is refused again.
        if rows.len() <= self.step {
            match self.insert_all(schema, table, rows).await {
                Err(failure) if matches!(failure.verdict, Verdict::Split(_)) => refused = Some(failure),
                inserted => return inserted.map(|()| Judgement::delivered(rows.len())),
            }
        }
        if was_known {
            // A prepared statement keeps the types that the columns had: someone may have changed the table since.
            self.inserts.clear();
            self.prepare_table(schema, table).await?;
        }
        match refused {
            Some(failure) if rows.len() == 1 && !was_known => return Err(failure),
            _ if rows.len() == 1 => {
                let inserted = self.insert_all(schema, table, rows).await;
                return inserted.map(|()| Judgement::delivered(1));
            }
            Some(_) => self.step = rows.len() / 2,
            None => {}
        }
        self.client.batch_execute("BEGIN; SAVEPOINT duramen").await.map_err(|error| failure(&error))?;
        let judgements = match self.search(schema, table, rows).await {
            Ok(judgements) => judgements,
            Err(failure) if failure.is_of_connection() => return Err(failure),
            Err(failure) => {
                return match self.client.batch_execute("ROLLBACK").await {
                    Ok(()) => Err(failure),
                    Err(_) => Err(Failure::unreachable(failure.answer)),
                };
            }
        };
        self.client.batch_execute("COMMIT").await.map_err(|error| failure(&error))?;
        Ok(judgements)
    }

    /// Inserts rows into an open transaction, but for those that the server refuses.
    async fn search(
        &mut self,
        schema: &Schema,
        table: &str,
        rows: &[Row],
    ) -> Result<Vec<Judgement>, Failure> {
        let (mut search, mut verdicts) = (Search::new(rows.len(), self.step), Verdicts::default());
        let end = Instant::now() + SEARCH_MOST;
        while let Some(tried) = search.next() {
            if Instant::now() >= end {
                let rest = Failure { verdict: Verdict::Split(DeadReason::Rejected), answer: String::new() };
                return Ok(verdicts.finish(rows.len(), Some(&rest)));
            }
            let undo = match self.insert(schema, table, &rows[tried.clone()]).await {
                Ok(()) => {
                    search.accept(&tried);
                    verdicts.push_many(tried.len(), Verdict::Delivered, "");
                    "RELEASE SAVEPOINT duramen; SAVEPOINT duramen"
                }
                Err(Failure { verdict: Verdict::Split(reason), answer }) => {
                    if search.refuse(&tried) == Refused::Alone {
                        verdicts.push(Verdict::Dead(reason), &answer);
                    }
                    "ROLLBACK TO SAVEPOINT duramen"
                }
                Err(failure) => return Err(failure),
            };
            self.client.batch_execute(undo).await.map_err(|error| failure(&error))?;
        }
        self.step = search.step;
        Ok(verdicts.finish(rows.len(), None))
    }

    /// Inserts rows in a transaction of their own.
    async fn insert_all(&mut self, schema: &Schema, table: &str, rows: &[Row]) -> Result<(), Failure> {
        if matches!(self.tables.get(table), Some(Way::Arrays(_))) {
            // A statement of its own is a transaction.
            return self.insert(schema, table, rows).await;
        }
        self.client.batch_execute("BEGIN").await.map_err(|error| failure(&error))?;
        let inserted = self.insert(schema, table, rows).await;
        let end = if inserted.is_ok() { "COMMIT" } else { "ROLLBACK" };
        let ended = self.client.batch_execute(end).await.map_err(|error| failure(&error));
        inserted.and(ended)
    }

    /// Inserts rows into an open transaction, or in a statement of their own.
    async fn insert(&mut self, schema: &Schema, table: &str, rows: &[Row]) -> Result<(), Failure> {
        if let Some(Way::Arrays(text)) = self.tables.get(table).cloned() {
            let insert = self.prepared(text).await?;
            let arrays: Vec<Text> = arrays(schema, rows).into_iter().map(|array| Text(Some(array))).collect();
            return self.execute(&insert, &arrays).await;
        }
        for part in rows.chunks(statement::rows_max(schema)) {
            let insert = self.prepared(statement::insert(schema, table, part.len())).await?;
            let values: Vec<Text> = part.iter().flat_map(|row| values(schema, row)).collect();
            self.execute(&insert, &values).await?;
        }
        Ok(())
    }

    async fn execute(&self, insert: &Statement, texts: &[Text]) -> Result<(), Failure> {
        let parameters: Vec<&(dyn ToSql + Sync)> =
            texts.iter().map(|text| text as &(dyn ToSql + Sync)).collect();
        self.client.execute(insert, &parameters).await.map(drop).map_err(|error| failure(&error))
    }

    async fn prepared(&mut self, text: String) -> Result<Statement, Failure> {
        if let Some(statement) = self.inserts.get(&text) {
            return Ok(statement.clone());
        }
        let statement = self.client.prepare(&text).await.map_err(|error| failure(&error))?;
        if self.inserts.len() >= STATEMENTS_MAX {
            self.inserts.clear();
        }
        self.inserts.insert(text, statement.clone());
        Ok(statement)
    }

    /// Makes sure that a table has every column.
    async fn prepare_table(&mut self, schema: &Schema, table: &str) -> Result<(), Failure> {
        let makes = schema.tables == TableMaking::Make;
        let statements = match self.client.prepare(&statement::look(schema, table)).await {
            Err(error) if makes && error.code() == Some(&SqlState::UNDEFINED_TABLE) => {
                statement::create(schema, table)
            }
            Err(error) => return Err(failure(&error)),
            Ok(look) => {
                let found: HashSet<&str> = look.columns().iter().map(tokio_postgres::Column::name).collect();
                let missing: Vec<(&str, &str)> =
                    schema.all_columns().filter(|(name, _)| !found.contains(name)).collect();
                if !makes && !missing.is_empty() {
                    let answer = format!("table {table} has no column {}", missing[0].0);
                    return Err(Failure { verdict: Verdict::Hold(HoldReason::Schema), answer });
                }
                let added =
                    missing.iter().map(|(name, kind)| statement::add_column(schema, table, name, kind));
                added.flatten().collect()
            }
        };
        for text in statements {
            match self.client.batch_execute(&text).await {
                // Another made it at the same time.
                Err(error) if is_there_already(&error) => {}
                Err(error) => return Err(failure(&error)),
                Ok(()) => {}
            }
        }
        if self.tables.len() >= TABLES_KNOWN_MAX {
            self.tables.clear();
        }
        let look = self.client.prepare(&statement::look(schema, table)).await;
        let way = way(schema, table, look.map_err(|error| failure(&error))?.columns());
        self.tables.insert(table.to_owned(), way);
        Ok(())
    }
}

/// Chooses how rows get into a table, from the columns that it has.
fn way(schema: &Schema, table: &str, columns: &[tokio_postgres::Column]) -> Way {
    let mut types = Vec::new();
    for name in statement::inserted(schema) {
        let found = columns.iter().find(|column| column.name() == name).map(tokio_postgres::Column::type_);
        match found {
            // The elements of nested arrays cannot be distinguished.
            Some(kind) if !matches!(kind.kind(), Kind::Array(_)) => {
                let dialect = schema.dialect();
                types.push(format!("{}.{}", dialect.quoted(kind.schema()), dialect.quoted(kind.name())));
            }
            _ => return Way::Values,
        }
    }
    Way::Arrays(statement::insert_arrays(schema, table, &types))
}

/// Returns the values of rows as an array for each column, in the order of parameters.
fn arrays(schema: &Schema, rows: &[Row]) -> Vec<String> {
    let mut arrays = vec![String::from("{"); statement::inserted(schema).count()];
    for row in rows {
        for (array, value) in arrays.iter_mut().zip(values(schema, row)) {
            if array.len() > 1 {
                array.push(',');
            }
            put_element(value.0.as_deref(), array);
        }
    }
    for array in &mut arrays {
        array.push('}');
    }
    arrays
}

/// Adds an element to the text of an array.
fn put_element(value: Option<&str>, array: &mut String) {
    let Some(value) = value else {
        array.push_str("NULL");
        return;
    };
    array.push('"');
    let mut rest = value;
    while let Some(place) = rest.find(['"', '\\']) {
        let (before, after) = rest.split_at(place);
        array.push_str(before);
        array.push('\\');
        // Both are one byte long.
        let (special, after) = after.split_at(1);
        array.push_str(special);
        rest = after;
    }
    array.push_str(rest);
    array.push('"');
}

fn is_there_already(error: &Error) -> bool {
    let codes = [
        SqlState::DUPLICATE_TABLE,
        SqlState::DUPLICATE_COLUMN,
        SqlState::DUPLICATE_OBJECT,
        SqlState::UNIQUE_VIOLATION,
    ];
    error.code().is_some_and(|code| codes.contains(code))
}

/// A value as text; `None` is NULL.
#[derive(Debug)]
struct Text(Option<String>);

/// Returns the values of a row, in the order of parameters.
fn values<'a>(schema: &'a Schema, row: &'a Row) -> impl Iterator<Item = Text> + 'a {
    let id = schema.unique_column.as_ref().map(|_| Text(Some(row.id.to_string())));
    row.cells.iter().map(text).chain(id)
}

fn text(cell: &Cell) -> Text {
    Text(match cell {
        Cell::Default | Cell::Null => None,
        Cell::Integer(number) => Some(number.to_string()),
        Cell::Double(number) => Some(number.to_string()),
        Cell::Boolean(truth) => Some(truth.to_string()),
        Cell::Text(text) => Some(text.clone()),
        Cell::Bytes(bytes) => {
            let mut text = String::from("\\x");
            for byte in bytes {
                let _ = write!(text, "{byte:02x}");
            }
            Some(text)
        }
    })
}

impl ToSql for Text {
    fn to_sql(
        &self,
        _: &Type,
        out: &mut BytesMut,
    ) -> Result<IsNull, Box<dyn std::error::Error + Sync + Send>> {
        Ok(match &self.0 {
            None => IsNull::Yes,
            Some(text) => {
                out.extend_from_slice(text.as_bytes());
                IsNull::No
            }
        })
    }

    fn accepts(_: &Type) -> bool {
        true
    }

    fn encode_format(&self, _: &Type) -> Format {
        Format::Text
    }

    fn to_sql_checked(
        &self,
        kind: &Type,
        out: &mut BytesMut,
    ) -> Result<IsNull, Box<dyn std::error::Error + Sync + Send>> {
        self.to_sql(kind, out)
    }
}

/// Returns what an error means for the rows of a request.
fn failure(error: &Error) -> Failure {
    let Some(database) = error.as_db_error() else {
        if let Some(refused) = error.source().and_then(refusal) {
            return refused;
        }
        let cause = error.source().map(|source| format!(": {source}")).unwrap_or_default();
        return Failure { verdict: Verdict::Later(Wait::Reopen), answer: format!("{error}{cause}") };
    };
    let code = database.code().code();
    let verdict = verdict(code);
    let mut message = database.message();
    if matches!(verdict, Verdict::Split(_)) {
        // After a quotation mark there may be values of the message, which our log must not contain.
        message = message.split('"').next().unwrap_or_default().trim_end_matches([' ', ':']);
    }
    let message: String = message.chars().take(ANSWER_CHARACTERS_MAX).collect();
    Failure { verdict, answer: format!("{code} {message}") }
}

/// Returns the verdict for a SQLSTATE (PostgreSQL documentation, appendix A).
fn verdict(code: &str) -> Verdict {
    match code {
        "42501" => Verdict::Hold(HoldReason::Access),
        "25006" | "53100" => Verdict::Hold(HoldReason::Quota),
        // Dropped or changed by someone else: the next attempt creates it, or finds that it must not.
        "42P01" | "42703" | "0A000" => Verdict::Hold(HoldReason::Schema),
        "40001" | "40P01" | "55P03" | "57014" => Verdict::Later(Wait::BackOff),
        "54000" | "54001" | "54023" => Verdict::Split(DeadReason::TooLarge),
        _ => match code.get(..2).unwrap_or_default() {
            "08" | "57" | "58" | "XX" => Verdict::Later(Wait::Reopen),
            "28" | "3D" => Verdict::Hold(HoldReason::Credentials),
            "53" | "55" => Verdict::Later(Wait::BackOff),
            "22" => Verdict::Split(DeadReason::Type),
            "23" => Verdict::Split(DeadReason::Constraint),
            "42" | "3F" => Verdict::Hold(HoldReason::Schema),
            _ => Verdict::Split(DeadReason::Rejected),
        },
    }
}

#[cfg(test)]
mod tests;
