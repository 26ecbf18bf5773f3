//! Requests: creates and extends tables, and writes rows in one transaction.
//!
//! In: rows. Out: verdicts. Holds: a session, its prepared statements, known tables.
//! Limits: [`CONNECT_MOST`] and [`EXCHANGE_MOST`]; [`STATEMENTS_MAX`] prepared statements; a statement is never
//! longer than what the server accepts. A row is acknowledged when the server has said that its transaction is
//! committed: tables whose engine has no transactions guarantee no more than the engine does.

use super::{
    codes::{Step, failure},
    parameters::{self, Ids},
};
use crate::{
    link::failure::Failure,
    sql::{
        options::{Schema, TABLES_KNOWN_MAX, TableMaking},
        statement,
    },
};
use delivery::{Connection, Exchange, HoldReason, Judgement, Row, Verdict, Wait};
use std::{
    collections::{HashMap, HashSet},
    sync::Arc,
    time::{Duration, Instant},
};
use tokio::time::timeout;
use transport::{
    DeadReason,
    sql::{
        SqlLogin,
        mysql::{Session, SessionError},
    },
};

/// Longest wait for a session.
const CONNECT_MOST: Duration = Duration::from_secs(10);
/// Longest wait for the answers to one request.
const EXCHANGE_MOST: Duration = Duration::from_secs(60);
/// A session that was idle for longer than this is tested first: servers, and devices in between, close silent ones.
const IDLE_MOST: Duration = Duration::from_secs(30);
/// Most statements that stay prepared: a power of two of rows of one table each. The server allows 16,382 for all
/// its users.
const STATEMENTS_MAX: usize = 128;
/// Most rows of a statement: more make it no quicker.
const ROWS_MAX: usize = 256;
/// Bytes of a packet that are no values.
const PACKET_HEAD_BYTES: usize = 64;

/// The session as we need it. Values that do not fit are errors, never cut: also in tables without transactions. Without
/// modes that change the meaning of statements or values, a server answers the same however it was set up.
const SESSION: &str =
    "SET SESSION sql_mode = 'STRICT_ALL_TABLES,ERROR_FOR_DIVISION_BY_ZERO,NO_ENGINE_SUBSTITUTION'";

/// A connection.
pub(in crate::sql) struct Mysql {
    login: SqlLogin,
    schema: Arc<Schema>,
    open: Option<Open>,
}

/// An open session, and the state that belongs to it.
struct Open {
    session: Session,
    used: Instant,
    /// `max_allowed_packet` of the server.
    packet_bytes_max: usize,
    tables: HashSet<String>,
    statements: HashMap<Prepared, u32>,
    payload: Vec<u8>,
}

/// A statement for a number of rows of a table.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
struct Prepared {
    purpose: Purpose,
    table: String,
    rows: usize,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
enum Purpose {
    Insert,
    CountIds,
}

impl Prepared {
    fn text(&self, schema: &Schema) -> String {
        match self.purpose {
            Purpose::Insert => statement::insert(schema, &self.table, self.rows),
            Purpose::CountIds => statement::count_ids(schema, &self.table, self.rows),
        }
    }
}

impl Mysql {
    pub(in crate::sql) fn new(login: SqlLogin, schema: Arc<Schema>) -> Mysql {
        Mysql { login, schema, open: None }
    }

    async fn connect(login: &SqlLogin, schema: &Schema) -> Result<Open, Failure> {
        let opening = timeout(CONNECT_MOST, Session::open(login)).await;
        let Ok(opened) = opening else {
            return Err(Failure::unreachable(format!(
                "no session within {} seconds",
                CONNECT_MOST.as_secs()
            )));
        };
        let mut session = opened.map_err(|error| failure(error, Step::Login))?;
        for text in ["SET NAMES utf8mb4", SESSION] {
            session.query(text).await.map_err(|error| failure(error, Step::Login))?;
        }
        for text in &schema.session_statements {
            let lost =
                |error| Failure { verdict: Verdict::Later(Wait::Reopen), ..failure(error, Step::Table) };
            session.query(text).await.map_err(lost)?;
        }
        // A statement of its own is a transaction of its own, whatever the statements above say.
        let bounds = async {
            session.query("SET SESSION autocommit = 1").await?;
            session.query("SELECT @@max_allowed_packet").await
        };
        let found = bounds.await.map_err(|error| failure(error, Step::Login))?.first;
        let packet_bytes_max = found.and_then(|text| text.parse().ok()).unwrap_or(1 << 20);
        Ok(Open {
            session,
            used: Instant::now(),
            packet_bytes_max,
            tables: HashSet::new(),
            statements: HashMap::new(),
            payload: Vec::new(),
        })
    }

