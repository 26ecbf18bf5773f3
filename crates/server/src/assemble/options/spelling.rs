//! The present names of options.
//!
//! In: an option as it is written. Out: the name under which the tables have it. Holds: nothing.

use config::options::{self, Row, Standing};

/// Returns the present name of an option, also for an old spelling.
pub(crate) fn present_name(tables: &[&'static [Row]], key: &str) -> String {
    match options::row(tables, key).map(|row| row.standing) {
        Some(Standing::Renamed(to)) => to.to_owned(),
        _ => key.to_owned(),
    }
}
