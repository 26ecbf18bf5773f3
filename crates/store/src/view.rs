//! What a query may ask of a segment, active or sealed.
//!
//! In: patterns and columns. Out: bitmaps of documents, counts, documents. Document numbers are positions in
//! receive order, so a range of received time is a range of documents.
//! Limits: every long walk asks its [`Watch`] at least every few milliseconds and stops when told.

use crate::Bitmap;
use message::{Stamp, ValueKind};
use std::{
    borrow::Cow,
    io,
    ops::Range,
    path::PathBuf,
    sync::Arc,
    sync::atomic::{AtomicBool, Ordering},
    time::Instant,
};

/// The segments of a logspace at one moment. List, bars and facets of one answer use the same snapshot.
#[derive(Clone, Default)]
pub struct Snapshot {
    /// Segments in receive order, the active one last.
    pub segments: Vec<Arc<dyn SegmentView>>,
    /// Sequence number after the newest message.
    pub sequence: u64,
    /// Segments that cannot be read because their key is not there, in receive order.
    pub locked: Vec<Locked>,
    /// Segments that cannot be read because the archive that they are in is not attached.
    pub away: Vec<Locked>,
    /// Segments that cannot be opened at all because their files are damaged.
    pub damaged: Vec<Locked>,
    /// Messages that were acknowledged and that the journal lost, at most: numbers and times around them.
    pub lost: Vec<Locked>,
    /// Messages that are still being read back from the journal after a start, at most.
    pub starting: Option<Locked>,
}

/// What is known of a segment whose key, or whose archive, is not there.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Locked {
    /// Sequence number of its first message.
    pub first: u64,
    /// Number of messages.
    pub count: u64,
    /// Received times of the first and the last message, microseconds since 1970.
    pub received_us: (i64, i64),
}

/// A column: one value a document, or none.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Column {
    /// `host`
    Host,
    /// `program`
    Program,
    /// `pid`
    Pid,
    /// `msgid`
    Msgid,
    /// `facility`, values are names
    Facility,
    /// `severity`, values are names
    Severity,
    /// `source`, the name of the source statement
    Source,
    /// `peer`, the address of the last hop without its port
    Peer,
    /// `tags`, several values a document
    Tags,
    /// A name-value pair, structured data included (`.SDATA.id.name`)
    Named(String),
}

/// What to look for among tokens or among whole values. Text is compared lower-cased unless said otherwise.
#[derive(Clone, Debug)]
pub enum Pattern {
    /// The very text, lower-cased by the caller.
    Exact(Vec<u8>),
    /// The very text, case included.
    CaseExact(Vec<u8>),
    /// Text that starts with this, lower-cased by the caller.
    Prefix(Vec<u8>),
    /// `*` any run, `?` any one character, `\` escapes; lower-cased by the caller.
    Wildcard(Vec<u8>),
    /// Within `distance` edits (Damerau-Levenshtein: a transposition is one), lower-cased by the caller.
    Fuzzy {
        /// The text.
        text: Vec<u8>,
        /// Most edits, 0 to 2.
        distance: u8,
    },
    /// Anything: the column has a value.
    Any,
    /// Between two texts or two numbers.
    Range {
        /// Lower end.
        lower: Bound,
        /// Upper end.
        upper: Bound,
    },
    /// An IPv4 or IPv6 network: `address`, as 16 bytes (IPv4 mapped), and prefix length of 128.
    Network {
        /// The address as 16 bytes.
        address: [u8; 16],
        /// Length of the prefix in bits, 0 to 128 (IPv4: 96 more than written).
        bits: u8,
    },
    /// A value of a numeric type that is this number, however it is written; a text never is.
    Number(f64),
}

impl Pattern {
    /// What is to be compared with values of a type; none when no value of that type can match.
    pub fn of_kind(&self, kind: ValueKind) -> Option<Cow<'_, Pattern>> {
        let Pattern::Number(number) = self else {
            return Some(Cow::Borrowed(self));
        };
        match kind {
            ValueKind::Double | ValueKind::Datetime => Some(Cow::Borrowed(self)),
            // Whole numbers are written in one way, and a look-up is quicker than a walk over all of them.
            ValueKind::Integer if number.fract() == 0.0 && number.abs() <= WHOLE_MAX => {
                Some(Cow::Owned(Pattern::Exact((*number as i64).to_string().into_bytes())))
            }
            _ => None,
        }
    }
}

/// Whole numbers up to here are exact (2^53).
const WHOLE_MAX: f64 = 9_007_199_254_740_992.0;

/// An end of a range.
#[derive(Clone, Debug, PartialEq)]
pub enum Bound {
    /// No limit.
    Open,
    /// A number, compared with values that read as numbers.
    Number {
        /// The end.
        value: f64,
        /// Whether the end itself belongs to the range.
        inclusive: bool,
    },
    /// Text, compared byte-wise lower-cased.
    Text {
        /// The end.
        value: Vec<u8>,
        /// Whether the end itself belongs to the range.
        inclusive: bool,
    },
}

