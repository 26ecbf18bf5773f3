//! Options of destinations that send each message as a command, a publication or an event: `redis()`, `amqp()`, `mqtt()`, `nats()`, `kafka()`, `stomp()`, `riemann()`, `collectd()`,
//! or as a call: `python()`; and of the sources `amqp()`, `kafka()`, `mqtt()` and `nats()`.
//!
//! In: nothing. Out: rows.

mod events;

pub(super) use events::{COLLECTD, RIEMANN, STOMP, ZABBIX};

use super::network::{PEER_VERIFY, TLS};
use super::shared::{ON_ERROR, PAIRS, PARTITION_KEY, STAMP_FORMATS};
use super::sql::DEAD_LETTERS;
use crate::options::row::{Row, ValueKind as V, later, row};

/// How all of them gather messages.
pub(super) const BATCHES: &[Row] = &[
    row("batch-bytes", V::Number(0, 1 << 30), "8388608", "most bytes of a batch; 0 is no limit"),
    row("batch-timeout", V::Number(-1, 1 << 31), "0", "milliseconds that a batch waits for more messages"),
    row("flush-lines", V::Number(0, 1 << 31), "", "").renamed("batch-lines"),
];

/// Options that all of them have, and `s3()`.
pub(super) const ITEMS: &[Row] = &[
    row(
        "retries",
        V::Number(1, 1 << 31),
        "without end",
        "tries of a message for which the server is busy; then it is a dead letter",
    ),
    row(
        "dead-letters",
        V::Options(&[DEAD_LETTERS]),
        "",
        "what is kept of messages that the server refuses for good",
    ),
    row("ts-format", V::Word(STAMP_FORMATS), "rfc3164", "how times are written"),
    row("frac-digits", V::Number(0, 1 << 31), "0", "digits of fractions of a second, at most 6"),
    row("time-zone", V::Text, "", "zone that times are written in"),
    row("send-time-zone", V::Text, "", "").renamed("time-zone"),
    row("local-time-zone", V::Text, "that of each message", "zone of times in names"),
    row("on-error", V::Word(ON_ERROR), "drop-message", "what happens with values that cannot be cast"),
];

const WORKERS: Row =
    row("workers", V::Number(1, 1024), "1", "connections; more than one do not keep the order of messages");

pub(super) const REDIS: &[Row] = &[
    row("host", V::Text, "127.0.0.1", "the server; or the path of its unix socket"),
    row("port", V::Port, "6379", "its port"),
    row("auth", V::Text, "", "password of the server, or of username()"),
    row("username", V::Text, "", "user of the access control lists, whose password is auth()"),
    row("database", V::Number(0, 1 << 20), "0", "number of the database"),
    row("tls", V::Options(&[TLS]), "", "encrypt the connection, and check the certificate of the server"),
    row(
        "command",
        V::Any,
        "",
        "name of the command, and the templates of its arguments: \"LPUSH\" \"$HOST\" \"$MSG\"",
    ),
    row("timeout", V::Number(1, 86400), "10", "seconds to wait for the next reply"),
    row(
        "batch-lines",
        V::Number(1, 1 << 20),
        "1000",
        "most commands that are sent without waiting for each other; each has its own reply",
    ),
    WORKERS,
    PARTITION_KEY,
];

/// The broker of `amqp()`, and the login there.
pub(super) const AMQP_BROKER: &[Row] = &[
    row("host", V::Text, "127.0.0.1", "the broker"),
    row("port", V::Port, "5672", "its port; that of TLS is mostly 5671"),
    row("vhost", V::Text, "/", "its virtual host"),
    row(
        "auth-method",
        V::Word(&["plain", "external"]),
        "plain",
        "log in with a password, or with the certificate of tls()",
    ),
    row("username", V::Text, "", "user of the broker, for auth-method(plain)"),
    row("password", V::Text, "", "password of the user"),
    row("tls", V::Options(&[TLS]), "", "encrypt the connection, and check the certificate of the broker"),
    row("ca-file", V::Text, "", "as in tls(); encrypts the connection"),
    row("cert-file", V::Text, "", "as in tls()"),
    row("key-file", V::Text, "", "as in tls()"),
    row("peer-verify", V::Word(PEER_VERIFY), "required-trusted", "as in tls()"),
    row(
        "frame-size",
        V::Number(4096, 1_000_000),
        "131072",
        "most bytes of a frame, unless the broker wants smaller ones",
    ),
    row(
        "heartbeat",
        V::Number(0, 65_535),
        "60",
        "seconds in which both sides show that they live, unless the broker wants fewer; 0 is never",
    ),
];

