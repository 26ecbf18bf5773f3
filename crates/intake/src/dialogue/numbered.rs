//! SLTP: messages with numbers, acknowledged when they are safe.
//!
//! In: frames of one connection. Out: batches, each with the numbers of its messages; acknowledgements once every
//! destination with flow control on their paths has them.
//! Holds: the frame that has no end yet, bytes that the sender has not read. Limits: the window stops reading, as does
//! a sender that leaves [`UNREAD_BYTES_MAX`] unread; a sender that is silent for [`SILENT_FOR`] is given up, since it has to
//! ask for a sign of life before.

mod positions;

pub(crate) use positions::StreamPositions;

use crate::{
    batch_reader::{BatchReader, Completion, buffer},
    session::{End, Stream},
    source::Settings,
};
use message::{Numbering, Origin, Outcome};
use sltp::{Arrival, Connection, InputError, ReceiverOptions, Step, Streams, Ticket};
use std::{io, sync::Arc, time::Duration};
use tokio::{
    sync::{Notify, watch},
    time::{Instant, sleep_until, timeout},
};
use transport::{InternalLog, stats};
use wire::sltp::{Gap, SEVERITIES};

/// Answers that the sender may leave unread before nothing more is read from it.
const UNREAD_BYTES_MAX: usize = 64 << 10;
/// A sender without a sign of life for this long is gone.
const SILENT_FOR: Duration = Duration::from_secs(45);
/// Time for a sender to begin.
const HELLO_WITHIN: Duration = Duration::from_secs(10);
/// While messages are processed for longer than this, the sender gets a sign of it.
const REMINDED_EVERY: Duration = Duration::from_secs(5);
/// Time for messages in flight to become safe at the stop, so that they need not be sent again.
const SETTLE_WITHIN: Duration = Duration::from_millis(500);
/// Names of the severities in our log.
const SEVERITY_NAMES: [&str; SEVERITIES] =
    ["emerg", "alert", "crit", "err", "warning", "notice", "info", "debug"];

/// A connection and what it needs.
pub(crate) struct Incoming {
    pub(crate) options: Arc<ReceiverOptions>,
    pub(crate) streams: Streams,
    /// The name that the sender has proven to have.
    pub(crate) identity: String,
    pub(crate) log: InternalLog,
}

/// Reports what became of the messages of a frame.
struct Safe(Ticket);

impl Completion for Safe {
    fn complete(&self, outcome: Outcome) {
        self.0.complete(outcome);
    }
}

/// One session.
struct Session {
    connection: Connection,
    changed: Arc<Notify>,
    log: InternalLog,
    /// Bytes that were read; those before `at` are done with.
    bytes: Vec<u8>,
    at: usize,
    heard: Instant,
    reminded: Instant,
    is_open: bool,
}

/// Event that a session waits for.
enum Event {
    Bytes,
    Answer,
    Remind,
    Stop,
    Silent,
    Failed(io::Error),
}

/// Serves a connection to its end. `origin` makes the origin from the present settings.
pub(crate) async fn run(
    stream: &mut Stream,
    batch_reader: &mut BatchReader,
    origin: impl Fn(&Settings) -> Origin,
    stop: &mut watch::Receiver<bool>,
    ours: Incoming,
) -> End {
    let changed = Arc::new(Notify::new());
    let tell = changed.clone();
    let notify = Arc::new(move || tell.notify_one());
    let options = ReceiverOptions {
        message_bytes_max: batch_reader.settings().options.message_bytes_max,
        ..ReceiverOptions::clone(&ours.options)
    };
    let now = Instant::now();
    let mut session = Session {
        connection: Connection::new(options, &ours.streams, &ours.identity, notify),
        changed,
        log: ours.log,
        bytes: Vec::new(),
        at: 0,
        heard: now,
        reminded: now,
        is_open: false,
    };
    let mut from = Arc::new(origin(batch_reader.settings()));
    loop {
        if let Err(error) = session.answer(stream) {
            return session.fail(stream, error).await;
        }
        match session.event(stream, batch_reader, stop).await {
            Event::Answer => continue,
            Event::Remind => session.remind(),
            Event::Stop => return session.settle(stream).await,
            Event::Silent => return End::Idle,
            Event::Failed(error) => return End::Failed(error),
            Event::Bytes => {
                if batch_reader.refresh() {
                    from = Arc::new(origin(batch_reader.settings()));
                }
                match session.read_once(stream, batch_reader, &from) {
                    Ok(true) => {}
                    Ok(false) => return End::Closed,
                    Err(error) => {
                        if error.kind() == io::ErrorKind::InvalidData {
                            stats::add(&batch_reader.settings().counters.frame_errors, 1);
                        }
                        return session.fail(stream, error).await;
                    }
                }
            }
        }
        tokio::task::coop::consume_budget().await;
    }
}

fn invalid(error: InputError) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, error)
}

impl Session {
    async fn event(
        &mut self,
        stream: &mut Stream,
        batch_reader: &BatchReader,
        stop: &mut watch::Receiver<bool>,
    ) -> Event {
        let reads = self.connection.output().len() < UNREAD_BYTES_MAX;
        let writes = !self.connection.output().is_empty();
        let silent_at = self.heard + if self.is_open { SILENT_FOR } else { HELLO_WITHIN };
        let is_working = self.connection.is_working();
        let readable = async {
            batch_reader.window.wait_for_room().await;
            stream.readable().await
        };
        tokio::select! {
            biased;
            _ = stop.wait_for(|stop| *stop) => Event::Stop,
            () = self.changed.notified() => Event::Answer,
            // An error shows when they are written.
            _ = stream.writable(), if writes => Event::Answer,
            ready = readable, if reads => match ready {
                Ok(()) => Event::Bytes,
                Err(error) => Event::Failed(error),
            },
            () = sleep_until(self.reminded + REMINDED_EVERY), if is_working => Event::Remind,
            // While it is held back, nothing can be heard of it.
            () = sleep_until(silent_at), if !is_working => Event::Silent,
        }
    }

