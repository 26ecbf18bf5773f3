//! RELP sessions as a sender sees them: answers, their time and order, and what ends a session.

use crate::{
    Dialogue, SourceDriver, Sources, StreamListener,
    testing::{Setup, free_port, here, source_options, spec},
};
use message::{Batch, Intake, WriteBudget};
use std::{
    io::{ErrorKind, Read, Write},
    net::{Ipv4Addr, TcpStream},
    sync::{Arc, atomic::Ordering},
    time::Duration,
};
use transport::{
    InternalLog, Registry,
    testing::{PATIENCE, eventually},
};

const OFFERS: &str = "relp_version=1\nrelp_software=test\ncommands=syslog";

fn listener(port: u16, idle_timeout: Option<Duration>) -> SourceDriver {
    let listener = StreamListener::new(here(port));
    SourceDriver::Stream(StreamListener { dialogue: Dialogue::Relp, idle_timeout, ..listener })
}

fn setup() -> Setup {
    Setup::new(|port| listener(port, None), source_options())
}

fn frame(txnr: u32, command: &str, data: &str) -> String {
    let blank = if data.is_empty() { "" } else { " " };
    format!("{txnr} {command} {}{blank}{data}\n", data.len())
}

fn send(stream: &mut TcpStream, text: &str) {
    stream.write_all(text.as_bytes()).unwrap();
}

#[track_caller]
fn check_read(stream: &mut TcpStream, want: &str) {
    let mut bytes = vec![0; want.len()];
    let read = stream.read_exact(&mut bytes);
    assert_eq!(String::from_utf8_lossy(&bytes), want);
    read.unwrap();
}

#[track_caller]
fn check_silent(stream: &mut TcpStream) {
    stream.set_nonblocking(true).unwrap();
    assert_eq!(stream.read(&mut [0]).map_err(|error| error.kind()), Err(ErrorKind::WouldBlock));
    stream.set_nonblocking(false).unwrap();
}

/// A connection whose session is open.
fn opened(setup: &Setup) -> TcpStream {
    let mut stream = setup.connect();
    stream.set_read_timeout(Some(PATIENCE)).unwrap();
    send(&mut stream, &frame(1, "open", OFFERS));
    let answer = format!(
        "200 OK\nrelp_version=1\nrelp_software=duramen,{}\ncommands=syslog",
        env!("CARGO_PKG_VERSION")
    );
    check_read(&mut stream, &frame(1, "rsp", &answer));
    stream
}

#[test]
fn messages_are_answered_when_they_are_safe() {
    let setup = setup();
    let mut stream = opened(&setup);
    setup.collected.hold();
    send(&mut stream, &frame(2, "syslog", "<13>Nov 21 09:00:00 web su: a\nb\n"));
    assert_eq!(setup.collected.wait(1), ["web|su|a\nb"]);
    send(&mut stream, &(frame(3, "syslog", "<13>Nov 21 09:00:00 web su: c") + &frame(4, "close", "")));
    setup.collected.wait(2);
    check_silent(&mut stream);
    setup.collected.release();
    check_read(
        &mut stream,
        &(frame(2, "rsp", "200 OK") + &frame(3, "rsp", "200 OK") + &frame(4, "rsp", "200 OK")),
    );
    assert_eq!(stream.read(&mut [0]).unwrap(), 0, "the session ends after close");
}

#[test]
fn hints_and_empty_messages_bring_nothing() {
    let setup = setup();
    let mut stream = opened(&setup);
    let text = frame(0, "serverclose", "") + &frame(2, "syslog", "") + &frame(3, "starttls", "");
    send(&mut stream, &text);
    check_read(&mut stream, &(frame(2, "rsp", "200 OK") + &frame(3, "rsp", "500 unknown command")));
    assert_eq!(setup.collected.count(), 0);
    // Nobody waits for the answer to a command without a number.
    send(&mut stream, &(frame(0, "syslog", "<13>su: a") + &frame(4, "syslog", "<13>su: b")));
    check_read(&mut stream, &frame(4, "rsp", "200 OK"));
    assert_eq!(setup.collected.wait(2).len(), 2);
}

#[test]
fn a_session_ends_when_the_peer_is_silent() {
    let setup = Setup::new(|port| listener(port, Some(Duration::from_millis(50))), source_options());
    let mut stream = opened(&setup);
    assert_eq!(stream.read(&mut [0]).unwrap(), 0);
    let counters = setup.registry.list().remove(0);
    eventually("closed", || counters.connections.load(Ordering::Relaxed) == 0);
    assert_eq!(counters.errors.load(Ordering::Relaxed), 0);
}

/// An intake whose destinations drop every batch.
struct GivingUp;

impl Intake for GivingUp {
    fn take(&self, batch: Batch, _budget: &WriteBudget) {
        batch.ack.fail();
    }
}

#[test]
fn what_a_destination_gave_up_is_not_answered() {
    let (registry, port) = (Registry::default(), free_port());
    let log = InternalLog::new("test", None);
    let mut sources = Sources::start(registry.clone(), log, 1, None).unwrap();
    let staged =
        sources.stage(vec![spec(listener(port, None), source_options(), Arc::new(GivingUp))]).unwrap();
    sources.commit(staged);
    let mut stream = TcpStream::connect((Ipv4Addr::LOCALHOST, port)).unwrap();
    stream.set_read_timeout(Some(PATIENCE)).unwrap();
    send(&mut stream, &(frame(1, "open", OFFERS) + &frame(2, "syslog", "<13>su: x")));
    let mut rest = Vec::new();
    let _ = stream.read_to_end(&mut rest);
    assert!(!String::from_utf8_lossy(&rest).contains("2 rsp"));
    let counters = registry.list().remove(0);
    eventually("broken", || counters.errors.load(Ordering::Relaxed) == 1);
}

