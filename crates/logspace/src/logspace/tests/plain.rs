//! The plainest segments that can be: lines of text. They show what a logspace does, not how segments are built.

use crate::{Growing, MakeDraftError, Outline, Recoded, Segments};
use evidence::{Digest, Facts, Keys, Record};
use lookup::{
    Bitmap, CancelToken, Column, ColumnUse, Document, Pattern, Phrase, PhraseAnswer, ReadError, SegmentView,
};
use message::{Batch, Field, Selection};
use segment::{RecodeError, RecodeReport, Recoding, SealError, Sealing, SegmentForm};
use std::{
    fs, io,
    ops::Range,
    path::{Path, PathBuf},
    sync::{Arc, Condvar, Mutex},
};

/// Most lines of a plain segment.
const LINES_MAX: u64 = 2000;

pub(super) struct Plain;

/// Plain segments that take nothing while they are held.
#[derive(Default)]
pub(super) struct Stuck(Arc<(Mutex<bool>, Condvar)>);

impl Stuck {
    pub(super) fn hold(&self) {
        *self.0.0.lock().unwrap() = true;
    }

    pub(super) fn release(&self) {
        *self.0.0.lock().unwrap() = false;
        self.0.1.notify_all();
    }
}

impl Segments for Stuck {
    fn messages_max(&self) -> u64 {
        LINES_MAX
    }

    fn begin(&self, first_sequence: u64) -> Box<dyn Growing> {
        Box::new(StuckLines(Arc::clone(&self.0), Plain.begin(first_sequence)))
    }

    fn open(&self, path: &Path, keys: &Keys) -> Result<Arc<dyn SegmentView>, ReadError> {
        Plain.open(path, keys)
    }

    fn outline(&self, path: &Path) -> Result<Outline, ReadError> {
        Plain.outline(path)
    }

    fn recode(
        &self,
        path: &Path,
        target: &Path,
        recoding: &mut Recoding<'_>,
    ) -> Result<Box<dyn Recoded>, MakeDraftError> {
        Plain.recode(path, target, recoding)
    }
}

struct StuckLines(Arc<(Mutex<bool>, Condvar)>, Box<dyn Growing>);

impl Growing for StuckLines {
    fn append(&mut self, batch: &Batch, selection: &Selection) {
        let held = self.0.0.lock().unwrap();
        drop(self.0.1.wait_while(held, |held| *held).unwrap());
        self.1.append(batch, selection);
    }

    fn view(&self) -> Arc<dyn SegmentView> {
        self.1.view()
    }

    fn begin_next(&self, first_sequence: u64) -> Box<dyn Growing> {
        Box::new(StuckLines(Arc::clone(&self.0), self.1.begin_next(first_sequence)))
    }

    fn seal(&self, path: &Path, sealing: &Sealing<'_>) -> Result<(), SealError> {
        self.1.seal(path, sealing)
    }

    fn is_full(&self) -> bool {
        self.1.is_full()
    }

    fn memory_bytes(&self) -> u64 {
        self.1.memory_bytes()
    }

    fn len(&self) -> u32 {
        self.1.len()
    }

    fn first_sequence(&self) -> u64 {
        self.1.first_sequence()
    }

    fn received_range(&self) -> (i64, i64) {
        self.1.received_range()
    }
}

#[derive(Clone)]
struct Lines {
    first: u64,
    /// Received times and texts.
    lines: Vec<(i64, String)>,
    /// Says so in the first line, which makes it another file.
    is_recoded: bool,
}

struct RecodedLines {
    lines: Lines,
    target: PathBuf,
}

impl Recoded for RecodedLines {
    fn messages(&self) -> Digest {
        Digest::of(self.lines.text().as_bytes())
    }

    fn is_smaller(&self) -> bool {
        true
    }

    fn finish(
        self: Box<Self>,
        notary: &dyn Fn(Facts) -> Option<String>,
    ) -> Result<RecodeReport, RecodeError> {
        let sealed = self.lines.seal(&self.target, &Sealing::default().with_notary(notary));
        sealed.map_err(|error| RecodeError::Write(error.source))?;
        Ok(RecodeReport::default())
    }
}

impl Lines {
    /// Returns the text before the record.
    fn file(&self) -> String {
        format!("{}{}\n{}", self.first, if self.is_recoded { RECODED } else { "" }, self.text())
    }

    fn contents(&self) -> Digest {
        Digest::of(self.file().as_bytes())
    }

    fn text(&self) -> String {
        self.lines.iter().map(|(time, text)| format!("{time} {text}\n")).collect()
    }
}

impl Segments for Plain {
    fn messages_max(&self) -> u64 {
        LINES_MAX
    }

    fn begin(&self, first_sequence: u64) -> Box<dyn Growing> {
        Box::new(Lines { first: first_sequence, lines: Vec::new(), is_recoded: false })
    }

    fn open(&self, path: &Path, _: &Keys) -> Result<Arc<dyn SegmentView>, ReadError> {
        Ok(Arc::new(read(path)?.0))
    }

    fn outline(&self, path: &Path) -> Result<Outline, ReadError> {
        let (lines, record) = read(path)?;
        let received_us = Growing::received_range(&lines);
        let count = lines.lines.len() as u64;
        Ok(Outline {
            first: lines.first,
            count,
            received_us,
            contents: lines.contents(),
            record,
            form: if lines.is_recoded { SegmentForm::Aged } else { SegmentForm::Sealed },
        })
    }

