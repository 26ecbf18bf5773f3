//! A receiver of RELP with prepared answers: in time, late, out of order, not at all, with refusals.

mod cuts;

use super::*;
use crate::{
    SocketTarget,
    testing::{Setup, accept, spec, tcp_to},
};
use message::{Outcome, WriteBudget};
use std::{
    io::{Read, Write},
    net::{TcpListener, TcpStream},
    sync::atomic::Ordering,
};
use transport::testing::{delivery, eventually, token};

/// One accepted session.
struct Receiver {
    stream: TcpStream,
    reader: RelpReader,
    input: Vec<u8>,
}

impl Receiver {
    /// Accepts a connection and answers its `open`.
    #[track_caller]
    fn opened(listener: &TcpListener) -> Receiver {
        let reader = RelpReader::new(1 << 20);
        let mut receiver = Receiver { stream: accept(listener), reader, input: Vec::new() };
        let (txnr, command, data) = receiver.frame();
        assert_eq!((txnr, command), (1, RelpCommand::Open));
        assert!(data.contains("relp_version=0\n") && data.contains("\ncommands=syslog"), "{data}");
        receiver.answer(1, &format!("200 OK\n{data}"));
        receiver
    }

    #[track_caller]
    fn frame(&mut self) -> (u32, RelpCommand, String) {
        loop {
            let (frame, next) = self.reader.next(&self.input, 0).unwrap();
            if let Some(frame) = frame {
                let data = String::from_utf8_lossy(&self.input[frame.data.clone()]).into_owned();
                self.input.drain(..next);
                return (frame.txnr, frame.command, data);
            }
            self.input.drain(..next);
            let mut part = [0; 4096];
            let size = self.stream.read(&mut part).unwrap();
            assert!(size > 0, "the sender closed");
            self.input.extend_from_slice(&part[..size]);
        }
    }

    #[track_caller]
    fn check_message(&mut self, want: &str) -> u32 {
        let (txnr, command, data) = self.frame();
        assert_eq!((command, data.as_str()), (RelpCommand::Syslog, want));
        txnr
    }

    fn answer(&mut self, txnr: u32, text: &str) {
        let mut out = Vec::new();
        append_relp(txnr, RelpCommand::Response, text.as_bytes(), &mut out);
        self.stream.write_all(&out).unwrap();
    }
}

fn listener() -> TcpListener {
    TcpListener::bind("127.0.0.1:0").unwrap()
}

fn setup(listener: &TcpListener, within: Duration) -> Setup {
    let target = RelpTarget { socket: tcp_to(listener), response_within: within };
    Setup::new(spec(DestinationDriver::Relp(target), "$MSG"))
}

#[test]
fn a_message_is_written_when_it_is_answered() {
    let listener = listener();
    let setup = setup(&listener, Duration::from_secs(10));
    let (ack, seen) = token();
    setup.outlet.deliver(delivery(&["h|one", "h|", "h|two"], ack, true), &WriteBudget::none());
    let mut receiver = Receiver::opened(&listener);
    let first = receiver.check_message("one");
    let second = receiver.check_message("two");
    assert_eq!((first, second), (2, 3));
    receiver.answer(second, "200 OK");
    assert_eq!(*seen.lock().unwrap(), None);
    receiver.answer(first, "200 OK");
    eventually("the token comes back", || *seen.lock().unwrap() == Some(Outcome::Done));
    assert_eq!(setup.registry.list()[0].written.load(Ordering::Relaxed), 3);
}

#[test]
fn what_was_not_answered_is_sent_again() {
    let listener = listener();
    let setup = setup(&listener, Duration::from_secs(10));
    let (ack, seen) = token();
    setup.outlet.deliver(delivery(&["h|one", "h|two", "h|three"], ack, true), &WriteBudget::none());
    let mut receiver = Receiver::opened(&listener);
    let first = receiver.check_message("one");
    receiver.check_message("two");
    receiver.answer(first, "200 OK");
    drop(receiver);
    let mut receiver = Receiver::opened(&listener);
    for want in ["two", "three"] {
        let txnr = receiver.check_message(want);
        assert_eq!(*seen.lock().unwrap(), None);
        receiver.answer(txnr, "200 OK");
    }
    eventually("the token comes back", || *seen.lock().unwrap() == Some(Outcome::Done));
}

#[test]
fn at_most_a_window_is_on_its_way() {
    let listener = listener();
    let setup = setup(&listener, Duration::from_secs(10));
    let messages: Vec<String> = (0..RELP_WINDOW + 1).map(|number| format!("h|m{number}")).collect();
    setup.send(&messages.iter().map(String::as_str).collect::<Vec<_>>());
    let mut receiver = Receiver::opened(&listener);
    let numbers: Vec<u32> =
        (0..RELP_WINDOW).map(|number| receiver.check_message(&format!("m{number}"))).collect();
    receiver.stream.set_nonblocking(true).unwrap();
    assert_eq!(receiver.stream.read(&mut [0]).unwrap_err().kind(), io::ErrorKind::WouldBlock);
    receiver.stream.set_nonblocking(false).unwrap();
    receiver.answer(numbers[0], "200 OK");
    receiver.check_message(&format!("m{RELP_WINDOW}"));
}

