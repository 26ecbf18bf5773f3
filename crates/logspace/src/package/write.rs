//! Writes an evidence package.
//!
//! In: a logspace's directory, keys, a selector of messages. Out: the folder's files, the manifest last, signed.
//! Limits: constant memory except for the numbers of a segment's wanted messages. Only the wanted ones are read.

use crate::files::{
    archive::locate as locate_segment,
    chain_file::{EVIDENCE_DIR, read_chain},
    layout::segment_path as segment_file,
};
use aws_lc_rs::digest::{Context, SHA256};
use base64::{Engine, engine::general_purpose::STANDARD};
use evidence::{
    Chain, Digest, Keys, Record, SigningKey,
    package::{Question, ReceivedBytes, VERIFY_PAGE, View, completeness, describe, format, name},
};
use journal::OsDisk;
use lookup::{Bitmap, CancelToken, Document, ReadError, SegmentView};
use segment::Sealed;
use serde_json::{Map, Value, json};
use std::{
    collections::BTreeMap,
    fmt,
    fs::{self, File},
    io::{self, BufWriter, Write},
    ops::Range,
    path::{Path, PathBuf},
};

/// A reason why a package could not be made.
#[derive(Debug)]
pub enum ExportError {
    /// A file cannot be read or written.
    Io(io::Error),
    /// A segment cannot be read for another reason than damage or a lock.
    Read(ReadError),
    /// The logspace has no chain of evidence.
    NoEvidence,
    /// The manifest cannot be signed.
    Unsigned,
}

impl fmt::Display for ExportError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ExportError::Io(error) => error.fmt(f),
            ExportError::Read(error) => error.fmt(f),
            ExportError::NoEvidence => f.write_str("nothing was sealed in this logspace yet"),
            ExportError::Unsigned => f.write_str("the manifest cannot be signed"),
        }
    }
}

impl std::error::Error for ExportError {}

impl From<io::Error> for ExportError {
    fn from(error: io::Error) -> ExportError {
        ExportError::Io(error)
    }
}

/// Summary of a package that was made.
#[derive(Clone, Debug, Default)]
pub struct Exported {
    /// Number of messages.
    pub messages: u64,
    /// Number of segments they are from.
    pub segments: u64,
    /// Numbers of segments that could not be read, and why.
    pub unread: Vec<(Range<u64>, String)>,
    /// Digest of the manifest: a saved copy shows later whether a package is this one.
    pub manifest: Digest,
}

/// Finds the wanted messages of a segment.
pub type MessageSelector<'a> =
    dyn FnMut(&dyn SegmentView, &CancelToken) -> Result<Bitmap, ReadError> + Send + 'a;

/// The part of a package that is taken from one local logspace.
pub struct PackagePart<'a> {
    /// The name of the local logspace.
    pub local: String,
    /// The filtered or multiple logspace that was asked, when that is not the local one itself.
    pub view: Option<View>,
    /// Its directory.
    pub dir: PathBuf,
    /// Keys that open encrypted segments.
    pub keys: Keys,
    /// Key that signs the manifest.
    pub signer: SigningKey,
    /// Selects the wanted messages.
    pub wanted: Box<MessageSelector<'a>>,
}

