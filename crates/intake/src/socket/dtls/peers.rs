//! The peers of one DTLS socket: admission, assignment of datagrams, departure.
//!
//! In: datagrams with their senders, time. Out: [`Events`]. Holds: an association per peer, and a second one while a
//! peer that started over is still in its handshake.
//! Limits: nothing is stored for an address that has not returned our cookie; `max-handshakes()` handshakes, of which
//! `max-handshakes-per-address()` of one address, over all sockets of the listener: the oldest of this socket is
//! dropped;
//! each within [`HANDSHAKE_WITHIN`]; `max-connections()` associations, of which `max-connections-per-address()` of one
//! address, over all sockets; `idle-timeout()` ends silent ones.

use super::super::{
    admission::{Full, PeerCounts, PeerKey, PeerSlot},
    peer::peer_values,
    refusals::RefusalLog,
};
use crate::{
    options::DatagramListener,
    source::{Settings, SourceDriver},
};
use message::{Origin, Transport};
use std::{
    collections::HashMap,
    fmt,
    net::SocketAddr,
    sync::Arc,
    time::{Duration, Instant},
};
use transport::{
    HostNames, InternalLog, LogPause,
    dtls::{Association, AssociationState, Cookies},
    stats::{self, Counters, RefusalReason},
};
use wire::dtls::{self, Record, Start, content};

/// Longest time of a handshake.
const HANDSHAKE_WITHIN: Duration = Duration::from_secs(20);
/// A handshake younger than this is not dropped: an honest peer needs a moment for it.
const YOUNG_FOR: Duration = Duration::from_secs(1);
/// Largest datagram of our part of a handshake: it passes every path that matters.
const HANDSHAKE_MTU: usize = 1_200;
/// How long an origin is valid: the peer's name may come later or change.
const ORIGIN_GOOD_FOR: Duration = Duration::from_secs(10);
/// The same while the name is missing: it is looked up more often.
const UNNAMED_GOOD_FOR: Duration = Duration::from_millis(500);
/// Events that strangers can cause are logged at most this often.
const SAID_EVERY: Duration = Duration::from_secs(1);
/// Most hints to strangers between two ticks.
const HINTS_MAX: usize = 100;

/// Receiver of the results of a datagram.
pub(super) trait Events {
    /// The text of one record.
    fn text(&mut self, record: &[u8], origin: &Arc<Origin>);
    /// Sends a datagram.
    fn answer(&mut self, to: SocketAddr, datagram: &[u8]);
    /// A datagram held nothing that could be used.
    fn odd(&mut self);
}

/// Counts the peers of all sockets of a listener. Clones share the counts.
#[derive(Clone, Default)]
pub(crate) struct DtlsCounts {
    open: PeerCounts,
    handshakes: PeerCounts,
}

/// The peers.
pub(super) struct Peers {
    names: HostNames,
    log: InternalLog,
    refusals: RefusalLog,
    counts: DtlsCounts,
    cookies: Cookies,
    local: Option<SocketAddr>,
    open: HashMap<SocketAddr, Open>,
    handshaking: HashMap<SocketAddr, Handshake>,
    answer: Vec<u8>,
    pause: LogPause,
    hints: usize,
}

/// A peer that may send.
struct Open {
    association: Association,
    /// Random number of its hello: a late duplicate starts nothing.
    random: [u8; 32],
    values: Vec<(String, Vec<u8>)>,
    origin: Option<(Arc<Origin>, Instant)>,
    heard: Instant,
    slot: PeerSlot,
}

/// A peer whose handshake is not over.
struct Handshake {
    association: Association,
    random: [u8; 32],
    since: Instant,
    _slot: PeerSlot,
}

impl Peers {
    pub(super) fn new(
        (names, log): (HostNames, InternalLog),
        counts: DtlsCounts,
        cookies: Cookies,
        local: Option<SocketAddr>,
    ) -> Peers {
        Peers {
            names,
            refusals: RefusalLog::new(log.clone()),
            log,
            counts,
            cookies,
            local,
            open: HashMap::new(),
            handshaking: HashMap::new(),
            answer: Vec::new(),
            pause: LogPause::new(SAID_EVERY),
            hints: 0,
        }
    }

    pub(super) fn is_handshaking(&self) -> bool {
        !self.handshaking.is_empty()
    }

    /// Drops peers that were made with other settings; with `keep-alive(no)`, all of them.
    pub(super) fn reload(&mut self, settings: &Settings, send: impl FnMut(SocketAddr, &[u8])) {
        self.open.values_mut().for_each(|open| open.origin = None);
        if listener(settings).is_some_and(|options| !options.keep_over_reload) {
            self.close(&settings.counters, send);
        }
    }

