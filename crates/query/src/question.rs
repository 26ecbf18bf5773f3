//! A query, parsed and resolved.
//!
//! In: text, the default operator, the time of "now". Out: a [`Query`], ready to be run on any snapshot, from any
//! thread. Holds: the tree as written and the resolved condition.

use crate::{
    condition::{
        Condition,
        compile::compile,
        explain, highlight,
        matcher::Matcher,
        required::{self, RequiredMark},
    },
    language::{
        error::{Hint, QueryError},
        parse::parse,
        relative,
        tree::{Command, Node, Operator, Parameter, Pipe, TextRange},
    },
    stage::{self, Name, Pipes},
};
use std::{ops::Range, sync::Arc};

/// Options for parsing a query.
#[derive(Clone, Copy, Debug, Default)]
pub struct ParseOptions {
    /// The operator that joins words without one between them.
    pub default_operator: Operator,
    /// The meaning of "now", in microseconds since 1970.
    pub now_us: i64,
    /// Zone of times without one, in seconds east of UTC.
    pub offset_s: i32,
}

/// A query.
#[derive(Clone, Debug)]
pub struct Query {
    text: Arc<str>,
    tree: Node,
    hints: Vec<Hint>,
    condition: Arc<Condition>,
    written: Vec<Pipe>,
    pipes: Arc<Pipes>,
    /// See [`Query::condition_name`].
    condition_name: Option<Arc<str>>,
}

impl Query {
    /// Parses a query.
    pub fn parse(text: &str, options: &ParseOptions) -> Result<Query, QueryError> {
        let mut parsed = parse(text, options.default_operator)?;
        if let Some(Parameter { name, range, .. }) = parsed.parameters.first() {
            let message = format!("the parameter {name} has no value here");
            let remedy = "parameters belong to the panels of dashboards; write a value";
            return Err(QueryError::new(range.start, range.end - range.start, message, remedy));
        }
        let condition = compile(&parsed.tree, options.now_us, options.offset_s, &mut parsed.hints)?;
        let pipes = stage::compile(&parsed.pipes, options.now_us, options.offset_s, &mut parsed.hints)?;
        let is_fixed = relative::first(&parsed.tree).is_none();
        let condition_name = is_fixed.then(|| condition_name(&parsed.tree, options));
        Ok(Query {
            text: text.into(),
            tree: parsed.tree,
            hints: parsed.hints,
            condition: Arc::new(condition),
            written: parsed.pipes,
            pipes: Arc::new(pipes),
            condition_name,
        })
    }

    /// Returns the query that matches every message.
    pub fn all() -> Query {
        let place = crate::language::tree::TextRange::default();
        let tree = Node { place, kind: crate::language::tree::NodeKind::Empty };
        Query {
            text: Arc::default(),
            tree,
            hints: Vec::new(),
            condition: Arc::new(Condition::All),
            written: Vec::new(),
            pipes: Arc::default(),
            condition_name: None,
        }
    }

    /// The tree as written; its `Display` is the text.
    pub fn tree(&self) -> &Node {
        &self.tree
    }

    /// The pipes as written, in order.
    pub fn written_pipes(&self) -> &[Pipe] {
        &self.written
    }

    /// The columns of the table that the pipes make; none when their rows are messages.
    pub fn columns(&self) -> Option<&[Name]> {
        self.pipes.columns.as_deref()
    }

    /// Returns true if the pipes use sequence numbers, which only one whole logspace has.
    pub fn has_sequences(&self) -> bool {
        self.pipes.has_sequences()
    }

    /// The query as written, pipes included.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Returns advice on parts that may not mean what was intended.
    pub fn hints(&self) -> &[Hint] {
        &self.hints
    }

    /// Explains in words how the query was understood.
    pub fn explain(&self) -> String {
        explain::show(&self.condition)
    }

    /// Returns a matcher that tests messages one by one, for live tail.
    pub fn matcher(&self) -> Matcher {
        Matcher::new(self.condition.clone())
    }

    /// Returns marks of which every matching message has at least one; none when a message may match without any.
    pub fn required_marks(&self) -> Option<Vec<RequiredMark>> {
        required::of(&self.condition)
    }

    /// Returns the first part of the text whose meaning depends on the time at which the query is read.
    pub fn relative_part(&self) -> Option<TextRange> {
        relative::first(&self.tree)
    }

    /// Returns the byte ranges of a message text that match, ascending, without overlap.
    pub fn highlights(&self, text: &[u8]) -> Vec<Range<usize>> {
        highlight::ranges(&self.condition, text)
    }

    pub(crate) fn pipes(&self) -> &Pipes {
        &self.pipes
    }

    /// Returns a text that queries share whose conditions mean the same whenever they are read; none when the meaning
    /// depends on the time.
    pub(crate) fn condition_name(&self) -> Option<&Arc<str>> {
        self.condition_name.as_ref()
    }

    /// Returns such a text for the first `count` pipes.
    pub(crate) fn pipes_name(&self, count: usize) -> Option<String> {
        let mut name = String::new();
        for pipe in self.written.iter().take(count) {
            if matches!(&pipe.command, Command::Where(tree) if relative::first(tree).is_some()) {
                return None;
            }
            name.push('|');
            name.push_str(&pipe.text);
        }
        Some(name)
    }

    pub(crate) fn shared_condition(&self) -> Arc<Condition> {
        Arc::clone(&self.condition)
    }

    pub(crate) fn condition(&self) -> &Condition {
        &self.condition
    }
}

/// Names a condition by its text and the options that its meaning depends on besides the time.
fn condition_name(tree: &Node, options: &ParseOptions) -> Arc<str> {
    format!("{:?} {} {tree}", options.default_operator, options.offset_s).into()
}
