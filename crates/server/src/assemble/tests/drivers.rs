//! Drivers and steps with their options: what becomes of them, in files of `testdata`.

use super::*;
use crate::terminal::testing::golden;
use std::fmt::{Debug, Write};

/// Lines that go through each configuration.
const LINES: [&str; 3] = [
    "<13>Nov 21 03:00:00 web app[7]: user=eva port=22 card=4111111111111111\n",
    "<11>1 2026-11-21T03:00:01.123456+02:00 db app 8 ID1 [a@1 b=\"c\"] it failed\n",
    "<38>Nov 21 03:00:02 gw cron: 10.0.0.1,200,\"x y\"\n",
];

/// Returns the findings of a configuration; none is an empty text.
fn findings(text: &str) -> String {
    let checked = check(Path::new("main.conf"), &memory(text));
    checked.report.findings().iter().map(|finding| finding.one_line(checked.texts()) + "\n").collect()
}

/// Returns the parts of a configuration, when it has no error.
fn parts_of(text: &str) -> Option<Parts> {
    let mut checked = check(Path::new("main.conf"), &memory(text));
    let environment = Environment { looks_up: true, ..Environment::for_check() };
    build(&checked.tree, &environment, &mut checked.report)
}

fn driver_of(spec: &mut delivery::DestinationSpec) -> Vec<String> {
    let lines = |value: &dyn Debug| vec![format!("{value:?}")];
    match &spec.driver {
        DestinationDriver::File(file) => vec![
            format!("{} folders={} {:?}", file.trusted_prefix, file.create_folders, file.permissions),
            format!("{:?} reap={:?} fsync={}", file.folder_permissions, file.reap_after, file.fsync),
            format!("{:?} {:?} {:?}", file.overwrite_if_older, file.rotation, file.link),
            format!("compress={} open={}", file.compress, file.open_files_max),
        ],
        DestinationDriver::Socket(target) => lines(target),
        DestinationDriver::Spoof(target) => lines(target),
        DestinationDriver::Relp(target) => lines(target),
        DestinationDriver::Gelf(target) => lines(target),
        DestinationDriver::Mail(target) => vec![
            format!("{:?}", target.socket),
            format!("starttls={} {:?}", target.starttls.is_some(), target.login),
            format!("{:?} {}", target.answer_within, target.retries),
        ],
        DestinationDriver::Pipe(target) => lines(target),
        DestinationDriver::Pseudofile(target) => lines(target),
        DestinationDriver::Program(target) => lines(target),
        DestinationDriver::Terminals(target) => lines(target),
        DestinationDriver::Receiver(receiver) => {
            let mut lines = vec![format!("{} {:?}", receiver.instance(), receiver.limits())];
            lines.extend(receiver.settings());
            lines
        }
        DestinationDriver::Stdout => Vec::new(),
    }
}

fn source_of(spec: &intake::SourceSpec) -> Vec<String> {
    let driver: &dyn Debug = match &spec.driver {
        SourceDriver::Stream(listener) => listener,
        SourceDriver::Datagram(listener) => listener,
        SourceDriver::File(file) => file,
        SourceDriver::Wildcard(files) => files,
        SourceDriver::Pipe(pipe) => pipe,
        SourceDriver::Program(program) => program,
        SourceDriver::Journal(journal) => journal,
        SourceDriver::Generator(generator) => {
            return vec![format!("{} {:?} {:?}", generator.count, generator.every, generator.values)];
        }
        SourceDriver::Stdin | SourceDriver::Internal | SourceDriver::System { .. } => &"",
    };
    let options = &spec.options;
    vec![
        format!("{driver:?}"),
        format!("{:?} {:?} {:?}", options.form, options.framing, options.decode.flags),
        format!(
            "{:?} {:?}",
            options.decode.zone.iana_name(),
            (options.decode.default_pri, options.decode.keep_timestamp, &options.decode.sdata_prefix)
        ),
        format!("{} {:?} {:?}", options.message_bytes_max, options.multi_line, options.multi_line_timeout),
        format!("{:?} {:?} {:?}", options.encoding.is_some(), options.oversize, options.window),
        format!("{:?} {:?}", options.hosts, options.program_override),
        format!("pid={} optional={}", options.own_pid, options.optional),
        format!("empty={} peer={}", options.keeps_empty_lines, options.ignores_peer_values),
        format!("{:?} {}", options.tags, options.rcptid.is_some()),
    ]
}

