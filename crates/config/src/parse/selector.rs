//! `selector("mail.*;auth,authpriv.none")`: a classic selector as a filter.
//!
//! In: a call. Out: facilities and severities, as if they were written with `facility()` and `level()`.

use super::parser::{Parsed, Parser};
use crate::diagnostic::Diagnostic;
use crate::tree::{Call, FacilitySet, Filter, FilterLeaf, SeveritySet};
use crate::words::selector;

impl Parser<'_> {
    pub(super) fn selector(&mut self, call: &Call) -> Parsed<Filter> {
        let (Some(text), [arg]) = (call.text(), call.args.as_slice()) else {
            let message = format!("`{}()` needs one selector", call.name.text);
            let diagnostic = Diagnostic::error(call.span, message);
            return Err(self.error(diagnostic.help("selector(\"*.info;mail.none\")")));
        };
        let masks = selector(text).map_err(|bad| {
            let written = self.lexer.texts.slice(arg.span());
            let at = written.find(&bad.word).filter(|_| !bad.word.is_empty());
            let span = match at {
                Some(at) => {
                    let start = arg.span().start + at as u32;
                    crate::text::Span { start, end: start + bad.word.len() as u32, ..arg.span() }
                }
                None => arg.span(),
            };
            let message = format!("`{}` is not {}", bad.word, bad.wanted);
            self.error(Diagnostic::error(span, message).help("selector(\"mail.info;auth,authpriv.none\")"))
        })?;
        Ok(filter(&masks, call))
    }
}

/// Facilities with the same severities become one test.
fn filter(masks: &[u8], call: &Call) -> Filter {
    let mut groups: Vec<(u8, u32)> = Vec::new();
    for (number, mask) in masks.iter().enumerate().filter(|(_, mask)| **mask != 0) {
        match groups.iter_mut().find(|(known, _)| known == mask) {
            Some((_, facilities)) => *facilities |= 1 << number,
            None => groups.push((*mask, 1 << number)),
        }
    }
    let leaf = |leaf| Filter::Leaf(leaf, call.span);
    let mut tests: Vec<Filter> = groups
        .into_iter()
        .map(|(severities, facilities)| {
            let severity = leaf(FilterLeaf::Severity(SeveritySet(severities)));
            let facility = leaf(FilterLeaf::Facility(FacilitySet(facilities)));
            Filter::And(vec![facility, severity], call.span)
        })
        .collect();
    match tests.len() {
        0 => leaf(FilterLeaf::Facility(FacilitySet(0))),
        1 => tests.remove(0),
        _ => Filter::Or(tests, call.span),
    }
}
