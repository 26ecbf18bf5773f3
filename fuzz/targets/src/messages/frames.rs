//! Framing: whatever the bytes and wherever they are split, frames lie inside them and nothing is read twice.

use std::sync::Arc;
use wire::{Framer, Framing, LinePattern, MultiLine, Oversize};

/// Lines that belong together, or not.
fn joined(framer: Framer, choice: u8) -> Framer {
    let begins =
        || Some(LinePattern::new("<", Arc::new(|line: &[u8]| line.starts_with(b"<").then_some(0..1))));
    let ends = |line: &[u8]| line.iter().position(|byte| *byte == b'#').map(|at| at..at + 1);
    let end = || Some(LinePattern::new("#", Arc::new(ends)));
    if choice % 6 == 5 {
        return framer;
    }
    framer.joining(Arc::new(match choice % 6 {
        0 => MultiLine::Indented,
        1 => MultiLine::Smart,
        2 => MultiLine::EmptyLineSeparated,
        3 => MultiLine::PrefixGarbage { prefix: begins(), garbage: end() },
        _ => MultiLine::PrefixSuffix { prefix: begins(), suffix: end() },
    }))
}

/// Runs the target.
pub(crate) fn run(input: (u8, u8, u16, Vec<u8>)) {
    let (choice, mode, limit, bytes) = input;
    let framing =
        [Framing::Auto, Framing::Newline, Framing::Nul, Framing::OctetCounted][usize::from(choice & 3)];
    let oversize = if choice & 4 == 0 { Oversize::Split } else { Oversize::Cut };
    let mut framer = joined(Framer::new(framing, usize::from(limit).max(1), oversize), mode);
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
}
