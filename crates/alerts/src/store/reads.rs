//! Reads the database: for a restart, and for people.
//!
//! In: names, filters. Out: rows. Holds nothing. Limits: those of the filters.

use super::{
    Alert, AlertFilter, Coverage, Gap, GapReason, KeptTransition, Mark, MarkKind, Store, StoreError, Watched,
};
use rusqlite::{Connection, OptionalExtension, Row, params, types::Value};

/// The rows that a restart goes on from.
#[derive(Debug)]
pub(crate) struct Resumed {
    pub(crate) watched: Watched,
    /// The files of rules in force, with their texts.
    pub(crate) texts: Vec<(String, String)>,
}

const ALERT_COLUMNS: &str = "number, logspace, id, rule, version, title, severity, key, state, began_us, sequence, \
                             ended_us, value, acknowledged_us, acknowledged_by, note";

/// Reads a number that is never negative.
fn count(row: &Row<'_>, column: usize) -> rusqlite::Result<u64> {
    row.get::<_, i64>(column).map(i64::cast_unsigned)
}

fn optional_count(row: &Row<'_>, column: usize) -> rusqlite::Result<Option<u64>> {
    row.get::<_, Option<i64>>(column).map(|number| number.map(i64::cast_unsigned))
}

fn watched(row: &Row<'_>) -> rusqlite::Result<Watched> {
    Ok(Watched {
        logspace: row.get(0)?,
        generation: count(row, 1)?,
        cursor: count(row, 2)?,
        alive_us: row.get(3)?,
    })
}

fn alert(row: &Row<'_>) -> rusqlite::Result<Alert> {
    Ok(Alert {
        number: count(row, 0)?,
        logspace: row.get(1)?,
        id: row.get(2)?,
        rule: row.get(3)?,
        version: row.get(4)?,
        title: row.get(5)?,
        severity: row.get(6)?,
        key: row.get(7)?,
        state: row.get(8)?,
        began_us: row.get(9)?,
        sequence: optional_count(row, 10)?,
        ended_us: row.get(11)?,
        value: row.get(12)?,
        acknowledged_us: row.get(13)?,
        acknowledged_by: row.get(14)?,
        note: row.get(15)?,
    })
}

fn transition(row: &Row<'_>) -> rusqlite::Result<KeptTransition> {
    Ok(KeptTransition {
        number: count(row, 0)?,
        logspace: row.get(1)?,
        id: row.get(2)?,
        rule: row.get(3)?,
        version: row.get(4)?,
        severity: row.get(5)?,
        key: row.get(6)?,
        instance: count(row, 7)?,
        change: row.get(8)?,
        sequence: optional_count(row, 9)?,
        at_us: row.get(10)?,
        value: row.get(11)?,
        first: optional_count(row, 12)?,
    })
}

