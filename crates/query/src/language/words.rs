//! Words: how text is split into tokens, and how a token or a value is compared with a pattern.
//!
//! In: bytes and patterns. Out: token ranges, yes or no. The rules are those of the store's index.
//! Limits: a wildcard costs at most its length times the text's; fuzzy distance is at most 2.

use crate::language::{letters, tree::Glyph};
use lookup::{Bound, Pattern, pattern::lower_char, tokens::scripts};
use std::{borrow::Cow, cmp::Ordering, net::IpAddr, ops::Range};

/// Lower-cased as the index does it: ASCII only. [`exact`] and [`pattern`] know the cases of other letters.
pub(crate) fn lower(text: &str) -> Vec<u8> {
    text.as_bytes().to_ascii_lowercase()
}

/// The words of text with wildcards, each as a pattern. A lone `*` is [`Pattern::Any`].
pub(crate) fn patterns(glyphs: &[Glyph]) -> Vec<Pattern> {
    let is_open = |glyph: &Glyph| matches!(glyph, Glyph::Plain(c) if scripts::is_unspaced(*c));
    let mut bytes = Vec::new();
    let mut starts = Vec::new();
    for (index, glyph) in glyphs.iter().enumerate() {
        starts.push(bytes.len());
        let near = [index.checked_sub(1), Some(index + 1)].into_iter().flatten();
        let c = match glyph {
            Glyph::Plain(c) => *c,
            // When splitting into words, a wildcard counts as letters of the script beside it.
            _ if near.filter_map(|at| glyphs.get(at)).any(is_open) => '一',
            _ => 'x',
        };
        bytes.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes());
    }
    let mut ranges = Vec::new();
    tokens(&bytes, &mut |range| {
        let first = starts.partition_point(|start| *start < range.start);
        let last = starts.partition_point(|start| *start < range.end);
        ranges.push(first..last);
    });
    // A word of a script without blanks may begin and end within a token.
    let last = ranges.len().saturating_sub(1);
    let of_word = |(index, range): (usize, &Range<usize>)| {
        let mut word = glyphs[range.clone()].to_vec();
        if index == 0 && word.first().is_some_and(is_open) {
            word.insert(0, Glyph::Run);
        }
        if index == last && word.last().is_some_and(is_open) {
            word.push(Glyph::Run);
        }
        pattern(&word)
    };
    ranges.iter().enumerate().map(of_word).collect()
}

/// The words of plain text, in lower case.
pub(crate) fn plain_words(text: &str) -> Vec<Vec<u8>> {
    let mut words = Vec::new();
    tokens(text.as_bytes(), &mut |range| words.push(lower(&text[range])));
    words
}

/// The pattern of exactly this text, in whatever case.
pub(crate) fn exact(text: &str) -> Pattern {
    pattern(&text.chars().map(Glyph::Plain).collect::<Vec<_>>())
}

/// The pattern of what begins with this text, in whatever case.
pub(crate) fn prefix(text: &str) -> Pattern {
    pattern(&text.chars().map(Glyph::Plain).chain([Glyph::Run]).collect::<Vec<_>>())
}

/// One pattern of text with wildcards.
pub(crate) fn pattern(glyphs: &[Glyph]) -> Pattern {
    let has_cases = |glyph: &Glyph| matches!(glyph, Glyph::Plain(c) if letters::cases(*c).len() > 1);
    if glyphs.iter().any(has_cases) {
        return wild(glyphs);
    }
    let plain = glyphs.iter().take_while(|glyph| matches!(glyph, Glyph::Plain(_))).count();
    let (head, tail) = glyphs.split_at(plain);
    let text = |glyphs: &[Glyph]| -> Vec<u8> {
        let chars =
            glyphs.iter().filter_map(|glyph| if let Glyph::Plain(c) = glyph { Some(*c) } else { None });
        lower(&chars.collect::<String>())
    };
    if tail.is_empty() {
        return Pattern::Exact(text(head));
    }
    if tail.iter().all(|glyph| *glyph == Glyph::Run) {
        return if head.is_empty() { Pattern::Any } else { Pattern::Prefix(text(head)) };
    }
    wild(glyphs)
}

