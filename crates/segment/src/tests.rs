//! Active and sealed segments against a naive model, damage, and the golden file.

mod agreement;
mod damage;
mod golden;
mod headers;
mod model;
mod outside;
mod recoded;
mod rows;
mod values;

use super::*;
use crate::terms::frequent::Frequent;
use lookup::{CancelToken, Document, SegmentView};
use message::{Ack, Batch, Format, Message, Origin, Priority, Selection, Span, Stamp, ValueKind};
use std::sync::Arc;

/// A message to make a batch of.
#[derive(Clone, Debug, Default)]
struct Line {
    host: String,
    program: String,
    pid: String,
    text: String,
    pri: u16,
    /// Set by processing, overriding the line.
    rewritten: Option<String>,
    values: Vec<(String, String, ValueKind)>,
    tags: Vec<String>,
    sdata: String,
}

/// A batch of lines received at some microsecond, every second line from another origin.
fn batch(lines: &[Line], received_us: i64) -> Batch {
    let mut bytes = Vec::new();
    let mut messages = Vec::new();
    for (index, line) in lines.iter().enumerate() {
        let start = bytes.len();
        let put = |bytes: &mut Vec<u8>, text: &str, behind: &str| {
            let span = Span::received(bytes.len(), text.len());
            bytes.extend_from_slice(text.as_bytes());
            bytes.extend_from_slice(behind.as_bytes());
            span
        };
        put(&mut bytes, &format!("<{}>", line.pri), "Nov 21 10:00:00 ");
        let host = put(&mut bytes, &line.host, " ");
        let program = put(&mut bytes, &line.program, "[");
        let pid = put(&mut bytes, &line.pid, "]: ");
        let sdata = put(&mut bytes, &line.sdata, "");
        let text = put(&mut bytes, &line.text, "");
        let mut message = Message::default();
        message.raw = Span::received(start, bytes.len() - start);
        (message.host, message.program, message.pid) = (host, program, pid);
        (message.sdata, message.text) = (sdata, text);
        message.pri = Priority(line.pri);
        message.event = Stamp::known(received_us - 1_000_000 * index as i64, 3600);
        message.origin = (index % 2) as u16;
        message.format = Format::Rfc3164;
        messages.push(message);
        bytes.push(b'\n');
    }
    let origin = |source: &str, peer: &str| {
        let tags = vec![format!(".source.{source}")];
        let values = vec![(".tls.cn".to_owned(), source.as_bytes().to_vec())];
        Arc::new(Origin { source: source.into(), peer: peer.parse().ok(), tags, values, ..Origin::default() })
    };
    let origins = vec![origin("s_net", "10.1.2.3:514"), origin("s_local", "")];
    let mut batch = Batch::new(Arc::new(bytes), origins, Stamp::known(received_us, 0), Ack::none());
    batch.messages = messages;
    for (index, line) in lines.iter().enumerate() {
        if let Some(text) = &line.rewritten {
            batch.messages[index].text = batch.add_extra(text.as_bytes());
        }
        for (name, value, kind) in &line.values {
            batch.set_field(index, &message::FieldName::parse(name), value.as_bytes(), *kind);
        }
        line.tags.iter().for_each(|tag| batch.add_tag(index, tag));
    }
    batch
}

/// Appends lines in batches of three.
fn append(active: &mut Active, lines: &[Line]) {
    for (index, lines) in lines.chunks(3).enumerate() {
        let batch = batch(lines, 1_700_000_000_000_000 + index as i64 * 250_000);
        active.append(&batch, &Selection::all(lines.len()));
    }
}

/// The bytes of the sealed file.
fn sealed_bytes(active: &Active) -> Vec<u8> {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("one.segment");
    active.seal(&path).unwrap();
    std::fs::read(path).unwrap()
}

/// Recodes a segment for some recipients into a new file, and ends it without a record.
fn recode_to(
    sealed: &Sealed,
    path: &std::path::Path,
    recipients: &[evidence::Recipient],
    keys: &evidence::Keys,
) {
    let cancel = CancelToken::unlimited();
    let mut recoding = Recoding { recipients, keys, cancel: &cancel, pace: &mut || () };
    let draft = sealed.recode(path, &mut recoding).unwrap();
    draft.finish(&|_| Some(String::new())).unwrap();
}

/// The bytes of the segment, recoded.
fn recoded_bytes(active: &Active) -> Vec<u8> {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("recoded.segment");
    let sealed = Sealed::from_bytes(sealed_bytes(active)).unwrap();
    recode_to(&sealed, &path, &[], &evidence::Keys::default());
    std::fs::read(path).unwrap()
}

fn documents(view: &dyn SegmentView) -> Vec<Document> {
    let mut documents = Vec::new();
    let mut all = 0..view.len();
    view.read(&mut all, &CancelToken::unlimited(), &mut |_, document| {
        documents.push(document.clone());
        true
    })
    .unwrap();
    documents
}

/// Returns what an earlier segment could have learned.
fn learned(tokens: &[&str]) -> Learned {
    let tokens = tokens.iter().map(|token| token.as_bytes().to_vec()).collect();
    Learned::new(
        Frequent::new(tokens),
        b"any bytes are a dictionary: Nov 21 10:00:00 web-1 sshd[42]".to_vec(),
    )
}

/// A document on one line; a segment does not keep the order of its tags.
fn show(document: &Document) -> String {
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let mut tags = document.tags.clone();
    tags.sort();
    let values: Vec<String> = document
        .values
        .iter()
        .map(|(name, value, kind)| format!("{name}={}:{kind:?}", text(value)))
        .collect();
    format!(
        "{} {} | {} {} {} | {} | {} | {} {} | {}",
        document.sequence,
        document.pri,
        text(&document.host),
        text(&document.program),
        text(&document.pid),
        text(&document.raw),
        text(&document.text),
        document.source,
        tags.join(","),
        values.join(" "),
    )
}
