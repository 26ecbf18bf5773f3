//! Sessions over a network that cuts, delays and refuses: nothing is lost, and only that comes twice of which the
//! sender cannot know whether it arrived. Time is that of the network.

use super::super::*;
use crate::{
    driver::Driver,
    line::Line,
    options::{Rendering, SocketKind, SocketTarget},
    worker::retry::Retry,
};
use message::Ack;
use sim::{Fault, Peer, SimNetwork};
use transport::testing::{Text, delivery};

/// `time-reopen()`
const REOPEN: Duration = Duration::from_secs(60);
/// `response-timeout()`
const RESPONSE_WITHIN: Duration = Duration::from_secs(10);
const TEXTS: [&str; 4] = ["one", "two", "", "a longer message, the last of them"];

/// A receiver that answers everything.
struct Receiver {
    reader: RelpReader,
    input: Vec<u8>,
    /// Connection, text, and the offset in the answers of that connection at which its answer ends.
    received: Vec<(usize, String, usize)>,
    connections: usize,
    answered_bytes: usize,
    heard_bytes: usize,
}

impl Receiver {
    fn new() -> Receiver {
        Receiver {
            reader: RelpReader::new(1 << 20),
            input: Vec::new(),
            received: Vec::new(),
            connections: 0,
            answered_bytes: 0,
            heard_bytes: 0,
        }
    }
}

impl Peer for Receiver {
    fn accept(&mut self) {
        self.connections += 1;
        self.reader = RelpReader::new(1 << 20);
        self.input.clear();
        (self.answered_bytes, self.heard_bytes) = (0, 0);
    }

    fn hear(&mut self, bytes: &[u8]) -> Vec<u8> {
        self.heard_bytes += bytes.len();
        self.input.extend_from_slice(bytes);
        let mut answers = Vec::new();
        loop {
            let (frame, next) = self.reader.next(&self.input, 0).unwrap();
            let frame = frame.map(|frame| (frame.txnr, frame.command, self.input[frame.data].to_vec()));
            self.input.drain(..next);
            let Some((txnr, command, data)) = frame else { break };
            let text = String::from_utf8(data).unwrap();
            match command {
                RelpCommand::Open => {
                    let offers = format!("200 OK\n{text}");
                    append_relp(txnr, RelpCommand::Response, offers.as_bytes(), &mut answers);
                }
                RelpCommand::Syslog => {
                    append_relp(txnr, RelpCommand::Response, b"200 OK", &mut answers);
                    self.received.push((self.connections - 1, text, self.answered_bytes + answers.len()));
                }
                _ => {}
            }
        }
        self.answered_bytes += answers.len();
        answers
    }
}

/// Writes all texts over a network with faults. Returns it, and how long that took.
#[track_caller]
fn write(faults: &[Fault]) -> (SimNetwork<Receiver>, Duration) {
    let network = SimNetwork::new(Receiver::new(), faults.iter().copied());
    let socket = SocketTarget::new(SocketKind::Tcp("receiver".to_owned(), 2514));
    let target = RelpTarget { socket, response_within: RESPONSE_WITHIN };
    let relp = Relp::over(Box::new(network.clone()), target);
    let mut line = Line::new(relp, Rendering { template: Text::boxed("$MSG") });
    let messages = TEXTS.map(|text| format!("h|{text}"));
    let delivery = delivery(&messages.each_ref().map(String::as_str), Ack::none(), true);
    line.add(&delivery, &mut 0);
    let start = network.now();
    let mut retry = Retry::new(line.size(), start);
    while let Err(error) = line.flush() {
        assert!(network.now() - start < 100 * REOPEN, "it never ends: {error}");
        let failed = (error.kind(), line.size());
        network.advance_to(retry.next(failed, REOPEN, None, network.now()).unwrap());
    }
    assert_eq!(line.size(), 0);
    let took = network.now() - start;
    (network, took)
}

/// Checks that everything arrived in its order, and that nothing came again whose answer was read.
#[track_caller]
fn check(fault: Fault) {
    let (network, _) = write(&[fault]);
    let read = network.read();
    network.peer(|peer| {
        let mut arrived: Vec<&str> = Vec::new();
        for (index, (connection, text, answer_end)) in peer.received.iter().enumerate() {
            if !arrived.contains(&text.as_str()) {
                arrived.push(text);
            }
            let comes_again = peer.received[index + 1..].iter().any(|(_, later, _)| later == text);
            let is_known = *answer_end <= read[*connection];
            assert!(!(comes_again && is_known), "{text:?} came twice: {fault:?}");
        }
        assert_eq!(arrived, TEXTS.iter().filter(|text| !text.is_empty()).copied().collect::<Vec<_>>());
    });
}

#[test]
fn a_cut_after_any_byte_loses_nothing() {
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
fn a_receiver_that_is_away_is_tried_after_time_reopen() {
    let away = Fault { refused: true, ..Fault::default() };
    check_time(&[away], 2, REOPEN);
    check_time(&[away; 5], 6, 5 * REOPEN);
}

#[test]
fn silence_ends_a_session_and_slowness_does_not() {
    let slow = Fault { delay: RESPONSE_WITHIN / 2, ..Fault::default() };
    check_time(&[slow], 1, RESPONSE_WITHIN);
    let silent = Fault { delay: 2 * RESPONSE_WITHIN, ..Fault::default() };
    check_time(&[silent], 2, RESPONSE_WITHIN + REOPEN);
}

#[test]
fn a_receiver_that_had_answered_is_tried_again_at_once() {
    let (network, _) = write(&[]);
    // The answers to the hello and to the first message.
    let first = network.peer(|peer| peer.received[0].2);
    check_time(&[Fault { answered_bytes_max: first, ..Fault::default() }], 2, Duration::ZERO);
}
