//! The table of global options.
//!
//! In: nothing. Out: rows.

mod directory;

use super::network::TLS;
use super::shared::{BATCHED, DNS_WORDS, ON_ERROR, STAMP_FORMATS, THREADS};
use crate::options::row::{Row, ValueKind as V, row};

pub(crate) const OPTIONS: &[&[Row]] = &[NAMES, QUEUES, FILES, TIMES, STATISTICS, REST];

const NAMES: &[Row] = &[
    row("keep-hostname", V::YesNo, "no", "trust the host name inside a message"),
    row("chain-hostnames", V::YesNo, "no", "append the sender to the host names a message passed"),
    row("long-hostnames", V::YesNo, "no", "").renamed("chain-hostnames"),
    row("use-dns", V::Word(DNS_WORDS), "yes", "ask the name service for the names of senders"),
    row("use-fqdn", V::YesNo, "no", "keep the domain in the names of senders"),
    row("dns-cache", V::YesNo, "yes", "remember answers of the name service"),
    row("dns-cache-size", V::Number(1, 1 << 24), "1007", "answers kept")
        .no_effect("the cache holds 10000 names"),
    row("dns-cache-expire", V::Number(1, 1 << 31), "3600", "seconds an answer is kept"),
    row("dns-cache-expire-failed", V::Number(1, 1 << 31), "60", "seconds a failed question is remembered")
        .no_effect("a failed question is asked again with the next connection"),
    row(
        "dns-cache-hosts",
        V::Text,
        "",
        "a file like /etc/hosts whose names take precedence over all others; read again when it changes",
    ),
    row("normalize-hostnames", V::YesNo, "no", "write host names in lower case"),
    row("check-hostname", V::YesNo, "no", "host names hold only letters, digits and -_.:@/"),
    row("check-program", V::YesNo, "no", "program names hold only letters, digits and .-_()/"),
    row("bad-hostname", V::Text, "", "a pattern of texts that are not host names"),
    row("custom-domain", V::Text, "", "domain that is added to names without one"),
    row("use-rcptid", V::YesNo, "no", "").renamed("use-uniqid"),
    row("use-uniqid", V::YesNo, "no", "give every message an id: ${RCPTID} and ${UNIQID}"),
];

const QUEUES: &[Row] = &[
    row("log-fifo-size", V::Number(1, 1 << 31), "10000", "messages that wait for a destination"),
    row(
        "log-iw-size",
        V::Number(1, 1 << 31),
        "100",
        "messages that a source may have in flight; below 16384 it is 16384",
    ),
    row("log-fetch-limit", V::Number(1, 1 << 31), "100", "messages read at once").no_effect(BATCHED),
    row("log-msg-size", V::Number(63, 1 << 30), "65536", "longest message, in bytes"),
    row("trim-large-messages", V::YesNo, "no", "cut longer messages instead of splitting them"),
    row("log-flow-control", V::YesNo, "no", "flow control on all paths that do not say otherwise"),
    row("flush-lines", V::Number(0, 1 << 31), "100", "messages written at once").no_effect(BATCHED),
    row("sync", V::Number(0, 1 << 31), "", "").renamed("flush-lines"),
    row("sync-freq", V::Number(0, 1 << 31), "", "").renamed("flush-lines"),
    row("flush-timeout", V::Number(0, 1 << 31), "", "milliseconds until messages are written")
        .no_effect("what is queued is written as soon as the destination takes it"),
    row("batch-lines", V::Number(0, 1 << 31), "", "messages written at once").no_effect(BATCHED),
    row("batch-timeout", V::Number(0, 1 << 31), "", "milliseconds until a batch is written")
        .no_effect(BATCHED),
    row("min-iw-size-per-reader", V::Number(0, 1 << 31), "100", "least window of a connection")
        .no_effect("every connection has a window of at least 16384 messages"),
    row("disk-buffer", V::Options(&[DISK_DEFAULTS]), "", "defaults of disk buffers"),
];