/// Makes a package of one logspace in a new folder.
pub(super) fn export_part(
    folder: &Path,
    part: PackagePart<'_>,
    question: &Question,
    cancel: &CancelToken,
) -> Result<Exported, ExportError> {
    let PackagePart { view, dir, keys, signer, mut wanted, .. } = part;
    let (dir, question) = (dir.as_path(), Question { view, ..question.clone() });
    let chain = read_chain(&OsDisk, dir)?;
    if chain.records().is_empty() {
        return Err(ExportError::NoEvidence);
    }
    fs::create_dir(folder)?;
    let mut out = Out {
        messages: Hashed::create(&folder.join(name::MESSAGES))?,
        raw: Hashed::create(&folder.join(name::RAW))?,
        proofs: Hashed::create(&folder.join(name::PROOFS))?,
        exported: Exported::default(),
        cancel,
    };
    let mut firsts: Vec<u64> = chain.records().iter().map(|record| record.segment.first).collect();
    firsts.sort_unstable();
    firsts.dedup();
    for record in firsts.into_iter().filter_map(|first| chain.current(first)) {
        let (from, to) = record.segment.received_us;
        let outside =
            question.from_us.is_some_and(|start| to < start) || question.to_us.is_some_and(|end| from >= end);
        if !outside {
            out.segment(dir, &chain, record, &keys, &question, &mut *wanted)?;
        }
    }
    let Out { messages, raw, proofs, mut exported, .. } = out;
    let mut files = BTreeMap::new();
    for (name, file) in [(name::MESSAGES, messages), (name::RAW, raw), (name::PROOFS, proofs)] {
        files.insert(name.to_owned(), file.finish()?);
    }
    copy_evidence(dir, folder, &chain, &mut files)?;
    exported.manifest = sign(folder, &chain, &question, &exported, files, &signer)?;
    Ok(exported)
}

struct Out<'a> {
    messages: Hashed,
    raw: Hashed,
    proofs: Hashed,
    exported: Exported,
    cancel: &'a CancelToken,
}

impl Out<'_> {
    fn segment(
        &mut self,
        dir: &Path,
        chain: &Chain,
        record: &Record,
        keys: &Keys,
        question: &Question,
        wanted: &mut MessageSelector<'_>,
    ) -> Result<(), ExportError> {
        let path = segment_file(record.segment.received_us.0, record.segment.first);
        let place = locate_segment(dir, &path, chain);
        let Some(file) = place.file(dir, &path) else {
            let unread = (record.segment.first..record.end(), place.why_unread().to_owned());
            self.exported.unread.push(unread);
            return Ok(());
        };
        let sealed = match Sealed::unlock(&file, keys) {
            Ok(sealed) => sealed,
            Err(error) => {
                self.exported.unread.push((record.segment.first..record.end(), why(&error)));
                return Ok(());
            }
        };
        let range =
            sealed.received_between(question.from_us.unwrap_or(i64::MIN), question.to_us.unwrap_or(i64::MAX));
        let (mut numbers, mut failed) = (Vec::new(), None);
        let read = wanted(&sealed, self.cancel).and_then(|mut found| {
            found.keep_range(range);
            sealed.read(&mut found.iter(), self.cancel, &mut |number, document| {
                failed = self.message(document).err();
                numbers.push(number);
                failed.is_none()
            })
        });
        if let Some(error) = failed {
            return Err(error.into());
        }
        match read {
            Ok(()) => {}
            Err(error @ ReadError::Stopped(_)) => return Err(ExportError::Read(error)),
            Err(error) => {
                self.exported.unread.push((record.segment.first..record.end(), why(&error)));
            }
        }
        if numbers.is_empty() {
            return Ok(());
        }
        debug_assert!(numbers.is_sorted(), "messages in order");
        let proof = sealed.prove(&numbers, self.cancel).map_err(ExportError::Read)?;
        let line = json!({
            "record": record.number,
            "first": record.segment.first,
            "count": record.segment.count,
            "messages": numbers.len(),
            "proof": proof.iter().map(Digest::to_string).collect::<Vec<_>>(),
        });
        self.exported.segments += 1;
        Ok(writeln!(self.proofs, "{line}")?)
    }

    fn message(&mut self, document: &Document) -> io::Result<()> {
        self.exported.messages += 1;
        let mut message = document_json(document);
        let (raw, received_us, peer) = (&document.raw[..], document.received_us, document.peer.as_str());
        message["read"] = describe(&message, ReceivedBytes { raw, received_us, peer });
        writeln!(self.messages, "{message}")?;
        self.raw.write_all(&document.raw)?;
        self.raw.write_all(b"\n")
    }
}

/// Returns the reason why something could not be read, without names of the server's files.
fn why(error: &ReadError) -> String {
    match error {
        ReadError::Io { source, .. } if source.kind() == io::ErrorKind::NotFound => "away or missing".into(),
        ReadError::Io { source, .. } => format!("cannot be read: {source}"),
        ReadError::Corrupt { offset, what, .. } => format!("damaged at offset {offset}: {what}"),
        ReadError::Locked { .. } => "locked: its private key is not there".into(),
        ReadError::Stopped(_) => error.to_string(),
    }
}

