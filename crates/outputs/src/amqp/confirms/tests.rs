//! Confirmations, returns and refusals, frame by frame.

use super::*;
use proptest::{collection::vec, prelude::any, proptest};
use transport::amqp::{
    Durability,
    frame::{content, method, short_text},
    method::{self as methods},
};

pub(crate) const ACK: (u16, u16) = (60, 80);
pub(crate) const NACK: (u16, u16) = (60, 120);

fn id(sequence: u64) -> RecordId {
    RecordId { incarnation: 7, sequence }
}

/// A confirmation of a number, with the bits of the method.
pub(crate) fn confirm(kind: (u16, u16), number: u64, bits: u8) -> Vec<u8> {
    let mut out = Vec::new();
    method(1, kind, &mut out, |out| {
        out.extend_from_slice(&number.to_be_bytes());
        out.push(bits);
    });
    out
}

pub(crate) fn closed(channel: u16, kind: (u16, u16), code: u16, words: &str) -> Vec<u8> {
    let mut out = Vec::new();
    method(channel, kind, &mut out, |out| {
        out.extend_from_slice(&code.to_be_bytes());
        short_text(words.as_bytes(), out);
        out.extend_from_slice(&[0, 60, 0, 40]);
    });
    out
}

/// A message of this id that comes back.
pub(crate) fn returned(id: RecordId, body: &[u8]) -> Vec<u8> {
    let mut out = Vec::new();
    method(1, (60, 50), &mut out, |out| {
        out.extend_from_slice(&312_u16.to_be_bytes());
        short_text(b"NO_ROUTE", out);
        short_text(b"logs", out);
        short_text(b"key", out);
    });
    let properties = methods::properties(id, Durability::Persistent, &[0; 300]);
    content(1, 60, &properties, body, 4096, &mut out);
    out
}

fn blocked(reason: &str) -> Vec<u8> {
    let mut out = Vec::new();
    method(0, (10, 60), &mut out, |out| short_text(reason.as_bytes(), out));
    out
}

fn bare(channel: u16, kind: (u16, u16), arguments: &[u8]) -> Vec<u8> {
    let mut out = Vec::new();
    method(channel, kind, &mut out, |out| out.extend_from_slice(arguments));
    out
}

/// Compares the outcomes of four publications of which a broker says these things, and what it is answered. What it says
/// arrives in two parts, so that frames are not whole.
#[track_caller]
fn check(says: &[Vec<u8>], want: &str, want_out: &[u8]) {
    let mut confirms = Confirms::new("logs", Unroutable::Dead, 4096);
    (1..=4).for_each(|number| confirms.add(id(number)));
    let (said, mut out) = (says.concat(), Vec::new());
    let first = confirms.take(&said[..said.len() / 2], &mut out);
    let second = first.and_then(|used| confirms.take(&said[used..], &mut out));
    if let Err(Breach(what)) = second {
        return assert_eq!(what, want);
    }
    let shown = (1..=4).map(|number| match confirms.take_outcome(id(number)) {
        None => "?".to_owned(),
        Some(Ok(())) => "stored".to_owned(),
        Some(Err(failure)) => format!("{:?}", failure.verdict),
    });
    let mut shown = shown.collect::<Vec<_>>().join(" ");
    let left = if confirms.refused().is_some() { 0 } else { shown.matches('?').count() };
    assert_eq!(confirms.awaited(), left);
    if let Some(reason) = confirms.blocked() {
        shown += &format!(" blocked={reason}");
    }
    if let Some(failure) = confirms.refused() {
        shown += &format!(" refused={:?} {}", failure.verdict, failure.answer);
    }
    assert_eq!((shown.as_str(), out.as_slice()), (want, want_out));
}

#[test]
fn each_publication_has_its_own_confirmation() {
    check(&[], "? ? ? ?", b"");
    check(&[confirm(ACK, 3, 0), confirm(ACK, 1, 0)], "stored ? stored ?", b"");
    check(&[confirm(ACK, 2, 1), confirm(NACK, 3, 0)], "stored stored Later(BackOff) ?", b"");
    check(
        &[confirm(ACK, 2, 0), confirm(NACK, 4, 1)],
        "Later(BackOff) stored Later(BackOff) Later(BackOff)",
        b"",
    );
    check(&[confirm(ACK, 0, 1)], "stored stored stored stored", b"");
    // Twice is once.
    check(&[confirm(ACK, 1, 0), confirm(NACK, 1, 0)], "stored ? ? ?", b"");
    check(&[frame::HEARTBEAT.to_vec(), confirm(ACK, 4, 0)], "? ? ? stored", b"");
    let unknown = "it confirms what was not published";
    check(&[confirm(ACK, 5, 0)], unknown, b"");
    check(&[confirm(NACK, 5, 1)], unknown, b"");
    check(&[confirm(ACK, 0, 0)], unknown, b"");
    check(&[confirm(ACK, u64::MAX, 1)], unknown, b"");
}

