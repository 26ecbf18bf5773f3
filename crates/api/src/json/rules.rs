//! Rules as JSON.
//!
//! In: rules, and the objects that they are kept in. Out: answers. Holds nothing.

use super::objects::ObjectSummary;
use alerts::{FollowerStatus, RuleProgress};
use objects::Summary;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use utoipa::ToSchema;
use watch::{History, Rule, Transition, Window};

/// Rules.
#[derive(Serialize, ToSchema)]
pub(crate) struct RuleList {
    /// The rules, by title.
    pub(crate) rules: Vec<RuleAnswer>,
    /// True when there are more than were asked for.
    pub(crate) more: bool,
    /// Reasons why rules were left out, one sentence each; only for those who may administer every logspace.
    pub(crate) problems: Vec<String>,
    /// True when rules were left out.
    pub(crate) has_problems: bool,
}

/// A rule.
#[derive(Serialize, ToSchema)]
pub(crate) struct RuleAnswer {
    /// Its id.
    pub(crate) id: String,
    /// A name for people.
    pub(crate) title: String,
    /// The meaning of an alert, and what to do about it.
    description: String,
    /// Severity of its alerts.
    severity: String,
    /// Digest of what it does.
    version: String,
    /// The file of the folder of rules that it is kept in; null for a saved object.
    file: Option<String>,
    /// The saved object that it is kept in; null for a file of the folder of rules.
    object: Option<ObjectSummary>,
    /// `running`; for a saved object also `waiting` (it begins within a moment), `off` (switched off) and `stopped`.
    pub(crate) state: &'static str,
    /// Why it is stopped, or does not begin; null otherwise.
    pub(crate) reason: Option<String>,
    /// `match`, `count` and the other kinds.
    kind: &'static str,
    /// The messages that it is about.
    query: String,
    /// The second query of a sequence; null for others.
    then: Option<String>,
    /// The fields that messages are grouped by.
    by: Vec<String>,
    /// When it fires, in words.
    condition: String,
    /// How long before an alert the messages behind it may be, in microseconds; 0: it is one message.
    window_us: i64,
    /// `sliding` or `tumbling`; null for kinds without a choice of windows.
    window: Option<&'static str>,
    /// Value of a field in `by` that a message does not have; null: such a message belongs to no group.
    missing: Option<String>,
    /// Its state in each logspace that it watches and that the user may search.
    pub(crate) logspaces: Vec<RuleHealth>,
}

impl RuleAnswer {
    /// Makes one without its state.
    pub(crate) fn of(rule: &Rule) -> RuleAnswer {
        RuleAnswer {
            id: rule.id.to_string(),
            title: rule.title.clone(),
            description: rule.description.clone(),
            severity: rule.severity.name().to_owned(),
            version: rule.version.to_string(),
            file: None,
            object: None,
            state: "running",
            reason: None,
            kind: rule.kind.name(),
            query: rule.query.text().to_owned(),
            then: rule.kind.then().map(|then| then.text().to_owned()),
            by: rule.by_names().map(str::to_owned).collect(),
            condition: rule.condition(),
            window_us: rule.window_us(),
            window: rule.kind.window().map(Window::name),
            missing: rule.missing.as_deref().map(|value| String::from_utf8_lossy(value).into_owned()),
            logspaces: Vec::new(),
        }
    }

    /// Says which object the rule is kept in.
    pub(crate) fn kept_in(self, object: Summary) -> RuleAnswer {
        RuleAnswer { object: Some(object.into()), ..self }
    }

    /// Says which file the rule is kept in.
    pub(crate) fn in_file(self, file: &str) -> RuleAnswer {
        RuleAnswer { file: Some(file.to_owned()), ..self }
    }
}

/// The state of a rule in a logspace.
#[derive(Serialize, ToSchema, Clone, Debug)]
pub(crate) struct RuleHealth {
    /// The logspace.
    pub(crate) logspace: String,
    /// Sequence number of the first message that it has evaluated; null: it has evaluated none yet.
    pub(crate) from: Option<u64>,
    /// Sequence number of the next message.
    pub(crate) next_sequence: u64,
    /// Messages in gaps, which it has not evaluated.
    pub(crate) missed: u64,
    /// Stretches of messages that it has not evaluated, or after which it has begun without a past.
    pub(crate) gaps: u64,
    /// Alerts that fire.
    pub(crate) firing: u64,
    /// Messages that are stored and not evaluated yet.
    behind_messages: u64,
    /// Age of the oldest of them, in microseconds, about.
    behind_us: i64,
    /// True while the server evaluates rules of this logspace.
    running: bool,
    /// The reason why nothing moves; null when it moves.
    trouble: Option<String>,
}

