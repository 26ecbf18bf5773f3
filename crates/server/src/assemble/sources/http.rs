//! `http()` as a source.
//!
//! In: its options. Out: a listener with its limits. Holds: nothing.

use super::listeners::handshakes;
use crate::assemble::{
    lowering::Lowering,
    options::{driver::Options, values::values},
};
use config::tree::Call;
use intake::{Acknowledge, Dialogue, HttpOptions, ListenAddress, SourceDriver, StreamListener};
use std::sync::Arc;
use transport::tls::ListenerTls;
use wire::Framing;

/// Default port of Splunk's event collector.
const PORT: u16 = 8088;
/// Connections at a time: every shipper of a site has some.
const CONNECTIONS_MAX: usize = 1_000;

impl<'t> Lowering<'t> {
    /// Makes the listener of `http()`.
    pub(crate) fn http_listener(&mut self, options: &Options<'t>) -> Option<(SourceDriver, Framing)> {
        let address = self.address(options, options.port(["port", "localport"], PORT))?;
        let mut listener = StreamListener::new(ListenAddress::Ip(address));
        self.complete_stream(options, &mut listener);
        listener.connections.total = options.count("max-connections", CONNECTIONS_MAX);
        if options.own("tls").is_some() {
            listener.tls = Some(ListenerTls::new(self.tls(options)?));
            listener.handshakes = handshakes(options, listener.handshakes);
        }
        let mut http = HttpOptions::new(options.count("max-bytes-in-work", 256 << 20));
        if options.word("acknowledge").as_deref() == Some("received") {
            http.acknowledge = Acknowledge::Received;
        }
        http.tokens = options.all("tokens").flat_map(Call::texts).collect();
        let empty = options.all("tokens").find(|call| call.texts().iter().any(String::is_empty));
        if let Some(call) = empty {
            return self.refuse(
                &call.name,
                "an empty token would let everybody in; leave tokens() out if that is wanted",
            );
        }
        let users = options.all("users").flat_map(values);
        http.users =
            users.map(|(name, _, secret)| (name, String::from_utf8_lossy(&secret).into_owned())).collect();
        http.prefix = options.own_text("prefix").unwrap_or_default();
        http.body_bytes_max = options.count("max-request-size", http.body_bytes_max);
        http.timeout = options.seconds("timeout").unwrap_or(http.timeout);
        http.idle_timeout = options.seconds("idle-timeout").unwrap_or(http.idle_timeout);
        listener.dialogue = Dialogue::Http(Arc::new(http));
        Some((SourceDriver::Stream(listener), Framing::Newline))
    }
}
