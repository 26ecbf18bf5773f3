//! Rows: a configuration, the parts that are left out, and the parts that stay.

use crate::{LeftOut, Memory, Report, Skipping, Tree, check, parse, tree::Statement};
use std::path::Path;

/// Returns the parts that are left out, one a line; `None` when the configuration is still refused.
fn skipped(text: &str) -> Option<(Vec<LeftOut>, Tree)> {
    let files = Memory::default().file("main.conf", format!("@version: 4.8\n{text}"));
    let (mut tree, report) = parse(Path::new("main.conf"), &files);
    let mut skipping = Skipping::start(&mut tree, &report)?;
    loop {
        let mut round = Report::default();
        check(&tree, &mut round);
        if round.is_usable() {
            return Some((skipping.left_out(), tree));
        }
        if !skipping.round(&mut tree, &round) {
            return None;
        }
    }
}

/// The names of the parts that are left out, and the number of log paths that stay.
#[track_caller]
fn leaves_out(text: &str, want: &[&str], paths: usize) {
    let (left_out, tree) = skipped(text).expect("it can be skipped");
    let found: Vec<&str> = left_out.iter().map(|one| one.what.as_str()).collect();
    assert_eq!(found, want, "{text}");
    let stays = tree.statements.iter().filter(|statement| matches!(statement, Statement::Log(_))).count();
    assert_eq!(stays, paths, "{text}: {left_out:#?}");
}

#[track_caller]
fn stays_refused(text: &str) {
    assert!(skipped(text).is_none(), "{text}");
}

const ENDS: &str = "source s { internal(); }; destination d { file(\"/x\"); };\n";

fn with_ends(text: &str) -> String {
    format!("{ENDS}{text}")
}

#[test]
fn a_driver_removes_only_itself() {
    leaves_out(
        "source s { internal(); ebpf(); }; destination d { file(\"/x\"); kafka(topic(x)); };\nlog { source(s); destination(d); };",
        &["source `s`, driver `ebpf()`", "destination `d`, driver `kafka()`"],
        1,
    );
    leaves_out(
        &with_ends("destination k { nonsense(1); };\nlog { source(s); destination(k); destination(d); };"),
        &["destination `k`", "destination `k` in the log path of line 4"],
        1,
    );
    leaves_out(
        &with_ends("log { source(s); destination { nonsense(); }; destination(d); };"),
        &["destination driver `nonsense()` in the log path of line 3"],
        1,
    );
}

#[test]
fn a_path_is_removed_with_its_only_destination() {
    leaves_out(
        &with_ends(
            "destination k { nonsense(1); };\nlog { source(s); destination(k); };\nlog { source(s); destination(d); };",
        ),
        &["destination `k`", "the log path of line 4"],
        1,
    );
    leaves_out(
        &with_ends(
            "source e { ebpf(); };\nlog { source(e); destination(d); };\nlog { source(s); destination(d); };",
        ),
        &["source `e`", "the log path of line 4"],
        1,
    );
    leaves_out(
        &with_ends(
            "destination k { nonsense(1); };\nlog { source(s); log { destination(k); flags(final); }; log { destination(d); }; };",
        ),
        &["destination `k`", "destination `k` in the log path of line 4"],
        1,
    );
}

#[test]
fn nothing_passes_where_a_filter_or_a_parser_is_missing() {
    for step in [
        "filter f { config-version(1); }; log { source(s); filter(f); destination(d); };",
        "filter f { nonsense(\"x\"); }; log { source(s); filter(f); destination(d); };",
        "filter f { not nonsense(\"x\"); }; filter g { filter(f) or facility(mail); };\nlog { source(s); filter(g); destination(d); };",
        "filter f { facility(nonsense); }; log { source(s); filter(f); destination(d); };",
        "parser p { lua(class(\"x\")); }; log { source(s); parser(p); destination(d); };",
        "parser p { csv-parser(nonsense(1)); }; log { source(s); parser(p); destination(d); };",
        "rewrite r { nonsense(); }; log { source(s); rewrite(r); destination(d); };",
        "log { source(s); filter { nonsense(\"x\"); }; destination(d); };",
        "log { source(s); parser { nonsense(); }; destination(d); };",
        "log { source(s); filterx { drop(); }; destination(d); };",
        "log { source(s); nonsense(); destination(d); };",
        "log { source(s); if (nonsense(1)) { destination(d); }; };",
        "log { source(s); if (config-version(1)) { destination(d); } else { destination(d); }; };",
        "log { source(s); junction { channel { filter { config-version(1); }; }; channel { }; }; destination(d); };",
        "log { source(s); destination(d); log { parser { nonsense(); }; destination(d); }; };",
    ] {
        let (left_out, tree) = skipped(&with_ends(step)).unwrap_or_else(|| panic!("{step} can be skipped"));
        let stays = tree.statements.iter().any(|statement| matches!(statement, Statement::Log(_)));
        assert!(!stays && !left_out.is_empty(), "{step}: {left_out:?}");
    }
}

#[test]
fn a_template_that_is_missing_is_not_written_as_its_name() {
    let text = "template t { template(\"x\"); nonsense(1); };\nsource s { internal(); };\n\
                destination d { file(\"/a\" template(t)); file(\"/b\"); };\nlog { source(s); destination(d); };";
    leaves_out(text, &["template `t`", "destination `d`, driver `file()`"], 1);
}

#[test]
fn says_why_and_what_a_final_path_did() {
    let text = with_ends(
        "filter f { nonsense(\"x\"); };\nlog { source(s); filter(f); destination(d); flags(final); };\nlog { source(s); destination(d); };",
    );
    let (left_out, _) = skipped(&text).expect("it can be skipped");
    let told: Vec<String> = left_out.iter().map(ToString::to_string).collect();
    assert_eq!(
        told,
        [
            "filter `f` is not running (main.conf:3): unknown filter `nonsense`",
            "the log path of line 4 is not running (main.conf:4): it uses f, which is not running; \
             messages that it would have kept from later paths continue to these",
        ]
    );
}

#[test]
fn other_errors_stay_errors() {
    stays_refused(&with_ends("log { source(s) destination(d); };"));
    stays_refused(&with_ends("log { source(s); destination(typo); };"));
    stays_refused(&with_ends("log { source(s); destination(d); "));
    stays_refused(&with_ends("destination d { file(\"/y\"); };\nlog { source(s); destination(d); };"));
    stays_refused("destination d { file(\"/y); };");
}

#[test]
fn a_global_option_goes_alone() {
    leaves_out(
        &with_ends("options { nonsense(1); use-dns(no); };\nlog { source(s); destination(d); };"),
        &["global option `nonsense()`"],
        1,
    );
}
