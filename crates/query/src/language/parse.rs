//! Parses the text of a query into its tree.
//!
//! In: text and the default operator. Out: a tree and hints, or the first error with its position and a remedy.
//! Precedence: NOT, then AND, then OR; clauses side by side are joined by the default operator.
//! Limits: [`TEXT_CHARS_MAX`], [`DEPTH_MAX`], [`NODES_MAX`].

mod clause;
mod cursor;
mod parameter;
mod pipe;
mod range;

use crate::language::{
    error::{Hint, QueryError},
    tree::{Join, Node, NodeKind, NotSign, Operator, Parameter, Pipe},
};
use cursor::Cursor;

/// Longest text of a query, in characters: more than a list of a thousand addresses needs.
pub const TEXT_CHARS_MAX: usize = 65_536;
/// Deepest nesting of groups and negations: each costs stack when the query is read and run.
pub const DEPTH_MAX: usize = 100;
/// Most clauses and groups: each may cost a bitmap per segment.
pub const NODES_MAX: usize = 4_096;

/// A tree, its pipes and hints about it.
#[derive(Clone, Debug)]
pub struct Parsed {
    /// The tree.
    pub tree: Node,
    /// The pipes, in the order in which they are applied.
    pub pipes: Vec<Pipe>,
    /// The parameters, in the order of the text.
    pub parameters: Vec<Parameter>,
    /// Advice, in the order of the text.
    pub hints: Vec<Hint>,
}

/// Parses a query.
pub fn parse(text: &str, default_operator: Operator) -> Result<Parsed, QueryError> {
    let mut parser = Parser {
        cursor: Cursor::new(text),
        default: default_operator,
        depth: 0,
        nodes: 0,
        parameters: Vec::new(),
        hints: Vec::new(),
    };
    if parser.cursor.length() > TEXT_CHARS_MAX {
        let message = format!("the query is longer than {TEXT_CHARS_MAX} characters");
        return Err(QueryError::new(TEXT_CHARS_MAX, 0, message, "ask for less at once"));
    }
    parser.cursor.skip_blanks();
    let tree = match parser.cursor.at_end() || parser.at_pipe() {
        true => Node { place: parser.cursor.place_from(0), kind: NodeKind::Empty },
        false => parser.chain(Operator::Or)?,
    };
    parser.cursor.skip_blanks();
    let pipes = match parser.at_pipe() {
        true => parser.pipes()?,
        false => Vec::new(),
    };
    match parser.cursor.peek() {
        None => Ok(Parsed { tree, pipes, parameters: parser.parameters, hints: parser.hints }),
        Some(_) => Err(parser.unexpected()),
    }
}

struct Parser {
    cursor: Cursor,
    default: Operator,
    depth: usize,
    nodes: usize,
    parameters: Vec<Parameter>,
    hints: Vec<Hint>,
}

impl Parser {
    /// Members joined by `operator`; a single member is returned as it is.
    fn chain(&mut self, operator: Operator) -> Result<Node, QueryError> {
        let start = self.cursor.skip_blanks();
        let first = self.member(operator)?;
        let mut members = vec![(Join::Beside, first)];
        while let Some(join) = self.join(operator)? {
            let member = self.member(operator)?;
            members.push((join, member));
        }
        if members.len() > 1 {
            self.count_node()?;
            let kind = NodeKind::Chain { operator, members };
            return Ok(Node { place: self.cursor.place_from(start), kind });
        }
        Ok(members.remove(0).1)
    }

    fn member(&mut self, operator: Operator) -> Result<Node, QueryError> {
        match operator {
            Operator::Or => self.chain(Operator::And),
            Operator::And => self.unary(),
        }
    }

    /// Skips an operator of this kind, if one follows.
    fn join(&mut self, operator: Operator) -> Result<Option<Join>, QueryError> {
        let start = self.cursor.skip_blanks();
        if self.cursor.at_end() || self.ends_chain() {
            return Ok(None);
        }
        let Some((found, join, length)) = self.operator() else {
            return Ok((operator == self.default).then_some(Join::Beside));
        };
        if found != operator {
            return Ok(None);
        }
        self.cursor.advance(length);
        self.cursor.skip_blanks();
        if self.nothing_follows() || self.operator().is_some() {
            let word = self.cursor.slice(start, start + length);
            let message = format!("{word} has nothing after it");
            let remedy = format!("add a word after it, or write \"{word}\" in quotes to search for it");
            return Err(QueryError::new(start, length, message, remedy));
        }
        Ok(Some(join))
    }

    /// Returns true if the next character ends a chain or cannot be part of one.
    fn ends_chain(&self) -> bool {
        match self.cursor.peek() {
            Some(')' | ']' | '}' | '^' | ':') => true,
            _ => self.at_pipe(),
        }
    }

