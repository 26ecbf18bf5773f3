//! The tables of `riemann()`, `collectd()`, `zabbix()` and `stomp()`.
//!
//! In: nothing. Out: rows.

use crate::options::{
    row::{Row, ValueKind as V, later, row},
    tables::{
        brokers::WORKERS,
        network::TLS,
        shared::{PAIRS, PARTITION_KEY},
    },
};

pub(in crate::options::tables) const COLLECTD: &[Row] = &[
    row("socket", V::Text, "/var/run/collectd-unixsock", "the unix socket of collectd's plugin unixsock"),
    row("host", V::Template, "$HOST", "host of the value; a / in a name becomes _"),
    row("plugin", V::Template, "$PROGRAM", "plugin of the value; a / or - in it becomes _"),
    row("plugin-instance", V::Template, "", "instance of the plugin"),
    row("type", V::Template, "", "type of the value, which collectd's types.db has: gauge, counter"),
    row("type-instance", V::Template, "", "instance of the type"),
    row("values", V::Template, "", "the numbers of the type, with : between them"),
    row("interval", V::Number(1, 86400), "60", "seconds until the next value of this name is expected"),
    row("timeout", V::Number(1, 86400), "10", "seconds to wait for the next answer"),
    row(
        "batch-lines",
        V::Number(1, 1 << 20),
        "100",
        "most values that are sent without waiting for each other",
    ),
    WORKERS,
    PARTITION_KEY,
];

pub(in crate::options::tables) const ZABBIX: &[Row] = &[
    row("server", V::Text, "127.0.0.1", "the server, or a proxy that monitors the hosts"),
    row("port", V::Port, "10051", "its port"),
    row("tls", V::Options(&[TLS]), "", "certificates, for a server with TLSAccept=cert"),
    row("host", V::Template, "$HOST", "technical name of the host in Zabbix"),
    row("key", V::Template, "", "key of an item of the type \"Zabbix trapper\""),
    row("value", V::Template, "$MSG", "the value; Zabbix takes 65,535 bytes"),
    row("timeout", V::Number(1, 86400), "10", "seconds to wait for an answer"),
    row("batch-lines", V::Number(1, 10_000), "250", "most values of a request, which has one answer"),
    row(
        "batch-bytes",
        V::Number(1, 16 << 20),
        "1048576",
        "most bytes of the values of a request; the first always fits",
    ),
    WORKERS,
    PARTITION_KEY,
    later("psk-file", "pre-shared keys, which the library of TLS does not have; use certificates"),
    later("psk-identity", "pre-shared keys, which the library of TLS does not have; use certificates"),
];

pub(in crate::options::tables) const RIEMANN: &[Row] = &[
    row("server", V::Text, "127.0.0.1", "the server"),
    row("port", V::Port, "5555", "its port"),
    row(
        "type",
        V::Any,
        "tcp",
        "how it is reached: tcp, tls or udp; type(\"tls\" ca-file(\"...\")) as tls() beside it",
    ),
    row("tls", V::Options(&[TLS]), "the authorities of the machine", "certificates, for type(tls)"),
    row("host", V::Template, "$HOST", "where the event was"),
    row("service", V::Template, "$PROGRAM", "what it is about"),
    row(
        "event-time",
        V::Any,
        "$UNIXTIME",
        "template of its time; then seconds or microseconds, which says what it counts since 1970",
    ),
    row("state", V::Template, "", "its state: ok, critical, or other words"),
    row("description", V::Template, "", "its text"),
    row("ttl", V::Template, "", "seconds for which it counts"),
    row("metric", V::Template, "", "its number: int(\"$PID\") is a whole one, all others have a fraction"),
    row("tags", V::Texts, "those of the message", "its tags"),
    row("attributes", V::Any, "", "other values, as value-pairs() has them; also NAME(\"template\")"),
    row("timeout", V::Number(0, 86400), "10", "seconds to wait for an answer; 0 is the default"),
    row("batch-lines", V::Number(1, 1 << 20), "1000", "most events of a batch, which has one answer"),
];

pub(in crate::options::tables) const STOMP: &[Row] = &[
    row("host", V::Text, "127.0.0.1", "the broker"),
    row("port", V::Port, "61613", "its port; that of TLS is mostly 61614"),
    row("destination", V::Text, "/topic/syslog", "where messages go, in the words of the broker"),
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
        "the header persistent:true, by which brokers keep the message on disk",
    ),
    row(
        "ack",
        V::YesNo,
        "no",
        "ask for a receipt of each message; no: of the last of a batch, by which the broker has got them all",
    ),
    row("username", V::Text, "", "user of the broker"),
    row("user", V::Text, "", "").renamed("username"),
    row("password", V::Text, "", "password of the user"),
    row("vhost", V::Text, "/", "virtual host of the broker"),
    row("tls", V::Options(&[TLS]), "", "encrypt the connection, and check the certificate of the broker"),
    row("timeout", V::Number(1, 86400), "30", "seconds to wait for the next receipt"),
    row(
        "batch-lines",
        V::Number(1, 1 << 20),
        "1000",
        "most messages that are sent without waiting for each other",
    ),
    WORKERS,
    PARTITION_KEY,
];
