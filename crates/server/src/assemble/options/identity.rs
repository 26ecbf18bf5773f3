//! Users and groups by name.
//!
//! In: a name or a number. Out: the number. Reads `/etc/passwd` and `/etc/group` at each call: a
//! configuration has few.
//! Limits: users that only a directory service knows must be given by number.

use std::fs;

/// Returns the number of a user.
pub(crate) fn user(name: &str) -> Option<u32> {
    number_in("/etc/passwd", name)
}

/// Returns the number of a group.
pub(crate) fn group(name: &str) -> Option<u32> {
    number_in("/etc/group", name)
}

/// Looks up a name in a file that has the name first and the number third, between colons.
fn number_in(path: &str, name: &str) -> Option<u32> {
    if let Ok(number) = name.parse() {
        return Some(number);
    }
    let text = fs::read_to_string(path).ok()?;
    text.lines().find_map(|line| {
        let mut parts = line.split(':');
        (parts.next() == Some(name)).then(|| parts.nth(1)?.parse().ok())?
    })
}
