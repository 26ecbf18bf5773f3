//! Requests and answers about second factors.
//!
//! In: JSON. Out: JSON. Limits: unknown members of a request are refused.

use crate::error::ErrorDetail;
use accounts::FactorFacts;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

const SECOND_US: u64 = 1_000_000;

/// The answer to a right password of a user with a second factor.
#[derive(Serialize, ToSchema)]
pub(crate) struct CodeNeededAnswer {
    /// The error, with the code `code_needed`.
    pub(crate) error: ErrorDetail,
    /// Sent back with the code, within five minutes.
    pub(crate) ticket: String,
}

/// The second step of a log-in.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct CodeRequest {
    /// The ticket of the first step.
    pub(crate) ticket: String,
    /// The code that the app shows, or a recovery code.
    pub(crate) code: String,
}

/// The password, once more.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ConfirmRequest {
    /// The password.
    pub(crate) password: String,
}

/// The first code of an app.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct EnrolRequest {
    /// The code that the app shows.
    pub(crate) code: String,
}

/// The second factor of the caller.
#[derive(Serialize, ToSchema)]
pub(crate) struct FactorAnswer {
    /// When it was enrolled, in microseconds since 1970; absent when there is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) enrolled_us: Option<u64>,
    /// Number of recovery codes that were not used.
    pub(crate) recovery_left: usize,
}

/// A secret to put into an app.
#[derive(Serialize, ToSchema)]
pub(crate) struct EnrolmentAnswer {
    /// The secret in base 32.
    pub(crate) secret: String,
    /// The address that apps understand (`otpauth:`).
    pub(crate) address: String,
    /// The address as a QR code.
    pub(crate) picture: Picture,
}

/// A square picture of black squares.
#[derive(Serialize, ToSchema)]
pub(crate) struct Picture {
    /// Width and height in squares, with a margin of four.
    pub(crate) size: u32,
    /// The black squares, as the path of an SVG picture.
    pub(crate) path: String,
}

/// Recovery codes, which no other call shows.
#[derive(Serialize, ToSchema)]
pub(crate) struct RecoveryAnswer {
    /// The codes; each works once.
    pub(crate) recovery_codes: Vec<String>,
}

impl FactorAnswer {
    pub(crate) fn of(facts: Option<FactorFacts>) -> FactorAnswer {
        FactorAnswer {
            enrolled_us: facts.map(|facts| facts.since_s.saturating_mul(SECOND_US)),
            recovery_left: facts.map_or(0, |facts| facts.recovery_left),
        }
    }
}

impl Picture {
    /// Draws a text as a QR code; nothing when it is too long for one.
    pub(crate) fn of(text: &str) -> Option<Picture> {
        /// White squares around the code, as ISO/IEC 18004 requires.
        const MARGIN: i32 = 4;
        let code = qrcodegen::QrCode::encode_text(text, qrcodegen::QrCodeEcc::Medium).ok()?;
        let mut path = String::new();
        for y in 0..code.size() {
            for x in (0..code.size()).filter(|x| code.get_module(*x, y)) {
                path.push_str(&format!("M{} {}h1v1h-1z", x + MARGIN, y + MARGIN));
            }
        }
        let size = u32::try_from(code.size() + 2 * MARGIN).ok()?;
        Some(Picture { size, path })
    }
}

#[cfg(test)]
mod tests {
    //! The picture of a text.

    use super::*;

    #[test]
    fn a_text_is_drawn_with_its_corners_and_a_margin() {
        let picture = Picture::of("otpauth://totp/Duramen:eva?secret=GEZDGNBV").unwrap();
        assert!(picture.size >= 21 + 8 && (picture.size - 8 - 21).is_multiple_of(4), "{}", picture.size);
        // The corners of three finder patterns, and none in the fourth corner or in the margin.
        let last = picture.size - 5;
        for (x, y) in [(4, 4), (last, 4), (4, last)] {
            assert!(picture.path.contains(&format!("M{x} {y}h")), "{x} {y}");
        }
        assert!(!picture.path.contains("M3 ") && !picture.path.contains(" 3h"));
        assert!(Picture::of(&"x".repeat(5_000)).is_none());
    }
}
