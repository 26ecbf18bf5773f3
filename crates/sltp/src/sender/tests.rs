//! A sender and a script of what its receiver answers.

use super::*;
use std::sync::{
    Arc,
    atomic::{AtomicUsize, Ordering},
};
use wire::sltp::{ByeReason, Codec, RefusalCode};

pub(crate) fn options() -> SenderOptions {
    SenderOptions {
        sender: "host1".to_owned(),
        level: Level::Durable,
        token: Vec::new(),
        compression: None,
        batch_bytes: 1000,
        batch_messages: 3,
        window_bytes: 10_000,
        software: "test".to_owned(),
    }
}

fn welcome(streams: &[(u8, u64)]) -> Welcome {
    Welcome {
        version: VERSION,
        streams: streams.to_vec(),
        level: Level::Durable,
        codec: Codec::Plain,
        dictionary: 0,
        window_bytes: 10_000,
        message_bytes_max: 1000,
        frame_bytes_max: 5000,
        software: "test".to_owned(),
    }
}

fn framed(kind: FrameKind, encode: impl FnOnce(&mut Vec<u8>)) -> Vec<u8> {
    let mut bytes = Vec::new();
    append_frame(kind, &mut bytes, encode);
    bytes
}

fn add(sender: &mut Sender, id: Option<u64>, text: &str) {
    let id = id.map(|sequence| RecordId { incarnation: 5, sequence });
    sender.add(id, &Ack::none(), |out| out.extend_from_slice(text.as_bytes()));
}

/// Takes all output, and returns the kinds of its frames.
fn take(sender: &mut Sender) -> Vec<FrameKind> {
    let mut bytes = Vec::new();
    while !sender.output().is_empty() {
        // One byte at a time, and now and then none.
        sender.sent(0);
        bytes.push(sender.output()[0]);
        sender.sent(1);
    }
    let mut at = if bytes.starts_with(MAGIC) { MAGIC.len() } else { 0 };
    let mut kinds = Vec::new();
    while let Some((frame, end)) = FrameReader::new(1 << 20).next(&bytes, at).unwrap() {
        kinds.push(frame.kind);
        at = end;
    }
    assert_eq!(at, bytes.len(), "whole frames");
    kinds
}

/// Greets, and answers with this.
#[track_caller]
fn check_answer(answer: &[u8], want: Result<bool, SenderError>) {
    let mut sender = Sender::new(options(), 9);
    add(&mut sender, None, "one");
    sender.connect();
    assert_eq!(take(&mut sender), [FrameKind::Hello]);
    assert_eq!(sender.receive(&mut answer.to_vec()), want);
}

#[test]
fn answers_to_a_hello() {
    let frame = |welcome: &Welcome| framed(FrameKind::Welcome, |out| welcome.encode(out));
    check_answer(&frame(&welcome(&[(1, 0)])), Ok(true));
    check_answer(&frame(&welcome(&[(1, 0)]))[..20], Ok(false));
    check_answer(b"1 rsp 6 500 no\n", Err(SenderError::NotSltp));
    let left_out = SenderError::Violation("the receiver left a stream out");
    check_answer(&frame(&welcome(&[(0, 0)])), Err(left_out));
    let granted = Level::Received;
    let less = Welcome { level: granted, ..welcome(&[(1, 0)]) };
    check_answer(&frame(&less), Err(SenderError::Level { wanted: Level::Durable, granted }));
    let refusal = Refusal { code: RefusalCode::Identity, text: "no".to_owned() };
    let refused = framed(FrameKind::Refuse, |out| refusal.encode(out));
    check_answer(&refused, Err(SenderError::Refused(refusal)));
    let bye = Bye { reason: ByeReason::Done, text: String::new() };
    check_answer(&framed(FrameKind::Bye, |out| bye.encode(out)), Err(SenderError::Bye(bye)));
    let early = sltp::Ack::default();
    let violation = SenderError::Violation("a frame that does not belong here");
    check_answer(&framed(FrameKind::Ack, |out| early.encode(out)), Err(violation));
}

