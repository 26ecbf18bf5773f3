//! Sends notifications over the channels of the configuration.
//!
//! In: a notification. Out: what the receiver says to it. Holds: what a channel needs to send. Limits: those of the modules.
//!
//! | module | what it does |
//! |---|---|
//! | `address` | the address of a URL, checked |
//! | `delivery` | what became of an attempt |
//! | `secret` | values that are kept elsewhere |
//! | `signature` | the headers of Standard Webhooks |
//! | `http` | requests of HTTP: webhooks and chats |
//! | `chat` | the bodies of Slack, Teams, Telegram and Matrix |
//! | `pagerduty` | the events of PagerDuty |
//! | `mail` | mails |

mod address;
mod chat;
mod delivery;
mod http;
mod mail;
mod pagerduty;
mod secret;
mod signature;

pub(crate) use delivery::Delivery;

use crate::letter::Letter;
use std::{
    io,
    path::PathBuf,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};
use transport::tls::{SenderTls, TlsOptions};
use watch::{Channel, ChannelKind};

/// Sends over a channel.
pub(crate) struct Sender {
    channel: Arc<Channel>,
    server: String,
    authorities: Option<PathBuf>,
    runtime: tokio::runtime::Runtime,
    stop: Arc<AtomicBool>,
}

impl Sender {
    /// Prepares a channel. `authorities` is a file with the certificates that the machine trusts.
    pub(crate) fn new(
        channel: Arc<Channel>,
        server: &str,
        authorities: Option<PathBuf>,
    ) -> io::Result<Sender> {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        let stop = Arc::default();
        Ok(Sender { channel, server: server.to_owned(), authorities, runtime, stop })
    }

    /// Returns the id of the channel.
    pub(crate) fn channel(&self) -> Arc<str> {
        Arc::clone(&self.channel.id)
    }

    /// Returns what ends an attempt early.
    pub(crate) fn stop_flag(&self) -> Arc<AtomicBool> {
        Arc::clone(&self.stop)
    }

    /// Tries to send a notification. Waits for the receiver.
    pub(crate) fn send(&mut self, letter: &Letter, now_us: i64) -> Delivery {
        match &self.channel.kind {
            ChannelKind::Http(channel) => {
                let tls = tls(channel.ca_file.clone().or_else(|| self.authorities.clone()));
                let request = match http::request(channel, letter, now_us) {
                    Ok(request) => request,
                    Err(delivery) => return delivery,
                };
                let stop = &self.stop;
                self.runtime.block_on(async {
                    tokio::select! {
                        delivery = http::exchange(request, tls) => delivery,
                        () = stopped(stop) => Delivery::failed("the server stops"),
                    }
                })
            }
            ChannelKind::Mail(channel) => {
                let tls = tls(channel.ca_file.clone().or_else(|| self.authorities.clone()));
                mail::send(channel, letter, &self.server, tls, &|| !self.stop.load(Ordering::Acquire))
            }
        }
    }
}

/// Ends when somebody asks for it.
async fn stopped(stop: &AtomicBool) {
    while !stop.load(Ordering::Acquire) {
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
}

fn tls(ca_file: Option<PathBuf>) -> SenderTls {
    SenderTls::new(TlsOptions { ca_file, sni: true, ..TlsOptions::default() })
}