/// The part of a configuration that rows are about.
#[derive(Clone, Copy, PartialEq)]
enum About {
    Source,
    Destination,
    Steps,
}

/// Shows what becomes of rows: a driver or a step each, and the configuration that it stands in.
fn check_rows(name: &str, about: About, rows: &[&str], around: impl Fn(&str) -> String) {
    let mut shown = String::new();
    for row in rows {
        let text = around(row);
        write!(shown, "{row}\n{}", findings(&text).replace("main.conf:", "  ")).unwrap();
        let Some(mut parts) = parts_of(&text) else { continue };
        for spec in parts.sources.iter().filter(|_| about == About::Source) {
            source_of(spec).iter().for_each(|line| writeln!(shown, "  {line}").unwrap());
        }
        for spec in parts.destinations.iter_mut().filter(|_| about == About::Destination) {
            let lines = driver_of(spec);
            lines.iter().for_each(|line| writeln!(shown, "  {line}").unwrap());
            writeln!(shown, "  {:?}", spec.queueing).unwrap();
        }
        let mut lines = written(&mut parts, &LINES);
        if row.starts_with("parallelize") {
            // Each lane has an order of its own.
            lines.sort();
        }
        for line in lines {
            writeln!(shown, "  > {}", line.escape_debug()).unwrap();
        }
    }
    golden::check(name, &shown);
}

