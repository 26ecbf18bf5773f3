//! Changes of the text that a destination writes: on one line, of a fixed size, sealed.
//!
//! In: the rendered text of a message. Out: the changed text. Holds: the renderer, and the first error of sealing.
//! Limits: names of files are not changed.

use crate::{assemble::options::driver::Options, slog::Sealer};
use config::tree::Call;
use message::{Batch, Render, Stamp};
use std::{io, path::PathBuf, sync::Arc};

/// A change of rendered text.
trait Reshape: Send {
    /// Changes one message: the bytes of `out` from `start` on.
    fn reshape(&mut self, out: &mut Vec<u8>, start: usize);

    /// Called when everything rendered so far has been written. An error prevents its acknowledgement.
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

/// `flags(no-multi-line)`: line feeds inside a message become blanks; the last one is kept.
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
