//! Rows that several drivers share.
//!
//! In: nothing. Out: rows and lists of words.

use super::network::{DISK_BUFFER, TLS};
use crate::options::row::{Row, ValueKind as V, row};

pub(super) const BATCHED: &str = "messages move in batches as large as a read or a write takes";
pub(super) const THREADS: &str = "sources share one thread a core, every destination has its own";

pub(super) const STAMP_FORMATS: &[&str] = &["rfc3164", "bsd", "rfc3339", "iso", "full", "unix"];
pub(super) const DNS_WORDS: &[&str] = &["yes", "no", "on", "off", "true", "false", "0", "1", "persist-only"];
pub(super) const MARK_MODES: &[&str] =
    &["internal", "dst-idle", "host-idle", "periodical", "none", "global", "dst_idle", "host_idle"];
pub(super) const ON_ERROR: &[&str] = &[
    "drop-message",
    "drop-property",
    "fallback-to-string",
    "silently-drop-message",
    "silently-drop-property",
    "silently-fallback-to-string",
];

/// A parser or a rewrite that belongs to a ready-made block.
pub(super) const INTERNAL: Row =
    row("internal", V::YesNo, "no", "count it as internal").no_effect("parsers and rewrites are not counted");

/// Flags of sources.
pub(super) const SOURCE_FLAGS: &[&str] = &[
    "no-parse",
    "syslog-protocol",
    "no-header",
    "no-hostname",
    "expect-hostname",
    "no-multi-line",
    "assume-utf8",
    "validate-utf8",
    "sanitize-utf8",
    "check-hostname",
    "check-program",
    "store-raw-message",
    "store-legacy-msghdr",
    "dont-store-legacy-msghdr",
    "guess-timezone",
    "no-rfc3164-fallback",
    "piggyback-errors",
    "no-piggyback-errors",
    "kernel",
    "threaded",
    "empty-lines",
    "ignore-aux-data",
];

/// Options of every source that reads text.
pub(super) const SOURCE: &[Row] = &[
    row("flags", V::Words(SOURCE_FLAGS), "", "how bytes become messages"),
    row("keep-hostname", V::YesNo, "no", "trust the host name inside a message"),
    row("keep-timestamp", V::YesNo, "yes", "trust the time inside a message"),
    row("chain-hostnames", V::YesNo, "no", "append the sender to the host names a message passed"),
    row("long-hostnames", V::YesNo, "no", "").renamed("chain-hostnames"),
    row("use-dns", V::Word(DNS_WORDS), "yes", "ask the name service for the names of senders"),
    row("use-fqdn", V::YesNo, "no", "keep the domain in the names of senders"),
    row("dns-cache", V::YesNo, "yes", "remember answers of the name service"),
    row("normalize-hostnames", V::YesNo, "no", "write host names in lower case"),
    row("check-hostname", V::YesNo, "no", "host names hold only letters, digits and -_.:@/"),
    row("check-program", V::YesNo, "no", "program names hold only letters, digits and .-_()/"),
    row("host-override", V::Text, "", "the host name of every message"),
    row("program-override", V::Text, "", "the program of every message"),
    row("log-prefix", V::Text, "", "").renamed("program-override"),
    row("tags", V::Texts, "", "tags of every message"),
    row("default-facility", V::Facility, "user", "facility of messages without one"),
    row("default-severity", V::Severity, "notice", "severity of messages without one"),
    row("default-level", V::Severity, "notice", "").renamed("default-severity"),
    row("default-priority", V::Severity, "notice", "").renamed("default-severity"),
    row("time-zone", V::Text, "", "zone of times without one"),
    row("log-msg-size", V::Number(63, 1 << 30), "65536", "longest message, in bytes"),
    row("trim-large-messages", V::YesNo, "no", "cut longer messages instead of splitting them"),
    row(
        "log-iw-size",
        V::Number(1, 1 << 31),
        "100",
        "messages that may be in flight; below 16384 it is 16384",
    ),
    row("log-fetch-limit", V::Number(1, 1 << 31), "100", "messages read at once").no_effect(BATCHED),
    row("optional", V::YesNo, "no", "start without this source if it cannot be opened"),
    row("persist-name", V::Text, "", "name of its remembered state")
        .no_effect("state is kept under the path of the file"),
    row("internal", V::YesNo, "no", "count it as internal").no_effect("it is counted as any other"),
    row("dynamic-window-size", V::Number(0, 1 << 31), "0", "window shared by connections").no_effect(WINDOW),
    row("dynamic-window-realloc-ticks", V::Number(0, 1 << 31), "", "").no_effect(WINDOW),
    row("dynamic-window-stats-freq", V::Decimal(0.0, f64::INFINITY), "", "").no_effect(WINDOW),
    row("min-iw-size-per-reader", V::Number(0, 1 << 31), "100", "least window of a connection")
        .no_effect(WINDOW),
    row("use-syslogng-pid", V::YesNo, "no", "every message gets the pid of this server"),
    row("hook-commands", V::Options(&[HOOKS]), "", "commands that are run when the driver starts and stops"),
    row("format", V::Word(&["syslog"]), "syslog", "how messages are read"),
    row(
        "sdata-prefix",
        V::Text,
        ".SDATA.",
        "put before the names of structured data; any other than the default makes them plain values",
    ),
];