#[test]
fn destinations_have_their_options() {
    let rows = [
        "file(\"/x/$HOST\" create-dirs(yes) owner(0) group(7) perm(0640) dir-owner(root) dir-group(8) dir-perm(0750))",
        "file(\"/x\" fsync(yes) overwrite-if-older(60) logrotate(enable(yes) size(5M) rotations(3)) symlink-as(\"/l\"))",
        "file(\"/x\" logrotate(enable(no)) time-reap(5) compress(yes) create-dirs(no) owner(-2) perm())",
        "file(\"/x/$YEAR\" time-reap(0) template(\"$ISODATE $MSG\\n\") time-zone(\"Asia/Tokyo\") frac-digits(3))",
        "file(\"/x\" template(\"$(format-json --scope rfc5424)\\n\") template-escape(yes) ts-format(iso))",
        "pipe(\"/p\" owner(0) group(0) perm(0600) create-dirs(yes))",
        "program(\"cat\" template(\"$MSG\\n\") keep-alive(yes) inherit-environment(no))",
        "pseudofile(\"/dev/x\" template(\"$MSG\"))",
        "usertty(\"eva\")",
        "stdout(template(\"$PROGRAM\\n\"))",
        "network(\"h\" port(99) transport(tcp) localip(127.0.0.1) localport(98) so-sndbuf(9000) so-keepalive(no) keep-alive(no))",
        "network(\"h\" tcp-keepalive-time(5) tcp-keepalive-intvl(6) tcp-keepalive-probes(7) ip-tos(8) ip-ttl(9) interface(\"lo\"))",
        "network(\"h\" transport(udp) ip-freebind(yes) ip-protocol(6) time-reopen(7) log-fifo-size(8) throttle(9) suppress(10))",
        "network(\"h\" failover(servers(\"b:7\", \"[::1]:8\", \"c\") failback(tcp-probe-interval(30) successful-probes-required(2))))",
        "network(\"h\" transport(tls) tls(peer-verify(no) sni(yes) cipher-suite(tls13(\"TLS_AES_128_GCM_SHA256\")) ssl-version(\"tlsv1_3\")))",
        "network(\"h\" transport(tls))",
        "udp(\"h\" spoof-source(yes) spoof-source-max-msglen(900))",
        "udp6(\"::1\")",
        "tcp6(\"::1\" port(7))",
        "syslog(\"h\" transport(tcp) port(6) persist-name(\"p\"))",
        "syslog(\"h\" transport(udp))",
        "syslog(\"h\" transport(tls) tls(peer-verify(no)))",
        "relp(\"h\" port(7) tls(peer-verify(no)))",
        "unix-stream(\"/s\" so-sndbuf(5))",
        "unix-dgram(\"/s\")",
        "gelf(\"h\" port(7) compression(none) chunk-size(900))",
        "gelf(\"h\" transport(tcp))",
        "gelf(\"h\" compression(zlib) persist-name(\"g\"))",
        "network-load-balancer(targets(\"a\", \"b:7\") port(9) template(\"$MSG\\n\"))",
        "network-load-balancer(targets(\"a b c\") failover(no))",
        "network-load-balancer(targets(\"\"))",
        "network-load-balancer(targets(\"a\", \"b\") transport(udp))",
        "http(url(\"http://h/$HOST\" \"http://g\") method(\"put\") headers(\"A: b\" \"C:d\") user(\"u\") password(\"p\") user-agent(\"x\"))",
        "http(url(\"http://h\") batch-lines(5) batch-bytes(6k) batch-timeout(7) workers(8) retries(9) time-reopen(3) timeout(4))",
        "http(url(\"http://h\") body(\"$MSG\") body-prefix(\"[\") body-suffix(\"]\") delimiter(\",\") content-compression(\"gzip\"))",
        "http(url(\"http://h\") response-action(400 => drop, 500 => retry, 404 => success) accept-redirects(yes) proxy(\"http://p:3128\"))",
        "http(url(\"http://h\") response-action(9 => drop))",
        "http(url(\"http://h\") response-action(400 => jump))",
        "http(url(\"h\"))",
        "http(url(\"http://h\") headers(\"none\"))",
        "http(url(\"http://h/_bulk\") item-results(auto) item-ids(no) content-compression(\"deflate\"))",
        "http(url(\"http://h\") item-results(yes) proxy(\"nonsense://\"))",
        "loki(url(\"http://h:3100\") labels(\"app\" => \"$PROGRAM\", \"b\" => \"\") tenant-id(\"t\") timestamp(msg))",
        "loki(url(\"http://h:3100/loki/api/v1/push\") labels(\"app\" => \"x\") timestamp(received) workers(3) batch-lines(9))",
        "loki(url(\"http://h\") labels(\"app\" => \"x\") timestamp(current))",
        "smtp(host(\"m\") port(26) from(\"a@b\") to(\"c@d\") subject(\"S $HOST\") body(\"$MSG\") header(\"Date\" \"now\") header(\"Message-ID\" \"<i>\"))",
        "smtp(host(\"m\") from(\"A\" \"a@b\") from(\"B\" \"b@b\") to(\"C\" \"c@d\") to(\"e@f\") cc(\"g@h\") bcc(\"i@j\") reply-to(\"k@l\") sender(\"s@t\") header(\"X-A\" \"$HOST\") header(\"Date\" \"d\") header(\"message-id\" \"i\") header(\"x-mailer\" \"m\") body(\"b\"))",
        "smtp(host(\"m\") from(\"a@b\") to(\"c@d\") user(\"u\") password(\"p\") header(\"Date\" \"d\") header(\"Message-ID\" \"i\"))",
        "smtp(host(\"m\") from(\"a@b\") to(\"c@d\") user(\"u\") transport(starttls) tls(peer-verify(no)) timeout(9) retries(5) header(\"Date\" \"d\") header(\"Message-ID\" \"i\"))",
        "smtp(host(\"m\") from(\"a@b\") to(\"c@d\") transport(tls) tls(peer-verify(no)) header(\"Date\" \"d\") header(\"Message-ID\" \"i\"))",
        "smtp(host(\"m\") from(\"a@b\") to(\"c@d\") tls(peer-verify(no)) header(\"Date\" \"d\") header(\"Message-ID\" \"i\"))",
        "smtp(host(\"m\") from(\"a@b\") to(\"c@d\" \"e\" \"f\"))",
        "smtp(host(\"m\") from(\"a@b\") to(\"c@d\") header(\"X Y\" \"v\"))",
        "smtp(host(\"m\") from(\"a@b\") to(\"c@d\") header(\"Subject\" \"v\"))",
        "smtp(host(\"m\") from(\"a@b\") to(\"c@d\") header(\"X\"))",
        "sql(type(sqlite3) database(\"/x.db\") table(\"t\") columns(\"a text\", \"b integer\") values(\"$MSG\", \"$PID\"))",
        "sql(type(sqlite3) database(\"/x.db\") table(\"t\") columns(\"a\") values(\"$MSG\", \"$PID\"))",
        "sql(type(nonsense) database(\"x\") table(\"t\") columns(\"a\") values(\"$MSG\"))",
        "snmp(host(\"h\") trap-obj(\"1.3.6.1.6.3.1.1.4.1.0\" \"Objectid\" \"1.3.6\") snmp-obj(\"1.3.1\" \"integer\" \"5\") version(\"v2c\") community(\"c\"))",
        "tcp(\"h\" disk-buffer(capacity-bytes(2M) reliable(yes) dir(\"/q\") flow-control-window-bytes(9M) prealloc(yes) truncate-size-ratio(0.5)))",
        "tcp(\"h\" disk-buffer(disk-buf-size(3M) mem-buf-size(2M) reliable(no) front-cache-size(20000)))",
        "tcp(\"h\" disk-buffer(reliable(yes)))",
        "network(\"h\" template(\"$MSG\") pad-size(90) truncate-size(80) flags(syslog-protocol))",
        "network(\"h\" port(0))",
        "network()",
    ];
    check_rows("assemble/destinations.txt", About::Destination, &rows, |row| {
        format!(
            "options {{ keep-hostname(yes); time-zone(\"UTC\"); }};\nlog {{ source {{ network(time-zone(\"UTC\")); }}; destination {{ {row}; }}; }};"
        )
    });
}