    /// Takes a datagram.
    pub(super) fn take(
        &mut self,
        from: SocketAddr,
        datagram: &[u8],
        now: Instant,
        settings: &Settings,
        events: &mut dyn Events,
    ) {
        match dtls::start(datagram) {
            Start::Record(record) if self.is_for_open(from, record) => {
                self.take_open(from, datagram, now, settings, events);
            }
            Start::Record(_) if self.handshaking.contains_key(&from) => {
                self.take_shaking(from, datagram, now, settings, events);
            }
            Start::Record(record) => self.on_unknown_record(from, record, events),
            Start::Hello(hello) => self.on_client_hello(from, datagram, hello, now, settings, events),
            Start::Odd => events.odd(),
        }
    }

    /// Returns whether a record belongs to the open association and not to a new handshake of the same peer: a
    /// handshake has no keys, or only handshake records under them.
    fn is_for_open(&self, from: SocketAddr, record: Record) -> bool {
        let is_handshaking = self.handshaking.contains_key(&from);
        let is_text = record.epoch > 0 && record.content == content::APPLICATION_DATA;
        self.open.contains_key(&from) && (is_text || !is_handshaking)
    }

    fn take_open(
        &mut self,
        from: SocketAddr,
        datagram: &[u8],
        now: Instant,
        settings: &Settings,
        events: &mut dyn Events,
    ) {
        let Some(open) = self.open.get_mut(&from) else { return };
        let origin = match &open.origin {
            Some((origin, until)) if *until > now => origin.clone(),
            _ => {
                let (origin, good_for) = origin(&self.names, self.local, from, settings, &open.values);
                open.origin = Some((origin.clone(), now + good_for));
                origin
            }
        };
        let mut records = 0;
        let taken = open.association.take(datagram, |record| {
            records += 1;
            events.text(record, &origin);
        });
        if records > 0 {
            open.heard = now;
        }
        let said = send_all(&mut open.association, from, &mut |to, datagram| events.answer(to, datagram));
        match taken {
            Ok(AssociationState::Open | AssociationState::Handshaking) if records == 0 && !said => {
                events.odd()
            }
            Ok(AssociationState::Open | AssociationState::Handshaking) => {}
            Ok(AssociationState::Over) => self.disconnect(from, settings, "Syslog connection closed", events),
            Err(error) => {
                stats::add(&settings.counters.errors, 1);
                self.disconnect(
                    from,
                    settings,
                    &format!("Syslog connection broken; error='DTLS: {error}'"),
                    events,
                );
            }
        }
    }

    /// Answers a goodbye, and forgets the peer.
    fn disconnect(&mut self, from: SocketAddr, settings: &Settings, how: &str, events: &mut dyn Events) {
        let Some(mut open) = self.open.remove(&from) else { return };
        stats::subtract(&settings.counters.connections, 1);
        open.association.say_goodbye();
        send_all(&mut open.association, from, &mut |to, datagram| events.answer(to, datagram));
        self.log.notice(&format!("{how}; client='AF_INET({from})', local='{}'", settings.counters.instance));
    }

    fn take_shaking(
        &mut self,
        from: SocketAddr,
        datagram: &[u8],
        now: Instant,
        settings: &Settings,
        events: &mut dyn Events,
    ) {
        let Some(handshake) = self.handshaking.get_mut(&from) else { return };
        // Text may follow the end of a handshake in the same datagram.
        let mut texts: Vec<Vec<u8>> = Vec::new();
        let taken = handshake.association.take(datagram, |record| texts.push(record.to_vec()));
        send_all(&mut handshake.association, from, &mut |to, datagram| events.answer(to, datagram));
        match taken {
            Ok(AssociationState::Handshaking) => {}
            Ok(AssociationState::Open) => {
                self.on_established(from, now, settings);
                for text in texts {
                    let Some(open) = self.open.get(&from) else { return };
                    let (origin, _) = origin(&self.names, self.local, from, settings, &open.values);
                    events.text(&text, &origin);
                }
            }
            Ok(AssociationState::Over) => drop(self.handshaking.remove(&from)),
            Err(error) => self.refuse(from, settings, &error, now),
        }
    }

    /// The end of a handshake: from now on the peer may send. An association that it had before is over.
    fn on_established(&mut self, from: SocketAddr, now: Instant, settings: &Settings) {
        let Some(Handshake { association, random, .. }) = self.handshaking.remove(&from) else { return };
        // Of the association that the peer had before, which ends here.
        let known = self.open.remove(&from).map(|open| open.slot);
        let is_known = known.is_some();
        let slot = match known {
            Some(slot) => slot,
            None => match self.enter(from, settings) {
                Ok(slot) => slot,
                Err(reason) => return self.too_many(reason, from, settings),
            },
        };
        let values = association.peer().map(peer_values).unwrap_or_default();
        let open = Open { association, random, values, origin: None, heard: now, slot };
        self.open.insert(from, open);
        let how = match is_known {
            true => "Syslog connection restarted",
            false => {
                stats::add(&settings.counters.connections, 1);
                "Syslog connection accepted"
            }
        };
        self.log.notice(&format!("{how}; client='AF_INET({from})', local='{}'", settings.counters.instance));
    }

