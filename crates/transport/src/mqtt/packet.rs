//! Packets of MQTT 3.1.1: those that a client sends, and those that it gets.
//!
//! In: names, texts, numbers; bytes of packets. Out: bytes; the content of a packet. Holds: nothing.
//! Limits: who decodes says how long a packet may be; a publication has at most [`REST_BYTES_MAX`] bytes.

use super::login::{MqttLogin, MqttQos, MqttSession};
use crate::endpoint::Breach;

/// Most bytes behind the head of a packet: the protocol has no longer number.
pub const REST_BYTES_MAX: usize = 268_435_455;
/// Most bytes of the length of a packet.
const SIZE_BYTES_MAX: usize = 4;

/// Asks if the broker is there.
pub const PING: [u8; 2] = [0xc0, 0];
/// Says that the connection ends on purpose.
pub const DISCONNECT: [u8; 2] = [0xe0, 0];
/// Flags of a login.
const CLEAN_SESSION: u8 = 0x02;
const WITH_PASSWORD: u8 = 0x40;
const WITH_USER: u8 = 0x80;
/// Flag of a publication that was sent before.
const DUPLICATE: u8 = 0x08;
/// Answer to a subscription that is refused.
const REFUSED: u8 = 0x80;

/// The content of a packet of a broker.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Packet<'a> {
    /// CONNACK: the login is done, with this code.
    Connected {
        /// 0 is accepted.
        code: u8,
        /// True when the broker remembers us.
        has_session: bool,
    },
    /// PUBLISH
    Publication(Publication<'a>),
    /// PUBACK: it has the publication.
    Taken(u16),
    /// PUBREC: it has the publication, and waits for leave to pass it on.
    Received(u16),
    /// PUBREL: it gives leave to pass a publication on, and forgets it.
    Released(u16),
    /// PUBCOMP: it has passed it on.
    Completed(u16),
    /// SUBACK: how it acknowledges what is subscribed; `None` when it refuses.
    Subscribed(Option<MqttQos>),
    /// PINGRESP
    Alive,
}

/// A publication.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Publication<'a> {
    /// The name of its topic.
    pub topic: &'a [u8],
    /// How it is acknowledged.
    pub qos: MqttQos,
    /// Its number until it is acknowledged; 0 when it is not to be.
    pub number: u16,
    /// True when it may have been sent before.
    pub is_repeated: bool,
    /// Its text.
    pub payload: &'a [u8],
}

/// The head of a packet.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Head {
    /// Kind and flags.
    pub first: u8,
    /// Its own bytes.
    pub bytes: usize,
    /// Bytes that follow.
    pub rest: usize,
}

fn text(text: &[u8], out: &mut Vec<u8>) {
    let size = u16::try_from(text.len()).unwrap_or(u16::MAX);
    out.extend_from_slice(&size.to_be_bytes());
    out.extend_from_slice(&text[..usize::from(size)]);
}

/// Appends the head of a packet.
fn head(first: u8, mut rest: usize, out: &mut Vec<u8>) {
    out.push(first);
    loop {
        let low = (rest & 0x7f) as u8;
        rest >>= 7;
        if rest == 0 {
            return out.push(low);
        }
        out.push(low | 0x80);
    }
}

/// Appends a packet that has a number and nothing else.
fn numbered(first: u8, number: u16, out: &mut Vec<u8>) {
    head(first, 2, out);
    out.extend_from_slice(&number.to_be_bytes());
}

/// Makes the packet of a login.
pub fn connect(login: &MqttLogin, session: MqttSession) -> Vec<u8> {
    let mut flags = match session {
        MqttSession::Clean => CLEAN_SESSION,
        MqttSession::Kept => 0,
    };
    let mut rest = Vec::new();
    text(login.client.as_bytes(), &mut rest);
    if let Some(user) = &login.user {
        flags |= WITH_USER;
        text(user.as_bytes(), &mut rest);
        if let Some(password) = &login.password {
            flags |= WITH_PASSWORD;
            text(password.as_bytes(), &mut rest);
        }
    }
    let mut out = Vec::new();
    head(0x10, rest.len() + 10, &mut out);
    text(b"MQTT", &mut out);
    out.extend_from_slice(&[4, flags]);
    out.extend_from_slice(&login.keep_alive.to_be_bytes());
    out.extend_from_slice(&rest);
    out
}

/// Appends a publication. Its number is not sent with `qos(0)`.
pub fn publish(qos: MqttQos, number: u16, topic: &[u8], payload: &[u8], out: &mut Vec<u8>) {
    let level = qos.level();
    let number_bytes = if level > 0 { 2 } else { 0 };
    head(0x30 | level << 1, 2 + topic.len() + number_bytes + payload.len(), out);
    text(topic, out);
    if level > 0 {
        out.extend_from_slice(&number.to_be_bytes());
    }
    out.extend_from_slice(payload);
}

