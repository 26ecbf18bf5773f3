//! Reads a whole configuration, or one standalone filter expression.
//!
//! In: the path of a file. Out: its tree and the report; with [`preprocess`], also its text with everything expanded.
//! In: `facility(local3) and "$PID" eq "1"`, the condition of `$(if ...)`, of a rule or of a tap. Out: a [`Filter`]
//! whose positions are bytes of the text; it has no blocks, defines and includes.
//! Holds: nothing between calls.

use std::fmt;
use std::path::Path;

use super::parser::Parser;
use super::record::Record;
use crate::diagnostic::{Diagnostic, Report};
use crate::lexer::Lexer;
use crate::surroundings::{Memory, Surroundings};
use crate::tree::{Filter, Tree, Version};

/// Reads a configuration with all that it includes. The report has every error of the language, but not those of
/// meaning: see [`crate::check()`].
pub fn parse(path: &Path, surroundings: &dyn Surroundings) -> (Tree, Report) {
    let (tree, report, _) = read(path, surroundings, None);
    (tree, report)
}

/// Does the work of [`parse`], and returns the configuration as one text, with includes, blocks and backticks replaced.
pub fn preprocess(path: &Path, surroundings: &dyn Surroundings) -> (Tree, Report, String) {
    let (tree, report, record) = read(path, surroundings, Some(Record::default()));
    let text = record.unwrap_or_default().text(&tree);
    (tree, report, text)
}

fn read(
    path: &Path,
    surroundings: &dyn Surroundings,
    record: Option<Record>,
) -> (Tree, Report, Option<Record>) {
    let mut lexer = Lexer::new(surroundings);
    let opened = lexer.open(path);
    let mut parser = Parser::new(lexer, record);
    let start = parser.lexer.here();
    let statements = if opened { parser.statements() } else { Vec::new() };
    if opened && parser.lexer.version.is_none() {
        parser.lexer.report.push(
            Diagnostic::error(start, "the configuration does not say its version")
                .help(format!("start the file with `@version: {}`", Version::CURRENT)),
        );
    }
    let Lexer { texts, report, defines, version, modules, includes, .. } = parser.lexer;
    let tree = Tree { texts, version, defines, modules, includes, statements, unread: parser.unread };
    (tree, report, parser.record)
}

/// A fault in an expression.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ExpressionError {
    /// The byte of the text at which it is wrong.
    pub offset: usize,
    /// The fault at that place.
    pub reason: String,
}

impl fmt::Display for ExpressionError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{} (byte {} of the expression)", self.reason, self.offset)
    }
}

impl std::error::Error for ExpressionError {}

/// Reads an expression.
pub fn parse_filter(text: &str) -> Result<Filter, ExpressionError> {
    let surroundings = Memory::default();
    let mut parser = Parser::new(Lexer::new(&surroundings), None);
    parser.lexer.open_expression(text);
    let filter = parser.filter_expression();
    if filter.is_ok() && !parser.at_end() {
        parser.unexpected("`and`, `or` or the end");
    }
    let first = parser.lexer.report.errors().next();
    match (filter, first) {
        (Ok(filter), None) => Ok(filter),
        (_, Some(error)) => {
            // The parser speaks of a configuration; here its text is an expression.
            let mut reason = error.message.replace("end of the configuration", "the end of the expression");
            if error.label.starts_with("did you mean") {
                reason = format!("{reason}; {}", error.label);
            }
            Err(ExpressionError { offset: error.span.start as usize, reason })
        }
        (Err(_), None) => Err(ExpressionError { offset: 0, reason: "cannot be read".to_owned() }),
    }
}
