//! Verifies an evidence package with nothing but its files.
//!
//! In: a folder; keys to trust. Out: what holds, and everything that does not. Limits: one message and the hashes of
//! one segment in memory.

use super::{View, format, manifest, name};
use crate::evidence::{Chain, Digest, Event, PublicKey, Record, merkle, root_of};
use aws_lc_rs::digest::{Context, SHA256};
use base64::{Engine, engine::general_purpose::STANDARD};
use serde_json::{Map, Value};
use std::{
    fmt,
    fs::{self, File},
    io::{self, BufRead, BufReader, Read},
    path::Path,
};

/// Why a package cannot be verified at all.
#[derive(Debug)]
pub enum PackageError {
    /// A file cannot be read.
    Io(io::Error),
    /// The manifest is none.
    Manifest,
}

impl fmt::Display for PackageError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            PackageError::Io(error) => error.fmt(f),
            PackageError::Manifest => f.write_str("manifest.json is not that of an evidence package"),
        }
    }
}

impl std::error::Error for PackageError {}

impl From<io::Error> for PackageError {
    fn from(error: io::Error) -> PackageError {
        PackageError::Io(error)
    }
}

/// The result of a verification.
#[derive(Clone, Default, Debug)]
pub struct PackageReport {
    /// Messages proven to be those that were sealed.
    pub messages: u64,
    /// Segments they are from.
    pub segments: u64,
    /// Who signed the manifest.
    pub signer: String,
    /// Whether that key is one of those given.
    pub is_trusted: bool,
    /// Digest of the last record of the chain.
    pub head: Digest,
    /// The logspace that was asked, when that is not the local one itself.
    pub view: Option<View>,
    /// In a package of a multiple logspace, what each of its local ones proves.
    pub parts: Vec<(String, PackageReport)>,
    /// Everything that is wrong.
    pub faults: Vec<String>,
}

/// Verifies a package.
pub fn verify_package(folder: &Path, trusted: &[PublicKey]) -> Result<PackageReport, PackageError> {
    let text = fs::read(folder.join(name::MANIFEST))?;
    let manifest: Value = serde_json::from_slice(&text).map_err(|_| PackageError::Manifest)?;
    let mut check = Check { folder, report: PackageReport::default(), keys: keys_in(folder, &manifest)? };
    match manifest["format"].as_str() {
        Some(format::ONE) => {}
        Some(format::SEVERAL) => return check.several(&manifest, &text, trusted),
        _ => return Err(PackageError::Manifest),
    }
    check.signature(&manifest, &text, trusted)?;
    check.files(&manifest, &Map::new())?;
    let chain = Chain::parse(&fs::read(folder.join(name::CHAIN))?);
    check.chain(&chain, &manifest);
    check.messages(&chain, &manifest)?;
    Ok(check.report)
}

/// The public keys that the manifest lists.
fn keys_in(folder: &Path, manifest: &Value) -> io::Result<Vec<PublicKey>> {
    let names = manifest["files"].as_object().into_iter().flatten().map(|(name, _)| name);
    let pems = names.filter(|name| name.ends_with(".pem") && is_plain(name));
    Ok(pems.filter_map(|name| PublicKey::load(&folder.join(name)).ok()).collect())
}

/// A name without a way out of the folder.
fn is_plain(name: &str) -> bool {
    !name.is_empty() && !name.starts_with('.') && !name.contains(['/', '\\', '\0'])
}

struct Check<'a> {
    folder: &'a Path,
    report: PackageReport,
    keys: Vec<PublicKey>,
}

