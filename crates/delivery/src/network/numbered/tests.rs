//! A sender over a network that cuts, delays and refuses: every message arrives once and in order. Time is that of the
//! network.

use super::*;
use crate::{
    options::{SocketKind, SocketTarget},
    worker::retry::Retry,
};
use message::{Ack, Outcome, RecordId};
use sim::{Fault, Peer, SimNetwork};
use sltp::{Connection, NoPositions, ReceiverOptions, SenderOptions, Step, Streams};
use transport::{
    Registry,
    testing::{Text, delivery, token},
};
use wire::sltp::Level;

/// `time-reopen()`
pub(super) const REOPEN: Duration = Duration::from_secs(60);
/// `response-timeout()`
pub(super) const RESPONSE_WITHIN: Duration = Duration::from_secs(10);
pub(super) const TEXTS: [&str; 5] = ["one", "two", "", "a longer message", "the last of them"];

/// A receiver that acknowledges everything at once.
pub(super) struct Receiver {
    streams: Streams,
    connection: Option<Connection>,
    input: Vec<u8>,
    pub(super) received: Vec<String>,
    pub(super) gaps: u64,
    severities: [u64; SEVERITIES],
    connections: usize,
    heard_bytes: usize,
    answered_bytes: usize,
}

impl Receiver {
    pub(super) fn new() -> Receiver {
        Receiver {
            streams: Streams::new(Box::new(NoPositions)),
            connection: None,
            input: Vec::new(),
            received: Vec::new(),
            gaps: 0,
            severities: [0; SEVERITIES],
            connections: 0,
            heard_bytes: 0,
            answered_bytes: 0,
        }
    }
}

impl Peer for Receiver {
    fn accept(&mut self) {
        let options = ReceiverOptions {
            tokens: Vec::new(),
            level: Level::Durable,
            window_bytes: 300,
            message_bytes_max: 100,
            frame_bytes_max: 1000,
            software: "test".to_owned(),
        };
        self.connections += 1;
        self.input.clear();
        (self.heard_bytes, self.answered_bytes) = (0, 0);
        self.connection = Some(Connection::new(options, &self.streams, "", Arc::new(|| {})));
    }

    fn hear(&mut self, bytes: &[u8]) -> Vec<u8> {
        self.heard_bytes += bytes.len();
        self.input.extend_from_slice(bytes);
        let connection = self.connection.as_mut().unwrap();
        let mut at = 0;
        while let Some((step, end)) = connection.read(&self.input, at, Vec::with_capacity).unwrap() {
            at = end;
            match step {
                Step::Messages(arrival) => {
                    for item in &arrival.items {
                        let text = String::from_utf8(arrival.body[item.range.clone()].to_vec()).unwrap();
                        self.received.push(text);
                    }
                    arrival.ticket.complete(Outcome::Done);
                }
                Step::Gap(gap) => {
                    self.gaps += gap.count;
                    self.severities.iter_mut().zip(gap.severities).for_each(|(sum, count)| *sum += count);
                }
                Step::Nothing | Step::Opened { .. } | Step::Over => {}
            }
        }
        self.input.drain(..at);
        let answers = std::mem::take(connection.answer().unwrap());
        self.answered_bytes += answers.len();
        answers
    }
}

pub(super) fn target() -> SltpTarget {
    let options = SenderOptions {
        sender: "a".to_owned(),
        level: Level::Durable,
        token: Vec::new(),
        compression: None,
        batch_bytes: 1000,
        batch_messages: 2,
        window_bytes: 200,
        software: "test".to_owned(),
    };
    let socket = SocketTarget::new(SocketKind::Tcp("receiver".to_owned(), 2515));
    SltpTarget { socket, options, response_within: RESPONSE_WITHIN, fallback: None }
}

fn driver(network: &SimNetwork<Receiver>) -> Numbered {
    let counters = Registry::default().register("dst.sltp", "d#0", "x");
    let rendering = Rendering { template: Text::boxed("$MSG") };
    let reports = ("d#0".to_owned(), InternalLog::new("test", None), counters);
    Numbered::over((Box::new(network.clone()), None), target(), rendering, (reports, 0))
}

pub(super) fn add(driver: &mut Numbered, texts: &[&str], first: Option<u64>, ack: Ack) {
    let messages: Vec<String> = texts.iter().map(|text| format!("h|{text}")).collect();
    let messages: Vec<&str> = messages.iter().map(String::as_str).collect();
    let mut delivery = delivery(&messages, ack, true);
    delivery.first = first.map(|sequence| RecordId { incarnation: 7, sequence });
    driver.add(&delivery, &mut 0);
}

/// Works until everything is acknowledged.
#[track_caller]
pub(super) fn finish<P: Peer + 'static>(driver: &mut Numbered, network: &SimNetwork<P>) {
    let start = network.now();
    while driver.unsettled() > 0 {
        assert!(network.now() - start < 100 * REOPEN, "it never ends");
        let mut retry = Retry::new(driver.size(), network.now());
        if let Err(error) = driver.flush() {
            let failed = (error.kind(), driver.size());
            network.advance_to(retry.next(failed, REOPEN, None, network.now()).unwrap());
        }
    }
}

