//! Checks whether written values fit an option.
//!
//! In: the arguments of an option. Out: nothing, or the value that does not fit and what would.

use super::row::{Row, ValueKind};
use crate::text::Span;
use crate::tree::{Arg, Call};

/// An argument that does not fit.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Misfit {
    /// Its position in the configuration.
    pub span: Span,
    /// The fault.
    pub message: String,
    /// A description of the accepted values.
    pub accepted: String,
    /// Words that would fit, for "did you mean".
    pub words: &'static [&'static str],
}

impl ValueKind {
    /// Describes the accepted values.
    pub fn describe(self) -> String {
        match self {
            ValueKind::YesNo => "yes or no".to_string(),
            ValueKind::Number(i64::MIN, i64::MAX) => "a number".to_string(),
            ValueKind::Number(least, i64::MAX) => format!("a number from {least}"),
            ValueKind::Number(least, most) => format!("a number from {least} to {most}"),
            ValueKind::Decimal(least, most) if most.is_finite() => format!("a number from {least} to {most}"),
            ValueKind::Decimal(least, _) => format!("a number from {least}"),
            ValueKind::Port => "a port from 0 to 65535, or the name of its service".to_string(),
            ValueKind::Text => "text".to_string(),
            ValueKind::Template => "a template or the name of one".to_string(),
            ValueKind::Word(words) => format!("one of {}", words.join(", ")),
            ValueKind::Words(words) => format!("some of {}", words.join(", ")),
            ValueKind::Texts => "one or more texts".to_string(),
            ValueKind::TypedTexts => "one or more texts; with a type, int(\"text\")".to_string(),
            ValueKind::Facility => "a facility".to_string(),
            ValueKind::Severity => "a severity".to_string(),
            ValueKind::Age => {
                "seconds, or a number with a unit of s, m, h, d, w, y such as \"90d\"".to_string()
            }
            ValueKind::Mode => "a mode such as 0640".to_string(),
            ValueKind::Id => "a name or a number".to_string(),
            ValueKind::Filter => "a filter expression".to_string(),
            ValueKind::Pairs => "pairs such as \"name\" => \"value\"".to_string(),
            ValueKind::Options(tables) => format!("options: {}", names(tables)),
            ValueKind::TextOr(tables) => format!("text, or options: {}", names(tables)),
            ValueKind::Any => "anything".to_string(),
        }
    }

    /// Checks the arguments of a call; options inside [`ValueKind::Options`] are checked by the caller.
    pub fn fit(self, call: &Call) -> Result<(), Misfit> {
        match self {
            ValueKind::Any | ValueKind::Options(_) | ValueKind::TextOr(_) | ValueKind::Pairs => Ok(()),
            ValueKind::Words(words) => call.args.iter().try_for_each(|arg| one_of(words, arg, self)),
            // `owner()`, `perm()`: files keep the owner and mode that the system assigns.
            ValueKind::Id | ValueKind::Mode if call.args.is_empty() => Ok(()),
            ValueKind::Texts | ValueKind::TypedTexts => call.args.iter().try_for_each(|arg| match arg {
                Arg::Group(inside, _) => inside.iter().try_for_each(|arg| self.fits_one(arg)),
                arg => self.fits_one(arg),
            }),
            _ => {
                let [arg] = call.args.as_slice() else {
                    let (span, message) = match call.args.get(1) {
                        Some(extra) => (extra.span(), format!("`{}()` takes one value", call.name.text)),
                        None => (call.span, format!("`{}()` needs a value", call.name.text)),
                    };
                    return Err(self.misfit(span, message));
                };
                self.fits_one(arg)
            }
        }
    }

