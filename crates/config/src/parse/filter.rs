//! Filter expressions: `and`, `or`, `not`, parentheses; a `;` between two is an `and` that binds loosest.
//!
//! In: tokens. Out: a [`Filter`].

use super::{Parsed, Parser};
use crate::diagnostic::Diagnostic;
use crate::lexer::token::Kind as Token;
use crate::text::Span;
use crate::tree::Filter;

impl Parser<'_> {
    /// `expression; expression; }`. The opening brace has been consumed; the closing one is, here.
    pub(super) fn filter_body(&mut self, opening: Span) -> Parsed<Filter> {
        let errors = self.lexer.report.error_count();
        let result = self.deeper(opening, |parser| {
            parser.braced(opening, |parser, filters: &mut Vec<Filter>| {
                filters.push(parser.filter_expression()?);
                if parser.at('}') || parser.take(';') {
                    return Ok(());
                }
                Err(parser.unexpected("`and`, `or`, `;` or `}`"))
            })
        })?;
        let (filters, close) = result;
        if filters.is_empty() && self.lexer.report.error_count() == errors {
            return Err(self.error(Diagnostic::error(opening.to(close), "the filter is empty")));
        }
        Ok(joined(filters, Filter::And).unwrap_or(Filter::And(Vec::new(), opening)))
    }

    /// `a or b and not c`.
    pub(super) fn filter_expression(&mut self) -> Parsed<Filter> {
        let mut any = vec![self.filter_all()?];
        while self.take_word("or") {
            any.push(self.filter_all()?);
        }
        Ok(joined(any, Filter::Or).unwrap_or(Filter::Or(Vec::new(), Span::default())))
    }

    fn filter_all(&mut self) -> Parsed<Filter> {
        let mut all = vec![self.filter_one()?];
        while self.take_word("and") {
            all.push(self.filter_one()?);
        }
        Ok(joined(all, Filter::And).unwrap_or(Filter::And(Vec::new(), Span::default())))
    }

    fn filter_one(&mut self) -> Parsed<Filter> {
        let token = self.peek().clone();
        if self.take_word("not") {
            let inner = self.deeper(token.span, |parser| parser.filter_one())?;
            let span = token.span.to(inner.span());
            return Ok(Filter::Not(Box::new(inner), span));
        }
        if self.take('(') {
            let inner = self.deeper(token.span, |parser| parser.filter_expression())?;
            self.expect(')')?;
            return Ok(inner);
        }
        self.filter_leaf()
    }

    fn take_word(&mut self, wanted: &str) -> bool {
        let found = matches!(&self.peek().kind, Token::Word(word) if word == wanted);
        if found {
            self.next();
        }
        found
    }
}

/// One filter stays itself; several become a group.
fn joined(mut filters: Vec<Filter>, group: fn(Vec<Filter>, Span) -> Filter) -> Option<Filter> {
    if filters.len() < 2 {
        return filters.pop();
    }
    let span = filters[0].span().to(filters[filters.len() - 1].span());
    Some(group(filters, span))
}
