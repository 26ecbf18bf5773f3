//! Rows: a configuration and the advice about it.

use crate::{Memory, advise, check, parse};
use std::path::Path;

#[track_caller]
fn says(text: &str, want: &[&str]) {
    let files = Memory::default().file("main.conf", format!("@version: 4.8\n@include \"scl.conf\"\n{text}"));
    let (tree, mut report) = parse(Path::new("main.conf"), &files);
    check(&tree, &mut report);
    let before = report.findings().len();
    assert!(report.is_usable(), "{}", report.render_plain(&tree.texts));
    advise(&tree, &mut report);
    let found: Vec<String> =
        report.findings()[before..].iter().map(|finding| finding.one_line(&tree.texts)).collect();
    assert_eq!(found, want);
}

#[test]
fn warns_about_unused_objects() {
    says(
        "source s { internal(); }; source t { stdin(); }; filter f { level(err); }; filter g { level(info); };\n\
         destination d { file(\"/x\"); }; log { source(s); filter(f); };",
        &[
            "main.conf:3:34: warning: source `t` is defined and never used",
            "main.conf:3:83: warning: filter `g` is defined and never used",
            "main.conf:4:13: warning: destination `d` is defined and never used",
        ],
    );
    says(
        "template t1 \"$MSG\"; template t2 \"$(template t1)\"; template t3 \"x\"; filter f { host(a); };\n\
         source s { internal(); }; log { source(s); destination { file(\"/x\" template(t2)); };\n\
         rewrite { set(\"$(if filter(f) a b)\" value(\"A\")); }; };",
        &["main.conf:3:60: warning: template `t3` is defined and never used"],
    );
    // A path that takes the messages of all sources uses them all.
    says("source s { internal(); }; log { destination { file(\"/x\"); }; flags(catchall); };", &[]);
    // Unused blocks of a library are not reported.
    says("log { source { system(); }; destination { file(\"/x\"); }; };", &[]);
}

#[test]
fn names_paths_without_messages() {
    let sources = "source s { internal(); }; source t { stdin(); }; destination d { file(\"/x\"); };\n";
    let says = |paths: &str, want: &[&str]| says(&format!("{sources}{paths}"), want);
    says(
        "log { source(s); destination(d); flags(final); };\nlog { source(s); destination(d); };\n\
         log { source(s); source(t); destination(d); };",
        &["main.conf:5:1: warning: no message ever enters this path: another one takes them all before"],
    );
    says(
        "log { source(s); filter { level(err); }; flags(final); };\nlog { source(t); source(s); destination(d); };",
        &[],
    );
    says(
        "log { source(s); source(t); destination(d); };\nlog { source(s); destination(d); flags(fallback); };",
        &[
            "main.conf:5:1: warning: no message ever enters this path: flags(fallback) leaves it what no other path takes",
        ],
    );
    says(
        "log { source(s); destination(d); flags(catchall final); };\nlog { source(t); destination(d); };",
        &[
            "main.conf:4:14: warning: flags(catchall) takes the messages of all sources, not only of this one",
            "main.conf:5:1: warning: no message ever enters this path: another one takes them all before",
        ],
    );
    says(
        "log { source(t); source(s); parser { kv-parser(); }; flags(final); };\nlog { source(s); };",
        &["main.conf:3:62: warning: destination `d` is defined and never used"],
    );
}

#[test]
fn names_promises_that_are_not_kept() {
    let says = |path: &str, want: &[&str]| {
        says(&format!("source s {{ relp(); }}; destination d {{ tcp(\"h\"); }};\n{path}"), want);
    };
    let lost = "main.conf:4:1: warning: relp() tells its senders that messages are safe, but this path may drop them when a queue is full";
    says("log { source(s); destination(d); };", &[lost]);
    says("log { source(s); destination(d); flags(flow-control); };", &[]);
    says("options { log-flow-control(yes); }; log { source(s); destination(d); };", &[]);
    let drops = "main.conf:4:1: warning: relp() tells its senders that messages are safe, but this path may drop them when a queue is full";
    let to = |options: &str| {
        format!(
            "log {{ source(s); destination {{ tcp(\"h\" {options}); }}; destination(d); flags(flow-control); }};"
        )
    };
    says(&to("on-full(drop-oldest)"), &[drops]);
    says(&to("disk-buffer(capacity-bytes(1M)) on-full(drop-newest)"), &[drops]);
    says(&to("on-full(hold)"), &[]);
    let unused = "main.conf:3:35: warning: destination `d` is defined and never used";
    says("log { source(s); destination { file(\"/x\"); logspace(\"main\"); }; };", &[unused]);
    says("log { source(s); destination { tcp(\"h\" disk-buffer(capacity-bytes(1M))); }; };", &[unused]);
    says("log { source(s); destination { tcp(\"h\" on-full(hold)); }; };", &[unused]);
    says(
        "log { source { http(acknowledge(received)); }; destination(d); };",
        &["main.conf:3:8: warning: source `s` is defined and never used"],
    );
}

#[test]
fn names_lanes_that_wait_for_the_others() {
    let says = |options: &str, flags: &str, want: &[&str]| {
        says(
            &format!(
                "source s {{ stdin(); }};\nlog {{ source(s); destination {{ tcp(\"h\" {options}); }}; flags({flags}); }};"
            ),
            want,
        );
    };
    let waits = "main.conf:4:40: warning: severe messages wait as well when the queue of the other ones is full: it holds the sources back";
    says("lanes(err)", "flow-control", &[waits]);
    says("lanes(err rest(on-full(hold)))", "", &[waits]);
    says("lanes(lane(err on-full(drop-newest)))", "flow-control", &[waits]);
    says("lanes(err)", "", &[]);
    says("lanes(err rest(on-full(drop-newest)))", "flow-control", &[]);
    says("lanes(lane(err on-full(hold))) on-full(drop-lowest-severity)", "flow-control", &[]);
    says("lanes(err) disk-buffer(capacity-bytes(1M))", "flow-control", &[]);
}

#[test]
fn names_promises_that_a_lane_does_not_keep() {
    let says = |options: &str, flags: &str, want: &[&str]| {
        says(
            &format!(
                "source s {{ relp(); }};\nlog {{ source(s); destination {{ tcp(\"h\" disk-buffer(capacity-bytes(1M)) {options}); }}; flags({flags}); }};"
            ),
            want,
        );
    };
    let lost = "main.conf:4:1: warning: relp() tells its senders that messages are safe, but this path may drop them when a queue is full";
    says("lanes(err)", "flow-control", &[]);
    says("lanes(err)", "", &[]);
    says("lanes(err rest(on-full(drop-newest)))", "flow-control", &[lost]);
    says("lanes(err rest(on-full(drop-newest)))", "", &[lost]);
    says("lanes(lane(err on-full(drop-newest)))", "flow-control", &[lost]);
    says("lanes(lane(err on-full(hold)) rest(on-full(hold)))", "", &[]);
    says("lanes(lane(err on-full(hold)) rest(on-full(hold))) on-full(drop-newest)", "flow-control", &[]);
    says(
        "lanes(lane(err on-full(hold)) crit rest(on-full(hold))) on-full(drop-newest)",
        "flow-control",
        &[lost],
    );
}
