//! Facilities, severities and types by name.
//!
//! In: names. Out: numbers.

/// Types that a side of a comparison can be given.
pub(crate) const TYPES: &[&str] = &[
    "string", "int", "int32", "int64", "integer", "long", "double", "float", "boolean", "bool", "datetime",
    "list", "json", "null", "literal", "bytes", "protobuf",
];

/// Names of the facilities, by number.
pub(crate) const FACILITIES: &[(&str, u32)] = &[
    ("kern", 0),
    ("user", 1),
    ("mail", 2),
    ("daemon", 3),
    ("auth", 4),
    ("syslog", 5),
    ("lpr", 6),
    ("news", 7),
    ("uucp", 8),
    ("cron", 9),
    ("authpriv", 10),
    ("ftp", 11),
    ("ntp", 12),
    ("security", 13),
    ("console", 14),
    ("solaris-cron", 15),
    ("local0", 16),
    ("local1", 17),
    ("local2", 18),
    ("local3", 19),
    ("local4", 20),
    ("local5", 21),
    ("local6", 22),
    ("local7", 23),
];

/// Names of the severities, by number.
pub(crate) const SEVERITIES: &[(&str, u8)] = &[
    ("emerg", 0),
    ("alert", 1),
    ("crit", 2),
    ("err", 3),
    ("warning", 4),
    ("notice", 5),
    ("info", 6),
    ("debug", 7),
    ("panic", 0),
    ("emergency", 0),
    ("critical", 2),
    ("error", 3),
    ("warn", 4),
    ("informational", 6),
];

/// Returns true when a word is the name of a type.
pub(crate) fn is_type(word: &str) -> bool {
    TYPES.contains(&word)
}

/// Returns the number of a facility, by name or number.
pub(crate) fn facility(name: &str) -> Option<u32> {
    let found = FACILITIES.iter().find(|(known, _)| *known == name.to_ascii_lowercase());
    found.map(|(_, number)| *number).or_else(|| name.parse().ok().filter(|number| *number < 24))
}

/// Returns the number of a severity, by name or number.
pub(crate) fn severity(name: &str) -> Option<u8> {
    let found = SEVERITIES.iter().find(|(known, _)| *known == name.to_ascii_lowercase());
    found.map(|(_, number)| *number).or_else(|| name.parse().ok().filter(|number| *number < 8))
}
