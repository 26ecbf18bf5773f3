//! Rows for the whole crate: text in, findings out.

#![expect(clippy::disallowed_methods, reason = "golden files")]

mod findings;
mod tolerated;

use std::path::Path;

use crate::{Memory, Report, Tree, check, parse};

fn read(files: &Memory) -> (Tree, Report) {
    let (tree, mut report) = parse(Path::new("main.conf"), files);
    check(&tree, &mut report);
    (tree, report)
}

fn memory(text: &str) -> Memory {
    Memory::default().file("main.conf", format!("@version: 4.8\n{text}"))
}

/// The findings of a configuration that starts after a version line, one a line.
#[track_caller]
fn finds(text: &str, want: &[&str]) {
    finds_in(&memory(text), want);
}

#[track_caller]
fn finds_in(files: &Memory, want: &[&str]) {
    let (tree, report) = read(files);
    let found: Vec<String> = report.findings().iter().map(|finding| finding.one_line(&tree.texts)).collect();
    assert_eq!(found, want);
}

/// The whole rendered report.
#[track_caller]
fn renders(files: &Memory, want: &str) {
    let (tree, report) = read(files);
    assert_eq!(report.render_plain(&tree.texts).trim_end(), want.trim_matches('\n'));
}

#[test]
fn accepts_valid_configurations() {
    finds("", &[]);
    finds("source s { network(port(5514), transport(\"udp\")); internal(); };\nlog { source(s); };", &[]);
    finds(
        "source s{tcp(ip(0.0.0.0) port(\"514\") max_connections(5));}; log{source(s);destination{file(\"/a/$HOST\");};};",
        &[],
    );
    finds("filter f { facility(0..23) and facility(0..3, mail..local7, 12) and level(0..4); };", &[]);
    finds("template t \"$MSG\\n\"; template u { template(\"$MSG\"); template_escape(no); };", &[]);
    finds(
        "options { use-dns(persist_only); perm(0640); stats-freq(60); time-sleep(0); time-sleep(60); };",
        &["main.conf:2:77: warning: `time-sleep()` has no effect: there is no such pause"],
    );
    finds(
        "log { source { internal(); }; if (level(err..emerg)) { destination { file(\"/e\"); }; } elif { filter { host(\"x\"); }; } else { flags(final); }; };",
        &[],
    );
    finds(
        "log { source { stdin(); }; junction { channel { filter { program(a) or program(b); }; flags(final); }; channel { rewrite { set(\"x\", value(\"n\") condition(\"$A\" eq \"1\")); }; }; }; };",
        &[],
    );
}

#[test]
fn names_the_set_of_a_block_that_is_not_included() {
    renders(
        &memory("source s { default-network-drivers(); };"),
        r#"
error: unknown source `default-network-drivers()`
 --> main.conf:2:12
  |
2 | source s { default-network-drivers(); };
  |            ^^^^^^^^^^^^^^^^^^^^^^^ a ready-made block, not included
  |
  = help: add `@include "scl.conf"` behind the `@version` line"#,
    );
    finds("@include \"scl.conf\"\nsource s { default-network-drivers(); };", &[]);
    finds(
        "@include \"/usr/share/syslog-ng/include/scl.conf\"\nsource s { default_network_drivers(); };",
        &[],
    );
}

#[test]
fn reads_a_line_only_with_its_argument() {
    let block = "block source b(a(\"\") c()) {\n `a?` nonsense(); # `a`\n udp(port(`c`));\n};\n";
    finds(&format!("{block}source s {{ b(c(1)); b(a() c(1)); b(a(\"\") c(2)); }};"), &[]);
    finds(
        &format!("{block}source s {{ b(c(1) a(x)); }};"),
        &["main.conf:3:7: error: unknown source `nonsense()`"],
    );
}

#[test]
fn forgives_names_that_another_file_may_define() {
    let files = memory("log { source(s); filter(f); destination { fiel(\"/x\"); }; };");
    let (_, mut report) = read(&files);
    assert_eq!(report.error_count(), 3);
    report.forgive_unresolved();
    assert_eq!(report.error_count(), 1);
}

