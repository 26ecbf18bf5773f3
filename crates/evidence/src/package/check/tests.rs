//! Packages made here, and manipulations of them: each one is named, and nothing else is.

mod messages;
mod several;

use super::*;
use crate::{
    Event, Facts, SigningKey,
    merkle::{Prover, STORED_SPAN, Tree, leaf},
    package::{ReceivedBytes, completeness, describe},
    testing::{LOGSPACE, key, sign},
};
use base64::{Engine, engine::general_purpose::STANDARD};
use serde_json::json;
use std::collections::BTreeMap;

/// Received time of message 0; each message arrives a second after the one before.
const START_US: i64 = 1_795_370_400_000_000;
/// First number and count of the sealed segments.
const SEGMENTS: [(u64, u64); 2] = [(0, 3), (5, 300)];
/// The messages that are exported.
const WANTED: [u64; 4] = [0, 2, 6, 304];

/// A package before it is written.
struct Package {
    key: SigningKey,
    chain: Vec<Record>,
    messages: Vec<Value>,
    raw: Vec<u8>,
    proofs: Vec<Value>,
    manifest: Value,
    /// More files.
    files: BTreeMap<String, Vec<u8>>,
}

fn bytes_of(sequence: u64) -> Vec<u8> {
    format!("<13>1 - h{sequence} app - - - message {sequence}").into_bytes()
}

fn leaf_of(sequence: u64) -> Digest {
    leaf(sequence, received_us(sequence), b"10.0.0.1", &bytes_of(sequence), &mut Vec::new())
}

fn received_us(sequence: u64) -> i64 {
    START_US + sequence as i64 * 1_000_000
}

fn message(sequence: u64) -> Value {
    let raw = bytes_of(sequence);
    let mut message = json!({
        "sequence": sequence, "received_us": received_us(sequence), "peer": "10.0.0.1", "raw": STANDARD.encode(&raw),
        "event_us": received_us(sequence), "priority": 13, "host": format!("h{sequence}"), "program": "app", "pid": "",
        "msgid": "", "message": format!("message {sequence}"), "source": "s", "tags": [], "values": {},
    });
    let sealed = ReceivedBytes { raw: &raw, received_us: received_us(sequence), peer: "10.0.0.1" };
    message["read"] = describe(&message, sealed);
    message
}

/// Appends a signed record of a segment to the records of a chain.
fn push(key: &SigningKey, chain: &mut Vec<Record>, (first, count): (u64, u64), event: Event) {
    let mut tree = Tree::default();
    (first..first + count).for_each(|number| tree.push(leaf_of(number)));
    let segment = Facts {
        id: [7; 16],
        first,
        count,
        received_us: (received_us(first), received_us(first + count - 1)),
        messages: tree.finish().0,
        contents: Digest::of(b"file"),
    };
    let record = Record {
        number: chain.len() as u64,
        logspace: LOGSPACE,
        previous: chain.last().map_or(Digest::default(), Record::digest),
        at_us: START_US,
        event,
        segment,
        ledger: None,
        signer: key.public().fingerprint(),
        signature: Vec::new(),
    };
    chain.push(sign(key, record));
}

fn proof(record: u64, (first, count): (u64, u64)) -> Value {
    let wanted: Vec<u64> = WANTED.iter().filter(|at| (first..first + count).contains(at)).copied().collect();
    let inside: Vec<u64> = wanted.iter().map(|number| number - first).collect();
    let mut tree = Tree::default();
    (first..first + count).for_each(|number| tree.push(leaf_of(number)));
    let stored = tree.finish().1;
    let mut leaves = |node: u64| {
        let start = first + node * STORED_SPAN as u64;
        Ok::<_, ()>((start..(first + count).min(start + STORED_SPAN as u64)).map(leaf_of).collect())
    };
    let proof = Prover { count, stored: &stored }.prove(&inside, &mut leaves).unwrap();
    let proof: Vec<String> = proof.iter().map(Digest::to_string).collect();
    json!({"record": record, "first": first, "count": count, "messages": wanted.len(), "proof": proof})
}

fn question() -> Question {
    Question { text: "h*".into(), asked_by: "eva".into(), at_us: 7, ..Question::default() }
}

