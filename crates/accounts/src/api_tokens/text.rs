//! The text of an API token: `dmn_`, a letter for the kind, 30 random characters, and a checksum of six.
//!
//! In: random bytes, or a text of a client. Out: a text whose form and checksum are right. Holds the text.
//! The prefix and the checksum let scanners of source code find a token that was published, without false hits, as GitHub's do
//! (<https://github.blog/engineering/platform-security/behind-githubs-new-authentication-token-formats/>); they also let us refuse
//! a mistyped one without looking anything up. The checksum is the CRC-32 of everything before it, in base 62 with leading zeros.

use aws_lc_rs::digest;
use std::fmt;

/// The first characters of every token.
const PREFIX: &str = "dmn_";
/// The kind of a token that acts for a user.
const USER_KIND: char = 'u';
/// Digits of base 62.
const DIGITS: &[u8; 62] = b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
/// Random characters: 178 bits.
const RANDOM_LENGTH: usize = 30;
/// Characters of the checksum: 62^6 is more than 2^32.
const CHECKSUM_LENGTH: usize = 6;
/// Characters of a token.
const LENGTH: usize = PREFIX.len() + 1 + RANDOM_LENGTH + CHECKSUM_LENGTH;

/// The text of a token. It is a secret: `Debug` does not print it.
pub struct TokenText(String);

impl fmt::Debug for TokenText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("TokenText(...)")
    }
}

impl TokenText {
    /// Draws a token of a user with the system's generator.
    pub fn draw() -> Result<TokenText, getrandom::Error> {
        let mut text = format!("{PREFIX}{USER_KIND}");
        let end = text.len() + RANDOM_LENGTH;
        while text.len() < end {
            let mut bytes = [0; 64];
            getrandom::fill(&mut bytes)?;
            // Bytes above the largest multiple of 62 would make some digits more likely.
            let fair = bytes.iter().filter(|byte| **byte < 248).map(|byte| DIGITS[usize::from(byte % 62)]);
            text.extend(fair.take(end - text.len()).map(char::from));
        }
        let checksum = checksum(&text);
        Ok(TokenText(text + &checksum))
    }

    /// Returns a text that has the form of a token and the right checksum.
    pub fn parse(text: &str) -> Option<TokenText> {
        let is_form = text.len() == LENGTH
            && text.strip_prefix(PREFIX)?.starts_with(USER_KIND)
            && text.bytes().skip(PREFIX.len()).all(|byte| byte.is_ascii_alphanumeric());
        let (head, tail) = text.split_at_checked(LENGTH - CHECKSUM_LENGTH)?;
        (is_form && checksum(head) == tail).then(|| TokenText(text.to_owned()))
    }

    /// SHA-256 of the text. It needs no slow hash: 178 random bits cannot be tried out.
    pub fn hash(&self) -> [u8; 32] {
        let mut hash = [0; 32];
        let digest = digest::digest(&digest::SHA256, self.0.as_bytes());
        hash.iter_mut().zip(digest.as_ref()).for_each(|(to, from)| *to = *from);
        hash
    }

    /// The last four characters.
    pub fn last_four(&self) -> &str {
        self.0.get(LENGTH - 4..).unwrap_or_default()
    }

    /// The text itself, to show it once.
    pub fn reveal(&self) -> &str {
        &self.0
    }
}

/// The checksum of what is before it.
fn checksum(head: &str) -> String {
    let mut rest = crc32fast::hash(head.as_bytes());
    let mut digits = [b'0'; CHECKSUM_LENGTH];
    for digit in digits.iter_mut().rev() {
        *digit = DIGITS[(rest % 62) as usize];
        rest /= 62;
    }
    digits.iter().map(|digit| char::from(*digit)).collect()
}
