//! Parsers by patterns: regular expressions and pattern databases.
//!
//! In: calls. Out: parsers. Limits: an expression that cannot be used is an error at its place; a database that cannot be
//! read is a warning, as in syslog-ng: nothing is classified until it can be read.

use super::calls::ParserCall;
use crate::assemble::{
    lowering::Lowering,
    parts::database_file::{self, WatchedDatabase},
};
use config::{
    Diagnostic,
    tree::{Arg, MatchFlag, MatchType, Name, Version},
};
use pipeline::{
    Parser,
    correlation::Inject,
    parser::{Input, Regexp},
    patterndb::{DbOptions, DbParser},
};
use std::{path::PathBuf, sync::Arc};
use template::pattern::Pattern;

/// Path of syslog-ng's database.
const DATABASE: &str = "/var/lib/syslog-ng/patterndb.xml";

/// First version in which `db-parser()` gives the messages that it makes to its own path.
const INJECTS_INTO_PATH: Version = Version { major: 3, minor: 3 };

impl<'t> Lowering<'t> {
    pub(crate) fn regexp_parser(&mut self, parser: ParserCall<'t>) -> Option<Arc<dyn Parser>> {
        let flags: Vec<MatchFlag> = parser
            .options
            .flags()
            .iter()
            .filter_map(|word| MatchFlag::ALL.iter().find(|(known, _)| known == word).map(|(_, flag)| *flag))
            .collect();
        let patterns = self.patterns(parser, "patterns", MatchType::Pcre, &flags)?;
        self.text_parser(parser, Regexp::new(patterns), "")
    }

    /// Compiles all patterns of an option and reports every wrong one.
    pub(crate) fn patterns(
        &mut self,
        parser: ParserCall<'t>,
        option: &str,
        kind: MatchType,
        flags: &[MatchFlag],
    ) -> Option<Vec<Arc<Pattern>>> {
        let args = parser.options.all(option).flat_map(|option| option.args.iter());
        let name = |arg: &Arg| Some(Name { text: arg.text()?.to_owned(), span: arg.span() });
        let names: Vec<Name> = args.filter_map(name).collect();
        let patterns: Vec<_> = names.iter().map(|name| self.pattern(name, kind, flags)).collect();
        patterns.into_iter().collect()
    }

    pub(crate) fn db_parser(&mut self, parser: ParserCall<'t>) -> Option<Arc<dyn Parser>> {
        let options = parser.options;
        let path = PathBuf::from(options.own_text("file").unwrap_or_else(|| DATABASE.to_owned()));
        let prefix = options.own_text("prefix").unwrap_or_default();
        let program = self.option_template(parser, "program-template")?.map(Input::of);
        let message = self.option_template(parser, "message-template")?.map(Input::of);
        let made = DbOptions {
            program: program.unwrap_or_else(Input::program),
            message: message.unwrap_or_else(Input::message),
            drop_unmatched: options.is_yes("drop-unmatched"),
            inject: self.inject_mode(parser, self.database_inject()),
        };
        let what = path.to_string_lossy().into_owned();
        let state = self.reload_state(parser, &what);
        if !self.environment.looks_up {
            return Some(Arc::new(DbParser::new(database_file::empty(), state, made)));
        }
        let last = self.reload_state(parser, &format!("{what} database"));
        let loaded = database_file::load(&path, &prefix, &self.definitions, last);
        let span = options.own("file").map_or(parser.options.call.span, |option| option.span);
        for warning in &loaded.warnings {
            self.report.push(Diagnostic::warning(span, warning.clone()));
        }
        let parser = Arc::new(DbParser::new(loaded.database.clone(), state, made));
        self.databases.push(WatchedDatabase::new(path, prefix, &loaded, parser.clone()));
        Some(parser)
    }

    /// Returns the default target of the messages that `db-parser()` makes.
    fn database_inject(&self) -> Inject {
        match self.globals.is_older(INJECTS_INTO_PATH) {
            true => Inject::Internal(self.environment.inject.clone()),
            false => Inject::PassThrough,
        }
    }
}
