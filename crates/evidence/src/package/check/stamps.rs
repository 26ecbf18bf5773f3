//! The time-stamps of a package.
//!
//! In: its `stamp-*.tsr`, the chain, certificates to believe. Out: what each proves; faults. Limits: without certificates any
//! authority is believed.

use crate::{
    chain::Chain,
    stamp::{Stamp, StampRoots},
};
use std::{collections::BTreeSet, fs, io, path::Path};

/// How far the server's clock may be ahead of the authority's: networks and small corrections take time.
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
            Ok(stamp) if stamp.digest != record.digest() => {
                faults.push(format!("{name} is for something else"))
            }
            Ok(stamp) if record.at_us > stamp.at_us + SLACK_US => {
                let ahead = (record.at_us - stamp.at_us) / 1_000_000;
                faults.push(format!("record {} says it is {ahead} s younger than {name}", record.number));
            }
            Ok(stamp) => stamps.push(PackageStamp { record: record.number, at_us: stamp.at_us }),
        }
    }
    stamps.sort_by_key(|stamp| stamp.record);
    Ok((stamps, faults))
}
