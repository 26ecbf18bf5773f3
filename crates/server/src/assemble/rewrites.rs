//! Turns rewrite rules of the language into those of the pipeline.
//!
//! In: calls. Out: [`Rewrite`]s. Limits: none of its own.

use crate::assemble::lowering::Lowering;
use crate::assemble::options::driver::Options;
use config::Diagnostic;
use config::tree::{Arg, Call, Kind, MatchFlag, MatchType, Name};
use message::{Field, FieldName};
use pipeline::{
    Rewrite,
    rewrite::{Operation, Zone, facility_of, priority_of, severity_of},
};
use std::sync::Arc;
use template::{
    RenderOptions, Template,
    pattern::{Pattern, PatternFlags, PatternKind},
};

impl<'t> Lowering<'t> {
    /// Makes one rule. None after an error, which is in the report.
    pub(crate) fn rewrite(&mut self, call: &'t Call) -> Option<Arc<Rewrite>> {
        let operation = self.operation(call);
        let condition = match call.option("condition").and_then(|option| option.args.first()) {
            Some(Arg::Filter(filter)) => Some(self.unnamed_filter(filter)?),
            _ => None,
        };
        let rendering = self.rewrite_rendering(call);
        Some(Arc::new(Rewrite { operation: operation?, condition, rendering }))
    }

    fn operation(&mut self, call: &'t Call) -> Option<Operation> {
        Some(match call.key().as_str() {
            "set" => Operation::Set { field: self.field_or_message(call)?, value: self.set_template(call)? },
            "unset" => Operation::Unset { field: self.field(call)? },
            "subst" => self.subst(call)?,
            "set-tag" => Operation::SetTag { tag: self.value_template(call)? },
            "clear-tag" => Operation::ClearTag { tag: self.value_template(call)? },
            "set-severity" => {
                self.warn_of_no_effect(call, |text| severity_of(text).is_some(), "a severity");
                Operation::SetSeverity { value: self.value_template(call)? }
            }
            "set-facility" => {
                self.warn_of_no_effect(call, |text| facility_of(text).is_some(), "a facility");
                Operation::SetFacility { value: self.value_template(call)? }
            }
            "set-pri" => {
                self.warn_of_no_effect(call, |text| priority_of(text).is_some(), "a priority, 0 to 1023");
                Operation::SetPri { value: self.value_template(call)? }
            }
            "groupset" => Operation::GroupSet { names: self.globs(call)?, value: self.value_template(call)? },
            "groupunset" => Operation::GroupUnset { names: self.globs(call)? },
            "rename" => Operation::Rename { from: self.renamed(call, 0)?, to: self.renamed(call, 1)? },
            "set-matches" => Operation::SetMatches { list: self.value_template(call)? },
            "unset-matches" => Operation::UnsetMatches,
            "set-time-zone" => Operation::SetZone { zone: self.rewrite_zone(call)? },
            "fix-time-zone" => Operation::FixZone { zone: self.rewrite_zone(call)? },
            "guess-time-zone" => Operation::GuessZone,
            "credit-card-mask" => self.cards(call, "$(substr $0 0 6)******$(substr $0 -4 4)")?,
            "credit-card-hash" => self.cards(call, "$(sha1 --length 16 $0)")?,
            _ => return None,
        })
    }

    /// Warns of a text without macros that the rule cannot use: it leaves every message as it is.
    fn warn_of_no_effect(&mut self, call: &Call, is_usable: fn(&str) -> bool, wanted: &str) {
        let Some(Arg::Word(name) | Arg::Text(name)) = call.plain().next() else { return };
        if !name.text.contains('$') && !is_usable(&name.text) {
            let message =
                format!("\"{}\" is not {wanted}: the rule leaves every message as it is", name.text);
            self.report.push(Diagnostic::warning(name.span, message));
        }
    }

    /// Returns the template of `set()`, with `template-escape()`.
    fn set_template(&mut self, call: &'t Call) -> Option<Arc<Template>> {
        let template = self.value_template(call)?;
        match call.option("template-escape").and_then(Call::truth) {
            Some(true) => Some(Arc::new(Arc::unwrap_or_clone(template).escaped())),
            _ => Some(template),
        }
    }

