//! Classic selectors: `mail.*;auth,authpriv.none;*.=info`.
//!
//! In: a selector as sysklogd and rsyslog read it. Out: the severities that it takes of each facility.
//! Parts are read from left to right; a later one changes the effect of an earlier one on its facilities.

use super::codes::{facility, severity};

/// Facilities that a selector speaks of.
pub(crate) const FACILITIES_MAX: usize = 24;

/// For each facility the severities that are taken: bit N is severity N.
pub(crate) type Masks = [u8; FACILITIES_MAX];

/// The bad word of a selector, and what was expected instead.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct BadSelector {
    pub(crate) word: String,
    pub(crate) wanted: &'static str,
}

/// Reads a selector.
pub(crate) fn selector(text: &str) -> Result<Masks, BadSelector> {
    let bad = |word: &str, wanted| BadSelector { word: word.to_string(), wanted };
    let mut masks = [0u8; FACILITIES_MAX];
    let mut parts = text.split(';').map(str::trim).filter(|part| !part.is_empty()).peekable();
    if parts.peek().is_none() {
        return Err(bad(text, "a facility and a severity such as mail.info"));
    }
    for part in parts {
        let Some((facilities, level)) = part.rsplit_once('.') else {
            return Err(bad(part, "a facility and a severity such as mail.info"));
        };
        let change = Change::read(level).ok_or_else(|| bad(level, "a severity, * or none"))?;
        for name in facilities.split(',').map(str::trim) {
            if name == "*" {
                masks.iter_mut().for_each(|mask| *mask = change.apply(*mask));
                continue;
            }
            let code = match name {
                // Not 13 as in filters: the old name of `auth`.
                "security" => Some(4),
                name => facility(name).map(|code| code as usize),
            };
            match code.and_then(|code| masks.get_mut(code)) {
                Some(mask) => *mask = change.apply(*mask),
                None => return Err(bad(name, "a facility or *")),
            }
        }
    }
    Ok(masks)
}

/// The effect of the part after the dot on the severities selected so far.
struct Change {
    bits: u8,
    adds: bool,
}

impl Change {
    /// Reads `info`, `=info`, `!info`, `!=info`, `*`, `!*`, `none`, `!none`.
    fn read(level: &str) -> Option<Change> {
        let (negated, rest) = level.strip_prefix('!').map_or((false, level), |rest| (true, rest));
        let (single, name) = rest.strip_prefix('=').map_or((false, rest), |rest| (true, rest));
        match name.trim() {
            "none" => Some(Change { bits: u8::MAX, adds: negated }),
            "*" => Some(Change { bits: u8::MAX, adds: !negated }),
            name => {
                let number = severity(name)?;
                let bits =
                    if single { 1u8.checked_shl(number.into())? } else { u8::MAX >> (7 - number.min(7)) };
                Some(Change { bits, adds: !negated })
            }
        }
    }

    fn apply(&self, mask: u8) -> u8 {
        if self.adds { mask | self.bits } else { mask & !self.bits }
    }
}
