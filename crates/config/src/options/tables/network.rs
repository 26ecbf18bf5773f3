//! Options inside network drivers: `tls()`, `failover()`; and `disk-buffer()` of every destination.
//!
//! In: nothing. Out: rows and lists of words.

use crate::options::row::{Row, ValueKind as V, later, row};

pub(super) const PEER_VERIFY: &[&str] =
    &["required-trusted", "required-untrusted", "optional-trusted", "optional-untrusted", "yes", "no"];

const SSL_OPTIONS: &[&str] = &[
    "no-sslv2",
    "no-sslv3",
    "no-tlsv1",
    "no-tlsv11",
    "no-tlsv12",
    "no-tlsv13",
    "ignore-unexpected-eof",
    "none",
];

/// Versions that `ssl-version()` may name. Versions before 1.2 are not supported: naming one leaves 1.2.
pub(super) const SSL_VERSIONS: &[&str] = &["default", "tlsv1", "tlsv1-0", "tlsv1-1", "tlsv1-2", "tlsv1-3"];

/// `tls()`.
pub(super) const TLS: &[Row] = &[
    row(
        "peer-verify",
        V::Word(PEER_VERIFY),
        "required-trusted",
        "whether the peer must send a certificate, and a valid one",
    ),
    row("ca-file", V::Text, "", "certificates of trusted CAs, or of the peer itself"),
    row("ca-dir", V::Text, "", "a folder of such certificates; all files in it are read"),
    row("use-system-cert-store", V::YesNo, "no", "trust the CAs that the machine trusts"),
    row("crl-dir", V::Text, "", "a folder of revocation lists"),
    row(
        "cert-file",
        V::Text,
        "",
        "the certificate of this server or client, and those between it and its CA",
    ),
    row(
        "key-file",
        V::Text,
        "",
        "the private key of the certificate; the password of an encrypted one is given with ctl credentials add",
    ),
    row(
        "pkcs12-file",
        V::Text,
        "",
        "certificate, key and trusted CAs in one file, instead of cert-file() and key-file(); its password is empty or given with ctl credentials add",
    ),
    row("trusted-dn", V::Texts, "", "names that a peer's certificate may have, with * and ?"),
    row(
        "trusted-fingerprints",
        V::Texts,
        "",
        "fingerprints of the certificates that a peer may have: SHA256:AB:CD:...",
    ),
    row("trusted-keys", V::Texts, "", "").renamed("trusted-fingerprints"),
    row("sni", V::YesNo, "no", "send the name of the server in the handshake (SNI)"),
    row(
        "cipher-suite",
        V::TextOr(&[CIPHER_SUITE]),
        "",
        "cipher suites by their OpenSSL names; only those of rustls",
    ),
    row("ecdh-curve-list", V::Text, "", "curves by their OpenSSL names: X25519, prime256v1, secp384r1"),
    row(
        "ssl-options",
        V::Words(SSL_OPTIONS),
        "no-sslv2 no-sslv3 no-tlsv1 no-tlsv11",
        "versions of TLS that are not used",
    ),
    row("curve-list", V::Text, "", "").renamed("ecdh-curve-list"),
    row("ssl-version", V::Word(SSL_VERSIONS), "default", "the only version of TLS that is spoken"),
    row("extended-key-usage-verify", V::YesNo, "no", "a certificate must be meant for its use"),
    row(
        "ocsp-stapling-verify",
        V::YesNo,
        "no",
        "a server must prove that its CA has not revoked its certificate; for destinations, not with transport(dtls)",
    ),
    row("keylog-file", V::Text, "", "secrets of sessions, to look into recorded traffic"),
    row("allow-compress", V::YesNo, "no", "compress")
        .no_effect("nothing is compressed: that would leak what is sent"),
    row("dhparam-file", V::Text, "", "parameters of old key exchanges")
        .no_effect("keys are exchanged over elliptic curves only"),
    row("ca-dir-layout", V::Text, "", "how files in ca-dir() are named")
        .no_effect("their names do not matter"),
    row(
        "sigalgs",
        V::Text,
        "",
        "signature algorithms of servers, by their OpenSSL names: RSA-PSS+SHA256:ed25519",
    ),
    row("client-sigalgs", V::Text, "", "signature algorithms of clients; not with transport(dtls)"),
    later("openssl-conf-cmds", "commands for OpenSSL"),
];

const CIPHER_SUITE: &[Row] = &[
    row("tls12-and-older", V::Text, "", "cipher suites of TLS 1.2"),
    row("tls13", V::Text, "", "cipher suites of TLS 1.3"),
];

/// `failover()`.
pub(super) const FAILOVER: &[Row] = &[
    row("servers", V::Texts, "", "receivers that take over, in this order; HOST or HOST:PORT"),
    row("failback", V::Options(&[FAILBACK]), "", "go back to the first receiver when it answers again"),
];

const FAILBACK: &[Row] = &[
    row(
        "tcp-probe-interval",
        V::Number(1, 1 << 31),
        "60",
        "seconds between two probes of the first receiver",
    ),
    row(
        "successful-probes-required",
        V::Number(1, 1 << 31),
        "3",
        "answers in a row until the receiver is used again",
    ),
];

/// `disk-buffer()`.
pub(super) const DISK_BUFFER: &[Row] = &[
    row(
        "reliable",
        V::YesNo,
        "no",
        "every message is on the disk, synced, before it is acknowledged to its source",
    ),
    row("capacity-bytes", V::Number(1, i64::MAX), "", "most bytes on the disk; at least 1 MiB"),
    row("disk-buf-size", V::Number(1, i64::MAX), "", "").renamed("capacity-bytes"),
    row(
        "flow-control-window-bytes",
        V::Number(1, i64::MAX),
        "16 MiB",
        "bytes in memory: a queue that is not reliable() uses the disk beyond them",
    ),
    row("mem-buf-size", V::Number(1, i64::MAX), "", "").renamed("flow-control-window-bytes"),
    row(
        "front-cache-size",
        V::Number(1, 1 << 31),
        "65536",
        "messages in memory: a queue that is not reliable() uses the disk beyond them; below 65536 it is 65536",
    ),
    row("qout-size", V::Number(1, 1 << 31), "", "").renamed("front-cache-size"),
    row("quot-size", V::Number(1, 1 << 31), "", "").renamed("front-cache-size"),
    row("flow-control-window-size", V::Number(1, 1 << 31), "", "messages in memory")
        .no_effect("front-cache-size() and flow-control-window-bytes() are the bounds"),
    row("mem-buf-length", V::Number(1, 1 << 31), "", "").renamed("flow-control-window-size"),
    row(
        "shared",
        V::Text,
        "",
        "name of a log on disk that several destinations share: a message is written and synced once for all of them; needs reliable(yes), and capacity-bytes() is how far this destination may be behind",
    ),
    row("dir", V::Text, "disk-buffers in the data folder", "folder in which the folder of the queue is made"),
    row("prealloc", V::YesNo, "no", "reserve the space on disk at the start"),
    row(
        "truncate-size-ratio",
        V::Decimal(0.0, 1.0),
        "1",
        "share of the capacity that empty files may keep for later use",
    ),
    row("compaction", V::YesNo, "no", "leave out what no template asks for")
        .no_effect("messages are kept whole"),
];
