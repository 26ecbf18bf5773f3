//! Notifications on their way.
//!
//! In: a channel, the time. Out: the next notification that is due; a record of each attempt. Holds nothing: all is in the
//! database. Limits: [`schedule::PAUSES`] attempts. Notifications of a group are sent in their order; those of other
//! groups do not wait for one that is tried again.

mod courier;
mod schedule;

pub(crate) use courier::Courier;

use crate::{channel::Delivery, letter::Letter, notice::Notice};
use alerts::{Store, StoreError};
use rusqlite::{OptionalExtension, params};

/// Longest text of an answer that is kept, in bytes.
const ANSWER_BYTES_MAX: usize = 500;

/// Returns the next notification of a channel that is due.
pub(crate) fn next_due(store: &Store, channel: &str, now_us: i64) -> Result<Option<Letter>, StoreError> {
    store.transaction(|transaction| {
        let sql = "SELECT number, id, created_us, content, attempts FROM notification n \
                   WHERE channel = $1 AND state = 'waiting' AND due_us <= $2 AND NOT EXISTS (SELECT 1 FROM notification o \
                   WHERE o.channel = $1 AND o.state = 'waiting' AND o.route = n.route AND o.group_key = n.group_key \
                   AND o.number < n.number) ORDER BY due_us, number LIMIT 1";
        let found = transaction
            .prepare_cached(sql)?
            .query_row(params![channel, now_us], |row| {
                let text: String = row.get(3)?;
                Ok(Letter {
                    number: row.get(0)?,
                    id: row.get(1)?,
                    created_us: row.get(2)?,
                    content: Notice(serde_json::from_str(&text).unwrap_or_default()),
                    attempts: row.get(4)?,
                    thread: None,
                })
            })
            .optional()?;
        let Some(mut letter) = found else { return Ok(None) };
        let first = "SELECT n.id FROM notification n JOIN notification_event e ON e.notice = n.notice \
                     WHERE n.channel = $1 AND n.number < $2 AND e.alert IN (SELECT l.alert FROM notification_event l \
                     JOIN notification m ON m.notice = l.notice WHERE m.number = $2) ORDER BY n.number LIMIT 1";
        letter.thread = transaction
            .prepare_cached(first)?
            .query_row(params![channel, letter.number], |row| row.get(0))
            .optional()?;
        Ok(Some(letter))
    })
}

/// Notes an attempt and what follows from it.
pub(crate) fn record(
    store: &Store,
    channel: &str,
    letter: &Letter,
    attempt: &Attempt,
) -> Result<(), StoreError> {
    let Attempt { began_us, ended_us, delivery } = attempt;
    let (state, outcome, answer) = match delivery {
        Delivery::Done(answer) => ("sent", "delivered", answer),
        Delivery::Later { answer, .. } => ("waiting", "failed", answer),
        Delivery::Never(answer) => ("refused", "refused", answer),
        Delivery::Gone(answer) => ("refused", "gone", answer),
    };
    let wait = match delivery {
        Delivery::Later { wait, .. } => schedule::pause(&letter.id, letter.attempts, *wait),
        _ => None,
    };
    // A notification that was tried for three days is given up.
    let state = if state == "waiting" && wait.is_none() { "given-up" } else { state };
    let due_us =
        wait.map(|wait| ended_us.saturating_add(i64::try_from(wait.as_micros()).unwrap_or(i64::MAX)));
    let asked = i64::from(matches!(delivery, Delivery::Later { wait: Some(_), .. }));
    let attempts = i64::from(letter.attempts) + 1;
    store.transaction(|transaction| {
        let insert = "INSERT INTO notification_attempt (notification, attempt, at_us, duration_us, outcome, answer) \
                      VALUES ($1, $2, $3, $4, $5, $6) ON CONFLICT DO NOTHING";
        let duration_us = (ended_us - began_us).max(0);
        transaction.execute(insert, params![letter.number, attempts, began_us, duration_us, outcome, cut(answer)])?;
        // It may have been removed with its channel meanwhile.
        let update = "UPDATE notification SET state = $1, due_us = $2, asked = $3, attempts = $4, settled_us = $5 \
                      WHERE number = $6 AND state = 'waiting'";
        let settled_us = due_us.is_none().then_some(*ended_us);
        transaction.execute(update, params![state, due_us, asked, attempts, settled_us, letter.number])?;
        if matches!(delivery, Delivery::Done(_)) {
            // The receiver is there again: what failed for other reasons than its own wish need not wait longer.
            let wake = "UPDATE notification SET due_us = $1 \
                        WHERE channel = $2 AND state = 'waiting' AND asked = 0 AND due_us > $1";
            transaction.execute(wake, params![ended_us, channel])?;
        }
        Ok(())
    })
}

