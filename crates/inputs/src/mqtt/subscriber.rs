//! The client of a broker: login, subscription, acknowledgements.
//!
//! In: packets. Out: messages; packets. Holds: what is not acknowledged, and numbers that the broker has not released.
//! Limits: `timeout` for an answer. A publication is acknowledged (PUBACK, PUBREC) when its destinations have it, never before;
//! the broker bounds how many it sends without that.

use super::{options::MqttSource, packets::Packets};
use crate::broker::{
    Arrival, Attempt, Broken, Broker, Deliveries, Forwarder, Messages, Protocol, WindowState, read_broker,
};
use intake::InputTask;
use std::{
    future::Future,
    hash::{BuildHasher, RandomState},
    time::{Duration, Instant},
};
use transport::{
    InternalLog,
    endpoint::{Breach, Wire, until_deadline},
    mqtt::{self, MqttQos, MqttSession, Packet, Publication, Refusal, TOPIC_BYTES_MAX},
};

/// The value that has the name of the topic.
const TOPIC: &str = "MQTT_TOPIC";
/// The number of our subscription.
const SUBSCRIPTION: u16 = 1;
/// Bit of the key of a publication that is acknowledged in four steps.
const TWICE: u64 = 1 << 16;
/// Bytes of a publication besides topic and text.
const FIELD_BYTES: usize = 4;

/// Reads a topic until it is stopped.
pub(super) fn subscribe(options: MqttSource, task: InputTask) -> impl Future<Output = ()> + Send + 'static {
    let broker = Broker {
        transport: "mqtt",
        reopen_after: options.reopen_after,
        fails: "Cannot read topics of MQTT, trying again",
        works: "Topics of MQTT are read again",
    };
    read_broker(Subscriber::new(options, task.log.clone()), broker, task)
}

/// A client.
pub(super) struct Subscriber {
    options: MqttSource,
    log: InternalLog,
    deliveries: Deliveries,
    packets: Packets,
    stage: Stage,
    /// When the stage began.
    since: Instant,
    /// When the broker was last asked whether it is there.
    pinged: Instant,
    /// Until then it has to answer.
    answers_by: Option<Instant>,
    fingerprints: RandomState,
    due: Vec<u64>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Stage {
    Login,
    Subscribing,
    Reading,
}

impl Subscriber {
    pub(super) fn new(options: MqttSource, log: InternalLog) -> Subscriber {
        let now = Instant::now();
        Subscriber {
            options,
            log,
            deliveries: Deliveries::default(),
            packets: Packets::default(),
            stage: Stage::Login,
            since: now,
            pinged: now,
            answers_by: None,
            fingerprints: RandomState::new(),
            due: Vec::new(),
        }
    }

    fn set_stage(&mut self, stage: Stage) {
        self.stage = stage;
        self.since = Instant::now();
    }

    fn connected(&mut self, code: u8, out: &mut Vec<u8>) -> Result<(), Broken> {
        if code != 0 {
            return Err(match mqtt::refusal(code) {
                Refusal::Protocol(words) | Refusal::Login(words) => Broken::Refused(words.to_owned()),
                Refusal::Later(words) => Broken::Lost(words.to_owned()),
            });
        }
        // Also when it has a session: that of a broker that crashed may be older than the subscription.
        mqtt::subscribe(SUBSCRIPTION, &self.options.topic, self.options.qos, out);
        self.set_stage(Stage::Subscribing);
        Ok(())
    }

    fn subscribed(&mut self, granted: Option<MqttQos>, id: &str) -> Result<(), Broken> {
        let topic = &self.options.topic;
        let Some(granted) = granted else {
            return Err(Broken::Refused(format!(
                "the broker refuses the subscription to topic(\"{topic}\")"
            )));
        };
        if granted.level() < self.options.qos.level() {
            self.log.warning(&format!(
                "The broker acknowledges less than qos() asks for; id='{id}', topic='{topic}', qos='{}', granted='{}'",
                self.options.qos.level(),
                granted.level()
            ));
        }
        self.set_stage(Stage::Reading);
        Ok(())
    }

    fn publication(
        &self,
        found: Publication<'_>,
        messages: &mut Messages,
        feed: &mut Forwarder,
    ) -> Result<(), Breach> {
        if found.qos != MqttQos::Nothing {
            let fingerprint = self.fingerprints.hash_one((found.topic, found.payload));
            let attempt = if found.is_repeated { Attempt::Repeated } else { Attempt::First };
            match self.deliveries.arrive(key(found.qos, found.number), fingerprint, attempt) {
                Arrival::New(ticket) => messages.add_ticket(ticket),
                Arrival::Known => return Ok(()),
                Arrival::Clash => return Err(Breach("two publications have one number")),
            }
        }
        messages.push(feed, found.payload);
        messages.add_value(TOPIC, b"", found.topic);
        Ok(())
    }