#[test]
fn points_into_applications() {
    finds(
        "application a[t] {\n filter { hots(x); }; };\nparser p { app-parser(topic(t)); };",
        &["main.conf:3:11: error: unknown filter `hots`"],
    );
    finds(
        "application a[topic] { };\nparser p { app-parser(topic(topci)); app-parser(); app-parser(topic(\"topic\") auto(yes)); };",
        &[
            "main.conf:3:29: warning: there is no application of topic `topci`",
            "main.conf:3:38: error: `app-parser()` needs `topic()`",
            "main.conf:3:78: error: unknown option of app-parser(): `auto`",
        ],
    );
}

#[test]
fn reads_selectors() {
    finds("filter f { selector(\"*.info;mail.none\") and not selector('kern.=debug'); };", &[]);
    finds(
        "filter f { selector(\"*.info;mial.none\"); };",
        &["main.conf:2:29: error: `mial` is not a facility or *"],
    );
    finds("filter f { selector(); };", &["main.conf:2:12: error: `selector()` needs one selector"]);
}

#[test]
fn points_at_the_exact_word() {
    finds("sorce s { };", &["main.conf:2:1: error: unknown statement `sorce`"]);
    finds("source s { netwrok(); };", &["main.conf:2:12: error: unknown source `netwrok()`"]);
    finds(
        "source s { network(prot(514)); };",
        &["main.conf:2:20: error: unknown option of network(): `prot`"],
    );
    finds("source s { network(port(70000)); };", &["main.conf:2:25: error: this value does not fit"]);
    finds(
        "source s { network(transport(altp)); };",
        &[
            "main.conf:2:30: error: `altp` is a protocol that is not published; sltp() does the same, write it on both ends",
        ],
    );
    finds("source s { file(); };", &["main.conf:2:12: error: `file()` needs its path"]);
    finds("source s { internal() };", &["main.conf:2:23: error: expected `;`, found `}`"]);
    finds("filter f { facility(mial); };", &["main.conf:2:21: error: unknown facility `mial`"]);
    finds("filter f { level(info..wran); };", &["main.conf:2:24: error: unknown severity `wran`"]);
    finds(
        "filter f { match(\"a\" flags(nobackref)); };",
        &["main.conf:2:28: error: unknown flag of a pattern `nobackref`"],
    );
    finds(
        "destination d { websocket(collection(m)); };",
        &["main.conf:2:17: error: destination `websocket()` is not supported yet"],
    );
    renders(
        &memory("destination d { bigquery(table(a)); };"),
        r#"
error: destination `bigquery()` is not supported yet
 --> main.conf:2:17
  |
2 | destination d { bigquery(table(a)); };
  |                 ^^^^^^^^ not supported yet
  |
  = help: its gRPC needs a schema of Protocol Buffers for each table; write google-pubsub() and a subscription into BigQuery
"#,
    );
    finds("parser p { unset(value(a)); };", &["main.conf:2:12: error: unknown parser `unset()`"]);
    finds("log { source(s); };", &["main.conf:2:14: error: source `s` is not defined"]);
    finds(
        "filter a { filter(b); }; filter b { not filter(a); };",
        &["main.conf:2:48: error: filter `a` uses itself through this"],
    );
    finds(
        "source s { internal(); }; source s { internal(); };",
        &["main.conf:2:34: error: source `s` is defined twice"],
    );
    finds(
        "destination a { tcp(\"h\" persist-name(\"p\")); }; destination b { tcp(\"i\" persist-name(\"p\")); };",
        &["main.conf:2:72: error: persist-name `p` is used twice for tcp()"],
    );
    finds("destination a { tcp(\"h\" persist-name(\"p\")); udp(\"h\" persist-name(\"p\")); };", &[]);
    finds(
        "log { source { internal(); }; flags(finale); };",
        &["main.conf:2:37: warning: unknown flag `finale` of a log path: it changes nothing"],
    );
    finds("filterx f { $a = 1; };", &["main.conf:2:1: error: statement `filterx` is not supported yet"]);
    finds(
        "log { filterx { $a =~ /\\/\"}/; }; };",
        &[
            "main.conf:2:7: error: step `filterx` is not supported yet",
            "main.conf:2:1: warning: this path has no source; no message ever enters it",
        ],
    );
    finds(
        "source s { file(\"a); };",
        &[
            "main.conf:2:17: error: string is not terminated",
            "main.conf:2:24: error: expected `}`, found end of the configuration",
        ],
    );
}

