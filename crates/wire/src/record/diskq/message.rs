//! One message as syslog-ng serialized it (`LogMessage`).
//!
//! In: bytes that begin with a message. Out: the message, appended to a batch; how many bytes it had.
//! Holds nothing. Limits: version 26, which syslog-ng 3.9 to 4 and Premium Edition 6 to 8 write. Names are cut to [`FIELD_NAME_BYTES_MAX`], and the message is marked.

use super::{
    bytes::Bytes,
    error::{SavedMessageError, VERSION},
    table::{Pair, Table},
};
use message::{
    Batch, FIELD_NAME_BYTES_MAX, Field, Format, Mark, Message, ORIGINS_MAX, Origin, Priority, Stamp,
    Transport, ValueKind, ZoneQuality,
};
use std::{
    net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr},
    sync::Arc,
};

/// Flags of a message.
const UTF8: u32 = 1;
const INTERNAL: u32 = 2;

/// Families of addresses, as Linux numbers them.
const UNIX: u16 = 1;
const INET: u16 = 2;
const INET6: u16 = 10;

/// Prefix of the names of structured data.
const SDATA: &[u8] = b".SDATA.";

/// The parts before the name-value pairs.
struct Head {
    flags: u32,
    pri: u16,
    peer: Option<SocketAddr>,
    transport: Transport,
    event: Stamp,
    received: Stamp,
    tags: Vec<String>,
    /// Numbers of the pairs of structured data, in their order.
    sdata: Vec<u32>,
}

/// Appends the message at the start of the bytes to a batch, and returns the number of its bytes. The batch keeps no
/// received bytes. It must have room for another origin ([`ORIGINS_MAX`]).
pub fn push_saved_message(bytes: &[u8], batch: &mut Batch) -> Result<usize, SavedMessageError> {
    let mut rest = Bytes::new(bytes);
    let version = rest.u8()?;
    if version != VERSION {
        return Err(SavedMessageError::Version(version));
    }
    let head = Head::read(&mut rest)?;
    let table = Table::read(&mut rest)?;
    let pairs = table.pairs()?;
    append(batch, &head, &pairs);
    Ok(bytes.len() - rest.left())
}

impl Head {
    fn read(bytes: &mut Bytes<'_>) -> Result<Head, SavedMessageError> {
        // Its id.
        bytes.u64()?;
        let (flags, pri) = (bytes.u32()?, bytes.u16()?);
        let (peer, transport) = address(bytes)?;
        let (event, received) = (stamp(bytes)?, stamp(bytes)?);
        // When it was processed, and the id of the host.
        stamp(bytes)?;
        bytes.u32()?;
        let mut tags = Vec::new();
        loop {
            match bytes.text()? {
                b"" => break,
                tag => tags.push(cut(tag).0),
            }
        }
        // Whether it was parsed, and how many matches it has: both follow from the pairs.
        bytes.take(2)?;
        let (sdata, _) = (bytes.u8()?, bytes.u8()?);
        let sdata = (0..sdata).map(|_| bytes.u32()).collect::<Result<_, _>>()?;
        Ok(Head { flags, pri, peer, transport, event, received, tags, sdata })
    }
}

/// Reads the sender's address. Its port is in the order of the network.
fn address(bytes: &mut Bytes<'_>) -> Result<(Option<SocketAddr>, Transport), SavedMessageError> {
    let address: IpAddr = match bytes.u16()? {
        0 => return Ok((None, Transport::Local)),
        UNIX => return Ok((None, Transport::UnixDgram)),
        INET => Ipv4Addr::from_bits(bytes.u32()?).into(),
        INET6 => Ipv6Addr::from_bits(u128::from(bytes.u64()?) << 64 | u128::from(bytes.u64()?)).into(),
        family => return Err(SavedMessageError::Address(family)),
    };
    // It was turned twice.
    let port = bytes.u16()?.swap_bytes();
    Ok((Some(SocketAddr::new(address, port)), Transport::Local))
}

/// Reads a time: seconds, microseconds, and the zone's distance from UTC in seconds, -1 when it is not set.
fn stamp(bytes: &mut Bytes<'_>) -> Result<Stamp, SavedMessageError> {
    let (seconds, micros, offset) = (bytes.u64()?, bytes.u32()?, bytes.u32()?);
    let unix_us =
        seconds.cast_signed().saturating_mul(1_000_000).saturating_add(i64::from(micros % 1_000_000));
    let (offset_s, quality) = match offset.cast_signed() {
        -1 => (0, ZoneQuality::ZoneGuessed),
        offset => (offset.clamp(-86_400, 86_400), ZoneQuality::Known),
    };
    Ok(Stamp { unix_us, offset_s, quality })
}

