//! Table: options of drivers that send requests: `http()`, `loki()`, `opentelemetry()`, `clickhouse()`, `s3()`; and of the source
//! `opentelemetry()`.
//!
//! In: nothing. Out: rows.

use super::brokers::{PYTHON_CALLS, PYTHON_CLASS, PYTHON_HTTP_HEADER};
use super::network::{PEER_VERIFY, SSL_VERSIONS, TLS};
use super::shared::{ON_ERROR, PARTITION_KEY, STAMP_FORMATS};
use super::sql::DEAD_LETTERS;
use crate::options::row::{Row, ValueKind as V, later, row};

pub(super) const HTTP: &[Row] = &[
    row(
        "url",
        V::Texts,
        "",
        "address: http://host:port/path, a template; of several, requests use one after the other",
    ),
    row("urls", V::Texts, "", "").renamed("url"),
    row("method", V::Word(&["post", "put", "patch"]), "POST", "method of the requests"),
    row("headers", V::Texts, "", "\"Name: value\" of every request"),
    row("body", V::Template, "$MESSAGE", "template of a message in a request"),
    row("body-prefix", V::Text, "", "text at the beginning of a body"),
    row("body-suffix", V::Text, "", "text at the end of a body"),
    row("delimiter", V::Text, "\\n", "text between messages"),
    row("batch-lines", V::Number(0, 1 << 20), "1", "most messages of a request"),
    row("batch-bytes", V::Number(0, 1 << 30), "0", "most bytes of a request; 0 is no limit"),
    row("flush-bytes", V::Number(0, 1 << 30), "0", "").renamed("batch-bytes"),
    row("batch-timeout", V::Number(-1, 1 << 31), "0", "milliseconds that a request waits for more messages"),
    row("workers", V::Number(1, 1024), "1", "requests at a time, each on a connection of its own"),
    row("timeout", V::Number(0, 86400), "60", "seconds until a request without an answer is sent again"),
    row(
        "retries",
        V::Number(0, 1 << 31),
        "without end",
        "further attempts for a message after an error of the server; then it is a dead letter",
    ),
    row(
        "dead-letters",
        V::Options(&[DEAD_LETTERS]),
        "",
        "what is kept of messages that the receiver refuses for good",
    ),
    row(
        "response-action",
        V::Pairs,
        "",
        "meaning of a status: success; drop, which counts and keeps no dead letter; retry, which means retries() times (3 without it); or disconnect, without end",
    ),
    row(
        "item-results",
        V::Word(&["auto", "yes", "no"]),
        "auto",
        "whether answers have a result for each message, as those to Elasticsearch's _bulk; auto: by the address, also for Splunk and OpenObserve",
    ),
    row(
        "item-ids",
        V::YesNo,
        "yes",
        "whether a document of a bulk request whose action has no _id gets the id of its message, so that it is not stored twice",
    ),
    row("user", V::Text, "", "user of the server"),
    row("password", V::Text, "", "password of the user"),
    row("user-agent", V::Text, "duramen/VERSION", "the header User-Agent"),
    row(
        "content-compression",
        V::Word(&["identity", "gzip", "deflate"]),
        "identity",
        "how bodies are compressed",
    ),
    row("accept-redirects", V::YesNo, "no", "follow redirects of the server, up to three times"),
    row("accept-encoding", V::Any, "", "how answers may be packed").no_effect("answers are not packed"),
    PARTITION_KEY,
    row("proxy", V::Text, "", "an HTTP proxy for the requests: http://host:port"),
    row(
        "tls",
        V::Options(&[TLS]),
        "use-system-cert-store(yes) sni(yes)",
        "certificates, for addresses that begin with https://",
    ),
    row("ca-dir", V::Text, "", "as in tls()"),
    row("ca-file", V::Text, "", "as in tls()"),
    row("cert-file", V::Text, "", "as in tls()"),
    row("key-file", V::Text, "", "as in tls()"),
    row("cipher-suite", V::Text, "", "as in tls()"),
    row("ssl-version", V::Word(SSL_VERSIONS), "", "as in tls()"),
    row("use-system-cert-store", V::YesNo, "yes without ca-file() and ca-dir()", "as in tls()"),
    row("peer-verify", V::Word(PEER_VERIFY), "required-trusted", "as in tls()"),
    row("ocsp-stapling-verify", V::YesNo, "no", "as in tls()"),
    row("cloud-auth", V::Options(&[CLOUD_AUTH]), "", "tokens that requests show: the header Authorization"),
    row(
        "index-template",
        V::Pairs,
        "",
        "index templates that Elasticsearch or OpenSearch gets before the first document: \"name\" => \"/path/of/template.json\"",
    ),
    row(
        "rollover",
        V::Options(&[ROLLOVER]),
        "",
        "when a new index takes the place of the one that is written to",
    ),
    row(
        "python-http-header",
        V::Options(&[PYTHON_CLASS, PYTHON_CALLS, PYTHON_HTTP_HEADER]),
        "",
        "a class in Python that makes headers for each request, and gets to know the status of each answer",
    ),
    row(
        "use-ack",
        V::YesNo,
        "no",
        "for Splunk's event collector: messages count as written when its indexers have acknowledged them (useACK of the token)",
    ),
    row(
        "ack-timeout",
        V::Number(1, 86400),
        "300",
        "seconds without an acknowledgement after which messages are sent again, with use-ack()",
    ),
];

