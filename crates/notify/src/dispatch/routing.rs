//! Transitions to events of routes.
//!
//! In: transitions in the order of their numbers. Out: events that wait for their group, or the reason why not. Holds nothing.

use super::{
    event::{Event, Outcome},
    grouping,
    pass::Pass,
};
use crate::record::{Record, is_end};
use alerts::{Alert, KeptTransition, StoreError, alert_of, transitions_after};
use query::{ParseOptions, Query};
use rusqlite::{OptionalExtension, Transaction, params};
use serde_json::{Map, Value};
use watch::Route;

/// Age of a transition from which it shares a notification with others of its age: they were late for the same reason.
const LATE_US: i64 = 3_600_000_000;
/// The group of what is late.
const LATE: &str = "\"late\"";

/// Routes what was not routed yet; returns the number of transitions.
pub(super) fn route(
    transaction: &Transaction<'_>,
    pass: &mut Pass<'_>,
    routed: u64,
    most: usize,
) -> Result<usize, StoreError> {
    let found = transitions_after(transaction, routed, most)?;
    let Some(last) = found.last() else { return Ok(0) };
    let silences = silences(transaction, pass.now_us)?;
    for one in &found {
        let alert = alert_of(transaction, one)?;
        one_transition(transaction, pass, one, alert.as_ref(), &silences)?;
    }
    transaction
        .prepare_cached("UPDATE notification_setup SET routed = $1")?
        .execute(params![last.number.cast_signed()])?;
    Ok(found.len())
}

fn one_transition(
    transaction: &Transaction<'_>,
    pass: &mut Pass<'_>,
    one: &KeptTransition,
    alert: Option<&Alert>,
    silences: &[(i64, Query)],
) -> Result<(), StoreError> {
    let record = Record::of(one, alert);
    let document = record.document();
    let now_us = pass.now_us;
    let number = alert.map(|alert| alert.number);
    let ends = is_end(&one.change) && alert.is_some();
    for (route, matcher) in &mut pass.routes.routes {
        let episode = match number {
            Some(alert) if ends => episode(transaction, route, alert)?,
            _ => None,
        };
        // An end goes where the beginning went, even if the route looks for other alerts by now.
        let mut matches = || matcher.as_mut().is_none_or(|matcher| matcher.matches(&document));
        if episode.is_none() && !matches() {
            continue;
        }
        let outcome = match &episode {
            Some((state, _)) if state == "silenced" => Outcome::Untold,
            Some(_) => Outcome::Waiting,
            None if ends => Outcome::Untold,
            None => silenced_by(silences, &record).map_or(Outcome::Waiting, Outcome::Silenced),
        };
        let group_key = match episode {
            Some((_, group_key)) => group_key,
            None if one.at_us < now_us - LATE_US => LATE.to_owned(),
            None => group_of(route, &record),
        };
        let event =
            Event { route, group_key, alert: number, transition: Some(one.number), record: record.clone() };
        if one.change == "fired" {
            begin(transaction, &event, outcome)?;
        } else if let (Some(alert), true) = (number, ends) {
            let over = "DELETE FROM notification_episode WHERE route = $1 AND alert = $2";
            transaction.prepare_cached(over)?.execute(params![&*route.id, alert.cast_signed()])?;
        }
        write(transaction, &event, outcome, now_us)?;
    }
    Ok(())
}

/// Returns the state and the group of an alert that a route knows.
fn episode(
    transaction: &Transaction<'_>,
    route: &Route,
    alert: u64,
) -> Result<Option<(String, String)>, StoreError> {
    let sql = "SELECT state, group_key FROM notification_episode WHERE route = $1 AND alert = $2";
    let mut statement = transaction.prepare_cached(sql)?;
    let found =
        statement.query_row(params![&*route.id, alert.cast_signed()], |row| Ok((row.get(0)?, row.get(1)?)));
    Ok(found.optional()?)
}

/// Notes that an alert began.
fn begin(transaction: &Transaction<'_>, event: &Event<'_>, outcome: Outcome) -> Result<(), StoreError> {
    let state = if outcome == Outcome::Waiting { "told" } else { "silenced" };
    let sql = "INSERT INTO notification_episode (route, alert, group_key, state) VALUES ($1, $2, $3, $4) \
               ON CONFLICT (route, alert) DO NOTHING";
    let alert = event.alert.map(u64::cast_signed);
    transaction.prepare_cached(sql)?.execute(params![&*event.route.id, alert, event.group_key, state])?;
    Ok(())
}

/// Writes an event; one that waits makes its group due.
pub(super) fn write(
    transaction: &Transaction<'_>,
    event: &Event<'_>,
    outcome: Outcome,
    now_us: i64,
) -> Result<(), StoreError> {
    let (name, silence) = match outcome {
        Outcome::Waiting => ("waiting", None),
        Outcome::Silenced(silence) => ("silenced", Some(silence)),
        Outcome::Untold => ("untold", None),
    };
    let sql = "INSERT INTO notification_event (number, route, group_key, alert, transition, logspace, change, at_us, record, \
               outcome, silence) SELECT COALESCE(MAX(number), 0) + 1, $1, $2, $3, $4, $5, $6, $7, $8, $9, $10 \
               FROM notification_event";
    transaction.prepare_cached(sql)?.execute(params![
        &*event.route.id,
        event.group_key,
        event.alert.map(u64::cast_signed),
        event.transition.map(u64::cast_signed),
        event.record.text("logspace"),
        event.record.text("change"),
        event.record.number("at_us"),
        event.record.0.to_string(),
        name,
        silence,
    ])?;
    match outcome {
        Outcome::Waiting => grouping::make_due(transaction, event, now_us),
        Outcome::Silenced(_) | Outcome::Untold => Ok(()),
    }
}

/// Returns names and values of the group of a record, as JSON.
pub(super) fn group_of(route: &Route, record: &Record) -> String {
    let pair = |name: &String| (name.clone(), Value::from(record.field(name)));
    Value::Object(route.group_by.iter().map(pair).collect::<Map<_, _>>()).to_string()
}

/// Returns the silences in force.
pub(super) fn silences(transaction: &Transaction<'_>, now_us: i64) -> Result<Vec<(i64, Query)>, StoreError> {
    let sql = "SELECT number, query FROM silence WHERE from_us <= $1 AND to_us > $1 AND ended_us IS NULL";
    let mut statement = transaction.prepare_cached(sql)?;
    let rows = statement.query_map(params![now_us], |row| Ok((row.get(0)?, row.get::<_, String>(1)?)))?;
    let mut silences = Vec::new();
    for row in rows {
        let (number, text) = row?;
        // It was checked when it was made; a later version may refuse it, and then it mutes nothing.
        if let Ok(query) = Query::parse(&text, &ParseOptions::default()) {
            silences.push((number, query));
        }
    }
    Ok(silences)
}

/// Returns the silence that mutes a record.
pub(super) fn silenced_by(silences: &[(i64, Query)], record: &Record) -> Option<i64> {
    if silences.is_empty() {
        return None;
    }
    let document = record.document();
    silences.iter().find(|(_, query)| query.matcher().matches(&document)).map(|(number, _)| *number)
}
