//! Records with their reports.
//!
//! In: rows, each a key and a text for one topic. Out: a verdict for each, by its own report. Holds: the producer that all
//! connections of a destination share. Limits: `patience` for the reports of a request.
//! Who waits no longer says that the rows come again: their records stay on their way, and when the rows come, it is their
//! reports that are looked for. So an outage of any length makes no record be produced twice.

use super::{
    producer::KafkaProducer,
    reports::{Answer, Lookup, Reports, Waiter},
    verdict,
};
use crate::link::{failure::Failure, verdicts::Verdicts};
use delivery::{Cell, Connection, Exchange, HoldReason, Judgement, Row, Verdict, Wait};
use rdkafka::{config::ClientConfig, error::KafkaError, types::RDKafkaErrorCode};
use std::{
    sync::{Arc, Mutex, PoisonError},
    time::{Duration, Instant},
};
use tokio::time::timeout;
use transport::{
    InternalLog,
    kafka::{Properties, plain},
};

/// While reports are awaited, the connections are looked at this often.
const LOOKS_EVERY: Duration = Duration::from_millis(250);

/// The part of a destination that its connections share.
pub(super) struct Shared {
    pub(super) properties: Properties,
    pub(super) log: Mutex<InternalLog>,
    /// Most records on their way.
    pub(super) records: usize,
    /// Longest wait for reports.
    pub(super) patience: Duration,
    pub(super) reports: Arc<Reports>,
    pub(super) producer: Mutex<Option<Arc<KafkaProducer>>>,
}

impl Shared {
    pub(super) fn new(properties: Properties, records: usize, patience: Duration) -> Shared {
        Shared {
            properties,
            log: Mutex::new(InternalLog::new("duramen", None)),
            records,
            patience,
            reports: Arc::default(),
            producer: Mutex::default(),
        }
    }

    /// Makes room for all records on their way.
    fn config(&self) -> ClientConfig {
        const ROOM: &str = "queue.buffering.max.messages";
        let mut config = self.properties.config().clone();
        if config.get(ROOM).is_none() {
            config.set(ROOM, self.records.max(100_000).to_string());
        }
        config
    }

    /// Returns the producer; one that can produce nothing any more is replaced.
    fn producer(&self) -> Result<Arc<KafkaProducer>, Failure> {
        let mut place = self.producer.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(producer) = place.as_ref().filter(|producer| producer.fatal().is_none()) {
            return Ok(producer.clone());
        }
        if place.take().is_some() {
            self.reports.give_up();
        }
        let log = self.log.lock().unwrap_or_else(PoisonError::into_inner).clone();
        let made = KafkaProducer::start(&self.config(), self.reports.clone(), log);
        let producer = Arc::new(made.map_err(|error| unmade(&error))?);
        *place = Some(producer.clone());
        Ok(producer)
    }
}

/// The outcome of a row.
type Judged = Result<(), Failure>;

fn judge(producer: &KafkaProducer, answer: Answer) -> Judged {
    let Some(code) = answer else { return Ok(()) };
    // The fault that stopped the producer is the reason why its records failed.
    let code = producer.fatal().filter(|_| code == RDKafkaErrorCode::Fatal).unwrap_or(code);
    Err(verdict::of_report(code))
}

/// Certificates and keys are read when a producer is made.
fn unmade(error: &KafkaError) -> Failure {
    Failure { verdict: Verdict::Hold(HoldReason::Credentials), answer: plain(&error.to_string()) }
}

/// A way to the brokers.
pub(super) struct KafkaConnection {
    shared: Arc<Shared>,
}

impl KafkaConnection {
    pub(super) fn new(shared: Arc<Shared>) -> KafkaConnection {
        KafkaConnection { shared }
    }

    async fn exchange(&self, topic: &str, rows: &[Row]) -> Vec<Judgement> {
        let producer = match self.shared.producer() {
            Ok(producer) => producer,
            Err(Failure { verdict, answer }) => return Judgement::of_all(rows.len(), verdict, answer),
        };
        let (reports, waiter) = (&self.shared.reports, Arc::<Waiter>::default());
        let known: Vec<Option<Judged>> =
            rows.iter().map(|row| self.begin(&producer, topic, row, &waiter)).collect();
        self.wait(&producer, &waiter).await;
        let mut verdicts = Verdicts::default();
        let pending = producer.trouble().unwrap_or_else(|| unanswered(self.shared.patience));
        for (row, known) in rows.iter().zip(known) {
            let judged = known.or_else(|| Some(judge(&producer, reports.take(row.id)?)));
            match judged.unwrap_or_else(|| Err(pending.clone())) {
                Ok(()) => verdicts.push(Verdict::Delivered, ""),
                Err(Failure { verdict, answer }) => verdicts.push(verdict, &answer),
            }
        }
        verdicts.finish(rows.len(), None)
    }

    /// Produces a row that is new. Returns what became of it, if that is known at once.
    fn begin(
        &self,
        producer: &KafkaProducer,
        topic: &str,
        row: &Row,
        waiter: &Arc<Waiter>,
    ) -> Option<Judged> {
        let reports = &self.shared.reports;
        match reports.begin(row.id, waiter) {
            Lookup::Answered(answer) => return Some(judge(producer, answer)),
            Lookup::Sent => return None,
            Lookup::New => {}
        }
        let [key, Cell::Bytes(text)] = row.cells.as_slice() else { return None };
        let key = match key {
            Cell::Bytes(key) => Some(key.as_slice()),
            _ => None,
        };
        // librdkafka has none of it: the answer is ours.
        let code = producer.produce(topic, key, text, row.id).err()?;
        reports.answer(row.id, Some(code));
        reports.take(row.id);
        Some(Err(verdict::of_refusal(code)))
    }

    /// Waits for the reports, but not for brokers that let nobody in.
    async fn wait(&self, producer: &KafkaProducer, waiter: &Waiter) {
        let deadline = Instant::now() + self.shared.patience;
        loop {
            let left = deadline.saturating_duration_since(Instant::now()).min(LOOKS_EVERY);
            let is_done = timeout(left, waiter.wait()).await.is_ok();
            let is_held =
                || producer.trouble().is_some_and(|trouble| matches!(trouble.verdict, Verdict::Hold(_)));
            if is_done || left.is_zero() || is_held() {
                return;
            }
        }
    }
}

fn unanswered(patience: Duration) -> Failure {
    let answer = format!("the brokers report nothing within {} seconds", patience.as_secs_f32());
    Failure { verdict: Verdict::Later(Wait::Busy), answer }
}

impl Connection for KafkaConnection {
    fn send<'a>(&'a mut self, topic: &'a str, rows: &'a [Row]) -> Exchange<'a> {
        Box::pin(self.exchange(topic, rows))
    }

    /// Leaves the producer as it is: it connects again by itself, and knows which records it has sent.
    fn close(&mut self) {}
}
