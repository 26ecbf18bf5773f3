//! Stories as text: indented, with a mark for tests that held and those that did not.
//!
//! In: stories. Out: text; the same in a pipe and on a terminal but for the colours. Limits: none of its own.

use super::story::{Answer, Change, Field, Node, Story};
use crate::terminal;

/// Colours of a terminal, or none.
#[derive(Clone, Copy)]
pub(super) struct Colours {
    good: &'static str,
    bad: &'static str,
    dim: &'static str,
    bold: &'static str,
    end: &'static str,
}

impl Colours {
    pub(super) const NONE: Colours = Colours { good: "", bad: "", dim: "", bold: "", end: "" };
    pub(super) const TERMINAL: Colours =
        Colours { good: "\x1b[32m", bad: "\x1b[31m", dim: "\x1b[2m", bold: "\x1b[1m", end: "\x1b[0m" };
}

/// A page of text.
pub(super) struct Page {
    colours: Colours,
    text: String,
}

impl Page {
    pub(super) fn new(colours: Colours) -> Page {
        Page { colours, text: String::new() }
    }

    pub(super) fn into_text(self) -> String {
        self.text
    }

    /// Prints one message and its trace.
    pub(super) fn story(&mut self, number: usize, story: &Story) {
        let Colours { bold, end, .. } = self.colours;
        let (source, driver) = (&story.source, &story.driver);
        self.line(0, &format!("{bold}message {number}{end} in source {source}, {driver}"));
        self.line(1, &story.raw);
        self.line(1, &format!("read as {}", story.read_as));
        story.oddities.iter().for_each(|oddity| self.line(2, &format!("marked {oddity}")));
        self.fields(2, &story.fields);
        story.events.iter().for_each(|node| self.node(0, node));
        for path in &story.not_entered {
            let from = path.sources.join(", ");
            self.mark(0, None, &path.path, &path.place);
            self.line(1, &format!("not entered: it takes messages of {from}"));
        }
        self.ending(story);
    }

    /// Prints messages that parsers held back.
    pub(super) fn held_back(&mut self, nodes: &[Node]) {
        let Colours { bold, end, .. } = self.colours;
        self.line(
            0,
            &format!("{bold}held back{end} by parsers: what they make when no message comes for a day"),
        );
        nodes.iter().for_each(|node| self.node(0, node));
    }

    fn ending(&mut self, story: &Story) {
        let Colours { good, bad, end, .. } = self.colours;
        match story.deliveries {
            0 if story.events.is_empty() => {
                self.line(
                    0,
                    &format!("{bad}reaches no destination{end}: no log path takes messages of this source"),
                );
            }
            0 => {
                self.line(0, &format!("{bad}reaches no destination{end}"));
                for stop in &story.stopped_by {
                    self.line(1, &format!("stopped by {} at {}", stop.step, stop.place));
                }
            }
            1 => self.line(0, &format!("{good}reaches 1 destination{end}")),
            count => self.line(0, &format!("{good}reaches {count} destinations{end}")),
        }
        self.text.push('\n');
    }

    fn node(&mut self, depth: usize, node: &Node) {
        match node {
            Node::Branch { what, place, flow_control, condition, taken, last, events } => {
                let what = if *flow_control { format!("{what}, with flow control") } else { what.clone() };
                self.mark(depth, *taken, &what, place);
                if let Some(answer) = condition {
                    self.condition(depth + 2, answer);
                }
                events.iter().for_each(|event| self.node(depth + 1, event));
                if *last && what.starts_with("log") {
                    self.line(depth + 1, "final: no path behind it gets this message");
                }
            }
            Node::Refused { what, place, why } => {
                self.mark(depth, None, what, place);
                self.line(depth + 1, &format!("not entered: {why}"));
            }
            Node::Step { what, place, condition, changes, goes_on, events } => {
                self.mark(depth, Some(*goes_on), what, place);
                if let Some(answer) = condition {
                    self.condition(depth + 2, answer);
                }
                changes.iter().for_each(|change| self.change(depth + 2, change));
                if !goes_on && condition.is_none() {
                    self.line(depth + 2, "stops the message: it cannot read it, or keeps it");
                }
                events.iter().for_each(|event| self.node(depth + 1, event));
            }
            Node::Made { for_internal, fields, events } => {
                let what = if *for_internal { "makes a message for internal()" } else { "makes a message" };
                self.line(depth, what);
                self.fields(depth + 2, fields);
                events.iter().for_each(|event| self.node(depth + 1, event));
            }
            Node::Delivery { driver, target, text, .. } => {
                self.line(depth + 1, &format!("{driver} writes to {target}"));
                self.line(depth + 2, text);
            }
        }
    }

    /// Prints the result of a whole filter; for one that is only a name, that of its expression.
    fn condition(&mut self, depth: usize, answer: &Answer) {
        match answer.parts.as_slice() {
            [inside] if answer.test.starts_with("filter(") => self.answer(depth, inside),
            _ => self.answer(depth, answer),
        }
    }

    fn answer(&mut self, depth: usize, answer: &Answer) {
        let Colours { good, bad, dim, end, .. } = self.colours;
        let line = match answer.holds {
            Some(true) => format!("{good}✓{end} {}", answer.test),
            Some(false) => format!("{bad}✗{end} {}", answer.test),
            None => format!("{dim}· {} (not asked){end}", answer.test),
        };
        self.line(depth, &line);
        if answer.holds.is_some() {
            answer.parts.iter().for_each(|part| self.answer(depth + 1, part));
        }
    }

    fn change(&mut self, depth: usize, change: &Change) {
        let Change { name, before, after } = change;
        let line = match (before, after) {
            (None, Some(after)) => format!("{name} = {after}"),
            (Some(before), Some(after)) => format!("{name}: {before} -> {after}"),
            (_, None) => format!("{name} is gone"),
        };
        self.line(depth, &line);
    }

    fn fields(&mut self, depth: usize, fields: &[Field]) {
        for Field { name, value, kind } in fields {
            match kind {
                Some(kind) => self.line(depth, &format!("{name} = {kind}({value})")),
                None => self.line(depth, &format!("{name} = {value}")),
            }
        }
    }

    fn mark(&mut self, depth: usize, held: Option<bool>, what: &str, place: &str) {
        let Colours { good, bad, dim, end, .. } = self.colours;
        let mark = match held {
            Some(true) => format!("{good}✓{end}"),
            Some(false) => format!("{bad}✗{end}"),
            None => format!("{dim}·{end}"),
        };
        self.line(depth, &format!("{mark} {what}  {dim}[{place}]{end}"));
    }

    fn line(&mut self, depth: usize, text: &str) {
        self.text.push_str(&"  ".repeat(depth));
        // Colours are ours; control characters of the message are escaped already, names are not.
        self.text.push_str(&terminal::styled(text));
        self.text.push('\n');
    }
}
