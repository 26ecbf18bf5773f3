//! Options of destinations that send requests: `http()`, `loki()`.
//!
//! In: nothing. Out: rows.

use super::network::{PEER_VERIFY, SSL_VERSIONS, TLS};
use super::shared::{ON_ERROR, STAMP_FORMATS};
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
        V::Options(DEAD_LETTERS),
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
        "whether a successful answer has a result for each message, as those to Elasticsearch's _bulk; auto: when the address ends with /_bulk",
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
    row("worker-partition-key", V::Any, "", "what messages of a request share")
        .no_effect("every address that url() makes has requests of its own"),
    row("proxy", V::Text, "", "an HTTP proxy for the requests: http://host:port"),
    row(
        "tls",
        V::Options(TLS),
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
    later("cloud-auth", "credentials of a cloud"),
];

pub(super) const LOKI: &[Row] = &[
    row(
        "url",
        V::Text,
        "",
        "address of Loki's HTTP API: http://host:3100; without a path it is /loki/api/v1/push",
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
    row("auth", V::Options(LOKI_AUTH), "", "how the two sides authenticate each other"),
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
        V::Options(DEAD_LETTERS),
        "",
        "what is kept of messages that the receiver refuses for good",
    ),
    row("headers", V::Texts, "", "\"Name: value\" of every request"),
    row(
        "item-results",
        V::Word(&["auto", "yes", "no"]),
        "auto",
        "whether a successful answer has a result for each message, as those to Elasticsearch's _bulk; auto: when the address ends with /_bulk",
    ),
    row("user", V::Text, "", "user of the server"),
    row("password", V::Text, "", "password of the user"),
    row("user-agent", V::Text, "duramen/VERSION", "the header User-Agent"),
    row("proxy", V::Text, "", "an HTTP proxy for the requests: http://host:port"),
    row("worker-partition-key", V::Any, "", "what messages of a request share")
        .no_effect("every message is sent with its own labels"),
    row("keep-alive", V::Any, "", "pings of gRPC").no_effect("connections of HTTP are not pinged"),
    later("channel-args", "arguments of a channel of gRPC"),
];

const LOKI_AUTH: &[Row] = &[
    row("insecure", V::Options(&[]), "", "no encryption"),
    row("tls", V::Options(TLS), "", "certificates, for addresses that begin with https://"),
    later("alts", "Google's way inside its own data centres"),
    later("adc", "the credentials of a cloud"),
];
