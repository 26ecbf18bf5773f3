//! Parsers by patterns: databases.
//!
//! In: calls. Out: parsers. Limits: a database that cannot be read is a warning, as in syslog-ng: nothing is classified
//! until it can be read.

use super::{Lowering, ParserCall};
use crate::assemble::{WatchedDatabase, parts::database_file as databases};
use config::Diagnostic;
use pipeline::{
    Parser,
    parser::Input,
    patterndb::{DbOptions, DbParser},
};
use std::{path::PathBuf, sync::Arc};

/// Path of syslog-ng's database.
const DATABASE: &str = "/var/lib/syslog-ng/patterndb.xml";

impl<'t> Lowering<'t> {
    pub(crate) fn db_parser(&mut self, parser: ParserCall<'t>) -> Option<Arc<dyn Parser>> {
        let options = parser.options;
        let path = PathBuf::from(options.own_text("file").unwrap_or_else(|| DATABASE.to_owned()));
        let prefix = options.own_text("prefix").unwrap_or_default();
        let program = self.option_template(parser, "program-template")?.map(Input::of);
        let message = self.option_template(parser, "message-template")?.map(Input::of);
        let made = DbOptions {
            program: program.unwrap_or_else(Input::program),
            message: message.unwrap_or_else(Input::message),
            drop_unmatched: options.yes("drop-unmatched", false),
            inject: self.inject_mode(parser, self.database_inject()),
        };
        let what = path.to_string_lossy().into_owned();
        let state = self.kept(parser, &what);
        if !self.environment.looks_up {
            return Some(Arc::new(DbParser::new(databases::empty(), state, made)));
        }
        let last = self.kept(parser, &format!("{what} database"));
        let loaded = databases::load(&path, &prefix, &self.definitions, last);
        let span = options.own("file").map_or(parser.options.call.span, |option| option.span);
        for complaint in &loaded.complaints {
            self.report.push(Diagnostic::warning(span, complaint.clone()));
        }
        let parser = Arc::new(DbParser::new(loaded.database.clone(), state, made));
        self.databases.push(WatchedDatabase::new(path, prefix, &loaded, parser.clone()));
        Some(parser)
    }
}
