//! The table of destination drivers.
//!
//! In: nothing. Out: rows.

use super::brokers::{
    AMQP, AMQP_BROKER, BATCHES, COLLECTD, ITEMS, KAFKA, MQTT, MQTT_BROKER, NATS, NATS_SERVER, PYTHON,
    PYTHON_CALLS, PYTHON_CLASS, REDIS, RIEMANN, STOMP, ZABBIX,
};
use super::http::{CLICKHOUSE, ELASTICSEARCH, HTTP, LOKI, NRDP, OTLP, S3, S3_BUCKET, SPLUNK_HEC};
use super::network::{FAILOVER, TLS};
use super::shared::{DESTINATION, FOLDERS, LANES, PERMISSIONS, REQUEST_LANES, SOCKET, TEXT};
use super::sql::{MONGODB, SQL, SQL_SERVER};
use super::stores::hdfs::HDFS;
use super::stores::logspace::{LOGSPACE, LOGSPACES, LOGSTORE};
use crate::options::row::{Driver, Plain, Row, ValueKind as V, driver, later, row};

pub(crate) const DRIVERS: &[Driver] = &[
    driver(
        "file",
        Plain::One("path", V::Template),
        &[FILE, PERMISSIONS, FOLDERS, TEXT, DESTINATION],
        "files, named by templates",
    ),
    driver(
        "logspace",
        Plain::One("name", V::Text),
        &[LOGSPACE, LOGSPACES],
        "the store: compressed, indexed, searchable; a name with macros is a logspace for each expanded name",
    ),
    driver(
        "logstore",
        Plain::One("path", V::Text),
        &[LOGSTORE, LOGSPACE, LOGSPACES],
        "the store of syslog-ng Premium Edition: a logspace() named after the path",
    ),
    driver(
        "network",
        Plain::One("host", V::Text),
        &[NETWORK, LANES, SEND, SOCKET, TEXT, DESTINATION],
        "messages over TCP or UDP",
    ),
    driver(
        "syslog",
        Plain::One("host", V::Text),
        &[SYSLOG, LANES, SEND, SOCKET, TEXT, DESTINATION],
        "RFC 5424 over TCP or UDP",
    ),
    driver(
        "network-load-balancer",
        Plain::None,
        &[BALANCE, NETWORK, SEND, SOCKET, TEXT, DESTINATION],
        "messages shared among several receivers, which stand in for each other",
    )
    .required(&["targets"]),
    driver(
        "tcp",
        Plain::One("host", V::Text),
        &[OLD, LANES, SEND, SOCKET, TEXT, DESTINATION],
        "network(transport(tcp))",
    ),
    driver(
        "udp",
        Plain::One("host", V::Text),
        &[OLD, SEND, SOCKET, TEXT, DESTINATION],
        "network(transport(udp))",
    ),
    driver(
        "tcp6",
        Plain::One("host", V::Text),
        &[OLD, LANES, SEND, SOCKET, TEXT, DESTINATION],
        "network(transport(tcp) ip-protocol(6))",
    ),
    driver(
        "udp6",
        Plain::One("host", V::Text),
        &[OLD, SEND, SOCKET, TEXT, DESTINATION],
        "network(transport(udp) ip-protocol(6))",
    ),
    driver(
        "relp",
        Plain::One("host", V::Text),
        &[RELP, LANES, SEND, SOCKET, TEXT, DESTINATION],
        "RELP: messages are written when the receiver has answered them",
    ),
    driver(
        "sltp",
        Plain::One("host", V::Text),
        &[SLTP, LANES, SEND, SOCKET, TEXT, DESTINATION],
        "SLTP: numbered messages, written when the receiver has acknowledged them, each stored once",
    ),
    driver(
        "smtp",
        Plain::None,
        &[MAIL, TEXT, SOCKET, DESTINATION],
        "mails: each message is one, and counts as written when the mail server has taken it",
    )
    .required(&["from", "to"]),
    driver(
        "sql",
        Plain::None,
        &[SQL, SQL_SERVER, DESTINATION],
        "rows of tables in PostgreSQL or SQLite, made when missing",
    )
    .required(&["table", "columns", "values"]),
    driver(
        "mongodb",
        Plain::None,
        &[MONGODB, BATCHES, ITEMS, DESTINATION],
        "documents in collections of MongoDB: each message counts as written when the server has stored its own",
    ),
    driver(
        "redis",
        Plain::None,
        &[REDIS, BATCHES, ITEMS, DESTINATION],
        "commands to Redis or Valkey: each message counts as written when its own reply has come",
    )
    .required(&["command"]),
    driver(
        "amqp",
        Plain::None,
        &[AMQP, AMQP_BROKER, BATCHES, ITEMS, DESTINATION],
        "publications to RabbitMQ over AMQP 0-9-1: each message counts as written when the broker has confirmed it",
    ),
    driver(
        "collectd",
        Plain::None,
        &[COLLECTD, BATCHES, ITEMS, DESTINATION],
        "values for collectd over its unix socket: each counts as written when collectd has answered that it is dispatched",
    )
    .required(&["type", "values"]),
    driver(
        "riemann",
        Plain::None,
        &[RIEMANN, BATCHES, ITEMS, DESTINATION],
        "events of Riemann: they count as written when the server has answered their batch, over UDP when they are sent",
    ),
    driver(
        "zabbix",
        Plain::None,
        &[ZABBIX, BATCHES, ITEMS, DESTINATION],
        "values of items of Zabbix: they count as written when the server has answered that it processed them",
    )
    .required(&["key"]),
    driver(
        "stomp",
        Plain::None,
        &[STOMP, BATCHES, ITEMS, DESTINATION],
        "messages for a broker over STOMP 1.2: each counts as written when the broker has given a receipt",
    ),
    driver(
        "mqtt",
        Plain::None,
        &[MQTT, MQTT_BROKER, BATCHES, ITEMS, DESTINATION],
        "publications to an MQTT broker: each message counts as written when the broker has acknowledged it",
    )
    .required(&["topic"]),
    driver(
        "nats",
        Plain::None,
        &[NATS, NATS_SERVER, BATCHES, ITEMS, DESTINATION],
        "publications to NATS: each message counts as written when JetStream has stored it",
    )
    .required(&["subject"]),
    driver(
        "kafka",
        Plain::None,
        &[KAFKA, BATCHES, ITEMS, DESTINATION],
        "records in topics of Apache Kafka: each message counts as written when the brokers report it",
    )
    .aliases(&["kafka-c", "kafka-java"])
    .required(&["bootstrap-servers", "topic"]),
    driver(
        "s3",
        Plain::None,
        &[S3_BUCKET, S3, ITEMS, DESTINATION],
        "objects in a bucket of S3: the messages of each count as written when the server has stored it",
    )
    .required(&["bucket", "object-key"]),
    driver(
        "hdfs",
        Plain::None,
        &[HDFS, BATCHES, ITEMS, DESTINATION],
        "files of Hadoop, over WebHDFS: messages count as written when a DataNode has closed the file with them",
    )
    .required(&["hdfs-uri", "hdfs-file"]),
    driver(
        "python",
        Plain::None,
        &[PYTHON_CLASS, PYTHON_CALLS, PYTHON, BATCHES, ITEMS, DESTINATION],
        "a class in Python, in a process of its own: each message counts as written when the class has taken it",
    )
    .required(&["class"]),
    driver(
        "clickhouse",
        Plain::None,
        &[CLICKHOUSE, ITEMS, DESTINATION],
        "rows of a table in ClickHouse, over HTTP: they count as written when the server has inserted them",
    )
    .required(&["table"]),
    driver(
        "nrdp",
        Plain::None,
        &[NRDP, BATCHES, ITEMS, DESTINATION],
        "results of checks for Nagios, over its Remote Data Processor: they count as written when it has processed them",
    )
    .required(&["url", "token"]),
    driver("http", Plain::None, &[HTTP, REQUEST_LANES, TEXT, DESTINATION], "requests to HTTP servers").required(&["url"]),
    driver(
        "elasticsearch2",
        Plain::None,
        &[ELASTICSEARCH, HTTP, REQUEST_LANES, TEXT, DESTINATION],
        "documents in Elasticsearch, over HTTP; it needed Java, elasticsearch-http() of scl.conf is newer",
    )
    .aliases(&["elasticsearch"])
    .required(&["index"]),
    driver(
        "splunk-hec",
        Plain::None,
        &[SPLUNK_HEC, HTTP, REQUEST_LANES, TEXT, DESTINATION],
        "events for the HTTP event collector of Splunk, as in syslog-ng Premium Edition; splunk-hec-event() of scl.conf is newer",
    )
    .required(&["url", "token", "index"]),
    driver(
        "snmp",
        Plain::None,
        &[SNMP, SEND, SOCKET, DESTINATION],
        "SNMP: each message is a trap of version 2c over UDP",
    )
    .required(&["host", "trap-obj", "snmp-obj"]),
    driver("loki", Plain::None, &[LOKI, REQUEST_LANES, DESTINATION], "Loki, over gRPC or HTTP").required(&["url", "labels"]),
    driver(
        "opentelemetry",
        Plain::None,
        &[OTLP, ITEMS, REQUEST_LANES, DESTINATION],
        "log records for a receiver of OpenTelemetry, over gRPC: they count as written when it has taken them",
    )
    .required(&["url"]),
    driver(
        "syslog-ng-otlp",
        Plain::None,
        &[OTLP, ITEMS, REQUEST_LANES, DESTINATION],
        "messages with all their values, for another server of this kind, over OpenTelemetry's gRPC",
    )
    .aliases(&["axosyslog-otlp"])
    .required(&["url"]),
    driver(
        "gelf",
        Plain::One("host", V::Text),
        &[GELF, SEND, SOCKET, TEXT, DESTINATION],
        "GELF over UDP, in chunks and compressed, or over TCP",
    ),
    driver(
        "unix-stream",
        Plain::One("path", V::Text),
        &[UNIX, SOCKET, TEXT, DESTINATION],
        "a stream socket of this machine",
    ),
    driver(
        "unix-dgram",
        Plain::One("path", V::Text),
        &[UNIX, SOCKET, TEXT, DESTINATION],
        "a datagram socket of this machine",
    ),
    driver("pipe", Plain::One("path", V::Text), &[PIPE, PERMISSIONS, TEXT, DESTINATION], "a named pipe")
        .aliases(&["fifo"]),
    driver(
        "pseudofile",
        Plain::One("path", V::Text),
        &[TEXT, DESTINATION],
        "a file of the kernel, below /proc or /sys: opened and written once for each message",
    ),
    driver(
        "program",
        Plain::One("command", V::Text),
        &[PROGRAM, TEXT, DESTINATION],
        "the standard input of a command",
    ),
    driver(
        "usertty",
        Plain::One("user", V::Text),
        &[TEXT, DESTINATION],
        "the terminals of a user; * is everybody's",
    ),
    driver(
        "getvirtconsole",
        Plain::None,
        &[TEXT, DESTINATION],
        "a virtual console of this machine: /dev/tty10, else /dev/console; nothing where there is neither",
    ),
    driver("stdout", Plain::None, &[TEXT, DESTINATION], "the standard output of the server"),
    driver("example-destination", Plain::None, &[EXAMPLE, TEXT, DESTINATION], "a file, for examples")
        .required(&["filename"]),
];

