//! Round trips of random batches; hostile bytes.

#![expect(clippy::disallowed_methods, reason = "golden files")]

use super::{CodecError, decode, encode, numbers};
use crate::*;
use proptest::prelude::*;
use std::{slice, sync::Arc};

fn origin(number: u8) -> Arc<Origin> {
    Arc::new(Origin {
        source: format!("s{number}"),
        transport: if number == 0 { Transport::Udp } else { Transport::UnixStream },
        peer: (number != 1).then(|| format!("10.0.0.{number}:514").parse().unwrap()),
        local: (number == 2).then(|| "[fe80::1]:6514".parse().unwrap()),
        host_from: format!("host{number}"),
        file_name: "f".repeat(number as usize),
        tags: vec![format!(".source.s{number}")],
        transport_name: "bsd+udp".into(),
        values: vec![(".unix.pid".into(), vec![number, 255])],
    })
}

/// Shows everything that can be read from a message.
fn show(batch: &Batch, index: usize) -> String {
    let message = &batch.messages[index];
    let names = [
        Field::Host,
        Field::HostFrom,
        Field::Program,
        Field::Pid,
        Field::Msgid,
        Field::Message,
        Field::LegacyMsghdr,
        Field::Source,
        Field::Raw,
        Field::FileName,
    ];
    let fields = names.map(|field| batch.fixed(index, field).to_vec());
    let sdata = batch.bytes(message.sdata);
    let rest = (message.event, message.pri, message.format, message.marks, message.utf8, batch.received);
    let origin = batch.origin(index);
    format!("{fields:?} {sdata:?} {rest:?} {:?} {:?} {origin:?}", batch.values(index), batch.tags(index))
}

#[derive(Clone, Debug)]
struct Plan {
    spans: Vec<(usize, usize)>,
    event: (i64, i32, usize),
    pri: u16,
    marks: u32,
    origin: u16,
    values: Vec<(u8, usize)>,
    selected: bool,
}

fn plan() -> impl Strategy<Value = Plan> {
    let spans = prop::collection::vec((0_usize..900, 0_usize..200), 8);
    let event = (any::<i32>().prop_map(i64::from), -9000_i32..9000, 0_usize..4);
    let values = prop::collection::vec((0_u8..11, 0_usize..30), 0..4);
    (spans, event, 0_u16..192, 0_u32..4, 0_u16..3, values, any::<bool>()).prop_map(
        |(spans, event, pri, marks, origin, values, selected)| Plan {
            spans,
            event,
            pri,
            marks,
            origin,
            values,
            selected,
        },
    )
}

