//! The table that the documents show.
//!
//! In: outcomes. Out: medians of each subject; as Markdown, with the ratio to the best rival of the same run.

use super::{
    options::Options,
    outcome::{ConnectionMemory, Outcome},
    row::Row,
};
use crate::median::median;

/// The figures of a subject, of one run or as the median of several.
pub(crate) struct Measured {
    /// Name in tables, its variant included.
    pub(crate) name: String,
    /// Name of the program.
    pub(crate) family: &'static str,
    pub(crate) outcome: Outcome,
}

impl Measured {
    /// Returns true for a server of another vendor.
    pub(crate) fn is_rival(&self) -> bool {
        !matches!(self.family, "duramen" | "copy")
    }
}

/// The medians of a row, in the order of the first runs.
pub(crate) fn medians(runs: &[Measured]) -> Vec<Measured> {
    let mut found: Vec<Measured> = Vec::new();
    for run in runs {
        if found.iter().any(|known| known.name == run.name) {
            continue;
        }
        let of = |figure: fn(&Outcome) -> f64| {
            let own = runs.iter().filter(|other| other.name == run.name);
            median(own.map(|own| figure(&own.outcome)).collect())
        };
        let held = run.outcome.held.map(|_| ConnectionMemory {
            idle_kib: of(|o| o.held.map_or(f64::NAN, |cost| cost.idle_kib)),
            after_kib: of(|o| o.held.map_or(f64::NAN, |cost| cost.after_kib)),
        });
        let outcome = Outcome {
            rate: of(|o| o.rate),
            cpu_us: of(|o| o.cpu_us),
            memory_mib: of(|o| o.memory_mib),
            held,
        };
        found.push(Measured { name: run.name.clone(), family: run.family, outcome });
    }
    found
}

/// The best rate of a rival; 0 without one.
pub(crate) fn best_rate(medians: &[Measured]) -> f64 {
    medians.iter().filter(|one| one.is_rival()).map(|one| one.outcome.rate).fold(0.0, f64::max)
}

/// One row's table.
pub(crate) fn render(row: Row, options: &Options, medians: &[Measured]) -> String {
    let best = best_rate(medians);
    let least = medians.iter().filter(|one| one.is_rival()).map(|one| one.outcome.cpu_us);
    let least = least.fold(f64::INFINITY, f64::min);
    let load = match row {
        Row::Udp | Row::UdpRuns => format!("Trials of {} s", options.udp_seconds),
        _ => format!("{} messages", options.messages),
    };
    let mut text = format!(
        "### {}\n\n{load} of {:.0} bytes a message, medians of {} runs in turn\n\n\
         | server | messages/s | CPU us a message | peak MiB | rate to best rival | CPU to best rival |\n|---|---:|---:|---:|---:|---:|\n",
        row.title(),
        row.corpus().average(),
        options.runs
    );
    for Measured { name, outcome, .. } in medians {
        let ratio = |ratio: f64| if ratio.is_finite() { format!("{ratio:.2}") } else { "-".into() };
        text.push_str(&format!(
            "| {name} | {:.0} | {:.2} | {:.0} | {} | {} |\n",
            outcome.rate,
            outcome.cpu_us,
            outcome.memory_mib,
            ratio(outcome.rate / best),
            ratio(outcome.cpu_us / least)
        ));
    }
    if row.is_held() {
        text.push_str("\n| server | KiB a connection before the traffic | after it |\n|---|---:|---:|\n");
        for Measured { name, outcome, .. } in medians {
            if let Some(cost) = outcome.held {
                text.push_str(&format!("| {name} | {:.1} | {:.1} |\n", cost.idle_kib, cost.after_kib));
            }
        }
    }
    text
}
