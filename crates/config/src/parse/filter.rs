//! Filter expressions: `and`, `or`, `not`, parentheses; a `;` between two is an `and` that binds loosest.
//!
//! In: tokens. Out: a [`Filter`]. The body of a block is read as if it were written there: `not` binds its first
//! filter.

use super::parser::{Parsed, Parser};
use crate::diagnostic::Diagnostic;
use crate::lexer::token::Kind as Token;
use crate::text::Span;
use crate::tree::Filter;

impl Parser<'_> {
    /// Reads `expression; expression; }`. The opening brace has been consumed; the closing one is, here.
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
        Ok(joined(filters, Filter::And))
    }

    /// Reads `a or b and not c; d`. The part before a `;` is complete, even where `and` or `or` follows it: so a block
    /// may end with one.
    pub(super) fn filter_expression(&mut self) -> Parsed<Filter> {
        let first = self.filter_one()?;
        let mut filter = self.filter_any(first)?;
        while self.take(';') {
            while self.take(';') {}
            if matches!(self.peek().kind, Token::Mark('}' | ')') | Token::End) {
                break;
            }
            filter = if self.at_word("and") || self.at_word("or") {
                self.filter_any(filter)?
            } else {
                let next = self.filter_one()?;
                let next = self.filter_any(next)?;
                joined(vec![filter, next], Filter::And)
            };
        }
        Ok(filter)
    }

    /// Reads `first and b or c`, of which the first has been read.
    fn filter_any(&mut self, first: Filter) -> Parsed<Filter> {
        let mut any = vec![self.filter_all(first)?];
        while self.take_word("or") {
            let next = self.filter_one()?;
            any.push(self.filter_all(next)?);
        }
        Ok(joined(any, Filter::Or))
    }

    fn filter_all(&mut self, first: Filter) -> Parsed<Filter> {
        let mut all = vec![first];
        while self.take_word("and") {
            all.push(self.filter_one()?);
        }
        Ok(joined(all, Filter::And))
    }

    pub(super) fn filter_one(&mut self) -> Parsed<Filter> {
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

    /// Returns true when an operator is next. In a standalone expression it may be in upper case.
    fn at_word(&mut self, wanted: &str) -> bool {
        let is_any_case = self.lexer.in_expression();
        match &self.peek().kind {
            Token::Word(word) => word == wanted || is_any_case && word.eq_ignore_ascii_case(wanted),
            _ => false,
        }
    }

    fn take_word(&mut self, wanted: &str) -> bool {
        let found = self.at_word(wanted);
        if found {
            self.next();
        }
        found
    }
}

/// Joins filters: one stays itself, several become a group.
fn joined(mut filters: Vec<Filter>, group: fn(Vec<Filter>, Span) -> Filter) -> Filter {
    match (filters.pop(), filters.first()) {
        (Some(only), None) => only,
        (Some(last), Some(first)) => {
            let span = first.span().to(last.span());
            filters.push(last);
            group(filters, span)
        }
        (None, _) => group(filters, Span::default()),
    }
}