fn wild(glyphs: &[Glyph]) -> Pattern {
    let mut wild = String::new();
    for glyph in glyphs {
        match glyph {
            Glyph::Run => wild.push('*'),
            Glyph::One => wild.push('?'),
            Glyph::Plain(c) => match letters::cases(*c).as_slice() {
                [_] => {
                    if matches!(c, '*' | '?' | '[' | '\\') {
                        wild.push('\\');
                    }
                    wild.push(c.to_ascii_lowercase());
                }
                cases => {
                    wild.push('[');
                    wild.extend(cases);
                    wild.push(']');
                }
            },
        }
    }
    Pattern::Wildcard(wild.into_bytes())
}

/// Returns true if a value, given as it is and in lower case, matches the pattern.
pub(crate) fn matches(pattern: &Pattern, value: &[u8], lowered: &[u8]) -> bool {
    match pattern {
        Pattern::Exact(text) => lowered == text,
        Pattern::CaseExact(text) => value == text,
        Pattern::Prefix(text) => lowered.starts_with(text),
        Pattern::Wildcard(wild) => wildcard(wild, lowered),
        Pattern::Fuzzy { text, distance } => within(text, lowered, *distance),
        Pattern::Any => true,
        Pattern::Range { lower, upper } => in_range(lower, upper, lowered),
        Pattern::Network { address, bits } => in_network(address, *bits, value),
        Pattern::Number(wanted) => number(value) == Some(*wanted),
    }
}

/// Returns true if a value, given as it is, matches the pattern.
pub(crate) fn value_matches(pattern: &Pattern, value: &[u8]) -> bool {
    match pattern {
        Pattern::Exact(text) => value.eq_ignore_ascii_case(text),
        Pattern::Any | Pattern::CaseExact(_) | Pattern::Network { .. } => matches(pattern, value, value),
        _ => matches(pattern, value, &value.to_ascii_lowercase()),
    }
}

/// Matches a wildcard pattern: `*` any run, `?` any one character, `[äÄ]` one of these, `\` escapes; both lower-cased.
fn wildcard(wild: &[u8], text: &[u8]) -> bool {
    let (mut at, mut seen) = (0, 0);
    // Position to return to after the last `*`: in the pattern, and the length of text that it has matched.
    let mut retry: Option<(usize, usize)> = None;
    loop {
        let step = match wild.get(at) {
            Some(b'*') => {
                at += 1;
                retry = Some((at, seen));
                continue;
            }
            Some(b'?') => (seen < text.len()).then(|| (1, character(text, seen))),
            Some(b'[') => {
                let listed = wild[at + 1..].split(|byte| *byte == b']').next().unwrap_or_default();
                let step = (listed.len() + 2, text.get(seen).map_or(1, |_| character(text, seen)));
                let listed = str::from_utf8(listed).unwrap_or_default();
                let fits = |c: char| text[seen..].starts_with(c.encode_utf8(&mut [0; 4]).as_bytes());
                listed.chars().any(fits).then_some(step)
            }
            Some(&byte) => {
                let (literal, length) = match wild.get(at + 1) {
                    Some(&escaped) if byte == b'\\' => (escaped, 2),
                    _ => (byte, 1),
                };
                (text.get(seen) == Some(&literal)).then_some((length, 1))
            }
            None if seen == text.len() => return true,
            None => None,
        };
        match (step, retry) {
            (Some((pattern, bytes)), _) => {
                at += pattern;
                seen += bytes;
            }
            (None, Some((behind, swallowed))) if swallowed < text.len() => {
                retry = Some((behind, swallowed + 1));
                at = behind;
                seen = swallowed + 1;
            }
            _ => return false,
        }
    }
}

/// Bytes of the character at a position; 1 for bytes that are no UTF-8.
fn character(text: &[u8], at: usize) -> usize {
    let width = match text[at] {
        0xc2..=0xdf => 2,
        0xe0..=0xef => 3,
        0xf0..=0xf4 => 4,
        _ => 1,
    };
    if std::str::from_utf8(&text[at..(at + width).min(text.len())]).is_ok() { width } else { 1 }
}

/// Optimal string alignment distance, a transposition counting one.
fn within(text: &[u8], value: &[u8], distance: u8) -> bool {
    let limit = usize::from(distance);
    let (a, b): (Cow<str>, Cow<str>) = (String::from_utf8_lossy(text), String::from_utf8_lossy(value));
    let read = |text: &str| text.chars().map(lower_char).collect::<Vec<char>>();
    let (a, b) = (read(&a), read(&b));
    if a.len().abs_diff(b.len()) > limit {
        return false;
    }
    let mut before: Vec<usize> = Vec::new();
    let mut last: Vec<usize> = (0..=b.len()).collect();
    for i in 1..=a.len() {
        let mut row = vec![i];
        for j in 1..=b.len() {
            let change = usize::from(a[i - 1] != b[j - 1]);
            let mut best = (last[j] + 1).min(row[j - 1] + 1).min(last[j - 1] + change);
            if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                best = best.min(before[j - 2] + 1);
            }
            row.push(best);
        }
        if row.iter().all(|cost| *cost > limit) {
            return false;
        }
        before = std::mem::replace(&mut last, row);
    }
    last[b.len()] <= limit
}

