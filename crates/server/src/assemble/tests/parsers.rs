//! Rows about parsers: which values a configuration reads out of messages, and what is refused.

use super::{finds, runs};
use std::fs;

/// Returns a file with all values except the fields of the header, with a scope besides `nv-pairs`; and the
/// text after them.
fn out(scope: &str, behind: &str) -> String {
    let header = [
        "HOST*",
        "LEGACY_MSGHDR",
        "MESSAGE",
        "MSGFORMAT",
        "MSGID",
        "PID",
        "PROGRAM",
        "SOURCE",
        "TRANSPORT",
        "0",
        "1",
    ];
    let header = header.map(|name| format!("--exclude {name}")).join(" ");
    format!(
        "destination {{ file(\"/o\" template(\"$(format-welf --scope nv-pairs,{scope} {header}){behind}\")); }}"
    )
}

/// Two messages through a log path, and the values that each has at its end.
#[track_caller]
fn reads(steps: &str, lines: [&str; 2], want: &[&str]) {
    let out = out("dot-nv-pairs", "");
    let text = format!("source s {{ network(flags(no-parse)); }};\nlog {{ source(s); {steps} {out}; }};");
    runs(&text, &lines, want);
}

#[test]
fn each_parser_is_made() {
    reads(
        "parser { xml(prefix(\"x\") exclude-tags(\"no*\") strip-whitespaces(yes) create-lists(no)); };",
        ["<a><b> 1</b><b>2 </b><none>3</none></a>", "text"],
        &["/o: x.a.b=12", "/o: "],
    );
    reads("parser { xml(drop-invalid(yes)); };", ["<a>1</a>", "<a>"], &["/o: .xml.a=1"]);
    reads(
        "parser { windows-eventlog-xml-parser(); };",
        ["<Event><EventData><Data Name='U'>anna</Data></EventData></Event>", "<a>1</a>"],
        &["/o: .eventlog.Event.EventData.Data.U=anna", "/o: .eventlog.a=1"],
    );
    reads(
        "parser { regexp-parser(patterns(\"^(?<w>[A-Z]+)$\" '(?<n>\\d+)') prefix(\"r.\") flags(ignore-case)); };",
        ["abc", "no 77 x"],
        &["/o: r.w=abc", "/o: r.n=77"],
    );
    reads(
        "parser { linux-audit-parser(prefix(\"a.\")); };",
        ["type=X comm=6C7320", "uid=4142"],
        &["/o: a.comm=\"ls \" a.type=X", "/o: a.uid=4142"],
    );
    reads(
        "parser { date-parser(format(\"%Y\" \"%s.%f\") time-zone(\"UTC\") value(\"t\")); };",
        ["2020", "1.5"],
        &["/o: t=1577836800.000000", "/o: t=1.500000"],
    );
    reads(
        "parser { date-parser(value(\"t\")); };",
        ["2026-11-21T10:00:00+0000", "2026-11-21T10:00:00-0100"],
        &["/o: t=1795255200.000000", "/o: t=1795258800.000000"],
    );
    reads(
        "parser { csv-parser(columns(\"a\", \"b\") delimiters(\",\")); };",
        [" x , y ", "z"],
        &["/o: a=x b=y", "/o: a=z"],
    );
    reads(
        "parser { csv-parser(columns(\"a\", \"b\") delimiters(\",\") flags(escape-none)); };",
        [" x , y ", "z"],
        &["/o: a=\" x \" b=\" y \"", "/o: a=z"],
    );
    reads("parser { cee(); };", ["@cee:{\"a\":1}", "{\"a\":1}"], &["/o: .cee.a=1"]);
    reads(
        "parser { cef-parser(prefix(\"c.\")); };",
        ["CEF:0|v|p|1|2|n|3|a=b c", "x"],
        &[
            "/o: c.agent_severity=3 c.device_event_class_id=2 c.device_product=p c.device_vendor=v c.device_version=1 c.extensions.a=\"b c\" c.name=n c.version=0",
        ],
    );
    reads(
        "parser { leef-parser(template(\"$MSG\") prefix(\"l.\")); };",
        ["LEEF:1.0|v|p|1|e|a=b", "x"],
        &["/o: l.event_id=e l.extensions.a=b l.product_name=p l.product_version=1 l.vendor=v l.version=1.0"],
    );
}

