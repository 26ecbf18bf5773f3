//! Time-based one-time passwords (RFC 6238): SHA-1, 30 seconds, six digits, as every app has them.
//!
//! In: a secret, a code, the time as an argument. Out: the step that the code belongs to, or why it is refused.
//! Holds: the secret. Limits: one step of tolerance before and after the present one; steps up to the last that was accepted are
//! refused. A code of another time within [`CLOCK_STEPS`] is named as such: the clock of the phone or of the server is wrong.

use aws_lc_rs::hmac;
use std::fmt;

/// Seconds of a step.
const STEP_S: u64 = 30;
/// Steps before and after the present one whose codes are accepted.
const TOLERANCE: u64 = 1;
/// Steps before and after the present one in which a code is looked for, to tell that a clock is wrong: 10 minutes.
const CLOCK_STEPS: u64 = 20;
/// Bytes of a secret: 160 bits, as RFC 4226 recommends.
const SECRET_BYTES: usize = 20;
/// Digits of a code, and the number of codes.
const DIGITS: usize = 6;
const CODES: u32 = 1_000_000;
/// Letters of base 32 (RFC 4648), in which apps take a secret.
const BASE32: &[u8; 32] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";

/// A secret that the server and an app share.
#[derive(Clone)]
pub struct Secret(Vec<u8>);

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Secret(...)")
    }
}

/// A code of an app.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Code(u32);

/// The reasons for which a code is refused.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum CodeFault {
    /// It is neither six digits nor a recovery code.
    Form,
    /// It is the code of no time, and no recovery code.
    Wrong,
    /// It was used already, or a later one was.
    Used,
    /// It is the code of an earlier time.
    Early {
        /// Seconds between that time and now.
        seconds: u64,
    },
    /// It is the code of a later time.
    Late {
        /// Seconds between now and that time.
        seconds: u64,
    },
}

impl fmt::Display for CodeFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let clocks = "set the clock of the phone and that of the server by the network, and try again";
        match self {
            CodeFault::Form => f.write_str("a code has six digits, a recovery code 16 letters and digits"),
            CodeFault::Wrong => {
                f.write_str("the code is wrong: take the one that the app shows now, or a recovery code")
            }
            CodeFault::Used => {
                f.write_str("this code was used already: wait until the app shows the next one")
            }
            CodeFault::Early { seconds } => write!(f, "this is the code of {seconds} s ago: {clocks}"),
            CodeFault::Late { seconds } => write!(f, "this is the code of {seconds} s from now: {clocks}"),
        }
    }
}

impl std::error::Error for CodeFault {}

impl Code {
    /// Reads six digits; blanks between them, as apps show them, do not count.
    pub(super) fn parse(text: &str) -> Option<Code> {
        let digits: String = text.chars().filter(|c| !c.is_whitespace()).collect();
        let is_code = digits.len() == DIGITS && digits.bytes().all(|byte| byte.is_ascii_digit());
        is_code.then(|| digits.parse().ok().map(Code))?
    }
}

impl Secret {
    /// Draws a secret with the system's generator.
    pub fn draw() -> Result<Secret, getrandom::Error> {
        let mut bytes = vec![0; SECRET_BYTES];
        getrandom::fill(&mut bytes)?;
        Ok(Secret(bytes))
    }

    pub(super) fn of(bytes: &[u8]) -> Secret {
        Secret(bytes.to_owned())
    }

    pub(super) fn bytes(&self) -> &[u8] {
        &self.0
    }

    /// The secret in base 32, for people who type it into their app.
    pub fn text(&self) -> String {
        let bits = |at: usize| self.0.get(at / 8).is_some_and(|byte| byte & (0x80 >> (at % 8)) != 0);
        let letters = (0..(self.0.len() * 8).div_ceil(5))
            .map(|letter| (0..5).fold(0, |value, bit| 2 * value + usize::from(bits(5 * letter + bit))));
        letters.map(|value| char::from(BASE32[value])).collect()
    }

    /// The address that an app reads from a picture, for the account of a user at this server.
    pub fn address(&self, user: &str, host: &str) -> String {
        let issuer = escaped(&format!("Duramen {host}"));
        let user = escaped(user);
        let secret = self.text();
        format!(
            "otpauth://totp/{issuer}:{user}?secret={secret}&issuer={issuer}&algorithm=SHA1&digits=6&period=30"
        )
    }

    /// Returns the step that a code belongs to, if it may be accepted now for the first time.
    pub(super) fn step_of(&self, code: Code, now_s: u64, last_step: u64) -> Result<u64, CodeFault> {
        let present = now_s / STEP_S;
        let near = present.saturating_sub(TOLERANCE)..=present + TOLERANCE;
        // The latest first: with it, all earlier ones are used up.
        if let Some(step) = near.clone().rev().find(|step| *step > last_step && self.code(*step) == code) {
            return Ok(step);
        }
        if near.rev().any(|step| self.code(step) == code) {
            return Err(CodeFault::Used);
        }
        let other = (present.saturating_sub(CLOCK_STEPS)..=present + CLOCK_STEPS)
            .find(|step| self.code(*step) == code);
        Err(match other {
            Some(step) if step < present => CodeFault::Early { seconds: (present - step) * STEP_S },
            Some(step) => CodeFault::Late { seconds: (step - present) * STEP_S },
            None => CodeFault::Wrong,
        })
    }

    /// Returns the step whose code confirms a secret that is to be enrolled.
    pub(crate) fn confirmed(&self, text: &str, now_s: u64) -> Result<u64, CodeFault> {
        self.step_of(Code::parse(text).ok_or(CodeFault::Form)?, now_s, 0)
    }

    /// The code of a step (RFC 4226, section 5.3).
    pub(super) fn code(&self, step: u64) -> Code {
        // SHA-1 is what apps have; HMAC does not need that it resists collisions.
        let key = hmac::Key::new(hmac::HMAC_SHA1_FOR_LEGACY_USE_ONLY, &self.0);
        let tag = hmac::sign(&key, &step.to_be_bytes());
        let tag = tag.as_ref();
        let offset = tag.last().map_or(0, |byte| usize::from(byte & 0x0f));
        let word = tag.get(offset..offset + 4).and_then(|bytes| bytes.try_into().ok()).unwrap_or_default();
        Code((u32::from_be_bytes(word) & 0x7fff_ffff) % CODES)
    }

    /// Reads a secret in base 32, as an app does.
    #[cfg(any(test, feature = "testing"))]
    pub fn parse(text: &str) -> Option<Secret> {
        let mut bits = Vec::new();
        for letter in text.bytes() {
            let value = BASE32.iter().position(|known| *known == letter)?;
            bits.extend((0..5).rev().map(|bit| u8::from(value & (1 << bit) != 0)));
        }
        Some(Secret(bits.chunks_exact(8).map(|byte| byte.iter().fold(0, |sum, bit| 2 * sum + bit)).collect()))
    }

    /// The code of a time, as an app shows it.
    #[cfg(any(test, feature = "testing"))]
    pub fn shown_at(&self, now_s: u64) -> String {
        format!("{:06}", self.code(now_s / STEP_S).0)
    }
}

/// Escapes everything but the unreserved characters of addresses (RFC 3986).
fn escaped(text: &str) -> String {
    let escape = |byte: u8| match byte {
        b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' => char::from(byte).to_string(),
        other => format!("%{other:02X}"),
    };
    text.bytes().map(escape).collect()
}