/// Character set of the input.
pub(super) const ENCODED: &[Row] = &[row("encoding", V::Text, "UTF-8", "character set of what is read")];

const MULTI_LINE_MODES: &[&str] =
    &["indented", "regexp", "prefix-garbage", "prefix-suffix", "smart", "empty-line-separated", "none"];

/// Messages of several lines.
pub(super) const MULTI_LINE: &[Row] = &[
    row("multi-line-mode", V::Word(MULTI_LINE_MODES), "none", "which lines are one message"),
    row("multi-line-prefix", V::Text, "", "regular expression of the first line of a message"),
    row("multi-line-garbage", V::Text, "", "regular expression of the text between messages"),
    row("multi-line-suffix", V::Text, "", "regular expression of the end of a message"),
    row(
        "multi-line-timeout",
        V::Decimal(0.0, 86400.0),
        "0",
        "seconds until a message is complete although nothing follows it; 0 is never",
    ),
];

const WINDOW: &str = "every connection has a window of at least 16384 messages";

/// Options of destinations with several `workers()`.
pub(super) const PARTITION_KEY: Row = row(
    "worker-partition-key",
    V::Template,
    "",
    "messages for which this template makes the same text keep their order, whatever workers() is",
);

/// The values of `on-full()`.
pub(super) const FULL_WORDS: &[&str] = &["hold", "drop-newest", "drop-oldest", "drop-lowest-severity"];