    /// Reads one packet.
    fn packet(
        &mut self,
        packet: Packet<'_>,
        messages: &mut Messages,
        feed: &mut Forwarder,
        out: &mut Vec<u8>,
    ) -> Result<(), Broken> {
        match (packet, self.stage) {
            (Packet::Connected { code, has_session }, Stage::Login) => {
                if !has_session || self.options.session == MqttSession::Clean {
                    self.deliveries.restart();
                }
                self.connected(code, out)?
            }
            (_, Stage::Login) => return Err(Breach("it does not answer the login").into()),
            (Packet::Subscribed(granted), Stage::Subscribing) => {
                self.subscribed(granted, &feed.reader.settings().id)?
            }
            (Packet::Publication(found), _) => self.publication(found, messages, feed)?,
            (Packet::Released(number), _) => {
                self.deliveries.forget(key(MqttQos::ExactlyOnce, number));
                mqtt::complete(number, out);
            }
            (Packet::Alive, _) => self.answers_by = None,
            _ => return Err(Breach("it answers what was not said").into()),
        }
        Ok(())
    }

    /// Asks whether the broker is there, and looks whether it answered. One whose answer is not read yet has time.
    fn ask(&mut self, room: WindowState, out: &mut Vec<u8>) -> Result<Option<Instant>, Broken> {
        let now = Instant::now();
        let every = Duration::from_secs(self.options.login.keep_alive.into());
        if every.is_zero() {
            return Ok(None);
        }
        if now >= self.pinged + every {
            self.pinged = now;
            out.extend_from_slice(&mqtt::PING);
            self.answers_by.get_or_insert(now + self.options.timeout);
        }
        match self.answers_by {
            Some(_) if room == WindowState::Full => self.answers_by = Some(now + self.options.timeout),
            Some(limit) if now >= limit => return Err(Broken::silent(self.options.timeout)),
            _ => {}
        }
        let next = self.pinged + every;
        Ok(Some(self.answers_by.map_or(next, |limit| limit.min(next))))
    }
}

/// Names a publication until it is acknowledged.
fn key(qos: MqttQos, number: u16) -> u64 {
    u64::from(number) | if qos == MqttQos::ExactlyOnce { TWICE } else { 0 }
}

impl Protocol for Subscriber {
    async fn open(&mut self, feed: &Forwarder) -> Result<Box<dyn Wire>, Broken> {
        // A reload may have read certificates again.
        if let Some(options) = feed.reader.settings().input::<MqttSource>() {
            self.options = options.clone();
        }
        let server = self.options.server.clone();
        Ok(server.open(until_deadline).await?)
    }

    fn begin(&mut self, out: &mut Vec<u8>) {
        self.packets = Packets::default();
        self.deliveries.resume();
        self.answers_by = None;
        self.pinged = Instant::now();
        self.set_stage(Stage::Login);
        out.extend_from_slice(&mqtt::connect(&self.options.login, self.options.session));
    }

    fn take(
        &mut self,
        received: &mut Vec<u8>,
        feed: &mut Forwarder,
        out: &mut Vec<u8>,
    ) -> Result<(), Broken> {
        let rest_max = feed.reader.value_bytes_max() + TOPIC_BYTES_MAX + FIELD_BYTES;
        let mut packets = std::mem::take(&mut self.packets);
        let (mut messages, mut used, mut end) = (Messages::default(), 0, Ok(()));
        while end.is_ok() {
            end = match packets.next(received, used, rest_max) {
                Ok(Some((packet, after))) => {
                    used = after;
                    self.packet(packet, &mut messages, feed, out)
                }
                Ok(None) => break,
                Err(breach) => Err(breach.into()),
            };
        }
        self.packets = packets;
        received.drain(..used);
        // Also when the broker said something wrong behind them: they have numbers of a connection that ends.
        messages.forward(feed, &self.deliveries);
        end
    }

    fn turn(&mut self, room: WindowState, out: &mut Vec<u8>) -> Result<Option<Instant>, Broken> {
        let is_whole = self.deliveries.take_due(&mut self.due);
        for key in self.due.drain(..) {
            let number = (key & 0xffff) as u16;
            match key & TWICE {
                0 => {
                    mqtt::acknowledge(number, out);
                    self.deliveries.forget(key);
                }
                // The number is the broker's until it releases it.
                _ => mqtt::receive(number, out),
            }
        }
        if !is_whole {
            return Err(Broken::GaveUp);
        }
        if self.stage != Stage::Reading {
            let limit = self.since + self.options.timeout;
            // With a full window the answer may be there, unread.
            if Instant::now() >= limit && room == WindowState::Free {
                return Err(Broken::silent(self.options.timeout));
            }
            return Ok((room == WindowState::Free).then_some(limit));
        }
        self.ask(room, out)
    }

    fn is_ready(&self) -> bool {
        self.stage == Stage::Reading
    }

    fn read_ahead_bytes(&self) -> usize {
        0
    }

    fn end(&mut self, out: &mut Vec<u8>) {
        out.extend_from_slice(&mqtt::DISCONNECT);
    }

    fn deliveries(&self) -> &Deliveries {
        &self.deliveries
    }
}
