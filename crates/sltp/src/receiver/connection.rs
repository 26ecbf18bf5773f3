//! One connection of a sender.
//!
//! In: its bytes, read into a buffer of the caller. Out: batches of messages, answers. Holds: the streams of its handshake.
//! Limits: before the handshake a frame has at most [`HELLO_BYTES_MAX`]; later those of the options.

use super::{
    InputError, ReceiverOptions, Streams, Ticket, Violation,
    streams::{Notify, Stream},
};
use crate::packing::Unpacker;
use message::StreamKey;
use std::sync::Arc;
use wire::sltp::{
    self, Bye, ByeReason, Codec, DATA_HEAD_BYTES, DICTIONARY_BYTES_MAX, Data, FrameKind, FrameReader, Gap,
    Hello, Item, Level, MAGIC, RawFrame, Refusal, RefusalCode, StreamOffer, VERSION, Welcome, append_frame,
    items,
};

/// Longest payload of a hello.
const HELLO_BYTES_MAX: usize = 8 << 10;
/// Least bytes of a buffer for a read.
const READ_BYTES: usize = 64 << 10;

/// A connection of a sender.
pub struct Connection {
    options: ReceiverOptions,
    streams: Streams,
    notify: Notify,
    number: u64,
    /// Who the sender is, as far as it was proven otherwise: the subject of its certificate.
    identity: String,
    reader: FrameReader,
    unpacker: Unpacker,
    has_magic: bool,
    attached: Vec<Attached>,
    level: Level,
    codec: Codec,
    /// Bytes for the sender.
    out: Vec<u8>,
}

struct Attached {
    stream: Arc<Stream>,
    number: u8,
    /// The number that was acknowledged last.
    told: u64,
}

/// Messages that came.
pub struct Arrival {
    /// Their bytes.
    pub body: Vec<u8>,
    /// The place of each; those that came before are left out.
    pub items: Vec<Item>,
    /// To be completed when they are safe.
    pub ticket: Ticket,
}

/// The meaning of a frame.
pub enum Step {
    /// Nothing is left to do for it.
    Nothing,
    /// The handshake is over: the name of the sender and of its software.
    Opened {
        /// The sender.
        sender: String,
        /// Its software.
        software: String,
    },
    /// Messages came.
    Messages(Arrival),
    /// Messages never come.
    Gap(Gap),
    /// The sender ends the connection.
    Over,
}

impl Connection {
    /// Creates the state of a new connection. `identity` is what the sender has proven before; `notify` is called
    /// from any thread when [`Connection::answer`] has something to say.
    pub fn new(options: ReceiverOptions, streams: &Streams, identity: &str, notify: Notify) -> Connection {
        Connection {
            number: streams.next_connection(),
            streams: streams.clone(),
            notify,
            identity: identity.to_owned(),
            reader: FrameReader::new(HELLO_BYTES_MAX),
            unpacker: Unpacker::default(),
            has_magic: false,
            attached: Vec::new(),
            level: options.level,
            codec: Codec::Plain,
            out: Vec::new(),
            options,
        }
    }

    /// Returns how much free space a read should find in the buffer, whose first unread byte is at `at`.
    pub fn wanted(&self, bytes: &[u8], at: usize) -> usize {
        let have = bytes.len() - at;
        let whole = self.reader.wanted(bytes, at).unwrap_or(0).min(self.options.frame_bytes_max + READ_BYTES);
        whole.saturating_sub(have).max(READ_BYTES)
    }

    /// Reads the next frame at `at`. Returns what it meant and the offset after it; `None` when it is incomplete.
    /// Messages are put into a buffer that `buffer` makes of a size.
    pub fn read(
        &mut self,
        bytes: &[u8],
        at: usize,
        buffer: impl FnOnce(usize) -> Vec<u8>,
    ) -> Result<Option<(Step, usize)>, InputError> {
        if !self.has_magic {
            let here = &bytes[at..];
            let size = here.len().min(MAGIC.len());
            if here[..size] != MAGIC[..size] {
                return Err(sltp::FrameError::Magic.into());
            }
            if size < MAGIC.len() {
                return Ok(None);
            }
            self.has_magic = true;
            return Ok(Some((Step::Nothing, at + size)));
        }
        let Some((RawFrame { kind, payload }, end)) = self.reader.next(bytes, at)? else { return Ok(None) };
        let step = self.obey(kind, &bytes[payload], buffer)?;
        Ok(Some((step, end)))
    }

