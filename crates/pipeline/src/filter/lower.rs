//! Turns a filter expression of the configuration language into its compiled form.
//!
//! In: the tree of an expression, and what it may refer to. Out: the compiled expression. Holds: nothing.
//! Limits: those of the language. Every part is compiled before an error ends the work, so that a scope sees all of them.

use super::{
    compare::{CompareOp, Comparison},
    expression::{Expr, FacilitySet, Filter, SeveritySet, Subject, Test},
    netmask::{Netmask, Netmask6, NetmaskError},
    rate::RateLimit,
};
use config::tree::{
    self, Arg, Comparison as Sides, FilterLeaf, Match, MatchFlag, MatchTarget, MatchType, Name, Operand,
};
use message::{Facility, FieldName, Severity};
use std::{collections::HashSet, fmt::Display, sync::Arc};
use template::{
    Template, TypeHint, Version,
    pattern::{Pattern, PatternFlags, PatternKind},
};

/// The surroundings of an expression: resolve its names and take its errors. A method that returns `None` has reported why.
pub trait FilterScope {
    /// Returns the version of the configuration.
    fn version(&self) -> Version;
    /// Returns the filter of a name.
    fn filter(&mut self, name: &Name) -> Option<Arc<Filter>>;
    /// Compiles the text of a template.
    fn template(&mut self, text: &Name) -> Option<Template>;
    /// Returns the template of a name, or compiles the text.
    fn template_or_named(&mut self, name: &Name) -> Option<Arc<Template>>;
    /// Compiles a pattern.
    fn pattern(&mut self, text: &Name, kind: PatternKind, flags: PatternFlags) -> Option<Arc<Pattern>>;
    /// Returns the lines of a file that are not empty.
    fn lines(&mut self, file: &Name) -> Option<Arc<HashSet<Vec<u8>>>>;
    /// Handles a network that cannot be read. Returns the test to use instead, if the expression may still run.
    fn wrong_network(&mut self, name: &Name, error: NetmaskError) -> Option<Test>;
    /// Takes the name of a test that is known and does not run.
    fn not_supported(&mut self, name: &Name);
    /// Takes an error at a name.
    fn refuse(&mut self, name: &Name, error: &dyn Display);
}

/// Compiles an expression. `None`: the scope has the errors.
pub fn lower(filter: &tree::Filter, scope: &mut dyn FilterScope) -> Option<Expr> {
    Some(match filter {
        tree::Filter::And(filters, _) => Expr::And(all(filters, scope)?),
        tree::Filter::Or(filters, _) => Expr::Or(all(filters, scope)?),
        tree::Filter::Not(filter, _) => Expr::Not(Box::new(lower(filter, scope)?)),
        tree::Filter::Leaf(leaf, _) => Expr::Test(test(leaf, scope)?),
    })
}

fn all(filters: &[tree::Filter], scope: &mut dyn FilterScope) -> Option<Vec<Expr>> {
    let compiled: Vec<Option<Expr>> = filters.iter().map(|filter| lower(filter, scope)).collect();
    compiled.into_iter().collect()
}

fn test(leaf: &FilterLeaf, scope: &mut dyn FilterScope) -> Option<Test> {
    Some(match leaf {
        FilterLeaf::Facility(codes) => {
            let mut set = FacilitySet::default();
            (0..32).filter(|code| codes.0 >> code & 1 == 1).for_each(|code| set.add(Facility(code)));
            Test::Facility(set)
        }
        FilterLeaf::Severity(codes) => {
            let mut set = SeveritySet::default();
            (0..8).filter(|code| codes.0 >> code & 1 == 1).for_each(|code| set.add(Severity(code)));
            Test::Severity(set)
        }
        FilterLeaf::Match(one) => matching(one, scope)?,
        FilterLeaf::Netmask(name) => match Netmask::parse(&name.text) {
            Ok(network) => Test::Netmask(network),
            Err(error) => scope.wrong_network(name, error)?,
        },
        FilterLeaf::Netmask6(name) => match Netmask6::parse(&name.text) {
            Ok(network) => Test::Netmask6(network),
            Err(error) => scope.wrong_network(name, error)?,
        },
        FilterLeaf::Tags(tags) => Test::Tags(tags.iter().map(|tag| tag.text.clone()).collect()),
        FilterLeaf::Source(name) => Test::Source(name.text.clone()),
        FilterLeaf::InList { file, value } => {
            Test::InList { field: FieldName::parse(bare(&value.text)), lines: scope.lines(file)? }
        }
        FilterLeaf::RateLimit { key, rate } => {
            let key = match key {
                Some(name) => scope.template_or_named(name)?,
                None => Arc::new(Template::literal("")),
            };
            Test::RateLimit(Arc::new(RateLimit::new(key, *rate)))
        }
        FilterLeaf::Named(name) => Test::Named { name: name.text.clone(), filter: scope.filter(name)? },
        FilterLeaf::Compare(sides) => comparison(sides, scope)?,
        FilterLeaf::Later(call) => {
            scope.not_supported(&call.name);
            return None;
        }
    })
}

