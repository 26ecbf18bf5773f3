//! The options of `bench users`.

use clap::Args;
use std::path::PathBuf;

/// Measure searches by several users while messages arrive over TLS, as in the Store Box's paper of 2017.
#[derive(Args)]
pub(crate) struct Options {
    /// Messages sent per hour
    #[arg(long, default_value_t = 25_000_000)]
    pub(super) hourly: u64,
    /// Numbers of concurrent users, one trial for each
    #[arg(long, value_delimiter = ',', default_values_t = [1, 2, 4, 8, 16, 29])]
    pub(super) users: Vec<usize>,
    /// Seconds of each trial
    #[arg(long, default_value_t = 180)]
    pub(super) seconds: u64,
    /// Messages stored before the first trial
    #[arg(long, default_value_t = 10_000_000)]
    pub(super) history: u64,
    /// Options of logspace()
    #[arg(long, default_value = "")]
    pub(super) logspace: String,
    /// The binary under test
    #[arg(long, default_value = "target/release/duramen")]
    pub(super) duramen: PathBuf,
    /// Scratch folder; users.csv and users.svg are written there
    #[arg(long, default_value = "bench/out")]
    pub(super) out: PathBuf,
}
