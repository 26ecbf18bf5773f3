//! Rows for what arrives: chunks in any order, what is abandoned, what does not fit.

use super::Inbound;
use crate::codec::{Data, ForwardTsn, Fragment, Numbering, SkippedMessage};
use crate::interface::{Options, Time};
use crate::secrets::{Abilities, Agreement};

fn inbound(abilities: Abilities, receive_bytes: usize) -> Inbound {
    let agreement = Agreement {
        local_tag: 1,
        local_tsn: 1,
        remote_tag: 1,
        remote_tsn: 0xffff_fffe,
        window: 1500,
        outbound_streams: 1,
        inbound_streams: 2,
        abilities,
    };
    Inbound::new(&Options { receive_bytes, message_bytes_max: 6, ..Options::default() }, &agreement)
}

/// A chunk: its TSN as an offset from the first one, its number, its part, its bytes. Streams with `u` are unordered.
type Row = (u32, &'static str, u32, Fragment, &'static str);

fn data<'a>(row: &'a Row, interleaves: Abilities) -> Data<'a> {
    let (tsn, stream, number, fragment, payload) = *row;
    let numbering = match interleaves.interleaves {
        true => Numbering::Message { id: number / 10, fragment: number % 10 },
        false => Numbering::Sequence(u16::try_from(number / 10).unwrap()),
    };
    Data {
        tsn: tsn.wrapping_add(0xffff_fffe),
        stream: u16::from(stream.as_bytes()[0] - b'0'),
        numbering,
        protocol: 0,
        fragment,
        unordered: stream.ends_with('u'),
        immediate: false,
        payload: payload.as_bytes(),
    }
}

/// Takes chunks; a row without payload abandons what it names. Shows the messages, and the SACK of the end.
fn show(interleaves: bool, rows: &[Row]) -> String {
    let abilities = Abilities { forwards: true, interleaves };
    let mut inbound = inbound(abilities, 100_000);
    let mut words = Vec::new();
    for row in rows {
        let chunk = data(row, abilities);
        if chunk.payload.is_empty() {
            let Data { tsn, stream, numbering, unordered, .. } = chunk;
            let skipped = vec![SkippedMessage { stream, numbering, unordered }];
            inbound.forward(&ForwardTsn { cumulative: tsn, skipped });
        } else {
            match inbound.data(&chunk) {
                Ok(None) => {}
                Ok(Some(invalid)) => words.push(format!("stream-{}", invalid.0)),
                Err(_) => words.push("violation".into()),
            }
        }
        inbound.packet_ends(Time::default());
        let ready = inbound.take_ready();
        words.extend(ready.iter().map(|message| String::from_utf8(message.payload.clone()).unwrap()));
    }
    let sack = inbound.sack(100);
    let gaps = sack.gaps.iter().map(|gap| format!(" {}-{}", gap.start, gap.end)).collect::<String>();
    format!("{} | {}{gaps}", words.join(" "), sack.cumulative.wrapping_sub(0xffff_fffe).cast_signed())
}

#[track_caller]
fn check(rows: &[Row], want: &str) {
    assert_eq!(show(false, rows), want, "DATA");
    assert_eq!(show(true, rows), want, "I-DATA");
}

use Fragment::{First, Last, Middle, Whole};

#[test]
fn puts_messages_in_their_order() {
    check(&[(0, "0", 0, Whole, "a"), (1, "0", 10, Whole, "b")], "a b | 1");
    check(&[(1, "0", 10, Whole, "b"), (0, "0", 0, Whole, "a")], "a b | 1");
    check(&[(1, "0u", 10, Whole, "b"), (0, "0u", 0, Whole, "a")], "b a | 1");
    // Another stream does not wait.
    check(&[(2, "0", 10, Whole, "b"), (1, "1", 0, Whole, "x"), (2, "0", 10, Whole, "b")], "x | -1 2-3");
    check(&[(0, "7", 0, Whole, "a"), (1, "0", 0, Whole, "b")], "stream-7 b | 1");
}

#[test]
fn joins_fragments() {
    let [first, middle, last] =
        [(0, "0", 0, First, "ab"), (1, "0", 1, Middle, "cd"), (2, "0", 2, Last, "ef")];
    for order in [[0, 1, 2], [2, 1, 0], [1, 0, 2], [0, 2, 1]] {
        check(&order.map(|index| [first, middle, last][index]), "abcdef | 2");
    }
    check(&[first, middle, (2, "0", 2, Last, "efg")], "violation | 2");
    check(&[(0, "0", 0, Whole, "abcdefg")], "violation | 0");
}

#[test]
fn skips_what_is_abandoned() {
    // The second message waits for the first one, which never comes.
    check(&[(1, "0", 10, Whole, "b"), (0, "0", 0, Whole, "")], "b | 1");
    // A message that has begun to arrive is dropped; one behind it that is not whole yet stays.
    let rows =
        [(0, "0", 0, First, "x"), (2, "0", 10, First, "a"), (1, "0", 0, Last, ""), (3, "0", 11, Last, "b")];
    check(&rows, "ab | 3");
    // An old one changes nothing.
    check(&[(0, "0", 0, Whole, "a"), (0, "0", 0, Whole, ""), (1, "0", 10, Whole, "b")], "a b | 1");
}

#[test]
fn drops_what_does_not_fit() {
    let mut inbound = inbound(Abilities::default(), 350);
    let take = |inbound: &mut Inbound, tsn| {
        inbound.data(&data(&(tsn, "0", tsn * 10, Whole, "abc"), Abilities::default())).unwrap();
        inbound.sack(100).cumulative.wrapping_sub(0xffff_fffe)
    };
    assert_eq!([0, 1, 2, 3].map(|tsn| take(&mut inbound, tsn)), [0, 1, 2, 2]);
    let ready = inbound.take_ready();
    assert_eq!((ready.len(), inbound.sack(0).window), (3, 350 - 3 * 99));
    ready.iter().for_each(|message| inbound.taken(message));
    assert!(inbound.sack_is_due(Time::default()), "the peer waits for room");
    assert_eq!((take(&mut inbound, 3), inbound.sack(0).window), (3, 350 - 99));
}
