//! Warms up the machine's memory.
//!
//! In: an amount. Out: pages that are backed by real memory. A virtual machine gets memory from its host at
//! the first access, which costs more than copying to it; the first subject would pay for all that run after
//! it.

use rustix::fs::{MemfdFlags, memfd_create};
use std::{
    fs::{self, File},
    io::{self, Write},
};

/// Share of the free memory that is touched.
const SHARE: f64 = 0.6;
/// Most that is touched: the files are smaller.
pub(crate) const MOST_BYTES: u64 = 12 << 30;
const PIECE: usize = 4 << 20;

/// Touches free memory, and returns it to the system.
pub(crate) fn memory(bytes: u64) -> io::Result<()> {
    let mut file = File::from(memfd_create("warm", MemfdFlags::CLOEXEC)?);
    let piece = vec![1; PIECE];
    let wanted = ((available()? as f64 * SHARE) as u64).min(MOST_BYTES).min(bytes);
    for _ in 0..wanted / PIECE as u64 {
        file.write_all(&piece)?;
    }
    Ok(())
}

/// Bytes that are available without swapping.
fn available() -> io::Result<u64> {
    let text = fs::read_to_string("/proc/meminfo")?;
    let line = text.lines().find_map(|line| line.strip_prefix("MemAvailable:"));
    let kib = line.and_then(|line| line.split_whitespace().next()).and_then(|word| word.parse::<u64>().ok());
    kib.map(|kib| kib << 10).ok_or_else(|| io::Error::other("/proc/meminfo does not tell what is free"))
}
