//! Methods of AMQP 0-9-1 and properties of messages: those that a publisher sends, and those that it gets.
//!
//! In: names and numbers; payloads of frames. Out: bytes; what a method says. Holds: nothing.
//! Limits: those of frames. Texts of a broker are kept as text, without control characters.

use super::{
    frame::{self, Values},
    options::{AmqpLogin, Durability},
};
use crate::link::{dialogue::Breach, failure::ANSWER_CHARACTERS_MAX};
use message::RecordId;

/// The first bytes of a connection.
pub(super) const PROTOCOL_HEADER: &[u8] = b"AMQP\x00\x00\x09\x01";
/// The channel that publications go over; 0 is that of the connection itself.
pub(super) const CHANNEL: u16 = 1;
const CONNECTION: u16 = 0;
const BASIC_CLASS: u16 = 60;
/// Flags of the properties that are sent: content type, headers, delivery mode, message id.
const PROPERTIES: u16 = 1 << 15 | 1 << 13 | 1 << 12 | 1 << 7;
const CONTENT_TYPE: &[u8] = b"text/plain";

/// The words of a broker that ends a channel or a connection, or returns a message.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Refusal {
    pub(super) code: u16,
    pub(super) words: String,
}

/// The limits of a connection that a broker offers.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Tune {
    pub(super) channels: u16,
    /// 0 is no limit.
    pub(super) frame_bytes: u32,
    /// In seconds; 0 is none.
    pub(super) heartbeat: u16,
}

/// The content of a method of a broker.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Method {
    /// `connection.start`, with the mechanisms of a login.
    Start(String),
    /// `connection.tune`
    Tune(Tune),
    /// `connection.open-ok`
    ConnectionOpened,
    /// `connection.close`
    ConnectionClosed(Refusal),
    /// `connection.blocked`, with the reason.
    Blocked(String),
    /// `connection.unblocked`
    Unblocked,
    /// `channel.open-ok`
    ChannelOpened,
    /// `channel.flow`: whether messages may be sent.
    Flow(u8),
    /// `channel.close`
    ChannelClosed(Refusal),
    /// `exchange.declare-ok`
    Declared,
    /// `confirm.select-ok`
    Selected,
    /// `basic.return`: the message that follows has no queue.
    Returned(Refusal, String),
    /// `basic.ack`: of one publication, or of all up to it.
    Acknowledged(u64, Reach),
    /// `basic.nack`
    Refused(u64, Reach),
    /// Another one, by class and number.
    Other(u16, u16),
}

/// The publications that an acknowledgement is about.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Reach {
    /// The one with its number.
    One,
    /// All up to it.
    UpTo,
}

fn words(text: &[u8]) -> String {
    let text = String::from_utf8_lossy(text);
    text.chars().filter(|c| !c.is_control()).take(ANSWER_CHARACTERS_MAX).collect()
}

fn refusal(values: &mut Values<'_>) -> Result<Refusal, Breach> {
    Ok(Refusal { code: values.short()?, words: words(values.short_text()?) })
}

/// Reads the payload of a method.
pub(super) fn decode(payload: &[u8]) -> Result<Method, Breach> {
    let mut values = Values(payload);
    let (class, number) = (values.short()?, values.short()?);
    let reach = |bits: u8| if bits & 1 == 0 { Reach::One } else { Reach::UpTo };
    Ok(match (class, number) {
        (10, 10) => {
            values.short()?;
            values.long_text()?;
            Method::Start(words(values.long_text()?))
        }
        (10, 30) => Method::Tune(Tune {
            channels: values.short()?,
            frame_bytes: values.long()?,
            heartbeat: values.short()?,
        }),
        (10, 41) => Method::ConnectionOpened,
        (10, 50) => Method::ConnectionClosed(refusal(&mut values)?),
        (10, 60) => Method::Blocked(words(values.short_text()?)),
        (10, 61) => Method::Unblocked,
        (20, 11) => Method::ChannelOpened,
        (20, 20) => Method::Flow(values.octet()?),
        (20, 40) => Method::ChannelClosed(refusal(&mut values)?),
        (40, 11) => Method::Declared,
        (85, 11) => Method::Selected,
        (BASIC_CLASS, 50) => {
            let refusal = refusal(&mut values)?;
            values.short_text()?;
            Method::Returned(refusal, words(values.short_text()?))
        }
        (BASIC_CLASS, 80) => Method::Acknowledged(values.long_long()?, reach(values.octet()?)),
        (BASIC_CLASS, 120) => Method::Refused(values.long_long()?, reach(values.octet()?)),
        _ => Method::Other(class, number),
    })
}

/// Reads the payload of a header: the bytes of the text that follows, and the id of the message.
pub(super) fn decode_header(payload: &[u8]) -> Result<(u64, Option<RecordId>), Breach> {
    let mut values = Values(payload);
    values.long()?;
    let size = values.long_long()?;
    let flags = values.short()?;
    let mut more = flags;
    while more & 1 != 0 {
        more = values.short()?;
    }
    // Content type and encoding, headers, delivery mode, priority, correlation, reply-to, expiration: all before the id.
    for bit in (8..16).rev().filter(|bit| flags & 1 << bit != 0) {
        match bit {
            13 => drop(values.long_text()?),
            12 | 11 => drop(values.octet()?),
            _ => drop(values.short_text()?),
        }
    }
    let id = match flags & 1 << 7 {
        0 => None,
        _ => std::str::from_utf8(values.short_text()?).ok().and_then(RecordId::parse),
    };
    Ok((size, id))
}

