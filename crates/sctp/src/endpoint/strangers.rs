//! Packets that begin associations, and those that belong to none (RFC 9260, 5.1, 5.2, 8.4, 8.5).
//!
//! In: INIT, COOKIE ECHO, strays. Out: answers, each no larger than a small multiple of the question. Limits: those of the answers.

use super::Endpoint;
use super::answers::Transmit;
use crate::association::{self, Phase};
use crate::codec::{Cause, Causes, Chunk, Init, Packet, PacketBuilder, Parameter, Parameters};
use crate::interface::{AssociationId, Peer, Time};
use crate::path::PACKET_BYTES_MIN;
use crate::secrets::{Agreement, Cookie};
use std::time::Duration;

/// The meaning of the two tags of a cookie, and of those before it, for the association that there is (RFC 9260, 5.2.4, table 12).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Match {
    Restart,
    Collision,
    Duplicate,
    Late,
}

impl Match {
    fn of(cookie: &Cookie, agreement: &Agreement) -> Match {
        let is_local = cookie.agreement.local_tag == agreement.local_tag;
        let is_remote = cookie.agreement.remote_tag == agreement.remote_tag;
        match (is_local, is_remote) {
            (true, true) => Match::Duplicate,
            (true, false) => Match::Collision,
            (false, false) if cookie.tie_tags == [agreement.local_tag, agreement.remote_tag] => {
                Match::Restart
            }
            _ => Match::Late,
        }
    }
}

impl Endpoint {
    /// Takes INIT: everything that is worked out goes into a cookie.
    pub(super) fn on_init(&mut self, now: Time, peer: Peer, packet: &Packet<'_>, init: &Init<'_>) {
        // INIT has no tag and no company.
        if packet.tag != 0 || packet.chunks().nth(1).is_some() {
            self.counters.invalid_packets += 1;
            return;
        }
        let existing = self.associations.of_peer(peer);
        if init.tag == 0 || init.outbound_streams == 0 || init.inbound_streams == 0 || init.window < 1500 {
            self.counters.invalid_packets += 1;
            self.refuse(peer, init.tag, &Cause::InvalidMandatoryParameter);
            return;
        }
        if existing.is_none() && !self.may_accept(peer) {
            self.counters.refused_associations += 1;
            self.refuse(peer, init.tag, &Cause::OutOfResource);
            return;
        }
        let Some(unknown) = unknown_parameters(init) else {
            self.counters.invalid_packets += 1;
            return;
        };
        self.acknowledge_init(now, peer, init, existing, &unknown);
    }

    fn acknowledge_init(
        &mut self,
        now: Time,
        peer: Peer,
        init: &Init<'_>,
        existing: Option<AssociationId>,
        unknown: &[u8],
    ) {
        let existing = existing.and_then(|id| self.associations.get(id));
        let (mut tag, mut tsn, mut tie_tags) = (None, None, [0; 2]);
        if let Some(association) = existing {
            let agreement = &association.agreement;
            match association.phase() {
                Phase::ShutdownAckSent => return,
                Phase::CookieWait | Phase::CookieEchoed => {
                    (tag, tsn) = (Some(agreement.local_tag), Some(agreement.local_tsn));
                }
                _ => {}
            }
            tie_tags = [agreement.local_tag, agreement.remote_tag];
        }
        let tag = tag.unwrap_or_else(|| self.random.tag());
        let tsn = tsn.unwrap_or_else(|| self.random.short());
        let agreement = association::agree(&self.options, init, tag, tsn);
        let cookie = Cookie { created: now, peer, agreement, tie_tags };
        let cookie = self.cookies.seal(now, &cookie, &mut self.random);
        let mut parameters = association::parameters(&self.options);
        parameters.extend(Init::encode_parameters(&[Parameter::Cookie(&cookie)]));
        parameters.extend_from_slice(unknown);
        let answer = Init {
            tag,
            window: u32::try_from(self.options.receive_bytes).unwrap_or(u32::MAX),
            outbound_streams: self.options.outbound_streams,
            inbound_streams: self.options.inbound_streams,
            tsn,
            parameters: Parameters::new(&parameters),
        };
        self.answer(peer, init.tag, &Chunk::InitAck(answer));
    }

    fn may_accept(&self, peer: Peer) -> bool {
        self.options.listens
            && self.associations.len() < self.options.associations_max
            && self.associations.of_address(peer.address.ip()) < self.options.associations_per_address_max
    }