    fn refuse(&mut self, from: SocketAddr, settings: &Settings, error: &dyn fmt::Display, now: Instant) {
        self.handshaking.remove(&from);
        stats::add(&settings.counters.errors, 1);
        self.say(now, || {
            let local = &settings.counters.instance;
            format!(
                "Syslog connection broken; error='DTLS: {error}', client='AF_INET({from})', local='{local}'"
            )
        });
    }

    /// Logs events that strangers can cause at will, at a limited rate.
    fn say(&mut self, now: Instant, text: impl FnOnce() -> String) {
        if self.pause.count(1, now).is_some() {
            self.log.notice(&text());
        }
    }

    /// Handles a record of an association that we do not have, or no longer have: the peer may take a hint and start
    /// a new one.
    fn on_unknown_record(&mut self, from: SocketAddr, record: Record, events: &mut dyn Events) {
        events.odd();
        if record.epoch > 0 && record.content == content::APPLICATION_DATA && self.hints < HINTS_MAX {
            self.hints += 1;
            self.answer.clear();
            dtls::append_hint(&mut self.answer);
            events.answer(from, &self.answer);
        }
    }

    /// Handles a hello: without a valid cookie it is answered and forgotten.
    fn on_client_hello(
        &mut self,
        from: SocketAddr,
        datagram: &[u8],
        hello: dtls::Hello<'_>,
        now: Instant,
        settings: &Settings,
        events: &mut dyn Events,
    ) {
        if self
            .handshaking
            .get(&from)
            .is_some_and(|handshake| handshake.random == hello.random && !hello.cookie.is_empty())
        {
            return self.take_shaking(from, datagram, now, settings, events);
        }
        if !self.cookies.fits(hello.cookie, from, &hello.random, now) {
            self.answer.clear();
            let cookie = self.cookies.cookie(from, &hello.random, now);
            dtls::append_verify_request(hello.sequence, &cookie, &mut self.answer);
            return events.answer(from, &self.answer);
        }
        if self.open.get(&from).is_some_and(|open| open.random == hello.random) {
            // It was sent before the handshake was over, and arrived late.
            return events.odd();
        }
        if !self.open.contains_key(&from)
            && let Err(reason) = self.enter(from, settings).map(drop)
        {
            return self.too_many(reason, from, settings);
        }
        self.begin(from, datagram, &hello.random, now, settings, events);
    }

    fn begin(
        &mut self,
        from: SocketAddr,
        hello: &[u8],
        random: &[u8; 32],
        now: Instant,
        settings: &Settings,
        events: &mut dyn Events,
    ) {
        let Some(tls) = listener(settings).and_then(|options| options.dtls.as_ref()) else { return };
        let accepted = match tls.settings() {
            Ok(settings) => settings.accept(hello, HANDSHAKE_MTU).map_err(|error| error.to_string()),
            Err(error) => Err(error.to_string()),
        };
        match accepted {
            Ok(mut association) => {
                // One that the peer began before is over.
                self.handshaking.remove(&from);
                let Some(slot) = self.enter_handshaking(from, now, settings) else {
                    return self.too_many(RefusalReason::Handshakes, from, settings);
                };
                send_all(&mut association, from, &mut |to, datagram| events.answer(to, datagram));
                let handshake = Handshake { association, random: *random, since: now, _slot: slot };
                self.handshaking.insert(from, handshake);
            }
            Err(error) => self.refuse(from, settings, &error, now),
        }
    }

    /// Counts an association of a peer, unless there are too many.
    fn enter(&self, from: SocketAddr, settings: &Settings) -> Result<PeerSlot, RefusalReason> {
        let limits = listener(settings).ok_or(RefusalReason::MaxConnections)?.connections;
        self.counts.open.enter(PeerKey::of(from.ip()), limits).map_err(|full| match full {
            Full::Peer => RefusalReason::PerAddress,
            Full::Total => RefusalReason::MaxConnections,
        })
    }

