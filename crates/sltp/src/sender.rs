//! The sending end: numbers messages, gathers them in frames, and keeps each frame until its messages are acknowledged.
//!
//! In: messages with their tokens, bytes of the receiver. Out: bytes for the receiver; released tokens. Holds: frames
//! without an acknowledgement, in the order of their numbers; after a lost connection exactly the same bytes go again.
//! Limits: the caller stops adding above a size; at most the smaller of both windows is on its way.

mod batch;
mod compression;
mod error;
mod flights;
mod options;

pub use error::SenderError;
pub use flights::Settled;
pub use options::SenderOptions;

use crate::packing::Unpacker;
use batch::{OpenBatch, SendStream};
use compression::Compression;
use flights::{Flight, Flights};
use message::{Ack, RecordId};
use wire::sltp::{
    self, Bye, FrameKind, FrameReader, Gap, GapReason, Hello, Level, MAGIC, RawFrame, Refusal, SEVERITIES,
    StreamOffer, VERSION, Welcome, append_frame,
};

/// Longest frame that a receiver sends.
const ANSWER_BYTES_MAX: usize = 64 << 10;
/// The stream of messages that are numbered by a queue on disk.
const QUEUE_STREAM: u8 = 0;
/// The stream of messages that are numbered here.
const OWN_STREAM: u8 = 1;

/// State of the connection.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum State {
    /// There is none.
    Closed,
    /// The hello is on its way.
    Greeting,
    /// The receiver has accepted.
    Open,
    /// The receiver is about to close.
    Leaving,
}

/// The sending end of SLTP.
pub struct Sender {
    options: SenderOptions,
    run: u64,
    /// The number that the queue on disk was to give next when it was opened.
    queue_fresh: u64,
    state: State,
    streams: Vec<SendStream>,
    open: Option<OpenBatch>,
    /// Bytes of the messages of the last frame: the next one is probably alike.
    last_frame_bytes: usize,
    flights: Flights,
    compression: Compression,
    unpacker: Unpacker,
    reader: FrameReader,
    /// Bytes that go before the next frame of messages.
    control: Vec<u8>,
    /// The smaller of both sides' windows; that of the receiver is in its last answer.
    window_bytes: usize,
    frame_bytes_max: usize,
    settled: Settled,
    /// A stream was added that the receiver does not know of: only a new connection can tell it.
    is_outdated: bool,
    /// The link took none of the last output: it must be offered the same again.
    stalled: Option<Output>,
}

/// The kind of the next output.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Output {
    Control,
    Frame,
}

impl Sender {
    /// Creates a sender. `run` is a random number that no other run of any sender has.
    pub fn new(options: SenderOptions, run: u64) -> Sender {
        Sender {
            compression: Compression::new(options.packer()),
            streams: vec![SendStream::new(OWN_STREAM, run, 0)],
            run,
            queue_fresh: 0,
            window_bytes: options.window_bytes,
            options,
            state: State::Closed,
            open: None,
            last_frame_bytes: 0,
            flights: Flights::default(),
            unpacker: Unpacker::default(),
            reader: FrameReader::new(ANSWER_BYTES_MAX),
            control: Vec::new(),
            frame_bytes_max: usize::MAX,
            settled: Settled::default(),
            is_outdated: false,
            stalled: None,
        }
    }

    /// Takes new options. What is gathered already goes as it is. The connection must be closed if they differ.
    pub fn configure(&mut self, options: SenderOptions) {
        self.compression.set_packer(options.packer());
        self.options = options;
    }

    /// Notes the number that a queue on disk was to give next when it was opened.
    pub fn set_queue_fresh(&mut self, fresh: u64) {
        self.queue_fresh = fresh;
    }

    /// Returns the options.
    pub fn options(&self) -> &SenderOptions {
        &self.options
    }

