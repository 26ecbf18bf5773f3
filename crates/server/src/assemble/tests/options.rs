//! Rows about options of drivers, as far as they show in the settings of sources and destinations.

use super::{finds, parts};
use delivery::{DestinationDriver, MarkMode, Marks};
use intake::{ListenAddress, SourceDriver};
use message::{Ack, Batch, Message, Origin, Stamp};
use std::{sync::Arc, time::Duration};
use wire::Framing;

#[test]
fn options_of_sources_reach_the_relay() {
    let parts = parts(
        "options { create-dirs(yes); dir-perm(0750); dns-cache-hosts(\"/etc/known\"); };
         source s {
             network(port(syslog) flags(empty-lines, ignore-aux-data) use-syslogng-pid(yes));
             network(port(\"syslog-tls\") transport(\"text-with-nuls\"));
             network(port(601) transport(framed));
             unix-stream(\"/run/x/log\");
             pipe(\"/run/x/pipe\" create-dirs(no) pad-size(2048));
             system(exclude-kmsg(yes));
         };
         log { source(s); destination { stdout(); }; };",
    );
    let [tcp, nuls, framed, unix, pipe, system] = parts.sources.as_slice() else { panic!("six") };
    let port = |spec: &intake::SourceSpec| match &spec.driver {
        SourceDriver::Stream(listener) => match &listener.address {
            ListenAddress::Ip(address) => address.port(),
            ListenAddress::Unix(_) => 0,
        },
        _ => 0,
    };
    assert_eq!((port(tcp), port(nuls), port(framed)), (514, 6514, 601));
    assert!(tcp.options.keeps_empty_lines && tcp.options.ignores_peer_values && tcp.options.own_pid);
    assert!(!nuls.options.keeps_empty_lines && !nuls.options.ignores_peer_values && !nuls.options.own_pid);
    assert_eq!((nuls.options.framing, framed.options.framing), (Framing::NewlineOnly, Framing::OctetCounted));
    assert_eq!(tcp.options.hosts.hosts_file.as_deref(), Some(std::path::Path::new("/etc/known")));
    let SourceDriver::Stream(unix) = &unix.driver else { panic!("a stream") };
    assert_eq!(unix.folders.as_ref().and_then(|folders| folders.mode), Some(0o750));
    assert_eq!(pipe.options.framing, Framing::Blocks(2048));
    let SourceDriver::Pipe(pipe) = &pipe.driver else { panic!("a pipe") };
    assert!(pipe.folders.is_none());
    assert!(matches!(system.driver, SourceDriver::System { with_kernel: false }));
}

/// Returns what the first destination of a configuration writes of `a text`.
fn written(config: &str) -> Vec<u8> {
    let mut parts = parts(config);
    let mut batch =
        Batch::new(Arc::default(), vec![Arc::new(Origin::default())], Stamp::default(), Ack::none());
    let mut message = Message::default();
    message.text = batch.add_extra(b"a text");
    batch.messages.push(message);
    let mut out = Vec::new();
    let template = &mut parts.destinations[0].rendering.template;
    template.begin(Stamp::default());
    template.render(&batch, 0, 1, &mut out);
    out
}

/// Checks what one destination writes of a message.
#[track_caller]
fn check_written(options: &str, want: &[u8]) {
    let config = format!(
        "destination d {{ file(\"/x\" template(\"$MSG\\n\") {options}); }};
         log {{ source {{ stdin(); }}; destination(d); }};"
    );
    assert_eq!(written(&config), want, "{options}");
}

#[test]
fn messages_have_the_size_that_is_asked_for() {
    check_written("", b"a text\n");
    check_written("truncate-size(4)", b"a t\n");
    check_written("truncate-size(7)", b"a text\n");
    check_written("truncate-size(-1)", b"a text\n");
    check_written("pad-size(9)", b"a text\n\0\0");
    check_written("truncate-size(4) pad-size(5)", b"a t\n\0");
}

#[track_caller]
fn check_marks(globals: &str, driver: &str, want: Option<(MarkMode, u64)>) {
    let parts = parts(&format!(
        "options {{ {globals} }};
         log {{ source {{ stdin(); }}; destination {{ {driver}; }}; }};"
    ));
    let want = want.map(|(mode, seconds)| Marks { mode, every: Duration::from_secs(seconds) });
    assert_eq!(parts.destinations[0].queueing.marks, want, "{globals} {driver}");
}

#[test]
fn marks_are_written_where_they_are_asked_for() {
    check_marks("", "tcp(\"h\")", Some((MarkMode::HostIdle, 1200)));
    check_marks("", "file(\"/x\")", None);
    check_marks("mark-freq(0);", "tcp(\"h\")", None);
    check_marks("mark-mode(none);", "tcp(\"h\")", None);
    check_marks("mark-mode(internal);", "syslog(\"h\")", None);
    check_marks("mark-mode(periodical); mark(30);", "udp(\"h\")", Some((MarkMode::Periodical, 30)));
    check_marks("mark-freq(30);", "file(\"/x\" mark-mode(dst_idle))", Some((MarkMode::DestinationIdle, 30)));
    check_marks("", "file(\"/x\" mark-mode(global) mark-freq(5))", Some((MarkMode::HostIdle, 5)));
}

#[test]
fn what_is_done_by_the_way_is_told() {
    let periodic_tasks = |text: &str| {
        let periodic_tasks = parts(&format!(
            "options {{ {text} }}; log {{ source {{ stdin(); }}; destination {{ stdout(); }}; }};"
        ))
        .periodic_tasks;
        let seconds = |every: Option<Duration>| every.map(|every| every.as_secs());
        (seconds(periodic_tasks.statistics), seconds(periodic_tasks.marks), periodic_tasks.level)
    };
    assert_eq!(periodic_tasks(""), (Some(600), None, None));
    assert_eq!(periodic_tasks("stats-freq(0);"), (None, None, None));
    assert_eq!(
        periodic_tasks("stats(freq(10)); log-level(debug);"),
        (Some(10), None, Some("DEBUG".to_owned()))
    );
    assert_eq!(periodic_tasks("stats(level(2)); stats-freq(5);").0, Some(5));
    assert_eq!(periodic_tasks("mark-mode(internal); mark-freq(7);"), (Some(600), Some(7), None));
}

#[test]
fn hooks_and_files_have_their_options() {
    let parts = parts(
        "source s { tcp(port(514) hook-commands(setup(\"up\") teardown(\"down\"))); };
         destination d {
             file(\"/x.gz\" compress(yes) owner() hook-commands(startup(\"first\") shutdown(\"last\")));
             http(url(\"https://h/\") ca-file(\"/ca.pem\") peer-verify(no) ssl-version(\"tlsv1_3\"));
         };
         log { source(s); destination(d); };",
    );
    let hooks: Vec<_> = parts
        .hooks
        .iter()
        .map(|hook| {
            (
                hook.id.as_str(),
                [&hook.startup, &hook.setup, &hook.teardown, &hook.shutdown]
                    .map(|command| command.as_deref().unwrap_or("-")),
            )
        })
        .collect();
    assert_eq!(hooks.len(), 2);
    assert!(hooks.contains(&("s#0", ["-", "up", "down", "-"])));
    assert!(hooks.contains(&("d#0", ["first", "-", "-", "last"])));
    let DestinationDriver::File(file) = &parts.destinations[0].driver else { panic!("a file") };
    assert!(file.compress);
    let DestinationDriver::Receiver(_) = &parts.destinations[1].driver else { panic!("http") };
}

#[test]
fn filters_ask_for_sources_by_pattern_and_compare_types() {
    let path = |filter: &str| {
        format!(
            "source s {{ stdin(); }}; log {{ source(s); filter {{ {filter}; }}; destination {{ stdout(); }}; }};"
        )
    };
    finds(&path("source(\"s*\" type(glob))"), &[]);
    finds(&path("source(s flags(prefix))"), &[]);
    finds(&path("\"$PRI\" === \"5\" and \"$HOST\" !== \"x\""), &[]);
    finds(&path("source(t)"), &["main.conf:3:57: warning: no source is called `t`: this never holds"]);
    finds(
        "log { source { tcp(port(gopher)); }; destination { stdout(); }; };",
        &["main.conf:3:25: error: this value does not fit"],
    );
}

#[test]
fn priorities_that_cannot_be_set_get_a_warning() {
    let path = |rule: &str| {
        format!("log {{ source {{ stdin(); }}; rewrite {{ {rule}; }}; destination {{ stdout(); }}; }};")
    };
    let usable = [
        "set-severity(warn)",
        "set-severity(\"$X\")",
        "set-severity(7)",
        "set-facility(local3)",
        "set-pri(\"300\")",
    ];
    usable.iter().for_each(|rule| finds(&path(rule), &[]));
    let rows = [
        ("set-severity(\"nonsense\")", "\"nonsense\" is not a severity"),
        ("set-severity(\"8\")", "\"8\" is not a severity"),
        ("set-facility(\"local9\")", "\"local9\" is not a facility"),
        ("set-pri(\"1024\")", "\"1024\" is not a priority, 0 to 1023"),
        ("set-pri(\"mail.info\")", "\"mail.info\" is not a priority, 0 to 1023"),
    ];
    for (rule, reason) in rows {
        let column = 38 + rule.find('"').unwrap();
        let wanted =
            format!("main.conf:3:{column}: warning: {reason}: the rule leaves every message as it is");
        finds(&path(rule), &[&wanted]);
    }
}

#[test]
fn names_of_files_have_a_zone_of_their_own() {
    let name = |globals: &str, options: &str| {
        let config = format!(
            "options {{ {globals} }};
             log {{ source {{ stdin(); }}; destination {{ file(\"/x/$HOUR\" {options}); }}; }};"
        );
        let mut parts = parts(&config);
        let DestinationDriver::File(file) = &mut parts.destinations[0].driver else { panic!("a file") };
        let mut batch =
            Batch::new(Arc::default(), vec![Arc::new(Origin::default())], Stamp::default(), Ack::none());
        let event = Stamp::known(12 * 3600 * 1_000_000, 3600);
        let mut message = Message::default();
        message.event = event;
        batch.messages.push(message);
        let mut out = Vec::new();
        file.name.begin(Stamp::default());
        file.name.render_name(&batch, 0, 1, &mut out);
        String::from_utf8(out).unwrap()
    };
    assert_eq!(name("", ""), "/x/13");
    assert_eq!(name("time-zone(\"UTC\");", "time-zone(\"UTC\")"), "/x/13");
    assert_eq!(name("local-time-zone(\"UTC\");", ""), "/x/12");
    assert_eq!(name("local-time-zone(\"UTC\");", "local-time-zone(\"Asia/Tokyo\")"), "/x/21");
}

#[test]
fn blocks_of_services_are_there() {
    let uses = |driver: &str| format!("log {{ source {{ stdin(); }}; destination {{ {driver}; }}; }};");
    finds(&uses("getvirtconsole()"), &[]);
    finds(&uses("logmatic(token(\"t\"))"), &[]);
    finds(&uses("ewmm(ip(\"h\"))"), &[]);
    for source in [
        "snmptrap(filename(\"/x\"))",
        "sonarr(dir(\"/x\"))",
        "pihole-ftl()",
        "qbittorrent(dir(\"/x\"))",
        "jellyfin(base-dir(\"/x\") filename-pattern(\"*\"))",
        "ewmm(port(9) flags(no-hostname))",
    ] {
        finds(&format!("log {{ source {{ {source}; }}; destination {{ stdout(); }}; }};"), &[]);
    }
}

/// Checks the findings about one destination, without their positions.
#[track_caller]
fn check_said(driver: &str, want: &[&str]) {
    let config = format!("log {{ source {{ stdin(); }}; destination {{ {driver}; }}; }};");
    let checked = super::check(std::path::Path::new("main.conf"), &super::memory(&config));
    let line = |finding: &config::Diagnostic| finding.one_line(checked.texts());
    let said: Vec<String> = checked.report.findings().iter().map(line).collect();
    let bare: Vec<&str> =
        said.iter().map(|line| line.splitn(4, ':').nth(3).unwrap_or_default().trim()).collect();
    assert_eq!(bare, want, "{driver}");
}

#[test]
fn options_of_no_use_are_told() {
    check_said(
        "network(\"h\" local-time-zone(\"UTC\") persist-name(\"x\"))",
        &["warning: `local-time-zone()` has no effect: this network() has no use for it"],
    );
    check_said("file(\"/x\" local-time-zone(\"UTC\"))", &[]);
    check_said(
        "gelf(\"h\" spoof-source(yes))",
        &["warning: `spoof-source()` has no effect: this gelf() has no use for it"],
    );
    check_said(
        "http(url(\"http://h\") template(\"x\") ca-file(\"/ca\"))",
        &["warning: `template()` has no effect: this http() has no use for it"],
    );
    let source = |driver: &str, want: &[&str]| {
        finds(&format!("log {{ source {{ {driver}; }}; destination {{ stdout(); }}; }};"), want);
    };
    source(
        "udp(max-connections(5))",
        &["main.conf:3:20: warning: `max-connections()` has no effect: this udp() has no use for it"],
    );
    source(
        "network(transport(\"tls\") tls(cert-file(\"/c\") key-file(\"/k\") ocsp-stapling-verify(yes)))",
        &[
            "main.conf:3:76: warning: `ocsp-stapling-verify()` has no effect in a source: servers show OCSP answers, not clients",
        ],
    );
    source(
        "tcp(max-handshakes(5) max-connections-per-address(5))",
        &["main.conf:3:20: warning: `max-handshakes()` has no effect: this tcp() has no use for it"],
    );
    // An option that a block passes to all its drivers need not apply to every one of them.
    source("tcp(max-connections(5)); default-network-drivers(max-connections(5))", &[]);
    source(
        "file(\"/x\" pad-size(64) format(\"pacct\"))",
        &["main.conf:3:26: error: `pad-size()` is about text, and records of pacct are none"],
    );
}

#[test]
fn lines_that_are_sealed_keep_their_size() {
    let file = |more: &str| format!("file(\"/x\" template(\"$(slog -k /k -m /m $MSG)\") {more})");
    check_said(&file("pad-size(0) truncate-size(-1)"), &[]);
    for option in ["pad-size", "truncate-size"] {
        check_said(
            &file(&format!("{option}(9)")),
            &[&format!(
                "error: `{option}()` would change lines that $(slog) has sealed: they could not be verified any more"
            )],
        );
    }
}

#[test]
fn loki_is_told_what_its_api_wants() {
    let loki = |url: &str, labels: &str| format!("loki(url(\"{url}\") labels({labels}))");
    check_said(&loki("h:9095", "\"a\" => \"b\""), &[]);
    check_said(&loki("h/x", "\"a\" => \"b\""), &["error: `h/x` is no address of a server"]);
    check_said(&loki("http://h", "\"a-b\" => \"b\""), &["error: `a-b` cannot be the name of a label"]);
    check_said(&loki("http://h", ""), &["error: Loki takes nothing without labels: give at least one"]);
    let mut parts = parts(&format!(
        "log {{ source {{ stdin(); }}; destination {{ {}; }}; }};",
        loki("http://h:3100/", "\"app\" => \"$PROGRAM\", \"none\" => \"$nothing\", \"q\" => \"\\\"\"")
            .trim_end_matches(')')
            .to_owned()
            + ") template(\"$MSG\") timestamp(received))"
    ));
    let spec = &mut parts.destinations[0];
    let DestinationDriver::Receiver(receiver) = &spec.driver else { panic!("a receiver") };
    assert_eq!(receiver.instance(), "http,http://h:3100/loki/api/v1/push");
    let mut batch = Batch::new(
        Arc::default(),
        vec![Arc::new(Origin::default())],
        Stamp::known(1_500_000, 0),
        Ack::none(),
    );
    let mut message = Message::default();
    message.text = batch.add_extra(b"a \"text\"\xff");
    message.program = batch.add_extra(b"app");
    batch.messages.push(message);
    let mut out = Vec::new();
    spec.rendering.template.begin(Stamp::default());
    spec.rendering.template.render(&batch, 0, 1, &mut out);
    let want = "{\"values\":[[\"0000000001500000000\",\"a \\\"text\\\"\u{fffd}\"]],\"stream\":{\"app\":\"app\",\"q\":\"\\\"\"}}";
    assert_eq!(String::from_utf8_lossy(&out), want);
}

#[test]
fn settings_of_a_file_in_javas_form_are_taken() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("kafka.properties");
    let kafka = format!(
        "kafka(bootstrap-servers(\"h\") topic(\"t\") properties-file(\"{}\"))",
        path.to_str().unwrap()
    );
    let said = |text: &str, want: &str| {
        std::fs::write(&path, text).unwrap();
        let want = format!("error: {want}").replace("FILE", path.to_str().unwrap());
        check_said(&kafka, &[&want]);
    };
    std::fs::write(&path, "# as Java has it\nacks=all\nkey.serializer=x\nlinger.ms=5\n").unwrap();
    check_said(&kafka, &[]);
    said(
        "acks=all\n\nacks=0\n",
        "`acks` in line 3 of `FILE`: `acks` cannot be set here: without acknowledgements, what a broker loses is lost in silence",
    );
    said(
        "ssl.truststore.location=/k.jks\n",
        "`ssl.truststore.location` in line 1 of `FILE`: only clients in Java have it",
    );
    said(
        "no.such=1",
        "`no.such` in line 1 of `FILE`: `no.such` is refused by librdkafka: No such configuration property: \"no.such\"",
    );
    said(&"#".repeat((1 << 20) + 1), "`FILE` cannot be read: file too large");
}

#[test]
fn traps_are_put_together_as_written() {
    let trap = "trap-obj(\".1.3.6.1.6.3.1.1.4.1.0\" \"Objectid\" \".1.3.6.1.6.3.1.1.5.3\")";
    let snmp = |more: &str| format!("snmp(host(\"h\") {trap} {more})");
    let text = "snmp-obj(\".1.3.1\", \"Octetstring\", \"$MSG\")";
    check_said(&snmp(text), &[]);
    check_said(&snmp(""), &["error: `snmp()` needs `snmp-obj()`"]);
    check_said(
        &snmp("snmp-obj(\"x\" \"integer\" \"1\")"),
        &["error: this is no name of an object: numbers with dots between them"],
    );
    check_said(&snmp("snmp-obj(\"1.3.1\" \"gauge\" \"1\")"), &["error: this is no type of an object"]);
    check_said(
        &snmp("snmp-obj(\"1.3.1\" \"integer\")"),
        &["error: `snmp-obj()` takes a name, a type and a template"],
    );
    check_said(
        &snmp(&format!("{text} version(\"v3\")")),
        &["error: version 3 of SNMP is not supported yet: its keys and engines are not known here"],
    );
    let out = written(&format!("log {{ source {{ stdin(); }}; destination {{ {}; }}; }};", snmp(text)));
    assert!(out.starts_with(&[0x30, 63, 2, 1, 1, 4, 6]), "{out:02x?}");
    assert!(out.ends_with(b"\x06\x02\x2b\x01\x04\x06a text"), "{out:02x?}");
}

#[track_caller]
fn check_limits(options: &str, want: (usize, Option<usize>, (usize, Option<usize>))) {
    let config = format!("log {{ source {{ network({options}); }}; destination {{ stdout(); }}; }};");
    let shown = |limits: intake::CountLimits| (limits.total, limits.per_peer);
    let limits = match &parts(&config).sources[0].driver {
        SourceDriver::Stream(listener) => {
            (listener.connections.total, listener.connections.per_peer, shown(listener.handshakes))
        }
        SourceDriver::Datagram(listener) => {
            (listener.connections.total, listener.connections.per_peer, shown(listener.handshakes))
        }
        _ => panic!("no listener"),
    };
    assert_eq!(limits, want, "{options}");
}

#[test]
fn listeners_have_limits_by_address() {
    let handshakes = (256, Some(32));
    check_limits("", (10, None, handshakes));
    check_limits("max-connections(20) max-connections-per-address(5)", (20, Some(5), handshakes));
    check_limits("max-connections-per-address(0)", (10, None, handshakes));
    let tls = "tls(cert-file(\"/c\") key-file(\"/k\") peer-verify(no))";
    let some = "max-connections-per-address(5) max-handshakes(9) max-handshakes-per-address(3)";
    check_limits(&format!("transport(tls) {tls} {some}"), (10, Some(5), (9, Some(3))));
    check_limits(&format!("transport(auto) {tls} {some}"), (10, Some(5), (9, Some(3))));
    check_limits(&format!("transport(dtls) {tls} {some}"), (1_000, Some(5), (9, Some(3))));
}

#[test]
fn a_queue_on_disk_belongs_to_one_destination() {
    let buffer = "disk-buffer(capacity-bytes(10M) dir(\"/q\")) persist-name(\"p\")";
    finds(
        &format!(
            "log {{ source {{ stdin(); }}; destination {{ tcp(\"h\" {buffer}); udp(\"h\" {buffer}); }}; }};"
        ),
        &[
            "main.conf:3:121: error: another destination keeps its queue in `/q/p` too: give each a persist-name() of its own",
        ],
    );
}

#[test]
fn a_queue_on_disk_does_not_drop_the_oldest() {
    let with = |policy: &str, buffer: &str| {
        format!("log {{ source {{ stdin(); }}; destination {{ tcp(\"h\" on-full({policy}) {buffer}); }}; }};")
    };
    let buffer = "disk-buffer(capacity-bytes(10M))";
    for policy in ["hold", "drop-newest", "drop-lowest-severity", "drop_lowest_severity"] {
        finds(&with(policy, buffer), &[]);
    }
    finds(&with("drop-oldest", ""), &[]);
    finds(
        &with("drop-oldest", buffer),
        &[
            "main.conf:3:71: error: on-full(drop-oldest) is not possible with `disk-buffer()`: a queue on disk does not take out what it has; drop-newest, drop-lowest-severity and hold are possible, and with shared() drop-oldest too",
        ],
    );
}
