//! Reads and writes over one connection.
//!
//! In: bytes of a broker, outcomes of batches, the time. Out: bytes to it, messages. Holds: bytes that are no whole packet yet,
//! and those that the broker has not taken.
//! Limits: the window stops reading, as does a broker that leaves [`UNREAD_BYTES_MAX`] unread. At the stop, messages in flight
//! have [`SETTLES_WITHIN`] to be acknowledged.

use super::{Broken, Forwarder, Protocol, TroubleReport, WindowState};
use std::{future::pending, io, time::Duration};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt, ReadHalf, WriteHalf},
    sync::watch,
    time::{Instant, sleep_until, timeout_at},
};
use transport::endpoint::{Wire, push};

/// Bytes that are read at a time: a batch.
const READ_BYTES: usize = 64 << 10;
/// Bytes that a broker may leave unread before nothing more is read from it.
const UNREAD_BYTES_MAX: usize = 1 << 20;
/// Time for messages in flight to become safe at the stop, so that they do not come again.
const SETTLES_WITHIN: Duration = Duration::from_millis(700);

/// An open connection.
pub(super) struct Exchange {
    reading: ReadHalf<Box<dyn Wire>>,
    writing: WriteHalf<Box<dyn Wire>>,
    received: Vec<u8>,
    out: Outgoing,
}

/// Bytes for the broker.
#[derive(Default)]
struct Outgoing {
    bytes: Vec<u8>,
    sent: usize,
    /// True while the buffers of TLS hold something.
    is_unflushed: bool,
}

impl Outgoing {
    fn is_empty(&self) -> bool {
        self.sent == self.bytes.len() && !self.is_unflushed
    }

    /// Writes some of the bytes; without any, waits for ever.
    async fn write(&mut self, writing: &mut WriteHalf<Box<dyn Wire>>) -> io::Result<()> {
        if self.is_empty() {
            return pending().await;
        }
        let count = push(writing, &self.bytes[self.sent..]).await?;
        self.is_unflushed = count > 0;
        self.sent += count;
        if self.sent == self.bytes.len() {
            self.bytes.clear();
            self.sent = 0;
        }
        Ok(())
    }
}

impl Exchange {
    pub(super) fn new(stream: Box<dyn Wire>) -> Exchange {
        let (reading, writing) = tokio::io::split(stream);
        Exchange { reading, writing, received: Vec::new(), out: Outgoing::default() }
    }

    /// Reads until the connection breaks; returns `Ok` when it was stopped.
    pub(super) async fn run<P: Protocol>(
        &mut self,
        protocol: &mut P,
        feed: &mut Forwarder,
        trouble: &mut TroubleReport,
        stop: &mut watch::Receiver<bool>,
    ) -> Result<(), Broken> {
        protocol.begin(&mut self.out.bytes);
        loop {
            if feed.refresh() {
                trouble.show_again(feed.reader.settings());
            }
            if protocol.is_ready() {
                trouble.show(feed.reader.settings(), None);
            }
            let window = feed.reader.window.clone();
            let room = if window.has_room() { WindowState::Free } else { WindowState::Full };
            let wake = protocol.turn(room, &mut self.out.bytes)?;
            let wake = wake.map(Instant::from_std);
            let may_read = self.out.bytes.len() < UNREAD_BYTES_MAX
                && (room == WindowState::Free || window.bytes() < protocol.read_ahead_bytes());
            self.received.reserve(READ_BYTES);
            tokio::select! {
                biased;
                _ = stop.wait_for(|stop| *stop) => return Ok(()),
                written = self.out.write(&mut self.writing) => written.map_err(lost)?,
                () = protocol.deliveries().changed() => {}
                () = window.wait_for_room(), if room == WindowState::Full => {}
                read = self.reading.read_buf(&mut self.received), if may_read => {
                    if read.map_err(lost)? == 0 {
                        return Err(Broken::Lost("the broker closed the connection".to_owned()));
                    }
                    protocol.take(&mut self.received, feed, &mut self.out.bytes)?;
                }
                () = sleep_until(wake.unwrap_or_else(Instant::now)), if wake.is_some() => {}
            }
        }
    }

    /// Waits for acknowledgements at the end, and passes them on.
    pub(super) async fn settle<P: Protocol>(&mut self, protocol: &mut P) -> Result<(), Broken> {
        let deadline = Instant::now() + SETTLES_WITHIN;
        let mut has_ended = false;
        loop {
            protocol.turn(WindowState::Full, &mut self.out.bytes)?;
            if protocol.deliveries().is_settled() && !has_ended {
                protocol.end(&mut self.out.bytes);
                has_ended = true;
            }
            if has_ended && self.out.is_empty() {
                break;
            }
            tokio::select! {
                written = self.out.write(&mut self.writing) => written.map_err(lost)?,
                () = protocol.deliveries().changed(), if !has_ended => {}
                () = sleep_until(deadline) => return Ok(()),
            }
        }
        self.drain(deadline).await
    }

    /// Reads until the broker closes the connection: one that is closed with bytes unread takes back what was said last.
    async fn drain(&mut self, deadline: Instant) -> Result<(), Broken> {
        let drain = async {
            self.writing.shutdown().await?;
            loop {
                self.received.clear();
                self.received.reserve(READ_BYTES);
                if self.reading.read_buf(&mut self.received).await? == 0 {
                    return io::Result::Ok(());
                }
            }
        };
        match timeout_at(deadline, drain).await {
            Ok(drained) => drained.map_err(lost),
            Err(_) => Ok(()),
        }
    }
}

fn lost(error: io::Error) -> Broken {
    Broken::Lost(error.to_string())
}