    /// Checks one argument.
    pub fn fits_one(self, arg: &Arg) -> Result<(), Misfit> {
        let fits = match self {
            ValueKind::YesNo => match arg {
                Arg::Number(_, _) => true,
                arg => arg.text().is_some_and(|text| crate::words::truth(text).is_some()),
            },
            ValueKind::Number(least, most) => {
                whole(arg).is_some_and(|number| (least..=most).contains(&number))
            }
            ValueKind::Port => match whole(arg) {
                Some(number) => (0..=65535).contains(&number),
                None => arg.text().is_some_and(|name| crate::words::service_port(name).is_some()),
            },
            ValueKind::Decimal(least, most) => {
                decimal(arg).is_some_and(|number| number >= least && number <= most)
            }
            ValueKind::Age => match arg {
                Arg::Number(seconds, _) => *seconds >= 0,
                arg => arg.text().is_some_and(|text| crate::words::age(text).is_some()),
            },
            ValueKind::Mode => whole(arg).is_some_and(|number| (-2..=0o7777).contains(&number)) || octal(arg),
            ValueKind::Text | ValueKind::Id | ValueKind::Texts => {
                matches!(arg, Arg::Word(_) | Arg::Text(_) | Arg::Number(_, _) | Arg::Float(_, _))
            }
            ValueKind::TypedTexts => match arg {
                Arg::Call(typed) => typed.args.len() == 1 && typed.text().is_some(),
                arg => return ValueKind::Texts.fits_one(arg),
            },
            ValueKind::Template => !matches!(arg, Arg::Filter(_) | Arg::Group(_, _) | Arg::Range(_, _)),
            ValueKind::Facility => code(arg, |name| crate::words::facility(name).is_some()),
            ValueKind::Severity => code(arg, |name| crate::words::severity(name).is_some()),
            ValueKind::Filter => matches!(arg, Arg::Filter(_)),
            ValueKind::Word(words) => return one_of(words, arg, self),
            ValueKind::Words(words) => return one_of(words, arg, self),
            ValueKind::Pairs | ValueKind::Options(_) | ValueKind::TextOr(_) | ValueKind::Any => true,
        };
        if fits { Ok(()) } else { Err(self.misfit(arg.span(), "this value does not fit".to_string())) }
    }

    fn misfit(self, span: Span, message: String) -> Misfit {
        let words = match self {
            ValueKind::Word(words) | ValueKind::Words(words) => words,
            ValueKind::YesNo => &["yes", "no"],
            _ => &[],
        };
        Misfit { span, message, accepted: self.describe(), words }
    }
}

/// Words of the language for features that are not supported yet.
const WORDS_LATER: &[&str] = &["sctp"];

fn one_of(words: &'static [&'static str], arg: &Arg, kind: ValueKind) -> Result<(), Misfit> {
    let (text, span) = match arg {
        Arg::Number(number, span) => (number.to_string(), *span),
        Arg::Call(call) => (call.name.text.clone(), call.name.span),
        arg => (arg.text().unwrap_or_default().to_string(), arg.span()),
    };
    let key = crate::words::keyword(&text).to_ascii_lowercase();
    let is_nothing = key.is_empty() && matches!(kind, ValueKind::Words(_));
    if words.contains(&key.as_str()) && !matches!(arg, Arg::Call(_)) || is_nothing {
        return Ok(());
    }
    let what = match key.as_str() {
        "altp" | "rltp" => "is a protocol that is not published; sltp() does the same, write it on both ends",
        "relp" => "is a driver of its own here: write relp()",
        later if WORDS_LATER.contains(&later) => "is not supported yet",
        _ => "is not known here",
    };
    Err(kind.misfit(span, format!("`{text}` {what}")))
}

fn whole(arg: &Arg) -> Option<i64> {
    match arg {
        Arg::Number(number, _) => Some(*number),
        arg => arg.text()?.trim().parse().ok(),
    }
}

fn decimal(arg: &Arg) -> Option<f64> {
    match arg {
        Arg::Number(number, _) => Some(*number as f64),
        Arg::Float(number, _) => Some(*number),
        arg => arg.text()?.trim().parse().ok(),
    }
}

fn octal(arg: &Arg) -> bool {
    arg.text().is_some_and(|text| u32::from_str_radix(text, 8).is_ok_and(|mode| mode <= 0o7777))
}

fn code(arg: &Arg, known: impl Fn(&str) -> bool) -> bool {
    match arg {
        Arg::Number(number, _) => known(&number.to_string()),
        arg => arg.text().is_some_and(known),
    }
}

/// Returns the names of the options of some tables, with commas between.
fn names(tables: &[&[Row]]) -> String {
    tables.iter().copied().flatten().map(|row| row.name).collect::<Vec<_>>().join(", ")
}