/// Options of every destination.
pub(super) const DESTINATION: &[Row] = &[
    row("log-fifo-size", V::Number(1, 1 << 31), "10000", "messages that wait"),
    row(
        "on-full",
        V::Word(FULL_WORDS),
        "hold on paths with flow control and for file(), else drop-newest",
        "what a full queue does, in memory or on disk: hold the sources back, or drop messages of all paths and hold nobody back; drop-oldest is not possible with disk-buffer()",
    ),
    row("throttle", V::Number(0, 1 << 31), "0", "most messages a second; 0 is no limit"),
    row("time-reopen", V::Number(0, 1 << 31), "60", "seconds between attempts to open it"),
    row("flush-lines", V::Number(0, 1 << 31), "100", "messages written at once").no_effect(BATCHED),
    row("flush-timeout", V::Number(0, 1 << 31), "", "milliseconds until messages are written")
        .no_effect(BATCHED),
    row("sync", V::Number(0, 1 << 31), "", "").renamed("flush-lines"),
    row("sync-freq", V::Number(0, 1 << 31), "", "").renamed("flush-lines"),
    row("batch-lines", V::Number(0, 1 << 31), "", "messages written at once").no_effect(BATCHED),
    row("batch-timeout", V::Number(0, 1 << 31), "", "milliseconds until a batch is written")
        .no_effect(BATCHED),
    row("workers", V::Number(1, 1024), "1", "threads of it").no_effect(THREADS),
    row("worker-partition-key", V::Template, "", "which messages keep their order")
        .no_effect("one thread writes all messages, in order"),
    row("persist-name", V::Text, "", "name of the folder of its disk-buffer()"),
    row("internal", V::YesNo, "no", "count it as internal").no_effect("it is counted as any other"),
    row("mark-freq", V::Number(0, 1 << 31), "1200", "seconds between -- MARK -- messages; 0 is never"),
    row(
        "mark-mode",
        V::Word(MARK_MODES),
        "global for syslog over sockets, else none",
        "when -- MARK -- messages are written: always (periodical), when the destination wrote nothing (dst-idle), when sources of this machine received nothing (host-idle)",
    ),
    row("suppress", V::Number(0, 1 << 31), "0", "seconds in which a repeated message is only counted"),
    row("disk-buffer", V::Options(&[DISK_BUFFER]), "", "a queue on disk"),
    row("hook-commands", V::Options(&[HOOKS]), "", "commands that are run when the driver starts and stops"),
];

/// `lanes()` of drivers with a connection to one receiver.
pub(super) const LANES: &[Row] = &[lanes(&[LANE_CALLS])];

/// `lanes()` of drivers that send requests.
pub(super) const REQUEST_LANES: &[Row] = &[lanes(&[REQUEST_LANE_CALLS])];

const fn lanes(calls: &'static [&'static [Row]]) -> Row {
    row(
        "lanes",
        V::TextOr(calls),
        "",
        "severities, such as crit err: messages that are as severe have a queue and a connection of their own, so that they do not wait behind others",
    )
}

const LANE_CALLS: &[Row] = &[
    row("lane", V::TextOr(&[LANE, LANE_PACKETS]), "", "a severity, and options of its lane"),
    row("rest", V::Options(&[LANE, LANE_PACKETS]), "", "options of the lane with all other messages"),
];

const REQUEST_LANE_CALLS: &[Row] = &[
    row("lane", V::TextOr(&[LANE]), "", "a severity, and options of its lane"),
    row("rest", V::Options(&[LANE]), "", "options of the lane with all other messages"),
];

/// The options of a lane, which replace those of its destination.
const LANE: &[Row] = &[
    row("log-fifo-size", V::Number(1, 1 << 31), "that of the destination", "messages that wait"),
    row("on-full", V::Word(FULL_WORDS), "that of the destination", "what the full queue of this lane does"),
    row(
        "throttle",
        V::Number(0, 1 << 31),
        "that of the destination",
        "most messages a second; 0 is no limit",
    ),
    row(
        "capacity-bytes",
        V::Number(1, i64::MAX),
        "that of disk-buffer()",
        "most bytes on the disk; at least 1 MiB",
    ),
];

const LANE_PACKETS: &[Row] =
    &[row("ip-tos", V::Number(0, 255), "that of the destination", "type of service; traffic class in IPv6")];

/// `hook-commands()`.
const HOOKS: &[Row] = &[
    row("startup", V::Text, "", "when the server starts"),
    row("setup", V::Text, "", "before a configuration takes effect"),
    row("teardown", V::Text, "", "after a configuration is no longer in use"),
    row("shutdown", V::Text, "", "when the server stops"),
];

