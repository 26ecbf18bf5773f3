//! The table and the CSV file of `bench users`.

use super::{
    options::Options,
    trial::{BEHIND_MAX, Trial},
};
use crate::store::report::Verdict;
use std::fmt::Write as _;

/// Highest 95th percentile of the search time with the most users, in milliseconds.
const P95_MS_MAX: f64 = 1000.0;

/// One line of the table.
pub(super) fn row(trial: &Trial) -> String {
    format!(
        "| {} | {} | {} | {:.0} | {:.0} | {:.0} | {:.0} | {} | {} | {:.2} |\n",
        trial.case.name(),
        trial.users,
        trial.searches,
        trial.p50_ms,
        trial.p95_ms,
        trial.max_ms,
        trial.rate,
        trial.late_ms,
        trial.behind,
        trial.cores,
    )
}

/// The table, and the targets.
pub(super) fn table(trials: &[Trial], options: &Options, rate: f64) -> String {
    let mut text = format!(
        "### {} messages an hour over TLS while users search\n\n{:.0} messages/s are sent; {} are there before; {} s a trial; each search is answered with the \
         exact count, 30 bars and the newest 200 messages\n\n\
         | query | users | searches | p50 ms | p95 ms | max ms | messages/s found | sender held back, ms | behind, messages | cores of the server |\n\
         |---|---:|---:|---:|---:|---:|---:|---:|---:|---:|\n",
        options.hourly, rate, options.history, options.seconds
    );
    trials.iter().for_each(|trial| text.push_str(&row(trial)));
    let most = options.users.iter().max().copied().unwrap_or_default();
    let slowest =
        trials.iter().filter(|trial| trial.users == most).map(|trial| trial.p95_ms).fold(0.0, f64::max);
    let late = trials.iter().filter(|trial| !trial.keeps_up(rate)).count();
    let all_keep_up = Verdict::at_most(late as f64, 0.0);
    // A formatted line into a String cannot fail.
    let _ = write!(
        text,
        "\nNothing held back, nothing more than {} s behind: {}. p95 with {most} users below {P95_MS_MAX:.0} ms: {}.",
        BEHIND_MAX.as_secs(),
        all_keep_up,
        Verdict::at_most(slowest, P95_MS_MAX),
    );
    text
}

/// The same figures as CSV.
pub(super) fn csv(trials: &[Trial], rate: f64) -> String {
    let mut text = "query,users,searches,p50_ms,p95_ms,max_ms,offered_per_s,found_per_s,held_back_ms,behind,server_cores\n".to_owned();
    for trial in trials {
        text.push_str(&format!(
            "{},{},{},{:.1},{:.1},{:.1},{rate:.1},{:.1},{},{},{:.3}\n",
            trial.case.name(),
            trial.users,
            trial.searches,
            trial.p50_ms,
            trial.p95_ms,
            trial.max_ms,
            trial.rate,
            trial.late_ms,
            trial.behind,
            trial.cores
        ));
    }
    text
}