impl Check<'_> {
    fn fault(&mut self, text: impl Into<String>) {
        self.report.faults.push(text.into());
    }

    /// A package of several: each in a folder of its own, their manifests named in the one above.
    fn several(
        mut self,
        manifest: &Value,
        text: &[u8],
        trusted: &[PublicKey],
    ) -> Result<PackageReport, PackageError> {
        self.signature(manifest, text, trusted)?;
        let parts = manifest["parts"].as_object().cloned().unwrap_or_default();
        self.files(manifest, &parts)?;
        for (name, stated) in &parts {
            if !is_plain(name) {
                self.fault(format!("{name:?} is not the name of a part"));
                continue;
            }
            let folder = self.folder.join(name);
            let digest = stated["manifest"].as_str().and_then(Digest::parse);
            match hash_of(&folder.join(name::MANIFEST)) {
                Ok(found) if Some(found) == digest => {}
                Ok(_) => self.fault(format!("{name}: the manifest is another one")),
                Err(error) => self.fault(format!("{name}: {error}")),
            }
            let report = match verify_package(&folder, trusted) {
                Ok(report) if report.parts.is_empty() => report,
                Ok(_) => {
                    self.fault(format!("{name}: a part cannot have parts"));
                    continue;
                }
                Err(error) => {
                    self.fault(format!("{name}: {error}"));
                    continue;
                }
            };
            self.report.messages += report.messages;
            self.report.segments += report.segments;
            self.report.faults.extend(report.faults.iter().map(|fault| format!("{name}: {fault}")));
            self.report.parts.push((name.clone(), report));
        }
        if manifest["messages"].as_u64() != Some(self.report.messages) {
            self.fault("the manifest speaks of another number of messages");
        }
        Ok(self.report)
    }

    fn signature(&mut self, manifest: &Value, text: &[u8], trusted: &[PublicKey]) -> io::Result<()> {
        let signer = manifest["signer"].as_str().unwrap_or_default().to_owned();
        let signature = fs::read(self.folder.join(name::SIGNATURE))?;
        let all = trusted.iter().chain(&self.keys);
        let signs = all.clone().any(|key| key.fingerprint() == signer && key.verify(text, &signature));
        if !signs {
            self.fault("the signature of the manifest is wrong");
        }
        self.report.is_trusted = trusted.iter().any(|key| key.fingerprint() == signer);
        if !trusted.is_empty() && !self.report.is_trusted {
            self.fault(format!("the manifest is signed by {signer}, which is not trusted"));
        }
        if !trusted.is_empty() {
            self.keys = trusted.to_vec();
        }
        self.report.signer = signer;
        Ok(())
    }

    /// Every file that the manifest names is there as it was, and there is no other but folders of parts.
    fn files(&mut self, manifest: &Value, parts: &Map<String, Value>) -> io::Result<()> {
        let listed = manifest["files"].as_object().cloned().unwrap_or_default();
        for (name, digest) in &listed {
            let digest = digest.as_str().and_then(Digest::parse);
            if !is_plain(name) {
                self.fault(format!("{name:?} is not the name of a file of the package"));
                continue;
            }
            match hash_of(&self.folder.join(name)) {
                Ok(found) if Some(found) == digest => {}
                Ok(_) => self.fault(format!("{name} was changed")),
                Err(error) => self.fault(format!("{name}: {error}")),
            }
        }
        for entry in fs::read_dir(self.folder)? {
            let name = entry?.file_name().to_string_lossy().into_owned();
            let is_known = listed.contains_key(&name) || parts.contains_key(&name);
            if !is_known && name != name::MANIFEST && name != name::SIGNATURE {
                self.fault(format!("{name} does not belong to the package"));
            }
        }
        Ok(())
    }

    fn chain(&mut self, chain: &Chain, manifest: &Value) {
        self.report.head = chain.head();
        if !chain.damages().is_empty() || chain.torn_bytes() > 0 {
            self.fault("the chain holds bytes that are no record");
        }
        let mut before: Option<&Record> = None;
        for record in chain.records() {
            let follows = (
                before.map_or(0, |before| before.number + 1),
                before.map_or(Digest::default(), Record::digest),
            );
            if (record.number, record.previous) != follows {
                self.fault(format!("record {} does not follow the one before", record.number));
            }
            if !self.keys.iter().any(|key| record.is_signed_by(key)) {
                self.fault(format!(
                    "the signature of record {} is wrong, or its key is not trusted",
                    record.number
                ));
            }
            before = Some(record);
        }
        if manifest["head"].as_str() != Some(&chain.head().to_string()) {
            self.fault("the chain does not end where the manifest says");
        }
        let mut stated = manifest["completeness"].clone();
        let mut known = manifest::completeness(chain, None, &[]);
        // What could not be read, and what a filter let see, is the exporter's word; gaps and range are the chain's.
        for statement in [&mut stated, &mut known] {
            if let Some(fields) = statement.as_object_mut() {
                fields.retain(|name, _| !matches!(name.as_str(), "unread" | "note" | "view"));
            }
        }
        self.view(&manifest["completeness"]["view"]);
        if stated != known {
            self.fault("the statement of completeness is not what the chain says");
        }
    }

    /// What was asked of is said, or the statement is not one.
    fn view(&mut self, stated: &Value) {
        if !stated.is_null() {
            self.report.view = View::of_json(stated);
            if self.report.view.is_none() {
                self.fault("the statement of completeness names a logspace that cannot be read");
            }
        }
    }

    fn messages(&mut self, chain: &Chain, manifest: &Value) -> io::Result<()> {
        let open = |name: &str| File::open(self.folder.join(name)).map(BufReader::new);
        let mut raw = open(name::RAW)?;
        let mut lines = open(name::MESSAGES)?.lines();
        let proofs = open(name::PROOFS)?;
        for proof in proofs.lines() {
            let proof: Value = serde_json::from_str(&proof?).unwrap_or_default();
            let number = proof["record"].as_u64().unwrap_or(u64::MAX);
            let count = proof["messages"].as_u64().unwrap_or(0);
            let record = chain.records().iter().find(|record| record.number == number);
            let Some(record) = record.filter(|record| !matches!(record.event, Event::Removal(_))) else {
                self.fault(format!("proofs name record {number}, which is not in the chain"));
                continue;
            };
            let mut known = Vec::new();
            for _ in 0..count {
                let Some(line) = lines.next() else { break };
                match leaf_of(&line?, &mut raw) {
                    Some((sequence, leaf)) => known.push((sequence.wrapping_sub(record.segment.first), leaf)),
                    None => self.fault("a message is not what its received bytes say"),
                }
            }
            let hashes = proof["proof"].as_array().into_iter().flatten();
            let hashes: Option<Vec<Digest>> =
                hashes.map(|hash| hash.as_str().and_then(Digest::parse)).collect();
            let root = hashes.and_then(|hashes| root_of(record.segment.count, &known, &hashes));
            if root == Some(record.segment.messages) {
                self.report.messages += known.len() as u64;
                self.report.segments += 1;
            } else {
                self.fault(format!("messages of record {number} are not those that were sealed"));
            }
        }
        if lines.next().is_some() || raw.read(&mut [0])? > 0 {
            self.fault("there are messages without a proof");
        }
        if manifest["messages"].as_u64() != Some(self.report.messages) {
            self.fault("the manifest speaks of another number of messages");
        }
        Ok(())
    }
}

