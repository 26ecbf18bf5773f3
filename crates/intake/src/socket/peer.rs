//! Data about a sender: its address and name, or its process.
//!
//! In: addresses and credentials. Out: origins, made once per peer. Holds: a cache for datagrams.
//! Limits: [`PEERS_MAX`] senders; then the cache is emptied.

use crate::source::Settings;
use message::{Origin, Transport};
use std::{
    collections::HashMap,
    fs,
    net::{IpAddr, SocketAddr},
    path::Path,
    sync::Arc,
    time::{Duration, Instant},
};
use transport::{
    HostNames, own_name,
    tls::{Fingerprint, Identity},
};

/// Senders that are remembered; also bounds the origins of one batch.
const PEERS_MAX: usize = 4_096;
/// How long an origin is valid: the peer's name may come later or change.
const GOOD_FOR: Duration = Duration::from_secs(10);
/// The same while the name is missing: it is looked up more often.
const UNNAMED_GOOD_FOR: Duration = Duration::from_millis(500);
/// Longest command line of a local sender that is stored.
const CMDLINE_BYTES_MAX: usize = 4_096;

/// Process, user and group of a local sender.
pub(super) type Credentials = (i32, u32, u32);

/// The sender of a datagram.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Sender {
    Ip(SocketAddr),
    Local(Option<Credentials>),
}

/// The senders of one datagram socket.
pub(super) struct Peers {
    names: HostNames,
    transport: Transport,
    local: Option<SocketAddr>,
    file_name: String,
    known: HashMap<Sender, (Arc<Origin>, Instant)>,
    last: Option<(Sender, Arc<Origin>)>,
}

impl Peers {
    pub(super) fn new(
        names: HostNames,
        transport: Transport,
        local: Option<SocketAddr>,
        file_name: String,
    ) -> Peers {
        Peers { names, transport, local, file_name, known: HashMap::new(), last: None }
    }

    /// Drops origins that were made with other settings.
    pub(super) fn forget(&mut self) {
        self.known.clear();
        self.last = None;
    }

    /// Forgets origins that are too old; the next datagram makes them again. Call once per batch.
    pub(super) fn age(&mut self, now: Instant) {
        self.last = None;
        if self.known.len() >= PEERS_MAX {
            self.known.clear();
        }
        self.known.retain(|_, (_, until)| *until > now);
    }

    /// Returns whether a batch should end because it has too many senders.
    pub(super) fn is_full(&self) -> bool {
        self.known.len() >= PEERS_MAX
    }

    /// The origin of a sender.
    pub(super) fn origin(&mut self, sender: Sender, settings: &Settings, now: Instant) -> Arc<Origin> {
        if let Some((last, origin)) = &self.last
            && *last == sender
        {
            return origin.clone();
        }
        let origin = match self.known.get(&sender) {
            Some((origin, _)) => origin.clone(),
            None => {
                let (origin, good_for) = self.make(sender, settings);
                let origin = Arc::new(origin);
                self.known.insert(sender, (origin.clone(), now + good_for));
                origin
            }
        };
        self.last = Some((sender, origin.clone()));
        origin
    }

    fn make(&self, sender: Sender, settings: &Settings) -> (Origin, Duration) {
        let (mut origin, good_for) = match sender {
            Sender::Ip(peer) => {
                let peer = SocketAddr::new(peer.ip().to_canonical(), peer.port());
                let name = self.names.name(peer.ip(), &settings.options.hosts);
                let unnamed = name == peer.ip().to_string();
                let good_for = if unnamed { UNNAMED_GOOD_FOR } else { GOOD_FOR };
                (settings.origin(self.transport, Some(peer), name), good_for)
            }
            Sender::Local(credentials) => {
                let mut origin = settings.origin(self.transport, None, own_name(&settings.options.hosts));
                let wanted = credentials.filter(|_| !settings.options.ignores_peer_values);
                origin.values = wanted.map(process_values).unwrap_or_default();
                (origin, GOOD_FOR)
            }
        };
        origin.local = self.local;
        origin.file_name.clone_from(&self.file_name);
        (origin, good_for)
    }
}

/// `.unix.*` of a local sender.
pub(super) fn process_values((pid, uid, gid): Credentials) -> Vec<(String, Vec<u8>)> {
    let mut values = vec![
        (".unix.pid".to_owned(), pid.to_string().into_bytes()),
        (".unix.uid".to_owned(), uid.to_string().into_bytes()),
        (".unix.gid".to_owned(), gid.to_string().into_bytes()),
    ];
    let process = Path::new("/proc").join(pid.to_string());
    if let Ok(mut cmdline) = fs::read(process.join("cmdline")) {
        cmdline.truncate(CMDLINE_BYTES_MAX);
        while cmdline.last() == Some(&0) {
            cmdline.pop();
        }
        cmdline.iter_mut().filter(|byte| **byte == 0).for_each(|byte| *byte = b' ');
        values.push((".unix.cmdline".to_owned(), cmdline));
    }
    if let Ok(exe) = fs::read_link(process.join("exe")) {
        values.push((".unix.exe".to_owned(), exe.into_os_string().into_encoded_bytes()));
    }
    values
}

/// `.tls.*` of a peer that showed a certificate.
pub(super) fn peer_values((identity, fingerprint): (Identity, Fingerprint)) -> Vec<(String, Vec<u8>)> {
    let mut values = vec![(".tls.x509_fp".to_owned(), fingerprint.to_string().into_bytes())];
    for (name, part) in [(".tls.x509_cn", "CN"), (".tls.x509_o", "O"), (".tls.x509_ou", "OU")] {
        if let Some(value) = identity.part(part) {
            values.push((name.to_owned(), value.as_bytes().to_vec()));
        }
    }
    values
}

/// The address as people write it: IPv4 within IPv6 is IPv4.
pub(super) fn canonical(address: SocketAddr) -> SocketAddr {
    let ip: IpAddr = address.ip().to_canonical();
    SocketAddr::new(ip, address.port())
}

#[cfg(test)]
mod tests;
