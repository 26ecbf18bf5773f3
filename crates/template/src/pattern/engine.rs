//! The engines that match patterns.
//!
//! In: bytes. Out: whether and where a pattern matches. Holds: the compiled pattern.
//! Limits: a PCRE2 match that needs more than [`super::dialect::MATCH_STEPS_MAX`] steps does not match.

use super::glob::Glob;
use memchr::memmem::Finder;

/// Most groups that are stored, the whole match included (`$0` to `$255`).
pub const GROUPS_MAX: usize = 256;

/// Ranges of the groups of one match; group 0 is the whole match.
#[derive(Clone, Debug, Default)]
pub struct Groups {
    ranges: Vec<Option<(usize, usize)>>,
}

impl Groups {
    /// Returns the range of a group; `None` when it took no part or does not exist.
    #[inline]
    pub fn range(&self, group: usize) -> Option<(usize, usize)> {
        self.ranges.get(group).copied().flatten()
    }

    /// Returns the number of groups, the whole match included.
    #[inline]
    pub fn count(&self) -> usize {
        self.ranges.len()
    }
}

/// One way to match.
#[derive(Debug)]
pub(super) enum Engine {
    /// Matches no text.
    Nothing,
    /// The whole text is one of these: `^(sshd|sudo)$`.
    OneOf(Vec<Vec<u8>>),
    /// The text starts with one of these: `^postfix/`.
    Starts(Vec<Vec<u8>>),
    /// The text is somewhere inside.
    Contains(Box<Finder<'static>>),
    /// The whole text matches a glob.
    Glob(Glob),
    /// A regular expression.
    Regex(Box<Expression>),
}

/// A regular expression in the forms that answer it.
#[derive(Debug)]
pub(super) struct Expression {
    /// Literals that answer whether it matches.
    pub(super) quick: Option<Box<Engine>>,
    /// The linear-time form; `None` when the pattern needs PCRE2.
    pub(super) linear: Option<regex::bytes::Regex>,
    /// True when a text that ends in a newline must go to PCRE2: `$` also matches before that newline.
    pub(super) dollar: bool,
    /// A text without which there is no match.
    pub(super) required: Option<Required>,
    pub(super) pcre: pcre2::bytes::Regex,
    pub(super) names: Vec<(String, usize)>,
}

/// The bytes that a text must have to match.
#[derive(Debug)]
pub(super) enum Required {
    Byte(u8),
    Text(Box<Finder<'static>>),
}

impl Required {
    #[inline]
    fn is_in(&self, bytes: &[u8]) -> bool {
        match self {
            Required::Byte(byte) => memchr::memchr(*byte, bytes).is_some(),
            Required::Text(finder) => finder.find(bytes).is_some(),
        }
    }
}

impl Engine {
    #[inline]
    pub(super) fn is_match(&self, bytes: &[u8]) -> bool {
        match self {
            Engine::Nothing => false,
            // Most texts differ in their first byte already: no call is made to compare them.
            Engine::OneOf(texts) => texts.iter().any(|text| bytes.first() == text.first() && text == bytes),
            Engine::Starts(texts) => {
                texts.iter().any(|text| may_start(bytes, text) && bytes.starts_with(text))
            }
            Engine::Contains(finder) => finder.find(bytes).is_some(),
            Engine::Glob(glob) => glob.is_match(bytes),
            Engine::Regex(expression) => expression.is_match(bytes),
        }
    }

    pub(super) fn find(&self, bytes: &[u8], from: usize, groups: &mut Groups) -> bool {
        groups.ranges.clear();
        let found = match self {
            Engine::Regex(expression) => expression.find(bytes, from, groups),
            _ => {
                let range = self.find_range(bytes, from);
                groups.ranges.extend(range.map(Some));
                range.is_some()
            }
        };
        // Groups after the last that took part do not count, as in PCRE2.
        let used = groups.ranges.iter().rposition(Option::is_some).map_or(0, |last| last + 1);
        groups.ranges.truncate(used);
        found
    }

