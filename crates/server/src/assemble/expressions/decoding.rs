//! Options of decoding shared by sources and `syslog-parser()`.
//!
//! In: options. Out: the same in [`DecodeOptions`]. Holds: nothing.
//! Limits: a zone or pattern that cannot be used is an error with its position.

use crate::assemble::{lowering::Lowering, options::driver::Options};
use config::tree::{MatchType, Name};
use message::{Facility, Priority, Severity};
use std::sync::Arc;
use wire::{DecodeOptions, HostnameTest, ParseFlags};

impl<'t> Lowering<'t> {
    /// Sets the options that do not depend on the origin of a message.
    pub(crate) fn complete_decoding(&mut self, options: &Options<'t>, decode: &mut DecodeOptions) {
        if options.is_yes("check-hostname") {
            decode.flags = decode.flags.with(ParseFlags::CHECK_HOSTNAME);
        }
        decode.default_pri = default_priority(options);
        let zone = options.own("time-zone").or_else(|| self.globals.get("recv-time-zone"));
        decode.zone = self.zone(zone).unwrap_or_else(|| self.environment.zone.clone());
        decode.keep_timestamp = !options.is_no("keep-timestamp");
        decode.bad_hostname = self.bad_hostname();
        decode.sdata_prefix = options.own_text("sdata-prefix").filter(|prefix| prefix != ".SDATA.");
    }

    /// Returns `bad-hostname()`: a pattern of texts that are not host names.
    fn bad_hostname(&mut self) -> Option<HostnameTest> {
        let option = self.globals.get("bad-hostname")?;
        let text = option.texts().into_iter().next()?;
        let name = Name { text, span: option.args.first()?.span() };
        let pattern = self.pattern(&name, MatchType::Pcre, &[])?;
        Some(Arc::new(move |host: &[u8]| pattern.is_match(host)))
    }
}

/// Returns `default-facility()` and `default-severity()`, if one of them is given.
fn default_priority(options: &Options<'_>) -> Option<Priority> {
    let facility = options
        .own_text("default-facility")
        .and_then(|name| Facility::from_name(&name).or_else(|| name.parse().ok().map(Facility)));
    let severity = options
        .own_text("default-severity")
        .and_then(|name| Severity::from_name(&name).or_else(|| name.parse().ok().map(Severity)));
    if facility.is_none() && severity.is_none() {
        return None;
    }
    let facility = facility.unwrap_or(Priority::DEFAULT.facility());
    Some(Priority::new(facility, severity.unwrap_or(Priority::DEFAULT.severity())))
}
