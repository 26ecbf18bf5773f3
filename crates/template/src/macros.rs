//! The macros: values that are computed from a message, by name, as in syslog-ng.
//!
//! In: a name, once; a message, often. Out: text, appended, and its type. Holds nothing.
//! Limits: names that are not macros are name-value pairs.

use crate::{
    renderer::{DATES, DatePart, MessageTime, Renderer, append_number},
    value::list_append,
    version::Version,
};
use message::{Batch, Field, FieldName, Format, Transport, ValueKind};
use std::{io::Write, net::SocketAddr, sync::LazyLock};

/// A macro that is computed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Macro {
    Date(MessageTime, DatePart),
    SourceIp,
    SourcePort,
    PeerIp,
    PeerPort,
    DestIp,
    DestPort,
    Proto,
    ProtoName,
    IpProto,
    Msghdr,
    Msgformat,
    /// `syslog:rfc3164`, as newer versions name it.
    PrefixedMsgformat,
    RawSize,
    Pri,
    Facility,
    FacilityNum,
    Severity,
    SeverityNum,
    Tag,
    BsdTag,
    Tags,
    Rcptid,
    Uniqid,
    HostId,
    RunId,
    Seqnum,
    Sdata,
    Loghost,
    SysUptime,
    /// The id of the correlation that the message is in.
    ContextId,
    Matches,
}

/// Names of the macros that are not dates.
const NAMES: [(&str, Macro); 35] = [
    ("SOURCEIP", Macro::SourceIp),
    ("SOURCEPORT", Macro::SourcePort),
    ("PEERIP", Macro::PeerIp),
    ("PEERPORT", Macro::PeerPort),
    ("DESTIP", Macro::DestIp),
    ("DESTPORT", Macro::DestPort),
    ("PROTO", Macro::Proto),
    ("PROTO_NAME", Macro::ProtoName),
    ("IP_PROTO", Macro::IpProto),
    ("MSGHDR", Macro::Msghdr),
    ("MSGFORMAT", Macro::Msgformat),
    ("RAWMSG_SIZE", Macro::RawSize),
    ("PRI", Macro::Pri),
    ("FACILITY", Macro::Facility),
    ("FACILITY_NUM", Macro::FacilityNum),
    ("SEVERITY", Macro::Severity),
    ("LEVEL", Macro::Severity),
    ("PRIORITY", Macro::Severity),
    ("SEVERITY_NUM", Macro::SeverityNum),
    ("LEVEL_NUM", Macro::SeverityNum),
    ("PRIORITY_NUM", Macro::SeverityNum),
    ("TAG", Macro::Tag),
    ("BSDTAG", Macro::BsdTag),
    ("TAGS", Macro::Tags),
    ("RCPTID", Macro::Rcptid),
    ("UNIQID", Macro::Uniqid),
    ("HOSTID", Macro::HostId),
    ("RUNID", Macro::RunId),
    ("SEQNUM", Macro::Seqnum),
    ("SDATA", Macro::Sdata),
    ("STRUCTURED_DATA", Macro::Sdata),
    ("LOGHOST", Macro::Loghost),
    ("SYSUPTIME", Macro::SysUptime),
    ("CONTEXT_ID", Macro::ContextId),
    ("*", Macro::Matches),
];

const PREFIXES: [(&str, MessageTime); 4] = [
    ("S_", MessageTime::Sent),
    ("R_", MessageTime::Received),
    ("C_", MessageTime::Current),
    ("P_", MessageTime::Processed),
];

/// The meaning of a name after `$`.
#[derive(Clone, Debug)]
pub(crate) enum Variable {
    Macro(Macro),
    Field(FieldName),
}

/// Resolves a name as a version understands it.
pub(crate) fn resolve(name: &str, version: Version) -> Variable {
    let field = match name {
        "FULLHOST" => FieldName::Fixed(Field::Host),
        "FULLHOST_FROM" => FieldName::Fixed(Field::HostFrom),
        _ => match find(name) {
            Some(Macro::Msgformat) if version.has_prefixed_formats() => {
                return Variable::Macro(Macro::PrefixedMsgformat);
            }
            Some(id) => return Variable::Macro(id),
            None => FieldName::parse(name),
        },
    };
    Variable::Field(field)
}

