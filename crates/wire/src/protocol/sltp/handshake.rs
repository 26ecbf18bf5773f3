//! The handshake: what the sender offers, what the receiver chooses or why it refuses.
//!
//! In: payloads. Out: their values, and back. Holds: nothing.
//! Limits: [`STREAMS_MAX`] streams, tokens of [`TOKEN_BYTES_MAX`]. Unknown fields are skipped unless they are critical.

use super::{
    fields::{Taker, each_field, put_field, text},
    frame::{FrameError, FrameKind},
};

/// The first bytes of a connection, before the hello.
pub const MAGIC: &[u8; 8] = b"SLTP/1\r\n";
/// The version that is spoken here.
pub const VERSION: u8 = 1;
/// Most streams of a connection.
pub const STREAMS_MAX: usize = 8;
/// Longest token.
pub const TOKEN_BYTES_MAX: usize = 1024;

/// Longest dictionary.
pub const DICTIONARY_BYTES_MAX: usize = 64 << 10;

/// Longest name of a sender.
pub const SENDER_BYTES_MAX: usize = 128;

/// Types of fields.
mod field {
    pub(super) const VERSIONS: u16 = 0x8001;
    pub(super) const SENDER: u16 = 0x8002;
    pub(super) const RUN: u16 = 0x800c;
    pub(super) const STREAMS: u16 = 0x8003;
    pub(super) const LEVEL: u16 = 0x8004;
    pub(super) const CODECS: u16 = 5;
    pub(super) const DICTIONARIES: u16 = 6;
    pub(super) const TOKEN: u16 = 7;
    pub(super) const SOFTWARE: u16 = 8;
    pub(super) const WINDOW: u16 = 0x8009;
    pub(super) const MESSAGE_MAX: u16 = 0x800a;
    pub(super) const FRAME_MAX: u16 = 0x800b;
}

/// When a message counts as acknowledged.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Default)]
pub enum Level {
    /// The receiver has it in memory.
    Received,
    /// Every destination that holds the receiver's source back has it, in the way that its kind keeps messages.
    #[default]
    Durable,
    /// Every such destination has delivered it, whatever it keeps on its disk.
    Delivered,
}

impl Level {
    fn of(byte: u8) -> Option<Level> {
        [Level::Received, Level::Durable, Level::Delivered].get(usize::from(byte).checked_sub(1)?).copied()
    }

    fn byte(self) -> u8 {
        self as u8 + 1
    }

    /// Returns its name in configurations.
    pub fn name(self) -> &'static str {
        match self {
            Level::Received => "received",
            Level::Durable => "durable",
            Level::Delivered => "delivered",
        }
    }
}

/// How the messages of a frame are compressed.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Default)]
pub enum Codec {
    /// Not at all.
    #[default]
    Plain,
    /// One frame of Zstandard.
    Zstd,
    /// One frame of Zstandard, with the dictionary that the sender has sent on the connection. Who reads it reads
    /// [`Codec::Zstd`], too.
    ZstdDictionary,
}

impl Codec {
    pub(super) fn of(byte: u8) -> Option<Codec> {
        [Codec::Plain, Codec::Zstd, Codec::ZstdDictionary].get(usize::from(byte)).copied()
    }

    pub(super) fn byte(self) -> u8 {
        self as u8
    }
}

/// A stream that a sender has.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct StreamOffer {
    /// Its number on this connection and in the sender's queue.
    pub stream: u8,
    /// Drawn when the queue that numbers its messages was created.
    pub epoch: u64,
    /// Everything below was acknowledged to the sender, or will never come.
    pub lowest: u64,
    /// Numbers from here on were given, or will be, by this run of the sender.
    pub fresh: u64,
}

/// The sender begins.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Hello {
    /// Lowest and highest version that it speaks.
    pub versions: (u8, u8),
    /// Its name, as far as it can be believed; at most [`SENDER_BYTES_MAX`].
    pub sender: String,
    /// Random; drawn at each start of the sender.
    pub run: u64,
    /// Its streams.
    pub streams: Vec<StreamOffer>,
    /// The level that it asks for.
    pub level: Level,
    /// The kinds of compression that it may use, the best first; `Plain` is always possible.
    pub codecs: Vec<Codec>,
    /// The dictionaries that it has.
    pub dictionaries: Vec<u32>,
    /// Its secret.
    pub token: Vec<u8>,
    /// Its name and version, for people.
    pub software: String,
}

