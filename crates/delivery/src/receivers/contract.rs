//! The contract with systems that answer for what they are sent: databases, brokers, indexes, object stores.
//!
//! In: rows, each made of one message. Out: a [`Verdict`] for each row. Holds: nothing; an implementer holds its connections.
//! Limits: an implementer bounds how long an exchange takes; how many rows it gets at a time is said by [`RequestLimits`].

use message::{Batch, RecordId, Stamp};
use std::{future::Future, pin::Pin, time::Duration};
use transport::DeadReason;

/// One value of a row.
#[derive(Clone, PartialEq, Debug)]
pub enum Cell {
    /// The receiver is to use its own default.
    Default,
    /// Nothing.
    Null,
    /// A whole number.
    Integer(i64),
    /// A number with a fraction.
    Double(f64),
    /// True or false.
    Boolean(bool),
    /// Text; bytes that are not UTF-8 were replaced.
    Text(String),
    /// Bytes as they are.
    Bytes(Vec<u8>),
}

impl Cell {
    /// Returns the bytes that the value takes in memory, about.
    pub fn size(&self) -> usize {
        match self {
            Cell::Text(text) => text.len(),
            Cell::Bytes(bytes) => bytes.len(),
            _ => 8,
        }
    }
}

/// One message as its receiver gets it.
#[derive(Clone, PartialEq, Debug)]
pub struct Row {
    /// Its id at this destination.
    pub id: RecordId,
    /// Its values, in the order of the configuration.
    pub cells: Vec<Cell>,
}

impl Row {
    /// Returns the bytes of its values, which `batch-bytes()` bounds.
    pub fn payload(&self) -> usize {
        self.cells.iter().map(Cell::size).sum()
    }

    /// Returns the bytes that the row takes in memory, about.
    pub fn size(&self) -> usize {
        self.payload() + 16
    }
}

/// The reason why messages wait although the receiver answers. Nothing of them is lost; someone has to do something.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum HoldReason {
    /// The credentials are wrong: nothing is taken from us.
    Credentials,
    /// This table, index or topic is not open to us.
    Access,
    /// The table, index or topic is missing and cannot be made, or has another form.
    Schema,
    /// The receiver has no room, or takes nothing now because someone said so.
    Quota,
    /// The receiver refused a long row of messages one after the other: rather the configuration is wrong than all of them.
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
            HoldReason::ManyDead => "many-dead",
        }
    }

    /// Returns whether it holds everything, not one table, index or topic alone.
    pub(crate) fn is_of_all(self) -> bool {
        matches!(self, HoldReason::Credentials | HoldReason::ManyDead)
    }
}

/// When rows are sent again.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Wait {
    /// The receiver cannot be reached: after `time-reopen()`, and so long nothing else is sent.
    Reopen,
    /// Something is wrong for now: after a pause that grows from time to time; `retries()` bounds the tries.
    BackOff,
    /// The receiver says itself that it is busy: as `BackOff`, but without end.
    Busy,
    /// After the time for which the receiver asked.
    For(Duration),
}

/// The end of a row, or its next try.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Verdict {
    /// The receiver has it, in the sense in which the driver's manual page says so; also when it had it before.
    Delivered,
    /// It is to be sent again.
    Later(Wait),
    /// It waits, with all others that the reason is about, until a try of one of them succeeds.
    Hold(HoldReason),
    /// The request was refused as a whole, and its receiver does not say which row is the cause: it is sent in halves.
    /// A row that is refused alone is dead with this reason.
    Split(DeadReason),
    /// The receiver will never take it.
    Dead(DeadReason),
    /// The configuration says that it is given up: it is counted, and no letter is kept of it.
    Drop,
}

/// The verdict over some consecutive rows.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Judgement {
    /// How many rows.
    pub rows: usize,
    /// The verdict.
    pub verdict: Verdict,
    /// The words of the receiver; empty for rows that were delivered. It must not hold credentials. Only dead letters
    /// keep what follows the first line, so that may quote a message.
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
    /// The fault, for people.
    pub text: String,
}

/// The most that one request holds.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct RequestLimits {
    /// `batch-lines()`: most rows.
    pub rows: usize,
    /// `batch-bytes()`: most bytes of rows; the first row always fits. 0 is no limit.
    pub bytes: usize,
    /// `batch-timeout()`: for so long a request may wait for more rows; `None` sends what there is.
    pub wait: Option<Duration>,
}

/// A future without a name.
pub type Exchange<'a> = Pin<Box<dyn Future<Output = Vec<Judgement>> + Send + 'a>>;

/// A kind of receiver with what a configuration says about it: it makes rows of messages, and connections.
pub trait Receiver: Send {
    /// Called before the messages of some deliveries.
    fn begin(&mut self, now: Stamp);

    /// Makes the values of a message, and says in `group` for which table, topic or index they are. Only rows of one
    /// group share a request. `sequence` is `${SEQNUM}` of the destination.
    fn row(
        &mut self,
        batch: &Batch,
        index: usize,
        sequence: u64,
        group: &mut String,
    ) -> Result<Vec<Cell>, RowError>;

    /// Returns a connection that is not open yet: it opens with the first request.
    fn connection(&self) -> Box<dyn Connection>;

    /// Returns the most that a request may hold.
    fn limits(&self) -> RequestLimits;

    /// `workers()`: how many connections are used at a time. More than one do not keep the order of messages.
    fn workers(&self) -> usize {
        1
    }

    /// `retries()`, when the configuration says it: after so many tries a row that only ever comes back dies.
    fn retries(&self) -> Option<u32> {
        None
    }

    /// Returns where messages go, for the counters: `host:port,table`.
    fn instance(&self) -> String;

    /// Returns what the configuration says beside the limits, for tests of how it is read.
    fn settings(&self) -> Vec<String> {
        Vec::new()
    }

    /// Says to people where a row goes.
    fn describe(&self, group: &str, cells: &[Cell]) -> String {
        format!("{}: a row of {} values for {group}", self.instance(), cells.len())
    }
}

/// One connection to a receiver.
pub trait Connection: Send {
    /// Sends rows of one group and waits for what becomes of them. The judgements cover all rows, in their order; rows
    /// without one are sent again. After `Wait::Reopen` the next call opens the connection again.
    fn send<'a>(&'a mut self, group: &'a str, rows: &'a [Row]) -> Exchange<'a>;

    /// Closes what is open; the next call of `send` opens it again.
    fn close(&mut self);
}

#[cfg(test)]
mod tests;
