//! Inserts with their answers.
//!
//! In: rows, each a document. Out: a verdict for each, by what the server says of it. Holds: a session.
//! Limits: `socketTimeoutMS` for an answer; a command is as large as its server takes, so a batch may be several.
//! A row is delivered when as many servers as `write-concern()` says have its document. Its id is that of its message: one that is
//! sent again is known by it, and counts as delivered.

use super::{
    answer::{self, Answer, Outcomes, Question},
    options::{InsertOrder, Shared, Validation, Waiters, WriteConcern},
    session::{Session, body},
    stored,
};
use crate::link::{
    attempt::{self, Attempt, Kept},
    dialogue::LinkError,
    failure::Failure,
};
use delivery::{Cell, Connection, Exchange, Row, Verdict, Wait};
use std::sync::Arc;
use transport::{
    DeadReason,
    mongodb::{Scalar, Writer},
};

/// Most commands of a batch that end at a refused document: then order is given up for what is left of the batch, for each
/// costs a journey to the server.
const ORDERED_ENDS_MAX: usize = 16;
/// Bytes of the id and the ends of a document.
const ID_BYTES: usize = 32;

/// A connection, or room for one.
pub(super) struct MongodbConnection {
    shared: Arc<Shared>,
    open: Option<Session>,
}

impl MongodbConnection {
    pub(super) fn new(shared: Arc<Shared>) -> MongodbConnection {
        MongodbConnection { shared, open: None }
    }
}

/// Documents of one command.
#[derive(Default)]
struct Documents {
    bytes: Vec<u8>,
    has_own_id: Vec<bool>,
}

impl Documents {
    /// Takes as many rows as one command may have. A document that the server does not take is not among them: it ends them.
    fn of(rows: &[Row], session: &Session) -> Documents {
        let limits = session.limits;
        let mut found = Documents::default();
        for row in rows.iter().take(limits.documents) {
            let Some((elements, has_id)) = parts(row) else { break };
            let size = elements.len() + ID_BYTES;
            let is_too_much = !found.bytes.is_empty() && found.bytes.len() + size > limits.documents_bytes;
            if is_too_much || size > limits.document_bytes {
                break;
            }
            Writer::whole(&mut found.bytes, |writer| {
                if !has_id {
                    writer.put(b"_id", Scalar::Uuid(id(row)));
                }
                writer.elements(elements);
            });
            found.has_own_id.push(has_id);
        }
        found
    }
}

/// Returns the id of a document whose message brings none.
fn id(row: &Row) -> u128 {
    u128::from(row.id.incarnation) << 64 | u128::from(row.id.sequence)
}

fn parts(row: &Row) -> Option<(&[u8], bool)> {
    match row.cells.as_slice() {
        [Cell::Bytes(elements), Cell::Boolean(has_id)] => Some((elements, *has_id)),
        _ => None,
    }
}

/// The rows of an attempt, as far as they are judged.
struct Progress {
    answers: Vec<Option<Result<(), Failure>>>,
    at: usize,
    order: InsertOrder,
    ends: usize,
    is_heard: bool,
}

impl Progress {
    fn settle(&mut self, outcome: Result<(), Failure>) {
        if let Some(place) = self.answers.get_mut(self.at) {
            *place = Some(outcome);
        }
        self.at += 1;
    }

    /// Takes outcomes, and returns the failure that keeps the rows behind them back.
    fn take(&mut self, outcomes: Outcomes, count: usize) -> Option<Failure> {
        let is_whole = outcomes.of_documents.len() == count;
        let last = outcomes.of_documents.last().and_then(|outcome| outcome.clone().err());
        outcomes.of_documents.into_iter().for_each(|outcome| self.settle(outcome));
        if self.order == InsertOrder::Ordered && !is_whole {
            self.ends += 1;
            if outcomes.is_repeated || self.ends >= ORDERED_ENDS_MAX {
                // What was stored before is at the beginning of a batch, so order stays.
                self.order = InsertOrder::Unordered;
            }
        }
        last.filter(|failure| {
            self.order == InsertOrder::Ordered && !matches!(failure.verdict, Verdict::Dead(_))
        })
    }
}

impl MongodbConnection {
    /// Sends rows in as many commands as they need. Returns what ended it before the last, if something did.
    async fn insert_all(
        &mut self,
        session: &mut Session,
        collection: &str,
        rows: &[Row],
        progress: &mut Progress,
    ) -> Option<Ended> {
        while progress.at < rows.len() {
            let documents = Documents::of(&rows[progress.at..], session);
            let count = documents.has_own_id.len();
            if count == 0 {
                let answer = format!("the server takes documents of {} bytes", session.limits.document_bytes);
                progress.settle(Err(Failure { verdict: Verdict::Dead(DeadReason::TooLarge), answer }));
                continue;
            }
            let order = progress.order;
            let question = Question {
                has_own_id: &documents.has_own_id,
                order,
                is_unconfirmed: self.shared.concern.waiters == Some(Waiters::Servers(0)),
            };
            let fill = |writer: &mut Writer<'_>| self.shared.command(collection, order, writer);
            let answer = match session.insert(&documents.bytes, fill).await {
                Ok(answer) => answer,
                Err(error) => return Some(Ended::Link(error)),
            };
            progress.is_heard = true;
            match body(&answer).and_then(|document| answer::read(document, question)) {
                Err(breach) => return Some(Ended::Link(LinkError::Breach(breach))),
                Ok(Answer::Refused(failure)) => match failure.verdict {
                    // Some of these documents are at fault; those behind them may be good.
                    Verdict::Split(_) => (0..count).for_each(|_| progress.settle(Err(failure.clone()))),
                    _ => return Some(Ended::Server(failure)),
                },
                Ok(Answer::Outcomes(mut outcomes)) => {
                    let sent = &rows[progress.at..progress.at + count];
                    if let Err(error) = look(&self.shared, session, collection, (sent, &mut outcomes)).await {
                        return Some(Ended::Link(error));
                    }
                    if let Some(failure) = progress.take(outcomes, count) {
                        return Some(Ended::Server(failure));
                    }
                }
            }
        }
        None
    }
}

