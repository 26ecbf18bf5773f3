//! The client of a server: login, requests, messages, acknowledgements.
//!
//! In: lines and messages. Out: messages; lines. Holds: what is not acknowledged, over the end of a connection.
//! Limits: `timeout` for an answer; at most one and a half requests' worth of messages is asked for at a time, and none while
//! the window is full. A message is acknowledged when its destinations have it, never before.

use super::{
    acks::{Acks, StreamPosition},
    opening::open,
    options::NatsSource,
    packets::{HEADER_BYTES_MAX, Message, Packet, Packets},
    setup::{self, Consumer, ConsumerState, Stream},
};
use crate::broker::{
    Arrival, Attempt, Broken, Broker, Deliveries, Forwarder, Messages, Metadata, Protocol, WindowState,
    read_broker,
};
use intake::InputTask;
use std::{
    future::Future,
    hash::{BuildHasher, RandomState},
    time::Instant,
};
use transport::{
    InternalLog,
    endpoint::{Breach, Wire},
    nats::{Complaint, Greeting, Headers, Line, connect, headers},
};

/// Bytes of a request for messages beside the longest text of the server: subject, headers.
const REQUEST_BYTES: usize = 1 << 20;
/// Most bytes of a request for messages: a stream may have longer ones than its server takes today.
const REQUEST_BYTES_MAX: usize = 256 << 20;
/// Longest answer to a question.
const ANSWER_BYTES_MAX: usize = 1 << 20;
/// The text of a status that says that a request was for too few bytes.
const TOO_FEW_BYTES: &[u8] = b"message size exceeds maxbytes";

/// Reads a stream until it is stopped.
pub(super) fn read_stream(options: NatsSource, task: InputTask) -> impl Future<Output = ()> + Send + 'static {
    let broker = Broker {
        transport: "nats",
        reopen_after: options.reopen_after,
        fails: "Cannot read a stream of NATS, trying again",
        works: "The stream of NATS is read again",
    };
    read_broker(Reader::new(options, task.log.clone()), broker, task)
}

/// A client.
struct Reader {
    options: NatsSource,
    log: InternalLog,
    deliveries: Deliveries,
    packets: Packets,
    acks: Acks,
    stage: Stage,
    /// When the stage began.
    since: Instant,
    /// How many connections were tried.
    tries: usize,
    text_bytes_max: usize,
    /// The place where answers go, with a dot at its end.
    inbox: String,
    /// The number of the last question.
    question: u64,
    stream: Stream,
    consumer: Option<Consumer>,
    requests: Requests,
    /// Sequences of the last message that came for the first time: in the stream, and in the consumer.
    last: Option<(u64, u64)>,
    /// The stream and the end of the gap that was reported last.
    last_gap: Option<(String, u64)>,
    fingerprints: RandomState,
    due: Vec<u64>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Stage {
    Login,
    FindingStream,
    AskingStream,
    AskingConsumer,
    MakingConsumer,
    Reading,
}

/// Requests for messages.
struct Requests {
    /// Messages that were asked for and did not come.
    awaited: usize,
    /// Bytes of a request.
    bytes: usize,
    /// By then the last one has ended.
    until: Instant,
}

impl Reader {
    fn new(options: NatsSource, log: InternalLog) -> Reader {
        let now = Instant::now();
        Reader {
            options,
            log,
            deliveries: Deliveries::default(),
            packets: Packets::default(),
            acks: Acks::default(),
            stage: Stage::Login,
            since: now,
            tries: 0,
            text_bytes_max: 0,
            inbox: String::new(),
            question: 0,
            stream: Stream::default(),
            consumer: None,
            requests: Requests { awaited: 0, bytes: 0, until: now },
            last: None,
            last_gap: None,
            fingerprints: RandomState::new(),
            due: Vec::new(),
        }
    }

    fn set_stage(&mut self, stage: Stage) {
        self.stage = stage;
        self.since = Instant::now();
    }

    /// Asks JetStream something.
    fn ask(&mut self, stage: Stage, (subject, text): (String, String), out: &mut Vec<u8>) {
        self.question += 1;
        self.set_stage(stage);
        let (inbox, number) = (&self.inbox, self.question);
        out.extend_from_slice(
            format!("PUB {subject} {inbox}{number} {}\r\n{text}\r\n", text.len()).as_bytes(),
        );
    }

    /// Asks for the stream, or for its name.
    fn find(&mut self, out: &mut Vec<u8>) {
        match (&self.options.stream, &self.options.subject) {
            (None, Some(subject)) => {
                let question = setup::ask_names(subject);
                self.ask(Stage::FindingStream, question, out);
            }
            (name, _) => {
                let name = name.clone().unwrap_or_default();
                self.found_stream(name, out);
            }
        }
    }