fn package() -> Package {
    let key = key();
    let mut chain = Vec::new();
    push(&key, &mut chain, SEGMENTS[0], Event::Seal);
    push(&key, &mut chain, SEGMENTS[1], Event::Seal);
    push(&key, &mut chain, (400, 10), Event::Seal);
    push(&key, &mut chain, (400, 10), Event::Removal("age".into()));
    let mut package = Package {
        key,
        chain,
        messages: WANTED.map(message).to_vec(),
        raw: WANTED.iter().flat_map(|number| [bytes_of(*number), vec![b'\n']].concat()).collect(),
        proofs: vec![proof(0, SEGMENTS[0]), proof(1, SEGMENTS[1])],
        manifest: Value::Null,
        files: BTreeMap::new(),
    };
    package.state();
    package
}

impl Package {
    /// Makes the manifest of the chain and the messages as they are.
    fn state(&mut self) {
        let text: String = self.chain.iter().map(Record::print).collect();
        let chain = Chain::parse(text.as_bytes());
        self.manifest = json!({
            "format": format::ONE, "logspace": crate::digest::hex(&LOGSPACE), "head": chain.head().to_string(),
            "signer": self.key.public().fingerprint(), "question": question().to_json(),
            "completeness": completeness(&chain, None, &[(1..2, "damaged".to_owned())]), "messages": self.messages.len(),
        });
    }

    /// Writes the files, the manifest with their digests, and its signature.
    fn write(&self, folder: &Path) {
        let lines = |values: &[Value]| values.iter().map(|value| format!("{value}\n")).collect::<String>();
        let mut files = self.files.clone();
        let chain: String = self.chain.iter().map(Record::print).collect();
        files.insert(name::CHAIN.into(), chain.into_bytes());
        files.insert(name::MESSAGES.into(), lines(&self.messages).into_bytes());
        files.insert(name::RAW.into(), self.raw.clone());
        files.insert(name::PROOFS.into(), lines(&self.proofs).into_bytes());
        files.insert("key-1.pem".into(), self.key.public().to_pem().into_bytes());
        let mut manifest = self.manifest.clone();
        if manifest["files"].is_null() {
            let digests =
                files.iter().map(|(name, bytes)| (name.clone(), Digest::of(bytes).to_string().into()));
            manifest["files"] = Value::Object(digests.collect());
        }
        fs::create_dir_all(folder).unwrap();
        files.iter().for_each(|(name, bytes)| fs::write(folder.join(name), bytes).unwrap());
        seal(folder, &self.key, &manifest);
    }
}

fn seal(folder: &Path, key: &SigningKey, manifest: &Value) {
    let text = manifest.to_string();
    fs::write(folder.join(name::MANIFEST), &text).unwrap();
    fs::write(folder.join(name::SIGNATURE), key.sign(text.as_bytes()).unwrap()).unwrap();
}

fn faults(audit: &PackageAudit, package: &Package) -> Vec<String> {
    let dir = tempfile::tempdir().unwrap();
    package.write(dir.path());
    audit.run(dir.path()).unwrap().faults
}

/// Changes a package before it is written and signed, as someone with the key could do. Returns the names of
/// the findings.
#[track_caller]
fn check(change: impl Fn(&mut Package), want: &[&str]) {
    let mut package = package();
    change(&mut package);
    assert_eq!(faults(&PackageAudit::default(), &package), want);
}

