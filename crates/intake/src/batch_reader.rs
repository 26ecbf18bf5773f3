//! Turns received bytes into batches: frames, messages, host names, window, forwarding to the pipeline.
//!
//! In: buffers of one connection, datagrams of many peers, lines of a file. Out: batches into the intake.
//! Holds: the framer and decoder of one reader, and the settings it works with.
//! Limits: a batch is what one read brought, at most [`buffer::READ_BYTES`] and one message.

pub(crate) mod buffer;
mod hosts;
mod turn;
mod window;

pub use buffer::READ_BYTES;
pub use window::{Completion, FlowWindow};

use self::turn::ReaderTurns;
use crate::{
    options::{Form, SourceOptions},
    source::{Settings, SettingsCell, SourceDriver},
};
use message::{Ack, Batch, Mark, Marks, Message, Numbering, Origin, Outcome, Priority, Span};
use std::{
    cell::RefCell,
    io,
    ops::Range,
    sync::{Arc, atomic::Ordering},
    time::{Duration, Instant},
};
use transport::{Clock, stats};
use wire::{Decoder, Frame, Framer, ShippedReader, Transcoder, push_accounting, split_record};

/// Bytes of a value that one byte of text may need, in the widest character set.
const CHARACTER_BYTES_MAX: usize = 4;
/// Bytes of a value besides its text: ends of lines.
const END_BYTES: usize = 64;
/// Bytes that a frame's header and end may need besides the message.
const FRAME_OVERHEAD: usize = 64;

/// Capacity for frames beyond this is not kept after a read.
const FRAMES_KEPT: usize = 64 << 10;

thread_local! {
    /// Buffer for frames: one list per thread serves all its readers, most of which are idle.
    static FRAMES: RefCell<Vec<Frame>> = const { RefCell::new(Vec::new()) };
}

/// Makes the batches of one reader.
pub struct BatchReader {
    cell: Arc<SettingsCell>,
    settings: Arc<Settings>,
    decoder: Decoder,
    framer: Framer,
    clock: Clock,
    /// How much the reader may have in flight.
    pub window: Arc<FlowWindow>,
    turns: ReaderTurns,
    /// Taken from [`FRAMES`] while there are some.
    frames: Vec<Frame>,
    transcoder: Option<Transcoder>,
    /// Reads frames that are GELF.
    gelf: Option<Box<ShippedReader>>,
    /// Bytes of the last read, before their conversion.
    raw: Vec<u8>,
    /// Called with the first batch.
    at_first_batch: Option<Box<dyn FnOnce() + Send + Sync>>,
}

/// Messages of one origin within a batch: the number of frames up to their end, and the origin.
pub struct Run {
    /// The number of frames up to its end, from the first one of the batch.
    pub frames: usize,
    /// Their origin.
    pub origin: Arc<Origin>,
}

impl BatchReader {
    /// Makes the reader of a connection, a file or a queue.
    pub fn new(cell: &Arc<SettingsCell>) -> BatchReader {
        let settings = cell.settings();
        let options = &settings.options;
        let mut turns = ReaderTurns::new();
        if matches!(settings.driver, SourceDriver::Datagram(_)) {
            turns.disable();
        }
        BatchReader {
            decoder: Decoder::new(options.decode.clone()),
            framer: framer(&settings),
            transcoder: options.encoding.map(Transcoder::new),
            gelf: gelf(options),
            raw: Vec::new(),
            at_first_batch: None,
            clock: Clock::new(),
            turns,
            window: FlowWindow::new(settings.window(), cell.in_flight()),
            frames: Vec::new(),
            cell: cell.clone(),
            settings,
        }
    }

    /// Takes new settings over after a reload. Returns whether there were any.
    pub fn refresh(&mut self) -> bool {
        let settings = self.cell.settings();
        if Arc::ptr_eq(&settings, &self.settings) {
            return false;
        }
        let (old, new) = (&self.settings.options, &settings.options);
        if old.framing != new.framing
            || old.message_bytes_max != new.message_bytes_max
            || old.oversize != new.oversize
            || old.multi_line != new.multi_line
            || old.keeps_empty_lines != new.keeps_empty_lines
        {
            self.framer = framer(&settings);
        }
        if old.encoding != new.encoding {
            self.transcoder = new.encoding.map(Transcoder::within);
        }
        self.decoder = Decoder::new(new.decode.clone());
        self.gelf = gelf(new);
        self.window.resize(settings.window());
        self.settings = settings;
        true
    }

