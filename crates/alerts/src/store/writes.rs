//! Writes the database: each change is one transaction.
//!
//! In: what a thread has evaluated; sets of rules that come into force. Out: rows. Holds nothing.
//! SQLite numbers `$1`, `$2` ... by where they stand first: each statement has them in ascending order.

use super::{AlertState, Batch, Gap, GapReason, MARKS_KEPT, Mark, Store, StoreError};
use rusqlite::{Transaction, TransactionBehavior, params};
use serde_json::{Map, Value};
use std::{collections::HashMap, sync::Arc};
use watch::{Cause, Change, Rule, Transition};

/// A set of rules that comes into force.
#[derive(Debug)]
pub(crate) struct Adoption<'a> {
    pub(crate) generation: u64,
    /// The first message that the rules see.
    pub(crate) cursor: u64,
    pub(crate) alive_us: i64,
    pub(crate) texts: &'a [(String, String)],
    pub(crate) rules: &'a [Arc<Rule>],
    /// Marks that stand before that message.
    pub(crate) marks: &'a [Mark],
    /// The fate of the windows of rules that stay.
    pub(crate) windows: Windows,
}

/// The fate of the windows of rules that stay as they were.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Windows {
    Kept,
    Lost,
}

const EVALUATED: &str = "evaluated";

/// The rules of a logspace by their identifiers.
pub(crate) type RulesById<'a> = HashMap<&'a str, &'a Arc<Rule>>;

impl Store {
    /// Writes what was evaluated; transitions that are there already stay as they are. Returns how many are new.
    pub(crate) fn advance(
        &self,
        logspace: &str,
        batch: &Batch,
        rules: &RulesById<'_>,
    ) -> Result<u64, StoreError> {
        self.transaction(|transaction| {
            let mut last = last_number(transaction)?;
            let before = last;
            for one in &batch.transitions {
                let Some(rule) = rules.get(one.rule.as_ref()) else { continue };
                if insert(transaction, logspace, rule, one, last + 1)? {
                    last += 1;
                    follow(transaction, logspace, rule, one, last)?;
                }
            }
            marks(transaction, logspace, &batch.marks)?;
            batch.gaps.iter().try_for_each(|gap| cut(transaction, logspace, gap))?;
            let update = "UPDATE watched SET next_sequence = MAX(next_sequence, $1), alive_us = $2 WHERE logspace = $3";
            transaction
                .prepare_cached(update)?
                .execute(params![batch.cursor.cast_signed(), batch.alive_us, logspace])?;
            if last > before {
                self.prune(transaction, last)?;
            }
            Ok(last - before)
        })
    }

    /// Brings a set of rules into force.
    pub(crate) fn adopt(&self, logspace: &str, adoption: &Adoption<'_>) -> Result<(), StoreError> {
        self.transaction(|transaction| {
            let upsert =
                "INSERT INTO watched (logspace, generation, next_sequence, alive_us) VALUES ($1, $2, $3, $4)
                 ON CONFLICT (logspace) DO UPDATE SET generation = $2, next_sequence = $3, alive_us = $4";
            let (generation, cursor) = (adoption.generation.cast_signed(), adoption.cursor.cast_signed());
            transaction.execute(upsert, params![logspace, generation, cursor, adoption.alive_us])?;
            transaction.execute("DELETE FROM rules_file WHERE logspace = $1", [logspace])?;
            for (position, (path, content)) in (0i64..).zip(adoption.texts) {
                let insert =
                    "INSERT INTO rules_file (logspace, position, path, content) VALUES ($1, $2, $3, $4)";
                transaction.execute(insert, params![logspace, position, path, content])?;
            }
            if adoption.windows == Windows::Lost {
                let gap = Gap {
                    from: adoption.cursor,
                    to: adoption.cursor,
                    received_us: (adoption.alive_us, adoption.alive_us),
                    reason: GapReason::StateLost,
                };
                cut(transaction, logspace, &gap)?;
                end_alerts(transaction, logspace, AlertState::Unknown, adoption.alive_us, &|_, _| true)?;
            }
            cover(transaction, logspace, adoption)?;
            marks(transaction, logspace, adoption.marks)
        })
    }

