//! The table of `add-contextual-data()`.
//!
//! In: lines `selector,name,value` as RFC 4180 writes them. Out: the rows of a selector, in the order of the file.
//! A value with `$` is a template. Limits: [`ROWS_MAX`] rows; a line without three columns is an error.

use message::FieldName;
use std::{collections::HashMap, fmt};
use template::{
    Surroundings, Template, TemplateError,
    pattern::{Pattern, PatternError, PatternFlags, PatternKind},
};

/// Most rows of a table.
const ROWS_MAX: usize = 4_000_000;

/// Error in a table.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ContextError {
    /// Line of the file, from 1.
    pub line: usize,
    /// The fault in that line.
    pub fault: RowFault,
}

/// The fault in a row of a table.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum RowFault {
    /// It does not have three columns.
    Columns {
        /// The number that it has.
        count: usize,
    },
    /// The table has [`ROWS_MAX`] rows already.
    TooMany,
    /// A quote has no partner.
    OpenQuote,
    /// Something follows the closing quote of a column.
    AfterQuote,
    /// Its value is not a template.
    Template(TemplateError),
    /// Its selector is not a glob.
    Glob(PatternError),
}

impl fmt::Display for ContextError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}: {}", self.line, self.fault)
    }
}

impl fmt::Display for RowFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            RowFault::Columns { count } => {
                write!(f, "a row is selector,name,value; this one has {count} columns")
            }
            RowFault::TooMany => write!(f, "more than {ROWS_MAX} rows"),
            RowFault::OpenQuote => f.write_str("a quote is not closed"),
            RowFault::AfterQuote => f.write_str("a quoted column ends at its quote"),
            RowFault::Template(error) => error.fmt(f),
            RowFault::Glob(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for ContextError {}

/// Rows by selector.
#[derive(Debug, Default)]
pub struct ContextTable {
    rows: Vec<(FieldName, Template)>,
    by_selector: HashMap<Vec<u8>, Vec<usize>>,
    /// The selectors as globs, in the order of the file; only when they are read so.
    globs: Vec<(Pattern, Vec<u8>)>,
    ignore_case: bool,
}

/// Options for reading a table.
#[derive(Clone, Copy, Debug, Default)]
pub struct ContextReading<'a> {
    /// `prefix()`: put before the names.
    pub prefix: &'a str,
    /// `ignore-case()`: selectors in any case of ASCII letters.
    pub ignore_case: bool,
    /// True when selectors are globs.
    pub globs: bool,
}

impl ContextTable {
    /// Reads a table.
    pub fn parse(
        text: &str,
        reading: ContextReading<'_>,
        around: &dyn Surroundings,
    ) -> Result<ContextTable, ContextError> {
        let mut table = ContextTable { ignore_case: reading.ignore_case, ..ContextTable::default() };
        let mut records = Records { rest: text.strip_prefix('\u{feff}').unwrap_or(text), line: 1 };
        while let Some((line, record)) = records.next() {
            let error = |fault: RowFault| ContextError { line, fault };
            let [selector, name, value] = record.map_err(error)?;
            if table.rows.len() >= ROWS_MAX {
                return Err(error(RowFault::TooMany));
            }
            let name = FieldName::parse(&format!("{}{name}", reading.prefix));
            let value = match value.contains('$') {
                true => Template::parse(&value, around).map_err(|wrong| error(RowFault::Template(wrong)))?,
                false => Template::literal(&value),
            };
            table.add(&selector, name, value, reading).map_err(error)?;
        }
        Ok(table)
    }

    fn add(
        &mut self,
        selector: &str,
        name: FieldName,
        value: Template,
        reading: ContextReading<'_>,
    ) -> Result<(), RowFault> {
        let key = self.key(selector.as_bytes()).into_owned();
        let row = self.rows.len();
        self.rows.push((name, value));
        if reading.globs && !self.by_selector.contains_key(&key) {
            let flags = PatternFlags { ignore_case: self.ignore_case, ..PatternFlags::default() };
            let glob = Pattern::compile(selector, PatternKind::Glob, flags).map_err(RowFault::Glob)?;
            self.globs.push((glob, key.clone()));
        }
        self.by_selector.entry(key).or_default().push(row);
        Ok(())
    }

    fn key<'k>(&self, selector: &'k [u8]) -> std::borrow::Cow<'k, [u8]> {
        match self.ignore_case {
            true => selector.to_ascii_lowercase().into(),
            false => selector.into(),
        }
    }

    pub(super) fn rows(&self, selector: &[u8]) -> &[usize] {
        self.by_selector.get(&*self.key(selector)).map_or(&[], Vec::as_slice)
    }

    pub(super) fn rows_of_glob(&self, text: &[u8]) -> &[usize] {
        let found = self.globs.iter().find(|(glob, _)| glob.is_match(text));
        found.and_then(|(_, key)| self.by_selector.get(key)).map_or(&[], Vec::as_slice)
    }

    pub(super) fn row(&self, row: usize) -> (&FieldName, &Template) {
        let (name, value) = &self.rows[row];
        (name, value)
    }
}

/// The records of a file.
struct Records<'t> {
    rest: &'t str,
    line: usize,
}

impl<'t> Records<'t> {
    /// Reads the line and the three columns of the next record that is not empty.
    fn next(&mut self) -> Option<(usize, Result<[String; 3], RowFault>)> {
        loop {
            self.rest = self.rest.strip_prefix('\r').unwrap_or(self.rest);
            match self.rest.strip_prefix('\n') {
                Some(rest) => {
                    self.rest = rest;
                    self.line += 1;
                }
                None => break,
            }
        }
        if self.rest.is_empty() {
            return None;
        }
        let line = self.line;
        let mut columns = Vec::new();
        loop {
            match self.column() {
                Ok((column, is_last)) => {
                    columns.push(column);
                    if is_last {
                        break;
                    }
                }
                Err(fault) => return Some((line, Err(fault))),
            }
        }
        let count = columns.len();
        let columns = <[String; 3]>::try_from(columns);
        Some((line, columns.map_err(|_| RowFault::Columns { count })))
    }

    /// Reads a column, and returns true with it at the end of the record. The line end is not consumed.
    fn column(&mut self) -> Result<(String, bool), RowFault> {
        let column = match self.rest.strip_prefix('"') {
            Some(body) => self.quoted(body)?,
            None => {
                let end = self.rest.find([',', '\n']).unwrap_or(self.rest.len());
                let (column, rest) = self.rest.split_at(end);
                self.rest = rest;
                column.strip_suffix('\r').unwrap_or(column).to_owned()
            }
        };
        match self.rest.strip_prefix(',') {
            Some(rest) => {
                self.rest = rest;
                Ok((column, false))
            }
            None if self.rest.is_empty() || self.rest.starts_with('\n') => Ok((column, true)),
            None => Err(RowFault::AfterQuote),
        }
    }

    fn quoted(&mut self, body: &'t str) -> Result<String, RowFault> {
        let mut column = String::new();
        let mut rest = body;
        loop {
            let quote = rest.find('"').ok_or(RowFault::OpenQuote)?;
            column.push_str(&rest[..quote]);
            rest = &rest[quote + 1..];
            match rest.strip_prefix('"') {
                Some(after) => {
                    column.push('"');
                    rest = after;
                }
                None => break,
            }
        }
        self.line += column.matches('\n').count();
        self.rest = rest.strip_prefix('\r').unwrap_or(rest);
        Ok(column)
    }
}
