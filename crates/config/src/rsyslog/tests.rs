//! Rows for conversions: rsyslog's text in, our text and the findings out.

use std::path::Path;

mod golden;

use super::{Conversion, Outcome, convert};
use crate::{Memory, check, parse};

fn converted(text: &str) -> Conversion {
    convert(Path::new("r.conf"), &Memory::default().file("r.conf", text), judge).unwrap()
}

/// Returns the first error that this crate finds; the program also compiles patterns and templates.
fn judge(text: &str) -> Option<String> {
    let (tree, mut report) = parse(Path::new("c.conf"), &Memory::default().file("c.conf", text));
    check(&tree, &mut report);
    report.errors().next().map(|error| error.message.clone())
}

/// The statements into which a piece of configuration is converted, without those that every conversion has.
#[track_caller]
fn becomes(text: &str, want: &str) {
    let conversion = converted(&format!("input(type=\"imudp\" port=\"514\")\n{text}"));
    let source =
        "source s_default {\n    network(transport(\"udp\") port(514) flags(\"syslog-protocol\"));\n};\n";
    let (_, got) = conversion.text.split_once("};\n").unwrap();
    let got = got.replace(source, "").replace("    source(s_default);\n", "");
    let got = got.replace("    if (message(\"[\\\\x01-\\\\x1f]\")) { rewrite(r_escape); };\n", "");
    let (before, escape) = got.split_once("rewrite r_escape {\n").unwrap();
    let got = format!("{before}{}", escape.split_once("};\n").unwrap().1);
    let lines: Vec<&str> = got.lines().filter(|line| !line.is_empty() && !line.starts_with('#')).collect();
    assert_eq!(lines.join("\n"), want);
    let files = Memory::default().file("c.conf", conversion.text.clone());
    let (tree, mut report) = parse(Path::new("c.conf"), &files);
    check(&tree, &mut report);
    assert!(report.is_usable(), "{}\n{}", conversion.text, report.render_plain(&tree.texts));
}

/// The steps of the path into which a rule is converted.
#[track_caller]
fn step(text: &str, want: &str) {
    let conversion = converted(text);
    let path = conversion.text.rsplit("log {\n").next().unwrap_or_default();
    let steps = path.trim_end().trim_end_matches("};").lines().filter(|line| !line.contains('#'));
    let steps: Vec<&str> = steps.map(|line| line.strip_prefix("    ").unwrap_or(line)).collect();
    assert_eq!(steps.join("\n"), want, "{:?}", conversion.findings);
}

/// Checks the outcome of each statement: `line outcome: notes`.
#[track_caller]
fn tells(text: &str, want: &[&str]) {
    let findings = converted(text).findings;
    let lines: Vec<String> = findings
        .iter()
        .map(|one| {
            format!("{} {}: {}", one.place.line, one.outcome.word(), one.notes.join("; ")).trim().to_string()
        })
        .collect();
    assert_eq!(lines, want);
}

const FILE: &str = "destination d_f { file(\"/f\"); };";
const PLAIN: &str = "$ActionFileDefaultTemplate RSYSLOG_TraditionalFileFormat\n";

#[test]
fn converts_selectors() {
    becomes(
        &format!("{PLAIN}mail.*;auth.none -/f"),
        &format!("{FILE}\nlog {{\n    if (selector(\"mail.*;auth.none\")) {{ destination(d_f); }};\n}};"),
    );
    becomes(&format!("{PLAIN}*.* /f"), &format!("{FILE}\nlog {{\n    destination(d_f);\n}};"));
    becomes(
        &format!("{PLAIN}mail.*;\\\n   news.=err /f\n& ~"),
        &format!(
            "filter f_stop {{ tags(\".stop\"); }};\n{FILE}\nlog {{\n    if (selector(\"mail.*;news.=err\")) {{\n        destination(d_f);\n        filter(f_stop);\n    }};\n}};"
        ),
    );
    becomes(
        "*.emerg :omusrmsg:*\n*.alert root,joe",
        "destination d_users { usertty(\"*\"); };\ndestination d_users_root_joe { usertty(\"root\"); usertty(\"joe\"); };\nlog {\n    if (selector(\"*.emerg\")) { destination(d_users); };\n    if (selector(\"*.alert\")) { destination(d_users_root_joe); };\n};",
    );
}

