//! The contract with systems that answer for each message they are sent: databases, brokers, indexes, object stores.
//!
//! In: rows, each made of one message. Out: a [`Verdict`] for each row. Holds: nothing; an implementer holds its connections.
//! Limits: an implementer bounds how long an exchange takes; [`RequestLimits`] bounds the rows per request.

use crate::staging::{StagedBefore, Staging};
use message::{Batch, RecordId, Stamp};
use std::{
    future::Future,
    io,
    pin::Pin,
    sync::Arc,
    time::{Duration, Instant},
};
use transport::{DeadReason, InternalLog};

/// One value of a row.
#[derive(Clone, PartialEq, Debug)]
pub enum Cell {
    /// The receiver is to use its own default.
    Default,
    /// No value.
    Null,
    /// A whole number.
    Integer(i64),
    /// A number with a fraction.
    Double(f64),
    /// True or false.
    Boolean(bool),
    /// Text; bytes that are not UTF-8 were replaced.
    Text(String),
    /// Raw bytes.
    Bytes(Vec<u8>),
}

impl Cell {
    /// Returns the approximate size of the value in memory, in bytes.
    pub fn size(&self) -> usize {
        match self {
            Cell::Text(text) => text.len(),
            Cell::Bytes(bytes) => bytes.len(),
            _ => 8,
        }
    }
}

/// One message in the form for its receiver.
#[derive(Clone, PartialEq, Debug)]
pub struct Row {
    /// Its id at this destination.
    pub id: RecordId,
    /// Its values, in the order of the configuration.
    pub cells: Vec<Cell>,
}

impl Row {
    /// Returns the bytes of its values, which `batch-bytes()` limits.
    pub fn payload(&self) -> usize {
        self.cells.iter().map(Cell::size).sum()
    }

    /// Returns the approximate size of the row in memory, in bytes.
    pub fn size(&self) -> usize {
        self.payload() + 16
    }
}

/// The reason why messages wait although the receiver answers. No message is lost; an operator has to act.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum HoldReason {
    /// The credentials are wrong: the receiver accepts nothing from us.
    Credentials,
    /// We have no access to this table, index or topic.
    Access,
    /// The table, index or topic is missing and cannot be created, or has another schema.
    Schema,
    /// The receiver has no space, or an administrator has stopped writes.
    Quota,
    /// The code of the configuration that takes messages does not start.
    Code,
    /// The receiver refused many messages in a row: more likely the configuration is wrong than all of them.
    ManyDead,
}

impl HoldReason {
    /// Returns the name that our log and the API use.
    pub fn name(self) -> &'static str {
        match self {
            HoldReason::Credentials => "credentials",
            HoldReason::Access => "access",
            HoldReason::Schema => "schema",
            HoldReason::Quota => "quota",
            HoldReason::Code => "code",
            HoldReason::ManyDead => "many-dead",
        }
    }

    /// Returns true when it holds everything, not only one table, index or topic.
    pub fn is_of_all(self) -> bool {
        matches!(self, HoldReason::Credentials | HoldReason::Code | HoldReason::ManyDead)
    }
}

/// When rows are sent again.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Wait {
    /// The receiver cannot be reached: retry after `time-reopen()`; until then nothing else is sent.
    Reopen,
    /// A temporary fault: retry after a growing pause; `retries()` limits the attempts.
    BackOff,
    /// The receiver reports that it is busy: as `BackOff`, but without limit.
    Busy,
    /// Retry after the time that the receiver requested.
    For(Duration),
}

/// The outcome of a row, or its next attempt.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Verdict {
    /// The receiver has it, in the sense defined by the driver's manual page; also when it had it before.
    Delivered,
    /// It must be sent again.
    Later(Wait),
    /// It waits, with all others that the reason affects, until an attempt of one of them succeeds.
    Hold(HoldReason),
    /// The request was refused as a whole, because of some of its rows: it is divided until the refused row is alone.
    /// A row that is refused alone is dead with this reason.
    Split(DeadReason),
    /// As `Split`, and the receiver names this row as the cause: it is tried alone, before the others. So this is for receivers
    /// that keep no order. The name only guides the search: a wrong one makes no row dead.
    Suspect(DeadReason),
    /// The receiver will never take it.
    Dead(DeadReason),
    /// Dropped according to the configuration: it is counted, and no dead letter is stored.
    Drop,
    /// The receiver has it, but not for good: it stays in the queue on disk, and leaves memory. The receiver holds it by
    /// [`Staging::hold`], and says later what became of it.
    Staged,
}

/// The verdict over some consecutive rows.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Judgement {
    /// How many rows.
    pub rows: usize,
    /// The verdict.
    pub verdict: Verdict,
    /// The text of the receiver; empty for delivered rows. It must not contain credentials. Only dead letters keep
    /// the lines after the first, so those may quote a message.
    pub answer: String,
}

impl Judgement {
    /// The verdict over all of `rows` rows.
    pub fn of_all(rows: usize, verdict: Verdict, answer: impl Into<String>) -> Vec<Judgement> {
        vec![Judgement { rows, verdict, answer: answer.into() }]
    }

    /// All of `rows` rows were delivered.
    pub fn delivered(rows: usize) -> Vec<Judgement> {
        Judgement::of_all(rows, Verdict::Delivered, "")
    }
}

/// A message of which no row can be made.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct RowError {
    /// Why.
    pub reason: DeadReason,
    /// The fault, for users.
    pub text: String,
}

impl RowError {
    /// A name that its receiver cannot have.
    pub fn bad_name(fault: impl ToString) -> RowError {
        RowError { reason: DeadReason::BadName, text: fault.to_string() }
    }

