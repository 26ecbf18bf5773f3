//! What no transition says: alerts that ended with their rules, ends of silences, alerts that go on, signs of life.
//!
//! In: the alerts that routes know, the time. Out: events that wait for their group. Holds nothing.
//! Limits: [`ALERTS_A_PASS`] of each kind; the others follow in the next passes.

use super::{
    event::{Event, Outcome},
    grouping::insert_notification,
    pass::Pass,
    routing::{silenced_by, silences, write},
};
use crate::{
    notice::{Notice, Purpose, Subject, notice_id},
    record::Record,
};
use alerts::{StoreError, alert_numbered};
use rusqlite::{OptionalExtension, Transaction, params};
use serde_json::Value;
use watch::Route;

/// Most alerts of each kind that one transaction looks at.
const ALERTS_A_PASS: i64 = 500;

pub(super) fn run(transaction: &Transaction<'_>, pass: &Pass<'_>) -> Result<(), StoreError> {
    ended(transaction, pass)?;
    unsilenced(transaction, pass)?;
    for (route, _) in &pass.routes.routes {
        reminders(transaction, pass, route)?;
        heartbeat(transaction, pass, route)?;
    }
    Ok(())
}

fn route_of<'p>(pass: &'p Pass<'_>, id: &str) -> Option<&'p Route> {
    pass.routes.routes.iter().map(|(route, _)| &**route).find(|route| *route.id == *id)
}

/// Tells of alerts that ended without a transition: their rule was changed or removed, or its state was lost.
fn ended(transaction: &Transaction<'_>, pass: &Pass<'_>) -> Result<(), StoreError> {
    let sql = "SELECT e.route, e.alert, e.group_key, e.state, a.state FROM notification_episode e \
               LEFT JOIN alert a ON a.number = e.alert \
               WHERE a.state IS NULL OR a.state IN ('ended', 'unknown') LIMIT $1";
    type Row = (String, i64, String, String, Option<String>);
    let found: Vec<Row> = transaction
        .prepare_cached(sql)?
        .query_map(params![ALERTS_A_PASS], |row| {
            Ok((row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?, row.get(4)?))
        })?
        .collect::<rusqlite::Result<_>>()?;
    for (id, number, group_key, state, change) in found {
        let over = "DELETE FROM notification_episode WHERE route = $1 AND alert = $2";
        transaction.prepare_cached(over)?.execute(params![id, number])?;
        let alert = alert_numbered(transaction, number.cast_unsigned())?;
        if let (Some(route), Some(alert), Some(change)) = (route_of(pass, &id), alert, change) {
            let record = Record::of_alert(&alert, &change, alert.ended_us.unwrap_or(pass.now_us));
            let event = Event { route, group_key, alert: Some(alert.number), transition: None, record };
            let outcome = if state == "told" { Outcome::Waiting } else { Outcome::Untold };
            write(transaction, &event, outcome, pass.now_us)?;
        }
    }
    Ok(())
}

/// Tells once of alerts that were silenced and still fire after the silence.
fn unsilenced(transaction: &Transaction<'_>, pass: &Pass<'_>) -> Result<(), StoreError> {
    let sql = "SELECT e.route, e.alert, e.group_key FROM notification_episode e JOIN alert a ON a.number = e.alert \
               WHERE e.state = 'silenced' AND a.state = 'firing' LIMIT $1";
    let found: Vec<(String, i64, String)> = transaction
        .prepare_cached(sql)?
        .query_map(params![ALERTS_A_PASS], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))?
        .collect::<rusqlite::Result<_>>()?;
    if found.is_empty() {
        return Ok(());
    }
    let silences = silences(transaction, pass.now_us)?;
    for (id, number, group_key) in found {
        let (Some(route), Some(alert)) =
            (route_of(pass, &id), alert_numbered(transaction, number.cast_unsigned())?)
        else {
            continue;
        };
        let record = Record::of_alert(&alert, "unsilenced", pass.now_us);
        if silenced_by(&silences, &record).is_some() {
            continue;
        }
        let told = "UPDATE notification_episode SET state = 'told' WHERE route = $1 AND alert = $2";
        transaction.prepare_cached(told)?.execute(params![id, number])?;
        let event = Event { route, group_key, alert: Some(alert.number), transition: None, record };
        write(transaction, &event, Outcome::Waiting, pass.now_us)?;
    }
    Ok(())
}

