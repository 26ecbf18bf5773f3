//! Users and groups by name.
//!
//! In: a name or a number. Out: the number. Reads `/etc/passwd` and `/etc/group` at each question: a configuration asks few.
//! Limits: users that only a directory service knows must be given by number.

use std::fs;

/// The number of a user.
pub(super) fn user(name: &str) -> Option<u32> {
    number_in("/etc/passwd", name)
}

/// The number of a group.
pub(super) fn group(name: &str) -> Option<u32> {
    number_in("/etc/group", name)
}

/// Both files have the name first and the number third, between colons.
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