/// Appends the message to the batch.
fn append(batch: &mut Batch, head: &Head, pairs: &[Pair<'_>]) {
    let value_of =
        |wanted: &[u8]| pairs.iter().find(|pair| pair.name == wanted).map_or(&b""[..], |pair| pair.value);
    let text = |wanted: &str| String::from_utf8_lossy(value_of(wanted.as_bytes())).into_owned();
    let origin = Origin {
        source: text("SOURCE"),
        transport: head.transport,
        peer: head.peer,
        host_from: text("HOST_FROM"),
        transport_name: text("TRANSPORT"),
        file_name: text("FILE_NAME"),
        tags: head.tags.clone(),
        ..Origin::default()
    };
    let sdata = structured_data(&head.sdata, pairs);
    let mut message = Message::default();
    (message.origin, message.pri, message.event) = (origin_of(batch, origin), Priority(head.pri), head.event);
    (message.utf8, message.sdata) = (head.flags & UTF8 != 0, batch.add_extra(&sdata));
    message.format = format_of(head, &message, value_of(b"MSGID"));
    let index = batch.len();
    if index == 0 {
        batch.received = head.received;
    }
    for (name, span) in [
        ("HOST", &mut message.host),
        ("PROGRAM", &mut message.program),
        ("PID", &mut message.pid),
        ("MSGID", &mut message.msgid),
        ("LEGACY_MSGHDR", &mut message.msghdr),
        ("MESSAGE", &mut message.text),
        ("RAWMSG", &mut message.raw),
    ] {
        *span = batch.add_extra(value_of(name.as_bytes()));
    }
    batch.messages.push(message);
    for pair in pairs {
        set(batch, index, pair, &head.sdata);
    }
    if head.received != batch.received {
        batch.set_received(index, head.received);
    }
}

/// Sets a pair, and the type of a field that every message has.
fn set(batch: &mut Batch, index: usize, pair: &Pair<'_>, sdata: &[u32]) {
    if let Some(field) = Field::from_name(pair.name) {
        let of_message = batch.fixed_span(index, field);
        if let Some(span) = of_message.filter(|_| pair.kind != ValueKind::String) {
            let header = batch.messages[index].msghdr;
            batch.set_typed(index, field, span, pair.kind);
            batch.messages[index].msghdr = header;
        }
        return;
    }
    if sdata.contains(&pair.handle) && pair.name.starts_with(SDATA) && pair.kind == ValueKind::String {
        return;
    }
    let (name, is_whole) = cut(pair.name);
    if !is_whole {
        batch.messages[index].marks.add(Mark::ValuesCut);
    }
    let value = batch.add_extra(pair.value);
    batch.set_value(index, &name, value, pair.kind);
}

/// Returns a name that fits, and whether it is the whole name.
fn cut(name: &[u8]) -> (String, bool) {
    let name = String::from_utf8_lossy(name);
    match name.char_indices().map(|(at, char)| at + char.len_utf8()).find(|end| *end > FIELD_NAME_BYTES_MAX) {
        None => (name.into_owned(), true),
        Some(_) => (name[..name.floor_char_boundary(FIELD_NAME_BYTES_MAX)].to_owned(), false),
    }
}

/// Returns the index of an origin, shared with the message before if it is the same.
fn origin_of(batch: &mut Batch, origin: Origin) -> u16 {
    let same = |known: &Arc<Origin>| {
        known.source == origin.source
            && known.peer == origin.peer
            && known.transport == origin.transport
            && known.tags == origin.tags
            && known.host_from == origin.host_from
            && known.transport_name == origin.transport_name
            && known.file_name == origin.file_name
    };
    debug_assert!(batch.origins.len() < ORIGINS_MAX, "callers begin a new batch in time");
    let shared = batch.origins.last().filter(|known| same(known)).cloned();
    batch.push_origin(&shared.unwrap_or_else(|| Arc::new(origin)))
}

/// Guesses the dialect, which syslog-ng does not keep.
fn format_of(head: &Head, message: &Message, msgid: &[u8]) -> Format {
    match () {
        () if head.flags & INTERNAL != 0 => Format::Internal,
        () if !message.sdata.is_empty() || !msgid.is_empty() => Format::Rfc5424,
        () => Format::Rfc3164,
    }
}

/// Puts the structured data together as RFC 5424 writes it: `[id name="value" ...]...`.
fn structured_data(order: &[u32], pairs: &[Pair<'_>]) -> Vec<u8> {
    let mut text = Vec::new();
    let mut open: Option<&[u8]> = None;
    for handle in order {
        let Some(pair) = pairs.iter().find(|pair| pair.handle == *handle) else { continue };
        let Some(path) = pair.name.strip_prefix(SDATA) else { continue };
        let (id, name) = match path.iter().rposition(|byte| *byte == b'.') {
            Some(dot) => (&path[..dot], &path[dot + 1..]),
            None => (path, &b""[..]),
        };
        if open != Some(id) {
            if open.is_some() {
                text.push(b']');
            }
            text.push(b'[');
            text.extend_from_slice(id);
            open = Some(id);
        }
        if !name.is_empty() {
            text.push(b' ');
            text.extend_from_slice(name);
            text.extend_from_slice(b"=\"");
            for byte in pair.value {
                if matches!(byte, b'"' | b'\\' | b']') {
                    text.push(b'\\');
                }
                text.push(*byte);
            }
            text.push(b'"');
        }
    }
    if open.is_some() {
        text.push(b']');
    }
    text
}