/// Reminds of groups whose alerts still fire, unless somebody has acknowledged them or a silence mutes them.
fn reminders(transaction: &Transaction<'_>, pass: &Pass<'_>, route: &Route) -> Result<(), StoreError> {
    let Some(repeat_us) = route.repeat_us else { return Ok(()) };
    let sql = "SELECT e.alert, e.group_key FROM notification_group g \
               JOIN notification_episode e ON e.route = g.route AND e.group_key = g.group_key \
               JOIN alert a ON a.number = e.alert \
               WHERE g.route = $1 AND g.due_us IS NULL AND g.sent_us <= $2 AND e.state = 'told' AND a.state = 'firing' \
               AND a.acknowledged_us IS NULL ORDER BY e.group_key, e.alert LIMIT $3";
    let found: Vec<(i64, String)> = transaction
        .prepare_cached(sql)?
        .query_map(params![&*route.id, pass.now_us - repeat_us, ALERTS_A_PASS], |row| {
            Ok((row.get(0)?, row.get(1)?))
        })?
        .collect::<rusqlite::Result<_>>()?;
    if found.is_empty() {
        return Ok(());
    }
    let silences = silences(transaction, pass.now_us)?;
    for (number, group_key) in found {
        let Some(alert) = alert_numbered(transaction, number.cast_unsigned())? else { continue };
        let record = Record::of_alert(&alert, "reminder", pass.now_us);
        if silenced_by(&silences, &record).is_none() {
            let event = Event { route, group_key, alert: Some(alert.number), transition: None, record };
            write(transaction, &event, Outcome::Waiting, pass.now_us)?;
        }
    }
    Ok(())
}

/// Sends a sign of life when one is due. One that was not sent because the server was down is not made up for.
fn heartbeat(transaction: &Transaction<'_>, pass: &Pass<'_>, route: &Route) -> Result<(), StoreError> {
    let Some(heartbeat_us) = route.heartbeat_us else { return Ok(()) };
    let sql = "SELECT heartbeat_us FROM notification_route WHERE route = $1";
    let last: Option<i64> =
        transaction.prepare_cached(sql)?.query_row(params![&*route.id], |row| row.get(0)).optional()?;
    // A clock that was set back must not stop the signs of life.
    if last.is_some_and(|last| last <= pass.now_us && pass.now_us - last < heartbeat_us) {
        return Ok(());
    }
    let upsert = "INSERT INTO notification_route (route, free_us, heartbeat_us) VALUES ($1, 0, $2) \
                  ON CONFLICT (route) DO UPDATE SET heartbeat_us = $2";
    transaction.prepare_cached(upsert)?.execute(params![&*route.id, pass.now_us])?;
    // A receiver that cannot be reached gets only the newest one.
    let older = "UPDATE notification SET state = 'replaced', due_us = NULL, settled_us = $1 \
                 WHERE route = $2 AND group_key = '\"heartbeat\"' AND state = 'waiting'";
    transaction.prepare_cached(older)?.execute(params![pass.now_us, &*route.id])?;
    let subject = Subject {
        purpose: Purpose::Heartbeat,
        server: pass.server,
        route: &route.id,
        group: Value::from("heartbeat"),
        groups: 0,
        at_us: pass.now_us,
    };
    let content = Notice::new(&subject, &[], 0);
    let notice = notice_id(&[pass.server, &route.id, "heartbeat", &pass.now_us.to_string()]);
    for channel in &route.channels {
        insert_notification(
            transaction,
            &notice,
            &route.id,
            "\"heartbeat\"",
            channel,
            &content,
            pass.now_us,
        )?;
    }
    Ok(())
}