/// An attempt to send a notification.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Attempt {
    pub(crate) began_us: i64,
    pub(crate) ended_us: i64,
    pub(crate) delivery: Delivery,
}

/// Disables a channel whose receiver has said that it is gone, until its definition changes.
pub(crate) fn disable(
    store: &Store,
    channel: &str,
    definition: &str,
    reason: &str,
    now_us: i64,
) -> Result<(), StoreError> {
    store.transaction(|transaction| {
        let upsert = "INSERT INTO notification_channel (channel, definition, disabled_us, reason) VALUES ($1, $2, $3, $4) \
                      ON CONFLICT (channel) DO UPDATE SET definition = $2, disabled_us = $3, reason = $4";
        transaction.execute(upsert, params![channel, definition, now_us, cut(reason)])?;
        Ok(())
    })
}

/// Returns the reason why a channel is disabled; one whose definition has changed since is not.
pub(crate) fn disabled(store: &Store, channel: &str, definition: &str) -> Result<Option<String>, StoreError> {
    store.transaction(|transaction| {
        let sql = "SELECT reason FROM notification_channel WHERE channel = $1 AND definition = $2";
        Ok(transaction.query_row(sql, params![channel, definition], |row| row.get(0)).optional()?)
    })
}

/// Refuses what waits for channels that are not there any more.
pub(crate) fn refuse_others(store: &Store, channels: &[&str], now_us: i64) -> Result<(), StoreError> {
    store.transaction(|transaction| {
        let sql = "SELECT DISTINCT channel FROM notification WHERE state = 'waiting'";
        let waiting: Vec<String> =
            transaction.prepare(sql)?.query_map([], |row| row.get(0))?.collect::<rusqlite::Result<_>>()?;
        for gone in waiting.iter().filter(|name| !channels.contains(&name.as_str())) {
            let update = "UPDATE notification SET state = 'removed', due_us = NULL, settled_us = $1 \
                          WHERE channel = $2 AND state = 'waiting'";
            transaction.execute(update, params![now_us, gone])?;
        }
        Ok(())
    })
}

/// Returns how many notifications wait for a channel, and the time of the oldest.
pub(crate) fn waiting(store: &Store, channel: &str) -> Result<(u64, Option<i64>), StoreError> {
    store.transaction(|transaction| {
        let sql =
            "SELECT COUNT(*), MIN(created_us) FROM notification WHERE channel = $1 AND state = 'waiting'";
        let found = transaction
            .prepare_cached(sql)?
            .query_row(params![channel], |row| Ok((row.get::<_, i64>(0)?.cast_unsigned(), row.get(1)?)));
        Ok(found?)
    })
}

/// Returns the beginning of a text, without control characters.
fn cut(text: &str) -> String {
    let clean: String =
        text.chars().map(|character| if character.is_control() { ' ' } else { character }).collect();
    let end = (0..=ANSWER_BYTES_MAX.min(clean.len())).rev().find(|end| clean.is_char_boundary(*end));
    clean[..end.unwrap_or(0)].to_owned()
}
