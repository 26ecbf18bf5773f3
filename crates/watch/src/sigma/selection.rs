//! The named parts of a detection.
//!
//! In: maps, lists of maps, lists of words. Out: a condition for each name: the entries of a map are joined by AND, the
//! members of a list by OR. Limits: those of the tree.

use super::{expression::Expression, refusal::SigmaRefusal, value};
use crate::read::{Content, Node};

/// The names of a detection's parts, with their conditions.
pub(super) type Selections = Vec<(String, Expression)>;

/// Reads the parts of a detection.
pub(super) fn all(detection: &Node) -> Result<Selections, SigmaRefusal> {
    let Content::Map(entries) = &detection.content else {
        return Err(SigmaRefusal::Malformed { part: "detection" });
    };
    let named = entries.iter().filter_map(|(key, part)| Some((key.text()?, part)));
    let parts = named.filter(|(name, _)| !matches!(*name, "condition" | "timeframe"));
    if detection.get("timeframe").is_some() {
        return Err(SigmaRefusal::Modifier { name: "timeframe".to_owned() });
    }
    parts.map(|(name, part)| Ok((name.to_owned(), one(part)?))).collect()
}

/// Reads a part.
fn one(part: &Node) -> Result<Expression, SigmaRefusal> {
    match &part.content {
        Content::Map(entries) => {
            let each = entries.iter().map(|(key, values)| {
                let key = key.text().ok_or(SigmaRefusal::Malformed { part: "detection" })?;
                value::field(key, values)
            });
            Ok(Expression::All(each.collect::<Result<_, _>>()?))
        }
        Content::List(members) => {
            let each = members.iter().map(|member| match &member.content {
                Content::Map(_) => one(member),
                Content::Text { .. } => value::field("", member),
                Content::List(_) => Err(SigmaRefusal::Malformed { part: "detection" }),
            });
            Ok(Expression::Any(each.collect::<Result<_, _>>()?))
        }
        Content::Text { .. } => value::field("", part),
    }
}