/// Writes all texts over a network with faults. Returns it, and how long that took.
#[track_caller]
fn write(faults: &[Fault]) -> (SimNetwork<Receiver>, Duration) {
    let network = SimNetwork::new(Receiver::new(), faults.iter().copied());
    let start = network.now();
    let mut driver = driver(&network);
    let (ack, outcome) = token();
    add(&mut driver, &TEXTS, Some(5), ack);
    finish(&mut driver, &network);
    assert_eq!(*outcome.lock().unwrap(), Some(Outcome::Done));
    let settled = driver.take_settled();
    assert_eq!((settled.delivered, driver.size()), (TEXTS.len(), 0));
    let took = network.now() - start;
    (network, took)
}

#[track_caller]
fn check(fault: Fault) {
    let (network, _) = write(&[fault]);
    network.peer(|peer| assert_eq!(peer.received, TEXTS, "{fault:?}"));
}

#[test]
fn a_cut_after_any_byte_loses_and_doubles_nothing() {
    let (network, took) = write(&[]);
    let (sent, answered) = network.peer(|peer| (peer.heard_bytes, peer.answered_bytes));
    assert_eq!((network.dialled(), took), (1, Duration::ZERO));
    for piece_bytes in [usize::MAX, 1, 7] {
        let whole = Fault { piece_bytes, ..Fault::default() };
        (0..sent).for_each(|sent_bytes_max| check(Fault { sent_bytes_max, ..whole }));
        (0..answered).for_each(|answered_bytes_max| check(Fault { answered_bytes_max, ..whole }));
    }
}

/// Checks how long it takes to write over connections with these faults, and how many there are.
#[track_caller]
fn check_time(faults: &[Fault], dialled: usize, want: Duration) {
    let (network, took) = write(faults);
    assert_eq!(network.dialled(), dialled);
    assert!((want..want + Duration::from_secs(1)).contains(&took), "{took:?}");
}

#[test]
fn a_receiver_that_is_away_or_silent_is_tried_after_time_reopen() {
    let away = Fault { refused: true, ..Fault::default() };
    check_time(&[away], 2, REOPEN);
    check_time(&[away; 5], 6, 5 * REOPEN);
    let silent = Fault { delay: 2 * RESPONSE_WITHIN, ..Fault::default() };
    check_time(&[silent], 2, RESPONSE_WITHIN + REOPEN);
}

#[test]
fn messages_with_and_without_numbers_of_a_queue_go_in_one_connection() {
    let network = SimNetwork::new(Receiver::new(), std::iter::empty());
    let mut driver = driver(&network);
    add(&mut driver, &["one"], Some(5), Ack::none());
    finish(&mut driver, &network);
    // A new stream: the connection is made again. Then the numbers 6 to 8 are missing.
    add(&mut driver, &["mark"], None, Ack::none());
    add(&mut driver, &["two"], Some(9), Ack::none());
    finish(&mut driver, &network);
    network.peer(|peer| {
        assert_eq!(peer.received, ["one", "mark", "two"]);
        assert_eq!((peer.connections, peer.gaps), (2, 3));
    });
}

#[test]
fn what_the_queue_dropped_is_told() {
    let network = SimNetwork::new(Receiver::new(), std::iter::empty());
    let mut driver = driver(&network);
    add(&mut driver, &["one"], None, Ack::none());
    finish(&mut driver, &network);
    driver.counters.add_shed(&[0, 0, 1, 0, 0, 0, 3, 0]);
    for text in ["two", "three"] {
        add(&mut driver, &[text], None, Ack::none());
        finish(&mut driver, &network);
    }
    network.peer(|peer| assert_eq!((peer.gaps, peer.severities), (4, [0, 0, 1, 0, 0, 0, 3, 0])));
}

#[test]
fn what_is_given_up_fails_its_token() {
    let network = SimNetwork::new(Receiver::new(), std::iter::empty());
    let mut driver = driver(&network);
    let (ack, outcome) = token();
    add(&mut driver, &TEXTS, None, ack);
    assert_eq!(driver.abandon(), TEXTS.len());
    assert_eq!(*outcome.lock().unwrap(), Some(Outcome::Failed));
    assert_eq!((driver.unsettled(), driver.size()), (0, 0));
}

#[test]
fn a_connection_that_rests_lives_on_signs_of_life() {
    let network = SimNetwork::new(Receiver::new(), std::iter::empty());
    let mut driver = driver(&network);
    add(&mut driver, &["one"], None, Ack::none());
    finish(&mut driver, &network);
    for _ in 0..20 {
        network.advance_to(driver.next_tick().expect("it asks for signs of life"));
        driver.tick(network.now());
    }
    add(&mut driver, &["two"], None, Ack::none());
    finish(&mut driver, &network);
    assert_eq!(network.dialled(), 1);
    // Without any, it ends.
    network.advance_to(network.now() + GONE_AFTER);
    driver.tick(network.now());
    assert_eq!(driver.next_tick(), None);
}
