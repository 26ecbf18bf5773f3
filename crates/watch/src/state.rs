//! The windows of rules: a type for each kind, all behind [`State`].
//!
//! In: messages that match, ticks. Out: reports of what changed. Holds: what the kind needs of the past, and no more.
//! Limits: a state asks [`Context`] before it grows; at a limit it does not track, and says so.
//!
//! Every state is a function of the messages and ticks that it was given, in order. A tick at a time is given before
//! the messages received at that time; where several keys change at one tick, they do so in the order of their keys.

mod absence;
mod aggregate;
mod contract;
mod figure;
mod matching;
mod new_value;
mod not_followed;
mod phase;
mod sequence;
mod sliding;
mod tumbling;

pub(crate) use contract::{Context, Listening, MatchedMessage, Role, State, Usage};

use crate::rule::{Kind, Rule, Window};

/// Makes the empty state of a rule.
pub(crate) fn of(rule: &Rule) -> Box<dyn State> {
    match &rule.kind {
        Kind::Match { quiet_us } => Box::new(matching::Matching::new(*quiet_us)),
        Kind::Count { threshold, window } => match window {
            // One message is enough, so that its time is all that has to be known.
            Window::Sliding { us, .. } if threshold.count_from() == Some(1) && rule.hold_us == 0 => {
                Box::new(matching::Matching::counting(*us))
            }
            Window::Sliding { us, hysteresis_permille } => {
                Box::new(sliding::Sliding::<sliding::Times>::new(*us, *threshold, *hysteresis_permille))
            }
            Window::Tumbling { us } => Box::new(tumbling::Tumbling::new(*us)),
        },
        Kind::Distinct { threshold, window, .. } => match window {
            Window::Sliding { us, hysteresis_permille } => {
                Box::new(sliding::Sliding::<sliding::Values>::new(*us, *threshold, *hysteresis_permille))
            }
            Window::Tumbling { us } => Box::new(tumbling::Tumbling::new(*us)),
        },
        Kind::Value { window, .. } => match window {
            Window::Sliding { us, .. } => Box::new(aggregate::SlidingAggregate::new(*us)),
            Window::Tumbling { us } => Box::new(tumbling::Tumbling::new(*us)),
        },
        Kind::Absence { .. } => Box::new(absence::Absence::default()),
        Kind::NewValue { .. } => Box::new(new_value::NewValue::default()),
        Kind::Sequence { .. } => Box::new(sequence::Sequence::default()),
        Kind::NotFollowed { .. } => Box::new(not_followed::NotFollowed::default()),
    }
}