    fn obey(
        &mut self,
        kind: FrameKind,
        payload: &[u8],
        buffer: impl FnOnce(usize) -> Vec<u8>,
    ) -> Result<Step, InputError> {
        match (kind, self.attached.is_empty()) {
            (FrameKind::Hello, true) => {
                let opened = Hello::decode(payload).map_err(refusal_of).and_then(|hello| self.open(hello));
                opened.inspect_err(|error| self.refuse(error))
            }
            (FrameKind::Data, false) => self.messages(payload, buffer),
            (FrameKind::Dictionary, false) => self.dictionary(payload),
            (FrameKind::Gap, false) => self.gap(&Gap::decode(payload)?),
            (FrameKind::Ping, false) => {
                append_frame(FrameKind::Pong, &mut self.out, |out| out.extend_from_slice(payload));
                Ok(Step::Nothing)
            }
            (FrameKind::Bye, _) => Bye::decode(payload).map(|_| Step::Over).map_err(InputError::from),
            (FrameKind::Pong | FrameKind::Unknown, false) => Ok(Step::Nothing),
            _ => Err(InputError::Violation(Violation::Order)),
        }
    }

    fn refuse(&mut self, error: &InputError) {
        if let InputError::Refused(refusal) = error {
            append_frame(FrameKind::Refuse, &mut self.out, |out| refusal.encode(out));
        }
    }

    fn open(&mut self, hello: Hello) -> Result<Step, InputError> {
        let refused = |code, text: &str| Err(InputError::Refused(Refusal { code, text: text.to_owned() }));
        if !(hello.versions.0..=hello.versions.1).contains(&VERSION) {
            return refused(RefusalCode::Version, "this receiver speaks version 1");
        }
        if !self.options.is_right(&hello.token) {
            return refused(RefusalCode::Identity, "the token is not known here");
        }
        if hello.level > self.options.level {
            let text = format!("this receiver acknowledges what is {}, no more", self.options.level.name());
            return refused(RefusalCode::Level, &text);
        }
        self.level = hello.level;
        // Nobody can take over the streams of a sender with another certificate.
        let name = match self.identity.as_str() {
            "" => hello.sender.clone(),
            identity => format!("{}/{identity}", hello.sender),
        };
        let resumed = self.attach(&hello, &name)?;
        // A sender that can compress knows best whether it should.
        self.codec = hello.codecs.first().copied().unwrap_or(Codec::Plain);
        let small = |number: usize| u32::try_from(number).unwrap_or(u32::MAX);
        let welcome = Welcome {
            version: VERSION,
            streams: resumed,
            level: self.level,
            codec: self.codec,
            dictionary: 0,
            window_bytes: self.options.window_bytes,
            message_bytes_max: small(self.options.message_bytes_max),
            frame_bytes_max: small(self.options.frame_bytes_max),
            software: self.options.software.clone(),
        };
        append_frame(FrameKind::Welcome, &mut self.out, |out| welcome.encode(out));
        self.reader.set_limit(self.options.frame_bytes_max);
        Ok(Step::Opened { sender: name, software: hello.software })
    }

    fn attach(&mut self, hello: &Hello, name: &str) -> Result<Vec<(u8, u64)>, InputError> {
        let sender: Arc<str> = name.into();
        let mut resumed = Vec::new();
        for offer in &hello.streams {
            let StreamOffer { stream, epoch, .. } = *offer;
            let key = StreamKey { sender: sender.clone(), epoch, stream };
            let attached = self.streams.attach(&key, offer, hello.run, (self.number, &self.notify));
            let (stream, next) = attached.map_err(|code| {
                let text = match code {
                    RefusalCode::Epoch => {
                        format!("numbers from {} on were received from another run", offer.fresh)
                    }
                    _ => "too many senders".to_owned(),
                };
                InputError::Refused(Refusal { code, text })
            })?;
            resumed.push((offer.stream, next));
            self.attached.push(Attached { stream, number: offer.stream, told: offer.lowest });
        }
        Ok(resumed)
    }

    fn dictionary(&mut self, payload: &[u8]) -> Result<Step, InputError> {
        if self.codec != Codec::ZstdDictionary {
            return Err(InputError::Violation(Violation::Order));
        }
        if !(1..=DICTIONARY_BYTES_MAX).contains(&payload.len()) {
            return Err(sltp::FrameError::Malformed(FrameKind::Dictionary).into());
        }
        self.unpacker.set_dictionary(payload)?;
        Ok(Step::Nothing)
    }

    fn attached(&self, number: u8) -> Result<&Attached, InputError> {
        let found = self.attached.iter().find(|attached| attached.number == number);
        found.ok_or(InputError::Violation(Violation::Stream))
    }

