//! A pattern database in memory.
//!
//! In: the loader's results. Out: rules by number, trees of patterns, examples. Immutable once loaded.
//! Limits: those of the loader.

use super::tree::Tree;
use crate::{
    correlation::{Scope, Synthetic},
    filter::Filter,
};
use std::sync::Arc;
use template::Template;

/// A loaded database.
#[derive(Debug)]
pub struct Database {
    /// `version` as written; `4` when it is not.
    pub version: String,
    /// `pub_date` as written.
    pub pub_date: String,
    /// Patterns of programs; the numbers count into `rules_of`.
    pub(super) programs: Tree,
    /// Patterns of messages for each set of programs; the numbers count into `rules`. The first is for any program.
    pub(super) rules_of: Vec<Tree>,
    /// All rules, in the order of the file.
    pub rules: Vec<Rule>,
    /// The examples of rules, in the order of the file.
    pub examples: Vec<Example>,
    /// The parts that were left out, with the reasons.
    pub findings: Vec<Finding>,
    /// True when some rule has a context or actions: only then time matters.
    pub(super) correlates: bool,
    /// True when it has a ruleset: without one nothing is classified.
    pub(super) has_rulesets: bool,
}

/// Something that the loader left out.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Finding {
    /// Line, from 1.
    pub line: usize,
    /// Column, from 1.
    pub column: usize,
    /// The part that was left out, and the reason.
    pub reason: String,
}

/// One rule.
#[derive(Debug)]
pub struct Rule {
    /// `id`.
    pub id: String,
    /// `class`; messages of a rule without one are of class `system`.
    pub class: Option<String>,
    /// Values and tags.
    pub gives: Synthetic,
    /// The context of its messages: id, seconds, scope. The scope also parts what `rate` counts.
    pub context: Option<Arc<Template>>,
    /// `context-timeout`.
    pub context_timeout_s: i64,
    /// `context-scope`.
    pub context_scope: Scope,
    /// Its actions, in order.
    pub actions: Vec<Action>,
}

impl Database {
    /// Makes a database without rulesets: it classifies nothing.
    pub fn empty() -> Database {
        Database {
            version: String::new(),
            pub_date: String::new(),
            programs: Tree::new(),
            rules_of: Vec::new(),
            rules: Vec::new(),
            examples: Vec::new(),
            findings: Vec::new(),
            correlates: false,
            has_rulesets: false,
        }
    }
}

impl Rule {
    /// Returns the class of its messages.
    pub fn class(&self) -> &str {
        self.class.as_deref().unwrap_or("system")
    }
}

/// The event that triggers an action.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Trigger {
    /// A message matches the rule.
    #[default]
    Match,
    /// The time of a context passed whose last message matched the rule.
    Timeout,
}

/// An action of a rule, besides classifying.
#[derive(Debug, Default)]
pub struct Action {
    /// The event that triggers it.
    pub trigger: Trigger,
    /// Condition on the messages of the context.
    pub condition: Option<Arc<Filter>>,
    /// Most runs within a time.
    pub rate: Option<Rate>,
    /// The action itself.
    pub content: Content,
}

/// `rate="3/60"`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Rate {
    /// Number of times.
    pub count: u32,
    /// Seconds in which they are counted.
    pub seconds: u32,
}

/// The result of an action.
#[derive(Debug, Default)]
pub enum Content {
    /// Nothing.
    #[default]
    Nothing,
    /// A message.
    Message(Synthetic),
    /// A context with a message in it.
    CreateContext {
        /// Its id.
        id: Arc<Template>,
        /// Seconds until its time has passed.
        timeout_s: i64,
        /// Its scope.
        scope: Scope,
        /// The message.
        message: Synthetic,
    },
}

/// `<example>`: a message, and what the rule must find in it.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Example {
    /// Number of the rule.
    pub rule: usize,
    /// `${PROGRAM}`.
    pub program: Option<String>,
    /// `${MESSAGE}`.
    pub message: Option<String>,
    /// The values that must be there.
    pub values: Vec<TestValue>,
}

/// `<test_value>`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TestValue {
    /// Name.
    pub name: String,
    /// Value.
    pub value: String,
    /// Type, when it matters.
    pub kind: Option<String>,
}
