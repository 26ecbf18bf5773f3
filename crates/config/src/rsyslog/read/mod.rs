//! rsyslog's three languages to a tree: selectors, `$` directives, RainerScript.
//!
//! In: a file, and the files that it includes. Out: [`Statement`]s in reading order; what cannot be read is one of
//! them, with the reason.
//! Limits: those of our own language: depth of includes and of nesting, size of files.

mod cursor;
mod expression;
mod legacy;
mod object;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::syntax::{Node, Place, Statement, Test};
use crate::limits::{FILE_BYTES_MAX, INCLUDE_DEPTH_MAX, NESTING_MAX};
use crate::surroundings::Surroundings;
use cursor::Cursor;

/// A description of what was expected at the position of the reader.
#[derive(Debug)]
pub(super) struct BadSyntax(String);

impl BadSyntax {
    fn new(wanted: &str) -> Self {
        BadSyntax(format!("cannot be read: expected {wanted}"))
    }
}

type Parsed<T> = Result<T, BadSyntax>;

/// Most statements of one configuration: bounds what includes of includes can make.
const STATEMENTS_MAX: usize = 200_000;

/// Reads a file and what it includes.
pub(super) fn read(path: &Path, surroundings: &dyn Surroundings) -> Result<Vec<Statement>, String> {
    let text = file(path, surroundings)?;
    let folder = path.parent().map(Path::to_path_buf).unwrap_or_default();
    let mut count = 0;
    let name: Arc<str> = path.display().to_string().into();
    Ok(Reader::new(&text, name, surroundings, folder, 0, &mut count).statements(false))
}

/// Reads a string in double quotes at the start of a text. Returns it and the rest.
pub(super) fn quoted(text: &str) -> Option<(String, &str)> {
    let mut cursor = Cursor::new(text.trim_start());
    let value = cursor.string().ok()?;
    Some((value, cursor.rest()))
}

fn file(path: &Path, surroundings: &dyn Surroundings) -> Result<String, String> {
    let bytes =
        surroundings.read(path).map_err(|error| format!("cannot read `{}`: {error}", path.display()))?;
    if bytes.len() > FILE_BYTES_MAX {
        return Err(format!("`{}` has more than {FILE_BYTES_MAX} bytes", path.display()));
    }
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

struct Reader<'a> {
    cursor: Cursor<'a>,
    name: Arc<str>,
    surroundings: &'a dyn Surroundings,
    folder: PathBuf,
    includes: usize,
    nesting: usize,
    /// Operators of the expression being read.
    pairs: usize,
    count: &'a mut usize,
}

impl<'a> Reader<'a> {
    fn new(
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

    fn place(&self) -> Place {
        Place { file: self.name.clone(), line: self.cursor.line() }
    }

    /// Statements up to the end, or up to and with a closing brace.
    fn statements(&mut self, in_block: bool) -> Vec<Statement> {
        let mut statements: Vec<Statement> = Vec::new();
        loop {
            self.cursor.skip_blank();
            while self.cursor.take(";") {
                self.cursor.skip_blank();
            }
            if in_block && self.cursor.take("}") {
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
                Err(BadSyntax(why)) => {
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
    fn same_again(&mut self, statements: &mut Vec<Statement>, place: Place, words: String) {
        self.cursor.skip_spaces();
        let actions = self.block().unwrap_or_else(|BadSyntax(why)| {
            self.cursor.logical_line();
            vec![Statement { place: place.clone(), words: words.clone(), node: Node::Refused(why) }]
        });
        let last = statements.last_mut();
        // Without the statement above it the action would take every message.
        let is_orphan = last.as_ref().is_none_or(|last| !last.node.is_rule());
        if is_orphan {
            let node = Node::Refused("`&` repeats the filter above, which cannot be used".to_string());
            statements.push(Statement { place, words, node });
            return;
        }
        match last.and_then(|last| last.node.last_branch()) {
            Some(branch) => branch.extend(actions),
            None => statements.extend(actions),
        }
    }

    /// Reads one statement. `None`: it was an include, whose statements were added.
    fn statement(&mut self, statements: &mut Vec<Statement>) -> Parsed<Option<Node>> {
        let first = self.cursor.peek().unwrap_or_default();
        Ok(Some(match first {
            '$' => {
                let line = self.cursor.logical_line();
                let (name, value) = line[1..].split_once([' ', '\t']).unwrap_or((&line[1..], ""));
                if name.eq_ignore_ascii_case("IncludeConfig") {
                    return Ok(self.include(value.trim(), false, statements));
                }
                Node::Directive { name: name.to_string(), value: value.trim().to_string() }
            }
            ':' if legacy::is_property_filter(self.cursor.rest()) => self.property_filter()?,
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
                return Err(BadSyntax("`}` without `{`".to_string()));
            }
            _ if legacy::is_selector(self.cursor.rest()) => self.selector()?,
            _ => return self.word_statement(statements),
        }))
    }

    /// Reads a statement that starts with a word, or a legacy action.
    fn word_statement(&mut self, statements: &mut Vec<Statement>) -> Parsed<Option<Node>> {
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
                Node::Refused("the ruleset to call is only known at run time".to_string())
            }
            "foreach" => {
                self.skip_to_block()?;
                self.block()?;
                Node::Refused(
                    "there are no loops; lists are handled by template functions such as $(map)".to_string(),
                )
            }
            "include" if after.starts_with('(') => return self.include_object(statements),
            _ if after.starts_with('(') && object::is_object(&word) => self.object(&word)?,
            _ => Node::Legacy(self.legacy_action()?),
        }))
    }

