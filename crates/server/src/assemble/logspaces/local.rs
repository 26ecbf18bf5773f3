//! Logspaces that are written to.
//!
//! In: `logspace()` and `logstore()` of a destination. Out: [`LogspaceSpec`]s, and [`FamilySpec`]s of names with macros.
//! Holds: nothing.
//! Limits: a name that cannot be that of a folder is an error, and so is one that is defined twice.

use super::names::{beside, folder_name, is_logspace_name, name_of_path};
use crate::assemble::{
    lowering::Lowering,
    options::driver::Options,
    parts::logspace::{FamilySpec, LogspaceSpec, SealingSpec},
};
use config::{
    Diagnostic, Span,
    tree::{Arg, Call, Name},
};
use std::{path::PathBuf, sync::Arc, time::Duration};

/// Logspaces that a name with macros may become, unless the configuration says another number.
const LOGSPACES_MAX: usize = 250;
/// Time without a message after which such a logspace seals what it has in memory.
const IDLE_AFTER: Duration = Duration::from_secs(3600);
/// Memory of the segment that such a logspace builds, in bytes: there may be hundreds of them.
const FAMILY_SEGMENT_MEMORY: u64 = 32 << 20;

impl<'t> Lowering<'t> {
    /// Adds the logspace that the options describe, or those of a name with macros. Returns false after an error,
    /// which is in the report.
    pub(crate) fn add_logspace(&mut self, id: &str, options: &Options<'t>) -> bool {
        let Some(written) = options.plain() else { return false };
        let span = options.call.plain().next().map_or(options.call.span, Arg::span);
        let is_store = options.call.key() == "logstore";
        let name = if is_store { name_of_path(&written) } else { written.clone() };
        if let Some(after) = options.own("archive-after").filter(|_| options.own("archive-to").is_none()) {
            let message = "archive-after() needs archive-to(): the directory of the archive";
            self.report.push(Diagnostic::error(after.span, message));
            return false;
        }
        if name.contains('$') {
            return self.add_family(id, options, Name { text: name, span });
        }
        let name = if is_store { folder_name(name.as_bytes()) } else { name };
        if !is_logspace_name(&name) {
            let message = format!("`{name}` cannot be the name of a logspace");
            let help = "up to 64 letters, digits and -_. that do not start with a dot";
            self.report.push(Diagnostic::error(span, message).help(help));
            return false;
        }
        if is_store {
            self.report.push(Diagnostic::warning(span, format!("this is the logspace `{name}`")).help(STORE));
        }
        if !self.is_new(&name, span) {
            return false;
        }
        self.logspaces.push(logspace(id, name, options));
        true
    }

    /// Adds the logspaces of a name with macros.
    fn add_family(&mut self, id: &str, options: &Options<'t>, name: Name) -> bool {
        let Some(template) = self.template(&name).map(Arc::new) else { return false };
        let text = name.text.clone();
        if options.call.key() == "logstore" {
            let message = format!("these are the logspaces `{text}`");
            self.report.push(Diagnostic::warning(name.span, message).help(STORE));
        }
        self.warn_of_days(&name);
        let given =
            |option: &str, word: &str| options.own_text(option).unwrap_or_else(|| beside(&text, word));
        let (overflow, combined) = (given("overflow", "overflow"), given("combined", "all"));
        for special in [&overflow, &combined] {
            if !is_logspace_name(special) {
                let message = format!("`{special}` cannot be the name of a logspace");
                self.report.push(Diagnostic::error(name.span, message));
                return false;
            }
        }
        if overflow == combined {
            let message = format!("overflow() and combined() are both `{overflow}`");
            self.report.push(Diagnostic::error(name.span, message));
            return false;
        }
        if ![&text, &overflow, &combined].into_iter().all(|name_of| self.is_new(name_of, name.span)) {
            return false;
        }
        let idle = options.seconds_or_never("time-reap", Some(IDLE_AFTER));
        let idle_after = if options.own("time-reap").is_some() { idle } else { Some(IDLE_AFTER) };
        let max = options.own("logspaces-max").and_then(Call::number);
        let base = logspace(id, text, options);
        let segment_memory = base.segment_memory.or(Some(FAMILY_SEGMENT_MEMORY));
        let family = FamilySpec {
            base: LogspaceSpec { segment_memory, ..base },
            names: self.name_renderer(template, options),
            overflow,
            combined,
            logspaces_max: max.and_then(|max| usize::try_from(max).ok()).unwrap_or(LOGSPACES_MAX),
            idle_after,
        };
        self.families.push(family);
        true
    }

