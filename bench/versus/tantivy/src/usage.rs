//! The cost of this process so far.
//!
//! In: /proc. Out: CPU seconds of all threads, peak memory.

use std::{fs, io, path::Path};

/// Clock ticks a second in /proc: the same on every Linux.
const TICKS: f64 = 100.0;

/// CPU seconds, user and system.
pub(crate) fn cpu_s() -> io::Result<f64> {
    let text = fs::read_to_string("/proc/self/stat")?;
    let after = text.rsplit(')').next().unwrap_or_default();
    let ticks = after.split_whitespace().skip(11).take(2).filter_map(|word| word.parse::<f64>().ok());
    Ok(ticks.sum::<f64>() / TICKS)
}

/// Peak resident memory, MiB.
pub(crate) fn memory_mib() -> io::Result<f64> {
    let text = fs::read_to_string("/proc/self/status")?;
    let line = text.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let kib = line.and_then(|line| line.split_whitespace().next()).and_then(|word| word.parse::<f64>().ok());
    Ok(kib.unwrap_or_default() / 1024.0)
}

/// Bytes of the files of a folder.
pub(crate) fn bytes(folder: &Path) -> io::Result<u64> {
    fs::read_dir(folder)?.map(|entry| Ok(entry?.metadata()?.len())).sum()
}
