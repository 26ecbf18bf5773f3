//! The table of source drivers.
//!
//! In: nothing. Out: rows.

use super::brokers::{
    AMQP_BROKER, AMQP_SOURCE, KAFKA_SOURCE, MQTT_BROKER, MQTT_SOURCE, NATS_SERVER, NATS_SOURCE, PYTHON_CLASS,
};
use super::http::{OTLP_LISTENER, S3_BUCKET, S3_SOURCE};
use super::shared::{ENCODED, MULTI_LINE, PERMISSIONS, SOCKET, SOURCE};
use super::sql::{SQL_SERVER, SQL_SOURCE};
use crate::options::row::{Driver, Plain, Row, ValueKind as V, driver, row};

pub(crate) const DRIVERS: &[Driver] = &[
    driver(
        "network",
        Plain::Optional("address", V::Text),
        &[NETWORK, LISTEN, SOCKET, ENCODED, MULTI_LINE, SOURCE],
        "messages over TCP or UDP",
    ),
    driver(
        "syslog",
        Plain::Optional("address", V::Text),
        &[SYSLOG, LISTEN, SOCKET, ENCODED, MULTI_LINE, SOURCE],
        "RFC 5424 over TCP or UDP",
    ),
    driver(
        "tcp",
        Plain::Optional("address", V::Text),
        &[OLD, LISTEN, SOCKET, ENCODED, MULTI_LINE, SOURCE],
        "network(transport(tcp))",
    ),
    driver(
        "udp",
        Plain::Optional("address", V::Text),
        &[OLD, LISTEN, SOCKET, ENCODED, MULTI_LINE, SOURCE],
        "network(transport(udp))",
    ),
    driver(
        "tcp6",
        Plain::Optional("address", V::Text),
        &[OLD, LISTEN, SOCKET, ENCODED, MULTI_LINE, SOURCE],
        "network(transport(tcp) ip-protocol(6))",
    ),
    driver(
        "udp6",
        Plain::Optional("address", V::Text),
        &[OLD, LISTEN, SOCKET, ENCODED, MULTI_LINE, SOURCE],
        "network(transport(udp) ip-protocol(6))",
    ),
    driver(
        "relp",
        Plain::Optional("address", V::Text),
        &[RELP, LISTEN, SOCKET, SOURCE],
        "RELP: messages are answered when they are safe",
    ),
    driver(
        "sltp",
        Plain::Optional("address", V::Text),
        &[SLTP, LISTEN, SOCKET, SOURCE],
        "SLTP: numbered messages, acknowledged when they are safe, each stored once",
    ),
    driver(
        "gelf",
        Plain::Optional("address", V::Text),
        &[GELF, LISTEN, SOCKET, SOURCE],
        "GELF over UDP, in chunks and compressed, or over TCP",
    ),
    driver(
        "unix-stream",
        Plain::One("path", V::Text),
        &[UNIX, PERMISSIONS, SOCKET, ENCODED, MULTI_LINE, SOURCE],
        "a stream socket of this machine",
    ),
    driver(
        "unix-dgram",
        Plain::One("path", V::Text),
        &[UNIX, PERMISSIONS, SOCKET, ENCODED, MULTI_LINE, SOURCE],
        "a datagram socket of this machine",
    ),
    driver(
        "http",
        Plain::Optional("address", V::Text),
        &[HTTP, LISTEN, SOCKET, SOURCE],
        "what log shippers post: Elasticsearch bulk, Loki, OTLP, Splunk HEC, GELF, journal entries, lines",
    ),
    driver(
        "beats",
        Plain::Optional("address", V::Text),
        &[BEATS, LISTEN, SOCKET, SOURCE],
        "events of Filebeat and other Beats, acknowledged when destinations have acknowledged them",
    ),
    driver(
        "webhook",
        Plain::None,
        &[WEBHOOK, LISTEN, SOCKET, ENCODED, SOURCE],
        "requests of services that report events, each one message, answered when destinations have acknowledged it",
    ),
    driver(
        "opentelemetry",
        Plain::None,
        &[OTLP_LISTENER, LISTEN, SOCKET, SOURCE],
        "OpenTelemetry's logs over gRPC and HTTP, and messages that syslog-ng-otlp() sends",
    )
    .aliases(&["syslog-ng-otlp", "axosyslog-otlp"]),
    driver(
        "file",
        Plain::One("path", V::Text),
        &[FILE, UNTOUCHED, ENCODED, MULTI_LINE, SOURCE],
        "follows a file",
    ),
    driver(
        "wildcard-file",
        Plain::None,
        &[WILDCARD, FILE, UNTOUCHED, ENCODED, MULTI_LINE, SOURCE],
        "follows files of a folder",
    )
    .required(&["base-dir", "filename-pattern"]),
    driver(
        "pipe",
        Plain::One("path", V::Text),
        &[PIPE, PERMISSIONS, ENCODED, MULTI_LINE, SOURCE],
        "a named pipe",
    )
    .aliases(&["fifo"]),
    driver(
        "program",
        Plain::One("command", V::Text),
        &[PROGRAM, ENCODED, MULTI_LINE, SOURCE],
        "what a command prints",
    ),
    driver("stdin", Plain::None, &[ENCODED, MULTI_LINE, SOURCE], "the standard input of the server"),
    driver(
        "systemd-journal",
        Plain::None,
        &[JOURNAL, SOURCE],
        "the journal of this machine, or journal files of a folder",
    ),
    driver(
        "kafka",
        Plain::None,
        &[KAFKA_SOURCE, ENCODED, SOURCE],
        "records of topics of Apache Kafka: what destinations have acknowledged is not read again",
    )
    .aliases(&["kafka-c"])
    .required(&["bootstrap-servers", "topic"]),
    driver(
        "mqtt",
        Plain::None,
        &[MQTT_SOURCE, MQTT_BROKER, ENCODED, SOURCE],
        "publications of an MQTT broker, acknowledged when destinations have acknowledged them",
    )
    .required(&["topic"]),
    driver(
        "python",
        Plain::None,
        &[PYTHON_CLASS, PYTHON_SOURCE, ENCODED, SOURCE],
        "messages that a class in Python posts, which runs in a process of its own",
    )
    .required(&["class"]),
    driver(
        "python-fetcher",
        Plain::None,
        &[PYTHON_CLASS, PYTHON_SOURCE, PYTHON_FETCHER, ENCODED, SOURCE],
        "messages that a class in Python fetches when it is called, in a process of its own",
    )
    .required(&["class"]),
    driver(
        "nats",
        Plain::None,
        &[NATS_SOURCE, NATS_SERVER, ENCODED, SOURCE],
        "messages of a stream of NATS JetStream, acknowledged when destinations have acknowledged them",
    ),
    driver(
        "amqp",
        Plain::None,
        &[AMQP_SOURCE, AMQP_BROKER, ENCODED, SOURCE],
        "messages of a queue of RabbitMQ, acknowledged when destinations have acknowledged them",
    )
    .required(&["queue"]),
    driver(
        "sql",
        Plain::None,
        &[SQL_SOURCE, SQL_SERVER, SOURCE],
        "rows of a table in PostgreSQL, MySQL, MariaDB or SQLite, each read once",
    )
    .required(&["uid-column"]),
    driver(
        "s3",
        Plain::None,
        &[S3_BUCKET, S3_SOURCE, ENCODED, MULTI_LINE, SOURCE],
        "lines of the objects of a bucket of S3, each read once: what destinations have acknowledged is not read again",
    )
    .required(&["bucket"]),
    driver(
        "alerts",
        Plain::None,
        &[SOURCE],
        "a message for each alert that begins or ends, for any destination but a logspace",
    ),
    driver("internal", Plain::None, &[INTERNAL, SOURCE], "messages of the server about itself"),
    driver(
        "system",
        Plain::None,
        &[SYSTEM, SOURCE],
        "messages of this machine: its journal, or /dev/log and the kernel",
    ),
    driver("example-msg-generator", Plain::None, &[GENERATOR, SOURCE], "made-up messages")
        .aliases(&["example-random-generator-text"]),
];

