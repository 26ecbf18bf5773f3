//! The tokens that bytes or an expression require in a message: the index rules out messages without them.
//!
//! In: bytes or an expression. Out: token patterns that every match implies. Finding fewer of them is correct, only
//! slower.

use crate::language::{tree::LetterCase, words};
use lookup::Pattern;
use regex_syntax::hir::{Hir, HirKind};

/// Shortest part of a token for which scanning the dictionary pays off.
const PART_BYTES_MIN: usize = 3;

/// Returns tokens of every text that contains exactly these bytes: the first and the last may be parts of longer
/// tokens.
pub(super) fn of_bytes(bytes: &[u8]) -> Vec<Pattern> {
    let mut patterns = Vec::new();
    words::tokens(bytes, &mut |range| {
        let word = bytes[range.clone()].to_ascii_lowercase();
        // A character next to a token cannot belong to it, except the signs that join two tokens. Segments that were
        // made by version 0.2 or before have whatever is not ASCII in the same token.
        let joins = |byte: Option<&u8>| byte.is_none_or(|byte| matches!(byte, b'.' | b'-' | 0x80..));
        let open_start = range.start == 0 || joins(bytes.get(range.start - 1));
        let open_end = joins(bytes.get(range.end));
        let mut wild = Vec::new();
        if open_start {
            wild.push(b'*');
        }
        wild.extend_from_slice(&word);
        match (open_start, open_end) {
            (false, false) => patterns.push(Pattern::Exact(word)),
            (false, true) => patterns.push(Pattern::Prefix(word)),
            _ if word.len() < PART_BYTES_MIN => {}
            (true, false) => patterns.push(Pattern::Wildcard(wild)),
            (true, true) => {
                wild.push(b'*');
                patterns.push(Pattern::Wildcard(wild));
            }
        }
    });
    patterns
}

/// Returns tokens of every text that an expression matches.
pub(super) fn of_regex(expression: &str, case: LetterCase) -> Vec<Pattern> {
    let parsed = regex_syntax::ParserBuilder::new().utf8(false).build().parse(expression);
    let mut patterns = Vec::new();
    if let Ok(hir) = parsed {
        required(&hir, case, &mut patterns);
    }
    patterns
}

/// Collects the literals that every match of an expression contains.
fn required(hir: &Hir, case: LetterCase, patterns: &mut Vec<Pattern>) {
    match hir.kind() {
        HirKind::Literal(literal) => {
            // Only letters, digits and _: they are always within one token, whatever surrounds them. When
            // case is ignored, k and s are left out: they have equivalents beyond ASCII, which the index does
            // not fold.
            let inner = |byte: &u8| {
                (byte.is_ascii_alphanumeric() || *byte == b'_')
                    && !(case == LetterCase::Ignored && matches!(byte.to_ascii_lowercase(), b'k' | b's'))
            };
            for part in literal.0.split(|byte| !inner(byte)).filter(|part| part.len() >= PART_BYTES_MIN) {
                let wild = [b"*", part.to_ascii_lowercase().as_slice(), b"*"].concat();
                patterns.push(Pattern::Wildcard(wild));
            }
        }
        HirKind::Concat(parts) => parts.iter().for_each(|part| required(part, case, patterns)),
        HirKind::Capture(capture) => required(&capture.sub, case, patterns),
        HirKind::Repetition(repetition) if repetition.min > 0 => {
            required(&repetition.sub, case, patterns);
        }
        _ => {}
    }
}