const FILE: &[Row] = &[
    row("optional", V::YesNo, "no", "continue without it").no_effect("it is opened when there is a message"),
    row("time-reap", V::Number(0, 1 << 31), "60", "seconds until an idle file is closed; 0 is never"),
    row("fsync", V::YesNo, "no", "every batch reaches the disk before it is acknowledged"),
    row(
        "overwrite-if-older",
        V::Number(0, 1 << 31),
        "0",
        "seconds after which an old file is emptied; 0 is never",
    ),
    row("remove-if-older", V::Number(0, 1 << 31), "0", "").renamed("overwrite-if-older"),
    row("logrotate", V::Options(&[ROTATION]), "", "files that are large enough become NAME.1, NAME.2, ..."),
    row("compress", V::YesNo, "no", "files are compressed with gzip; each write is a complete part"),
    row("symlink-as", V::Text, "", "a link to the file that was opened last"),
];

const ROTATION: &[Row] = &[
    row("enable", V::YesNo, "yes", "whether files are put aside"),
    row("size", V::Number(1, i64::MAX), "1048576", "size in bytes at which a file is put aside"),
    row("rotations", V::Number(1, 10_000), "10", "how many are kept aside"),
];

const TRANSPORTS: &[&str] = &["tcp", "udp", "tls", "dtls", "auto"];

