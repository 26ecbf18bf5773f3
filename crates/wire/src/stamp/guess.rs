//! Guesses a zone from the difference between the sender's clock and ours.
//!
//! In: a stamp that was read in the wrong zone, our time. Out: the same wall clock in the zone that makes it now,
//! or the unchanged stamp. Holds: the offsets in use on Earth.
//! Limits: the clocks must agree within [`CLOCK_ERROR_S`] seconds, and differ by less than a day.

use message::{Stamp, ZoneQuality};

/// Most seconds that the sender's clock may differ from ours.
const CLOCK_ERROR_S: i64 = 30;
const DAY_S: i64 = 86_400;
const QUARTER_S: i64 = 900;
/// Offsets in minutes that are not whole hours: Marquesas to Chatham Islands.
const ODD_OFFSETS: [i64; 17] =
    [-570, -270, -210, -150, 210, 270, 330, 345, 390, 510, 525, 570, 585, 630, 690, 765, 825];

/// Implements `guess-timezone`: assumes that the message was sent just now, and takes the difference of the clocks as
/// the zone.
pub fn guess_zone(stamp: Stamp, now: Stamp) -> Stamp {
    let late_s = now.unix_s() - stamp.unix_s();
    let shift_s = (late_s + QUARTER_S / 2).div_euclid(QUARTER_S) * QUARTER_S;
    let offset_s = i64::from(stamp.offset_s) - shift_s;
    if late_s.abs() >= DAY_S || (late_s - shift_s).abs() > CLOCK_ERROR_S || !is_offset(offset_s) {
        return stamp;
    }
    Stamp {
        unix_us: stamp.unix_us + shift_s * 1_000_000,
        offset_s: offset_s as i32,
        quality: ZoneQuality::ZoneGuessed,
    }
}

/// Returns true when some time zone has this offset.
fn is_offset(offset_s: i64) -> bool {
    let hours = (-12 * 3600..=14 * 3600).contains(&offset_s) && offset_s % 3600 == 0;
    hours || (offset_s % 60 == 0 && ODD_OFFSETS.contains(&(offset_s / 60)))
}