/// Looks for the documents that may have been stored before, and corrects their outcomes.
async fn look(
    shared: &Shared,
    session: &mut Session,
    collection: &str,
    (sent, outcomes): (&[Row], &mut Outcomes),
) -> Result<(), LinkError> {
    if outcomes.doubtful.is_empty() {
        return Ok(());
    }
    let ids: Vec<u128> = outcomes.doubtful.iter().map(|at| id(&sent[*at])).collect();
    let names = (shared.database.as_str(), collection);
    let Some(there) = stored::among(session, names, &ids).await? else { return Ok(()) };
    for (at, id) in outcomes.doubtful.iter().zip(ids) {
        if there.contains(&id) {
            outcomes.of_documents[*at] = outcomes.of_stored.clone();
            outcomes.is_repeated = true;
        }
    }
    Ok(())
}

/// The end of an attempt before every row had its answer.
enum Ended {
    Link(LinkError),
    Server(Failure),
}

impl Shared {
    fn command(&self, collection: &str, order: InsertOrder, writer: &mut Writer<'_>) {
        writer.put(b"insert", collection);
        writer.put(b"ordered", order == InsertOrder::Ordered);
        if self.validation == Validation::Bypassed {
            writer.put(b"bypassDocumentValidation", true);
        }
        if self.concern != WriteConcern::default() {
            writer.document(b"writeConcern", |writer| self.concern.write(writer));
        }
        writer.put(b"$db", self.database.as_str());
    }
}

impl WriteConcern {
    fn write(&self, writer: &mut Writer<'_>) {
        match &self.waiters {
            None => {}
            Some(Waiters::Servers(count)) => writer.put(b"w", *count),
            Some(Waiters::Majority) => writer.put(b"w", "majority"),
            Some(Waiters::Named(name)) => writer.put(b"w", name.as_str()),
        }
        if let Some(within) = self.within {
            writer.put(b"wtimeout", i64::try_from(within.as_millis()).unwrap_or(i64::MAX));
        }
        if let Some(journal) = self.journal {
            writer.put(b"j", journal);
        }
    }
}

/// A connection, and the collection of one request.
struct Inserting<'c> {
    connection: &'c mut MongodbConnection,
    collection: &'c str,
}

impl Kept for Inserting<'_> {
    fn is_open(&self) -> bool {
        self.connection.open.is_some()
    }

    async fn attempt(&mut self, rows: &[Row]) -> Attempt {
        let connection = &mut *self.connection;
        let opened = match connection.open.take() {
            Some(session) => Ok(session),
            None => Session::open(&connection.shared).await,
        };
        let mut session = match opened {
            Ok(session) => session,
            Err(failure) => return Attempt::not_connected(rows.len(), failure),
        };
        let mut progress = Progress {
            answers: vec![None; rows.len()],
            at: 0,
            order: connection.shared.order,
            ends: 0,
            is_heard: false,
        };
        let ended = connection.insert_all(&mut session, self.collection, rows, &mut progress).await;
        let is_broken = matches!(ended, Some(Ended::Link(LinkError::Io(_))));
        let is_lost = matches!(ended, Some(Ended::Link(_)));
        let failure = match ended {
            Some(Ended::Server(failure)) => failure,
            Some(Ended::Link(error)) => busy(error.to_string()),
            None => busy(String::new()),
        };
        // Another server may take what this one does not take now.
        let answers = progress.answers.iter().flatten().filter_map(|answer| answer.as_ref().err());
        let is_elsewhere = answers
            .chain([&failure])
            .any(|failure| failure.verdict == Verdict::Later(Wait::Busy) && !failure.answer.is_empty());
        if !is_lost && !is_elsewhere {
            connection.open = Some(session);
        }
        Attempt { answers: progress.answers, is_unheard: is_broken && !progress.is_heard, failure }
    }
}

fn busy(answer: String) -> Failure {
    Failure { verdict: Verdict::Later(Wait::Busy), answer }
}

impl Connection for MongodbConnection {
    fn send<'a>(&'a mut self, group: &'a str, rows: &'a [Row]) -> Exchange<'a> {
        Box::pin(async move {
            let mut inserting = Inserting { connection: self, collection: group };
            attempt::exchange(&mut inserting, rows).await
        })
    }

    fn close(&mut self) {
        self.open = None;
    }
}
