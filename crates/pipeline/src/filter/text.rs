//! Compiles a filter expression written as text: the condition of `$(if ...)`, of a rule of a pattern database, of a tap.
//!
//! In: `facility(local3) and "$PID" eq "1"`. Out: the expression. Holds: nothing. The parser is that of configurations.
//! Limits: those of the language; `in-list()` needs a file and is refused here.

use super::{
    compare::{CompareOp, Comparison},
    expression::{Expr, FacilitySet, Filter, SeveritySet, Subject, Test},
    netmask::{Netmask, Netmask6},
    rate::RateLimit,
};
use config::{
    ExpressionError,
    tree::{self, Arg, FilterLeaf, MatchFlag, MatchTarget, MatchType, Name, Operand},
};
use message::{Facility, FieldName, Severity};
use std::{fmt, sync::Arc};
use template::{
    Surroundings, Template, TypeHint,
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
    Compiler { text, names }.expression(&filter)
}

struct Compiler<'a> {
    text: &'a str,
    names: &'a dyn Names,
}

/// Makes the error at a name.
fn wrong<E: fmt::Display>(name: &Name) -> impl FnOnce(E) -> FilterTextError {
    let offset = name.span.start as usize;
    move |error| FilterTextError { offset, reason: error.to_string() }
}

impl Compiler<'_> {
    fn expression(&self, filter: &tree::Filter) -> Result<Expr, FilterTextError> {
        let all = |filters: &[tree::Filter]| -> Result<Vec<Expr>, FilterTextError> {
            filters.iter().map(|filter| self.expression(filter)).collect()
        };
        Ok(match filter {
            tree::Filter::And(filters, _) => Expr::And(all(filters)?),
            tree::Filter::Or(filters, _) => Expr::Or(all(filters)?),
            tree::Filter::Not(filter, _) => Expr::Not(Box::new(self.expression(filter)?)),
            tree::Filter::Leaf(leaf, _) => Expr::Test(self.test(leaf)?),
        })
    }

    fn test(&self, leaf: &FilterLeaf) -> Result<Test, FilterTextError> {
        Ok(match leaf {
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
            FilterLeaf::Match(one) => self.pattern(one)?,
            FilterLeaf::Netmask(name) => Test::Netmask(Netmask::parse(&name.text).map_err(wrong(name))?),
            FilterLeaf::Netmask6(name) => Test::Netmask6(Netmask6::parse(&name.text).map_err(wrong(name))?),
            FilterLeaf::Tags(tags) => Test::Tags(tags.iter().map(|tag| tag.text.clone()).collect()),
            FilterLeaf::Source(name) => Test::Source(name.text.clone()),
            FilterLeaf::InList { file, .. } => {
                return Err(wrong(file)("in-list() needs a file and cannot stand in a template"));
            }
            FilterLeaf::RateLimit { key, rate } => {
                let key = match key {
                    Some(name) => self.template(name)?,
                    None => Template::literal(""),
                };
                Test::RateLimit(Arc::new(RateLimit::new(Arc::new(key), *rate)))
            }
            FilterLeaf::Named(name) => match self.names.filter(&name.text) {
                Some(filter) => Test::Named { name: name.text.clone(), filter },
                None => return Err(wrong(name)(format!("there is no filter {}", name.text))),
            },
            FilterLeaf::Compare(sides) => {
                let (left, right) = (self.side(&sides.left)?, self.side(&sides.right)?);
                let operator = CompareOp::from_text(&sides.operator.text)
                    .ok_or_else(|| wrong(&sides.operator)("a comparison like == or eq expected"))?;
                let version = self.names.surroundings().version();
                Test::Compare(Arc::new(Comparison::new(Arc::new(left), operator, Arc::new(right), version)))
            }
            FilterLeaf::Later(call) => {
                return Err(wrong(&call.name)(format!("filter `{}` is not supported yet", call.name.text)));
            }
        })
    }

    /// Compiles one side of a comparison: a template, maybe with a type. A bare number is one, as it is written.
    fn side(&self, side: &Operand) -> Result<Template, FilterTextError> {
        let span = side.value.span();
        let (text, implied) = match &side.value {
            Arg::Number(_, _) => (self.written(span), TypeHint::from_name("int")),
            Arg::Float(_, _) => (self.written(span), TypeHint::from_name("double")),
            value => (value.text().unwrap_or_default(), None),
        };
        let template = self.template(&Name { text: text.to_owned(), span })?;
        let hint = side.cast.as_ref().and_then(|cast| TypeHint::from_name(&cast.key())).or(implied);
        Ok(match hint {
            Some(hint) => template.hinted(hint),
            None => template,
        })
    }

    fn written(&self, span: config::Span) -> &str {
        self.text.get(span.start as usize..span.end as usize).unwrap_or_default()
    }

    fn template(&self, name: &Name) -> Result<Template, FilterTextError> {
        Template::parse(&name.text, self.names.surroundings()).map_err(wrong(name))
    }

    fn pattern(&self, one: &tree::Match) -> Result<Test, FilterTextError> {
        let subject = match &one.target {
            MatchTarget::Line => Subject::HeaderAndMessage,
            MatchTarget::Value(name) => Subject::Field(FieldName::parse(&name.text)),
            MatchTarget::Template(name) => Subject::Template(Arc::new(self.template(name)?)),
        };
        let kind = match one.kind {
            MatchType::Pcre => PatternKind::Pcre,
            MatchType::Text => PatternKind::Literal,
            MatchType::Glob => PatternKind::Glob,
        };
        let flags = flags(&one.flags);
        let pattern = Pattern::compile(&one.pattern.text, kind, flags).map_err(wrong(&one.pattern))?;
        Ok(Test::Pattern { subject, pattern: Arc::new(pattern) })
    }
}

fn flags(words: &[MatchFlag]) -> PatternFlags {
    let mut flags = PatternFlags::default();
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
