//! The login, and publications with their acknowledgements.
//!
//! In: rows, each a topic and a text. Out: a verdict for each, by its own acknowledgement. Holds: a connection.
//! Limits: `timeout()` for the next acknowledgement; [`WINDOW_OF_TWO`] publications at a time with `qos(2)`.
//! A row is delivered when the broker has acknowledged it; with `qos(0)`, which has no acknowledgements, when the broker has
//! answered the ping behind the batch, and so has read it.

use crate::link::{
    Endpoint,
    attempt::{self, Attempt, Kept, is_broken},
    dialogue::{ANSWER_BYTES_MAX, Breach, Dialogue, Link, LinkError},
    failure::Failure,
    open,
    verdicts::Verdicts,
};
use delivery::{Cell, Connection, Exchange, HoldReason, Judgement, Row, Verdict, Wait};
use std::{
    sync::Arc,
    time::{Duration, Instant},
};
use transport::mqtt::{self, MqttLogin, MqttQos, MqttSession, Packet, Refusal};

/// Publications at a time with `qos(2)`: brokers keep a state of each, and bound it. Mosquitto's limit is 20.
const WINDOW_OF_TWO: usize = 20;
/// Most publications at a time: each has a number of its own.
const WINDOW_MAX: usize = 65_535;

/// The part of a target that its connections share.
#[derive(Debug)]
pub(super) struct Shared {
    pub(super) server: Endpoint,
    pub(super) login: MqttLogin,
    pub(super) qos: MqttQos,
    pub(super) timeout: Duration,
}

/// A connection, or room for one.
pub(super) struct MqttConnection {
    shared: Arc<Shared>,
    open: Option<(Link, Instant)>,
}

/// Waits for the answer to a login.
struct Greeting {
    code: Option<u8>,
}

impl Dialogue for Greeting {
    fn take(&mut self, received: &[u8], _out: &mut Vec<u8>) -> Result<usize, Breach> {
        if self.code.is_some() {
            return Ok(0);
        }
        match mqtt::decode(received, ANSWER_BYTES_MAX)? {
            None => Ok(0),
            Some((Packet::Connected { code, .. }, size)) => {
                self.code = Some(code);
                Ok(size)
            }
            Some(_) => Err(Breach("it does not answer the login")),
        }
    }

    fn awaited(&self) -> usize {
        usize::from(self.code.is_none())
    }
}

/// Waits for acknowledgements.
struct Acknowledgements {
    /// Of the publications, by their numbers less one: what is settled.
    settled: Vec<bool>,
    /// Further packets that are to come.
    awaited: usize,
    qos: MqttQos,
    /// Publications that the broker was given leave to pass on.
    released: Vec<bool>,
}

impl Acknowledgements {
    fn new(qos: MqttQos, count: usize) -> Acknowledgements {
        let awaited = match qos {
            MqttQos::Nothing => 1,
            MqttQos::AtLeastOnce => count,
            MqttQos::ExactlyOnce => 2 * count,
        };
        Acknowledgements { settled: vec![false; count], awaited, qos, released: vec![false; count] }
    }

    /// Marks a publication, and says if it was not marked before.
    fn mark(marks: &mut [bool], number: u16, awaited: &mut usize) -> Result<(), Breach> {
        let place = usize::from(number).checked_sub(1);
        let mark = place.and_then(|place| marks.get_mut(place));
        let mark = mark.ok_or(Breach("it acknowledges what was not published"))?;
        *awaited -= usize::from(!*mark);
        *mark = true;
        Ok(())
    }
}

impl Dialogue for Acknowledgements {
    fn take(&mut self, received: &[u8], out: &mut Vec<u8>) -> Result<usize, Breach> {
        let mut used = 0;
        while let Some((packet, size)) = mqtt::decode(&received[used..], ANSWER_BYTES_MAX)? {
            used += size;
            match (packet, self.qos) {
                (Packet::Publication(_), _) => {}
                (Packet::Alive, MqttQos::Nothing) => {
                    self.settled.fill(true);
                    self.awaited = 0;
                }
                (Packet::Taken(number), MqttQos::AtLeastOnce) => {
                    Self::mark(&mut self.settled, number, &mut self.awaited)?;
                }
                (Packet::Received(number), MqttQos::ExactlyOnce) => {
                    Self::mark(&mut self.released, number, &mut self.awaited)?;
                    mqtt::release(number, out);
                }
                (Packet::Completed(number), MqttQos::ExactlyOnce) => {
                    let is_released =
                        usize::from(number).checked_sub(1).and_then(|place| self.released.get(place));
                    if is_released != Some(&true) {
                        return Err(Breach("it passes on what it has no leave for"));
                    }
                    Self::mark(&mut self.settled, number, &mut self.awaited)?;
                }
                _ => return Err(Breach("it acknowledges in another way than it was asked to")),
            }
        }
        Ok(used)
    }