const TRANSPORTS: &[&str] = &[
    "tcp",
    "udp",
    "tls",
    "dtls",
    "auto",
    "nul-terminated",
    "text-with-nuls",
    "framed",
    "proxied-tcp",
    "proxied-tls",
    "proxied-tls-passthrough",
];

const NETWORK: &[Row] = &[
    row("transport", V::Word(TRANSPORTS), "tcp", "how messages arrive"),
    row("port", V::Port, "514", "port to listen on"),
    row("localport", V::Port, "514", "port to listen on"),
];

const SYSLOG: &[Row] = &[
    row("transport", V::Word(TRANSPORTS), "tcp", "how messages arrive"),
    row("port", V::Port, "601; 514 for UDP, 6514 for TLS and DTLS", "port to listen on"),
    row("localport", V::Port, "601; 514 for UDP, 6514 for TLS and DTLS", "port to listen on"),
];

const OLD: &[Row] = &[
    row("port", V::Port, "514", "port to listen on"),
    row("localport", V::Port, "514", "port to listen on"),
];

const GELF: &[Row] = &[
    row("transport", V::Word(&["udp", "tcp", "tls"]), "udp", "how messages arrive"),
    row("port", V::Port, "12201", "port to listen on"),
    row("localport", V::Port, "12201", "port to listen on"),
    row("log-msg-size", V::Number(63, 1 << 30), "1048576", "longest message, in bytes"),
];

