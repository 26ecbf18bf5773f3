//! The peers of one DTLS socket: who may begin, whose a datagram is, who has gone.
//!
//! In: datagrams with their senders, time. Out: [`Events`]. Holds: an association a peer, and a second one while a peer
//! that began anew still shakes hands.
//! Limits: nothing is held of an address that has not shown our cookie; [`SHAKING_MAX`] handshakes, of which the oldest
//! gives way, each within [`SHAKE_WITHIN`]; `max-connections()` associations over all sockets of the listener;
//! `idle-timeout()` ends silent ones.

use super::super::{
    super::feed::{Live, Names},
    super::options::{DatagramListener, SourceDriver},
    peer::peer_values,
};
use crate::{
    InternalLog,
    dtls::{Association, Cookies, Taken},
    stats::{self, Counters},
};
use message::{Origin, Transport};
use std::{
    collections::HashMap,
    net::SocketAddr,
    sync::{Arc, atomic::Ordering},
    time::{Duration, Instant},
};
use wire::dtls::{self, Record, Start, content};

/// Most handshakes at a time, a socket: what OpenSSL may be made to keep for one bounds what all of them can.
const SHAKING_MAX: usize = 256;
/// Longest time of a handshake.
const SHAKE_WITHIN: Duration = Duration::from_secs(20);
/// Largest datagram of our part of a handshake: it passes every path that matters.
const HANDSHAKE_MTU: usize = 1_200;
/// How long an origin is good: the peer's name may come later or change.
const ORIGIN_GOOD_FOR: Duration = Duration::from_secs(10);
/// While the name is missing it is looked for more often.
const UNNAMED_GOOD_FOR: Duration = Duration::from_millis(500);
/// What strangers cause is said in our log at most this often, and answered at most so many times in that time.
const SAID_EVERY: Duration = Duration::from_secs(1);
const HINTS_MAX: usize = 100;

/// What comes of a datagram.
pub(super) trait Events {
    /// The text of one record.
    fn text(&mut self, record: &[u8], origin: &Arc<Origin>);
    /// A datagram that is to be sent.
    fn answer(&mut self, to: SocketAddr, datagram: &[u8]);
    /// A datagram held nothing that could be used.
    fn odd(&mut self);
}

/// The peers.
pub(super) struct Peers {
    names: Names,
    log: InternalLog,
    cookies: Cookies,
    local: Option<SocketAddr>,
    open: HashMap<SocketAddr, Open>,
    shaking: HashMap<SocketAddr, Shaking>,
    answer: Vec<u8>,
    silent_until: Instant,
    hints: usize,
}

/// A peer that may send.
struct Open {
    association: Association,
    /// Random number of its hello: one that comes again late begins nothing.
    random: [u8; 32],
    values: Vec<(String, Vec<u8>)>,
    origin: Option<(Arc<Origin>, Instant)>,
    heard: Instant,
}

/// A peer that shakes hands.
struct Shaking {
    association: Association,
    random: [u8; 32],
    since: Instant,
}

impl Peers {
    pub(super) fn new(names: Names, log: InternalLog, cookies: Cookies, local: Option<SocketAddr>) -> Peers {
        Peers {
            names,
            log,
            cookies,
            local,
            open: HashMap::new(),
            shaking: HashMap::new(),
            answer: Vec::new(),
            silent_until: Instant::now(),
            hints: 0,
        }
    }

    pub(super) fn is_shaking(&self) -> bool {
        !self.shaking.is_empty()
    }

    /// Forgets what was made with other settings; with `keep-alive(no)` that is all.
    pub(super) fn reload(&mut self, live: &Live, send: impl FnMut(SocketAddr, &[u8])) {
        self.open.values_mut().for_each(|open| open.origin = None);
        if listener(live).is_some_and(|options| !options.keep_over_reload) {
            self.close(&live.counters, send);
        }
    }

    /// Takes a datagram.
    pub(super) fn take(
        &mut self,
        from: SocketAddr,
        datagram: &[u8],
        now: Instant,
        live: &Live,
        events: &mut dyn Events,
    ) {
        match dtls::start(datagram) {
            Start::Record(record) if self.is_for_open(from, record) => {
                self.take_open(from, datagram, now, live, events);
            }
            Start::Record(_) if self.shaking.contains_key(&from) => {
                self.take_shaking(from, datagram, now, live, events);
            }
            Start::Record(record) => self.take_of_nobody(from, record, events),
            Start::Hello(hello) => self.greet(from, datagram, hello, now, live, events),
            Start::Odd => events.odd(),
        }
    }

    /// Whose a record is when a peer that is open begins anew: a handshake has no keys, or only handshake under them.
    fn is_for_open(&self, from: SocketAddr, record: Record) -> bool {
        let begins_anew = self.shaking.contains_key(&from);
        let is_text = record.epoch > 0 && record.content == content::APPLICATION_DATA;
        self.open.contains_key(&from) && (is_text || !begins_anew)
    }

