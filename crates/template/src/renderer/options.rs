//! Options of templates: how times, tags and values that do not fit are printed.
//!
//! In: the options of a configuration. Out: the same, as types. Holds nothing. Limits: none.

use super::tags::TagOrder;
use jiff::tz::TimeZone;
use wire::StampFormat;

/// The treatment of values that cannot be cast to their type hint: `on-error()`.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum OnError {
    /// The whole output is dropped.
    #[default]
    DropMessage,
    /// The one value is left out.
    DropProperty,
    /// The value stays, as a string.
    FallbackToString,
}

impl OnError {
    /// Returns the behaviour of a name in `on-error()`, `silently-` included.
    pub fn from_name(name: &str) -> Option<OnError> {
        let name = name.replace('_', "-");
        Some(match name.strip_prefix("silently-").unwrap_or(&name) {
            "drop-message" => OnError::DropMessage,
            "drop-property" => OnError::DropProperty,
            "fallback-to-string" => OnError::FallbackToString,
            _ => return None,
        })
    }
}

/// Options of templates: global ones or a destination's own.
#[derive(Clone, Debug)]
pub struct RenderOptions {
    /// `time-zone()`: shows the sender's time in this zone and not in the message's own.
    pub zone: Option<TimeZone>,
    /// `frac-digits()`.
    pub fraction_digits: u8,
    /// `ts-format()`.
    pub stamp_format: StampFormat,
    /// `on-error()`.
    pub on_error: OnError,
    /// The order of `$TAGS`.
    pub tags: TagOrder,
}

impl Default for RenderOptions {
    fn default() -> Self {
        RenderOptions {
            zone: None,
            fraction_digits: 0,
            stamp_format: StampFormat::Bsd,
            on_error: OnError::default(),
            tags: TagOrder::default(),
        }
    }
}
