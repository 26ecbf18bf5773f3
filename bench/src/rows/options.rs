//! The options of the rows.

use clap::Args;
use std::path::PathBuf;

/// Measure the throughput of log servers side by side.
#[derive(Args)]
pub(crate) struct Options {
    /// Rows to run: bsd, tls, filter, connections-10 (50, 100, 200), hosts, kv, json, rewrite, patterndb, relay, relay-normal, relay-reliable, udp, udp-runs, held-5000, held-tls-1000; all when left out
    pub(super) rows: Vec<String>,
    /// Subjects to run: duramen, rsyslog, syslog-ng, copy; all when left out
    #[arg(long, value_delimiter = ',')]
    pub(super) only: Vec<String>,
    /// Runs of each row and subject; the table shows medians
    #[arg(long, default_value_t = 3)]
    pub(super) runs: usize,
    /// Messages in each run
    #[arg(long, default_value_t = 10_000_000)]
    pub(super) messages: u64,
    /// Seconds of each trial of the rows udp and udp-runs
    #[arg(long, default_value_t = 2.0)]
    pub(super) udp_seconds: f64,
    /// The binary under test
    #[arg(long, default_value = "target/release/duramen")]
    pub(super) duramen: PathBuf,
    /// Scratch folder: corpora, configurations, outputs
    #[arg(long, default_value = "bench/out")]
    pub(super) out: PathBuf,
}
