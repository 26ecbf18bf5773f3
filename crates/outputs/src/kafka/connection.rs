//! Records with their reports.
//!
//! In: rows, each a key and a text for one topic. Out: a verdict for each, by its own report. Holds: the producer that all
//! connections of a destination share. Limits: `patience` for the reports of a request.
//! Batches are no larger than the topic takes, so that a broker refuses no record for another's sake. A record that is too large for
//! its topic is sent, alone in its batch; when a broker has refused one, those like it are not sent.
//! Who waits no longer says that the rows come again: their records stay on their way, and when the rows come, it is their
//! reports that are looked for. So an outage of any length makes no record be produced twice.

use super::{
    limits::{Limit, Limits, batch_bytes},
    producer::{BATCH_BYTES, KafkaProducer},
    reports::{Answer, Lookup, Reports, Waiter},
    verdict,
};
use crate::link::{failure::Failure, verdicts::Verdicts};
use delivery::{Cell, Connection, Exchange, Judgement, Row, Verdict, Wait};
use rdkafka::{config::ClientConfig, types::RDKafkaErrorCode};
use std::{
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::{Duration, Instant},
};
use tokio::{sync::RwLock, time::timeout};
use transport::{DeadReason, InternalLog, kafka::Properties};

/// While reports are awaited, the connections are looked at this often.
const LOOKS_EVERY: Duration = Duration::from_millis(250);
/// Most bytes of a batch, as librdkafka has them.
const BATCH_BYTES_USUAL: usize = 1_000_000;

/// Most bytes of a record, as librdkafka has them.
const RECORD_BYTES_USUAL: usize = 1_000_000;

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
    pub(super) limits: Limits,
    /// Exchanges read it; who replaces the producer writes it, while there is none.
    exchanges: RwLock<()>,
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
            limits: Limits::default(),
            exchanges: RwLock::default(),
        }
    }

    pub(super) fn log(&self) -> InternalLog {
        self.log.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Makes room for all records on their way.
    pub(super) fn config(&self) -> ClientConfig {
        const ROOM: &str = "queue.buffering.max.messages";
        let mut config = self.properties.config().clone();
        if config.get(ROOM).is_none() {
            config.set(ROOM, self.records.max(100_000).to_string());
        }
        config
    }

    /// Returns the most bytes of a batch: no more than any topic takes, or a single record would make the broker refuse others with it.
    pub(super) fn batch_bytes(&self) -> usize {
        let configured = self.properties.get(BATCH_BYTES).and_then(|bytes| bytes.parse().ok());
        configured.unwrap_or(BATCH_BYTES_USUAL).min(self.limits.smallest()).max(1)
    }

    /// Returns the most bytes of a key and a text that librdkafka takes.
    pub(super) fn record_bytes(&self) -> usize {
        let configured = self.properties.get("message.max.bytes").and_then(|bytes| bytes.parse().ok());
        configured.unwrap_or(RECORD_BYTES_USUAL)
    }

    /// Returns whether a batch of one record has the size that its topic limits.
    fn sends_as_is(&self) -> bool {
        self.properties.get("compression.codec").is_none_or(|codec| codec == "none")
    }

    /// Returns the limit of a topic for the records of a request.
    pub(super) async fn limit(&self, topic: &str, rows: &[Row]) -> Limit {
        let is_known_size = self.sends_as_is();
        let longest = if is_known_size { rows.iter().map(bytes).max().unwrap_or_default() } else { 0 };
        let limit = self.limits.of(topic, longest, self.properties.config()).await;
        if is_known_size { limit } else { Limit::NONE }
    }

    /// Replaces a producer whose batches have another size than they should have, as soon as none of its records is on its way.
    async fn resize(&self) {
        let is_other = |producer: &Arc<KafkaProducer>| producer.batch_bytes != self.batch_bytes();
        let has_other = || self.place().as_ref().is_some_and(is_other);
        if has_other() {
            let _alone = self.exchanges.write().await;
            if has_other() && self.reports.is_at_rest() {
                *self.place() = None;
            }
        }
    }

    fn place(&self) -> MutexGuard<'_, Option<Arc<KafkaProducer>>> {
        self.producer.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the producer; one that can produce nothing any more is replaced.
    fn producer(&self) -> Result<Arc<KafkaProducer>, Failure> {
        let mut place = self.place();
        if let Some(producer) = place.as_ref().filter(|producer| producer.fatal().is_none()) {
            return Ok(producer.clone());
        }
        if place.take().is_some() {
            self.reports.give_up();
        }
        let made = KafkaProducer::start(self.config(), self.batch_bytes(), self.reports.clone(), self.log());
        let producer = Arc::new(made.map_err(|error| verdict::of_creation(&error))?);
        *place = Some(producer.clone());
        Ok(producer)
    }
}

/// The outcome of a row.
type Judged = Result<(), Failure>;

/// A row whose outcome may not be known yet.
enum Begun {
    Known(Judged),
    Sent,
    /// Its topic does not take it, as its brokers say: one like it is on its way, and finds out.
    TooLarge,
}

/// Returns the key and the text of a row.
pub(super) fn parts(row: &Row) -> Option<(Option<&[u8]>, &[u8])> {
    let [key, Cell::Bytes(text)] = row.cells.as_slice() else { return None };
    match key {
        Cell::Bytes(key) => Some((Some(key), text)),
        _ => Some((None, text)),
    }
}