#[test]
fn frames_wait_for_the_window_and_go_again_after_a_cut() {
    let mut sender = Sender::new(SenderOptions { window_bytes: 100, ..options() }, 9);
    for number in 0..9 {
        add(&mut sender, None, &format!("{:040}", number));
    }
    assert_eq!(sender.unsettled(), 9);
    sender.connect();
    assert_eq!(take(&mut sender), [FrameKind::Hello]);
    let mut greeting = framed(FrameKind::Welcome, |out| welcome(&[(1, 0)]).encode(out));
    sender.receive(&mut greeting).unwrap();
    // One frame is always allowed.
    assert_eq!(take(&mut sender), [FrameKind::Data]);
    assert!(sender.is_blocked());
    let ack = |streams: &[(u8, u64)], window_bytes| {
        let ack = sltp::Ack { window_bytes, streams: streams.to_vec() };
        framed(FrameKind::Ack, |out| ack.encode(out))
    };
    sender.receive(&mut ack(&[(1, 2)], 100)).unwrap();
    assert_eq!(take(&mut sender), [], "no frame is acknowledged whole");
    sender.receive(&mut ack(&[(1, 3)], 100)).unwrap();
    assert_eq!(sender.take_settled().messages, 3);
    assert_eq!(take(&mut sender), [FrameKind::Data]);
    // More than was sent is not acknowledged.
    sender.receive(&mut ack(&[(1, 99)], 1 << 20)).unwrap();
    assert_eq!((sender.take_settled().messages, sender.unsettled()), (3, 3));
    sender.disconnect();
    sender.connect();
    assert_eq!(take(&mut sender), [FrameKind::Hello]);
    // The receiver got the last frame meanwhile, and acknowledges it later.
    sender.receive(&mut framed(FrameKind::Welcome, |out| welcome(&[(1, 9)]).encode(out))).unwrap();
    assert_eq!((take(&mut sender), sender.unsettled()), (vec![], 3));
    assert!(sender.awaits_answer());
    sender.receive(&mut ack(&[(1, 9)], 100)).unwrap();
    assert_eq!((sender.unsettled(), sender.unsent_bytes()), (0, 0));
}

#[test]
fn numbers_of_a_queue_are_kept_and_holes_are_told() {
    let mut sender = Sender::new(options(), 9);
    for id in [Some(4), Some(5), None, Some(9), Some(2)] {
        add(&mut sender, id, "text");
    }
    sender.close_batch();
    sender.connect();
    take(&mut sender);
    let mut greeting = framed(FrameKind::Welcome, |out| welcome(&[(0, 4), (1, 0)]).encode(out));
    sender.receive(&mut greeting).unwrap();
    // 4 and 5; the first of the own numbers; the hole 6 to 8; 9; 2 came before and gets a number of its own.
    use FrameKind::{Data, Gap};
    assert_eq!(take(&mut sender), [Data, Data, Gap, Data, Data]);
}

#[test]
fn a_stream_that_comes_later_needs_a_new_connection() {
    let mut sender = Sender::new(options(), 9);
    add(&mut sender, None, "text");
    sender.connect();
    take(&mut sender);
    sender.receive(&mut framed(FrameKind::Welcome, |out| welcome(&[(1, 0)]).encode(out))).unwrap();
    assert!(sender.is_open());
    add(&mut sender, Some(4), "text");
    assert!(!sender.is_open() && sender.must_reconnect());
    sender.connect();
    assert!(!sender.must_reconnect());
}

#[test]
fn tokens_are_released_with_the_last_message_and_fail_when_given_up() {
    struct Count(Arc<AtomicUsize>);
    impl message::AckSink for Count {
        fn acknowledge(&self, outcome: message::Outcome) {
            self.0.fetch_add(if outcome == message::Outcome::Done { 1 } else { 100 }, Ordering::Relaxed);
        }
    }
    let count = Arc::new(AtomicUsize::new(0));
    let mut sender = Sender::new(options(), 9);
    let token = Ack::new(Box::new(Count(count.clone())));
    for _ in 0..5 {
        sender.add(None, &token, |out| out.push(b'x'));
    }
    drop(token);
    sender.close_batch();
    sender.connect();
    take(&mut sender);
    sender.receive(&mut framed(FrameKind::Welcome, |out| welcome(&[(1, 0)]).encode(out))).unwrap();
    take(&mut sender);
    let ack = |below| {
        framed(FrameKind::Ack, |out| sltp::Ack { window_bytes: 9, streams: vec![(1, below)] }.encode(out))
    };
    sender.receive(&mut ack(3)).unwrap();
    assert_eq!(count.load(Ordering::Relaxed), 0);
    sender.receive(&mut ack(5)).unwrap();
    assert_eq!(count.load(Ordering::Relaxed), 1);
    let token = Ack::new(Box::new(Count(count.clone())));
    sender.add(None, &token, |out| out.push(b'x'));
    drop(token);
    assert_eq!((sender.abandon(), count.load(Ordering::Relaxed)), (1, 101));
}

