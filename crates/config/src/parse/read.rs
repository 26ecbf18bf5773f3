//! Reads a whole configuration.
//!
//! In: the path of a file. Out: its tree and the report; with [`preprocess`], also its text with everything expanded.
//! Holds: nothing between calls.

use std::collections::BTreeMap;
use std::path::Path;

use super::parser::Parser;
use super::record::Record;
use crate::diagnostic::{Diagnostic, Report};
use crate::lexer::Lexer;
use crate::surroundings::Surroundings;
use crate::tree::{Tree, Version};

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
    let mut parser = Parser {
        lexer,
        ahead: None,
        blocks: BTreeMap::new(),
        applications: Vec::new(),
        nesting: 0,
        record,
        object: None,
        unread: Vec::new(),
    };
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