    pub(super) fn find_range(&self, bytes: &[u8], from: usize) -> Option<(usize, usize)> {
        let whole = |yes: bool| (from == 0 && yes).then_some((0, bytes.len()));
        match self {
            Engine::Nothing => None,
            Engine::OneOf(_) | Engine::Glob(_) => whole(self.is_match(bytes)),
            Engine::Starts(texts) => {
                let first = texts.iter().find(|text| from == 0 && bytes.starts_with(text));
                first.map(|text| (0, text.len()))
            }
            Engine::Contains(finder) => {
                let rest = bytes.get(from..).unwrap_or_default();
                finder.find(rest).map(|at| (from + at, from + at + finder.needle().len()))
            }
            Engine::Regex(expression) => expression.find_range(bytes, from),
        }
    }

    pub(super) fn names(&self) -> &[(String, usize)] {
        match self {
            Engine::Regex(expression) => &expression.names,
            _ => &[],
        }
    }

    pub(super) fn cost(&self) -> u32 {
        match self {
            Engine::Nothing => 1,
            Engine::OneOf(texts) | Engine::Starts(texts) => 2 + texts.len() as u32,
            Engine::Contains(_) => 10,
            Engine::Glob(_) => 20,
            Engine::Regex(expression) => match expression.as_ref() {
                Expression { quick: Some(quick), .. } => quick.cost(),
                Expression { linear: None, .. } => 200,
                Expression { required: Some(_), .. } => 30,
                _ => 60,
            },
        }
    }
}

/// Returns true when the first byte of `bytes` is that of `text`, or `text` is empty.
#[inline]
fn may_start(bytes: &[u8], text: &[u8]) -> bool {
    text.is_empty() || bytes.first() == text.first()
}

impl Expression {
    #[inline]
    fn is_match(&self, bytes: &[u8]) -> bool {
        if let Some(quick) = &self.quick {
            return quick.is_match(bytes);
        }
        // Most texts do not match, and most of these lack a literal that memchr finds faster than any engine.
        if let Some(required) = &self.required
            && !required.is_in(bytes)
        {
            return false;
        }
        match &self.linear {
            Some(regex) if !(self.dollar && bytes.last() == Some(&b'\n')) => regex.is_match(bytes),
            // An error is the match limit, or text that is not UTF-8 when that was required.
            _ => self.pcre.is_match(bytes).unwrap_or(false),
        }
    }

    /// Returns the linear-time form, when it answers for these bytes as PCRE2 would.
    fn linear_for(&self, bytes: &[u8]) -> Option<&regex::bytes::Regex> {
        self.linear.as_ref().filter(|_| !(self.dollar && bytes.last() == Some(&b'\n')))
    }

    fn find_range(&self, bytes: &[u8], from: usize) -> Option<(usize, usize)> {
        let rest = bytes.get(from..)?;
        if self.required.as_ref().is_some_and(|required| !required.is_in(rest)) {
            return None;
        }
        match self.linear_for(bytes) {
            Some(regex) => regex.find_at(bytes, from).map(|found| (found.start(), found.end())),
            // An error is the match limit, or text that is not UTF-8 when that was required.
            None => self.pcre.find_at(bytes, from).ok()?.map(|found| (found.start(), found.end())),
        }
    }

    fn find(&self, bytes: &[u8], from: usize, groups: &mut Groups) -> bool {
        let Some(regex) = self.linear_for(bytes) else { return self.find_slowly(bytes, from, groups) };
        // Most texts do not match, and most patterns have no groups: both are answered without them.
        let Some(range) = self.find_range(bytes, from) else { return false };
        if regex.captures_len() == 1 {
            groups.ranges.push(Some(range));
            return true;
        }
        // Only now the groups: finding them costs more than finding the match.
        let mut locations = regex.capture_locations();
        if regex.captures_read_at(&mut locations, bytes, from).is_none() {
            return false;
        }
        groups.ranges.extend((0..locations.len()).map(|group| locations.get(group)));
        true
    }

    fn find_slowly(&self, bytes: &[u8], from: usize, groups: &mut Groups) -> bool {
        if from > bytes.len() {
            return false;
        }
        let mut locations = self.pcre.capture_locations();
        match self.pcre.captures_read_at(&mut locations, bytes, from) {
            Ok(Some(_)) => {}
            Ok(None) | Err(_) => return false,
        }
        groups.ranges.extend((0..locations.len()).map(|group| locations.get(group)));
        true
    }
}
