//! Calls and filter expressions. An argument of a call may be a filter, and a test of a filter is a call, so they are
//! defined together.
//!
//! In: built by the parser, facilities and severities already numbers. Out: read through the small accessors here.

use super::name::Name;
use super::pattern::Match;
use crate::text::Span;

/// `name(arguments)`.
#[derive(Clone, PartialEq, Debug)]
pub struct Call {
    /// The name of the driver or option.
    pub name: Name,
    /// The arguments between its parentheses.
    pub args: Vec<Arg>,
    /// From the name to the closing parenthesis.
    pub span: Span,
}

/// One argument.
#[derive(Clone, PartialEq, Debug)]
pub enum Arg {
    /// A bare word.
    Word(Name),
    /// A quoted string, its value.
    Text(Name),
    /// A whole number.
    Number(i64, Span),
    /// A number with a fraction.
    Float(f64, Span),
    /// An option, or a value with a type: `int("5")`.
    Call(Call),
    /// `key => value`, as in `values("a" => int("5"))`.
    Pair(Name, Box<Arg>),
    /// A filter expression, in `condition()` and its like.
    Filter(Box<Filter>),
    /// A range of two words: `info..emerg`.
    Range(Name, Name),
    /// A group without a name: parentheses, braces or brackets.
    Group(Vec<Arg>, Span),
}

/// An expression.
#[derive(Clone, PartialEq, Debug)]
pub enum Filter {
    /// All of them.
    And(Vec<Filter>, Span),
    /// One of them.
    Or(Vec<Filter>, Span),
    /// Negation.
    Not(Box<Filter>, Span),
    /// One test.
    Leaf(FilterLeaf, Span),
}

impl Filter {
    /// Returns its span.
    pub fn span(&self) -> Span {
        match self {
            Filter::And(_, span) | Filter::Or(_, span) | Filter::Not(_, span) | Filter::Leaf(_, span) => {
                *span
            }
        }
    }
}

/// One test.
#[derive(Clone, PartialEq, Debug)]
pub enum FilterLeaf {
    /// `facility(...)`.
    Facility(FacilitySet),
    /// `severity(...)`, `level(...)`, `priority(...)`.
    Severity(SeveritySet),
    /// `host()`, `program()`, `message()`, `match()`.
    Match(Match),
    /// `netmask("10.0.0.0/8")`.
    Netmask(Name),
    /// `netmask6("fe80::/10")`.
    Netmask6(Name),
    /// `tags(...)`: one of them.
    Tags(Vec<Name>),
    /// `source(name)`.
    Source(Name),
    /// `in-list("file" value("NAME"))`.
    InList {
        /// The file with one value per line.
        file: Name,
        /// The name-value pair that is looked up.
        value: Name,
    },
    /// `rate-limit(template("...") rate(100))`, also `throttle(...)`.
    RateLimit {
        /// Template whose values are counted separately; without it all messages are counted together.
        key: Option<Name>,
        /// Messages per second.
        rate: u32,
    },
    /// `filter(name)`.
    Named(Name),
    /// `"template" op "template"`.
    Compare(Box<Comparison>),
    /// A test that is known and not run yet.
    Later(Call),
}

/// A set of facilities: bit N is facility N.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct FacilitySet(pub u32);

/// A set of severities: bit N is severity N.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct SeveritySet(pub u8);

/// `left op right`.
#[derive(Clone, PartialEq, Debug)]
pub struct Comparison {
    /// The template on the left.
    pub left: Operand,
    /// The operator, as written: `==` and its like, or `eq` and its like.
    pub operator: Name,
    /// The template on the right.
    pub right: Operand,
}

/// One side of a comparison.
#[derive(Clone, PartialEq, Debug)]
pub struct Operand {
    /// The type of `int("5")`; `None` for a template without one.
    pub cast: Option<Name>,
    /// The template, or a literal.
    pub value: Arg,
}

impl Arg {
    /// Returns its span.
    pub fn span(&self) -> Span {
        match self {
            Arg::Word(name) | Arg::Text(name) => name.span,
            Arg::Number(_, span) | Arg::Float(_, span) | Arg::Group(_, span) => *span,
            Arg::Call(call) => call.span,
            Arg::Pair(key, value) => key.span.to(value.span()),
            Arg::Filter(filter) => filter.span(),
            Arg::Range(first, last) => first.span.to(last.span),
        }
    }

    /// Returns the text of a word or a string.
    pub fn text(&self) -> Option<&str> {
        match self {
            Arg::Word(name) | Arg::Text(name) => Some(&name.text),
            _ => None,
        }
    }
}

impl Call {
    /// Returns the name as a keyword.
    pub fn key(&self) -> String {
        self.name.key()
    }

    /// Returns the options among the arguments.
    pub fn options(&self) -> impl Iterator<Item = &Call> {
        self.args.iter().filter_map(|arg| match arg {
            Arg::Call(call) => Some(call),
            _ => None,
        })
    }

    /// Returns the last option of a name: the one that counts when it is given twice.
    pub fn option(&self, key: &str) -> Option<&Call> {
        self.options().filter(|option| option.key() == key).last()
    }

    /// Returns the arguments that are not options.
    pub fn plain(&self) -> impl Iterator<Item = &Arg> {
        self.args.iter().filter(|arg| !matches!(arg, Arg::Call(_)))
    }

    /// Returns the first argument as text, if it is a word or a string.
    pub fn text(&self) -> Option<&str> {
        self.args.first().and_then(Arg::text)
    }

    /// Returns the first argument as a whole number, written bare or in quotes.
    pub fn number(&self) -> Option<i64> {
        match self.args.first()? {
            Arg::Number(number, _) => Some(*number),
            Arg::Float(number, _) => Some(*number as i64),
            arg => arg.text()?.trim().parse().ok(),
        }
    }

    /// Returns the first argument as a number with a fraction.
    pub fn decimal(&self) -> Option<f64> {
        match self.args.first()? {
            Arg::Number(number, _) => Some(*number as f64),
            Arg::Float(number, _) => Some(*number),
            arg => arg.text()?.trim().parse().ok(),
        }
    }

    /// Returns the first argument as seconds: a number, or one with a unit such as `90d`.
    pub fn age_s(&self) -> Option<u64> {
        match self.args.first()? {
            Arg::Number(seconds, _) => u64::try_from(*seconds).ok(),
            arg => crate::words::age(arg.text()?),
        }
    }

    /// Returns the first argument as yes or no.
    pub fn truth(&self) -> Option<bool> {
        match self.args.first()? {
            Arg::Number(number, _) => Some(*number != 0),
            arg => crate::words::truth(arg.text()?),
        }
    }

    /// Returns all arguments that are words, strings or numbers, as text, also those of a list in brackets.
    pub fn texts(&self) -> Vec<String> {
        let text = |arg: &Arg| match arg {
            Arg::Number(number, _) => Some(number.to_string()),
            Arg::Float(number, _) => Some(number.to_string()),
            arg => arg.text().map(str::to_string),
        };
        let inside = |arg: &'_ Arg| match arg {
            Arg::Group(list, _) => list.iter().filter_map(text).collect(),
            arg => Vec::from_iter(text(arg)),
        };
        self.args.iter().flat_map(inside).collect()
    }
}

#[cfg(test)]
mod tests;
