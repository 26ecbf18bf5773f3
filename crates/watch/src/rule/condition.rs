//! The condition of a rule in words, for people.
//!
//! In: a rule. Out: a sentence without its query and its fields. Holds nothing.

use super::{Aggregate, Kind, Rule, Threshold, Window};
use query::Name;
use std::fmt;

/// Units of a length of time: microseconds, one, many.
const UNITS: [(i64, &str, &str); 4] = [
    (86_400_000_000, "day", "days"),
    (3_600_000_000, "hour", "hours"),
    (60_000_000, "minute", "minutes"),
    (1_000_000, "second", "seconds"),
];

impl Rule {
    /// Returns when the rule fires, in words: `more than 10 messages within 1 minute`.
    pub fn condition(&self) -> String {
        let condition = match &self.kind {
            Kind::Match { quiet_us: None } => "each message".to_owned(),
            Kind::Match { quiet_us: Some(us) } => {
                format!("a message, until there is none for {}", duration(*us))
            }
            Kind::Count { threshold, window } => format!("{threshold} messages {}", within(*window)),
            Kind::Distinct { field, threshold, window } => {
                format!("{threshold} different values of {} {}", field.shown(), within(*window))
            }
            Kind::Value { aggregate, field, threshold, window, .. } => {
                format!("{} of {} {threshold} {}", figure(*aggregate), field.shown(), within(*window))
            }
            Kind::Absence { within_us, .. } => format!("no message for {}", duration(*within_us)),
            Kind::NewValue { field, remember_us, .. } => {
                format!("a value of {} that was not seen for {}", field.shown(), duration(*remember_us))
            }
            Kind::Sequence { then, within_us, .. } => {
                format!("followed by {} within {}", then.text(), duration(*within_us))
            }
            Kind::NotFollowed { then, within_us, .. } => {
                format!("not followed by {} within {}", then.text(), duration(*within_us))
            }
        };
        match self.hold_us {
            0 => condition,
            us => format!("{condition}, for {}", duration(us)),
        }
    }

    /// Returns how far the messages behind an alert may be before the moment at which it begins, in microseconds; 0 when
    /// it is one message.
    pub fn window_us(&self) -> i64 {
        let window_us = match &self.kind {
            Kind::Match { .. } | Kind::NewValue { .. } => 0,
            Kind::Count { window, .. } | Kind::Distinct { window, .. } | Kind::Value { window, .. } => {
                window.us()
            }
            Kind::Absence { within_us, .. }
            | Kind::Sequence { within_us, .. }
            | Kind::NotFollowed { within_us, .. } => *within_us,
        };
        window_us.saturating_add(self.hold_us)
    }

    /// Returns the names of the fields that messages are grouped by.
    pub fn by_names(&self) -> impl Iterator<Item = &str> {
        self.by.iter().map(Name::shown)
    }
}

impl fmt::Display for Threshold {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Threshold::AtLeast(limit) => write!(f, "at least {limit}"),
            Threshold::MoreThan(limit) => write!(f, "more than {limit}"),
            Threshold::AtMost(limit) => write!(f, "at most {limit}"),
            Threshold::LessThan(limit) => write!(f, "less than {limit}"),
            Threshold::Exactly(limit) => write!(f, "exactly {limit}"),
            Threshold::Between(from, to) => write!(f, "{from} to {to}"),
        }
    }
}

fn figure(aggregate: Aggregate) -> &'static str {
    match aggregate {
        Aggregate::Sum => "sum",
        Aggregate::Avg => "average",
        Aggregate::Min => "smallest",
        Aggregate::Max => "largest",
    }
}

fn within(window: Window) -> String {
    match window {
        Window::Sliding { us, .. } => format!("within {}", duration(us)),
        Window::Tumbling { us } => format!("in each {}", duration(us)),
    }
}

/// Writes a length of time with the largest units that hold it exactly.
fn duration(us: i64) -> String {
    let (mut rest, mut parts) = (us, Vec::new());
    for (unit, one, many) in UNITS {
        let count = rest / unit;
        rest %= unit;
        if count > 0 {
            parts.push(format!("{count} {}", if count == 1 { one } else { many }));
        }
    }
    parts.join(" ")
}

#[cfg(test)]
mod tests {
    //! Conditions in words.

    use crate::read;

    #[track_caller]
    fn check(rule: &str, want: &str, window_s: i64) {
        let rules = read(&format!("rules: [{{id: a, query: failed, {rule}}}]")).unwrap();
        assert_eq!((rules[0].condition().as_str(), rules[0].window_us()), (want, window_s * 1_000_000));
    }

    #[test]
    fn each_kind_says_when_it_fires() {
        check("kind: match", "each message", 0);
        check("kind: match, resolve-after: 90s", "a message, until there is none for 1 minute 30 seconds", 0);
        check("kind: count, more-than: 10, within: 1m", "more than 10 messages within 1 minute", 60);
        let held = "kind: count, less-than: 2, within: 10s, window: tumbling, for: 1h";
        check(held, "less than 2 messages in each 10 seconds, for 1 hour", 3_610);
        let users = "at least 3 different values of user within 2 days";
        check("kind: distinct, field: user, at-least: 3, within: 2d", users, 172_800);
        let slow = "largest of ms more than 900 within 1 minute";
        check("kind: max, field: ms, more-than: 900, within: 1m", slow, 60);
        check("kind: absence, within: 30s", "no message for 30 seconds", 30);
        let new = "a value of user that was not seen for 30 days";
        check("kind: new-value, field: user", new, 0);
        check("kind: sequence, then: accepted, within: 1m", "followed by accepted within 1 minute", 60);
        let backup = "not followed by finished within 1 hour";
        check("kind: not-followed, then: finished, within: 1h", backup, 3_600);
        let between = "3 to 8 messages in each 1 minute";
        check("kind: count, between: [3, 8], within: 1m, window: tumbling", between, 60);
    }
}
