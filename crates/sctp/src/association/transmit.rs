//! The packets and timers of an association.
//!
//! In: time. Out: one packet after the other, until there is nothing to send. Limits: a packet is at most as large as the path is
//! known to pass.

use super::handshake::parameters;
use super::shutdown;
use super::state::{Association, Phase};
use crate::codec::{Chunk, Init, PacketBuilder, Parameters};
use crate::interface::{DownReason, Time};
use crate::path::{Heartbeat, PACKET_BYTES_MIN};

/// Bytes of a SACK without its lists, and most bytes of the lists.
const SACK_HEAD_BYTES: usize = 16;
const SACK_LIST_BYTES: usize = 400;

/// Returns the next packet.
pub(super) fn poll(association: &mut Association, now: Time, nonce: impl FnOnce() -> u64) -> Option<Vec<u8>> {
    if association.phase == Phase::Closed {
        return association.alone.take();
    }
    if association.phase == Phase::CookieWait {
        return is_due(association, now).then(|| init(association));
    }
    if let Some(heartbeat) = heartbeat(association, now, nonce) {
        return Some(heartbeat);
    }
    let mut packet = association.packet(association.path.packet_bytes());
    push_control(association, now, &mut packet);
    push_answers(association, &mut packet);
    let has_list = matches!(association.phase, Phase::CookieEchoed | Phase::ShutdownAckSent);
    let sack_bytes = if association.inbound.sack_is_open() && !has_list {
        SACK_HEAD_BYTES + SACK_LIST_BYTES.min(packet.room() / 2)
    } else {
        0
    };
    let payload = match association.phase {
        Phase::Established | Phase::ShutdownPending | Phase::ShutdownReceived => {
            association.outbound.fill(now, packet.room().saturating_sub(sack_bytes))
        }
        _ => Vec::new(),
    };
    let is_worth = !payload.is_empty() || !packet.is_empty() || association.inbound.sack_is_due(now);
    if sack_bytes > SACK_HEAD_BYTES && is_worth {
        let sack = association.inbound.sack(sack_bytes - SACK_HEAD_BYTES);
        packet.push(&Chunk::Sack(sack));
    }
    packet.push_encoded(&payload);
    if !payload.is_empty() {
        association.silent_since.get_or_insert(now);
    }
    association.collect();
    (!packet.is_empty()).then(|| packet.finish())
}

fn is_due(association: &mut Association, now: Time) -> bool {
    let retry = &mut association.retry;
    let is_due = retry.due.is_some_and(|due| due <= now);
    if is_due {
        retry.due = Some(now + retry.wait);
        retry.wait = (retry.wait * 2).min(association.options.retry_max.max(association.options.retry_first));
    }
    is_due
}

fn init(association: &Association) -> Vec<u8> {
    let options = &association.options;
    let parameters = parameters(options);
    let init = Init {
        tag: association.agreement.local_tag,
        window: u32::try_from(options.receive_bytes).unwrap_or(u32::MAX),
        outbound_streams: options.outbound_streams,
        inbound_streams: options.inbound_streams,
        tsn: association.agreement.local_tsn,
        parameters: Parameters::new(&parameters),
    };
    let mut packet = PacketBuilder::new(options.port, association.peer.port, 0, PACKET_BYTES_MIN);
    packet.push(&Chunk::Init(init));
    packet.finish()
}

/// Adds the chunk of the state that is sent until it is answered.
fn push_control(association: &mut Association, now: Time, packet: &mut PacketBuilder) {
    let is_retried =
        matches!(association.phase, Phase::CookieEchoed | Phase::ShutdownSent | Phase::ShutdownAckSent);
    if !is_retried || !is_due(association, now) {
        return;
    }
    match association.phase {
        Phase::CookieEchoed => packet.push(&Chunk::CookieEcho(&association.cookie)),
        Phase::ShutdownSent => packet.push(&Chunk::Shutdown(association.inbound.cumulative())),
        Phase::ShutdownAckSent => packet.push(&Chunk::ShutdownAck),
        _ => {}
    }
}

/// Adds the answers that fit.
fn push_answers(association: &mut Association, packet: &mut PacketBuilder) {
    let mut end = 0;
    while let Some(length) = association.answers.get(end + 2..end + 4) {
        let size = usize::from(u16::from_be_bytes([length[0], length[1]])).next_multiple_of(4);
        if size == 0 || end + size > packet.room() {
            break;
        }
        end += size;
    }
    packet.push_encoded(&association.answers[..end.min(association.answers.len())]);
    association.answers.drain(..end.min(association.answers.len()));
}

fn heartbeat(association: &mut Association, now: Time, nonce: impl FnOnce() -> u64) -> Option<Vec<u8>> {
    if !matches!(association.phase, Phase::Established | Phase::ShutdownPending | Phase::ShutdownReceived) {
        return None;
    }
    let Heartbeat { nonce, probe } = association.path.heartbeat(now, nonce)?;
    let mut packet = association.packet(probe.unwrap_or(PACKET_BYTES_MIN));
    packet.push(&Chunk::Heartbeat(&nonce.to_be_bytes()));
    match probe {
        Some(_) => packet.push(&Chunk::Pad(packet.room().saturating_sub(4))),
        None => {
            association.silent_since.get_or_insert(now);
        }
    }
    Some(packet.finish())
}

/// Does what is due.
pub(super) fn handle_timeout(association: &mut Association, now: Time) {
    let silence_max = association.options.silence_max;
    if association.silent_since.is_some_and(|since| now.since(since) >= silence_max) {
        association.close(DownReason::Silence);
        return;
    }
    if has_messages(association.phase) {
        association.outbound.handle_timeout(now);
        if association.outbound.path_is_doubtful() {
            association.path.shrink(now);
            association.outbound.set_packet_bytes(association.path.packet_bytes());
        }
    }
    association.collect();
    shutdown::advance(association, now);
}

fn has_messages(phase: Phase) -> bool {
    matches!(phase, Phase::Established | Phase::ShutdownPending | Phase::ShutdownReceived)
}

/// Returns when something is due.
pub(super) fn next_timeout(association: &Association) -> Option<Time> {
    if association.phase == Phase::Closed {
        return None;
    }
    let has_messages = has_messages(association.phase);
    let silence = association.silent_since.map(|since| since + association.options.silence_max);
    let times = [
        silence,
        association.retry.due.filter(|_| !has_messages),
        association.outbound.next_timeout().filter(|_| has_messages),
        Some(association.path.next_timeout()).filter(|_| has_messages),
        association.inbound.next_timeout(),
    ];
    times.into_iter().flatten().min()
}