    /// Adds a message. `id` is its place in a queue on disk; without one it is numbered here. `write` appends its text.
    /// Its token is released when the receiver has acknowledged it.
    pub fn add(&mut self, id: Option<RecordId>, ack: &Ack, write: impl FnOnce(&mut Vec<u8>)) {
        let place = self.place_of(id);
        let number = match id {
            Some(id) if self.streams[place].stream == QUEUE_STREAM => id.sequence,
            _ => self.streams[place].next,
        };
        let stream = &mut self.streams[place];
        self.is_outdated |= self.state != State::Closed && !stream.is_offered;
        stream.is_used = true;
        let (of, missing) = (stream.stream, stream.next..number);
        stream.next = number + 1;
        if self.open.as_ref().is_some_and(|open| !open.continues(of, number)) {
            self.close_batch();
        }
        if !missing.is_empty() {
            self.push_gap(of, missing);
        }
        let room = self.last_frame_bytes;
        let open = self.open.get_or_insert_with(|| OpenBatch::new(of, number, room));
        open.add(ack, write);
        if open.size() >= self.options.batch_bytes || open.count() >= self.options.batch_messages {
            self.close_batch();
        }
    }

    /// Returns the place of the stream for a message in the list.
    fn place_of(&mut self, id: Option<RecordId>) -> usize {
        let own = self.streams.iter().position(|stream| stream.stream == OWN_STREAM);
        let own = own.expect("every sender has a stream of its own numbers");
        let Some(id) = id else { return own };
        let queue = self.streams.iter().position(|stream| stream.stream == QUEUE_STREAM);
        match queue {
            // Numbers that were used already cannot be used again.
            Some(place) if self.streams[place].epoch == id.incarnation => {
                if id.sequence < self.streams[place].next { own } else { place }
            }
            Some(_) => own,
            None => {
                self.streams.push(SendStream::new(QUEUE_STREAM, id.incarnation, id.sequence));
                self.streams.len() - 1
            }
        }
    }

    /// Notes numbers of a queue that have no messages any more.
    fn push_gap(&mut self, stream: u8, missing: std::ops::Range<u64>) {
        let count = missing.end - missing.start;
        let (from, until) = (missing.start, missing.end);
        let severities = [0; SEVERITIES];
        self.flights.push(Flight::gap(&Gap {
            stream,
            reason: GapReason::Removed,
            from,
            until,
            count,
            severities,
        }));
    }

    /// Tells the receiver of messages that were dropped before they had numbers, by severity.
    pub fn report_shed(&mut self, severities: [u64; SEVERITIES], count: u64) {
        self.close_batch();
        // A sender reports nothing before it has sent a message.
        let Some(stream) = self.streams.iter().find(|stream| stream.is_offered) else { return };
        let (from, of) = (stream.next, stream.stream);
        let gap = Gap { stream: of, reason: GapReason::Shed, from, until: from, count, severities };
        self.flights.push(Flight::gap(&gap));
    }

    /// Completes the frame that is being gathered.
    pub fn close_batch(&mut self) {
        let Some(open) = self.open.take() else { return };
        self.last_frame_bytes = open.size();
        // It goes before the frames that need it.
        if let Some(dictionary) = self.compression.learn(open.body(), &mut self.unpacker)
            && self.state == State::Open
        {
            append_frame(FrameKind::Dictionary, &mut self.control, |out| out.extend_from_slice(dictionary));
        }
        self.flights.push(self.compression.close(open));
    }

    /// Begins a connection.
    pub fn connect(&mut self) {
        self.disconnect();
        self.flights.trim(&mut self.unpacker);
        self.state = State::Greeting;
        self.control.extend_from_slice(MAGIC);
        for stream in &mut self.streams {
            stream.is_offered = stream.is_used;
        }
        let streams = self.streams.iter().filter(|stream| stream.is_offered).map(|stream| StreamOffer {
            stream: stream.stream,
            epoch: stream.epoch,
            lowest: self.flights.lowest(stream.stream).unwrap_or_else(|| self.open_from(stream)),
            fresh: if stream.stream == QUEUE_STREAM { self.queue_fresh } else { 0 },
        });
        let hello = Hello {
            versions: (VERSION, VERSION),
            sender: self.options.sender.clone(),
            run: self.run,
            streams: streams.collect(),
            level: self.options.level,
            codecs: self.options.codecs(),
            dictionaries: Vec::new(),
            token: self.options.token.clone(),
            software: self.options.software.clone(),
        };
        append_frame(FrameKind::Hello, &mut self.control, |out| hello.encode(out));
    }

    /// The first number of a stream that is not acknowledged, when it has no frames.
    fn open_from(&self, stream: &SendStream) -> u64 {
        let open = self.open.as_ref().filter(|open| open.stream == stream.stream);
        open.map_or(stream.next, |open| open.from)
    }

