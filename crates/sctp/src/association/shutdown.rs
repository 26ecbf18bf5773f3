//! How an association ends (RFC 9260, 9.2).
//!
//! In: the wish of the user or the peer. Out: SHUTDOWN and its answers. Limits: nobody waits for longer than `silence_max`.

use super::state::{Association, Phase};
use crate::codec::Chunk;
use crate::interface::{DownReason, Time};

/// Begins to end: what is not delivered yet goes first.
pub(super) fn begin(association: &mut Association, now: Time) {
    match association.phase {
        Phase::Established => association.phase = Phase::ShutdownPending,
        Phase::CookieWait | Phase::CookieEchoed => association.abort(),
        _ => {}
    }
    advance(association, now);
}

/// Goes on as soon as nothing is left to deliver.
pub(super) fn advance(association: &mut Association, now: Time) {
    if !association.outbound.is_idle() {
        return;
    }
    let wait = association.outbound.wait();
    match association.phase {
        Phase::ShutdownPending => association.phase = Phase::ShutdownSent,
        Phase::ShutdownReceived => association.phase = Phase::ShutdownAckSent,
        _ => return,
    }
    association.retry_from(now, wait);
}

/// Takes SHUTDOWN.
pub(super) fn on_shutdown(association: &mut Association, now: Time) {
    match association.phase {
        Phase::Established | Phase::ShutdownPending => {
            association.phase = Phase::ShutdownReceived;
            advance(association, now);
        }
        Phase::ShutdownSent => {
            association.phase = Phase::ShutdownAckSent;
            association.retry_from(now, association.outbound.wait());
        }
        _ => {}
    }
}

/// Takes SHUTDOWN ACK: the association is gone.
pub(super) fn on_shutdown_ack(association: &mut Association) {
    if matches!(association.phase, Phase::ShutdownSent | Phase::ShutdownAckSent) {
        let mut packet = association.packet(64);
        packet.push(&Chunk::ShutdownComplete { reflected: false });
        association.close(DownReason::Shutdown);
        association.alone = Some(packet.finish());
    }
}

/// Takes SHUTDOWN COMPLETE: the association is gone.
pub(super) fn on_shutdown_complete(association: &mut Association) {
    if association.phase == Phase::ShutdownAckSent {
        association.close(DownReason::Shutdown);
    }
}