    /// Returns `on-error()` and related options, if any is given.
    fn rewrite_rendering(&mut self, call: &'t Call) -> Option<RenderOptions> {
        let options = Options::new(Kind::Rewrite, call, self.globals);
        let names = ["ts-format", "frac-digits", "time-zone", "on-error"];
        names.iter().any(|name| options.own(name).is_some()).then(|| self.render_options(&options))
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
        if let Some(option) = options.own("type").filter(|_| options.word("type").as_deref() == Some("posix"))
        {
            self.report.push(Diagnostic::posix_pattern(option.span));
        }
        let flags: Vec<MatchFlag> = options
            .flags()
            .iter()
            .filter_map(|word| MatchFlag::ALL.iter().find(|(known, _)| known == word).map(|(_, flag)| *flag))
            .collect();
        let pattern = self.pattern(&pattern, kind.unwrap_or(MatchType::Pcre), &flags);
        let replacement = self.template(&replacement).map(Arc::new);
        Some(Operation::Subst {
            field: self.field_or_message(call)?,
            pattern: pattern?,
            replacement: replacement?,
        })
    }

    /// Finds numbers of payment cards by the rules of their issuers.
    fn cards(&mut self, call: &Call, replacement: &str) -> Option<Operation> {
        let field = self.field_or_message(call)?;
        let flags = PatternFlags { global: true, ..PatternFlags::default() };
        let pattern = Pattern::compile(CARD_NUMBERS, PatternKind::Pcre, flags).ok()?;
        let name = Name { text: replacement.to_owned(), span: call.span };
        let replacement = Arc::new(self.template(&name)?);
        Some(Operation::Subst { field, pattern: Arc::new(pattern), replacement })
    }

    /// Returns the zone of `set-time-zone()` and `fix-time-zone()`: a named one is looked up now.
    fn rewrite_zone(&mut self, call: &Call) -> Option<Zone> {
        let template = self.value_template(call)?;
        match template.constant() {
            Some(_) => self.zone(Some(call)).map(Zone::Known),
            None => Some(Zone::Rendered(template)),
        }
    }

    /// `value("NAME")`; a `$` before the name is not part of it.
    fn field(&mut self, call: &Call) -> Option<FieldName> {
        let arg = call.option("value")?.args.first()?;
        self.settable(&Name { text: arg.text()?.to_owned(), span: arg.span() })
    }

    /// `value("NAME")`, or the text of the message.
    fn field_or_message(&mut self, call: &Call) -> Option<FieldName> {
        match call.option("value") {
            Some(_) => self.field(call),
            None => Some(FieldName::Fixed(Field::Message)),
        }
    }

    /// Parses one of the two names of `rename()`.
    fn renamed(&mut self, call: &Call, place: usize) -> Option<FieldName> {
        let arg = call.plain().nth(place)?;
        self.settable(&Name { text: arg.text()?.to_owned(), span: arg.span() })
    }

    /// Returns a field that can be set: computed macros cannot.
    fn settable(&mut self, name: &Name) -> Option<FieldName> {
        let bare = name.text.strip_prefix('$').unwrap_or(&name.text);
        let bare = bare.strip_prefix('{').and_then(|rest| rest.strip_suffix('}')).unwrap_or(bare);
        if !template::is_macro(bare) {
            return Some(FieldName::parse(bare));
        }
        let message = format!("`{bare}` is computed from the message and cannot be changed");
        let diagnostic = Diagnostic::error(name.span, message).label("a macro, not a value");
        self.report.push(match bare {
            "FACILITY" | "FACILITY_NUM" => diagnostic.help("use set-facility()"),
            "SEVERITY" | "LEVEL" | "PRIORITY" | "SEVERITY_NUM" | "LEVEL_NUM" | "PRIORITY_NUM" => {
                diagnostic.help("use set-severity()")
            }
            "PRI" => diagnostic.help("use set-pri()"),
            "TAGS" => diagnostic.help("use set-tag() or clear-tag()"),
            _ => diagnostic,
        });
        None
    }
}

/// Card numbers by the leading digits of their issuers. They may be part of other text: a number right after
/// a word counts too.
const CARD_NUMBERS: &str = concat!(
    r"4[0-9]{12}(?:[0-9]{3})?|(?:5[1-5][0-9]{2}|222[1-9]|22[3-9][0-9]|2[3-6][0-9]{2}|27[01][0-9]|2720)[0-9]{12}",
    r"|3[47][0-9]{13}|(?:2131|1800|35[0-9]{3})[0-9]{11}|3(?:0[0-5]|[68][0-9])[0-9]{11}",
    r"|6(?:011|5[0-9]{2}|4[4-9][0-9])[0-9]{12}",
);
