//! Framing: whatever the bytes and wherever they are split, frames lie inside and nothing is read twice.
#![no_main]

use libfuzzer_sys::fuzz_target;
use wire::{Framer, Framing, Oversize};

fuzz_target!(|input: (u8, u16, Vec<u8>)| {
    let (choice, limit, bytes) = input;
    let framing = [Framing::Auto, Framing::Newline, Framing::Nul, Framing::OctetCounted][usize::from(choice & 3)];
    let oversize = if choice & 4 == 0 { Oversize::Split } else { Oversize::Cut };
    let mut framer = Framer::new(framing, usize::from(limit).max(1), oversize);
    let mut kept: Vec<u8> = Vec::new();
    for piece in bytes.chunks(usize::from(choice >> 3) + 1) {
        kept.extend_from_slice(piece);
        let mut frames = Vec::new();
        let used = framer.split(&kept, &mut frames);
        assert!(used <= kept.len());
        kept.drain(..used);
        assert!(kept.len() <= usize::from(limit).max(1) + 64, "an unbounded tail of {} bytes", kept.len());
    }
    framer.finish(&kept, &mut Vec::new());
});
