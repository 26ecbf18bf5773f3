//! Looks up several words together in a sealed segment.
//!
//! In: words of which some are required and others excluded. Out: documents. A document has at most one template:
//! which templates have the words is known before a document is looked up, and only the documents of these are.
//! Matches without templates (rare words, values, host, program) are documents from the start.
//! Holds: a bit per document, a byte per template. Limits: none of its own.

use super::Sealed;
use crate::answers::{column::Source, words};
use lookup::{Bitmap, CancelToken, Column, Pattern, ReadError, Together};

/// The columns whose words are not among the terms.
const COLUMNS: [Column; 2] = [Column::Host, Column::Program];

/// Documents, represented by their templates as long as possible.
struct Documents {
    /// For each template, whether its messages are among them; as long as the last such one needs.
    templates: Vec<bool>,
    /// Further documents.
    others: Bitmap,
    /// True when there are no others.
    is_outlined: bool,
}

impl Sealed {
    /// Returns the documents that have a word of each required list, and no excluded word.
    pub(super) fn together(&self, words: &Together<'_>, cancel: &CancelToken) -> Result<Bitmap, ReadError> {
        let _pin = self.file.pin();
        let mut found: Option<Documents> = None;
        for any in &words.any {
            let next = self.having(any, cancel)?;
            let both = match found {
                None => next,
                Some(found) => self.both(found, next)?,
            };
            if both.is_outlined && !both.templates.contains(&true) {
                return Ok(both.others);
            }
            found = Some(both);
        }
        let all = || Documents::listed(Bitmap::all(self.meta.length));
        let mut found = found.unwrap_or_else(all);
        if !words.none.is_empty() {
            let unwanted = self.having(&words.none, cancel)?;
            found = self.without(found, unwanted)?;
        }
        self.listed(found)
    }

    /// Documents that have one of some words.
    fn having(&self, words: &[&Pattern], cancel: &CancelToken) -> Result<Documents, ReadError> {
        let (mut templates, mut others) = (Vec::new(), Bitmap::none(self.meta.length));
        for word in words {
            self.add_tokens(word, cancel, &mut others, &mut templates)?;
        }
        for column in &COLUMNS {
            let sources = self.sources(column)?;
            let sources = sources.iter().map(|(source, _)| source as &dyn Source);
            words::add_columns(sources, words, cancel, &mut others)?;
        }
        Ok(Documents { templates, is_outlined: others.is_empty(), others })
    }

    fn both(&self, mut one: Documents, mut other: Documents) -> Result<Documents, ReadError> {
        if one.is_outlined && other.is_outlined {
            other.templates.resize(one.templates.len(), false);
            one.templates.iter_mut().zip(other.templates).for_each(|(one, other)| *one &= other);
            return Ok(one);
        }
        let mut documents = self.listed(one)?;
        documents.and(&self.listed(other)?);
        Ok(Documents::listed(documents))
    }

    fn without(&self, mut found: Documents, mut unwanted: Documents) -> Result<Documents, ReadError> {
        if !found.is_outlined {
            let mut documents = self.listed(found)?;
            documents.and_not(&self.listed(unwanted)?);
            return Ok(Documents::listed(documents));
        }
        unwanted.templates.resize(found.templates.len(), false);
        found.templates.iter_mut().zip(unwanted.templates).for_each(|(found, unwanted)| *found &= !unwanted);
        if unwanted.is_outlined {
            return Ok(found);
        }
        let mut documents = self.listed(found)?;
        documents.and_not(&unwanted.others);
        Ok(Documents::listed(documents))
    }

    /// Looks up the documents of the templates.
    fn listed(&self, found: Documents) -> Result<Bitmap, ReadError> {
        let Documents { templates, mut others, .. } = found;
        self.add_templates(&templates, &mut others).map_err(|damage| self.corrupt(damage))?;
        Ok(others)
    }
}

impl Documents {
    /// Documents that are known one by one.
    fn listed(others: Bitmap) -> Documents {
        Documents { templates: Vec::new(), is_outlined: others.is_empty(), others }
    }
}
