//! `index-template()` and `rollover()` of destinations that send documents.
//!
//! In: their options, files of JSON. Out: what is set up in the cluster. Holds: nothing.
//! Limits: a file above [`TEMPLATE_BYTES_MAX`], or one that is no index template, is an error at its place.

use crate::assemble::{
    lowering::Lowering,
    options::{driver::Options, file_text::read_text},
};
use config::{
    Diagnostic, Span,
    tree::{Arg, Call},
};
use serde_json::{Map, Value};
use services::{IndexSetup, Rollover, RolloverTarget};
use std::{fmt, io, time::Duration};

/// Longest file of an index template.
const TEMPLATE_BYTES_MAX: u64 = 1 << 20;
/// Seconds between two questions whether a new index is due.
const CHECK_FREQ: u64 = 60;
/// Options with the conditions, and their names in the request.
const CONDITIONS: [(&str, &str); 4] = [
    ("max-age", "max_age"),
    ("max-size", "max_size"),
    ("max-docs", "max_docs"),
    ("max-primary-shard-size", "max_primary_shard_size"),
];
/// Units of an age, and of a size.
const UNITS_OF_AGE: &[&str] = &["d", "h", "m", "s"];
const UNITS_OF_SIZE: &[&str] = &["b", "kb", "mb", "gb", "tb", "pb"];

impl<'t> Lowering<'t> {
    /// Parses both options. `None` after an error, which is in the report.
    pub(crate) fn index_setup(&mut self, options: &Options<'t>) -> Option<IndexSetup> {
        let mut templates = Vec::new();
        for arg in options.all("index-template").flat_map(|option| &option.args) {
            let Arg::Pair(name, value) = arg else { continue };
            let path = value.text().unwrap_or_default();
            let fault = match (name_fault(&name.text), read_template(path)) {
                (Some(fault), _) => fault.to_owned(),
                (None, Err(fault)) => format!("`{path}`: {fault}"),
                (None, Ok(body)) => {
                    templates.push((name.text.clone(), body));
                    continue;
                }
            };
            self.report.push(Diagnostic::error(name.span, fault));
            return None;
        }
        let rollover = match options.own("rollover") {
            Some(option) => Some(self.rollover(option, &options.nested(option))?),
            None => None,
        };
        Some(IndexSetup { templates, rollover })
    }

    fn rollover(&mut self, option: &'t Call, options: &Options<'t>) -> Option<Rollover> {
        let mut fail = |span: Span, fault: &str, help: &str| {
            self.report.push(Diagnostic::error(span, fault).help(help));
            None
        };
        let target = match (options.own_text("alias"), options.own_text("data-stream")) {
            (Some(name), None) => RolloverTarget::Alias(name),
            (None, Some(name)) => RolloverTarget::DataStream(name),
            _ => {
                return fail(
                    option.span,
                    "`rollover()` needs one of alias() and data-stream()",
                    "alias(\"logs\")",
                );
            }
        };
        if let Some(fault) = name_fault(target.name()) {
            return fail(option.span, fault, "alias(\"logs\")");
        }
        let mut conditions = Map::new();
        for (name, member) in CONDITIONS {
            let Some(call) = options.own(name) else { continue };
            let units = if name == "max-age" { UNITS_OF_AGE } else { UNITS_OF_SIZE };
            let value = match (call.number(), call.text()) {
                (Some(count), _) if name == "max-docs" => Value::from(count),
                (None, Some(text)) if has_unit(text, units) => Value::from(text),
                _ => {
                    return fail(
                        call.span,
                        &format!("`{name}()` is a number and a unit"),
                        &format!("{name}(\"7{}\")", units[0]),
                    );
                }
            };
            conditions.insert(member.to_owned(), value);
        }
        if conditions.is_empty() {
            return fail(
                option.span,
                "`rollover()` needs a condition",
                "max-age(\"7d\") or max-primary-shard-size(\"50gb\")",
            );
        }
        let every = options.number("check-freq").and_then(|seconds| u64::try_from(seconds).ok());
        let conditions = Map::from_iter([("conditions".to_owned(), Value::Object(conditions))]);
        Some(Rollover {
            target,
            conditions: Value::Object(conditions).to_string(),
            every: Duration::from_secs(every.unwrap_or(CHECK_FREQ)),
        })
    }
}

/// Returns what is wrong with the name of a template, an alias or a data stream.
fn name_fault(name: &str) -> Option<&'static str> {
    let is_fit = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || b"-_.".contains(&byte);
    let is_name = name.bytes().all(is_fit)
        && name.starts_with(|first: char| first.is_ascii_alphanumeric() || first == '.');
    (!is_name).then_some(
        "a name here has small letters, digits, `-`, `_` and `.`, and begins with none of `-` and `_`",
    )
}

fn has_unit(text: &str, units: &[&str]) -> bool {
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    (1..=15).contains(&digits) && units.contains(&&text[digits..])
}

/// The reason why a file is no index template.
#[derive(Debug)]
enum TemplateFault {
    Io(io::Error),
    Json(serde_json::Error),
    NoPatterns,
}

impl fmt::Display for TemplateFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            TemplateFault::Io(error) => error.fmt(f),
            TemplateFault::Json(error) => error.fmt(f),
            TemplateFault::NoPatterns => f.write_str("this is no index template: it has no index_patterns"),
        }
    }
}

/// Reads an index template.
fn read_template(path: &str) -> Result<String, TemplateFault> {
    let text = read_text(path, TEMPLATE_BYTES_MAX).map_err(TemplateFault::Io)?;
    let value: Value = serde_json::from_str(&text).map_err(TemplateFault::Json)?;
    value.get("index_patterns").is_some().then_some(text).ok_or(TemplateFault::NoPatterns)
}