    /// Returns the open session, if there is one and it lives.
    async fn living(&mut self) -> Option<Open> {
        let mut open = self.open.take()?;
        if open.used.elapsed() < IDLE_MOST {
            return Some(open);
        }
        // Where packets are dropped in silence, no answer ever comes.
        let answered = timeout(CONNECT_MOST, open.session.ping()).await;
        matches!(answered, Ok(Ok(()))).then_some(open)
    }

    async fn exchange(&mut self, table: &str, rows: &[Row]) -> Result<(), Failure> {
        let mut open = match self.living().await {
            Some(open) => open,
            None => Mysql::connect(&self.login, &self.schema).await?,
        };
        let written = open.write(&self.schema, table, rows).await;
        if written.as_ref().map_or_else(keeps_session, |()| true) {
            open.used = Instant::now();
            self.open = Some(open);
        }
        written
    }
}

/// Returns true when the next attempt may use the session. New rights apply only to new sessions, and a server that
/// has become read-only may not be the one that gets connections now.
fn keeps_session(failure: &Failure) -> bool {
    match failure.verdict {
        Verdict::Later(Wait::Reopen) => false,
        Verdict::Hold(reason) => reason == HoldReason::Schema,
        _ => true,
    }
}

impl Connection for Mysql {
    fn send<'a>(&'a mut self, group: &'a str, rows: &'a [Row]) -> Exchange<'a> {
        Box::pin(async move {
            let result = timeout(EXCHANGE_MOST, self.exchange(group, rows)).await;
            match result {
                Ok(Ok(())) => Judgement::delivered(rows.len()),
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
        self.open = None;
    }
}

impl Open {
    async fn write(&mut self, schema: &Schema, table: &str, rows: &[Row]) -> Result<(), Failure> {
        let was_known = self.tables.contains(table);
        if !was_known {
            self.prepare_table(schema, table).await?;
        }
        let written = self.transact(schema, table, rows).await;
        match written {
            Err(failure) if matches!(failure.verdict, Verdict::Hold(_) | Verdict::Later(_)) => {
                // Whatever the cause, the table may have changed by the next attempt.
                self.tables.remove(table);
                if !failure.is_of_connection() {
                    self.forget_statements().await?;
                }
                let may_come_back = failure.verdict == Verdict::Hold(HoldReason::Schema)
                    && was_known
                    && schema.tables == TableMaking::Make;
                let verdict = if may_come_back { Verdict::Later(Wait::BackOff) } else { failure.verdict };
                Err(Failure { verdict, ..failure })
            }
            other => other,
        }
    }

    /// Writes all rows, or none. A single statement is its own transaction, unless its result must be checked first.
    async fn transact(&mut self, schema: &Schema, table: &str, rows: &[Row]) -> Result<(), Failure> {
        let parts = self.parts(schema, rows)?;
        let of_rows = |error| failure(error, Step::Rows);
        if parts.len() == 1 && schema.unique_column.is_none() {
            return self.insert(schema, table, &parts).await;
        }
        self.session.query("START TRANSACTION").await.map_err(of_rows)?;
        match self.insert(schema, table, &parts).await {
            Ok(()) => self.session.query("COMMIT").await.map(drop).map_err(of_rows),
            Err(failure) if failure.is_of_connection() => Err(failure),
            Err(failure) => match self.session.query("ROLLBACK").await {
                Ok(_) => Err(failure),
                Err(_) => Err(Failure::unreachable(failure.answer)),
            },
        }
    }

    /// Divides rows into those of one statement each: a power of two, so that few statements do for every number.
    fn parts<'a>(&self, schema: &Schema, rows: &'a [Row]) -> Result<Vec<&'a [Row]>, Failure> {
        let rows_max = statement::rows_max(schema).min(ROWS_MAX);
        let bytes_max = self.packet_bytes_max.saturating_sub(PACKET_HEAD_BYTES);
        let mut parts = Vec::new();
        let mut rest = rows;
        while !rest.is_empty() {
            let mut count = 1 << rest.len().min(rows_max).ilog2();
            let bytes = |count: usize| rest[..count].iter().map(parameters::size).sum::<usize>();
            while count > 1 && bytes(count) > bytes_max {
                count /= 2;
            }
            if bytes(count) > bytes_max {
                // The server would close the connection.
                let verdict = Verdict::Split(DeadReason::TooLarge);
                let answer = format!(
                    "a row has about {} bytes, and max_allowed_packet of the server is {}",
                    bytes(count),
                    self.packet_bytes_max
                );
                return Err(Failure { verdict, answer });
            }
            let (part, after) = rest.split_at(count);
            parts.push(part);
            rest = after;
        }
        Ok(parts)
    }

