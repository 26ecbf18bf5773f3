//! The tables of `sql()` and `mongodb()`.
//!
//! In: nothing. Out: rows.

use super::{
    network::TLS,
    shared::{ON_ERROR, PAIRS, PARTITION_KEY, STAMP_FORMATS},
};
use crate::options::row::{Row, ValueKind as V, row};

/// A database, and the login there.
pub(super) const SQL_SERVER: &[Row] = &[
    row(
        "type",
        V::Word(&["mysql", "mariadb", "pgsql", "sqlite3", "sqlite", "oracle", "freetds", "mssql"]),
        "mysql",
        "the database; mariadb is another word for mysql; oracle, freetds and mssql are refused",
    ),
    row(
        "host",
        V::Text,
        "the unix socket below /var/run/postgresql, or /run/mysqld/mysqld.sock",
        "the server; or the folder of PostgreSQL's unix socket, or the unix socket of MySQL",
    ),
    row("port", V::Port, "3306, of PostgreSQL 5432", "its port"),
    row("username", V::Text, "syslog-ng", "user of the database"),
    row("user", V::Text, "", "").renamed("username"),
    row("password", V::Text, "", "password of the user"),
    row("database", V::Text, "logs", "name of the database; of SQLite, its file"),
    row("tls", V::Options(&[TLS]), "", "encrypt the connection, and check the certificate of the server"),
];

pub(super) const SQL: &[Row] = &[
    row("table", V::Template, "", "name of the table; what is not a letter, digit, dot or _ becomes _"),
    row(
        "columns",
        V::Texts,
        "",
        "name and type of each column: \"date timestamp\"; without a type it is text",
    ),
    row(
        "values",
        V::Any,
        "",
        "the templates of the columns, in their order; default leaves a column to the database",
    ),
    row("indexes", V::Texts, "", "columns that get an index when the table is made"),
    row("null", V::Text, "", "a value that is equal to it becomes NULL"),
    row(
        "flags",
        V::Words(&["explicit-commits", "dont-create-tables"]),
        "",
        "dont-create-tables: messages wait until somebody makes a missing table; explicit-commits is always on",
    ),
    row("session-statements", V::Texts, "", "statements that are executed after each connect"),
    row("create-statement-append", V::Text, "", "text behind CREATE TABLE (...)"),
    row(
        "unique-column",
        V::Text,
        "",
        "a column for the id of each message: what is repeated is not stored twice",
    ),
    row("quote-char", V::Text, "", "quotes around names").no_effect("names are always quoted"),
    row("dbd-option", V::Any, "", "an option of libdbi").no_effect("there is no libdbi"),
    row("dbi-driver-dir", V::Text, "", "folder of libdbi's drivers").no_effect("there is no libdbi"),
    row("ignore-tns-config", V::YesNo, "no", "for Oracle").no_effect("there is no Oracle"),
    row("batch-lines", V::Number(1, 1 << 20), "1000", "most rows of a transaction"),
    row("flush-lines", V::Number(1, 1 << 20), "", "").renamed("batch-lines"),
    row("batch-bytes", V::Number(0, 1 << 30), "0", "most bytes of a transaction; 0 is no limit"),
    row(
        "batch-timeout",
        V::Number(-1, 1 << 31),
        "0",
        "milliseconds that a transaction waits for more messages",
    ),
    row(
        "retries",
        V::Number(1, 1 << 31),
        "without end",
        "tries of a transaction for which the database is busy; then its messages are dead letters",
    ),
    row("retry-sql-inserts", V::Number(1, 1 << 31), "", "").renamed("retries"),
    row(
        "dead-letters",
        V::Options(&[DEAD_LETTERS]),
        "",
        "what is kept of messages that the database refuses for good",
    ),
    row("template-escape", V::YesNo, "no", "escape quotes in values")
        .no_effect("values are parameters of a statement"),
    row("ts-format", V::Word(STAMP_FORMATS), "rfc3164", "how times are written"),
    row("frac-digits", V::Number(0, 1 << 31), "0", "digits of fractions of a second, at most 6"),
    row("time-zone", V::Text, "", "zone that times are written in"),
    row("send-time-zone", V::Text, "", "").renamed("time-zone"),
    row("local-time-zone", V::Text, "that of each message", "zone of times in the name of the table"),
    row("on-error", V::Word(ON_ERROR), "drop-message", "what happens with values that cannot be cast"),
];

