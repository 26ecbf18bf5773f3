//! Silences and notifications as JSON.
//!
//! In: rows of the database of alerts. Out: answers. Holds nothing.

use notify::{Decision, Sent, Silence, Tried};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// A silence.
#[derive(Serialize, ToSchema)]
pub(crate) struct SilenceAnswer {
    /// Its number.
    number: u64,
    /// The alerts that it mutes, as a query over their records.
    query: String,
    /// Its beginning, microseconds since 1970.
    from_us: i64,
    /// Its end.
    to_us: i64,
    /// Who made it.
    author: String,
    /// For what reason.
    reason: String,
    /// When it was made.
    created_us: i64,
    /// When it was ended before its time; null: it was not.
    ended_us: Option<i64>,
    /// By whom.
    ended_by: String,
}

impl From<Silence> for SilenceAnswer {
    fn from(silence: Silence) -> SilenceAnswer {
        let Silence { number, query, from_us, to_us, author, reason, created_us, ended_us, ended_by } =
            silence;
        SilenceAnswer { number, query, from_us, to_us, author, reason, created_us, ended_us, ended_by }
    }
}

/// A list of silences.
#[derive(Serialize, ToSchema)]
pub(crate) struct SilenceList {
    /// The silences, newest first, at most a thousand.
    pub(crate) silences: Vec<SilenceAnswer>,
}

/// A silence that somebody wants.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct SilenceRequest {
    /// The alerts that it mutes, as a query over their records.
    pub(crate) query: String,
    /// Its beginning, microseconds since 1970; now if left out.
    #[serde(default)]
    pub(crate) from_us: Option<i64>,
    /// Its end, at most 30 days later.
    pub(crate) to_us: i64,
    /// For what reason.
    pub(crate) reason: String,
}

/// The decision of a route about a change of an alert.
#[derive(Serialize, ToSchema)]
pub(crate) struct DecisionAnswer {
    /// Its number; later ones have higher numbers.
    number: u64,
    /// The route.
    route: String,
    /// Number of the alert; null: a change of the rule itself.
    alert: Option<u64>,
    /// The logspace.
    logspace: String,
    /// The change: `fired`, `resolved`, `occurred`, `forgotten`, `ended`, `unknown`, `reminder`, `unsilenced`, `degraded`,
    /// `recovered`, `stopped` or `resumed`.
    change: String,
    /// Its time, microseconds since 1970.
    at_us: i64,
    /// `notified`, `waiting` for its group, `silenced`, `untold` (its beginning was not told) or `removed` with its route.
    outcome: String,
    /// Number of the silence that muted it.
    silence: Option<u64>,
    /// The notifications that it is in, one for each channel.
    notifications: Vec<NotificationAnswer>,
}

impl From<Decision> for DecisionAnswer {
    fn from(decision: Decision) -> DecisionAnswer {
        let Decision { number, route, alert, logspace, change, at_us, outcome, silence, notifications } =
            decision;
        let notifications = notifications.into_iter().map(NotificationAnswer::from).collect();
        DecisionAnswer { number, route, alert, logspace, change, at_us, outcome, silence, notifications }
    }
}

/// A list of decisions.
#[derive(Serialize, ToSchema)]
pub(crate) struct DecisionList {
    /// The decisions, newest first.
    pub(crate) decisions: Vec<DecisionAnswer>,
    /// True when there are more: ask again with `before`, the number of the last one.
    pub(crate) more: bool,
}

/// A notification and its attempts.
#[derive(Serialize, ToSchema)]
pub(crate) struct NotificationAnswer {
    /// Its id, the same at every attempt.
    id: String,
    /// The channel.
    channel: String,
    /// `waiting`, `sent`, `refused`, `given-up`, `replaced` by a newer sign of life, or `removed` with its channel.
    state: String,
    /// When it is tried next, microseconds since 1970; null: it is not.
    due_us: Option<i64>,
    /// The attempts, oldest first.
    attempts: Vec<AttemptAnswer>,
}

impl From<Sent> for NotificationAnswer {
    fn from(sent: Sent) -> NotificationAnswer {
        let Sent { id, channel, state, due_us, attempts } = sent;
        let attempts = attempts.into_iter().map(AttemptAnswer::from).collect();
        NotificationAnswer { id, channel, state, due_us, attempts }
    }
}

/// An attempt to send a notification.
#[derive(Serialize, ToSchema)]
pub(crate) struct AttemptAnswer {
    /// When it began, microseconds since 1970.
    at_us: i64,
    /// How long it took, microseconds.
    duration_us: i64,
    /// `delivered`, `failed`, `refused` or `gone`.
    outcome: String,
    /// The answer of the receiver, or the failure.
    answer: String,
}

impl From<Tried> for AttemptAnswer {
    fn from(tried: Tried) -> AttemptAnswer {
        let Tried { at_us, duration_us, outcome, answer } = tried;
        AttemptAnswer { at_us, duration_us, outcome, answer }
    }
}

/// A test that is on its way.
#[derive(Serialize, ToSchema)]
pub(crate) struct TestAnswer {
    /// Id of its notification: ask `/notifications/{id}` what became of it.
    pub(crate) id: String,
}
