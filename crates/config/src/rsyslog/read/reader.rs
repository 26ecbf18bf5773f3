//! The reader of statements.
//!
//! In: a file, and the files that it includes. Out: [`Statement`]s in reading order; what cannot be read is one of
//! them, with the reason.
//! Holds: the position in each file being read.
//! Limits: depth of includes and of nesting, number of statements.

use std::path::PathBuf;
use std::sync::Arc;

use super::cursor::Cursor;
use super::line;
use crate::limits::{INCLUDE_DEPTH_MAX, NESTING_MAX};
use crate::rsyslog::file;
use crate::rsyslog::refusal::{Converted, Refusal};
use crate::rsyslog::syntax::{FileLine, Node, Statement, Test};
use crate::surroundings::Surroundings;

/// Most statements of one configuration: bounds what includes of includes can make.
const STATEMENTS_MAX: usize = 200_000;

/// The end of a list of statements.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum End {
    /// The end of the file.
    File,
    /// A closing brace.
    Brace,
}

/// The meaning of an include whose file does not exist.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Missing {
    /// It is left out, with the reason.
    Refused,
    /// It is empty.
    Empty,
}

/// The state of reading one file.
pub(super) struct Reader<'a> {
    pub(super) cursor: Cursor<'a>,
    pub(super) name: Arc<str>,
    pub(super) surroundings: &'a dyn Surroundings,
    pub(super) folder: PathBuf,
    pub(super) includes: usize,
    pub(super) nesting: usize,
    /// Operators of the expression being read.
    pub(super) pairs: usize,
    pub(super) count: &'a mut usize,
}

impl<'a> Reader<'a> {
    pub(super) fn new(
        text: &'a str,
        name: Arc<str>,
        surroundings: &'a dyn Surroundings,
        folder: PathBuf,
        includes: usize,
        count: &'a mut usize,
    ) -> Self {
        Reader {
            cursor: Cursor::new(text),
            name,
            surroundings,
            folder,
            includes,
            nesting: 0,
            pairs: 0,
            count,
        }
    }

    pub(super) fn place(&self) -> FileLine {
        FileLine { file: self.name.clone(), line: self.cursor.line() }
    }

    /// Reads statements up to the end, or up to and with a closing brace.
    pub(super) fn statements(&mut self, end: End) -> Vec<Statement> {
        let mut statements: Vec<Statement> = Vec::new();
        loop {
            self.cursor.skip_blank();
            while self.cursor.take(";") {
                self.cursor.skip_blank();
            }
            if end == End::Brace && self.cursor.take("}") {
                return statements;
            }
            if self.cursor.peek().is_none() || *self.count >= STATEMENTS_MAX {
                return statements;
            }
            *self.count += 1;
            let (place, words) = (self.place(), self.cursor.line_text());
            if self.cursor.take("&") {
                self.same_again(&mut statements, place, words);
                continue;
            }
            let before = self.cursor.rest().len();
            match self.statement(&mut statements) {
                Ok(Some(node)) => statements.push(Statement { place, words, node }),
                Ok(None) => {}
                Err(why) => {
                    self.cursor.logical_line();
                    statements.push(Statement { place, words, node: Node::Refused(why) });
                }
            }
            if self.cursor.rest().len() == before {
                self.cursor.next();
            }
        }
    }

    /// Adds the action of `& action` to the filter above.
    pub(super) fn same_again(&mut self, statements: &mut Vec<Statement>, place: FileLine, words: String) {
        self.cursor.skip_spaces();
        let actions = self.block().unwrap_or_else(|why| {
            self.cursor.logical_line();
            vec![Statement { place: place.clone(), words: words.clone(), node: Node::Refused(why) }]
        });
        let last = statements.last_mut();
        // Without the statement above it the action would take every message.
        let is_orphan = last.as_ref().is_none_or(|last| !last.node.is_rule());
        if is_orphan {
            let node = Node::Refused(Refusal::instead("`&` repeats the filter above, which cannot be used"));
            statements.push(Statement { place, words, node });
            return;
        }
        match last.and_then(|last| last.node.last_branch()) {
            Some(branch) => branch.extend(actions),
            None => statements.extend(actions),
        }
    }

