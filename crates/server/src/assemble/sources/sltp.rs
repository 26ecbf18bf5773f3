//! `sltp()` as a source.
//!
//! In: its options. Out: a listener with its limits. Holds: nothing.

use super::listeners::handshakes;
use crate::assemble::{
    lowering::Lowering,
    options::{connections::SLTP_PORT, driver::Options},
};
use config::tree::Call;
use intake::{Dialogue, ListenAddress, SourceDriver, StreamListener};
use sltp::ReceiverOptions;
use std::sync::Arc;
use transport::tls::ListenerTls;
use wire::{Framing, MESSAGE_BYTES_MAX, sltp::Level};

impl<'t> Lowering<'t> {
    /// Makes the listener of `sltp()`.
    pub(crate) fn sltp_listener(&mut self, options: &Options<'t>) -> Option<(SourceDriver, Framing)> {
        let address = self.address(options, options.port(["port", "localport"], SLTP_PORT))?;
        let mut listener = StreamListener::new(ListenAddress::Ip(address));
        self.complete_stream(options, &mut listener);
        if options.own("tls").is_some() {
            listener.tls = Some(ListenerTls::new(self.listener_tls(options)?));
            listener.handshakes = handshakes(options, listener.handshakes);
        }
        let empty = options.all("tokens").find(|call| call.texts().iter().any(String::is_empty));
        if let Some(call) = empty {
            return self.refuse(
                &call.name,
                "an empty token would let everybody in; leave tokens() out if that is wanted",
            );
        }
        let receiver = ReceiverOptions {
            tokens: options.all("tokens").flat_map(Call::texts).collect(),
            level: Level::Durable,
            window_bytes: options.count("window-bytes", 64 << 20) as u64,
            // Each connection has that of its source.
            message_bytes_max: MESSAGE_BYTES_MAX,
            frame_bytes_max: options.count("max-frame-size", 16 << 20),
            software: format!("duramen/{}", env!("CARGO_PKG_VERSION")),
        };
        listener.dialogue = Dialogue::Sltp(Arc::new(receiver));
        Some((SourceDriver::Stream(listener), Framing::Datagram))
    }
}
