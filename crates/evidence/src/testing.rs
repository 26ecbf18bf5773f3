//! Helpers shared by the tests of this crate and of those above it: a key, and signed records.
//!
//! In: a chain, an event. Out: the record that continues the chain. Limits: tests only.

use crate::{Chain, Digest, Event, Facts, LedgerHead, Record, SigningKey};

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