    fn found_stream(&mut self, name: String, out: &mut Vec<u8>) {
        let question = setup::ask_stream(&name);
        self.stream.name = name;
        self.ask(Stage::AskingStream, question, out);
    }

    /// Takes the answer to the last question.
    fn answered(&mut self, answer: &[u8], id: &str, out: &mut Vec<u8>) -> Result<(), Broken> {
        match self.stage {
            Stage::FindingStream => {
                let subject = self.options.subject.as_deref().unwrap_or_default();
                let name = setup::read_names(answer, subject)?;
                self.found_stream(name, out);
            }
            Stage::AskingStream => {
                self.stream = setup::read_stream(answer, &self.stream.name)?;
                let question = setup::ask_consumer(&self.stream, &self.options);
                self.ask(Stage::AskingConsumer, question, out);
            }
            Stage::AskingConsumer | Stage::MakingConsumer => {
                let is_new = self.stage == Stage::MakingConsumer;
                match setup::read_consumer(answer, &self.stream, &self.options)? {
                    ConsumerState::Consumer(consumer) => self.found_consumer(consumer, id),
                    ConsumerState::Missing if is_new => {
                        return Err(Breach("a consumer that it made is missing").into());
                    }
                    ConsumerState::Missing => {
                        if self.consumer.is_some() {
                            self.warn("The consumer is gone and is made again: messages may come again", id);
                        }
                        self.last = None;
                        let question = setup::ask_new_consumer(&self.stream, &self.options);
                        self.ask(Stage::MakingConsumer, question, out);
                    }
                }
            }
            Stage::Login | Stage::Reading => return Err(Breach("it answers what was not asked").into()),
        }
        Ok(())
    }

    fn found_consumer(&mut self, consumer: Consumer, id: &str) {
        if let Some((first, last)) = consumer.gap {
            self.report_gap(first, last, id);
        }
        let is_news =
            self.consumer.as_ref().is_none_or(|known| known.deliveries_max != consumer.deliveries_max);
        if let Some(most) = consumer.deliveries_max.filter(|_| is_news) {
            let what =
                "The consumer gives messages up that were delivered too often without an acknowledgement";
            self.warn(&format!("{what}, max_deliver='{most}'"), id);
        }
        let least = self.text_bytes_max.saturating_add(REQUEST_BYTES);
        let most = consumer.bytes_max.and_then(|bytes| usize::try_from(bytes).ok()).unwrap_or(usize::MAX);
        self.requests = Requests {
            awaited: 0,
            bytes: self.requests.bytes.max(least).min(REQUEST_BYTES_MAX).min(most),
            until: Instant::now(),
        };
        self.consumer = Some(consumer);
        self.set_stage(Stage::Reading);
    }

    fn warn(&self, what: &str, id: &str) {
        let (stream, durable) = (&self.stream.name, &self.options.durable);
        self.log.warning(&format!("{what}; id='{id}', stream='{stream}', consumer='{durable}'"));
    }

    /// Reports a gap, once.
    fn report_gap(&mut self, first: u64, last: u64, id: &str) {
        if self.last_gap.as_ref() == Some(&(self.stream.name.clone(), last)) {
            return;
        }
        self.last_gap = Some((self.stream.name.clone(), last));
        let what = format!(
            "Messages were removed from the stream before they were read, from='{first}', to='{last}'"
        );
        self.warn(&what, id);
    }

    /// Looks for messages between this one and the last that are no longer in the stream.
    fn check_gap(&mut self, place: StreamPosition<'_>, id: &str) {
        if !self.consumer.as_ref().is_some_and(|consumer| consumer.is_whole) {
            return;
        }
        if let Some((sequence, consumer_sequence)) = self.last {
            if place.sequence <= sequence {
                return;
            }
            // What others read of the same consumer is no gap.
            let delivered = place.consumer_sequence.saturating_sub(consumer_sequence);
            if place.sequence - sequence > delivered && delivered > 0 {
                self.report_gap(sequence + 1, place.sequence - 1, id);
            }
        }
        self.last = Some((place.sequence, place.consumer_sequence));
    }