const RELP: &[Row] = &[
    row("port", V::Port, "2514", "port to listen on"),
    row("localport", V::Port, "2514", "port to listen on"),
];

const SLTP: &[Row] = &[
    row("port", V::Port, "2515", "port to listen on"),
    row("localport", V::Port, "2515", "port to listen on"),
    row(
        "tokens",
        V::Texts,
        "",
        "secrets of which a sender shows one; without any, everybody may send whom tls() lets in",
    ),
    row(
        "window-bytes",
        V::Number(65536, 1 << 40),
        "67108864",
        "most bytes that a sender may have on their way without an acknowledgement",
    ),
    row("max-frame-size", V::Number(65536, 1 << 30), "16777216", "longest frame in bytes, compressed or not"),
];

const HTTP: &[Row] = &[
    row("port", V::Port, "8088", "port to listen on"),
    row("localport", V::Port, "8088", "port to listen on"),
    row("max-connections", V::Number(1, 1 << 20), "1000", "connections at a time"),
    row("keep-hostname", V::YesNo, "yes", "trust the host name that a shipper sends"),
    row(
        "acknowledge",
        V::Word(&["delivered", "received"]),
        "delivered",
        "when a request succeeds: when destinations with flow control have its messages, or at once",
    ),
    row(
        "tokens",
        V::Texts,
        "",
        "secrets of which a client sends one, in Authorization or as a password; without any, everybody may send",
    ),
    row("users", V::Pairs, "", "names and passwords"),
    row("prefix", V::Text, "", "put before the names of fields that do not set a field of the message"),
    row("max-request-size", V::Number(1024, 1 << 28), "67108864", "longest body in bytes, compressed or not"),
    row(
        "max-bytes-in-work",
        V::Number(1024, 1 << 40),
        "268435456",
        "bytes of bodies that all connections hold; above that, senders are asked to try again later",
    ),
    row("timeout", V::Number(1, 3600), "30", "seconds for a body to arrive, and for its messages to be safe"),
    row("idle-timeout", V::Number(1, 1 << 31), "60", "seconds until a silent connection is closed"),
];

const BEATS: &[Row] = &[
    row("port", V::Port, "5044", "port to listen on"),
    row("localport", V::Port, "5044", "port to listen on"),
    row("prefix", V::Text, "", "put before the names of fields that do not set a field of the message"),
    row("max-connections", V::Number(1, 1 << 20), "1000", "connections at a time"),
    row("keep-hostname", V::YesNo, "yes", "trust the host name that a Beat sends"),
    row(
        "log-msg-size",
        V::Number(63, 1 << 30),
        "1048576",
        "longest event as JSON, in bytes; of longer ones this much is kept as text",
    ),
];