    /// Returns true if no other logspace has the name; otherwise reports an error.
    fn is_new(&mut self, name: &str, span: Span) -> bool {
        let is_special = |family: &FamilySpec| {
            [&family.base.name, &family.overflow, &family.combined].into_iter().any(|known| known == name)
        };
        let is_known =
            self.logspaces.iter().any(|other| other.name == name) || self.families.iter().any(is_special);
        if is_known {
            let message =
                format!("logspace `{name}` is written in two places; use one destination in both paths");
            self.report.push(Diagnostic::error(span, message));
        }
        !is_known
    }

    /// Warns of a name that becomes another one each day: it would use up the number of logspaces.
    fn warn_of_days(&mut self, name: &Name) {
        const DAYS: [&str; 9] =
            ["YEAR", "MONTH", "DAY", "DATE", "WEEK", "HOUR", "ISODATE", "UNIXTIME", "FULLDATE"];
        let words = name.text.split(|letter: char| !letter.is_ascii_alphanumeric());
        let mut words = words.map(|word| word.trim_start_matches("S_").trim_start_matches("R_"));
        if let Some(word) = words.find(|word| DAYS.contains(word)) {
            let message = format!("${word} makes another logspace each time it changes");
            let help =
                "a logspace keeps its days apart and removes them by retention-age(): leave the macro out";
            self.report.push(Diagnostic::warning(name.span, message).help(help));
        }
    }
}

/// The help of the warning that names the logspace of a logstore.
const STORE: &str = "below the data folder; `duramen logspace` and the page read it, lgstool does not";

/// Returns the logspace that the options describe.
fn logspace(id: &str, name: String, options: &Options<'_>) -> LogspaceSpec {
    let positive =
        |name: &str| options.own(name).and_then(|option| option.number()).filter(|number| *number > 0);
    let age = options.own("retention-age").and_then(Call::age_s).filter(|age| *age > 0);
    let bytes = positive("retention-size").map(|bytes| bytes as u64);
    LogspaceSpec {
        id: id.to_owned(),
        name,
        retention_age: age.map(Duration::from_secs),
        retention_bytes: bytes,
        legal_hold: options.is_yes("legal-hold"),
        clock_wait: options.own("clock-jump-wait").and_then(Call::age_s).map(Duration::from_secs),
        segment_memory: positive("segment-memory").map(|bytes| bytes as u64),
        sealing: sealing(options),
    }
}

/// Returns the options of sealing.
fn sealing(options: &Options<'_>) -> SealingSpec {
    let path = |name: &str| options.own_text(name).filter(|text| !text.is_empty()).map(PathBuf::from);
    let seconds = options.own("timestamp-freq").and_then(Call::number).unwrap_or(0);
    SealingSpec {
        recipients: options.all("encrypt-certificate").flat_map(Call::texts).collect(),
        decrypt_key: path("decrypt-key"),
        sign_key: path("sign-key"),
        timestamp_url: options.own_text("timestamp-url").filter(|text| !text.is_empty()),
        timestamp_gap: Duration::from_secs(u64::try_from(seconds).unwrap_or(0)),
        recode: !options.is_no("recode"),
        recode_after: options.own("recode-after").and_then(Call::age_s).map(Duration::from_secs),
        archive_to: path("archive-to"),
        archive_after: options
            .own("archive-after")
            .and_then(Call::age_s)
            .filter(|age| *age > 0)
            .map(Duration::from_secs),
        age_after: options
            .own("age-after")
            .and_then(Call::age_s)
            .filter(|age| *age > 0)
            .map(Duration::from_secs),
        scrub_bytes_a_second: options
            .own("scrub-rate")
            .and_then(Call::number)
            .and_then(|number| u64::try_from(number).ok()),
    }
}