#[test]
fn sources_have_their_options() {
    let rows = [
        "network(ip(127.0.0.1) port(7) max-connections(8) listen-backlog(9) so-rcvbuf(900) so-keepalive(no) so-reuseport(yes))",
        "network(transport(udp) ip(127.0.0.1) so-broadcast(yes) ip-tos(3) flags(no-parse) tags(\"a\", \"b\"))",
        "network(transport(tls) tls(cert-file(\"/c\") key-file(\"/k\") peer-verify(optional-untrusted)) max-handshakes(9))",
        "network(transport(proxied-tcp) idle-timeout(9) flags(empty-lines, ignore-aux-data))",
        "network(log-msg-size(500) trim-large-messages(yes) log-iw-size(20000) log-fetch-limit(5) encoding(\"latin1\"))",
        "network(host-override(\"h\") program-override(\"p\") keep-hostname(yes) use-dns(no) use-fqdn(yes) dns-cache(no) normalize-hostnames(yes) chain-hostnames(yes))",
        "network(log-prefix(\"p: \") use-syslogng-pid(yes) time-zone(\"Asia/Tokyo\") keep-timestamp(no) default-facility(mail) default-level(debug) check-hostname(yes))",
        "network(flags(syslog-protocol, sanitize-utf8, guess-timezone, store-raw-message, dont-store-legacy-msghdr))",
        "network(multi-line-mode(prefix-garbage) multi-line-prefix(\"^a\") multi-line-garbage(\"b\") multi-line-timeout(5))",
        "network(multi-line-mode(indented) optional(yes))",
        "network(multi-line-mode(regexp) multi-line-prefix(\"(\"))",
        "network(encoding(\"nonsense\"))",
        "syslog(transport(udp))",
        "syslog(transport(tls) tls(cert-file(\"/c\") key-file(\"/k\") peer-verify(no)))",
        "tcp6(port(7))",
        "udp6()",
        "relp(port(7) max-connections(3) tls(cert-file(\"/c\") key-file(\"/k\") peer-verify(no)))",
        "gelf(transport(udp) port(7))",
        "gelf(transport(tls) tls(cert-file(\"/c\") key-file(\"/k\") peer-verify(no)))",
        "http(port(7) tokens(\"a\", \"b\") users(\"u\" => \"p\") prefix(\"/x\") acknowledge(received) max-request-size(900) timeout(5) idle-timeout(6))",
        "http(tls(cert-file(\"/c\") key-file(\"/k\") peer-verify(no)) max-bytes-in-work(9M) max-handshakes-per-address(3))",
        "unix-stream(\"/s\" owner(0) group(0) perm(0666) max-connections(3) create-dirs(yes))",
        "unix-dgram(\"/s\" owner(1) perm(0600) so-rcvbuf(900) optional(yes))",
        "file(\"/f\" follow-freq(2) read-old-records(yes) multi-line-mode(empty-line-separated))",
        "file(\"/f\" follow-freq(0) format(\"json\"))",
        "file(\"/f\" pad-size(64))",
        "file(\"/f\" pad-size(64) log-msg-size(1024) program-override(\"x\"))",
        "file(\"/proc/kmsg\")",
        "file(\"/dev/kmsg\")",
        "wildcard-file(base-dir(\"/d\") filename-pattern(\"*.log\") recursive(yes) max-files(9) follow-freq(3) monitor-method(poll) exclude-pattern(\"x*\"))",
        "wildcard-file(base-dir(\"/d\") filename-pattern(\"*\") monitor-method(inotify))",
        "pipe(\"/p\" owner(0) group(0) perm(0600) pad-size(2048) create-dirs(yes))",
        "program(\"date\" inherit-environment(no))",
        "stdin(flags(no-parse))",
        "systemd-journal(prefix(\".j.\") max-field-size(900) read-old-records(yes) match-boot(yes) matches(\"_COMM\" => \"sshd\", \"-x\" => \"y\") namespace(\"n\"))",
        "systemd-journal(folder(\"/j\") namespace(\"\"))",
        "internal(use-syslogng-pid(no))",
        "example-msg-generator(num(5) freq(0.5) template(\"x $HOST\") values(\"a\" => int(5), \"b\" => 7, \"c\" => 1.5, \"d\" => \"e\", \"f\" => nonsense(\"g\")))",
    ];
    check_rows("assemble/sources.txt", About::Source, &rows, |row| {
        format!(
            "options {{ time-zone(\"UTC\"); }};\nlog {{ source {{ {row}; }}; destination {{ file(\"/x\" template(\"$HOST $PROGRAM $MSG\\n\")); }}; }};"
        )
    });
}