const WEBHOOK: &[Row] = &[
    row("port", V::Port, "80; 443 with tls-key-file()", "port to listen on"),
    row("localport", V::Port, "", "").renamed("port"),
    row(
        "auth-token",
        V::Text,
        "",
        "secret that a client sends in Authorization; without it everybody may send",
    ),
    row(
        "paths",
        V::Texts,
        "all",
        "regular expressions, each for a whole path; their named groups become values: \"/events/(?P<HOST>.+)\"",
    ),
    row(
        "content",
        V::Word(&["any", "json"]),
        "any",
        "json: a body that is no JSON object is refused, and answered with 400",
    ),
    row(
        "include-request-headers",
        V::YesNo,
        "no",
        "the headers, without credentials, become the value webhook.headers",
    ),
    row(
        "proxy-header",
        V::Text,
        "",
        "header in which a trusted proxy names its client; yes is X-Forwarded-For",
    ),
    row("tls-key-file", V::Text, "", "private key: connections are encrypted"),
    row("tls-cert-file", V::Text, "", "certificate"),
    row("tls-peer-verify", V::YesNo, "no", "clients need a certificate of a known authority"),
    row("tls-use-system-cert-store", V::YesNo, "no", "the authorities of this machine are known"),
    row("tls-ca-file", V::Text, "", "file with certificates of known authorities"),
    row("tls-ca-dir", V::Text, "", "folder with certificates of known authorities"),
    row("max-connections", V::Number(1, 1 << 20), "1000", "connections at a time"),
    row("max-request-size", V::Number(1024, 1 << 28), "33554432", "longest body in bytes, compressed or not"),
    row(
        "max-bytes-in-work",
        V::Number(1024, 1 << 40),
        "268435456",
        "bytes of bodies that all connections hold; above that, senders are asked to try again later",
    ),
    row("log-msg-size", V::Number(63, 1 << 30), "max-request-size()", "longest message, in bytes"),
    row("timeout", V::Number(1, 3600), "30", "seconds for a body to arrive, and for its message to be safe"),
    row("idle-timeout", V::Number(1, 1 << 31), "60", "seconds until a silent connection is closed"),
];

const LISTEN: &[Row] = &[
    row("ip", V::Text, "0.0.0.0", "address to listen on"),
    row("localip", V::Text, "0.0.0.0", "address to listen on"),
    row("max-connections", V::Number(1, 1 << 20), "10; 1000 for DTLS", "connections at a time"),
    row(
        "max-connections-per-address",
        V::Number(0, 1 << 20),
        "0",
        "connections at a time from one IPv4 address or 64 bits of an IPv6 address; 0 is max-connections()",
    ),
    row("max-handshakes", V::Number(1, 1 << 20), "256", "handshakes of TLS or DTLS at a time"),
    row(
        "max-handshakes-per-address",
        V::Number(1, 1 << 20),
        "32",
        "handshakes at a time from one IPv4 address or 64 bits of an IPv6 address; further ones wait",
    ),
    row("so-rcvbuf", V::Number(0, 1 << 31), "0", "receive buffer in the kernel, in bytes"),
    row("so-reuseport", V::YesNo, "no", "share the port with other programs"),
    row("listen-backlog", V::Number(1, 1 << 20), "255", "connections that may wait to be accepted"),
    row(
        "idle-timeout",
        V::Number(0, 1 << 31),
        "0; 3600 for DTLS",
        "seconds until a silent connection is closed; 0 is never",
    ),
    row("so-broadcast", V::YesNo, "no", "allow broadcasts").no_effect("broadcasts are always received"),
    row("so-sndbuf", V::Number(0, 1 << 31), "0", "send buffer in the kernel")
        .no_effect("a source sends nothing"),
    row("auto-parse", V::YesNo, "no", "parse messages by their application")
        .no_effect("messages are not parsed by their application yet"),
];

const UNIX: &[Row] = &[
    row("max-connections", V::Number(1, 1 << 20), "256", "connections at a time"),
    row("so-rcvbuf", V::Number(0, 1 << 31), "0", "receive buffer in the kernel, in bytes"),
    row("so-passcred", V::YesNo, "yes", "get the sender's process, user and group from the kernel"),
    row("pass-unix-credentials", V::YesNo, "yes", "").renamed("so-passcred"),
    row("listen-backlog", V::Number(1, 1 << 20), "255", "connections that may wait to be accepted"),
    row(
        "idle-timeout",
        V::Number(0, 1 << 31),
        "0",
        "seconds until a silent connection is closed; 0 is never",
    ),
    row("create-dirs", V::YesNo, "no", "create missing folders"),
    row("so-sndbuf", V::Number(0, 1 << 31), "0", "send buffer in the kernel")
        .no_effect("a source sends nothing"),
    row("so-reuseport", V::YesNo, "no", "share the port with other programs").no_effect("a path has no port"),
];

const PADDED: Row = row(
    "pad-size",
    V::Number(0, 65536),
    "0",
    "size in bytes of the blocks in which messages are written, each filled up with zero bytes",
);