/// Adds messages, a frame for each few, until there must be a dictionary.
fn learn(sender: &mut Sender, count: usize) {
    for number in 0..count {
        let text = format!(
            "<38>1 2026-11-27T10:00:{:02}Z web0{} sshd {} - - Failed password for {} from 10.0.{}.{} port {} ssh2",
            number % 60,
            number % 4,
            number * 37 % 9000,
            ["root", "admin", "eva", "tom"][number % 4],
            number % 250,
            number * 7 % 250,
            number * 7919 % 60000,
        );
        add(sender, None, &text);
        if number % 3 == 0 {
            sender.close_batch();
            // It is acknowledged, as far as memory is concerned.
            take(sender);
        }
    }
    sender.close_batch();
}

/// Takes all output; returns whether a dictionary was in it, and the codecs and bytes of the frames of messages.
fn codecs(sender: &mut Sender) -> (Vec<FrameKind>, Vec<(Codec, usize)>) {
    let mut bytes = Vec::new();
    while !sender.output().is_empty() {
        bytes.extend_from_slice(sender.output());
        sender.sent(sender.output().len());
    }
    let (mut at, mut kinds, mut frames) = (0, Vec::new(), Vec::new());
    while let Some((frame, end)) = FrameReader::new(1 << 20).next(&bytes, at).unwrap() {
        kinds.push(frame.kind);
        if frame.kind == FrameKind::Data {
            let head = sltp::Data::decode(&bytes[frame.payload.clone()]).unwrap();
            frames.push((head.codec, frame.payload.len()));
        }
        at = end;
    }
    (kinds, frames)
}

#[test]
fn small_frames_get_a_dictionary_if_the_receiver_takes_one() {
    let options = SenderOptions { compression: Some(3), window_bytes: usize::MAX, ..options() };
    let mut sender = Sender::new(options, 9);
    learn(&mut sender, 1500);
    for granted in [Codec::ZstdDictionary, Codec::Zstd, Codec::ZstdDictionary, Codec::Plain] {
        sender.connect();
        take(&mut sender);
        let large = u32::MAX;
        let answer =
            Welcome { codec: granted, window_bytes: 1 << 30, frame_bytes_max: large, ..welcome(&[(1, 0)]) };
        sender.receive(&mut framed(FrameKind::Welcome, |out| answer.encode(out))).unwrap();
        let (kinds, frames) = codecs(&mut sender);
        assert_eq!(kinds.contains(&FrameKind::Dictionary), granted == Codec::ZstdDictionary);
        assert!(frames.len() > 400 && frames.iter().all(|(codec, _)| *codec <= granted), "{granted:?}");
        if let Some((_, bytes)) = frames.iter().find(|(codec, _)| *codec == Codec::ZstdDictionary) {
            assert_eq!(kinds[0], FrameKind::Dictionary, "it goes before what needs it");
            let packed: usize =
                frames.iter().filter(|(codec, _)| *codec == Codec::Zstd).map(|(_, bytes)| bytes).sum();
            assert!(*bytes * 3 < packed, "{bytes} of {packed}");
        }
    }
    // Frames of the other connections were inflated; new ones are compressed as far as this receiver grants.
    learn(&mut sender, 3);
    assert!(codecs(&mut sender).1.iter().all(|(codec, _)| *codec == Codec::Plain));
}

#[test]
fn a_receiver_of_small_frames_gets_no_dictionary() {
    let mut sender = Sender::new(SenderOptions { compression: Some(3), ..options() }, 9);
    learn(&mut sender, 1500);
    sender.connect();
    take(&mut sender);
    let answer = Welcome { codec: Codec::ZstdDictionary, ..welcome(&[(1, 0)]) };
    sender.receive(&mut framed(FrameKind::Welcome, |out| answer.encode(out))).unwrap();
    let (kinds, frames) = codecs(&mut sender);
    assert!(!kinds.contains(&FrameKind::Dictionary) && frames.iter().all(|(codec, _)| *codec <= Codec::Zstd));
}
