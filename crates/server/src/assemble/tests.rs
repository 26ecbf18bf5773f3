//! Rows about the way from a configuration to running parts: what is refused, the settings of sources and
//! destinations, and which message reaches which destination as which text.

mod brokers;
mod changes;
mod counted;
mod devices;
mod drivers;
mod manual;
mod options;
mod parsers;
mod versions;
mod views;

use super::{Environment, Parts, build, check};
use config::Memory;
use delivery::DestinationDriver;
use intake::SourceDriver;
use message::{Ack, Batch, Delivery, Origin, Outlet, Render, Selection, Span, Stamp, Transport, WriteBudget};
use std::{
    path::Path,
    sync::{Arc, Mutex},
};
use wire::{DecodeOptions, Decoder};

/// 2026-11-21T04:00:00Z, when everything is received.
const RECEIVED_US: i64 = 1_795_233_600_000_000;

fn memory(text: &str) -> Memory {
    Memory::default().file("main.conf", format!("@version: 4.8\n@include \"scl.conf\"\n{text}"))
}

/// The findings of a check, one a line.
#[track_caller]
fn finds(text: &str, want: &[&str]) {
    let checked = check(Path::new("main.conf"), &memory(text));
    let found: Vec<String> =
        checked.report.findings().iter().map(|finding| finding.one_line(checked.texts())).collect();
    assert_eq!(found, want);
}

#[track_caller]
fn parts(text: &str) -> Parts {
    let mut checked = check(Path::new("main.conf"), &memory(text));
    let environment = Environment { looks_up: true, ..Environment::for_check() };
    let parts = build(&checked.tree, &environment, &mut checked.report);
    parts.unwrap_or_else(|| panic!("{}", checked.report.render_plain(checked.texts())))
}

/// The sources and destinations that a configuration asks for, one a line.
#[track_caller]
fn makes(text: &str, want: &[&str]) {
    let parts = parts(text);
    let mut made: Vec<String> = parts.sources.iter().map(show_source).collect();
    made.extend(parts.destinations.iter().map(|spec| {
        let target = match &spec.driver {
            DestinationDriver::File(file) => {
                format!("{} reap={:?} mode={:?}", file.trusted_prefix, file.reap_after, file.permissions.mode)
            }
            DestinationDriver::Socket(socket) => format!("{:?} {:?}", socket.kind, socket.framing),
            DestinationDriver::Spoof(spoof) => format!("{:?} {}", spoof.socket.kind, spoof.message_bytes_max),
            DestinationDriver::Relp(relp) => format!("{:?} {:?}", relp.socket.kind, relp.response_within),
            DestinationDriver::Sltp(sltp) => format!("{:?} {:?}", sltp.socket.kind, sltp.options),
            DestinationDriver::Receiver(receiver) => {
                let letters = spec
                    .queueing
                    .dead_letters
                    .as_ref()
                    .map(|letters| (letters.capacity_bytes, letters.on_full));
                format!("{} {:?} {letters:?}", receiver.instance(), receiver.limits())
            }
            DestinationDriver::Gelf(gelf) => {
                format!("{:?} {:?} {}", gelf.socket.kind, gelf.packing, gelf.chunk_bytes)
            }
            DestinationDriver::Mail(mail) => {
                let (starts, login) = (mail.starttls.is_some(), &mail.login);
                format!(
                    "{:?} tls={} starttls={starts} {login:?}",
                    mail.socket.kind,
                    mail.socket.tls.is_some()
                )
            }
            DestinationDriver::Pipe(pipe) => pipe.path.display().to_string(),
            DestinationDriver::Pseudofile(file) => file.path.display().to_string(),
            DestinationDriver::Program(program) => program.command.clone(),
            DestinationDriver::Terminals(terminals) => terminals.user.clone(),
            DestinationDriver::Stdout => String::new(),
        };
        format!("to {} {} {target} queue={}", spec.id, spec.component, spec.queueing.messages_max)
    }));
    made.extend(parts.logspaces.iter().map(|space| format!("{space:?}")));
    assert_eq!(made, want);
}