const ROLLOVER: &[Row] = &[
    row(
        "alias",
        V::Text,
        "",
        "the alias that url() or index() names; its first index is made, with -000001 after its name",
    ),
    row("data-stream", V::Text, "", "or the data stream, which the first document makes"),
    row("max-age", V::Text, "", "age of the index: 7d, 12h, 30m"),
    row("max-size", V::Text, "", "size of its primary shards together: 50gb"),
    row("max-docs", V::Number(1, i64::MAX), "", "its documents"),
    row("max-primary-shard-size", V::Text, "", "size of its largest primary shard: 50gb"),
    row(
        "check-freq",
        V::Number(1, 86400),
        "60",
        "least seconds between two questions whether one of these is reached",
    ),
];

pub(super) const LOKI: &[Row] = &[
    row(
        "url",
        V::Text,
        "",
        "the server: host:9095 for gRPC; http://host:3100 for HTTP, without a path it is /loki/api/v1/push",
    ),
    row("labels", V::Pairs, "", "labels and the templates of their values: \"app\" => \"$PROGRAM\""),
    row(
        "timestamp",
        V::Word(&["current", "received", "msg"]),
        "current",
        "time of a line: when it is sent, when it was received, or that of the sender",
    ),
    row("template", V::Template, "$ISODATE $HOST $MSGHDR$MSG", "template of the line that is sent"),
    row("template-escape", V::YesNo, "no", "escape quotes in values"),
    row("ts-format", V::Word(STAMP_FORMATS), "rfc3164", "how times are written"),
    row("frac-digits", V::Number(0, 1 << 31), "0", "digits of fractions of a second, at most 6"),
    row("time-zone", V::Text, "", "zone that times are written in"),
    row("send-time-zone", V::Text, "", "").renamed("time-zone"),
    row("on-error", V::Word(ON_ERROR), "drop-message", "what happens with values that cannot be cast"),
    row("tenant-id", V::Text, "", "the tenant: the header X-Scope-OrgID"),
    row("auth", V::Options(&[LOKI_AUTH]), "", "how the two sides authenticate each other"),
    row("compression", V::YesNo, "no", "requests are compressed with gzip"),
    row("batch-lines", V::Number(0, 1 << 20), "100", "most messages of a request"),
    row("batch-bytes", V::Number(0, 1 << 30), "0", "most bytes of a request; 0 is no limit"),
    row("batch-timeout", V::Number(-1, 1 << 31), "0", "milliseconds that a request waits for more messages"),
    row("workers", V::Number(1, 1024), "1", "requests at a time, each on a connection of its own"),
    row("timeout", V::Number(0, 86400), "60", "seconds until a request without an answer is sent again"),
    row(
        "retries",
        V::Number(0, 1 << 31),
        "without end",
        "further attempts for a message after an error of the server; then it is a dead letter",
    ),
    row(
        "dead-letters",
        V::Options(&[DEAD_LETTERS]),
        "",
        "what is kept of messages that the receiver refuses for good",
    ),
    row(
        "headers",
        V::Any,
        "",
        "headers of every request: \"name\" => \"template\" over gRPC, \"Name: value\" over HTTP",
    ),
    row(
        "response-action",
        V::Pairs,
        "",
        "meaning of a status of gRPC, or of HTTP: success; drop, which counts and keeps no dead letter; retry, which means retries() times; or disconnect, without end",
    ),
    row(
        "item-results",
        V::Word(&["auto", "yes", "no"]),
        "auto",
        "whether answers have a result for each message, as those to Elasticsearch's _bulk; auto: by the address, also for Splunk and OpenObserve",
    ),
    row("user", V::Text, "", "user of the server"),
    row("password", V::Text, "", "password of the user"),
    row("user-agent", V::Text, "duramen/VERSION", "the header User-Agent"),
    row("proxy", V::Text, "", "an HTTP proxy for the requests: http://host:port"),
    PARTITION_KEY,
    KEEP_ALIVE,
    CHANNEL_ARGS,
];

