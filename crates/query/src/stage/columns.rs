//! Names of the columns that commands add to a table.
//!
//! In: nothing, or the name of a compared column. Out: names.

/// The column of a timechart's intervals.
pub(crate) const TIME: &str = "time";

/// The columns of `patterns`.
pub(crate) const PATTERN_COLUMNS: &[&str] =
    &["pattern", "count", "percent", "first_seen", "last_seen", "trend"];

/// Returns the name of the column with the earlier value.
pub(crate) fn earlier(value: &str) -> String {
    format!("earlier {value}")
}

/// Returns the name of the column with the change.
pub(crate) fn change(value: &str) -> String {
    format!("change {value}")
}
