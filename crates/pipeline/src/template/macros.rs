//! The macros: what syslog-ng computes from a message, by name.
//!
//! In: a name, once; a message, often. Out: text, appended, and its type. Holds nothing.
//! Limits: names that are no macro are name-value pairs.

use super::{
    clock::{DATES, Date, Which, append_number},
    list,
    render::Renderer,
};
use crate::Version;
use message::{Batch, Field, FieldName, Format, SdParam, Transport, ValueKind, sd_params};
use std::{io::Write, net::SocketAddr};

/// A macro that is computed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Macro {
    Date(Which, Date),
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

/// Names of the macros that are no dates.
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

const PREFIXES: [(&str, Which); 4] =
    [("S_", Which::Sent), ("R_", Which::Received), ("C_", Which::Current), ("P_", Which::Processed)];

/// What a name after `$` stands for.
#[derive(Clone, Debug)]
pub(super) enum Named {
    Macro(Macro),
    Field(FieldName),
}

/// Resolves a name as a version understands it.
pub(super) fn resolve(name: &str, version: Version) -> Named {
    let field = match name {
        "FULLHOST" => FieldName::Fixed(Field::Host),
        "FULLHOST_FROM" => FieldName::Fixed(Field::HostFrom),
        _ => match find(name) {
            Some(Macro::Msgformat) if version.has_prefixed_formats() => {
                return Named::Macro(Macro::PrefixedMsgformat);
            }
            Some(id) => return Named::Macro(id),
            None => FieldName::parse(name),
        },
    };
    Named::Field(field)
}

fn find(name: &str) -> Option<Macro> {
    if let Some((_, id)) = NAMES.iter().find(|(known, _)| *known == name) {
        return Some(*id);
    }
    let prefixed = PREFIXES.iter().find_map(|(prefix, which)| Some((name.strip_prefix(prefix)?, *which)));
    let (bare, which) = prefixed.unwrap_or((name, Which::Sent));
    let bare = if bare == "TZOFFSET" { "TZ" } else { bare };
    let (_, date) = DATES.iter().find(|(known, _)| *known == bare)?;
    Some(Macro::Date(which, *date))
}

/// All names of macros without those of prefixed dates, for suggestions and scopes.
pub(super) fn names() -> impl Iterator<Item = &'static str> {
    NAMES.iter().map(|(name, _)| *name).chain(DATES.iter().map(|(name, _)| *name))
}

/// Appends a macro's text; the result is its type.
#[inline]
pub(super) fn append(
    id: Macro,
    batch: &Batch,
    index: usize,
    renderer: &mut Renderer,
    out: &mut Vec<u8>,
) -> ValueKind {
    match id {
        Macro::Date(which, date) => {
            let stamp = match which {
                Which::Sent => batch.messages[index].event,
                Which::Received => batch.received_of(index),
                Which::Current | Which::Processed => renderer.now,
            };
            renderer.clocks.append(which, date, stamp, out);
            let unix = date == Date::Form(wire::StampFormat::Unix);
            if unix { ValueKind::Datetime } else { ValueKind::String }
        }
        Macro::Msghdr => {
            wire::append_legacy_header(batch, index, out);
            ValueKind::String
        }
        _ => append_other(id, batch, index, renderer, out),
    }
}

/// `$MSGHDR` of a message.
pub(crate) fn header(batch: &Batch, index: usize) -> Vec<u8> {
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
        // What is not there is no number: in JSON it would not fit.
        Macro::Rcptid => match batch.rcptid_of(index) {
            0 => return ValueKind::String,
            id => id,
        },
        Macro::Seqnum => return append_seqnum(batch, index, renderer.seqnum, out),
        Macro::Tags => {
            let start = out.len();
            let mut tags = batch.tags(index);
            // The tags that name sources come last, as users know it.
            tags.sort_by_key(|tag| tag.starts_with(".source."));
            tags.iter().for_each(|tag| list::append_after(tag.as_bytes(), start, out));
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

/// Local messages count as coming from this machine.
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

/// `$*`: the groups of the last match that was stored, as a list.
fn append_matches(batch: &Batch, index: usize, out: &mut Vec<u8>) -> ValueKind {
    let start = out.len();
    for group in 1..crate::pattern::GROUPS_MAX {
        match batch.field(index, &FieldName::Named(group.to_string())) {
            Some(value) => list::append_after(&value, start, out),
            None => break,
        }
    }
    ValueKind::List
}

/// Structured data as received; made anew when values of it were set or a sequence number is due.
fn append_sdata(batch: &Batch, index: usize, seqnum: u32, out: &mut Vec<u8>) {
    let received = batch.bytes(batch.messages[index].sdata);
    let set = || batch.values(index).iter().any(|(name, ..)| name.starts_with(b".SDATA."));
    let unset = || sd_params(received).any(|param| is_unset(batch, index, &param));
    let changed = batch.has_values(index) && (set() || unset());
    if !changed {
        out.extend_from_slice(received);
    } else {
        append_changed_sdata(batch, index, received, out);
    }
    if seqnum != 0 {
        let _ = write!(out, "[meta sequenceId=\"{seqnum}\"]");
    }
}

/// Whether a parameter that was received is hidden by a rewrite.
fn is_unset(batch: &Batch, index: usize, param: &SdParam<'_>) -> bool {
    let name = [b".SDATA.", param.id, b".", param.name].concat();
    let name = FieldName::Sdata(String::from_utf8_lossy(&name).into_owned());
    !param.name.is_empty() && batch.field(index, &name).is_none()
}

fn append_changed_sdata(batch: &Batch, index: usize, received: &[u8], out: &mut Vec<u8>) {
    // Element, parameter and value, in the order of appearance; values that were set come last.
    let mut params: Vec<(Vec<u8>, Vec<u8>, Vec<u8>)> = Vec::new();
    for param in sd_params(received).filter(|param| !is_unset(batch, index, param)) {
        params.push((param.id.to_vec(), param.name.to_vec(), param.value().into_owned()));
    }
    for (name, value, _) in batch.values(index).into_iter().rev() {
        let Some(path) = name.strip_prefix(b".SDATA.") else { continue };
        let dot = memchr::memrchr(b'.', path).unwrap_or(path.len());
        let (id, param) = (&path[..dot], path.get(dot + 1..).unwrap_or_default());
        match params.iter_mut().find(|(i, p, _)| i == id && p == param) {
            Some((_, _, old)) => *old = value.to_vec(),
            None => params.push((id.to_vec(), param.to_vec(), value.to_vec())),
        }
    }
    let mut done: Vec<&[u8]> = Vec::new();
    for (id, ..) in &params {
        if done.contains(&id.as_slice()) {
            continue;
        }
        done.push(id);
        out.push(b'[');
        out.extend_from_slice(id);
        for (_, name, value) in params.iter().filter(|(i, n, _)| i == id && !n.is_empty()) {
            out.push(b' ');
            out.extend_from_slice(name);
            out.extend_from_slice(b"=\"");
            for &byte in value {
                if matches!(byte, b'"' | b'\\' | b']') {
                    out.push(b'\\');
                }
                out.push(byte);
            }
            out.push(b'"');
        }
        out.push(b']');
    }
}