pub(super) const AMQP: &[Row] = &[
    row(
        "exchange",
        V::Text,
        "syslog",
        "the exchange; \"\" is the default one, whose routing keys name queues",
    ),
    row("exchange-type", V::Text, "fanout", "type of the exchange, for exchange-declare()"),
    row("exchange-declare", V::YesNo, "no", "make the exchange when it is missing"),
    row("routing-key", V::Template, "", "routing key, by which queues are bound; at most 255 bytes"),
    row("body", V::Template, "", "text of the message; the values of value-pairs() are its headers"),
    row(
        "value-pairs",
        V::Options(&[PAIRS]),
        "scope(selected-macros, nv-pairs, sdata)",
        "names and values that are headers of the message",
    ),
    row(
        "persistent",
        V::YesNo,
        "yes",
        "durable queues keep the message over a restart of the broker; an exchange that is made is durable, too",
    ),
    row(
        "unroutable",
        V::Word(&["dead-letter", "hold", "drop"]),
        "dead-letter",
        "what becomes of a message that no queue gets: a dead letter; it and all others wait until a queue is bound; the broker drops it",
    ),
    row("max-channel", V::Number(0, 65_535), "", "most channels of a connection")
        .no_effect("a connection has one channel; workers() makes more connections"),
    row("timeout", V::Number(1, 86400), "30", "seconds to wait for the next confirmation"),
    row(
        "batch-lines",
        V::Number(1, 1 << 20),
        "1000",
        "most publications that are sent without waiting for each other; each has its own confirmation",
    ),
    WORKERS,
    PARTITION_KEY,
];

pub(super) const AMQP_SOURCE: &[Row] = &[
    row("queue", V::Text, "", "name of the queue"),
    row("queue-declare", V::YesNo, "no", "make the queue when it is missing: a durable one"),
    row("exchange", V::Text, "", "exchange that the queue is bound to, with queue-declare(yes)"),
    row("routing-key", V::Text, "", "routing key of the binding; for a topic exchange with * and #"),
    row(
        "prefetch",
        V::Number(1, 65_535),
        "1000",
        "most messages that the broker sends without an acknowledgement",
    ),
    row(
        "max-deliveries",
        V::Number(1, 1 << 31),
        "without end",
        "a message that a quorum queue has delivered so often before is rejected: a dead letter of the broker, or dropped",
    ),
    row(
        "store-metadata",
        V::YesNo,
        "yes",
        "values .amqp.exchange, .amqp.routing-key, .amqp.PROPERTY and .amqp.headers.NAME of each message",
    ),
    row("timeout", V::Number(1, 86400), "30", "seconds to wait for the next answer of a login"),
    BROKER_REOPEN,
    KEEP_HOSTNAME,
];

/// The broker of `mqtt()`, and the login there.
pub(super) const MQTT_BROKER: &[Row] = &[
    row(
        "address",
        V::Text,
        "tcp://localhost:1883",
        "the broker: tcp://HOST:PORT, or ssl://HOST:PORT for TLS",
    ),
    row("tls", V::Options(&[TLS]), "the authorities of the machine", "certificates, for ssl://"),
    row("username", V::Text, "", "user of the broker"),
    row("password", V::Text, "", "password of the user"),
    row("timeout", V::Number(1, 86400), "10", "seconds to wait for the next answer"),
    later("http-proxy", "a proxy for WebSockets"),
];

