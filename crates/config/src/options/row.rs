//! The shape of the tables.
//!
//! In: nothing. Out: types with short constructors, so that a table stays a table.

/// The type of an option's value.
#[derive(Clone, Copy, Debug)]
pub enum ValueKind {
    /// yes or no.
    YesNo,
    /// A whole number from and to.
    Number(i64, i64),
    /// A number with or without fraction, from and to.
    Decimal(f64, f64),
    /// A port.
    Port,
    /// Any text; a number is text as well.
    Text,
    /// A template, or the name of one.
    Template,
    /// One of some words.
    Word(&'static [&'static str]),
    /// Several of some words.
    Words(&'static [&'static str]),
    /// Several texts.
    Texts,
    /// Several texts, which may have types: `int("pid")`.
    TypedTexts,
    /// A facility, by name or number.
    Facility,
    /// A severity, by name or number.
    Severity,
    /// Seconds, or a number with a unit: `"90d"`.
    Age,
    /// A file mode such as 0640.
    Mode,
    /// A user or group, by name or number.
    Id,
    /// A filter expression.
    Filter,
    /// `"name" => value` pairs.
    Pairs,
    /// Options, of several tables.
    Options(&'static [&'static [Row]]),
    /// A text, or options instead of it.
    TextOr(&'static [&'static [Row]]),
    /// Anything: options that are not supported yet are not examined.
    Any,
}

/// The effect of an option in a configuration.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Standing {
    /// It has the effect that its help describes.
    Honoured,
    /// It is accepted without effect; the text says why.
    NoEffect(&'static str),
    /// An old spelling of another option.
    Renamed(&'static str),
    /// Part of the language, not supported yet.
    Later,
}

/// One option.
#[derive(Clone, Copy, Debug)]
pub struct Row {
    /// Its name, with `-`.
    pub name: &'static str,
    /// The type of its value.
    pub kind: ValueKind,
    /// Its value when it is not written; empty means unset.
    pub default: &'static str,
    /// Its effect.
    pub standing: Standing,
    /// One line about it.
    pub help: &'static str,
}

/// Makes an option that is honoured.
pub(super) const fn row(
    name: &'static str,
    kind: ValueKind,
    default: &'static str,
    help: &'static str,
) -> Row {
    Row { name, kind, default, standing: Standing::Honoured, help }
}

impl Row {
    /// Marks it as read without an effect.
    pub(super) const fn no_effect(self, why: &'static str) -> Row {
        Row { standing: Standing::NoEffect(why), ..self }
    }

    /// Marks it as an old spelling.
    pub(super) const fn renamed(self, to: &'static str) -> Row {
        Row { standing: Standing::Renamed(to), ..self }
    }

    /// Marks it as not supported yet.
    pub(super) const fn later(self) -> Row {
        Row { standing: Standing::Later, ..self }
    }
}

/// Makes an option that is not supported yet.
pub(super) const fn later(name: &'static str, help: &'static str) -> Row {
    row(name, ValueKind::Any, "", help).later()
}

/// The value that a driver takes besides options.
#[derive(Clone, Copy, Debug)]
pub enum Plain {
    /// Nothing.
    None,
    /// It may have one.
    Optional(&'static str, ValueKind),
    /// It must have one.
    One(&'static str, ValueKind),
    /// It must have two.
    Two(&'static str, &'static str),
    /// It must have at least one.
    Some(&'static str),
}

/// One driver.
#[derive(Clone, Copy, Debug)]
pub struct Driver {
    /// Its name, with `-`.
    pub name: &'static str,
    /// Other names of it.
    pub aliases: &'static [&'static str],
    /// The value that it takes besides options.
    pub plain: Plain,
    /// Options without which it cannot work.
    pub required: &'static [&'static str],
    /// Its options; an earlier table wins.
    pub options: &'static [&'static [Row]],
    /// One line about it.
    pub help: &'static str,
}

/// Makes a driver without other names and required options.
pub(super) const fn driver(
    name: &'static str,
    plain: Plain,
    options: &'static [&'static [Row]],
    help: &'static str,
) -> Driver {
    Driver { name, aliases: &[], plain, required: &[], options, help }
}

impl Driver {
    pub(super) const fn aliases(self, aliases: &'static [&'static str]) -> Driver {
        Driver { aliases, ..self }
    }

    pub(super) const fn required(self, required: &'static [&'static str]) -> Driver {
        Driver { required, ..self }
    }
}
