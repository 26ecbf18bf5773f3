//! Rewrites of the zone of a message's time.
//!
//! In: a stamp and a zone. Out: the stamp, shown in that zone. Holds nothing.
//! Limits: a wall clock time that a zone skips is read as if the clock had not been changed yet.

use jiff::{Timestamp, tz::TimeZone};
use message::{Batch, Stamp, ZoneQuality};
use std::{borrow::Cow, sync::Arc};
use template::{Renderer, Template};

/// The zone of a rewrite: usually constant, but it may come from the message.
#[derive(Clone, Debug)]
pub enum Zone {
    /// Always this one.
    Known(TimeZone),
    /// The value of the template; a zone that does not exist leaves the message as it is.
    Rendered(Arc<Template>),
}

impl Zone {
    pub(super) fn of(
        &self,
        batch: &Batch,
        index: usize,
        renderer: &mut Renderer,
    ) -> Option<Cow<'_, TimeZone>> {
        match self {
            Zone::Known(zone) => Some(Cow::Borrowed(zone)),
            Zone::Rendered(template) => {
                let name = template.value(batch, index, renderer);
                wire::zone_of(std::str::from_utf8(&name).ok()?).map(Cow::Owned)
            }
        }
    }
}

/// Returns the same moment, shown in a zone.
pub(super) fn shown_in(stamp: Stamp, zone: &TimeZone) -> Stamp {
    let Ok(moment) = Timestamp::from_microsecond(stamp.unix_us) else { return stamp };
    Stamp { offset_s: zone.to_offset(moment).seconds(), ..stamp }
}

/// Returns the same wall clock, read as one of a zone.
pub(super) fn read_in(stamp: Stamp, zone: &TimeZone) -> Stamp {
    let wall_us = stamp.unix_us.saturating_add(i64::from(stamp.offset_s) * 1_000_000);
    let moment = Timestamp::from_microsecond(wall_us)
        .and_then(|wall| zone.to_ambiguous_timestamp(TimeZone::UTC.to_datetime(wall)).compatible());
    let Ok(moment) = moment else { return stamp };
    Stamp {
        unix_us: moment.as_microsecond(),
        offset_s: zone.to_offset(moment).seconds(),
        quality: match stamp.quality {
            ZoneQuality::Known => ZoneQuality::ZoneGuessed,
            other => other,
        },
    }
}

#[cfg(test)]
mod tests;
