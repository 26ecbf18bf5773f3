//! Sessions of Beats: the events of a window are acknowledged when they are safe.
//!
//! In: frames of one connection. Out: batches, and an acknowledgement for each window, in order. While its events are not safe the
//! peer hears every [`WORKS_EVERY`] that they are worked on. Holds: the part of an event that has no end yet, acknowledgements that
//! wait for tokens or for the peer to read them.
//! Limits: the window stops reading, also within a compressed frame. Anything else than the protocol ends the session, as does
//! a message that a destination gave up: the sender sends again what was not acknowledged.

use super::replies::{Group, Replies, ReplyOnOutcome, gave_up};
use crate::{
    batch_reader::{BatchReader, READ_BYTES},
    options::BeatsOptions,
    session::{End, Stream},
    source::Settings,
};
use message::Origin;
use std::{io, sync::Arc, time::Duration};
use tokio::{
    sync::watch,
    time::{Instant, sleep_until, timeout},
};
use transport::stats;
use wire::{LumberjackBatch, LumberjackReader, ShippedReader, append_lumberjack_ack};

/// Bytes that are read at a time.
const PIECE_BYTES: usize = 64 << 10;
/// How often a peer that waits hears of us. Its patience is 30 seconds unless it is set.
const WORKS_EVERY: Duration = Duration::from_secs(5);
/// Time for messages in flight to become safe at the stop, so that they need not be sent again.
const SETTLE_WITHIN: Duration = Duration::from_millis(500);

/// One session.
struct Session {
    reader: LumberjackReader,
    events: ShippedReader,
    /// Events that were not forwarded.
    open: LumberjackBatch,
    /// Bytes that were received, and how many of them were read.
    received: Vec<u8>,
    read: usize,
    replies: Arc<Replies>,
    /// Acknowledgements to be sent to the peer.
    out: Vec<u8>,
    /// When the peer last heard of us, or began to wait.
    spoken: Instant,
}

/// Event that a session waits for.
enum Event {
    /// The peer sent something, or left.
    Bytes,
    /// The window has room for what was received.
    Room,
    /// Acknowledgements are due, or the peer takes more of them.
    Replies,
    /// The peer waits for long.
    Waits,
    /// Nothing was received for `idle-timeout()`.
    Idle,
    Stop,
    Failed(io::Error),
}

/// Serves a connection to its end. `origin` makes the origin from the present settings.
pub(crate) async fn run(
    stream: &mut Stream,
    batch_reader: &mut BatchReader,
    options: &BeatsOptions,
    origin: impl Fn(&Settings) -> Origin,
    (stop, idle): (&mut watch::Receiver<bool>, Option<Duration>),
) -> End {
    let mut session = Session::new(batch_reader.settings(), options);
    let mut from = Arc::new(origin(batch_reader.settings()));
    loop {
        if let Err(error) = session.answer(stream) {
            return End::Failed(error);
        }
        match session.event(stream, batch_reader, stop, idle).await {
            Event::Replies => continue,
            Event::Waits => {
                session.say_work();
                continue;
            }
            Event::Stop => return session.settle(stream).await,
            Event::Idle => return End::Idle,
            Event::Failed(error) => return End::Failed(error),
            Event::Bytes | Event::Room => {}
        }
        if batch_reader.refresh() {
            from = Arc::new(origin(batch_reader.settings()));
            session.events = reader(batch_reader.settings(), options);
        }
        match session.take(stream, batch_reader, &from) {
            Ok(Progress::Closed) => return End::Closed,
            Ok(Progress::Some) => {}
            Err(error) => {
                if error.kind() == io::ErrorKind::InvalidData {
                    stats::add(&batch_reader.settings().counters.frame_errors, 1);
                }
                return End::Failed(error);
            }
        }
        tokio::task::coop::consume_budget().await;
    }
}

/// The outcome of a read.
enum Progress {
    Some,
    Closed,
}

fn reader(settings: &Settings, options: &BeatsOptions) -> ShippedReader {
    ShippedReader::new(settings.options.decode.clone(), &options.prefix)
}

impl Session {
    fn new(settings: &Settings, options: &BeatsOptions) -> Session {
        Session {
            reader: LumberjackReader::new(settings.options.message_bytes_max),
            events: reader(settings, options),
            open: LumberjackBatch::default(),
            received: Vec::new(),
            read: 0,
            replies: Arc::default(),
            out: Vec::new(),
            spoken: Instant::now(),
        }
    }

    /// Returns whether something that was received can be read on.
    fn has_more(&self) -> bool {
        self.read < self.received.len() || self.reader.has_more()
    }