#[test]
fn converts_property_filters() {
    for (text, want) in [
        (
            ":msg, contains, \"a b\" ~",
            "filter { not (message(\"a b\" type(\"string\") flags(substring))); };",
        ),
        (
            ":msg, startswith, \" x\" stop",
            "filter { not (match(\" x\" template(\"$$(template rsyslog_msg)\") type(\"string\") flags(prefix))); };",
        ),
        (":programname, !isequal, \"su\" ~", "filter { not (not program(\"^su(/|$$)\")); };"),
        (":hostname, regex, \"^a\\(b\\|c\\)+$\" ~", "filter { not (host(\"^a(b|c)\\\\+$$\")); };"),
        (":fromhost-ip, isempty ~", "filter { not (\"${SOURCEIP}\" eq \"\"); };"),
    ] {
        step(text, &want.replace("$$", "$"));
    }
}

#[test]
fn converts_conditions() {
    for (text, want) in [
        ("$syslogseverity <= 4", "\"${SEVERITY_NUM}\" <= 4"),
        (
            "$msg contains ['a', 'b']",
            "(message(\"a\" type(\"string\") flags(substring)) or message(\"b\" type(\"string\") flags(substring)))",
        ),
        ("$programname != ['a','b']", "not (program(\"^a(/|$)\") or program(\"^b(/|$)\"))"),
        (
            "not ($hostname == 'h' or $!a!b > 5) and prifilt('mail.*')",
            "not (\"${HOST}\" eq \"h\" or \"${json.a.b}\" > 5) and selector(\"mail.*\")",
        ),
        ("strlen($msg) > 10", "\"$(length $(template rsyslog_msg))\" > 10"),
        (
            "$hostname startswith_i \"W\" or ($pri == 1 and $.x == 'y')",
            "host(\"W\" type(\"string\") flags(prefix ignore-case)) or \"${PRI}\" == 1 and \"${local.x}\" eq \"y\"",
        ),
        ("re_match($msg, '^ x')", "match(\"^ x\" template(\"$(template rsyslog_msg)\"))"),
        ("re_match($msg, 'x+y')", "message(\"x+y\")"),
        (
            "$hostname == 'a' or $.b == 'b' and $.c == 'c'",
            "(\"${HOST}\" eq \"a\" or \"${local.b}\" eq \"b\") and \"${local.c}\" eq \"c\"",
        ),
        ("$!n <= 3", "(\"${json.n}\" <= 3 or \"${json.n}\" eq \"\")"),
        ("$!n", "match(\"^-?0*[1-9]\" template(\"${json.n}\"))"),
        ("$msg endswith 'a.'", "message(\"a\\\\.\\\\z\")"),
    ] {
        step(&format!("if {text} then stop"), &format!("filter {{ not ({want}); }};"));
    }
}

#[test]
fn converts_scripts() {
    step(
        "if $msg == 'a' then { set $!x = $hostname & \"-\" & 1; stop } else if $msg == 'b' then unset $!x; else set $.n = 5;",
        "if (\"$(template rsyslog_msg)\" eq \"a\") {\n    rewrite { set(\"${HOST}-1\" value(\"json.x\")); };\n    filter(f_stop);\n} else {\n    if (\"$(template rsyslog_msg)\" eq \"b\") {\n        rewrite { unset(value(\"json.x\")); groupunset(values(\"json.x.*\")); };\n    } else {\n        rewrite { set(int64(\"5\") value(\"local.n\")); };\n    };\n};",
    );
    becomes(
        "ruleset(name=\"in ner\") { action(type=\"omfile\" file=\"/f\" template=\"RSYSLOG_TraditionalFileFormat\") }\ncall \"x\"\n",
        &format!(
            "{FILE}\nblock log ruleset-in_ner() {{\n    destination(d_f);\n}};\nblock log ruleset-x() {{\n}};\nlog {{\n    ruleset-x();\n}};"
        ),
    );
    becomes(
        "ruleset(name=\"inner\") { stop }\ncall inner\n",
        "filter f_stop { tags(\".stop\"); };\nblock log ruleset-inner() {\n    filter(f_stop);\n};\nlog {\n    ruleset-inner();\n};",
    );
    becomes(
        "ruleset(name=\"a\") { call a }\ncall a",
        "block log ruleset-a() { };\nlog {\n    ruleset-a();\n};",
    );
}