#[test]
fn headers_and_tags_are_read() {
    let read = |steps: &str, lines: [&str; 2], want: &[&str]| {
        let out = "destination { file(\"/o\" template(\"$HOST|$PROGRAM|$MSG|$TAGS\")); }";
        let text = format!("source s {{ network(flags(no-parse)); }};\nlog {{ source(s); {steps} {out}; }};");
        runs(&text, &lines, want);
    };
    read(
        "parser { syslog-parser(flags(syslog-protocol) drop-invalid(yes)); };",
        ["<13>1 2026-11-21T10:00:00Z web su - - - hi", "<14>Nov 21 10:00:00 db cron: run"],
        &["/o: web|su|hi|", "/o: db|cron|run|"],
    );
    read(
        "parser { sdata-parser(); }; rewrite { set(\"$SDATA\" value(\"HOST\")); };",
        ["[a@1 b=c d=\"e\"]", "no"],
        &["/o: [a@1 b=\"c\" d=\"e\"]||[a@1 b=c d=\"e\"]|"],
    );
    read("parser { tags-parser(template(\"a,$MSG\")); };", ["b", "c"], &["/o: ||b|a,b", "/o: ||c|a,c"]);
    read(
        "parser { syslog-parser(flags(syslog-protocol) sdata-prefix(\"sd.\")); }; rewrite { set(\"${sd.a@1.b}$SDATA\" value(\"HOST\")); };",
        [
            "<13>1 2026-11-21T10:00:00Z web su - - [a@1 b=\"c\"] hi",
            "<13>1 2026-11-21T10:00:00Z web su - - - hi",
        ],
        &["/o: c|su|hi|", "/o: |su|hi|"],
    );
}

#[test]
fn tables_are_looked_into() {
    let folder = tempfile::tempdir().expect("a folder");
    let write = |name: &str, text: &str| {
        let path = folder.path().join(name);
        fs::write(&path, text).expect("a file");
        path.display().to_string()
    };
    let table = write("t.csv", "web,site,Pest\ndb*,site,Vac\nf_db,kind,$MSG!\n");
    let filters = write(
        "f.conf",
        "filter f_none { message(\"^x\"); };\nfilter f_db { not filter(f_none) and message(\"db\"); };\n",
    );
    let data = |options: &str| format!("parser {{ add-contextual-data(database(\"{table}\") {options}); }};");
    reads(&data("selector(\"$MSG\") prefix(\"c.\")"), ["web", "db7"], &["/o: c.site=Pest", "/o: "]);
    reads(
        &data("selector(\"$MSG\") default-selector(web)"),
        ["Web", "db7"],
        &["/o: site=Pest", "/o: site=Pest"],
    );
    reads(&data("selector(\"$MSG\") ignore-case(yes)"), ["Web", "x"], &["/o: site=Pest", "/o: "]);
    reads(&data("selector(glob(\"$MSG\"))"), ["web", "db7"], &["/o: site=Pest", "/o: site=Vac"]);
    let by_filter = format!("selector(filters(\"{filters}\"))");
    let missing = "log { source { stdin(); }; parser { geoip2(\"$HOST\" database(\"/nowhere.mmdb\")); }; };";
    let mut checked = crate::assemble::check(std::path::Path::new("main.conf"), &super::memory(missing));
    let environment =
        crate::assemble::Environment { looks_up: true, ..crate::assemble::Environment::for_check() };
    assert!(crate::assemble::build(&checked.tree, &environment, &mut checked.report).is_none());
    reads(&data(&by_filter), ["web", "db7"], &["/o: ", "/o: kind=db7!"]);
}

#[test]
fn parsers_read_and_stop() {
    let lines = ["<13>Nov 21 03:00:00 web app: user=anna at=home\n", "<13>Nov 21 03:00:01 db app: nothing\n"];
    let run = |text: &str, want: &[&str]| runs(&format!("source s {{ network(); }};\n{text}"), &lines, want);
    let out = out("nv-pairs", "|$MSG");
    run(
        &format!("parser p {{ kv-parser(prefix(\"kv.\")); }};\nlog {{ source(s); parser(p); {out}; }};"),
        &["/o: kv.at=home kv.user=anna|user=anna at=home", "/o: |nothing"],
    );
    run(
        &format!("log {{ source(s); parser {{ kv-parser(); kv-parser(template(\"x=$at\")); }}; {out}; }};"),
        &["/o: at=home user=anna x=home|user=anna at=home", "/o: x=|nothing"],
    );
    finds(
        "parser p { json-parser(extract-prefix(\"a[\")); };",
        &["main.conf:3:24: error: `a[` is no member of JSON: write it like name.other[0]"],
    );
    run(
        &format!(
            "log {{ source(s); parser {{ csv-parser(columns(w, h) delimiters(chars(\"=\") strings(\" at\")) flags(greedy)); }}; {out}; }};"
        ),
        &["/o: h=\"anna at=home\" w=user|user=anna at=home", "/o: h= w=nothing|nothing"],
    );
    run(
        &format!(
            "log {{ source(s); if {{ parser {{ json-parser(template('{{\"a\":\"$user\"') ); }}; {out}; }} else {{ parser {{ json-parser(prefix(\".j.\") template('{{\"a\":\"$MSG\"}}')); }}; rewrite {{ rename(\".j.a\" \"a\"); }}; {out}; }}; }};"
        ),
        &["/o: a=\"user=anna at=home\"|user=anna at=home", "/o: a=nothing|nothing"],
    );
    finds(
        "parser p { kv-parser(value-separator(\"ab\")); };",
        &["main.conf:3:22: error: the separator of values is one character of ASCII"],
    );
}

