//! Rules of objects that do not run any more, and that run again: each change is a transition, so that it can be notified.
//!
//! In: the rules that do not run at present, the ids of those that do. Out: transitions `stopped` and `resumed` in the database,
//! once for each change, across restarts. Holds nothing. No message has caused them: they have no sequence number.

use super::{Store, StoreError, writes::last_number};
use rusqlite::{Transaction, params};
use serde_json::json;
use std::collections::{BTreeMap, BTreeSet};
use watch::Rule;

/// A rule that does not run in a logspace, although it is switched on.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct StoppedRule {
    /// Its id.
    pub rule: String,
    /// Its version.
    pub version: String,
    /// A name for people.
    pub title: String,
    /// Severity of its alerts.
    pub severity: String,
    /// The logspace.
    pub logspace: String,
    /// The name of its owner.
    pub owner: String,
    /// The reason, a sentence without a dot.
    pub reason: String,
}

impl StoppedRule {
    /// A rule that is stopped in a logspace for a reason.
    pub fn of(rule: &Rule, logspace: &str, owner: &str, reason: &str) -> StoppedRule {
        StoppedRule {
            rule: rule.id.to_string(),
            version: rule.version.to_string(),
            title: rule.title.clone(),
            severity: rule.severity.name().to_owned(),
            logspace: logspace.to_owned(),
            owner: owner.to_owned(),
            reason: reason.to_owned(),
        }
    }

    /// Returns what a transition has in the place of the values of a key: no message, only what people must know of the rule.
    fn subject(&self) -> String {
        json!({"title": self.title, "owner": self.owner, "reason": self.reason}).to_string()
    }
}

/// The row of a rule that was reported as stopped.
struct Reported {
    version: String,
    severity: String,
    subject: String,
}

impl Store {
    /// Reports rules that were stopped since the last call, and those of them that run again. `running` has the ids of the
    /// rules that are in force; one that was stopped and is in neither list was switched off or deleted, and is only forgotten.
    pub fn note_stopped(
        &self,
        stopped: &[StoppedRule],
        running: &BTreeSet<String>,
        now_us: i64,
    ) -> Result<(), StoreError> {
        if stopped.is_empty() && !self.exists() {
            return Ok(());
        }
        self.transaction(|transaction| {
            let mut known = reported(transaction)?;
            for one in stopped {
                let key = (one.logspace.clone(), one.rule.clone());
                if known.remove(&key).is_some() {
                    continue;
                }
                let sql = "INSERT INTO stopped_rule (logspace, rule, version, severity, subject, since_us) \
                           VALUES ($1, $2, $3, $4, $5, $6)";
                let (version, severity, subject) = (&one.version, &one.severity, one.subject());
                let values = params![one.logspace, one.rule, version, severity, subject, now_us];
                transaction.prepare_cached(sql)?.execute(values)?;
                let row = Reported { version: version.clone(), severity: severity.clone(), subject };
                insert(transaction, &key, &row, "stopped", now_us)?;
            }
            for (key, row) in known {
                let sql = "DELETE FROM stopped_rule WHERE logspace = $1 AND rule = $2";
                transaction.prepare_cached(sql)?.execute(params![key.0, key.1])?;
                if running.contains(&key.1) {
                    insert(transaction, &key, &row, "resumed", now_us)?;
                }
            }
            Ok(())
        })
    }
}

/// Returns the rules that were reported, by logspace and id.
fn reported(transaction: &Transaction<'_>) -> Result<BTreeMap<(String, String), Reported>, StoreError> {
    let mut statement =
        transaction.prepare_cached("SELECT logspace, rule, version, severity, subject FROM stopped_rule")?;
    let rows = statement.query_map([], |row| {
        let reported = Reported { version: row.get(2)?, severity: row.get(3)?, subject: row.get(4)? };
        Ok(((row.get(0)?, row.get(1)?), reported))
    })?;
    Ok(rows.collect::<rusqlite::Result<_>>()?)
}

/// Writes a transition of a rule itself.
fn insert(
    transaction: &Transaction<'_>,
    (logspace, rule): &(String, String),
    row: &Reported,
    change: &str,
    now_us: i64,
) -> Result<(), StoreError> {
    let number = last_number(transaction)? + 1;
    let sql = "INSERT INTO transition (number, logspace, id, rule, version, severity, key, instance, change, at_us) \
               VALUES ($1, $2, $3, $4, $5, $6, $7, 0, $8, $9) ON CONFLICT (logspace, id) DO NOTHING";
    transaction.prepare_cached(sql)?.execute(params![
        number.cast_signed(),
        logspace,
        format!("{rule}-{change}-{now_us}"),
        rule,
        row.version,
        row.severity,
        row.subject,
        change,
        now_us,
    ])?;
    Ok(())
}