#[test]
fn converts_templates() {
    let destination = "destination d_f { file(\"/f\" template(t)); };\nlog {\n    destination(d_f);\n};";
    for (text, want) in [
        ("%HOSTNAME% 100\\% $x\\n", "${HOST} 100% $$x\\n"),
        ("%timereported:::date-pgsql%\\n", "${YEAR}-${MONTH}-${DAY} ${HOUR}:${MIN}:${SEC}\\n"),
        ("%timegenerated:::date-mysql%\\n", "${R_YEAR}${R_MONTH}${R_DAY}${R_HOUR}${R_MIN}${R_SEC}\\n"),
        ("%fromhost:::uppercase% %hostname:1:3%", "$(uppercase ${HOST_FROM}) $(substr ${HOST} 0 3)"),
        ("%$!a!b% %$.c% %msgid%", "${json.a.b} ${local.c} ${MSGID:--}"),
        ("%procid:F,44:2%", "$(field \\\",\\\" 2 ${PID:--} \\\"**FIELD NOT FOUND**\\\")"),
        (
            "{\\\"m\\\": \\\"%hostname:::json%\\\", \\\"n\\\": %syslogseverity%}",
            "$(format-json --scope none m=${HOST} n=int64(${SEVERITY_NUM}))",
        ),
    ] {
        becomes(
            &format!("$template t,\"{text}\"\n*.* /f;t"),
            &format!("template t \"{want}\";\n{destination}"),
        );
    }
    for (text, want) in [
        ("%syslogtag%%msg:::sp-if-no-1st-sp%%msg:::drop-last-lf%", "$(template rsyslog_tag) ${MESSAGE}"),
        ("%app-name%", "$(template rsyslog_app)"),
        ("%protocol-version%", "$(if (\\\"${MSGFORMAT}\\\" eq \\\"rfc5424\\\") 1 0)"),
        ("%timestamp:::date-rfc3339%", "$(template rsyslog_iso)"),
        ("%syslogtag:1:3%", "$(substr $(template rsyslog_tag) 0 3)"),
    ] {
        let made = converted(&format!("$template t,\"{text}\"\n*.* /f;t")).text;
        assert!(made.contains(&format!("template t \"{want}\";")), "{made}");
    }
    becomes(
        "$template dyn,\"/var/%HOSTNAME%/x\"\n*.* ?dyn;RSYSLOG_TraditionalFileFormat",
        "template dyn \"/var/${HOST}/x\";\ndestination d_dyn { file(\"/var/${HOST}/x\"); };\nlog {\n    destination(d_dyn);\n};",
    );
}

#[test]
fn converts_forwards() {
    for (text, want) in [
        ("*.* @h", "network(\"h\" port(514) transport(\"udp\"));"),
        ("*.* @@[::1]:10514", "network(\"::1\" port(10514) transport(\"tcp\"));"),
        (
            "*.* @@(o)h:1;RSYSLOG_SyslogProtocol23Format",
            "syslog(\"h\" port(1) transport(\"tcp\") frac-digits(6));",
        ),
        (
            "action(type=\"omfwd\" target=\"h\" queue.size=\"5\")",
            "network(\"h\" port(514) transport(\"udp\") log-fifo-size(5));",
        ),
    ] {
        let text = converted(text).text;
        assert!(text.contains(&format!("{{ {want} }};")), "{text}");
    }
}

#[test]
fn what_was_encrypted_stays_encrypted() {
    let made = converted(
        "global(DefaultNetstreamDriverCAFile=\"/ca\")\n\
         action(type=\"omfwd\" target=\"h\" port=\"6514\" protocol=\"tcp\" StreamDriver=\"gtls\" StreamDriverMode=\"1\" StreamDriverAuthMode=\"x509/name\")\n\
         input(type=\"imtcp\" port=\"6514\" StreamDriver.Mode=\"1\" StreamDriver.AuthMode=\"anon\")\n\
         input(type=\"imtcp\" port=\"514\" supportOctetCountedFraming=\"off\")\n",
    )
    .text;
    for want in [
        "network(\"h\" port(6514) transport(\"tls\") tls(peer-verify(required-trusted) ca-file(\"/ca\")));",
        "network(transport(\"tls\") port(6514) max-connections(200) tls(peer-verify(optional-untrusted) ca-file(\"/ca\"))",
        "network(transport(\"tcp\") port(514)",
    ] {
        assert!(made.contains(want), "{want}: {made}");
    }
}