/// Appends a subscription.
pub fn subscribe(number: u16, filter: &str, qos: MqttQos, out: &mut Vec<u8>) {
    head(0x82, 2 + 2 + filter.len() + 1, out);
    out.extend_from_slice(&number.to_be_bytes());
    text(filter.as_bytes(), out);
    out.push(qos.level());
}

/// Appends the acknowledgement of a publication with `qos(1)`: PUBACK.
pub fn acknowledge(number: u16, out: &mut Vec<u8>) {
    numbered(0x40, number, out);
}

/// Appends the acknowledgement of a publication with `qos(2)`: PUBREC.
pub fn receive(number: u16, out: &mut Vec<u8>) {
    numbered(0x50, number, out);
}

/// Appends leave to pass a publication on: PUBREL.
pub fn release(number: u16, out: &mut Vec<u8>) {
    numbered(0x62, number, out);
}

/// Appends that a publication was passed on: PUBCOMP.
pub fn complete(number: u16, out: &mut Vec<u8>) {
    numbered(0x70, number, out);
}

/// Reads the head of a packet; `None` when it is not whole.
pub fn decode_head(bytes: &[u8]) -> Result<Option<Head>, Breach> {
    let Some((first, after)) = bytes.split_first() else { return Ok(None) };
    let mut rest = 0_usize;
    for place in 0..SIZE_BYTES_MAX {
        let Some(byte) = after.get(place) else { return Ok(None) };
        rest |= usize::from(byte & 0x7f) << (7 * place);
        if byte & 0x80 == 0 {
            return Ok(Some(Head { first: *first, bytes: place + 2, rest }));
        }
    }
    Err(Breach("the length of a packet has no end"))
}

/// Reads a packet from the beginning of some bytes, and returns its size; `None` when it is not whole.
pub fn decode(bytes: &[u8], rest_max: usize) -> Result<Option<(Packet<'_>, usize)>, Breach> {
    let Some(head) = decode_head(bytes)? else { return Ok(None) };
    if head.rest > rest_max {
        return Err(Breach("its answer is too long"));
    }
    let size = head.bytes + head.rest;
    match bytes.get(head.bytes..size) {
        Some(body) => decode_body(head.first, body).map(|packet| Some((packet, size))),
        None => Ok(None),
    }
}

/// Reads what follows the head of a packet.
pub fn decode_body(first: u8, body: &[u8]) -> Result<Packet<'_>, Breach> {
    let number = || match *body {
        [high, low] => Ok(u16::from_be_bytes([high, low])),
        _ => Err(Breach("an acknowledgement has another length")),
    };
    Ok(match first {
        0x20 => match *body {
            [flags, code] => Packet::Connected { code, has_session: flags & 1 == 1 },
            _ => return Err(Breach("its greeting has another length")),
        },
        0x30..=0x3f => Packet::Publication(publication(first, body)?),
        0x40 => Packet::Taken(number()?),
        0x50 => Packet::Received(number()?),
        0x62 => Packet::Released(number()?),
        0x70 => Packet::Completed(number()?),
        0x90 => match *body {
            [_, _, REFUSED] => Packet::Subscribed(None),
            [_, _, level] if level <= 2 => Packet::Subscribed(MqttQos::of(level)),
            _ => return Err(Breach("the answer to a subscription has another form")),
        },
        0xd0 => Packet::Alive,
        _ => return Err(Breach("this is no packet of MQTT 3.1.1")),
    })
}

fn publication(first: u8, body: &[u8]) -> Result<Publication<'_>, Breach> {
    let short = Breach("a publication is shorter than it says");
    let qos = MqttQos::of(first >> 1 & 3).ok_or(Breach("a publication has no level of acknowledgement"))?;
    let (size, rest) = body.split_first_chunk().ok_or(short)?;
    let (topic, rest) = rest.split_at_checked(u16::from_be_bytes(*size).into()).ok_or(short)?;
    let (number, payload) = match qos {
        MqttQos::Nothing => (0, rest),
        _ => {
            let (number, payload) = rest.split_first_chunk().ok_or(short)?;
            (u16::from_be_bytes(*number), payload)
        }
    };
    if number == 0 && qos != MqttQos::Nothing {
        return Err(Breach("a publication has no number"));
    }
    Ok(Publication { topic, qos, number, is_repeated: first & DUPLICATE != 0, payload })
}
