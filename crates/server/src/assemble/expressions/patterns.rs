//! Patterns: regular expressions, texts and globs.
//!
//! In: the text of a pattern, its kind and flags. Out: a compiled pattern. Holds: nothing.
//! Limits: a pattern that cannot be compiled is an error at its place.

use crate::assemble::lowering::Lowering;
use config::tree::{MatchFlag, MatchType, Name};
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
        let kind = match kind {
            MatchType::Pcre => PatternKind::Pcre,
            MatchType::Text => PatternKind::Literal,
            MatchType::Glob => PatternKind::Glob,
        };
        let keeps_unused_groups = !self.definitions.version.clears_unused_groups();
        let mut set = PatternFlags { keeps_unused_groups, ..PatternFlags::default() };
        for flag in flags {
            *match flag {
                MatchFlag::IgnoreCase => &mut set.ignore_case,
                MatchFlag::StoreMatches => &mut set.store_matches,
                MatchFlag::Utf8 => &mut set.utf8,
                MatchFlag::Newline => &mut set.newline,
                MatchFlag::Global => &mut set.global,
                MatchFlag::Substring => &mut set.substring,
                MatchFlag::Prefix => &mut set.prefix,
                MatchFlag::Dupnames => &mut set.dupnames,
                MatchFlag::DisableJit => &mut set.disable_jit,
            } = true;
        }
        match Pattern::compile(&text.text, kind, set) {
            Ok(pattern) => Some(Arc::new(pattern)),
            Err(PatternError::Syntax { offset, reason }) => {
                self.report_inside(text, offset, format!("wrong regular expression: {reason}"));
                None
            }
            Err(error) => self.refuse(text, error),
        }
    }
}