#[test]
fn nothing_is_added_to_what_cannot_be_read() {
    tells(
        "if exec_template('x') == 'a' then /f\n& stop\n:msg, contains \"x\" /g\n& stop\n$FileOwner x\n& stop\nif $msg == 'a' then /f\nelse /g\n& stop",
        &[
            "1 not supported: function `exec_template()` is not supported",
            "1 not supported: it belongs to a test that is not supported",
            "2 not supported: it belongs to a test that is not supported",
            "3 not supported: cannot be read: expected `,` behind the operation",
            "4 not supported: `&` repeats the filter above, which cannot be used",
            "5 kept:",
            "6 not supported: `&` repeats the filter above, which cannot be used",
            "7 kept:",
            "7 kept:",
            "8 kept:",
            "9 kept:",
        ],
    );
    tells(
        "action(type=\"omfile\" file=\"/f\" config.enabled=\"off\")\nif not $msg contains 'x' then stop\naction(type=\"omfwd\" target=[\"a\",\"b\"])",
        &[
            "1 changed: it is switched off with `config.enabled`",
            "2 not supported: `not` as a value is not supported: rsyslog applies it to what follows it at once, so put that in parentheses",
            "2 not supported: it belongs to a test that is not supported",
            "3 not supported: several targets of one forward are not converted: use balance()",
        ],
    );
}

#[test]
fn takes_pieces_out_of_texts() {
    for (text, want) in [
        ("%hostname:F,46:2%", "$(field . 2 ${HOST} \\\"**FIELD NOT FOUND**\\\")"),
        (
            "%hostname:R,ERE,1,BLANK,2:a(b:c)--end%",
            "$(extract --match 2 --group 1 \\\"a(b:c)\\\" ${HOST} \\\"\\\")",
        ),
        (
            "%hostname:R:a\\(b\\)--end:uppercase%",
            "$(uppercase $(extract \\\"a(b)\\\" ${HOST} \\\"**NO MATCH**\\\"))",
        ),
        ("%hostname:R,ERE,0,FIELD:x%y--end%", "$(extract \\\"x%y\\\" ${HOST} ${HOST})"),
        ("%hostname:::compressspace,csv%", "$(quote-csv $(compress-blanks ${HOST}))"),
    ] {
        let made = converted(&format!("$template T,\"{text}\"\n*.* /f;T")).text;
        assert!(made.contains(want), "{want}: {made}");
    }
    step(
        "set $.a = re_extract_i($hostname, 'x', 1, 0, '');",
        "rewrite { set(\"$(extract --ignore-case --match 1 \\\"x\\\" ${HOST} \\\"\\\")\" value(\"local.a\")); };",
    );
    step(
        "set $.a = re_extract($hostname, 'x(.*)', 0, 1, 'none');",
        "rewrite { set(\"$(extract --group 1 \\\"x(.*)\\\" ${HOST} none)\" value(\"local.a\")); };",
    );
    tells(
        "set $.a = re_extract($hostname, $!p, 0, 1, 'none');\n*.* /f;T\n$template T,\"%hostname:R,POSIX:x--end%\"",
        &[
            "1 not supported: re_extract() with a computed expression or number is not supported",
            "2 not supported: template `T`: regular expressions of type `POSIX` are not supported",
            "3 not supported: regular expressions of type `POSIX` are not supported",
        ],
    );
}