#[test]
fn refusals_and_silence_end_the_session() {
    for (within, answer) in [(10_000, Some("500 no room")), (50, None)] {
        let listener = listener();
        let setup = setup(&listener, Duration::from_millis(within));
        setup.send(&["h|one"]);
        let mut receiver = Receiver::opened(&listener);
        let txnr = receiver.check_message("one");
        if let Some(answer) = answer {
            receiver.answer(txnr, answer);
        }
        // Kept open: the sender is the one to leave.
        let mut second = Receiver::opened(&listener);
        let txnr = second.check_message("one");
        second.answer(txnr, "200 OK");
        eventually("it is written", || setup.registry.list()[0].written.load(Ordering::Relaxed) == 1);
        assert!(setup.registry.list()[0].errors.load(Ordering::Relaxed) > 0);
    }
}

#[test]
fn a_hint_to_leave_is_followed() {
    let listener = listener();
    let setup = setup(&listener, Duration::from_secs(10));
    setup.send(&["h|one"]);
    let mut receiver = Receiver::opened(&listener);
    let txnr = receiver.check_message("one");
    receiver.stream.write_all(b"0 serverclose 0\n").unwrap();
    receiver.answer(txnr, "200 OK");
    eventually("it is written", || setup.registry.list()[0].written.load(Ordering::Relaxed) == 1);
    setup.send(&["h|two"]);
    let mut second = Receiver::opened(&listener);
    let txnr = second.check_message("two");
    second.answer(txnr, "200 OK");
    eventually("it is written", || setup.registry.list()[0].written.load(Ordering::Relaxed) == 2);
}

/// Opens a session with a receiver that says these frames, and shows how that ended.
#[track_caller]
fn check_open(says: &[(RelpCommand, &str)], want: &str) {
    let listener = listener();
    let target = RelpTarget { socket: tcp_to(&listener), response_within: Duration::from_secs(10) };
    let says: Vec<u8> = says.iter().fold(Vec::new(), |mut out, (command, text)| {
        append_relp(1, *command, text.as_bytes(), &mut out);
        out
    });
    let receiver = std::thread::spawn(move || {
        let mut stream = accept(&listener);
        stream.write_all(&says).unwrap();
        let _ = stream.read_to_end(&mut Vec::new());
    });
    let found = match Relp::new(target).open() {
        Ok(_) => "open".to_owned(),
        Err(error) => error.to_string(),
    };
    receiver.join().unwrap();
    assert_eq!(found, want);
}

#[test]
fn a_session_is_opened_by_a_receiver_that_takes_messages() {
    let offers = "200 OK\nrelp_version=0\nrelp_software=x\ncommands=syslog";
    check_open(&[(RelpCommand::Response, offers)], "open");
    // Its data are no answer, whatever they say.
    check_open(&[(RelpCommand::ServerClose, "500 no"), (RelpCommand::Response, offers)], "open");
    check_open(&[(RelpCommand::Response, "500 no room")], "the receiver refused: 500 no room");
    let long = format!("500 {}", "n".repeat(100));
    check_open(&[(RelpCommand::Response, &long)], &format!("the receiver refused: 500 {}", "n".repeat(80)));
    let found = check_offers(b"relp_version=0\ncommands=other").unwrap_err().to_string();
    check_open(&[(RelpCommand::Response, "200 OK\nrelp_version=0\ncommands=other")], &found);
}

#[test]
fn a_receiver_that_does_not_answer_the_opening_is_left() {
    let listener = listener();
    let response_within = Duration::from_millis(1);
    let relp = Relp::new(RelpTarget { socket: tcp_to(&listener), response_within });
    assert_eq!(relp.open().err().map(|error| error.kind()), Some(io::ErrorKind::TimedOut));
}

#[test]
fn new_settings_and_a_reload_end_a_session_unless_it_is_to_stay() {
    let listener = listener();
    let target = RelpTarget { socket: tcp_to(&listener), response_within: Duration::from_secs(10) };
    let mut relp = Relp::new(target.clone());
    let mut receivers = Vec::new();
    let mut open = |relp: &mut Relp| {
        let accepted = std::thread::scope(|scope| {
            let receiver = scope.spawn(|| Receiver::opened(&listener));
            relp.session = Some(relp.open().unwrap());
            receiver.join().unwrap()
        });
        receivers.push(accepted);
    };
    let mut check = |relp: &mut Relp, target: &RelpTarget, want: bool| {
        open(relp);
        relp.configure(DestinationDriver::Relp(target.clone()));
        assert_eq!((relp.session.is_some(), &relp.target), (want, target));
    };
    check(&mut relp, &target, true);
    let slower = RelpTarget { response_within: Duration::from_secs(11), ..target.clone() };
    check(&mut relp, &slower, false);
    check(&mut relp, &slower, true);
    let restarting =
        RelpTarget { socket: SocketTarget { keep_over_reload: false, ..target.socket }, ..slower };
    check(&mut relp, &restarting, false);
    check(&mut relp, &restarting, false);
    open(&mut relp);
    relp.close();
    assert!(relp.session.is_none());
}
