//! Options of decoding that sources and `syslog-parser()` have in common.
//!
//! In: options. Out: the default priority, the test for texts that are not host names. Holds: nothing.

use crate::assemble::{lowering::Lowering, options::driver::Options};
use config::tree::{MatchType, Name};
use message::{Facility, Priority, Severity};
use std::sync::Arc;

impl Lowering<'_> {
    /// Returns `bad-hostname()`: a pattern of texts that are not host names.
    pub(crate) fn bad_hostname(&mut self) -> Option<wire::HostnameTest> {
        let option = self.globals.get("bad-hostname")?;
        let text = option.texts().into_iter().next()?;
        let name = Name { text, span: option.args.first()?.span() };
        let pattern = self.pattern(&name, MatchType::Pcre, &[])?;
        Some(Arc::new(move |host: &[u8]| pattern.is_match(host)))
    }
}

pub(crate) fn default_priority(options: &Options<'_>) -> Option<Priority> {
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