#[test]
fn writes_lookup_tables_into_the_configuration() {
    let looked_up = |table: &str| {
        let text = "lookup_table(name=\"t\" file=\"/t.json\")\nset $.a = lookup(\"t\", $hostname);\n";
        let files = Memory::default().file("r.conf", text).file("/t.json", table);
        let conversion = convert(Path::new("r.conf"), &files, judge).unwrap();
        let lines = conversion.text.lines().map(str::trim);
        let steps: Vec<&str> =
            lines.filter(|line| line.contains("if (") || line.contains("rewrite")).collect();
        let refused = conversion.findings.iter().filter(|one| one.outcome == Outcome::Unsupported);
        (steps.join(" "), refused.flat_map(|one| one.notes.clone()).last().unwrap_or_default())
    };
    let set = |value: &str| format!("rewrite {{ set(\"{value}\" value(\"local.a\")); }};");
    for (table, want) in [
        (
            r#"{"nomatch":"$no","table":[{"index":"x","value":"1"},{"index":"y","value":"2"}]}"#,
            format!(
                "if (\"${{HOST}}\" eq \"x\") {{ {} }} elif (\"${{HOST}}\" eq \"y\") {{ {} {}",
                set("1"),
                set("2"),
                set("$$no")
            ),
        ),
        (
            r#"{"type":"sparseArray","table":[{"index":1,"value":"low"},{"index":10,"value":"high"}]}"#,
            format!(
                "if (\"${{HOST}}\" >= 10) {{ {} }} elif (\"${{HOST}}\" >= 1) {{ {} {}",
                set("high"),
                set("low"),
                set("")
            ),
        ),
        (
            r#"{"type":"regex","table":[{"regex":"^a","tag":"t"}]}"#,
            format!("if (match(\"^a\" template(\"${{HOST}}\"))) {{ {} {}", set("t"), set("")),
        ),
    ] {
        assert_eq!(looked_up(table), (want, String::new()));
    }
    for (table, why) in [
        ("x", "the table is no JSON: expected value at line 1 column 1"),
        (r#"{"type":"tree"}"#, "tables of type `tree` are not supported"),
        (r#"{"type":"array","table":[{"index":"a","value":"b"}]}"#, "an index of the table is no number"),
        (r#"{"table":[{"index":"a"}]}"#, "a row of the table lacks its index or value"),
    ] {
        assert_eq!(looked_up(table), (String::new(), why.to_string()));
    }
}

#[test]
fn reports_the_outcome_of_every_statement() {
    tells(
        "$WorkDirectory /x\n$Nonsense 5\nmodule(load=\"imudp\")\n*.* @h:x\nmail.* :omelasticsearch:\nforeach ($.i in $!a) do { stop }\nif exec_template('x') == 'a' then {\n stop\n}\n}",
        &[
            "1 kept:",
            "2 not supported: directive `$Nonsense` is not known",
            "3 kept:",
            "4 not supported: port `x` is not supported",
            "5 not supported: action `omelasticsearch` is not supported",
            "6 not supported: there are no loops; lists are handled by template functions such as $(map)",
            "7 not supported: function `exec_template()` is not supported",
            "8 not supported: it belongs to a test that is not supported",
            "10 not supported: `}` without `{`",
        ],
    );
    assert!(converted("*.* /f").findings.iter().all(|one| one.outcome == Outcome::Kept));
}

#[test]
fn invalid_output_is_left_out_and_reported() {
    const TWO: &str = "$template a-b,\"x\"\n$template a_b,\"y\"\n*.* /tmp/1;a-b\n*.* /tmp/2;a_b";
    let same = |kind: &str, of: &str, other: &str| {
        format!("{kind}s `{of}` and `{other}` would have the same name here: give one of them another name")
    };
    let template = same("template", "a_b", "a-b");
    tells(
        TWO,
        &[
            "1 kept:",
            &format!("2 not supported: {template}"),
            "3 kept:",
            &format!("4 not supported: template `a_b`: {template}"),
        ],
    );
    let ruleset = same("ruleset", "a_b", "a.b");
    tells(
        "ruleset(name=\"a.b\") { stop }\nruleset(name=\"a_b\") { *.* /f }\ncall a_b",
        &[
            "1 kept:",
            "1 kept:",
            &format!("2 not supported: {ruleset}"),
            &format!("3 not supported: {ruleset}"),
        ],
    );
    let mode = "action(type=\"omfile\" file=\"/a\" FileCreateMode=\"x9\")";
    tells(
        &format!("if $msg contains \"x\" then {{ {mode} }}\n*.* /f"),
        &["1 kept:", "1 not supported: this value does not fit", "2 kept:"],
    );
}

/// The notes of the only statement that is not supported.
#[track_caller]
fn refuses(text: &str, why: &str) {
    let findings = converted(&format!("input(type=\"imudp\" port=\"514\")\n{text}")).findings;
    let refused: Vec<String> = findings
        .into_iter()
        .filter(|one| one.outcome == Outcome::Unsupported)
        .map(|one| one.notes.join("; "))
        .collect();
    assert_eq!(refused, [why], "{text}");
}

#[test]
fn says_why_a_statement_is_left_out() {
    refuses("module(load=\"omkafka\")", "module `omkafka` is not supported");
    refuses("module()", "a module without load");
    refuses("input(type=\"imtcp\")", "an input without a port");
    refuses("input(type=\"imtcp\" port=\"x\")", "port `x` is not supported");
    refuses("action(type=\"omfile\")", "a file without a path");
    refuses("action(type=\"omelasticsearch\")", "action `omelasticsearch` is not supported");
    refuses("action(type=\"omfile\" file=\"/f\" template=\"t\")", "template `t` is not defined");
    refuses(
        "action(type=\"omfile\" file=\"/f\" action.execOnlyEveryNthTime=\"5\")",
        "`action.execonlyeverynthtime` is not supported",
    );
    refuses("*.* >h,d,u,p", "sending to a database is not supported yet");
    refuses("*.* ^/bin/x", "a command for each message is not supported: program() gets them on its input");
    refuses("$NoSuchDirective 1", "directive `$NoSuchDirective` is not known");
    refuses("$MaxMessageSize 8q", "`8q` is no size");
    refuses("$AllowedSender UDP, 10.0.0.0/8", "senders are chosen with a filter: netmask(\"10.0.0.0/8\")");
    refuses("include(file=\"/no.conf\")", "included file `/no.conf` does not exist");
    refuses("$IncludeConfig /no.conf", "included file `/no.conf` does not exist");
    refuses("set $/a = 1;", "global variables, which outlive a message, do not exist here");
}

#[test]
fn an_optional_include_may_be_missing() {
    tells("include(file=\"/no.conf\" mode=\"optional\")", &[]);
    tells("$IncludeConfig /no*.conf", &[]);
}

#[test]
fn a_file_that_cannot_be_read_is_named() {
    let error = convert(Path::new("/no.conf"), &Memory::default(), judge).unwrap_err();
    assert!(error.to_string().starts_with("cannot read `/no.conf`: "), "{error}");
    let long = "#".repeat(crate::limits::FILE_BYTES_MAX + 1);
    let error = convert(Path::new("/l"), &Memory::default().file("/l", long), judge).unwrap_err();
    assert_eq!(error.to_string(), "`/l` has more than 33554432 bytes");
    let never = |_: &str| Some("no".to_owned());
    let error = convert(Path::new("/a"), &Memory::default().file("/a", "*.* /f"), never).unwrap_err();
    assert_eq!(error.to_string(), "/a cannot be converted: no");
}

#[test]
fn bounds_hostile_configurations() {
    let deep = format!("{}stop", "if 1 then { ".repeat(100_000));
    converted(&deep);
    converted(&format!("if {}1 then stop", "(".repeat(100_000)));
    converted(&format!("if $a {} then stop", "& $a".repeat(100_000)));
    let circle = Memory::default().file("r.conf", "$IncludeConfig r.conf\n$IncludeConfig r.conf\n");
    convert(Path::new("r.conf"), &circle, judge).unwrap();
}

proptest::proptest! {
    #![proptest_config(proptest::prelude::ProptestConfig { cases: 300, ..Default::default() })]

    #[test]
    fn what_is_made_can_be_read(words in proptest::collection::vec(0usize..WORDS.len(), 0..40)) {
        let words: Vec<&str> = words.iter().map(|word| WORDS[*word]).collect();
        let conversion = converted(&words.join(""));
        let (tree, report) = parse(Path::new("c.conf"), &Memory::default().file("c.conf", conversion.text.clone()));
        proptest::prop_assert!(report.is_usable(), "{}\n{}", conversion.text, report.render_plain(&tree.texts));
    }
}

const WORDS: &[&str] = &[
    "\n",
    " ",
    "*.* ",
    "mail.info ",
    "/f",
    "-/g;t",
    "@@h:1",
    "@(z1)h",
    "~",
    "& ~\n",
    "$template t,\"%msg%`\\\"\"\n",
    ":msg, contains, \"a`b\" ",
    "if $msg == '\\'' then ",
    "{",
    "}",
    "stop\n",
    "else ",
    "call r\n",
    "set $!a = 1 + $b;\n",
    "ruleset(name=\"r\") {",
    "action(type=\"omfile\" file=\"/`x`\")\n",
    "input(type=\"imtcp\" port=\"1\" ruleset=\"r\")\n",
    "module(load=\"imuxsock\")\n",
    "!su\n",
    "+-h\n",
    "$FileOwner \"a\n",
    "$RuleSet x y\n",
    "?t",
    "|/p",
    "*\n",
    "(",
    ")",
    "$template ?5,\"x\"\n",
    "$MarkMessagePeriod 5);\n",
    "*.* /f;?5\n",
    "input(type=\"imfile\" file=\"/x\" facility=\"a)\")\n",
    "template(name=\"t\" type=\"list\") { property(name=\"msg\" format=\"json\") constant(value=\"}\") }\n",
    "\\\n",
    "#`\n",
];