    /// Returns the settings that it works with: those of the last refresh.
    pub fn settings(&self) -> &Arc<Settings> {
        &self.settings
    }

    /// Calls `call` once, before the first batch is forwarded.
    pub(crate) fn at_first_batch(&mut self, call: Box<dyn FnOnce() + Send + Sync>) {
        self.at_first_batch = Some(call);
    }

    /// Leaves all writing to the destinations' threads: this reader has enough to do.
    pub fn disable_inline_writes(&mut self) {
        self.turns.disable();
    }

    /// Returns the clock that its batches are stamped with.
    pub fn clock(&mut self) -> &mut Clock {
        &mut self.clock
    }

    /// Returns the size of a read buffer that the largest message fits into.
    pub(crate) fn read_bytes(&self) -> usize {
        let wanted = if self.window.is_crowded() { buffer::SMALL_READ_BYTES } else { buffer::READ_BYTES };
        wanted.max(self.settings.options.message_bytes_max + FRAME_OVERHEAD)
    }

    /// Reads the next bytes of a stream through `read`, after those of the buffer, converted if `encoding()`
    /// is set. Returns what `read` returned.
    pub(crate) fn read(
        &mut self,
        bytes: &mut Vec<u8>,
        read: impl FnOnce(&mut Vec<u8>) -> io::Result<usize>,
    ) -> io::Result<usize> {
        let Some(transcoder) = &mut self.transcoder else { return read(bytes) };
        self.raw.clear();
        self.raw.reserve(buffer::READ_BYTES);
        let size = read(&mut self.raw)?;
        transcoder.append(&self.raw, bytes);
        Ok(size)
    }

    /// Returns how many bytes of the stream the rest of the last read corresponds to; `None` when that is unknown.
    pub(crate) fn raw_size(&self, rest: &[u8]) -> Option<usize> {
        match &self.transcoder {
            Some(transcoder) => transcoder.raw_size(&self.raw, rest),
            None => Some(rest.len()),
        }
    }

    /// Appends a whole datagram, converted if `encoding()` is set.
    pub(crate) fn append(&self, datagram: &[u8], bytes: &mut Vec<u8>) {
        match &self.transcoder {
            Some(transcoder) => transcoder.set().append(datagram, bytes),
            None => bytes.extend_from_slice(datagram),
        }
    }

    /// How long a message of several lines waits for more.
    pub(crate) fn patience(&self) -> Option<Duration> {
        self.settings.options.multi_line.as_ref()?;
        self.settings.options.multi_line_timeout
    }

    /// Finds the whole frames of a connection's bytes, and returns how many bytes they take.
    pub(crate) fn split(&mut self, bytes: &[u8]) -> usize {
        self.take_frames();
        let done = self.framer.split(bytes, &mut self.frames);
        if self.frames.is_empty() {
            self.recycle_frames();
        }
        done
    }

    /// Treats the rest at the end of a connection as the last frame.
    pub(crate) fn finish(&mut self, rest: &[u8]) {
        self.framer.finish(rest, &mut self.frames);
    }

    /// Forgets a frame that was begun: the bytes that follow are those of a file from this offset on.
    pub(crate) fn restart(&mut self, offset: u64) {
        self.framer = framer(&self.settings);
        let make = if offset == 0 { Transcoder::new } else { Transcoder::within };
        self.transcoder = self.settings.options.encoding.map(make);
    }

    /// Frames found and not yet forwarded.
    pub fn frames(&self) -> usize {
        self.frames.len()
    }

    /// Adds a datagram, with oddities of its reception, as one frame of a batch's bytes. Line ends and NULs at its
    /// end are not part of it.
    pub(crate) fn add_datagram(&mut self, bytes: &[u8], range: Range<usize>, odd: Option<Mark>) {
        let body = &bytes[range.clone()];
        let kept =
            body.iter().rposition(|byte| !matches!(byte, b'\r' | b'\n' | 0)).map_or(0, |last| last + 1);
        let size = kept.min(self.settings.options.message_bytes_max);
        let mut marks = Marks::NONE;
        odd.into_iter().for_each(|mark| marks.add(mark));
        if size < kept {
            marks.add(Mark::Truncated);
        }
        if size > 0 || self.settings.options.keeps_empty_lines {
            self.take_frames();
            self.frames.push(Frame { start: range.start, end: range.start + size, marks });
        }
    }