/// Words that follow each other in the text.
#[derive(Clone, Debug)]
pub struct Phrase {
    /// The words in order, each a pattern; `Pattern::Any` is a gap of one word.
    pub words: Vec<Pattern>,
    /// Moves allowed in positions (Lucene's slop); a transposition costs two.
    pub slop: u32,
}

/// Documents that may hold a phrase.
pub struct PhraseAnswer {
    /// The documents.
    pub documents: Bitmap,
    /// Those that are known to hold it; the text of each other one must be looked at. `None`: all of them are known to.
    pub sure: Option<Bitmap>,
}

/// A stored message.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Document {
    /// Sequence number in the logspace, from 0.
    pub sequence: u64,
    /// The frame as received.
    pub raw: Vec<u8>,
    /// Received, microseconds since 1970.
    pub received_us: i64,
    /// The sender's time.
    pub event: Stamp,
    /// Facility times eight plus severity.
    pub pri: u16,
    /// `${HOST}`
    pub host: Vec<u8>,
    /// `${PROGRAM}`
    pub program: Vec<u8>,
    /// `${PID}`
    pub pid: Vec<u8>,
    /// `${MSGID}`
    pub msgid: Vec<u8>,
    /// `${MESSAGE}`
    pub text: Vec<u8>,
    /// `${SOURCE}`
    pub source: String,
    /// Address of the last hop, empty for local sources.
    pub peer: String,
    /// Tags.
    pub tags: Vec<String>,
    /// Name-value pairs, structured data as `.SDATA.id.name` included.
    pub values: Vec<(String, Vec<u8>, ValueKind)>,
}

/// A column of a snapshot and how much it is used.
#[derive(Clone, Debug)]
pub struct ColumnUse {
    /// Which.
    pub column: Column,
    /// Documents that have it.
    pub documents: u64,
    /// Whether all its values read as numbers.
    pub numeric: bool,
}

/// What looking a pattern up in the index of words costs.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct WordUse {
    /// Distinct words that match.
    pub words: u64,
    /// Entries of the lists that are read: for each word its messages, for templates of frequent words theirs.
    pub postings: u64,
}

impl WordUse {
    /// Adds a word that so many messages have.
    pub(crate) fn add(&mut self, postings: u64) {
        self.words += 1;
        self.postings += postings;
    }
}

/// What reading messages costs.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct ReadCost {
    /// Blocks of neighbouring messages that are opened.
    pub blocks: u64,
    /// Their size as they are kept.
    pub bytes: u64,
}

/// Why a walk ended early.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Stop {
    /// The asker went away.
    Cancelled,
    /// The time limit passed.
    TimedOut,
}

/// Tells a walk when to stop.
#[derive(Clone, Debug)]
pub struct Watch {
    cancelled: Arc<AtomicBool>,
    deadline: Option<Instant>,
    pace: Option<Arc<dyn Pace>>,
}

/// Shares the processor among walks: asked at each look at the watch, under no lock that others wait for.
pub trait Pace: Send + Sync + std::fmt::Debug {
    /// Returns when the walk may go on; `check` fails when it is to end instead.
    fn pause(&self, check: &dyn Fn() -> Result<(), Stop>) -> Result<(), Stop>;

    /// The walk waits for something else than the processor from now on.
    fn block(&self);

    /// It waits no more.
    fn unblock(&self);
}

impl Watch {
    /// A watch with a deadline, cancelled by setting the flag.
    pub fn new(cancelled: Arc<AtomicBool>, deadline: Option<Instant>) -> Watch {
        Watch { cancelled, deadline, pace: None }
    }

    /// A watch that never stops anything.
    pub fn unlimited() -> Watch {
        Watch { cancelled: Arc::default(), deadline: None, pace: None }
    }

    /// The same for a walk that shares the processor with others.
    pub fn paced(self, pace: Arc<dyn Pace>) -> Watch {
        Watch { pace: Some(pace), ..self }
    }

    /// How the walk shares the processor.
    pub fn pace(&self) -> Option<&dyn Pace> {
        self.pace.as_deref()
    }

    /// The same without its deadline.
    pub fn without_deadline(&self) -> Watch {
        Watch { deadline: None, ..self.clone() }
    }

    /// Fails when the walk must stop; may hold it up while others have their turn.
    pub fn check(&self) -> Result<(), Stop> {
        self.check_stop()?;
        match &self.pace {
            Some(pace) => pace.pause(&|| self.check_stop()),
            None => Ok(()),
        }
    }

    fn check_stop(&self) -> Result<(), Stop> {
        if self.cancelled.load(Ordering::Relaxed) {
            return Err(Stop::Cancelled);
        }
        match self.deadline {
            Some(deadline) if Instant::now() >= deadline => Err(Stop::TimedOut),
            _ => Ok(()),
        }
    }
}