    /// Notes that the connection is over. Everything without an acknowledgement goes again on the next one.
    pub fn disconnect(&mut self) {
        self.state = State::Closed;
        self.control.clear();
        self.is_outdated = false;
        self.stalled = None;
        self.flights.rewind();
    }

    /// Returns whether the receiver has accepted, and nothing speaks against this connection.
    pub fn is_open(&self) -> bool {
        self.state == State::Open && !self.is_outdated
    }

    /// Returns whether a connection is wanted that was begun and is not accepted.
    pub fn is_greeting(&self) -> bool {
        self.state == State::Greeting
    }

    /// Returns whether this connection must be replaced by a new one.
    pub fn must_reconnect(&self) -> bool {
        self.is_outdated || self.state == State::Leaving
    }

    /// Returns bytes to send now; empty when there are none, or the window allows no more.
    pub fn output(&self) -> &[u8] {
        match self.kind() {
            Output::Control => &self.control,
            Output::Frame if self.state != State::Open => &[],
            Output::Frame if self.stalled.is_some() => self.flights.output(usize::MAX),
            Output::Frame => self.flights.output(self.window_bytes),
        }
    }

    fn kind(&self) -> Output {
        let is_control = !self.control.is_empty() && self.flights.is_at_border();
        self.stalled.unwrap_or(if is_control { Output::Control } else { Output::Frame })
    }

    /// Notes that the first `size` bytes of the output were sent. If none were, the next output begins with the same
    /// bytes, as an encrypted link needs it.
    pub fn sent(&mut self, size: usize) {
        let kind = self.kind();
        self.stalled = (size == 0).then_some(kind);
        match kind {
            Output::Control => drop(self.control.drain(..size)),
            Output::Frame => self.flights.sent(size),
        }
    }

    /// Returns whether frames wait for the window.
    pub fn is_blocked(&self) -> bool {
        self.state == State::Open
            && self.flights.has_unsent()
            && self.flights.output(self.window_bytes).is_empty()
    }

    /// Reads whole frames of the receiver from the front of a buffer. Returns true when there was any.
    pub fn receive(&mut self, bytes: &mut Vec<u8>) -> Result<bool, SenderError> {
        let mut at = 0;
        while let Some((frame, end)) = self.reader.next(bytes, at).map_err(|error| self.faulty(error))? {
            let RawFrame { kind, payload } = frame;
            self.obey(kind, &bytes[payload])?;
            at = end;
        }
        bytes.drain(..at);
        Ok(at > 0)
    }

    /// A first answer that is no frame comes from something else than SLTP.
    fn faulty(&self, error: sltp::FrameError) -> SenderError {
        if self.state == State::Greeting { SenderError::NotSltp } else { SenderError::Frame(error) }
    }

    fn obey(&mut self, kind: FrameKind, payload: &[u8]) -> Result<(), SenderError> {
        match (kind, self.state) {
            (FrameKind::Welcome, State::Greeting) => self.welcomed(Welcome::decode(payload)?),
            (FrameKind::Refuse, State::Greeting) => Err(SenderError::Refused(Refusal::decode(payload)?)),
            (FrameKind::Ack, State::Open | State::Leaving) => self.acknowledged(&sltp::Ack::decode(payload)?),
            (FrameKind::Ping, State::Open | State::Leaving) => {
                append_frame(FrameKind::Pong, &mut self.control, |out| out.extend_from_slice(payload));
                Ok(())
            }
            (FrameKind::Bye, _) => {
                self.state = State::Leaving;
                Err(SenderError::Bye(Bye::decode(payload)?))
            }
            (FrameKind::Pong | FrameKind::Unknown, _) => Ok(()),
            _ => Err(SenderError::Violation("a frame that does not belong here")),
        }
    }

