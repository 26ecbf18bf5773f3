//! The client of a broker: messages, acknowledgements, heartbeats, the end of a connection.
//!
//! In: frames. Out: messages; frames. Holds: what is not acknowledged, over the end of a connection.
//! Limits: `timeout` for an answer, two heartbeats for a sign of life. A message is acknowledged when its destinations have it,
//! never before; the broker sends `prefetch()` without that. Of these, [`READ_AHEAD_BYTES`] are read while the window is full.

use super::{
    contents::{Content, Contents},
    login::{Login, Step},
    options::AmqpSource,
    tags::Tags,
};
use crate::broker::{
    Arrival, Attempt, Broken, Broker, Deliveries, Forwarder, Messages, Metadata, Protocol, WindowState,
    read_broker,
};
use intake::InputTask;
use std::{
    future::Future,
    hash::{BuildHasher, RandomState},
    time::{Duration, Instant},
};
use transport::{
    InternalLog,
    amqp::{self, ContentHeader, FrameKind, PROTOCOL_HEADER, Reach},
    endpoint::{Breach, Wire, until_deadline},
};

/// Bytes that are read while the window is full. A broker that cannot write for long ends the connection.
const READ_AHEAD_BYTES: usize = 64 << 20;

/// Reads a queue until it is stopped.
pub(super) fn read_queue(options: AmqpSource, task: InputTask) -> impl Future<Output = ()> + Send + 'static {
    let broker = Broker {
        transport: "amqp",
        reopen_after: options.reopen_after,
        fails: "Cannot read a queue of AMQP, trying again",
        works: "The queue of AMQP is read again",
    };
    read_broker(Consumer::new(options, task.log.clone()), broker, task)
}

/// A client.
struct Consumer {
    options: AmqpSource,
    log: InternalLog,
    deliveries: Deliveries,
    tags: Tags,
    login: Login,
    contents: Contents,
    /// When the last step was taken.
    since: Instant,
    spoken: Instant,
    heard: Instant,
    fingerprints: RandomState,
    due: Vec<u64>,
}

impl Consumer {
    fn new(options: AmqpSource, log: InternalLog) -> Consumer {
        let now = Instant::now();
        Consumer {
            login: Login::new(options.frame_bytes),
            options,
            log,
            deliveries: Deliveries::default(),
            tags: Tags::default(),
            contents: Contents::default(),
            since: now,
            spoken: now,
            heard: now,
            fingerprints: RandomState::new(),
            due: Vec::new(),
        }
    }

    /// Reads one message.
    fn message(
        &mut self,
        found: &Content,
        messages: &mut Messages,
        feed: &mut Forwarder,
        out: &mut Vec<u8>,
    ) -> Result<(), Broken> {
        let header = ContentHeader::decode(&found.header)?;
        let what = (&found.exchange, &found.routing_key, header.message_id(), header.bytes, &found.text);
        let fingerprint = self.fingerprints.hash_one(what);
        let known = if found.is_repeated { self.tags.take_known(fingerprint) } else { None };
        let (key, attempt) = match known {
            Some(key) => (key, Attempt::Repeated),
            None => (self.tags.next_key(), Attempt::First),
        };
        if known.is_none() && self.is_poison(&header) {
            let (id, queue) = (&feed.reader.settings().id, self.options.queue.name());
            let what = "A message came back too often and is rejected: it is a dead letter of the broker, or dropped";
            self.log.warning(&format!("{what}; id='{id}', queue='{queue}'"));
            amqp::reject(found.tag, out);
            return Ok(());
        }
        self.tags.add(key, found.tag, fingerprint);
        match self.deliveries.arrive(key, fingerprint, attempt) {
            Arrival::New(ticket) => messages.add_ticket(ticket),
            Arrival::Known => return Ok(()),
            Arrival::Clash => return Err(Breach("two messages have one number").into()),
        }
        messages.push(feed, &found.text);
        if self.options.metadata == Metadata::Stored {
            messages.add_value(".amqp.exchange", b"", &found.exchange);
            messages.add_value(".amqp.routing-key", b"", &found.routing_key);
            for (name, value) in header.properties() {
                messages.add_value(".amqp.", name.as_bytes(), value);
            }
            if let Some(time) = header.timestamp {
                messages.add_number(".amqp.timestamp", time);
            }
            if header.headers(&mut |name, value| messages.add_value(".amqp.headers.", name, value)).is_err() {
                messages.add_odd();
            }
        }
        Ok(())
    }

    /// Returns whether a message came back so often that it is to be rejected.
    fn is_poison(&self, header: &ContentHeader<'_>) -> bool {
        self.options
            .deliveries_max
            .is_some_and(|most| header.delivery_count().is_some_and(|count| count >= most))
    }

