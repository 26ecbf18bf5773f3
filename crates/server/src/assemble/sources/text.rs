//! The character set of a source, and its rules for messages of several lines.
//!
//! In: the options of a source. Out: the same in its [`Reading`]. Holds: nothing.
//! Limits: a character set or pattern that cannot be used is an error at its place.

use crate::assemble::lowering::Lowering;
use crate::assemble::options::driver::Options;
use config::Diagnostic;
use config::tree::{Arg, Call, MatchType, Name};
use intake::SourceOptions;
use std::sync::Arc;
use template::pattern::Groups;
use wire::{CharacterSet, Framing, LinePattern, MultiLine};

impl<'t> Lowering<'t> {
    /// `encoding()` and `multi-line-*()`.
    pub(crate) fn text_options(&mut self, options: &Options<'t>, source_options: &mut SourceOptions) {
        if let Some(option) = options.own("encoding") {
            let name = option.texts().into_iter().next().unwrap_or_default();
            let set = CharacterSet::from_name(&name);
            if set.is_none() {
                let message = format!("`{name}` is no character set that is known here");
                let help =
                    "those of web pages, for instance UTF-8, ISO-8859-2, windows-1250, UTF-16LE, Shift_JIS";
                let span = option.args.first().map_or(option.span, Arg::span);
                self.report.push(Diagnostic::error(span, message).help(help));
            }
            source_options.encoding = set.filter(|set| !set.is_utf8());
        }
        let Some(mode) = options.word("multi-line-mode").filter(|mode| mode != "none") else {
            let unused = ["multi-line-prefix", "multi-line-garbage", "multi-line-suffix"];
            for option in unused.iter().filter_map(|name| options.own(name)) {
                let message = format!("`{}()` does nothing without multi-line-mode()", option.name.text);
                self.report.push(Diagnostic::warning(option.span, message));
            }
            return;
        };
        if source_options.framing != Framing::Newline {
            let span = options.own("multi-line-mode").map_or(options.call.span, |option| option.span);
            let message = "multi-line-mode() joins lines, and this source does not read lines";
            self.report.push(Diagnostic::error(span, message.to_owned()));
            return;
        }
        source_options.multi_line = Some(self.multi_line(options, &mode));
        source_options.multi_line_timeout = options.seconds_or_never("multi-line-timeout", None);
    }

    /// A mode of joining lines, with its patterns.
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
                .then(|| groups.place(0))
                .flatten()
                .map(|(start, end)| start..end)
        };
        Some(LinePattern::new(&text, Arc::new(find)))
    }
}
