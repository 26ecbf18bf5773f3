//! A file of filters, as `selector(filters("file"))` names one.
//!
//! In: `filter NAME { expression };` and nothing else. Out: the filters in the order of the file; one may use those above
//! it and those of the configuration. Limits: those of the language; expressions are those of `$(if ...)`.

use config::{Memory, tree::Statement};
use pipeline::{
    Definitions, Filter,
    filter::{self, FilterTextError},
};
use std::{fmt, fs, io, path::Path, sync::Arc};

/// The name that the text is read under.
const NAME: &str = "filters.conf";

/// A file of filters that cannot be used.
#[derive(Debug)]
pub(crate) enum FilterFileError {
    Io(io::Error),
    /// The text is not in the language; with the message about the first error.
    Syntax(String),
    /// There is another statement than a filter.
    NotAFilter,
    Filter {
        name: String,
        error: FilterTextError,
    },
}

impl fmt::Display for FilterFileError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            FilterFileError::Io(error) => error.fmt(f),
            FilterFileError::Syntax(message) => f.write_str(message),
            FilterFileError::NotAFilter => f.write_str("only filters may stand there"),
            FilterFileError::Filter { name, error } => write!(f, "filter {name}: {error}"),
        }
    }
}

/// Reads the filters of a file.
pub(crate) fn read(path: &Path, around: &Definitions) -> Result<Vec<(String, Arc<Filter>)>, FilterFileError> {
    let text = fs::read_to_string(path).map_err(FilterFileError::Io)?;
    let has_version = text.lines().any(|line| line.trim_start().starts_with("@version"));
    let whole = if has_version { text } else { format!("@version: current\n{text}") };
    let (tree, report) = config::parse(Path::new(NAME), &Memory::default().file(NAME, whole));
    if let Some(error) = report.errors().next() {
        return Err(FilterFileError::Syntax(error.message.clone()));
    }
    let mut definitions = around.clone();
    let mut filters = Vec::new();
    for statement in &tree.statements {
        let Statement::Filter(named) = statement else { return Err(FilterFileError::NotAFilter) };
        let name = &named.name.text;
        let expression = tree.texts.slice(named.filter.span());
        let expr = filter::parse(expression, &definitions)
            .map_err(|error| FilterFileError::Filter { name: name.clone(), error })?;
        let filter = Arc::new(Filter::new(expr));
        definitions.filters.insert(name.clone(), filter.clone());
        filters.push((name.clone(), filter));
    }
    Ok(filters)
}

#[cfg(test)]
mod tests {
    //! Files of filters, and what is wrong with them.

    use super::*;
    use template::Version;

    /// Checks the names of the filters of a text, or why it has none.
    #[track_caller]
    fn check(text: &str, want: Result<&[&str], &str>) {
        let file = tempfile::NamedTempFile::new().unwrap();
        fs::write(file.path(), text).unwrap();
        let found = read(file.path(), &Definitions::new(Version { major: 4, minor: 8 }));
        let names = found.map(|filters| filters.into_iter().map(|(name, _)| name).collect::<Vec<_>>());
        let names = names.map_err(|error| error.to_string());
        assert_eq!(
            names,
            want.map(|names| names.iter().map(|name| (*name).to_owned()).collect()).map_err(str::to_owned),
            "{text}"
        );
    }

    #[test]
    fn filters_are_read_in_their_order() {
        check("", Ok(&[]));
        check("filter b { host(\"x\"); };\nfilter a { filter(b) and not level(err); };\n", Ok(&["b", "a"]));
        check("@version: 4.8\nfilter a { host(\"x\"); };\n", Ok(&["a"]));
        check("  @version: 4.8\nfilter a { host(\"x\"); };\n", Ok(&["a"]));
        check("log { };", Err("only filters may stand there"));
        check(
            "filter a { filter(b); };\nfilter b { host(\"x\"); };",
            Err("filter a: there is no filter b (byte 7 of the expression)"),
        );
        check(
            "filter a { host(\"(\"); };",
            Err(
                "filter a: regular expression is wrong at byte 1: missing closing parenthesis (byte 5 of the expression)",
            ),
        );
        check("filter a {", Err("expected `}`, found end of the configuration"));
        let error =
            read(Path::new("/nowhere"), &Definitions::new(Version { major: 4, minor: 8 })).unwrap_err();
        assert!(matches!(error, FilterFileError::Io(_)), "{error}");
    }
}