    /// Reads one frame.
    fn frame(
        &mut self,
        frame: amqp::Frame<'_>,
        messages: &mut Messages,
        feed: &mut Forwarder,
        out: &mut Vec<u8>,
    ) -> Result<(), Broken> {
        let whole = match frame.kind {
            FrameKind::Heartbeat => None,
            FrameKind::Method => {
                // Methods of the connection come whenever they want to, those of the channel not within a message.
                if frame.channel == amqp::CHANNEL && self.contents.is_open() {
                    return Err(Breach("a message ends before its text").into());
                }
                match amqp::decode_delivery(frame.payload)? {
                    Some(delivery) if self.login.step >= Step::Consuming => self.contents.begin(&delivery)?,
                    Some(_) => return Err(Breach("it sends what nobody asked for").into()),
                    None => {
                        let step = self.login.step;
                        self.login.advance(&amqp::decode(frame.payload)?, &self.options, out)?;
                        if self.login.step != step {
                            self.since = Instant::now();
                        }
                    }
                }
                None
            }
            FrameKind::Header => self.contents.header(frame.payload)?,
            FrameKind::Body => self.contents.part(frame.payload, feed.reader.value_bytes_max())?,
        };
        match whole {
            Some(content) => self.message(&content, messages, feed, out),
            None => Ok(()),
        }
    }

    /// Gives a sign of life, and looks for those of the broker. One that is not read has time.
    fn beat(&mut self, room: WindowState, out: &mut Vec<u8>) -> Result<Option<Instant>, Broken> {
        let every = Duration::from_secs(self.login.heartbeat.into());
        if every.is_zero() {
            return Ok(None);
        }
        let now = Instant::now();
        if room == WindowState::Full {
            self.heard = now;
        }
        if now >= self.heard + every * 2 {
            return Err(Broken::silent(every * 2));
        }
        if now >= self.spoken + every / 2 {
            self.spoken = now;
            out.extend_from_slice(amqp::HEARTBEAT);
        }
        Ok(Some((self.spoken + every / 2).min(self.heard + every * 2)))
    }
}

impl Protocol for Consumer {
    async fn open(&mut self, feed: &Forwarder) -> Result<Box<dyn Wire>, Broken> {
        // A reload may have read certificates again.
        if let Some(options) = feed.reader.settings().input::<AmqpSource>() {
            self.options = options.clone();
        }
        let server = self.options.server.clone();
        Ok(server.open(until_deadline).await?)
    }

    fn begin(&mut self, out: &mut Vec<u8>) {
        self.login = Login::new(self.options.frame_bytes);
        self.contents = Contents::default();
        self.deliveries.resume();
        self.tags.begin();
        let now = Instant::now();
        (self.since, self.spoken, self.heard) = (now, now, now);
        out.extend_from_slice(PROTOCOL_HEADER);
    }

    fn take(
        &mut self,
        received: &mut Vec<u8>,
        feed: &mut Forwarder,
        out: &mut Vec<u8>,
    ) -> Result<(), Broken> {
        self.heard = Instant::now();
        let (mut messages, mut used, mut end) = (Messages::default(), 0, Ok(()));
        while end.is_ok() {
            end = match amqp::decode_frame(&received[used..], self.login.frame_bytes) {
                Ok(Some((frame, size))) => {
                    used += size;
                    self.frame(frame, &mut messages, feed, out)
                }
                Ok(None) => break,
                Err(breach) => Err(breach.into()),
            };
        }
        received.drain(..used);
        // Also when the broker said something wrong behind them: what waits is known when it comes again.
        messages.forward(feed, &self.deliveries);
        end
    }

    fn turn(&mut self, room: WindowState, out: &mut Vec<u8>) -> Result<Option<Instant>, Broken> {
        if !self.deliveries.take_due(&mut self.due) {
            self.due.clear();
            return Err(Broken::GaveUp);
        }
        // They are in the order in which they came, without a gap.
        let tags: Vec<u64> = self.due.drain(..).filter_map(|key| self.tags.take(key)).collect();
        match tags.as_slice() {
            [] => {}
            [tag] => amqp::acknowledge(*tag, Reach::One, out),
            [.., tag] => amqp::acknowledge(*tag, Reach::UpTo, out),
        }
        if self.login.step != Step::Reading {
            let limit = self.since + self.options.timeout;
            if Instant::now() >= limit && room == WindowState::Free {
                return Err(Broken::silent(self.options.timeout));
            }
            return Ok((room == WindowState::Free).then_some(limit));
        }
        self.beat(room, out)
    }

    fn is_ready(&self) -> bool {
        self.login.step == Step::Reading
    }

    fn read_ahead_bytes(&self) -> usize {
        READ_AHEAD_BYTES
    }

    fn end(&mut self, out: &mut Vec<u8>) {
        amqp::close_connection(out);
    }

    fn deliveries(&self) -> &Deliveries {
        &self.deliveries
    }
}
