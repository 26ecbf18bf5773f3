//! File names with parts from messages.
//!
//! In: the text of the name and the part of it that comes from the configuration. Out: a path inside the folder
//! of that part. Holds: nothing.
//! Limits: components of [`COMPONENT_BYTES_MAX`] bytes and [`COMPONENTS_MAX`] levels; `.`, `..`, control characters
//! and NUL become `_`, empty components vanish. A `/` inside a value is already `_` ([`message::Render::render_name`]).

use std::{
    ffi::OsStr,
    os::unix::ffi::OsStrExt,
    path::{Path, PathBuf},
};

/// Longest component that file systems take.
const COMPONENT_BYTES_MAX: usize = 255;

/// Most components below the trusted folder: 15 of 255 bytes stay below the 4096 bytes of a path.
const COMPONENTS_MAX: usize = 12;

/// A path for `name` that lies in the folder of `trusted`, the constant text it starts with.
pub(super) fn safe(trusted: &str, name: &[u8]) -> PathBuf {
    let folder_bytes = trusted.rfind('/').map_or(0, |slash| slash + 1);
    debug_assert!(name.starts_with(trusted.as_bytes()));
    let folder = if folder_bytes == 0 { Path::new(".") } else { Path::new(&trusted[..folder_bytes]) };
    let mut path = folder.to_owned();
    let rest = name.get(folder_bytes..).unwrap_or_default();
    let mut parts: Vec<&[u8]> = rest.split(|byte| *byte == b'/').filter(|part| !part.is_empty()).collect();
    if parts.is_empty() {
        parts.push(b"_");
    }
    for part in parts.into_iter().take(COMPONENTS_MAX) {
        path.push(OsStr::from_bytes(&component(part)));
    }
    path
}

fn component(part: &[u8]) -> Vec<u8> {
    if part == b"." || part == b".." {
        return b"_".repeat(part.len());
    }
    let mut length = part.len().min(COMPONENT_BYTES_MAX);
    while length < part.len() && length > 0 && part[length] & 0xC0 == 0x80 {
        // Not inside a character of UTF-8.
        length -= 1;
    }
    part[..length].iter().map(|byte| if byte.is_ascii_control() { b'_' } else { *byte }).collect()
}
