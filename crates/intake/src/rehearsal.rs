//! What a source makes of bytes that come from nowhere: its own way from frames to messages, without its socket.
//!
//! In: whole messages, or a stream. Out: batches into the source's intake, as if they had been received.
//! Holds: the reader. Opens nothing, looks up no names. Limits: those of the source.

use crate::{
    feed::{Feed, Settings, SettingsCell},
    options::{ListenAddress, SourceDriver, SourceSpec},
};
use message::{Origin, Transport};
use std::{net::SocketAddr, sync::Arc};
use transport::{own_name, stats::Registry};

/// A source that is only tried.
pub struct Rehearsal {
    feed: Feed,
    origin: Arc<Origin>,
}

impl Rehearsal {
    /// A reader of a source. `peer` is who sends, for sources that have senders; its address is its name.
    pub fn new(spec: SourceSpec, peer: Option<SocketAddr>) -> Rehearsal {
        let SourceSpec { id, component, driver, reading, intake } = spec;
        let transport = transport_of(&driver);
        let counters = Registry::default().register(&format!("src.{component}"), &id, "");
        let settings = Settings { id, component, driver, reading, intake, counters };
        let host_from = match peer {
            Some(peer) => peer.ip().to_string(),
            None => own_name(&settings.reading.hosts),
        };
        let origin = Arc::new(settings.origin(transport, peer, host_from));
        Rehearsal { feed: Feed::new(&SettingsCell::new(settings)), origin }
    }

    /// Takes bytes as one whole message.
    pub fn message(&mut self, bytes: &[u8]) {
        self.feed.add_datagram(bytes, 0..bytes.len(), false);
        self.feed.hand_on(Arc::new(bytes.to_vec()), &self.origin, None);
    }

    /// Takes the bytes of a whole connection or file: messages are told apart as the source does it.
    pub fn stream(&mut self, bytes: &[u8]) {
        let used = self.feed.split(bytes);
        self.feed.hand_on(Arc::new(bytes.to_vec()), &self.origin, None);
        let rest = &bytes[used.min(bytes.len())..];
        self.feed.finish(rest);
        self.feed.hand_on(Arc::new(rest.to_vec()), &self.origin, None);
    }
}

fn transport_of(driver: &SourceDriver) -> Transport {
    match driver {
        SourceDriver::Stream(listener) => match listener.address {
            ListenAddress::Unix(_) => Transport::UnixStream,
            ListenAddress::Ip(_) if listener.tls.is_some() => Transport::Tls,
            ListenAddress::Ip(_) => Transport::Tcp,
        },
        SourceDriver::Datagram(listener) => match listener.address {
            ListenAddress::Unix(_) => Transport::UnixDgram,
            ListenAddress::Ip(_) => Transport::Udp,
        },
        SourceDriver::System { .. } => Transport::UnixDgram,
        _ => Transport::Local,
    }
}
