//! The messages of a package: each proven once, in order, and with the fields that follow from its bytes.
//!
//! In: lines, received bytes, proofs, the chain, the query's time range. Out: counts; faults.
//! Holds: one message; the hashes of one segment. Limits: the first [`FAULTS_MAX`] faults of each kind are named.

use crate::{
    chain::Chain,
    digest::Digest,
    merkle::{self, root_of},
    package::{
        format,
        manifest::Question,
        name,
        reading::{self, ReceivedBytes},
    },
    record::Record,
};
use base64::{Engine, engine::general_purpose::STANDARD};
use serde_json::Value;
use std::{
    collections::{BTreeMap, BTreeSet},
    fs::File,
    io::{self, BufRead, BufReader, Read},
    path::Path,
};

/// Faults of messages that are named; more are counted.
const FAULTS_MAX: usize = 20;
/// The fields of a message of version 1 of the format; version 2 has `read` as well.
const FIELDS: [&str; 14] = [
    "sequence",
    "received_us",
    "peer",
    "raw",
    "event_us",
    "priority",
    "host",
    "program",
    "pid",
    "msgid",
    "message",
    "source",
    "tags",
    "values",
];
/// Fields that a leaf of the tree covers, or that no bytes can prove.
const NEVER_COMPARED: [&str; 4] = ["sequence", "received_us", "peer", "raw"];

/// Grounds on which the fields of messages are believed.
#[derive(Clone, Default, PartialEq, Eq, Debug)]
pub struct FieldReport {
    /// Messages whose fields all follow from the received bytes, except for the source and the tags.
    pub whole: u64,
    /// Messages with a field that rests on the word of the package's maker, by field.
    pub word: BTreeMap<String, u64>,
    /// Messages whose host is the address that they came from.
    pub host_is_peer: u64,
    /// Time zones, in seconds, in which times without a zone were read: a claim of the package's maker.
    pub offsets_s: BTreeSet<i64>,
}

/// The messages of a package.
#[derive(Default)]
pub(super) struct Messages {
    pub(super) proven: u64,
    pub(super) segments: u64,
    pub(super) fields: FieldReport,
    pub(super) faults: Vec<String>,
    more: u64,
    /// Sequence number of the message before.
    before: Option<u64>,
}

/// Statements that messages are compared with.
pub(super) struct Stated<'a> {
    pub(super) chain: &'a Chain,
    pub(super) question: &'a Question,
    pub(super) format: &'a str,
}

impl Messages {
    fn fault(&mut self, text: String) {
        match self.faults.len() < FAULTS_MAX {
            true => self.faults.push(text),
            false => self.more += 1,
        }
    }

    /// Reads and proves all.
    pub(super) fn check(folder: &Path, stated: &Stated<'_>) -> io::Result<Messages> {
        let open = |name: &str| File::open(folder.join(name)).map(BufReader::new);
        let (mut raw, mut lines) = (open(name::RAW)?, open(name::MESSAGES)?.lines());
        let mut all = Messages::default();
        let mut segment_before = None;
        for proof in open(name::PROOFS)?.lines() {
            let proof: Value = serde_json::from_str(&proof?).unwrap_or_default();
            let record = proof["record"].as_u64().unwrap_or(u64::MAX);
            let count = proof["messages"].as_u64().unwrap_or(0);
            // Only the current state of a segment can be exported, not one that was replaced or removed.
            let found = stated.chain.records().iter().find(|known| known.number == record);
            let current = found.filter(|found| stated.chain.current(found.segment.first) == Some(*found));
            let Some(found) = current else {
                all.fault(format!(
                    "proofs name record {record}, which is not the state of a segment in the chain"
                ));
                continue;
            };
            if segment_before.is_some_and(|before| before >= found.segment.first) {
                all.fault(format!("the proof of record {record} comes twice or out of order"));
            }
            segment_before = Some(found.segment.first);
            all.segment(found, &proof, count, &mut lines, &mut raw, stated)?;
        }
        if lines.next().is_some() || raw.read(&mut [0])? > 0 {
            all.fault("there are messages without a proof".to_owned());
        }
        if all.more > 0 {
            all.faults.push(format!("and {} more faults of messages", all.more));
        }
        Ok(all)
    }