#[test]
fn reports_every_error_and_continues() {
    finds(
        "source a { file(; };\nsource b { udp(port(1)) };\ndestination c { fiel(\"x\"); file(\"y\" permm(1)); }\nfilter f { };\nlog { source(a); dest(c); };",
        &[
            "main.conf:2:17: error: expected an argument or `)`, found `;`",
            "main.conf:3:25: error: expected `;`, found `}`",
            "main.conf:5:1: error: expected `;`, found `filter`",
            "main.conf:5:10: error: the filter is empty",
            "main.conf:6:18: error: `dest` cannot stand in a log path",
            "main.conf:4:17: error: unknown destination `fiel()`",
            "main.conf:4:37: error: unknown option of file(): `permm`",
        ],
    );
}

#[test]
fn warns_of_old_spellings() {
    finds(
        "options { sync(0); long_hostnames(off); use-rcptid(yes); };",
        &[
            "main.conf:2:11: warning: `sync()` is an old spelling",
            "main.conf:2:20: warning: `long_hostnames()` is an old spelling",
            "main.conf:2:41: warning: `use-rcptid()` is an old spelling",
        ],
    );
    let version = |text: &str| Memory::default().file("main.conf", text);
    finds_in(&version("options { };"), &["main.conf:1:1: error: the configuration does not say its version"]);
    finds_in(
        &version("@version: 2.1\n"),
        &["main.conf:1:11: error: configurations of version 2.1 are not supported"],
    );
    finds_in(
        &version("@version: 9.0\n"),
        &["main.conf:1:11: warning: version 9.0 is newer than this program knows"],
    );
    finds_in(&version("@version: current\n"), &[]);
    finds_in(
        &version("@version: 3.2\nfilter f { host(a); }; filter f { host(b); };"),
        &["main.conf:2:31: warning: filter `f` is defined twice"],
    );
}

#[test]
fn substitutes_and_lexes_again() {
    finds("@define port 514\nsource s { udp(port(`port`)); };", &[]);
    finds("@define kind \"udp(port(514))\"\nsource s { `kind`; };", &[]);
    finds("@define name web\nsource s_`name` { internal(); };\nlog { source(s_web); };", &[]);
    finds(
        "source s { file(\"/log/`NOPE`\"); };",
        &["main.conf:2:23: warning: `NOPE` is not defined; it is replaced by nothing"],
    );
    let (tree, _) = read(&memory("destination d { file(\"/`DIR`/``x\"); };").with_variable("DIR", "'var'"));
    assert!(format!("{:?}", tree.statements).contains("\"/var/`x\""), "{:?}", tree.statements);
    renders(
        &memory("@define bad \"udp(port(x))\"\nsource s { `bad`; };"),
        "
error: this value does not fit
 --> value of `bad`:1:10
  |
1 | udp(port(x))
  |          ^
  |
  = note: in `bad`, used at main.conf:3:12
  = help: accepted is a port from 0 to 65535, or the name of its service
",
    );
}

