//! The lines that destinations write without a template of their own.
//!
//! In: options of a driver. Out: a renderer: a syslog line, or a line as in `/var/log/messages`. Holds: nothing.
//! Limits: a template that cannot be read is an error with its position.

use crate::assemble::{lowering::Lowering, options::driver::Options};
use message::{Batch, Render, Stamp};
use wire::{Dialect, EncodeOptions, Encoder, Framing};

/// The template of files, pipes, programs and terminals without `template()`.
const FILE_LINE: &str = "$DATE $HOST $MSGHDR$MSG\n";

/// The header before the text of `template()` in `syslog()`.
const RFC5424_HEADER: &str = "<$PRI>1 $ISODATE ${HOST:--} ${PROGRAM:--} ${PID:--} ${MSGID:--} ${SDATA:--} ";

impl<'t> Lowering<'t> {
    /// Returns the template of `template()`, else a line as in `/var/log/messages`, or as in RFC 5424 with
    /// `flags(syslog-protocol)`.
    pub(crate) fn file_line(&mut self, options: &Options<'t>) -> Option<Box<dyn Render>> {
        if options.own("template").is_some() || self.globals.get("file-template").is_some() {
            let template = self.driver_template(options, "file-template")?;
            return Some(self.template_renderer(template, options));
        }
        if options.flags().iter().any(|flag| flag == "syslog-protocol") {
            return Some(self.syslog_renderer(options, Dialect::Rfc5424, Framing::Newline));
        }
        let template = self.built_in_template(FILE_LINE, options)?;
        Some(self.template_renderer(template, options))
    }

    /// Returns the template of `template()`, else a syslog line.
    pub(crate) fn line(
        &mut self,
        options: &Options<'t>,
        dialect: Dialect,
        framing: Framing,
    ) -> Option<Box<dyn Render>> {
        let is_templated = options.own("template").is_some() || self.globals.get("proto-template").is_some();
        if !is_templated {
            return Some(self.syslog_renderer(options, dialect, framing));
        }
        let template = self.driver_template(options, "proto-template")?;
        if dialect != Dialect::Rfc5424 {
            return Some(self.template_renderer(template, options));
        }
        // In an RFC 5424 line the template is the text of the message only.
        let end = if framing == Framing::Newline { "\n" } else { "" };
        let whole = self.built_in_template(&format!("{RFC5424_HEADER}{}{end}", template.text()), options)?;
        Some(self.template_renderer(whole, options))
    }

    fn syslog_renderer(
        &mut self,
        options: &Options<'t>,
        dialect: Dialect,
        framing: Framing,
    ) -> Box<dyn Render> {
        let render = self.render_options(options);
        let encode = EncodeOptions {
            stamp_format: render.stamp_format,
            fraction_digits: render.fraction_digits,
            zone: render.zone,
            ..EncodeOptions::new(dialect, framing)
        };
        Box::new(SyslogRenderer::new(Encoder::new(encode)))
    }
}

/// Renders messages as syslog lines.
pub(crate) struct SyslogRenderer {
    encoder: Encoder,
}

impl SyslogRenderer {
    pub(crate) fn new(encoder: Encoder) -> SyslogRenderer {
        SyslogRenderer { encoder }
    }
}

impl Render for SyslogRenderer {
    fn begin(&mut self, _now: Stamp) {}

    fn render(&mut self, batch: &Batch, index: usize, _sequence: u64, out: &mut Vec<u8>) {
        self.encoder.append(batch, index, out);
    }

    fn render_name(&mut self, batch: &Batch, index: usize, sequence: u64, out: &mut Vec<u8>) {
        self.render(batch, index, sequence, out);
    }
}
