//! What became of transitions: who was notified of them, over what, with which answers, and who was not, and why.
//!
//! In: filters. Out: decisions with their attempts, newest first. Holds nothing. Limits: those of the filter.

use crate::notice::{Notice, Purpose, Subject, notice_id};
use crate::{dispatch::insert_notification, setup};
use alerts::{Store, StoreError};
use rusqlite::{Connection, params, params_from_iter, types::Value as Sql};
use serde_json::Value;
use std::fmt;

/// The decisions that are wanted.
#[derive(Clone, Debug, Default)]
pub struct DecisionFilter {
    /// Those about alerts of these logspaces; none: of all.
    pub logspaces: Option<Vec<String>>,
    /// Those about the alert with this number.
    pub alert: Option<u64>,
    /// Those of a route.
    pub route: Option<String>,
    /// Those with lower numbers than this.
    pub before: Option<u64>,
    /// At most this many.
    pub limit: usize,
}

/// The decision of a route about a change of an alert.
#[derive(Clone, PartialEq, Debug)]
pub struct Decision {
    /// Its number, from 1.
    pub number: u64,
    /// The route.
    pub route: String,
    /// Number of the alert; none: a change of the rule itself.
    pub alert: Option<u64>,
    /// The logspace.
    pub logspace: String,
    /// The change.
    pub change: String,
    /// Its time, in microseconds since 1970.
    pub at_us: i64,
    /// `waiting`, `notified`, `silenced`, `untold` or `removed`.
    pub outcome: String,
    /// Number of the silence that muted it.
    pub silence: Option<u64>,
    /// The notifications that it is in.
    pub notifications: Vec<Sent>,
}

/// A notification and its attempts.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Sent {
    /// Its id, the same at every attempt.
    pub id: String,
    /// The channel.
    pub channel: String,
    /// `waiting`, `sent`, `refused`, `given-up`, `replaced` or `removed`.
    pub state: String,
    /// When it is tried next, in microseconds since 1970.
    pub due_us: Option<i64>,
    /// The attempts, oldest first.
    pub attempts: Vec<Tried>,
}

/// An attempt to send a notification.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Tried {
    /// When it began, in microseconds since 1970.
    pub at_us: i64,
    /// How long it took, in microseconds.
    pub duration_us: i64,
    /// `delivered`, `failed`, `refused` or `gone`.
    pub outcome: String,
    /// The answer of the receiver, or the failure.
    pub answer: String,
}

/// Returns decisions, newest first.
pub fn decisions(store: &Store, filter: &DecisionFilter) -> Result<Vec<Decision>, StoreError> {
    let (mut values, mut wanted) = (Vec::new(), String::from("TRUE"));
    let mut and = |condition: &str, value: Sql| {
        values.push(value);
        wanted.push_str(&format!(" AND {condition} ${}", values.len()));
    };
    if let Some(alert) = filter.alert {
        and("alert =", Sql::Integer(alert.cast_signed()));
    }
    if let Some(route) = &filter.route {
        and("route =", Sql::Text(route.clone()));
    }
    if let Some(before) = filter.before {
        and("number <", Sql::Integer(before.cast_signed()));
    }
    if let Some(logspaces) = &filter.logspaces {
        let first = values.len() + 1;
        let places: Vec<String> = (first..first + logspaces.len()).map(|place| format!("${place}")).collect();
        wanted.push_str(&format!(" AND logspace IN ({})", places.join(", ")));
        values.extend(logspaces.iter().cloned().map(Sql::Text));
    }
    values.push(Sql::Integer(i64::try_from(filter.limit).unwrap_or(i64::MAX)));
    let sql = format!(
        "SELECT number, route, alert, logspace, change, at_us, outcome, silence, notice FROM notification_event \
         WHERE {wanted} ORDER BY number DESC LIMIT ${}",
        values.len()
    );
    store.transaction(|transaction| {
        let mut statement = transaction.prepare(&sql)?;
        let rows = statement.query_map(params_from_iter(values), |row| {
            let decision = Decision {
                number: row.get::<_, i64>(0)?.cast_unsigned(),
                route: row.get(1)?,
                alert: row.get::<_, Option<i64>>(2)?.map(i64::cast_unsigned),
                logspace: row.get(3)?,
                change: row.get(4)?,
                at_us: row.get(5)?,
                outcome: row.get(6)?,
                silence: row.get::<_, Option<i64>>(7)?.map(i64::cast_unsigned),
                notifications: Vec::new(),
            };
            Ok((decision, row.get::<_, Option<String>>(8)?))
        })?;
        let mut decisions = Vec::new();
        for row in rows {
            let (mut decision, notice) = row?;
            if let Some(notice) = notice {
                decision.notifications = sent(transaction, "notice", &notice)?;
            }
            decisions.push(decision);
        }
        Ok(decisions)
    })
}

