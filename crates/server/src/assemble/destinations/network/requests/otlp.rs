//! `opentelemetry()` and `syslog-ng-otlp()` of the language.
//!
//! In: their options. Out: a receiver. Holds: nothing. Limits: see `grpc`.

use crate::assemble::{destinations::batches::batches, lowering::Lowering, options::driver::Options};
use delivery::DestinationDriver;
use message::Render;
use services::{OtlpForm, OtlpReceiver, OtlpTarget};

/// Default port of OpenTelemetry's gRPC.
const PORT: u16 = 4317;
/// Messages of a request.
const BATCH_LINES: usize = 1_000;
/// Bytes of a request: what servers of gRPC take without being told otherwise.
const BATCH_BYTES: usize = 4 << 20;

impl<'t> Lowering<'t> {
    /// Makes the receiver. It renders by itself: the template beside it is not used.
    pub(crate) fn otlp(&mut self, options: &Options<'t>) -> Option<(DestinationDriver, Box<dyn Render>)> {
        let (settings, headers) = self.grpc_settings(options, PORT)?;
        let form = match options.call.key().as_str() {
            "opentelemetry" => OtlpForm::Records,
            _ => OtlpForm::Whole,
        };
        let batches = batches(options, BATCH_LINES, BATCH_BYTES);
        let target = OtlpTarget { form, settings, headers, batches };
        let receiver = DestinationDriver::Receiver(Box::new(OtlpReceiver::new(target)));
        let unused = self.built_in_template("", options)?;
        Some((receiver, self.template_renderer(unused, options)))
    }
}
