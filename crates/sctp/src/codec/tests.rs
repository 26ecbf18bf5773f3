//! Rows for the bytes of chunks, hostile ones too, and round trips of all of them.

use super::{
    Cause, Causes, Chunk, Data, ForwardTsn, Fragment, GapBlock, Init, Numbering, Packet, PacketBuilder,
    Parameter, Parameters, Sack, SkippedMessage, Unrecognized,
};
use proptest::prelude::*;

fn packet(body: &[u8]) -> Vec<u8> {
    let mut builder = PacketBuilder::new(5000, 9899, 0x0102_0304, 1 << 16);
    builder.push_encoded(body);
    builder.finish()
}

/// Shows the chunks of a packet, each in one word.
fn show(datagram: &[u8]) -> String {
    let packet = match Packet::parse(datagram) {
        Ok(packet) => packet,
        Err(error) => return error.to_string(),
    };
    let word = |chunk| match chunk {
        Ok(chunk) => format!("{chunk:?}").split([' ', '(']).next().unwrap().to_owned(),
        Err(error) => format!("[{error}]"),
    };
    packet.chunks().map(word).collect::<Vec<_>>().join(" ")
}

#[track_caller]
fn check(body: &[u8], want: &str) {
    assert_eq!(show(&packet(body)), want);
}

#[test]
fn writes_the_bytes_of_the_document() {
    let mut builder = PacketBuilder::new(5000, 9899, 0x0102_0304, 1200);
    builder.push(&Chunk::Data(Data {
        tsn: 7,
        stream: 1,
        numbering: Numbering::Sequence(2),
        protocol: 3,
        fragment: Fragment::Whole,
        unordered: true,
        immediate: false,
        payload: b"hello",
    }));
    assert_eq!(builder.room(), 1200 - 12 - 24);
    let bytes = builder.finish();
    let want = [0, 7, 0, 21, 0, 0, 0, 7, 0, 1, 0, 2, 0, 0, 0, 3, b'h', b'e', b'l', b'l', b'o', 0, 0, 0];
    assert_eq!((&bytes[..8], &bytes[12..]), (&[0x13, 0x88, 0x26, 0xab, 1, 2, 3, 4][..], &want[..]));
    // The sum of the document, by another way: bit by bit, over zeros in its place.
    let mut zeroed = bytes.clone();
    zeroed[8..12].fill(0);
    let bitwise = zeroed.iter().fold(!0u32, |sum, byte| {
        (0..8).fold(sum ^ u32::from(*byte), |sum, _| (sum >> 1) ^ (0x82f6_3b78 * (sum & 1)))
    });
    assert_eq!(bytes[8..12], (!bitwise).to_le_bytes());
}

#[test]
fn reads_packets_that_are_none() {
    let good = packet(&[8, 0, 0, 4]);
    assert_eq!(show(&good), "ShutdownAck");
    assert_eq!(show(&good[..15]), "the datagram is shorter than a packet");
    assert_eq!(show(&[]), "the datagram is shorter than a packet");
    let mut flipped = good.clone();
    flipped[12] ^= 1;
    assert_eq!(show(&flipped), "the checksum of the packet is wrong");
    assert_eq!(show(&PacketBuilder::new(0, 1, 1, 100).finish()), "the datagram is shorter than a packet");
    let mut portless = PacketBuilder::new(0, 1, 1, 100);
    portless.push(&Chunk::CookieAck);
    assert_eq!(show(&portless.finish()), "a port of the packet is 0");
}

