//! `nrdp()` of the language.
//!
//! In: its options. Out: a receiver. Holds: nothing. Limits: an address that is none, and a token that no form can have, are errors.

use crate::assemble::{destinations::batches::batches, lowering::Lowering, options::driver::Options};
use config::Diagnostic;
use delivery::DestinationDriver;
use message::Render;
use services::{NrdpReceiver, NrdpTarget, server_url};

/// Results of a request.
const BATCH_LINES: usize = 100;
/// Most bytes of them: a third of what a form may have that PHP takes, because of its percent signs.
const BATCH_BYTES: usize = 512 << 10;

impl<'t> Lowering<'t> {
    /// Makes the receiver of `nrdp()`. It renders by itself: the template beside it only shows the output.
    pub(crate) fn nrdp(&mut self, options: &Options<'t>) -> Option<(DestinationDriver, Box<dyn Render>)> {
        let url = self.nrdp_url(options)?;
        let written = options.own("token")?;
        let token = options.own_text("token").unwrap_or_default();
        if token.is_empty() || token.contains(char::is_control) {
            self.report.push(Diagnostic::error(written.span, "`token()` is no token"));
            return None;
        }
        let shown = match options.own("output") {
            Some(option) => self.named_or_text(option)?,
            None => self.built_in_template("$MSG", options)?,
        };
        let host = match options.own("host") {
            Some(option) => self.named_or_text(option)?,
            None => self.built_in_template("$HOST", options)?,
        };
        let target = NrdpTarget {
            url,
            token,
            host: self.template_renderer(host, options),
            service: self.nrdp_text(options, "service")?,
            state: self.nrdp_text(options, "state")?,
            output: self.template_renderer(shown.clone(), options),
            settings: self.request_settings(options)?,
            batches: batches(options, BATCH_LINES, BATCH_BYTES),
        };
        let shown = self.template_renderer(shown, options);
        Some((DestinationDriver::Receiver(Box::new(NrdpReceiver::new(target))), shown))
    }

    /// Makes the template of an option that may be missing. The outer `None` means an error, which is in the report.
    fn nrdp_text(&mut self, options: &Options<'t>, name: &str) -> Option<Option<Box<dyn Render>>> {
        let Some(option) = options.own(name) else { return Some(None) };
        let template = self.named_or_text(option)?;
        Some(Some(self.template_renderer(template, options)))
    }

    fn nrdp_url(&mut self, options: &Options<'t>) -> Option<String> {
        let option = options.own("url")?;
        let text = option.text().unwrap_or_default();
        self.only_encrypted(options, text)?;
        let Some(bare) = server_url(text) else {
            let message = format!("`{text}` is no address of NRDP");
            let error = Diagnostic::error(option.span, message);
            self.report.push(error.help("https://host/nrdp/, without user and query"));
            return None;
        };
        // Without the slash a web server answers with a redirection, behind which a form does not go.
        Some(if bare.ends_with(".php") { bare.to_owned() } else { format!("{bare}/") })
    }
}
