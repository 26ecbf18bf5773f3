//! RELP sessions of a listener: messages are answered when they are safe.
//!
//! In: frames of one connection. Out: batches, and responses in the order of the commands. A message is answered
//! when the token of its batch is released: when every destination with flow control on its path has it.
//! Holds: the part of a frame that has no end yet, responses that wait for tokens or for the peer to read them.
//! Limits: the window stops reading, as does a peer that leaves [`UNREAD_BYTES_MAX`] of responses unread. Anything
//! that is not RELP ends the session, as does a message that a destination gave up: the sender resends unanswered
//! messages.

use super::replies::{Group, Replies, ReplyOnOutcome, gave_up};
use crate::{
    batch_reader::{BatchReader, buffer},
    session::{End, Stream},
    source::Settings,
};
use message::{Mark, Origin};
use std::{io, sync::Arc, time::Duration};
use tokio::{sync::watch, time::timeout};
use transport::stats;
use wire::{RelpCommand, RelpFrame, RelpReader, append_relp, check_offers, relp_offers};

/// Responses that the peer may leave unread before nothing more is read from it.
const UNREAD_BYTES_MAX: usize = 256 << 10;
/// Time for messages in flight to become safe at the stop, so that they need not be sent again.
const SETTLE_WITHIN: Duration = Duration::from_millis(500);
/// Answer to a message and to `close`.
const OK: &[u8] = b"200 OK";

/// One session.
struct Session {
    reader: RelpReader,
    rest: Vec<u8>,
    replies: Arc<Replies>,
    /// Responses to be sent to the peer.
    out: Vec<u8>,
    opened: bool,
    /// `close` was received, or the source stops: nothing more is read.
    closing: bool,
    /// The reason why the peer no longer accepts responses. Data that it sent before closing is still read.
    unwritable: Option<io::Error>,
}

