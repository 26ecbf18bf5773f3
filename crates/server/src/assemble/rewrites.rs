//! Rewrite rules of the language to those of the pipeline.
//!
//! In: calls. Out: [`Rewrite`]s. Limits: none of its own.

use super::lower::Lowering;
use super::options::Options;
use config::tree::{Arg, Call, Kind, MatchFlag, MatchType, Name};
use message::FieldName;
use pipeline::{Pattern, Rewrite, rewrite::Operation};
use std::sync::Arc;

impl<'t> Lowering<'t> {
    /// One rule. None: it cannot be made; that has been told.
    pub(super) fn rewrite(&mut self, call: &'t Call) -> Option<Arc<Rewrite>> {
        let operation = self.operation(call);
        let condition = match call.option("condition").and_then(|option| option.args.first()) {
            Some(Arg::Filter(filter)) => Some(self.filter(filter)?),
            _ => None,
        };
        Some(Arc::new(Rewrite { operation: operation?, condition }))
    }

    fn operation(&mut self, call: &'t Call) -> Option<Operation> {
        Some(match call.key().as_str() {
            "set" => Operation::Set { field: field(call)?, value: self.value_template(call)? },
            "unset" => Operation::Unset { field: field(call)? },
            "subst" => self.subst(call)?,
            "set-tag" => Operation::SetTag { tag: self.value_template(call)? },
            "clear-tag" => Operation::ClearTag { tag: self.value_template(call)? },
            "set-severity" => Operation::SetSeverity { value: self.value_template(call)? },
            "set-facility" => Operation::SetFacility { value: self.value_template(call)? },
            "set-pri" => Operation::SetPri { value: self.value_template(call)? },
            "groupset" => Operation::GroupSet { names: self.globs(call)?, value: self.value_template(call)? },
            "groupunset" => Operation::GroupUnset { names: self.globs(call)? },
            "rename" => {
                let options = Options::new(Kind::Rewrite, call, self.globals);
                Operation::Rename {
                    from: FieldName::parse(&options.plain()?),
                    to: FieldName::parse(&options.plain_at(1)?),
                }
            }
            "set-matches" => Operation::SetMatches { list: self.value_template(call)? },
            "unset-matches" => Operation::UnsetMatches,
            _ => return None,
        })
    }

    /// `values("one" "other*")`.
    fn globs(&mut self, call: &Call) -> Option<Vec<Arc<Pattern>>> {
        let names: Vec<Name> = call
            .option("values")?
            .args
            .iter()
            .filter_map(|arg| Some(Name { text: arg.text()?.to_owned(), span: arg.span() }))
            .collect();
        names.iter().map(|name| self.pattern(name, MatchType::Glob, &[])).collect()
    }

    fn subst(&mut self, call: &'t Call) -> Option<Operation> {
        let options = Options::new(Kind::Rewrite, call, self.globals);
        let span = |index: usize| call.plain().nth(index).map(Arg::span);
        let pattern = Name { text: options.plain()?, span: span(0)? };
        let replacement = Name { text: options.plain_at(1)?, span: span(1)? };
        let kind = options
            .own_text("type")
            .and_then(|word| MatchType::ALL.iter().find(|(known, _)| *known == word).map(|(_, kind)| *kind));
        let flags: Vec<MatchFlag> = options
            .flags()
            .iter()
            .filter_map(|word| MatchFlag::ALL.iter().find(|(known, _)| known == word).map(|(_, flag)| *flag))
            .collect();
        let pattern = self.pattern(&pattern, kind.unwrap_or(MatchType::Pcre), &flags);
        let replacement = self.template(&replacement).map(Arc::new);
        Some(Operation::Subst { field: field(call)?, pattern: pattern?, replacement: replacement? })
    }
}

/// `value("NAME")`; a `$` before the name is not part of it.
fn field(call: &Call) -> Option<FieldName> {
    let name = call.option("value")?.texts().into_iter().next()?;
    let bare = name.strip_prefix('$').unwrap_or(&name);
    Some(FieldName::parse(bare.strip_prefix('{').and_then(|rest| rest.strip_suffix('}')).unwrap_or(bare)))
}
