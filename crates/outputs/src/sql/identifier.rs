//! Names of tables, columns and indexes. What messages contribute to a name cannot end it, nor begin a statement.
//!
//! In: rendered names. Out: names that a database can have, quoted. Holds: nothing. Limits: [`Dialect::name_bytes_max`].

use transport::sql::Dialect;

/// A name that no table can have.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum NameError {
    /// There is nothing in it, or nothing on one side of its dot.
    Empty,
    /// It is too long.
    TooLong {
        /// Its bytes.
        bytes: usize,
        /// [`Dialect::name_bytes_max`]
        max: usize,
    },
    /// It has more than one dot.
    Dots,
}

impl std::fmt::Display for NameError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            NameError::Empty => f.write_str("the name of the table is empty"),
            NameError::TooLong { bytes, max } => {
                write!(f, "the name of the table has {bytes} bytes, at most {max} are possible")
            }
            NameError::Dots => f.write_str("the name of the table has more than one dot"),
        }
    }
}

/// Makes the name of a table from a rendered template: characters other than letters, digits, `.` and `_` become `_`.
/// Capitals become lower case if the database does so with unquoted names.
pub(super) fn table(rendered: &[u8], dialect: Dialect, name: &mut String) -> Result<(), NameError> {
    let allowed = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'_');
    name.clear();
    name.extend(rendered.iter().map(|byte| if allowed(*byte) { char::from(*byte) } else { '_' }));
    if dialect == Dialect::Postgres {
        name.make_ascii_lowercase();
    }
    let max = dialect.name_bytes_max();
    let parts = name.split('.');
    if parts.clone().count() > 2 {
        return Err(NameError::Dots);
    }
    for part in parts {
        if part.is_empty() {
            return Err(NameError::Empty);
        }
        if part.len() > max {
            return Err(NameError::TooLong { bytes: part.len(), max });
        }
    }
    Ok(())
}

/// Returns the name of the index of a column, as syslog-ng names it, cut to the length that a database accepts.
pub(super) fn index(dialect: Dialect, table: &str, column: &str) -> String {
    let max = dialect.name_bytes_max();
    let mut name = format!("{}_{column}_idx", table.rsplit('.').next().unwrap_or(table));
    if name.len() > max {
        // Two long names with one beginning stay two names.
        let sum = name.bytes().fold(0xcbf2_9ce4_8422_2325_u64, |sum, byte| {
            (sum ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3)
        });
        let mut end = max - 17;
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
    fn check(dialect: Dialect, rendered: &str, want: Result<&str, NameError>) {
        let mut name = String::new();
        let result = table(rendered.as_bytes(), dialect, &mut name);
        assert_eq!(result.map(|()| name.as_str()), want, "{rendered}");
    }

    #[test]
    fn names_hold_letters_digits_dots_and_underscores() {
        let postgres = |rendered, want| check(Dialect::Postgres, rendered, want);
        postgres("messages_Host_2007", Ok("messages_host_2007"));
        postgres("messages_\n2007", Ok("messages__2007"));
        postgres("logs.messages", Ok("logs.messages"));
        postgres("a; DROP TABLE users--", Ok("a__drop_table_users__"));
        postgres("a\"b'c`d\\e\0f", Ok("a_b_c_d_e_f"));
        postgres("märz", Ok("m__rz"));
        postgres("", Err(NameError::Empty));
        postgres("a.", Err(NameError::Empty));
        postgres(".a", Err(NameError::Empty));
        postgres("a.b.c", Err(NameError::Dots));
    }

    #[test]
    fn each_database_has_its_capitals_and_its_longest_name() {
        let row = |dialect, max: usize| {
            check(dialect, &"x".repeat(max), Ok(&"x".repeat(max)));
            let bytes = max + 1;
            check(dialect, &"x".repeat(bytes), Err(NameError::TooLong { bytes, max }));
        };
        row(Dialect::Postgres, 63);
        row(Dialect::Sqlite, 63);
        row(Dialect::Mysql, 64);
        check(Dialect::Postgres, "Messages", Ok("messages"));
        check(Dialect::Sqlite, "Messages", Ok("Messages"));
        check(Dialect::Mysql, "Messages", Ok("Messages"));
    }

    #[test]
    fn long_names_of_indexes_stay_different() {
        for dialect in [Dialect::Postgres, Dialect::Sqlite, Dialect::Mysql] {
            assert_eq!(index(dialect, "logs.messages", "host"), "messages_host_idx");
            let long = "m".repeat(60);
            let (first, second) = (index(dialect, &long, "host"), index(dialect, &long, "pid"));
            assert!(
                first.len() == dialect.name_bytes_max() && second.len() == first.len() && first != second
            );
            // A name is not cut within a character, and the longest that fits is not cut.
            let max = dialect.name_bytes_max();
            for letters in 0..4 {
                let name = index(dialect, "m", &format!("{}{}", "x".repeat(letters), "é".repeat(40)));
                let (start, sum) = name.rsplit_once('_').unwrap();
                assert!(start.starts_with("m_") && start.len() + 17 > max - 2 && name.len() <= max, "{name}");
                assert_eq!(sum.len(), 16);
            }
            let longest = "x".repeat(max - "m__idx".len());
            assert_eq!(index(dialect, "m", &longest), format!("m_{longest}_idx"));
        }
    }
}