    /// Reads one statement. `None`: it was an include, whose statements were added.
    pub(super) fn statement(&mut self, statements: &mut Vec<Statement>) -> Converted<Option<Node>> {
        let first = self.cursor.peek().unwrap_or_default();
        Ok(Some(match first {
            '$' => {
                let line = self.cursor.logical_line();
                let (name, value) = line[1..].split_once([' ', '\t']).unwrap_or((&line[1..], ""));
                if name.eq_ignore_ascii_case("IncludeConfig") {
                    return Ok(self.include(value.trim(), Missing::Refused, statements));
                }
                Node::Directive { name: name.to_string(), value: value.trim().to_string() }
            }
            ':' if line::is_property_filter(self.cursor.rest()) => self.property_filter()?,
            '!' | '+' => Node::Tag(self.cursor.logical_line()),
            '-' if !self.cursor.rest().starts_with("-/") && !self.cursor.rest().starts_with("-?") => {
                Node::Tag(self.cursor.logical_line())
            }
            '{' => {
                let then = self.block()?;
                Node::If { test: Test::Selector("*.*".to_string()), then, otherwise: Vec::new() }
            }
            '}' => {
                self.cursor.next();
                return Err(Refusal::malformed("`}` without `{`"));
            }
            _ if line::is_selector(self.cursor.rest()) => self.selector()?,
            _ => return self.word_statement(statements),
        }))
    }

    /// Reads a statement that starts with a word, or a legacy action.
    pub(super) fn word_statement(&mut self, statements: &mut Vec<Statement>) -> Converted<Option<Node>> {
        let word = self.cursor.peek_name().to_ascii_lowercase();
        let after = self.cursor.rest().get(word.len()..).unwrap_or_default().trim_start();
        Ok(Some(match word.as_str() {
            "if" => {
                self.cursor.advance(word.len());
                self.deeper(Self::condition)?
            }
            "set" | "reset" => {
                self.cursor.advance(word.len());
                self.set()?
            }
            "unset" => {
                self.cursor.advance(word.len());
                self.cursor.skip_blank();
                let variable = self.variable()?;
                self.end_of_statement();
                Node::Unset(variable)
            }
            "stop" | "continue" => {
                self.cursor.advance(word.len());
                if word == "stop" { Node::Stop } else { Node::Continue }
            }
            "call" => {
                self.cursor.advance(word.len());
                self.cursor.skip_blank();
                let is_quoted = matches!(self.cursor.peek(), Some('"' | '\''));
                let name = if is_quoted { self.cursor.string()? } else { self.cursor.name().to_string() };
                Node::Call(name)
            }
            "call_indirect" => {
                self.cursor.logical_line();
                Node::Refused(Refusal::instead("the ruleset to call is only known at run time"))
            }
            "foreach" => {
                self.skip_to_block()?;
                self.block()?;
                Node::Refused(Refusal::instead(
                    "there are no loops; lists are handled by template functions such as $(map)",
                ))
            }
            "include" if after.starts_with('(') => return self.include_object(statements),
            _ if after.starts_with('(') && line::is_object(&word) => self.object(&word)?,
            _ => Node::Legacy(self.legacy_action()?),
        }))
    }

    /// Reads the statements that a filter guards: a block in braces, or one statement.
    pub(super) fn block(&mut self) -> Converted<Vec<Statement>> {
        self.cursor.skip_blank();
        if self.cursor.take("{") {
            return self.deeper(|reader| Ok(reader.statements(End::Brace)));
        }
        let (place, words) = (self.place(), self.cursor.line_text());
        let mut statements = Vec::new();
        if let Some(node) = self.deeper(|reader| reader.action(&mut statements))? {
            statements.push(Statement { place, words, node });
        }
        Ok(statements)
    }