fn show_source(spec: &intake::SourceSpec) -> String {
    let driver = match &spec.driver {
        SourceDriver::Stream(listener) => {
            format!("{:?} max={}", listener.address, listener.connections.total)
        }
        SourceDriver::Datagram(listener) => format!("{:?}", listener.address),
        SourceDriver::File(file) => format!("{} every {:?}", file.path.display(), file.poll_every),
        SourceDriver::Wildcard(files) => format!("{}/{}", files.folder.display(), files.pattern),
        SourceDriver::Pipe(pipe) => pipe.path.display().to_string(),
        SourceDriver::Program(program) => program.command.clone(),
        SourceDriver::Generator(generator) => format!("{} every {:?}", generator.count, generator.every),
        SourceDriver::Journal(journal) => format!("{journal:?}"),
        SourceDriver::Input(input) => input.instance(),
        SourceDriver::Stdin | SourceDriver::Internal | SourceDriver::System { .. } => String::new(),
    };
    format!("from {} {} {driver} {:?}", spec.id, spec.component, spec.options.framing)
}

/// A queue that collects which messages came.
#[derive(Default)]
struct Collected(Mutex<Vec<(Arc<Batch>, Selection, bool)>>);

impl Outlet for Collected {
    fn deliver(&self, delivery: Delivery, _budget: &WriteBudget) {
        let collected = (delivery.batch, delivery.selection, delivery.controlled);
        self.0.lock().expect("no test panics while it holds this").push(collected);
    }
}

/// Lines that come in by source `s`, and what each destination writes of them.
#[track_caller]
fn runs(text: &str, lines: &[&str], want: &[&str]) {
    assert_eq!(got(text, lines), want);
}

/// Returns the lines that each destination writes of some messages.
#[track_caller]
fn got(text: &str, lines: &[&str]) -> Vec<String> {
    written(&mut parts(text), lines)
}

/// Sends some lines in by the first source and returns what each destination writes of them.
fn written(parts: &mut Parts, lines: &[&str]) -> Vec<String> {
    let collected: Vec<Arc<Collected>> = parts.outlets.iter().map(|_| Arc::default()).collect();
    for ((_, outlet), collected) in parts.outlets.iter().zip(&collected) {
        outlet.connect(collected.clone());
    }
    let bytes = Arc::new(lines.concat().into_bytes());
    let origin = Origin { source: "s".into(), transport: Transport::Tcp, ..Origin::default() };
    let received = Stamp::known(RECEIVED_US, 0);
    let mut batch = Batch::new(bytes, vec![Arc::new(origin)], received, Ack::none());
    let options =
        parts.sources.first().map_or_else(DecodeOptions::default, |spec| spec.options.decode.clone());
    let mut decoder = Decoder::new(options);
    let mut at = 0;
    for line in lines {
        decoder.decode(&mut batch, Span::received(at, line.len()), message::Marks::default(), 0);
        at += line.len();
    }
    parts.sources[0].intake.take(batch, &WriteBudget::none());
    parts.lanes.iter().for_each(|lanes| lanes.drain());
    let mut got = Vec::new();
    for ((id, _), collected) in parts.outlets.iter().zip(&collected) {
        let spec =
            parts.destinations.iter_mut().find(|spec| spec.id == *id).expect("every outlet has its driver");
        for (batch, selection, controlled) in
            collected.0.lock().expect("no test panics while it holds this").iter()
        {
            for index in selection.iter() {
                let name = match &mut spec.driver {
                    DestinationDriver::File(file) => rendered(&mut *file.name, batch, index, true),
                    _ => id.clone(),
                };
                let text = rendered(&mut *spec.rendering.template, batch, index, false);
                got.push(format!("{name}{}: {text}", if *controlled { "!" } else { "" }));
            }
        }
    }
    got
}