/// The receiver accepts.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Welcome {
    /// The version that is spoken from now on.
    pub version: u8,
    /// For each stream of the hello, the next number that it expects. Those before it are acknowledged, or will be.
    pub streams: Vec<(u8, u64)>,
    /// The level that it grants.
    pub level: Level,
    /// The best compression that it allows.
    pub codec: Codec,
    /// The dictionary for it; 0 is none.
    pub dictionary: u32,
    /// Most bytes of frames that may be on their way without an acknowledgement. One frame is always allowed.
    pub window_bytes: u64,
    /// Longest message; longer ones are cut by the receiver.
    pub message_bytes_max: u32,
    /// Longest payload of a frame, and most bytes of its messages uncompressed.
    pub frame_bytes_max: u32,
    /// Its name and version, for people.
    pub software: String,
}

/// Why a receiver does not accept a sender.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum RefusalCode {
    /// No version in common, or a field that it does not know.
    Version,
    /// It does not know who that is.
    Identity,
    /// The sender's queue is older than what was received from it: it was restored from a backup.
    Epoch,
    /// It cannot grant the level.
    Level,
    /// Too many streams or senders.
    Busy,
    /// The handshake is malformed.
    Malformed,
    /// A reason of a later version.
    Other(u16),
}

const CODES: [RefusalCode; 6] = [
    RefusalCode::Version,
    RefusalCode::Identity,
    RefusalCode::Epoch,
    RefusalCode::Level,
    RefusalCode::Busy,
    RefusalCode::Malformed,
];

impl RefusalCode {
    fn of(number: u16) -> RefusalCode {
        let known = usize::from(number).checked_sub(1).and_then(|place| CODES.get(place));
        known.copied().unwrap_or(RefusalCode::Other(number))
    }

    fn number(self) -> u16 {
        match self {
            RefusalCode::Other(number) => number,
            code => CODES.iter().position(|known| *known == code).map_or(0, |place| place as u16 + 1),
        }
    }
}

/// The receiver does not accept.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Refusal {
    /// Why.
    pub code: RefusalCode,
    /// The same for people.
    pub text: String,
}

impl Hello {
    /// Appends its payload.
    pub fn encode(&self, out: &mut Vec<u8>) {
        put_field(out, field::VERSIONS, &[self.versions.0, self.versions.1]);
        put_field(out, field::SENDER, self.sender.as_bytes());
        put_field(out, field::RUN, &self.run.to_le_bytes());
        let mut streams = Vec::new();
        for offer in &self.streams {
            streams.push(offer.stream);
            [offer.epoch, offer.lowest, offer.fresh]
                .iter()
                .for_each(|number| streams.extend_from_slice(&number.to_le_bytes()));
        }
        put_field(out, field::STREAMS, &streams);
        put_field(out, field::LEVEL, &[self.level.byte()]);
        let codecs: Vec<u8> = self.codecs.iter().map(|codec| codec.byte()).collect();
        put_field(out, field::CODECS, &codecs);
        let dictionaries: Vec<u8> = self.dictionaries.iter().flat_map(|id| id.to_le_bytes()).collect();
        put_field(out, field::DICTIONARIES, &dictionaries);
        if !self.token.is_empty() {
            put_field(out, field::TOKEN, &self.token);
        }
        put_field(out, field::SOFTWARE, self.software.as_bytes());
    }

    /// Reads a payload.
    pub fn decode(payload: &[u8]) -> Result<Hello, FrameError> {
        let malformed = FrameError::Malformed(FrameKind::Hello);
        let (mut versions, mut sender, mut run, mut streams, mut level) = (None, None, None, None, None);
        let (mut codecs, mut dictionaries) = (Vec::new(), Vec::new());
        let (mut token, mut software) = (Vec::new(), String::new());
        each_field(payload, malformed, |kind, value| {
            match kind {
                field::VERSIONS => {
                    versions = Some(Taker::whole(value, |from| Some((from.one()?, from.one()?)))?)
                }
                field::SENDER => sender = Some(sender_name(value)?),
                field::RUN => run = Some(Taker::whole(value, Taker::eight)?),
                field::STREAMS => streams = Some(offers(value)?),
                field::LEVEL => level = Some(Taker::whole(value, |from| Level::of(from.one()?))?),
                field::CODECS => codecs = value.iter().filter_map(|byte| Codec::of(*byte)).collect(),
                field::DICTIONARIES => {
                    let ids = value.chunks_exact(4).take(64);
                    dictionaries = ids.map(|id| u32::from_le_bytes([id[0], id[1], id[2], id[3]])).collect();
                }
                field::TOKEN if value.len() > TOKEN_BYTES_MAX => return None,
                field::TOKEN => token = value.to_vec(),
                field::SOFTWARE => software = text(value),
                _ => return Some(false),
            }
            Some(true)
        })?;
        Ok(Hello {
            versions: versions.ok_or(malformed)?,
            sender: sender.ok_or(malformed)?,
            run: run.ok_or(malformed)?,
            streams: streams.ok_or(malformed)?,
            level: level.ok_or(malformed)?,
            codecs,
            dictionaries,
            token,
            software,
        })
    }
}

