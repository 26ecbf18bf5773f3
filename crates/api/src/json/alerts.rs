//! Alerts and the state of rules as JSON.
//!
//! In: rows of the database of alerts. Out: answers. Holds nothing.

use alerts::{Alert, Coverage};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use utoipa::ToSchema;

/// An alert: what fired, and how it ended.
#[derive(Serialize, ToSchema)]
pub(crate) struct AlertAnswer {
    /// Its number, unique on this server; later alerts have higher ones.
    number: u64,
    /// The logspace.
    logspace: String,
    /// Id of the transition that began it, unique within the logspace; the same as `duramen rules test` prints.
    id: String,
    /// The rule.
    rule: String,
    /// Digest of what the rule does.
    version: String,
    /// Title of the rule.
    title: String,
    /// Severity of the rule.
    severity: String,
    /// Names and values of the fields that messages are grouped by.
    key: Value,
    /// `firing`, `resolved`, `occurred` (it does not last), `forgotten` (a silent key is no longer expected), `ended` (the
    /// rule was changed or removed) or `unknown` (the state of the rules was lost).
    state: String,
    /// When it began, microseconds since 1970.
    began_us: i64,
    /// Sequence number of the message that began it; null: the passing of time.
    sequence: Option<u64>,
    /// When it ended; null while it fires.
    ended_us: Option<i64>,
    /// The figure that was compared; null for kinds without one.
    value: Option<f64>,
    /// When it was acknowledged; null when nobody has.
    acknowledged_us: Option<i64>,
    /// By whom.
    acknowledged_by: String,
    /// With which note.
    note: String,
}

impl From<Alert> for AlertAnswer {
    fn from(alert: Alert) -> AlertAnswer {
        AlertAnswer {
            number: alert.number,
            logspace: alert.logspace,
            id: alert.id,
            rule: alert.rule,
            version: alert.version,
            title: alert.title,
            severity: alert.severity,
            key: serde_json::from_str(&alert.key).unwrap_or_default(),
            state: alert.state,
            began_us: alert.began_us,
            sequence: alert.sequence,
            ended_us: alert.ended_us,
            value: alert.value,
            acknowledged_us: alert.acknowledged_us,
            acknowledged_by: alert.acknowledged_by,
            note: alert.note,
        }
    }
}

/// A list of alerts.
#[derive(Serialize, ToSchema)]
pub(crate) struct AlertList {
    /// The alerts, newest first.
    pub(crate) alerts: Vec<AlertAnswer>,
    /// True when there are more: ask again with `before`, the number of the last one.
    pub(crate) more: bool,
}

/// An acknowledgement.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct AcknowledgeRequest {
    /// A note for others, at most 2,000 bytes.
    #[serde(default)]
    pub(crate) note: String,
}

/// Messages that a rule has evaluated, or not.
#[derive(Serialize, ToSchema)]
pub(crate) struct CoverageAnswer {
    /// Digest of what the rule does.
    version: String,
    /// Sequence number of the first message.
    from: u64,
    /// Sequence number after the last.
    to: u64,
    /// True when it goes on with each further message.
    goes_on: bool,
    /// `evaluated`, or why not: `removed`, `damaged`, `locked`, `away`, `lost`, or `state-lost`: no message is missing, but
    /// what the rule had seen before.
    state: String,
}

impl CoverageAnswer {
    /// Makes one of a row; what goes on has come as far as the logspace.
    pub(crate) fn of(coverage: Coverage, reached: u64) -> CoverageAnswer {
        let Coverage { version, from, to, state, .. } = coverage;
        CoverageAnswer { version, from, to: to.unwrap_or(reached), goes_on: to.is_none(), state }
    }
}

/// The state of a rule in one logspace.
#[derive(Serialize, ToSchema)]
pub(crate) struct RuleState {
    /// The logspace.
    pub(crate) logspace: String,
    /// Sequence number of the next message: all before it are evaluated.
    pub(crate) next_sequence: u64,
    /// The messages that the rule has evaluated, and those that it has not, in their order.
    pub(crate) coverage: Vec<CoverageAnswer>,
    /// Alerts that fire, newest first, at most 100.
    pub(crate) firing: Vec<AlertAnswer>,
}