/// A batch of 600 received and 300 added bytes; spans lie anywhere, mostly in their message's frame.
fn build(plans: &[Plan]) -> (Batch, Selection) {
    let received = Arc::new((0..600).map(|index| index as u8).collect::<Vec<_>>());
    let mut batch = Batch::new(received, (0..3).map(origin).collect(), Stamp::known(77, 3600), Ack::none());
    batch.rcptid = 40;
    (0..300).for_each(|index| batch.extra.push(index as u8));
    let mut selection = Selection::none(plans.len());
    for (index, plan) in plans.iter().enumerate() {
        let place = |&(start, length): &(usize, usize)| match start {
            0..600 => Span::received(start, length.min(600 - start)),
            _ => Span::extra(start - 600, length.min(900 - start)),
        };
        let mut spans: Vec<Span> = plan.spans.iter().map(place).collect();
        if plan.pri % 4 != 0 {
            let raw = Span::received(index * 40 % 500, 38);
            spans = plan
                .spans
                .iter()
                .map(|&(start, length)| raw.part(start % 40, start % 40 + length % 12))
                .collect();
            spans[0] = raw;
            spans[7] = place(&(index % 3 * 300, 9));
        }
        batch.messages.push(Message {
            raw: spans[0],
            host: spans[1],
            program: spans[2],
            pid: spans[3],
            msgid: spans[4],
            msghdr: spans[5],
            sdata: spans[6],
            text: spans[7],
            event: Stamp {
                unix_us: plan.event.0,
                offset_s: plan.event.1,
                quality: [
                    ZoneQuality::Absent,
                    ZoneQuality::Known,
                    ZoneQuality::ZoneGuessed,
                    ZoneQuality::YearGuessed,
                ][plan.event.2],
            },
            pri: Priority(plan.pri),
            format: [Format::Raw, Format::Rfc3164, Format::Rfc5424, Format::Journal][plan.pri as usize % 4],
            marks: Marks(plan.marks),
            origin: plan.origin,
            utf8: plan.marks == 2,
            values: 0,
        });
        for &(kind, place) in &plan.values {
            let name = format!("n{}", place % 3);
            let value = Span::received(place * 19, place);
            batch.set_value(index, &name, value, ValueKind::from_byte(kind).unwrap());
        }
        if plan.selected {
            selection.add(index);
        }
    }
    (batch, selection)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn decodes_what_it_encodes(plans in prop::collection::vec(plan(), 0..30)) {
        let (batch, some) = build(&plans);
        for selection in [some, Selection::all(batch.len())] {
            let mut bytes = b"before".to_vec();
            encode(&batch, &selection, &mut bytes);
            let copy = decode(&bytes[6..]).unwrap();
            prop_assert_eq!(copy.len(), selection.count());
            for (at, index) in selection.iter().enumerate() {
                prop_assert_eq!(show(&copy, at), show(&batch, index));
                let kept = selection.is_all();
                prop_assert!(!kept || copy.rcptid_of(at) == batch.rcptid_of(index));
            }
            let dense = selection.iter().zip(selection.iter().skip(1)).all(|(one, next)| one + 1 == next);
            let first = selection.iter().next().filter(|_| dense).map_or(0, |first| batch.rcptid_of(first));
            prop_assert_eq!(copy.rcptid, first);
            // A copy without bytes in between shows the same.
            let copy = batch.copy_of(&selection);
            let mut pushed = Batch { received: batch.received, ..Batch::default() };
            for (at, index) in selection.iter().enumerate() {
                prop_assert_eq!(show(&copy, at), show(&batch, index));
                prop_assert_eq!(pushed.push_copy(&batch, index), at);
                prop_assert_eq!(show(&pushed, at), show(&batch, index));
            }
        }
    }

    #[test]
    fn survives_any_bytes(plans in prop::collection::vec(plan(), 1..8), changes in prop::collection::vec((any::<u16>(), any::<u8>()), 1..6)) {
        let (mut batch, selection) = build(&plans);
        batch.numbering = Some(numbering(&[4, 5, 6, 2, 9]));
        let mut bytes = Vec::new();
        encode(&batch, &selection, &mut bytes);
        for (place, byte) in changes {
            let place = place as usize % bytes.len();
            bytes[place] = byte;
            for cut in [bytes.len(), place] {
                if let Ok(batch) = decode(&bytes[..cut]) {
                    (0..batch.len()).for_each(|index| drop(show(&batch, index)));
                }
                let _ = numbers(&bytes[..cut]);
            }
        }
    }
}

#[test]
fn a_stream_costs_one_piece_and_few_bytes() {
    let line = b"<13>Oct 11 22:14:15 host su[17]: text\n";
    let received = Arc::new(line.repeat(100));
    let mut batch = Batch::new(received, vec![origin(0)], Stamp::known(1_000_000, 0), Ack::none());
    for index in 0..100 {
        let raw = Span::received(index * line.len(), line.len() - 1);
        let (host, text) = (raw.part(20, 24), raw.part(32, 37));
        batch.messages.push(Message { raw, host, text, event: Stamp::known(5, 0), ..Message::default() });
    }
    let mut bytes = Vec::new();
    encode(&batch, &Selection::all(100), &mut bytes);
    let overhead = bytes.len() - 100 * line.len();
    assert!(overhead < 100 * 10 + 150, "{overhead} bytes beside the lines");
    assert_eq!(decode(&bytes).unwrap().received_bytes.len(), 100 * line.len() - 1);
}

#[test]
fn bytes_between_frames_are_copied_when_they_are_few() {
    for (frames, want) in [
        (&[(5, 3)][..], 3),
        (&[(0, 3), (3, 3)], 6),
        (&[(0, 3), (35, 3)], 38),
        (&[(0, 3), (36, 3)], 6),
        (&[(60, 3), (0, 3), (3, 1)], 7),
        (&[(9, 3), (11, 3), (11, 3)], 9),
    ] {
        let mut batch = Batch::new(Arc::new(vec![7; 99]), vec![origin(0)], Stamp::default(), Ack::none());
        for &(start, length) in frames {
            batch.messages.push(Message { raw: Span::received(start, length), ..Message::default() });
        }
        let mut bytes = Vec::new();
        encode(&batch, &Selection::all(frames.len()), &mut bytes);
        let copy = decode(&bytes).unwrap();
        assert_eq!((copy.received_bytes.len(), copy.extra.len()), (want, 0), "{frames:?}");
        let lengths: Vec<usize> = copy.messages.iter().map(|message| message.raw.len()).collect();
        assert_eq!(lengths, frames.iter().map(|(_, length)| *length).collect::<Vec<_>>());
    }
}

