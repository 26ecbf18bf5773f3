//! The tree of an rsyslog configuration.
//!
//! In: built by the reader. Out: walked by the converter. Holds: every statement with its position and its words.

use std::sync::Arc;

use super::refusal::Refusal;

/// The file and the line of a statement.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FileLine {
    /// The file.
    pub file: Arc<str>,
    /// The line, from 1.
    pub line: usize,
}

/// One statement.
#[derive(Clone, Debug)]
pub(super) struct Statement {
    pub(super) place: FileLine,
    /// Its first line, as written.
    pub(super) words: String,
    pub(super) node: Node,
}

/// The content of a statement.
#[derive(Clone, Debug)]
pub(super) enum Node {
    /// `$Name value`.
    Directive { name: String, value: String },
    /// `module(...)`, `input(...)`, `action(...)`, `template(...) { ... }`, `ruleset(...) { ... }`.
    Object { kind: String, parameters: Parameters, body: Vec<Statement> },
    /// A selector, a property filter or `if`, and the statements that it controls.
    If { test: Test, then: Vec<Statement>, otherwise: Vec<Statement> },
    /// `-/var/log/messages;template`, `@@host:514`, `:omusrmsg:*`.
    Legacy(String),
    /// `set $!a = ...;`
    Set { variable: String, value: Expression },
    /// `unset $!a;`
    Unset(String),
    /// `call ruleset`.
    Call(String),
    /// `stop` or `~`.
    Stop,
    /// `continue`.
    Continue,
    /// `!program`, `+host` and their like.
    Tag(String),
    /// A construct that cannot be converted, with the reason.
    Refused(Refusal),
}

impl Node {
    /// Returns true when `&` can add an action to it: a filter with actions, or an action that all messages get.
    pub(super) fn is_rule(&self) -> bool {
        match self {
            Node::If { then, otherwise, .. } => {
                let branch = if otherwise.is_empty() { then } else { otherwise };
                branch.last().is_some_and(|last| last.node.is_rule())
            }
            Node::Object { kind, .. } => kind == "action",
            Node::Legacy(_) | Node::Call(_) | Node::Stop | Node::Continue => true,
            Node::Directive { .. } | Node::Set { .. } | Node::Unset(_) | Node::Tag(_) | Node::Refused(_) => {
                false
            }
        }
    }

    /// Returns the innermost branch written last: `&` adds to the action at its end. `None`: it is not a filter.
    pub(super) fn last_branch(&mut self) -> Option<&mut Vec<Statement>> {
        let Node::If { then, otherwise, .. } = self else { return None };
        let branch = if otherwise.is_empty() { then } else { otherwise };
        match branch.last().is_some_and(|last| matches!(last.node, Node::If { .. })) {
            true => branch.last_mut().and_then(|last| last.node.last_branch()),
            false => Some(branch),
        }
    }
}

/// The condition of a statement.
#[derive(Clone, Debug)]
pub(super) enum Test {
    /// `mail.*;auth.none`.
    Selector(String),
    /// `:msg, !contains, "text"`.
    Property { name: String, negated: bool, operation: String, value: String },
    /// The expression after `if`.
    Expression(Expression),
}

/// An expression.
#[derive(Clone, PartialEq, Debug)]
pub(super) enum Expression {
    Text(String),
    Number(i64),
    /// `$msg`, `$!a!b`, `$.local`: the name without the first `$`.
    Variable(String),
    Call(String, Vec<Expression>),
    List(Vec<Expression>),
    Not(Box<Expression>),
    Minus(Box<Expression>),
    /// An operator in lower case between two sides.
    Pair(Box<Expression>, String, Box<Expression>),
}

/// The parameters of an object, each with a flag that the converter has used it.
#[derive(Clone, Default, Debug)]
pub(super) struct Parameters {
    pub(super) rows: Vec<Parameter>,
}

/// One parameter; a list has several values.
#[derive(Clone, Debug)]
pub(super) struct Parameter {
    pub(super) name: String,
    pub(super) values: Vec<String>,
    pub(super) is_used: bool,
}

impl Parameters {
    pub(super) fn add(&mut self, name: &str, values: Vec<String>) {
        self.rows.push(Parameter { name: name.to_ascii_lowercase(), values, is_used: false });
    }

    /// Returns all values of a parameter, and marks it as used.
    pub(super) fn take_all(&mut self, name: &str) -> Option<Vec<String>> {
        let row = self.rows.iter_mut().find(|row| row.name == name)?;
        row.is_used = true;
        Some(row.values.clone())
    }

    /// Returns the value of a parameter, and marks it as used.
    pub(super) fn take(&mut self, name: &str) -> Option<String> {
        self.take_all(name)?.into_iter().next()
    }

    /// Returns a parameter that is on or off.
    pub(super) fn take_switch(&mut self, name: &str) -> Option<bool> {
        self.take(name).map(|value| is_on(&value))
    }

    /// Takes parameters that make no difference here.
    pub(super) fn ignore(&mut self, names: &[&str]) {
        self.rows
            .iter_mut()
            .filter(|row| names.contains(&row.name.as_str()))
            .for_each(|row| row.is_used = true);
    }

    /// Returns the names of the parameters that were not used.
    pub(super) fn unused(&self) -> Vec<&str> {
        self.rows.iter().filter(|row| !row.is_used).map(|row| row.name.as_str()).collect()
    }
}

/// Returns true for `on`, `yes`, `true` and `1`.
pub(super) fn is_on(value: &str) -> bool {
    matches!(value.trim().to_ascii_lowercase().as_str(), "on" | "yes" | "true" | "1")
}