    /// Takes COOKIE ECHO.
    pub(super) fn on_cookie(&mut self, now: Time, peer: Peer, packet: &Packet<'_>, bytes: &[u8]) {
        let cookie = self.cookies.open(bytes).filter(|cookie| {
            let is_from = |other: Peer| other.address.ip() == peer.address.ip() && other.port == peer.port;
            is_from(cookie.peer)
                && cookie.peer.address.port() == peer.address.port()
                && cookie.agreement.local_tag == packet.tag
        });
        let Some(cookie) = cookie else {
            self.counters.forged_cookies += 1;
            return;
        };
        let existing = self.associations.of_peer(peer);
        let found = existing
            .and_then(|id| self.associations.get(id))
            .map(|association| (Match::of(&cookie, &association.agreement), association.phase()));
        let late = now.since(cookie.created).saturating_sub(self.options.cookie_life);
        if late > Duration::ZERO && !matches!(found, Some((Match::Duplicate, _))) {
            self.counters.stale_cookies += 1;
            let cause = Cause::StaleCookie(u32::try_from(late.as_micros()).unwrap_or(u32::MAX));
            let causes = encoded(&cause);
            self.answer(peer, cookie.agreement.remote_tag, &Chunk::Error(Causes::new(&causes)));
            return;
        }
        if let Some(id) = self.take_cookie(now, peer, &cookie, existing.zip(found)) {
            self.associations.set_peer(id, peer);
            self.answer(peer, cookie.agreement.remote_tag, &Chunk::CookieAck);
            if let Some(association) = self.associations.get_mut(id) {
                association.receive(now, packet);
            }
            self.settle(id);
        }
    }

    /// Does what a cookie asks for; returns the association that is confirmed by it.
    fn take_cookie(
        &mut self,
        now: Time,
        peer: Peer,
        cookie: &Cookie,
        existing: Option<(AssociationId, (Match, Phase))>,
    ) -> Option<AssociationId> {
        let Some((id, (found, phase))) = existing else {
            if !self.may_accept(peer) || self.associations.of_tag(cookie.agreement.local_tag).is_some() {
                self.counters.refused_associations += 1;
                return None;
            }
            let association = association::accept(now, &self.options, peer, cookie);
            return Some(self.associations.insert(association));
        };
        let association = self.associations.get_mut(id)?;
        match found {
            Match::Restart if phase == Phase::ShutdownAckSent => {
                let causes = encoded(&Cause::CookieWhileShuttingDown);
                self.answer(peer, cookie.agreement.remote_tag, &Chunk::Error(Causes::new(&causes)));
                return None;
            }
            Match::Restart => association::restart(association, now, peer, cookie),
            Match::Collision => association::collide(association, now, peer, cookie),
            Match::Duplicate => association::confirm(association, now),
            Match::Late => return None,
        }
        Some(id)
    }

    /// Takes a packet that belongs to no association.
    pub(super) fn on_stray(&mut self, peer: Peer, packet: &Packet<'_>, first: &Chunk<'_>) {
        self.counters.stray_packets += 1;
        let is_stale =
            |causes: &Causes<'_>| causes.clone().any(|cause| matches!(cause, Cause::StaleCookie(_)));
        match first {
            Chunk::Abort { .. } | Chunk::ShutdownComplete { .. } | Chunk::CookieAck | Chunk::InitAck(_) => {}
            Chunk::Error(causes) if is_stale(causes) => {}
            _ if packet.tag == 0 => {}
            Chunk::ShutdownAck => {
                self.answer(peer, packet.tag, &Chunk::ShutdownComplete { reflected: true });
            }
            // Any chunk that ends an association would make two endpoints answer each other for ever.
            _ if packet.chunks().flatten().any(|chunk| matches!(chunk, Chunk::Abort { .. })) => {}
            _ => self.answer(peer, packet.tag, &Chunk::Abort { reflected: true, causes: Causes::default() }),
        }
    }

    fn refuse(&mut self, peer: Peer, tag: u32, cause: &Cause<'_>) {
        if tag != 0 {
            let causes = encoded(cause);
            self.answer(peer, tag, &Chunk::Abort { reflected: false, causes: Causes::new(&causes) });
        }
    }

    fn answer(&mut self, peer: Peer, tag: u32, chunk: &Chunk<'_>) {
        let mut packet = PacketBuilder::new(self.options.port, peer.port, tag, PACKET_BYTES_MIN);
        packet.push(chunk);
        self.answers.push(Transmit { to: peer.address, datagram: packet.finish() });
    }
}

fn encoded(cause: &Cause<'_>) -> Vec<u8> {
    let mut causes = Vec::new();
    cause.encode(&mut causes);
    causes
}

/// Returns the unknown parameters that are to be reported, each in one of its own.
/// `None` if there are more of them than an answer may have.
fn unknown_parameters(init: &Init<'_>) -> Option<Vec<u8>> {
    let mut unknown = Vec::new();
    for parameter in init.parameters {
        let Parameter::Unknown(_, whole) = parameter else { continue };
        let unrecognized = parameter.unrecognized()?;
        if unrecognized.reports() {
            unknown.extend(Init::encode_parameters(&[Parameter::Unrecognized(whole)]));
        }
        if unrecognized.stops() {
            break;
        }
    }
    (unknown.len() <= PACKET_BYTES_MIN / 2).then_some(unknown)
}
