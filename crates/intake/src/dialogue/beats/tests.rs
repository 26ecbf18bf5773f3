//! Sessions as a sender sees them: acknowledgements, their time and order, and what ends a session.

use crate::{
    BeatsOptions, Dialogue, SourceDriver, StreamListener,
    testing::{Setup, here, source_options},
};
use message::{Batch, FieldName};
use std::{
    io::{Read, Write},
    net::TcpStream,
    sync::{Arc, atomic::Ordering},
};
use transport::testing::{PATIENCE, eventually};

fn setup() -> Setup {
    let options = BeatsOptions { prefix: ".b.".to_owned() };
    let listener = move |port| {
        let dialogue = Dialogue::Beats(Arc::new(options));
        SourceDriver::Stream(StreamListener { dialogue, ..StreamListener::new(here(port)) })
    };
    let mut source = source_options();
    source.message_bytes_max = 100;
    Setup::new(listener, source)
}

fn window(count: u32) -> Vec<u8> {
    [b"2W".as_slice(), &count.to_be_bytes()].concat()
}

fn event(sequence: u32, text: &str) -> Vec<u8> {
    let size = u32::try_from(text.len()).unwrap();
    [b"2J".as_slice(), &sequence.to_be_bytes(), &size.to_be_bytes(), text.as_bytes()].concat()
}

fn connect(setup: &Setup) -> TcpStream {
    let stream = setup.connect();
    stream.set_read_timeout(Some(PATIENCE)).unwrap();
    stream
}

#[track_caller]
fn hears(stream: &mut TcpStream, want: &[u8]) {
    let mut heard = vec![0; want.len()];
    stream.read_exact(&mut heard).unwrap();
    assert_eq!(heard, want);
}

fn value(batch: &Batch, index: usize, name: &str) -> String {
    let value = batch.field(index, &FieldName::parse(name));
    value.map_or("-".to_owned(), |value| String::from_utf8_lossy(&value).into_owned())
}

#[test]
fn events_become_messages_with_their_fields() {
    let setup = setup();
    let mut stream = connect(&setup);
    let text = r#"{"message":"m","host":{"name":"h"},"log":{"level":"error"},"a":{"b":1}}"#;
    let cut = format!("{{\"message\":\"{}\"}}", "x".repeat(200));
    let bytes = [window(3), event(1, text), event(2, "no json"), event(3, &cut)].concat();
    stream.write_all(&bytes).unwrap();
    hears(&mut stream, b"2A\0\0\0\x03");
    setup.collected.batches(|batches| {
        let shown = |index| ["HOST", "MESSAGE", ".b.a.b"].map(|name| value(&batches[0], index, name));
        assert_eq!(shown(0), ["h", "m", "1"]);
        assert_eq!(shown(1)[1], "no json");
        assert_eq!(shown(2)[1].len(), 100);
    });
    let errors = setup.registry.list()[0].frame_errors.load(Ordering::Relaxed);
    assert_eq!(errors, 2);
}

#[test]
fn windows_are_acknowledged_when_their_events_are_safe() {
    let setup = setup();
    setup.collected.hold();
    let mut stream = connect(&setup);
    stream
        .write_all(&[window(1), event(1, "{}"), window(2), event(1, "{}"), event(2, "{}")].concat())
        .unwrap();
    setup.collected.wait(3);
    // Another sender, whose messages are safe before, hears of its own only.
    setup.collected.release();
    hears(&mut stream, b"2A\0\0\0\x012A\0\0\0\x02");
}

#[test]
fn a_window_that_is_not_whole_is_no_message() {
    let setup = setup();
    let mut stream = connect(&setup);
    stream.write_all(&[window(2), event(1, "{}")].concat()).unwrap();
    drop(stream);
    let mut stream = connect(&setup);
    stream.write_all(&[window(1), event(1, "{\"message\":\"whole\"}")].concat()).unwrap();
    hears(&mut stream, b"2A\0\0\0\x01");
    assert_eq!(setup.collected.wait(1).len(), 1);
}

#[test]
fn other_protocols_end_the_session() {
    let setup = setup();
    for (number, bytes) in [b"GET / HTTP/1.1\r\n\r\n".as_slice(), b"1W\0\0\0\x01"].iter().enumerate() {
        let mut stream = connect(&setup);
        stream.write_all(bytes).unwrap();
        assert!(matches!(stream.read(&mut [0; 9]), Ok(0) | Err(_)));
        let errors = || setup.registry.list()[0].frame_errors.load(Ordering::Relaxed);
        eventually("the error", || errors() == number as u64 + 1);
    }
}