    /// A part of a message that is longer than what is sent.
    pub fn too_large(what: &str, bytes_max: usize) -> RowError {
        RowError { reason: DeadReason::TooLarge, text: format!("the {what} has more than {bytes_max} bytes") }
    }
}

/// The options of a driver about batches.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Batches {
    /// `batch-lines()`: most messages of a request; 0 counts as 1.
    pub lines: usize,
    /// `batch-bytes()`: most bytes of them; the first message always fits. 0 is no limit.
    pub bytes: usize,
    /// `batch-timeout()`: how long a request may wait for more messages; `None` sends what there is.
    pub wait: Option<Duration>,
    /// `workers()`: connections, or requests at a time; 0 counts as 1. With more than one, the order
    /// of messages is not kept, except of those with the same key.
    pub workers: usize,
    /// `retries()` when it is written: after this many attempts a row that always comes back becomes a dead letter.
    pub retries: Option<u32>,
}

/// The most that one request holds.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct RequestLimits {
    /// `batch-lines()`: most rows.
    pub rows: usize,
    /// `batch-bytes()`: most bytes of rows; the first row always fits. 0 is no limit.
    pub bytes: usize,
    /// `batch-timeout()`: how long a request may wait for more rows; `None` sends what there is.
    pub wait: Option<Duration>,
}

/// A future without a name.
pub type Exchange<'a> = Pin<Box<dyn Future<Output = Vec<Judgement>> + Send + 'a>>;

/// A future without a name and a result.
pub type Heartbeat<'a> = Pin<Box<dyn Future<Output = ()> + Send + 'a>>;

/// Work of a receiver that belongs to no rows.
pub type Chore = Pin<Box<dyn Future<Output = ()> + Send>>;

/// A kind of receiver with its options: it makes rows from messages, and connections.
pub trait Receiver: Send {
    /// Called before everything else, with the log for what libraries say by themselves.
    fn log_to(&mut self, _log: &InternalLog) {}

    /// Called before the messages of some deliveries.
    fn begin(&mut self, now: Stamp);

    /// Makes the values of a message, and writes to `group` the table, topic or index they are for. Only rows of
    /// one group share a request. `sequence` is `${SEQNUM}` of the destination.
    fn row(
        &mut self,
        batch: &Batch,
        index: usize,
        sequence: u64,
        group: &mut String,
    ) -> Result<Vec<Cell>, RowError>;

    /// Returns the hash of the key of a message, when messages of one key must keep their order; see
    /// [`Batches::workers`].
    fn partition(&mut self, _batch: &Batch, _index: usize, _sequence: u64) -> Option<u64> {
        None
    }

    /// Returns a connection that is not open yet: it opens with the first request.
    fn connection(&self) -> Box<dyn Connection>;

    /// Returns how messages are gathered, and how long they are tried.
    fn batches(&self) -> Batches;

    /// Returns the most that a request may hold.
    fn limits(&self) -> RequestLimits {
        let Batches { lines, bytes, wait, .. } = self.batches();
        RequestLimits { rows: lines.max(1), bytes, wait }
    }

    /// Returns how many connections are used at a time.
    fn workers(&self) -> usize {
        self.batches().workers.max(1)
    }

    /// Returns where messages go, for the counters: `host:port,table`.
    fn instance(&self) -> String;

    /// Called before anything is sent when the destination has a `reliable()` queue of its own on disk: at the start, and for
    /// the receiver of a new configuration after [`Receiver::end_stages`] of the one before it. Returns what it has from earlier.
    fn stage_at(&mut self, _staging: Arc<Staging>) -> io::Result<StagedBefore> {
        Ok(StagedBefore::default())
    }

    /// Called before the receiver of a new configuration takes its place. Stages of which it has no record are read again.
    fn end_stages(&mut self) {}

    /// Notes messages that are dead letters now. Called only after [`Receiver::stage_at`].
    fn settled(&mut self, _ids: &[RecordId]) {}

    /// Returns when a chore is due; `None` when there is none.
    fn next_chore(&self) -> Option<Instant> {
        None
    }

    /// Returns the chores that are due. They are not called for again before they are done. After a fault of the receiver
    /// they are tried again after `reopen_after`.
    fn chore(&self, _reopen_after: Duration) -> Option<Chore> {
        None
    }

    /// Returns, for users, why chores are not done.
    fn trouble(&self) -> Option<String> {
        None
    }

    /// Returns the options other than the limits, for tests of how they are read.
    fn settings(&self) -> Vec<String> {
        Vec::new()
    }

    /// Describes for users where a row goes.
    fn describe(&self, group: &str, cells: &[Cell]) -> String {
        format!("{}: a row of {} values for {group}", self.instance(), cells.len())
    }
}

/// One connection to a receiver.
pub trait Connection: Send {
    /// Sends rows of one group and waits for their outcome. The judgements cover all rows, in their order; rows
    /// without one are sent again. After `Wait::Reopen` the next call reopens the connection.
    fn send<'a>(&'a mut self, group: &'a str, rows: &'a [Row]) -> Exchange<'a>;

    /// Closes the connection; the next call of `send` opens it again.
    fn close(&mut self);

    /// Returns when a connection that rests must send a sign of life; `None` when it need not.
    fn next_heartbeat(&self) -> Option<Instant> {
        None
    }

    /// Sends a sign of life, and looks if the receiver has sent its own. Ends within a second.
    fn heartbeat(&mut self) -> Heartbeat<'_> {
        Box::pin(std::future::ready(()))
    }
}

#[cfg(test)]
mod tests;