    fn recode(
        &self,
        path: &Path,
        target: &Path,
        recoding: &mut Recoding<'_>,
    ) -> Result<Box<dyn Recoded>, MakeDraftError> {
        (recoding.pace)();
        recoding.cancel.check().map_err(ReadError::from)?;
        let lines = Lines { is_recoded: true, ..read(path)?.0 };
        Ok(Box::new(RecodedLines { lines, target: target.to_owned() }))
    }
}

/// The line before the record.
const RECORD: &str = "--\n";
/// End of the first line when the segment was recoded.
const RECODED: &str = " recoded";

fn read(path: &Path) -> Result<(Lines, Option<Record>), ReadError> {
    let text = fs::read_to_string(path).map_err(|source| ReadError::Io { path: path.into(), source })?;
    let corrupt = || ReadError::Corrupt { path: path.into(), offset: 0, what: "not lines" };
    let (text, record) = text.split_once(RECORD).ok_or_else(corrupt)?;
    let mut lines = text.lines();
    let head = lines.next().ok_or_else(corrupt)?;
    let is_recoded = head.ends_with(RECODED);
    let first = head.trim_end_matches(RECODED).parse().map_err(|_| corrupt())?;
    let line = |line: &str| line.split_once(' ').map(|(time, text)| (time.parse().unwrap(), text.to_owned()));
    Ok((Lines { first, lines: lines.filter_map(line).collect(), is_recoded }, Record::parse(record)))
}

impl Growing for Lines {
    fn append(&mut self, batch: &Batch, selection: &Selection) {
        let text = |index| String::from_utf8_lossy(batch.fixed(index, Field::Message)).into_owned();
        self.lines.extend(selection.iter().map(|index| (batch.received.unix_us, text(index))));
    }

    fn view(&self) -> Arc<dyn SegmentView> {
        Arc::new(self.clone())
    }

    fn begin_next(&self, first_sequence: u64) -> Box<dyn Growing> {
        Plain.begin(first_sequence)
    }

    fn seal(&self, path: &Path, sealing: &Sealing<'_>) -> Result<(), SealError> {
        let text = self.file();
        let facts = Facts {
            id: [0; 16],
            first: self.first,
            count: self.lines.len() as u64,
            received_us: Growing::received_range(self),
            messages: Digest::of(self.text().as_bytes()),
            contents: self.contents(),
        };
        let failed = |source| SealError { path: path.to_owned(), source };
        let record = sealing.notary.and_then(|notary| notary(facts));
        let record = record.ok_or_else(|| failed(io::Error::other("no record")))?;
        fs::write(path, [&text, RECORD, &record].concat()).map_err(failed)
    }

    fn is_full(&self) -> bool {
        self.lines.len() >= LINES_MAX as usize
    }

    fn memory_bytes(&self) -> u64 {
        self.lines.iter().map(|(_, text)| text.len() as u64).sum()
    }

    fn len(&self) -> u32 {
        self.lines.len() as u32
    }

    fn first_sequence(&self) -> u64 {
        self.first
    }

    fn received_range(&self) -> (i64, i64) {
        (self.lines[0].0, self.lines[self.lines.len() - 1].0)
    }
}

impl SegmentView for Lines {
    fn len(&self) -> u32 {
        self.lines.len() as u32
    }

    fn first_sequence(&self) -> u64 {
        self.first
    }

    fn received_range(&self) -> (i64, i64) {
        Growing::received_range(self)
    }

    fn received_between(&self, _: i64, _: i64) -> Range<u32> {
        unreachable!("not asked here")
    }

    fn received_edges(&self, _: &[i64]) -> Vec<u32> {
        unreachable!("not asked here")
    }

    fn event_between(&self, _: i64, _: i64, _: &CancelToken) -> Result<Bitmap, ReadError> {
        unreachable!("not asked here")
    }

    fn event_times(&self, _: &Bitmap, _: &mut dyn FnMut(u32, i64)) -> Result<(), ReadError> {
        unreachable!("not asked here")
    }

    fn words(&self, pattern: &Pattern, _: &CancelToken) -> Result<Bitmap, ReadError> {
        let mut found = Bitmap::none(SegmentView::len(self));
        if let Pattern::Exact(word) = pattern {
            let has = |text: &str| text.split(' ').any(|part| part.as_bytes() == word);
            (0..).zip(&self.lines).filter(|(_, (_, text))| has(text)).for_each(|(at, _)| found.add(at));
        }
        Ok(found)
    }

    fn phrase(&self, _: &Phrase, _: &CancelToken) -> Result<PhraseAnswer, ReadError> {
        unreachable!("not asked here")
    }

    fn values(&self, _: &Column, _: &Pattern, _: &CancelToken) -> Result<Bitmap, ReadError> {
        unreachable!("not asked here")
    }

    fn count_values(
        &self,
        _: &Column,
        _: &Bitmap,
        _: &CancelToken,
        _: &mut dyn FnMut(&[u8], u64),
    ) -> Result<(), ReadError> {
        unreachable!("not asked here")
    }

    fn columns(&self) -> Vec<ColumnUse> {
        Vec::new()
    }

    fn read(
        &self,
        documents: &mut dyn Iterator<Item = u32>,
        _: &CancelToken,
        visit: &mut dyn FnMut(u32, &Document) -> bool,
    ) -> Result<(), ReadError> {
        for document in documents {
            let (received_us, text) = &self.lines[document as usize];
            let sequence = self.first + u64::from(document);
            let text = text.clone().into_bytes();
            let found = Document { sequence, received_us: *received_us, text, ..Document::default() };
            if !visit(document, &found) {
                return Err(ReadError::Io { path: "".into(), source: io::ErrorKind::Interrupted.into() });
            }
        }
        Ok(())
    }
}
