//! Rules for joining lines to messages.
//!
//! In: `multi-line-*()` of a source or of `group-lines()`. Out: the rule. Holds: nothing.
//! Limits: a pattern that cannot be compiled is an error with its position.

use crate::assemble::{lowering::Lowering, options::driver::Options};
use config::tree::{Call, MatchType, Name};
use std::sync::Arc;
use template::pattern::Groups;
use wire::{LinePattern, MultiLine};

impl<'t> Lowering<'t> {
    /// Returns the rule of a mode, with its patterns.
    pub(crate) fn multi_line(&mut self, options: &Options<'t>, mode: &str) -> Arc<MultiLine> {
        let mut pattern = |name: &str| options.own(name).and_then(|option| self.line_pattern(option));
        Arc::new(match mode {
            "indented" => MultiLine::Indented,
            "smart" => MultiLine::Smart,
            "empty-line-separated" => MultiLine::EmptyLineSeparated,
            "prefix-suffix" => MultiLine::PrefixSuffix {
                prefix: pattern("multi-line-prefix"),
                suffix: pattern("multi-line-suffix"),
            },
            _ => MultiLine::PrefixGarbage {
                prefix: pattern("multi-line-prefix"),
                garbage: pattern("multi-line-garbage"),
            },
        })
    }

    fn line_pattern(&mut self, option: &Call) -> Option<LinePattern> {
        let text = option.texts().into_iter().next()?;
        let name = Name { text: text.clone(), span: option.args.first()?.span() };
        let pattern = self.pattern(&name, MatchType::Pcre, &[])?;
        let find = move |line: &[u8]| {
            let mut groups = Groups::default();
            pattern
                .find(line, 0, &mut groups)
                .then(|| groups.range(0))
                .flatten()
                .map(|(start, end)| start..end)
        };
        Some(LinePattern::new(&text, Arc::new(find)))
    }
}
