//! A file of filters, as `selector(filters("file"))` names one.
//!
//! In: `filter NAME { expression };` and nothing else. Out: the filters in the order of the file; one may use those above
//! it and those of the configuration. Limits: those of the language; expressions are those of `$(if ...)`.

use config::{Memory, Report, tree::Statement};
use pipeline::{Definitions, Filter, filter};
use std::{path::Path, sync::Arc};

/// The name that the text is read under.
const NAME: &str = "filters.conf";

/// Parses the filters of a file's text. The error has the line if it is known.
pub(crate) fn filters(text: &str, around: &Definitions) -> Result<Vec<(String, Arc<Filter>)>, String> {
    let has_version = text.lines().any(|line| line.trim_start().starts_with("@version"));
    let version = if has_version { String::new() } else { "@version: current\n".to_owned() };
    let whole = format!("{version}{text}");
    let (tree, report) = config::parse(Path::new(NAME), &Memory::default().file(NAME, whole));
    if let Some(error) = first_error(&report) {
        return Err(error);
    }
    let mut definitions = around.clone();
    let mut filters = Vec::new();
    for statement in &tree.statements {
        let Statement::Filter(named) = statement else {
            return Err("only filters may stand there".to_owned());
        };
        let name = &named.name.text;
        let expression = tree.texts.slice(named.filter.span());
        let expr =
            filter::parse(expression, &definitions).map_err(|error| format!("filter {name}: {error}"))?;
        let filter = Arc::new(Filter::new(expr));
        definitions.filters.insert(name.clone(), filter.clone());
        filters.push((name.clone(), filter));
    }
    Ok(filters)
}

fn first_error(report: &Report) -> Option<String> {
    report.errors().next().map(|error| error.message.clone())
}