/// `sql()` as a source.
pub(super) const SQL_SOURCE: &[Row] = &[
    row("table", V::Text, "", "name of the table, or of a view"),
    row(
        "uid-column",
        V::Text,
        "",
        "column that orders the rows, in which later rows have higher values: a number, a time, a text",
    ),
    row("prefix", V::Text, ".sql.", "put before the names of columns, whose values each message has"),
    row(
        "message-column",
        V::Text,
        "",
        "column with the text of messages; without it that is the row as JSON",
    ),
    row("datetime-column", V::Text, "", "column with the time of messages"),
    row("host-column", V::Text, "", "column with their host"),
    row("program-column", V::Text, "", "column with their program"),
    row("read-old-records", V::YesNo, "yes", "the first start reads the rows that are there"),
    row(
        "follow-freq",
        V::Decimal(0.0, f64::INFINITY),
        "10",
        "seconds between two queries when there is nothing new",
    ),
    row(
        "fast-follow-mode",
        V::YesNo,
        "yes",
        "queries follow each other while they return as many rows as they may",
    ),
    row("log-fetch-limit", V::Number(1, 1 << 20), "1000", "most rows of a query"),
    row("connect-query", V::Text, "", "statement that is executed after each connect"),
    row(
        "fetch-query",
        V::Text,
        "",
        "query for the next rows, in the order of uid-column(), instead of ours; $last_read_uid is the last value that was read",
    ),
    row(
        "table-init-query",
        V::Text,
        "",
        "query for the last value of uid-column(), for read-old-records(no)",
    ),
    row(
        "archive-query",
        V::Text,
        "",
        "statement that is executed when destinations have the rows up to $last_read_uid",
    ),
    row("timeout", V::Number(1, 86400), "60", "seconds to wait for the rows of a query"),
    row(
        "time-reopen",
        V::Number(0, 1 << 31),
        "60",
        "longest pause between two tries to connect, in seconds; shorter ones come first",
    ),
    row("persist-name", V::Text, "that of database, table and column", "name of the position"),
    row("keep-hostname", V::YesNo, "yes", "messages have the host of host-column()"),
];

/// `dead-letters()`
pub(super) const DEAD_LETTERS: &[Row] = &[
    row("capacity-bytes", V::Number(1 << 20, i64::MAX), "1073741824", "most bytes of their files"),
    row("max-age", V::Age, "", "older ones are removed"),
    row(
        "on-full",
        V::Word(&["hold", "drop-oldest", "drop-newest"]),
        "hold",
        "hold: the destination waits until there is space, and nothing is lost",
    ),
    row(
        "encrypt-certificate",
        V::Texts,
        "",
        "recipients that they are encrypted for: files with a certificate or public key, or age1...",
    ),
    row(
        "decrypt-key",
        V::Text,
        "",
        "file with a private key, so that the server prints and replays encrypted ones without being given a key",
    ),
];

pub(super) const MONGODB: &[Row] = &[
    row(
        "uri",
        V::Text,
        "mongodb://127.0.0.1:27017/syslog?wtimeoutMS=60000&socketTimeoutMS=60000&connectTimeoutMS=60000",
        "the servers, the login, the database and settings: mongodb://USER:PASSWORD@HOST:PORT,HOST/DATABASE?NAME=VALUE",
    ),
    row(
        "collection",
        V::Template,
        "messages",
        "name of the collection; a name that no collection can have makes a dead letter",
    ),
    row(
        "value-pairs",
        V::Options(&[PAIRS]),
        "scope(selected-macros, nv-pairs, sdata)",
        "names and values of a document, in their types; dots make documents in it",
    ),
    row("tls", V::Options(&[TLS]), "", "encrypt connections, and check the certificates of the servers"),
    row("bulk", V::YesNo, "yes", "insert many documents with one command"),
    row("bulk-unordered", V::YesNo, "no", "a document that has to wait keeps none of those behind it back"),
    row(
        "bulk-bypass-validation",
        V::YesNo,
        "no",
        "store documents that do not fit the rules of their collection; the user needs the right to do so",
    ),
    row(
        "write-concern",
        V::Text,
        "that of the server",
        "who must have a document: acked is the primary, majority more than half of the set, a number so many servers; unacked does not ask",
    ),
    row("servers", V::Texts, "", "servers to begin with, instead of uri(): HOST or HOST:PORT"),
    row("host", V::Text, "", "a server, instead of uri()"),
    row("port", V::Port, "27017", "its port"),
    row("path", V::Text, "", "unix socket of a server, instead of uri()"),
    row("database", V::Text, "syslog", "the database, instead of uri()"),
    row("username", V::Text, "", "a user, instead of uri()"),
    row("user", V::Text, "", "").renamed("username"),
    row("password", V::Text, "", "password of the user"),
    row("safe-mode", V::YesNo, "yes", "no is write-concern(unacked), instead of uri()"),
    row("batch-lines", V::Number(1, 1 << 20), "1000", "most documents of a command"),
    row("workers", V::Number(1, 1024), "1", "connections; more than one do not keep the order of messages"),
    PARTITION_KEY,
];