const DISK_DEFAULTS: &[Row] = &[
    row("truncate-size-ratio", V::Decimal(0.0, 1.0), "1", "as in disk-buffer() of a destination"),
    row("prealloc", V::YesNo, "no", "as in disk-buffer() of a destination"),
    row("stats", V::Options(&[DISK_STATISTICS]), "", "statistics of disk buffers"),
];

const DISK_STATISTICS: &[Row] =
    &[row("freq", V::Number(0, 1 << 31), "300", "seconds between two looks at their size")
        .no_effect("their size is always known")];

const FILES: &[Row] = &[
    row("create-dirs", V::YesNo, "no", "create missing folders of file destinations"),
    row("owner", V::Id, "", "owner of created files"),
    row("group", V::Id, "", "group of created files"),
    row("perm", V::Mode, "0600", "mode of created files"),
    row("dir-owner", V::Id, "", "owner of created folders"),
    row("dir-group", V::Id, "", "group of created folders"),
    row("dir-perm", V::Mode, "0700", "mode of created folders"),
    row("time-reap", V::Number(0, 1 << 31), "60", "seconds until an idle file is closed"),
    row("time-reopen", V::Number(0, 1 << 31), "60", "seconds between attempts to open a destination"),
    row("file-template", V::Template, "", "template of file destinations that have none"),
    row("proto-template", V::Template, "", "template of network destinations that have none"),
];

const TIMES: &[Row] = &[
    row("keep-timestamp", V::YesNo, "yes", "trust the time inside a message"),
    row("ts-format", V::Word(STAMP_FORMATS), "rfc3164", "how times are written"),
    row("frac-digits", V::Number(0, 1 << 31), "0", "digits of fractions of a second, at most 6"),
    row("time-zone", V::Text, "", "zone that times are written in"),
    row("send-time-zone", V::Text, "", "").renamed("time-zone"),
    row("recv-time-zone", V::Text, "", "zone of received times without one"),
    row("local-time-zone", V::Text, "that of each message", "zone of times in names of files"),
    row("time-sleep", V::Number(0, 1 << 31), "", "pause of the main loop")
        .no_effect("there is no such pause"),
];

const STATISTICS: &[Row] = &[
    row(
        "stats-freq",
        V::Number(0, 1 << 31),
        "600",
        "seconds between messages of internal() with statistics; 0 is never",
    ),
    row(
        "stats-level",
        V::Number(0, 1 << 31),
        "0",
        "which metrics-probe() count; all other counters are always kept",
    ),
    row("stats-lifetime", V::Number(0, 1 << 31), "10", "minutes an idle counter is kept")
        .no_effect("counters live as long as what they count"),
    row("stats-max-dynamics", V::Number(0, 1 << 31), "", "most counters by host or program")
        .no_effect("there are no counters by host or program"),
    row("stats", V::Options(&[STATS]), "", "statistics"),
    row("mark-freq", V::Number(0, 1 << 31), "1200", "seconds between -- MARK -- messages; 0 is never"),
    row("mark", V::Number(0, 1 << 31), "", "").renamed("mark-freq"),
    row(
        "mark-mode",
        V::Word(super::shared::MARK_MODES),
        "host-idle",
        "when destinations write -- MARK -- messages; internal: internal() sends them",
    ),
    row("suppress", V::Number(0, 1 << 31), "0", "seconds in which a repeated message is only counted"),
];

const STATS: &[Row] = &[
    row(
        "freq",
        V::Number(0, 1 << 31),
        "600",
        "seconds between messages of internal() with statistics; 0 is never",
    ),
    row("level", V::Number(0, 9), "0", "which metrics-probe() count; all other counters are always kept"),
    row("lifetime", V::Number(0, 1 << 31), "10", "minutes an idle counter is kept")
        .no_effect("counters live as long as what they count"),
    row("max-dynamics", V::Number(0, 1 << 31), "", "most counters by host or program")
        .no_effect("there are no counters by host or program"),
    row(
        "syslog-stats",
        V::Word(&["yes", "no", "auto", "on", "off"]),
        "auto",
        "counters by facility and severity",
    )
    .no_effect("there are no counters by facility and severity"),
    row("healthcheck-freq", V::Number(0, 1 << 31), "300", "seconds between health checks")
        .no_effect("health is asked for over HTTP"),
];