    /// Reads one statement after a filter: a line that does not start with a word of RainerScript is a legacy action.
    pub(super) fn action(&mut self, statements: &mut Vec<Statement>) -> Converted<Option<Node>> {
        if self.cursor.take("~") {
            return Ok(Some(Node::Stop));
        }
        match self.cursor.peek() {
            Some(first) if first.is_ascii_alphabetic() => self.word_statement(statements),
            Some(_) => Ok(Some(Node::Legacy(self.legacy_action()?))),
            None => Err(Refusal::expected("an action")),
        }
    }

    /// Reads a condition after `if`.
    pub(super) fn condition(&mut self) -> Converted<Node> {
        let test = self.test()?;
        self.cursor.skip_blank();
        if self.cursor.peek_name().eq_ignore_ascii_case("then") {
            self.cursor.advance(4);
        }
        let then = self.block()?;
        self.cursor.skip_blank();
        let mut otherwise = Vec::new();
        if self.cursor.peek_name().eq_ignore_ascii_case("else") {
            self.cursor.advance(4);
            otherwise = self.block()?;
        }
        Ok(Node::If { test, then, otherwise })
    }

    /// Reads something one level deeper.
    pub(super) fn deeper<T>(&mut self, read: impl FnOnce(&mut Self) -> Converted<T>) -> Converted<T> {
        if self.nesting >= NESTING_MAX {
            self.cursor.advance(usize::MAX / 2);
            return Err(Refusal::too_large(format!("this is nested more than {NESTING_MAX} levels deep")));
        }
        self.nesting += 1;
        let result = read(self);
        self.nesting -= 1;
        result
    }

    pub(super) fn skip_to_block(&mut self) -> Converted<()> {
        match self.cursor.rest().find('{') {
            Some(at) => {
                self.cursor.advance(at);
                Ok(())
            }
            None => Err(Refusal::expected("`{`")),
        }
    }

    pub(super) fn end_of_statement(&mut self) {
        self.cursor.skip_blank();
        self.cursor.take(";");
    }

    /// Reads the files that an include names, here. A pattern that matches nothing is not an error.
    pub(super) fn include(
        &mut self,
        written: &str,
        missing: Missing,
        statements: &mut Vec<Statement>,
    ) -> Option<Node> {
        if self.includes >= INCLUDE_DEPTH_MAX {
            return Some(Node::Refused(Refusal::too_large(format!(
                "files are included {INCLUDE_DEPTH_MAX} levels deep"
            ))));
        }
        let path = self.folder.join(written.trim_matches('"'));
        let pattern = path.display().to_string();
        let paths = if pattern.contains(['*', '?', '[']) {
            self.surroundings.glob(&pattern)
        } else if self.surroundings.is_folder(&path) {
            let names = self.surroundings.folder(&path).unwrap_or_default();
            names.iter().filter(|name| !name.starts_with('.')).map(|name| path.join(name)).collect()
        } else if !self.surroundings.exists(&path) {
            return (missing == Missing::Refused).then(|| {
                Node::Refused(Refusal::malformed(format!("included file `{pattern}` does not exist")))
            });
        } else {
            vec![path]
        };
        for path in paths {
            let included = match file::text(&path, self.surroundings) {
                Ok(text) => {
                    let name: Arc<str> = path.display().to_string().into();
                    let (surroundings, folder) = (self.surroundings, self.folder.clone());
                    Reader::new(&text, name, surroundings, folder, self.includes + 1, self.count)
                        .statements(End::File)
                }
                Err(error) => {
                    let node = Node::Refused(Refusal::File(error));
                    vec![Statement { place: self.place(), words: pattern.clone(), node }]
                }
            };
            statements.extend(included);
        }
        None
    }
}
