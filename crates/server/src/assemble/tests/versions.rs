//! Rows about defaults that the version of a configuration decides.

use super::{Environment, build, check};
use config::Memory;
use delivery::DestinationDriver;
use intake::{SourceDriver, SourceSpec};
use std::path::Path;
use wire::ParseFlags;

/// Checks `show` of the parts of a configuration in several versions of the language.
#[track_caller]
fn in_versions(text: &str, show: fn(&super::Parts) -> String, want: &[(&str, &str)]) {
    for (version, want) in want {
        let memory = Memory::default().file("main.conf", format!("@version: {version}\n{text}"));
        let mut checked = check(Path::new("main.conf"), &memory);
        let environment = Environment { looks_up: true, ..Environment::for_check() };
        let parts = build(&checked.tree, &environment, &mut checked.report)
            .unwrap_or_else(|| panic!("{}", checked.report.render_plain(checked.texts())));
        assert_eq!(show(&parts), *want, "version {version}");
    }
}

fn address(spec: &SourceSpec) -> String {
    match &spec.driver {
        SourceDriver::Stream(listener) => format!("{:?}", listener.address),
        SourceDriver::Datagram(listener) => format!("{:?}", listener.address),
        SourceDriver::Journal(journal) => format!("prefix {}", journal.prefix),
        _ => String::new(),
    }
}

#[test]
fn ports() {
    in_versions(
        "log { source { syslog(transport(udp)); udp(); syslog(); }; destination { syslog(\"h\" transport(udp)); }; };",
        |parts| {
            let mut shown: Vec<String> = parts.sources.iter().map(address).collect();
            shown.extend(parts.destinations.iter().map(|spec| match &spec.driver {
                DestinationDriver::Socket(socket) => format!("{:?}", socket.kind),
                _ => String::new(),
            }));
            shown.join(" ")
        },
        &[
            ("3.2", "Ip(0.0.0.0:601) Ip(0.0.0.0:514) Ip(0.0.0.0:601) Udp(\"h\", 601)"),
            ("3.3", "Ip(0.0.0.0:514) Ip(0.0.0.0:514) Ip(0.0.0.0:601) Udp(\"h\", 514)"),
            ("4.8", "Ip(0.0.0.0:514) Ip(0.0.0.0:514) Ip(0.0.0.0:601) Udp(\"h\", 514)"),
        ],
    );
}

#[test]
fn names_of_hosts_in_local_messages() {
    in_versions(
        "log { source { unix-dgram(\"/a\"); unix-stream(\"/b\"); pipe(\"/c\"); file(\"/d\"); }; };",
        |parts| {
            let expects = |spec: &SourceSpec| spec.options.decode.flags.has(ParseFlags::EXPECT_HOSTNAME);
            format!("{:?}", parts.sources.iter().map(expects).collect::<Vec<_>>())
        },
        &[("3.1", "[true, true, true, true]"), ("3.2", "[false, false, false, true]")],
    );
}

#[test]
fn fields_of_the_journal() {
    let show: fn(&super::Parts) -> String = |parts| parts.sources.iter().map(address).collect();
    in_versions(
        "log { source { systemd-journal(); }; };",
        show,
        &[("3.7", "prefix "), ("3.8", "prefix .journald.")],
    );
    in_versions("log { source { systemd-journal(prefix(\"j.\")); }; };", show, &[("3.7", "prefix j.")]);
}

#[test]
fn files_of_disk_buffers() {
    in_versions(
        "log { source { internal(); }; destination { tcp(\"h\" disk-buffer(capacity-bytes(1M))); }; };",
        |parts| {
            let disks = parts.destinations.iter().filter_map(|spec| spec.queueing.disk.as_ref());
            format!("{:?}", disks.map(|disk| disk.truncate_ratio).collect::<Vec<_>>())
        },
        &[("3.32", "[Some(0.0)]"), ("3.33", "[None]")],
    );
}
