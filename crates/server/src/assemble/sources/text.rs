//! The character set of a source, and its rules for messages of several lines.
//!
//! In: the options of a source. Out: the same in its [`SourceOptions`]. Holds: nothing.
//! Limits: a character set or pattern that cannot be used is an error with its position.

use crate::assemble::lowering::Lowering;
use crate::assemble::options::driver::Options;
use config::Diagnostic;
use config::tree::Arg;
use intake::SourceOptions;
use wire::{CharacterSet, Framing};

impl<'t> Lowering<'t> {
    /// Reads `encoding()` and `multi-line-*()`.
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
}
