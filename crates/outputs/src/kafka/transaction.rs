//! Records in transactions: all of a batch are stored, or none.
//!
//! In: rows, each a key and a text for one topic. Out: a verdict for each. Holds: a session, until it is of no use any more.
//! Limits: see `session`. A record that is longer than its topic takes has a transaction of its own, so that it stops no other one;
//! when a broker has refused it, those like it are not sent.
//!
//! Whatever is unknown about a transaction, the next session knows: it ends the transaction and reads which messages were
//! committed. Those count as delivered, and are not sent again.

use super::{
    connection::{Shared, bytes, parts},
    limits::Limit,
    session::{Record, Session},
    verdict,
};
use crate::link::{failure::Failure, verdicts::Verdicts};
use delivery::{Connection, Exchange, Judgement, Row, Verdict};
use std::sync::Arc;
use transport::DeadReason;

/// A way to the brokers, of which a destination has one.
pub(super) struct TransactionConnection {
    shared: Arc<Shared>,
    /// `transactional.id`
    id: String,
    session: Option<Session>,
}

/// The outcomes of the rows of a request, as far as they are known.
struct Outcomes<'r> {
    rows: &'r [Row],
    known: Vec<Option<Result<(), Failure>>>,
}

impl Outcomes<'_> {
    fn set(&mut self, places: &[usize], outcome: &Result<(), Failure>) {
        for place in places {
            self.known[*place] = Some(outcome.clone());
        }
    }

    fn judgements(self, failure: Option<&Failure>) -> Vec<Judgement> {
        let mut verdicts = Verdicts::default();
        for outcome in &self.known {
            match (outcome, failure) {
                (Some(Ok(())), _) => verdicts.push(Verdict::Delivered, ""),
                (Some(Err(failure)), _) | (None, Some(failure)) => {
                    verdicts.push(failure.verdict, &failure.answer);
                }
                (None, None) => unreachable!("every row is in a transaction"),
            }
        }
        verdicts.finish(self.rows.len(), None)
    }
}

impl TransactionConnection {
    pub(super) fn new(shared: Arc<Shared>, id: String) -> TransactionConnection {
        TransactionConnection { shared, id, session: None }
    }

    async fn exchange(&mut self, topic: &str, rows: &[Row]) -> Vec<Judgement> {
        let limit = self.shared.limit(topic, rows).await;
        let mut outcomes = Outcomes { rows, known: vec![None; rows.len()] };
        let most = limit.bytes.min(self.shared.record_bytes());
        let (large, usual): (Vec<usize>, Vec<usize>) =
            (0..rows.len()).partition(|place| bytes(&rows[*place]) > most);
        let mut done = self.deliver(topic, &usual, &mut outcomes).await;
        if done.is_ok() {
            done = self.deliver_large(topic, (&large, limit), &mut outcomes).await;
        }
        outcomes.judgements(done.as_ref().err())
    }

    /// Delivers records that are longer than what the topic takes, as its brokers said: the first one finds out if that is true.
    async fn deliver_large(
        &mut self,
        topic: &str,
        (large, limit): (&[usize], Limit),
        outcomes: &mut Outcomes<'_>,
    ) -> Result<(), Failure> {
        let Some((first, others)) = large.split_first() else { return Ok(()) };
        let first_bytes = bytes(&outcomes.rows[*first]);
        let is_refused = |outcome: &Result<(), Failure>| {
            outcome.as_ref().is_err_and(|failure| failure.verdict == Verdict::Dead(DeadReason::TooLarge))
        };
        let outcome = match limit.is_confirmed {
            true => Err(verdict::too_large(first_bytes, limit.bytes)),
            false => self.transact(topic, &[*first], outcomes.rows).await,
        };
        match &outcome {
            Ok(()) => self.shared.limits.stored(topic, first_bytes),
            outcome if is_refused(outcome) => {}
            Err(failure) => return Err(failure.clone()),
        }
        outcomes.set(&[*first], &outcome);
        if outcome.is_ok() {
            return self.deliver(topic, others, outcomes).await;
        }
        for place in others {
            let failure = verdict::too_large(bytes(&outcomes.rows[*place]), limit.bytes);
            outcomes.set(&[*place], &Err(failure));
        }
        Ok(())
    }

    async fn deliver(
        &mut self,
        topic: &str,
        places: &[usize],
        outcomes: &mut Outcomes<'_>,
    ) -> Result<(), Failure> {
        if !places.is_empty() {
            self.transact(topic, places, outcomes.rows).await?;
            outcomes.set(places, &Ok(()));
        }
        Ok(())
    }

    /// Commits the rows at some places in one transaction, except those that were committed before.
    async fn transact(&mut self, topic: &str, places: &[usize], rows: &[Row]) -> Result<(), Failure> {
        let mut session = match self.session.take() {
            Some(session) if session.fits(self.shared.batch_bytes()) => session,
            _ => Session::new(&self.shared, &self.id)?,
        };
        let opened = session.open(topic).await;
        let session = self.session.insert(session);
        opened?;
        let new = places.iter().map(|place| &rows[*place]).filter(|row| !session.has(topic, row.id));
        let record = |row| {
            let (key, text) = parts(row).expect("the receiver makes a key and a text of each message");
            Record { id: row.id, key, text }
        };
        let records: Vec<Record<'_>> = new.map(record).collect();
        if records.is_empty() {
            return Ok(());
        }
        session.commit(topic, &records).await.map_err(|failure| self.blame(topic, places, rows, failure))
    }

    /// Returns the failure of a transaction. A row that was alone in it is at fault for what makes a broker refuse a batch.
    fn blame(&self, topic: &str, places: &[usize], rows: &[Row], failure: Failure) -> Failure {
        if failure.verdict == Verdict::Split(DeadReason::TooLarge) {
            let longest = places.iter().map(|place| bytes(&rows[*place])).max().unwrap_or_default();
            self.shared.limits.refused(topic, longest);
        }
        match (failure.verdict, places) {
            (Verdict::Split(reason), [_]) => Failure { verdict: Verdict::Dead(reason), ..failure },
            _ => failure,
        }
    }
}

impl Connection for TransactionConnection {
    fn send<'a>(&'a mut self, topic: &'a str, rows: &'a [Row]) -> Exchange<'a> {
        Box::pin(self.exchange(topic, rows))
    }

    /// Leaves the session as it is: its clients connect again by themselves.
    fn close(&mut self) {}
}
