//! Prints a tree as text.
//!
//! In: a tree. Out: text that parses to the same tree. Limits: as deep as the tree.

use super::{Clause, End, EndText, Join, LetterCase, Node, NodeKind, NotSign, Operator, Test, Text};

impl std::fmt::Display for Node {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let mut out = String::new();
        node(self, &mut out);
        f.write_str(&out)
    }
}

fn node(part: &Node, out: &mut String) {
    match &part.kind {
        NodeKind::Empty => {}
        NodeKind::All => out.push('*'),
        NodeKind::Clause(part) => clause(part, out),
        NodeKind::Group { field, inner, boost } => {
            name(field.as_ref(), out);
            out.push('(');
            node(inner, out);
            out.push(')');
            add_boost(boost.as_deref(), out);
        }
        NodeKind::Not { sign, inner } => {
            out.push_str(match sign {
                NotSign::Word => "NOT ",
                NotSign::Bang => "!",
                NotSign::Minus => "-",
            });
            node(inner, out);
        }
        NodeKind::Must(inner) => {
            out.push('+');
            node(inner, out);
        }
        NodeKind::Chain { operator, members } => chain(*operator, members, out),
    }
}

fn chain(operator: Operator, members: &[(Join, Node)], out: &mut String) {
    for (index, (join, member)) in members.iter().enumerate() {
        if index > 0 {
            out.push_str(match (join, operator) {
                (Join::Beside, _) => " ",
                (Join::Word, Operator::And) => " AND ",
                (Join::Word, Operator::Or) => " OR ",
                (Join::Symbol, Operator::And) => " && ",
                (Join::Symbol, Operator::Or) => " || ",
            });
        }
        node(member, out);
    }
}

fn name(field: Option<&Text>, out: &mut String) {
    if let Some(field) = field {
        field.print_bare(out);
        out.push(':');
    }
}

fn add_boost(boost: Option<&str>, out: &mut String) {
    if let Some(boost) = boost {
        out.push('^');
        out.push_str(boost);
    }
}

fn clause(part: &Clause, out: &mut String) {
    name(part.field.as_ref(), out);
    match &part.test {
        Test::Term(text) => text.print_bare(out),
        Test::Fuzzy(text, distance) => {
            text.print_bare(out);
            out.push('~');
            out.push_str(distance);
        }
        Test::Phrase(text, slop) => {
            text.print_quoted(out);
            if let Some(slop) = slop {
                out.push('~');
                out.push_str(&slop.to_string());
            }
        }
        Test::Regex { pattern, case } => {
            out.push('/');
            out.push_str(pattern);
            out.push_str(match case {
                LetterCase::Ignored => "/i",
                LetterCase::Exact => "/",
            });
        }
        Test::Range { lower, upper } => {
            out.push(if lower.inclusive { '[' } else { '{' });
            range_end(lower, out);
            out.push_str(" TO ");
            range_end(upper, out);
            out.push(if upper.inclusive { ']' } else { '}' });
        }
        Test::Compare(comparison, text) => {
            out.push_str(comparison.sign());
            end_text(text, out);
        }
        Test::Exact(text) => {
            out.push('=');
            end_text(text, out);
        }
        Test::CaseExact(text) => {
            out.push_str("==");
            end_text(text, out);
        }
        Test::Exists(text) => {
            out.push_str("_exists_:");
            text.print_bare(out);
        }
    }
    add_boost(part.boost.as_deref(), out);
}

fn range_end(end: &End, out: &mut String) {
    match &end.text {
        None => out.push('*'),
        Some(text) => end_text(text, out),
    }
}

fn end_text(text: &EndText, out: &mut String) {
    let plain = Text::plain(&text.text);
    if text.quoted { plain.print_quoted(out) } else { plain.print_bare(out) }
}