    /// Reads one message of the stream.
    fn message(
        &mut self,
        found: &Message<'_>,
        messages: &mut Messages,
        feed: &mut Forwarder,
    ) -> Result<(), Broken> {
        let reply = found.head.reply.unwrap_or_default();
        let place = StreamPosition::parse(reply).ok_or(Breach("a message cannot be acknowledged"))?;
        self.requests.awaited = self.requests.awaited.saturating_sub(1);
        let fingerprint = self.fingerprints.hash_one((place.stream, place.time, found.head.subject));
        // Which number a try has does not matter: a message has its sequence for ever.
        let arrival = self.deliveries.arrive(place.sequence, fingerprint, Attempt::Repeated);
        self.acks.add(place.sequence, reply);
        match arrival {
            Arrival::New(ticket) => messages.add_ticket(ticket),
            Arrival::Known | Arrival::Clash => return Ok(()),
        }
        let id = feed.reader.settings().id.clone();
        self.check_gap(place, &id);
        messages.push(feed, found.text);
        if self.options.metadata == Metadata::Stored {
            messages.add_value(".nats.subject", b"", found.head.subject.as_bytes());
            messages.add_value(".nats.stream", b"", place.stream.as_bytes());
            messages.add_number(".nats.sequence", place.sequence);
            for (name, value) in headers(found.headers).iter().flat_map(Headers::iter) {
                messages.add_value(".nats.headers.", name, value);
            }
        }
        if found.head.header_bytes > HEADER_BYTES_MAX {
            messages.add_odd();
        }
        Ok(())
    }

    /// Reads the status of a request for messages.
    fn status(&mut self, status: u16, found: &Headers<'_>) -> Result<(), Broken> {
        let words = String::from_utf8_lossy(found.words).to_string();
        let left = found.number("Nats-Pending-Messages");
        match status {
            // A sign of life.
            100 => return Ok(()),
            404 | 408 => {}
            409 if found.words.to_ascii_lowercase() == TOO_FEW_BYTES => {
                self.requests.bytes = self.requests.bytes.saturating_mul(2).min(REQUEST_BYTES_MAX);
            }
            409 if left.is_some() || words.eq_ignore_ascii_case("Batch Completed") => {}
            503 => return Err(Broken::Lost("503: JetStream does not answer, or is not enabled".to_owned())),
            _ => {
                let (durable, stream) = (&self.options.durable, &self.stream.name);
                return Err(Broken::Lost(format!(
                    "consumer '{durable}' of stream '{stream}': {status} {words}"
                )));
            }
        }
        self.requests.awaited = left.map_or(0, |left| self.requests.awaited.saturating_sub(left));
        Ok(())
    }

    /// Reads what a server says.
    fn packet(
        &mut self,
        packet: &Packet<'_>,
        messages: &mut Messages,
        feed: &mut Forwarder,
        out: &mut Vec<u8>,
    ) -> Result<(), Broken> {
        let found = match packet {
            Packet::Message(found) => found,
            Packet::Line(Line::Ping) => {
                out.extend_from_slice(b"PONG\r\n");
                return Ok(());
            }
            Packet::Line(Line::Pong) if self.stage == Stage::Login => {
                self.find(out);
                return Ok(());
            }
            Packet::Line(Line::Greeting(json)) => return leaving(&Greeting::parse(json)?),
            Packet::Line(Line::Refused(words)) => return Err(complaint(words)),
            Packet::Line(_) => return Ok(()),
        };
        let Some(number) = found.head.subject.strip_prefix(self.inbox.as_str()) else {
            return self.message(found, messages, feed);
        };
        let headers = headers(found.headers);
        let status = headers.as_ref().and_then(|headers| headers.status);
        match (number, status, &headers) {
            ("pull", Some(status), Some(headers)) if self.stage == Stage::Reading => {
                self.status(status, headers)
            }
            ("pull", ..) => Ok(()),
            // An earlier question is of no interest any more.
            (number, ..) if number.parse() != Ok(self.question) => Ok(()),
            (_, Some(503), _) => {
                Err(Broken::Lost("503: JetStream does not answer, or is not enabled".to_owned()))
            }
            _ => self.answered(found.text, &feed.reader.settings().id.clone(), out),
        }
    }

