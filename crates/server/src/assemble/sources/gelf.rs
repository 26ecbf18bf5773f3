//! `gelf()` as a source.
//!
//! In: its options. Out: a listener for datagrams or connections. Holds: nothing.

use super::listeners::{complete_datagram, handshakes};
use crate::assemble::{
    lowering::Lowering,
    options::{connections::GELF_PORT, driver::Options},
};
use intake::{DatagramListener, Form, ListenAddress, SourceDriver, SourceOptions, StreamListener};
use transport::tls::ListenerTls;
use wire::Framing;

/// Largest GELF message: it may contain whole stack traces.
const MESSAGE_BYTES_MAX: usize = 1 << 20;

/// Sets the form and the default size of GELF messages.
pub(crate) fn gelf_options(options: &Options<'_>, source_options: &mut SourceOptions) {
    source_options.form = Form::Gelf;
    let written = options.own("log-msg-size").and_then(|option| option.number());
    source_options.message_bytes_max =
        written.and_then(|size| usize::try_from(size).ok()).unwrap_or(MESSAGE_BYTES_MAX);
}

impl<'t> Lowering<'t> {
    /// Makes the listener of `gelf()`.
    pub(crate) fn gelf_listener(&mut self, options: &Options<'t>) -> Option<(SourceDriver, Framing)> {
        let address = self.address(options, options.port(["port", "localport"], GELF_PORT))?;
        let address = ListenAddress::Ip(address);
        let transport = options.word("transport");
        if matches!(transport.as_deref(), None | Some("udp")) {
            let mut listener = DatagramListener::new(address);
            complete_datagram(options, &mut listener);
            return Some((SourceDriver::Datagram(listener), Framing::Datagram));
        }
        let mut listener = StreamListener::new(address);
        self.complete_stream(options, &mut listener);
        if transport.as_deref() == Some("tls") {
            listener.tls = Some(ListenerTls::new(self.tls(options)?));
            listener.handshakes = handshakes(options, listener.handshakes);
        }
        Some((SourceDriver::Stream(listener), Framing::Nul))
    }
}