const LOKI_AUTH: &[Row] = &[
    row("insecure", V::Options(&[]), "", "no encryption"),
    row("tls", V::Options(&[TLS]), "", "certificates: over HTTP for addresses that begin with https://"),
    later("alts", "Google's way inside its own data centres"),
    later("adc", "the credentials of a cloud"),
];

pub(super) const CLICKHOUSE: &[Row] = &[
    row(
        "url",
        V::Text,
        "http://127.0.0.1:8123",
        "address of ClickHouse's HTTP interface: http://host:8123 or https://host:8443; not the port of gRPC",
    ),
    row("database", V::Text, "default", "the database"),
    row("table", V::Text, "", "the table, which must exist"),
    row(
        "schema",
        V::Any,
        "",
        "columns with their types and the templates of their values: \"pid\" UInt32 => \"$PID\"; without a type it is text",
    ),
    row(
        "json-var",
        V::Template,
        "",
        "instead of schema(): a template that gives a row in JSON, an object for format(JSONEachRow)",
    ),
    row(
        "format",
        V::Word(&["jsoneachrow", "jsoncompacteachrow"]),
        "JSONEachRow",
        "rows are objects, or arrays with JSONCompactEachRow; old servers know only objects",
    ),
    row(
        "unique-column",
        V::Text,
        "",
        "a column for the id of each message, 32 hexadecimal digits: a ReplacingMergeTree that is ordered by it keeps one of two equal ones",
    ),
    row("user", V::Text, "default", "user of the server"),
    row("password", V::Text, "", "password of the user"),
    row("compression", V::YesNo, "no", "requests are compressed with gzip"),
    row("batch-lines", V::Number(1, 1 << 19), "10000", "most rows of an INSERT"),
    row("batch-bytes", V::Number(1, 1 << 28), "8388608", "most bytes of an INSERT before it is compressed"),
    row("batch-timeout", V::Number(-1, 1 << 31), "1000", "milliseconds that an INSERT waits for more rows"),
    row("flush-lines", V::Number(0, 1 << 31), "", "").renamed("batch-lines"),
    row(
        "workers",
        V::Number(1, 64),
        "1",
        "requests at a time; more than one do not keep the order of messages",
    ),
    row("timeout", V::Number(1, 86400), "60", "seconds until a request without an answer is sent again"),
    row("headers", V::Texts, "", "\"Name: value\" of every request"),
    row("user-agent", V::Text, "duramen/VERSION", "the header User-Agent"),
    row("proxy", V::Text, "", "an HTTP proxy for the requests: http://host:port"),
    row("auth", V::Options(&[LOKI_AUTH]), "", "how the two sides authenticate each other"),
    row("tls", V::Options(&[TLS]), "the authorities of the machine", "certificates, for https://"),
    PARTITION_KEY,
    row("keep-alive", V::Any, "", "pings of gRPC").no_effect("connections of HTTP are not pinged"),
    later("channel-args", "arguments of a channel of gRPC"),
    later("response-action", "meaning of a status of gRPC"),
    later("protobuf-schema", "columns by a file of Protocol Buffers; use schema()"),
    later("proto-var", "a row in Protocol Buffers; use json-var()"),
    later("server-side-schema", "name of a schema of Protocol Buffers on the server; use schema()"),
];

