//! The time-stamps of a package.
//!
//! In: its `stamp-*.tsr`, the chain, certificates to believe. Out: what each proves; faults. Limits: without certificates any
//! authority is believed.

use crate::{
    chain::Chain,
    record::Record,
    stamp::{Stamp, StampRoots},
};
use std::{collections::BTreeSet, fs, io, path::Path};

/// Most that the server's clock may be ahead of the authority's, because networks and small corrections take time.
const SLACK_US: i64 = 60_000_000;

/// A time-stamp that holds.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PackageStamp {
    /// Number of the record that it is for.
    pub record: u64,
    /// When, microseconds since 1970, by the authority's clock.
    pub at_us: i64,
}

/// Time-stamps that hold, and faults.
pub(super) fn check(
    folder: &Path,
    names: &BTreeSet<String>,
    chain: &Chain,
    roots: Option<&StampRoots>,
) -> io::Result<(Vec<PackageStamp>, Vec<String>)> {
    let (mut stamps, mut faults) = (Vec::new(), Vec::new());
    for name in names.iter().filter(|name| name.ends_with(".tsr")) {
        let number = name.strip_prefix("stamp-").and_then(|name| name.strip_suffix(".tsr"));
        let number = number.and_then(|number| number.parse::<u64>().ok());
        let record = number.and_then(|number| chain.records().iter().find(|record| record.number == number));
        let Some(record) = record else {
            faults.push(format!("{name} is for no record of the chain"));
            continue;
        };
        match Stamp::read_under(&fs::read(folder.join(name))?, roots) {
            Err(error) => faults.push(format!("{name}: {error}")),
            Ok(stamp) => match fault_of(name, &stamp, record) {
                Some(fault) => faults.push(fault),
                None => stamps.push(PackageStamp { record: record.number, at_us: stamp.at_us }),
            },
        }
    }
    stamps.sort_by_key(|stamp| stamp.record);
    Ok((stamps, faults))
}

/// Returns what is wrong with a time-stamp as one of a record.
fn fault_of(name: &str, stamp: &Stamp, record: &Record) -> Option<String> {
    if stamp.digest != record.digest() {
        return Some(format!("{name} is for something else"));
    }
    let younger_us = record.at_us.saturating_sub(stamp.at_us);
    let (number, seconds) = (record.number, younger_us / 1_000_000);
    (younger_us > SLACK_US).then(|| format!("record {number} says it is {seconds} s younger than {name}"))
}

#[cfg(test)]
mod tests;
