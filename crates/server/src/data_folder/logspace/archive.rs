//! `duramen logspace archive`, `restore`, `attach` and `detach`: commands for a running server, over its
//! control socket.
//!
//! In: a logspace's name, an age, a time range. Out: the number and size of moved segments. The directory is in the
//! configuration.

use super::{
    error::VerbError,
    unlock::{Server, send},
};
use clap::Args;

/// Seconds of a day.
const DAY_S: u64 = 86_400;

/// Options of `archive`.
#[derive(Args, Debug)]
pub(super) struct ArchiveOptions {
    /// Name of the logspace
    logspace: String,
    /// Only segments whose newest message is at least this many days old
    #[arg(long, value_name = "DAYS", default_value_t = 0)]
    older_than: u64,
    #[command(flatten)]
    server: Server,
}

/// Options of `restore`.
#[derive(Args, Debug)]
pub(super) struct RestoreOptions {
    /// Name of the logspace
    logspace: String,
    /// Start of the time range of received messages: ISO 8601, seconds since 1970, now-1h
    #[arg(long)]
    from: Option<String>,
    /// End of the time range
    #[arg(long)]
    to: Option<String>,
    #[command(flatten)]
    server: Server,
}

/// Options of `attach` and `detach`.
#[derive(Args, Debug)]
pub(super) struct AttachOptions {
    /// Name of the logspace
    logspace: String,
    #[command(flatten)]
    server: Server,
}

pub(super) fn archive(options: &ArchiveOptions) -> Result<bool, VerbError> {
    let age_s = options.older_than.saturating_mul(DAY_S);
    send(&options.server, &format!("LOGSPACE ARCHIVE {} {age_s}", options.logspace))
}

pub(super) fn restore(options: &RestoreOptions) -> Result<bool, VerbError> {
    let now = jiff::Zoned::now();
    let (now_us, offset_s) = (now.timestamp().as_microsecond(), now.offset().seconds());
    let time = |text: &Option<String>, open: i64| match text {
        None => Ok(open),
        Some(text) => {
            let unreadable = || VerbError::RelativeTime { text: text.clone() };
            query::parse_time(text, now_us, offset_s).ok_or_else(unreadable)
        }
    };
    let (from_us, to_us) = (time(&options.from, i64::MIN)?, time(&options.to, i64::MAX)?);
    send(&options.server, &format!("LOGSPACE RESTORE {} {from_us} {to_us}", options.logspace))
}

pub(super) fn attach(options: &AttachOptions, verb: &str) -> Result<bool, VerbError> {
    send(&options.server, &format!("LOGSPACE {verb} {}", options.logspace))
}