    /// Counts a handshake of a peer. The oldest one is dropped when there are too many, unless it has only begun:
    /// then the new peer is ignored, and repeats its hello a second later.
    fn enter_handshaking(&mut self, from: SocketAddr, now: Instant, settings: &Settings) -> Option<PeerSlot> {
        let (peer, limits) = (PeerKey::of(from.ip()), listener(settings)?.handshakes);
        let full = match self.counts.handshakes.enter(peer, limits) {
            Ok(slot) => return Some(slot),
            Err(full) => full,
        };
        let may_go = |of: &SocketAddr| full == Full::Total || PeerKey::of(of.ip()) == peer;
        let candidates = self.handshaking.iter().filter(|(of, _)| may_go(of));
        let (oldest, handshake) = candidates.min_by_key(|(_, handshake)| handshake.since)?;
        if now.duration_since(handshake.since) < YOUNG_FOR {
            return None;
        }
        let oldest = *oldest;
        self.handshaking.remove(&oldest);
        self.too_many(RefusalReason::Handshakes, oldest, settings);
        self.counts.handshakes.enter(peer, limits).ok()
    }

    /// Counts and logs that a peer was refused, or dropped for another.
    fn too_many(&self, reason: RefusalReason, from: SocketAddr, settings: &Settings) {
        let Some(options) = listener(settings) else { return };
        let max = match reason {
            RefusalReason::PerAddress => options.connections.of_one_peer(),
            RefusalReason::Handshakes => options.handshakes.total,
            RefusalReason::MaxConnections | RefusalReason::OpenFiles => options.connections.total,
        };
        self.refusals.refused(reason, &format!("AF_INET({from})"), max, settings);
    }

    /// Repeats unanswered messages, and ends handshakes that take too long.
    pub(super) fn tick(
        &mut self,
        now: Instant,
        settings: &Settings,
        send: &mut dyn FnMut(SocketAddr, &[u8]),
    ) {
        self.hints = 0;
        let mut slow = Vec::new();
        for (from, handshake) in &mut self.handshaking {
            let expired = handshake.association.expire();
            send_all(&mut handshake.association, *from, send);
            if let Err(error) = expired {
                slow.push((*from, error.to_string()));
            } else if now.duration_since(handshake.since) > HANDSHAKE_WITHIN {
                slow.push((*from, "the peer did not finish the handshake in time".to_owned()));
            }
        }
        slow.into_iter().for_each(|(from, error)| self.refuse(from, settings, &error, now));
    }

    /// Closes associations of peers that have not sent for `idle-timeout()`.
    pub(super) fn part_with_silent(
        &mut self,
        now: Instant,
        settings: &Settings,
        send: &mut dyn FnMut(SocketAddr, &[u8]),
    ) {
        let Some(idle) = listener(settings).and_then(|options| options.idle_timeout) else { return };
        let is_silent = |open: &Open| now.duration_since(open.heard) >= idle;
        let silent: Vec<SocketAddr> =
            self.open.iter().filter(|(_, open)| is_silent(open)).map(|(from, _)| *from).collect();
        for from in silent {
            let Some(mut open) = self.open.remove(&from) else { continue };
            stats::subtract(&settings.counters.connections, 1);
            open.association.say_goodbye();
            send_all(&mut open.association, from, send);
            self.log.notice(&format!(
                "Syslog connection closed, it was idle; client='AF_INET({from})', local='{}'",
                settings.counters.instance
            ));
        }
    }

    /// Sends all peers a close notification, so that they start new associations.
    pub(super) fn close(&mut self, counters: &Counters, mut send: impl FnMut(SocketAddr, &[u8])) {
        for (from, mut open) in self.open.drain() {
            stats::subtract(&counters.connections, 1);
            open.association.say_goodbye();
            send_all(&mut open.association, from, &mut send);
        }
    }
}

fn listener(settings: &Settings) -> Option<&DatagramListener> {
    match &settings.driver {
        SourceDriver::Datagram(options) => Some(options),
        _ => None,
    }
}

/// Sends the pending datagrams of an association. Returns true if there were any.
fn send_all(association: &mut Association, to: SocketAddr, send: &mut dyn FnMut(SocketAddr, &[u8])) -> bool {
    let mut said = false;
    for datagram in association.outgoing().iter() {
        send(to, datagram);
        said = true;
    }
    if said {
        association.outgoing().clear();
    }
    said
}

/// The origin of a peer's messages, and how long it is valid.
fn origin(
    names: &HostNames,
    local: Option<SocketAddr>,
    from: SocketAddr,
    settings: &Settings,
    values: &[(String, Vec<u8>)],
) -> (Arc<Origin>, Duration) {
    let peer = SocketAddr::new(from.ip().to_canonical(), from.port());
    let name = names.name(peer.ip(), &settings.options.hosts);
    let good_for = if name == peer.ip().to_string() { UNNAMED_GOOD_FOR } else { ORIGIN_GOOD_FOR };
    let mut origin = settings.origin(Transport::Udp, Some(peer), name);
    origin.local = local;
    if !settings.options.ignores_peer_values {
        origin.values = values.to_vec();
    }
    (Arc::new(origin), good_for)
}

#[cfg(test)]
mod tests;
