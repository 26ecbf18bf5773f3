//! Parsers that make one message of several.
//!
//! In: calls. Out: parsers. Limits: none of its own.

use super::calls::ParserCall;
use crate::assemble::lowering::Lowering;
use config::tree::{Arg, Call};
use message::FieldName;
use pipeline::{
    Parser,
    correlation::{GroupLines, GroupOptions, GroupingBy, Inherit, Inject, LinesOptions, Scope, Synthetic},
};
use std::sync::Arc;

impl<'t> Lowering<'t> {
    pub(crate) fn grouping_by(&mut self, parser: ParserCall<'t>) -> Option<Arc<dyn Parser>> {
        let options = parser.options;
        let (key, scope, timeout_s) = self.group(parser)?;
        let prefix = options.own_text("prefix").unwrap_or_default();
        let made = GroupOptions {
            scope,
            timeout_s,
            only: self.option_filter(parser, "where")?,
            trigger: self.option_filter(parser, "trigger")?,
            having: self.option_filter(parser, "having")?,
            sort_key: self.option_template(parser, "sort-key")?,
            aggregate: self.aggregate(options.own("aggregate")?, &prefix)?,
            inject: self.inject_mode(parser, Inject::PassThrough),
            key: key.clone(),
        };
        let state = self.reload_state(parser, &format!("{},{scope:?}", key.text()));
        Some(Arc::new(GroupingBy::new(made, state)))
    }

    pub(crate) fn group_lines(&mut self, parser: ParserCall<'t>) -> Option<Arc<dyn Parser>> {
        let options = parser.options;
        let (key, scope, timeout_s) = self.group(parser)?;
        let Some(mode) = options.word("multi-line-mode") else {
            self.report.push(config::Diagnostic::error(
                parser.options.call.span,
                "group-lines() needs multi-line-mode(): which lines are one message",
            ));
            return None;
        };
        let made = LinesOptions {
            scope,
            timeout_s,
            line: self.parser_input(parser)?,
            separator: options.own_text("line-separator").unwrap_or_else(|| "\n".to_owned()).into_bytes(),
            mode: self.multi_line(&options, &mode),
            inject: self.inject_mode(parser, Inject::AggregateOnly),
            key: key.clone(),
        };
        let state = self.reload_state(parser, &format!("{},{scope:?}", key.text()));
        Some(Arc::new(GroupLines::new(made, state)))
    }

    /// Reads `key()`, `scope()` and `timeout()`.
    fn group(&mut self, parser: ParserCall<'t>) -> Option<(Arc<template::Template>, Scope, i64)> {
        let key = self.option_template(parser, "key")??;
        let scope = parser.options.word("scope").and_then(|name| Scope::from_name(&name));
        let timeout_s = parser.options.number("timeout")?;
        Some((key, scope.unwrap_or(Scope::Global), timeout_s))
    }

    /// Reads `aggregate(value("NAME" "template") tags("tag") inherit-mode(context))`.
    fn aggregate(&mut self, option: &Call, prefix: &str) -> Option<Synthetic> {
        let mut made = Synthetic { inherit: Inherit::Context, ..Synthetic::default() };
        for inner in option.options() {
            match inner.key().as_str() {
                "inherit-mode" => {
                    let word = inner.text().unwrap_or_default().replace('_', "-");
                    made.inherit = Inherit::from_name(&word).unwrap_or(Inherit::Context);
                }
                "tags" => made.tags.extend(inner.texts()),
                "value" => {
                    let [name, value] = inner.args.as_slice() else {
                        self.report_option(inner, "`value()` takes a name and a template");
                        return None;
                    };
                    let Some(name) = Arg::text(name) else {
                        self.report_option(inner, "the name of a value is a text");
                        return None;
                    };
                    let name = FieldName::parse(&format!("{prefix}{name}"));
                    let errors = self.report.findings().len();
                    let Some(template) = self.template_argument(value) else {
                        if self.report.findings().len() == errors {
                            self.report_option(inner, "the second argument of `value()` is no template");
                        }
                        return None;
                    };
                    made.values.push((name, Arc::new(template)));
                }
                _ => {}
            }
        }
        Some(made)
    }
}