pub(super) const MQTT: &[Row] = &[
    row("topic", V::Template, "", "name of the topic"),
    row(
        "fallback-topic",
        V::Text,
        "",
        "topic of messages for which topic() gives no name of one; without it they are dead letters",
    ),
    row("template", V::Template, "$ISODATE $HOST $MSGHDR$MSG", "text of the publication"),
    row(
        "qos",
        V::Number(0, 2),
        "0",
        "1: the broker acknowledges each publication; 2: in four steps, so that none comes twice while a connection lasts",
    ),
    row(
        "keepalive",
        V::Number(0, 65_535),
        "60",
        "seconds after which a connection that rested is opened again; 0 is never",
    ),
    row(
        "client-id",
        V::Text,
        "syslog-ng-destination-TOPIC",
        "our name, which no other client of the broker may have",
    ),
    row(
        "batch-lines",
        V::Number(1, 1 << 20),
        "1000",
        "most publications that are sent without waiting for each other",
    ),
    later("cleansession", "whether the broker forgets our session"),
];

pub(super) const MQTT_SOURCE: &[Row] = &[
    row(
        "topic",
        V::Text,
        "",
        "the topics: a name, in which + is any level and # at the end all levels that follow",
    ),
    row(
        "qos",
        V::Number(0, 2),
        "0",
        "1: the broker keeps each message until its destinations have it; 2: in four steps, so that none comes twice while the server runs",
    ),
    row(
        "cleansession",
        V::YesNo,
        "no",
        "yes: the broker forgets what we have not acknowledged when a connection ends, and keeps nothing while we are away",
    ),
    row(
        "client-id",
        V::Text,
        "syslog-ng-source-TOPIC",
        "our name, which no other client of the broker may have; the broker keeps messages under it",
    ),
    row(
        "keepalive",
        V::Number(0, 65_535),
        "60",
        "seconds between two looks if the broker is there; 0 is never",
    ),
    BROKER_REOPEN,
    KEEP_HOSTNAME,
    row("fetch-no-data-delay", V::Number(0, 1 << 31), "0", "pause when there is nothing to read")
        .no_effect("messages are read when they arrive"),
];

/// How sources of brokers connect again.
const BROKER_REOPEN: Row = row(
    "time-reopen",
    V::Number(0, 1 << 31),
    "60",
    "longest pause between two tries to connect, in seconds; shorter ones come first",
);
const KEEP_HOSTNAME: Row = row("keep-hostname", V::YesNo, "yes", "trust the host name inside a message");

/// The server of `nats()`, and the login there.
pub(super) const NATS_SERVER: &[Row] = &[
    row(
        "tls",
        V::Options(&[TLS]),
        "the authorities of the machine, for tls://",
        "encrypt the connection, and check the certificate of the server",
    ),
    row("username", V::Text, "", "user of the server"),
    row("password", V::Text, "", "password of the user"),
    row("token", V::Text, "", "logs in instead of a user"),
    row("timeout", V::Number(1, 86400), "10", "seconds to wait for the next answer"),
];

pub(super) const NATS: &[Row] = &[
    row("url", V::Text, "nats://localhost:4222", "the server: nats://HOST:PORT, or tls://HOST:PORT"),
    row("subject", V::Template, "", "name of the subject"),
    row("template", V::Template, "$ISODATE $HOST $MSGHDR$MSG", "text of the publication"),
    row("jetstream", V::YesNo, "yes", "wait until a stream has stored each message; no: who listens gets it"),
    row(
        "batch-lines",
        V::Number(1, 1 << 20),
        "1000",
        "most publications that are sent without waiting for each other; each has its own answer",
    ),
    WORKERS,
    PARTITION_KEY,
];