#[test]
fn a_whole_package_holds() {
    let (dir, package) = (tempfile::tempdir().unwrap(), package());
    package.write(dir.path());
    let report = PackageAudit::default().run(dir.path()).unwrap();
    assert_eq!(report.faults, Vec::<String>::new());
    assert_eq!((report.messages, report.segments, report.sealed_to), (4, 2, 410));
    assert_eq!(
        (report.signer.as_str(), report.is_trusted),
        (package.key.public().fingerprint().as_str(), false)
    );
    assert_eq!(report.head, package.chain[3].digest());
    let gaps = [(3..5, "never sealed"), (305..400, "never sealed"), (400..410, "removed: age")];
    assert_eq!(report.gaps, gaps.map(|(range, why)| (range, why.to_owned())));
    assert_eq!(report.unread, [(1..2, "damaged".to_owned())]);
    let asked = report.question.unwrap();
    let question = question();
    assert_eq!((asked.text, asked.asked_by, asked.at_us), (question.text, question.asked_by, question.at_us));
    assert_eq!((asked.from_us, asked.to_us, report.view), (None, None, None));
    assert_eq!((report.fields.whole, report.fields.host_is_peer, report.fields.word.len()), (4, 0, 0));
    assert!(report.stamps.is_empty() && report.parts.is_empty() && report.never_sealed.is_empty());
    // With the key, and with a record that was kept elsewhere.
    let trusted = vec![package.key.public().clone()];
    for (known, want) in [
        (package.chain[1].digest(), &[][..]),
        (Digest::of(b"another"), &["the record that was kept elsewhere is not in the chain"]),
    ] {
        let audit = PackageAudit { trusted: trusted.clone(), known_head: Some(known), stamp_roots: None };
        let report = audit.run(dir.path()).unwrap();
        assert!(report.is_trusted);
        assert_eq!(report.faults, want);
    }
}

#[test]
fn a_package_of_an_unknown_key_is_not_believed() {
    let package = package();
    let signer = package.key.public().fingerprint();
    let audit = PackageAudit { trusted: vec![key().public().clone()], ..PackageAudit::default() };
    let wrong = |number: u64| format!("the signature of record {number} is wrong, or its key is not trusted");
    let mut want = vec![format!("the manifest is signed by {signer}, which is not trusted")];
    want.extend((0..4).map(wrong));
    assert_eq!(faults(&audit, &package), want);
    // Another key signs the manifest of someone else's chain.
    let mut other = self::package();
    let stranger = key();
    other.manifest["signer"] = stranger.public().fingerprint().into();
    other.files.insert("key-2.pem".into(), stranger.public().to_pem().into_bytes());
    let dir = tempfile::tempdir().unwrap();
    other.write(dir.path());
    let manifest: Value =
        serde_json::from_slice(&fs::read(dir.path().join(name::MANIFEST)).unwrap()).unwrap();
    seal(dir.path(), &stranger, &manifest);
    let text = "who signed no record of the chain: --trust must name that key, too";
    let want = [format!("the manifest is signed by {}, {text}", stranger.public().fingerprint())];
    assert_eq!(PackageAudit::default().run(dir.path()).unwrap().faults, want);
    let trusted = vec![stranger.public().clone(), other.key.public().clone()];
    let audit = PackageAudit { trusted, ..PackageAudit::default() };
    assert_eq!(audit.run(dir.path()).unwrap().faults, Vec::<String>::new());
}

