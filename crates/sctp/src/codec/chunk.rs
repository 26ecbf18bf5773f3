//! The chunks of a packet.
//!
//! In: the bytes behind the common header. Out: one chunk after the other, borrowed. Limits: after the first chunk that
//! cannot be read, or that is unknown and says so by its type, the rest of the packet is skipped.

use super::bytes::{append_item, take_item, u32_at};
use super::cause::Causes;
use super::data::Data;
use super::forward::ForwardTsn;
use super::init::Init;
use super::kind::{self, Unrecognized};
use super::sack::Sack;
use std::fmt;

/// The T bit: the tag is that of the packet that this answers.
const REFLECTED: u8 = 1;
/// Type of the only parameter of HEARTBEAT.
const HEARTBEAT_INFORMATION: u16 = 1;

/// One chunk.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Chunk<'a> {
    /// DATA or I-DATA.
    Data(Data<'a>),
    /// The first one of a handshake.
    Init(Init<'a>),
    /// The answer to it.
    InitAck(Init<'a>),
    /// The report of a receiver on what has arrived.
    Sack(Sack),
    /// A question whether the peer lives: bytes that come back.
    Heartbeat(&'a [u8]),
    /// The answer to it.
    HeartbeatAck(&'a [u8]),
    /// The end of the association at once.
    Abort {
        /// The tag of the packet is the peer's own.
        reflected: bool,
        /// Reasons.
        causes: Causes<'a>,
    },
    /// The peer has nothing more to send; everything up to this TSN has arrived there.
    Shutdown(u32),
    /// Both have nothing more to send.
    ShutdownAck,
    /// Something that did not end the association.
    Error(Causes<'a>),
    /// The cookie comes back.
    CookieEcho(&'a [u8]),
    /// The association is up.
    CookieAck,
    /// The association is gone.
    ShutdownComplete {
        /// The tag of the packet is the peer's own.
        reflected: bool,
    },
    /// Nothing, of this size (RFC 4820).
    Pad(usize),
    /// FORWARD-TSN.
    ForwardTsn(ForwardTsn),
    /// I-FORWARD-TSN.
    IForwardTsn(ForwardTsn),
    /// One that is not known: the type and the whole of it.
    Unknown(u8, &'a [u8]),
}

/// Why a chunk cannot be read.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ChunkError {
    /// Its length is less than that of its head, or leaves the packet.
    Length,
    /// A field is missing, or a count leaves the chunk.
    Malformed {
        /// The type of the chunk.
        kind: u8,
        /// The TSN of a chunk with a head and no payload.
        tsn: Option<u32>,
    },
}

impl fmt::Display for ChunkError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ChunkError::Length => f.write_str("the length of a chunk leaves its packet"),
            ChunkError::Malformed { kind, .. } => write!(f, "a chunk of type {kind} is malformed"),
        }
    }
}

impl std::error::Error for ChunkError {}

impl<'a> Chunk<'a> {
    fn decode(kind: u8, flags: u8, whole: &'a [u8], value: &'a [u8]) -> Option<Chunk<'a>> {
        let reflected = flags & REFLECTED != 0;
        Some(match kind {
            kind::DATA | kind::I_DATA => Chunk::Data(Data::decode(kind, flags, value)?),
            kind::INIT => Chunk::Init(Init::decode(value)?),
            kind::INIT_ACK => Chunk::InitAck(Init::decode(value)?),
            kind::SACK => Chunk::Sack(Sack::decode(value)?),
            kind::HEARTBEAT => Chunk::Heartbeat(heartbeat_information(value)?),
            kind::HEARTBEAT_ACK => Chunk::HeartbeatAck(heartbeat_information(value)?),
            kind::ABORT => Chunk::Abort { reflected, causes: Causes::new(value) },
            kind::SHUTDOWN => Chunk::Shutdown(u32_at(value, 0)?),
            kind::SHUTDOWN_ACK => Chunk::ShutdownAck,
            kind::ERROR => Chunk::Error(Causes::new(value)),
            kind::COOKIE_ECHO => Chunk::CookieEcho(value),
            kind::COOKIE_ACK => Chunk::CookieAck,
            kind::SHUTDOWN_COMPLETE => Chunk::ShutdownComplete { reflected },
            kind::PAD => Chunk::Pad(value.len()),
            kind::FORWARD_TSN => Chunk::ForwardTsn(ForwardTsn::decode(kind, value)?),
            kind::I_FORWARD_TSN => Chunk::IForwardTsn(ForwardTsn::decode(kind, value)?),
            _ => Chunk::Unknown(kind, whole),
        })
    }

    /// Appends the chunk with its padding.
    pub fn encode(&self, out: &mut Vec<u8>) {
        let bit = |reflected: &bool| u8::from(*reflected) * REFLECTED;
        let mut plain = |kind: u8, flags: u8, value: &[u8]| {
            append_item(out, [kind, flags], |out| out.extend_from_slice(value));
        };
        match self {
            Chunk::Data(data) => data.encode(out),
            Chunk::Init(init) => init.encode(kind::INIT, out),
            Chunk::InitAck(init) => init.encode(kind::INIT_ACK, out),
            Chunk::Sack(sack) => sack.encode(out),
            Chunk::Heartbeat(information) => append_heartbeat(out, kind::HEARTBEAT, information),
            Chunk::HeartbeatAck(information) => append_heartbeat(out, kind::HEARTBEAT_ACK, information),
            Chunk::Abort { reflected, causes } => plain(kind::ABORT, bit(reflected), causes.bytes()),
            Chunk::Shutdown(cumulative) => plain(kind::SHUTDOWN, 0, &cumulative.to_be_bytes()),
            Chunk::ShutdownAck => plain(kind::SHUTDOWN_ACK, 0, &[]),
            Chunk::Error(causes) => plain(kind::ERROR, 0, causes.bytes()),
            Chunk::CookieEcho(cookie) => plain(kind::COOKIE_ECHO, 0, cookie),
            Chunk::CookieAck => plain(kind::COOKIE_ACK, 0, &[]),
            Chunk::ShutdownComplete { reflected } => plain(kind::SHUTDOWN_COMPLETE, bit(reflected), &[]),
            Chunk::Pad(size) => {
                append_item(out, [kind::PAD, 0], |out| out.resize(out.len() + size, 0));
            }
            Chunk::ForwardTsn(forward) => forward.encode(kind::FORWARD_TSN, out),
            Chunk::IForwardTsn(forward) => forward.encode(kind::I_FORWARD_TSN, out),
            Chunk::Unknown(kind, whole) => {
                let flags = whole.get(1).copied().unwrap_or_default();
                plain(*kind, flags, whole.get(4..).unwrap_or_default());
            }
        }
    }
}

fn heartbeat_information(value: &[u8]) -> Option<&[u8]> {
    let mut list = value;
    let item = take_item(&mut list)?;
    (u16::from_be_bytes(item.head) == HEARTBEAT_INFORMATION).then_some(item.value)
}

fn append_heartbeat(out: &mut Vec<u8>, kind: u8, information: &[u8]) {
    append_item(out, [kind, 0], |out| {
        append_item(out, HEARTBEAT_INFORMATION.to_be_bytes(), |out| out.extend_from_slice(information));
    });
}

/// The chunks of a packet, in their order.
#[derive(Clone, Debug)]
pub struct Chunks<'a> {
    rest: &'a [u8],
}

impl<'a> Chunks<'a> {
    pub(super) fn new(rest: &'a [u8]) -> Chunks<'a> {
        Chunks { rest }
    }
}

impl<'a> Iterator for Chunks<'a> {
    type Item = Result<Chunk<'a>, ChunkError>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.rest.is_empty() {
            return None;
        }
        let Some(item) = take_item(&mut self.rest) else {
            self.rest = &[];
            return Some(Err(ChunkError::Length));
        };
        let [kind, flags] = item.head;
        let Some(chunk) = Chunk::decode(kind, flags, item.whole, item.value) else {
            self.rest = &[];
            let has_payload = kind == kind::DATA || kind == kind::I_DATA;
            let tsn = has_payload.then(|| u32_at(item.value, 0)).flatten();
            return Some(Err(ChunkError::Malformed { kind, tsn }));
        };
        if matches!(chunk, Chunk::Unknown(..)) && Unrecognized::from_type(kind).stops() {
            self.rest = &[];
        }
        Some(Ok(chunk))
    }
}
