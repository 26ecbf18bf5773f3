//! Functions that take one piece out of a text, and write texts for others: ours, not syslog-ng's. What configurations of
//! rsyslog ask for becomes these.
//!
//! In: options and rendered arguments. Out: text. Holds: the pattern. Limits: those of patterns; [`MATCHES_MAX`].

use super::{
    action::{Action, CompiledFunction, fixed, integer},
    error::{FunctionError, MATCHES_MAX},
};
use crate::pattern::{Groups, Pattern, PatternFlags, PatternKind};
use memchr::memmem;

pub(super) const NAMES: &[&str] = &["extract", "field", "compress-blanks", "quote-csv"];

pub(super) fn compile(name: &str, words: &[&str]) -> Option<CompiledFunction> {
    Some(match name {
        "extract" => extract(words),
        "field" => field(words),
        "compress-blanks" => fixed(words, 1, 1, Action::text(compress_blanks)),
        "quote-csv" => fixed(words, 1, 1, Action::text(quote_csv)),
        _ => return None,
    })
}

/// Compiles `[--match N] [--group N] PATTERN TEXT [DEFAULT]`: a group of the N-th match, from 0; the default when there
/// is none.
fn extract(words: &[&str]) -> CompiledFunction {
    let (mut nth, mut group, mut flags, mut used) = (0, 0, PatternFlags::default(), 0);
    loop {
        let number = || words.get(used + 1).and_then(|word| word.parse::<usize>().ok());
        match words.get(used).copied() {
            Some(option @ ("--match" | "--group")) => {
                let number = number()
                    .ok_or_else(|| FunctionError::Option { name: option.to_owned(), expected: "a number" })?;
                *(if option == "--match" { &mut nth } else { &mut group }) = number;
                used += 2;
            }
            Some("--ignore-case") => {
                flags.ignore_case = true;
                used += 1;
            }
            _ => break,
        }
    }
    if nth >= MATCHES_MAX {
        return Err(FunctionError::Matches);
    }
    let text = words.get(used).ok_or(FunctionError::Missing { expected: "a pattern" })?;
    let pattern = Pattern::compile(text, PatternKind::Pcre, flags).map_err(FunctionError::Pattern)?;
    used += 1;
    let (action, _) = fixed(
        &words[used..],
        1,
        2,
        Action::text(move |args, out| {
            let range = group_of(&pattern, args[0], nth, group);
            out.extend_from_slice(match range {
                Some((start, end)) => &args[0][start..end],
                None => args.get(1).copied().unwrap_or_default(),
            });
        }),
    )?;
    Ok((action, used))
}

/// Returns the range of a group of the n-th match, counted from 0.
fn group_of(pattern: &Pattern, text: &[u8], nth: usize, group: usize) -> Option<(usize, usize)> {
    let (mut groups, mut from) = (Groups::default(), 0);
    for _ in 0..nth {
        let (start, end) = pattern.find_range(text, from)?;
        from = if end == start { end + 1 } else { end };
    }
    if from > text.len() || !pattern.find(text, from, &mut groups) {
        return None;
    }
    groups.range(group)
}

/// Compiles `DELIMITER NUMBER TEXT [DEFAULT]`: a piece between delimiters, counted from 1; the default when there are
/// fewer.
fn field(words: &[&str]) -> CompiledFunction {
    fixed(
        words,
        3,
        4,
        Action::text(|args, out| {
            let [delimiter, number, text, rest @ ..] = args else { return };
            let found = integer(number).and_then(|number| piece(delimiter, number, text));
            out.extend_from_slice(found.or(rest.first().copied()).unwrap_or_default());
        }),
    )
}

fn piece<'t>(delimiter: &[u8], number: i64, text: &'t [u8]) -> Option<&'t [u8]> {
    let skipped = usize::try_from(number).ok()?.checked_sub(1)?;
    if delimiter.is_empty() {
        return None;
    }
    let mut start = 0;
    for _ in 0..skipped {
        start += memmem::find(&text[start..], delimiter)? + delimiter.len();
    }
    let end = memmem::find(&text[start..], delimiter).map_or(text.len(), |at| start + at);
    Some(&text[start..end])
}

/// Joins blanks in a row to one.
fn compress_blanks(args: &[&[u8]], out: &mut Vec<u8>) {
    let mut before = 0;
    for byte in args.iter().flat_map(|arg| arg.iter()) {
        if *byte != b' ' || before != b' ' {
            out.push(*byte);
        }
        before = *byte;
    }
}

/// Appends a text in quotes, with quotes inside written twice.
fn quote_csv(args: &[&[u8]], out: &mut Vec<u8>) {
    out.push(b'"');
    for byte in args.iter().flat_map(|arg| arg.iter()) {
        if *byte == b'"' {
            out.push(b'"');
        }
        out.push(*byte);
    }
    out.push(b'"');
}