/// `nrdp()`
pub(super) const NRDP: &[Row] = &[
    row("url", V::Text, "", "address of NRDP: https://host/nrdp/"),
    row("token", V::Text, "", "one of the tokens in its authorized_tokens"),
    row("host", V::Template, "$HOST", "name of the host in Nagios"),
    row("service", V::Template, "", "description of the service; without it the result is that of the host"),
    row(
        "state",
        V::Template,
        "by severity: critical from err on, warning, ok",
        "ok, warning, critical or unknown, of a host up, down or unreachable; or the number",
    ),
    row("output", V::Template, "$MSG", "text of the result, with performance data after a |"),
    row("user", V::Text, "", "user for basic authentication"),
    row("password", V::Text, "", "password of the user"),
    row("tls", V::Options(&[TLS]), "the authorities of the machine", "certificates, for https://"),
    row("proxy", V::Text, "", "an HTTP proxy for the requests: http://host:port"),
    row("batch-lines", V::Number(1, 10_000), "100", "most results of a request, which has one answer"),
    row(
        "batch-bytes",
        V::Number(1, 8 << 20),
        "524288",
        "most bytes of the results of a request; post_max_size of PHP must be three times that",
    ),
    row(
        "workers",
        V::Number(1, 64),
        "1",
        "requests at a time; more than one do not keep the order of messages",
    ),
    PARTITION_KEY,
    row("timeout", V::Number(1, 86400), "60", "seconds until a request without an answer is sent again"),
];

/// A bucket of S3, and the login there.
pub(super) const S3_BUCKET: &[Row] = &[
    row(
        "url",
        V::Text,
        "Amazon's of region()",
        "the server: https://HOST:PORT, whose path then begins with the bucket",
    ),
    row("bucket", V::Text, "", "the bucket, which must exist"),
    row("region", V::Text, "us-east-1", "the region of the bucket, which the signature names"),
    row("access-key", V::Text, "", "id of the key that signs requests"),
    row("secret-key", V::Text, "", "the key itself"),
    row(
        "session-token",
        V::Text,
        "",
        "the token of a key that expires; a new one comes into use with a reload",
    ),
    row(
        "role",
        V::Text,
        "",
        "a role of Amazon to take; not supported: use the keys of a user with access to the bucket",
    ),
    row("tls", V::Options(&[TLS]), "the authorities of the machine", "certificates, for https://"),
];

/// `s3()` as a source.
pub(super) const S3_SOURCE: &[Row] = &[
    row("prefix", V::Text, "", "beginning of the names of the objects that are read"),
    row("follow-freq", V::Decimal(0.1, 1e9), "60", "seconds between two looks at the list of objects"),
    row(
        "full-list-freq",
        V::Decimal(0.0, 1e9),
        "0",
        "seconds after which the next look is at the whole list; those between are at the names behind the highest one",
    ),
    row("read-old-records", V::YesNo, "yes", "the first start reads the objects that are there"),
    row("workers", V::Number(1, 64), "1", "objects that are read at a time"),
    row(
        "timeout",
        V::Number(1, 86400),
        "60",
        "seconds to wait for an answer, and for each part of an object",
    ),
    row(
        "time-reopen",
        V::Number(0, 1 << 31),
        "60",
        "longest pause between two tries, in seconds; shorter ones come first",
    ),
    row("persist-name", V::Text, "that of server, bucket and prefix", "name of the record of what was read"),
    row("keep-hostname", V::YesNo, "yes", "trust the host name inside a message"),
    later("sqs-queue", "notifications of a bucket over SQS; the list is looked at after each follow-freq()"),
    later("delete-after", "objects are never changed; a rule of the bucket can remove old ones"),
];

