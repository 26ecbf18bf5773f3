//! Packets of MQTT 3.1.1: those that a publisher sends, and those that it gets.
//!
//! In: names, texts, numbers; bytes of packets. Out: bytes; what a packet says. Holds: nothing.
//! Limits: what a broker sends has at most [`ANSWER_BYTES_MAX`] bytes; a publication at most [`REST_BYTES_MAX`].

use super::options::{MqttLogin, MqttQos};
use crate::link::dialogue::{ANSWER_BYTES_MAX, Breach};

/// Most bytes behind the head of a packet: the protocol has no longer number.
pub(super) const REST_BYTES_MAX: usize = 268_435_455;

/// Asks if the broker is there.
pub(super) const PING: [u8; 2] = [0xc0, 0];
/// Flags of a login.
const CLEAN_SESSION: u8 = 0x02;
const WITH_PASSWORD: u8 = 0x40;
const WITH_USER: u8 = 0x80;

/// The content of a packet of a broker.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Packet {
    /// CONNACK: the login is done, with this code.
    Connected(u8),
    /// PUBACK: it has the publication.
    Taken(u16),
    /// PUBREC: it has the publication, and waits for leave to pass it on.
    Received(u16),
    /// PUBCOMP: it has passed it on.
    Completed(u16),
    /// PINGRESP
    Alive,
    /// A publication, or anything else that nobody asked for.
    Other,
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

/// Makes the packet of a login. What was not acknowledged at the end of a connection is published again, so the broker
/// remembers nothing.
pub(super) fn connect(login: &MqttLogin) -> Vec<u8> {
    let mut flags = CLEAN_SESSION;
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
pub(super) fn publish(qos: MqttQos, number: u16, topic: &[u8], payload: &[u8], out: &mut Vec<u8>) {
    let (level, number_bytes) = match qos {
        MqttQos::Nothing => (0, 0),
        MqttQos::AtLeastOnce => (1, 2),
        MqttQos::ExactlyOnce => (2, 2),
    };
    head(0x30 | level << 1, 2 + topic.len() + number_bytes + payload.len(), out);
    text(topic, out);
    if level > 0 {
        out.extend_from_slice(&number.to_be_bytes());
    }
    out.extend_from_slice(payload);
}

/// Appends leave to pass a publication on: PUBREL.
pub(super) fn release(number: u16, out: &mut Vec<u8>) {
    head(0x62, 2, out);
    out.extend_from_slice(&number.to_be_bytes());
}

/// Reads a packet from the beginning of some bytes, and returns its size; `None` when it is not whole.
pub(super) fn decode(bytes: &[u8]) -> Result<Option<(Packet, usize)>, Breach> {
    let Some((first, after)) = bytes.split_first() else { return Ok(None) };
    let (mut size, mut head_bytes) = (0_usize, 1);
    for place in 0.. {
        if place == 4 {
            return Err(Breach("the length of a packet has no end"));
        }
        let Some(byte) = after.get(place) else { return Ok(None) };
        size |= usize::from(byte & 0x7f) << (7 * place);
        head_bytes += 1;
        if byte & 0x80 == 0 {
            break;
        }
    }
    if size > ANSWER_BYTES_MAX {
        return Err(Breach("its answer is too long"));
    }
    let Some(body) = bytes.get(head_bytes..head_bytes + size) else { return Ok(None) };
    let number = || match *body {
        [high, low] => Ok(u16::from_be_bytes([high, low])),
        _ => Err(Breach("an acknowledgement has another length")),
    };
    let packet = match first {
        0x20 => match *body {
            [_, code] => Packet::Connected(code),
            _ => return Err(Breach("its greeting has another length")),
        },
        0x30..=0x3f => Packet::Other,
        0x40 => Packet::Taken(number()?),
        0x50 => Packet::Received(number()?),
        0x70 => Packet::Completed(number()?),
        0xd0 => Packet::Alive,
        _ => return Err(Breach("this is no packet of MQTT 3.1.1")),
    };
    Ok(Some((packet, head_bytes + size)))
}
