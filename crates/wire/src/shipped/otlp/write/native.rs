//! Whole messages in records, for another server of syslog-ng's kind.
//!
//! In: a message. Out: its parts. Holds: nothing. Limits: none.

use super::parts::{OtlpParts, Pair, nanos};
use crate::{
    protocol::protobuf::{push_bytes, push_fixed64, push_message, push_varint},
    shipped::otlp::native::{SCOPE, name_of},
};
use message::{Batch, Field, ValueKind, list_append};
use std::net::{IpAddr, SocketAddr};

/// The fields of every message that go with it; the others say how it came here.
const FIELDS: [Field; 7] = [
    Field::Host,
    Field::HostFrom,
    Field::Message,
    Field::Program,
    Field::Pid,
    Field::Msgid,
    Field::LegacyMsghdr,
];

/// Makes the parts of a message.
pub(super) fn parts(batch: &Batch, index: usize) -> OtlpParts {
    let mut parts = OtlpParts::default();
    push_message(1, &mut parts.scope, |out| {
        push_bytes(1, SCOPE, out);
        push_bytes(2, env!("CARGO_PKG_VERSION").as_bytes(), out);
    });
    let out = &mut parts.record;
    push_fixed64(1, nanos(batch.messages[index].event), out);
    push_fixed64(11, nanos(batch.received_of(index)), out);
    push_attribute(b"n", out, |out| push_types(batch, index, out));
    push_attribute(b"m", out, |out| push_macros(batch, index, out));
    let origin = batch.origin(index);
    if let Some(peer) = origin.peer {
        push_attribute(b"sa", out, |out| push_address(peer, out));
    }
    if let Some(local) = origin.local {
        push_attribute(b"da", out, |out| {
            push_address(local, out);
            push_pair(b"port", out, |out| push_varint(3, u64::from(local.port()), out));
        });
    }
    parts
}

/// Appends an attribute of a record that is a list of pairs.
fn push_attribute(name: &[u8], out: &mut Vec<u8>, pairs: impl FnOnce(&mut Vec<u8>)) {
    push_message(6, out, |out| {
        push_bytes(1, name, out);
        push_message(2, out, |out| push_message(6, out, pairs));
    });
}

/// Appends a pair of a list.
fn push_pair(name: &[u8], out: &mut Vec<u8>, value: impl FnOnce(&mut Vec<u8>)) {
    push_message(1, out, |out| {
        push_bytes(1, String::from_utf8_lossy(name).as_bytes(), out);
        push_message(2, out, value);
    });
}

/// Appends the pairs, a list for each type.
fn push_types(batch: &Batch, index: usize, out: &mut Vec<u8>) {
    let fixed = FIELDS.into_iter().filter_map(|field| {
        let (value, kind) = (batch.fixed(index, field), batch.fixed_kind(index, field));
        (!value.is_empty()).then_some((field.as_str().as_bytes(), value, kind))
    });
    let mut set: Vec<Pair<'_>> = batch.values(index);
    set.reverse();
    let is_sent = |name: &[u8]| {
        Field::from_name(name).is_none() && name != b".received" && !name.iter().all(u8::is_ascii_digit)
    };
    let pairs: Vec<Pair<'_>> = fixed.chain(set.into_iter().filter(|(name, ..)| is_sent(name))).collect();
    let mut received: Vec<(String, Vec<u8>)> = Vec::new();
    batch.each_received(index, |name, value| received.push((name.to_owned(), value.to_vec())));
    let texts = received.iter().map(|(name, value)| (name.as_bytes(), value.as_slice(), ValueKind::String));
    let pairs: Vec<Pair<'_>> = pairs.into_iter().chain(texts).collect();
    let mut kinds: Vec<ValueKind> = Vec::new();
    for (_, _, kind) in &pairs {
        if !kinds.contains(kind) {
            kinds.push(*kind);
        }
    }
    for kind in kinds {
        let Some(name) = name_of(kind) else { continue };
        push_pair(name.as_bytes(), out, |out| {
            push_message(6, out, |out| {
                for (name, value, _) in pairs.iter().filter(|(_, _, own)| *own == kind) {
                    push_pair(name, out, |out| push_bytes(7, value, out));
                }
            });
        });
    }
}

/// Appends what is no pair.
fn push_macros(batch: &Batch, index: usize, out: &mut Vec<u8>) {
    let message = &batch.messages[index];
    push_pair(b"PRI", out, |out| push_varint(3, u64::from(message.pri.0), out));
    push_pair(b"TAGS", out, |out| {
        let mut tags = Vec::new();
        batch.tags(index).iter().for_each(|tag| list_append(tag.as_bytes(), 0, &mut tags));
        push_bytes(7, &tags, out);
    });
    let offset = |seconds: i32| i64::from(seconds) as u64;
    push_pair(b"STAMP_GMTOFF", out, |out| push_varint(3, offset(message.event.offset_s), out));
    push_pair(b"RECVD_GMTOFF", out, |out| push_varint(3, offset(batch.received_of(index).offset_s), out));
}

fn push_address(address: SocketAddr, out: &mut Vec<u8>) {
    push_pair(b"addr", out, |out| match address.ip() {
        IpAddr::V4(address) => push_bytes(7, &address.octets(), out),
        IpAddr::V6(address) => push_bytes(7, &address.octets(), out),
    });
}
