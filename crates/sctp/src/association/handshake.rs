//! How an association begins: four packets, collisions, a peer that begins again (RFC 9260, 5).
//!
//! In: INIT ACK, cookies that are ours. Out: the state that they make. Limits: nothing is kept for a peer before its cookie
//! has come back.

use super::state::{Association, Phase};
use crate::codec::{Init, Parameter, Unrecognized, kind};
use crate::inbound::Inbound;
use crate::interface::{Event, Options, Peer, Time};
use crate::path::{PACKET_BYTES_MIN, Path};
use crate::secrets::{Abilities, Agreement, Cookie, Random};
use std::sync::Arc;

/// Begins an association with a peer: INIT goes first.
pub(crate) fn connect(now: Time, options: &Arc<Options>, peer: Peer, random: &mut Random) -> Association {
    let agreement = Agreement {
        local_tag: random.tag(),
        local_tsn: random.short(),
        remote_tag: 0,
        remote_tsn: 0,
        window: 0,
        outbound_streams: options.outbound_streams,
        inbound_streams: options.inbound_streams,
        abilities: Abilities::default(),
    };
    let mut association = Association::new(now, options, peer, Phase::CookieWait, agreement);
    association.retry_from(now, options.retry_first);
    association
}

/// Makes the association of a cookie that has come back.
pub(crate) fn accept(now: Time, options: &Arc<Options>, from: Peer, cookie: &Cookie) -> Association {
    let mut association = Association::new(now, options, from, Phase::Established, cookie.agreement);
    association.events.push(Event::Up);
    association
}

/// Takes the cookie of a peer that has lost its state and has begun again (RFC 9260, 5.2.4, action A).
pub(crate) fn restart(association: &mut Association, now: Time, from: Peer, cookie: &Cookie) {
    association.collect();
    begin_with(association, now, from, cookie);
    association.events.push(Event::Restarted);
    association.collect();
}

/// Takes the cookie of a peer that has begun at the same time as we (RFC 9260, 5.2.4, action B).
pub(crate) fn collide(association: &mut Association, now: Time, from: Peer, cookie: &Cookie) {
    let was_up = !matches!(association.phase, Phase::CookieWait | Phase::CookieEchoed);
    association.collect();
    begin_with(association, now, from, cookie);
    association.events.push(if was_up { Event::Restarted } else { Event::Up });
    association.collect();
}

fn begin_with(association: &mut Association, now: Time, from: Peer, cookie: &Cookie) {
    let (options, agreement) = (Arc::clone(&association.options), cookie.agreement);
    association.peer = from;
    association.phase = Phase::Established;
    association.agreement = agreement;
    association.inbound = Inbound::new(&options, &agreement);
    association.outbound.restart(&options, &agreement, PACKET_BYTES_MIN);
    association.path = Path::new(now, &options);
    association.cookie = Vec::new();
    association.answers.clear();
    association.alone = None;
    association.retry.due = None;
    association.hears(now);
}

/// Notes that the peer has our cookie, or has sent back one that we have made for it: both are up.
pub(crate) fn confirm(association: &mut Association, now: Time) {
    if matches!(association.phase, Phase::CookieEchoed) {
        association.phase = Phase::Established;
        association.cookie = Vec::new();
        association.retry.due = None;
        association.hears(now);
        association.events.push(Event::Up);
    }
}

/// Takes INIT ACK: the cookie goes back.
pub(super) fn on_init_ack(association: &mut Association, now: Time, init: &Init<'_>) {
    if association.phase != Phase::CookieWait || !is_sane(init) {
        return;
    }
    let mut cookie = None;
    let mut unknown = Vec::new();
    for parameter in init.parameters {
        match parameter {
            Parameter::Cookie(bytes) => cookie = Some(bytes.to_vec()),
            Parameter::Unknown(_, whole) => {
                let unrecognized = parameter.unrecognized();
                if unrecognized.is_some_and(Unrecognized::reports) {
                    unknown.extend_from_slice(whole);
                    unknown.resize(unknown.len().next_multiple_of(4), 0);
                }
                if unrecognized.is_some_and(Unrecognized::stops) {
                    break;
                }
            }
            _ => {}
        }
    }
    // A cookie has to fit into a packet.
    let Some(cookie) = cookie.filter(|cookie| cookie.len() <= PACKET_BYTES_MIN - 100) else { return };
    let agreement =
        agree(&association.options, init, association.agreement.local_tag, association.agreement.local_tsn);
    let options = Arc::clone(&association.options);
    association.agreement = agreement;
    association.inbound = Inbound::new(&options, &agreement);
    association.outbound.restart(&options, &agreement, PACKET_BYTES_MIN);
    association.cookie = cookie;
    association.phase = Phase::CookieEchoed;
    if !unknown.is_empty() {
        association.report(&crate::codec::Cause::UnrecognizedParameters(&unknown));
    }
    association.hears(now);
    association.retry_from(now, options.retry_first);
}

/// Returns whether the fields of INIT or INIT ACK are such that an association can work.
pub(super) fn is_sane(init: &Init<'_>) -> bool {
    init.tag != 0 && init.outbound_streams != 0 && init.inbound_streams != 0 && init.window >= 1500
}

/// Works out what both sides have agreed on.
pub(crate) fn agree(options: &Options, init: &Init<'_>, local_tag: u32, local_tsn: u32) -> Agreement {
    let mut abilities = Abilities::default();
    for parameter in init.parameters {
        match parameter {
            Parameter::ForwardTsnSupported => abilities.forwards = true,
            Parameter::SupportedExtensions(kinds) => {
                abilities.forwards |= kinds.contains(&kind::FORWARD_TSN);
                abilities.interleaves = options.interleaves && kinds.contains(&kind::I_DATA);
            }
            _ => {}
        }
    }
    Agreement {
        local_tag,
        local_tsn,
        remote_tag: init.tag,
        remote_tsn: init.tsn,
        window: init.window,
        outbound_streams: options.outbound_streams.min(init.inbound_streams),
        inbound_streams: options.inbound_streams.min(init.outbound_streams),
        abilities,
    }
}

/// Returns the parameters that say what we can.
pub(crate) fn parameters(options: &Options) -> Vec<u8> {
    let kinds: &[u8] = if options.interleaves {
        &[kind::FORWARD_TSN, kind::I_DATA, kind::I_FORWARD_TSN]
    } else {
        &[kind::FORWARD_TSN]
    };
    Init::encode_parameters(&[Parameter::ForwardTsnSupported, Parameter::SupportedExtensions(kinds)])
}