#[test]
fn expands_blocks() {
    let block =
        "block source net(port() flags(\"\")) {\n  network(port(`port`) flags(`flags`) `__VARARGS__`);\n};\n";
    finds(&format!("{block}source s {{ net(port(5)); }};"), &[]);
    finds(&format!("{block}source s {{ net(port(5) tags(a, b)); }};"), &[]);
    finds(&format!("{block}source s {{ net(); }};"), &["main.conf:5:12: error: block `net` needs `port()`"]);
    finds(
        &format!("{block}source s {{ net(port(x)); }};"),
        &["main.conf:5:21: error: this value does not fit"],
    );
    finds("block filter near(h) { };", &["main.conf:2:20: error: expected `(`, found `)`"]);
    finds(
        "block filter near(name()) { host(`name`) or host(b) };\nfilter f { program(x) and near(name(\"a\")); };",
        &[],
    );
    finds("block root both(n()) { source s_`n` { internal(); }; };\nboth(n(x));\nlog { source(s_x); };", &[]);
    finds(
        "block rewrite one() { set(\"a\" value(\"b\")); };\nrewrite r { one(two(3)); };",
        &["main.conf:3:17: error: block `one` has no argument `two`"],
    );
    renders(
        &memory("block source net(port(514)) {\n  network(prt(`port`));\n};\nsource s { net(); };"),
        "
error: unknown option of network(): `prt`
 --> main.conf:3:11
  |
3 |   network(prt(`port`));
  |           ^^^ did you mean `port`?
  |
  = note: in block `net()`, used at main.conf:5:12
",
    );
}

#[test]
fn points_at_extra_arguments_where_they_are_written() {
    finds(
        "@include \"scl.conf\"\nsource s {\n  default-network-drivers(udp-port(1) keep_hostnam(yes));\n};",
        &[
            "main.conf:4:39: error: unknown option of network(): `keep_hostnam`",
            "main.conf:4:39: error: unknown option of network(): `keep_hostnam`",
            "main.conf:4:39: error: unknown option of syslog(): `keep_hostnam`",
        ],
    );
}

#[test]
fn includes_files() {
    let files = memory("@include \"conf.d/*.conf\"\n@include \"more\"\n@include \"nothing*.conf\"\n@include \"scl.conf\"\nlog { source(s_a); source(s_b); source(s_c); source { default-network-drivers(); }; };")
        .file("conf.d/b.conf", "source s_b { internal(); };")
        .file("conf.d/a.conf", "source s_a { internal(); };")
        .file("more/c.conf", "source s_c { internal(); };")
        .file("more/.hidden", "broken");
    finds_in(&files, &[]);
    let many =
        (0..40).fold(memory("@include \"d\""), |files, number| files.file(&format!("d/{number}.conf"), ""));
    finds_in(&many, &[]);
    finds("@include \"gone.conf\"", &["main.conf:2:10: error: included file `gone.conf` does not exist"]);
    renders(
        &memory("@include \"a.conf\"").file("a.conf", "\nsource s { intern(); };"),
        "
error: unknown source `intern()`
 --> a.conf:2:12
  |
2 | source s { intern(); };
  |            ^^^^^^ did you mean `internal`?
  |
  = note: included at main.conf:2:10
",
    );
}

#[test]
fn limits_hostile_configurations() {
    let first = |files: &Memory| {
        let (tree, report) = read(files);
        report.findings().first().map(|finding| finding.one_line(&tree.texts)).unwrap_or_default()
    };
    let own = first(&memory("@include \"main.conf\""));
    assert!(own.contains("files are included 16 levels deep"), "{own}");
    let looped = first(&memory("block source a() { a(); };\nsource s { a(); };"));
    assert!(looped.contains("block `a` is used 64 levels deep"), "{looped}");
    let deep = first(&memory(&format!("filter f {{ {} host(a);", "(".repeat(100_000))));
    assert!(deep.contains("nested more than 128 levels deep"), "{deep}");
    let braces = first(&memory(&format!("log {{ {}", "channel { ".repeat(100_000))));
    assert!(braces.contains("nested more than 128 levels deep"), "{braces}");
    let doubled: String =
        (0..40).map(|n| format!("block source b{}() {{ b{n}(); b{n}(); }};\n", n + 1)).collect();
    let (_, report) = read(&memory(&format!("{doubled}source s {{ b40(); }};")));
    assert!(!report.is_usable());
}