fn rendered(template: &mut dyn Render, batch: &Batch, index: usize, is_name: bool) -> String {
    let mut out = Vec::new();
    template.begin(Stamp::known(RECEIVED_US, 0));
    match is_name {
        true => template.render_name(batch, index, 1, &mut out),
        false => template.render(batch, index, 1, &mut out),
    }
    String::from_utf8_lossy(&out).into_owned()
}

#[test]
fn refuses_what_the_parts_cannot_use() {
    finds(
        "filter f { host(\"a(\"); };",
        &["main.conf:3:19: error: wrong regular expression: missing closing parenthesis"],
    );
    finds(
        "filter f { netmask(\"10.0.0.0/99\"); };",
        &[
            "main.conf:3:20: warning: 10.0.0.0/99 is no network: write it like 10.0.0.0/8 or 10.0.0.0/255.0.0.0",
        ],
    );
    finds(
        "template t { template(\"\\\"\\x41$(nosuch x)\"); };",
        &["main.conf:3:32: error: unknown template function nosuch"],
    );
    finds("template t \"$(nosuch x)\";", &["main.conf:3:15: error: unknown template function nosuch"]);
    finds(
        "options { time-zone(\"Mars/Olympus\"); };\nlog { source { stdin(); }; destination { stdout(); }; };",
        &["main.conf:3:21: error: time zone `Mars/Olympus` is not known"],
    );
    finds("rewrite r { channel { rewrite(r); }; };", &["main.conf:3:9: error: rewrite `r` uses itself"]);
    finds(
        "destination d { logspace(\"../x\"); };",
        &["main.conf:3:26: error: `../x` cannot be the name of a logspace"],
    );
    finds(
        "destination d { udp(host localip(here)); };",
        &["main.conf:3:34: error: `here` is not an address of this machine"],
    );
    let doubling: String = (0..40)
        .map(|n| format!("rewrite r{} {{ channel {{ rewrite(r{n}); rewrite(r{n}); }}; }};\n", n + 1))
        .collect();
    let checked = check(
        Path::new("main.conf"),
        &memory(&format!("rewrite r0 {{ unset(value(\"a\")); }};\n{doubling}log {{ rewrite(r40); }};")),
    );
    assert!(!checked.report.is_usable());
    let chain = |item: fn(usize) -> String| (1..5000).rev().map(item).collect::<String>();
    let filters = chain(|n| format!("filter f{n} {{ not filter(f{}); }};\n", n - 1));
    let checked = check(Path::new("main.conf"), &memory(&format!("{filters}filter f0 {{ host(a); }};")));
    assert!(!checked.report.is_usable());
    let rules = chain(|n| format!("rewrite r{n} {{ channel {{ rewrite(r{}); }}; }};\n", n - 1));
    let checked =
        check(Path::new("main.conf"), &memory(&format!("{rules}rewrite r0 {{ unset(value(\"a\")); }};")));
    assert!(!checked.report.is_usable());
}

/// Rules of a logspace would see the alerts that they caused.
#[test]
fn alerts_do_not_go_into_a_logspace() {
    const WHY: &str =
        "error: messages of alerts() cannot go into a logspace: its rules would see their own alerts";
    let objects = "source a { alerts(); }; source n { network(); };\ndestination f { file(\"/x\"); }; destination l { logspace(\"main\"); };\n";
    let check = |paths: &str, places: &[&str]| {
        let wanted: Vec<String> = places.iter().map(|place| format!("main.conf:{place}: {WHY}")).collect();
        let wanted: Vec<&str> = wanted.iter().map(String::as_str).collect();
        finds(&format!("{objects}{paths}"), &wanted);
    };
    check("log { source(a); destination(f); }; log { source(n); destination(l); };", &[]);
    check("log { source(a); destination(l); };", &["5:30"]);
    check("log { source { alerts(); }; destination { logspace(\"x\"); }; };", &["5:29"]);
    check(
        "log { source(a); if (host(\"x\")) { log { destination(l); }; } else { destination(f); }; };",
        &["5:53"],
    );
    check(
        "log { junction { channel { source(a); }; channel { source(n); }; }; destination(l); };",
        &["5:81"],
    );
    check("log { destination(l); flags(catchall); };", &["5:19"]);
}

