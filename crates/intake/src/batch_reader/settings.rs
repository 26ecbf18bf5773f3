//! The settings of a running source, which a reload replaces while connections stay open.
//!
//! In: settings. Out: the current ones, shared. Holds: them. Limits: none; readers look once per batch.

use super::window::InFlight;
use crate::options::{SourceDriver, SourceOptions, Window};
use message::{Intake, Origin, Transport};
use std::{
    net::SocketAddr,
    sync::{Arc, PoisonError, RwLock},
};
use transport::stats::Counters;

/// The settings of a source and where its batches go.
pub(crate) struct Settings {
    pub(crate) id: String,
    pub(crate) component: String,
    pub(crate) driver: SourceDriver,
    pub(crate) options: Arc<SourceOptions>,
    pub(crate) intake: Arc<dyn Intake>,
    pub(crate) counters: Arc<Counters>,
}

/// The current settings, shared by all readers of a source.
pub(crate) struct SettingsCell {
    settings: RwLock<Arc<Settings>>,
    in_flight: InFlight,
}

impl SettingsCell {
    pub(crate) fn new(settings: Settings) -> Arc<SettingsCell> {
        Arc::new(SettingsCell { settings: RwLock::new(Arc::new(settings)), in_flight: InFlight::default() })
    }

    pub(crate) fn settings(&self) -> Arc<Settings> {
        self.settings.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// The bytes that the readers of the source have in flight together; `None` where they cannot be held back.
    pub(super) fn in_flight(&self) -> Option<InFlight> {
        let is_held = !matches!(self.settings().driver, SourceDriver::Datagram(_));
        is_held.then(|| self.in_flight.clone())
    }

    pub(crate) fn replace(&self, settings: Settings) {
        *self.settings.write().unwrap_or_else(PoisonError::into_inner) = Arc::new(settings);
    }
}

/// Datagrams cannot be held back, only lost: their window is this many times that of a connection, enough for a
/// quarter of a second of a flood.
const DATAGRAM_WINDOWS: usize = 16;

impl Settings {
    /// The window of one reader.
    pub(crate) fn window(&self) -> Window {
        let window = self.options.window;
        let factor = if matches!(self.driver, SourceDriver::Datagram(_)) { DATAGRAM_WINDOWS } else { 1 };
        Window {
            messages: window.messages.saturating_mul(factor),
            bytes: window.bytes.saturating_mul(factor),
        }
    }

    /// The origin of messages from this source.
    pub(crate) fn origin(&self, transport: Transport, peer: Option<SocketAddr>, host_from: String) -> Origin {
        let mut tags = self.options.tags.clone();
        tags.push(format!(".source.{}", message::source_name(&self.options.source)));
        Origin {
            source: self.options.source.clone(),
            transport,
            peer,
            host_from,
            tags,
            transport_name: self.transport_name(transport),
            ..Origin::default()
        }
    }

    /// The text of `${TRANSPORT}`.
    fn transport_name(&self, transport: Transport) -> String {
        if self.component == "gelf" {
            return format!("gelf+{}", if transport == Transport::Udp { "udp" } else { "tcp" });
        }
        if self.component == "relp" {
            return if transport == Transport::Tls { "relp+tls" } else { "relp+tcp" }.to_owned();
        }
        let syslog = self.component == "syslog";
        if matches!(&self.driver, SourceDriver::Datagram(options) if options.dtls.is_some()) {
            return if syslog { "rfc6012" } else { "rfc3164+dtls" }.to_owned();
        }
        match transport {
            Transport::Udp if syslog => "rfc5426".to_owned(),
            Transport::Tcp if syslog => "rfc6587".to_owned(),
            Transport::Tls if syslog => "rfc5425".to_owned(),
            Transport::Udp => "rfc3164+udp".to_owned(),
            Transport::Tcp => "rfc3164+tcp".to_owned(),
            Transport::Tls => "rfc3164+tls".to_owned(),
            Transport::UnixDgram => "local+unix-dgram".to_owned(),
            Transport::UnixStream => "local+unix-stream".to_owned(),
            Transport::Local => format!("local+{}", self.component),
        }
    }
}

#[cfg(test)]
mod tests;
