//! Drivers and steps with their options: what becomes of them, in files of `testdata`.

mod destinations;
mod inputs;
mod sources;
mod steps;

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
        DestinationDriver::Sltp(target) => lines(target),
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
        SourceDriver::Input(_) => return inputs::input_of(spec),
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
    check_rows("assemble/destinations.txt", About::Destination, destinations::ROWS, |row| {
        format!(
            "options {{ keep-hostname(yes); time-zone(\"UTC\"); }};\nsource s {{ network(time-zone(\"UTC\") flags(guess-timezone)); }};\nlog {{ source(s); destination {{ {row}; }}; }};"
        )
    });
}

#[test]
fn sources_have_their_options() {
    check_rows("assemble/sources.txt", About::Source, sources::ROWS, |row| {
        format!(
            "options {{ time-zone(\"UTC\"); }};\nsource s {{ {row}; }};\nlog {{ source(s); destination {{ file(\"/x\" template(\"$HOST $PROGRAM $MSG\\n\")); }}; }};"
        )
    });
}

#[test]
fn steps_have_their_options() {
    check_rows("assemble/steps.txt", About::Steps, steps::ROWS, |row| {
        format!(
            "options {{ keep-hostname(yes); time-zone(\"UTC\"); }};\nsource s {{ network(time-zone(\"UTC\") flags(guess-timezone)); }};\nlog {{ source(s); {row} destination {{ file(\"/x\" template(\"$PRI $HOST $PROGRAM|$MSG|$TAGS|$ISODATE\\n\")); }}; }};"
        )
    });
}

#[test]
fn the_folder_of_rules_is_an_absolute_path() {
    let text = |folder: &str| {
        format!(
            "options {{ rules-dir(\"{folder}\"); }};\nlog {{ source {{ stdin(); }}; destination {{ stdout(); }}; }};"
        )
    };
    let parts = parts_of(&text("/etc/rules")).unwrap();
    assert_eq!(parts.rules_dir.as_deref(), Some(std::path::Path::new("/etc/rules")));
    let found = findings(&text("rules"));
    assert!(found.contains("an absolute path is needed, such as \"/etc/duramen/rules\""), "{found}");
}

#[test]
fn the_page_has_its_options() {
    let rows = [
        "page(trusted-proxies(\"10.0.0.0/8\", \"nonsense\") proxy-header(forwarded))",
        "page(trusted-proxies(\"10.0.0.0/8\", \"::1\") proxy-header(forwarded) allowed-hosts(\"a\", \"b\"))",
        "page(session-lifetime(\"2h\") session-idle(\"5m\"))",
        "page(session-lifetime(\"0s\"))",
        "page(token-lifetime(\"30d\"))",
        "page(token-lifetime(\"0s\"))",
        "page(token-lifetime(\"2y\"))",
        "page(searches-memory(1G) search-memory(2G) exports(3) exports-per-user(2))",
        "page(searches-memory(1G))",
        "page(redirect-from(\"127.0.0.1:80\"))",
        "page(tls(cert-file(\"/c\") key-file(\"/k\")) redirect-from(\"127.0.0.1:80\", \"nonsense\"))",
        "page(tls(cert-file(\"/c\") key-file(\"/k\")) redirect-from(\"127.0.0.1:80\"))",
        "page(tls(cert-file(\"/c\") key-file(\"/k\") peer-verify(required-trusted) ca-file(\"/ca\")))",
        "page(tls(cert-file(\"/c\")))",
        "page(objects-dir(\"/etc/objects\"))",
        "page(objects-dir(\"objects\"))",
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
