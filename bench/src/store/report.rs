//! What was measured, in Markdown, with the targets beside it.
//!
//! In: outcomes. Out: tables.

use super::{Asked, Intake};

const RATE_MIN: f64 = 300_000.0;
const DISK_BYTES_MAX: f64 = 85.0;
const MEMORY_MIB_MAX: f64 = 2048.0;

/// What taking in cost.
pub(super) fn intake(intake: &Intake) -> String {
    let messages = intake.messages as f64;
    let rate = messages / intake.seconds;
    let (sealed, bytes) = intake.sealed;
    let disk = bytes as f64 / sealed as f64;
    format!(
        "### Into a logspace over one TCP connection\n\n\
         {messages} messages of {:.0} bytes; the sender runs on the same cores\n\n\
         | | measured | target | |\n|---|---:|---:|---|\n\
         | messages/s, until the last one is found | {rate:.0} | {RATE_MIN:.0} | {} |\n\
         | messages/s, until complete segments are sealed | {:.0} | | |\n\
         | CPU us a message, until found | {:.2} | | |\n\
         | CPU us a message, until sealed | {:.2} | | |\n\
         | peak memory, MiB | {:.0} | {MEMORY_MIB_MAX:.0} | {} |\n\
         | bytes a message in {sealed} sealed messages | {disk:.1} | {DISK_BYTES_MAX:.0} | {} |\n\
         | journal left, MiB | {:.0} | | |\n",
        intake.corpus_bytes as f64 / messages - 1.0,
        verdict(rate >= RATE_MIN),
        messages / intake.settled_s,
        intake.cpu_s * 1e6 / messages,
        intake.settled_cpu_s * 1e6 / messages,
        intake.memory_mib,
        verdict(intake.memory_mib < MEMORY_MIB_MAX),
        verdict(disk <= DISK_BYTES_MAX),
        intake.journal_bytes as f64 / 1048576.0,
    )
}

/// What the questions cost.
pub(super) fn questions(asked: &[Asked]) -> String {
    let rows: String = asked.iter().map(row).collect();
    format!(
        "### Questions over HTTP\n\n\
         First and median of {} more; each answers with the exact count, 30 bars and the newest 200 messages; ripgrep only counts lines of the plain file\n\n\
         | question | query | found | first ms | median ms | inside ms | target ms | | ripgrep ms | its count |\n\
         |---|---|---:|---:|---:|---:|---:|---|---:|---:|\n{rows}",
        super::REPEATS
    )
}

/// One question's row.
pub(super) fn row(asked: &Asked) -> String {
    let found = match asked.total == asked.expected {
        true => asked.total.to_string(),
        false => format!("{} instead of {}", asked.total, asked.expected),
    };
    let target = asked.question.target_ms;
    let (ms, lines) =
        asked.ripgrep.map_or(Default::default(), |rg| (format!("{:.0}", rg.ms), rg.lines.to_string()));
    format!(
        "| {} | `{}` | {found} | {:.1} | {:.1} | {} | {} | {} | {ms} | {lines} |\n",
        asked.question.name,
        asked.question.query,
        asked.first_ms,
        asked.median_ms,
        if asked.inside_ms.is_nan() { String::new() } else { format!("{:.1}", asked.inside_ms) },
        target.map_or(String::new(), |target| format!("{target:.0}")),
        target.map_or("", |target| verdict(asked.median_ms < target)),
    )
}

fn verdict(met: bool) -> &'static str {
    if met { "met" } else { "missed" }
}