    /// Asks for messages, if there is room for them. Returns when the request has ended at the latest.
    fn request(&mut self, room: WindowState, out: &mut Vec<u8>) -> Option<Instant> {
        let consumer = self.consumer.as_ref()?;
        let now = Instant::now();
        let fetch = self.options.fetch.min(consumer.fetch_max).max(1);
        if room == WindowState::Free && self.requests.awaited <= fetch / 2 {
            let (stream, durable, inbox) = (&self.stream.name, &self.options.durable, &self.inbox);
            let (expires, bytes) = (consumer.expires_after, self.requests.bytes);
            let text =
                format!("{{\"batch\":{fetch},\"max_bytes\":{bytes},\"expires\":{}}}", expires.as_nanos());
            let subject = format!("$JS.API.CONSUMER.MSG.NEXT.{stream}.{durable}");
            out.extend_from_slice(
                format!("PUB {subject} {inbox}pull {}\r\n{text}\r\n", text.len()).as_bytes(),
            );
            self.requests.awaited += fetch;
            self.requests.until = now + expires + self.options.timeout;
        }
        (self.requests.awaited > 0).then_some(self.requests.until)
    }
}

/// A server that is about to end is left.
fn leaving(greeting: &Greeting) -> Result<(), Broken> {
    match greeting.is_leaving() {
        true => Err(Broken::Lost("the server is about to end (lame duck mode)".to_owned())),
        false => Ok(()),
    }
}

/// Judges an error of a connection.
fn complaint(words: &str) -> Broken {
    let shown: String = words.chars().filter(|c| !c.is_control()).take(300).collect();
    match Complaint::of(words) {
        Complaint::Login | Complaint::Access => Broken::Refused(shown),
        Complaint::Full | Complaint::Other => Broken::Lost(shown),
    }
}

impl Protocol for Reader {
    async fn open(&mut self, feed: &Forwarder) -> Result<Box<dyn Wire>, Broken> {
        // A reload may have read certificates again.
        if let Some(options) = feed.reader.settings().input::<NatsSource>() {
            self.options = options.clone();
        }
        let servers = &self.options.servers;
        let Some(server) = servers.get(self.tries % servers.len().max(1)) else {
            return Err(Broken::Refused("there is no server".to_owned()));
        };
        self.tries = self.tries.wrapping_add(1);
        let opened = open(server, self.options.timeout).await;
        let named = |why: String| match servers.len() {
            1 => why,
            _ => format!("{}:{}: {why}", server.host, server.port),
        };
        let (stream, greeting) = opened.map_err(|broken| match broken {
            Broken::Lost(why) => Broken::Lost(named(why)),
            Broken::Refused(why) => Broken::Refused(named(why)),
            Broken::GaveUp => broken,
        })?;
        leaving(&greeting)?;
        self.text_bytes_max = greeting.text_bytes_max();
        Ok(stream)
    }

    fn begin(&mut self, out: &mut Vec<u8>) {
        self.packets = Packets::default();
        self.deliveries.continue_over();
        // Nobody guesses where our answers go.
        let name = RandomState::new();
        self.inbox = format!("_INBOX.{:016x}{:016x}.", name.hash_one(1), name.hash_one(2));
        self.set_stage(Stage::Login);
        out.extend_from_slice(&connect(&self.options.login));
        out.extend_from_slice(format!("SUB {}* 1\r\nPING\r\n", self.inbox).as_bytes());
        self.acks.refuse_given_up(&self.deliveries, out);
    }

    fn take(
        &mut self,
        received: &mut Vec<u8>,
        feed: &mut Forwarder,
        out: &mut Vec<u8>,
    ) -> Result<(), Broken> {
        let text_max = feed.reader.value_bytes_max().max(ANSWER_BYTES_MAX);
        let mut packets = std::mem::take(&mut self.packets);
        let (mut messages, mut used, mut end) = (Messages::default(), 0, Ok(()));
        while end.is_ok() {
            end = match packets.next(received, used, text_max) {
                Ok(Some((packet, after))) => {
                    used = after;
                    self.packet(&packet, &mut messages, feed, out)
                }
                Ok(None) => break,
                Err(breach) => Err(breach.into()),
            };
        }
        self.packets = packets;
        received.drain(..used);
        // Also when the server said something wrong behind them: they are acknowledged over the next connection.
        messages.forward(feed, &self.deliveries);
        end
    }

    fn turn(&mut self, room: WindowState, out: &mut Vec<u8>) -> Result<Option<Instant>, Broken> {
        if self.stage == Stage::Login && Instant::now() < self.since + self.options.timeout {
            return Ok(Some(self.since + self.options.timeout));
        }
        let is_whole = self.deliveries.take_due(&mut self.due);
        for key in self.due.drain(..) {
            self.acks.acknowledge(key, out);
        }
        if !is_whole {
            return Err(Broken::GaveUp);
        }
        let again_after = self.consumer.as_ref().map(|consumer| consumer.again_after);
        let work = again_after.and_then(|again_after| self.acks.show_work(again_after, out));
        let limit = match self.stage {
            Stage::Reading => self.request(room, out),
            _ => Some(self.since + self.options.timeout),
        };
        if limit.is_some_and(|limit| Instant::now() >= limit) {
            return Err(Broken::silent(self.options.timeout));
        }
        Ok(limit.into_iter().chain(work).min())
    }

    fn is_ready(&self) -> bool {
        self.stage == Stage::Reading
    }

    fn read_ahead_bytes(&self) -> usize {
        usize::MAX
    }

    fn end(&mut self, out: &mut Vec<u8>) {
        out.extend_from_slice(b"UNSUB 1\r\n");
    }

    fn deliveries(&self) -> &Deliveries {
        &self.deliveries
    }
}