/// Returns true when a name is that of a macro that is computed, and so cannot be set.
pub fn is_macro(name: &str) -> bool {
    matches!(resolve(name, Version::CURRENT), Variable::Macro(_))
}

fn find(name: &str) -> Option<Macro> {
    if let Some((_, id)) = NAMES.iter().find(|(known, _)| *known == name) {
        return Some(*id);
    }
    let prefixed = PREFIXES.iter().find_map(|(prefix, which)| Some((name.strip_prefix(prefix)?, *which)));
    let (bare, which) = prefixed.unwrap_or((name, MessageTime::Sent));
    let bare = if bare == "TZOFFSET" { "TZ" } else { bare };
    let (_, date) = DATES.iter().find(|(known, _)| *known == bare)?;
    Some(Macro::Date(which, *date))
}

/// Returns all names of macros, for suggestions and scopes.
pub(crate) fn names() -> impl Iterator<Item = &'static str> {
    /// With each of the prefixes.
    static DATED: LazyLock<Vec<String>> = LazyLock::new(|| {
        let dated =
            |prefix: &str| DATES.iter().map(|(name, _)| format!("{prefix}{name}")).collect::<Vec<_>>();
        PREFIXES.iter().flat_map(|(prefix, _)| dated(prefix)).collect()
    });
    let plain = NAMES.iter().map(|(name, _)| *name).chain(DATES.iter().map(|(name, _)| *name));
    plain.chain(DATED.iter().map(String::as_str))
}

/// Appends a macro's text; the result is its type.
#[inline]
pub(crate) fn append(
    id: Macro,
    batch: &Batch,
    index: usize,
    renderer: &mut Renderer,
    out: &mut Vec<u8>,
) -> ValueKind {
    // Two macros are in nearly every written line; the others are kept out of the inlined code.
    match id {
        Macro::Date(which, date) => {
            let stamp = match which {
                MessageTime::Sent => batch.messages[index].event,
                MessageTime::Received => batch.received_of(index),
                MessageTime::Current | MessageTime::Processed => renderer.now,
            };
            renderer.clocks.append(which, date, stamp, out);
            let unix = date == DatePart::Form(wire::StampFormat::Unix);
            if unix { ValueKind::Datetime } else { ValueKind::String }
        }
        Macro::Msghdr => {
            wire::append_legacy_header(batch, index, out);
            ValueKind::String
        }
        _ => append_other(id, batch, index, renderer, out),
    }
}

/// Returns `$MSGHDR` of a message.
pub fn header(batch: &Batch, index: usize) -> Vec<u8> {
    let mut out = Vec::new();
    wire::append_legacy_header(batch, index, &mut out);
    out
}

fn append_other(
    id: Macro,
    batch: &Batch,
    index: usize,
    renderer: &mut Renderer,
    out: &mut Vec<u8>,
) -> ValueKind {
    let message = &batch.messages[index];
    let origin = batch.origin(index);
    let number = match id {
        Macro::SourcePort => origin.peer.map_or(0, |peer| u64::from(peer.port())),
        Macro::PeerPort => match origin.value(".proxy.peer_port").map(std::str::from_utf8) {
            Some(Ok(port)) => port.parse().unwrap_or(0),
            _ => origin.peer.map_or(0, |peer| u64::from(peer.port())),
        },
        Macro::DestPort => origin.local.map_or(0, |local| u64::from(local.port())),
        Macro::Proto => match origin.transport {
            Transport::Tcp | Transport::Tls => 6,
            Transport::Udp => 17,
            _ => 0,
        },
        Macro::IpProto => origin.peer.map_or(0, |peer| if peer.is_ipv4() { 4 } else { 6 }),
        Macro::RawSize => message.raw.len() as u64,
        Macro::Pri => u64::from(message.pri.0),
        Macro::FacilityNum => u64::from(message.pri.facility().0),
        Macro::SeverityNum => u64::from(message.pri.severity().0),
        Macro::RunId => u64::from(renderer.site.run_id),
        Macro::SysUptime => (renderer.now.unix_us - renderer.site.started_us).max(0) as u64 / 10_000,
        // An absent value is not a number: in JSON it would not fit.
        Macro::Rcptid => match batch.rcptid_of(index) {
            0 => return ValueKind::String,
            id => id,
        },
        Macro::Seqnum => return append_seqnum(batch, index, renderer.seqnum, out),
        Macro::Tags => {
            renderer.options.tags.append(batch, index, out);
            return ValueKind::List;
        }
        Macro::Matches => return append_matches(batch, index, out),
        _ => return append_text(id, batch, index, renderer, out),
    };
    append_number(number, 1, out);
    // In JSON the priority has always been text.
    if matches!(id, Macro::Pri) { ValueKind::String } else { ValueKind::Integer }
}

