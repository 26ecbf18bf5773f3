//! Compiles a filter expression written as text: the condition of `$(if ...)`, of a rule of a pattern database, of a tap.
//!
//! In: `facility(local3) and "$PID" eq "1"`. Out: the expression. Holds: the first error. The parser is that of configurations.
//! Limits: those of the language; `in-list()` needs a file and is refused here.

use super::{
    expression::{Expr, Filter, Test},
    lower::{FilterScope, lower},
    netmask::NetmaskError,
};
use config::{ExpressionError, tree::Name};
use std::{collections::HashSet, fmt::Display, sync::Arc};
use template::{
    Surroundings, Template, Version,
    pattern::{Pattern, PatternFlags, PatternKind},
};

/// The definitions that an expression may refer to.
pub trait Names {
    /// Returns the definitions that its templates may refer to.
    fn surroundings(&self) -> &dyn Surroundings;
    /// Returns the filter of a name.
    fn filter(&self, name: &str) -> Option<Arc<Filter>>;
}

/// Error in the text of a filter expression.
pub type FilterTextError = ExpressionError;

/// Compiles an expression.
pub fn parse(text: &str, names: &dyn Names) -> Result<Expr, FilterTextError> {
    let filter = config::parse_filter(text)?;
    let mut scope = TextScope { names, error: None };
    let compiled = lower(&filter, &mut scope);
    match (scope.error, compiled) {
        (None, Some(expr)) => Ok(expr),
        (Some(error), _) => Err(error),
        (None, None) => unreachable!("what is not compiled has left an error"),
    }
}

struct TextScope<'a> {
    names: &'a dyn Names,
    error: Option<FilterTextError>,
}

impl TextScope<'_> {
    fn keep<T, E: Display>(&mut self, name: &Name, result: Result<T, E>) -> Option<T> {
        result.map_err(|error| self.refuse(name, &error)).ok()
    }
}

impl FilterScope for TextScope<'_> {
    fn version(&self) -> Version {
        self.names.surroundings().version()
    }

    fn filter(&mut self, name: &Name) -> Option<Arc<Filter>> {
        let found = self.names.filter(&name.text);
        if found.is_none() {
            self.refuse(name, &format_args!("there is no filter {}", name.text));
        }
        found
    }

    fn template(&mut self, text: &Name) -> Option<Template> {
        let parsed = Template::parse(&text.text, self.names.surroundings());
        self.keep(text, parsed)
    }

    fn template_or_named(&mut self, name: &Name) -> Option<Arc<Template>> {
        match self.names.surroundings().template(&name.text) {
            Some(template) => Some(template),
            None => self.template(name).map(Arc::new),
        }
    }

    fn pattern(&mut self, text: &Name, kind: PatternKind, flags: PatternFlags) -> Option<Arc<Pattern>> {
        let compiled = Pattern::compile(&text.text, kind, flags);
        self.keep(text, compiled).map(Arc::new)
    }

    fn lines(&mut self, file: &Name) -> Option<Arc<HashSet<Vec<u8>>>> {
        self.refuse(file, &"in-list() needs a file and cannot stand in a template");
        None
    }

    fn wrong_network(&mut self, name: &Name, error: NetmaskError) -> Option<Test> {
        self.refuse(name, &error);
        None
    }

    fn not_supported(&mut self, name: &Name) {
        self.refuse(name, &format_args!("filter `{}` is not supported yet", name.text));
    }

    fn refuse(&mut self, name: &Name, error: &dyn Display) {
        let offset = name.span.start as usize;
        self.error.get_or_insert_with(|| FilterTextError { offset, reason: error.to_string() });
    }
}