#[test]
fn makes_sources() {
    makes(
        "source s { network(); udp(port(5514)); tcp6(ip(\"::1\")); syslog(); };\nlog { source(s); };",
        &[
            "from s#0 network Ip(0.0.0.0:514) max=10 Newline",
            "from s#1 udp Ip(0.0.0.0:5514) Datagram",
            "from s#2 tcp6 Ip([::1]:514) max=10 Newline",
            "from s#3 syslog Ip(0.0.0.0:601) max=10 OctetCounted",
        ],
    );
    makes(
        "source s { default-network-drivers(udp-port(1514) log-iw-size(2000)); };\nlog { source(s); };",
        &[
            "from s#anon-source0#0 syslog Ip(0.0.0.0:601) max=10 OctetCounted",
            "from s#anon-source1#0 network Ip(0.0.0.0:1514) Datagram",
            "from s#anon-source1#1 network Ip(0.0.0.0:514) max=10 Newline",
        ],
    );
    makes(
        "log { source { file(\"/a\" follow-freq(0.5)); unix-stream(\"/u\" max-connections(3)); program(\"date\"); }; };",
        &[
            "from anon-source0#0 file /a every 500ms Newline",
            "from anon-source0#1 unix-stream Unix(\"/u\") max=3 Newline",
            "from anon-source0#2 program date Newline",
        ],
    );
    makes(
        "source s { relp(max-connections(3)); relp(port(20514) ip(127.0.0.1)); };\nlog { source(s); };",
        &[
            "from s#0 relp Ip(0.0.0.0:2514) max=3 Datagram",
            "from s#1 relp Ip(127.0.0.1:20514) max=10 Datagram",
        ],
    );
    makes(
        "source s { gelf(); gelf(transport(tcp) port(5)); };\nlog { source(s); };",
        &["from s#0 gelf Ip(0.0.0.0:12201) Datagram", "from s#1 gelf Ip(0.0.0.0:5) max=10 Nul"],
    );
    makes("source unused { network(); };", &[]);
    makes(
        "source s { network(transport(auto) ip(127.0.0.1)); };\nlog { source(s); };\nlog { source(s); };",
        &["from s#0 network Ip(127.0.0.1:514) max=10 Auto"],
    );
}

