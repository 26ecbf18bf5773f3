//! Runs bytes through a source without its socket: its own way from frames to messages.
//!
//! In: whole messages, or a stream. Out: batches into the source's intake, as if they had been received.
//! Holds: the reader. Opens nothing, looks up no names. Limits: those of the source.

use crate::{
    batch_reader::BatchReader,
    options::ListenAddress,
    source::{Settings, SettingsCell, SourceDriver, SourceSpec},
};
use message::{Origin, Transport};
use std::{net::SocketAddr, sync::Arc};
use transport::{own_name, stats::Registry};

/// A source that is only tried.
pub struct Rehearsal {
    batch_reader: BatchReader,
    origin: Arc<Origin>,
}

impl Rehearsal {
    /// Creates a reader of a source. `peer` is the sender, for sources that have senders; its address is its name.
    pub fn new(spec: SourceSpec, peer: Option<SocketAddr>) -> Rehearsal {
        let SourceSpec { id, component, driver, options, intake } = spec;
        let transport = transport_of(&driver);
        let counters = Registry::default().register(&format!("src.{component}"), &id, "");
        let settings = Settings { id, component, driver, options, intake, counters };
        let host_from = match peer {
            Some(peer) => peer.ip().to_string(),
            None => own_name(&settings.options.hosts),
        };
        let origin = Arc::new(settings.origin(transport, peer, host_from));
        Rehearsal { batch_reader: BatchReader::new(&SettingsCell::new(settings)), origin }
    }

    /// Takes bytes as one complete message.
    pub fn message(&mut self, bytes: &[u8]) {
        self.batch_reader.add_datagram(bytes, 0..bytes.len(), None);
        self.batch_reader.forward(Arc::new(bytes.to_vec()), &self.origin, None);
    }

    /// Takes the bytes of a whole connection or file and splits them into messages as the source does.
    pub fn stream(&mut self, bytes: &[u8]) {
        let used = self.batch_reader.split(bytes);
        self.batch_reader.forward(Arc::new(bytes.to_vec()), &self.origin, None);
        let rest = &bytes[used.min(bytes.len())..];
        self.batch_reader.finish(rest);
        self.batch_reader.forward(Arc::new(rest.to_vec()), &self.origin, None);
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

#[cfg(test)]
mod tests;
