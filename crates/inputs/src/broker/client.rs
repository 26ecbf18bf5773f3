//! Keeps a connection to a broker open, and tries again.
//!
//! In: a protocol. Out: batches. Holds: one connection at a time. Limits: `time-reopen()` between two tries; shorter pauses
//! come first when the broker was only away.

use super::{Broken, Forwarder, Protocol, TroubleReport, exchange::Exchange};
use intake::{BatchReader, InputTask, SettingsCell};
use message::{Origin, Transport};
use std::{
    sync::Arc,
    time::{Duration, Instant},
};
use tokio::time::timeout;
use transport::own_name;

/// First pause after a connection broke; each further one is twice as long.
const PAUSE_MIN: Duration = Duration::from_millis(250);
/// A connection that lasted so long has ended a row of failures.
const STEADY_AFTER: Duration = Duration::from_secs(10);
/// Longest pause before messages that a destination gave up are read again.
const AGAIN_AFTER: Duration = Duration::from_secs(5);

/// A source beside its protocol: its sentences and pauses.
pub(crate) struct Broker {
    /// Name of the transport of its messages.
    pub(crate) transport: &'static str,
    /// `time-reopen()`
    pub(crate) reopen_after: Duration,
    /// The sentence when it fails.
    pub(crate) fails: &'static str,
    /// The sentence when it works again.
    pub(crate) works: &'static str,
}

impl Forwarder {
    fn new(cell: &Arc<SettingsCell>, transport: &'static str) -> Forwarder {
        let reader = BatchReader::new(cell);
        let mut feed = Forwarder { origin: Arc::default(), transport, reader };
        feed.name();
        feed
    }

    /// Takes new settings over after a reload. Returns whether there were any.
    pub(super) fn refresh(&mut self) -> bool {
        let is_changed = self.reader.refresh();
        if is_changed {
            self.name();
        }
        is_changed
    }

    fn name(&mut self) {
        let settings = self.reader.settings();
        let mut origin: Origin = settings.origin(Transport::Local, None, own_name(&settings.options.hosts));
        origin.transport_name = self.transport.to_owned();
        self.origin = Arc::new(origin);
    }
}

/// Reads until it is stopped.
pub(crate) async fn read_broker<P: Protocol>(mut protocol: P, broker: Broker, task: InputTask) {
    let InputTask { cell, log, mut stop, .. } = task;
    let mut feed = Forwarder::new(&cell, broker.transport);
    let mut trouble = TroubleReport::new(feed.reader.settings(), log.clone(), broker.fails, broker.works);
    // Also with time-reopen(0) a broker that refuses us is not tried as fast as it answers.
    let reopen_after = broker.reopen_after.max(PAUSE_MIN);
    let mut pause = PAUSE_MIN;
    loop {
        if feed.refresh() {
            trouble.show_again(feed.reader.settings());
        }
        let opened = tokio::select! {
            biased;
            _ = stop.wait_for(|stop| *stop) => return,
            opened = protocol.open(&feed) => opened,
        };
        let begin = Instant::now();
        let broken = match opened {
            Err(broken) => broken,
            Ok(stream) => {
                let mut exchange = Exchange::new(stream);
                match exchange.run(&mut protocol, &mut feed, &mut trouble, &mut stop).await {
                    Ok(()) => {
                        if exchange.settle(&mut protocol).await.is_err()
                            || !protocol.deliveries().is_settled()
                        {
                            let id = &feed.reader.settings().id;
                            log.notice(&format!(
                                "Some messages are not acknowledged, they come again; id='{id}'"
                            ));
                        }
                        return;
                    }
                    Err(broken) => broken,
                }
            }
        };
        let settings = feed.reader.settings();
        if begin.elapsed() >= STEADY_AFTER {
            pause = PAUSE_MIN;
        }
        let wait = match broken {
            Broken::Lost(why) => {
                trouble.show(settings, Some(why));
                let wait = pause;
                pause = (pause * 2).min(reopen_after);
                wait
            }
            Broken::Refused(why) => {
                trouble.show(settings, Some(why));
                reopen_after
            }
            Broken::GaveUp => {
                let id = &settings.id;
                log.warning(&format!("A destination gave up messages, they are read again; id='{id}'"));
                AGAIN_AFTER.min(reopen_after)
            }
        };
        if timeout(wait, stop.wait_for(|stop| *stop)).await.is_ok() {
            return;
        }
    }
}
