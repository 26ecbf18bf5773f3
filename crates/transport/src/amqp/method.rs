//! Methods of AMQP 0-9-1 and properties of messages: those that publishers and consumers send, and those that they get.
//!
//! In: names and numbers; payloads of frames. Out: bytes; what a method says. Holds: nothing.
//! Limits: those of frames. Texts of a broker are kept as text, without control characters.

use super::{
    content::ContentHeader,
    frame::{self, Values},
    login::{AmqpLogin, Durability, Tune},
};
use crate::endpoint::Breach;
use message::RecordId;

/// Longest text of a broker that is kept.
const ANSWER_CHARACTERS_MAX: usize = 300;
/// The first bytes of a connection.
pub const PROTOCOL_HEADER: &[u8] = b"AMQP\x00\x00\x09\x01";
/// The channel that publications go over; 0 is that of the connection itself.
pub const CHANNEL: u16 = 1;
const CONNECTION: u16 = 0;
const QUEUE_CLASS: u16 = 50;
const BASIC_CLASS: u16 = 60;
/// Flags of the properties that are sent: content type, headers, delivery mode, message id.
const PROPERTIES: u16 = 1 << 15 | 1 << 13 | 1 << 12 | 1 << 7;
/// Extensions of the specification that we know.
const CAPABILITIES: [&str; 5] = [
    "publisher_confirms",
    "basic.nack",
    "connection.blocked",
    "consumer_cancel_notify",
    "authentication_failure_close",
];
/// The reply code of a connection that ends on purpose.
const SUCCESS: u16 = 200;
/// Bits of the declaration of a queue.
const PASSIVE: u8 = 0b1;
const DURABLE: u8 = 0b10;
const CONTENT_TYPE: &[u8] = b"text/plain";

/// The words of a broker that ends a channel or a connection, or returns a message.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Refusal {
    /// The number of the reason.
    pub code: u16,
    /// The words of the broker.
    pub words: String,
}

/// The content of a method of a broker.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Method {
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
    /// `queue.declare-ok`
    QueueDeclared,
    /// `queue.bind-ok`
    QueueBound,
    /// `basic.qos-ok`
    PrefetchSet,
    /// `basic.consume-ok`
    Consuming,
    /// `basic.cancel`: the broker delivers nothing more.
    Cancelled,
    /// Another one, by class and number.
    Other(u16, u16),
}