#[test]
fn makes_destinations() {
    let log = "log { source { stdin(); }; destination(d); };";
    makes(
        &format!("destination d {{ file(\"/var/log/all\"); file(\"/l/$HOST/x\" perm(0640)); }};\n{log}"),
        &[
            "from anon-source0#0 stdin  Newline",
            "to d#0 file /var/log/all reap=None mode=Some(384) queue=10000",
            "to d#1 file /l/ reap=Some(60s) mode=Some(416) queue=10000",
        ],
    );
    makes(
        &format!(
            "options {{ log_fifo_size(7); }};\ndestination d {{ syslog(h); network(h transport(udp)); tcp(h port(99)); usertty(\"*\"); }};\n{log}"
        ),
        &[
            "from anon-source0#0 stdin  Newline",
            "to d#0 syslog Tcp(\"h\", 601) OctetCounted queue=7",
            "to d#1 network Udp(\"h\", 514) Plain queue=7",
            "to d#2 tcp Tcp(\"h\", 99) Plain queue=7",
            "to d#3 usertty * queue=7",
        ],
    );
    makes(
        &format!("destination d {{ stdout(); syslog(h lanes(err lane(crit log-fifo-size(6)))); }};\n{log}"),
        &[
            "from anon-source0#0 stdin  Newline",
            "to d#0 stdout  queue=10000",
            "to d#1 syslog Tcp(\"h\", 601) OctetCounted queue=10000",
            "to d#1.crit syslog Tcp(\"h\", 601) OctetCounted queue=6",
            "to d#1.err syslog Tcp(\"h\", 601) OctetCounted queue=10000",
        ],
    );
    makes(
        &format!(
            "destination d {{ logspace(\"all\" retention-age(\"2d\") legal-hold(yes) encrypt-certificate(\"age1x\", \"/a.pem\") sign-key(\"/sign.key\") timestamp-url(\"http://tsa/\") timestamp-freq(60) recode(no) recode-after(\"1h\") age-after(\"30d\")); }};\n{log}"
        ),
        &[
            "from anon-source0#0 stdin  Newline",
            "LogspaceSpec { id: \"d#0\", name: \"all\", retention_age: Some(172800s), retention_bytes: None, legal_hold: true, clock_wait: None, segment_memory: None, sealing: SealingSpec { recipients: [\"age1x\", \"/a.pem\"], decrypt_key: None, sign_key: Some(\"/sign.key\"), timestamp_url: Some(\"http://tsa/\"), timestamp_gap: 60s, recode: false, recode_after: Some(3600s), age_after: Some(2592000s), scrub_bytes_a_second: None, archive_to: None, archive_after: None } }",
        ],
    );
}

#[test]
fn routes_and_writes() {
    let lines = ["<13>Nov 21 03:00:00 web app[7]: hello\n", "<11>Nov 21 03:00:01 db app: it failed\n"];
    let source = "options { keep-hostname(yes); };\nsource s { network(); };\n";
    let run = |text: &str, want: &[&str]| runs(&format!("{source}{text}"), &lines, want);
    run(
        "log { source(s); destination { file(\"/all\"); }; };",
        &["/all: Nov 21 03:00:00 web app[7]: hello\n", "/all: Nov 21 03:00:01 db app: it failed\n"],
    );
    run(
        "destination d { file(\"/l/$HOST.log\" template(\"$MSG|\")); };\nlog { source(s); filter { level(err); }; destination(d); flags(flow-control); };",
        &["/l/db.log!: it failed|"],
    );
    run(
        "filter f { match(\"hel\" value(\"MESSAGE\")) and host(web); };\nlog { source(s); filter(f); destination { network(h); }; };",
        &["anon-destination0#0: <13>Nov 21 03:00:00 web app[7]: hello\n"],
    );
    run(
        "rewrite r { set(\"x $HOST\", value(\"PROGRAM\") condition(host(web))); subst(\"a\" \"b\" value(\"MESSAGE\")); };\nlog { source(s); rewrite(r); destination { file(\"/r\" template(\"$PROGRAM:$MSG\")); }; };",
        &["/r: x web:hello", "/r: app:it fbiled"],
    );
    run(
        "log { source(s); if (host(web)) { destination { file(\"/w\" template(\"$MSG\")); }; } else { destination { file(\"/o\" template(\"$MSG\")); }; }; };",
        &["/w: hello", "/o: it failed"],
    );
    run(
        "log { source(s); filter { \"$PID\" == 7; }; destination { file(\"/a\" template(\"$PID\")); }; flags(final); };\nlog { source(s); destination { file(\"/b\" template(\"$HOST\")); }; };\nlog { flags(catchall fallback); destination { file(\"/c\"); }; };",
        &["/a: 7", "/b: db"],
    );
    run(
        "destination d { channel { rewrite { set(\"changed\" value(\"MESSAGE\")); }; destination { file(\"/in\" template(\"$MSG\")); }; }; };\nlog { source(s); filter { host(web); }; destination(d); destination { file(\"/out\" template(\"$MSG\")); }; };",
        &["/in: changed", "/out: hello"],
    );
    run(
        "log { source(s); filter { host(db); }; destination { file(\"/p\" flags(syslog_protocol)); }; };",
        &["/p: <11>1 2026-11-21T03:00:01+00:00 db app - - - it failed\n"],
    );
    run(
        "destination d { syslog(\"h\" template(\"[$MSG]\")); };\nlog { source(s); filter { tags(\".source.s\") or host(db); }; destination(d); };",
        &["d#0: <11>1 2026-11-21T03:00:01+00:00 db app - - - [it failed]"],
    );
}

