//! Functions of lists: `list-head`, `list-nth`, `explode`, `implode` and their kin.
//!
//! In: lists as quoted text. Out: lists or elements. Holds: options.
//! Limits: none of its own; a list is as long as its text.

use super::{
    action::{Action, CompiledFunction, fixed, integer},
    error::FunctionError,
};
use crate::{
    pattern::{Pattern, PatternFlags, PatternKind},
    value::{list_append, list_elements},
};
use message::ValueKind;

pub(super) const NAMES: &[&str] = &[
    "list-concat",
    "list-append",
    "list-head",
    "list-tail",
    "list-nth",
    "list-slice",
    "list-count",
    "list-search",
    "explode",
    "implode",
];

pub(super) fn compile(name: &str, words: &[&str]) -> Option<CompiledFunction> {
    let any = usize::MAX;
    Some(match name {
        "list-concat" => fixed(words, 0, any, Action::list(|args, out| all(joined(args), out))),
        "list-append" => fixed(words, 0, any, Action::list(append)),
        "list-head" => fixed(words, 0, any, Action::text(|args, out| nth(0, args, out))),
        "list-tail" => {
            fixed(words, 0, any, Action::list(|args, out| all(joined(args).into_iter().skip(1), out)))
        }
        "list-nth" => fixed(
            words,
            1,
            any,
            Action::text(|args, out| {
                let [index, lists @ ..] = args else { return };
                nth(integer(index).unwrap_or(i64::MAX), lists, out);
            }),
        ),
        "list-slice" => slice(words),
        "list-count" => fixed(
            words,
            0,
            any,
            Action::typed(|args, out| {
                out.extend_from_slice(joined(args).len().to_string().as_bytes());
                ValueKind::Integer
            }),
        ),
        "list-search" => search(words),
        "explode" => fixed(words, 1, any, Action::list(explode)),
        "implode" => fixed(words, 1, any, Action::text(implode)),
        _ => return None,
    })
}

fn joined(lists: &[&[u8]]) -> Vec<Vec<u8>> {
    lists.iter().flat_map(|list| list_elements(list)).collect()
}

fn all(found: impl IntoIterator<Item = Vec<u8>>, out: &mut Vec<u8>) {
    let start = out.len();
    found.into_iter().for_each(|element| list_append(&element, start, out));
}

fn append(args: &[&[u8]], out: &mut Vec<u8>) {
    let [list, new @ ..] = args else { return };
    all(list_elements(list).into_iter().chain(new.iter().map(|element| element.to_vec())), out);
}

fn nth(index: i64, lists: &[&[u8]], out: &mut Vec<u8>) {
    let found = joined(lists);
    let index = if index < 0 { index + found.len() as i64 } else { index };
    if let Some(element) = usize::try_from(index).ok().and_then(|index| found.get(index)) {
        out.extend_from_slice(element);
    }
}

/// Compiles `from:to`, both of which may be missing or negative.
fn slice(words: &[&str]) -> CompiledFunction {
    let wrong = || FunctionError::Missing { expected: "a range like 1:3, :3, 1: or -2:" };
    let (from, to) = words.first().and_then(|range| range.split_once(':')).ok_or_else(wrong)?;
    let bound = |text: &str| match text {
        "" => Ok(None),
        _ => text.parse::<i64>().map(Some).map_err(|_| wrong()),
    };
    let (from, to) = (bound(from)?, bound(to)?);
    let action = Action::list(move |args, out| {
        let found = joined(args);
        let length = found.len() as i64;
        let place = |bound: i64| if bound < 0 { (bound + length).max(0) } else { bound.min(length) };
        let start = from.map_or(0, place);
        let end = to.map_or(length, place);
        all(found.into_iter().skip(start as usize).take((end - start).max(0) as usize), out);
    });
    Ok((action, 1))
}

/// Returns the index of the first element that matches; nothing when none does.
fn search(words: &[&str]) -> CompiledFunction {
    let (mut mode, mut start) = ("literal", 0);
    let mut used = 0;
    while let [option, value, ..] = &words[used..] {
        match *option {
            "--mode" => mode = value,
            "--start-index" => {
                start = value
                    .parse()
                    .map_err(|_| FunctionError::Value { text: (*value).to_owned(), expected: "an index" })?;
            }
            _ => break,
        }
        used += 2;
    }
    let (kind, flags) = match mode {
        "literal" => (PatternKind::Literal, PatternFlags::default()),
        "prefix" => (PatternKind::Literal, PatternFlags { prefix: true, ..PatternFlags::default() }),
        "substring" => (PatternKind::Literal, PatternFlags { substring: true, ..PatternFlags::default() }),
        "glob" => (PatternKind::Glob, PatternFlags::default()),
        "pcre" => (PatternKind::Pcre, PatternFlags::default()),
        _ => return Err(FunctionError::Mode { name: mode.to_owned() }),
    };
    let text = words.get(used).ok_or(FunctionError::Missing { expected: "a pattern" })?;
    let pattern = Pattern::compile(text, kind, flags).map_err(FunctionError::Pattern)?;
    let action = Action::typed(move |args, out| {
        let place = joined(args).iter().skip(start).position(|element| pattern.is_match(element));
        match place {
            Some(place) => {
                out.extend_from_slice((start + place).to_string().as_bytes());
                ValueKind::Integer
            }
            None => ValueKind::Null,
        }
    });
    Ok((action, used + 1))
}

fn explode(args: &[&[u8]], out: &mut Vec<u8>) {
    let [separator, texts @ ..] = args else { return };
    let start = out.len();
    for text in texts {
        if separator.is_empty() {
            list_append(text, start, out);
            continue;
        }
        let finder = memchr::memmem::Finder::new(separator);
        let mut from = 0;
        while let Some(place) = finder.find(&text[from..]) {
            list_append(&text[from..from + place], start, out);
            from += place + separator.len();
        }
        list_append(&text[from..], start, out);
    }
}

fn implode(args: &[&[u8]], out: &mut Vec<u8>) {
    let [separator, lists @ ..] = args else { return };
    for (index, element) in joined(lists).iter().enumerate() {
        if index > 0 {
            out.extend_from_slice(separator);
        }
        out.extend_from_slice(element);
    }
}