    fn welcomed(&mut self, welcome: Welcome) -> Result<(), SenderError> {
        if welcome.version != VERSION {
            return Err(SenderError::Violation("the receiver chose a version that was not offered"));
        }
        if welcome.level < self.options.level {
            return Err(SenderError::Level { wanted: self.options.level, granted: welcome.level });
        }
        for place in 0..self.streams.len() {
            let SendStream { stream, is_offered, .. } = self.streams[place];
            if !is_offered {
                continue;
            }
            let next = welcome.streams.iter().find(|(number, _)| *number == stream).map(|(_, next)| *next);
            let next = next.ok_or(SenderError::Violation("the receiver left a stream out"))?;
            if next < self.flights.lowest(stream).unwrap_or_else(|| self.open_from(&self.streams[place])) {
                return Err(SenderError::Violation("the receiver expects messages that it has acknowledged"));
            }
            self.flights.resume(stream, next);
        }
        self.frame_bytes_max = welcome.frame_bytes_max as usize;
        let granted = self.compression.granted(welcome.codec, self.frame_bytes_max);
        self.flights.unpack_above(granted, &mut self.unpacker)?;
        if let Some(dictionary) = self.compression.dictionary() {
            append_frame(FrameKind::Dictionary, &mut self.control, |out| out.extend_from_slice(dictionary));
        }
        self.window_bytes = window(self.options.window_bytes, welcome.window_bytes);
        if let Some(bytes) = self.flights.largest().filter(|bytes| *bytes > self.frame_bytes_max) {
            return Err(SenderError::FrameLimit { bytes, bytes_max: self.frame_bytes_max });
        }
        self.flights.skip_known();
        self.state = State::Open;
        Ok(())
    }

    fn acknowledged(&mut self, ack: &sltp::Ack) -> Result<(), SenderError> {
        self.window_bytes = window(self.options.window_bytes, ack.window_bytes);
        for &(stream, next) in &ack.streams {
            let settled = self.flights.settle(stream, next);
            self.settled.messages += settled.messages;
            self.settled.bytes += settled.bytes;
        }
        Ok(())
    }

    /// Asks the receiver for a sign of life.
    pub fn ping(&mut self) {
        if self.state == State::Open {
            append_frame(FrameKind::Ping, &mut self.control, |out| out.extend_from_slice(&[0; 8]));
        }
    }

    /// Says goodbye: the last bytes of a connection on which nothing is on its way.
    pub fn bye(&mut self) {
        if self.state == State::Open && self.flights.is_at_border() {
            let bye = Bye { reason: sltp::ByeReason::Done, text: String::new() };
            append_frame(FrameKind::Bye, &mut self.control, |out| bye.encode(out));
        }
    }

    /// Returns the messages without an acknowledgement.
    pub fn unsettled(&self) -> usize {
        self.flights.messages() + self.open.as_ref().map_or(0, OpenBatch::count)
    }

    /// Returns whether anything that was sent waits for an answer.
    pub fn awaits_answer(&self) -> bool {
        self.state == State::Greeting || self.flights.has_sent()
    }

    /// Returns the bytes that were not sent yet.
    pub fn unsent_bytes(&self) -> usize {
        self.flights.unsent_bytes() + self.open.as_ref().map_or(0, OpenBatch::size)
    }

    /// Returns whether anything was acknowledged since the last call of [`Sender::take_settled`].
    pub fn has_settled(&self) -> bool {
        self.settled.messages > 0
    }

    /// Returns what was acknowledged since the last call.
    pub fn take_settled(&mut self) -> Settled {
        std::mem::take(&mut self.settled)
    }

    /// Reads a frame without an acknowledgement, `place` counted from the oldest, for a receiver of another protocol: calls
    /// `each` with every message. Returns how many there were; `None` when there is no such frame.
    pub fn read_frame(
        &mut self,
        place: usize,
        each: impl FnMut(&[u8]),
    ) -> Result<Option<usize>, SenderError> {
        self.flights.read(place, &mut self.unpacker, each)
    }

    /// Notes that a receiver of another protocol has acknowledged the oldest `count` messages, in so many bytes. There must
    /// be no connection. Returns the number of frames that this completes, gaps included: nobody hears of those.
    pub fn settle_first(&mut self, count: usize, bytes: usize) -> usize {
        debug_assert_eq!(self.state, State::Closed);
        self.settled.messages += count;
        self.settled.bytes += bytes;
        self.flights.settle_first(count)
    }

    /// Gives up all messages without an acknowledgement, and returns how many. Their sources learn of it.
    pub fn abandon(&mut self) -> usize {
        self.close_batch();
        self.flights.abandon()
    }

    /// Returns the level that it asks for.
    pub fn level(&self) -> Level {
        self.options.level
    }
}

/// The smaller of two windows.
fn window(own: usize, of_receiver: u64) -> usize {
    own.min(usize::try_from(of_receiver).unwrap_or(usize::MAX))
}

#[cfg(test)]
mod tests;