/// Returns the name in `$NAME` and `${NAME}`.
fn bare(value: &str) -> &str {
    let name = value.strip_prefix('$').unwrap_or(value);
    name.strip_prefix('{').and_then(|rest| rest.strip_suffix('}')).unwrap_or(name)
}

fn matching(one: &Match, scope: &mut dyn FilterScope) -> Option<Test> {
    let subject = match &one.target {
        MatchTarget::Line => Subject::HeaderAndMessage,
        MatchTarget::Value(name) => Subject::Field(FieldName::parse(&name.text)),
        MatchTarget::Template(name) => Subject::Template(scope.template_or_named(name)?),
    };
    let flags = pattern_flags(&one.flags, scope.version());
    let pattern = scope.pattern(&one.pattern, pattern_kind(one.kind), flags)?;
    Some(Test::Pattern { subject, pattern })
}

fn comparison(sides: &Sides, scope: &mut dyn FilterScope) -> Option<Test> {
    let left = operand(&sides.left, scope);
    let right = operand(&sides.right, scope);
    let Some(operator) = CompareOp::from_text(&sides.operator.text) else {
        scope.refuse(&sides.operator, &"a comparison like == or eq expected");
        return None;
    };
    Some(Test::Compare(Arc::new(Comparison::new(left?, operator, right?, scope.version()))))
}

/// Compiles one side of a comparison: a template, maybe with a type. A bare number is one with the type of a number.
fn operand(side: &Operand, scope: &mut dyn FilterScope) -> Option<Arc<Template>> {
    let (text, implied) = match &side.value {
        Arg::Number(number, _) => (number.to_string(), TypeHint::from_name("int64")),
        Arg::Float(number, _) => (number.to_string(), TypeHint::from_name("double")),
        value => (value.text().unwrap_or_default().to_owned(), None),
    };
    let template = scope.template(&Name { text, span: side.value.span() })?;
    let hint = side.cast.as_ref().and_then(|cast| TypeHint::from_name(&cast.key())).or(implied);
    Some(Arc::new(match hint {
        Some(hint) => template.hinted(hint),
        None => template,
    }))
}

/// Returns the kind of pattern that `type()` names.
pub fn pattern_kind(kind: MatchType) -> PatternKind {
    match kind {
        MatchType::Pcre => PatternKind::Pcre,
        MatchType::Text => PatternKind::Literal,
        MatchType::Glob => PatternKind::Glob,
    }
}

/// Returns the pattern flags for the words of `flags()`, in a configuration of a version.
pub fn pattern_flags(words: &[MatchFlag], version: Version) -> PatternFlags {
    let mut flags =
        PatternFlags { keeps_unused_groups: !version.clears_unused_groups(), ..PatternFlags::default() };
    for word in words {
        *match word {
            MatchFlag::IgnoreCase => &mut flags.ignore_case,
            MatchFlag::StoreMatches => &mut flags.store_matches,
            MatchFlag::Utf8 => &mut flags.utf8,
            MatchFlag::Newline => &mut flags.newline,
            MatchFlag::Global => &mut flags.global,
            MatchFlag::Substring => &mut flags.substring,
            MatchFlag::Prefix => &mut flags.prefix,
            MatchFlag::Dupnames => &mut flags.dupnames,
            MatchFlag::DisableJit => &mut flags.disable_jit,
        } = true;
    }
    flags
}
