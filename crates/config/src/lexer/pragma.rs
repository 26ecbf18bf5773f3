//! Lines that start with `@`: version, define, include, module, requires, line.
//!
//! In: the rest of the line. Out: changes of the lexer.
//! Holds: nothing.

use super::stream::Lexer;
use super::token::{Kind, Token};
use crate::diagnostic::Diagnostic;
use crate::text::Span;
use crate::tree::{Module, Name, Version};
use crate::words::keyword;

/// The pragmas, for "did you mean".
const PRAGMAS: &[&str] = &["define", "include", "line", "module", "requires", "version"];

impl Lexer<'_> {
    /// Reads one pragma, from its `@` to the end of its line.
    pub(super) fn pragma(&mut self) {
        let start = self.reader.start();
        self.reader.bump();
        let words = self.line_tokens();
        let at = self.reader.span(start);
        let Some((first, arguments)) = words.split_first() else {
            self.report.push(Diagnostic::error(at, "`@` without a pragma").help(accepted()));
            return;
        };
        let whole = at.to(words.last().map_or(first.span, |last| last.span));
        match first.keyword().as_deref() {
            Some("version") => self.version_pragma(arguments, whole),
            Some("define") => self.define_pragma(arguments, whole),
            Some("include") => self.include_pragma(arguments, whole),
            Some("module") => self.module_pragma(arguments, whole),
            Some("requires") => self.requires_pragma(arguments, whole),
            Some("line") => {}
            _ => self.report.push(
                Diagnostic::error(first.span, format!("unknown pragma {}", first.describe()))
                    .help(accepted()),
            ),
        }
    }

    /// Reads the tokens up to the end of the line.
    fn line_tokens(&mut self) -> Vec<Token> {
        let mut tokens = Vec::new();
        loop {
            match self.reader.peek() {
                None | Some(b'\n') => return tokens,
                Some(b' ' | b'\t' | b'\r') => {
                    self.reader.bump();
                    continue;
                }
                Some(b'#') => {
                    let rest = self.reader.rest();
                    let length = rest.iter().position(|byte| *byte == b'\n').unwrap_or(rest.len());
                    self.reader.advance(length);
                    continue;
                }
                Some(b'@') => {
                    let start = self.reader.start();
                    self.reader.bump();
                    tokens.push(Token { kind: Kind::Bad, span: self.reader.span(start) });
                }
                Some(_) => {
                    let token = self.next();
                    if token.kind == Kind::End {
                        return tokens;
                    }
                    tokens.push(token);
                }
            }
        }
    }

    fn version_pragma(&mut self, arguments: &[Token], whole: Span) {
        let arguments = match arguments.split_first() {
            Some((colon, rest)) if colon.is(':') => rest,
            _ => arguments,
        };
        let Some(first) = arguments.first() else {
            self.report.push(Diagnostic::error(whole, "`@version:` without a number").help(version_help()));
            return;
        };
        let text = self.texts.slice(first.span).trim_matches(['"', '\'']).to_string();
        let number = if text == "current" { Some(Version::CURRENT) } else { Version::read(&text) };
        match number {
            Some(number) => {
                let number = number.of_syslog_ng();
                self.judge_version(number, first.span);
                self.version = Some(number);
            }
            None => self.report.push(
                Diagnostic::error(first.span, format!("`{text}` is not a version number"))
                    .help(version_help()),
            ),
        }
    }

    fn judge_version(&mut self, version: Version, span: Span) {
        if version < Version::OLDEST {
            self.report.push(
                Diagnostic::error(span, format!("configurations of version {version} are not supported"))
                    .help(format!("the oldest supported version is {}", Version::OLDEST)),
            );
        } else if version > Version::NEWEST {
            self.report.push(
                Diagnostic::warning(span, format!("version {version} is newer than this program knows"))
                    .help(format!("it is read as version {}", Version::NEWEST)),
            );
        }
    }

    fn define_pragma(&mut self, arguments: &[Token], whole: Span) {
        let [name, value, rest @ ..] = arguments else {
            self.report.push(
                Diagnostic::error(whole, "`@define` needs a name and a value").help("@define NAME \"value\""),
            );
            return;
        };
        let Kind::Word(word) = &name.kind else {
            self.report.push(Diagnostic::error(name.span, "expected the name to define"));
            return;
        };
        if let Some(extra) = rest.first() {
            self.report.push(
                Diagnostic::error(extra.span, "`@define` takes one value")
                    .help("put quotes around a value with several words"),
            );
        }
        let key = keyword(word);
        if let Some(value) = self.value_of(value) {
            self.defines.insert(key, value);
        }
    }

    /// Returns the value of a single token, as text.
    fn value_of(&mut self, token: &Token) -> Option<String> {
        match &token.kind {
            Kind::Word(text) | Kind::Text(text) => Some(text.clone()),
            Kind::Number(_) | Kind::Float(_) => Some(self.texts.slice(token.span).to_string()),
            _ => {
                self.report.push(Diagnostic::error(
                    token.span,
                    format!("expected a value, found {}", token.describe()),
                ));
                None
            }
        }
    }

    fn include_pragma(&mut self, arguments: &[Token], whole: Span) {
        match arguments {
            [Token { kind: Kind::Text(path) | Kind::Word(path), span }] => self.include(path, *span),
            [Token { kind: Kind::Bad, .. }, ..] => {}
            [] => self.report.push(
                Diagnostic::error(whole, "`@include` needs a file, a folder or a pattern")
                    .help("@include \"conf.d/*.conf\""),
            ),
            [first, ..] => self.report.push(Diagnostic::error(
                first.span,
                "`@include` takes one file, folder or pattern in quotes",
            )),
        }
    }

    fn module_pragma(&mut self, arguments: &[Token], whole: Span) {
        match arguments.first().map(|token| (&token.kind, token.span)) {
            Some((Kind::Word(name) | Kind::Text(name), span)) => {
                let name = Name { text: name.clone(), span };
                self.modules.push(Module { name, span: whole });
            }
            _ => self.report.push(Diagnostic::error(whole, "`@module` needs the name of a module")),
        }
    }

    /// Reports the module of `@requires` when this program does not have it; those that it has are always loaded.
    fn requires_pragma(&mut self, arguments: &[Token], whole: Span) {
        let name = arguments.first().and_then(|token| self.value_of(token));
        match name {
            Some(name) if crate::options::has_module(&name) => {}
            Some(name) => {
                let told = match arguments.get(1).map(|token| &token.kind) {
                    Some(Kind::Text(message)) => format!(": {message}"),
                    _ => String::new(),
                };
                self.report.push(Diagnostic::error(
                    whole,
                    format!("module `{name}` is required but not supported yet{told}"),
                ));
            }
            None => self.report.push(Diagnostic::error(whole, "`@requires` needs the name of a module")),
        }
    }
}

fn accepted() -> String {
    let names: Vec<String> = PRAGMAS.iter().map(|name| format!("@{name}")).collect();
    format!("one of {}", names.join(", "))
}

fn version_help() -> String {
    format!("write `@version: {}`, or `@version: current`", Version::CURRENT)
}