fn append_text(id: Macro, batch: &Batch, index: usize, renderer: &Renderer, out: &mut Vec<u8>) -> ValueKind {
    let message = &batch.messages[index];
    let origin = batch.origin(index);
    // Writing to a vector cannot fail.
    let mut write = |text: std::fmt::Arguments<'_>| {
        let _ = out.write_fmt(text);
    };
    match id {
        Macro::SourceIp => append_address(origin.peer, out),
        // Behind a proxy the peer is the proxy, and the source is whom it speaks for.
        Macro::PeerIp => match origin.value(".proxy.peer_ip") {
            Some(ip) => out.extend_from_slice(ip),
            None => append_address(origin.peer, out),
        },
        Macro::DestIp => append_address(origin.local, out),
        Macro::ProtoName => match origin.transport {
            Transport::Tcp | Transport::Tls => out.extend_from_slice(b"tcp"),
            Transport::Udp => out.extend_from_slice(b"udp"),
            _ => {}
        },
        Macro::PrefixedMsgformat => {
            if matches!(message.format, Format::Rfc3164 | Format::Rfc5424) {
                out.extend_from_slice(b"syslog:");
            }
            out.extend_from_slice(message.format.name().as_bytes());
        }
        Macro::Msgformat => out.extend_from_slice(message.format.name().as_bytes()),
        Macro::Facility => match message.pri.facility().name() {
            Some(name) => out.extend_from_slice(name.as_bytes()),
            None => write(format_args!("{:x}", message.pri.facility().0)),
        },
        Macro::Severity => out.extend_from_slice(message.pri.severity().name().as_bytes()),
        Macro::Tag => write(format_args!("{:02x}", message.pri.0)),
        Macro::BsdTag => {
            out.push(b'0' + message.pri.severity().0);
            out.push(b'A'.wrapping_add(message.pri.facility().0 as u8));
        }
        Macro::Uniqid if batch.rcptid_of(index) != 0 => {
            write(format_args!("{:08x}@{:016x}", renderer.site.host_id, batch.rcptid_of(index)));
        }
        Macro::HostId => write(format_args!("{:08x}", renderer.site.host_id)),
        Macro::Sdata => append_sdata(batch, index, renderer.seqnum, out),
        Macro::ContextId => out.extend_from_slice(&renderer.context_id),
        Macro::Loghost => out.extend_from_slice(renderer.site.loghost.as_bytes()),
        _ => {}
    }
    ValueKind::String
}

/// Appends an address: local messages count as coming from this machine.
fn append_address(address: Option<SocketAddr>, out: &mut Vec<u8>) {
    let _ = match address {
        Some(address) => write!(out, "{}", address.ip().to_canonical()),
        None => write!(out, "127.0.0.1"),
    };
}

fn append_seqnum(batch: &Batch, index: usize, seqnum: u32, out: &mut Vec<u8>) -> ValueKind {
    if seqnum != 0 {
        append_number(u64::from(seqnum), 1, out);
    } else if let Some(id) = batch.field(index, &FieldName::Sdata(".SDATA.meta.sequenceId".to_owned())) {
        out.extend_from_slice(&id);
    } else {
        return ValueKind::String;
    }
    ValueKind::Integer
}

/// Appends `$*`: the groups of the last match that was stored, as a list.
fn append_matches(batch: &Batch, index: usize, out: &mut Vec<u8>) -> ValueKind {
    let start = out.len();
    for group in 1..crate::pattern::GROUPS_MAX {
        match batch.field(index, &FieldName::Named(group.to_string())) {
            Some(value) => list_append(&value, start, out),
            None => break,
        }
    }
    ValueKind::List
}

/// Appends the present structured data, with the sequence number when the message has none of its own.
fn append_sdata(batch: &Batch, index: usize, seqnum: u32, out: &mut Vec<u8>) {
    match seqnum {
        0 => wire::append_sdata(batch, index, out),
        _ => wire::append_sdata_numbered(batch, index, u64::from(seqnum), out),
    }
}
