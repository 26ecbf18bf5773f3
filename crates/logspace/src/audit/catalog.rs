//! The catalog against the chain.
//!
//! In: the catalog, the chain. Out: findings: segments that only the catalog still names, numbers that differ, a
//! catalog that is missing or incomplete. Limits: a catalog that lags behind the chain is only a note: the chain is
//! written first, and the server brings the catalog up to date.

use super::report::{AuditReport, Finding, FindingKind};
use crate::files::{
    catalog::{CATALOG_NAME, Catalog, CatalogError, Entry, Tombstone},
    layout::segment_path,
};
use evidence::{Chain, Event};
use journal::OsDisk;
use std::{io, path::Path};

pub(super) fn check(dir: &Path, chain: &Chain, report: &mut AuditReport) -> io::Result<()> {
    let path = Some(dir.join(CATALOG_NAME));
    let catalog = match Catalog::read(&OsDisk, dir) {
        Err(CatalogError::Io(error)) => return Err(error),
        Err(CatalogError::Newer(_)) => {
            let text = "the catalog was written by a newer version: verify with that one";
            report.add(Finding { path, ..Finding::new(FindingKind::Damaged, text) });
            return Ok(());
        }
        Ok(Some(catalog)) => catalog,
        Ok(None) if path.as_ref().is_some_and(|path| path.exists()) => {
            let text = "the catalog is damaged: the server makes it again when it starts";
            report.add(Finding { path, ..Finding::new(FindingKind::Damaged, text) });
            return Ok(());
        }
        // The first record is written a moment before the catalog.
        Ok(None) if chain.records().len() <= 1 => return Ok(()),
        Ok(None) => {
            let text = "the catalog is missing: the server makes it again when it starts";
            report.add(Finding { path, ..Finding::new(FindingKind::Missing, text) });
            return Ok(());
        }
    };
    catalog.segments.iter().for_each(|entry| check_segment(dir, chain, entry, report));
    catalog.tombstones.iter().for_each(|stone| check_removal(chain, stone, report));
    for record in chain.firsts().into_iter().filter_map(|first| chain.current(first)) {
        if !catalog.segments.iter().any(|entry| entry.first == record.segment.first) {
            let text = "the catalog does not have the segment yet: the server adds it when it starts";
            let messages = Some(record.segment.first..record.end());
            report.add(Finding { messages, ..Finding::new(FindingKind::Note, text) });
        }
    }
    Ok(())
}

/// Checks a segment that the catalog names.
fn check_segment(dir: &Path, chain: &Chain, entry: &Entry, report: &mut AuditReport) {
    let (kind, text) = match chain.last_contents(entry.first) {
        None => (
            FindingKind::Missing,
            "the catalog names a segment that the chain does not know: records are gone",
        ),
        Some(record) if matches!(record.event, Event::Removal(_)) => {
            (FindingKind::Note, "the catalog still names a segment that the chain says was removed")
        }
        Some(record) => {
            let facts = &record.segment;
            let (first_us, last_us) = facts.received_us;
            let is_same = (facts.count, first_us, last_us) == (entry.count, entry.first_us, entry.last_us)
                && segment_path(first_us, facts.first) == entry.path;
            if is_same {
                return;
            }
            (FindingKind::Chain, "the catalog says something else of a segment than the chain")
        }
    };
    let (path, messages) = (Some(dir.join(&entry.path)), Some(entry.first..entry.end()));
    report.add(Finding { path, messages, ..Finding::new(kind, text) });
}

/// Checks a removal that the catalog remembers.
fn check_removal(chain: &Chain, stone: &Tombstone, report: &mut AuditReport) {
    let text = match chain.last_contents(stone.entry.first).map(|record| &record.event) {
        Some(Event::Removal(_)) if stone.entry.end() <= chain.end() => return,
        Some(Event::Removal(_)) => "the catalog says that more was removed than the chain knows of",
        Some(_) => "the catalog says that a segment was removed, and the chain does not",
        None => "the catalog says that a segment was removed that the chain does not know: records are gone",
    };
    let messages = Some(stone.entry.first..stone.entry.end());
    report.add(Finding { messages, ..Finding::new(FindingKind::Missing, text) });
}