    fn segment(
        &mut self,
        record: &Record,
        proof: &Value,
        count: u64,
        lines: &mut impl Iterator<Item = io::Result<String>>,
        raw: &mut impl Read,
        stated: &Stated<'_>,
    ) -> io::Result<()> {
        let number = record.number;
        let facts = (proof["first"].as_u64(), proof["count"].as_u64());
        if facts != (Some(record.segment.first), Some(record.segment.count)) {
            self.fault(format!("the proof of record {number} is of other numbers than the record"));
        }
        let mut known = Vec::new();
        for _ in 0..count {
            let Some(line) = lines.next() else {
                self.fault(format!("messages of record {number} are missing"));
                break;
            };
            if let Some((sequence, leaf)) = self.message(&line?, raw, record, stated) {
                known.push((sequence.wrapping_sub(record.segment.first), leaf));
            }
        }
        let hashes = proof["proof"].as_array().into_iter().flatten();
        let hashes: Option<Vec<Digest>> = hashes.map(|hash| hash.as_str().and_then(Digest::parse)).collect();
        let root = hashes.and_then(|hashes| root_of(record.segment.count, &known, &hashes));
        if root == Some(record.segment.messages) {
            self.proven += known.len() as u64;
            self.segments += 1;
        } else {
            self.fault(format!("messages of record {number} are not those that were sealed"));
        }
        Ok(())
    }

    /// The number and the leaf of a message; none when it cannot be read.
    fn message(
        &mut self,
        line: &str,
        raw: &mut impl Read,
        record: &Record,
        stated: &Stated<'_>,
    ) -> Option<(u64, Digest)> {
        let parsed = parse(line, raw, stated.format);
        let Some((message, bytes)) = parsed else {
            self.fault("a message is not what its received bytes say".to_owned());
            return None;
        };
        let (sequence, received_us) = (message["sequence"].as_u64()?, message["received_us"].as_i64()?);
        let peer = message["peer"].as_str()?;
        if self.before.is_some_and(|before| before >= sequence) {
            self.fault(format!("message {sequence} comes twice or out of order"));
        }
        self.before = Some(sequence);
        if !(record.segment.first..record.end()).contains(&sequence) {
            self.fault(format!("message {sequence} is not of record {}", record.number));
        }
        let Question { from_us, to_us, .. } = stated.question;
        if from_us.is_some_and(|from| received_us < from) || to_us.is_some_and(|to| received_us >= to) {
            self.fault(format!(
                "message {sequence} was received outside of the time range that was asked for"
            ));
        }
        self.fields(&message, ReceivedBytes { raw: &bytes, received_us, peer }, sequence, stated.format);
        Some((sequence, merkle::leaf(sequence, received_us, peer.as_bytes(), &bytes, &mut Vec::new())))
    }

    /// Reads the fields again from the bytes.
    fn fields(&mut self, message: &Value, sealed: ReceivedBytes<'_>, sequence: u64, version: &str) {
        if version == format::ONE_V1 {
            let names = FIELDS.iter().filter(|name| !NEVER_COMPARED.contains(name));
            names.for_each(|name| *self.fields.word.entry((*name).to_owned()).or_default() += 1);
            return;
        }
        let Some(compared) = reading::check(message, sealed) else {
            return self
                .fault(format!("message {sequence} does not say how its fields follow from its bytes"));
        };
        for name in &compared.wrong {
            self.fault(format!("{name} of message {sequence} is not what its received bytes say"));
        }
        self.fields.whole += u64::from(compared.admitted.is_empty());
        for name in compared.admitted {
            *self.fields.word.entry(name).or_default() += 1;
        }
        self.fields.host_is_peer += u64::from(compared.is_host_peer);
        self.fields.offsets_s.extend(compared.offset_s);
    }
}

/// A message and its bytes; `None` when the file of received bytes has others, or a field is strange, missing or doubled.
fn parse(line: &str, raw: &mut impl Read, version: &str) -> Option<(Value, Vec<u8>)> {
    let message: Value = serde_json::from_str(line).ok()?;
    let bytes = STANDARD.decode(message["raw"].as_str()?).ok()?;
    let mut stored = vec![0; bytes.len() + 1];
    raw.read_exact(&mut stored).ok()?;
    if stored.strip_suffix(b"\n") != Some(&bytes) {
        return None;
    }
    let fields = message.as_object()?;
    let wanted = FIELDS.len() + usize::from(version != format::ONE_V1);
    let are_known = fields.keys().all(|name| FIELDS.contains(&name.as_str()) || name == "read");
    // A duplicate name could be read differently elsewhere: it is lost when written again.
    (fields.len() == wanted && are_known && message.to_string().len() == line.len())
        .then_some((message, bytes))
}
