//! Table: options of `add-contextual-data()` whose database is a server.
//!
//! In: nothing. Out: rows.

use crate::options::row::{Row, ValueKind as V, row};
use crate::options::tables::{network::TLS, sql::SQL_SERVER};

/// Options beside the database.
pub(super) const LOOKUP: &[Row] = &[
    row("timeout", V::Decimal(0.01, 3600.0), "1", "seconds that a request to the server may take"),
    row(
        "time-reopen",
        V::Decimal(1.0, 86400.0),
        "60",
        "longest time in seconds for which a server that fails is left alone: 1 at first, then twice as long each time",
    ),
    row(
        "cache-bytes",
        V::Number(1 << 16, 1 << 40),
        "16777216",
        "most bytes of answers that are kept in memory",
    ),
    row("cache-expire", V::Decimal(0.0, 31_536_000.0), "300", "seconds until values are looked up again"),
    row(
        "cache-expire-missing",
        V::Decimal(0.0, 31_536_000.0),
        "60",
        "seconds until a key without values is looked up again",
    ),
    row(
        "cache-expire-stale",
        V::Decimal(0.0, 31_536_000.0),
        "3600",
        "seconds for which values are used while the server fails, counted from when they were looked up",
    ),
    row(
        "on-failure",
        V::Word(&["mark", "pass", "no-match"]),
        "mark",
        "what happens with a message whose key has no answer: it passes, and .lookup.failed says why; it passes; or it does not match",
    ),
];

/// The servers.
pub(super) const SERVERS: &[Row] = &[
    row("http", V::Options(&[HTTP]), "", "a server of HTTP that has a document for each key"),
    row("sql", V::Options(&[SQL_SERVER, SQL]), "", "PostgreSQL, MySQL, MariaDB, or a file of SQLite"),
    row("redis", V::Options(&[REDIS]), "", "Redis, Valkey or another that speaks RESP"),
];

const VALUE_NAME: Row =
    row("value-name", V::Text, "value", "name of a value that comes without one: a text, a number, an array");

const HTTP: &[Row] = &[
    row("url", V::Text, "", "address of the document: https://host/path/${key}; the key is encoded"),
    row("workers", V::Number(1, 256), "8", "requests at a time, each on a connection of its own"),
    row("headers", V::Texts, "", "\"Name: value\" of every request"),
    row("user", V::Text, "", "user of the server"),
    row("password", V::Text, "", "password of the user"),
    row("user-agent", V::Text, "duramen/VERSION", "the header User-Agent"),
    row("accept-redirects", V::YesNo, "no", "follow redirects of the server, up to three times"),
    row("proxy", V::Text, "", "an HTTP proxy for the requests: http://host:port"),
    row(
        "tls",
        V::Options(&[TLS]),
        "use-system-cert-store(yes) sni(yes)",
        "certificates, for an address that begins with https://",
    ),
    VALUE_NAME,
];

/// The options of `sql()` beside the database and the login there.
const SQL: &[Row] = &[
    row(
        "query",
        V::Text,
        "",
        "what is asked: a SELECT with ? in the place of the key; columns name and value, or a column for each value",
    ),
    row(
        "workers",
        V::Number(1, 64),
        "2",
        "sessions, each of which asks for one key at a time; one for SQLite",
    ),
];

const REDIS: &[Row] = &[
    row("host", V::Text, "127.0.0.1", "the server; with a slash at its beginning, a unix socket"),
    row("port", V::Port, "6379", "its port"),
    row("username", V::Text, "", "a user of the access control lists"),
    row("auth", V::Text, "", "the password"),
    row("database", V::Number(0, 1 << 20), "0", "number of the database"),
    row(
        "command",
        V::Texts,
        "\"HGETALL\" \"${key}\"",
        "what is asked: HGETALL, GET, HGET with a field, HMGET with fields; the key stands in the first argument",
    ),
    row("tls", V::Options(&[TLS]), "", "encrypt the connection, and check the certificate of the server"),
    VALUE_NAME,
];