#[test]
fn steps_have_their_options() {
    let rows = [
        "rewrite { set(\"x\" value(\"PROGRAM\")); };",
        "rewrite { set(\"$HOST \\\"q\\\"\" value(\"MESSAGE\") template-escape(yes)); };",
        "rewrite { set(\"x\" condition(host(web))); };",
        "rewrite { unset(value(\"PROGRAM\")); };",
        "rewrite { unset(); };",
        "rewrite { subst(\"(\\\\d+)\" \"<$1>\" value(\"MESSAGE\") flags(global)); };",
        "rewrite { subst(\"e\" \"E\" value(\"MESSAGE\") type(string)); };",
        "rewrite { subst(\"U*\" \"E\" value(\"MESSAGE\") type(glob) flags(ignore-case)); };",
        "rewrite { subst(\"x\" \"y\" type(posix)); };",
        "rewrite { subst(\"(\" \"y\" value(\"MESSAGE\")); };",
        "rewrite { set-tag(\"t-$HOST\"); }; rewrite { clear-tag(\"t-db\"); };",
        "rewrite { set-severity(\"debug\"); }; rewrite { set-facility(\"mail\"); };",
        "rewrite { set-pri(\"5\"); };",
        "rewrite { groupset(\"z\" values(\"HOST\", \"PRO*\")); };",
        "rewrite { groupunset(values(\"PRO*\")); };",
        "rewrite { set(\"v\" value(\"a.b\")); rename(\"a.b\" \"PROGRAM\"); };",
        "rewrite { set-matches(\"a,b\"); }; rewrite { set(\"$1-$2\" value(\"MESSAGE\")); };",
        "rewrite { set-matches(\"a,b\"); unset-matches(); set(\"[$1]\" value(\"MESSAGE\")); };",
        "rewrite { set-time-zone(\"Asia/Tokyo\"); };",
        "rewrite { fix-time-zone(\"Asia/Tokyo\"); };",
        "rewrite { set-time-zone(\"Mars/Olympus\"); };",
        "rewrite { guess-time-zone(); };",
        "rewrite { credit-card-mask(value(\"MESSAGE\")); };",
        "rewrite { credit-card-hash(value(\"MESSAGE\")); };",
        "rewrite { set(\"$ISODATE\" value(\"MESSAGE\") time-zone(\"Asia/Tokyo\") frac-digits(2)); };",
        "rewrite { set(\"x\" value(\"HOST\") value(\"PROGRAM\")); };",
        "rewrite { set(\"x\" value(\"SEVERITY\")); };",
        "parser { kv-parser(prefix(\".kv.\") pair-separator(\" \")); }; rewrite { set(\"${.kv.user}\" value(\"MESSAGE\")); };",
        "parser { kv-parser(value-separator(\":\") template(\"a:b\") extract-stray-words-into(\"stray\")); }; rewrite { set(\"$a ${stray}\" value(\"MESSAGE\")); };",
        "parser { csv-parser(columns(\"a\", \"b\", \"c\") flags(greedy) delimiters(\",\") quote-pairs('\"\"')); }; rewrite { set(\"$a|$b|$c\" value(\"MESSAGE\")); };",
        "parser { csv-parser(columns(a, b) dialect(escape-backslash) prefix(\"p.\") null(\"-\") drop-invalid(yes) template(\"1,-,3\")); }; rewrite { set(\"${p.a}${p.b}\" value(\"MESSAGE\")); };",
        "parser { csv-parser(columns(a) delimiters(chars(\";\") strings(\"::\")) flags(strip-whitespace, drop-invalid)); };",
        "parser { json-parser(prefix(\"j.\") template('{\"a\":{\"b\":1}}')); }; rewrite { set(\"${j.a.b}\" value(\"MESSAGE\")); };",
        "parser { json-parser(marker(\"@cee:\") extract-prefix(\"a\") template('@cee: {\"a\":{\"b\":1}}')); }; rewrite { set(\"$b\" value(\"MESSAGE\")); };",
        "parser { json-parser(); };",
        "parser { date-parser(format(\"%Y-%m-%d\") template(\"2020-01-02\") time-zone(\"UTC\")); }; rewrite { set(\"$S_ISODATE\" value(\"MESSAGE\")); };",
        "parser { date-parser(format(\"%Y\", \"%d\") template(\"2020\") time-stamp(recvd) flags(guess-timezone)); };",
        "parser { syslog-parser(template(\"<5>a: b\") flags(no-hostname) drop-invalid(yes)); };",
        "parser { regexp-parser(patterns(\"(?<n>\\\\d+)\") prefix(\"r.\")); }; rewrite { set(\"${r.n}\" value(\"MESSAGE\")); };",
        "parser { regexp-parser(patterns(\"(\")); };",
        "parser { regexp-parser(); };",
        "parser { xml(prefix(\"x.\") template(\"<a><b>c</b></a>\") strip-whitespaces(yes)); }; rewrite { set(\"${x.a.b}\" value(\"MESSAGE\")); };",
        "parser { xml(exclude-tags(\"b*\") template(\"<a><b>c</b><d>e</d></a>\") create-lists(no)); }; rewrite { set(\"${.xml.a.b}${.xml.a.d}\" value(\"MESSAGE\")); };",
        "parser { tags-parser(template(\"a,b\")); };",
        "parser { map-value-pairs(pair(\"n\" \"$HOST\") key(\"HOST\")); }; rewrite { set(\"$n\" value(\"MESSAGE\")); };",
        "parser { grouping-by(key(\"$HOST\") timeout(5) scope(host) where(host(web)) trigger(program(app)) aggregate(value(\"MESSAGE\" \"all of $HOST\") tags(\"agg\") inherit-mode(none)) inject-mode(pass-through)); };",
        "parser { grouping-by(key(\"$HOST\") aggregate(value(\"MESSAGE\" \"x\"))); };",
        "parser { group-lines(key(\"$HOST\") timeout(5) multi-line-mode(indented) line-separator(\"|\") template(\"$MSG\") scope(program)); };",
        "parser { metrics-probe(); };",
        "parser { metrics-probe(key(\"k\") labels(\"host\" => \"$HOST\", \"a\" => \"b\") increment(\"2\") level(1)); };",
        "parser { metrics-probe(labels(\"host\")); };",
        "parser { linux-audit-parser(prefix(\"a.\") template(\"type=X a=62\")); };",
        "parser { geoip2(\"$HOST\" database(\"/nowhere.mmdb\") prefix(\"g.\")); };",
        "parser { add-contextual-data(selector(\"$HOST\") database(\"/nowhere.csv\")); };",
        "parser { python(class(\"x\")); };",
        "parser { grok(match(\"%{IP:ip}\") template(\"10.0.0.1\")); }; rewrite { set(\"$ip\" value(\"MESSAGE\")); };",
        "parser { grok(match(\"%{NOSUCH:ip}\")); };",
        "filter { facility(user) and level(err..emerg); };",
        "filter { host(\"w\" type(string) flags(prefix)); };",
        "filter { not program(cron) or message(\"200\"); };",
        "filter { match(\"^it\" value(\"MESSAGE\")); };",
        "filter { match(\"eva\" template(\"$MSG\")); };",
        "filter { netmask(127.0.0.1/8); };",
        "filter { netmask6(\"::1\"); };",
        "filter { tags(\".source.s\"); };",
        "filter { source(\"s\"); };",
        "filter { in-list(\"/nowhere\" value(\"HOST\")); };",
        "filter { rate-limit(rate(1) template(\"$HOST\")); };",
        "filter { throttle(rate(2)); };",
        "filter { \"$PID\" > \"7\"; };",
        "filter { \"$PID\" eq \"7\" or \"$HOST\" =~ \"g\"; };",
        "filter { pri(11); };",
        "if (host(web)) { rewrite { set(\"one\" value(\"MESSAGE\")); }; } elif (host(db)) { rewrite { set(\"two\" value(\"MESSAGE\")); }; } else { filter { program(none); }; };",
        "if { filter { host(web); }; } else { rewrite { set(\"else\" value(\"MESSAGE\")); }; };",
        "junction { channel { filter { host(web); }; rewrite { set(\"a\" value(\"MESSAGE\")); }; flags(final); }; channel { rewrite { set(\"b\" value(\"MESSAGE\")); }; }; };",
        "channel { rewrite { set(\"c\" value(\"MESSAGE\")); }; };",
        "parallelize(partition-key(\"$HOST\") workers(2));",
        "parallelize(workers(3));",
    ];
    check_rows("assemble/steps.txt", About::Steps, &rows, |row| {
        format!(
            "options {{ keep-hostname(yes); time-zone(\"UTC\"); }};\nsource s {{ network(time-zone(\"UTC\") flags(guess-timezone)); }};\nlog {{ source(s); {row} destination {{ file(\"/x\" template(\"$PRI $HOST $PROGRAM|$MSG|$TAGS|$ISODATE\\n\")); }}; }};"
        )
    });
}