#[test]
fn files_are_those_that_the_manifest_names() {
    type Harm = fn(&Path);
    let rows: [(Harm, &[&str]); 7] = [
        (|folder| fs::write(folder.join("more"), "").unwrap(), &["more does not belong to the package"]),
        (|folder| fs::create_dir(folder.join("part")).unwrap(), &["part does not belong to the package"]),
        (
            |folder| fs::write(folder.join("key-1.pem"), "").unwrap(),
            &[
                "the signature of the manifest is wrong",
                "key-1.pem was changed",
                "the signature of record 0 is wrong, or its key is not trusted",
                "the signature of record 1 is wrong, or its key is not trusted",
                "the signature of record 2 is wrong, or its key is not trusted",
                "the signature of record 3 is wrong, or its key is not trusted",
            ],
        ),
        (
            |folder| fs::write(folder.join(name::SIGNATURE), "x").unwrap(),
            &["the signature of the manifest is wrong"],
        ),
        (
            |folder| {
                let path = folder.join(name::CHAIN);
                fs::write(&path, [fs::read(&path).unwrap(), b"torn".to_vec()].concat()).unwrap();
            },
            &["chain was changed", "the chain holds bytes that are no record"],
        ),
        (
            |folder| {
                let path = folder.join(name::CHAIN);
                fs::write(&path, [b"x\n\n".to_vec(), fs::read(&path).unwrap()].concat()).unwrap();
            },
            &["chain was changed", "the chain holds bytes that are no record"],
        ),
        (
            |folder| {
                let path = folder.join(name::MANIFEST);
                fs::write(&path, [fs::read(&path).unwrap(), b" ".to_vec()].concat()).unwrap();
            },
            &["the signature of the manifest is wrong"],
        ),
    ];
    for (harm, want) in rows {
        let dir = tempfile::tempdir().unwrap();
        package().write(dir.path());
        harm(dir.path());
        assert_eq!(PackageAudit::default().run(dir.path()).unwrap().faults, want);
    }
    for (name, want) in [
        ("../x", "\"../x\" is not the name of a file of the package"),
        (".x", "\".x\" is not the name of a file of the package"),
        ("", "\"\" is not the name of a file of the package"),
        ("a\\x", "\"a\\\\x\" is not the name of a file of the package"),
        ("gone", "gone: No such file or directory (os error 2)"),
    ] {
        let dir = tempfile::tempdir().unwrap();
        let made = package();
        made.write(dir.path());
        let text = fs::read(dir.path().join(name::MANIFEST)).unwrap();
        let mut manifest: Value = serde_json::from_slice(&text).unwrap();
        manifest["files"][name] = Digest::of(b"").to_string().into();
        seal(dir.path(), &made.key, &manifest);
        assert_eq!(PackageAudit::default().run(dir.path()).unwrap().faults, [want]);
    }
}

#[test]
fn a_folder_without_a_package_is_reported() {
    let dir = tempfile::tempdir().unwrap();
    let error = |folder: &Path| PackageAudit::default().run(folder).unwrap_err().to_string();
    assert_eq!(error(dir.path()), "No such file or directory (os error 2)");
    for text in ["", "{}", "{\"format\":\"duramen evidence package 9\"}"] {
        fs::write(dir.path().join(name::MANIFEST), text).unwrap();
        assert_eq!(error(dir.path()), "manifest.json is not that of an evidence package", "{text}");
    }
}

#[test]
fn the_manifest_says_what_the_chain_says() {
    check(
        |made| made.manifest["logspace"] = "x".into(),
        &[
            "record 0 is of another logspace",
            "record 1 is of another logspace",
            "record 2 is of another logspace",
            "record 3 is of another logspace",
        ],
    );
    check(|made| made.manifest["head"] = "x".into(), &["the chain does not end where the manifest says"]);
    check(
        |made| made.manifest["messages"] = 5.into(),
        &["the manifest speaks of another number of messages"],
    );
    check(|made| made.manifest["question"] = Value::Null, &["the manifest does not say what was asked"]);
    let incomplete = "the statement of completeness is not what the chain says";
    check(|made| made.manifest["completeness"]["sequence_to"] = 400.into(), &[incomplete]);
    check(|made| made.manifest["completeness"]["gaps"] = json!([]), &[incomplete]);
    check(|made| made.manifest["completeness"]["more"] = 1.into(), &[incomplete]);
    check(|made| made.manifest["completeness"]["note"] = "other".into(), &[]);
    let unread = "the statement of completeness does not say what could not be read";
    check(|made| made.manifest["completeness"]["unread"] = Value::Null, &[unread]);
    check(
        |made| made.manifest["completeness"]["unread"] = json!([{"from": 1, "to": "x", "why": ""}]),
        &[unread],
    );
    let view = "the statement of completeness names a logspace that cannot be read";
    check(|made| made.manifest["completeness"]["view"] = json!({"name": "a"}), &[view]);
    check(|made| made.manifest["completeness"]["view"] = json!({"name": "a", "logspace": "b"}), &[]);
}

#[test]
fn records_follow_each_other() {
    check(
        |made| {
            made.chain.remove(2);
            made.state();
        },
        &["record 3 does not follow the one before"],
    );
    check(
        |made| {
            made.chain.remove(0);
            made.proofs.remove(0);
            made.messages.drain(..2);
            made.raw = [6, 304].iter().flat_map(|at| [bytes_of(*at), vec![b'\n']].concat()).collect();
            made.state();
        },
        &["record 1 does not follow the one before"],
    );
}
