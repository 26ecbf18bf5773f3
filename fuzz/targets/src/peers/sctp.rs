//! Chunks of SCTP: whatever the bytes, a chunk that is read is written so that it reads the same.

use sctp::codec::{Cause, Causes, Chunk, Packet, PacketBuilder, Parameters};

/// Runs the target: the bytes as a datagram, and as the chunks of one whose checksum a fuzzer would never find.
pub(crate) fn run(bytes: &[u8]) {
    read(bytes);
    let datagram = datagram(bytes);
    read(&datagram);
    let unknown = Parameters::new(bytes).filter(|parameter| parameter.unrecognized().is_some());
    assert!(unknown.count() <= bytes.len());
    let mut again = Vec::new();
    let causes: Vec<Cause<'_>> = Causes::new(bytes).collect();
    causes.iter().for_each(|cause| cause.encode(&mut again));
    assert_eq!(Causes::new(&again).count(), causes.len());
}

fn datagram(chunks: &[u8]) -> Vec<u8> {
    let mut builder = PacketBuilder::new(9899, 9899, 1, chunks.len() + 12);
    builder.push_encoded(chunks);
    builder.finish()
}

fn read(bytes: &[u8]) {
    let Ok(packet) = Packet::parse(bytes) else { return };
    for chunk in packet.chunks().flatten() {
        let mut encoded = Vec::new();
        chunk.encode(&mut encoded);
        let again = datagram(&encoded);
        let again = Packet::parse(&again).expect("its own");
        assert_eq!(again.chunks().next(), Some(Ok(chunk.clone())));
        if let Chunk::Init(init) | Chunk::InitAck(init) = chunk {
            assert!(init.parameters.bytes().len() <= bytes.len());
        }
    }
}
