//! Expressions of RainerScript.
//!
//! In: the text after `if` and `set`. Out: an [`Expression`]. As in rsyslog's grammar, `and` and `or` have
//! the same precedence and loosest, from left to right; then come comparisons, then `+`, `-` and `&`, then
//! `*`, `/` and `%`; `not` and the sign of a number bind tightest: `not $a == 1` is `(not $a) == 1`.

use super::reader::Reader;
use crate::rsyslog::refusal::{Converted, Refusal};
use crate::rsyslog::syntax::{Expression, Node, Test};

/// Comparisons that are words.
const WORD_COMPARISONS: &[&str] = &[
    "contains_i",
    "contains",
    "startswith_i",
    "startswith",
    "endswith_i",
    "endswith",
    "ereregex",
    "regex",
    "isequal",
];

/// Comparisons that are marks; the longer ones first.
const MARK_COMPARISONS: &[&str] = &["==", "!=", "<>", "<=", ">=", "<", ">"];

/// Most operators of one expression: a chain of them is as deep as it is long.
const PAIRS_MAX: usize = 500;

impl Reader<'_> {
    /// Reads the condition after `if`: an expression, a selector or a property filter.
    pub(super) fn test(&mut self) -> Converted<Test> {
        self.cursor.skip_blank();
        if self.cursor.peek() == Some(':') {
            return self.property_test();
        }
        self.pairs = 0;
        Ok(Test::Expression(self.expression()?))
    }

    /// Reads `set $!a = expression;`.
    pub(super) fn set(&mut self) -> Converted<Node> {
        self.cursor.skip_blank();
        let variable = self.variable()?;
        self.cursor.skip_blank();
        if !self.cursor.take("=") {
            return Err(Refusal::expected("`=`"));
        }
        self.pairs = 0;
        let value = self.expression()?;
        self.end_of_statement();
        Ok(Node::Set { variable, value })
    }

    /// Reads `$!a!b`, `$.a` or `$msg`, and returns the name without the first `$`.
    pub(super) fn variable(&mut self) -> Converted<String> {
        if !self.cursor.take("$") {
            return Err(Refusal::expected("a variable"));
        }
        let mut name = String::new();
        if matches!(self.cursor.peek(), Some('$')) {
            name.extend(self.cursor.next());
        }
        while let Some(character) = self.cursor.peek() {
            let is_global = character == '/' && name.is_empty();
            if !character.is_alphanumeric() && !"!._-@".contains(character) && !is_global {
                break;
            }
            name.extend(self.cursor.next());
        }
        if name.is_empty() { Err(Refusal::expected("the name of a variable")) } else { Ok(name) }
    }

    fn expression(&mut self) -> Converted<Expression> {
        self.deeper(Self::logical)
    }

    fn logical(&mut self) -> Converted<Expression> {
        let mut left = self.comparison()?;
        while let Some(word) = ["or", "and"].into_iter().find(|word| self.word(word)) {
            let right = self.comparison()?;
            left = self.pair(left, word, right)?;
        }
        Ok(left)
    }

    fn comparison(&mut self) -> Converted<Expression> {
        let mut left = self.sum()?;
        while let Some(operator) = self.comparison_operator() {
            let right = self.sum()?;
            left = self.pair(left, operator, right)?;
        }
        Ok(left)
    }

    fn comparison_operator(&mut self) -> Option<&'static str> {
        let word = WORD_COMPARISONS.iter().find(|word| self.word(word)).copied();
        word.or_else(|| self.mark(MARK_COMPARISONS))
    }

    fn sum(&mut self) -> Converted<Expression> {
        let mut left = self.product()?;
        while let Some(mark) = self.mark(&["+", "-", "&"]) {
            let right = self.product()?;
            left = self.pair(left, mark, right)?;
        }
        Ok(left)
    }

    fn product(&mut self) -> Converted<Expression> {
        let mut left = self.value()?;
        while let Some(mark) = self.mark(&["*", "/", "%"]) {
            let right = self.value()?;
            left = self.pair(left, mark, right)?;
        }
        Ok(left)
    }

    fn value(&mut self) -> Converted<Expression> {
        if self.word("not") {
            return Ok(Expression::Not(Box::new(self.deeper(Self::value)?)));
        }
        self.cursor.skip_blank();
        match self.cursor.peek() {
            Some('$') => Ok(Expression::Variable(self.variable()?)),
            Some('"' | '\'' | '`') => Ok(Expression::Text(self.cursor.string()?)),
            Some('(') => {
                self.cursor.next();
                let inner = self.expression()?;
                self.closing(")")?;
                Ok(inner)
            }
            Some('[') => {
                self.cursor.next();
                Ok(Expression::List(self.list("]")?))
            }
            Some('-') => {
                self.cursor.next();
                Ok(Expression::Minus(Box::new(self.deeper(Self::value)?)))
            }
            Some(digit) if digit.is_ascii_digit() => self.number(),
            Some(letter) if letter.is_ascii_alphabetic() => self.function(),
            _ => Err(Refusal::expected("a value")),
        }
    }

    fn number(&mut self) -> Converted<Expression> {
        let word = self.cursor.name();
        let number = match word.strip_prefix("0x") {
            Some(hex) => i64::from_str_radix(hex, 16),
            None if word.len() > 1 && word.starts_with('0') => i64::from_str_radix(word, 8),
            None => word.parse(),
        };
        number.map(Expression::Number).map_err(|_| Refusal::expected("a number"))
    }

    fn function(&mut self) -> Converted<Expression> {
        let name = self.cursor.name().to_ascii_lowercase();
        self.cursor.skip_blank();
        if !self.cursor.take("(") {
            return Err(Refusal::malformed(format!("cannot be read: `{name}` is no value")));
        }
        let arguments = self.list(")")?;
        Ok(Expression::Call(name, arguments))
    }

    /// Expressions with commas between them, up to and with the closing mark.
    fn list(&mut self, close: &str) -> Converted<Vec<Expression>> {
        let mut values = Vec::new();
        loop {
            self.cursor.skip_blank();
            if self.cursor.take(close) {
                return Ok(values);
            }
            values.push(self.expression()?);
            self.cursor.skip_blank();
            if !self.cursor.take(",") {
                self.closing(close)?;
                return Ok(values);
            }
        }
    }

    fn closing(&mut self, mark: &str) -> Converted<()> {
        self.cursor.skip_blank();
        if self.cursor.take(mark) { Ok(()) } else { Err(Refusal::expected(format!("`{mark}`"))) }
    }

    /// Consumes a word if it is next.
    fn word(&mut self, wanted: &str) -> bool {
        self.cursor.skip_blank();
        let found = self.cursor.peek_name().eq_ignore_ascii_case(wanted);
        if found {
            self.cursor.advance(wanted.len());
        }
        found
    }

    /// Consumes one of some marks if it is next.
    fn mark(&mut self, marks: &[&'static str]) -> Option<&'static str> {
        self.cursor.skip_blank();
        marks.iter().find(|mark| self.cursor.take(mark)).copied()
    }

    fn pair(&mut self, left: Expression, operator: &str, right: Expression) -> Converted<Expression> {
        self.pairs += 1;
        if self.pairs > PAIRS_MAX {
            return Err(Refusal::too_large(format!("an expression with more than {PAIRS_MAX} operators")));
        }
        Ok(Expression::Pair(Box::new(left), operator.to_string(), Box::new(right)))
    }
}