    async fn event(
        &self,
        stream: &mut Stream,
        batch_reader: &BatchReader,
        stop: &mut watch::Receiver<bool>,
        idle: Option<Duration>,
    ) -> Event {
        let has_more = self.has_more();
        let is_waiting = !self.replies.is_empty();
        let ready = async {
            batch_reader.window.wait_for_room().await;
            if has_more {
                return Event::Room;
            }
            // A peer that waits for us is not idle.
            let readable = match idle.filter(|_| !is_waiting) {
                Some(limit) => timeout(limit, stream.readable()).await.ok(),
                None => Some(stream.readable().await),
            };
            match readable {
                None => Event::Idle,
                Some(Ok(())) => Event::Bytes,
                Some(Err(error)) => Event::Failed(error),
            }
        };
        tokio::select! {
            biased;
            _ = stop.wait_for(|stop| *stop) => Event::Stop,
            () = self.replies.changed.notified() => Event::Replies,
            // An error shows when they are written.
            _ = stream.writable(), if !self.out.is_empty() => Event::Replies,
            () = sleep_until(self.spoken + WORKS_EVERY), if is_waiting && self.out.is_empty() => Event::Waits,
            event = ready => event,
        }
    }

    /// Tells the peer that its events are worked on.
    fn say_work(&mut self) {
        append_lumberjack_ack(0, &mut self.out);
        self.spoken = Instant::now();
    }

    /// Sends the acknowledgements that are due, as far as the peer takes them. An error: the connection is of no use any more.
    fn answer(&mut self, stream: &mut Stream) -> io::Result<()> {
        let alive = self.replies.take(&mut self.out);
        while !self.out.is_empty() {
            match stream.write(&self.out) {
                Ok(size) => {
                    self.out.drain(..size);
                    self.spoken = Instant::now();
                }
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => break,
                Err(error) => return Err(error),
            }
        }
        if alive { Ok(()) } else { Err(gave_up()) }
    }

    /// Ends the session when the source stops: acknowledges what is safe soon. The peer sends again whatever is not.
    async fn settle(&mut self, stream: &mut Stream) -> End {
        let replies = self.replies.clone();
        let all = async {
            while !replies.is_empty() || !self.out.is_empty() {
                if self.answer(stream).is_err() {
                    return;
                }
                if !self.out.is_empty() {
                    if stream.writable().await.is_err() {
                        return;
                    }
                } else if !replies.is_empty() {
                    replies.changed.notified().await;
                }
            }
        };
        let _ = timeout(SETTLE_WITHIN, all).await;
        End::Stopped
    }

    /// Reads on in what was received, or receives more; forwards at most one batch.
    fn take(
        &mut self,
        stream: &mut Stream,
        batch_reader: &mut BatchReader,
        origin: &Arc<Origin>,
    ) -> io::Result<Progress> {
        if !self.has_more() {
            self.received.clear();
            self.read = 0;
            self.received.reserve(PIECE_BYTES);
            match stream.read(&mut self.received) {
                Ok(0) => return Ok(Progress::Closed),
                Ok(_) => {}
                Err(error)
                    if matches!(error.kind(), io::ErrorKind::WouldBlock | io::ErrorKind::Interrupted) =>
                {
                    self.received = Vec::new();
                    return Ok(Progress::Some);
                }
                Err(error) => return Err(error),
            }
        }
        let read = self.reader.next(&self.received, self.read, READ_BYTES, &mut self.open);
        self.read = read.map_err(|error| io::Error::new(io::ErrorKind::InvalidData, error))?;
        if self.open.ends.is_some() || self.open.is_full(READ_BYTES) {
            self.forward(batch_reader, origin);
        }
        Ok(Progress::Some)
    }

    /// Forwards the events that were read, and queues the acknowledgement of a window that ends with them.
    fn forward(&mut self, batch_reader: &mut BatchReader, origin: &Arc<Origin>) {
        let whole = self.reader.split(&mut self.open);
        let mut batch = batch_reader.batch(Arc::new(whole.bytes), origin);
        let odd = self.events.events(&mut batch, &whole.events, 0);
        stats::add(&batch_reader.settings().counters.frame_errors, odd);
        let mut bytes = Vec::new();
        if let Some(sequence) = whole.ends {
            append_lumberjack_ack(sequence, &mut bytes);
        }
        if self.replies.is_empty() {
            self.spoken = Instant::now();
        }
        let number = self.replies.push(Group { bytes, done: false });
        let reply = ReplyOnOutcome::new(&self.replies, number);
        batch_reader.forward_decoded(batch, origin, Some(Box::new(reply)));
    }
}

#[cfg(test)]
mod tests;