    fn remind(&mut self) {
        self.connection.remind();
        (self.reminded, self.heard) = (Instant::now(), Instant::now());
    }

    /// Sends answers, as far as the sender takes them.
    fn answer(&mut self, stream: &mut Stream) -> io::Result<()> {
        let before = self.connection.output().len();
        let out = self.connection.answer().map_err(io::Error::other)?;
        if out.len() > before {
            self.reminded = Instant::now();
        }
        write(stream, out)
    }

    /// Tells the sender why the connection ends, if it listens.
    async fn fail(mut self, stream: &mut Stream, error: io::Error) -> End {
        let out = self.connection.output();
        // It may be gone, or have stopped reading.
        let _ = timeout(SETTLE_WITHIN, flush(stream, out)).await;
        End::Failed(error)
    }

    /// Ends the session when the source stops: acknowledges what is safe soon, and says so.
    async fn settle(mut self, stream: &mut Stream) -> End {
        let changed = self.changed.clone();
        let all = async {
            while self.connection.is_working() {
                if self.answer(stream).is_err() {
                    return;
                }
                changed.notified().await;
            }
            // It may fail only because the connection does.
            let _ = self.answer(stream);
        };
        // The sender sends again whatever is not safe by then.
        let _ = timeout(SETTLE_WITHIN, all).await;
        self.connection.stop();
        // Only a hint: closing the connection means the same.
        let _ = timeout(SETTLE_WITHIN, flush(stream, self.connection.output())).await;
        End::Stopped
    }

    /// Reads once, and forwards the messages of whole frames. Returns false at the end.
    fn read_once(
        &mut self,
        stream: &mut Stream,
        batch_reader: &mut BatchReader,
        origin: &Arc<Origin>,
    ) -> io::Result<bool> {
        self.bytes.drain(..std::mem::take(&mut self.at));
        self.bytes.reserve(self.connection.wanted(&self.bytes, 0));
        match stream.read(&mut self.bytes) {
            Ok(0) => return Ok(false),
            Ok(_) => self.heard = Instant::now(),
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => return Ok(true),
            Err(error) => return Err(error),
        }
        loop {
            let read = self.connection.read(&self.bytes, self.at, buffer::take);
            let Some((step, end)) = read.inspect_err(|error| self.connection.fail(error)).map_err(invalid)?
            else {
                break;
            };
            self.at = end;
            if matches!(step, Step::Over) {
                return Ok(false);
            }
            self.obey(step, batch_reader, origin);
        }
        if self.at == self.bytes.len() {
            // A connection that rests holds no buffer.
            (self.bytes, self.at) = (Vec::new(), 0);
        }
        Ok(true)
    }

    fn obey(&mut self, step: Step, batch_reader: &mut BatchReader, origin: &Arc<Origin>) {
        match step {
            Step::Nothing | Step::Over => {}
            Step::Opened { sender, software } => {
                self.is_open = true;
                self.log
                    .notice(&format!("Sender of SLTP accepted; sender='{sender}', software='{software}'"));
            }
            Step::Messages(arrival) => forward(arrival, batch_reader, origin),
            Step::Gap(gap) => self.tell_gap(&gap, batch_reader),
        }
    }

    /// Records messages that never come: what a sender lost must not only be known there.
    fn tell_gap(&self, gap: &Gap, batch_reader: &BatchReader) {
        let counts = gap.severities.iter().zip(SEVERITY_NAMES).filter(|(count, _)| **count > 0);
        let severities: Vec<String> = counts.map(|(count, name)| format!("{name}:{count}")).collect();
        stats::add(&batch_reader.settings().counters.frame_errors, 1);
        self.log.warning(&format!(
            "Sender of SLTP lost messages; source='{}', reason='{}', messages='{}', first='{}', severities='{}'",
            batch_reader.settings().id,
            gap.reason.name(),
            gap.count,
            gap.from,
            severities.join(",")
        ));
    }
}

/// Forwards the messages of a frame as one batch.
fn forward(arrival: Arrival, batch_reader: &mut BatchReader, origin: &Arc<Origin>) {
    let Arrival { body, items, ticket } = arrival;
    let mut numbers = Vec::new();
    for item in items {
        let before = batch_reader.frames();
        batch_reader.add_datagram(&body, item.range, None);
        if batch_reader.frames() > before {
            numbers.push(item.number);
        }
    }
    let stream = ticket.numbered().clone();
    let first = numbers.first().copied().unwrap_or(0);
    let is_dense = (first..).zip(&numbers).all(|(wanted, number)| wanted == *number);
    let numbering =
        if is_dense { Numbering::dense(stream, first) } else { Numbering::sparse(stream, numbers) };
    let size = body.len();
    batch_reader.forward_numbered(buffer::share(body, size), origin, numbering, Box::new(Safe(ticket)));
}

/// Writes what the other side takes now, and removes it.
fn write(stream: &mut Stream, out: &mut Vec<u8>) -> io::Result<()> {
    while !out.is_empty() {
        match stream.write(out) {
            Ok(size) => drop(out.drain(..size)),
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => break,
            Err(error) => return Err(error),
        }
    }
    Ok(())
}

async fn flush(stream: &mut Stream, out: &mut Vec<u8>) -> io::Result<()> {
    write(stream, out)?;
    while !out.is_empty() {
        stream.writable().await?;
        write(stream, out)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests;
