//! `s3()` as a source.
//!
//! In: its options. Out: an [`S3Source`]. Holds: nothing.
//! Limits: a prefix that no name of an object has is an error.

use crate::assemble::{
    destinations::brokers::endpoint::{answer_within, machine_tls},
    lowering::Lowering,
    options::driver::Options,
    sources::brokers::mqtt::reopen_after,
};
use config::Diagnostic;
use inputs::{OldObjects, S3Source};
use services::S3Bucket;
use std::time::Duration;

/// `follow-freq()` unless it is set.
const FOLLOW_EVERY: Duration = Duration::from_secs(60);
/// Longest wait for an answer.
const ANSWER_WITHIN: Duration = Duration::from_secs(60);
/// Longest name of an object.
const KEY_BYTES_MAX: usize = 1024;

impl<'t> Lowering<'t> {
    /// Makes the source that the options describe. `None` after an error, which is in the report.
    pub(crate) fn s3_source(&mut self, options: &Options<'t>) -> Option<S3Source> {
        let login = self.s3_login(options)?;
        let (address, name, region) = self.s3_address(options)?;
        let prefix = options.own_text("prefix").unwrap_or_default();
        if let Some(option) = options.own("prefix").filter(|_| prefix.len() > KEY_BYTES_MAX) {
            let message = "`prefix()` is longer than the name of an object can be";
            self.report.push(Diagnostic::error(option.span, message));
            return None;
        }
        Some(S3Source {
            bucket: S3Bucket {
                address,
                region,
                login,
                timeout: answer_within(options, ANSWER_WITHIN),
                tls: self.encryption(options, "")?.unwrap_or_else(machine_tls),
            },
            name,
            prefix,
            follow_every: options
                .own("follow-freq")
                .and_then(|_| options.seconds("follow-freq"))
                .unwrap_or(FOLLOW_EVERY),
            full_list_every: options.seconds("full-list-freq").unwrap_or_default(),
            workers: options.count("workers", 1),
            old: if options.is_no("read-old-records") { OldObjects::Skipped } else { OldObjects::Read },
            reopen_after: reopen_after(options),
            persist_name: options.own_text("persist-name").filter(|name| !name.is_empty()),
        })
    }
}
