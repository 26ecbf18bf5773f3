//! The options of `bench users`.

use clap::Args;
use std::path::PathBuf;

/// Messages over TLS while users search, as in the Store Box's paper of 2017.
#[derive(Args)]
pub(crate) struct Options {
    /// Messages an hour
    #[arg(long, default_value_t = 25_000_000)]
    pub(super) hourly: u64,
    /// Users at the same time, one trial each
    #[arg(long, value_delimiter = ',', default_values_t = [1, 2, 4, 8, 16, 29])]
    pub(super) users: Vec<usize>,
    /// Seconds a trial
    #[arg(long, default_value_t = 180)]
    pub(super) seconds: u64,
    /// Messages that are there before
    #[arg(long, default_value_t = 10_000_000)]
    pub(super) history: u64,
    /// Options of logspace()
    #[arg(long, default_value = "")]
    pub(super) logspace: String,
    /// The binary under test
    #[arg(long, default_value = "target/release/duramen")]
    pub(super) duramen: PathBuf,
    /// Scratch folder; users.csv and users.svg are left there
    #[arg(long, default_value = "bench/out")]
    pub(super) out: PathBuf,
}
