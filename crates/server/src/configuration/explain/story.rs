//! The story of one message: a tree of paths, steps, changes and deliveries.
//!
//! In: the records of the recorder. Out: the same as JSON, or as text by the printer. Holds: strings.
//! Limits: none of its own.

use pipeline::filter::Verdict;
use serde::Serialize;

/// A field of a message.
#[derive(Clone, PartialEq, Eq, Serialize, Debug)]
pub(super) struct Field {
    pub(super) name: String,
    pub(super) value: String,
    /// The type; none for `string`.
    #[serde(rename = "type", skip_serializing_if = "Option::is_none")]
    pub(super) kind: Option<&'static str>,
}

/// A message as it came in, or as a parser made it, and all that happened to it.
#[derive(Serialize, Debug)]
pub(super) struct Story {
    pub(super) source: String,
    pub(super) driver: String,
    /// The bytes of the message.
    pub(super) raw: String,
    /// The format as which it was parsed.
    pub(super) format: &'static str,
    pub(super) read_as: String,
    pub(super) oddities: Vec<&'static str>,
    pub(super) fields: Vec<Field>,
    pub(super) events: Vec<Node>,
    /// Top-level paths that take messages of other sources.
    pub(super) not_entered: Vec<Elsewhere>,
    pub(super) deliveries: usize,
    /// When nothing reached a destination: the steps that stopped it.
    pub(super) stopped_by: Vec<Stop>,
}

/// A path for other sources.
#[derive(Serialize, Debug)]
pub(super) struct Elsewhere {
    pub(super) path: String,
    pub(super) place: String,
    pub(super) sources: Vec<String>,
}

/// A step that stopped a message.
#[derive(Clone, Serialize, Debug)]
pub(super) struct Stop {
    pub(super) step: String,
    pub(super) place: String,
}

/// The answer of a filter or one of its parts.
#[derive(Serialize, Debug)]
pub(super) struct Answer {
    pub(super) test: String,
    /// None when it was not evaluated.
    pub(super) holds: Option<bool>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) parts: Vec<Answer>,
}

impl From<Verdict> for Answer {
    fn from(verdict: Verdict) -> Answer {
        let parts = verdict.parts.into_iter().map(Answer::from).collect();
        Answer { test: verdict.text, holds: verdict.holds, parts }
    }
}

/// A field that a step set, changed or removed.
#[derive(PartialEq, Eq, Serialize, Debug)]
pub(super) struct Change {
    pub(super) name: String,
    pub(super) before: Option<String>,
    pub(super) after: Option<String>,
}

/// An event on the way of a message.
#[derive(Serialize, Debug)]
#[serde(tag = "event", rename_all = "snake_case")]
pub(super) enum Node {
    /// A path, a channel, a branch of an `if`.
    Branch {
        what: String,
        place: String,
        flow_control: bool,
        /// None when there is no condition or it was not evaluated.
        condition: Option<Answer>,
        /// None when no message entered, but a parser in it made one.
        taken: Option<bool>,
        /// True if the branches behind it do not get the message.
        last: bool,
        events: Vec<Node>,
    },
    /// A branch that it did not enter.
    Refused { what: String, place: String, why: &'static str },
    /// A filter, a parser, a rewrite, a destination.
    Step {
        what: String,
        place: String,
        condition: Option<Answer>,
        changes: Vec<Change>,
        goes_on: bool,
        events: Vec<Node>,
    },
    /// A message that a parser made.
    Made {
        /// True if it goes to `internal()` instead of along the path.
        for_internal: bool,
        fields: Vec<Field>,
        events: Vec<Node>,
    },
    /// A message that a destination would write.
    Delivery { driver: String, target: String, text: String, flow_control: bool },
}

impl Node {
    /// Returns the events inside the node.
    pub(super) fn events(&self) -> &[Node] {
        match self {
            Node::Branch { events, .. } | Node::Step { events, .. } | Node::Made { events, .. } => events,
            Node::Refused { .. } | Node::Delivery { .. } => &[],
        }
    }

    /// Counts the deliveries in it.
    pub(super) fn deliveries(&self) -> usize {
        let inside: usize = self.events().iter().map(Node::deliveries).sum();
        inside + usize::from(matches!(self, Node::Delivery { .. }))
    }

    /// Collects the steps that stopped the message.
    pub(super) fn stops(&self, found: &mut Vec<Stop>) {
        if let Node::Step { what, place, goes_on: false, .. } = self {
            found.push(Stop { step: what.clone(), place: place.clone() });
        }
        self.events().iter().for_each(|event| event.stops(found));
    }
}
