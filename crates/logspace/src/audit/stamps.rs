//! Time-stamps against the chain and its clock.
//!
//! In: the answers of the time-stamping authority beside the chain, trusted certificates. Out: findings. Limits:
//! without certificates any authority is trusted.

use super::report::{AuditReport, Finding, FindingKind};
use crate::files::chain_file::{EVIDENCE_DIR, stamp_name};
use evidence::{Chain, Stamp, StampRoots};
use std::{fs, io, path::Path};

/// How far the server's clock may be ahead of the authority's: networks and small corrections take time.
const SLACK_US: i64 = 60_000_000;

pub(super) fn check(
    dir: &Path,
    chain: &Chain,
    roots: Option<&StampRoots>,
    report: &mut AuditReport,
) -> io::Result<()> {
    // The latest time that an authority has certified so far.
    let mut seen_us = i64::MIN;
    for record in chain.records() {
        let mut add = |kind, text: String| report.add(Finding::new(kind, text));
        if record.at_us + SLACK_US < seen_us {
            let back = (seen_us - record.at_us) / 1_000_000;
            let text = format!(
                "record {} says it is {back} s older than a time-stamp of a record before it",
                record.number
            );
            add(FindingKind::Clock, text);
        }
        let path = dir.join(EVIDENCE_DIR).join(stamp_name(record));
        let answer = match fs::read(&path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
            read => read?,
        };
        match Stamp::read_under(&answer, roots) {
            Err(error) => add(FindingKind::Signature, format!("stamp of record {}: {error}", record.number)),
            Ok(stamp) if stamp.digest != record.digest() => {
                add(
                    FindingKind::Signature,
                    format!("the time-stamp of record {} is for something else", record.number),
                );
            }
            Ok(stamp) => {
                if record.at_us > stamp.at_us + SLACK_US {
                    let ahead = (record.at_us - stamp.at_us) / 1_000_000;
                    let text =
                        format!("record {} says it is {ahead} s younger than its time-stamp", record.number);
                    add(FindingKind::Clock, text);
                }
                seen_us = seen_us.max(stamp.at_us);
                report.stamps += 1;
            }
        }
    }
    Ok(())
}