    /// Notes that a logspace has no rules any more.
    pub(crate) fn retire(&self, logspace: &str, now_us: i64) -> Result<(), StoreError> {
        self.transaction(|transaction| {
            let close =
                "UPDATE coverage SET to_sequence = (SELECT next_sequence FROM watched WHERE logspace = $1)
                         WHERE logspace = $1 AND to_sequence IS NULL";
            transaction.execute(close, [logspace])?;
            remove_empty(transaction, logspace)?;
            transaction.execute("DELETE FROM rules_file WHERE logspace = $1", [logspace])?;
            end_alerts(transaction, logspace, AlertState::Ended, now_us, &|_, _| true)
        })
    }

    /// Adds marks before they are evaluated.
    pub(crate) fn mark(&self, logspace: &str, added: &[Mark]) -> Result<(), StoreError> {
        self.transaction(|transaction| marks(transaction, logspace, added))
    }

    /// Removes old marks that no restart needs.
    pub(crate) fn forget_marks(&self, logspace: &str, below: u64) -> Result<(), StoreError> {
        let number = below.saturating_sub(MARKS_KEPT).cast_signed();
        self.with(|connection| {
            connection
                .execute("DELETE FROM mark WHERE logspace = $1 AND number < $2", params![logspace, number])?;
            Ok(())
        })
    }

    /// Notes that a user knows of an alert; the last one counts.
    pub fn acknowledge(&self, number: u64, user: &str, note: &str, now_us: i64) -> Result<(), StoreError> {
        let update =
            "UPDATE alert SET acknowledged_us = $1, acknowledged_by = $2, note = $3 WHERE number = $4";
        let changed = self.with(|connection| {
            Ok(connection.execute(update, params![now_us, user, note, number.cast_signed()])?)
        })?;
        if changed == 0 { Err(StoreError::NoAlert) } else { Ok(()) }
    }

