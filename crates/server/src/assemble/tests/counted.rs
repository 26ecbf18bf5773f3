//! Rows for the counters of log paths.

use super::{Environment, build, check, memory, parts, written};
use std::path::Path;

/// Checks what each log path counted, as `name ingress/egress`, after two messages: `one` and `two`.
#[track_caller]
fn counts(paths: &str, want: &[&str]) {
    let text = format!(
        "options {{ keep-hostname(yes); }};\nsource s {{ network(); }};\n\
         filter one {{ message(one); }};\nfilter two {{ message(two); }};\nfilter three {{ message(three); }};\n\
         destination d {{ file(\"/all\" template(\"$MSG\")); }};\n{paths}"
    );
    let mut parts = parts(&text);
    written(&mut parts, &["<13>Nov 21 03:00:00 web app: one\n", "<13>Nov 21 03:00:00 web app: two\n"]);
    let shown = |(name, counters): &(String, std::sync::Arc<pipeline::route::PathCounters>)| {
        format!("{name} {}/{}", counters.ingress(), counters.egress())
    };
    assert_eq!(parts.counters.paths.iter().map(shown).collect::<Vec<_>>(), want);
}

#[test]
fn paths_with_names_are_counted_wherever_they_stand() {
    counts("log top { source(s); };", &["top 2/2"]);
    counts(
        "log top { source(s); log inner { filter(one); destination(d); }; log { filter(three); }; };",
        &["top 2/1", "inner 2/1"],
    );
    counts(
        "log top { source(s); log a { filter(one); log b { filter(two); }; }; log c { destination(d); }; };",
        &["top 2/2", "a 2/0", "b 1/0", "c 2/2"],
    );
    counts(
        "log top { source(s); junction { log x { filter(one); flags(final); }; log y { filter(two); }; }; destination(d); };",
        &["top 2/2", "x 2/1", "y 1/1"],
    );
    counts(
        "log top { source(s); channel c { filter(one); }; junction { channel d { }; channel { }; }; };",
        &["top 2/1", "c 2/1", "d 1/1"],
    );
    counts(
        "log top { source(s); log a { filter(one); flags(final); }; log b { flags(fallback); }; };",
        &["top 2/2", "a 2/1", "b 1/1"],
    );
}

#[test]
fn paths_of_one_name_count_together() {
    counts(
        "log same { source(s); filter(one); };\nlog same { source(s); log same { filter(two); }; };",
        &["same 6/3"],
    );
}

#[test]
fn a_path_inside_of_what_nothing_uses_is_not_counted() {
    counts(
        "destination unused { channel { log hidden { destination(d); }; }; };\nlog top { source(s); };",
        &["top 2/2"],
    );
}

/// Checks which probes have counted two messages.
#[track_caller]
fn probes(options: &str, want: &[(&str, u64)]) {
    let text = format!(
        "options {{ {options} }};\nsource s {{ network(); }};\n\
         log {{ source(s); parser {{ metrics-probe(key(\"plain\")); metrics-probe(key(\"second\") level(2) increment(\"3\")); }}; \
         destination {{ file(\"/o\"); }}; }};"
    );
    let mut checked = check(Path::new("main.conf"), &memory(&text));
    let environment = Environment::for_check();
    let counted = environment.probes.clone();
    let mut parts = build(&checked.tree, &environment, &mut checked.report).unwrap();
    written(&mut parts, &["<13>Nov 21 03:00:00 web app: one\n", "<13>Nov 21 03:00:00 web app: two\n"]);
    let counted: Vec<(String, u64)> =
        counted.list().into_iter().map(|((name, _), count)| (name.to_string(), count)).collect();
    let counted: Vec<(&str, u64)> = counted.iter().map(|(name, count)| (name.as_str(), *count)).collect();
    assert_eq!(counted, want, "{options}");
}

#[test]
fn probes_count_up_to_the_level_of_the_statistics() {
    let (plain, second) = (("syslogng_plain", 2), ("syslogng_second", 6));
    probes("", &[plain]);
    probes("stats-level(1);", &[plain]);
    probes("stats-level(2);", &[plain, second]);
    probes("stats(level(2));", &[plain, second]);
    probes("stats(level(1)); stats-level(2);", &[plain]);
}