/// Options of destinations that write text.
pub(super) const TEXT: &[Row] = &[
    row("template", V::Template, "", "template of what is written"),
    row("template-escape", V::YesNo, "no", "escape quotes in values"),
    row("ts-format", V::Word(STAMP_FORMATS), "rfc3164", "how times are written"),
    row("frac-digits", V::Number(0, 1 << 31), "0", "digits of fractions of a second, at most 6"),
    row("time-zone", V::Text, "", "zone that times are written in"),
    row("send-time-zone", V::Text, "", "").renamed("time-zone"),
    row("local-time-zone", V::Text, "that of each message", "zone of times in names of files"),
    row("on-error", V::Word(ON_ERROR), "drop-message", "what happens with values that cannot be cast"),
    row("flags", V::Words(&["no-multi-line", "syslog-protocol", "threaded"]), "", "how messages are written"),
    row(
        "pad-size",
        V::Number(0, 1 << 20),
        "0",
        "shorter messages are filled up with zero bytes to this size",
    ),
    row(
        "truncate-size",
        V::Number(-1, 1 << 30),
        "-1",
        "longer messages are cut to this size; -1 is no limit",
    ),
];

/// Owner and mode of created files.
pub(super) const PERMISSIONS: &[Row] = &[
    row("owner", V::Id, "", "owner of created files"),
    row("group", V::Id, "", "group of created files"),
    row("perm", V::Mode, "", "mode of created files"),
];

/// Owner and mode of folders.
pub(super) const FOLDERS: &[Row] = &[
    row("create-dirs", V::YesNo, "no", "create missing folders"),
    row("dir-owner", V::Id, "", "owner of created folders"),
    row("dir-group", V::Id, "", "group of created folders"),
    row("dir-perm", V::Mode, "0700", "mode of created folders"),
];

/// Socket options of both directions.
pub(super) const SOCKET: &[Row] = &[
    row("keep-alive", V::YesNo, "yes", "connections outlive a reload"),
    row("so-keepalive", V::YesNo, "yes", "probe idle TCP connections"),
    row("tcp-keepalive", V::YesNo, "yes", "").renamed("so-keepalive"),
    row("tcp-keep-alive", V::YesNo, "yes", "").renamed("so-keepalive"),
    row("tcp-keepalive-time", V::Number(1, 32767), "", "seconds until the first probe"),
    row("tcp-keepalive-intvl", V::Number(1, 32767), "", "seconds between probes"),
    row("tcp-keepalive-probes", V::Number(1, 127), "", "probes until a connection is closed"),
    row("ip-protocol", V::Word(&["4", "6"]), "4", "version of the internet protocol"),
    row("ip-tos", V::Number(0, 255), "", "type of service; traffic class in IPv6"),
    row("ip-ttl", V::Number(1, 255), "", "time to live; hop limit in IPv6"),
    row("ip-freebind", V::YesNo, "no", "bind to addresses that the machine does not have yet"),
    row("interface", V::Text, "", "only this network interface"),
    row("tls", V::Options(&[TLS]), "", "encryption, for transport(tls), transport(dtls) and the like"),
];

/// The options of `value-pairs()`, which select the values of a message.
pub(super) const PAIRS: &[Row] = &[
    row("scope", V::Texts, "", "sets of names: nv-pairs, dot-nv-pairs, sdata, rfc3164, rfc5424, everything"),
    row("key", V::Any, "", "names: * and ?, and rekey() for these"),
    row("exclude", V::Texts, "", "names that are left out: * and ?"),
    row("pair", V::Any, "", "a name and the template of its value"),
    row(
        "rekey",
        V::Any,
        "",
        "names, and how they change: shift(), shift-levels(), add-prefix(), replace-prefix()",
    ),
    row("omit-empty-values", V::Any, "no", "leave out values without content"),
    row("cast", V::YesNo, "", "yes: every value is text"),
    row("include-bytes", V::YesNo, "no", "also values of type bytes"),
];

/// Options of `parallelize()` in a log path.
pub(crate) const PARALLELIZE: &[&[Row]] = &[&[
    row("workers", V::Number(1, 256), "", "threads; as many as there are processors when not given"),
    row("partitions", V::Number(1, 256), "", "").renamed("workers"),
    row("partition-key", V::Template, "", "messages of one value stay in order on one thread"),
    row("batch-size", V::Number(0, 1 << 31), "", "messages handed over at once")
        .no_effect("a batch is what was read at once"),
]];
