//! The measurements and their targets, in Markdown.
//!
//! In: a measured engine each. Out: tables.

use super::{questions, results::Measured};
use std::fmt;

/// Lower and upper bounds of our figures.
const RATE_MIN: f64 = 450_000.0;
const CPU_S_MAX: f64 = 2.2;
const MEMORY_MIB_MAX: f64 = 1536.0;
/// Queries on encrypted data may take this many times the target.
const ENCRYPTED_MAX: f64 = 1.5;
/// The first answer with nothing in memory, with up to 10 million messages.
const COLD_MS_MAX: f64 = 400.0;

/// Prints the table of the cost of storing.
pub(super) fn intake(measured: &[Measured], messages: u64, corpus_bytes: u64) -> String {
    let average = corpus_bytes as f64 / messages as f64 - 1.0;
    let mut text = format!(
        "### {messages} messages of {average:.0} bytes\n\nMessages a second until the last one is found and until all is settled; CPU until then\n\n\
         | engine | messages/s found | messages/s settled | CPU s a million | peak MiB | ... with questions | bytes a message | |\n\
         |---|---:|---:|---:|---:|---:|---:|---|\n"
    );
    for one in measured {
        let Some(intake) = &one.intake else { continue };
        let rate = |seconds: f64| {
            if seconds < 0.001 { "-".into() } else { format!("{:.0}", messages as f64 / seconds) }
        };
        let figure = |figure: Option<f64>, digits: usize| {
            figure.map_or("-".into(), |figure| format!("{figure:.digits$}"))
        };
        text.push_str(&format!(
            "| {} | {} | {} | {} | {} | {} | {:.1} | {} |\n",
            one.name,
            rate(intake.seconds),
            rate(intake.settled_s),
            figure(intake.cpu_s.map(|cpu_s| cpu_s * 1e6 / messages as f64), 2),
            figure(intake.memory_mib, 0),
            figure(one.memory_mib, 0),
            intake.message_bytes,
            intake.note,
        ));
    }
    text.push_str(&format!(
        "\nTargets of the first: {RATE_MIN:.0} messages/s, {CPU_S_MAX} CPU s a million, {MEMORY_MIB_MAX:.0} MiB, \
         70 bytes a message when sealed, 55 when recoded, 40 when aged.\n"
    ));
    let ours = measured.first().filter(|one| one.is_ours);
    if let Some((ours, intake)) = ours.and_then(|one| Some((one, one.intake.as_ref()?))) {
        let cpu_s = intake.cpu_s.unwrap_or(f64::NAN) * 1e6 / messages as f64;
        let memory = ours.memory_mib.unwrap_or(f64::NAN);
        text.push_str(&format!(
            "Rate {}, CPU {}, memory {}.\n",
            Verdict::at_least(messages as f64 / intake.seconds, RATE_MIN),
            Verdict::at_most(cpu_s, CPU_S_MAX),
            Verdict::at_most(memory, MEMORY_MIB_MAX),
        ));
    }
    text
}

/// Prints the table of queries: the first answer and the median, a column for each engine.
pub(super) fn questions(measured: &[Measured], messages: u64, repeats: usize) -> String {
    let mut text = format!(
        "### Questions\n\nMilliseconds, the first answer and the median of {repeats} more. Ours and VictoriaLogs are asked over HTTP; each answers with the \
         exact count, 30 bars and the newest 200 messages, tantivy inside of one process, grep with the count of lines alone. \
         A count in brackets is not the one that was counted apart. `x` is the fastest other engine's median to ours.\n\n\
         | | question | query | found | target |"
    );
    measured.iter().for_each(|one| text.push_str(&format!(" {} |", one.name)));
    text.push_str(" x | |\n|---|---|---|---:|---:|");
    measured.iter().for_each(|_| text.push_str("---:|"));
    text.push_str("---:|---|\n");
    (0..questions::ALL.len()).for_each(|number| text.push_str(&row(measured, messages, number)));
    text
}

/// The row of one query.
fn row(measured: &[Measured], messages: u64, number: usize) -> String {
    let question = &questions::ALL[number];
    let target = question.limit_ms(messages);
    let found = measured.first().map_or(0, |one| one.answers[number].expected);
    let mut text = format!(
        "| {} | {} | `{}` | {found} | {} |",
        question.number,
        question.name,
        question.query,
        target.map_or(String::new(), |target| format!("{target:.0}")),
    );
    for one in measured {
        let asked = &one.answers[number];
        let cell = asked.timing.map_or("-".to_owned(), |timing| {
            let other = match timing.total {
                total if total == asked.expected || total == u64::MAX => String::new(),
                total => format!(" ({total})"),
            };
            format!("{:.1} / {:.1}{other}", timing.first_ms, timing.median_ms)
        });
        text.push_str(&format!(" {cell} |"));
    }
    let median = |one: &Measured| one.answers[number].timing.map(|timing| timing.median_ms);
    let ours = measured.first().filter(|one| one.is_ours).and_then(median);
    let best = measured.iter().filter(|one| !one.is_ours).filter_map(median).reduce(f64::min);
    let ratio = ours.zip(best).map_or(String::new(), |(ours, best)| format!("{:.1}", best / ours));
    let ours_all: Vec<&Measured> = measured.iter().filter(|one| one.is_ours).collect();
    let missed = ours_all.iter().filter_map(|one| {
        let target = target? * if one.is_encrypted { ENCRYPTED_MAX } else { 1.0 };
        (median(one)? > target).then(|| format!("missed by {}", one.name))
    });
    let missed: Vec<String> = missed.collect();
    let is_judged = target.is_some() && !ours_all.is_empty();
    let end = if is_judged && missed.is_empty() { "met".into() } else { missed.join(", ") };
    text.push_str(&format!(" {ratio} | {end} |\n"));
    text
}

/// The first answers after all caches were dropped.
pub(super) fn cold(measured: &[Measured], messages: u64) -> String {
    let limit = (messages <= 10_000_000).then_some(COLD_MS_MAX);
    let mut text = format!(
        "### Cold questions\n\nMilliseconds of the first answer of a new process with the page cache dropped{}\n\n| | question |",
        limit.map_or(String::new(), |limit| format!("; {limit:.0} are allowed"))
    );
    measured.iter().for_each(|one| text.push_str(&format!(" {} |", one.name)));
    text.push_str("\n|---|---|");
    measured.iter().for_each(|_| text.push_str("---:|"));
    text.push('\n');
    for (number, question) in questions::ALL.iter().enumerate() {
        text.push_str(&format!("| {} | {} |", question.number, question.name));
        for one in measured {
            let ms = one.answers[number].cold_ms;
            let missed = one.is_ours && ms.zip(limit).is_some_and(|(ms, limit)| ms > limit);
            let mark = if missed { " missed" } else { "" };
            text.push_str(&ms.map_or(" - |".into(), |ms| format!(" {ms:.0}{mark} |")));
        }
        text.push('\n');
    }
    text
}

/// Describes whether a target was met.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Verdict {
    Met,
    Missed,
}

impl Verdict {
    pub(super) fn at_least(figure: f64, least: f64) -> Verdict {
        if figure >= least { Verdict::Met } else { Verdict::Missed }
    }

    /// A figure that is not a number misses its target.
    pub(super) fn at_most(figure: f64, most: f64) -> Verdict {
        if figure <= most { Verdict::Met } else { Verdict::Missed }
    }
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Verdict::Met => "met",
            Verdict::Missed => "missed",
        })
    }
}
