//! `gelf()` of the language, both ways.
//!
//! In: its options. Out: listeners, and targets with their template. Holds: nothing. Limits: none of its own.

use crate::assemble::lowering::Lowering;
use crate::assemble::options::driver::Options;
use crate::assemble::sources::drivers::{complete_datagram, handshakes};
use delivery::{DestinationDriver, GelfTarget, Packing, SocketKind};
use intake::{DatagramListener, Form, ListenAddress, SourceDriver, SourceOptions, StreamListener};
use message::{Batch, Render, Stamp};
use template::append_gelf;
use transport::tls::ListenerTls;
use wire::Framing;

/// Default port of GELF.
const PORT: u16 = 12_201;
/// Largest GELF message: it may contain whole stack traces.
const MESSAGE_BYTES_MAX: usize = 1 << 20;
/// Size of a chunk: it fits into one Ethernet frame.
const CHUNK_BYTES: usize = 1_420;
/// Renders the whole message, with the NUL that ends it over TCP: the default without `template()`.
struct WholeMessage;

impl Render for WholeMessage {
    fn begin(&mut self, _now: Stamp) {}

    fn render(&mut self, batch: &Batch, index: usize, _sequence: u64, out: &mut Vec<u8>) {
        append_gelf(batch, index, out);
        out.push(0);
    }

    fn render_name(&mut self, batch: &Batch, index: usize, sequence: u64, out: &mut Vec<u8>) {
        self.render(batch, index, sequence, out);
    }
}

/// Sets the form and the default size of GELF messages.
pub(crate) fn gelf_options(options: &Options<'_>, source_options: &mut SourceOptions) {
    source_options.form = Form::Gelf;
    let written = options.own("log-msg-size").and_then(|option| option.number());
    source_options.message_bytes_max =
        written.and_then(|size| usize::try_from(size).ok()).unwrap_or(MESSAGE_BYTES_MAX);
}

impl<'t> Lowering<'t> {
    pub(crate) fn gelf_listener(&mut self, options: &Options<'t>) -> Option<(SourceDriver, Framing)> {
        let address = self.address(options, options.port(["port", "localport"], PORT))?;
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

    pub(crate) fn gelf(&mut self, options: &Options<'t>) -> Option<(DestinationDriver, Box<dyn Render>)> {
        let port = options.port(["port", "destport"], PORT);
        let (host, transport) = (options.plain()?, options.word("transport"));
        let is_udp = matches!(transport.as_deref(), None | Some("udp"));
        let kind = if is_udp { SocketKind::Udp(host, port) } else { SocketKind::Tcp(host, port) };
        let (driver, _) = self.socket(options, kind, Framing::Datagram)?;
        let DestinationDriver::Socket(socket) = driver else { return None };
        let render: Box<dyn Render> = match options.own("template") {
            Some(_) => {
                // Over TCP a NUL ends a message: `$(format-gelf)` writes it.
                let text = self.driver_template(options, "template")?.text().to_owned();
                let template = self.fixed(&text, options)?;
                self.templated(template, options)
            }
            None => Box::new(WholeMessage),
        };
        if !is_udp {
            return Some((DestinationDriver::Socket(socket), render));
        }
        let packing = match options.word("compression").as_deref() {
            Some("none") => Packing::None,
            Some("zlib") => Packing::Zlib,
            _ => Packing::Gzip,
        };
        let chunk_bytes = options.count("chunk-size", CHUNK_BYTES);
        Some((DestinationDriver::Gelf(GelfTarget { socket, packing, chunk_bytes }), render))
    }
}
