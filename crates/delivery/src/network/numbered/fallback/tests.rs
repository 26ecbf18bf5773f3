//! A receiver that speaks RELP, SLTP, or nothing, over a network that cuts: nothing is lost, and only that comes twice of
//! which a sender of RELP cannot know whether it arrived.

use super::{
    super::{
        Numbered,
        tests::{REOPEN, RESPONSE_WITHIN, Receiver, TEXTS, add, finish, target},
    },
    Fallback,
};
use crate::{
    driver::Driver,
    options::{RelpTarget, Rendering, SltpTarget, SocketKind, SocketTarget},
};
use message::{Ack, Outcome};
use sim::{Fault, Peer, SimNetwork};
use std::sync::{
    Arc,
    atomic::{AtomicU8, Ordering},
};
use transport::{
    Dial, InternalLog, Registry,
    testing::{Text, token},
};
use wire::{RelpCommand, RelpReader, append_relp};

const SPEAKS_RELP: u8 = 0;
const SPEAKS_SLTP: u8 = 1;
const REFUSES: u8 = 2;

/// A receiver whose protocol changes.
struct Changing {
    speaks: Arc<AtomicU8>,
    /// That of this connection.
    spoken: u8,
    sltp: Receiver,
    relp: RelpReader,
    input: Vec<u8>,
    /// Messages that came over RELP.
    received: Vec<String>,
    heard_bytes: usize,
    answered_bytes: usize,
}

impl Peer for Changing {
    fn accept(&mut self) {
        self.spoken = self.speaks.load(Ordering::Relaxed);
        self.sltp.accept();
        self.relp = RelpReader::new(1 << 20);
        self.input.clear();
        (self.heard_bytes, self.answered_bytes) = (0, 0);
    }

    fn hear(&mut self, bytes: &[u8]) -> Vec<u8> {
        match self.spoken {
            SPEAKS_SLTP => self.sltp.hear(bytes),
            SPEAKS_RELP => self.hear_relp(bytes),
            _ => Vec::new(),
        }
    }
}

impl Changing {
    fn hear_relp(&mut self, bytes: &[u8]) -> Vec<u8> {
        self.heard_bytes += bytes.len();
        self.input.extend_from_slice(bytes);
        let mut answers = Vec::new();
        loop {
            // As rsyslog does.
            let Ok((frame, next)) = self.relp.next(&self.input, 0) else {
                return b"0 serverclose 0\n".to_vec();
            };
            let frame = frame.map(|frame| (frame.txnr, frame.command, self.input[frame.data].to_vec()));
            self.input.drain(..next);
            let Some((txnr, command, data)) = frame else { break };
            let mut answer = b"200 OK\n".to_vec();
            match command {
                RelpCommand::Open => answer.extend_from_slice(&data),
                RelpCommand::Syslog => self.received.push(String::from_utf8(data).unwrap()),
                _ => {}
            }
            append_relp(txnr, RelpCommand::Response, &answer, &mut answers);
        }
        self.answered_bytes += answers.len();
        answers
    }
}

/// A destination, and its receiver on one port, or on two.
fn pair(
    ports: [u16; 2],
    compression: Option<i32>,
    faults: &[Fault],
) -> (Numbered, SimNetwork<Changing>, Arc<AtomicU8>) {
    let speaks = Arc::new(AtomicU8::new(SPEAKS_RELP));
    let peer = Changing {
        speaks: speaks.clone(),
        spoken: SPEAKS_RELP,
        sltp: Receiver::new(),
        relp: RelpReader::new(1 << 20),
        input: Vec::new(),
        received: Vec::new(),
        heard_bytes: 0,
        answered_bytes: 0,
    };
    let network = SimNetwork::new(peer, faults.iter().copied());
    let [sltp, relp] = ports.map(|port| SocketTarget::new(SocketKind::Tcp("receiver".to_owned(), port)));
    let relp = RelpTarget { socket: relp, response_within: RESPONSE_WITHIN };
    let mut target = SltpTarget { socket: sltp, ..target() };
    (target.options.compression, target.options.batch_messages) = (compression, 3);
    let fallback = Fallback::over(Box::new(network.clone()), relp, &target.socket);
    let counters = Registry::default().register("dst.sltp", "d#0", "x");
    let reports = ("d#0".to_owned(), InternalLog::new("test", None), counters);
    let rendering = Rendering { template: Text::boxed("$MSG") };
    let dials: (Box<dyn Dial>, _) = (Box::new(network.clone()), Some(fallback));
    (Numbered::over(dials, target, rendering, (reports, 0)), network, speaks)
}

