//! Events that wait for others of their group, and the notifications that they become.
//!
//! In: events. Out: notifications, one for each channel of the route. Holds nothing. Limits: the rate of the route: what is over
//! it becomes one notification with all that waits, when there is room again.

use super::{event::Event, limit::Rate, pass::Pass};
use crate::{
    notice::{ALERTS_MAX, Notice, Purpose, Subject, message_id, notice_id},
    record::Record,
};
use alerts::StoreError;
use message::Severity;
use rusqlite::{OptionalExtension, Transaction, params};
use serde_json::Value;
use watch::Route;

/// Makes the group of an event due, if it is not.
pub(super) fn make_due(
    transaction: &Transaction<'_>,
    event: &Event<'_>,
    now_us: i64,
) -> Result<(), StoreError> {
    let sql = "SELECT due_us, sent_us FROM notification_group WHERE route = $1 AND group_key = $2";
    let found: Option<(Option<i64>, Option<i64>)> = transaction
        .prepare_cached(sql)?
        .query_row(params![&*event.route.id, event.group_key], |row| Ok((row.get(0)?, row.get(1)?)))
        .optional()?;
    let (due_us, sent_us) = found.unwrap_or((None, None));
    // A clock that was set back must not hold a group for longer than its interval.
    let sent_us = sent_us.map(|sent_us| sent_us.min(now_us));
    let is_critical = event.record.severity().0 <= Severity::CRITICAL.0;
    let first_us = if is_critical { now_us } else { now_us + event.route.wait_us };
    let next_us = match sent_us.map(|sent_us| sent_us + event.route.interval_us) {
        Some(interval_us) if interval_us > now_us => interval_us,
        _ => first_us,
    };
    let due_us = due_us.map_or(next_us, |due_us| due_us.min(next_us));
    let upsert = "INSERT INTO notification_group (route, group_key, due_us) VALUES ($1, $2, $3) \
                  ON CONFLICT (route, group_key) DO UPDATE SET due_us = $3";
    transaction.prepare_cached(upsert)?.execute(params![&*event.route.id, event.group_key, due_us])?;
    Ok(())
}

/// Makes notifications of the groups that are due; returns how many.
pub(super) fn flush(transaction: &Transaction<'_>, pass: &Pass<'_>) -> Result<usize, StoreError> {
    let sql = "SELECT route, group_key FROM notification_group WHERE due_us <= $1 ORDER BY due_us, group_key";
    let due: Vec<(String, String)> = transaction
        .prepare_cached(sql)?
        .query_map(params![pass.now_us], |row| Ok((row.get(0)?, row.get(1)?)))?
        .collect::<rusqlite::Result<_>>()?;
    let mut sent = 0;
    for (route, _) in &pass.routes.routes {
        let groups: Vec<&str> =
            due.iter().filter(|(id, _)| **id == *route.id).map(|(_, group_key)| group_key.as_str()).collect();
        if !groups.is_empty() {
            sent += flush_route(transaction, pass, route, &groups)?;
        }
    }
    for (id, group_key) in
        due.iter().filter(|(id, _)| !pass.routes.routes.iter().any(|(route, _)| *route.id == **id))
    {
        // Its route was removed.
        let gone = "DELETE FROM notification_group WHERE route = $1 AND group_key = $2";
        transaction.prepare_cached(gone)?.execute(params![id, group_key])?;
        let events = "UPDATE notification_event SET outcome = 'removed' \
                      WHERE route = $1 AND group_key = $2 AND outcome = 'waiting'";
        transaction.prepare_cached(events)?.execute(params![id, group_key])?;
    }
    Ok(sent)
}

/// Makes notifications of the groups of a route that are due. The last one that the rate allows has all that are left.
fn flush_route(
    transaction: &Transaction<'_>,
    pass: &Pass<'_>,
    route: &Route,
    groups: &[&str],
) -> Result<usize, StoreError> {
    let rate = Rate::of(route.hourly_max);
    let mut used_us = used(transaction, route)?;
    let available = rate.available(used_us, pass.now_us);
    let mut sent = 0;
    let mut left = groups;
    while sent < available && !left.is_empty() {
        let count = if sent + 1 == available { left.len() } else { 1 };
        let (taken, rest) = left.split_at(count);
        send(transaction, pass, route, taken)?;
        used_us = rate.after(used_us, pass.now_us);
        (left, sent) = (rest, sent + 1);
    }
    if sent > 0 {
        let upsert = "INSERT INTO notification_route (route, free_us, heartbeat_us) VALUES ($1, $2, 0) \
                      ON CONFLICT (route) DO UPDATE SET free_us = $2";
        transaction.prepare_cached(upsert)?.execute(params![&*route.id, used_us])?;
    }
    Ok(sent)
}

