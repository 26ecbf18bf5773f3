//! Names of tables, columns and indexes. What messages contribute to a name cannot end it, nor begin a statement.
//!
//! In: rendered names. Out: names that a database can have, quoted. Holds: nothing. Limits: [`NAME_BYTES_MAX`].

/// Longest name: PostgreSQL would cut a longer one in silence, and two tables would become one.
pub(super) const NAME_BYTES_MAX: usize = 63;

/// The fate of capitals in names that are not quoted.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Capitals {
    /// They stay.
    Kept,
    /// PostgreSQL makes them small.
    MadeSmall,
}

/// A name that no table can have.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum NameError {
    /// There is nothing in it, or nothing on one side of its dot.
    Empty,
    /// It is longer than [`NAME_BYTES_MAX`].
    TooLong(usize),
    /// It has more than one dot.
    Dots,
}

impl std::fmt::Display for NameError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            NameError::Empty => f.write_str("the name of the table is empty"),
            NameError::TooLong(bytes) => {
                write!(f, "the name of the table has {bytes} bytes, at most {NAME_BYTES_MAX} are possible")
            }
            NameError::Dots => f.write_str("the name of the table has more than one dot"),
        }
    }
}

/// Makes the name of a table of a rendered template: what is not a letter, digit, `.` or `_` becomes `_`. Capitals become
/// small where the database does so with names that are not quoted.
pub(super) fn table(rendered: &[u8], capitals: Capitals, name: &mut String) -> Result<(), NameError> {
    let allowed = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'_');
    name.clear();
    name.extend(rendered.iter().map(|byte| if allowed(*byte) { char::from(*byte) } else { '_' }));
    if capitals == Capitals::MadeSmall {
        name.make_ascii_lowercase();
    }
    let parts = name.split('.');
    if parts.clone().count() > 2 {
        return Err(NameError::Dots);
    }
    for part in parts {
        if part.is_empty() {
            return Err(NameError::Empty);
        }
        if part.len() > NAME_BYTES_MAX {
            return Err(NameError::TooLong(part.len()));
        }
    }
    Ok(())
}

/// Quotes a name, each side of its dot for itself.
pub(super) fn quoted_table(name: &str) -> String {
    name.split('.').map(quoted).collect::<Vec<_>>().join(".")
}

/// Quotes a name.
pub(super) fn quoted(name: &str) -> String {
    format!("\"{}\"", name.replace('"', "\"\""))
}

/// Returns the name of the index of a column, as syslog-ng names it, cut to what a database takes.
pub(super) fn index(table: &str, column: &str) -> String {
    let mut name = format!("{}_{column}_idx", table.rsplit('.').next().unwrap_or(table));
    if name.len() > NAME_BYTES_MAX {
        // Two long names with one beginning stay two names.
        let sum = name.bytes().fold(0xcbf2_9ce4_8422_2325_u64, |sum, byte| {
            (sum ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3)
        });
        let mut end = NAME_BYTES_MAX - 17;
        while !name.is_char_boundary(end) {
            end -= 1;
        }
        name.truncate(end);
        name.push_str(&format!("_{sum:016x}"));
    }
    name
}

#[cfg(test)]
mod tests {
    //! Names that messages would like to have.

    use super::*;

    #[track_caller]
    fn check(rendered: &str, want: Result<&str, NameError>) {
        let mut name = String::new();
        let result = table(rendered.as_bytes(), Capitals::MadeSmall, &mut name);
        assert_eq!(result.map(|()| name.as_str()), want, "{rendered}");
    }

    #[test]
    fn names_hold_letters_digits_dots_and_underscores() {
        check("messages_Host_2007", Ok("messages_host_2007"));
        check("messages_\n2007", Ok("messages__2007"));
        check("logs.messages", Ok("logs.messages"));
        check("a; DROP TABLE users--", Ok("a__drop_table_users__"));
        check("a\"b'c`d\\e\0f", Ok("a_b_c_d_e_f"));
        check("märz", Ok("m__rz"));
        check("", Err(NameError::Empty));
        check("a.", Err(NameError::Empty));
        check(".a", Err(NameError::Empty));
        check("a.b.c", Err(NameError::Dots));
        check(&"x".repeat(63), Ok(&"x".repeat(63)));
        check(&"x".repeat(64), Err(NameError::TooLong(64)));
    }

    #[test]
    fn a_database_that_keeps_capitals_gets_them() {
        let mut name = String::new();
        table(b"Messages", Capitals::Kept, &mut name).unwrap();
        assert_eq!(name, "Messages");
    }

    #[test]
    fn quotes_inside_a_name_are_doubled() {
        assert_eq!(quoted("a\"b"), "\"a\"\"b\"");
        assert_eq!(quoted_table("logs.messages"), "\"logs\".\"messages\"");
    }

    #[test]
    fn long_names_of_indexes_stay_different() {
        assert_eq!(index("logs.messages", "host"), "messages_host_idx");
        let long = "m".repeat(60);
        let (first, second) = (index(&long, "host"), index(&long, "pid"));
        assert!(first.len() <= NAME_BYTES_MAX && second.len() <= NAME_BYTES_MAX && first != second);
    }
}