#[test]
fn refuses_what_no_parser_can_do() {
    let row = |driver: &str, want: &str| finds(&format!("parser p {{ {driver}; }};"), &[want]);
    row(
        "regexp-parser(patterns(\"a(\"))",
        "main.conf:3:37: error: wrong regular expression: missing closing parenthesis",
    );
    row("date-parser(format(\"%Q\"))", "main.conf:3:31: error: `%Q` is no part of a format of times");
    row("geoip2(\"$HOST\" prefix(\"g.\"))", "main.conf:3:12: error: `geoip2()` needs `database()`");
    row(
        "add-contextual-data(selector(\"$HOST\") database(\"a.txt\"))",
        "main.conf:3:50: error: a database is a file whose name ends in .csv",
    );
    row(
        "add-contextual-data(selector() database(\"a.csv\"))",
        "main.conf:3:32: error: a selector is a template, glob(template) or filters(file)",
    );
}

#[test]
fn parsers_of_patterns_and_groups() {
    let lines =
        ["<13>Nov 21 03:00:00 web app: user=anna from 192.0.2.1\n", "<13>Nov 21 03:00:01 db app: end\n"];
    let run = |text: &str, want: &[&str]| runs(&format!("source s {{ network(); }};\n{text}"), &lines, want);
    let out = out("nv-pairs", "|$MSG|$(tags-head hit group)");
    run(
        &format!(
            "parser p {{ grok(custom-pattern(\"WHO\" \"user=%{{USER:user}}\") match(\"%{{WHO}} from %{{IP:[source][ip]}}\" tags(\"hit\"))); }};\n\
             log {{ source(s); parser(p); {out}; }};"
        ),
        &["/o: source.ip=192.0.2.1 user=anna|user=anna from 192.0.2.1|hit"],
    );
    run(
        &format!(
            "log {{ source(s); parser {{ grok(match(\"%{{IP:ip}}\") prefix(\"g.\") drop-unmatched(no)); }}; {out}; }};"
        ),
        &["/o: g.ip=192.0.2.1|user=anna from 192.0.2.1|", "/o: |end|"],
    );
    run(
        &format!(
            "parser p {{ grouping-by(key(\"$PROGRAM\") scope(global) where(program(app)) trigger(message(end)) timeout(10) \
             having(\"$(context-length)\" == \"2\") inject-mode(aggregate-only) prefix(\"p.\") \
             aggregate(value(\"n\" int64(\"$(context-length)\")) tags(\"group\") inherit-mode(none))); }};\n\
             log {{ source(s); parser(p); {out}; }};"
        ),
        &["/o: p.n=3||group"],
    );
    run(
        &format!(
            "log {{ source(s); parser {{ group-lines(key(\"x\") multi-line-mode(prefix-suffix) multi-line-suffix(end) timeout(9) line-separator(\"+\")); }}; {out}; }};"
        ),
        &["/o: |user=anna from 192.0.2.1+end|"],
    );
    finds(
        "parser p { grok(match(\"%{NOPE}\")); };",
        &["main.conf:3:17: error: pattern %{NOPE}: there is no pattern NOPE"],
    );
    finds(
        "parser p { group-lines(key(\"x\") timeout(9)); };",
        &["main.conf:3:12: error: group-lines() needs multi-line-mode(): which lines are one message"],
    );
    finds("parser p { db-parser(file(\"/none.pdb\") drop-unmatched(yes)); };", &[]);
}

