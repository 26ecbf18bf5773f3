//! Drivers of the language that are not supported yet.
//!
//! In: nothing. Out: names. A configuration that uses one is refused with its name and position.

use crate::tree::Kind;

/// Returns the drivers of a kind of object that do not run yet.
pub fn later(kind: Kind) -> &'static [&'static str] {
    match kind {
        Kind::Source => SOURCES,
        Kind::Destination => DESTINATIONS,
        Kind::Parser => PARSERS,
        Kind::Rewrite => REWRITES,
        Kind::Filter | Kind::Template => &[],
    }
}

/// Returns what to write instead of a driver that does not run, where something does the same.
pub fn instead(kind: Kind, name: &str) -> Option<&'static str> {
    match (kind, name) {
        (Kind::Destination, "bigquery") => Some(
            "its gRPC needs a schema of Protocol Buffers for each table; write google-pubsub() and a subscription into BigQuery",
        ),
        (Kind::Destination, "sentinel" | "sentinel-builtin" | "sentinel-custom") => Some(
            "the Data Collector API that it used is retired; write azure-monitor() or sentinel-dcr(), blocks of scl.conf",
        ),
        (Kind::Destination, "google-pubsub-managedaccount") => Some(
            "write google-pubsub(auth(user-managed-service-account(name(\"default\")))), a block of scl.conf",
        ),
        (Kind::Destination, "falcon-logscale-api" | "falcon-logscale-hec") => {
            Some("write logscale() or splunk-hec-event(), blocks of scl.conf")
        }
        (Kind::Parser, "opentelemetry" | "syslog-ng-otlp") => {
            Some("the source opentelemetry() does this; leave the parser out")
        }
        (Kind::Source | Kind::Destination, "altp") => {
            Some("its protocol is not published; write sltp(), which does the same, on both ends")
        }
        (Kind::Source, name) => instead_of_source(name),
        _ => None,
    }
}

/// Returns what to write instead of a source that does not run.
fn instead_of_source(name: &str) -> Option<&'static str> {
    Some(match name {
        "apache-accesslog" => {
            "write file(\"/var/log/apache2/access.log\" flags(no-parse)) and the parser apache-accesslog-parser(), a block of scl.conf"
        }
        "darwin-oslog" | "darwin-oslog-stream" => {
            "it needs macOS; write program(\"log stream --style ndjson\" flags(no-parse)) there, and json-parser()"
        }
        "example-random-generator" => "write example-msg-generator()",
        "google-pubsub" => "write webhook(), and give Pub/Sub a push subscription to its address",
        "hdfs" => "write wildcard-file() over a mount of it, or python-fetcher()",
        "hypr-audit-trail" | "hypr-app-audit-trail" | "smtp" => {
            "write python-fetcher() with a class that asks for them"
        }
        "mssql" | "oracle" => {
            "sql() reads tables of PostgreSQL, MySQL, MariaDB and SQLite; write python-fetcher() with a class that reads this database"
        }
        "openbsd" | "sun-stream" | "sun-streams" => {
            "its device is that of another operating system; write system() on this one"
        }
        "proxmox" => "write systemd-journal() on its machines",
        "python-http-header" => "it is part of http() as a destination, and of no source",
        "syslog-ng-windows-event-log" | "windows-eventlog" | "windowsevent" => {
            "it needs Windows; write network() for the messages of an agent there, and windows-eventlog-xml-parser()"
        }
        "unix" => "write unix-stream() or unix-dgram()",
        "wildcard-pipe" => "write a pipe() for each",
        _ => return None,
    })
}

const SOURCES: &[&str] = &[
    "altp",
    "apache-accesslog",
    "cisco-ucs",
    "darwin-oslog",
    "darwin-oslog-stream",
    "example-diskq-source",
    "example-random-generator",
    "google-pubsub",
    "hypr-audit-trail",
    "hypr-app-audit-trail",
    "mssql",
    "openbsd",
    "oracle",
    "proxmox",
    "python-http-header",
    "slog",
    "smtp",
    "sun-stream",
    "sun-streams",
    "syslog-ng-windows-event-log",
    "wildcard-pipe",
    "windows-eventlog",
    "windowsevent",
    "ebpf",
    "monitoring-welf",
    "hdfs",
    "unix",
];

const DESTINATIONS: &[&str] = &[
    "altp",
    "arrow-flight",
    "bigquery",
    "elastic-v1",
    "example-diskq",
    "falcon-logscale-api",
    "falcon-logscale-hec",
    "google-pubsub-managedaccount",
    "java",
    "lua",
    "openobserve-metrics",
    "perl",
    "rss",
    "sentinel",
    "sentinel-builtin",
    "sentinel-custom",
    "splunk",
    "tty10",
    "websocket",
    "websphere-mq",
    "wildcard-file",
];

const PARSERS: &[&str] = &[
    "axosyslog-parser",
    "cisco-triplets-parser",
    "example-parser",
    "lua",
    "opentelemetry",
    "parallelize",
    "pdbtool-parser",
    "syslog-ng-otlp",
    "cardinality",
    "dns-lookup",
    "stats-exporter",
];

const REWRITES: &[&str] = &[];