impl RuleHealth {
    /// Makes one of how far the rule has come, and of the thread that evaluates it.
    pub(crate) fn of(logspace: &str, progress: RuleProgress, status: Option<&FollowerStatus>) -> RuleHealth {
        let RuleProgress { from, next_sequence, missed, gaps, firing } = progress;
        RuleHealth {
            logspace: logspace.to_owned(),
            from,
            next_sequence,
            missed,
            gaps,
            firing,
            behind_messages: status.map_or(0, |status| status.behind_messages),
            behind_us: status.map_or(0, |status| status.behind_us),
            running: status.is_some(),
            trouble: status.and_then(|status| status.trouble.as_ref()).map(ToString::to_string),
        }
    }
}

/// A rule to try over messages that are stored already.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct PreviewRequest {
    /// The logspace.
    pub(crate) logspace: String,
    /// The rule with the keys of files of rules; its id may be left out.
    #[schema(value_type = Object)]
    pub(crate) rule: Map<String, Value>,
    /// Received time: ISO 8601, seconds since 1970, `now-7d`.
    pub(crate) from: String,
    /// The same; the end itself is not part of the range; `now` if left out.
    pub(crate) to: Option<String>,
    /// Bars, up to 500; 84 if left out.
    pub(crate) bars: Option<usize>,
    /// Longest time in milliseconds; 10,000 if left out.
    pub(crate) timeout_ms: Option<u64>,
}

/// The outcome of a rule over messages that are stored already.
#[derive(Serialize, ToSchema)]
pub(crate) struct PreviewAnswer {
    /// Start of the range, microseconds since 1970.
    pub(crate) from_us: i64,
    /// Its end.
    pub(crate) to_us: i64,
    /// When the rule fires, in words.
    pub(crate) condition: String,
    /// Messages that match the queries of the rule, by bar.
    matched: Vec<u64>,
    /// How often it would have fired, by bar.
    fired: Vec<u64>,
    /// How often in all.
    fired_total: u64,
    /// How often a day, on average, from the first message on; of less than a day, how often in all.
    per_day: f64,
    /// Received time of the first message of the range; null: there is none.
    first_us: Option<i64>,
    /// The first moments at which it would have fired, at most 500.
    moments: Vec<PreviewMoment>,
    /// Messages that could not be read.
    unread: u64,
    /// True when there were more groups than a preview keeps: it would have fired more often.
    degraded: bool,
    /// The time up to which messages were evaluated, when there was no time for the rest; else null.
    reached_us: Option<i64>,
}

/// A moment at which a rule would have fired.
#[derive(Serialize, ToSchema)]
pub(crate) struct PreviewMoment {
    /// Its time.
    at_us: i64,
    /// Names and values of the fields that messages are grouped by.
    #[schema(value_type = Object)]
    key: Map<String, Value>,
    /// The figure that was compared.
    value: Option<f64>,
}

/// Microseconds of a day.
const DAY_US: f64 = 86_400e6;

impl PreviewAnswer {
    /// Makes one of a history of a range.
    pub(crate) fn of(rule: &Rule, (from_us, to_us): (i64, i64), history: History) -> PreviewAnswer {
        let fired_total = history.fired_total();
        let end_us = history.reached_us.unwrap_or(to_us).max(from_us);
        // Time before the first message says nothing about how often the rule fires, and minutes say nothing about a day.
        let begun_us = history.first_us.unwrap_or(from_us);
        let days = ((end_us - begun_us) as f64 / DAY_US).max(1.0);
        PreviewAnswer {
            from_us,
            to_us,
            condition: rule.condition(),
            fired_total,
            per_day: fired_total as f64 / days,
            first_us: history.first_us,
            moments: history.moments.iter().map(|moment| PreviewMoment::of(rule, moment)).collect(),
            matched: history.matched,
            fired: history.fired,
            unread: history.unread,
            degraded: history.is_degraded,
            reached_us: history.reached_us,
        }
    }
}

impl PreviewMoment {
    fn of(rule: &Rule, transition: &Transition) -> PreviewMoment {
        let names = rule.key_names().map(str::to_owned);
        let values = transition.key.iter().map(|value| String::from_utf8_lossy(value).into_owned().into());
        PreviewMoment { at_us: transition.at_us, key: names.zip(values).collect(), value: transition.value }
    }
}