    fn awaited(&self) -> usize {
        self.awaited
    }
}

impl MqttConnection {
    pub(super) fn new(shared: Arc<Shared>) -> MqttConnection {
        MqttConnection { shared, open: None }
    }

    async fn exchange(&mut self, rows: &[Row]) -> Vec<Judgement> {
        let window = if self.shared.qos == MqttQos::ExactlyOnce { WINDOW_OF_TWO } else { WINDOW_MAX };
        let mut verdicts = Verdicts::default();
        for part in rows.chunks(window) {
            let attempt = attempt::attempt(self, part).await;
            let (is_complete, failure) = (attempt.is_complete(), attempt.failure.clone());
            attempt.judge(&mut verdicts);
            if !is_complete {
                return verdicts.finish(rows.len(), Some(&failure));
            }
        }
        verdicts.finish(rows.len(), None)
    }
}

impl Kept for MqttConnection {
    fn is_open(&self) -> bool {
        self.open.is_some()
    }

    async fn attempt(&mut self, rows: &[Row]) -> Attempt {
        let mut acknowledgements = Acknowledgements::new(self.shared.qos, rows.len());
        let rested = Duration::from_secs(self.shared.login.keep_alive.into());
        let open = self.open.take().filter(|(_, used)| rested.is_zero() || used.elapsed() < rested);
        let opened = match open {
            Some((link, _)) => Ok(link),
            None => connect(&self.shared).await,
        };
        let mut link = match opened {
            Ok(link) => link,
            Err(failure) => return Attempt::not_connected(rows.len(), failure),
        };
        let mut out = Vec::new();
        for (number, row) in (1_u16..).zip(rows) {
            if let [Cell::Bytes(topic), Cell::Bytes(payload)] = row.cells.as_slice() {
                mqtt::publish(self.shared.qos, number, topic, payload, &mut out);
            }
        }
        if self.shared.qos == MqttQos::Nothing {
            out.extend_from_slice(&mqtt::PING);
        }
        let done = link.exchange(out, &mut acknowledgements, self.shared.timeout).await;
        if done.is_ok() {
            self.open = Some((link, Instant::now()));
        }
        let settled = acknowledgements.settled;
        let is_unheard = !settled.contains(&true) && is_broken(&done);
        let answers = settled.into_iter().map(|is_settled| is_settled.then_some(Ok(()))).collect();
        let answer = done.as_ref().err().map(LinkError::to_string).unwrap_or_default();
        Attempt { answers, is_unheard, failure: Failure { verdict: Verdict::Later(Wait::BackOff), answer } }
    }
}

/// Connects and logs in.
async fn connect(shared: &Shared) -> Result<Link, Failure> {
    let mut link = Link::new(open(&shared.server).await?);
    let mut greeting = Greeting { code: None };
    // What was not acknowledged at the end of a connection is published again, so the broker remembers nothing.
    let login = mqtt::connect(&shared.login, MqttSession::Clean);
    link.exchange(login, &mut greeting, shared.timeout).await?;
    match greeting.code {
        Some(0) => Ok(link),
        code => Err(match mqtt::refusal(code.unwrap_or_default()) {
            Refusal::Protocol(words) => held(HoldReason::Schema, words),
            Refusal::Login(words) => held(HoldReason::Credentials, words),
            Refusal::Later(words) => Failure::unreachable(words),
        }),
    }
}

fn held(reason: HoldReason, words: &str) -> Failure {
    Failure { verdict: Verdict::Hold(reason), answer: words.to_owned() }
}

impl Connection for MqttConnection {
    fn send<'a>(&'a mut self, _group: &'a str, rows: &'a [Row]) -> Exchange<'a> {
        Box::pin(self.exchange(rows))
    }

    fn close(&mut self) {
        self.open = None;
    }
}