    fn take_open(
        &mut self,
        from: SocketAddr,
        datagram: &[u8],
        now: Instant,
        live: &Live,
        events: &mut dyn Events,
    ) {
        let Some(open) = self.open.get_mut(&from) else { return };
        let origin = match &open.origin {
            Some((origin, until)) if *until > now => origin.clone(),
            _ => {
                let (origin, good_for) = origin(&self.names, self.local, from, live, &open.values);
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
            Ok(Taken::Open | Taken::Shaking) if records == 0 && !said => events.odd(),
            Ok(Taken::Open | Taken::Shaking) => {}
            Ok(Taken::Over) => self.part(from, live, "Syslog connection closed", events),
            Err(error) => {
                stats::add(&live.counters.errors, 1);
                self.part(from, live, &format!("Syslog connection broken; error='DTLS: {error}'"), events);
            }
        }
    }

    /// Answers a goodbye, and forgets the peer.
    fn part(&mut self, from: SocketAddr, live: &Live, how: &str, events: &mut dyn Events) {
        let Some(mut open) = self.open.remove(&from) else { return };
        stats::take(&live.counters.connections, 1);
        open.association.say_goodbye();
        send_all(&mut open.association, from, &mut |to, datagram| events.answer(to, datagram));
        self.log.notice(&format!("{how}; client='AF_INET({from})', local='{}'", live.counters.instance));
    }

    fn take_shaking(
        &mut self,
        from: SocketAddr,
        datagram: &[u8],
        now: Instant,
        live: &Live,
        events: &mut dyn Events,
    ) {
        let Some(shaking) = self.shaking.get_mut(&from) else { return };
        // Text may stand behind the end of a handshake, in the same datagram.
        let mut texts: Vec<Vec<u8>> = Vec::new();
        let taken = shaking.association.take(datagram, |record| texts.push(record.to_vec()));
        send_all(&mut shaking.association, from, &mut |to, datagram| events.answer(to, datagram));
        match taken {
            Ok(Taken::Shaking) => {}
            Ok(Taken::Open) => {
                self.welcome(from, now, live);
                for text in texts {
                    let Some(open) = self.open.get(&from) else { return };
                    let (origin, _) = origin(&self.names, self.local, from, live, &open.values);
                    events.text(&text, &origin);
                }
            }
            Ok(Taken::Over) => drop(self.shaking.remove(&from)),
            Err(error) => self.refuse(from, live, &error, now),
        }
    }

    /// The end of a handshake: from now on the peer may send. An association that it had before is over.
    fn welcome(&mut self, from: SocketAddr, now: Instant, live: &Live) {
        let Some(Shaking { association, random, .. }) = self.shaking.remove(&from) else { return };
        let values = association.peer().map(peer_values).unwrap_or_default();
        let open = Open { association, random, values, origin: None, heard: now };
        let how = match self.open.insert(from, open) {
            Some(_) => "Syslog connection begun anew",
            None => {
                stats::add(&live.counters.connections, 1);
                "Syslog connection accepted"
            }
        };
        self.log.notice(&format!("{how}; client='AF_INET({from})', local='{}'", live.counters.instance));
    }

    fn refuse(&mut self, from: SocketAddr, live: &Live, error: &str, now: Instant) {
        self.shaking.remove(&from);
        stats::add(&live.counters.errors, 1);
        self.say(now, || {
            let local = &live.counters.instance;
            format!(
                "Syslog connection broken; error='DTLS: {error}', client='AF_INET({from})', local='{local}'"
            )
        });
    }

    /// Says what strangers can cause at will, but not at their pace.
    fn say(&mut self, now: Instant, text: impl FnOnce() -> String) {
        if now >= self.silent_until {
            self.silent_until = now + SAID_EVERY;
            self.log.notice(&text());
        }
    }

    /// A record of an association that we do not have, perhaps not any more: the peer may take a hint and begin anew.
    fn take_of_nobody(&mut self, from: SocketAddr, record: Record, events: &mut dyn Events) {
        events.odd();
        if record.epoch > 0 && record.content == content::APPLICATION_DATA && self.hints < HINTS_MAX {
            self.hints += 1;
            self.answer.clear();
            dtls::append_hint(&mut self.answer);
            events.answer(from, &self.answer);
        }
    }

    /// A hello: without a good cookie it is answered and forgotten.
    fn greet(
        &mut self,
        from: SocketAddr,
        datagram: &[u8],
        hello: dtls::Hello<'_>,
        now: Instant,
        live: &Live,
        events: &mut dyn Events,
    ) {
        if self
            .shaking
            .get(&from)
            .is_some_and(|shaking| shaking.random == hello.random && !hello.cookie.is_empty())
        {
            return self.take_shaking(from, datagram, now, live, events);
        }
        if !self.cookies.fits(hello.cookie, from, &hello.random, now) {
            self.answer.clear();
            let cookie = self.cookies.cookie(from, &hello.random, now);
            dtls::append_verify_request(hello.sequence, &cookie, &mut self.answer);
            return events.answer(from, &self.answer);
        }
        if self.open.get(&from).is_some_and(|open| open.random == hello.random) {
            // It was said before the handshake was over, and came late.
            return events.odd();
        }
        let Some(options) = listener(live) else { return };
        let count = live.counters.connections.load(Ordering::Relaxed);
        if count >= options.connections_max as u64 && !self.open.contains_key(&from) {
            stats::add(&live.counters.connections_refused, 1);
            let (max, group) = (options.connections_max, &live.reading.source);
            return self.say(now, || {
                format!("Number of allowed concurrent connections reached, rejecting connection; client='AF_INET({from})', local='{}', group_name='{group}', max='{max}'", live.counters.instance)
            });
        }
        self.begin(from, datagram, &hello.random, now, live, events);
    }

    fn begin(
        &mut self,
        from: SocketAddr,
        hello: &[u8],
        random: &[u8; 32],
        now: Instant,
        live: &Live,
        events: &mut dyn Events,
    ) {
        let Some(tls) = listener(live).and_then(|options| options.dtls.as_ref()) else { return };
        let accepted = match tls.settings() {
            Ok(settings) => settings.accept(hello, HANDSHAKE_MTU),
            Err(error) => Err(error.to_string()),
        };
        match accepted {
            Ok(mut association) => {
                send_all(&mut association, from, &mut |to, datagram| events.answer(to, datagram));
                self.make_room(&live.counters);
                self.shaking.insert(from, Shaking { association, random: *random, since: now });
            }
            Err(error) => self.refuse(from, live, &error, now),
        }
    }

    /// Lets the oldest handshake go when there are too many: whoever is honest is done within a moment.
    fn make_room(&mut self, counters: &Counters) {
        if self.shaking.len() < SHAKING_MAX {
            return;
        }
        let oldest = self.shaking.iter().min_by_key(|(_, shaking)| shaking.since).map(|(from, _)| *from);
        oldest.and_then(|from| self.shaking.remove(&from));
        stats::add(&counters.connections_refused, 1);
    }

    /// Says again what was not answered, and gives up what takes too long.
    pub(super) fn tick(&mut self, now: Instant, live: &Live, send: &mut dyn FnMut(SocketAddr, &[u8])) {
        self.hints = 0;
        let mut slow = Vec::new();
        for (from, shaking) in &mut self.shaking {
            let expired = shaking.association.expire();
            send_all(&mut shaking.association, *from, send);
            if let Err(error) = expired {
                slow.push((*from, error));
            } else if now.duration_since(shaking.since) > SHAKE_WITHIN {
                slow.push((*from, "the peer did not finish the handshake in time".to_owned()));
            }
        }
        slow.into_iter().for_each(|(from, error)| self.refuse(from, live, &error, now));
    }

    /// Says goodbye to peers that have not sent for `idle-timeout()`.
    pub(super) fn part_with_silent(
        &mut self,
        now: Instant,
        live: &Live,
        send: &mut dyn FnMut(SocketAddr, &[u8]),
    ) {
        let Some(idle) = listener(live).and_then(|options| options.idle_timeout) else { return };
        let is_silent = |open: &Open| now.duration_since(open.heard) >= idle;
        let silent: Vec<SocketAddr> =
            self.open.iter().filter(|(_, open)| is_silent(open)).map(|(from, _)| *from).collect();
        for from in silent {
            let Some(mut open) = self.open.remove(&from) else { continue };
            stats::take(&live.counters.connections, 1);
            open.association.say_goodbye();
            send_all(&mut open.association, from, send);
            self.log.notice(&format!(
                "Syslog connection closed, it was idle; client='AF_INET({from})', local='{}'",
                live.counters.instance
            ));
        }
    }

    /// Says goodbye to all, so that they know that they must begin anew.
    pub(super) fn close(&mut self, counters: &Counters, mut send: impl FnMut(SocketAddr, &[u8])) {
        for (from, mut open) in self.open.drain() {
            stats::take(&counters.connections, 1);
            open.association.say_goodbye();
            send_all(&mut open.association, from, &mut send);
        }
    }
}

fn listener(live: &Live) -> Option<&DatagramListener> {
    match &live.driver {
        SourceDriver::Datagram(options) => Some(options),
        _ => None,
    }
}

/// Sends what an association has to say. Says whether that was anything.
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

/// The origin of a peer's messages, and how long it is good.
fn origin(
    names: &Names,
    local: Option<SocketAddr>,
    from: SocketAddr,
    live: &Live,
    values: &[(String, Vec<u8>)],
) -> (Arc<Origin>, Duration) {
    let peer = SocketAddr::new(from.ip().to_canonical(), from.port());
    let name = names.name(peer.ip(), &live.reading.hosts);
    let good_for = if name == peer.ip().to_string() { UNNAMED_GOOD_FOR } else { ORIGIN_GOOD_FOR };
    let mut origin = live.origin(Transport::Udp, Some(peer), name);
    origin.local = local;
    if !live.reading.ignores_peer_values {
        origin.values = values.to_vec();
    }
    (Arc::new(origin), good_for)
}
