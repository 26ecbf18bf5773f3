//! Texts of files that options name.
//!
//! In: a path. Out: the text. Holds: nothing. Limits: that of the caller, and UTF-8.

use std::{
    fs::File,
    io::{self, Read},
};

/// Reads a file. One that is longer than `bytes_max` is an error.
pub(crate) fn read_text(path: &str, bytes_max: u64) -> io::Result<String> {
    let mut text = String::new();
    File::open(path)?.take(bytes_max + 1).read_to_string(&mut text)?;
    if text.len() as u64 > bytes_max {
        return Err(io::ErrorKind::FileTooLarge.into());
    }
    Ok(text)
}
