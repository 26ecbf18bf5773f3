//! Tantivy's grammar: our tree as its tests print its own.
//!
//! In: a case. Out: the difference. Its signs `?` (OR) and `*` (adjacent terms) both mean "should" here and
//! are dropped.

use super::question::{compare, operator, read_or_refused};
use crate::conformance::records::text;
use query::{Clause, Comparison, End, Glyph, Join, Node, NodeKind, NotSign, Operator, Test, Text, parse};
use serde_json::Value;

pub(super) fn difference(case: &Value) -> Option<String> {
    if case["expect_ast"].is_null() {
        return read_or_refused(case);
    }
    let parsed = parse(text(case, "query"), operator(case));
    if text(case, "helper") == "test_is_parse_err" {
        return parsed.is_ok().then(|| "is read, but should be refused".to_owned());
    }
    match parsed {
        Ok(parsed) => compare(&without_should(text(case, "expect_ast")), &one(&parsed.tree, None)),
        Err(error) => Some(format!("is refused: {error}")),
    }
}

fn without_should(printed: &str) -> String {
    let mut plain = String::new();
    let mut before = None;
    for c in printed.chars() {
        if !(matches!(c, '?' | '*') && matches!(before, Some('(' | ' '))) || printed == "(*)^2" {
            plain.push(c);
        }
        before = Some(c);
    }
    plain
}

fn one(node: &Node, field: Option<&Text>) -> String {
    match &node.kind {
        NodeKind::Empty => "<emptyclause>".to_owned(),
        NodeKind::All => "*".to_owned(),
        NodeKind::Clause(clause) => with_boost(clause_text(clause, field), clause.boost.as_deref()),
        NodeKind::Group { field: own, inner, boost } => {
            with_boost(one(inner, own.as_ref().or(field)), boost.as_deref())
        }
        NodeKind::Not { inner, .. } => format!("(-{})", one(inner, field)),
        NodeKind::Must(inner) => one(inner, field),
        NodeKind::Chain { operator, members } => chain(*operator, members, field),
    }
}

fn chain(operator: Operator, members: &[(Join, Node)], field: Option<&Text>) -> String {
    let printed = members.iter().enumerate().map(|(index, (join, member))| {
        let next = members.get(index + 1).map(|(join, _)| *join);
        let beside = *join == Join::Beside && (index > 0 || next == Some(Join::Beside));
        match &member.kind {
            NodeKind::Must(inner) => format!("+{}", one(inner, field)),
            NodeKind::Not { inner, sign }
                if beside || (operator == Operator::And && *sign == NotSign::Minus) =>
            {
                format!("-{}", one(inner, field))
            }
            _ if operator == Operator::And => format!("+{}", one(member, field)),
            _ => one(member, field),
        }
    });
    format!("({})", printed.collect::<Vec<_>>().join(" "))
}

fn with_boost(text: String, boost: Option<&str>) -> String {
    boost.map(|boost| format!("({text})^{boost}")).unwrap_or(text)
}

fn clause_text(clause: &Clause, field: Option<&Text>) -> String {
    let prefix = match clause.field.as_ref().or(field) {
        Some(field) => format!("\"{}\":", field.shown()),
        None => String::new(),
    };
    let body = match &clause.test {
        Test::Term(text) => text.shown(),
        Test::Fuzzy(text, distance) => format!("{}~{distance}", text.shown()),
        Test::Phrase(text, slop) => {
            let slop = slop.map(|slop| format!("~{slop}")).unwrap_or_default();
            // Queries whose last word we take as a prefix.
            match text.glyphs.split_last() {
                Some((Glyph::Run, words)) => {
                    format!("\"{}\"*{slop}", Text { glyphs: words.to_vec() }.shown())
                }
                _ => format!("\"{}\"{slop}", text.shown()),
            }
        }
        Test::Regex { pattern, .. } => format!("/{pattern}/"),
        Test::Range { lower, upper } => {
            let open = if lower.inclusive { '[' } else { '{' };
            let close = if upper.inclusive { ']' } else { '}' };
            format!("{open}\"{}\" TO \"{}\"{close}", end(lower), end(upper))
        }
        Test::Compare(comparison, text) => match comparison {
            Comparison::GreaterOrEqual => format!("[\"{}\" TO \"*\"}}", text.text),
            Comparison::Greater => format!("{{\"{}\" TO \"*\"}}", text.text),
            Comparison::LessOrEqual => format!("{{\"*\" TO \"{}\"]", text.text),
            Comparison::Less => format!("{{\"*\" TO \"{}\"}}", text.text),
        },
        Test::Exact(text) | Test::CaseExact(text) => text.text.clone(),
        Test::Exists(text) => return format!("_exists_:{}", text.shown()),
    };
    prefix + &body
}

fn end(end: &End) -> &str {
    end.text.as_ref().map_or("*", |text| text.text.as_str())
}
