//! Helpers shared by the tests of this crate and of those above it: a key, signed records, a time-stamping authority.
//!
//! In: a chain, an event; a request. Out: the record that continues the chain; the authority's answer. Limits: tests only.

use crate::{Chain, Digest, Event, Facts, LedgerHead, Record, SigningKey};
use std::{path::Path, process::Command};

/// The id of the logspace that test records are of.
pub const LOGSPACE: [u8; 16] = [9; 16];

/// Draws a signing key.
pub fn key() -> SigningKey {
    let dir = tempfile::tempdir().expect("tests have a temporary folder");
    SigningKey::load_or_draw(&dir.path().join("sign.key")).expect("a key can be drawn")
}

/// Returns the next record of a chain: a segment of ten messages that begins with `first`.
pub fn record(key: &SigningKey, chain: &Chain, first: u64, event: Event) -> Record {
    let segment = Facts {
        id: [7; 16],
        first,
        count: 10,
        received_us: (1, -2),
        messages: Digest::of(b"messages"),
        contents: Digest::of(b"contents"),
    };
    let record = Record {
        number: chain.next_number(),
        logspace: LOGSPACE,
        previous: chain.head(),
        at_us: 1_763_000_000_000_000,
        event,
        segment,
        ledger: None,
        signer: key.public().fingerprint(),
        signature: Vec::new(),
    };
    sign(key, record)
}

/// The same of an empty chain, naming how far a ledger had come.
pub fn record_with_ledger(key: &SigningKey, ledger: Option<LedgerHead>) -> Record {
    sign(key, Record { ledger, ..record(key, &Chain::default(), 0, Event::Seal) })
}

/// Signs a record that was changed.
pub fn sign(key: &SigningKey, mut record: Record) -> Record {
    record.signature = key.sign(record.statement().as_bytes()).expect("the system has randomness");
    record
}

/// Sets up a time-stamping authority of openssl's in a folder, with a key of these parameters of `openssl genpkey`; its
/// root is in `ca.pem`. Returns what answers a request.
pub fn authority(dir: &Path, key: &[&str]) -> impl Fn(&[u8]) -> Vec<u8> + Send + Sync + 'static {
    let dir = dir.to_owned();
    let put = |name: &str, bytes: &[u8]| std::fs::write(dir.join(name), bytes).expect("a file is written");
    put(
        "conf",
        b"[req]\ndistinguished_name=n\n[n]\n[ca]\nbasicConstraints=critical,CA:TRUE\n[tsa]\nextendedKeyUsage=critical,timeStamping\n\
        [t]\ndefault_tsa=c\n[c]\nserial=serial\nsigner_digest=sha256\ndefault_policy=1.2.3.4\ndigests=sha256\nclock_precision_digits=0\nordering=yes\n",
    );
    put("serial", b"01\n");
    openssl(&dir, &[&["genpkey"], key, &["-out", "ca.key"]].concat());
    openssl(&dir, &[&["genpkey"], key, &["-out", "tsa.key"]].concat());
    let root = "req -new -x509 -key ca.key -subj /CN=ca -days 9 -out ca.pem -config conf -extensions ca";
    let request = "req -new -key tsa.key -subj /CN=tsa -out tsa.csr -config conf";
    let certificate = "x509 -req -in tsa.csr -CA ca.pem -CAkey ca.key -CAcreateserial -days 9 -out tsa.pem -extfile conf -extensions tsa";
    for line in [root, request, certificate] {
        openssl(&dir, &line.split(' ').collect::<Vec<_>>());
    }
    let reply =
        "ts -reply -config conf -section c -queryfile query -inkey tsa.key -signer tsa.pem -out answer";
    move |request| {
        std::fs::write(dir.join("query"), request).expect("a file is written");
        openssl(&dir, &reply.split(' ').collect::<Vec<_>>());
        std::fs::read(dir.join("answer")).expect("openssl answered")
    }
}

/// Runs openssl in a folder.
fn openssl(dir: &Path, words: &[&str]) {
    let done = Command::new("openssl").args(words).current_dir(dir).output().expect("openssl is installed");
    assert!(done.status.success(), "{words:?}: {}", String::from_utf8_lossy(&done.stderr));
}
