//! Lookup tables, written into the configuration.
//!
//! In: `lookup_table(...)` with the file that it names, read once; `set ... = lookup("name", key)`. Out: a chain of
//! conditions, each with its value. Holds: the tables.
//! Limits: [`ROWS_MAX`] rows: a longer table belongs into `add-contextual-data()`. Changes of the file need a new conversion.

use std::collections::BTreeMap;
use std::path::Path;

use super::value;
use crate::parse::quoted;
use crate::rsyslog::file::ReadError;
use crate::rsyslog::refusal::{Converted, Refusal};
use crate::rsyslog::syntax::{Expression, Node, Statement};
use crate::rsyslog::template::property::{self, Needs};
use crate::surroundings::Surroundings;

/// Most rows of a table: they are compared one by one.
const ROWS_MAX: usize = 500;

/// The comparison of keys.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Kind {
    /// The same text.
    Text,
    /// The same number.
    Array,
    /// The largest number that is not above the key.
    SparseArray,
    /// The first expression that matches.
    Regex,
}

/// A table.
#[derive(Clone, Debug)]
struct Table {
    kind: Kind,
    nomatch: String,
    rows: Vec<(String, String)>,
}

impl Table {
    fn read(text: &[u8]) -> Converted<Table> {
        let json: serde_json::Value = serde_json::from_slice(text)
            .map_err(|error| Refusal::malformed(format!("the table is no JSON: {error}")))?;
        let kind = match json["type"].as_str().unwrap_or("string") {
            "string" => Kind::Text,
            "array" => Kind::Array,
            "sparseArray" => Kind::SparseArray,
            "regex" => Kind::Regex,
            other => return Err(Refusal::unsupported_many(format!("tables of type `{other}`"))),
        };
        let word = |value: &serde_json::Value| match value {
            serde_json::Value::String(text) => Some(text.clone()),
            serde_json::Value::Number(number) => Some(number.to_string()),
            _ => None,
        };
        let names = if kind == Kind::Regex { ["regex", "tag"] } else { ["index", "value"] };
        let row = |row: &serde_json::Value| Some((word(&row[names[0]])?, word(&row[names[1]])?));
        let rows = json["table"].as_array().ok_or(Refusal::Incomplete("the table has no rows"))?;
        if rows.len() > ROWS_MAX {
            return Err(Refusal::instead(format!(
                "a table of {} rows belongs into add-contextual-data()",
                rows.len()
            )));
        }
        let mut rows: Vec<(String, String)> = rows
            .iter()
            .map(row)
            .collect::<Option<_>>()
            .ok_or(Refusal::Incomplete("a row of the table lacks its index or value"))?;
        if matches!(kind, Kind::Array | Kind::SparseArray) {
            let is_number = |(index, _): &(String, String)| index.parse::<i64>().is_ok();
            if !rows.iter().all(is_number) {
                return Err(Refusal::malformed("an index of the table is no number"));
            }
            rows.sort_by_key(|(index, _)| std::cmp::Reverse(index.parse::<i64>().unwrap_or_default()));
        }
        Ok(Table { kind, nomatch: word(&json["nomatch"]).unwrap_or_default(), rows })
    }

    /// Returns the filter that is true when a key, given as a template, belongs to an index.
    fn test(&self, key: &str, index: &str) -> String {
        match self.kind {
            Kind::Text => format!("{} eq {}", quoted(key), quoted(&index.replace('$', "$$"))),
            Kind::Array => format!("{} == {index}", quoted(key)),
            Kind::SparseArray => format!("{} >= {index}", quoted(key)),
            Kind::Regex => format!("match({} template({}))", quoted(index), quoted(key)),
        }
    }

    /// Returns the steps that set a value to the entry of a key.
    fn steps(&self, key: &str, name: &str) -> Vec<String> {
        let set = |value: &str| {
            format!("    rewrite {{ set({} value({})); }};", quoted(&value.replace('$', "$$")), quoted(name))
        };
        let mut out = Vec::new();
        for (place, (index, value)) in self.rows.iter().enumerate() {
            let head = if place == 0 { "if" } else { "} elif" };
            out.push(format!("{head} ({}) {{", self.test(key, index)));
            out.push(set(value));
        }
        if out.is_empty() {
            return vec![set(&self.nomatch).trim_start().to_string()];
        }
        out.extend(["} else {".to_string(), set(&self.nomatch), "};".to_string()]);
        out
    }
}

/// All tables.
#[derive(Clone, Default, Debug)]
pub(crate) struct Tables {
    /// By name, or why they cannot be read.
    entries: BTreeMap<String, Converted<Table>>,
}

impl Tables {
    /// Reads all tables, wherever they are defined.
    pub(crate) fn collect(statements: &[Statement], surroundings: &dyn Surroundings) -> Tables {
        let mut tables = Tables::default();
        for statement in statements {
            let Node::Object { kind, parameters, .. } = &statement.node else { continue };
            let mut parameters = parameters.clone();
            let (Some(name), Some(file)) = (parameters.take("name"), parameters.take("file")) else {
                continue;
            };
            if kind == "lookup_table" {
                let bytes = surroundings.read(Path::new(&file));
                let bytes = bytes.map_err(|error| Refusal::File(ReadError::io(Path::new(&file), error)));
                tables.entries.insert(name, bytes.and_then(|bytes| Table::read(&bytes)));
            }
        }
        tables
    }

    /// Returns a note about a definition, or the reason why it cannot be converted.
    pub(crate) fn defined(&self, name: &str) -> Converted<&'static str> {
        match self.entries.get(name) {
            Some(Ok(_)) => Ok("the table is written into the configuration: convert again when it changes"),
            Some(Err(why)) => Err(why.clone()),
            None => Err(Refusal::Incomplete("a table without a name or a file")),
        }
    }

    /// Converts `set variable = lookup("table", key)` to steps. `None`: it is another expression.
    pub(crate) fn looked_up(
        &self,
        variable: &str,
        expression: &Expression,
        needs: &mut Needs,
    ) -> Option<Converted<Vec<String>>> {
        let Expression::Call(function, arguments) = expression else { return None };
        let (true, [Expression::Text(table), key]) = (function == "lookup", arguments.as_slice()) else {
            return None;
        };
        Some(self.lookup(variable, table, key, needs))
    }

    fn lookup(
        &self,
        variable: &str,
        table: &str,
        key: &Expression,
        needs: &mut Needs,
    ) -> Converted<Vec<String>> {
        let name = property::variable(variable)?;
        let table = match self.entries.get(table) {
            Some(table) => table.as_ref().map_err(Clone::clone)?,
            None => return Err(Refusal::undefined("table", table)),
        };
        let key = value::operand(key, needs)?;
        Ok(table.steps(&value::printed(key, needs), &name))
    }
}
