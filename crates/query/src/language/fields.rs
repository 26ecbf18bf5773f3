//! Names of fields in a query, and of columns in an answer.
//!
//! In: a name as typed. Out: its meaning. An unknown name is a name-value pair: messages may have it later.

use crate::language::tree::{Glyph, Text};
use lookup::Column;

/// The meaning of a field name in a query.
#[derive(Clone, Debug)]
pub(crate) enum Target {
    /// No field: words of the text, host, program and name-value pairs.
    Everywhere,
    /// The message text.
    Message,
    /// The frame as received.
    Raw,
    /// A column.
    Column(Column),
    /// All columns whose name matches.
    Columns(Text),
    /// The received time.
    Received,
    /// The sender's time.
    Event,
    /// Received minus sender's time.
    Skew,
}

/// The fixed columns with their names, of which the first is printed.
const COLUMNS: &[(Column, &[&str])] = &[
    (Column::Host, &["host", "HOST"]),
    (Column::Program, &["program", "PROGRAM"]),
    (Column::Pid, &["pid", "PID"]),
    (Column::Msgid, &["msgid", "MSGID"]),
    (Column::Facility, &["facility", "FACILITY"]),
    (Column::Severity, &["severity", "level", "sev", "SEVERITY", "LEVEL"]),
    (Column::Source, &["source", "SOURCE"]),
    (Column::Peer, &["peer"]),
    (Column::Tags, &["tags", "tag", "TAGS"]),
];

/// Names that are not columns.
const OTHERS: &[(Target, &[&str])] = &[
    (Target::Message, &["message", "msg", "MESSAGE", "MSG", "MSGONLY"]),
    (Target::Raw, &["raw", "RAWMSG"]),
    (Target::Received, &["@received"]),
    (Target::Event, &["@event"]),
    (Target::Skew, &["@skew"]),
];

/// The meaning of a field as written.
pub(crate) fn resolve(field: Option<&Text>) -> Target {
    let Some(field) = field else {
        return Target::Everywhere;
    };
    let Some(name) = field.as_plain() else {
        return Target::Columns(full_glyphs(field));
    };
    if name.contains('*') {
        // The form `sd.\*:x` that other servers require.
        let glyphs = name.chars().map(|c| if c == '*' { Glyph::Run } else { Glyph::Plain(c) }).collect();
        return Target::Columns(full_glyphs(&Text { glyphs }));
    }
    match OTHERS.iter().find(|(_, names)| names.contains(&name.as_str())) {
        Some((target, _)) => target.clone(),
        None => Target::Column(column(&name)),
    }
}

/// The column of a name: `host`, `level`, `.SDATA.id.name`, `sd.id.name`, `anything.else`.
pub fn column(name: &str) -> Column {
    match COLUMNS.iter().find(|(_, names)| names.contains(&name)) {
        Some((column, _)) => column.clone(),
        None => Column::Named(full_name(name)),
    }
}

/// The name of a column.
pub fn column_name(column: &Column) -> &str {
    match column {
        Column::Named(name) => name,
        fixed => {
            COLUMNS.iter().find(|(column, _)| column == fixed).map(|(_, names)| names[0]).unwrap_or_default()
        }
    }
}

/// Returns the names of fields that every message has, for completion and suggestions.
pub(crate) fn fixed_names() -> impl Iterator<Item = &'static str> {
    COLUMNS.iter().map(|(_, names)| names[0]).chain(OTHERS.iter().map(|(_, names)| names[0]))
}

/// Returns true if the name means a property of every message or for structured data.
pub(crate) fn is_fixed(name: &str) -> bool {
    let known = |names: &&[&str]| names.contains(&name);
    COLUMNS.iter().any(|(_, names)| known(names))
        || OTHERS.iter().any(|(_, names)| known(names))
        || SDATA_PREFIXES.iter().chain(&[".SDATA."]).any(|prefix| name.starts_with(prefix))
}

/// Short spellings of structured data.
const SDATA_PREFIXES: &[&str] = &["sdata.", "sd.", ".sdata."];

fn full_name(name: &str) -> String {
    let rest = SDATA_PREFIXES.iter().find_map(|prefix| name.strip_prefix(prefix));
    rest.map_or_else(|| name.to_owned(), |rest| format!(".SDATA.{rest}"))
}

fn full_glyphs(field: &Text) -> Text {
    for prefix in SDATA_PREFIXES {
        let short = Text::plain(prefix).glyphs;
        if let Some(rest) = field.glyphs.strip_prefix(short.as_slice()) {
            let mut glyphs = Text::plain(".SDATA.").glyphs;
            glyphs.extend_from_slice(rest);
            return Text { glyphs };
        }
    }
    field.clone()
}