/// Returns a message as JSON: its received bytes in base64, and the fields parsed from them.
pub fn document_json(document: &Document) -> Value {
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let mut values: Map<String, Value> = Map::new();
    for (name, value, _) in &document.values {
        let value = Value::from(text(value));
        match values.get_mut(name) {
            Some(Value::Array(all)) => all.push(value),
            Some(first) => *first = Value::Array(vec![first.take(), value]),
            None => {
                values.insert(name.clone(), value);
            }
        }
    }
    json!({
        "sequence": document.sequence,
        "received_us": document.received_us,
        "peer": document.peer,
        "raw": STANDARD.encode(&document.raw),
        "event_us": document.event.unix_us,
        "priority": document.pri,
        "host": text(&document.host),
        "program": text(&document.program),
        "pid": text(&document.pid),
        "msgid": text(&document.msgid),
        "message": text(&document.text),
        "source": document.source,
        "tags": document.tags,
        "values": values,
    })
}

/// Copies the chain, the keys, the time-stamps and the page.
fn copy_evidence(
    dir: &Path,
    folder: &Path,
    chain: &Chain,
    files: &mut BTreeMap<String, Digest>,
) -> io::Result<()> {
    let mut put = |name: String, bytes: &[u8]| {
        files.insert(name.clone(), Digest::of(bytes));
        fs::write(folder.join(name), bytes)
    };
    let text: String = chain.records().iter().map(Record::print).collect();
    put(name::CHAIN.to_owned(), text.as_bytes())?;
    put(name::PAGE.to_owned(), VERIFY_PAGE.as_bytes())?;
    for entry in fs::read_dir(dir.join(EVIDENCE_DIR))? {
        let path = entry?.path();
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        if name.ends_with(".pem") || name.ends_with(".tsr") {
            put(name, &fs::read(&path)?)?;
        }
    }
    Ok(())
}

fn sign(
    folder: &Path,
    chain: &Chain,
    question: &Question,
    exported: &Exported,
    files: BTreeMap<String, Digest>,
    signer: &SigningKey,
) -> Result<Digest, ExportError> {
    let files: Map<String, Value> =
        files.into_iter().map(|(name, digest)| (name, Value::from(digest.to_string()))).collect();
    let logspace = chain.records().first().map(|record| evidence::hex(&record.logspace));
    let manifest = json!({
        "format": format::ONE,
        "logspace": logspace,
        "head": chain.head().to_string(),
        "question": question.to_json(),
        "messages": exported.messages,
        "completeness": completeness(chain, question.view.as_ref(), &exported.unread),
        "signer": signer.public().fingerprint(),
        "files": files,
    });
    put_manifest(folder, &manifest, signer)
}

/// Writes a manifest with its signature; returns its digest.
pub(super) fn put_manifest(
    folder: &Path,
    manifest: &Value,
    signer: &SigningKey,
) -> Result<Digest, ExportError> {
    let text = format!("{manifest:#}\n");
    let signature = signer.sign(text.as_bytes()).ok_or(ExportError::Unsigned)?;
    fs::write(folder.join(name::MANIFEST), &text)?;
    fs::write(folder.join(name::SIGNATURE), signature)?;
    Ok(Digest::of(text.as_bytes()))
}

/// A file that is hashed while it is written.
struct Hashed {
    file: BufWriter<File>,
    hash: Context,
}

impl Hashed {
    fn create(path: &Path) -> io::Result<Hashed> {
        Ok(Hashed { file: BufWriter::new(File::create_new(path)?), hash: Context::new(&SHA256) })
    }

    fn finish(mut self) -> io::Result<Digest> {
        self.file.flush()?;
        let mut digest = Digest::default();
        digest.0.copy_from_slice(self.hash.finish().as_ref());
        Ok(digest)
    }
}

impl Write for Hashed {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.file.write_all(bytes)?;
        self.hash.update(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}
