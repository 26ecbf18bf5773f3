//! The text that a destination writes of a message.
//!
//! In: batches, one after the other. Out: text, appended. Holds: a compiled template or an encoder, and their
//! cached times. Limits: none of its own.

use crate::assemble::options::driver::Options;
use crate::slog::Sealer;
use config::tree::Call;
use message::{Batch, Render, Stamp, Transport};
use std::{io, path::PathBuf, sync::Arc};
use template::{Escape, RenderOptions, Renderer, Site, Template};
use wire::Encoder;

/// Renders messages by a template.
pub(crate) struct Templated {
    template: Arc<Template>,
    renderer: Renderer,
    constant: Option<String>,
    /// True if it may use `${SEQNUM}`.
    is_numbered: bool,
}

impl Templated {
    pub(crate) fn new(template: Arc<Template>, options: RenderOptions, site: Arc<Site>) -> Templated {
        let constant = template.constant().and_then(|bytes| String::from_utf8(bytes.to_vec()).ok());
        let is_numbered = !template.is_simple();
        Templated { template, renderer: Renderer::new(options, site), constant, is_numbered }
    }
}

impl Render for Templated {
    fn begin(&mut self, now: Stamp) {
        self.renderer.now = now;
    }

    fn render(&mut self, batch: &Batch, index: usize, sequence: u64, out: &mut Vec<u8>) {
        if self.is_numbered {
            self.renderer.seqnum = seqnum(batch, index, sequence);
        }
        self.template.render(batch, index, &mut self.renderer, out);
    }

    fn render_name(&mut self, batch: &Batch, index: usize, sequence: u64, out: &mut Vec<u8>) {
        self.renderer.seqnum = seqnum(batch, index, sequence);
        self.template.render_escaped(batch, index, &mut self.renderer, Escape::FileName, out);
    }

    fn constant(&self) -> Option<&str> {
        self.constant.as_deref()
    }
}

/// Returns `${SEQNUM}`: it counts messages of this machine; 0 stands for the sequence id that a message came
/// with. A generated message has no receiver and belongs to no machine.
fn seqnum(batch: &Batch, index: usize, sequence: u64) -> u32 {
    let origin = batch.origin(index);
    match origin.transport {
        Transport::Local if origin.transport_name.is_empty() => 0,
        Transport::Local | Transport::UnixDgram | Transport::UnixStream => sequence as u32,
        Transport::Udp | Transport::Tcp | Transport::Tls => 0,
    }
}

/// Renders messages as syslog lines.
pub(crate) struct Encoded {
    encoder: Encoder,
}

impl Encoded {
    pub(crate) fn new(encoder: Encoder) -> Encoded {
        Encoded { encoder }
    }
}

impl Render for Encoded {
    fn begin(&mut self, _now: Stamp) {}

    fn render(&mut self, batch: &Batch, index: usize, _sequence: u64, out: &mut Vec<u8>) {
        self.encoder.append(batch, index, out);
    }

    fn render_name(&mut self, batch: &Batch, index: usize, sequence: u64, out: &mut Vec<u8>) {
        self.render(batch, index, sequence, out);
    }
}

/// A change of what was rendered.
trait Reshape: Send {
    /// Changes one message: the bytes of `out` from `start` on.
    fn reshape(&mut self, out: &mut Vec<u8>, start: usize);

    /// Called when everything rendered so far has been written. An error keeps it from being acknowledged.
    fn written(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Renders with a change of the result. Names of files are not changed.
struct Reshaped<R> {
    inner: Box<dyn Render>,
    shape: R,
}

impl<R: Reshape> Render for Reshaped<R> {
    fn begin(&mut self, now: Stamp) {
        self.inner.begin(now);
    }

    fn render(&mut self, batch: &Batch, index: usize, sequence: u64, out: &mut Vec<u8>) {
        let start = out.len();
        self.inner.render(batch, index, sequence, out);
        self.shape.reshape(out, start);
    }

    fn render_name(&mut self, batch: &Batch, index: usize, sequence: u64, out: &mut Vec<u8>) {
        self.inner.render_name(batch, index, sequence, out);
    }

    fn written(&mut self) -> io::Result<()> {
        self.shape.written()?;
        self.inner.written()
    }
}

/// `flags(no-multi-line)`: line feeds inside a message become blanks; the last one stays.
struct OneLine;

impl Reshape for OneLine {
    fn reshape(&mut self, out: &mut Vec<u8>, start: usize) {
        if let Some((_, text)) = out[start..].split_last_mut() {
            text.iter_mut().filter(|byte| **byte == b'\n').for_each(|byte| *byte = b' ');
        }
    }
}

/// `$(slog)`: each message as a line that is sealed under a key of its own.
struct Sealed {
    sealer: Arc<Sealer>,
    /// The file that the lines go to.
    log: PathBuf,
    line: Vec<u8>,
    /// The first reason why sealing failed; the lines are then not written in clear either.
    failed: Option<String>,
}

/// Makes a renderer of lines that are sealed before they go to a file.
pub(crate) fn sealed(inner: Box<dyn Render>, sealer: Arc<Sealer>, log: PathBuf) -> Box<dyn Render> {
    Box::new(Reshaped { inner, shape: Sealed { sealer, log, line: Vec::new(), failed: None } })
}

impl Reshape for Sealed {
    fn reshape(&mut self, out: &mut Vec<u8>, start: usize) {
        self.line.clear();
        self.line.extend_from_slice(&out[start..]);
        out.truncate(start);
        if let Err(error) = self.sealer.seal(&self.log, &self.line, out) {
            self.failed = Some(error.to_string());
        }
    }

    fn written(&mut self) -> io::Result<()> {
        // A message that could not be sealed is not acknowledged: its destination stops and reports the
        // reason.
        match &self.failed {
            Some(error) => Err(io::Error::other(error.clone())),
            None => self.sealer.written(),
        }
    }
}

/// `truncate-size()` and `pad-size()`: messages of a largest and of a smallest size.
struct Sized {
    most: usize,
    least: usize,
}

/// Wraps the renderer of a destination with the changes that its options ask for.
pub(crate) fn reshaped(inner: Box<dyn Render>, options: &Options<'_>) -> Box<dyn Render> {
    let inner: Box<dyn Render> = match options.flags().iter().any(|flag| flag == "no-multi-line") {
        true => Box::new(Reshaped { inner, shape: OneLine }),
        false => inner,
    };
    let most = options.own("truncate-size").and_then(Call::number);
    let most = most.and_then(|size| usize::try_from(size).ok()).unwrap_or(usize::MAX);
    let least = options.count("pad-size", 0);
    if most == usize::MAX && least == 0 {
        return inner;
    }
    Box::new(Reshaped { inner, shape: Sized { most, least } })
}

impl Reshape for Sized {
    fn reshape(&mut self, out: &mut Vec<u8>, start: usize) {
        let ends_line = out.len() > start && out.last() == Some(&b'\n');
        if out.len() - start > self.most {
            out.truncate(start + self.most);
            // The end of the line is kept.
            if let Some(last) = out[start..].last_mut().filter(|_| ends_line) {
                *last = b'\n';
            }
        }
        let padded = start + self.least.max(out.len() - start);
        out.resize(padded, 0);
    }
}
