//! The cookie of a handshake: all that the accepting side knows, kept by the other side (RFC 9260, 5.1.3).
//!
//! In: what both INIT and INIT ACK say. Out: bytes with a MAC, and back. Holds: two secrets; the older one still opens
//! cookies, so that a change of secrets ends no handshake. Limits: a cookie is valid for the life that the caller gives.

use super::random::Random;
use crate::interface::{Peer, Time};
use hmac::{Hmac, Mac};
use sha2::Sha256;
use std::net::{IpAddr, Ipv6Addr, SocketAddr};
use std::time::Duration;

/// Bytes of the MAC: half of SHA-256, which is out of reach and keeps INIT ACK small beside INIT.
const MAC_BYTES: usize = 16;
/// Bytes of the fields.
const FIELD_BYTES: usize = 61;
/// A secret is used for so long.
const SECRET_LIFE: Duration = Duration::from_secs(600);

/// Abilities that both sides have.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct Abilities {
    /// FORWARD-TSN.
    pub(crate) forwards: bool,
    /// I-DATA and I-FORWARD-TSN.
    pub(crate) interleaves: bool,
}

/// All that both sides have told each other.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Agreement {
    pub(crate) local_tag: u32,
    pub(crate) local_tsn: u32,
    pub(crate) remote_tag: u32,
    pub(crate) remote_tsn: u32,
    /// Bytes that the peer has room for.
    pub(crate) window: u32,
    /// Streams on which we send.
    pub(crate) outbound_streams: u16,
    /// Streams on which the peer sends.
    pub(crate) inbound_streams: u16,
    pub(crate) abilities: Abilities,
}

/// The fields of a cookie.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Cookie {
    pub(crate) created: Time,
    pub(crate) peer: Peer,
    pub(crate) agreement: Agreement,
    /// Tags of an association that there was already: ours and the peer's; 0 without one.
    pub(crate) tie_tags: [u32; 2],
}

impl Cookie {
    fn encode(&self) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(FIELD_BYTES + MAC_BYTES);
        let agreement = &self.agreement;
        let (ip, is_v4) = match self.peer.address.ip() {
            IpAddr::V4(ip) => (ip.to_ipv6_mapped(), true),
            IpAddr::V6(ip) => (ip, false),
        };
        let abilities = &agreement.abilities;
        let bits = u8::from(abilities.forwards) | u8::from(abilities.interleaves) << 1 | u8::from(is_v4) << 2;
        bytes.extend_from_slice(&self.created.as_nanos().to_be_bytes());
        bytes.extend_from_slice(&ip.octets());
        bytes.extend_from_slice(&self.peer.address.port().to_be_bytes());
        bytes.extend_from_slice(&self.peer.port.to_be_bytes());
        for number in [
            agreement.local_tag,
            agreement.local_tsn,
            agreement.remote_tag,
            agreement.remote_tsn,
            agreement.window,
            self.tie_tags[0],
            self.tie_tags[1],
        ] {
            bytes.extend_from_slice(&number.to_be_bytes());
        }
        bytes.extend_from_slice(&agreement.outbound_streams.to_be_bytes());
        bytes.extend_from_slice(&agreement.inbound_streams.to_be_bytes());
        bytes.push(bits);
        bytes
    }

    fn decode(bytes: &[u8; FIELD_BYTES]) -> Cookie {
        let long =
            |at: usize| bytes[at..at + 4].iter().fold(0, |number, byte| number << 8 | u32::from(*byte));
        let short = |at: usize| u16::from_be_bytes([bytes[at], bytes[at + 1]]);
        let created = u64::from(long(0)) << 32 | u64::from(long(4));
        let mut octets = [0; 16];
        octets.copy_from_slice(&bytes[8..24]);
        let (ip, bits) = (Ipv6Addr::from(octets), bytes[60]);
        let ip = ip.to_ipv4_mapped().filter(|_| bits & 4 != 0).map_or(IpAddr::V6(ip), IpAddr::V4);
        Cookie {
            created: Time::from_nanos(created),
            peer: Peer { address: SocketAddr::new(ip, short(24)), port: short(26) },
            agreement: Agreement {
                local_tag: long(28),
                local_tsn: long(32),
                remote_tag: long(36),
                remote_tsn: long(40),
                window: long(44),
                outbound_streams: short(56),
                inbound_streams: short(58),
                abilities: Abilities { forwards: bits & 1 != 0, interleaves: bits & 2 != 0 },
            },
            tie_tags: [long(48), long(52)],
        }
    }
}

/// The secrets that make and open cookies.
pub(crate) struct CookieSecrets {
    current: Hmac<Sha256>,
    previous: Hmac<Sha256>,
    since: Time,
}

impl CookieSecrets {
    pub(crate) fn new(now: Time, random: &mut Random) -> CookieSecrets {
        CookieSecrets { current: secret(random), previous: secret(random), since: now }
    }

    /// Makes the bytes of a cookie.
    pub(crate) fn seal(&mut self, now: Time, cookie: &Cookie, random: &mut Random) -> Vec<u8> {
        if now.since(self.since) > SECRET_LIFE {
            self.previous = std::mem::replace(&mut self.current, secret(random));
            self.since = now;
        }
        let mut bytes = cookie.encode();
        let mac = self.current.clone().chain_update(&bytes).finalize().into_bytes();
        bytes.extend_from_slice(&mac[..MAC_BYTES]);
        bytes
    }

    /// Opens a cookie; `None` if it is none of ours, or was changed.
    pub(crate) fn open(&self, bytes: &[u8]) -> Option<Cookie> {
        let (fields, mac) = bytes.split_first_chunk::<FIELD_BYTES>()?;
        if mac.len() != MAC_BYTES {
            return None;
        }
        let opens =
            |secret: &Hmac<Sha256>| secret.clone().chain_update(fields).verify_truncated_left(mac).is_ok();
        (opens(&self.current) || opens(&self.previous)).then(|| Cookie::decode(fields))
    }
}

fn secret(random: &mut Random) -> Hmac<Sha256> {
    Hmac::new_from_slice(&random.bytes()).expect("HMAC takes keys of any length")
}
