//! Rows for logspaces that are made of others.

use super::{finds, parts};

const LOCAL: &str = "log { source { stdin(); }; destination { logspace(all); }; };\n\
    log { source { internal(); }; destination { logspace(own); }; };\n";

/// The views of a configuration, one a line.
#[track_caller]
fn views(text: &str, want: &[&str]) {
    let parts = parts(&format!("{LOCAL}{text}"));
    let shown = parts.views.iter().map(|view| {
        let members = view.members.iter().map(|member| {
            let ways = member.ways.iter().map(|ways| {
                let ways: Vec<String> = ways.iter().map(|way| way.join(" & ")).collect();
                format!(" where {}", ways.join(" | "))
            });
            format!("{} as {}{}", member.base, member.shown, ways.collect::<String>())
        });
        let kind = if view.is_multiple { "multiple" } else { "filtered" };
        format!("{} {kind} {}", view.name, members.collect::<Vec<_>>().join(", "))
    });
    assert_eq!(shown.collect::<Vec<_>>(), want);
}

#[test]
fn views_come_to_local_logspaces() {
    views(
        "logspace fw { filtered(all \"host:fw*\"); }; logspace both { multiple(all, own); };",
        &["fw filtered all as all where host:fw*", "both multiple all as all, own as own"],
    );
    views(
        "logspace z { filtered(y \"b\"); }; logspace y { filtered(all \"a\"); };",
        &["z filtered all as y where a & b", "y filtered all as all where a"],
    );
    views(
        "logspace a { filtered(all, \"1\"); }; logspace b { filtered(all \"2\"); };\n\
         logspace m { multiple(a, b, own); }; logspace n { multiple(m all); };",
        &[
            "a filtered all as all where 1",
            "b filtered all as all where 2",
            "m multiple all as a where 1 | 2, own as own",
            "n multiple all as m, own as m",
        ],
    );
}

#[test]
fn views_are_refused_with_a_place() {
    let finds = |text: &str, want: &[&str]| finds(&format!("{LOCAL}{text}"), want);
    finds("logspace a { filtered(alll \"x\"); };", &["main.conf:5:23: error: there is no logspace `alll`"]);
    finds(
        "logspace a { filtered(b \"x\"); };\nlogspace b { multiple(all a); };",
        &["main.conf:6:27: error: logspace `a` is made of itself through this"],
    );
    finds(
        "logspace a { multiple(a); };",
        &["main.conf:5:23: error: logspace `a` is made of itself through this"],
    );
    finds(
        "logspace a { filtered(all \"host:(x\"); };",
        &[
            "main.conf:5:33: error: missing closing parenthesis; add ) at the end, or write \\( to search for it",
        ],
    );
    finds("logspace a { filtered(all \"x | head\"); };", &["main.conf:5:27: error: a filter has no pipes"]);
    finds(
        "logspace a { filtered(all \"@received:>now-1h\"); };",
        &["main.conf:5:27: error: a filter cannot depend on what time it is now"],
    );
    finds("logspace all { multiple(own); };", &["main.conf:5:10: error: logspace `all` is defined twice"]);
    finds(
        "logspace a { multiple(own); }; logspace a { multiple(all); };",
        &["main.conf:5:41: error: logspace `a` is defined twice"],
    );
    finds("logspace a { union(all); };", &["main.conf:5:14: error: a logspace cannot be `union`"]);
    finds(
        "logspace a { filtered(all); };",
        &["main.conf:5:14: error: filtered() takes a logspace and a query"],
    );
    finds(
        "logspace a { };",
        &["main.conf:5:10: error: logspace `a` is filtered or multiple, and one of them"],
    );
    finds(
        "logspace \"../a\" { multiple(all); };",
        &["main.conf:5:10: error: `../a` cannot be the name of a logspace"],
    );
    let chain: String = (1..20).map(|n| format!("logspace v{n} {{ multiple(v{}); }};\n", n - 1)).collect();
    let checked = super::check(
        std::path::Path::new("main.conf"),
        &super::memory(&format!("{LOCAL}logspace v0 {{ multiple(all); }};\n{chain}")),
    );
    assert!(checked.report.is_usable(), "what is known already is not deep");
    let backwards: String =
        (1..20).rev().map(|n| format!("logspace v{n} {{ multiple(v{}); }};\n", n - 1)).collect();
    let checked = super::check(
        std::path::Path::new("main.conf"),
        &super::memory(&format!("{LOCAL}{backwards}logspace v0 {{ multiple(all); }};\n")),
    );
    assert!(!checked.report.is_usable());
}

#[test]
fn a_name_with_macros_is_a_family() {
    let parts = parts(
        "log { source { internal(); }; destination { logspace(\"log-$HOST\" logspaces-max(7) time-reap(0)); }; };\n\
         logspace fw { filtered(\"log-all\" \"x\"); };",
    );
    let [family] = parts.families.as_slice() else { panic!("{} families", parts.families.len()) };
    let shown = format!(
        "{} {} {} {} {:?} {:?}",
        family.base.name,
        family.combined,
        family.overflow,
        family.logspaces_max,
        family.idle_after,
        family.base.segment_memory
    );
    assert_eq!(shown, "log-$HOST log-all log-overflow 7 None Some(33554432)");
    assert_eq!(parts.views[0].members[0].base, "log-all");
    assert!(parts.logspaces.is_empty());
}

#[test]
fn names_with_macros_are_checked() {
    const USE: &str = "log { source { internal(); }; destination { ";
    let finds = |driver: &str, want: &[&str]| finds(&format!("{LOCAL}{USE}{driver}; }}; }};"), want);
    finds(
        "logspace(\"l-$HOST\" overflow(x) combined(x))",
        &["main.conf:5:54: error: overflow() and combined() are both `x`"],
    );
    finds(
        "logspace(\"$HOST\")",
        &[
            "main.conf:5:54: error: logspace `all` is written in two places; use one destination in both paths",
        ],
    );
    finds(
        "logspace(\"l-$HOST\" overflow(\"a/b\"))",
        &["main.conf:5:54: error: `a/b` cannot be the name of a logspace"],
    );
    finds(
        "logspace(\"l-$HOST\"); logspace(\"l-$HOST\")",
        &[
            "main.conf:5:75: error: logspace `l-$HOST` is written in two places; use one destination in both paths",
        ],
    );
    finds(
        "logspace(\"l-$YEAR-$HOST\")",
        &["main.conf:5:54: warning: $YEAR makes another logspace each time it changes"],
    );
    finds(
        "logstore(\"/var/log/messages.lgs\")",
        &["main.conf:5:54: warning: this is the logspace `var-log-messages.lgs`"],
    );
    finds(
        "logstore(\"/var/log/$HOST.lgs\")",
        &["main.conf:5:54: warning: these are the logspaces `var-log-$HOST.lgs`"],
    );
}
