//! Verifies an evidence package with nothing but its files.
//!
//! In: a folder; keys to trust. Out: the valid parts, and every fault. Limits: one message and the hashes of
//! one segment in memory.

mod messages;
mod stamps;

pub use messages::FieldReport;
pub use stamps::PackageStamp;

use super::{Question, View, format, manifest, name};
use crate::{chain::Chain, digest::Digest, record::Record, sign::PublicKey, stamp::StampRoots};
use aws_lc_rs::digest::{Context, SHA256};
use messages::{Messages, Stated};
use serde_json::{Map, Value};
use std::{
    collections::BTreeSet,
    fmt,
    fs::{self, File},
    io::{self, BufRead, BufReader},
    ops::Range,
    path::Path,
};

/// The reason why a package cannot be verified at all.
#[derive(Debug)]
pub enum PackageError {
    /// A file cannot be read.
    Io(io::Error),
    /// The manifest is invalid.
    Manifest,
    /// A part of a package is a package of several.
    Nested,
}

impl fmt::Display for PackageError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            PackageError::Io(error) => error.fmt(f),
            PackageError::Manifest => f.write_str("manifest.json is not that of an evidence package"),
            PackageError::Nested => f.write_str("a part cannot have parts"),
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
    /// The signer of the manifest.
    pub signer: String,
    /// True when that key is one of those given.
    pub is_trusted: bool,
    /// Digest of the last record of the chain.
    pub head: Digest,
    /// The question; none when the manifest has none.
    pub question: Option<Question>,
    /// Numbers below this were sealed when the package was made.
    pub sealed_to: u64,
    /// Numbers that cannot be in it, and why: removed, never sealed. According to the chain.
    pub gaps: Vec<(Range<u64>, String)>,
    /// Numbers that could not be read when it was made, and why: the word of its maker.
    pub unread: Vec<(Range<u64>, String)>,
    /// Grounds on which the fields of its messages are believed.
    pub fields: FieldReport,
    /// Time-stamps that hold.
    pub stamps: Vec<PackageStamp>,
    /// Local logspaces of a multiple one from which nothing was sealed.
    pub never_sealed: Vec<String>,
    /// The logspace that was queried, when that is not the local one itself.
    pub view: Option<View>,
    /// In a package of a multiple logspace, the reports of its local ones.
    pub parts: Vec<(String, PackageReport)>,
    /// Everything that is wrong.
    pub faults: Vec<String>,
    /// The signers of records of the chain.
    chain_signers: BTreeSet<String>,
    /// True when the record whose digest was saved elsewhere exists.
    has_known: bool,
}

/// Keys and certificates to verify a package with.
#[derive(Clone, Default, Debug)]
pub struct PackageAudit {
    /// Keys that must have signed. None: those in the package, which proves less.
    pub trusted: Vec<PublicKey>,
    /// A record that must be in the chain, because its digest was saved elsewhere.
    pub known_head: Option<Digest>,
    /// Certificates that the authorities of time-stamps must lead to. None: any authority counts, which proves less.
    pub stamp_roots: Option<StampRoots>,
}

impl PackageAudit {
    /// Verifies a package.
    pub fn run(&self, folder: &Path) -> Result<PackageReport, PackageError> {
        let mut report = self.look(folder, Level::Whole)?;
        if self.known_head.is_some() && !report.has_known {
            report.faults.push("the record that was kept elsewhere is not in the chain".to_owned());
        }
        let knows = |key: &PublicKey| key.fingerprint() == report.signer;
        if !report.chain_signers.contains(&report.signer) && !self.trusted.iter().any(knows) {
            report.faults.push(format!(
                "the manifest is signed by {}, who signed no record of the chain: --trust must name that key, too",
                report.signer
            ));
        }
        Ok(report)
    }

    fn look(&self, folder: &Path, level: Level) -> Result<PackageReport, PackageError> {
        let text = fs::read(folder.join(name::MANIFEST))?;
        let manifest: Value = serde_json::from_slice(&text).map_err(|_| PackageError::Manifest)?;
        let keys = keys_in(folder, &manifest)?;
        let mut check = Check { audit: self, folder, report: PackageReport::default(), keys };
        match manifest["format"].as_str() {
            Some(format::ONE | format::ONE_V1) => {}
            // Before anything of it is read: a folder that is a link to the one above has no end.
            Some(format::SEVERAL) if level == Level::Part => return Err(PackageError::Nested),
            Some(format::SEVERAL) => return check.several(&manifest, &text),
            _ => return Err(PackageError::Manifest),
        }
        check.signature(&manifest, &text)?;
        check.files(&manifest, &Map::new())?;
        check.question(&manifest);
        let chain = Chain::parse(&fs::read(folder.join(name::CHAIN))?);
        check.chain(&chain, &manifest);
        check.completeness(&chain, &manifest);
        check.messages(&chain, &manifest)?;
        let listed = manifest["files"].as_object().into_iter().flatten().map(|(name, _)| name.clone());
        let names = listed.filter(|name| is_plain(name)).collect();
        let (stamps, faults) = stamps::check(folder, &names, &chain, self.stamp_roots.as_ref())?;
        check.report.stamps = stamps;
        check.report.faults.extend(faults);
        Ok(check.report)
    }
}

/// Place of a folder in a package.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Level {
    /// The package itself.
    Whole,
    /// A part of a package of several.
    Part,
}

