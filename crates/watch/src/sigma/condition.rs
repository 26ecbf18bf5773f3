//! The condition of a detection: names joined by `and`, `or` and `not`, `1 of them`, `all of name*`.
//!
//! In: a condition, the named parts. Out: a condition without names. `of` binds closest, then `not`, `and`, `or`.
//! Limits: [`DEPTH_MAX`]; the old form with `| count()` is refused.

use super::{expression::Expression, refusal::SigmaRefusal, selection::Selections};
use crate::read::Node;

/// Deepest nesting of parentheses and negations.
const DEPTH_MAX: usize = 50;

/// Reads the condition of a detection; several mean any of them.
pub(super) fn read(detection: &Node, selections: &Selections) -> Result<Expression, SigmaRefusal> {
    let node = detection.get("condition").ok_or(SigmaRefusal::Malformed { part: "condition" })?;
    let each = node.one_or_many().iter().map(|condition| {
        let text = condition.text().ok_or(SigmaRefusal::Malformed { part: "condition" })?;
        let mut parser = Parser { words: words(text), at: 0, selections };
        let expression = parser.either(0)?;
        match parser.peek() {
            None => Ok(expression),
            Some(_) => Err(parser.refused()),
        }
    });
    Ok(Expression::Any(each.collect::<Result<_, _>>()?))
}

/// Splits a condition into words and parentheses.
fn words(text: &str) -> Vec<String> {
    let spaced = text.replace('(', " ( ").replace(')', " ) ").replace('|', " | ");
    spaced.split_whitespace().map(str::to_owned).collect()
}

struct Parser<'a> {
    words: Vec<String>,
    at: usize,
    selections: &'a Selections,
}

impl Parser<'_> {
    fn peek(&self) -> Option<&str> {
        self.words.get(self.at).map(String::as_str)
    }

    /// Takes the next word if it is this one, in any case.
    fn takes(&mut self, word: &str) -> Option<()> {
        self.peek().filter(|next| next.eq_ignore_ascii_case(word))?;
        self.at += 1;
        Some(())
    }

    fn refused(&self) -> SigmaRefusal {
        SigmaRefusal::Condition { part: self.peek().unwrap_or("its end").to_owned() }
    }

    fn either(&mut self, depth: usize) -> Result<Expression, SigmaRefusal> {
        let mut members = vec![self.both(depth)?];
        while self.takes("or").is_some() {
            members.push(self.both(depth)?);
        }
        Ok(Expression::Any(members))
    }

    fn both(&mut self, depth: usize) -> Result<Expression, SigmaRefusal> {
        let mut members = vec![self.negated(depth)?];
        while self.takes("and").is_some() {
            members.push(self.negated(depth)?);
        }
        Ok(Expression::All(members))
    }

    fn negated(&mut self, depth: usize) -> Result<Expression, SigmaRefusal> {
        if depth > DEPTH_MAX {
            return Err(self.refused());
        }
        if self.takes("not").is_some() {
            return Ok(Expression::not(self.negated(depth + 1)?));
        }
        if self.takes("(").is_some() {
            let inner = self.either(depth + 1)?;
            return self.takes(")").map(|()| inner).ok_or_else(|| self.refused());
        }
        let of = self.words.get(self.at + 1).is_some_and(|next| next.eq_ignore_ascii_case("of"));
        if of { self.several() } else { self.named() }
    }

    /// Reads `1 of name*` or `all of them`.
    fn several(&mut self) -> Result<Expression, SigmaRefusal> {
        let all = match self.peek() {
            Some("all") => Some(()),
            Some("1" | "any") => None,
            _ => return Err(self.refused()),
        };
        self.at += 2;
        let Some(pattern) = self.peek().map(str::to_owned) else { return Err(self.refused()) };
        let wanted = |name: &str| match pattern.as_str() {
            "them" => !name.starts_with('_'),
            pattern => fits(pattern, name),
        };
        let members: Vec<Expression> = self
            .selections
            .iter()
            .filter(|(name, _)| wanted(name))
            .map(|(_, expression)| expression.clone())
            .collect();
        if members.is_empty() {
            return Err(self.refused());
        }
        self.at += 1;
        Ok(if all.is_some() { Expression::All(members) } else { Expression::Any(members) })
    }

    fn named(&mut self) -> Result<Expression, SigmaRefusal> {
        let found = self.selections.iter().find(|(name, _)| Some(name.as_str()) == self.peek());
        let Some((_, expression)) = found else { return Err(self.refused()) };
        let expression = expression.clone();
        self.at += 1;
        Ok(expression)
    }
}

/// Returns true if a name fits a pattern with `*`.
fn fits(pattern: &str, name: &str) -> bool {
    let mut parts = pattern.split('*');
    let Some(mut rest) = parts.next().and_then(|first| name.strip_prefix(first)) else { return false };
    let parts: Vec<&str> = parts.collect();
    let Some((last, inner)) = parts.split_last() else { return rest.is_empty() };
    for part in inner {
        match rest.find(part) {
            Some(at) => rest = &rest[at + part.len()..],
            None => return false,
        }
    }
    rest.ends_with(last)
}