    async fn insert(&mut self, schema: &Schema, table: &str, parts: &[&[Row]]) -> Result<(), Failure> {
        for part in parts {
            let inserted = self.insert_part(schema, table, part).await;
            let inserted = inserted.map_err(|error| failure(error, Step::Rows))?;
            if schema.unique_column.is_some() && inserted < part.len() as u64 {
                self.check_ids(schema, table, part).await?;
            }
        }
        Ok(())
    }

    async fn insert_part(&mut self, schema: &Schema, table: &str, part: &[Row]) -> Result<u64, SessionError> {
        let statement = self.prepared(schema, Purpose::Insert, table, part.len()).await?;
        let ids = if schema.unique_column.is_some() { Ids::Sent } else { Ids::Left };
        parameters::of_rows(statement, part, ids, &mut self.payload);
        self.session.execute(&self.payload).await
    }

    /// Checks that rows that were not inserted exist already: a key other than that of the ids can also be the cause.
    async fn check_ids(&mut self, schema: &Schema, table: &str, part: &[Row]) -> Result<(), Failure> {
        let counted = async {
            let statement = self.prepared(schema, Purpose::CountIds, table, part.len()).await?;
            parameters::of_ids(statement, part, &mut self.payload);
            self.session.count(&self.payload).await
        };
        let found = counted.await.map_err(|error| failure(error, Step::Rows))?;
        if found >= part.len() as u64 {
            return Ok(());
        }
        let answer = "1062 (23000) another unique key of the table has a row's value already".to_owned();
        Err(Failure { verdict: Verdict::Split(DeadReason::Constraint), answer })
    }

    async fn prepared(
        &mut self,
        schema: &Schema,
        purpose: Purpose,
        table: &str,
        rows: usize,
    ) -> Result<u32, SessionError> {
        let key = Prepared { purpose, table: table.to_owned(), rows };
        if let Some(statement) = self.statements.get(&key) {
            return Ok(*statement);
        }
        if self.statements.len() >= STATEMENTS_MAX {
            let ids: Vec<u32> = self.statements.drain().map(|(_, id)| id).collect();
            self.session.close_statements(&ids).await?;
        }
        let statement = self.session.prepare(&key.text(schema)).await?;
        self.statements.insert(key, statement);
        Ok(statement)
    }

    async fn forget_statements(&mut self) -> Result<(), Failure> {
        let ids: Vec<u32> = self.statements.drain().map(|(_, id)| id).collect();
        self.session.close_statements(&ids).await.map_err(|error| failure(error, Step::Rows))
    }

    /// Makes sure that a table has every column.
    async fn prepare_table(&mut self, schema: &Schema, table: &str) -> Result<(), Failure> {
        for text in self.missing(schema, table).await? {
            match self.session.query(&text).await {
                // Another made it at the same time.
                Err(SessionError::Server(error)) if matches!(error.number, 1050 | 1060 | 1061) => {}
                Err(error) => return Err(failure(error, Step::Table)),
                Ok(_) => {}
            }
        }
        if self.tables.len() >= TABLES_KNOWN_MAX {
            self.tables.clear();
        }
        self.tables.insert(table.to_owned());
        Ok(())
    }

    /// Returns the statements that a table needs before rows can be written.
    async fn missing(&mut self, schema: &Schema, table: &str) -> Result<Vec<String>, Failure> {
        let makes = schema.tables == TableMaking::Make;
        let found = match self.session.query(&statement::look(schema, table)).await {
            Ok(results) => results.columns,
            Err(SessionError::Server(error)) if makes && error.number == 1146 => {
                return Ok(statement::create(schema, table));
            }
            // A user with INSERT rights only cannot look, and need not.
            Err(SessionError::Server(error)) if matches!(error.number, 1142 | 1143) => return Ok(Vec::new()),
            Err(error) => return Err(failure(error, Step::Table)),
        };
        let found: HashSet<String> = found.iter().map(|name| name.to_lowercase()).collect();
        let missing = schema.all_columns().filter(|(name, _)| !found.contains(&name.to_lowercase()));
        let missing: Vec<(&str, &str)> = missing.collect();
        if !makes && !missing.is_empty() {
            let answer = format!("table {table} has no column {}", missing[0].0);
            return Err(Failure { verdict: Verdict::Hold(HoldReason::Schema), answer });
        }
        let added = missing.iter().flat_map(|(name, kind)| statement::add_column(schema, table, name, kind));
        Ok(added.collect())
    }
}

#[cfg(test)]
mod tests;