/// Returns the messages that an empty one is not: RELP does not carry it.
fn not_empty() -> Vec<&'static str> {
    TEXTS.into_iter().filter(|text| !text.is_empty()).collect()
}

fn reported(driver: &Numbered) -> Vec<String> {
    driver.log.take(10).0.iter().map(|entry| format!("{entry:?}")).collect()
}

#[test]
fn a_receiver_without_sltp_gets_messages_over_relp() {
    for compression in [None, Some(3)] {
        let (mut driver, network, _) = pair([1, 1], compression, &[]);
        for sequence in [5, 50] {
            // Between the two, numbers of the queue are missing: nobody can be told.
            let (ack, outcome) = token();
            add(&mut driver, &TEXTS, Some(sequence), ack);
            finish(&mut driver, &network);
            assert_eq!(*outcome.lock().unwrap(), Some(Outcome::Done));
            assert_eq!((driver.take_settled().delivered, driver.size()), (TEXTS.len(), 0));
        }
        network.peer(|peer| assert_eq!(peer.received, [not_empty(), not_empty()].concat()));
        assert_eq!(driver.counters.written_by_fallback.load(Ordering::Relaxed), 2 * TEXTS.len() as u64);
        // One attempt with SLTP, one session; one report.
        assert_eq!(network.dialled(), 2);
        let reported = reported(&driver);
        assert_eq!(reported.len(), 1, "{reported:?}");
        assert!(reported[0].contains("does not speak SLTP, messages go over RELP"), "{reported:?}");
    }
}

#[test]
fn a_cut_repeats_only_what_had_no_answer() {
    let (mut driver, network, _) = pair([1, 1], None, &[]);
    add(&mut driver, &TEXTS, Some(5), Ack::none());
    finish(&mut driver, &network);
    let (heard, answered) = network.peer(|peer| (peer.heard_bytes, peer.answered_bytes));
    let whole = Fault::default();
    let cuts = (0..heard).map(|sent_bytes_max| Fault { sent_bytes_max, ..whole });
    for fault in cuts.chain((0..answered).map(|answered_bytes_max| Fault { answered_bytes_max, ..whole })) {
        for after in [SPEAKS_RELP, SPEAKS_SLTP] {
            let (mut driver, network, speaks) = pair([1, 1], Some(3), &[whole, fault]);
            add(&mut driver, &TEXTS, Some(5), Ack::none());
            let first = driver.flush();
            speaks.store(after, Ordering::Relaxed);
            finish(&mut driver, &network);
            assert_eq!(driver.take_settled().delivered, TEXTS.len());
            network.peer(|peer| {
                let there: Vec<&String> = peer.received.iter().chain(&peer.sltp.received).collect();
                for text in not_empty() {
                    let times = there.iter().filter(|there| **there == text).count();
                    // Twice, if the answer was cut off.
                    assert!((1..=2).contains(&times), "{text}, {times} times: {fault:?}, {first:?}");
                }
            });
        }
    }
}