    /// Lets a function read and write in one transaction; an error of it undoes what it wrote. Notifications keep their tables
    /// beside those of alerts, so that both always agree.
    pub fn transaction<T>(
        &self,
        act: impl FnOnce(&Transaction<'_>) -> Result<T, StoreError>,
    ) -> Result<T, StoreError> {
        self.with(|connection| {
            let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
            let done = act(&transaction)?;
            transaction.commit()?;
            Ok(done)
        })
    }

    /// Removes the oldest transitions beyond the limit, with alerts of their age that do not fire.
    fn prune(&self, transaction: &Transaction<'_>, last: u64) -> Result<(), StoreError> {
        let oldest = last.saturating_sub(self.transitions_kept).cast_signed();
        // Transitions that notifications have not routed yet are kept.
        let routed = "SELECT COALESCE(MIN(routed), $1) FROM notification_setup";
        let routed: i64 = transaction.prepare_cached(routed)?.query_row([oldest], |row| row.get(0))?;
        let oldest = oldest.min(routed);
        if oldest > 0 {
            transaction.prepare_cached("DELETE FROM transition WHERE number <= $1")?.execute([oldest])?;
            let alerts = "DELETE FROM alert WHERE number <= $1 AND state <> 'firing'";
            transaction.prepare_cached(alerts)?.execute([oldest])?;
        }
        Ok(())
    }
}

/// The highest number of a transition: numbers are never given twice, because the newest are never removed.
pub(super) fn last_number(transaction: &Transaction<'_>) -> Result<u64, StoreError> {
    let sql = "SELECT COALESCE(MAX(number), 0) FROM transition";
    let last: i64 = transaction.prepare_cached(sql)?.query_row([], |row| row.get(0))?;
    Ok(last.cast_unsigned())
}

/// Writes a transition; returns false when it is there already.
fn insert(
    transaction: &Transaction<'_>,
    logspace: &str,
    rule: &Rule,
    one: &Transition,
    number: u64,
) -> Result<bool, StoreError> {
    let sql = "INSERT INTO transition (number, logspace, id, rule, version, severity, key, instance, change, sequence, \
               at_us, value, first_sequence) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13) \
               ON CONFLICT (logspace, id) DO NOTHING";
    let changed = transaction.prepare_cached(sql)?.execute(params![
        number.cast_signed(),
        logspace,
        one.id.to_string(),
        one.rule.as_ref(),
        one.version.to_string(),
        one.severity.name(),
        key(rule, one),
        one.ordinal.cast_signed(),
        one.change.name(),
        cause(one),
        one.at_us,
        one.value,
        one.first.map(u64::cast_signed),
    ])?;
    Ok(changed == 1)
}

/// Lets the alert of a new transition begin or end.
fn follow(
    transaction: &Transaction<'_>,
    logspace: &str,
    rule: &Rule,
    one: &Transition,
    number: u64,
) -> Result<(), StoreError> {
    let state = match one.change {
        Change::Fired => AlertState::Firing,
        Change::Occurred => AlertState::Occurred,
        Change::Resolved => return end(transaction, logspace, one, AlertState::Resolved),
        Change::Forgotten => return end(transaction, logspace, one, AlertState::Forgotten),
        // These are of the rule, not of an alert.
        Change::Degraded | Change::Recovered => return Ok(()),
    };
    let sql = "INSERT INTO alert (number, logspace, id, rule, version, title, severity, key, instance, state, began_us, \
               sequence, ended_us, value, acknowledged_by, note) \
               VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, '', '')";
    let ended_us = (state == AlertState::Occurred).then_some(one.at_us);
    transaction.prepare_cached(sql)?.execute(params![
        number.cast_signed(),
        logspace,
        one.id.to_string(),
        one.rule.as_ref(),
        one.version.to_string(),
        rule.title,
        one.severity.name(),
        key(rule, one),
        one.ordinal.cast_signed(),
        state.name(),
        one.at_us,
        cause(one),
        ended_us,
        one.value,
    ])?;
    Ok(())
}

/// Ends the alert that fires.
fn end(
    transaction: &Transaction<'_>,
    logspace: &str,
    one: &Transition,
    state: AlertState,
) -> Result<(), StoreError> {
    let sql = "UPDATE alert SET state = $1, ended_us = $2 WHERE logspace = $3 AND rule = $4 AND version = $5 AND \
               instance = $6 AND state = 'firing'";
    transaction.prepare_cached(sql)?.execute(params![
        state.name(),
        one.at_us,
        logspace,
        one.rule.as_ref(),
        one.version.to_string(),
        one.ordinal.cast_signed(),
    ])?;
    Ok(())
}

/// The names and values of a key as a JSON object; what is no text is shown as such.
fn key(rule: &Rule, one: &Transition) -> String {
    let text = |value: &Vec<u8>| Value::from(String::from_utf8_lossy(value).into_owned());
    let pairs = rule.key_names().zip(&one.key).map(|(name, value)| (name.to_owned(), text(value)));
    Value::Object(pairs.collect::<Map<_, _>>()).to_string()
}

fn cause(one: &Transition) -> Option<i64> {
    match one.cause {
        Cause::Message(sequence) => Some(sequence.cast_signed()),
        Cause::Tick(_) => None,
    }
}

fn marks(transaction: &Transaction<'_>, logspace: &str, added: &[Mark]) -> Result<(), StoreError> {
    let sql = "INSERT INTO mark (logspace, number, sequence, kind, at_us) VALUES ($1, $2, $3, $4, $5) \
               ON CONFLICT (logspace, number) DO NOTHING";
    for mark in added {
        transaction.prepare_cached(sql)?.execute(params![
            logspace,
            mark.number.cast_signed(),
            mark.sequence.cast_signed(),
            mark.kind.name(),
            mark.at_us,
        ])?;
    }
    Ok(())
}

/// Writes a gap, and cuts the coverage of every rule in force at it.
fn cut(transaction: &Transaction<'_>, logspace: &str, gap: &Gap) -> Result<(), StoreError> {
    let (from, to) = (gap.from.cast_signed(), gap.to.cast_signed());
    let insert = "INSERT INTO gap (logspace, from_sequence, to_sequence, from_us, to_us, reason) \
                  VALUES ($1, $2, $3, $4, $5, $6) ON CONFLICT DO NOTHING";
    let (from_us, to_us) = gap.received_us;
    if transaction.execute(insert, params![logspace, from, to, from_us, to_us, gap.reason.name()])? == 0 {
        // It was cut before a restart.
        return Ok(());
    }
    let of_gap = "INSERT INTO coverage (logspace, rule, version, title, from_sequence, to_sequence, state) \
                  SELECT logspace, rule, version, title, $1, $2, $3 FROM coverage \
                  WHERE logspace = $4 AND to_sequence IS NULL";
    transaction.execute(of_gap, params![from, to, gap.reason.name(), logspace])?;
    let after = "INSERT INTO coverage (logspace, rule, version, title, from_sequence, to_sequence, state) \
                 SELECT logspace, rule, version, title, $1, -1, $2 FROM coverage \
                 WHERE logspace = $3 AND to_sequence IS NULL";
    transaction.execute(after, params![to, EVALUATED, logspace])?;
    let close = "UPDATE coverage SET to_sequence = $1 WHERE logspace = $2 AND to_sequence IS NULL";
    transaction.execute(close, params![from, logspace])?;
    let open = "UPDATE coverage SET to_sequence = NULL WHERE logspace = $1 AND to_sequence = -1";
    transaction.execute(open, params![logspace])?;
    remove_empty(transaction, logspace)
}

/// Closes the coverage of rules that are no longer in force, with their alerts, and opens that of new ones.
fn cover(transaction: &Transaction<'_>, logspace: &str, adoption: &Adoption<'_>) -> Result<(), StoreError> {
    let known: HashMap<&str, String> =
        adoption.rules.iter().map(|rule| (rule.id.as_ref(), rule.version.to_string())).collect();
    let stays = |rule: &str, version: &str| known.get(rule).is_some_and(|known| known == version);
    let list = "SELECT rule, version FROM coverage WHERE logspace = $1 AND to_sequence IS NULL";
    let covered: Vec<(String, String)> = transaction
        .prepare(list)?
        .query_map([logspace], |row| Ok((row.get(0)?, row.get(1)?)))?
        .collect::<rusqlite::Result<_>>()?;
    let cursor = adoption.cursor.cast_signed();
    for (rule, _) in covered.iter().filter(|(rule, version)| !stays(rule, version)) {
        let close =
            "UPDATE coverage SET to_sequence = $1 WHERE logspace = $2 AND rule = $3 AND to_sequence IS NULL";
        transaction.prepare_cached(close)?.execute(params![cursor, logspace, rule])?;
    }
    remove_empty(transaction, logspace)?;
    end_alerts(transaction, logspace, AlertState::Ended, adoption.alive_us, &|rule, version| {
        !stays(rule, version)
    })?;
    let open: HashMap<&str, &str> =
        covered.iter().map(|(rule, version)| (rule.as_str(), version.as_str())).collect();
    for rule in adoption.rules {
        let version = rule.version.to_string();
        if open.get(rule.id.as_ref()).is_some_and(|open| *open == version) {
            continue;
        }
        let insert = "INSERT INTO coverage (logspace, rule, version, title, from_sequence, to_sequence, state) \
                      VALUES ($1, $2, $3, $4, $5, NULL, $6)";
        transaction.prepare_cached(insert)?.execute(params![
            logspace,
            rule.id.as_ref(),
            version,
            rule.title,
            cursor,
            EVALUATED
        ])?;
    }
    Ok(())
}

/// Removes the coverage of no message at all.
fn remove_empty(transaction: &Transaction<'_>, logspace: &str) -> Result<(), StoreError> {
    let sql = "DELETE FROM coverage WHERE logspace = $1 AND to_sequence <= from_sequence AND state = $2";
    transaction.execute(sql, params![logspace, EVALUATED])?;
    Ok(())
}

/// Ends the firing alerts of some versions of rules.
fn end_alerts(
    transaction: &Transaction<'_>,
    logspace: &str,
    state: AlertState,
    now_us: i64,
    ends: &dyn Fn(&str, &str) -> bool,
) -> Result<(), StoreError> {
    let list = "SELECT DISTINCT rule, version FROM alert WHERE logspace = $1 AND state = 'firing'";
    let firing: Vec<(String, String)> = transaction
        .prepare(list)?
        .query_map([logspace], |row| Ok((row.get(0)?, row.get(1)?)))?
        .collect::<rusqlite::Result<_>>()?;
    for (rule, version) in firing.iter().filter(|(rule, version)| ends(rule, version)) {
        let sql = "UPDATE alert SET state = $1, ended_us = $2 \
                   WHERE logspace = $3 AND rule = $4 AND version = $5 AND state = 'firing'";
        transaction.execute(sql, params![state.name(), now_us, logspace, rule, version])?;
    }
    Ok(())
}
