//! Functions over the elements of lists: `map`, `filter`, `iterate`.
//!
//! In: words. Out: compiled arguments. Holds nothing. Limits: none of its own.

use crate::{
    compile::{arguments::Word, call_compiler::CallCompiler, error::TemplateError},
    template::ListFunction,
};
use std::sync::Arc;

impl CallCompiler<'_> {
    pub(super) fn map(&self, words: &[Word]) -> Result<ListFunction, TemplateError> {
        match words {
            [template, lists @ ..] if !lists.is_empty() => {
                Ok(ListFunction::Map { template: self.one(template)?, lists: self.all(lists)? })
            }
            _ => self.wrong("a template and at least one list expected"),
        }
    }

    pub(super) fn filter(&self, words: &[Word]) -> Result<ListFunction, TemplateError> {
        match words {
            [condition, lists @ ..] if !lists.is_empty() => {
                Ok(ListFunction::Filter { condition: self.condition(condition)?, lists: self.all(lists)? })
            }
            _ => self.wrong("a condition and at least one list expected"),
        }
    }

    pub(super) fn iterate(&self, words: &[Word]) -> Result<ListFunction, TemplateError> {
        match words {
            [template, first] => Ok(ListFunction::Iterate {
                template: self.one(template)?,
                first: self.one(first)?,
                next: Arc::default(),
            }),
            _ => self.wrong("a template and a first value expected"),
        }
    }
}
