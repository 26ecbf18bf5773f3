//! The files of samples: JSON lines.
//!
//! In: a path. Out: records, and their members.

use super::error::RunError;
use serde_json::Value;
use std::{fs, path::Path};

/// The records of a file of JSON lines.
pub(crate) fn records(path: &Path) -> Result<Vec<Value>, RunError> {
    let text = fs::read_to_string(path).map_err(RunError::read(path))?;
    let record = |line: &str| serde_json::from_str(line).map_err(RunError::json(path));
    text.lines().filter(|line| !line.is_empty()).map(record).collect()
}

/// The text of a member, empty when it is missing.
pub(crate) fn text<'a>(record: &'a Value, name: &str) -> &'a str {
    record.get(name).and_then(Value::as_str).unwrap_or_default()
}
