//! `add-contextual-data()`, and the files that its tables are read from.
//!
//! In: calls; files. Out: parsers; a [`TableFile`] for each, which tells when the file has changed.
//! Limits: a table that cannot be read is an error when the configuration is taken; later the old one stays.

use super::{Lowering, ParserCall};
use crate::assemble::parsers::filter_file;
use config::Diagnostic;
use config::tree::{Arg, Call, Name};
use pipeline::{
    Definitions, Parser,
    parser::{Context, ContextReading, ContextTable, Contexts, Selector},
};
use std::{fs, path::PathBuf, sync::Arc, time::SystemTime};

/// Largest table: it is held in memory.
const TABLE_BYTES_MAX: u64 = 1 << 30;

/// A table and the file it comes from.
pub(crate) struct TableFile {
    path: PathBuf,
    prefix: String,
    ignore_case: bool,
    globs: bool,
    definitions: Definitions,
    contexts: Arc<Contexts>,
    /// Time and size of the file when it was read.
    seen: Option<(SystemTime, u64)>,
}

impl TableFile {
    /// The file, for messages.
    pub(crate) fn path(&self) -> &std::path::Path {
        &self.path
    }

    /// Reads the file again when it has changed. None: it has not. On an error the old table stays.
    pub(crate) fn refresh(&mut self) -> Option<Result<(), String>> {
        let now = stamp(&self.path);
        if now == self.seen {
            return None;
        }
        self.seen = now;
        Some(self.read().map(|table| self.contexts.replace(table)))
    }

    fn read(&self) -> Result<ContextTable, String> {
        let size = fs::metadata(&self.path).map_err(|error| error.to_string())?.len();
        if size > TABLE_BYTES_MAX {
            return Err(format!("{size} bytes are more than {TABLE_BYTES_MAX}"));
        }
        let text = fs::read_to_string(&self.path).map_err(|error| error.to_string())?;
        let reading =
            ContextReading { prefix: &self.prefix, ignore_case: self.ignore_case, globs: self.globs };
        ContextTable::parse(&text, reading, &self.definitions).map_err(|error| error.to_string())
    }
}

fn stamp(path: &std::path::Path) -> Option<(SystemTime, u64)> {
    let data = fs::metadata(path).ok()?;
    Some((data.modified().ok()?, data.len()))
}

impl<'t> Lowering<'t> {
    pub(super) fn contextual_data(&mut self, parser: ParserCall<'t>) -> Option<Arc<dyn Parser>> {
        let options = parser.options;
        let selector = self.selector(options.own("selector")?)?;
        let database = options.own("database")?;
        let contexts = Arc::new(Contexts::default());
        let mut file = TableFile {
            path: options.own_text("database")?.into(),
            prefix: options.own_text("prefix").unwrap_or_default(),
            ignore_case: options.yes("ignore-case", false),
            globs: matches!(selector, Selector::Glob(_)),
            definitions: self.definitions.clone(),
            contexts: contexts.clone(),
            seen: None,
        };
        if file.path.extension().is_none_or(|extension| extension != "csv") {
            self.wrong(database, "a database is a file whose name ends in .csv");
            return None;
        }
        if self.environment.looks_up {
            if let Some(Err(error)) = file.refresh() {
                self.wrong(database, format!("cannot use `{}`: {error}", file.path.display()));
                return None;
            }
            if file.seen.is_none() {
                self.wrong(database, format!("cannot read `{}`", file.path.display()));
                return None;
            }
        }
        self.tables.push(file);
        let default = options.own_text("default-selector");
        Some(Arc::new(Context { selector, default, contexts }))
    }

    /// `selector("$HOST")`, `selector(glob("$HOST"))`, `selector(filters("file"))`.
    fn selector(&mut self, option: &'t Call) -> Option<Selector> {
        if let Some(filters) = option.option("filters") {
            return self.filters_of_file(filters).map(Selector::Filters);
        }
        let (glob, written) = match option.option("glob") {
            Some(glob) => (true, glob),
            None => (false, option),
        };
        let Some(arg) = written.args.first().filter(|arg| arg.text().is_some()) else {
            self.wrong(option, "a selector is a template, glob(template) or filters(file)");
            return None;
        };
        let template = self.template_or_named(&name(arg))?;
        Some(if glob { Selector::Glob(template) } else { Selector::Text(template) })
    }

    /// The filters of a file, in its order.
    fn filters_of_file(&mut self, option: &'t Call) -> Option<Vec<(String, Arc<pipeline::Filter>)>> {
        let path = option.text().unwrap_or_default();
        if !self.environment.looks_up {
            return Some(Vec::new());
        }
        let read = fs::read_to_string(path).map_err(|error| error.to_string());
        match read.and_then(|text| filter_file::filters(&text, &self.definitions)) {
            Ok(filters) => Some(filters),
            Err(error) => {
                self.report.push(Diagnostic::error(option.span, format!("cannot use `{path}`: {error}")));
                None
            }
        }
    }
}

fn name(arg: &Arg) -> Name {
    Name { text: arg.text().unwrap_or_default().to_owned(), span: arg.span() }
}