#[test]
fn reads_literals() {
    let check = |text: &str, want: &str| {
        let (tree, _) = read(&memory(&format!("options {{ x({text}); }};")));
        let shown = format!("{:?}", tree.statements);
        assert!(shown.contains(want), "{shown}");
    };
    check("0x50", "Number(80,");
    check("011", "Number(9,");
    check("-12", "Number(-12,");
    check("4.25", "Float(4.25,");
    check("10K", "Number(10000,");
    check("4KiB", "Number(4096,");
    check("2Gi", "Number(2147483648,");
    check("10.0.0.1", "Word(Name { text: \"10.0.0.1\"");
    check("/var/log/a.log", "Word(Name { text: \"/var/log/a.log\"");
    check("\"a\\x41\\o102\\n\\q\"", "Text(Name { text: \"aAB\\nq\"");
    check("'a\\n\"'", "Text(Name { text: \"a\\\\n\\\"\"");
    check("\"k\" => int(\"5\")", "Pair(Name { text: \"k\"");
    check("a..b", "Range(Name { text: \"a\"");
}

#[test]
fn the_reference_page_is_that_of_the_tables() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/reference/options.md");
    let page = crate::options::reference();
    if std::env::var_os("UPDATE").is_some() {
        std::fs::write(&path, &page).unwrap();
    }
    assert!(std::fs::read_to_string(&path).unwrap() == page, "run `cargo xtask reference`");
}

#[test]
fn tables_have_no_row_twice() {
    use crate::options::{drivers, global};
    use crate::tree::Kind;
    let once = |what: &str, tables: &[&[crate::options::Row]]| {
        for table in tables {
            let mut names: Vec<&str> = table.iter().map(|row| row.name).collect();
            names.sort_unstable();
            let count = names.len();
            names.dedup();
            assert_eq!(names.len(), count, "{what}");
        }
    };
    once("global", global());
    for kind in [Kind::Source, Kind::Destination, Kind::Rewrite] {
        for driver in drivers(kind) {
            once(driver.name, driver.options);
            for required in driver.required {
                assert!(crate::options::row(driver.options, required).is_some(), "{}", driver.name);
            }
        }
    }
    assert!(crate::options::reference().contains("### `network([address])`"));
}

proptest::proptest! {
    #![proptest_config(proptest::prelude::ProptestConfig { cases: 150, ..Default::default() })]

    #[test]
    fn no_text_makes_it_panic(text in "\\PC{0,200}") {
        let (tree, report) = read(&memory(&text));
        report.render_plain(&tree.texts);
    }

    #[test]
    fn no_mixture_of_words_makes_it_panic(words in proptest::collection::vec(0usize..WORDS.len(), 0..60)) {
        let text: Vec<&str> = words.iter().map(|word| WORDS[*word]).collect();
        let (tree, report) = read(&memory(&text.join(" ")));
        report.render_plain(&tree.texts);
    }
}

const WORDS: &[&str] = &[
    "source",
    "destination",
    "filter",
    "log",
    "block",
    "rewrite",
    "parser",
    "template",
    "options",
    "s",
    "a",
    "{",
    "}",
    "(",
    ")",
    ";",
    ",",
    "=>",
    "..",
    "|",
    "[",
    "]",
    "`a`",
    "`",
    "\"x\"",
    "'y",
    "\"z",
    "\n",
    "@define a \"b\"",
    "@include \"main.conf\"",
    "# c\n",
    "not",
    "and",
    "or",
    "==",
    "host(x)",
    "5",
    "1.5",
    "\\",
    "é",
    "if",
    "elif",
    "else",
    "junction",
    "channel",
    "flags(final)",
    "set(\"a\" value(\"b\") condition(host(x)))",
    "block source a(b(1)) { file(`b`); };",
    "a(b(\"2\"))",
    "application q[w] {",
    "udp(port(1))",
    "file(\"x\")",
    "@version: 4.2\n",
];
