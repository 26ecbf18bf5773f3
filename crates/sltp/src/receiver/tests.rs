//! Both ends, over a link that is cut at random, with batches that become safe late and in any order; restarts of the
//! receiver with positions of an earlier time.

use super::*;
use crate::{Sender, SenderOptions};
use message::{Ack, NumberedStream, Outcome, RecordId, StreamKey};
use proptest::prelude::*;
use std::{
    collections::HashMap,
    sync::{Arc, Mutex},
};
use wire::sltp::{FrameError, FrameKind, FrameReader, Level, RefusalCode, append_frame};

fn sender_options() -> SenderOptions {
    SenderOptions {
        sender: "host1".to_owned(),
        level: Level::Durable,
        token: b"secret".to_vec(),
        compression: Some(1),
        batch_bytes: 400,
        batch_messages: 7,
        window_bytes: 2000,
        software: "test".to_owned(),
    }
}

fn options() -> ReceiverOptions {
    ReceiverOptions {
        tokens: vec!["other".to_owned(), "secret".to_owned()],
        level: Level::Durable,
        window_bytes: 3000,
        message_bytes_max: 1000,
        frame_bytes_max: 4000,
        software: "test".to_owned(),
    }
}

/// Positions that survive the receiver. Only `flush` makes them so.
#[derive(Clone, Default)]
struct Kept(Arc<Mutex<HashMap<StreamKey, (u64, u64)>>>, Arc<Mutex<HashMap<StreamKey, (u64, u64)>>>);

impl Kept {
    fn flush(&self) {
        *self.1.lock().unwrap() = self.0.lock().unwrap().clone();
    }

    fn crash(&self) {
        *self.0.lock().unwrap() = self.1.lock().unwrap().clone();
    }
}

impl PositionStore for Kept {
    fn load(&self, key: &StreamKey) -> Option<(u64, u64)> {
        self.0.lock().unwrap().get(key).copied()
    }

    fn save(&self, stream: &Arc<NumberedStream>, safe: u64, run: u64) {
        self.0.lock().unwrap().insert(stream.key.clone(), (safe, run));
    }

    fn forget(&self, key: &StreamKey) {
        self.0.lock().unwrap().remove(key);
    }
}

fn connection(options: ReceiverOptions, streams: &Streams) -> Connection {
    Connection::new(options, streams, "cn", Arc::new(|| {}))
}

/// Both ends and what is between them.
struct World {
    sender: Sender,
    streams: Streams,
    connection: Option<Connection>,
    to_receiver: Vec<u8>,
    to_sender: Vec<u8>,
    /// Batches that were accepted and are not safe.
    pending: Vec<Ticket>,
    /// Numbers in the order in which they arrived.
    arrived: Vec<u64>,
    added: u64,
    options: ReceiverOptions,
    /// Connections that began with a dictionary, or got one.
    dictionaries: usize,
}

impl World {
    fn new(kept: &Kept) -> World {
        World {
            sender: Sender::new(sender_options(), 1),
            streams: Streams::new(Box::new(kept.clone())),
            connection: None,
            to_receiver: Vec::new(),
            to_sender: Vec::new(),
            pending: Vec::new(),
            arrived: Vec::new(),
            added: 0,
            options: options(),
            dictionaries: 0,
        }
    }

    fn add(&mut self) {
        let id = RecordId { incarnation: 3, sequence: self.added };
        let text = format!("message {} {}", self.added, "x".repeat(self.added as usize % 90));
        self.sender.add(Some(id), &Ack::none(), |out| out.extend_from_slice(text.as_bytes()));
        self.added += 1;
    }

    fn cut(&mut self) {
        self.connection = None;
        self.sender.disconnect();
        self.to_receiver.clear();
        self.to_sender.clear();
    }

    /// Moves at most `size` bytes in each direction, and lets both sides read.
    fn turn(&mut self, size: usize) {
        if self.connection.is_none() {
            self.sender.connect();
            self.connection = Some(connection(self.options.clone(), &self.streams));
        }
        let mut left = size;
        while left > 0 && !self.sender.output().is_empty() {
            let output = self.sender.output();
            let part = output.len().min(left);
            self.to_receiver.extend_from_slice(&output[..part]);
            self.sender.sent(part);
            left -= part;
        }
        let connection = self.connection.as_mut().unwrap();
        let mut at = 0;
        let reader = FrameReader::new(usize::MAX);
        while let Some((step, end)) = connection.read(&self.to_receiver, at, Vec::with_capacity).unwrap() {
            let read = reader.next(&self.to_receiver, at).ok().flatten();
            self.dictionaries +=
                usize::from(read.is_some_and(|(frame, _)| frame.kind == FrameKind::Dictionary));
            at = end;
            if let Step::Messages(Arrival { body, items, ticket }) = step {
                for item in &items {
                    let want = format!("message {} ", item.number);
                    assert!(body[item.range.clone()].starts_with(want.as_bytes()));
                }
                self.arrived.extend(items.iter().map(|item| item.number));
                self.pending.push(ticket);
            }
        }
        self.to_receiver.drain(..at);
        self.to_sender.append(connection.answer().unwrap());
        let mut heard: Vec<u8> = self.to_sender.drain(..size.min(self.to_sender.len())).collect();
        heard.append(&mut self.to_sender);
        self.to_sender = heard;
        self.sender.receive(&mut self.to_sender).unwrap();
    }