fn in_range(lower: &Bound, upper: &Bound, lowered: &[u8]) -> bool {
    let numeric = matches!(lower, Bound::Number { .. }) || matches!(upper, Bound::Number { .. });
    let number = if numeric { number(lowered) } else { None };
    let above = match lower {
        Bound::Open => true,
        Bound::Number { value, inclusive } => {
            number.is_some_and(|n| n > *value || (*inclusive && n == *value))
        }
        Bound::Text { value, inclusive } => lowered > value.as_slice() || (*inclusive && lowered == value),
    };
    let below = match upper {
        Bound::Open => true,
        Bound::Number { value, inclusive } => {
            number.is_some_and(|n| n < *value || (*inclusive && n == *value))
        }
        Bound::Text { value, inclusive } => lowered < value.as_slice() || (*inclusive && lowered == value),
    };
    above && below
}

/// Parses text as a number.
pub(crate) fn number(text: &[u8]) -> Option<f64> {
    if !text.first().is_some_and(|byte| byte.is_ascii_digit() || matches!(byte, b'-' | b'+' | b'.')) {
        return None;
    }
    std::str::from_utf8(text).ok()?.parse().ok().filter(|number: &f64| number.is_finite())
}

/// Orders texts byte by byte, and times as they are shown by what they mean: their fractions have as many digits as they
/// need, so that `Z` comes where others have a dot or a digit.
pub(crate) fn compare_texts(a: &[u8], b: &[u8]) -> Ordering {
    match (without_zone(a), without_zone(b)) {
        (Some(one), Some(other)) => one.cmp(other),
        _ => a.cmp(b),
    }
}

/// Returns a time such as `2026-01-01T00:00:00.25Z` without its `Z`; `None` when a text is no such time.
fn without_zone(text: &[u8]) -> Option<&[u8]> {
    const FORM: &[u8] = b"dddd-dd-ddTdd:dd:dd";
    let time = text.strip_suffix(b"Z")?;
    let (seconds, fraction) = time.split_at_checked(FORM.len())?;
    let fits = |(byte, form): (&u8, &u8)| if *form == b'd' { byte.is_ascii_digit() } else { byte == form };
    let is_fraction = match fraction.split_first() {
        None => true,
        Some((dot, digits)) => *dot == b'.' && digits.iter().all(u8::is_ascii_digit),
    };
    (is_fraction && seconds.iter().zip(FORM).all(fits)).then_some(time)
}

/// An address as 16 bytes, IPv4 mapped.
pub(crate) fn address_bytes(address: IpAddr) -> [u8; 16] {
    match address {
        IpAddr::V4(v4) => v4.to_ipv6_mapped().octets(),
        IpAddr::V6(v6) => v6.octets(),
    }
}

fn in_network(network: &[u8; 16], bits: u8, value: &[u8]) -> bool {
    let Some(address) = std::str::from_utf8(value).ok().and_then(|text| text.parse::<IpAddr>().ok()) else {
        return false;
    };
    let shift = 128 - u32::from(bits.min(128));
    let prefix = |bytes: [u8; 16]| u128::from_be_bytes(bytes).checked_shr(shift).unwrap_or(0);
    prefix(address_bytes(address)) == prefix(*network)
}

/// Calls `visit` with each token of a text, in order: letters, digits and `_`, and `.` and `-` between them.
pub(crate) fn tokens(text: &[u8], visit: &mut dyn FnMut(Range<usize>)) {
    if !text.is_ascii() {
        return scripts::each(text, visit);
    }
    let letter = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
    let mut at = 0;
    while at < text.len() {
        if !letter(text[at]) {
            at += 1;
            continue;
        }
        let start = at;
        let mut end = at;
        while at < text.len() && (letter(text[at]) || matches!(text[at], b'.' | b'-')) {
            at += 1;
            if letter(text[at - 1]) {
                end = at;
            }
        }
        visit(start..end);
    }
}

#[cfg(test)]
mod tests;