    /// Returns true if no further clause can follow at the cursor.
    fn nothing_follows(&self) -> bool {
        self.cursor.at_end() || self.cursor.peek() == Some(')') || self.at_pipe()
    }

    fn at_pipe(&self) -> bool {
        self.cursor.peek() == Some('|') && self.cursor.peek_at(1) != Some('|')
    }

    /// The operator at the cursor, how it is written and how long.
    fn operator(&self) -> Option<(Operator, Join, usize)> {
        let cursor = &self.cursor;
        if cursor.starts_with_word("AND") {
            Some((Operator::And, Join::Word, 3))
        } else if cursor.starts_with_word("OR") {
            Some((Operator::Or, Join::Word, 2))
        } else if cursor.starts_with("&&") {
            Some((Operator::And, Join::Symbol, 2))
        } else if cursor.starts_with("||") {
            Some((Operator::Or, Join::Symbol, 2))
        } else {
            None
        }
    }

    fn unary(&mut self) -> Result<Node, QueryError> {
        let start = self.cursor.skip_blanks();
        if let Some((_, _, length)) = self.operator() {
            let word = self.cursor.slice(start, start + length);
            let message = format!("{word} has nothing before it");
            let remedy = format!("add a word before it, or write \"{word}\" in quotes to search for it");
            return Err(QueryError::new(start, length, message, remedy));
        }
        let sign = match self.cursor.peek() {
            Some('!') => Some((Some(NotSign::Bang), 1)),
            Some('-') => Some((Some(NotSign::Minus), 1)),
            Some('+') => Some((None, 1)),
            _ if self.cursor.starts_with_word("NOT") => Some((Some(NotSign::Word), 3)),
            _ => None,
        };
        let Some((sign, length)) = sign else {
            return self.primary();
        };
        self.cursor.advance(length);
        let spaced = self.cursor.skip_blanks() > start + length;
        if self.nothing_follows() {
            let sign = self.cursor.slice(start, start + length);
            let message = format!("{sign} has nothing after it");
            let remedy = format!("add a word after it, or write \"{sign}\" in quotes to search for it");
            return Err(QueryError::new(start, length, message, remedy));
        }
        if spaced && sign == Some(NotSign::Minus) {
            let message =
                "\"-\" leaves out what follows; write the text in quotes to search for it".to_owned();
            self.hints.push(Hint { position: start, length: 1, message });
        }
        self.deeper(start)?;
        let inner = Box::new(self.unary()?);
        self.depth -= 1;
        let kind = match sign {
            Some(sign) => NodeKind::Not { sign, inner },
            None => NodeKind::Must(inner),
        };
        self.count_node()?;
        Ok(Node { place: self.cursor.place_from(start), kind })
    }

    fn deeper(&mut self, start: usize) -> Result<(), QueryError> {
        self.depth += 1;
        if self.depth > DEPTH_MAX {
            let message = format!("the query is nested deeper than {DEPTH_MAX} levels");
            return Err(QueryError::new(start, 1, message, "write it with fewer parentheses"));
        }
        Ok(())
    }

    fn count_node(&mut self) -> Result<(), QueryError> {
        self.nodes += 1;
        if self.nodes > NODES_MAX {
            let message = format!("the query has more than {NODES_MAX} parts");
            return Err(QueryError::new(self.cursor.position(), 0, message, "ask for less at once"));
        }
        Ok(())
    }

    /// Returns the error for a character that cannot start a clause.
    fn unexpected(&self) -> QueryError {
        let at = self.cursor.position();
        let fail = |message: &str, remedy: &str| QueryError::new(at, 1, message, remedy);
        match self.cursor.peek() {
            None => QueryError::new(at, 0, "the query ends too early", "add a word"),
            Some(')') => {
                fail("this ) closes nothing", "remove it, add ( before, or write \\) to search for it")
            }
            Some(c @ (']' | '}')) => fail(
                &format!("this {c} closes nothing"),
                &format!("remove it, or write \\{c} to search for it"),
            ),
            Some('|') if self.depth > 0 => {
                fail("a ) is missing before |", "close the group, or write \\| to search for the character")
            }
            Some('|') => {
                fail("a word is missing before |", "write * before it, or \\| to search for the character")
            }
            Some('~') => {
                fail("~ needs a word or a phrase before it", "write \\~ to search for the character")
            }
            Some('^') => fail("^ needs a word or a group before it", "write \\^ to search for the character"),
            Some(':') => fail(
                "a second : in one clause",
                "write the value in quotes, field:\"a:b\", or \\: to search for the character",
            ),
            Some(c) => fail(&format!("{c} cannot stand here"), &format!("write \\{c} to search for it")),
        }
    }
}

#[cfg(test)]
mod tests;
