//! The results at the end of a run.
//!
//! In: counts and time. Out: the summary line that scripts read.

use super::sender::Progress;
use std::time::Duration;

/// Formats the summary of a run.
pub(super) fn line(progress: &Progress, elapsed: Duration) -> String {
    let (count, bytes, seconds) = (progress.messages(), progress.bytes(), elapsed.as_secs_f64().max(1e-6));
    let size = bytes.checked_div(count).unwrap_or(0);
    format!(
        "average rate = {rate:.2} msg/sec, avg_rate={rate:.2} msg/s, count={count}, time={seconds:.3}, \
         avg_msg_size={size}, bandwidth={:.2} KiB/s",
        bytes as f64 / 1024.0 / seconds,
        rate = count as f64 / seconds,
    )
}

/// Prints one line of CSV for the whole run.
pub(super) fn csv(progress: &Progress, elapsed: Duration) {
    let seconds = elapsed.as_secs_f64().max(1e-6);
    let count = progress.messages();
    outln!("all;{seconds:.3};{:.2};{count}", count as f64 / seconds);
}
