//! Conditions joined by AND, OR and NOT, and how they are written in the query language.
//!
//! In: clauses. Out: the text of a query. Holds nothing. Limits: none of its own; the parser of queries has them.

use std::fmt;

/// A condition.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Expression {
    /// A clause in the query language, on a field.
    Clause(String),
    /// A clause on the text of a message.
    Keyword(String),
    /// All of them; of none: everything.
    All(Vec<Expression>),
    /// At least one of them; of none: nothing.
    Any(Vec<Expression>),
    /// Not this.
    Not(Box<Expression>),
}

impl Expression {
    /// Negates a condition.
    pub(super) fn not(inner: Expression) -> Expression {
        Expression::Not(Box::new(inner))
    }

    /// Returns true if the text of messages is looked at.
    pub(super) fn has_keywords(&self) -> bool {
        match self {
            Expression::Clause(_) => false,
            Expression::Keyword(_) => true,
            Expression::All(members) | Expression::Any(members) => {
                members.iter().any(Expression::has_keywords)
            }
            Expression::Not(inner) => inner.has_keywords(),
        }
    }
}

impl fmt::Display for Expression {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let joined = |f: &mut fmt::Formatter<'_>, members: &[Expression], operator: &str| {
            f.write_str("(")?;
            for (index, member) in members.iter().enumerate() {
                if index > 0 {
                    write!(f, " {operator} ")?;
                }
                member.fmt(f)?;
            }
            f.write_str(")")
        };
        match self {
            Expression::Clause(text) | Expression::Keyword(text) => f.write_str(text),
            Expression::All(members) if members.is_empty() => f.write_str("*"),
            Expression::Any(members) if members.is_empty() => f.write_str("(NOT *)"),
            Expression::All(members) | Expression::Any(members) if members.len() == 1 => members[0].fmt(f),
            Expression::All(members) => joined(f, members, "AND"),
            Expression::Any(members) => joined(f, members, "OR"),
            Expression::Not(inner) => write!(f, "(NOT {inner})"),
        }
    }
}
