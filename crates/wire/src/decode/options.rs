//! The settings of a source for its messages.
//!
//! In: the options of a source statement. Out: the same, typed. Holds: them. Limits: none.

use super::ParseFlags;
use jiff::tz::TimeZone;
use message::Priority;
use std::sync::Arc;

/// Returns true when a host name is bad (`bad-hostname()`): then it is read as the program.
pub type HostnameTest = Arc<dyn Fn(&[u8]) -> bool + Send + Sync>;

/// Options of one source or `syslog-parser()`.
#[derive(Clone)]
pub struct DecodeOptions {
    /// `flags()`.
    pub flags: ParseFlags,
    /// `default-facility()` and `default-severity()`, for messages without a usable PRI.
    pub default_pri: Option<Priority>,
    /// `time-zone()`, else the local zone: for times without one.
    pub zone: TimeZone,
    /// `keep-timestamp()`: when false, the received time is the message's time.
    pub keep_timestamp: bool,
    /// `bad-hostname()`.
    pub bad_hostname: Option<HostnameTest>,
    /// `sdata-prefix()`: structured data become values under this prefix.
    pub sdata_prefix: Option<String>,
}

impl Default for DecodeOptions {
    fn default() -> DecodeOptions {
        DecodeOptions {
            flags: ParseFlags::default(),
            default_pri: None,
            zone: TimeZone::UTC,
            keep_timestamp: true,
            bad_hostname: None,
            sdata_prefix: None,
        }
    }
}

impl std::fmt::Debug for DecodeOptions {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("DecodeOptions")
            .field("flags", &self.flags)
            .field("default_pri", &self.default_pri)
            .field("zone", &self.zone)
            .field("keep_timestamp", &self.keep_timestamp)
            .field("bad_hostname", &self.bad_hostname.is_some())
            .field("sdata_prefix", &self.sdata_prefix)
            .finish()
    }
}