/// Why documents could not be read.
#[derive(Debug)]
pub enum ReadError {
    /// The file could not be read.
    Io {
        /// Which.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// The bytes are not what was written.
    Corrupt {
        /// Which file.
        path: PathBuf,
        /// Where in it.
        offset: u64,
        /// What is wrong.
        what: &'static str,
    },
    /// The file is encrypted and its key is not there.
    Locked {
        /// Which file.
        path: PathBuf,
    },
    /// The walk was stopped.
    Stopped(Stop),
}

impl From<Stop> for ReadError {
    fn from(stop: Stop) -> ReadError {
        ReadError::Stopped(stop)
    }
}

impl std::fmt::Display for ReadError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            ReadError::Io { path, source } => write!(f, "cannot read {}: {source}", path.display()),
            ReadError::Corrupt { path, offset, what } => {
                write!(f, "{} is damaged at offset {offset}: {what}", path.display())
            }
            ReadError::Locked { path } => {
                write!(f, "{} is locked: its private key is not there", path.display())
            }
            ReadError::Stopped(Stop::Cancelled) => f.write_str("the search was cancelled"),
            ReadError::Stopped(Stop::TimedOut) => f.write_str("the search ran out of time"),
        }
    }
}

impl std::error::Error for ReadError {}

/// Words that are asked for together.
#[derive(Clone, Debug, Default)]
pub struct Together<'a> {
    /// Of each of these a document has one at least.
    pub any: Vec<Vec<&'a Pattern>>,
    /// Of these it has none.
    pub none: Vec<&'a Pattern>,
}

/// A segment, active or sealed, as a query sees it. All bitmaps have [`SegmentView::len`] bits.
pub trait SegmentView: Send + Sync {
    /// Number of documents.
    fn len(&self) -> u32;

    /// Whether there is none.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Sequence number of document 0.
    fn first_sequence(&self) -> u64;

    /// Received times of the first and the last document, microseconds since 1970.
    fn received_range(&self) -> (i64, i64);

    /// Documents received in `from_us..to_us`.
    fn received_between(&self, from_us: i64, to_us: i64) -> Range<u32>;

    /// Received times of all documents of a range, in order, for histograms by interval edges: for each of the
    /// ascending `edges_us`, the first document received at or after it.
    fn received_edges(&self, edges_us: &[i64]) -> Vec<u32>;

    /// Documents whose event time lies in `from_us..to_us`.
    fn event_between(&self, from_us: i64, to_us: i64, watch: &Watch) -> Result<Bitmap, ReadError>;

    /// Calls `visit` with (document, event time in microseconds) of each given document, ascending.
    fn event_times(&self, documents: &Bitmap, visit: &mut dyn FnMut(u32, i64)) -> Result<(), ReadError>;

    /// Documents with a matching token in the text, host, program or a name-value pair.
    fn words(&self, pattern: &Pattern, watch: &Watch) -> Result<Bitmap, ReadError>;

    /// Documents that have a word of each kind that must be there, and no word that must not: what [`SegmentView::words`]
    /// says of each word, joined.
    fn words_together(&self, words: &Together<'_>, watch: &Watch) -> Result<Bitmap, ReadError> {
        let having = |words: &[&Pattern]| -> Result<Bitmap, ReadError> {
            let mut found = Bitmap::none(self.len());
            words
                .iter()
                .try_for_each(|word| self.words(word, watch).map(|documents| found.or(&documents)))?;
            Ok(found)
        };
        let mut found = Bitmap::all(self.len());
        for any in &words.any {
            found.and(&having(any)?);
            if found.is_empty() {
                return Ok(found);
            }
        }
        found.and_not(&having(&words.none)?);
        Ok(found)
    }

    /// What [`SegmentView::words`] looks at in the index of words; none when the segment does not say. Counted anew,
    /// for whoever wants to know what a question costs.
    fn word_use(&self, _pattern: &Pattern, _watch: &Watch) -> Result<Option<WordUse>, ReadError> {
        Ok(None)
    }

    /// What reading these documents costs; none when the segment does not say.
    fn read_cost(&self, _documents: &Bitmap) -> Result<Option<ReadCost>, ReadError> {
        Ok(None)
    }

    /// Documents whose text may hold the phrase.
    fn phrase(&self, phrase: &Phrase, watch: &Watch) -> Result<PhraseAnswer, ReadError>;

    /// Documents with a matching whole value in a column.
    fn values(&self, column: &Column, pattern: &Pattern, watch: &Watch) -> Result<Bitmap, ReadError>;

    /// Adds the count of each distinct value of a column among the documents.
    fn count_values(
        &self,
        column: &Column,
        documents: &Bitmap,
        watch: &Watch,
        add: &mut dyn FnMut(&[u8], u64),
    ) -> Result<(), ReadError>;

    /// Columns of the segment.
    fn columns(&self) -> Vec<ColumnUse>;

    /// The documents that the asker may know of; none: all of them. What the other calls say of documents is to be
    /// narrowed by it before anything is shown.
    fn boundary(&self, _watch: &Watch) -> Result<Option<&Bitmap>, ReadError> {
        Ok(None)
    }

    /// Reads documents, given ascending or descending; `visit` sees them in the same order and may end by `false`.
    fn read(
        &self,
        documents: &mut dyn Iterator<Item = u32>,
        watch: &Watch,
        visit: &mut dyn FnMut(u32, &Document) -> bool,
    ) -> Result<(), ReadError>;
}
