//! The table of rewrite rules.
//!
//! In: nothing. Out: rows.

use super::shared::{INTERNAL, ON_ERROR, STAMP_FORMATS};
use crate::options::row::{Driver, Plain, Row, ValueKind as V, driver, row};

pub(crate) const DRIVERS: &[Driver] = &[
    driver("set", Plain::One("template", V::Template), &[CHANGED, RENDERED, SHARED], "gives a value"),
    driver("unset", Plain::None, &[VALUE, SHARED], "removes a value").required(&["value"]),
    driver(
        "subst",
        Plain::Two("pattern", "replacement"),
        &[SUBST, CHANGED, SHARED],
        "replaces what a pattern matches",
    ),
    driver("set-tag", Plain::One("tag", V::Template), &[SHARED], "adds a tag"),
    driver("clear-tag", Plain::One("tag", V::Template), &[SHARED], "removes a tag"),
    driver("set-severity", Plain::One("severity", V::Template), &[SHARED], "gives the severity"),
    driver("set-facility", Plain::One("facility", V::Template), &[SHARED], "gives the facility"),
    driver("set-pri", Plain::One("number", V::Template), &[SHARED], "gives facility and severity"),
    driver("groupset", Plain::One("template", V::Template), &[GROUP, SHARED], "gives several values")
        .required(&["values"]),
    driver("groupunset", Plain::None, &[GROUP, SHARED], "removes several values").required(&["values"]),
    driver("rename", Plain::Two("old name", "new name"), &[SHARED], "gives a value another name"),
    driver("set-matches", Plain::One("list", V::Template), &[SHARED], "a list becomes $1, $2 and so on"),
    driver("unset-matches", Plain::None, &[SHARED], "removes $1, $2 and so on"),
    driver("set-time-zone", Plain::One("zone", V::Template), &[SHARED], "shows the time in another zone"),
    driver(
        "fix-time-zone",
        Plain::One("zone", V::Template),
        &[SHARED],
        "reads the clock of the sender in another zone",
    ),
    driver("guess-time-zone", Plain::None, &[SHARED], "takes the zone in which the message was just sent"),
    driver("credit-card-mask", Plain::None, &[CHANGED, SHARED], "hides the middle of card numbers"),
    driver("credit-card-hash", Plain::None, &[CHANGED, SHARED], "puts a hash in the place of card numbers"),
];

const SHARED: &[Row] = &[row("condition", V::Filter, "", "only messages that pass this filter"), INTERNAL];

/// Options for printing the template of `set()`, where they differ from the global ones.
const RENDERED: &[Row] = &[
    row("ts-format", V::Word(STAMP_FORMATS), "rfc3164", "how times are written"),
    row("frac-digits", V::Number(0, 1 << 31), "0", "digits of fractions of a second, at most 6"),
    row("time-zone", V::Text, "", "zone that times are written in"),
    row("send-time-zone", V::Text, "", "").renamed("time-zone"),
    row("local-time-zone", V::Text, "", "zone of times in names of files")
        .no_effect("a value is no name of a file"),
    row("template-escape", V::YesNo, "no", "escape quotes in values"),
    row("on-error", V::Word(ON_ERROR), "drop-message", "what happens with values that cannot be cast"),
];

const VALUE: &[Row] = &[row("value", V::Text, "", "name of the value")];

/// Options of rewrites that change the text of the message unless they name another value.
const CHANGED: &[Row] = &[row("value", V::Text, "MESSAGE", "name of the value")];

const GROUP: &[Row] = &[row("values", V::Texts, "", "names of the values: * and ?")];

const SUBST: &[Row] = &[
    row(
        "type",
        V::Word(&["pcre", "string", "glob", "posix"]),
        "pcre",
        "syntax of the pattern; posix is read as pcre",
    ),
    row(
        "flags",
        V::Words(&[
            "ignore-case",
            "store-matches",
            "unicode",
            "utf8",
            "newline",
            "global",
            "substring",
            "prefix",
            "dupnames",
            "disable-jit",
        ]),
        "",
        "how the pattern matches",
    ),
];