    fn settle(&mut self, place: usize) {
        if !self.pending.is_empty() {
            let ticket = self.pending.remove(place % self.pending.len());
            ticket.complete(Outcome::Done);
        }
    }

    fn finish(&mut self) {
        self.sender.close_batch();
        for _ in 0..500 {
            self.turn(10_000);
            self.settle(0);
            if self.sender.unsettled() == 0 {
                return;
            }
        }
        panic!("{} messages are not settled", self.sender.unsettled());
    }
}

#[derive(Clone, Debug)]
enum Event {
    Add(usize),
    Turn(usize),
    Settle(usize),
    Cut,
    Close,
}

fn event() -> impl Strategy<Value = Event> {
    prop_oneof![
        3 => (1_usize..12).prop_map(Event::Add),
        5 => (1_usize..900).prop_map(Event::Turn),
        3 => (0_usize..5).prop_map(Event::Settle),
        1 => Just(Event::Cut),
        1 => Just(Event::Close),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 150, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn every_message_arrives_once_and_in_order(events in prop::collection::vec(event(), 0..120)) {
        let mut world = World::new(&Kept::default());
        world.add();
        for event in events {
            match event {
                Event::Add(count) => (0..count).for_each(|_| world.add()),
                Event::Turn(size) => world.turn(size),
                Event::Settle(place) => world.settle(place),
                Event::Cut => world.cut(),
                Event::Close => world.sender.close_batch(),
            }
        }
        world.finish();
        prop_assert_eq!(world.arrived, (0..world.added).collect::<Vec<_>>());
    }
}

#[test]
fn a_receiver_that_comes_back_gets_again_what_it_did_not_save() {
    let kept = Kept::default();
    let mut world = World::new(&kept);
    (0..20).for_each(|_| world.add());
    world.finish();
    kept.flush();
    (0..20).for_each(|_| world.add());
    world.sender.close_batch();
    world.turn(10_000);
    let arrived = world.arrived.len();
    assert!(arrived > 20 && !world.pending.is_empty());
    // Nothing of the second part was acknowledged: it comes again, from the first number on.
    kept.crash();
    world.cut();
    world.streams = Streams::new(Box::new(kept.clone()));
    world.arrived.truncate(20);
    world.pending.clear();
    world.finish();
    assert_eq!(world.arrived, (0..40).collect::<Vec<_>>());
}

#[test]
fn a_batch_that_fails_comes_again() {
    let mut world = World::new(&Kept::default());
    (0..20).for_each(|_| world.add());
    world.sender.close_batch();
    (0..2).for_each(|_| world.turn(10_000));
    let failed = world.pending.remove(0);
    failed.complete(Outcome::Failed);
    world.pending.drain(..).for_each(|ticket| ticket.complete(Outcome::Done));
    let mut connection = world.connection.take().unwrap();
    assert_eq!(connection.answer().unwrap_err(), InputError::Violation(Violation::Failed));
    world.cut();
    world.arrived.clear();
    world.finish();
    assert_eq!(world.arrived, (0..20).collect::<Vec<_>>());
}

#[test]
fn the_newer_connection_of_a_sender_has_the_streams() {
    let mut world = World::new(&Kept::default());
    (0..5).for_each(|_| world.add());
    world.turn(10_000);
    let mut older = world.connection.take().unwrap();
    world.cut();
    world.turn(10_000);
    assert_eq!(older.answer().unwrap_err(), InputError::Violation(Violation::Replaced));
    world.finish();
    assert_eq!(world.arrived, (0..5).collect::<Vec<_>>());
}

/// Sends a hello, after 20 messages of an earlier run were received, and returns the refusal.
fn refusal(change: impl FnOnce(&mut SenderOptions), fresh: u64) -> Option<RefusalCode> {
    let mut world = World::new(&Kept::default());
    (0..20).for_each(|_| world.add());
    world.finish();
    let mut offered = sender_options();
    change(&mut offered);
    let mut sender = Sender::new(offered, 2);
    sender.set_queue_fresh(fresh);
    sender.add(Some(RecordId { incarnation: 3, sequence: 15 }), &Ack::none(), |out| out.push(b'x'));
    sender.connect();
    let bytes = sender.output().to_vec();
    let mut connection = connection(options(), &world.streams);
    let mut at = 0;
    loop {
        match connection.read(&bytes, at, Vec::with_capacity) {
            Ok(Some((_, end))) => at = end,
            Ok(None) => return None,
            Err(InputError::Refused(refusal)) => {
                assert!(!connection.output().is_empty(), "the sender learns why");
                return Some(refusal.code);
            }
            Err(error) => panic!("{error}"),
        }
    }
}

#[test]
fn who_may_not_send_is_told_why() {
    assert_eq!(refusal(|_| {}, 20), None);
    assert_eq!(refusal(|_| {}, 19), Some(RefusalCode::Epoch), "the queue was restored from a backup");
    assert_eq!(refusal(|options| options.token = b"wrong".to_vec(), 20), Some(RefusalCode::Identity));
    assert_eq!(refusal(|options| options.token.clear(), 20), Some(RefusalCode::Identity));
    assert_eq!(refusal(|options| options.level = Level::Delivered, 20), Some(RefusalCode::Level));
    assert_eq!(refusal(|options| options.sender = "host2".to_owned(), 0), None, "another sender");
}

#[test]
fn what_is_no_sltp_is_seen_with_its_first_bytes() {
    let streams = Streams::new(Box::new(NoPositions));
    for (bytes, is_whole) in [(&b"1 open 3 abc\n"[..], false), (b"SLTP/1", true), (b"SLTP/2\r\n", false)] {
        let read = connection(options(), &streams).read(bytes, 0, Vec::with_capacity);
        assert_eq!(read.is_ok(), is_whole);
    }
}

#[test]
fn messages_come_back_from_frames_with_a_dictionary_over_many_connections() {
    let large = ReceiverOptions { frame_bytes_max: 1 << 20, ..options() };
    let mut world = World::new(&Kept::default());
    world.options = large;
    for number in 0..4000 {
        world.add();
        if number % 2 == 0 {
            world.sender.close_batch();
        }
        world.turn(300);
        world.settle(0);
        if number % 500 == 499 {
            world.cut();
        }
    }
    world.finish();
    assert_eq!(world.arrived, (0..4000).collect::<Vec<_>>());
    assert!(world.dictionaries >= 3, "{}", world.dictionaries);
}

/// Sends a frame after the handshake of a sender that offers this codec.
#[track_caller]
fn check_after_hello(compression: Option<i32>, kind: FrameKind, payload: &[u8], want: InputError) {
    let mut sender = Sender::new(SenderOptions { compression, ..sender_options() }, 1);
    sender.add(None, &Ack::none(), |out| out.push(b'x'));
    sender.connect();
    let mut bytes = sender.output().to_vec();
    append_frame(kind, &mut bytes, |out| out.extend_from_slice(payload));
    let streams = Streams::new(Box::new(NoPositions));
    let mut connection = connection(options(), &streams);
    let mut at = 0;
    let error = loop {
        match connection.read(&bytes, at, Vec::with_capacity) {
            Ok(Some((_, end))) => at = end,
            Ok(None) => panic!("nothing is wrong"),
            Err(error) => break error,
        }
    };
    assert_eq!(error, want);
}

#[test]
fn dictionaries_that_nobody_asked_for_are_refused() {
    let order = InputError::Violation(Violation::Order);
    check_after_hello(None, FrameKind::Dictionary, b"abcdefgh", order.clone());
    let malformed = || FrameError::Malformed(FrameKind::Dictionary).into();
    check_after_hello(Some(3), FrameKind::Dictionary, b"", malformed());
    // The magic of a dictionary, and nothing that is one.
    check_after_hello(Some(3), FrameKind::Dictionary, b"\x37\xa4\x30\xec\x01\0\0\0broken", malformed());
    check_after_hello(Some(3), FrameKind::Dictionary, &[7; 4001], FrameError::TooLong(4001).into());
    // A frame that needs one before it came, and a compressed one of a sender that did not offer that.
    let mut head = [0; 28];
    (head[0], head[1]) = (1, 2);
    check_after_hello(Some(3), FrameKind::Data, &head, FrameError::Malformed(FrameKind::Data).into());
    check_after_hello(None, FrameKind::Data, &head, order);
}