#[test]
fn the_page_has_its_options() {
    let rows = [
        "page(trusted-proxies(\"10.0.0.0/8\", \"nonsense\") proxy-header(forwarded))",
        "page(trusted-proxies(\"10.0.0.0/8\", \"::1\") proxy-header(forwarded) allowed-hosts(\"a\", \"b\"))",
        "page(session-lifetime(\"2h\") session-idle(\"5m\"))",
        "page(session-lifetime(\"0s\"))",
        "page(searches-memory(1G) search-memory(2G) exports(3) exports-per-user(2))",
        "page(searches-memory(1G))",
        "page(redirect-from(\"127.0.0.1:80\"))",
        "page(tls(cert-file(\"/c\") key-file(\"/k\")) redirect-from(\"127.0.0.1:80\", \"nonsense\"))",
        "page(tls(cert-file(\"/c\") key-file(\"/k\")) redirect-from(\"127.0.0.1:80\"))",
        "page(tls(cert-file(\"/c\") key-file(\"/k\") peer-verify(required-trusted) ca-file(\"/ca\")))",
        "page(tls(cert-file(\"/c\")))",
    ];
    let mut shown = String::new();
    for row in rows {
        let text =
            format!("options {{ {row}; }};\nlog {{ source {{ stdin(); }}; destination {{ stdout(); }}; }};");
        write!(shown, "{row}\n{}", findings(&text).replace("main.conf:", "  ")).unwrap();
        let Some(parts) = parts_of(&text) else { continue };
        writeln!(shown, "  {:?}\n  {:?}", parts.page, parts.page.limits.over(api::Limits::default()))
            .unwrap();
    }
    golden::check("assemble/page.txt", &shown);
}
