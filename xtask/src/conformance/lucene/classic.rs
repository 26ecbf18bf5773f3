//! The classic parser of Lucene: our tree as `Query.toString()` prints it.
//!
//! In: a case. Out: the difference. A query that mixes AND and OR differs by design: our syntax has
//! precedence.

use super::question::{compare, operator};
use crate::conformance::records::text;
use query::{
    Clause, Comparison, End, EndText, Join, Node, NodeKind, Operator, ParseOptions, Query, Test, Text, escape,
};
use serde_json::Value;

pub(super) fn difference(case: &Value) -> Option<String> {
    if !case["raw"].is_null() {
        return compare(text(case, "expect_escaped"), &escape(text(case, "raw")));
    }
    let options = ParseOptions { default_operator: operator(case), ..ParseOptions::default() };
    let parsed = Query::parse(text(case, "query"), &options);
    if case["expect_error"] == true {
        return parsed.is_ok().then(|| "is read, but should be refused".to_owned());
    }
    let printed = match &parsed {
        Ok(query) => whole(query.tree()),
        Err(error) => return Some(format!("is refused: {error}")),
    };
    // Lower-casing of wildcards is an option there; here case never matters.
    if case["kind"].is_string() {
        return compare(&text(case, "expect_tostring").to_lowercase(), &printed.to_lowercase());
    }
    compare(text(case, "expect_tostring"), &printed)
}

fn whole(node: &Node) -> String {
    match &node.kind {
        NodeKind::Group { inner, boost: None, field: None } => whole(inner),
        NodeKind::Chain { .. } | NodeKind::Not { .. } => members(node, None),
        NodeKind::Must(inner) => whole(inner),
        _ => one(node, None),
    }
}

/// The clauses of a boolean query, each with its sign.
fn members(node: &Node, field: Option<&Text>) -> String {
    let NodeKind::Chain { operator, members } = &node.kind else {
        return signed(node, "", field);
    };
    let printed = members.iter().enumerate().map(|(index, (join, member))| {
        let explicit_or = *operator == Operator::Or
            && (*join != Join::Beside
                || members.get(index + 1).is_some_and(|(join, _)| *join != Join::Beside));
        match &member.kind {
            // Our tree has a real alternative here; Lucene would exclude the documents altogether.
            NodeKind::Not { .. } if explicit_or => format!("(*:* {})", signed(member, "", field)),
            _ => signed(member, if *operator == Operator::And { "+" } else { "" }, field),
        }
    });
    printed.collect::<Vec<_>>().join(" ")
}

fn signed(node: &Node, sign: &str, field: Option<&Text>) -> String {
    match &node.kind {
        NodeKind::Not { inner, .. } => format!("-{}", one(inner, field)),
        NodeKind::Must(inner) => format!("+{}", one(inner, field)),
        _ => format!("{sign}{}", one(node, field)),
    }
}

fn one(node: &Node, field: Option<&Text>) -> String {
    match &node.kind {
        NodeKind::Empty => String::new(),
        NodeKind::All => "*:*".to_owned(),
        NodeKind::Clause(clause) => with_boost(clause_text(clause, field), clause.boost.as_deref()),
        NodeKind::Group { field: own, inner, boost } => {
            let field = own.as_ref().or(field);
            let single = !matches!(inner.kind, NodeKind::Chain { .. });
            let text = if single { one(inner, field) } else { format!("({})", members(inner, field)) };
            with_boost(text, boost.as_deref())
        }
        NodeKind::Chain { .. } => format!("({})", members(node, field)),
        NodeKind::Not { .. } | NodeKind::Must(_) => signed(node, "", field),
    }
}

fn with_boost(text: String, boost: Option<&str>) -> String {
    match boost.and_then(|boost| boost.parse::<f64>().ok()) {
        Some(boost) => format!("{text}^{boost:?}"),
        None => text,
    }
}

fn clause_text(clause: &Clause, field: Option<&Text>) -> String {
    let name = clause.field.as_ref().or(field).map(Text::shown).unwrap_or_default();
    let prefix = if name.is_empty() || name == "field" { String::new() } else { format!("{name}:") };
    let body = match &clause.test {
        Test::Term(text) => text.shown(),
        Test::Fuzzy(text, distance) => {
            let distance = if distance.is_empty() { "2" } else { distance };
            format!("{}~{distance}", text.shown())
        }
        Test::Phrase(text, slop) => {
            let shown = text.shown();
            let slop = slop.map(|slop| format!("~{slop}")).unwrap_or_default();
            if shown.contains(' ') { format!("\"{shown}\"{slop}") } else { shown }
        }
        Test::Regex { pattern, .. } => format!("/{pattern}/"),
        Test::Range { lower, upper } => {
            let open = if lower.inclusive { '[' } else { '{' };
            let close = if upper.inclusive { ']' } else { '}' };
            format!("{open}{} TO {}{close}", end(lower), end(upper))
        }
        Test::Compare(Comparison::GreaterOrEqual, text) => format!("[{} TO *]", literal(text)),
        Test::Compare(Comparison::Greater, text) => format!("{{{} TO *]", literal(text)),
        Test::Compare(Comparison::LessOrEqual, text) => format!("[* TO {}]", literal(text)),
        Test::Compare(Comparison::Less, text) => format!("[* TO {}}}", literal(text)),
        Test::Exact(text) | Test::CaseExact(text) => literal(text),
        Test::Exists(text) => return format!("_exists_:{}", text.shown()),
    };
    prefix + &body
}

fn end(end: &End) -> String {
    end.text.as_ref().map_or_else(|| "*".to_owned(), literal)
}

/// A literal star is escaped, to distinguish it from an open end.
fn literal(text: &EndText) -> String {
    if text.text == "*" { "\\*".to_owned() } else { text.text.clone() }
}
