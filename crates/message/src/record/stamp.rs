//! A point in time from a message, with the zone that it was written in.
//!
//! In: microseconds since 1970 and an offset. Out: the same, ordered. Holds: 16 bytes.
//! Limits: microseconds; years 1 to 9999 when printed.

/// The quality of the zone and the year in a sender's time.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug, Hash)]
#[repr(u8)]
pub enum ZoneQuality {
    /// The message has no time at all; the stamp is a copy of the received time.
    #[default]
    Absent,
    /// Zone and year were in the message.
    Known,
    /// The zone was not in the message: the configured or local zone was used.
    ZoneGuessed,
    /// Neither zone nor year was in the message; the year nearest to the received time was used.
    YearGuessed,
}

/// A time with the offset from UTC in which to show it.
#[derive(Clone, Copy, PartialEq, Eq, Default, Hash)]
pub struct Stamp {
    /// Microseconds since 1970-01-01T00:00:00Z.
    pub unix_us: i64,
    /// Offset of the zone from UTC in seconds, east positive.
    pub offset_s: i32,
    /// Origin of the zone and the year.
    pub quality: ZoneQuality,
}

impl Stamp {
    /// Makes a stamp of our own clock, whose zone is known.
    pub fn known(unix_us: i64, offset_s: i32) -> Stamp {
        Stamp { unix_us, offset_s, quality: ZoneQuality::Known }
    }

    /// Returns the whole seconds since 1970, rounded down.
    #[inline]
    pub fn unix_s(self) -> i64 {
        self.unix_us.div_euclid(1_000_000)
    }

    /// Prints the stamp as a value of a message: `1700000000.123456+01:00`.
    pub fn to_text(self) -> String {
        let (sign, minutes) = (if self.offset_s < 0 { '-' } else { '+' }, self.offset_s.unsigned_abs() / 60);
        format!("{}.{:06}{sign}{:02}:{:02}", self.unix_s(), self.micros(), minutes / 60, minutes % 60)
    }

    /// Reads a text written by [`Stamp::to_text`].
    pub fn from_text(text: &[u8]) -> Option<Stamp> {
        let text = std::str::from_utf8(text).ok()?;
        let (seconds, rest) = text.split_once('.')?;
        let (micros, zone) = rest.split_at_checked(6)?;
        let (sign, zone) = zone.split_at_checked(1)?;
        let (hours, minutes) = zone.split_once(':')?;
        let offset_s = hours.parse::<i32>().ok().filter(|hours| *hours < 100)? * 3600
            + minutes.parse::<i32>().ok().filter(|minutes| *minutes < 60)? * 60;
        let unix_us =
            seconds.parse::<i64>().ok()?.checked_mul(1_000_000)?.checked_add(micros.parse().ok()?)?;
        Some(Stamp::known(unix_us, if sign == "-" { -offset_s } else { offset_s }))
    }

    /// Microseconds within the second, 0 to 999,999.
    #[inline]
    pub fn micros(self) -> u32 {
        self.unix_us.rem_euclid(1_000_000) as u32
    }
}

impl PartialOrd for Stamp {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Stamp {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        (self.unix_us, self.offset_s, self.quality as u8).cmp(&(
            other.unix_us,
            other.offset_s,
            other.quality as u8,
        ))
    }
}

impl std::fmt::Debug for Stamp {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}us{:+}s/{:?}", self.unix_us, self.offset_s, self.quality)
    }
}
