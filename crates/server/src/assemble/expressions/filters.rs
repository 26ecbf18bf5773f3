//! Turns filter expressions of the language into those of the pipeline.
//!
//! In: the tree's filters. Out: compiled filters; each named one is compiled once and counts for all its uses.
//! Limits: a pattern, a network or a list that cannot be used is an error at its place.

use crate::assemble::lowering::Lowering;
use config::Diagnostic;
use config::tree::{
    Comparison as Sides, Filter as Expression, FilterLeaf, Match, MatchTarget, Name, Operand, Statement,
};
use message::{Facility, FieldName, Severity};
use pipeline::{
    Filter,
    filter::{
        CompareOp, Comparison, Expr, FacilitySet, Netmask, Netmask6, RateLimit, SeveritySet, Subject, Test,
    },
    route::FilterStep,
};
use std::{collections::HashSet, fs, sync::Arc};
use template::{Template, TypeHint};

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
        let step = self.expression(&named.filter).map(|expr| {
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
        Some(FilterStep::new(self.filter(filter)?))
    }

    pub(crate) fn filter(&mut self, filter: &Expression) -> Option<Arc<Filter>> {
        Some(Arc::new(Filter::new(self.expression(filter)?)))
    }

    fn expression(&mut self, filter: &Expression) -> Option<Expr> {
        Some(match filter {
            Expression::And(filters, _) => Expr::And(self.expressions(filters)?),
            Expression::Or(filters, _) => Expr::Or(self.expressions(filters)?),
            Expression::Not(filter, _) => Expr::Not(Box::new(self.expression(filter)?)),
            Expression::Leaf(leaf, _) => Expr::Test(self.test(leaf)?),
        })
    }

    /// Lowers every expression before it gives up, so that all errors are reported.
    fn expressions(&mut self, filters: &[Expression]) -> Option<Vec<Expr>> {
        let compiled: Vec<Option<Expr>> = filters.iter().map(|filter| self.expression(filter)).collect();
        compiled.into_iter().collect()
    }

    fn test(&mut self, leaf: &FilterLeaf) -> Option<Test> {
        Some(match leaf {
            FilterLeaf::Facility(set) => Test::Facility(facilities(set.0)),
            FilterLeaf::Severity(set) => Test::Severity(severities(set.0)),
            FilterLeaf::Match(found) => self.matching(found)?,
            FilterLeaf::Netmask(name) => match Netmask::parse(&name.text) {
                Ok(network) => Test::Netmask(network),
                Err(error) => self.no_network(name, &error.to_string()),
            },
            FilterLeaf::Netmask6(name) => match Netmask6::parse(&name.text) {
                Ok(network) => Test::Netmask6(network),
                Err(error) => self.no_network(name, &error.to_string()),
            },
            FilterLeaf::Tags(tags) => Test::Tags(tags.iter().map(|tag| tag.text.clone()).collect()),
            FilterLeaf::Source(name) => Test::Source(name.text.clone()),
            FilterLeaf::InList { file, value } => {
                let name = value.text.strip_prefix('$').unwrap_or(&value.text);
                let bare = name.strip_prefix('{').and_then(|rest| rest.strip_suffix('}')).unwrap_or(name);
                Test::InList { field: FieldName::parse(bare), lines: self.lines_of_file(file)? }
            }
            FilterLeaf::RateLimit { key, rate } => {
                let key = match key {
                    Some(name) => self.template_or_named(name)?,
                    None => Arc::new(Template::literal("")),
                };
                Test::RateLimit(Arc::new(RateLimit::new(key, *rate)))
            }
            FilterLeaf::Named(name) => {
                Test::Named { name: name.text.clone(), filter: self.named_filter(&name.text)?.filter }
            }
            FilterLeaf::Compare(sides) => self.comparison(sides)?,
            FilterLeaf::Later(_) => return None,
        })
    }

    fn matching(&mut self, found: &Match) -> Option<Test> {
        let subject = match &found.target {
            MatchTarget::Line => Subject::HeaderAndMessage,
            MatchTarget::Value(name) => Subject::Field(FieldName::parse(&name.text)),
            MatchTarget::Template(name) => Subject::Template(self.template_or_named(name)?),
        };
        let pattern = self.pattern(&found.pattern, found.kind, &found.flags)?;
        Some(Test::Pattern { subject, pattern })
    }

    /// Reports an invalid network. As in syslog-ng, no sender belongs to it.
    fn no_network(&mut self, name: &Name, error: &str) -> Test {
        let warning = Diagnostic::warning(name.span, error).label("no sender is in this network");
        self.report.push(warning);
        Test::Facility(FacilitySet::default())
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

    fn comparison(&mut self, sides: &Sides) -> Option<Test> {
        let left = self.operand(&sides.left);
        let right = self.operand(&sides.right);
        let operator = CompareOp::from_text(&sides.operator.text)?;
        Some(Test::Compare(Arc::new(Comparison::new(left?, operator, right?, self.definitions.version))))
    }

    fn operand(&mut self, operand: &Operand) -> Option<Arc<Template>> {
        use config::tree::Arg;
        let text = match &operand.value {
            Arg::Number(number, _) => number.to_string(),
            Arg::Float(number, _) => number.to_string(),
            value => value.text()?.to_owned(),
        };
        let implied = match &operand.value {
            Arg::Number(_, _) => TypeHint::from_name("int64"),
            Arg::Float(_, _) => TypeHint::from_name("double"),
            _ => None,
        };
        let name = Name { text, span: operand.value.span() };
        let template = self.template(&name)?;
        let hint = operand.cast.as_ref().and_then(|cast| TypeHint::from_name(&cast.key())).or(implied);
        Some(Arc::new(match hint {
            Some(hint) => template.hinted(hint),
            None => template,
        }))
    }
}

fn facilities(bits: u32) -> FacilitySet {
    let mut set = FacilitySet::default();
    (0..32u16).filter(|bit| bits >> bit & 1 == 1).for_each(|bit| set.add(Facility(bit)));
    set
}

fn severities(bits: u8) -> SeveritySet {
    let mut set = SeveritySet::default();
    (0..8u8).filter(|bit| bits >> bit & 1 == 1).for_each(|bit| set.add(Severity(bit)));
    set
}