pub(super) const NATS_SOURCE: &[Row] = &[
    row(
        "url",
        V::Text,
        "nats://localhost:4222",
        "the server: nats://HOST:PORT, or tls://HOST:PORT; several of one cluster with commas between",
    ),
    row(
        "subject",
        V::Text,
        "",
        "the subjects: a name, in which * is any part and > at the end all that follow; without it those of the consumer, or all",
    ),
    row("stream", V::Text, "the one that has the subject", "name of the stream"),
    row(
        "durable",
        V::Text,
        "duramen",
        "name of the consumer, which knows what was read; clients with one name share the messages",
    ),
    row("consumer-create", V::YesNo, "yes", "make the consumer when it is missing"),
    row(
        "deliver-policy",
        V::Word(&["all", "last", "new"]),
        "all",
        "where a consumer begins that is made: with the oldest message, the newest, or the next",
    ),
    row("log-fetch-limit", V::Number(1, 1 << 20), "1000", "most messages that are asked for at once"),
    row(
        "store-metadata",
        V::YesNo,
        "yes",
        "values .nats.subject, .nats.stream, .nats.sequence and .nats.headers.NAME of each message",
    ),
    row(
        "jetstream",
        V::YesNo,
        "yes",
        "read a stream; no is not supported, for nothing would be acknowledged",
    ),
    BROKER_REOPEN,
    KEEP_HOSTNAME,
];

const BOOTSTRAP_SERVERS: Row =
    row("bootstrap-servers", V::Text, "", "brokers to begin with: HOST:PORT, with commas between");
const KAFKA_LOGGING: Row = row(
    "kafka-logging",
    V::Word(&["disabled", "trace", "kafka-level"]),
    "disabled",
    "what becomes of the messages of librdkafka",
)
.no_effect("its warnings and errors are in the log of the server");

pub(super) const KAFKA: &[Row] = &[
    BOOTSTRAP_SERVERS,
    row("topic", V::Template, "", "name of the topic"),
    row(
        "fallback-topic",
        V::Text,
        "",
        "topic of messages for which topic() gives no legal name; without it they are dead letters",
    ),
    row("key", V::Template, "", "key of the record: equal keys go to one partition; an empty one is none"),
    row("message", V::Template, "$ISODATE $HOST $MSGHDR$MSG", "text of the record"),
    row("template", V::Template, "", "").renamed("message"),
    row("kafka-bootstrap-servers", V::Text, "", "").renamed("bootstrap-servers"),
    row("client-lib-dir", V::Any, "", "folders of Java classes").no_effect("there is no Java"),
    row(
        "config",
        V::Any,
        "",
        "settings of librdkafka: \"compression.codec\" => \"zstd\", or compression.codec(\"zstd\")",
    ),
    row("properties-file", V::Text, "", "a file of such settings, NAME=VALUE, as clients in Java have it"),
    row(
        "sync-send",
        V::YesNo,
        "no",
        "send each batch in a transaction, over one worker: all of its records count, or none",
    ),
    row(
        "batch-lines",
        V::Number(1, 1 << 20),
        "10000",
        "most records that are produced without waiting for each other; each has its own report",
    ),
    row(
        "workers",
        V::Number(1, 1024),
        "1",
        "requests at a time; more than one do not keep the order of messages",
    ),
    PARTITION_KEY,
    row(
        "flush-timeout-on-shutdown",
        V::Number(0, 1 << 31),
        "60000",
        "milliseconds that a stop waits for reports",
    )
    .no_effect("it waits as long as reports come, ten seconds at most"),
    row(
        "flush-timeout-on-reload",
        V::Number(0, 1 << 31),
        "1000",
        "milliseconds that a reload waits for reports",
    )
    .no_effect("it waits for ten seconds at most"),
    row("poll-timeout", V::Number(0, 1 << 31), "10000", "milliseconds between two looks for reports")
        .no_effect("reports are read when they arrive"),
    KAFKA_LOGGING,
];

const FETCHED: &str = "records are fetched as fast as they are read";

