//! The compact form of an origin.
//!
//! In: an [`Origin`]. Out: its bytes, and back. Limits: none of its own.

use super::varint::{Taker, put};
use crate::{Origin, Transport};
use std::net::{IpAddr, SocketAddr};

const TRANSPORTS: [Transport; 6] = [
    Transport::Local,
    Transport::Udp,
    Transport::Tcp,
    Transport::Tls,
    Transport::UnixDgram,
    Transport::UnixStream,
];

/// Appends an origin.
pub(super) fn put_origin(out: &mut Vec<u8>, origin: &Origin) {
    out.push(origin.transport as u8);
    put_address(out, origin.peer);
    put_address(out, origin.local);
    for text in [&origin.source, &origin.host_from, &origin.file_name, &origin.transport_name] {
        put_counted(out, text.as_bytes());
    }
    put(out, origin.tags.len() as u64);
    origin.tags.iter().for_each(|tag| put_counted(out, tag.as_bytes()));
    put(out, origin.values.len() as u64);
    for (name, value) in &origin.values {
        put_counted(out, name.as_bytes());
        put_counted(out, value);
    }
}

/// Reads an origin.
pub(super) fn take_origin(from: &mut Taker<'_>) -> Option<Origin> {
    let transport = *TRANSPORTS.get(from.byte()? as usize)?;
    let (peer, local) = (take_address(from)?, take_address(from)?);
    let (source, host_from) = (take_text(from)?, take_text(from)?);
    let (file_name, transport_name) = (take_text(from)?, take_text(from)?);
    let mut tags = Vec::new();
    for _ in 0..from.number()? {
        tags.push(take_text(from)?);
    }
    let mut values = Vec::new();
    for _ in 0..from.number()? {
        values.push((take_text(from)?, from.counted()?.to_vec()));
    }
    Some(Origin { source, transport, peer, local, host_from, file_name, tags, transport_name, values })
}

fn put_counted(out: &mut Vec<u8>, bytes: &[u8]) {
    put(out, bytes.len() as u64);
    out.extend_from_slice(bytes);
}

fn take_text(from: &mut Taker<'_>) -> Option<String> {
    Some(String::from_utf8_lossy(from.counted()?).into_owned())
}

/// Writes the family (0: no address), the address and the port; for IPv6 also flow and scope.
fn put_address(out: &mut Vec<u8>, address: Option<SocketAddr>) {
    match address {
        None => return out.push(0),
        Some(SocketAddr::V4(v4)) => {
            out.push(4);
            out.extend_from_slice(&v4.ip().octets());
        }
        Some(SocketAddr::V6(v6)) => {
            out.push(6);
            out.extend_from_slice(&v6.ip().octets());
            put(out, u64::from(v6.flowinfo()));
            put(out, u64::from(v6.scope_id()));
        }
    }
    put(out, address.map_or(0, |address| u64::from(address.port())));
}

fn take_address(from: &mut Taker<'_>) -> Option<Option<SocketAddr>> {
    let address = match from.byte()? {
        0 => return Some(None),
        4 => SocketAddr::new(IpAddr::from(*from.bytes(4)?.first_chunk::<4>()?), from.small()?),
        6 => {
            let mut address = std::net::SocketAddrV6::new(
                std::net::Ipv6Addr::from(*from.bytes(16)?.first_chunk::<16>()?),
                0,
                from.small()?,
                from.small()?,
            );
            address.set_port(from.small()?);
            SocketAddr::V6(address)
        }
        _ => return None,
    };
    Some(Some(address))
}
