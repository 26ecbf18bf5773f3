//! `gelf()` as a destination.
//!
//! In: its options. Out: a target with its template. Holds: nothing.

use crate::assemble::{
    lowering::Lowering,
    options::{connections::GELF_PORT, driver::Options},
};
use delivery::{DestinationDriver, GelfTarget, Packing, SocketKind};
use message::{Batch, Render, Stamp};
use template::append_gelf;
use wire::Framing;

/// Size of a chunk: it fits into one Ethernet frame.
const CHUNK_BYTES: usize = 1_420;

/// Renders the whole message, with the NUL that terminates it over TCP: the default without `template()`.
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

impl<'t> Lowering<'t> {
    /// Makes the target of `gelf()`, and the renderer of its messages.
    pub(crate) fn gelf(&mut self, options: &Options<'t>) -> Option<(DestinationDriver, Box<dyn Render>)> {
        let port = options.port(["port", "destport"], GELF_PORT);
        let (host, transport) = (options.plain()?, options.word("transport"));
        let is_udp = matches!(transport.as_deref(), None | Some("udp"));
        let kind = if is_udp { SocketKind::Udp(host, port) } else { SocketKind::Tcp(host, port) };
        let (driver, _) = self.socket(options, kind, Framing::Datagram)?;
        let DestinationDriver::Socket(socket) = driver else { return None };
        let render: Box<dyn Render> = match options.own("template") {
            Some(_) => {
                // Over TCP a NUL ends a message: `$(format-gelf)` writes it.
                let text = self.driver_template(options, "template")?.text().to_owned();
                let template = self.built_in_template(&text, options)?;
                self.template_renderer(template, options)
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
