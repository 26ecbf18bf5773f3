//! Rows for rewrites, value pairs and filters that count.

use super::{finds, runs};

const LINES: [&str; 2] =
    ["<13>Nov 21 03:00:00 web app[7]: card 4111111111111111 of anna\n", "<13>Nov 21 03:00:01 db app: 2026\n"];

/// Checks what a file destination writes after some steps.
#[track_caller]
fn writes(steps: &str, template: &str, want: [&str; 2]) {
    let text = format!(
        "source s {{ network(); }};\nlog {{ source(s); {steps} destination {{ file(\"/o\" template(\"{template}\")); }}; }};"
    );
    runs(&text, &LINES, &want.map(|line| format!("/o: {line}")).each_ref().map(String::as_str));
}

#[test]
fn rewrites_of_times() {
    let show = "$ISODATE";
    writes("", show, ["2026-11-21T03:00:00+00:00", "2026-11-21T03:00:01+00:00"]);
    writes(
        "rewrite { set-time-zone('Asia/Tokyo'); };",
        show,
        ["2026-11-21T12:00:00+09:00", "2026-11-21T12:00:01+09:00"],
    );
    writes(
        "rewrite { fix-time-zone('Asia/Tokyo' condition(host(web))); };",
        show,
        ["2026-11-21T03:00:00+09:00", "2026-11-21T03:00:01+00:00"],
    );
    writes(
        "rewrite { set('-05:00' value('zone')); set-time-zone('${zone}'); };",
        show,
        ["2026-11-20T22:00:00-05:00", "2026-11-20T22:00:01-05:00"],
    );
    writes(
        "rewrite { guess-time-zone(); };",
        show,
        ["2026-11-21T03:00:00-01:00", "2026-11-21T03:00:01-01:00"],
    );
}

#[test]
fn numbers_stay_numbers() {
    writes(
        "rewrite { set(10 value('a')); set(1.5 value('b')); set('10' value('c')); };",
        "$(format-json --key a --key b --key c)",
        ["{\"c\":\"10\",\"b\":1.5,\"a\":10}"; 2],
    );
}

#[test]
fn card_numbers_are_hidden() {
    writes("rewrite { credit-card-mask(); };", "$MSG", ["card 411111******1111 of anna", "2026"]);
    writes(
        "rewrite { credit-card-hash(value('MESSAGE')); };",
        "$MSG",
        ["card 68bfb396f35af387 of anna", "2026"],
    );
}

#[test]
fn the_text_is_changed_unless_told_otherwise() {
    writes("rewrite { set('of $HOST'); };", "$MSG", ["of web", "of db"]);
    writes(
        "rewrite { subst('[an]' '_' flags(global)); };",
        "$MSG",
        ["c_rd 4111111111111111 of ____", "2026"],
    );
}

#[test]
fn a_list_is_asked_for_a_name_in_any_form() {
    let folder = tempfile::tempdir().unwrap();
    let list = folder.path().join("list");
    std::fs::write(&list, "mail\nweb\n").unwrap();
    for name in ["HOST", "$HOST", "${HOST}"] {
        let filter = format!("filter {{ in-list('{}', value('{name}')); }};", list.display());
        let text = format!(
            "source s {{ network(); }};\nlog {{ source(s); {filter} destination {{ file(\"/o\" template(\"$HOST\")); }}; }};"
        );
        runs(&text, &LINES, &["/o: web"]);
    }
}

#[test]
fn pairs_get_other_names() {
    writes(
        "rewrite { set('1' value('a.one')); set('2' value('a.two')); };
         parser { map-value-pairs(key('a.*' rekey(shift-levels(1) add-prefix('b.'))) exclude('a.two') pair('host' '<$HOST>')); };",
        "${b.one}|${b.two}|${host}",
        ["1||<web>", "1||<db>"],
    );
    finds(
        "parser p { map-value-pairs(scope(nothing)); };",
        &["main.conf:3:34: error: unknown scope `nothing`"],
    );
    finds(
        "parser p { map-value-pairs(key('a*' rekey(shove(1)))); };",
        &[
            "main.conf:3:43: error: `shove()` cannot be used so; changes of names are shift, shift-levels, add-prefix, replace-prefix, lower, upper",
        ],
    );
}

#[test]
fn macros_cannot_be_set() {
    finds(
        "rewrite r { set('kern' value('FACILITY')); };",
        &["main.conf:3:30: error: `FACILITY` is computed from the message and cannot be changed"],
    );
    finds(
        "rewrite r { rename('TAGS' 'x'); };",
        &["main.conf:3:20: error: `TAGS` is computed from the message and cannot be changed"],
    );
    writes("rewrite { set('other' value('SOURCE') condition(host(web))); };", "$SOURCE", ["other", "s"]);
}

#[test]
fn rates_are_limited() {
    writes_one("filter { rate-limit(rate(1)); };");
    writes_one("filter { throttle(template('$PROGRAM') rate(1)); };");
    writes("filter { rate-limit(template('$HOST') rate(1)); };", "$HOST", ["web", "db"]);
    finds(
        "filter f { rate-limit(template('x')); };",
        &["main.conf:3:12: error: `rate-limit()` needs `rate(...)`: messages a second, at least 1"],
    );
}

/// The first message passes, the second does not.
#[track_caller]
fn writes_one(steps: &str) {
    let text = format!(
        "source s {{ network(); }};\nlog {{ source(s); {steps} destination {{ file(\"/o\" template(\"$HOST\")); }}; }};"
    );
    runs(&text, &LINES, &["/o: web"]);
}

#[test]
fn functions_of_the_configuration() {
    let text = "template-function shout \"$(uppercase $HOST)!\";
        source s { network(); };
        log { source(s); destination { file(\"/o\" template(\"$(shout) $(md5 $HOST)\")); }; };";
    runs(text, &LINES[..1], &["/o: WEB! 2567a5ec9705eb7ac2c984033e06189d"]);
}

#[test]
fn paths_go_on_in_parallel() {
    let log = |steps: &str| format!("source s {{ network(); }};\nlog {{ source(s); {steps} }};");
    let out = "destination { file(\"/o\" template(\"$HOST $MSG\")); };";
    runs(
        &log(&format!(
            "filter {{ host(web) }}; parallelize(workers(1) partition-key('$HOST')); rewrite {{ set('x' value('MESSAGE')); }}; {out}"
        )),
        &LINES,
        &["/o: web x"],
    );
    finds(
        &log(&format!("junction {{ channel {{ parallelize(workers(2)); }}; }}; {out}")),
        &[
            "main.conf:4:39: error: parallelize() cannot stand in a channel or an `if`: what it spreads joins nothing",
        ],
    );
    finds(
        &log(&format!("parallelize(worker(2)); {out}")),
        &["main.conf:4:30: error: unknown option of parallelize(): `worker`"],
    );
}