pub(super) const S3: &[Row] = &[
    row(
        "object-key",
        V::Template,
        "",
        "beginning of the names of objects; messages for which it differs go to different objects",
    ),
    row(
        "object-key-timestamp",
        V::Template,
        "",
        "a time in names, after object-key() and a hyphen: \"${YEAR}${MONTH}${DAY}\"",
    ),
    row("object-key-suffix", V::Text, ".log", "end of names; compressed objects have .gz or .zst after it"),
    row("template", V::Template, "${MESSAGE}\\n", "text of a message in an object"),
    row(
        "compression",
        V::Word(&["no", "yes", "off", "on", "0", "1", "gzip", "zstd"]),
        "no",
        "how objects are compressed; yes is gzip",
    ),
    row("compresslevel", V::Number(0, 9), "9", "how hard, from 0 to 9"),
    row(
        "batch-lines",
        V::Number(1, 50_000),
        "25000",
        "most messages of a batch, which is an object or a piece of one",
    ),
    row(
        "batch-bytes",
        V::Number(1, 32 << 20),
        "8388608",
        "most bytes of a batch before it is compressed; they are in memory until it is stored or in a part",
    ),
    row(
        "batch-timeout",
        V::Number(-1, 1 << 31),
        "300000, without disk-buffer() 10000, with max-object-size() above batch-bytes() 60000",
        "milliseconds that a batch waits for more messages",
    ),
    row(
        "flush-grace-period",
        V::Number(1, 1 << 20),
        "60 with max-object-size() above batch-bytes()",
        "minutes that an object grows; without such an object, those that a batch waits when there is no batch-timeout()",
    ),
    row(
        "max-object-size",
        V::Number(1, i64::MAX),
        "",
        "most bytes of an object; more than batch-bytes() needs disk-buffer(reliable(yes)), and counts after compression",
    ),
    row("flush-lines", V::Number(0, 1 << 31), "", "").renamed("batch-lines"),
    row("workers", V::Number(1, 64), "4", "requests at a time"),
    row("upload-threads", V::Number(1, 64), "", "").renamed("workers"),
    row(
        "chunk-size",
        V::Number(1, i64::MAX),
        "5242880",
        "bytes after compression with which a part of an object is uploaded, from 5 MiB to 256 MiB",
    ),
    row(
        "max-pending-uploads",
        V::Number(1, 1 << 31),
        "32",
        "most objects of several parts that grow at a time",
    ),
    row(
        "use-checksum",
        V::Word(&["when-supported", "when-required"]),
        "when-supported",
        "when-supported: the server checks and stores a SHA-256 of each object",
    ),
    row("content-type", V::Text, "application/octet-stream", "content type of objects"),
    row(
        "storage-class",
        V::Word(&[
            "standard",
            "reduced-redundancy",
            "standard-ia",
            "onezone-ia",
            "intelligent-tiering",
            "glacier",
            "glacier-ir",
            "deep-archive",
            "express-onezone",
            "outposts",
            "snow",
        ]),
        "that of the bucket",
        "storage class of objects",
    ),
    row(
        "canned-acl",
        V::Word(&[
            "private",
            "public-read",
            "public-read-write",
            "authenticated-read",
            "aws-exec-read",
            "bucket-owner-read",
            "bucket-owner-full-control",
        ]),
        "",
        "who may read objects",
    ),
    row(
        "server-side-encryption",
        V::Word(&["aes256", "aws:kms", "aws:kms:dsse"]),
        "that of the bucket",
        "how the server encrypts objects",
    ),
    row("kms-key", V::Text, "", "id of the key for server-side-encryption(\"aws:kms\")"),
    row("timeout", V::Number(1, 86400), "60", "seconds until a request without an answer is sent again"),
];

const KEEP_ALIVE: Row =
    row("keep-alive", V::Options(&[PINGS]), "", "pings on a connection; over HTTP there are none");

const CHANNEL_ARGS: Row = row("channel-args", V::Any, "", "arguments of the library for gRPC")
    .no_effect("connections are not made by that library");

const PINGS: &[Row] = &[
    row("time", V::Number(1, 1 << 31), "", "milliseconds between two pings"),
    row(
        "timeout",
        V::Number(1, 1 << 31),
        "20000",
        "milliseconds until a ping without an answer ends the connection",
    ),
    row("max-pings-without-data", V::Number(0, 1 << 31), "0", "pings while nothing is sent")
        .no_effect("there are as many as time() says"),
];