#[test]
fn a_message_that_comes_back_is_dead_when_it_is_confirmed() {
    let long = vec![b'x'; 10_000];
    check(&[returned(id(2), b"text")], "? ? ? ?", b"");
    check(&[returned(id(2), &long), confirm(ACK, 3, 1)], "stored Dead(Unroutable) stored ?", b"");
    check(&[returned(id(2), b""), confirm(NACK, 2, 0)], "? Dead(Unroutable) ? ?", b"");
    check(&[returned(id(9), b"another's"), confirm(ACK, 1, 0)], "stored ? ? ?", b"");
    let nobody = "it sends what nobody asked for";
    let content_only = {
        let mut out = Vec::new();
        content(1, 60, &methods::properties(id(1), Durability::Persistent, b""), b"", 4096, &mut out);
        out
    };
    check(&[content_only], nobody, b"");
    check(&[b"\x03\0\x01\0\0\0\x01x\xce".to_vec()], nobody, b"");
}

#[test]
fn a_broker_that_takes_nothing_says_so() {
    check(&[blocked("low on disk")], "? ? ? ? blocked=low on disk", b"");
    check(&[blocked("low on disk"), bare(0, (10, 61), b"")], "? ? ? ?", b"");
    check(&[bare(1, (20, 20), b"\0")], "? ? ? ? blocked=channel.flow", &bare(1, (20, 21), b"\0"));
    check(&[bare(1, (20, 20), b"\x01")], "? ? ? ?", &bare(1, (20, 21), b"\x01"));
}

#[test]
fn the_end_of_a_channel_judges_what_is_not_confirmed() {
    let (channel, connection) = (bare(1, (20, 41), b""), bare(0, (10, 51), b""));
    check(
        &[confirm(ACK, 1, 0), closed(1, (20, 40), 404, "NOT_FOUND - no exchange 'logs'")],
        "stored ? ? ? refused=Hold(Schema) 404 NOT_FOUND - no exchange 'logs'",
        &channel,
    );
    // The first reason counts.
    check(
        &[closed(1, (20, 40), 403, "NO"), closed(0, (10, 50), 320, "FORCED")],
        "? ? ? ? refused=Hold(Access) 403 NO",
        &[channel, connection.clone()].concat(),
    );
    check(&[closed(0, (10, 50), 320, "A\r\nB")], "? ? ? ? refused=Later(Busy) 320 AB", &connection);
    check(&[bare(1, (85, 11), b"")], "it answers what was not asked", b"");
}

#[test]
fn a_message_is_known_until_its_outcome_is_taken() {
    let mut confirms = Confirms::new("logs", Unroutable::Hold, 4096);
    confirms.add(id(1));
    assert!(confirms.knows(id(1)) && !confirms.knows(id(2)));
    let said = [returned(id(1), b""), confirm(ACK, 1, 0)].concat();
    assert_eq!(confirms.take(&said, &mut Vec::new()), Ok(said.len()));
    assert_eq!((confirms.heard(), confirms.untaken()), ((1, 3), 1));
    assert!(confirms.knows(id(1)));
    let failure = confirms.take_outcome(id(1)).and_then(Result::err).expect("an outcome");
    assert_eq!(failure.verdict, delivery::Verdict::Hold(delivery::HoldReason::Schema));
    assert_eq!(failure.answer, "312 NO_ROUTE: no queue of exchange 'logs' gets it\nrouting key 'key'");
    assert!(!confirms.knows(id(1)));
    confirms.judge(id(2), Ok(()));
    confirms.forget_outcomes();
    assert!(!confirms.knows(id(2)));
}

proptest! {
    /// Frames with a correct head and end, whose content is anything.
    #[test]
    fn no_broker_makes_it_fail(frames in vec((1_u8..4, vec(any::<u8>(), 0..40), 0_usize..12), 0..8)) {
        const HEADS: [&[u8]; 12] = [
            b"\0\x0a\0\x0a", b"\0\x0a\0\x1e", b"\0\x0a\0\x32", b"\0\x0a\0\x3c", b"\0\x14\0\x14",
            b"\0\x14\0\x28", b"\0\x3c\0\x32", b"\0\x3c\0\x50", b"\0\x3c\0\x78", b"\0\x3c\0\0", b"", b"\0",
        ];
        let mut bytes = Vec::new();
        for (kind, content, head) in frames {
            bytes.extend_from_slice(&[kind, 0, 1]);
            bytes.extend_from_slice(&((content.len() + HEADS[head].len()) as u32).to_be_bytes());
            bytes.extend_from_slice(HEADS[head]);
            bytes.extend_from_slice(&content);
            bytes.push(0xce);
        }
        let mut confirms = Confirms::new("logs", Unroutable::Dead, 4096);
        (1..=4).for_each(|number| confirms.add(id(number)));
        if let Ok(used) = confirms.take(&bytes, &mut Vec::new()) {
            assert_eq!(used, bytes.len());
        }
        assert!(confirms.awaited() <= 4);
    }
}