const FILE: &[Row] = &[
    PADDED,
    row(
        "format",
        V::Word(&["syslog", "pacct"]),
        "syslog",
        "how messages are read; pacct: records of process accounting, as values .pacct.ac_*",
    ),
    row("follow-freq", V::Decimal(0.0, 86400.0), "1", "seconds between two checks of the file"),
    row("persist-name", V::Text, "that of the source statement", "name under which read positions are kept"),
    row("read-old-records", V::YesNo, "yes", "also read what was there before the first start"),
];

/// Owner and mode of files that are only read.
const UNTOUCHED: &[Row] = &[
    row("owner", V::Id, "", "owner of the file").no_effect(ONLY_READ),
    row("group", V::Id, "", "group of the file").no_effect(ONLY_READ),
    row("perm", V::Mode, "", "mode of the file").no_effect(ONLY_READ),
    row("create-dirs", V::YesNo, "no", "create missing folders").no_effect(ONLY_READ),
    row("dir-owner", V::Id, "", "owner of folders").no_effect(ONLY_READ),
    row("dir-group", V::Id, "", "group of folders").no_effect(ONLY_READ),
    row("dir-perm", V::Mode, "", "mode of folders").no_effect(ONLY_READ),
];

const ONLY_READ: &str = "what is read is created by who writes it";

const SYSTEM: &[Row] = &[row(
    "exclude-kmsg",
    V::YesNo,
    "no",
    "leave out the messages of the kernel on machines without a journal",
)];

const INTERNAL: &[Row] = &[row("log-fifo-size", V::Number(1, 1 << 31), "", "messages that wait to be read")
    .no_effect("its queue has a size of its own")];

const PIPE: &[Row] = &[
    PADDED,
    row("create-dirs", V::YesNo, "no", "create missing folders"),
    row("follow-freq", V::Decimal(0.0, 86400.0), "1", "seconds between looks at the pipe")
        .no_effect("what is written to a pipe is read at once"),
];

const WILDCARD: &[Row] = &[
    row("base-dir", V::Text, "", "the folder"),
    row("filename-pattern", V::Text, "", "names of the files: * and ?"),
    row("exclude-pattern", V::Text, "", "names of files that are not read: * and ?"),
    row("recursive", V::YesNo, "no", "also folders inside the folder"),
    row("max-files", V::Number(1, 1 << 20), "100", "files followed at a time"),
    row("monitor-method", V::Word(&["auto", "inotify", "poll"]), "auto", "how new files are found")
        .no_effect("new files are found by looking, every follow-freq() seconds"),
];

const JOURNAL: &[Row] = &[
    row("prefix", V::Text, ".journald.", "put before the names of the journal's fields"),
    row("max-field-size", V::Number(1, 1 << 30), "65536", "longest value of a field, in bytes"),
    row("read-old-records", V::YesNo, "no", "also read what was there before the first start"),
    row("match-boot", V::YesNo, "no", "entries of this boot only"),
    row("matches", V::Pairs, "", "entries with all of these fields: \"_SYSTEMD_UNIT\" => \"ssh.service\""),
    row("namespace", V::Text, "", "the journal of a namespace; * is all of them"),
    row("folder", V::Text, "", "journal files to read instead of this machine's"),
];

const PROGRAM: &[Row] = &[
    row("inherit-environment", V::YesNo, "yes", "give the command the server's environment"),
    row("keep-alive", V::YesNo, "no", "the command outlives a reload")
        .no_effect("it outlives a reload that leaves it unchanged"),
];

const GENERATOR: &[Row] = &[
    row("num", V::Number(0, i64::MAX), "0", "number of messages; 0 is without end"),
    row("freq", V::Decimal(0.0, 86400.0), "1", "seconds between messages"),
    row("template", V::Template, "-- Generated message. --", "text of the messages"),
    row("values", V::Pairs, "", "values of the messages"),
];

const PYTHON_SOURCE: &[Row] =
    &[row("persist-name", V::Text, "", "its name for values that are kept, persist_name of the class")];

const PYTHON_FETCHER: &[Row] = &[
    row(
        "time-reopen",
        V::Decimal(0.0, f64::INFINITY),
        "60",
        "seconds before open() is called again after a fault",
    ),
    row(
        "fetch-no-data-delay",
        V::Decimal(0.0, f64::INFINITY),
        "time-reopen()",
        "seconds before fetch() is called again when there was nothing",
    ),
];