/// Stops the source while a message is not safe; shows what the peer reads from then on.
fn read_at_stop(is_opened: bool, becomes_safe: bool) -> String {
    let mut setup = setup();
    let mut stream = if is_opened { opened(&setup) } else { setup.connect() };
    stream.set_read_timeout(Some(PATIENCE)).unwrap();
    if is_opened {
        setup.collected.hold();
        send(&mut stream, &frame(2, "syslog", "<13>su: x"));
        setup.collected.wait(1);
    } else {
        let counters = setup.registry.list().remove(0);
        eventually("accepted", || counters.connections.load(Ordering::Relaxed) == 1);
    }
    setup.sources.stop(Duration::ZERO);
    if becomes_safe {
        setup.collected.release();
    }
    let mut rest = String::new();
    stream.read_to_string(&mut rest).unwrap();
    rest
}

#[test]
fn at_the_stop_what_becomes_safe_soon_is_answered() {
    let hint = frame(0, "serverclose", "");
    assert_eq!(read_at_stop(true, true), frame(2, "rsp", "200 OK") + &hint);
    assert_eq!(read_at_stop(true, false), hint);
    assert_eq!(read_at_stop(false, false), "", "who has opened nothing hears no hint");
}

/// Sends the bytes of a hostile sender: its session ends, another one is not disturbed.
#[track_caller]
fn check_refused(text: &str) {
    let setup = setup();
    let mut other = opened(&setup);
    let mut stream = setup.connect();
    stream.set_read_timeout(Some(PATIENCE)).unwrap();
    send(&mut stream, text);
    let mut rest = Vec::new();
    // The end comes with or without a reset.
    let _ = stream.read_to_end(&mut rest);
    assert!(!String::from_utf8_lossy(&rest).contains("2 rsp"), "{text:?} was answered");
    let errors = || setup.registry.list()[0].frame_errors.load(Ordering::Relaxed);
    eventually("it is counted", || errors() == 1);
    send(&mut other, &frame(2, "syslog", "<13>su: x"));
    check_read(&mut other, &frame(2, "rsp", "200 OK"));
}

#[test]
fn invalid_relp_ends_the_session() {
    check_refused("GET / HTTP/1.0\r\n\r\n");
    check_refused(&frame(2, "syslog", "<13>before open"));
    check_refused(&frame(1, "open", "relp_version=9\ncommands=syslog"));
    check_refused(&frame(1, "open", "relp_version=1\ncommands=fly"));
    check_refused("1 open 99999999999 x\n");
    check_refused(&(frame(1, "open", OFFERS) + "2 syslog 3 abcdef\n"));
    check_refused(&(frame(1, "open", OFFERS) + &frame(3, "close", "") + &frame(2, "syslog", "<13>x")));
}

#[test]
fn a_message_above_the_limit_is_cut_and_answered() {
    let setup = setup();
    let mut stream = opened(&setup);
    send(&mut stream, &frame(2, "syslog", &format!("<13>su: {}", "x".repeat(200_000))));
    check_read(&mut stream, &frame(2, "rsp", "200 OK"));
    let cut = setup.collected.wait(1).remove(0);
    assert!(cut.len() < 70_000, "{} bytes", cut.len());
    assert!(setup.collected.batches(|batches| batches[0].has_tag(0, "syslog.truncated")));
}

#[test]
fn many_messages_in_small_pieces_all_arrive() {
    let setup = setup();
    let mut stream = opened(&setup);
    let text: String = (2..302).map(|txnr| frame(txnr, "syslog", &format!("<13>su: {txnr}"))).collect();
    let mut answers: String = (2..302).map(|txnr| frame(txnr, "rsp", "200 OK")).collect();
    for piece in text.as_bytes().chunks(13) {
        stream.write_all(piece).unwrap();
    }
    check_read(&mut stream, &answers);
    answers.clear();
    assert_eq!(setup.collected.wait(300).len(), 300);
}

#[test]
fn l2_data_sent_before_the_peer_left_is_read() {
    let mut options = source_options();
    options.window.bytes = 1_000;
    let setup = Setup::new(|port| listener(port, None), options);
    let mut stream = opened(&setup);
    // The reset must not overtake what was written.
    stream.set_nodelay(true).unwrap();
    let text = |first: u32, last: u32| -> String {
        (first..last).map(|txnr| frame(txnr, "syslog", &format!("<13>su: {txnr} {:0>200}", 0))).collect()
    };
    // The first messages close the window, and the others wait in the kernel.
    setup.collected.hold();
    send(&mut stream, &text(2, 12));
    setup.collected.wait(10);
    send(&mut stream, &text(12, 102));
    socket2::SockRef::from(&stream).set_linger(Some(std::time::Duration::ZERO)).unwrap();
    drop(stream);
    // Now the answers to the first ones are for a peer that has left.
    setup.collected.release();
    assert_eq!(setup.collected.wait(100).len(), 100);
}
