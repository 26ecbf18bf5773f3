//! Ids of objects.
//!
//! In: text, or the time and random numbers. Out: an id that can stand in a path and in a file name. Holds nothing.
//! Ids that the server makes are UUIDs of version 7 (RFC 9562, section 5.7), which sort by time. Those of files may be
//! words: `/o/failed-logins` is easier to remember.

use std::{fmt, str::FromStr};

/// Longest id: a UUID has 36 characters.
const ID_CHARS_MAX: usize = 64;

/// The id of an object: 1 to 64 of `a-z`, `0-9` and `-`; it stays the same for as long as the object exists.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct ObjectId(String);

/// The reasons why there is no id.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum IdError {
    /// The text is no id.
    Text,
    /// The system has no random numbers.
    Random,
}

impl fmt::Display for IdError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            IdError::Text => f.write_str("an id has 1 to 64 of the characters a-z 0-9 -"),
            IdError::Random => f.write_str("the system gives no random numbers"),
        }
    }
}

impl std::error::Error for IdError {}

impl FromStr for ObjectId {
    type Err = IdError;

    fn from_str(text: &str) -> Result<ObjectId, IdError> {
        let allowed = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-';
        let is_id = (1..=ID_CHARS_MAX).contains(&text.len()) && text.bytes().all(allowed);
        is_id.then(|| ObjectId(text.to_owned())).ok_or(IdError::Text)
    }
}

impl fmt::Display for ObjectId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl ObjectId {
    /// Draws a new id; `now_us` is the time in microseconds since 1970.
    pub(crate) fn draw(now_us: i64) -> Result<ObjectId, IdError> {
        let mut bytes = [0; 16];
        getrandom::fill(&mut bytes).map_err(|_| IdError::Random)?;
        let random = u128::from_be_bytes(bytes);
        let now_ms = u128::from(u64::try_from(now_us / 1_000).unwrap_or_default());
        Ok(ObjectId(uuid(now_ms, random)))
    }

    /// Its text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// The text of a UUID of version 7: 48 bits of the time, then random ones around version and variant.
fn uuid(now_ms: u128, random: u128) -> String {
    let version = 0x7 << 76;
    let variant = 0b10 << 62;
    let free = !(0xffff_ffff_ffff << 80 | 0xf << 76 | 0b11 << 62);
    let value = (now_ms & 0xffff_ffff_ffff) << 80 | version | variant | random & free;
    let hex = format!("{value:032x}");
    format!("{}-{}-{}-{}-{}", &hex[..8], &hex[8..12], &hex[12..16], &hex[16..20], &hex[20..])
}

#[cfg(test)]
mod tests {
    //! The form of ids.

    use super::*;

    #[test]
    fn ids_are_uuids_of_version_7_or_words() {
        // The example of RFC 9562, appendix A.6.
        let random = 0xcc3_18c4_dc0c_0c07_398f_u128;
        assert_eq!(uuid(0x017f_22e2_79b0, random), "017f22e2-79b0-7cc3-98c4-dc0c0c07398f");
        let all = uuid(u128::MAX, u128::MAX);
        assert_eq!(all, "ffffffff-ffff-7fff-bfff-ffffffffffff");
        let (one, other) = (ObjectId::draw(1_000).unwrap(), ObjectId::draw(2_000_000).unwrap());
        assert!(one < other && one.to_string().parse() == Ok(one.clone()));
        for text in ["a", "failed-logins", "0190", &"x".repeat(64)] {
            assert_eq!(text.parse::<ObjectId>().unwrap().as_str(), text);
        }
        for text in ["", "A", "a b", "a/b", "..", "ä", "a.json", &"x".repeat(65)] {
            assert_eq!(text.parse::<ObjectId>(), Err(IdError::Text), "{text}");
        }
        assert!(IdError::Text.to_string().contains("1 to 64"));
        assert!(IdError::Random.to_string().contains("random"));
        assert!(ObjectId::draw(-1).is_ok(), "a clock before 1970");
    }
}
