//! Decides what becomes of each transition: which routes take it, whether a silence mutes it, with which others it is sent, and
//! when.
//!
//! In: transitions that were not routed yet, the time. Out: notifications for the channels, and a record of each decision. Holds
//! nothing: all is in the database, and each pass is one transaction.
//! Limits: [`TRANSITIONS_A_PASS`]; [`EVENTS_KEPT`] decisions are kept.
//!
//! | module | what it does |
//! |---|---|
//! | `routing` | transitions to events of routes; silences |
//! | `follow_up` | alerts that ended with their rules, ends of silences, reminders, signs of life |
//! | `grouping` | events that wait for others of their group |
//! | `limit` | the rate of a route |
//! | `event` | what a route makes of a change |
//! | `pass` | the parts of a pass |

mod event;
mod follow_up;
mod grouping;
mod limit;
mod pass;
mod routing;

pub(crate) use grouping::insert_notification;
pub(crate) use pass::{FollowUp, Next, Pass};

use alerts::{Store, StoreError};
use rusqlite::{OptionalExtension, Transaction, params};

/// Most transitions that one transaction routes: an alert storm must not keep the database from the threads of rules for long.
const TRANSITIONS_A_PASS: usize = 500;
/// Decisions that are kept; the oldest go first.
const EVENTS_KEPT: i64 = 200_000;
/// Notifications that are kept, besides those on their way.
const NOTIFICATIONS_KEPT: i64 = 50_000;

/// Decides on what is new, and makes the notifications that are due.
pub(crate) fn run(store: &Store, pass: &mut Pass<'_>) -> Result<Next, StoreError> {
    store.transaction(|transaction| {
        let routed: Option<i64> = transaction
            .prepare_cached("SELECT routed FROM notification_setup")?
            .query_row([], |row| row.get(0))
            .optional()?;
        let Some(routed) = routed else { return Ok(Next::Idle) };
        let found = routing::route(transaction, pass, routed.cast_unsigned(), TRANSITIONS_A_PASS)?;
        if pass.follow_up == FollowUp::Due {
            follow_up::run(transaction, pass)?;
        }
        let sent = grouping::flush(transaction, pass)?;
        if found > 0 || sent > 0 {
            prune(transaction)?;
        }
        Ok(if found == TRANSITIONS_A_PASS { Next::More } else { Next::Idle })
    })
}

/// Removes the oldest decisions and settled notifications beyond their limits.
fn prune(transaction: &Transaction<'_>) -> Result<(), StoreError> {
    let events = "DELETE FROM notification_event WHERE outcome <> 'waiting' AND \
                  number <= (SELECT COALESCE(MAX(number), 0) FROM notification_event) - $1";
    transaction.prepare_cached(events)?.execute(params![EVENTS_KEPT])?;
    let attempts = "DELETE FROM notification_attempt WHERE notification IN (SELECT number FROM notification \
                    WHERE state <> 'waiting' AND number <= (SELECT COALESCE(MAX(number), 0) FROM notification) - $1)";
    transaction.prepare_cached(attempts)?.execute(params![NOTIFICATIONS_KEPT])?;
    let settled = "DELETE FROM notification WHERE state <> 'waiting' AND \
                   number <= (SELECT COALESCE(MAX(number), 0) FROM notification) - $1";
    transaction.prepare_cached(settled)?.execute(params![NOTIFICATIONS_KEPT])?;
    Ok(())
}
