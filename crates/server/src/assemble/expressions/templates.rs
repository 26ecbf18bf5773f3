//! Turns templates of the language into those of the pipeline.
//!
//! In: template statements and texts. Out: compiled templates.
//! Limits: a template that cannot be read is an error with its position.

use crate::assemble::{lowering::Lowering, options::driver::Options};
use config::{
    Diagnostic,
    tree::{Arg, Call, Name, Statement, Template as Definition},
};
use jiff::tz::TimeZone;
use message::ValueKind;
use std::sync::Arc;
use template::{OnError, RenderOptions, Template, TypeHint};
use wire::StampFormat;

impl<'t> Lowering<'t> {
    /// Compiles every named template and template function. One may use those above it.
    pub(crate) fn named_templates(&mut self) {
        let tree = self.tree;
        for statement in &tree.statements {
            let (definition, is_function) = match statement {
                Statement::Template(definition) => (definition, false),
                Statement::TemplateFunction(definition) => (definition, true),
                _ => continue,
            };
            let Some(template) = self.definition(definition) else { continue };
            let name = definition.name.text.clone();
            if is_function {
                self.definitions.functions.insert(name.replace('_', "-"), Arc::new(template));
            } else {
                self.definitions.templates.insert(name, Arc::new(template));
            }
        }
    }

    fn definition(&mut self, definition: &Definition) -> Option<Template> {
        let last = |key: &str| definition.options.iter().rfind(|option| option.key() == key);
        let template = self.template_argument(last("template")?.args.first()?)?;
        let escape = last("template-escape").and_then(Call::truth);
        let escape = escape.unwrap_or_else(|| self.globals.is_yes("template-escape"));
        Some(if escape { template.escaped() } else { template })
    }

    /// Compiles a template from its text.
    pub(crate) fn template(&mut self, text: &Name) -> Option<Template> {
        let parsed = Template::parse(&text.text, &self.definitions);
        parsed.map_err(|error| self.report_inside(text, error.offset, error.reason)).ok()
    }

    /// Compiles a template from an argument: text, a number, or a text with a type such as `int("$PID")`.
    pub(crate) fn template_argument(&mut self, arg: &Arg) -> Option<Template> {
        match arg {
            Arg::Call(typed) => {
                let text = typed.args.first()?;
                let hint = TypeHint::from_name(&typed.key())?;
                Some(self.template_argument(text)?.hinted(hint))
            }
            Arg::Number(number, span) => self.number_template(number.to_string(), *span, ValueKind::Integer),
            Arg::Float(number, span) => self.number_template(number.to_string(), *span, ValueKind::Double),
            Arg::Word(name) | Arg::Text(name) => self.template(name),
            _ => None,
        }
    }

    /// Makes the template of a bare number, which is a number in the message too.
    fn number_template(&mut self, text: String, span: config::Span, kind: ValueKind) -> Option<Template> {
        Some(self.template(&Name { text, span })?.hinted(TypeHint::Kind(kind)))
    }

    /// Compiles the argument of a rewrite rule that takes a template besides its options.
    pub(crate) fn value_template(&mut self, call: &Call) -> Option<Arc<Template>> {
        let typed = |arg: &&Arg| matches!(arg, Arg::Call(call) if TypeHint::from_name(&call.key()).is_some());
        let arg = call.plain().next().or_else(|| call.args.iter().find(typed))?;
        self.template_argument(arg).map(Arc::new)
    }

    /// Returns the template of a name, or compiles the text itself.
    pub(crate) fn template_or_named(&mut self, name: &Name) -> Option<Arc<Template>> {
        match self.definitions.templates.get(&name.text) {
            Some(template) => Some(template.clone()),
            None => self.template(name).map(Arc::new),
        }
    }

    /// Compiles `template()` of a driver, or the global option `global`, with `template-escape()` applied.
    pub(crate) fn driver_template(&mut self, options: &Options<'t>, global: &str) -> Option<Arc<Template>> {
        let call = options.own("template").or_else(|| self.globals.get(global))?;
        let named =
            call.args.first()?.text().is_some_and(|text| self.definitions.templates.contains_key(text));
        let template = self.named_or_text(call)?;
        let escapes = !named && options.is_yes("template-escape");
        Some(if escapes { Arc::new(Arc::unwrap_or_clone(template).escaped()) } else { template })
    }

    /// Returns the template that an option names, or compiles the one that it spells out.
    pub(crate) fn named_or_text(&mut self, option: &Call) -> Option<Arc<Template>> {
        self.named_or_argument(option.args.first()?)
    }

    /// Returns the template that an argument names, or compiles the argument.
    pub(crate) fn named_or_argument(&mut self, arg: &Arg) -> Option<Arc<Template>> {
        let named = arg.text().and_then(|text| self.definitions.templates.get(text).cloned());
        named.or_else(|| self.template_argument(arg).map(Arc::new))
    }

    /// Returns the options of a driver for printing times and for values that cannot be cast.
    pub(crate) fn render_options(&mut self, options: &Options<'t>) -> RenderOptions {
        let format = options.word("ts-format").and_then(|word| StampFormat::from_name(&word));
        let on_error = options.word("on-error").and_then(|word| OnError::from_name(&word));
        RenderOptions {
            zone: self.zone(options.any("time-zone")),
            fraction_digits: options.count("frac-digits", 0).min(6) as u8,
            stamp_format: format.unwrap_or(StampFormat::Bsd),
            on_error: on_error.unwrap_or_default(),
            tags: self.tags.clone(),
        }
    }

    /// Returns the options for filters and rewrites: the global ones.
    pub(crate) fn global_render_options(&mut self) -> RenderOptions {
        let globals = self.globals;
        let format = globals.text("ts-format").and_then(|word| StampFormat::from_name(&word));
        let on_error = globals.text("on-error").and_then(|word| OnError::from_name(&word));
        let digits = globals.get("frac-digits").and_then(Call::number).unwrap_or(0);
        RenderOptions {
            zone: self.zone(globals.get("time-zone")),
            fraction_digits: digits.clamp(0, 6) as u8,
            stamp_format: format.unwrap_or(StampFormat::Bsd),
            on_error: on_error.unwrap_or_default(),
            tags: self.tags.clone(),
        }
    }

    /// Returns a time zone by name or offset; one that does not exist is an error.
    pub(crate) fn zone(&mut self, option: Option<&Call>) -> Option<TimeZone> {
        let arg = option?.args.first()?;
        let text = arg.text()?;
        if text.is_empty() {
            return None;
        }
        let zone = wire::zone_of(text);
        if zone.is_none() {
            let message = format!("time zone `{text}` is not known");
            self.report.push(Diagnostic::error(arg.span(), message));
        }
        zone
    }
}