/// Appends the login.
pub(super) fn start_ok(login: &AmqpLogin, out: &mut Vec<u8>) {
    let mut capabilities = Vec::new();
    for name in ["publisher_confirms", "basic.nack", "connection.blocked", "authentication_failure_close"] {
        frame::true_entry(name.as_bytes(), &mut capabilities);
    }
    let mut properties = Vec::new();
    frame::text_entry(b"product", b"duramen", &mut properties);
    frame::text_entry(b"version", env!("CARGO_PKG_VERSION").as_bytes(), &mut properties);
    frame::short_text(b"capabilities", &mut properties);
    properties.push(b'F');
    frame::table(&capabilities, &mut properties);
    let response = match login {
        AmqpLogin::Plain { user, password } => format!("\0{user}\0{password}"),
        AmqpLogin::External => String::new(),
    };
    frame::method(CONNECTION, (10, 11), out, |out| {
        frame::table(&properties, out);
        frame::short_text(mechanism(login).as_bytes(), out);
        frame::long_text(response.as_bytes(), out);
        frame::short_text(b"en_US", out);
    });
}

/// Returns the name of the way to log in.
pub(super) fn mechanism(login: &AmqpLogin) -> &'static str {
    match login {
        AmqpLogin::Plain { .. } => "PLAIN",
        AmqpLogin::External => "EXTERNAL",
    }
}

/// Appends what was agreed, and opens the virtual host.
pub(super) fn tune_ok_and_open(tune: Tune, vhost: &str, out: &mut Vec<u8>) {
    frame::method(CONNECTION, (10, 31), out, |out| {
        out.extend_from_slice(&tune.channels.to_be_bytes());
        out.extend_from_slice(&tune.frame_bytes.to_be_bytes());
        out.extend_from_slice(&tune.heartbeat.to_be_bytes());
    });
    frame::method(CONNECTION, (10, 40), out, |out| {
        frame::short_text(vhost.as_bytes(), out);
        out.extend_from_slice(&[0, 0]);
    });
}

pub(super) fn close_connection_ok(out: &mut Vec<u8>) {
    frame::method(CONNECTION, (10, 51), out, |_| {});
}

pub(super) fn open_channel(out: &mut Vec<u8>) {
    frame::method(CHANNEL, (20, 10), out, |out| out.push(0));
}

pub(super) fn close_channel_ok(out: &mut Vec<u8>) {
    frame::method(CHANNEL, (20, 41), out, |_| {});
}

pub(super) fn flow_ok(active: u8, out: &mut Vec<u8>) {
    frame::method(CHANNEL, (20, 21), out, |out| out.push(active & 1));
}

pub(super) fn declare(name: &str, kind: &str, durability: Durability, out: &mut Vec<u8>) {
    frame::method(CHANNEL, (40, 10), out, |out| {
        out.extend_from_slice(&[0, 0]);
        frame::short_text(name.as_bytes(), out);
        frame::short_text(kind.as_bytes(), out);
        out.push(if durability == Durability::Persistent { 0b10 } else { 0 });
        frame::table(b"", out);
    });
}

pub(super) fn select_confirms(out: &mut Vec<u8>) {
    frame::method(CHANNEL, (85, 10), out, |out| out.push(0));
}

/// Returns the properties of a message: its headers as the entries of a table.
pub(super) fn properties(id: RecordId, durability: Durability, headers: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(headers.len() + 64);
    out.extend_from_slice(&PROPERTIES.to_be_bytes());
    frame::short_text(CONTENT_TYPE, &mut out);
    frame::table(headers, &mut out);
    out.push(if durability == Durability::Persistent { 2 } else { 1 });
    frame::short_text(id.to_string().as_bytes(), &mut out);
    out
}

/// A publication.
pub(super) struct Publication<'a> {
    pub(super) exchange: &'a str,
    pub(super) routing_key: &'a [u8],
    /// The bits of the method: 1 returns a message that no queue gets.
    pub(super) bits: u8,
    pub(super) properties: &'a [u8],
    pub(super) body: &'a [u8],
}

/// Bytes of a header beside the properties.
pub(super) const HEADER_EXTRA_BYTES: usize = frame::FRAME_EXTRA_BYTES + 12;

/// Appends a publication, in frames of at most `limit` bytes.
pub(super) fn publish(publication: &Publication<'_>, limit: usize, out: &mut Vec<u8>) {
    frame::method(CHANNEL, (BASIC_CLASS, 40), out, |out| {
        out.extend_from_slice(&[0, 0]);
        frame::short_text(publication.exchange.as_bytes(), out);
        frame::short_text(publication.routing_key, out);
        out.push(publication.bits);
    });
    frame::content(CHANNEL, BASIC_CLASS, publication.properties, publication.body, limit, out);
}
