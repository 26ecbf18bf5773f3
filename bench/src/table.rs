//! The table that the documents show.
//!
//! In: outcomes. Out: Markdown, medians, with the ratio to the best rival of the same run.

use crate::{Options, measure::Outcome, rows::Row};

/// One row's table.
pub(crate) fn render(row: Row, options: &Options, results: &[(String, &'static str, Outcome)]) -> String {
    let mut names: Vec<&String> = Vec::new();
    results.iter().for_each(|(name, _, _)| {
        if !names.contains(&name) {
            names.push(name)
        }
    });
    let of = |name: &str, figure: fn(&Outcome) -> f64| {
        let figures =
            results.iter().filter(|(known, _, _)| known == name).map(|(_, _, outcome)| figure(outcome));
        median(figures.collect())
    };
    let rival =
        |name: &&&String| results.iter().any(|(known, family, _)| known == **name && is_rival(family));
    let best = names.iter().filter(rival).map(|name| of(name, |o| o.rate)).fold(0.0, f64::max);
    let least = names.iter().filter(rival).map(|name| of(name, |o| o.cpu_us)).fold(f64::INFINITY, f64::min);
    let load = match row {
        Row::Udp => format!("Trials of {} s", options.udp_seconds),
        _ => format!("{} messages", options.messages),
    };
    let mut text = format!(
        "### {}\n\n{load} of {:.0} bytes a message, medians of {} runs in turn\n\n\
         | server | messages/s | CPU us a message | peak MiB | rate to best rival | CPU to best rival |\n|---|---:|---:|---:|---:|---:|\n",
        row.title(),
        row.corpus().average(),
        options.runs
    );
    for name in names {
        let (rate, cpu, memory) = (of(name, |o| o.rate), of(name, |o| o.cpu_us), of(name, |o| o.memory_mib));
        let ratio = |ratio: f64| if ratio.is_finite() { format!("{ratio:.2}") } else { "-".into() };
        text.push_str(&format!(
            "| {name} | {rate:.0} | {cpu:.2} | {memory:.0} | {} | {} |\n",
            ratio(rate / best),
            ratio(cpu / least)
        ));
    }
    text
}

fn is_rival(family: &str) -> bool {
    !matches!(family, "duramen" | "copy")
}

/// The middle one of some figures.
pub(crate) fn median(mut figures: Vec<f64>) -> f64 {
    figures.sort_by(f64::total_cmp);
    match figures.len() {
        0 => f64::NAN,
        count if count % 2 == 1 => figures[count / 2],
        count => (figures[count / 2 - 1] + figures[count / 2]) / 2.0,
    }
}