    /// Returns how many bytes of a value can matter: no message has more.
    pub fn value_bytes_max(&self) -> usize {
        let most = self.settings.options.message_bytes_max.saturating_mul(CHARACTER_BYTES_MAX);
        most.saturating_add(END_BYTES)
    }

    /// Appends a whole message, such as the value of a record, as one frame. Returns false when it is empty.
    pub fn add_value(&mut self, value: &[u8], bytes: &mut Vec<u8>) -> bool {
        let (start, frames) = (bytes.len(), self.frames());
        self.append(&value[..value.len().min(self.value_bytes_max())], bytes);
        self.add_datagram(bytes, start..bytes.len(), None);
        if self.frames() == frames {
            bytes.truncate(start);
        }
        self.frames() > frames
    }

    /// Appends the messages of a record of DTLS, converted if `encoding()` is set.
    pub(crate) fn add_record(&mut self, record: &[u8], bytes: &mut Vec<u8>) {
        self.take_frames();
        let first = self.frames.len();
        split_record(record, self.settings.options.message_bytes_max, &mut self.frames);
        for index in first..self.frames.len() {
            let frame = self.frames[index];
            let start = bytes.len();
            self.append(&record[frame.start..frame.end], bytes);
            self.frames[index] = Frame { start, end: bytes.len(), marks: frame.marks };
        }
    }

    /// Decodes the frames found and forwards them as one batch of one origin.
    pub fn forward(
        &mut self,
        bytes: Arc<Vec<u8>>,
        origin: &Arc<Origin>,
        completion: Option<Box<dyn Completion>>,
    ) {
        let runs = [Run { frames: self.frames.len(), origin: origin.clone() }];
        self.forward_runs(bytes, &runs, completion);
    }

    /// Like `forward`, for frames of several origins, in their order.
    pub(crate) fn forward_runs(
        &mut self,
        bytes: Arc<Vec<u8>>,
        runs: &[Run],
        completion: Option<Box<dyn Completion>>,
    ) {
        let Some(batch) = self.decode(bytes, runs) else { return };
        self.begin();
        self.deliver(batch, completion);
    }

    /// Like `forward`, for messages that their sender has numbered.
    pub(crate) fn forward_numbered(
        &mut self,
        bytes: Arc<Vec<u8>>,
        origin: &Arc<Origin>,
        numbering: Numbering,
        completion: Box<dyn Completion>,
    ) {
        let runs = [Run { frames: self.frames.len(), origin: origin.clone() }];
        match self.decode(bytes, &runs) {
            Some(mut batch) => {
                batch.numbering = Some(numbering);
                self.begin();
                self.deliver(batch, Some(completion));
            }
            // Nothing but empty messages, which are dropped.
            None => completion.complete(Outcome::Done),
        }
    }

    /// Decodes the frames found, each into one message; `None` without frames.
    pub fn decode(&mut self, bytes: Arc<Vec<u8>>, runs: &[Run]) -> Option<Batch> {
        if self.frames.is_empty() {
            return None;
        }
        // One origin is usual; only datagrams of several peers share a batch.
        let mut batch = Batch::new(bytes, Vec::with_capacity(1), self.clock.now(), Ack::none());
        let (mut first, mut odd) = (0, 0);
        for run in runs {
            let last = run.frames.min(self.frames.len());
            let origin = origin_index(&mut batch, &run.origin);
            let decoded = batch.messages.len();
            let frames = &self.frames[first..last];
            match &mut self.gelf {
                Some(gelf) => odd += gelf.gelf_frames(&mut batch, frames, origin),
                None if self.settings.options.form == Form::Accounting => {
                    odd += accounting(&mut batch, frames, self.settings.options.decode.default_pri, origin);
                }
                None => self.decoder.decode_frames(&mut batch, frames, origin),
            }
            let messages = decoded..batch.messages.len();
            hosts::apply(&mut batch, messages, &run.origin, &self.settings.options);
            first = last;
        }
        odd += self.frames.iter().filter(|frame| !frame.marks.is_empty()).count();
        // Before the path runs: another reader of this thread may then use the list.
        self.recycle_frames();
        let counters = &self.settings.counters;
        // Threads share the counters, and an atomic write of nothing costs as much as one of something.
        if odd > 0 {
            stats::add(&counters.frame_errors, odd);
        }
        Some(batch)
    }

    /// Room for frames, unless there is some.
    #[inline]
    fn take_frames(&mut self) {
        if self.frames.capacity() == 0 {
            self.frames = FRAMES.take();
        }
    }

