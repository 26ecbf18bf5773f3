//! The policy for passwords, as NIST SP 800-63B-4 has it: length instead of classes of characters, no change without a reason, and
//! nothing that attackers try first.
//!
//! In: a password, its user, the name of this machine. Out: the form that is hashed, or what is wrong with it. Holds nothing.
//! Limits: [`PASSWORD_CHARS_MIN`] characters, [`PASSWORD_CHARS_MIN_WITH_FACTOR`] where a second factor is asked for as well;
//! [`PASSWORD_BYTES_MAX`] bytes. The whole password is compared, never a part of it: a sentence may have the name of its user in it.
//! Applied when a password is set; those that were set before stay valid.

mod blocklist;
mod pattern;

use std::{borrow::Cow, fmt};
use unicode_normalization::{UnicodeNormalization, is_nfc};

/// Fewest characters of a password that is the only factor.
pub const PASSWORD_CHARS_MIN: usize = 15;
/// Fewest characters of the password of a user who has a second factor.
pub const PASSWORD_CHARS_MIN_WITH_FACTOR: usize = 8;
/// Most bytes of a password: more than anybody types, and little to hash.
pub const PASSWORD_BYTES_MAX: usize = 1024;
/// Words of this product and of log-ins; a password must not consist of them alone.
const PRODUCT_WORDS: &[&str] = &[
    "duramen",
    "syslog",
    "logserver",
    "logspace",
    "server",
    "logs",
    "log",
    "administrator",
    "admin",
    "root",
    "user",
    "password",
    "passwort",
    "passwd",
    "pass",
    "login",
    "logon",
    "welcome",
    "changeme",
    "change",
    "letmein",
    "default",
    "secret",
    "test",
    "the",
    "my",
    "is",
    "me",
];
/// Parts of names that are shorter say too little.
const NAME_PART_CHARS_MIN: usize = 3;

/// The facts that decide what a password must be like.
#[derive(Clone, Copy, Debug)]
pub struct PasswordContext<'c> {
    /// Name of the user.
    pub user: &'c str,
    /// Name of this machine; empty when it is not known.
    pub host: &'c str,
    /// Fewest characters.
    pub chars_min: usize,
}

/// The reasons for which a password is refused when it is set.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum PasswordFault {
    /// It has fewer characters than it must.
    TooShort {
        /// Characters of the password.
        chars: usize,
        /// Fewest characters that are allowed.
        chars_min: usize,
    },
    /// It has more than [`PASSWORD_BYTES_MAX`] bytes.
    TooLong,
    /// It is in lists of common passwords, perhaps with digits before or after it.
    Common,
    /// It consists of names and words that everybody knows who knows this server.
    Guessable,
    /// It repeats a few characters, or follows the alphabet, the digits or the keys of a keyboard.
    Pattern,
}

impl fmt::Display for PasswordFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            PasswordFault::TooShort { chars, chars_min } => write!(
                f,
                "a password has at least {chars_min} characters, and this one has {chars}: some words that do not belong \
                 together are long enough, and blanks count"
            ),
            PasswordFault::TooLong => write!(f, "a password has at most {PASSWORD_BYTES_MAX} bytes: choose a shorter one"),
            PasswordFault::Common => f.write_str(
                "a password must not be one of the common ones that attackers try first, also not with digits around it: \
                 choose another",
            ),
            PasswordFault::Guessable => f.write_str(
                "a password must not consist of the names of the user and of the server, and of words such as `password` \
                 alone: add words that nobody guesses",
            ),
            PasswordFault::Pattern => f.write_str(
                "a password must not repeat a few characters or follow the alphabet, the digits or the keys: choose another",
            ),
        }
    }
}

impl std::error::Error for PasswordFault {}

/// Returns the form of a password that is hashed: the same letters are the same password, however they were composed (Unicode, NFC).
pub(crate) fn normalized(password: &str) -> Cow<'_, str> {
    match is_nfc(password) {
        true => Cow::Borrowed(password),
        false => Cow::Owned(password.nfc().collect()),
    }
}

/// Checks a password that is to be set, and returns the form that is hashed.
pub(crate) fn check<'p>(
    password: &'p str,
    context: PasswordContext<'_>,
) -> Result<Cow<'p, str>, PasswordFault> {
    // Before anything else is done with it.
    if password.len() > PASSWORD_BYTES_MAX {
        return Err(PasswordFault::TooLong);
    }
    let password = normalized(password);
    let (chars, chars_min) = (password.chars().count(), context.chars_min);
    if chars < chars_min {
        return Err(PasswordFault::TooShort { chars, chars_min });
    }
    if password.len() > PASSWORD_BYTES_MAX {
        return Err(PasswordFault::TooLong);
    }
    let small: String = password.to_lowercase().nfc().collect();
    if is_common(&small) {
        return Err(PasswordFault::Common);
    }
    let words: Vec<char> = small.chars().collect();
    if pattern::consists_of(&words, &guessable(context)) {
        return Err(PasswordFault::Guessable);
    }
    if pattern::is_pattern(&words) {
        return Err(PasswordFault::Pattern);
    }
    Ok(password)
}

/// Returns true if a password in small letters, without the digits and signs around it, once or repeated, is in the list.
fn is_common(small: &str) -> bool {
    let is_listed = |text: &str| blocklist::contains(text) || blocklist::contains(pattern::unit(text));
    is_listed(small) || is_listed(small.trim_matches(|c: char| !c.is_alphabetic()))
}

/// The words that a password must not consist of alone, in small letters.
fn guessable(context: PasswordContext<'_>) -> Vec<Vec<char>> {
    let names = [context.user.to_lowercase(), context.host.to_lowercase()];
    let parts = names.iter().flat_map(|name| {
        let parts = name.split(|c: char| !c.is_alphanumeric());
        std::iter::once(name.as_str()).chain(parts)
    });
    let parts = parts.filter(|part| part.chars().count() >= NAME_PART_CHARS_MIN);
    parts.chain(PRODUCT_WORDS.iter().copied()).map(|word| word.chars().collect()).collect()
}

#[cfg(test)]
mod tests;
