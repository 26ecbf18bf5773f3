//! The means by which all calls compile their arguments.
//!
//! In: words. Out: templates, conditions, errors that name the function. Holds: the name of the function, its offset,
//! the definitions around it. Limits: those of templates.

use super::{arguments::Word, error::TemplateError};
use crate::template::{Condition, Surroundings, Template};
use std::sync::Arc;

/// Compiles the words of one call.
pub(super) struct CallCompiler<'a> {
    pub(super) name: &'a str,
    pub(super) offset: usize,
    pub(super) around: &'a dyn Surroundings,
    pub(super) depth: usize,
}

impl CallCompiler<'_> {
    pub(super) fn one(&self, word: &Word) -> Result<Template, TemplateError> {
        Template::nested(&word.text, self.around, self.depth + 1).map_err(|error| error.shifted(word.offset))
    }

    pub(super) fn all(&self, words: &[Word]) -> Result<Vec<Template>, TemplateError> {
        words.iter().map(|word| self.one(word)).collect()
    }

    pub(super) fn only(&self, words: &[Word]) -> Result<Template, TemplateError> {
        match words {
            [word] => self.one(word),
            _ => self.wrong(format!("one argument expected, {} given", words.len())),
        }
    }

    pub(super) fn wrong<T>(&self, reason: impl std::fmt::Display) -> Result<T, TemplateError> {
        Err(TemplateError::at(self.offset, format!("$({}): {reason}", self.name)))
    }

    pub(super) fn condition(&self, word: &Word) -> Result<Arc<dyn Condition>, TemplateError> {
        self.around.condition(&word.text).map_err(|reason| {
            TemplateError::at(word.offset, format!("$({}): condition: {reason}", self.name))
        })
    }
}