pub(super) const KAFKA_SOURCE: &[Row] = &[
    BOOTSTRAP_SERVERS,
    row(
        "topic",
        V::Pairs,
        "",
        "names of topics, or regular expressions that begin with ^, and their partitions: \"logs\" => \"-1\", which is all of them",
    ),
    row(
        "config",
        V::Any,
        "",
        "settings of librdkafka: \"group.id\" => \"name\", or group.id(\"name\"); the group is duramen unless it is set",
    ),
    row(
        "store-metadata",
        V::YesNo,
        "yes",
        "values .kafka.topic, .kafka.partition, .kafka.offset and .kafka.key of each message",
    ),
    row("log-fetch-limit", V::Number(1, 1 << 20), "10000", "most records that are read at once"),
    KEEP_HOSTNAME,
    row(
        "strategy-hint",
        V::Word(&["assign", "subscribe"]),
        "subscribe",
        "how partitions are found; assign is not supported",
    ),
    row(
        "persist-store",
        V::Word(&["local", "remote"]),
        "remote",
        "who keeps the positions; local is not supported",
    ),
    row("disable-bookmarks", V::YesNo, "no", "keep no positions; yes is not supported"),
    row("ignore-saved-bookmarks", V::YesNo, "no", "begin as a new group at each start; yes is not supported"),
    row("workers", V::Number(1, 1024), "2", "threads that read").no_effect("one thread reads all partitions"),
    row("separate-worker-queues", V::YesNo, "no", "a queue for each thread that reads")
        .no_effect("one thread reads all partitions"),
    row("log-fetch-delay", V::Number(0, 1 << 31), "1000", "pause between two records").no_effect(FETCHED),
    row("log-fetch-retry-delay", V::Number(0, 1 << 31), "10000", "pause after an error").no_effect(FETCHED),
    row("log-fetch-queue-full-delay", V::Number(0, 1 << 31), "1000", "pause when too much waits")
        .no_effect("reading goes on when messages are acknowledged"),
    row("poll-timeout", V::Number(0, 1 << 31), "10000", "milliseconds between two looks for records")
        .no_effect("records are read when they arrive"),
    row("state-update-timeout", V::Number(0, 1 << 31), "1000", "milliseconds that states are waited for")
        .no_effect("nothing waits for them"),
    row("time-reopen", V::Number(0, 1 << 31), "60", "seconds between two tries to connect")
        .no_effect("librdkafka connects again by itself: config(\"reconnect.backoff.max.ms\" => ...)"),
    KAFKA_LOGGING,
];

/// The options of every class in Python.
pub(super) const PYTHON_CLASS: &[Row] = &[
    row("class", V::Text, "", "the class: MODULE.NAME, or the NAME of one in a block python { ... }"),
    row(
        "options",
        V::Any,
        "",
        "what init() of the class gets: \"name\" => \"text\", a number, yes, no, [\"a\", \"b\"] or LogTemplate(\"...\")",
    ),
    row("imports", V::Texts, "", "modules that are loaded before the class"),
    row("loaders", V::Texts, "", "").renamed("imports"),
    row("interpreter", V::Text, "python-interpreter()", "interpreter of this class"),
    row(
        "memory-limit",
        V::Number(0, 1 << 50),
        "1073741824",
        "most bytes of memory of its process, beyond which Python gets a MemoryError; 0 is no limit",
    ),
];

/// The options of classes whose calls are short.
pub(super) const PYTHON_CALLS: &[Row] = &[row(
    "timeout",
    V::Number(1, 86400),
    "60",
    "seconds that one call of the class may take; then its process is killed and started again",
)];

pub(super) const PYTHON_HTTP_HEADER: &[Row] = &[row(
    "mark-errors-as-critical",
    V::YesNo,
    "yes",
    "a request waits for its headers when the class fails; with no, it is sent without them",
)];

pub(super) const PYTHON: &[Row] = &[
    row(
        "value-pairs",
        V::Options(&[PAIRS]),
        "",
        "names and values that send() gets as a dictionary; without it, it gets a LogMessage with all of them",
    ),
    row(
        "batch-lines",
        V::Number(1, 1 << 20),
        "100",
        "most messages that the class gets before flush() is called",
    ),
    row(
        "retries",
        V::Number(1, 1 << 31),
        "3",
        "tries of a message at which the class fails; then it is a dead letter",
    ),
];
