//! Blocks: their definition and their use.
//!
//! In: `block CONTEXT NAME(parameters) { body }`, and `NAME(arguments)` where the context fits.
//! Out: a [`Block`] remembered, and its body pushed on the lexer with the values of one use.
//! Limits: those of the lexer.

use std::sync::Arc;

use super::parser::{Failed, Parsed, Parser};
use crate::diagnostic::Diagnostic;
use crate::lexer::Values;
use crate::lexer::token::Kind;
use crate::text::Span;
use crate::tree::{Block, Parameter, Raw};
use crate::tree::{Name, Statement};
use crate::words::nearest;

/// The contexts in which a block can be used.
const CONTEXTS: &[&str] = &[
    "root",
    "source",
    "destination",
    "log",
    "parser",
    "rewrite",
    "filter",
    "filterx",
    "options",
    "template-function",
    "client",
    "server",
    "multi-line",
];

/// The argument that holds all arguments that are not declared.
const REST: &str = "--VARARGS--";

impl Parser<'_> {
    /// Reads a definition after the word `block`.
    pub(super) fn block(&mut self, start: Span) -> Parsed<Statement> {
        let context = self.name("where the block is used, such as `source`")?;
        if !CONTEXTS.contains(&context.key().as_str()) {
            let mut diagnostic =
                Diagnostic::error(context.span, format!("unknown block context `{}`", context.text))
                    .help(format!("one of {}", CONTEXTS.join(", ")));
            if let Some(near) = nearest(&context.key(), CONTEXTS.iter().copied()) {
                diagnostic = diagnostic.label(format!("did you mean `{near}`?"));
            }
            self.warn(diagnostic);
        }
        let name = self.name("the name of the block")?;
        self.expect('(')?;
        let (mut parameters, mut takes_rest) = (Vec::new(), false);
        while !self.at(')') {
            if self.take(',') {
                continue;
            }
            let name = self.name("a parameter such as `port(514)`, or `)`")?;
            if matches!(name.text.as_str(), "...") {
                takes_rest = true;
                continue;
            }
            let opening = self.expect('(')?;
            let span = self.lexer.raw(b')', opening).ok_or(Failed)?;
            let given = !self.lexer.texts.slice(span).trim().is_empty();
            parameters.push(Parameter { name, default: given.then_some(Raw { span }) });
        }
        self.expect(')')?;
        let body = self.raw_body()?;
        let takes_rest = takes_rest || self.lexer.texts.slice(body).contains("__VARARGS__");
        let (span, body) = (start.to(body), Raw { span: body });
        let block = Block { span, context, name, parameters, takes_rest, body };
        let key = (block.context.key(), block.name.key());
        if let Some(first) = self.blocks.get(&key) {
            let related = first.name.span;
            self.warn(
                Diagnostic::warning(block.name.span, format!("block `{}` is defined again", block.name.text))
                    .related(related, "this definition is replaced"),
            );
        }
        self.blocks.insert(key, Arc::new(block.clone()));
        Ok(Statement::Block(block))
    }

    /// Reads the arguments after `NAME(` of a use, and continues in the body.
    pub(super) fn use_block(&mut self, block: &Block, name: &Name, opening: Span) -> Parsed<()> {
        let mut values = Values::default();
        let mut rest = Vec::new();
        loop {
            if self.take(',') {
                continue;
            }
            if self.at(')') {
                break;
            }
            if self.at_end() {
                return Err(self.not_closed(opening, ')'));
            }
            if !matches!(self.peek().kind, Kind::Word(_)) {
                return Err(self.unexpected("an argument such as `port(514)`, or `)`"));
            }
            let argument = self.name("an argument")?;
            let open = self.expect('(')?;
            let what = format!("`{}()` of block `{}()`", argument.text, block.name.text);
            let span = self.lexer.raw_substituted(b')', open, &what).ok_or(Failed)?;
            let key = argument.key();
            if block.parameters.iter().all(|parameter| parameter.name.key() != key) {
                rest.retain(|(earlier, _): &(Name, Span)| earlier.key() != key);
                rest.push((argument, span));
            } else if !self.lexer.texts.slice(span).trim().is_empty() {
                values.named.insert(key, self.pieces(span));
            }
        }
        self.expect(')')?;
        self.complete(block, name, &mut values)?;
        self.add_rest(block, name, rest, &mut values)?;
        self.lexer.expand(block, values, name.span);
        Ok(())
    }

    /// Fills in defaults, and reports missing arguments without one.
    fn complete(&mut self, block: &Block, name: &Name, values: &mut Values) -> Parsed<()> {
        for parameter in &block.parameters {
            let key = parameter.name.key();
            if values.named.contains_key(&key) {
                continue;
            }
            let Some(default) = &parameter.default else {
                return Err(self.error(
                    Diagnostic::error(
                        name.span,
                        format!("block `{}` needs `{}()`", name.text, parameter.name.text),
                    )
                    .related(parameter.name.span, "it has no default"),
                ));
            };
            values.named.insert(key, self.pieces(default.span));
        }
        Ok(())
    }

    /// Returns the text that replaces an argument: its value, and nothing for an empty string.
    fn pieces(&self, span: Span) -> Vec<Span> {
        match self.lexer.texts.slice(span).trim() {
            "\"\"" | "''" => Vec::new(),
            _ => vec![span],
        }
    }

    /// Puts undeclared arguments in place of `__VARARGS__` in the body; the last of one name counts.
    fn add_rest(
        &mut self,
        block: &Block,
        name: &Name,
        rest: Vec<(Name, Span)>,
        values: &mut Values,
    ) -> Parsed<()> {
        if let (false, Some((extra, _))) = (block.takes_rest, rest.first()) {
            let known: Vec<String> = block.parameters.iter().map(|parameter| parameter.name.key()).collect();
            let mut diagnostic = Diagnostic::error(
                extra.span,
                format!("block `{}` has no argument `{}`", name.text, extra.text),
            )
            .related(block.name.span, "the block is defined here");
            if let Some(near) = nearest(&extra.key(), known.iter().map(String::as_str)) {
                diagnostic = diagnostic.label(format!("did you mean `{near}`?"));
            } else if !known.is_empty() {
                diagnostic = diagnostic.help(format!("it has {}", known.join(", ")));
            }
            return Err(self.error(diagnostic.unsupported()));
        }
        let mut pieces = Vec::new();
        for (argument, span) in rest {
            // An argument without replacements is used from the text that it was written in; any other gets a text of its own.
            let written = Span { end: span.end + 1, ..argument.span };
            let is_written = span.text == argument.span.text && span.start >= argument.span.end;
            pieces.push(match is_written {
                true => written,
                false => {
                    let whole = format!("{}({})", argument.text, self.lexer.texts.slice(span));
                    let what = format!("`{}()` of block `{}()`", argument.text, block.name.text);
                    self.lexer.made(whole, &what, name.span).ok_or(Failed)?
                }
            });
        }
        values.named.insert(REST.to_string(), pieces);
        Ok(())
    }
}
