//! Resolves a tree: names of fields, words, numbers, times, addresses, expressions.
//!
//! In: a tree and the time of "now". Out: a condition, or an error with its position. A field that no message has
//! is not an error: it matches nothing. Limits: [`REGEX_BYTES_MAX`].

mod column;
mod literals;
mod moment;
mod network;
mod range;
mod text;

use crate::{
    condition::{Condition, ValueTest},
    language::{
        error::{Hint, QueryError},
        fields::{Target, resolve},
        tree::{Clause, Join, LetterCase, Node, NodeKind, Operator, Test, Text, TextRange},
    },
};
use regex::bytes::{Regex, RegexBuilder};

/// Most memory of a compiled regular expression; compiling a larger one costs more than the scan itself.
const REGEX_BYTES_MAX: usize = 4 << 20;

/// Resolves a tree. `offset_s` is the zone, in seconds east of UTC, of times without one.
pub(crate) fn compile(
    tree: &Node,
    now_us: i64,
    offset_s: i32,
    hints: &mut Vec<Hint>,
) -> Result<Condition, QueryError> {
    Compiler { now_us, offset_s, hints }.node(tree, None)
}

struct Compiler<'a> {
    now_us: i64,
    offset_s: i32,
    hints: &'a mut Vec<Hint>,
}

/// A clause being resolved, with its field.
struct ClauseContext<'a> {
    /// The field as written.
    name: Option<&'a Text>,
    /// The whole clause.
    place: TextRange,
}

impl ClauseContext<'_> {
    fn error(&self, message: impl Into<String>, remedy: impl Into<String>) -> QueryError {
        QueryError::new(self.place.start, self.place.end - self.place.start, message, remedy)
    }

    fn shown(&self) -> String {
        self.name.map(Text::shown).unwrap_or_default()
    }
}

impl Compiler<'_> {
    fn node(&mut self, node: &Node, field: Option<&Text>) -> Result<Condition, QueryError> {
        match &node.kind {
            NodeKind::Empty => Ok(Condition::All),
            NodeKind::All => match field {
                None => Ok(Condition::All),
                Some(_) => self.exists(&ClauseContext { name: field, place: node.place }, field),
            },
            NodeKind::Clause(clause) => self.clause(clause, node.place, field),
            NodeKind::Group { field: own, inner, .. } => self.node(inner, own.as_ref().or(field)),
            NodeKind::Not { inner, .. } => Ok(Condition::not(self.node(inner, field)?)),
            NodeKind::Must(inner) => self.node(inner, field),
            NodeKind::Chain { operator: Operator::And, members } => {
                let members = members.iter().map(|(_, member)| self.node(member, field));
                Ok(Condition::and(members.collect::<Result<_, _>>()?))
            }
            NodeKind::Chain { operator: Operator::Or, members } => self.either(members, field),
        }
    }

    /// Resolves members joined by OR, or side by side where that means OR: then `+` and `-` decide as in Lucene:
    /// all `+` members must match, no `-` member may, and one of the others is required only if there is no `+`
    /// member.
    fn either(&mut self, members: &[(Join, Node)], field: Option<&Text>) -> Result<Condition, QueryError> {
        let (mut must, mut must_not, mut should) = (Vec::new(), Vec::new(), Vec::new());
        for (index, (join, member)) in members.iter().enumerate() {
            let next = members.get(index + 1).map(|(join, _)| *join);
            let beside = if index == 0 { next == Some(Join::Beside) } else { *join == Join::Beside };
            let condition = self.node(member, field)?;
            match &member.kind {
                NodeKind::Must(_) => must.push(condition),
                NodeKind::Not { .. } if beside => must_not.push(condition),
                _ => should.push(condition),
            }
        }
        if must.is_empty() && !should.is_empty() {
            must.push(Condition::or(should));
        }
        must.append(&mut must_not);
        Ok(Condition::and(must))
    }

    fn clause(
        &mut self,
        clause: &Clause,
        place: TextRange,
        field: Option<&Text>,
    ) -> Result<Condition, QueryError> {
        let name = clause.field.as_ref().or(field);
        let asked = ClauseContext { name, place };
        if let Test::Exists(name) = &clause.test {
            return self.exists(&ClauseContext { name: Some(name), place }, Some(name));
        }
        if let (Test::Term(text), Some(_)) = (&clause.test, name)
            && text.is_star()
        {
            return self.exists(&asked, name);
        }
        match resolve(name) {
            Target::Everywhere => self.everywhere(&asked, &clause.test),
            Target::Message => self.message(&asked, &clause.test),
            Target::Raw => self.raw(&asked, &clause.test),
            Target::Column(column) => self.column(&asked, &column, &clause.test),
            Target::Columns(names) => self.columns(&asked, &names, &clause.test),
            Target::Received => {
                let (from, to) = self.moment(&asked, &clause.test)?;
                Ok(Condition::Received(from, to))
            }
            Target::Event => {
                let (from, to) = self.moment(&asked, &clause.test)?;
                Ok(Condition::Event(from, to))
            }
            Target::Skew => self.skew(&asked, &clause.test),
        }
    }

    fn exists(&self, asked: &ClauseContext<'_>, name: Option<&Text>) -> Result<Condition, QueryError> {
        let any = || ValueTest::Pattern(lookup::Pattern::Any);
        match resolve(name) {
            Target::Column(column) => Ok(Condition::Value(column, any())),
            Target::Columns(names) => Ok(Condition::Values(names, any())),
            Target::Skew => {
                Err(asked.error("@skew is asked by a range", "write @skew:>5m or @skew:[-1m TO 1m]"))
            }
            // Every message has these fields.
            Target::Everywhere | Target::Message | Target::Raw | Target::Received | Target::Event => {
                Ok(Condition::All)
            }
        }
    }

    fn regex(&self, asked: &ClauseContext<'_>, pattern: &str, case: LetterCase) -> Result<Regex, QueryError> {
        let built = RegexBuilder::new(&expression(pattern))
            .case_insensitive(case == LetterCase::Ignored)
            .size_limit(REGEX_BYTES_MAX)
            .dfa_size_limit(REGEX_BYTES_MAX)
            .build();
        built.map_err(|error| match error {
            regex::Error::CompiledTooBig(_) => asked.error(
                "the regular expression is too large",
                "use smaller repetition counts, or several shorter expressions",
            ),
            other => {
                let text = other.to_string();
                let cause = text.lines().last().unwrap_or_default().trim_start_matches("error: ");
                let remedy = "escape special characters with a backslash, or put plain text in quotes";
                asked.error(format!("the regular expression cannot be read: {cause}"), remedy)
            }
        })
    }
}

/// Returns the expression itself: between slashes, `\/` means a slash.
fn expression(pattern: &str) -> String {
    let mut plain = String::with_capacity(pattern.len());
    let mut chars = pattern.chars().peekable();
    while let Some(c) = chars.next() {
        if c != '\\' {
            plain.push(c);
            continue;
        }
        match chars.next() {
            Some('/') => plain.push('/'),
            Some(escaped) => plain.extend(['\\', escaped]),
            None => plain.push('\\'),
        }
    }
    plain
}

#[cfg(test)]
mod tests;