    fn messages(
        &mut self,
        payload: &[u8],
        buffer: impl FnOnce(usize) -> Vec<u8>,
    ) -> Result<Step, InputError> {
        let head = Data::decode(payload)?;
        let size = head.size as usize;
        if size > self.options.frame_bytes_max {
            return Err(sltp::FrameError::TooLong(head.size).into());
        }
        if head.codec > self.codec {
            return Err(InputError::Violation(Violation::Order));
        }
        self.attached(head.stream)?;
        let mut body = buffer(size);
        self.unpacker.unpack(head.codec, &payload[DATA_HEAD_BYTES..], size, &mut body)?;
        // Everything is checked before any of its numbers counts as accepted.
        let mut items = items(&head, &body)?;
        let accepted = self.attached(head.stream)?.stream.accept(self.number, (head.from, head.until));
        let Some((first, mut ticket)) = accepted.map_err(InputError::Violation)? else {
            return Ok(Step::Nothing);
        };
        if first > head.from {
            items.retain(|item| item.number >= first);
        }
        if self.level == Level::Received {
            ticket.complete_at_once();
        }
        Ok(Step::Messages(Arrival { body, items, ticket }))
    }

    fn gap(&mut self, gap: &Gap) -> Result<Step, InputError> {
        let stream = &self.attached(gap.stream)?.stream;
        let accepted = stream.accept(self.number, (gap.from, gap.until)).map_err(InputError::Violation)?;
        match accepted {
            Some((_, ticket)) => ticket.complete(message::Outcome::Done),
            // It was reported on an earlier connection already.
            None if gap.from < gap.until => return Ok(Step::Nothing),
            None => {}
        }
        Ok(Step::Gap(gap.clone()))
    }

    /// Returns the bytes for the sender, after adding acknowledgements of what has become safe. Fails when the connection
    /// cannot go on; the bytes then tell the sender why.
    pub fn answer(&mut self) -> Result<&mut Vec<u8>, InputError> {
        let mut numbers = Vec::new();
        let mut violation = None;
        for attached in &mut self.attached {
            let progress = attached.stream.progress(self.number);
            if progress.has_failed {
                violation = Some(Violation::Failed);
            } else if !progress.is_owned {
                violation = Some(Violation::Replaced);
            } else if progress.safe > attached.told {
                attached.told = progress.safe;
                numbers.push((attached.number, progress.safe));
            }
        }
        if let Some(violation) = violation {
            self.bye(violation);
            return Err(InputError::Violation(violation));
        }
        if !numbers.is_empty() {
            self.acknowledge(numbers);
        }
        Ok(&mut self.out)
    }

    fn acknowledge(&mut self, streams: Vec<(u8, u64)>) {
        let ack = sltp::Ack { window_bytes: self.options.window_bytes, streams };
        append_frame(FrameKind::Ack, &mut self.out, |out| ack.encode(out));
    }

    /// Repeats the last acknowledgement while messages are being processed: the sender must not take us for dead.
    pub fn remind(&mut self) {
        if self.is_working() {
            let numbers = self.attached.iter().map(|attached| (attached.number, attached.told)).collect();
            self.acknowledge(numbers);
        }
    }

    /// Returns whether messages are being processed.
    pub fn is_working(&self) -> bool {
        self.attached.iter().any(|attached| {
            let progress = attached.stream.progress(self.number);
            progress.is_owned && progress.safe < progress.accepted
        })
    }

    /// Returns bytes that were not sent yet.
    pub fn output(&mut self) -> &mut Vec<u8> {
        &mut self.out
    }

    /// Says that the server stops.
    pub fn stop(&mut self) {
        if !self.attached.is_empty() {
            let bye = Bye { reason: ByeReason::Done, text: "the receiver stops".to_owned() };
            append_frame(FrameKind::Bye, &mut self.out, |out| bye.encode(out));
        }
    }

    fn bye(&mut self, violation: Violation) {
        let reason = match violation {
            Violation::Replaced => ByeReason::Replaced,
            Violation::Failed => ByeReason::Failed,
            _ => ByeReason::Violation,
        };
        let bye = Bye { reason, text: violation.text().to_owned() };
        append_frame(FrameKind::Bye, &mut self.out, |out| bye.encode(out));
    }

    /// Tells the sender, if it can be told, why the connection ends.
    pub fn fail(&mut self, error: &InputError) {
        match error {
            InputError::Violation(violation) => self.bye(*violation),
            InputError::Frame(error) if self.has_magic => {
                let bye = Bye { reason: ByeReason::Violation, text: error.to_string() };
                append_frame(FrameKind::Bye, &mut self.out, |out| bye.encode(out));
            }
            InputError::Frame(_) | InputError::Refused(_) => {}
        }
    }
}

/// A hello that cannot be read is answered.
fn refusal_of(error: sltp::FrameError) -> InputError {
    let code = match error {
        sltp::FrameError::UnknownField(_) => RefusalCode::Version,
        _ => RefusalCode::Malformed,
    };
    InputError::Refused(Refusal { code, text: error.to_string() })
}

impl Drop for Connection {
    fn drop(&mut self) {
        self.attached.iter().for_each(|attached| attached.stream.detach(self.number));
    }
}