/// The number and the leaf of a message; `None` when the file of received bytes has others.
fn leaf_of(line: &str, raw: &mut impl Read) -> Option<(u64, Digest)> {
    let message: Value = serde_json::from_str(line).ok()?;
    let bytes = STANDARD.decode(message["raw"].as_str()?).ok()?;
    let mut stored = vec![0; bytes.len() + 1];
    raw.read_exact(&mut stored).ok()?;
    if stored.strip_suffix(b"\n") != Some(&bytes) {
        return None;
    }
    let (sequence, received_us) = (message["sequence"].as_u64()?, message["received_us"].as_i64()?);
    let peer = message["peer"].as_str()?;
    Some((sequence, merkle::leaf(sequence, received_us, peer.as_bytes(), &bytes, &mut Vec::new())))
}

fn hash_of(path: &Path) -> io::Result<Digest> {
    let mut file = BufReader::with_capacity(1 << 16, File::open(path)?);
    let mut hash = Context::new(&SHA256);
    loop {
        let bytes = file.fill_buf()?;
        if bytes.is_empty() {
            break;
        }
        hash.update(bytes);
        let count = bytes.len();
        file.consume(count);
    }
    let mut digest = Digest::default();
    digest.0.copy_from_slice(hash.finish().as_ref());
    Ok(digest)
}
