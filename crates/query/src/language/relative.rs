//! The parts of a query whose meaning depends on the time at which it is read: `now`, `now-1h`.
//!
//! In: a tree. Out: the position of the first such part. Limits: the depth of the tree is bounded by the parser.

use crate::language::{
    fields::{Target, resolve},
    times,
    tree::{Clause, Comparison, EndText, Node, NodeKind, Test, Text, TextRange},
};

/// Returns the position of the first part that depends on the time of "now".
pub(crate) fn first(tree: &Node) -> Option<TextRange> {
    of_node(tree, None)
}

fn of_node(node: &Node, field: Option<&Text>) -> Option<TextRange> {
    match &node.kind {
        NodeKind::Empty | NodeKind::All => None,
        NodeKind::Clause(clause) => depends(clause, clause.field.as_ref().or(field)).then_some(node.place),
        NodeKind::Group { field: own, inner, .. } => of_node(inner, own.as_ref().or(field)),
        NodeKind::Not { inner, .. } | NodeKind::Must(inner) => of_node(inner, field),
        NodeKind::Chain { members, .. } => members.iter().find_map(|(_, member)| of_node(member, field)),
    }
}

/// Returns true if a clause names a relative time where times are meant: a clock, or a range of values.
fn depends(clause: &Clause, field: Option<&Text>) -> bool {
    let clock = match resolve(field) {
        Target::Received | Target::Event => true,
        Target::Column(_) | Target::Columns(_) => false,
        Target::Everywhere | Target::Message | Target::Raw | Target::Skew => return false,
    };
    match &clause.test {
        Test::Range { lower, upper } => lower.text.iter().chain(&upper.text).any(of_end),
        Test::Compare(
            Comparison::Less | Comparison::LessOrEqual | Comparison::Greater | Comparison::GreaterOrEqual,
            end,
        ) => of_end(end),
        Test::Term(text) => clock && text.as_plain().is_some_and(|text| is_relative(&text)),
        Test::Phrase(text, _) => clock && is_relative(&text.shown()),
        Test::Fuzzy(..) | Test::Regex { .. } | Test::Exact(_) | Test::CaseExact(_) | Test::Exists(_) => false,
    }
}

fn of_end(end: &EndText) -> bool {
    is_relative(&end.text)
}

fn is_relative(text: &str) -> bool {
    text.starts_with("now") && times::parse_time(text, 0, 0).is_some()
}

#[cfg(test)]
mod tests {
    //! Rows of queries that depend on now, and of those that only look so.

    use crate::{ParseOptions, Query};

    #[track_caller]
    fn check(query: &str, want: Option<(usize, usize)>) {
        let query = Query::parse(query, &ParseOptions::default()).unwrap();
        assert_eq!(query.relative_part().map(|part| (part.start, part.end)), want);
    }

    #[test]
    fn only_times_depend_on_now() {
        check("now", None);
        check("user:now", None);
        check("user:\"now-1h\"", None);
        check("@event:[2026-01-01 TO 2026-02-01]", None);
        check("a @event:[now-1h TO *]", Some((2, 22)));
        check("a NOT (b @received:<now-1d)", Some((9, 26)));
        check("expires:<now", Some((0, 12)));
        check("@received:(now OR 2026-01-01)", Some((11, 14)));
    }
}
