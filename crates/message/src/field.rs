//! Names of fields, resolved once when a configuration or a query is read.
//!
//! In: `HOST`, `.SDATA.id.name`, `my.value`. Out: a [`FieldName`]. Limits: [`FIELD_NAME_BYTES_MAX`].

/// Longest name of a field, in bytes. Longer names are cut where a field is created: names sit in every index.
pub const FIELD_NAME_BYTES_MAX: usize = 128;

/// The fields that every message has.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
pub enum Field {
    /// `HOST`
    Host,
    /// `HOST_FROM`, the last hop.
    HostFrom,
    /// `PROGRAM`
    Program,
    /// `PID`
    Pid,
    /// `MSGID`
    Msgid,
    /// `MESSAGE`, `MSG`, `MSGONLY`
    Message,
    /// `LEGACY_MSGHDR`
    LegacyMsghdr,
    /// `SOURCE`, the name of the source statement.
    Source,
    /// `RAWMSG`
    Raw,
    /// `TRANSPORT`
    Transport,
    /// `FILE_NAME`
    FileName,
}

impl Field {
    /// Returns the fixed field of a name, which is case-sensitive; `None` when it is the name of a pair.
    #[inline]
    pub fn from_name(name: &[u8]) -> Option<Field> {
        // Nearly all names of pairs return here.
        if !name.first()?.is_ascii_uppercase() {
            return None;
        }
        Some(match name {
            b"HOST" => Field::Host,
            b"HOST_FROM" => Field::HostFrom,
            b"PROGRAM" => Field::Program,
            b"PID" => Field::Pid,
            b"MSGID" => Field::Msgid,
            b"MESSAGE" | b"MSG" | b"MSGONLY" => Field::Message,
            b"LEGACY_MSGHDR" => Field::LegacyMsghdr,
            b"SOURCE" => Field::Source,
            b"RAWMSG" => Field::Raw,
            b"TRANSPORT" => Field::Transport,
            b"FILE_NAME" => Field::FileName,
            _ => return None,
        })
    }

    /// Returns the name as `values` and format functions print it.
    pub fn as_str(self) -> &'static str {
        match self {
            Field::Host => "HOST",
            Field::HostFrom => "HOST_FROM",
            Field::Program => "PROGRAM",
            Field::Pid => "PID",
            Field::Msgid => "MSGID",
            Field::Message => "MESSAGE",
            Field::LegacyMsghdr => "LEGACY_MSGHDR",
            Field::Source => "SOURCE",
            Field::Raw => "RAWMSG",
            Field::Transport => "TRANSPORT",
            Field::FileName => "FILE_NAME",
        }
    }

    /// Returns true for a field that the origin of a message holds, unless it was set on the message.
    pub(crate) fn is_of_origin(self) -> bool {
        matches!(self, Field::HostFrom | Field::Source | Field::Transport | Field::FileName)
    }
}

/// A resolved name.
#[derive(Clone, PartialEq, Eq, Debug, Hash)]
pub enum FieldName {
    /// A field that every message has.
    Fixed(Field),
    /// `.SDATA.<id>.<param>`: read from the structured data unless a pair of that name was set.
    Sdata(String),
    /// Any other name-value pair.
    Named(String),
}

impl FieldName {
    /// Resolves a name as written after `$`. Names of the fixed fields are case-sensitive, as in syslog-ng.
    pub fn parse(name: &str) -> FieldName {
        let Some(fixed) = Field::from_name(name.as_bytes()) else {
            let name = name.to_owned();
            return if name.starts_with(".SDATA.") { FieldName::Sdata(name) } else { FieldName::Named(name) };
        };
        FieldName::Fixed(fixed)
    }

    /// Returns the name as `values` and format functions print it.
    pub fn as_str(&self) -> &str {
        match self {
            FieldName::Fixed(field) => field.as_str(),
            FieldName::Sdata(name) | FieldName::Named(name) => name,
        }
    }
}