/// Serves a connection to its end. `origin` makes the origin from the present settings.
pub(crate) async fn run(
    stream: &mut Stream,
    batch_reader: &mut BatchReader,
    origin: impl Fn(&Settings) -> Origin,
    stop: &mut watch::Receiver<bool>,
    idle: Option<Duration>,
) -> End {
    let mut session = Session {
        reader: RelpReader::new(batch_reader.settings().options.message_bytes_max),
        rest: Vec::new(),
        replies: Arc::default(),
        out: Vec::new(),
        opened: false,
        closing: false,
        unwritable: None,
    };
    let mut from = Arc::new(origin(batch_reader.settings()));
    loop {
        if let Err(error) = session.answer(stream) {
            return End::Failed(error);
        }
        let has_answered = session.unwritable.is_some() || session.replies.is_empty();
        if session.closing && session.out.is_empty() && has_answered {
            return End::Closed;
        }
        match session.event(stream, batch_reader, stop, idle).await {
            Event::Replies => continue,
            Event::Stop => return session.settle(stream).await,
            Event::Idle => return End::Idle,
            Event::Failed(error) => return End::Failed(error),
            Event::Bytes => {}
        }
        if batch_reader.refresh() {
            from = Arc::new(origin(batch_reader.settings()));
        }
        match session.read_once(stream, batch_reader, &from) {
            Ok(0) => return End::Closed,
            Ok(_) => {}
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => {
                if let Some(error) = session.unwritable.take() {
                    return End::Failed(error);
                }
            }
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

/// Event that a session waits for.
enum Event {
    /// There may be bytes to read.
    Bytes,
    /// Responses are due, or the peer takes more of them.
    Replies,
    /// Nothing was received for `idle-timeout()`.
    Idle,
    Stop,
    Failed(io::Error),
}

impl Session {
    async fn event(
        &self,
        stream: &mut Stream,
        batch_reader: &BatchReader,
        stop: &mut watch::Receiver<bool>,
        idle: Option<Duration>,
    ) -> Event {
        let reads = !self.closing && self.out.len() < UNREAD_BYTES_MAX;
        let readable = async {
            batch_reader.window.wait_for_room().await;
            match idle {
                _ if self.unwritable.is_some() => Some(Ok(())),
                Some(limit) => timeout(limit, stream.readable()).await.ok(),
                None => Some(stream.readable().await),
            }
        };
        let ready = tokio::select! {
            biased;
            _ = stop.wait_for(|stop| *stop) => return Event::Stop,
            () = self.replies.changed.notified() => return Event::Replies,
            // An error shows when they are written.
            _ = stream.writable(), if !self.out.is_empty() => return Event::Replies,
            ready = readable, if reads => ready,
        };
        match ready {
            None => Event::Idle,
            Some(Ok(())) => Event::Bytes,
            Some(Err(error)) => Event::Failed(error),
        }
    }

    /// Sends the responses that are due, as far as the peer takes them. An error: messages were given up.
    fn answer(&mut self, stream: &mut Stream) -> io::Result<()> {
        let alive = self.replies.take(&mut self.out);
        while !self.out.is_empty() {
            if self.unwritable.is_some() {
                self.out.clear();
                break;
            }
            match stream.write(&self.out) {
                Ok(size) => drop(self.out.drain(..size)),
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => break,
                Err(error) => self.unwritable = Some(error),
            }
        }
        if alive {
            return Ok(());
        }
        Err(gave_up())
    }

    /// Ends the session when the source stops: answers what is safe soon, then sends the peer a closing hint.
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
        // The peer sends again whatever is not safe by then.
        let _ = timeout(SETTLE_WITHIN, all).await;
        if self.opened && self.out.is_empty() {
            append_relp(0, RelpCommand::ServerClose, b"", &mut self.out);
            // Only a hint: closing the connection means the same.
            let _ = stream.write(&self.out);
        }
        End::Stopped
    }

    /// One read, one batch. Returns the bytes read, 0 at the end.
    fn read_once(
        &mut self,
        stream: &mut Stream,
        batch_reader: &mut BatchReader,
        origin: &Arc<Origin>,
    ) -> io::Result<usize> {
        let mut bytes = buffer::take(batch_reader.read_bytes() + self.rest.len());
        bytes.extend_from_slice(&self.rest);
        let size = match stream.read(&mut bytes) {
            Ok(size) if size > 0 => size,
            other => {
                buffer::recycle(bytes);
                return other;
            }
        };
        let mut at = 0;
        let mut answers = Vec::new();
        let read = loop {
            match self.reader.next(&bytes, at) {
                Ok((Some(frame), next)) => {
                    at = next;
                    if let Err(error) = self.obey(&frame, &bytes, batch_reader, &mut answers) {
                        break Err(error);
                    }
                }
                Ok((None, next)) => {
                    at = next;
                    break Ok(size);
                }
                Err(error) => break Err(io::Error::new(io::ErrorKind::InvalidData, error)),
            }
        };
        self.rest.clear();
        self.rest.extend_from_slice(&bytes[at..]);
        self.forward(bytes, at, batch_reader, origin, answers);
        read
    }

    /// Forwards the frames that were read, also those before an error, and queues their answers.
    fn forward(
        &self,
        bytes: Vec<u8>,
        done: usize,
        batch_reader: &mut BatchReader,
        origin: &Arc<Origin>,
        answers: Vec<u8>,
    ) {
        if batch_reader.frames() == 0 {
            buffer::recycle(bytes);
            if !answers.is_empty() {
                self.replies.push(Group { bytes: answers, done: true });
            }
            return;
        }
        let number = self.replies.push(Group { bytes: answers, done: false });
        let reply = ReplyOnOutcome::new(&self.replies, number);
        batch_reader.forward(buffer::share(bytes, done), origin, Some(Box::new(reply)));
    }

    /// Handles one command; its answer is queued with those of its batch.
    fn obey(
        &mut self,
        frame: &RelpFrame,
        bytes: &[u8],
        batch_reader: &mut BatchReader,
        answers: &mut Vec<u8>,
    ) -> io::Result<()> {
        let refused = |why: String| io::Error::new(io::ErrorKind::InvalidData, why);
        if self.closing {
            return Err(refused("a frame after close".to_owned()));
        }
        if !self.opened && frame.command != RelpCommand::Open {
            return Err(refused("the first frame is not open".to_owned()));
        }
        match frame.command {
            RelpCommand::Syslog => {
                batch_reader.add_datagram(bytes, frame.data.clone(), frame.cut.then_some(Mark::Truncated))
            }
            RelpCommand::Open => {
                let version =
                    check_offers(&bytes[frame.data.clone()]).map_err(|error| refused(error.to_string()))?;
                self.opened = true;
                let offers = format!("200 OK\n{}", relp_offers(version, env!("CARGO_PKG_VERSION")));
                append_relp(frame.txnr, RelpCommand::Response, offers.as_bytes(), answers);
                return Ok(());
            }
            RelpCommand::Close => self.closing = true,
            // Hints and answers are not expected here.
            RelpCommand::Response | RelpCommand::ServerClose => return Ok(()),
            RelpCommand::Other => {
                append_relp(frame.txnr, RelpCommand::Response, b"500 unknown command", answers);
                return Ok(());
            }
        }
        if frame.txnr > 0 {
            append_relp(frame.txnr, RelpCommand::Response, OK, answers);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests;
