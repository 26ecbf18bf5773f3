//! `/dev/kmsg`: the records of the kernel, with their numbers, times and pairs.
//!
//! In: records, one per read. Out: batches. Holds: the number of the last acknowledged record of this boot, so that a
//! restart neither loses nor repeats any. Limits: [`RECORDS_MAX`] records per batch; records that the kernel's ring
//! lost before they were read are counted as dropped by the kernel.

use super::{Local, origin_of};
use crate::{
    batch_reader::{BatchReader, Completion},
    options::FileSource,
    positions::Positions,
    source::Settings,
};
use message::{Ack, Batch, Origin, Outcome, Span};
use std::{
    fs::{self, File, OpenOptions},
    io::{self, Read},
    os::unix::fs::OpenOptionsExt,
    path::{Path, PathBuf},
    sync::Arc,
    time::Duration,
};
use tokio::io::unix::AsyncFd;
use transport::{stats, sys};
use wire::push_kmsg;

/// Path of the device with the kernel's records.
pub(super) const DEVICE: &str = "/dev/kmsg";
/// The kernel writes no longer records.
const RECORD_BYTES_MAX: usize = 8 << 10;
/// Most records of a batch.
const RECORDS_MAX: usize = 1_000;
/// Pause after an error.
const AGAIN: Duration = Duration::from_secs(10);
/// Name of the stored number.
const POSITION: &str = "kernel record";

/// Returns whether the device can be opened for reading.
pub(crate) fn has_kernel_records() -> bool {
    open(Path::new(DEVICE)).is_ok()
}

/// Reads records until it is stopped.
pub(crate) async fn read_kernel_records(mut here: Local, options: FileSource) {
    let path = PathBuf::from(DEVICE);
    loop {
        let read = match open(&path).and_then(sys::readiness) {
            Ok(device) => read(&mut here, &device, &options).await,
            Err(error) => Err(error),
        };
        match read {
            Ok(()) => return,
            Err(error) => here.log.error(&format!(
                "Error reading the kernel's records, trying again; filename='{DEVICE}', error='{error}'"
            )),
        }
        if !here.pause(AGAIN).await {
            return;
        }
    }
}

fn open(path: &Path) -> io::Result<File> {
    OpenOptions::new().read(true).custom_flags(libc::O_NONBLOCK | libc::O_NOCTTY).open(path)
}

/// Returns the id of this boot, empty when it cannot be read: records are numbered from the start in each.
fn boot() -> String {
    fs::read_to_string("/proc/sys/kernel/random/boot_id").unwrap_or_default().trim().to_owned()
}

/// When the kernel began to count, microseconds since 1970.
fn boot_us(now_us: i64) -> Option<i64> {
    let uptime = fs::read_to_string("/proc/uptime").ok()?;
    let seconds: f64 = uptime.split_whitespace().next()?.parse().ok()?;
    Some(now_us - (seconds * 1e6) as i64)
}

/// Reads until the source is stopped. An error is that of the device.
async fn read(here: &mut Local, device: &AsyncFd<File>, options: &FileSource) -> io::Result<()> {
    let mut batch_reader = here.batch_reader();
    let origin = origin_of(DEVICE.to_owned());
    let boot = boot();
    let boot_us = boot_us(batch_reader.clock().now().unix_us);
    let mut done = stored(&here.positions, &boot);
    if done.is_none() && !options.from_start {
        skip_all(device.get_ref())?;
    }
    loop {
        let ready = async {
            batch_reader.window.wait_for_room().await;
            device.readable().await
        };
        let mut guard = tokio::select! {
            biased;
            _ = here.stop.wait_for(|stop| *stop) => return Ok(()),
            ready = ready => ready?,
        };
        batch_reader.refresh();
        let (records, ends) = take(device.get_ref(), &mut batch_reader)?;
        if ends.len() < RECORDS_MAX {
            guard.clear_ready();
        }
        drop(guard);
        forward(&mut batch_reader, records, &ends, (boot_us, &mut done), &origin, (&here.positions, &boot));
        tokio::task::coop::consume_budget().await;
    }
}

/// The records that are there, and where each ends.
fn take(mut device: &File, batch_reader: &mut BatchReader) -> io::Result<(Vec<u8>, Vec<usize>)> {
    let (mut bytes, mut ends) = (Vec::new(), Vec::new());
    while ends.len() < RECORDS_MAX {
        let start = bytes.len();
        bytes.resize(start + RECORD_BYTES_MAX, 0);
        let read = device.read(&mut bytes[start..]);
        bytes.truncate(start + *read.as_ref().unwrap_or(&0));
        match read {
            Ok(0) => break,
            Ok(_) => ends.push(bytes.len()),
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => break,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            // The ring buffer was overwritten before we read: the next read returns the oldest record left.
            Err(error) if error.raw_os_error() == Some(libc::EPIPE) => {
                stats::add(&batch_reader.settings().counters.kernel_dropped, 1);
            }
            Err(error) => return Err(error),
        }
    }
    Ok((bytes, ends))
}

fn skip_all(mut device: &File) -> io::Result<()> {
    io::Seek::seek(&mut device, io::SeekFrom::End(0)).map(|_| ())
}

/// Forwards the records that were not forwarded before.
fn forward(
    batch_reader: &mut BatchReader,
    records: Vec<u8>,
    ends: &[usize],
    (boot_us, done): (Option<i64>, &mut Option<u64>),
    origin: &impl Fn(&Settings) -> Origin,
    (positions, boot): (&Positions, &str),
) {
    let from = Arc::new(origin(batch_reader.settings()));
    let now = batch_reader.clock().now();
    let mut batch = Batch::new(Arc::new(records), vec![from.clone()], now, Ack::none());
    let mut start = 0;
    for end in ends {
        let span = Span::received(start, end - start);
        start = *end;
        let index = batch.len();
        let number = push_kmsg(&mut batch, span, boot_us, 0);
        if number.is_some_and(|number| done.is_some_and(|done| number <= done)) {
            batch.messages.truncate(index);
            continue;
        }
        if !batch_reader.settings().options.decode.keep_timestamp {
            batch.messages[index].event = now;
        }
        *done = number.or(*done);
    }
    if batch.is_empty() {
        return;
    }
    batch_reader.name(&mut batch, &from);
    let text = done.map(|done| format!("{boot} {done}")).unwrap_or_default();
    let update = PositionUpdate { text, positions: positions.clone() };
    batch_reader.deliver(batch, Some(Box::new(update)));
}

fn stored(positions: &Positions, boot: &str) -> Option<u64> {
    let text = positions.position(POSITION)?;
    let (known, number) = text.split_once(' ')?;
    (known == boot).then(|| number.parse().ok())?
}

/// Saves the number when its batch is done.
struct PositionUpdate {
    text: String,
    positions: Positions,
}

impl Completion for PositionUpdate {
    fn complete(&self, outcome: Outcome) {
        if outcome == Outcome::Done && !self.text.is_empty() {
            self.positions.set(POSITION, self.text.clone());
        }
    }
}

#[cfg(test)]
mod tests;