    /// Reads the statements that a filter guards: a block in braces, or one statement.
    fn block(&mut self) -> Parsed<Vec<Statement>> {
        self.cursor.skip_blank();
        if self.cursor.take("{") {
            return self.deeper(|reader| Ok(reader.statements(true)));
        }
        let (place, words) = (self.place(), self.cursor.line_text());
        let mut statements = Vec::new();
        if let Some(node) = self.deeper(|reader| reader.action(&mut statements))? {
            statements.push(Statement { place, words, node });
        }
        Ok(statements)
    }

    /// Reads one statement after a filter: a line that does not start with a word of RainerScript is a legacy action.
    fn action(&mut self, statements: &mut Vec<Statement>) -> Parsed<Option<Node>> {
        if self.cursor.take("~") {
            return Ok(Some(Node::Stop));
        }
        match self.cursor.peek() {
            Some(first) if first.is_ascii_alphabetic() => self.word_statement(statements),
            Some(_) => Ok(Some(Node::Legacy(self.legacy_action()?))),
            None => Err(BadSyntax::new("an action")),
        }
    }

    /// Reads a condition after `if`.
    fn condition(&mut self) -> Parsed<Node> {
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
    fn deeper<T>(&mut self, read: impl FnOnce(&mut Self) -> Parsed<T>) -> Parsed<T> {
        if self.nesting >= NESTING_MAX {
            self.cursor.advance(usize::MAX / 2);
            return Err(BadSyntax(format!("this is nested more than {NESTING_MAX} levels deep")));
        }
        self.nesting += 1;
        let result = read(self);
        self.nesting -= 1;
        result
    }

    fn skip_to_block(&mut self) -> Parsed<()> {
        match self.cursor.rest().find('{') {
            Some(at) => {
                self.cursor.advance(at);
                Ok(())
            }
            None => Err(BadSyntax::new("`{`")),
        }
    }

    fn end_of_statement(&mut self) {
        self.cursor.skip_blank();
        self.cursor.take(";");
    }

    /// Reads the files that an include names, here. A pattern that matches nothing is not an error.
    fn include(&mut self, written: &str, optional: bool, statements: &mut Vec<Statement>) -> Option<Node> {
        if self.includes >= INCLUDE_DEPTH_MAX {
            return Some(Node::Refused(format!("files are included {INCLUDE_DEPTH_MAX} levels deep")));
        }
        let path = self.folder.join(written.trim_matches('"'));
        let pattern = path.display().to_string();
        let paths = if pattern.contains(['*', '?', '[']) {
            self.surroundings.glob(&pattern)
        } else if self.surroundings.is_folder(&path) {
            let names = self.surroundings.folder(&path).unwrap_or_default();
            names.iter().filter(|name| !name.starts_with('.')).map(|name| path.join(name)).collect()
        } else if !self.surroundings.exists(&path) {
            return (!optional).then(|| Node::Refused(format!("included file `{pattern}` does not exist")));
        } else {
            vec![path]
        };
        for path in paths {
            let included = match file(&path, self.surroundings) {
                Ok(text) => {
                    let name: Arc<str> = path.display().to_string().into();
                    let (surroundings, folder) = (self.surroundings, self.folder.clone());
                    Reader::new(&text, name, surroundings, folder, self.includes + 1, self.count)
                        .statements(false)
                }
                Err(why) => {
                    vec![Statement { place: self.place(), words: pattern.clone(), node: Node::Refused(why) }]
                }
            };
            statements.extend(included);
        }
        None
    }
}