    fn recycle_frames(&mut self) {
        let mut frames = std::mem::take(&mut self.frames);
        if frames.capacity() <= FRAMES_KEPT {
            frames.clear();
            FRAMES.set(frames);
        }
    }

    /// An empty batch over bytes of one origin, for a decoder that is not about frames.
    pub fn batch(&mut self, bytes: Arc<Vec<u8>>, origin: &Arc<Origin>) -> Batch {
        Batch::new(bytes, vec![origin.clone()], self.clock.now(), Ack::none())
    }

    /// Forwards what such a decoder made: texts are cut at the limit, hosts set as for frames.
    pub fn forward_decoded(
        &mut self,
        mut batch: Batch,
        origin: &Origin,
        completion: Option<Box<dyn Completion>>,
    ) {
        let options = &self.settings.options;
        for message in &mut batch.messages {
            if message.text.len() > options.message_bytes_max {
                message.text = message.text.part(0, options.message_bytes_max);
                message.marks.add(Mark::Truncated);
            }
        }
        let messages = 0..batch.len();
        hosts::apply(&mut batch, messages, origin, options);
        self.begin();
        self.deliver(batch, completion);
    }

    /// A batch is about to be forwarded.
    #[inline]
    pub(crate) fn begin(&mut self) {
        if let Some(call) = self.at_first_batch.take() {
            call();
        }
    }

    /// Sets host and program of messages that were not decoded here, all of one origin, as the source is configured.
    pub(crate) fn name(&self, batch: &mut Batch, origin: &Origin) {
        let messages = 0..batch.len();
        hosts::apply(batch, messages, origin, &self.settings.options);
    }

    /// Sets the configured names of every message, for messages that are made here with names of their own.
    pub(crate) fn replace_names(&self, batch: &mut Batch) {
        let messages = 0..batch.len();
        hosts::replace(batch, messages, &self.settings.options);
    }

    /// Numbers a decoded batch, takes its share of the window, and passes it to the pipeline.
    pub fn deliver(&self, mut batch: Batch, completion: Option<Box<dyn Completion>>) {
        let (messages, bytes) = (batch.len(), batch.received_bytes.len() + batch.extra.len());
        let counters = &self.settings.counters;
        stats::add(&counters.processed, messages);
        stats::add(&counters.bytes, bytes);
        counters.stamp_s.store(batch.received.unix_s().max(0) as u64, Ordering::Relaxed);
        if let Some(numbers) = &self.settings.options.rcptid {
            batch.rcptid = numbers.fetch_add(messages as u64, Ordering::Relaxed);
        }
        // The window is acquired here, whatever a path drops later: the batch's own acknowledgement releases it.
        batch.ack = self.window.acquire(messages, bytes, completion);
        let budget = self.turns.begin(messages, Instant::now);
        self.settings.intake.take(batch, &budget);
    }
}

fn gelf(options: &SourceOptions) -> Option<Box<ShippedReader>> {
    (options.form == Form::Gelf).then(|| Box::new(ShippedReader::new(options.decode.clone(), "")))
}

/// Adds records of process accounting. Returns how many of them could not be read.
fn accounting(batch: &mut Batch, frames: &[Frame], pri: Option<Priority>, origin: u16) -> usize {
    let first = batch.len();
    for frame in frames {
        let record = Span::received(frame.start, frame.end - frame.start);
        push_accounting(batch, record, pri.unwrap_or(Priority::DEFAULT), origin);
    }
    let is_odd = |message: &&Message| !message.marks.is_empty();
    batch.messages[first..].iter().filter(is_odd).count()
}

fn framer(settings: &Settings) -> Framer {
    let options = &settings.options;
    let framer = Framer::new(options.framing, options.message_bytes_max, options.oversize);
    let framer = if options.keeps_empty_lines { framer.keeping_empty() } else { framer };
    match &options.multi_line {
        Some(mode) => framer.joining(mode.clone()),
        None => framer,
    }
}

/// Returns the index of an origin in the batch's list. There are few, and the last one is the likeliest: neighbours repeat.
fn origin_index(batch: &mut Batch, origin: &Arc<Origin>) -> u16 {
    let known = batch.origins.iter().rposition(|known| Arc::ptr_eq(known, origin));
    let place = known.unwrap_or_else(|| {
        batch.origins.push(origin.clone());
        batch.origins.len() - 1
    });
    // A batch of datagrams ends before this many senders, see the datagram reader.
    u16::try_from(place).expect("a batch has fewer than 65,536 origins")
}

#[cfg(test)]
mod tests;
