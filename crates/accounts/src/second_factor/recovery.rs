//! Recovery codes: what a user writes down, for the day on which the phone is lost.
//!
//! In: random bytes, or what somebody typed. Out: codes of 16 letters. Holds the code. Limits: 80 random bits each, so that a keyed
//! hash is enough; capitals, blanks and dashes do not count when one is typed.

use super::FactorKeyError;

/// Number of recovery codes that are made at a time.
pub const RECOVERY_CODES: usize = 10;
/// Letters of a code; those that look alike are left out.
const ALPHABET: &[u8; 32] = b"abcdefghijkmnpqrstuvwxyz23456789";
/// Letters of a code: each stands for five bits.
const LENGTH: usize = 16;
/// Letters between two dashes of a code that is shown.
const GROUP: usize = 4;

/// A code, without dashes.
pub(super) struct RecoveryCode(String);

impl RecoveryCode {
    /// Draws the codes of one user.
    pub(super) fn draw_all() -> Result<Vec<RecoveryCode>, FactorKeyError> {
        (0..RECOVERY_CODES).map(|_| RecoveryCode::draw()).collect()
    }

    fn draw() -> Result<RecoveryCode, FactorKeyError> {
        let mut bytes = [0; LENGTH];
        getrandom::fill(&mut bytes).map_err(|_| FactorKeyError::Random)?;
        Ok(RecoveryCode(bytes.iter().map(|byte| char::from(ALPHABET[usize::from(byte % 32)])).collect()))
    }

    /// Reads a code as people type it; nothing when it has not the form of one.
    pub(super) fn parse(text: &str) -> Option<RecoveryCode> {
        let letters = text.chars().filter(|c| !c.is_whitespace() && *c != '-');
        let code: String = letters.map(|c| c.to_ascii_lowercase()).collect();
        let is_code = code.len() == LENGTH && code.bytes().all(|byte| ALPHABET.contains(&byte));
        is_code.then_some(RecoveryCode(code))
    }

    pub(super) fn letters(&self) -> &str {
        &self.0
    }

    /// The code as it is shown: in groups of four.
    pub(super) fn shown(&self) -> String {
        let mut shown = self.0.clone();
        (1..LENGTH / GROUP).rev().for_each(|group| shown.insert(GROUP * group, '-'));
        shown
    }
}