/// The public keys that the manifest lists.
fn keys_in(folder: &Path, manifest: &Value) -> io::Result<Vec<PublicKey>> {
    let names = manifest["files"].as_object().into_iter().flatten().map(|(name, _)| name);
    let pems = names.filter(|name| name.ends_with(".pem") && is_plain(name));
    Ok(pems.filter_map(|name| PublicKey::load(&folder.join(name)).ok()).collect())
}

/// Returns true when a name cannot lead out of the folder.
fn is_plain(name: &str) -> bool {
    !name.is_empty() && !name.starts_with('.') && !name.contains(['/', '\\', '\0'])
}

struct Check<'a> {
    audit: &'a PackageAudit,
    folder: &'a Path,
    report: PackageReport,
    keys: Vec<PublicKey>,
}

impl Check<'_> {
    fn fault(&mut self, text: impl Into<String>) {
        self.report.faults.push(text.into());
    }

    /// A package of several: each in a folder of its own, their manifests named in the one above.
    fn several(mut self, manifest: &Value, text: &[u8]) -> Result<PackageReport, PackageError> {
        self.signature(manifest, text)?;
        self.question(manifest);
        let never = manifest["never_sealed"].as_array().into_iter().flatten();
        self.report.never_sealed = never.filter_map(|name| name.as_str().map(str::to_owned)).collect();
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
            let report = match self.audit.look(&folder, Level::Part) {
                Ok(report) => report,
                Err(error) => {
                    self.fault(format!("{name}: {error}"));
                    continue;
                }
            };
            self.report.messages += report.messages;
            self.report.segments += report.segments;
            self.report.has_known |= report.has_known;
            self.report.chain_signers.extend(report.chain_signers.iter().cloned());
            if !report.chain_signers.contains(&report.signer)
                && !self.audit.trusted.iter().any(|key| key.fingerprint() == report.signer)
            {
                self.fault(format!(
                    "{name}: the manifest is signed by {}, who signed no record",
                    report.signer
                ));
            }
            let question =
                report.question.as_ref().map(|question| (&question.text, question.from_us, question.to_us));
            let asked = self.report.question.as_ref();
            if question != asked.map(|question| (&question.text, question.from_us, question.to_us)) {
                self.fault(format!("{name}: another question was asked than of the whole"));
            }
            self.report.faults.extend(report.faults.iter().map(|fault| format!("{name}: {fault}")));
            self.report.parts.push((name.clone(), report));
        }
        if manifest["messages"].as_u64() != Some(self.report.messages) {
            self.fault("the manifest speaks of another number of messages");
        }
        Ok(self.report)
    }

    fn signature(&mut self, manifest: &Value, text: &[u8]) -> io::Result<()> {
        let audit = self.audit;
        let trusted = &audit.trusted;
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
            self.keys.clone_from(trusted);
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

    /// Reads the question.
    fn question(&mut self, manifest: &Value) {
        self.report.question = Question::of_json(&manifest["question"]);
        if self.report.question.is_none() {
            self.fault("the manifest does not say what was asked");
        }
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
            if manifest["logspace"].as_str() != Some(&crate::digest::hex(&record.logspace)) {
                self.fault(format!("record {} is of another logspace", record.number));
            }
            self.report.has_known |= self.audit.known_head == Some(record.digest());
            self.report.chain_signers.insert(record.signer.clone());
            before = Some(record);
        }
        if manifest["head"].as_str() != Some(&chain.head().to_string()) {
            self.fault("the chain does not end where the manifest says");
        }
    }

    /// Checks range and gaps against the chain; the rest is only the exporter's claim, and is reported.
    fn completeness(&mut self, chain: &Chain, manifest: &Value) {
        let mut stated = manifest["completeness"].clone();
        let mut known = manifest::completeness(chain, None, &[]);
        for statement in [&mut stated, &mut known] {
            if let Some(fields) = statement.as_object_mut() {
                fields.retain(|name, _| !matches!(name.as_str(), "unread" | "note" | "view"));
            }
        }
        self.view(&manifest["completeness"]["view"]);
        if stated != known {
            self.fault("the statement of completeness is not what the chain says");
        }
        self.report.gaps = manifest::gaps(chain);
        self.report.sealed_to = known["sequence_to"].as_u64().unwrap_or(0);
        match manifest::ranges(&manifest["completeness"]["unread"]) {
            Some(unread) => self.report.unread = unread,
            None => self.fault("the statement of completeness does not say what could not be read"),
        }
    }

    /// Reads the logspace that was queried; a malformed statement is a fault.
    fn view(&mut self, stated: &Value) {
        if !stated.is_null() {
            self.report.view = View::of_json(stated);
            if self.report.view.is_none() {
                self.fault("the statement of completeness names a logspace that cannot be read");
            }
        }
    }

    fn messages(&mut self, chain: &Chain, manifest: &Value) -> io::Result<()> {
        let question = self.report.question.clone().unwrap_or_default();
        let format = manifest["format"].as_str().unwrap_or_default();
        let all = Messages::check(self.folder, &Stated { chain, question: &question, format })?;
        self.report.messages = all.proven;
        self.report.segments = all.segments;
        self.report.fields = all.fields;
        self.report.faults.extend(all.faults);
        if manifest["messages"].as_u64() != Some(self.report.messages) {
            self.fault("the manifest speaks of another number of messages");
        }
        Ok(())
    }
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

#[cfg(test)]
mod tests;