const PAGE: &[Row] = &[
    row(
        "tls",
        V::Options(&[TLS]),
        "",
        "certificate and key with which the page and the API are served over HTTPS",
    ),
    row("redirect-from", V::Texts, "", "addresses at which plain HTTP is redirected to HTTPS: IP:PORT"),
    row(
        "allowed-hosts",
        V::Texts,
        "",
        "names of the page, besides those of the machine and of the certificate: *.example.com",
    ),
    row(
        "objects-dir",
        V::Text,
        "objects beside the configuration",
        "folder of files with saved objects, which can only be read on the page",
    ),
    row(
        "trusted-proxies",
        V::Texts,
        "",
        "addresses or networks of proxies that pass on the address of the client",
    ),
    row(
        "proxy-header",
        V::Word(&["x-forwarded-for", "forwarded"]),
        "x-forwarded-for",
        "the header in which proxies pass on the address; the other one is ignored",
    ),
    row(
        "directory",
        V::Options(&[directory::DIRECTORY]),
        "",
        "a directory (LDAP, Active Directory) whose people may sign in with the password that they have there",
    ),
    row("session-lifetime", V::Age, "24h", "time after which a session ends and a new log-in is needed"),
    row("session-idle", V::Age, "12h", "a session ends after this time without a call"),
    row(
        "token-lifetime",
        V::Age,
        "366d",
        "longest life of an API token; one that was made for longer ends then, too",
    ),
    row(
        "searches-memory",
        V::Number(1 << 20, i64::MAX),
        "",
        "bytes that all searches and exports may use together; unset: a quarter of the memory of the machine or control group",
    ),
    row(
        "search-memory",
        V::Number(1 << 16, i64::MAX),
        "",
        "bytes that one search may use; unset: a quarter of searches-memory()",
    ),
    row("exports", V::Number(1, 1_000), "8", "exports and packages at once"),
    row("exports-per-user", V::Number(1, 1_000), "2", "those of one user"),
];

const REST: &[Row] = &[
    row("page", V::Options(&[PAGE]), "", "the page and the API; their address is given on the command line"),
    row(
        "rules-dir",
        V::Text,
        "rules beside the configuration",
        "folder of files with rules that watch logspaces: .yaml, .yml, .json",
    ),
    row("threaded", V::YesNo, "yes", "one thread for each source and destination").no_effect(THREADS),
    row("template-escape", V::YesNo, "no", "escape quotes in values that templates print"),
    row("on-error", V::Word(ON_ERROR), "drop-message", "what happens with values that cannot be cast"),
    row(
        "pass-unix-credentials",
        V::YesNo,
        "yes",
        "get the sender's process, user and group from the kernel, over unix sockets",
    ),
    row("jvm-options", V::Text, "", "options of the Java machine").no_effect("nothing here runs Java"),
    row("use-time-recvd", V::YesNo, "no", "the received time is the message's time, as keep-timestamp(no)"),
    row("filterx-jit", V::YesNo, "no", "compile filterx").no_effect("filterx is not supported yet"),
    row(
        "log-level",
        V::Word(&["default", "verbose", "debug", "trace"]),
        "default",
        "how much is logged to the console, from the moment the configuration takes effect",
    ),
    row(
        "python-sys-path",
        V::Texts,
        "",
        "folders of Python modules, before the folder python beside the configuration; in one text with colons between, or several",
    ),
    row(
        "python-interpreter",
        V::Text,
        "python3",
        "interpreter of the classes of python(): a path, such as that of a virtual environment, or a name in PATH",
    ),
    row("gc-idle-threshold", V::Any, "", "").no_effect("there is no garbage collector"),
    row("gc-busy-threshold", V::Any, "", "").no_effect("there is no garbage collector"),
];