pub(super) const OTLP: &[Row] = &[
    row("url", V::Text, "", "the receiver: host:4317, or https://host:4317 for an encrypted connection"),
    row("auth", V::Options(&[LOKI_AUTH]), "insecure()", "how the two sides authenticate each other"),
    row("headers", V::Pairs, "", "headers of every request: \"name\" => \"template\""),
    row("compression", V::YesNo, "no", "requests are compressed with gzip"),
    row("batch-lines", V::Number(0, 1 << 20), "1000", "most messages of a request"),
    row("batch-bytes", V::Number(0, 1 << 30), "4194304", "most bytes of a request before it is compressed"),
    row("batch-timeout", V::Number(-1, 1 << 31), "0", "milliseconds that a request waits for more messages"),
    row("workers", V::Number(1, 1024), "1", "requests at a time, each on a connection of its own"),
    row("timeout", V::Number(1, 86400), "60", "seconds until a request without an answer is sent again"),
    row(
        "retries",
        V::Number(0, 1 << 31),
        "without end",
        "further attempts for a message after an error of the server; then it is a dead letter",
    ),
    row(
        "response-action",
        V::Pairs,
        "",
        "meaning of a status such as unavailable: success; drop, which counts and keeps no dead letter; retry, which means retries() times; or disconnect, without end",
    ),
    PARTITION_KEY,
    KEEP_ALIVE,
    CHANNEL_ARGS,
];

pub(super) const OTLP_LISTENER: &[Row] = &[
    row("port", V::Port, "4317", "port to listen on"),
    row("localport", V::Port, "4317", "port to listen on"),
    row("auth", V::Options(&[LISTENER_AUTH]), "insecure()", "how the two sides authenticate each other"),
    row("max-connections", V::Number(1, 1 << 20), "1000", "connections at a time"),
    row("keep-hostname", V::YesNo, "yes", "trust the host name that a sender gives"),
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
        "secrets of which a client sends one in the header authorization; without any, everybody may send",
    ),
    row("users", V::Pairs, "", "names and passwords"),
    row("max-request-size", V::Number(1024, 1 << 28), "67108864", "longest body in bytes, compressed or not"),
    row(
        "max-bytes-in-work",
        V::Number(1024, 1 << 40),
        "268435456",
        "bytes of bodies that all connections hold; above that, senders are asked to try again later",
    ),
    row("timeout", V::Number(1, 3600), "30", "seconds for a body to arrive, and for its messages to be safe"),
    row("idle-timeout", V::Number(1, 1 << 31), "60", "seconds until a silent connection is closed"),
    row("concurrent-requests", V::Number(2, 1 << 31), "", "requests at a time")
        .no_effect("a connection may have 64 requests at a time"),
    row("workers", V::Number(1, 1 << 31), "", "threads").no_effect("all sources share their threads"),
    row("log-fetch-limit", V::Number(0, 1 << 31), "", "messages that are fetched at a time")
        .no_effect("log-iw-size() and max-bytes-in-work() limit what is in work"),
    CHANNEL_ARGS,
];

const LISTENER_AUTH: &[Row] = &[
    row("insecure", V::Options(&[]), "", "no encryption"),
    row("tls", V::Options(&[TLS]), "", "certificates"),
    later("alts", "Google's way inside its own data centres"),
];

const CLOUD_AUTH: &[Row] = &[
    row("oauth2", V::Options(&[OAUTH2]), "", "a token for the credentials of a client (OAuth 2.0)"),
    row("azure", V::Options(&[AZURE]), "", "a token of Microsoft Entra ID"),
    row("gcp", V::Options(&[GCP]), "", "a token of a service account of Google"),
];

const OAUTH2: &[Row] = &[
    row("client-id", V::Text, "", "id of the client"),
    row("client-secret", V::Text, "", "its secret"),
    row("token-url", V::Text, "", "the server that gives out tokens"),
    row("scope", V::Text, "", "what tokens are for"),
    row("resource", V::Text, "", "what tokens are for, by its address"),
    row("authorization-details", V::Text, "", "what tokens are for, in JSON"),
    row("refresh-offset", V::Number(0, 86400), "60", "seconds before its end that a token is replaced"),
    row(
        "auth-method",
        V::Word(&["basic", "post-body"]),
        "basic",
        "where id and secret are: in a header, or in the body",
    ),
];

const AZURE: &[Row] =
    &[row("monitor", V::Options(&[AZURE_MONITOR]), "", "for the ingestion of Azure Monitor")];

const AZURE_MONITOR: &[Row] = &[
    row("tenant-id", V::Text, "", "the tenant"),
    row("app-id", V::Text, "", "id of the application"),
    row("app-secret", V::Text, "", "its secret"),
    row("scope", V::Text, "https://monitor.azure.com//.default", "what tokens are for"),
    row(
        "authority",
        V::Text,
        "https://login.microsoftonline.com",
        "who gives them out; national clouds have others",
    ),
];

