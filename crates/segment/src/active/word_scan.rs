//! The terms and templates that a query searches in an active segment, by a scan over the documents.
//!
//! In: a pattern, or templates. Out: documents of a range. Holds: a bit per term and template. Limits: none of its own.

use super::builder::Builder;
use lookup::{Bitmap, Pattern, pattern::Matcher};
use std::ops::Range;

/// Up to this many terms are searched one by one.
const FEW: usize = 4;
/// Ids that are compared at once.
const PIECE: usize = 256;

/// The terms and templates that a pattern asks for.
pub(super) struct WordScan {
    terms: Vec<bool>,
    /// The numbers of the wanted terms, unless there are more than [`FEW`].
    few: Option<Vec<u32>>,
    templates: Vec<bool>,
    any_template: bool,
    /// How many words matched.
    pub(super) words: u64,
}

impl WordScan {
    /// Finds the terms and templates that match a pattern.
    pub(super) fn of(builder: &Builder, pattern: &Pattern) -> WordScan {
        let index = &builder.index;
        let matcher = Matcher::new(pattern);
        let mut terms = vec![false; index.terms.len() as usize];
        let mut numbers = vec![false; index.frequent().tokens().len()];
        if let Some(text) = matcher.exact() {
            index.terms.find(text).into_iter().for_each(|id| terms[id as usize] = true);
            index.frequent().find(text).into_iter().for_each(|number| numbers[usize::from(number)] = true);
        } else {
            for (id, wanted) in terms.iter_mut().enumerate() {
                *wanted = matcher.matches_token(index.terms.string(id as u32));
            }
            for (token, wanted) in index.frequent().tokens().iter().zip(&mut numbers) {
                *wanted = matcher.matches_token(token);
            }
        }
        let any_template = numbers.contains(&true);
        let mut templates = vec![false; index.templates.len() as usize];
        if any_template {
            let has = |number: &u16| numbers.get(usize::from(*number)).copied().unwrap_or(false);
            for (template, wanted) in templates.iter_mut().enumerate() {
                *wanted = index.templates.sequence(template as u32).iter().any(has);
            }
        }
        let words = terms.iter().chain(&numbers).filter(|wanted| **wanted).count() as u64;
        let wanted = terms.iter().zip(0u32..).filter(|(wanted, _)| **wanted).map(|(_, term)| term);
        let few: Vec<u32> = wanted.take(FEW + 1).collect();
        WordScan { few: (few.len() <= FEW).then_some(few), terms, templates, any_template, words }
    }

    /// The documents of these templates, and no others.
    pub(super) fn of_templates(templates: Vec<bool>) -> WordScan {
        WordScan { terms: Vec::new(), few: Some(Vec::new()), any_template: true, templates, words: 0 }
    }

    /// Adds the documents of a range that have one of them. Words that were added later are ignored.
    pub(super) fn walk(&self, builder: &Builder, documents: Range<u32>, found: &mut Bitmap) {
        match self.few.as_deref() {
            Some([]) => {}
            Some(few) => WordScan::walk_few(few, builder, documents.clone(), found),
            None => self.walk_terms(builder, documents.clone(), found),
        }
        if self.any_template {
            let templates = &builder.index.template_of[documents.start as usize..documents.end as usize];
            for (document, template) in documents.zip(templates) {
                if self.templates.get(*template as usize).copied().unwrap_or(false) {
                    found.add(document);
                }
            }
        }
    }

    fn walk_terms(&self, builder: &Builder, documents: Range<u32>, found: &mut Bitmap) {
        let index = &builder.index;
        let mut at = index.start(documents.start);
        for document in documents {
            let end = index.ends[document as usize] as usize;
            let ids = &index.flat[at..end];
            if ids.iter().any(|id| self.terms.get(*id as usize).copied().unwrap_or(false)) {
                found.add(document);
            }
            at = end;
        }
    }

    /// Does the same for a few terms: scans the flat list, and determines the document only where a term is found.
    fn walk_few(few: &[u32], builder: &Builder, documents: Range<u32>, found: &mut Bitmap) {
        let index = &builder.index;
        let ends = &index.ends[documents.start as usize..documents.end as usize];
        let start = index.start(documents.start);
        let end = ends.last().map_or(start, |end| *end as usize);
        let mut behind = 0;
        for (number, piece) in index.flat[start..end].chunks(PIECE).enumerate() {
            // Whole pieces are compared several ids at a time.
            if !few.iter().any(|wanted| piece.iter().fold(false, |any, id| any | (id == wanted))) {
                continue;
            }
            for (at, _) in piece.iter().enumerate().filter(|(_, id)| few.contains(id)) {
                let at = start + number * PIECE + at;
                behind += ends[behind..].partition_point(|end| *end as usize <= at);
                found.add(documents.start + behind as u32);
            }
        }
    }
}
