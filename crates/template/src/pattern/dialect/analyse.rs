//! Looks into a translated pattern for what can be answered without running it.
//!
//! In: a translated pattern. Out: an engine that answers the same with literals, or a text that must be there.
//! Holds nothing. Limits: [`LITERALS_MAX`] literals.

use super::translate::Translated;
use crate::pattern::engine::{Engine, Required};
use memchr::memmem::Finder;
use regex_syntax::hir::{Hir, HirKind, Look};

/// Most literals that are compared one by one; more are left to the regex engine.
const LITERALS_MAX: usize = 16;

/// The quicker ways to answer that a pattern allows.
#[derive(Default)]
pub(super) struct Analysis {
    /// Answers `is_match` alone.
    pub(super) quick: Option<Engine>,
    pub(super) required: Option<Required>,
}

pub(super) fn analyse(translated: &Translated) -> Analysis {
    let mut parser = regex_syntax::ParserBuilder::new().utf8(false).build();
    let Ok(hir) = parser.parse(&translated.text) else { return Analysis::default() };
    let quick = quick(&hir, translated);
    let required = if quick.is_some() { None } else { required(&hir) };
    Analysis { quick, required }
}

/// Returns the parts of a sequence, groups opened.
fn parts(hir: &Hir) -> Vec<&Hir> {
    match hir.kind() {
        HirKind::Capture(capture) => parts(&capture.sub),
        HirKind::Concat(subs) => subs.iter().flat_map(parts).collect(),
        _ => vec![hir],
    }
}

fn is_optional(hir: &Hir) -> bool {
    matches!(hir.kind(), HirKind::Repetition(repetition) if repetition.min == 0)
}

/// Returns an engine of literals that decides whether the pattern matches.
fn quick(hir: &Hir, translated: &Translated) -> Option<Engine> {
    let mut all = parts(hir);
    // Whatever may match nothing at an open end adds nothing.
    while all.last().is_some_and(|part| is_optional(part)) {
        all.pop();
    }
    while all.first().is_some_and(|part| is_optional(part)) {
        all.remove(0);
    }
    let is = |part: Option<&&Hir>, look: Look| part.is_some_and(|part| *part.kind() == HirKind::Look(look));
    let start = is(all.first(), Look::Start);
    let end = is(all.last(), Look::End);
    let middle = all.get(usize::from(start)..all.len() - usize::from(end))?;
    let literals = match middle {
        [] => vec![Vec::new()],
        middle => product(middle)?,
    };
    match (start, end) {
        (true, true) => {
            let mut texts = literals.clone();
            if translated.dollar {
                texts.extend(literals.into_iter().map(|text| [text.as_slice(), b"\n"].concat()));
            }
            Some(Engine::OneOf(texts))
        }
        (true, false) => Some(Engine::Starts(literals)),
        (false, false) => match literals.as_slice() {
            [one] if !one.is_empty() => Some(Engine::Contains(Box::new(Finder::new(one).into_owned()))),
            _ => None,
        },
        (false, true) => None,
    }
}

/// Returns all texts that a sequence of literals and alternations of literals can be.
fn product(parts: &[&Hir]) -> Option<Vec<Vec<u8>>> {
    let mut texts = vec![Vec::new()];
    for part in parts {
        let choices = choices(part)?;
        if texts.len() * choices.len() > LITERALS_MAX {
            return None;
        }
        let longer = |text: &Vec<u8>| {
            choices.iter().map(|choice| [text.as_slice(), choice].concat()).collect::<Vec<_>>()
        };
        texts = texts.iter().flat_map(longer).collect();
    }
    Some(texts)
}

fn choices(hir: &Hir) -> Option<Vec<Vec<u8>>> {
    match hir.kind() {
        HirKind::Empty => Some(vec![Vec::new()]),
        HirKind::Literal(literal) => Some(vec![literal.0.to_vec()]),
        HirKind::Capture(capture) => choices(&capture.sub),
        HirKind::Concat(subs) => product(&subs.iter().collect::<Vec<_>>()),
        HirKind::Alternation(subs) => {
            let mut all = Vec::new();
            for sub in subs {
                all.extend(choices(sub)?);
                if all.len() > LITERALS_MAX {
                    return None;
                }
            }
            Some(all)
        }
        _ => None,
    }
}

/// Returns the most selective text that every match has. The text that the pattern starts with is left out: the
/// engine searches that itself.
fn required(hir: &Hir) -> Option<Required> {
    let all = parts(hir);
    if all
        .first()
        .is_some_and(|part| choices(part).is_some_and(|texts| texts.iter().all(|text| text.len() > 1)))
    {
        return None;
    }
    let mut best: Option<Vec<u8>> = None;
    for part in all {
        let Some(text) = always(part) else { continue };
        if best.as_ref().is_none_or(|best| weight(&text) > weight(best)) {
            best = Some(text);
        }
    }
    match best?.as_slice() {
        [] => None,
        [byte] => Some(Required::Byte(*byte)),
        text => Some(Required::Text(Box::new(Finder::new(text).into_owned()))),
    }
}

fn always(hir: &Hir) -> Option<Vec<u8>> {
    match hir.kind() {
        HirKind::Literal(literal) => Some(literal.0.to_vec()),
        HirKind::Capture(capture) => always(&capture.sub),
        HirKind::Repetition(repetition) if repetition.min > 0 => always(&repetition.sub),
        HirKind::Concat(_) => {
            let texts = parts(hir).into_iter().filter_map(always);
            texts.max_by_key(|text| weight(text))
        }
        _ => None,
    }
}

/// Returns how selective a text is: rare bytes count more, and so does length.
fn weight(text: &[u8]) -> usize {
    let rarity = |byte: &u8| match byte {
        b'a'..=b'z' | b' ' | b'.' => 2,
        b'0'..=b'9' | b'/' | b'-' | b':' | b'=' => 3,
        b'A'..=b'Z' | b'[' | b']' | b'(' | b')' => 4,
        _ => 6,
    };
    text.iter().map(rarity).sum()
}