/// Checks the text of a template after a ready-made block, for two messages.
#[track_caller]
fn block_reads(version: &str, parser: &str, shown: &str, lines: [&str; 2], want: &[&str]) {
    let text = format!(
        "@version: {version}\n@include \"scl.conf\"\nsource s {{ network(flags(no-parse)); }};\nlog {{ source(s); parser {{ {parser} }}; destination {{ file(\"/o\" template('{shown}')); }}; }};"
    );
    runs(&text, &lines, want);
}

#[test]
fn blocks_read_what_devices_and_programs_send() {
    let cisco = [
        "<189>7: gate: *Apr 29 13:58:40.411: %SYS-5-CONFIG_I: Configured",
        "<189>7: gate: *Apr 29 2024 13:58:40: %A-B-3-C: x",
    ];
    let shown = "$PRI $HOST ${.cisco.facility} ${.cisco.mnemonic} $MSGFORMAT $1,$2,$3 $MSG";
    block_reads(
        "4.8",
        "cisco-parser();",
        shown,
        cisco,
        &[
            "/o: 189 gate SYS CONFIG_I rfc3164 Apr 29 13:58:40.411,*Apr 29 13:58:40.411,.411 %SYS-5-CONFIG_I: Configured",
            "/o: 189 gate A-B C rfc3164 Apr 29 2024 13:58:40,2024 , %A-B-3-C: x",
        ],
    );
    block_reads(
        "4.26",
        "cisco-parser();",
        shown,
        cisco,
        &[
            "/o: 189 gate SYS CONFIG_I syslog:rfc3164 Apr 29 13:58:40.411,, %SYS-5-CONFIG_I: Configured",
            "/o: 189 gate A-B C syslog:rfc3164 Apr 29 2024 13:58:40,, %A-B-3-C: x",
        ],
    );
    block_reads(
        "4.8",
        "mariadb-audit-parser();",
        "${.mariadb.syslog_info}/${.mariadb.serverhost} ${.mariadb.object} ${.mariadb.retcode}",
        [" info srv,anna,h,1,2,QUERY,db,'a\\'b, c',0", "srv,anna,h,1,2,CONNECT,,,1045"],
        &["/o: info/srv a'b, c 0", "/o: /srv  1045"],
    );
    let columns =
        "2023-08-08 12:05:52.805 UTC,,db,17,,s,1,,,,0,PANIC,00000,\"a \"\"b\"\"\",,,,,,,,,,\"psql\",,";
    block_reads(
        "4.8",
        "postgresql-csvlog-parser();",
        "$ISODATE $PID $SEVERITY $MSG $(format-json --key .pgsql.*pid)",
        [columns, &columns.replace(",17,", ",x,").replace("PANIC", "DEBUG1")],
        &[
            "/o: 2023-08-08T12:05:52+00:00 17 crit a \"b\" {\"_pgsql\":{\"pid\":17}}",
            "/o: 2023-08-08T12:05:52+00:00  debug a \"b\" {}",
        ],
    );
}

#[test]
fn applications_may_overlap() {
    let applications = |options: &str| {
        let both = ["a", "b"].map(|name| {
            format!("application {name}[t] {{ filter {{ message(\"{name}\"); }}; parser {{ channel {{ rewrite {{ set(\"{name}\" value(\"got.{name}\")); }}; }}; }}; }};\n")
        });
        let text = format!(
            "{}source s {{ network(flags(no-parse)); }};\nlog {{ source(s); parser {{ app-parser(topic(t) {options}); }}; destination {{ file(\"/o\" template(\"$MSG:${{got.a}}${{got.b}}${{.app.name}}\")); }}; }};",
            both.concat()
        );
        move |want: &[&str]| runs(&text, &["ab", "x"], want)
    };
    applications("")(&["/o: ab:aa"]);
    applications("allow-overlaps(yes)")(&["/o: ab:ab", "/o: x:"]);
    applications("auto-parse(no)")(&[]);
}

#[test]
fn columns_have_their_types() {
    let check = |columns: &str, want: &str| {
        let text = format!(
            "source s {{ network(flags(no-parse)); }};\nlog {{ source(s); parser {{ csv-parser(columns({columns}) delimiters(\",\")); }}; \
             destination {{ file(\"/o\" template(\"$(format-json a=$a)\")); }}; }};"
        );
        runs(&text, &["7,x"], &[&format!("/o: {want}")]);
    };
    check("int(\"a\"), \"b\"", "{\"a\":7}");
    check("\"a\", \"b\"", "{\"a\":\"7\"}");
}
