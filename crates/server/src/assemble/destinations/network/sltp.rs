//! `sltp()` as a destination.
//!
//! In: its options. Out: a target and the renderer of its messages. Holds: nothing.
//! Limits: one receiver: what another one has cannot be known, so `failover()` is an error.

use crate::assemble::{
    lowering::Lowering,
    options::{connections::SLTP_PORT, driver::Options},
};
use config::Diagnostic;
use delivery::{DestinationDriver, RelpTarget, SltpTarget, SocketKind, SocketTarget};
use message::Render;
use sltp::SenderOptions;
use std::time::Duration;
use wire::{
    Framing,
    sltp::{Level, SENDER_BYTES_MAX, TOKEN_BYTES_MAX},
};

/// Longest wait for an answer: several of the receiver's reminders that it still works.
const RESPONSE_WITHIN: Duration = Duration::from_secs(60);

impl<'t> Lowering<'t> {
    /// Makes the target of `sltp()`, and the renderer of its messages.
    pub(crate) fn sltp(&mut self, options: &Options<'t>) -> Option<(DestinationDriver, Box<dyn Render>)> {
        for name in ["failover", "failover-servers"] {
            if let Some(option) = options.own(name) {
                let message = format!(
                    "`{name}()` is not possible with sltp(): another receiver does not know what this one has; use \
                     network() or relp()"
                );
                self.report.push(Diagnostic::error(option.name.span, message));
                return None;
            }
        }
        let shared = options.own("disk-buffer").and_then(|buffer| buffer.option("shared"));
        if let Some(option) = shared {
            let message =
                "sltp() needs a disk-buffer() of its own: the numbers of a shared() log are not only its";
            self.report.push(Diagnostic::error(option.name.span, message));
            return None;
        }
        let port = options.port(["port", "destport"], SLTP_PORT);
        let kind = SocketKind::Tcp(options.plain()?, port);
        let sender = self.sender_options(options)?;
        let (driver, render) = self.socket(options, kind, Framing::Datagram)?;
        let DestinationDriver::Socket(socket) = driver else { return None };
        let response_within = options.seconds("response-timeout").unwrap_or(RESPONSE_WITHIN);
        let fallback = self.sltp_fallback(options, &socket, response_within);
        let target = SltpTarget { socket, options: sender, response_within, fallback };
        Some((DestinationDriver::Sltp(Box::new(target)), render))
    }

    /// Returns how a receiver is spoken to that does not speak SLTP.
    fn sltp_fallback(
        &mut self,
        options: &Options<'t>,
        socket: &SocketTarget,
        response_within: Duration,
    ) -> Option<RelpTarget> {
        if options.word("fallback").as_deref() == Some("relp") {
            let mut socket = socket.clone();
            if let SocketKind::Tcp(_, port) = &mut socket.kind {
                *port = options.port(["fallback-port", "fallback-port"], *port);
            }
            return Some(RelpTarget { socket, response_within });
        }
        if let Some(option) = options.own("fallback-port") {
            let message = "`fallback-port()` has no effect without fallback(relp)";
            self.report.push(Diagnostic::warning(option.name.span, message));
        }
        None
    }

    fn sender_options(&mut self, options: &Options<'t>) -> Option<SenderOptions> {
        let token = options.own_text("token").unwrap_or_default();
        let sender = options.own_text("sender-id").unwrap_or_else(|| self.environment.site.loghost.clone());
        // A check knows no name of this machine.
        let sender = if sender.is_empty() { "localhost".to_owned() } else { sender };
        for (name, text, bytes_max) in
            [("token", &token, TOKEN_BYTES_MAX), ("sender-id", &sender, SENDER_BYTES_MAX)]
        {
            let is_too_long = text.len() > bytes_max || text.contains(char::is_control);
            if let Some(option) = options.own(name).filter(|_| is_too_long) {
                let message =
                    format!("`{name}()` must have at most {bytes_max} bytes and no control characters");
                self.report.push(Diagnostic::error(option.name.span, message));
                return None;
            }
        }
        let is_compressed = options.word("compression").as_deref() == Some("zstd");
        let level = options.count("compression-level", 3);
        if let Some(option) = options.own("compression-level").filter(|_| !is_compressed) {
            let message = "`compression-level()` has no effect without compression(zstd)";
            self.report.push(Diagnostic::warning(option.name.span, message));
        }
        Some(SenderOptions {
            sender,
            level: match options.word("ack-level").as_deref() {
                Some("received") => Level::Received,
                _ => Level::Durable,
            },
            token: token.into_bytes(),
            compression: is_compressed.then(|| i32::try_from(level).unwrap_or(3)),
            batch_bytes: options.count("batch-bytes", 256 << 10),
            batch_messages: options.count("batch-lines", 10_000),
            window_bytes: options.count("window-bytes", 64 << 20),
            software: format!("duramen/{}", env!("CARGO_PKG_VERSION")),
        })
    }
}