const NETWORK: &[Row] = &[
    row("transport", V::Word(TRANSPORTS), "tcp", "how messages are sent"),
    row("port", V::Port, "514", "port of the receiver"),
    row("destport", V::Port, "514", "port of the receiver"),
];

const BALANCE: &[Row] = &[
    row("targets", V::Texts, "", "the receivers: HOST or HOST:PORT, each with a queue of its own"),
    row(
        "failover",
        V::TextOr(&[FAILOVER]),
        "yes",
        "whether receivers take over from each other, and when the first one is used again",
    ),
];

const SYSLOG: &[Row] = &[
    row("transport", V::Word(TRANSPORTS), "tcp", "how messages are sent"),
    row("port", V::Port, "601; 514 for UDP, 6514 for TLS and DTLS", "port of the receiver"),
    row("destport", V::Port, "601; 514 for UDP, 6514 for TLS and DTLS", "port of the receiver"),
];

const OLD: &[Row] = &[
    row("port", V::Port, "514", "port of the receiver"),
    row("destport", V::Port, "514", "port of the receiver"),
];

const SNMP: &[Row] = &[
    row("host", V::Text, "", "the receiver"),
    row("port", V::Port, "162", "port of the receiver"),
    row("version", V::Word(&["v2c", "v3"]), "v2c", "version of SNMP; v3 is not supported yet"),
    row("community", V::Text, "public", "the community name"),
    row(
        "trap-obj",
        V::Texts,
        "",
        "what the trap is: name, type and template of a variable, such as \".1.3.6.1.6.3.1.1.4.1.0\" \"Objectid\" \".1.3.6.1.6.3.1.1.5.3\"",
    ),
    row(
        "snmp-obj",
        V::Texts,
        "",
        "a variable: its name, its type (integer, timeticks, octetstring, counter32, ipaddress, objectid), the template of its value",
    ),
    row("time-zone", V::Text, "", "zone that times are written in"),
    row("local-time-zone", V::Text, "", "").renamed("time-zone"),
    later("engine-id", "who we are, in version 3"),
    later("auth-username", "user of version 3"),
    later("auth-algorithm", "how version 3 signs"),
    later("auth-password", "password of the user"),
    later("enc-algorithm", "how version 3 encrypts"),
    later("enc-password", "password of the encryption"),
];