#[test]
fn reads_hostile_chunks() {
    let length = "[the length of a chunk leaves its packet]";
    check(&[11, 0, 0, 4, 8, 0, 0, 4], "CookieAck ShutdownAck");
    check(&[11, 0, 0, 3], length);
    check(&[11, 0, 0, 0], length);
    check(&[11, 0, 0, 4, 8, 0, 0, 5], &format!("CookieAck {length}"));
    check(&[11, 0, 0, 4, 8, 0], &format!("CookieAck {length}"));
    // The padding of the last chunk may be missing.
    check(&[10, 0, 0, 5, 9], "CookieEcho");
    // Unknown ones, by their two high bits.
    check(&[0x3f, 0, 0, 4, 11, 0, 0, 4], "Unknown");
    check(&[0x7f, 0, 0, 4, 11, 0, 0, 4], "Unknown");
    check(&[0xbf, 0, 0, 4, 11, 0, 0, 4], "Unknown CookieAck");
    check(&[0xff, 0, 0, 4, 11, 0, 0, 4], "Unknown CookieAck");
    check(&[0, 3, 0, 16, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0], "[a chunk of type 0 is malformed]");
    check(&[64, 3, 0, 8, 0, 0, 0, 1], "[a chunk of type 64 is malformed]");
    // Counts that leave the chunk.
    check(&[3, 0, 0, 16, 0, 0, 0, 1, 0, 0, 0, 1, 0xff, 0xff, 0, 0], "[a chunk of type 3 is malformed]");
    check(&[3, 0, 0, 16, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0xff, 0xff], "[a chunk of type 3 is malformed]");
    check(&[192, 0, 0, 11, 0, 0, 0, 1, 0, 1, 0], "[a chunk of type 192 is malformed]");
    check(&[1, 0, 0, 8, 0, 0, 0, 1], "[a chunk of type 1 is malformed]");
    check(&[4, 0, 0, 8, 0, 1, 0, 9], "[a chunk of type 4 is malformed]");
}

#[test]
fn says_how_to_treat_the_unknown() {
    let parameters = [0x01, 0x00, 0, 4, 0x40, 0, 0, 4, 0x80, 1, 0, 4, 0xc0, 1, 0, 4, 0xc0, 0, 0, 4, 0, 1];
    let treated: Vec<_> = Parameters::new(&parameters).map(|one| one.unrecognized()).collect();
    let want =
        [Unrecognized::Stop, Unrecognized::StopAndReport, Unrecognized::Skip, Unrecognized::SkipAndReport];
    assert_eq!(treated[..4], want.map(Some));
    assert_eq!(treated[4..], [None]);
    assert_eq!(want.map(Unrecognized::stops), [true, true, false, false]);
    assert_eq!(want.map(Unrecognized::reports), [false, true, false, true]);
}

/// Encodes a chunk and reads it again.
fn round_trip(chunk: &Chunk<'_>) -> Result<(), TestCaseError> {
    let mut body = Vec::new();
    chunk.encode(&mut body);
    prop_assert_eq!(body.len() % 4, 0);
    Chunk::CookieAck.encode(&mut body);
    let datagram = packet(&body);
    let read: Vec<_> = Packet::parse(&datagram).unwrap().chunks().collect();
    prop_assert_eq!(read, vec![Ok(chunk.clone()), Ok(Chunk::CookieAck)]);
    Ok(())
}

fn numbering(is_interleaved: impl Into<Option<u32>>, number: u32, fragment: Fragment) -> Numbering {
    match is_interleaved.into() {
        Some(index) => {
            let fragment = if fragment.begins() { 0 } else { index };
            Numbering::Message { id: number, fragment }
        }
        None => Numbering::Sequence(u16::try_from(number & 0xffff).unwrap()),
    }
}