const GCP: &[Row] = &[
    row("service-account", V::Options(&[SERVICE_ACCOUNT]), "", "an account with its key"),
    row(
        "user-managed-service-account",
        V::Options(&[METADATA_ACCOUNT]),
        "",
        "the account of a machine of Google, which asks for its tokens there",
    ),
];

const SERVICE_ACCOUNT: &[Row] = &[
    row("key", V::Text, "", "the file of the key in JSON, as Google gives it out; it is read for each token"),
    row("audience", V::Text, "", "what tokens are for"),
    row("token-validity-duration", V::Number(60, 3600), "3600", "lifetime of a token in seconds"),
];

const METADATA_ACCOUNT: &[Row] = &[
    row("name", V::Text, "", "the account, or default"),
    row(
        "metadata-url",
        V::Text,
        "http://metadata.google.internal/computeMetadata/v1/instance/service-accounts",
        "where tokens are",
    ),
];

pub(super) const ELASTICSEARCH: &[Row] = &[
    row("server", V::Text, "localhost", "the servers, by name"),
    row("port", V::Port, "9200", "port of their HTTP interface"),
    row("cluster-url", V::Text, "", "instead of server() and port(): addresses, http://host:9200"),
    row("index", V::Template, "", "the index of a document"),
    row("type", V::Template, "", "its type; current servers have none"),
    row("custom-id", V::Template, "", "its id; without one it is that of the message"),
    row("template", V::Template, "$(format-json --scope rfc5424 ...)", "the document, in JSON"),
    row("batch-lines", V::Number(0, 1 << 20), "5000", "most messages of a request"),
    row("flush-limit", V::Number(0, 1 << 20), "5000", "").renamed("batch-lines"),
    row("flush-timeout", V::Number(-1, 1 << 31), "0", "").renamed("batch-timeout"),
    row(
        "concurrent-requests",
        V::Number(1, 1024),
        "1",
        "requests at a time, each on a connection of its own",
    ),
    row("http-auth-type-basic-username", V::Text, "", "").renamed("user"),
    row("http-auth-type-basic-password", V::Text, "", "").renamed("password"),
    row("http-auth-type", V::Word(&["none", "basic"]), "none", "how we log in")
        .no_effect("user() and password() are used when they are there"),
    row(
        "client-mode",
        V::Word(&["http", "https", "node", "transport"]),
        "http",
        "https encrypts; node and transport needed Java, documents are sent over HTTP",
    ),
    row("cluster", V::Any, "", "name of the cluster")
        .no_effect("the servers are addressed by server() or cluster-url()"),
    row("resource", V::Any, "", "a file for Java's client").no_effect(NO_JAVA),
    row("client-lib-dir", V::Any, "", "the folder of Java's client").no_effect(NO_JAVA),
    row("skip-cluster-health-check", V::Any, "", "the check of Java's client").no_effect(NO_JAVA),
    row("java-ssl-insecure", V::Any, "", "whether servers may have any certificate")
        .no_effect("write tls(peer-verify(no)) instead"),
    later("java-keystore-filepath", "a key in Java's form; write tls(cert-file() key-file())"),
    later("java-keystore-password", "a key in Java's form; write tls(cert-file() key-file())"),
    later("java-truststore-filepath", "certificates in Java's form; write tls(ca-file())"),
    later("java-truststore-password", "certificates in Java's form; write tls(ca-file())"),
];

pub(super) const SPLUNK_HEC: &[Row] = &[
    row("url", V::Texts, "", "address of the collector; one without a path gets /services/collector/event"),
    row("token", V::Text, "", "the collector's token"),
    row("index", V::Template, "", "the index of an event"),
    row("event", V::Template, "$MSG", "its text"),
    row("host", V::Template, "$HOST", "its host"),
    row("source", V::Template, "syslog-ng", "its source"),
    row("sourcetype", V::Template, "syslog", "its source type"),
    row("time", V::Template, "${S_UNIXTIME}.${S_MSEC}", "its time, in seconds since 1970"),
    row("fields", V::Template, "", "more of its metadata: \"site=vienna rack=$RACK\""),
    row("batch-lines", V::Number(0, 1 << 20), "25", "most events of a request"),
];

const NO_JAVA: &str = "documents are sent over HTTP, without Java";
