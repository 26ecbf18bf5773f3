//! The table of `hdfs()`.
//!
//! In: nothing. Out: rows.

use crate::options::{
    row::{Row, ValueKind as V, row},
    tables::network::TLS,
};

pub(in crate::options::tables) const HDFS: &[Row] = &[
    row(
        "hdfs-uri",
        V::Texts,
        "",
        "the NameNodes, as http://HOST:9870 of WebHDFS; of hdfs://HOST:8020 the host is taken, with port 9870",
    ),
    row(
        "hdfs-file",
        V::Template,
        "",
        "path of the files; messages for which it differs go to different files",
    ),
    row("hdfs-archive-dir", V::Text, "", "folder that finished files are moved into"),
    row(
        "hdfs-append-enabled",
        V::YesNo,
        "no",
        "whether a file that is there is continued; otherwise each gets a name of its own, NAME.ID",
    ),
    row(
        "hdfs-max-filename-length",
        V::Number(1, 255),
        "255",
        "longest name of a file, without folders and ID",
    ),
    row("hdfs-resources", V::Any, "", "files of Hadoop's configuration")
        .no_effect("WebHDFS needs the addresses of hdfs-uri() only"),
    row("client-lib-dir", V::Any, "", "folders of Java classes").no_effect("there is no Java"),
    row("jvm-options", V::Any, "", "options of Java").no_effect("there is no Java"),
    row("kerberos-principal", V::Text, "", "name for Kerberos; not supported: it is refused"),
    row("kerberos-keytab-file", V::Text, "", "key for Kerberos; not supported: it is refused"),
    row("username", V::Text, "duramen", "the user who writes, for servers without Kerberos"),
    row(
        "max-file-size",
        V::Number(0, i64::MAX),
        "0",
        "bytes at which a file is finished, and the next one begun; 0 is never",
    ),
    row(
        "time-reap",
        V::Number(0, 1 << 31),
        "0",
        "seconds without a message after which a file is finished; 0 is never",
    ),
    row("template", V::Template, "${ISODATE} ${HOST} ${MSGHDR}${MSG}\\n", "text of a message"),
    row(
        "compression",
        V::Word(&["no", "yes", "off", "on", "0", "1", "gzip", "zstd"]),
        "no",
        "how files are compressed; yes is gzip; each batch is a complete part",
    ),
    row("compresslevel", V::Number(0, 9), "6", "how hard, from 0 to 9"),
    row("timeout", V::Number(1, 3600), "60", "seconds that an answer may take"),
    row("tls", V::Options(&[TLS]), "the authorities of the machine", "certificates, for https://"),
    row("batch-lines", V::Number(1, 50_000), "10000", "most messages of a request"),
];
