//! `batch-lines()`, `batch-bytes()`, `batch-timeout()`, `workers()` and `retries()` of a driver.
//!
//! In: its options. Out: how its receiver gathers messages, and how long it tries them. Holds: nothing.
//! Limits: a number that this machine cannot count counts as not given.

use crate::assemble::options::driver::Options;
use config::tree::Call;
use delivery::Batches;
use std::time::Duration;

/// Returns how messages are gathered; `lines` and `bytes` are the defaults of the driver.
pub(crate) fn batches(options: &Options<'_>, lines: usize, bytes: usize) -> Batches {
    let number = |name: &str| options.own(name).and_then(Call::number);
    let size =
        |name: &str, default| number(name).and_then(|size| usize::try_from(size).ok()).unwrap_or(default);
    let wait = number("batch-timeout").filter(|ms| *ms > 0);
    Batches {
        lines: size("batch-lines", lines).max(1),
        bytes: size("batch-bytes", bytes),
        wait: wait.map(|ms| Duration::from_millis(ms.unsigned_abs())),
        workers: size("workers", 1).max(1),
        retries: number("retries").and_then(|count| u32::try_from(count).ok()),
    }
}