const MAIL: &[Row] = &[
    row("host", V::Text, "127.0.0.1", "the mail server"),
    row("port", V::Port, "25; 465 for TLS", "its port"),
    row(
        "from",
        V::Any,
        "",
        "the sender: an address, or a name and an address; templates, as in the options for recipients",
    ),
    row("to", V::Any, "", "a recipient; may be written several times"),
    row("cc", V::Any, "", "a recipient of a copy"),
    row("bcc", V::Any, "", "a recipient whom the others do not see"),
    row("reply-to", V::Any, "", "the address for replies"),
    row("sender", V::Any, "", "address of the actual sender, if it is not that of from()"),
    row("subject", V::Template, "$PROGRAM on $HOST: $LEVEL", "the subject"),
    row("body", V::Template, "$MSG\\n", "the text"),
    row("header", V::Any, "", "name and value of one more header field"),
    row(
        "transport",
        V::Word(&["plain", "starttls", "tls"]),
        "plain; starttls with tls()",
        "starttls: STARTTLS before anything else is sent; tls: TLS from the start",
    ),
    row("tls", V::Options(&[TLS]), "the authorities of the machine", "certificates"),
    row("user", V::Text, "", "user at the mail server"),
    row("password", V::Text, "", "password of the user"),
    row("timeout", V::Number(0, 86400), "300", "seconds to wait for an answer of the server"),
    row(
        "retries",
        V::Number(0, 1 << 31),
        "3",
        "further attempts for a mail that the server refuses for now (4XX)",
    ),
];

