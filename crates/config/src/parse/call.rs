//! Drivers and options: `name(arguments)`.
//!
//! In: tokens after a name. Out: a [`Call`]. Commas between arguments are optional and mean nothing.

use super::parser::{Parsed, Parser};
use crate::lexer::token::Kind as Token;
use crate::text::Span;
use crate::tree::{Arg, Call, Kind, Name};
use crate::words::keyword;

/// Options of rewrite rules and parsers whose argument is a filter expression.
const FILTER_OPTIONS: &[&str] = &["condition", "having", "trigger", "where"];

impl Parser<'_> {
    /// Reads a call after its name. `kind` is the object around it.
    pub(super) fn call(&mut self, name: Name, kind: Option<Kind>) -> Parsed<Call> {
        let opening = self.expect('(')?;
        let is_filter = matches!(kind, Some(Kind::Rewrite | Kind::Parser))
            && FILTER_OPTIONS.contains(&keyword(&name.text).as_str());
        let args = self.deeper(opening, |parser| {
            if is_filter && !parser.at(')') {
                return Ok(vec![Arg::Filter(Box::new(parser.filter_expression()?))]);
            }
            parser.arguments(opening, ')', kind)
        })?;
        let close = self.expect(')')?;
        Ok(Call { span: name.span.to(close), name, args })
    }

    /// Arguments up to the closing mark, which stays.
    fn arguments(&mut self, opening: Span, close: char, kind: Option<Kind>) -> Parsed<Vec<Arg>> {
        let mut args = Vec::new();
        loop {
            if self.take(',') {
                continue;
            }
            if self.at(close) {
                return Ok(args);
            }
            if self.at_end() {
                return Err(self.not_closed(opening, close));
            }
            let arg = self.argument(close, kind)?;
            args.push(arg);
        }
    }

    fn argument(&mut self, close: char, kind: Option<Kind>) -> Parsed<Arg> {
        let token = self.peek().clone();
        let arg = match token.kind {
            Token::Word(text) => {
                self.next();
                self.after_word(Name { text, span: token.span }, kind)?
            }
            Token::Text(text) => {
                self.next();
                let name = Name { text, span: token.span };
                if self.peek().kind == Token::Range { self.range(name)? } else { Arg::Text(name) }
            }
            Token::Number(number) => {
                self.next();
                match self.peek().kind {
                    Token::Range => {
                        let text = self.lexer.texts.slice(token.span).to_string();
                        self.range(Name { text, span: token.span })?
                    }
                    _ => Arg::Number(number, token.span),
                }
            }
            Token::Float(number) => {
                self.next();
                Arg::Float(number, token.span)
            }
            Token::Mark(open @ ('(' | '{' | '[')) => {
                self.next();
                let close = match open {
                    '(' => ')',
                    '{' => '}',
                    _ => ']',
                };
                let args = self.deeper(token.span, |parser| parser.arguments(token.span, close, kind))?;
                let end = self.expect(close)?;
                Arg::Group(args, token.span.to(end))
            }
            Token::Mark(':') => {
                self.next();
                Arg::Word(Name { text: ":".to_string(), span: token.span })
            }
            _ => return Err(self.unexpected(&format!("an argument or `{close}`"))),
        };
        if self.peek().kind != Token::Arrow {
            return Ok(arg);
        }
        let key = match arg {
            Arg::Word(name) | Arg::Text(name) => name,
            Arg::Number(number, span) => Name { text: number.to_string(), span },
            _ => return Err(self.unexpected("an argument")),
        };
        self.next();
        Ok(Arg::Pair(key, Box::new(self.deeper(token.span, |parser| parser.argument(close, kind))?)))
    }

    /// Reads an argument after a bare word, which may be an option, or the start of a range.
    fn after_word(&mut self, name: Name, kind: Option<Kind>) -> Parsed<Arg> {
        if self.at('(') {
            return Ok(Arg::Call(self.call(name, kind)?));
        }
        if self.peek().kind == Token::Range {
            return self.range(name);
        }
        Ok(Arg::Word(name))
    }

    /// Reads `first..last`, of names or numbers, of which the first has been read.
    fn range(&mut self, first: Name) -> Parsed<Arg> {
        self.next();
        let last = self.name("the end of the range")?;
        Ok(Arg::Range(first, last))
    }
}
