//! Traps of SNMP version 2c (RFC 1901, RFC 3416), in BER.
//!
//! In: a community, a number, names and values of variables. Out: one datagram, appended. Holds nothing.
//! Limits: names of [`OID_PARTS_MAX`] numbers; a value that does not fit its type is 0, as syslog-ng sends it.

use std::net::Ipv4Addr;

/// Most numbers of a name (RFC 2578).
const OID_PARTS_MAX: usize = 128;
/// Tags of BER and of SNMP.
const INTEGER: u8 = 0x02;
const OCTET_STRING: u8 = 0x04;
const OBJECT_ID: u8 = 0x06;
const SEQUENCE: u8 = 0x30;
const IP_ADDRESS: u8 = 0x40;
const COUNTER: u8 = 0x41;
const TIME_TICKS: u8 = 0x43;
const TRAP: u8 = 0xa7;
/// The number of version 2c in a message.
const VERSION_2C: i32 = 1;

/// The type of a variable.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum SnmpKind {
    /// `integer`
    Integer,
    /// `timeticks`: hundredths of a second.
    TimeTicks,
    /// `octetstring`
    OctetString,
    /// `counter32`
    Counter,
    /// `ipaddress`
    IpAddress,
    /// `objectid`
    ObjectId,
}

impl SnmpKind {
    /// The names of all types, as a configuration writes them.
    pub const NAMES: [(&'static str, SnmpKind); 6] = [
        ("integer", SnmpKind::Integer),
        ("timeticks", SnmpKind::TimeTicks),
        ("octetstring", SnmpKind::OctetString),
        ("counter32", SnmpKind::Counter),
        ("ipaddress", SnmpKind::IpAddress),
        ("objectid", SnmpKind::ObjectId),
    ];

    /// Returns the type of a name, in any case.
    pub fn from_name(name: &str) -> Option<SnmpKind> {
        SnmpKind::NAMES.iter().find(|(known, _)| known.eq_ignore_ascii_case(name)).map(|(_, kind)| *kind)
    }
}

/// The name of a variable, as it is sent.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ObjectId(Vec<u8>);

impl ObjectId {
    /// Reads `.1.3.6.1.2.1.1.3.0`, with or without the first dot.
    pub fn parse(text: &str) -> Option<ObjectId> {
        let parts: Option<Vec<u32>> =
            text.strip_prefix('.').unwrap_or(text).split('.').map(|part| part.parse().ok()).collect();
        let parts = parts.filter(|parts| (2..=OID_PARTS_MAX).contains(&parts.len()))?;
        let is_root = parts[0] < 2 && parts[1] < 40 || parts[0] == 2 && parts[1] <= u32::MAX - 80;
        is_root.then(|| {
            let mut bytes = Vec::with_capacity(parts.len() + 4);
            append_base128(parts[0] * 40 + parts[1], &mut bytes);
            parts[2..].iter().for_each(|part| append_base128(*part, &mut bytes));
            ObjectId(bytes)
        })
    }
}

/// A trap that is being put together.
#[derive(Debug, Default)]
pub struct Trap {
    variables: Vec<u8>,
    value: Vec<u8>,
    pair: Vec<u8>,
}

impl Trap {
    /// Adds a variable.
    pub fn add(&mut self, name: &ObjectId, kind: SnmpKind, text: &[u8]) {
        self.pair.clear();
        append(OBJECT_ID, &name.0, &mut self.pair);
        let tag = encode(kind, text, &mut self.value);
        append(tag, &self.value, &mut self.pair);
        append(SEQUENCE, &self.pair, &mut self.variables);
    }

    /// Appends the datagram, and becomes empty for the next one.
    pub fn finish(&mut self, community: &[u8], number: i32, out: &mut Vec<u8>) {
        let integer = |number: i32, out: &mut Vec<u8>| append(INTEGER, shortest(&number.to_be_bytes()), out);
        self.pair.clear();
        // The number of the trap; error status and index are those of answers.
        [number, 0, 0].iter().for_each(|number| integer(*number, &mut self.pair));
        append(SEQUENCE, &self.variables, &mut self.pair);
        self.value.clear();
        integer(VERSION_2C, &mut self.value);
        append(OCTET_STRING, community, &mut self.value);
        append(TRAP, &self.pair, &mut self.value);
        append(SEQUENCE, &self.value, out);
        self.variables.clear();
    }
}

/// Puts the bytes of a value into `out`; returns its tag.
fn encode(kind: SnmpKind, text: &[u8], out: &mut Vec<u8>) -> u8 {
    let word = std::str::from_utf8(text).unwrap_or_default().trim();
    out.clear();
    match kind {
        SnmpKind::Integer => {
            out.extend_from_slice(shortest(&word.parse::<i32>().unwrap_or(0).to_be_bytes()));
            INTEGER
        }
        SnmpKind::TimeTicks | SnmpKind::Counter => {
            let number = u64::from(word.parse::<u32>().unwrap_or(0));
            out.extend_from_slice(shortest(&number.to_be_bytes()));
            if kind == SnmpKind::Counter { COUNTER } else { TIME_TICKS }
        }
        SnmpKind::OctetString => {
            out.extend_from_slice(text);
            OCTET_STRING
        }
        SnmpKind::IpAddress => {
            out.extend_from_slice(&word.parse().unwrap_or(Ipv4Addr::UNSPECIFIED).octets());
            IP_ADDRESS
        }
        SnmpKind::ObjectId => {
            out.extend_from_slice(&ObjectId::parse(word).map_or_else(|| vec![0], |name| name.0));
            OBJECT_ID
        }
    }
}

/// Returns a number without the leading bytes that only repeat its sign.
fn shortest(bytes: &[u8]) -> &[u8] {
    let is_told = |pair: &&[u8]| matches!((pair[0], pair[1] >> 7), (0, 0) | (0xff, 1));
    &bytes[bytes.windows(2).take_while(is_told).count()..]
}

/// Appends tag, length and content.
fn append(tag: u8, content: &[u8], out: &mut Vec<u8>) {
    out.push(tag);
    match u8::try_from(content.len()) {
        Ok(length) if length < 0x80 => out.push(length),
        _ => {
            let length = content.len().to_be_bytes();
            let first = length.iter().position(|byte| *byte != 0).unwrap_or(length.len() - 1);
            out.push(0x80 + (length.len() - first) as u8);
            out.extend_from_slice(&length[first..]);
        }
    }
    out.extend_from_slice(content);
}

/// Appends a number as seven bits a byte, the highest first.
fn append_base128(number: u32, out: &mut Vec<u8>) {
    let bytes = (32 - number.leading_zeros()).div_ceil(7).max(1);
    for place in (0..bytes).rev() {
        let more = if place > 0 { 0x80 } else { 0 };
        out.push(((number >> (7 * place)) as u8 & 0x7f) + more);
    }
}

#[cfg(test)]
mod tests;
