//! Logspaces that are written to.
//!
//! In: `logspace()` of a destination. Out: [`LogspaceSpec`]s. Holds: nothing.
//! Limits: a name that cannot be that of a folder is an error, and so is one that is defined twice.

use crate::assemble::{
    lowering::Lowering,
    options::driver::Options,
    parts::logspace::{LogspaceSpec, SealingSpec},
};
use config::{
    Diagnostic,
    tree::{Arg, Call},
};
use std::{path::PathBuf, time::Duration};

impl<'t> Lowering<'t> {
    /// Makes the logspace that the options describe. None after an error, which is in the report.
    pub(crate) fn logspace(&mut self, id: &str, options: &Options<'t>) -> Option<LogspaceSpec> {
        let name = options.plain()?;
        let span = options.call.plain().next().map_or(options.call.span, Arg::span);
        if !is_logspace_name(&name) {
            let message = format!("`{name}` cannot be the name of a logspace");
            let help = "up to 64 letters, digits and -_. that do not start with a dot";
            self.report.push(Diagnostic::error(span, message).help(help));
            return None;
        }
        if self.logspaces.iter().any(|other| other.name == name) {
            let message =
                format!("logspace `{name}` is written in two places; use one destination in both paths");
            self.report.push(Diagnostic::error(span, message));
            return None;
        }
        if let Some(after) = options.own("archive-after").filter(|_| options.own("archive-to").is_none()) {
            let message = "archive-after() needs archive-to(): the directory of the archive";
            self.report.push(Diagnostic::error(after.span, message));
            return None;
        }
        let positive =
            |name: &str| options.own(name).and_then(|option| option.number()).filter(|number| *number > 0);
        let age = options.own("retention-age").and_then(Call::age_s).filter(|age| *age > 0);
        let bytes = positive("retention-size").map(|bytes| bytes as u64);
        Some(LogspaceSpec {
            id: id.to_owned(),
            name,
            retention_age: age.map(Duration::from_secs),
            retention_bytes: bytes,
            legal_hold: options.is_yes("legal-hold"),
            clock_wait: options.own("clock-jump-wait").and_then(Call::age_s).map(Duration::from_secs),
            segment_memory: positive("segment-memory").map(|bytes| bytes as u64),
            sealing: sealing(options),
        })
    }
}

/// Returns true if the name is allowed for a logspace: it becomes the name of a folder.
pub(crate) fn is_logspace_name(name: &str) -> bool {
    let is_safe = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.');
    !name.is_empty() && !name.starts_with('.') && name.len() <= 64 && name.bytes().all(is_safe)
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