/// Returns the bytes of a batch of this row alone.
pub(super) fn bytes(row: &Row) -> usize {
    parts(row).map_or(0, |(key, text)| batch_bytes(key, text))
}

/// A way to the brokers.
pub(super) struct KafkaConnection {
    shared: Arc<Shared>,
}

/// The exchange of the rows of one request.
struct Round<'r> {
    shared: &'r Shared,
    producer: &'r KafkaProducer,
    topic: &'r str,
    limit: Limit,
    /// A record that is longer than the limit is on its way, and so is the answer to whether that is true.
    probe: Probe,
}

/// The state of the first record that is longer than the limit of its topic.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Probe {
    None,
    Sent,
    Refused,
    Stored,
}

impl Round<'_> {
    /// Produces a row that is new, unless the brokers refuse it for certain.
    fn begin(&mut self, row: &Row, waiter: &Arc<Waiter>) -> Begun {
        let Some((key, text)) = parts(row) else { return Begun::Sent };
        let reports = &self.shared.reports;
        match reports.begin(row.id, waiter) {
            Lookup::Answered(answer) => return Begun::Known(self.judge(row, answer)),
            Lookup::Sent => return Begun::Sent,
            Lookup::New => {}
        }
        let bytes = batch_bytes(key, text);
        let is_large = bytes > self.limit.bytes;
        let begun = match (is_large, self.probe) {
            (true, Probe::None) if self.limit.is_confirmed => {
                Begun::Known(Err(verdict::too_large(bytes, self.limit.bytes)))
            }
            (true, Probe::Sent) => Begun::TooLarge,
            _ => match self.producer.produce(self.topic, key, text, row.id) {
                Ok(()) => {
                    if is_large {
                        self.probe = Probe::Sent;
                    }
                    return Begun::Sent;
                }
                Err(code) => Begun::Known(Err(verdict::of_refusal(code))),
            },
        };
        // librdkafka has none of it: the answer is ours.
        reports.answer(row.id, None);
        reports.take(row.id);
        begun
    }

    /// Judges a row by the report of its record.
    fn judge(&mut self, row: &Row, answer: Answer) -> Judged {
        let bytes = bytes(row);
        let is_large = bytes > self.limit.bytes;
        let Some(code) = answer else {
            if is_large {
                self.probe = Probe::Stored;
                self.shared.limits.stored(self.topic, bytes);
            }
            return Ok(());
        };
        // The fault that stopped the producer is the reason why its records failed.
        let code = self.producer.fatal().filter(|_| code == RDKafkaErrorCode::Fatal).unwrap_or(code);
        let failure = verdict::of_report(code);
        if failure.verdict == Verdict::Split(DeadReason::TooLarge) {
            self.shared.limits.refused(self.topic, bytes);
            if is_large {
                self.probe = Probe::Refused;
            }
        }
        // A record that fills a batch was alone in it.
        let is_alone = parts(row)
            .is_some_and(|(key, text)| key.map_or(0, <[u8]>::len) + text.len() >= self.producer.batch_bytes);
        Err(if is_alone { verdict::of_refusal(code) } else { failure })
    }

    /// Judges a row that was begun, when all reports are there or nobody waits for them any longer.
    fn end(&mut self, row: &Row, begun: Begun, pending: &Failure) -> Judged {
        match (begun, self.probe) {
            (Begun::Known(judged), _) => judged,
            (Begun::Sent, _) => match self.shared.reports.take(row.id) {
                Some(answer) => self.judge(row, answer),
                None => Err(pending.clone()),
            },
            (Begun::TooLarge, Probe::Refused) => Err(verdict::too_large(bytes(row), self.limit.bytes)),
            (Begun::TooLarge, Probe::Stored) => {
                Err(verdict::of_report(RDKafkaErrorCode::MessageSizeTooLarge))
            }
            (Begun::TooLarge, Probe::None | Probe::Sent) => Err(pending.clone()),
        }
    }
}

impl KafkaConnection {
    pub(super) fn new(shared: Arc<Shared>) -> KafkaConnection {
        KafkaConnection { shared }
    }

    async fn exchange(&self, topic: &str, rows: &[Row]) -> Vec<Judgement> {
        let shared = &*self.shared;
        let limit = shared.limit(topic, rows).await;
        shared.resize().await;
        let _exchange = shared.exchanges.read().await;
        let producer = match shared.producer() {
            Ok(producer) => producer,
            Err(Failure { verdict, answer }) => return Judgement::of_all(rows.len(), verdict, answer),
        };
        let mut round = Round { shared, producer: &producer, topic, limit, probe: Probe::None };
        let waiter = Arc::<Waiter>::default();
        let begun: Vec<Begun> = rows.iter().map(|row| round.begin(row, &waiter)).collect();
        self.wait(&producer, &waiter).await;
        let mut verdicts = Verdicts::default();
        let pending = producer.trouble().unwrap_or_else(|| unanswered(shared.patience));
        for (row, begun) in rows.iter().zip(begun) {
            match round.end(row, begun, &pending) {
                Ok(()) => verdicts.push(Verdict::Delivered, ""),
                Err(Failure { verdict, answer }) => verdicts.push(verdict, &answer),
            }
        }
        verdicts.finish(rows.len(), None)
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