const GELF: &[Row] = &[
    row("transport", V::Word(&["udp", "tcp", "tls"]), "udp", "how messages are sent"),
    row("port", V::Port, "12201", "port of the receiver"),
    row("destport", V::Port, "12201", "port of the receiver"),
    row(
        "template",
        V::Template,
        "all fields of the message",
        "the JSON text of a message; $(format-gelf) is syslog-ng's, with fewer fields",
    ),
    row("compression", V::Word(&["gzip", "zlib", "none"]), "gzip", "how datagrams are compressed"),
    row(
        "chunk-size",
        V::Number(64, 65507),
        "1420",
        "largest datagram in bytes; longer messages are divided into chunks",
    ),
];

const RELP: &[Row] = &[
    row("port", V::Port, "2514", "port of the receiver"),
    row("destport", V::Port, "2514", "port of the receiver"),
    row(
        "response-timeout",
        V::Number(1, 86400),
        "90",
        "seconds to wait for an answer before the connection is closed",
    ),
];

const SLTP: &[Row] = &[
    row("port", V::Port, "2515", "port of the receiver"),
    row("destport", V::Port, "2515", "port of the receiver"),
    row(
        "response-timeout",
        V::Number(1, 86400),
        "60",
        "seconds to wait for an answer before the connection is closed",
    ),
    row(
        "ack-level",
        V::Word(&["durable", "received"]),
        "durable",
        "when a message counts as written: when the receiver's destinations have it, or when it is in its memory",
    ),
    row("token", V::Text, "", "the secret that the receiver asks for"),
    row("sender-id", V::Text, "name of the machine", "the name by which the receiver knows this sender"),
    row("compression", V::Word(&["none", "zstd"]), "none", "how frames are compressed"),
    row("compression-level", V::Number(1, 19), "3", "level of zstd"),
    row(
        "batch-bytes",
        V::Number(1024, 1 << 24),
        "262144",
        "bytes of messages after which a frame is complete",
    ),
    row("batch-lines", V::Number(1, 1 << 20), "10000", "messages after which a frame is complete"),
    row(
        "window-bytes",
        V::Number(65536, 1 << 40),
        "67108864",
        "most bytes on their way without an acknowledgement",
    ),
    row(
        "fallback",
        V::Word(&["none", "relp"]),
        "none",
        "the protocol for a receiver that does not speak SLTP; each connection tries SLTP first",
    ),
    row("fallback-port", V::Port, "that of port()", "port of the receiver for fallback(relp)"),
];

const SEND: &[Row] = &[
    row("so-broadcast", V::YesNo, "no", "allow broadcasts"),
    row("localip", V::Text, "", "address to send from"),
    row("localport", V::Port, "", "port to send from"),
    row("so-sndbuf", V::Number(0, 1 << 31), "0", "send buffer in the kernel, in bytes"),
    row("so-rcvbuf", V::Number(0, 1 << 31), "0", "receive buffer in the kernel")
        .no_effect("nothing is received"),
    row("time-reap", V::Number(0, 1 << 31), "0", "seconds until an idle connection is closed")
        .no_effect("connections stay open"),
    row(
        "spoof-source",
        V::YesNo,
        "no",
        "datagrams carry the address of the message's sender; over UDP, needs CAP_NET_RAW",
    ),
    row(
        "spoof-source-max-msglen",
        V::Number(1, 65507),
        "1024",
        "longer messages are cut, with spoof-source()",
    ),
    row("spoof-interface", V::Text, "", "the network interface that sends such datagrams"),
    row("failover", V::Options(&[FAILOVER]), "", "receivers that take over when this one fails"),
    row("failover-servers", V::Texts, "", "receivers that take over, in this order"),
    row("close-on-input", V::YesNo, "yes", "what happens when the receiver sends something")
        .no_effect("what a receiver sends is read and thrown away"),
];

const UNIX: &[Row] = &[row("so-sndbuf", V::Number(0, 1 << 31), "0", "send buffer in the kernel, in bytes")];

const PIPE: &[Row] = &[
    row("create-dirs", V::YesNo, "no", "create missing folders"),
    row("time-reap", V::Number(0, 1 << 31), "0", "seconds until an idle pipe is closed")
        .no_effect("it stays open"),
];

const PROGRAM: &[Row] = &[
    row("keep-alive", V::YesNo, "no", "the command outlives a reload"),
    row("inherit-environment", V::YesNo, "yes", "give the command the server's environment"),
];

const EXAMPLE: &[Row] = &[row("filename", V::Text, "", "the file")];