#[test]
fn text_of_sources() {
    let reading = |options: &str| {
        let text = format!("source s {{ file(\"/a\" {options}); }};\nlog {{ source(s); }};");
        let parts = parts(&text);
        let reading = &parts.sources[0].options;
        format!("{:?} {:?} {:?}", reading.multi_line, reading.multi_line_timeout, reading.encoding.is_some())
    };
    assert_eq!(reading(""), "None None false");
    assert_eq!(reading("encoding(utf8) multi-line-mode(none)"), "None None false");
    assert_eq!(reading("encoding(\"iso-8859-2\") multi-line-mode(smart)"), "Some(Smart) None true");
    assert_eq!(
        reading("multi-line-mode(regexp) multi-line-prefix('^x') multi-line-timeout(0.5)"),
        "Some(PrefixGarbage { prefix: Some(\"^x\"), garbage: None }) Some(500ms) false"
    );
    assert_eq!(
        reading("multi-line-mode(prefix-suffix) multi-line-suffix('y$')"),
        "Some(PrefixSuffix { prefix: None, suffix: Some(\"y$\") }) None false"
    );
    finds(
        "source s { network(transport(udp) multi-line-mode(smart)); file(\"/a\" encoding(klingon) multi-line-prefix(x)); };\nlog { source(s); };",
        &[
            "main.conf:3:35: error: multi-line-mode() joins lines, and this source does not read lines",
            "main.conf:3:79: error: `klingon` is no character set that is known here",
            "main.conf:3:88: warning: `multi-line-prefix()` does nothing without multi-line-mode()",
        ],
    );
}

#[test]
fn sql_becomes_a_receiver_with_dead_letters() {
    let log = "source s { internal(); }; log { source(s); destination(d); };";
    makes(
        &format!(
            "destination d {{ sql(type(pgsql) host(\"db\") port(5433) database(\"l\") table(\"m\") columns(\"a\", \"b int\") values(\"$MSG\", default) batch-lines(7) dead-letters(capacity-bytes(2M) on-full(drop-oldest))); }};\n{log}"
        ),
        &[
            "from s#0 internal  Newline",
            "to d#0 sql pgsql,db,5433,l,m RequestLimits { rows: 7, bytes: 0, wait: None } Some((2000000, DropOldest)) queue=10000",
        ],
    );
    let made = |kind: &str, place: &str| {
        let written =
            format!("destination d {{ sql({kind} table(\"m\") columns(\"a\") values(\"$MSG\")); }};\n{log}");
        let to = format!(
            "to d#0 sql {place},m RequestLimits {{ rows: 1000, bytes: 0, wait: None }} Some((1073741824, Hold)) queue=10000"
        );
        makes(&written, &["from s#0 internal  Newline", &to]);
    };
    made("", "mysql,/run/mysqld/mysqld.sock,3306,logs");
    made("type(mariadb) host(\"db\") tls(peer-verify(yes))", "mysql,db,3306,logs");
    made("type(pgsql)", "pgsql,/var/run/postgresql,5432,logs");
    finds(
        &format!(
            "destination d {{ sql(host(\"/sock\") table(\"m\") columns(\"a\") values(\"$MSG\") tls(peer-verify(yes))); }};\n{log}"
        ),
        &["main.conf:3:74: error: `tls()` needs a `host()`: /sock is a unix socket of this machine"],
    );
}
