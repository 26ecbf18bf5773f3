//! What the chunks of a packet do.
//!
//! In: chunks. Out: changes of the state, answers. Limits: after a chunk that ends the association, or that cannot be read, the
//! rest of the packet is skipped.

use super::handshake::{confirm, on_init_ack};
use super::shutdown;
use super::state::{Association, Phase};
use crate::codec::{Cause, Causes, Chunk, ChunkError, Data, ForwardTsn, Packet, Sack, Unrecognized};
use crate::interface::{DownReason, Time};

/// Takes the chunks of a packet.
pub(super) fn receive(association: &mut Association, now: Time, packet: &Packet<'_>) {
    for (index, chunk) in packet.chunks().enumerate() {
        match chunk {
            Ok(chunk) => take(association, now, &chunk, index),
            Err(ChunkError::Malformed { tsn: Some(tsn), .. }) => {
                association.abort_with(&Cause::NoUserData(tsn), DownReason::Violation);
            }
            Err(_) => break,
        }
        if association.is_closed() {
            return;
        }
    }
    association.inbound.packet_ends(now);
    if association.phase == Phase::ShutdownSent && association.inbound.sack_is_open() {
        // The peer has not seen SHUTDOWN yet, or has more to send: it gets both again, with the SACK.
        association.retry_from(now, association.outbound.wait());
        association.inbound.sack_now();
    }
    association.collect();
    shutdown::advance(association, now);
}

fn take(association: &mut Association, now: Time, chunk: &Chunk<'_>, index: usize) {
    match chunk {
        Chunk::Data(data) => on_data(association, data),
        Chunk::Sack(sack) => on_sack(association, now, sack),
        // Neither may share its packet with others.
        Chunk::InitAck(init) if index == 0 => on_init_ack(association, now, init),
        Chunk::Init(_) | Chunk::InitAck(_) => {}
        Chunk::Heartbeat(information) => association.answer(&Chunk::HeartbeatAck(information)),
        Chunk::HeartbeatAck(information) => on_heartbeat_ack(association, now, information),
        Chunk::Abort { causes, .. } => {
            let cause = causes.into_iter().next().map(|cause| cause.code());
            association.close(match association.phase {
                // Both sides had finished; only the last packet of the peer was lost.
                Phase::ShutdownAckSent => DownReason::Shutdown,
                _ => DownReason::AbortedByPeer(cause),
            });
        }
        Chunk::Shutdown(cumulative) => on_shutdown(association, now, *cumulative),
        Chunk::ShutdownAck => shutdown::on_shutdown_ack(association),
        Chunk::ShutdownComplete { .. } => shutdown::on_shutdown_complete(association),
        Chunk::Error(causes) => on_error(association, now, *causes),
        // The endpoint has opened the cookie already.
        Chunk::CookieEcho(_) | Chunk::Pad(_) => {}
        Chunk::CookieAck => confirm(association, now),
        Chunk::ForwardTsn(forward) => on_forward(association, forward, Interleaving::No),
        Chunk::IForwardTsn(forward) => on_forward(association, forward, Interleaving::Yes),
        Chunk::Unknown(kind, whole) => {
            if Unrecognized::from_type(*kind).reports() {
                association.report(&Cause::UnrecognizedChunk(whole));
            }
        }
    }
}

/// Returns whether the peer may send messages now.
fn may_receive(phase: Phase) -> bool {
    matches!(phase, Phase::Established | Phase::ShutdownPending | Phase::ShutdownSent)
}

fn on_data(association: &mut Association, data: &Data<'_>) {
    if !may_receive(association.phase) {
        return;
    }
    match association.inbound.data(data) {
        Ok(None) => {}
        Ok(Some(invalid)) => association.report(&Cause::InvalidStream(invalid.0)),
        Err(_) => association.abort_with(&Cause::ProtocolViolation(b"a message"), DownReason::Violation),
    }
}

fn on_sack(association: &mut Association, now: Time, sack: &Sack) {
    if matches!(association.phase, Phase::CookieWait | Phase::CookieEchoed | Phase::ShutdownAckSent) {
        return;
    }
    association.hears(now);
    if association.outbound.acknowledge(now, sack).is_err() {
        association.abort_with(&Cause::ProtocolViolation(b"a SACK"), DownReason::Violation);
    }
}

fn on_shutdown(association: &mut Association, now: Time, cumulative: u32) {
    if matches!(association.phase, Phase::CookieWait | Phase::CookieEchoed) {
        return;
    }
    association.hears(now);
    if association.outbound.acknowledge_through(now, cumulative).is_err() {
        association.abort_with(&Cause::ProtocolViolation(b"a SHUTDOWN"), DownReason::Violation);
        return;
    }
    shutdown::on_shutdown(association, now);
}

/// FORWARD-TSN or I-FORWARD-TSN.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Interleaving {
    No,
    Yes,
}

fn on_forward(association: &mut Association, forward: &ForwardTsn, interleaving: Interleaving) {
    let abilities = association.agreement.abilities;
    if !may_receive(association.phase) || !abilities.forwards {
        return;
    }
    if abilities.interleaves == (interleaving == Interleaving::Yes) {
        association.inbound.forward(forward);
    } else {
        association.abort_with(&Cause::ProtocolViolation(b"a FORWARD-TSN"), DownReason::Violation);
    }
}

fn on_heartbeat_ack(association: &mut Association, now: Time, information: &[u8]) {
    let Ok(nonce) = information.try_into().map(u64::from_be_bytes) else { return };
    if association.path.answered(now, nonce) {
        association.hears(now);
        association.outbound.set_packet_bytes(association.path.packet_bytes());
    }
}

fn on_error(association: &mut Association, now: Time, causes: Causes<'_>) {
    let is_stale = causes.into_iter().any(|cause| matches!(cause, Cause::StaleCookie(_)));
    if is_stale && association.phase == Phase::CookieEchoed {
        // The handshake begins again.
        association.phase = Phase::CookieWait;
        association.cookie = Vec::new();
        association.agreement.remote_tag = 0;
        association.retry_from(now, association.options.retry_first);
    }
}