/// Returns the time up to which a route is used up.
fn used(transaction: &Transaction<'_>, route: &Route) -> Result<i64, StoreError> {
    let sql = "SELECT free_us FROM notification_route WHERE route = $1";
    let found =
        transaction.prepare_cached(sql)?.query_row(params![&*route.id], |row| row.get(0)).optional()?;
    Ok(found.unwrap_or(0))
}

/// Makes one notification of groups, for each channel.
fn send(
    transaction: &Transaction<'_>,
    pass: &Pass<'_>,
    route: &Route,
    groups: &[&str],
) -> Result<(), StoreError> {
    let now_us = pass.now_us;
    let mut events: Vec<(i64, Option<i64>, Record)> = Vec::new();
    for group_key in groups {
        let sql = "SELECT number, alert, record FROM notification_event \
                   WHERE route = $1 AND group_key = $2 AND outcome = 'waiting' ORDER BY number";
        let mut statement = transaction.prepare_cached(sql)?;
        let rows = statement.query_map(params![&*route.id, group_key], |row| {
            let text: String = row.get(2)?;
            Ok((row.get(0)?, row.get(1)?, Record(serde_json::from_str(&text).unwrap_or_default())))
        })?;
        for row in rows {
            events.push(row?);
        }
        let done =
            "UPDATE notification_group SET due_us = NULL, sent_us = $1 WHERE route = $2 AND group_key = $3";
        transaction.prepare_cached(done)?.execute(params![now_us, &*route.id, group_key])?;
    }
    events.sort_by_key(|(number, ..)| *number);
    let Some((first, ..)) = events.first() else { return Ok(()) };
    let first_id = events[0].2.text("id").to_owned();
    let notice = notice_id(&[pass.server, &route.id, &first_id, &first.to_string(), &now_us.to_string()]);
    let group = match groups {
        [one] => serde_json::from_str(one).unwrap_or_default(),
        _ => Value::from("merged"),
    };
    let subject = Subject {
        purpose: Purpose::Alerts,
        server: pass.server,
        route: &route.id,
        group,
        groups: groups.len(),
        at_us: now_us,
    };
    // Those that do not fit are the oldest: what is going on now matters most.
    let skipped = events.len().saturating_sub(ALERTS_MAX);
    let records: Vec<Record> = events[skipped..].iter().map(|(_, _, record)| record.clone()).collect();
    let content = Notice::new(&subject, &records, events.len());
    let group_key = if let [one] = groups { one } else { "\"merged\"" };
    for channel in &route.channels {
        insert_notification(transaction, &notice, &route.id, group_key, channel, &content, now_us)?;
    }
    for (number, alert, _) in &events {
        let told = "UPDATE notification_event SET outcome = 'notified', notice = $1 WHERE number = $2";
        transaction.prepare_cached(told)?.execute(params![notice, number])?;
        let episode =
            "UPDATE notification_episode SET notice = $1 WHERE route = $2 AND alert = $3 AND notice IS NULL";
        transaction.prepare_cached(episode)?.execute(params![notice, &*route.id, alert])?;
    }
    Ok(())
}

/// Puts a notification on its way.
pub(crate) fn insert_notification(
    transaction: &Transaction<'_>,
    notice: &str,
    route: &str,
    group_key: &str,
    channel: &str,
    content: &Notice,
    now_us: i64,
) -> Result<(), StoreError> {
    let sql = "INSERT INTO notification (number, id, notice, route, group_key, channel, content, created_us, state, due_us, \
               asked, attempts) SELECT COALESCE(MAX(number), 0) + 1, $1, $2, $3, $4, $5, $6, $7, 'waiting', $7, 0, 0 \
               FROM notification";
    transaction.prepare_cached(sql)?.execute(params![
        message_id(notice, channel),
        notice,
        route,
        group_key,
        channel,
        content.0.to_string(),
        now_us,
    ])?;
    Ok(())
}
