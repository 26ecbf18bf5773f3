//! Turns filter expressions of the language into those of the pipeline.
//!
//! In: the tree's filters. Out: compiled filters; each named one is compiled once and counts for all its uses.
//! Limits: a pattern, a network or a list that cannot be used is an error with its position.

use crate::assemble::lowering::Lowering;
use config::Diagnostic;
use config::tree::{Filter as Expression, FilterLeaf, Name, Statement};
use pipeline::{
    Filter,
    filter::{self, FacilitySet, FilterScope, NetmaskError, Test},
    route::FilterStep,
};
use std::{collections::HashSet, fmt::Display, fs, sync::Arc};
use template::{
    Template, Version,
    pattern::{Pattern, PatternFlags, PatternKind},
};

/// Most filters that use one another in a row: each is a level of the walk through an expression.
const FILTERS_DEEP_MAX: usize = 64;

impl<'t> Lowering<'t> {
    /// Compiles every named filter.
    pub(crate) fn named_filters(&mut self) {
        let tree = self.tree;
        for statement in &tree.statements {
            if let Statement::Filter(named) = statement {
                self.named_filter(&named.name.text);
            }
        }
    }

    /// Returns the filter of a name. Filters may be used before they are defined; the last definition counts.
    pub(crate) fn named_filter(&mut self, name: &str) -> Option<FilterStep> {
        if let Some(step) = self.filters.get(name) {
            return step.clone();
        }
        let named = *self.filter_statements.get(name)?;
        if self.filters_open.contains(name) {
            return None;
        }
        if self.filters_open.len() >= FILTERS_DEEP_MAX {
            let message = format!("filters use each other more than {FILTERS_DEEP_MAX} levels deep");
            self.report.push(Diagnostic::error(named.name.span, message));
            return None;
        }
        self.filters_open.insert(name.to_owned());
        let step = filter::lower(&named.filter, self).map(|expr| {
            let counters = self.environment.reload_state.get(&format!("filter {name}"));
            FilterStep { filter: Arc::new(Filter::new(expr)), counters }
        });
        self.filters_open.remove(name);
        self.filters.insert(name.to_owned(), step.clone());
        if let Some(step) = &step {
            self.definitions.filters.insert(name.to_owned(), step.filter.clone());
        }
        step
    }

    /// Makes a filter step; a filter that is only a name shares the counters of that name.
    pub(crate) fn filter_step(&mut self, filter: &Expression) -> Option<FilterStep> {
        if let Expression::Leaf(FilterLeaf::Named(name), _) = filter {
            return self.named_filter(&name.text);
        }
        Some(FilterStep::new(self.unnamed_filter(filter)?))
    }

    pub(crate) fn unnamed_filter(&mut self, filter: &Expression) -> Option<Arc<Filter>> {
        Some(Arc::new(Filter::new(filter::lower(filter, self)?)))
    }

    /// Returns the lines of a file.
    fn lines_of_file(&mut self, file: &Name) -> Option<Arc<HashSet<Vec<u8>>>> {
        if !self.environment.looks_up {
            return Some(Arc::default());
        }
        let bytes = match fs::read(&file.text) {
            Ok(bytes) => bytes,
            Err(error) => return self.refuse(file, format!("cannot read `{}`: {error}", file.text)),
        };
        let lines = bytes.split(|byte| *byte == b'\n').map(|line| line.strip_suffix(b"\r").unwrap_or(line));
        Some(Arc::new(lines.filter(|line| !line.is_empty()).map(<[u8]>::to_vec).collect()))
    }
}

impl FilterScope for Lowering<'_> {
    fn version(&self) -> Version {
        self.definitions.version
    }

    fn filter(&mut self, name: &Name) -> Option<Arc<Filter>> {
        Some(self.named_filter(&name.text)?.filter)
    }

    fn template(&mut self, text: &Name) -> Option<Template> {
        Lowering::template(self, text)
    }

    fn template_or_named(&mut self, name: &Name) -> Option<Arc<Template>> {
        Lowering::template_or_named(self, name)
    }

    fn pattern(&mut self, text: &Name, kind: PatternKind, flags: PatternFlags) -> Option<Arc<Pattern>> {
        self.compiled_pattern(text, kind, flags)
    }

    fn lines(&mut self, file: &Name) -> Option<Arc<HashSet<Vec<u8>>>> {
        self.lines_of_file(file)
    }

    /// Warns of an invalid network. As in syslog-ng, no sender belongs to it.
    fn wrong_network(&mut self, name: &Name, error: NetmaskError) -> Option<Test> {
        let warning = Diagnostic::warning(name.span, error.to_string()).label("no sender is in this network");
        self.report.push(warning);
        Some(Test::Facility(FacilitySet::default()))
    }

    /// Nothing: the check of the tree has reported it.
    fn not_supported(&mut self, _: &Name) {}

    fn refuse(&mut self, name: &Name, error: &dyn Display) {
        self.report.push(Diagnostic::error(name.span, error.to_string()));
    }
}
