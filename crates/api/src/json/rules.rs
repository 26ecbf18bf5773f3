//! Rules in force as JSON.
//!
//! In: rules of crate `alerts`. Out: answers. Holds nothing.

use alerts::{FollowerStatus, RuleInForce, Window};
use serde::Serialize;
use utoipa::ToSchema;

/// The rules in force.
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

/// A rule in force.
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
    /// The file that it is kept in.
    file: String,
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
    pub(crate) fn of(found: &RuleInForce) -> RuleAnswer {
        let rule = &found.rule;
        RuleAnswer {
            id: rule.id.to_string(),
            title: rule.title.clone(),
            description: rule.description.clone(),
            severity: rule.severity.name().to_owned(),
            version: rule.version.to_string(),
            file: found.file.clone(),
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
    /// The state before anything is known of the rule itself.
    pub(crate) fn of(logspace: &str, next_sequence: u64, status: Option<&FollowerStatus>) -> RuleHealth {
        RuleHealth {
            logspace: logspace.to_owned(),
            from: None,
            next_sequence,
            missed: 0,
            gaps: 0,
            firing: 0,
            behind_messages: status.map_or(0, |status| status.behind_messages),
            behind_us: status.map_or(0, |status| status.behind_us),
            running: status.is_some(),
            trouble: status.and_then(|status| status.trouble.as_ref()).map(ToString::to_string),
        }
    }
}