#[test]
fn a_receiver_that_learns_sltp_gets_it_with_the_next_connection() {
    // The session of RELP is cut; nothing is on its way then.
    let (mut driver, network, speaks) = pair([1, 1], None, &[]);
    add(&mut driver, &["one"], Some(5), Ack::none());
    finish(&mut driver, &network);
    speaks.store(SPEAKS_SLTP, Ordering::Relaxed);
    driver.reopen();
    add(&mut driver, &["two", "three"], Some(6), Ack::none());
    finish(&mut driver, &network);
    network.peer(|peer| {
        assert_eq!(peer.received, ["one"]);
        assert_eq!(peer.sltp.received, ["two", "three"]);
    });
    let reported = reported(&driver);
    assert!(reported.len() == 2 && reported[1].contains("speaks SLTP again"), "{reported:?}");
    // And back: what is not acknowledged goes over RELP, once.
    speaks.store(SPEAKS_RELP, Ordering::Relaxed);
    driver.reopen();
    add(&mut driver, &["four"], Some(8), Ack::none());
    finish(&mut driver, &network);
    network.peer(|peer| assert_eq!(peer.received, ["one", "four"]));
    // In SLTP the stream goes on after what it did not see.
    speaks.store(SPEAKS_SLTP, Ordering::Relaxed);
    driver.reopen();
    add(&mut driver, &["five"], Some(9), Ack::none());
    finish(&mut driver, &network);
    network
        .peer(|peer| assert_eq!((&peer.sltp.received[2..], peer.sltp.gaps), (&["five".to_owned()][..], 0)));
}

#[test]
fn a_receiver_that_is_away_is_not_taken_for_another() {
    let away = Fault { refused: true, ..Fault::default() };
    // On one port nobody is asked for RELP.
    let (mut driver, network, speaks) = pair([1, 1], None, &[away]);
    speaks.store(SPEAKS_SLTP, Ordering::Relaxed);
    add(&mut driver, &["one"], Some(5), Ack::none());
    driver.flush().unwrap_err();
    assert_eq!(network.dialled(), 1);
    finish(&mut driver, &network);
    network.peer(|peer| assert_eq!((peer.received.len(), peer.sltp.received.len()), (0, 1)));
    // One that closes without a word may be either; neither protocol is answered.
    let silent = Fault { answered_bytes_max: 0, ..Fault::default() };
    let (mut driver, network, speaks) = pair([1, 1], None, &[silent, silent]);
    speaks.store(REFUSES, Ordering::Relaxed);
    add(&mut driver, &["one"], Some(5), Ack::none());
    let error = driver.flush().unwrap_err().to_string();
    assert!(error.contains("over RELP"), "{error}");
    assert_eq!((network.dialled(), driver.unsettled()), (2, 1));
}

#[test]
fn another_port_of_relp_is_tried_when_that_of_sltp_is_closed() {
    let away = Fault { refused: true, ..Fault::default() };
    let (mut driver, network, speaks) = pair([1, 2], None, &[away]);
    add(&mut driver, &["one"], Some(5), Ack::none());
    finish(&mut driver, &network);
    network.peer(|peer| assert_eq!(peer.received, ["one"]));
    // A receiver of SLTP that was there a moment ago is waited for: it may have messages without an acknowledgement.
    speaks.store(SPEAKS_SLTP, Ordering::Relaxed);
    driver.reopen();
    add(&mut driver, &["two"], Some(6), Ack::none());
    finish(&mut driver, &network);
    driver.reopen();
    speaks.store(SPEAKS_RELP, Ordering::Relaxed);
    let dialled = network.dialled();
    let (mut driver, network) = (driver, network);
    add(&mut driver, &["three"], Some(7), Ack::none());
    let error = super::OpenError::Connect(std::io::ErrorKind::ConnectionRefused.into());
    driver.fall_back(error).unwrap_err();
    assert_eq!(network.dialled(), dialled);
    // Later it is gone for good.
    network.advance_to(network.now() + REOPEN);
    let error = super::OpenError::Connect(std::io::ErrorKind::ConnectionRefused.into());
    driver.fall_back(error).unwrap();
    finish(&mut driver, &network);
    network.peer(|peer| assert_eq!((peer.received.len(), peer.sltp.received.len()), (2, 1)));
}
