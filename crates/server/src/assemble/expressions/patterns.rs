//! Patterns: regular expressions, texts and globs.
//!
//! In: the text of a pattern, its kind and flags. Out: a compiled pattern. Holds: nothing.
//! Limits: a pattern that cannot be compiled is an error with its position.

use crate::assemble::lowering::Lowering;
use config::tree::{MatchFlag, MatchType, Name};
use pipeline::filter;
use std::sync::Arc;
use template::pattern::{Pattern, PatternError, PatternFlags, PatternKind};

impl Lowering<'_> {
    /// Compiles a pattern.
    pub(crate) fn pattern(
        &mut self,
        text: &Name,
        kind: MatchType,
        flags: &[MatchFlag],
    ) -> Option<Arc<Pattern>> {
        let flags = filter::pattern_flags(flags, self.definitions.version);
        self.compiled_pattern(text, filter::pattern_kind(kind), flags)
    }

    /// Compiles a pattern of a kind.
    pub(crate) fn compiled_pattern(
        &mut self,
        text: &Name,
        kind: PatternKind,
        flags: PatternFlags,
    ) -> Option<Arc<Pattern>> {
        match Pattern::compile(&text.text, kind, flags) {
            Ok(pattern) => Some(Arc::new(pattern)),
            Err(PatternError::Syntax { offset, reason }) => {
                self.report_inside(text, offset, format!("wrong regular expression: {reason}"));
                None
            }
            Err(error) => self.refuse(text, error),
        }
    }
}
