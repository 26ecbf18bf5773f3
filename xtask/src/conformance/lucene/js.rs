//! A JavaScript parser of the syntax: its tests look at parts of the tree by path.
//!
//! In: a case. Out: the first part that differs. Paths consist of `left`, `operator` and `right`.

use super::question::{operator, read_or_refused};
use crate::conformance::records::text;
use query::{Clause, Join, Node, NodeKind, NotSign, Operator, Test, Text, parse};
use serde_json::Value;

pub(super) fn difference(case: &Value) -> Option<String> {
    let checks = case["expect_ast_checks"].as_array().filter(|checks| !checks.is_empty());
    let Some(checks) = checks else {
        return read_or_refused(case);
    };
    let tree = match parse(text(case, "query"), operator(case)) {
        Ok(parsed) => parsed.tree,
        Err(error) => return Some(format!("is refused: {error}")),
    };
    checks.iter().find_map(|check| {
        let path: Vec<&str> = check[0].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
        let want = check[1].as_str().unwrap_or_default();
        let got = part(&tree, &path);
        (got.as_deref() != Some(want)).then(|| format!("{} want {want}, got {got:?}", path.join(".")))
    })
}

fn part(tree: &Node, path: &[&str]) -> Option<String> {
    let members = match &tree.kind {
        NodeKind::Chain { members, .. } => members.iter().map(|(_, member)| member).collect(),
        _ => vec![tree],
    };
    match path {
        ["operator"] => sign(tree),
        ["left", rest @ ..] => attribute(members.first()?, rest),
        ["right", rest @ ..] => attribute(members.get(1)?, rest),
        _ => None,
    }
}

fn sign(tree: &Node) -> Option<String> {
    let NodeKind::Chain { operator, members } = &tree.kind else {
        return None;
    };
    let (join, second) = members.get(1)?;
    let sign = match (join, operator) {
        (Join::Beside, _) if matches!(second.kind, NodeKind::Not { sign: NotSign::Word, .. }) => "NOT",
        (Join::Beside, _) => "<implicit>",
        (Join::Word, Operator::And) => "AND",
        (Join::Word, Operator::Or) => "OR",
        (Join::Symbol, Operator::And) => "&&",
        (Join::Symbol, Operator::Or) => "||",
    };
    Some(sign.to_owned())
}

fn attribute(node: &Node, path: &[&str]) -> Option<String> {
    if *path == ["prefix"] {
        return match &node.kind {
            NodeKind::Must(_) => Some("+".to_owned()),
            NodeKind::Not { sign: NotSign::Minus, .. } => Some("-".to_owned()),
            _ => None,
        };
    }
    match &node.kind {
        NodeKind::Must(inner) | NodeKind::Not { inner, .. } => attribute(inner, path),
        NodeKind::Clause(clause) => of_clause(clause, node, path),
        _ => None,
    }
}

fn of_clause(clause: &Clause, node: &Node, path: &[&str]) -> Option<String> {
    let name = clause.field.as_ref().map(Text::shown);
    let ends = |lower: bool| match &clause.test {
        Test::Range { lower: a, upper: b } => {
            if lower { a } else { b }.text.as_ref().map(|end| end.text.clone())
        }
        _ => None,
    };
    match path {
        ["field"] => Some(name.unwrap_or_else(|| "<implicit>".to_owned())),
        ["term"] => match &clause.test {
            Test::Term(text) | Test::Fuzzy(text, _) | Test::Phrase(text, _) => Some(text.shown()),
            Test::Compare(comparison, text) => Some(format!("{}{}", comparison.sign(), text.text)),
            _ => None,
        },
        ["similarity"] => match &clause.test {
            Test::Fuzzy(_, distance) => Some(distance.clone()),
            _ => None,
        },
        ["boost"] => clause.boost.clone(),
        ["term_min"] => ends(true),
        ["term_max"] => ends(false),
        ["inclusive"] => match &clause.test {
            Test::Range { lower, upper } => Some(
                match (lower.inclusive, upper.inclusive) {
                    (true, true) => "both",
                    (true, false) => "left",
                    (false, true) => "right",
                    (false, false) => "none",
                }
                .to_owned(),
            ),
            _ => None,
        },
        ["fieldLocation", "start", "offset"] => Some(node.place.start.to_string()),
        ["fieldLocation", "end", "offset"] => Some((node.place.start + name?.len()).to_string()),
        ["termLocation", "start", "offset"] => Some((node.place.start + name?.len() + 1).to_string()),
        ["termLocation", "end", "offset"] => Some(node.place.end.to_string()),
        _ => None,
    }
}
