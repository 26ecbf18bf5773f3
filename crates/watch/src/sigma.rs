//! Rules of the Sigma project (specification 2.1.0) as queries.
//!
//! In: the text of a Sigma rule. Out: an id, texts for people and a query that matches the same messages; or the reason
//! why it cannot be expressed: no rule is imported that would mean something else. Fields keep their names. Limits:
//! those of a query.

mod condition;
mod expression;
mod logsource;
mod refusal;
mod selection;
mod value;

pub use refusal::SigmaRefusal;

use crate::read::{Node, parse};
use expression::Expression;
use message::Severity;
use query::{ParseOptions, Query};

/// A Sigma rule that was imported.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SigmaRule {
    /// Its identifier, from its own.
    pub id: String,
    /// Its title.
    pub title: String,
    /// Its description, with author, licence and origin, which its licence asks to keep.
    pub description: String,
    /// Its level as a severity.
    pub severity: Severity,
    /// The messages that it matches.
    pub query: String,
}

/// Imports a Sigma rule.
pub fn import(text: &str) -> Result<SigmaRule, SigmaRefusal> {
    let root = parse(text).map_err(SigmaRefusal::Yaml)?;
    if root.get("correlation").is_some() {
        return Err(SigmaRefusal::Correlation);
    }
    let detection = root.get("detection").ok_or(SigmaRefusal::Malformed { part: "detection" })?;
    let id = required(&root, "id")?;
    let title = required(&root, "title")?;
    let selections = selection::all(detection)?;
    let expression = condition::read(detection, &selections)?;
    let source = logsource::of(&root);
    if source.is_none() && expression.has_keywords() {
        return Err(SigmaRefusal::Source);
    }
    let query = Expression::All(source.into_iter().chain([expression]).collect()).to_string();
    Query::parse(&query, &ParseOptions::default()).map_err(SigmaRefusal::Query)?;
    let severity = severity(&root);
    Ok(SigmaRule { id: format!("sigma-{id}"), title, description: description(&root), severity, query })
}

/// Returns a text that a rule must have.
fn required(root: &Node, part: &'static str) -> Result<String, SigmaRefusal> {
    let text = root.get(part).and_then(Node::text).filter(|text| !text.trim().is_empty());
    text.map(|text| text.trim().to_owned()).ok_or(SigmaRefusal::Malformed { part })
}

/// Returns the description with what names the origin of the rule.
fn description(root: &Node) -> String {
    let text = |key: &str| root.get(key).and_then(Node::text).map(str::trim).filter(|text| !text.is_empty());
    let mut lines: Vec<String> = text("description").map(str::to_owned).into_iter().collect();
    lines.extend(text("author").map(|author| format!("Author: {author}")));
    lines.extend(text("license").map(|license| format!("Licence: {license}")));
    lines.extend(text("id").map(|id| format!("Sigma rule {id}")));
    lines.join("\n")
}

/// Returns the severity of a level.
fn severity(root: &Node) -> Severity {
    match root.get("level").and_then(Node::text) {
        Some("critical") => Severity::CRITICAL,
        Some("high") => Severity::ERROR,
        Some("low") => Severity::NOTICE,
        Some("informational") => Severity::INFORMATIONAL,
        _ => Severity::WARNING,
    }
}

#[cfg(test)]
mod tests;