/// The publications that an acknowledgement is about.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Reach {
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
pub fn decode(payload: &[u8]) -> Result<Method, Breach> {
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
        (QUEUE_CLASS, 11) => Method::QueueDeclared,
        (QUEUE_CLASS, 21) => Method::QueueBound,
        (BASIC_CLASS, 11) => Method::PrefetchSet,
        (BASIC_CLASS, 21) => Method::Consuming,
        (BASIC_CLASS, 30) => Method::Cancelled,
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

/// Reads the payload of a header: the bytes of the text that follows, and the id of the message if it is one of ours.
pub fn decode_header(payload: &[u8]) -> Result<(u64, Option<RecordId>), Breach> {
    let header = ContentHeader::decode(payload)?;
    let id = header.message_id().and_then(|id| std::str::from_utf8(id).ok());
    Ok((header.bytes, id.and_then(RecordId::parse)))
}

/// Appends the login.
pub fn start_ok(login: &AmqpLogin, out: &mut Vec<u8>) {
    let mut capabilities = Vec::new();
    for name in CAPABILITIES {
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
pub fn mechanism(login: &AmqpLogin) -> &'static str {
    match login {
        AmqpLogin::Plain { .. } => "PLAIN",
        AmqpLogin::External => "EXTERNAL",
    }
}

/// Appends what was agreed, and opens the virtual host.
pub fn tune_ok_and_open(tune: Tune, vhost: &str, out: &mut Vec<u8>) {
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

/// Answers the end of a connection.
pub fn close_connection_ok(out: &mut Vec<u8>) {
    frame::method(CONNECTION, (10, 51), out, |_| {});
}

/// Opens the channel.
pub fn open_channel(out: &mut Vec<u8>) {
    frame::method(CHANNEL, (20, 10), out, |out| out.push(0));
}

/// Answers the end of the channel.
pub fn close_channel_ok(out: &mut Vec<u8>) {
    frame::method(CHANNEL, (20, 41), out, |_| {});
}

/// Answers `channel.flow`.
pub fn flow_ok(active: u8, out: &mut Vec<u8>) {
    frame::method(CHANNEL, (20, 21), out, |out| out.push(active & 1));
}

/// Declares an exchange.
pub fn declare(name: &str, kind: &str, durability: Durability, out: &mut Vec<u8>) {
    frame::method(CHANNEL, (40, 10), out, |out| {
        out.extend_from_slice(&[0, 0]);
        frame::short_text(name.as_bytes(), out);
        frame::short_text(kind.as_bytes(), out);
        out.push(if durability == Durability::Persistent { 0b10 } else { 0 });
        frame::table(b"", out);
    });
}

/// Asks for confirmations.
pub fn select_confirms(out: &mut Vec<u8>) {
    frame::method(CHANNEL, (85, 10), out, |out| out.push(0));
}

/// Ends a connection on purpose.
pub fn close_connection(out: &mut Vec<u8>) {
    frame::method(CONNECTION, (10, 50), out, |out| {
        out.extend_from_slice(&SUCCESS.to_be_bytes());
        frame::short_text(b"", out);
        out.extend_from_slice(&[0; 4]);
    });
}

fn declare_queue(name: &str, bits: u8, out: &mut Vec<u8>) {
    frame::method(CHANNEL, (QUEUE_CLASS, 10), out, |out| {
        out.extend_from_slice(&[0, 0]);
        frame::short_text(name.as_bytes(), out);
        out.push(bits);
        frame::table(b"", out);
    });
}

/// Asks whether a queue exists; a broker ends the channel when it does not.
pub fn find_queue(name: &str, out: &mut Vec<u8>) {
    declare_queue(name, PASSIVE, out);
}

/// Makes a durable queue.
pub fn make_queue(name: &str, out: &mut Vec<u8>) {
    declare_queue(name, DURABLE, out);
}

/// Binds a queue to an exchange.
pub fn bind_queue(name: &str, exchange: &str, routing_key: &str, out: &mut Vec<u8>) {
    frame::method(CHANNEL, (QUEUE_CLASS, 20), out, |out| {
        out.extend_from_slice(&[0, 0]);
        frame::short_text(name.as_bytes(), out);
        frame::short_text(exchange.as_bytes(), out);
        frame::short_text(routing_key.as_bytes(), out);
        out.push(0);
        frame::table(b"", out);
    });
}

/// Limits the messages that are delivered without an acknowledgement.
pub fn limit_unacknowledged(count: u16, out: &mut Vec<u8>) {
    frame::method(CHANNEL, (BASIC_CLASS, 10), out, |out| {
        out.extend_from_slice(&[0; 4]);
        out.extend_from_slice(&count.to_be_bytes());
        out.push(0);
    });
}

/// Asks for the messages of a queue.
pub fn consume(queue: &str, out: &mut Vec<u8>) {
    frame::method(CHANNEL, (BASIC_CLASS, 20), out, |out| {
        out.extend_from_slice(&[0, 0]);
        frame::short_text(queue.as_bytes(), out);
        frame::short_text(b"", out);
        out.push(0);
        frame::table(b"", out);
    });
}

/// Acknowledges deliveries.
pub fn acknowledge(tag: u64, reach: Reach, out: &mut Vec<u8>) {
    frame::method(CHANNEL, (BASIC_CLASS, 80), out, |out| {
        out.extend_from_slice(&tag.to_be_bytes());
        out.push(u8::from(reach == Reach::UpTo));
    });
}

/// Refuses a delivery for good.
pub fn reject(tag: u64, out: &mut Vec<u8>) {
    frame::method(CHANNEL, (BASIC_CLASS, 90), out, |out| {
        out.extend_from_slice(&tag.to_be_bytes());
        out.push(0);
    });
}

/// Returns the properties of a message: its headers as the entries of a table.
pub fn properties(id: RecordId, durability: Durability, headers: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(headers.len() + 64);
    out.extend_from_slice(&PROPERTIES.to_be_bytes());
    frame::short_text(CONTENT_TYPE, &mut out);
    frame::table(headers, &mut out);
    out.push(if durability == Durability::Persistent { 2 } else { 1 });
    frame::short_text(id.to_string().as_bytes(), &mut out);
    out
}

/// A publication.
pub struct Publication<'a> {
    /// The exchange.
    pub exchange: &'a str,
    /// The routing key.
    pub routing_key: &'a [u8],
    /// The bits of the method: 1 returns a message that no queue gets.
    pub bits: u8,
    /// Its properties, which begin with their flags.
    pub properties: &'a [u8],
    /// Its text.
    pub body: &'a [u8],
}

/// Bytes of a header beside the properties.
pub const HEADER_EXTRA_BYTES: usize = frame::FRAME_EXTRA_BYTES + 12;

/// Appends a publication, in frames of at most `limit` bytes.
pub fn publish(publication: &Publication<'_>, limit: usize, out: &mut Vec<u8>) {
    frame::method(CHANNEL, (BASIC_CLASS, 40), out, |out| {
        out.extend_from_slice(&[0, 0]);
        frame::short_text(publication.exchange.as_bytes(), out);
        frame::short_text(publication.routing_key, out);
        out.push(publication.bits);
    });
    frame::content(CHANNEL, BASIC_CLASS, publication.properties, publication.body, limit, out);
}
