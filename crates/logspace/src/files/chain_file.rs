//! The file of the chain of evidence.
//!
//! In: records, appended and synced one by one. Out: the chain. A torn end, as a power cut leaves it, is cut off
//! when the logspace is opened: the lost record is made again from its segment.
//! Holds: nothing. Limits: a record that could not be synced does not count; it is written again as a whole.

use evidence::{Chain, ChainDamage, Record};
use journal::Disk;
use std::{io, path::Path};

/// Name of the folder of a logspace that holds its evidence: the chain, public keys, time-stamps.
pub const EVIDENCE_DIR: &str = "evidence";
/// Name of the chain in it.
pub(crate) const CHAIN_NAME: &str = "chain";

/// Reads the chain of the logspace in a directory; an empty one when there is none. Fails when the file cannot be
/// read; bytes that are no record are not an error: the returned chain lists them.
pub fn read_chain(disk: &dyn Disk, dir: &Path) -> io::Result<Chain> {
    let file = match disk.open(&dir.join(EVIDENCE_DIR).join(CHAIN_NAME)) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Chain::default()),
        opened => opened?,
    };
    let mut bytes = vec![0; file.len()? as usize];
    let count = file.read_at(0, &mut bytes)?;
    bytes.truncate(count);
    Ok(Chain::parse(&bytes))
}

/// Cuts off a torn end, durably; returns what was cut.
pub(crate) fn mend_chain(chain: &mut Chain, disk: &dyn Disk, dir: &Path) -> io::Result<Option<ChainDamage>> {
    if chain.torn_bytes() > 0 {
        let file = disk.open(&dir.join(EVIDENCE_DIR).join(CHAIN_NAME))?;
        file.set_len(chain.length())?;
        file.sync()?;
    }
    Ok(chain.cut_torn())
}

/// Appends a record, durably. After an error nothing was appended.
pub(crate) fn append_record(
    chain: &mut Chain,
    disk: &dyn Disk,
    dir: &Path,
    record: Record,
) -> io::Result<()> {
    assert!(chain.torn_bytes() == 0, "a torn end is cut off first");
    assert!(record.number >= chain.next_number(), "records are numbered upwards");
    let folder = dir.join(EVIDENCE_DIR);
    let path = folder.join(CHAIN_NAME);
    let (file, is_new) = match disk.open(&path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => (disk.create(&path)?, true),
        opened => (opened?, false),
    };
    let written = file.write_at(chain.length(), record.print().as_bytes()).and_then(|()| file.sync());
    if let Err(error) = written {
        // Pages left by a failed sync are never trusted: the record is written again as a whole.
        let _ = file.set_len(chain.length());
        return Err(error);
    }
    if is_new {
        disk.sync_dir(&folder)?;
        disk.sync_dir(dir)?;
    }
    chain.appended(record);
    Ok(())
}

/// Name of the file with a record's time-stamp.
pub(crate) fn stamp_name(record: &Record) -> String {
    format!("stamp-{}.tsr", record.number)
}
