//! `add-contextual-data()` and `geoip2()`.
//!
//! In: calls. Out: parsers, and a [`TableFile`] for each table, which notices when its file changes; `lookups` has the databases that
//! are servers. Limits: a table that
//! cannot be read is an error when the configuration is applied; later the old one stays in use.

use super::{calls::ParserCall, filter_file};
use crate::assemble::{
    lowering::Lowering,
    parts::table_file::{ContextFile, TableFile},
};
use config::tree::{Arg, Call, Name};
use config::{Diagnostic, Span};
use pipeline::{
    Parser,
    parser::{Context, Contexts, Geoip, Input, Selector},
};
use std::{
    path::{Path, PathBuf},
    sync::Arc,
};
use template::geo::GeoDatabase;

impl<'t> Lowering<'t> {
    pub(crate) fn contextual_data(&mut self, parser: ParserCall<'t>) -> Option<Arc<dyn Parser>> {
        let options = parser.options;
        let selector = self.selector(options.own("selector")?)?;
        let database = options.own("database")?;
        if let Some(server) = database.options().last() {
            return self.lookup(parser, server, selector);
        }
        self.warn_of_file(&options);
        let path = self.beside_configuration(PathBuf::from(options.own_text("database")?));
        if path.extension().is_none_or(|extension| extension != "csv") {
            self.report_option(database, "a database is a file whose name ends in .csv");
            return None;
        }
        let contexts = Arc::new(Contexts::default());
        let file = ContextFile {
            prefix: options.own_text("prefix").unwrap_or_default(),
            ignore_case: options.is_yes("ignore-case"),
            globs: matches!(selector, Selector::Glob(_)),
            definitions: self.definitions.clone(),
            contexts: contexts.clone(),
        };
        self.table(database, TableFile::contexts(path, file))?;
        let default = options.own_text("default-selector");
        Some(Arc::new(Context { selector, default, contexts }))
    }

    /// Returns the path of a table. A relative one that is not below the working folder is searched in the folder of
    /// the configuration, where syslog-ng has the tables of `add-contextual-data()`. A check searches no files.
    fn beside_configuration(&self, path: PathBuf) -> PathBuf {
        if !self.environment.looks_up || path.is_absolute() || path.exists() {
            return path;
        }
        let files = self.tree.texts.files();
        let beside = files.first().and_then(|main| Path::new(main).parent()).map(|folder| folder.join(&path));
        beside.filter(|beside| beside.exists()).unwrap_or(path)
    }

    pub(crate) fn geoip_parser(&mut self, parser: ParserCall<'t>) -> Option<Arc<dyn Parser>> {
        let options = parser.options;
        let input = match options.call.plain().next() {
            Some(arg) => Input::of(self.template_or_named(&name(arg))?),
            None => self.parser_input(parser)?,
        };
        let database = Arc::new(GeoDatabase::default());
        let path = PathBuf::from(options.own_text("database")?);
        let file = TableFile::geo(path, database.clone());
        self.table(options.own("database")?, file)?;
        let prefix = options.own_text("prefix").unwrap_or_else(|| ".geoip2.".to_owned());
        Some(Arc::new(Geoip { input, prefix, database }))
    }

    /// Collects the databases that `$(geoip2)` uses.
    pub(crate) fn template_databases(&mut self) {
        for (path, database) in self.definitions.geo.all() {
            let mut file = TableFile::geo(path.into(), database);
            let read = if self.environment.looks_up { file.load() } else { Ok(()) };
            if let Err(error) = read {
                let message = format!("$(geoip2): cannot use `{}`: {error}", file.path().display());
                self.report.push(Diagnostic::error(Span::default(), message));
            }
            self.tables.push(file);
        }
    }

    /// Reads a file for the first time, and registers it for changes.
    fn table(&mut self, option: &'t Call, mut file: TableFile) -> Option<()> {
        if self.environment.looks_up
            && let Err(error) = file.load()
        {
            self.report_option(option, format!("cannot use `{}`: {error}", file.path().display()));
            return None;
        }
        self.tables.push(file);
        Some(())
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
            self.report_option(option, "a selector is a template, glob(template) or filters(file)");
            return None;
        };
        let template = self.template_or_named(&name(arg))?;
        Some(if glob { Selector::Glob(template) } else { Selector::Text(template) })
    }

    /// Returns the filters of a file, in its order.
    fn filters_of_file(&mut self, option: &'t Call) -> Option<Vec<(String, Arc<pipeline::Filter>)>> {
        if !self.environment.looks_up {
            return Some(Vec::new());
        }
        let path = self.beside_configuration(PathBuf::from(option.text().unwrap_or_default()));
        match filter_file::read(&path, &self.definitions) {
            Ok(filters) => Some(filters),
            Err(error) => {
                self.report_option(option, format!("cannot use `{}`: {error}", path.display()));
                None
            }
        }
    }
}

fn name(arg: &Arg) -> Name {
    Name { text: arg.text().unwrap_or_default().to_owned(), span: arg.span() }
}
