//! The queue before a destination.
//!
//! In: options of a driver. Out: settings of its queue and its marks. Holds: nothing.

use crate::assemble::options::{driver::Options, globals::MARK_EVERY};
use config::tree::Call;
use delivery::{DestinationDriver, MarkMode, Marks, OverflowPolicy, Queueing, Victim};

/// Bytes that are gathered before a write to files whose names have macros: all of them share these.
const MANY_FILES_BYTES: usize = 4 << 20;

/// Approximate bytes of a row; and the number of full requests that are gathered per connection before they are sent.
const ROW_BYTES: usize = 256;
const REQUESTS_GATHERED: usize = 8;
const RECEIVER_BYTES_MIN: usize = 256 << 10;

/// Returns the number of bytes that are gathered before a write.
pub(crate) fn gathered_bytes(driver: &DestinationDriver) -> usize {
    match driver {
        DestinationDriver::Receiver(receiver) => {
            let rows = receiver.limits().rows.saturating_mul(receiver.workers());
            rows.saturating_mul(REQUESTS_GATHERED * ROW_BYTES).clamp(RECEIVER_BYTES_MIN, MANY_FILES_BYTES)
        }
        DestinationDriver::File(target) if target.name.constant().is_none() => MANY_FILES_BYTES,
        _ => Queueing::default().batch_bytes,
    }
}

/// Returns the settings of the queue in memory.
pub(crate) fn queueing(options: &Options<'_>) -> Queueing {
    let defaults = Queueing::default();
    Queueing {
        messages_max: options.count("log-fifo-size", defaults.messages_max),
        reopen_after: options.seconds("time-reopen").unwrap_or(defaults.reopen_after),
        throttle: u32::try_from(options.count("throttle", 0)).unwrap_or(0),
        on_full: on_full(options),
        suppress: options.seconds("suppress"),
        marks: marks(options),
        ..defaults
    }
}

/// Parses `on-full()`.
pub(crate) fn on_full(options: &Options<'_>) -> OverflowPolicy {
    let word = options.own_text("on-full").map(|word| word.replace('_', "-").to_ascii_lowercase());
    match word.as_deref() {
        Some("hold") => OverflowPolicy::Hold,
        Some("drop-newest") => OverflowPolicy::Drop(Victim::Newest),
        Some("drop-oldest") => OverflowPolicy::Drop(Victim::Oldest),
        Some("drop-lowest-severity") => OverflowPolicy::Drop(Victim::LeastSevere),
        _ => OverflowPolicy::ByPath,
    }
}

/// Parses `mark-mode()` and `mark-freq()`. Receivers of syslog get marks by the global options, others only
/// on request.
fn marks(options: &Options<'_>) -> Option<Marks> {
    let is_syslog = matches!(
        options.call.key().as_str(),
        "network" | "syslog" | "tcp" | "udp" | "tcp6" | "udp6" | "unix-stream" | "unix-dgram"
    );
    let word = |call: Option<&Call>| {
        call.and_then(Call::text).map(|word| word.replace('_', "-").to_ascii_lowercase())
    };
    let own = word(options.own("mark-mode"));
    let mode = match own.unwrap_or_else(|| if is_syslog { "global" } else { "none" }.to_owned()).as_str() {
        "global" => word(options.globals.get("mark-mode")).unwrap_or_else(|| "host-idle".to_owned()),
        mode => mode.to_owned(),
    };
    let mode = match mode.as_str() {
        "periodical" => MarkMode::Periodical,
        "dst-idle" => MarkMode::DestinationIdle,
        "host-idle" => MarkMode::HostIdle,
        _ => return None,
    };
    let every = options.seconds_or_never("mark-freq", Some(MARK_EVERY))?;
    Some(Marks { mode, every })
}