/// Collects the rows of a statement.
fn rows<T>(
    connection: &Connection,
    sql: &str,
    values: Vec<Value>,
    read: fn(&Row<'_>) -> rusqlite::Result<T>,
) -> Result<Vec<T>, StoreError> {
    let mut statement = connection.prepare_cached(sql)?;
    let found = statement.query_map(rusqlite::params_from_iter(values), read)?;
    Ok(found.collect::<rusqlite::Result<Vec<T>>>()?)
}

const TRANSITION_COLUMNS: &str = "number, logspace, id, rule, version, severity, key, instance, change, sequence, at_us, \
                                  value, first_sequence";

/// Returns at most `limit` transitions of all logspaces with higher numbers than this, oldest first, within a transaction.
pub fn transitions_after(
    connection: &Connection,
    above: u64,
    limit: usize,
) -> Result<Vec<KeptTransition>, StoreError> {
    let sql =
        format!("SELECT {TRANSITION_COLUMNS} FROM transition WHERE number > $1 ORDER BY number LIMIT $2");
    let limit = i64::try_from(limit).unwrap_or(i64::MAX);
    rows(connection, &sql, vec![Value::Integer(above.cast_signed()), Value::Integer(limit)], transition)
}

/// Returns the alert that a transition began or ended, within a transaction; none for changes of the rule itself.
pub fn alert_of(connection: &Connection, one: &KeptTransition) -> Result<Option<Alert>, StoreError> {
    match one.change.as_str() {
        // An alert has the number of the transition that began it.
        "fired" | "occurred" => return alert_numbered(connection, one.number),
        "degraded" | "recovered" | "stopped" | "resumed" => return Ok(None),
        _ => {}
    }
    let sql = format!(
        "SELECT {ALERT_COLUMNS} FROM alert WHERE logspace = $1 AND rule = $2 AND version = $3 AND instance = $4 \
         AND number <= $5 ORDER BY number DESC LIMIT 1"
    );
    let values = vec![
        Value::Text(one.logspace.clone()),
        Value::Text(one.rule.clone()),
        Value::Text(one.version.clone()),
        Value::Integer(one.instance.cast_signed()),
        Value::Integer(one.number.cast_signed()),
    ];
    Ok(rows(connection, &sql, values, alert)?.pop())
}

/// Returns an alert by its number, within a transaction.
pub fn alert_numbered(connection: &Connection, number: u64) -> Result<Option<Alert>, StoreError> {
    let sql = format!("SELECT {ALERT_COLUMNS} FROM alert WHERE number = $1");
    Ok(rows(connection, &sql, vec![Value::Integer(number.cast_signed())], alert)?.pop())
}

impl Store {
    /// Returns what a restart of a logspace's rules goes on from; none when it has none.
    pub(crate) fn resumed(&self, logspace: &str) -> Result<Option<Resumed>, StoreError> {
        self.with(|connection| {
            let one = "SELECT logspace, generation, next_sequence, alive_us FROM watched WHERE logspace = $1";
            let Some(watched) = connection.query_row(one, [logspace], watched).optional()? else {
                return Ok(None);
            };
            let texts = "SELECT path, content FROM rules_file WHERE logspace = $1 ORDER BY position";
            let name = Value::Text(logspace.to_owned());
            let texts = rows(connection, texts, vec![name], |row| Ok((row.get(0)?, row.get(1)?)))?;
            Ok(Some(Resumed { watched, texts }))
        })
    }

    /// Returns the logspaces that rules watch, or have watched.
    pub fn watched(&self) -> Result<Vec<Watched>, StoreError> {
        let sql = "SELECT logspace, generation, next_sequence, alive_us FROM watched ORDER BY logspace";
        self.with(|connection| rows(connection, sql, Vec::new(), watched))
    }

    /// Returns the marks of a logspace with higher numbers than this, in the order of their numbers.
    pub fn marks(&self, logspace: &str, above: u64) -> Result<Vec<Mark>, StoreError> {
        let sql = "SELECT number, sequence, kind, at_us FROM mark WHERE logspace = $1 AND number > $2 ORDER BY number";
        let values = vec![Value::Text(logspace.to_owned()), Value::Integer(above.cast_signed())];
        self.with(|connection| {
            rows(connection, sql, values, |row| {
                let kind: String = row.get(2)?;
                let (number, sequence) = (count(row, 0)?, count(row, 1)?);
                Ok(Mark { number, sequence, kind: MarkKind::of(&kind), at_us: row.get(3)? })
            })
        })
    }

    /// Returns the highest number of a mark of a logspace; 0 without one.
    pub(crate) fn last_mark(&self, logspace: &str) -> Result<u64, StoreError> {
        let sql = "SELECT COALESCE(MAX(number), 0) FROM mark WHERE logspace = $1";
        self.with(|connection| Ok(connection.query_row(sql, [logspace], |row| count(row, 0))?))
    }

    /// Returns the gaps of a logspace that begin at a sequence number or later.
    pub fn gaps(&self, logspace: &str, from: u64) -> Result<Vec<Gap>, StoreError> {
        let sql = "SELECT from_sequence, to_sequence, from_us, to_us, reason FROM gap
                   WHERE logspace = $1 AND from_sequence >= $2 ORDER BY from_sequence, to_sequence";
        let values = vec![Value::Text(logspace.to_owned()), Value::Integer(from.cast_signed())];
        self.with(|connection| {
            rows(connection, sql, values, |row| {
                let reason: String = row.get(4)?;
                let (from, to) = (count(row, 0)?, count(row, 1)?);
                Ok(Gap { from, to, received_us: (row.get(2)?, row.get(3)?), reason: GapReason::of(&reason) })
            })
        })
    }

    /// Returns the messages that the rules of a logspace have evaluated, and those that they have not, by rule.
    pub fn coverage(&self, logspace: &str, rule: Option<&str>) -> Result<Vec<Coverage>, StoreError> {
        let sql = "SELECT rule, version, from_sequence, to_sequence, state FROM coverage
                   WHERE logspace = $1 AND ($2 IS NULL OR rule = $2)
                   ORDER BY rule, from_sequence, to_sequence IS NULL, to_sequence";
        let rule = rule.map_or(Value::Null, |rule| Value::Text(rule.to_owned()));
        self.with(|connection| {
            rows(connection, sql, vec![Value::Text(logspace.to_owned()), rule], |row| {
                let (rule, version) = (row.get(0)?, row.get(1)?);
                let (from, to) = (count(row, 2)?, optional_count(row, 3)?);
                Ok(Coverage { rule, version, from, to, state: row.get(4)? })
            })
        })
    }

    /// Returns at most `limit` transitions of a logspace with higher numbers than this, oldest first.
    pub fn transitions(
        &self,
        logspace: &str,
        above: u64,
        limit: usize,
    ) -> Result<Vec<KeptTransition>, StoreError> {
        let sql = "SELECT number, logspace, id, rule, version, severity, key, instance, change, sequence, at_us, value, \
                   first_sequence FROM transition WHERE logspace = $1 AND number > $2 ORDER BY number LIMIT $3";
        let limit = i64::try_from(limit).unwrap_or(i64::MAX);
        let values = vec![
            Value::Text(logspace.to_owned()),
            Value::Integer(above.cast_signed()),
            Value::Integer(limit),
        ];
        self.with(|connection| rows(connection, sql, values, transition))
    }

    /// Returns alerts, newest first.
    pub fn alerts(&self, filter: &AlertFilter) -> Result<Vec<Alert>, StoreError> {
        let mut values = Vec::new();
        let mut wanted = String::from("TRUE");
        let mut and = |condition: &str, value: Value| {
            values.push(value);
            wanted.push_str(&format!(" AND {condition} ${}", values.len()));
        };
        if let Some(state) = filter.state {
            and("state =", Value::Text(state.name().to_owned()));
        }
        if let Some(rule) = &filter.rule {
            and("rule =", Value::Text(rule.clone()));
        }
        if let Some(before) = filter.before {
            and("number <", Value::Integer(before.cast_signed()));
        }
        if let Some(logspaces) = &filter.logspaces {
            let first = values.len() + 1;
            let places: Vec<String> = (first..first + logspaces.len()).map(|n| format!("${n}")).collect();
            wanted.push_str(&format!(" AND logspace IN ({})", places.join(", ")));
            values.extend(logspaces.iter().cloned().map(Value::Text));
        }
        values.push(Value::Integer(i64::try_from(filter.limit).unwrap_or(i64::MAX)));
        let sql = format!(
            "SELECT {ALERT_COLUMNS} FROM alert WHERE {wanted} ORDER BY number DESC LIMIT ${}",
            values.len()
        );
        self.with(|connection| rows(connection, &sql, values, alert))
    }

    /// Returns an alert by its number.
    pub fn alert(&self, number: u64) -> Result<Alert, StoreError> {
        let sql = format!("SELECT {ALERT_COLUMNS} FROM alert WHERE number = $1");
        let found = self.with(|connection| {
            Ok(connection.query_row(&sql, params![number.cast_signed()], alert).optional()?)
        })?;
        found.ok_or(StoreError::NoAlert)
    }
}
