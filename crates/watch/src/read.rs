//! Rules from a text: YAML, of which JSON is a part.
//!
//! In: the text of a file: a map with the list `rules`. Out: rules, or every error with its line and column.
//! Limits: [`RULES_BYTES_MAX`], [`RULES_MAX`], and those of the tree.

mod fault;
mod kinds;
mod node;
mod notifications;
mod options;
mod tree;

pub use fault::{NotificationFault, RuleError, RuleFault};
pub(crate) use node::{Content, Node, Quoting};
pub use notifications::{
    Channel, ChannelKind, HttpChannel, MailChannel, MailEncryption, Notifications, Reach, Route, Service,
    Setting, read_notifications,
};
pub(crate) use tree::parse;

use crate::rule::{Rule, RuleVersion};
use message::Severity;
use options::Options;
use std::{collections::HashSet, sync::Arc};

/// Longest text of a file of rules, in bytes: ten thousand rules with their descriptions.
pub const RULES_BYTES_MAX: usize = 16 << 20;
/// Most rules of a file.
pub const RULES_MAX: usize = 20_000;

/// Reads the rules of a text, in its order; or returns all that is wrong with it.
pub fn read(text: &str) -> Result<Vec<Arc<Rule>>, Vec<RuleError>> {
    if text.len() > RULES_BYTES_MAX {
        return Err(vec![RuleError::at_start(RuleFault::TooLong)]);
    }
    let root = tree::parse(text).map_err(|error| vec![error])?;
    let list = rules_of(&root).map_err(|error| vec![error])?;
    let (mut rules, mut errors) = (Vec::new(), Vec::new());
    let mut ids = HashSet::new();
    for node in list {
        match one(node, text) {
            Ok(rule) if !ids.insert(Arc::clone(&rule.id)) => {
                errors.push(node.fault(RuleFault::SameId { id: rule.id.to_string() }));
            }
            Ok(rule) => rules.push(Arc::new(rule)),
            Err(mut faults) => errors.append(&mut faults),
        }
    }
    if errors.is_empty() {
        return Ok(rules);
    }
    errors.sort_by_key(|error| (error.line, error.column));
    Err(errors)
}

/// Returns the nodes of the rules.
fn rules_of(root: &Node) -> Result<&[Node], RuleError> {
    let Content::Map(entries) = &root.content else { return Err(root.fault(RuleFault::NoRules)) };
    if let Some((key, _)) = entries.iter().find(|(key, _)| !key.is_text("rules")) {
        return Err(key.fault(RuleFault::UnknownKey { key: key.shown(), known: "rules".to_owned() }));
    }
    let [(_, list)] = entries.as_slice() else { return Err(root.fault(RuleFault::NoRules)) };
    match &list.content {
        Content::List(rules) if rules.len() > RULES_MAX => Err(list.fault(RuleFault::TooMany)),
        Content::List(rules) => Ok(rules),
        Content::Text { .. } | Content::Map(_) => Err(list.fault(RuleFault::NoRules)),
    }
}

/// Reads a rule; returns all that is wrong with it.
fn one(node: &Node, text: &str) -> Result<Rule, Vec<RuleError>> {
    let mut options = Options::of(node, text)?;
    let id = options.id();
    let title = options.text("title");
    let description = options.text("description").unwrap_or_default();
    let severity = severity(&mut options);
    let logspaces = options.texts("logspace").unwrap_or_default();
    let query = options.query("query");
    let by = options.names("by");
    let missing = options.text("missing").map(String::into_bytes);
    let hold_us = options.duration("for");
    clock(&mut options);
    let kind = kinds::kind(&mut options, &by);
    if let (Some(kind), Some(_)) = (&kind, hold_us)
        && !kinds::can_hold(kind)
    {
        options.fault("for", RuleFault::NotForKind { kind: kind.name() });
    }
    match (id, query, kind, options.finish()) {
        (Some(id), Some(query), Some(kind), Ok(())) => {
            let mut rule = Rule {
                title: title.unwrap_or_else(|| id.clone()),
                id: id.into(),
                description,
                severity,
                logspaces,
                query,
                by,
                missing,
                kind,
                hold_us: hold_us.unwrap_or(0),
                version: RuleVersion::default(),
            };
            rule.version = RuleVersion::of(&rule);
            Ok(rule)
        }
        (.., Err(errors)) => Err(errors),
        // Whatever is missing was noted as an error.
        _ => Err(vec![node.fault(RuleFault::NoRules)]),
    }
}

fn severity(options: &mut Options<'_>) -> Severity {
    let Some(name) = options.text("severity") else { return Severity::WARNING };
    Severity::from_name(&name).unwrap_or_else(|| {
        options.fault("severity", RuleFault::BadSeverity { name });
        Severity::WARNING
    })
}

/// Checks the clock of a rule: there is one so far.
fn clock(options: &mut Options<'_>) {
    if let Some(clock) = options.text("clock")
        && clock != "received"
    {
        let fault = match clock.as_str() {
            "event" => RuleFault::EventClock,
            _ => RuleFault::UnknownWord { word: clock, known: "received" },
        };
        options.fault("clock", fault);
    }
}

#[cfg(test)]
mod tests;