fn numbering(each: &[u64]) -> Numbering {
    let key = StreamKey { sender: "0123/cn".into(), epoch: 0x1122_3344, stream: 2 };
    Numbering::sparse(Arc::new(NumberedStream::new(key, 0)), each.to_vec())
}

/// Writes the selected messages of five, and shows their numbers as they are read.
#[track_caller]
fn check_numbers(each: &[u64], selected: &[usize], want: &[std::ops::Range<u64>]) {
    let mut batch = Batch::new(Arc::new(vec![7; 99]), vec![origin(0)], Stamp::default(), Ack::none());
    batch.messages = vec![Message { raw: Span::received(1, 9), ..Message::default() }; each.len()];
    batch.numbering = Some(numbering(each));
    let mut selection = Selection::none(each.len());
    selected.iter().for_each(|index| selection.add(*index));
    let mut bytes = Vec::new();
    encode(&batch, &selection, &mut bytes);
    assert_eq!(decode(&bytes).unwrap().len(), selected.len());
    let (key, runs) = numbers(&bytes).unwrap();
    assert_eq!((&*key.sender, key.epoch, key.stream), ("0123/cn", 0x1122_3344, 2));
    assert_eq!(runs, want);
}

#[test]
fn numbers_are_written_with_the_messages() {
    check_numbers(&[5, 6, 7, 8, 9], &[0, 1, 2, 3, 4], slice::from_ref(&(5..10)));
    check_numbers(&[5, 6, 7, 8, 9], &[0, 1, 4], &[5..7, 9..10]);
    check_numbers(&[u64::MAX - 1, 0, 3], &[0, 1, 2], &[u64::MAX - 1..u64::MAX, 0..1, 3..4]);
    let mut bytes = Vec::new();
    let batch = Batch::new(Arc::new(vec![7; 99]), vec![origin(0)], Stamp::default(), Ack::none());
    encode(&batch, &Selection::all(0), &mut bytes);
    assert!(numbers(&bytes).is_none() && bytes[0] == 1, "a batch without numbers is of version 1");
}

#[test]
fn refuses_other_versions() {
    assert_eq!(decode(&[]).unwrap_err(), CodecError::Malformed);
    assert_eq!(decode(&[9; 100]).unwrap_err(), CodecError::Version(9));
    assert_eq!(decode(&[1; 100]).unwrap_err(), CodecError::Malformed);
}

#[test]
fn reads_batches_of_every_version() {
    check_golden(concat!(env!("CARGO_MANIFEST_DIR"), "/testdata/batch-version-1.bin"), None);
    let numbered = Some(numbering(&[70, 71, 72, 75, 76, 90, 91]));
    check_golden(concat!(env!("CARGO_MANIFEST_DIR"), "/testdata/batch-version-2.bin"), numbered);
}

#[track_caller]
fn check_golden(path: &str, numbering: Option<Numbering>) {
    let values = |number: u8| vec![(number, 7), (9, 5)];
    let plan = |number: u16| Plan {
        spans: vec![(usize::from(number) * 9, 31), (620, 8), (3, 4), (7, 2), (0, 0), (9, 1), (1, 2), (12, 9)],
        event: (i64::from(number) * 999_983, 3600, 1 + usize::from(number) % 3),
        pri: 12 + number * 5,
        marks: u32::from(number) % 3,
        origin: number % 3,
        values: if number.is_multiple_of(2) { values(number as u8) } else { Vec::new() },
        selected: true,
    };
    let (mut batch, all) = build(&(0..7).map(plan).collect::<Vec<_>>());
    batch.numbering = numbering;
    let mut bytes = Vec::new();
    encode(&batch, &all, &mut bytes);
    if std::env::var_os("UPDATE").is_some() {
        std::fs::write(path, &bytes).unwrap();
    }
    let golden = std::fs::read(path).unwrap();
    assert!(bytes == golden, "the layout changed: that needs another version");
    let copy = decode(&golden).unwrap();
    let shown = |batch: &Batch| (0..batch.len()).map(|index| show(batch, index)).collect::<Vec<_>>();
    assert_eq!(shown(&copy), shown(&batch));
}
