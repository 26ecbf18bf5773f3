//! A listener of SLTP as a sender sees it: what is acknowledged and when, what another connection repeats.

use crate::{
    Dialogue, SourceDriver, StreamListener,
    testing::{Setup, here, source_options},
};
use message::{Ack, RecordId};
use sltp::{ReceiverOptions, Sender, SenderOptions};
use std::{
    io::{ErrorKind, Read, Write},
    net::TcpStream,
    sync::{Arc, atomic::Ordering},
};
use transport::testing::{PATIENCE, eventually};
use wire::sltp::Level;

fn setup() -> Setup {
    let options = ReceiverOptions {
        tokens: vec!["secret".to_owned()],
        level: Level::Durable,
        window_bytes: 1 << 20,
        message_bytes_max: 1 << 20,
        frame_bytes_max: 1 << 20,
        software: "test".to_owned(),
    };
    let driver = |port| {
        let dialogue = Dialogue::Sltp(Arc::new(options.clone()));
        SourceDriver::Stream(StreamListener { dialogue, ..StreamListener::new(here(port)) })
    };
    Setup::new(driver, source_options())
}

fn sender(run: u64, level: Level, token: &str) -> Sender {
    let options = SenderOptions {
        sender: "a".to_owned(),
        level,
        token: token.as_bytes().to_vec(),
        compression: Some(1),
        batch_bytes: 1000,
        batch_messages: 2,
        window_bytes: 1 << 20,
        software: "test".to_owned(),
    };
    Sender::new(options, run)
}

fn add(sender: &mut Sender, numbers: std::ops::Range<u64>) {
    for sequence in numbers {
        let id = RecordId { incarnation: 3, sequence };
        let text = format!("<13>Nov 21 09:00:00 web su: message {sequence}");
        sender.add(Some(id), &Ack::none(), |out| out.extend_from_slice(text.as_bytes()));
    }
    sender.close_batch();
}

/// Sends what may go, and reads answers until `done`.
fn work(sender: &mut Sender, stream: &mut TcpStream, done: impl Fn(&Sender) -> bool) {
    let mut input = Vec::new();
    while !done(sender) {
        while !sender.output().is_empty() {
            let size = stream.write(sender.output()).unwrap();
            sender.sent(size);
        }
        if done(sender) {
            return;
        }
        let mut piece = [0; 1000];
        let size = stream.read(&mut piece).unwrap();
        assert!(size > 0, "the receiver closed");
        input.extend_from_slice(&piece[..size]);
        sender.receive(&mut input).unwrap();
    }
}

fn connect(setup: &Setup, sender: &mut Sender) -> TcpStream {
    let mut stream = setup.connect();
    stream.set_read_timeout(Some(PATIENCE)).unwrap();
    sender.connect();
    work(sender, &mut stream, Sender::is_open);
    stream
}

fn texts(numbers: std::ops::Range<u64>) -> Vec<String> {
    numbers.map(|number| format!("web|su|message {number}")).collect()
}

#[track_caller]
fn check_silent(stream: &mut TcpStream) {
    stream.set_nonblocking(true).unwrap();
    assert_eq!(stream.read(&mut [0]).map_err(|error| error.kind()), Err(ErrorKind::WouldBlock));
    stream.set_nonblocking(false).unwrap();
}

#[test]
fn messages_are_acknowledged_when_they_are_safe_and_never_come_twice() {
    let setup = setup();
    let mut one = sender(1, Level::Durable, "secret");
    add(&mut one, 5..12);
    setup.collected.hold();
    let mut stream = connect(&setup, &mut one);
    work(&mut one, &mut stream, |sender| sender.unsent_bytes() == 0);
    assert_eq!(setup.collected.wait(7), texts(5..12));
    check_silent(&mut stream);
    // They are being processed: another connection goes on after them, and learns when they are safe.
    drop(stream);
    one.disconnect();
    let mut stream = connect(&setup, &mut one);
    add(&mut one, 12..13);
    work(&mut one, &mut stream, |sender| sender.unsent_bytes() == 0);
    assert_eq!(setup.collected.wait(8), texts(5..13));
    setup.collected.release();
    work(&mut one, &mut stream, |sender| sender.unsettled() == 0);
    assert_eq!(setup.collected.count(), 8);
    setup.collected.batches(|batches| {
        let numbers = batches.iter().flat_map(|batch| {
            (0..batch.len()).map(|index| batch.numbering.as_ref().unwrap().number(index).unwrap())
        });
        assert_eq!(numbers.collect::<Vec<_>>(), (5..13).collect::<Vec<_>>());
    });
}

#[test]
fn the_lower_level_is_acknowledged_at_once() {
    let setup = setup();
    let mut one = sender(1, Level::Received, "secret");
    add(&mut one, 0..4);
    setup.collected.hold();
    let mut stream = connect(&setup, &mut one);
    work(&mut one, &mut stream, |sender| sender.unsettled() == 0);
    setup.collected.release();
    assert_eq!(setup.collected.wait(4), texts(0..4));
}

/// Sends bytes, and returns what comes back before the end.
fn answer(setup: &Setup, bytes: &[u8]) -> Vec<u8> {
    let mut stream = setup.connect();
    stream.set_read_timeout(Some(PATIENCE)).unwrap();
    stream.write_all(bytes).unwrap();
    let mut answer = Vec::new();
    let _ = stream.read_to_end(&mut answer);
    answer
}

#[test]
fn who_may_not_send_is_told_and_what_is_no_sltp_is_closed() {
    let setup = setup();
    let mut wrong = sender(1, Level::Durable, "wrong");
    add(&mut wrong, 0..1);
    wrong.connect();
    let answered = answer(&setup, wrong.output());
    assert!(String::from_utf8_lossy(&answered).ends_with("the token is not known here"), "{answered:?}");
    assert_eq!(answer(&setup, b"GET / HTTP/1.1\r\n\r\n"), b"");
    let counters = setup.registry.list().remove(0);
    eventually("counted", || counters.frame_errors.load(Ordering::Relaxed) == 2);
    assert_eq!(setup.collected.count(), 0);
}