/// Returns a notification by its id.
pub fn notification(store: &Store, id: &str) -> Result<Option<Sent>, StoreError> {
    store.transaction(|transaction| Ok(sent(transaction, "id", id)?.pop()))
}

/// Returns the notifications with a value in a column, with their attempts.
fn sent(connection: &Connection, column: &'static str, value: &str) -> Result<Vec<Sent>, StoreError> {
    let sql = format!(
        "SELECT number, id, channel, state, due_us FROM notification WHERE {column} = $1 ORDER BY number"
    );
    let mut statement = connection.prepare_cached(&sql)?;
    let rows = statement.query_map(params![value], |row| {
        let (id, channel, state, due_us) = (row.get(1)?, row.get(2)?, row.get(3)?, row.get(4)?);
        Ok((row.get::<_, i64>(0)?, Sent { id, channel, state, due_us, attempts: Vec::new() }))
    })?;
    let mut found = Vec::new();
    for row in rows {
        let (number, mut one) = row?;
        let attempts = "SELECT at_us, duration_us, outcome, answer FROM notification_attempt \
                        WHERE notification = $1 ORDER BY attempt";
        let mut statement = connection.prepare_cached(attempts)?;
        let rows = statement.query_map(params![number], |row| {
            let (at_us, duration_us, outcome, answer) = (row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?);
            Ok(Tried { at_us, duration_us, outcome, answer })
        })?;
        one.attempts = rows.collect::<rusqlite::Result<_>>()?;
        found.push(one);
    }
    Ok(found)
}

/// The reason why a channel is not tried.
#[derive(Debug)]
pub enum TestError {
    /// There is no such channel.
    NoChannel,
    /// The database does not answer.
    Store(StoreError),
}

impl fmt::Display for TestError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            TestError::NoChannel => f.write_str("there is no such channel"),
            TestError::Store(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for TestError {}

/// Sends a test over a channel of the running server, and enables it again if it was disabled; returns the id of the
/// notification, which is on its way then.
pub fn test_channel(store: &Store, server: &str, channel: &str, now_us: i64) -> Result<String, TestError> {
    let text = setup::kept(store).map_err(TestError::Store)?;
    let setup = text.and_then(|text| setup::Setup::of(text).ok()).unwrap_or_default();
    if !setup.channels.iter().any(|known| *known.id == *channel) {
        return Err(TestError::NoChannel);
    }
    let group = Value::from("test");
    let subject = Subject { purpose: Purpose::Test, server, route: "", group, groups: 0, at_us: now_us };
    let content = Notice::new(&subject, &[], 0);
    let notice = notice_id(&[server, channel, "test", &now_us.to_string()]);
    let done = store.transaction(|transaction| {
        transaction.execute("DELETE FROM notification_channel WHERE channel = $1", params![channel])?;
        insert_notification(
            transaction,
            &notice,
            "",
            &format!("\"test {now_us}\""),
            channel,
            &content,
            now_us,
        )
    });
    done.map_err(TestError::Store)?;
    Ok(crate::notice::message_id(&notice, channel))
}