proptest! {
    #[test]
    fn every_chunk_comes_back(
        (tsn, number, index) in any::<(u32, u32, Option<u32>)>(),
        (stream, other, bits) in any::<(u16, u16, u8)>(),
        bytes in proptest::collection::vec(any::<u8>(), 1..300),
        pairs in proptest::collection::vec(any::<(u16, u16)>(), 0..40),
    ) {
        let fragment = Fragment::of(usize::from(bits & 3 == 0), 1 + usize::from(bits & 4 != 0));
        let fragment = if bits & 7 == 7 { Fragment::Middle } else { fragment };
        let interleaved = index.is_some();
        let protocol = if interleaved && !fragment.begins() { 0 } else { number ^ tsn };
        let (unordered, immediate) = (bits & 8 != 0, bits & 16 != 0);
        let numbering_of = |fragment| numbering(index, number, fragment);
        round_trip(&Chunk::Data(Data {
            tsn, stream, numbering: numbering_of(fragment), protocol, fragment, unordered, immediate, payload: &bytes,
        }))?;
        let gaps = pairs.iter().map(|(start, end)| GapBlock { start: *start, end: *end }).collect();
        let duplicates = pairs.iter().map(|(one, two)| u32::from(*one) << 16 | u32::from(*two)).collect();
        round_trip(&Chunk::Sack(Sack { cumulative: tsn, window: number, gaps, duplicates }))?;
        let skipped = pairs.iter().map(|(stream, number)| SkippedMessage {
            stream: *stream,
            numbering: numbering(index.map(|_| 0), u32::from(*number), Fragment::Whole),
            unordered: interleaved && number % 2 == 1,
        });
        let forward = ForwardTsn { cumulative: tsn, skipped: skipped.collect() };
        round_trip(&if interleaved { Chunk::IForwardTsn(forward) } else { Chunk::ForwardTsn(forward) })?;
        let parameters = [
            Parameter::Cookie(&bytes), Parameter::ForwardTsnSupported, Parameter::SupportedExtensions(&bytes),
            Parameter::Unrecognized(&bytes),
        ];
        let encoded = Init::encode_parameters(&parameters);
        let init = Init {
            tag: tsn, window: number, outbound_streams: stream, inbound_streams: other, tsn,
            parameters: Parameters::new(&encoded),
        };
        prop_assert_eq!(init.parameters.collect::<Vec<_>>(), parameters);
        round_trip(&Chunk::Init(init))?;
        round_trip(&Chunk::InitAck(init))?;
        let causes = [
            Cause::InvalidStream(stream), Cause::StaleCookie(number), Cause::OutOfResource,
            Cause::UnrecognizedChunk(&bytes), Cause::InvalidMandatoryParameter,
            Cause::UnrecognizedParameters(&bytes), Cause::NoUserData(tsn), Cause::CookieWhileShuttingDown,
            Cause::UserInitiatedAbort(&bytes), Cause::ProtocolViolation(&bytes), Cause::Other(99, &bytes),
        ];
        let mut encoded = Vec::new();
        causes.iter().for_each(|cause| cause.encode(&mut encoded));
        prop_assert_eq!(Causes::new(&encoded).collect::<Vec<_>>(), causes);
        round_trip(&Chunk::Abort { reflected: unordered, causes: Causes::new(&encoded) })?;
        round_trip(&Chunk::Error(Causes::new(&encoded)))?;
        for chunk in [
            Chunk::Heartbeat(&bytes), Chunk::HeartbeatAck(&bytes), Chunk::Shutdown(tsn), Chunk::ShutdownAck,
            Chunk::CookieEcho(&bytes), Chunk::CookieAck, Chunk::ShutdownComplete { reflected: immediate },
            Chunk::Pad(bytes.len()),
        ] {
            round_trip(&chunk)?;
        }
    }

    #[test]
    fn any_bytes_are_read(body in proptest::collection::vec(any::<u8>(), 0..400)) {
        let datagram = packet(&body);
        if let Ok(packet) = Packet::parse(&datagram) {
            for chunk in packet.chunks().flatten() {
                round_trip_if_known(&chunk)?;
            }
        }
        let _ = Packet::parse(&body);
        let _ = Parameters::new(&body).count() + Causes::new(&body).count();
    }
}

/// A chunk that was read is written so that it reads the same.
fn round_trip_if_known(chunk: &Chunk<'_>) -> Result<(), TestCaseError> {
    if matches!(chunk, Chunk::Unknown(..)) { Ok(()) } else { round_trip(chunk) }
}