/// Reads the name of a sender: text without control characters.
fn sender_name(value: &[u8]) -> Option<String> {
    let name = std::str::from_utf8(value).ok()?;
    let is_name = !name.is_empty() && name.len() <= SENDER_BYTES_MAX && !name.contains(char::is_control);
    is_name.then(|| name.to_owned())
}

/// Reads the streams of a hello, each once.
fn offers(value: &[u8]) -> Option<Vec<StreamOffer>> {
    let mut from = Taker(value);
    let mut offers: Vec<StreamOffer> = Vec::new();
    while !from.0.is_empty() {
        let offer = StreamOffer {
            stream: from.one()?,
            epoch: from.eight()?,
            lowest: from.eight()?,
            fresh: from.eight()?,
        };
        let is_known = offers.iter().any(|known| known.stream == offer.stream);
        if is_known || offers.len() == STREAMS_MAX {
            return None;
        }
        offers.push(offer);
    }
    (!offers.is_empty()).then_some(offers)
}

/// Appends the next number of each of some streams.
pub(super) fn put_numbers(streams: &[(u8, u64)], out: &mut Vec<u8>) {
    for (stream, next) in streams {
        out.push(*stream);
        out.extend_from_slice(&next.to_le_bytes());
    }
}

/// Reads the next number of each of some streams.
pub(super) fn take_numbers(from: &mut Taker<'_>) -> Option<Vec<(u8, u64)>> {
    let mut streams = Vec::new();
    while !from.0.is_empty() {
        if streams.len() == STREAMS_MAX {
            return None;
        }
        streams.push((from.one()?, from.eight()?));
    }
    Some(streams)
}

impl Welcome {
    /// Appends its payload.
    pub fn encode(&self, out: &mut Vec<u8>) {
        put_field(out, field::VERSIONS, &[self.version]);
        let mut streams = Vec::new();
        put_numbers(&self.streams, &mut streams);
        put_field(out, field::STREAMS, &streams);
        put_field(out, field::LEVEL, &[self.level.byte()]);
        put_field(out, field::CODECS, &[self.codec.byte()]);
        put_field(out, field::DICTIONARIES, &self.dictionary.to_le_bytes());
        put_field(out, field::WINDOW, &self.window_bytes.to_le_bytes());
        put_field(out, field::MESSAGE_MAX, &self.message_bytes_max.to_le_bytes());
        put_field(out, field::FRAME_MAX, &self.frame_bytes_max.to_le_bytes());
        put_field(out, field::SOFTWARE, self.software.as_bytes());
    }

    /// Reads a payload.
    pub fn decode(payload: &[u8]) -> Result<Welcome, FrameError> {
        let malformed = FrameError::Malformed(FrameKind::Welcome);
        let (mut version, mut streams, mut level) = (None, None, None);
        let (mut codec, mut dictionary, mut software) = (Codec::Plain, 0, String::new());
        let (mut window, mut message_max, mut frame_max) = (None, None, None);
        each_field(payload, malformed, |kind, value| {
            match kind {
                field::VERSIONS => version = Some(Taker::whole(value, Taker::one)?),
                field::STREAMS => streams = Some(take_numbers(&mut Taker(value))?),
                field::LEVEL => level = Some(Taker::whole(value, |from| Level::of(from.one()?))?),
                field::CODECS => codec = Taker::whole(value, |from| Codec::of(from.one()?))?,
                field::DICTIONARIES => dictionary = Taker::whole(value, Taker::four)?,
                field::WINDOW => window = Some(Taker::whole(value, Taker::eight)?),
                field::MESSAGE_MAX => message_max = Some(Taker::whole(value, Taker::four)?),
                field::FRAME_MAX => frame_max = Some(Taker::whole(value, Taker::four)?),
                field::SOFTWARE => software = text(value),
                _ => return Some(false),
            }
            Some(true)
        })?;
        Ok(Welcome {
            version: version.ok_or(malformed)?,
            streams: streams.ok_or(malformed)?,
            level: level.ok_or(malformed)?,
            codec,
            dictionary,
            window_bytes: window.ok_or(malformed)?,
            message_bytes_max: message_max.ok_or(malformed)?,
            frame_bytes_max: frame_max.ok_or(malformed)?,
            software,
        })
    }
}

impl Refusal {
    /// Appends its payload.
    pub fn encode(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(&self.code.number().to_le_bytes());
        out.extend_from_slice(self.text.as_bytes());
    }

    /// Reads a payload.
    pub fn decode(payload: &[u8]) -> Result<Refusal, FrameError> {
        let mut from = Taker(payload);
        let code = from.array().map(u16::from_le_bytes).ok_or(FrameError::Malformed(FrameKind::Refuse))?;
        Ok(Refusal { code: RefusalCode::of(code), text: text(from.0) })
    }
}
