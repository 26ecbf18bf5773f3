//! Turns `systemd-journal()` of the language into that of `intake`.
//!
//! In: its options. Out: a [`JournalSource`]. Holds: nothing. Limits: none of its own.

use crate::assemble::options::driver::Options;
use crate::assemble::options::version::JOURNAL_PREFIX;
use config::tree::{Arg, Call};
use intake::JournalSource;
use std::path::PathBuf;

/// Makes the source that the options describe.
pub(crate) fn journal(options: &Options<'_>) -> JournalSource {
    let defaults = JournalSource::default();
    let has_prefix = !options.globals.is_older(JOURNAL_PREFIX);
    JournalSource {
        prefix: options.own_text("prefix").unwrap_or(if has_prefix {
            defaults.prefix
        } else {
            String::new()
        }),
        field_bytes_max: options.count("max-field-size", defaults.field_bytes_max),
        from_start: options.truth("read-old-records").unwrap_or(defaults.from_start),
        this_boot: options.truth("match-boot").unwrap_or(defaults.this_boot),
        matches: options.own("matches").map(matches).unwrap_or_default(),
        namespace: options.own_text("namespace").filter(|name| !name.is_empty()),
        folder: options.own_text("folder").map(PathBuf::from),
    }
}

/// Parses `matches("FIELD" => "VALUE")`. A word of another form would be an option of the program that reads
/// the journal.
fn matches(option: &Call) -> Vec<String> {
    let pair = |arg: &Arg| match arg {
        Arg::Pair(name, value) => Some(format!("{}={}", name.text.trim_start_matches('-'), value.text()?)),
        _ => None,
    };
    option.args.iter().filter_map(pair).collect()
}
