//! A producer whose records count when their transaction is committed.
//!
//! In: records for one topic, and their ids. Out: whether all of them are committed. Holds: librdkafka's producer, a consumer that
//! reads what was committed, and that for each topic. Limits: [`TOPICS_MAX`]; `patience` for answers of brokers,
//! `transaction.timeout.ms` for a transaction.
//!
//! Only one call of librdkafka's transactions may run at a time, and each may wait. They run on threads for that, one after another;
//! who cannot wait for one to end gives the session up, and the next producer with the same id ends its transaction.

use super::{
    committed::Committed,
    connection::Shared,
    limits::Silent,
    producer::{Context, KafkaProducer},
    reports::{Reports, Waiter},
    verdict,
};
use crate::link::failure::Failure;
use delivery::{Verdict, Wait};
use message::RecordId;
use rdkafka::{
    Offset, TopicPartitionList,
    config::FromClientConfigAndContext,
    consumer::{BaseConsumer, Consumer},
    error::{KafkaError, KafkaResult},
    producer::{BaseProducer, Producer},
    types::RDKafkaErrorCode,
    util::Timeout,
};
use std::{
    collections::HashMap,
    sync::Arc,
    time::{Duration, Instant},
};
use tokio::{
    task::spawn_blocking,
    time::{sleep, timeout},
};
use transport::kafka::plain;

/// Most topics of which it is remembered what was committed; beyond, the brokers are asked again.
const TOPICS_MAX: usize = 1000;
/// While reports or answers are awaited, the connections are looked at this often.
const LOOKS_EVERY: Duration = Duration::from_millis(250);
/// Pause before a call that can be made again.
const CALLS_AGAIN: Duration = Duration::from_millis(50);
/// librdkafka's own `transaction.timeout.ms`.
const TRANSACTION_WITHIN: Duration = Duration::from_secs(60);
/// Longest wait for the reports of records that an abort has thrown away.
const PURGED_WITHIN: Duration = Duration::from_secs(1);

/// A record of a transaction.
pub(super) struct Record<'r> {
    pub(super) id: RecordId,
    pub(super) key: Option<&'r [u8]>,
    pub(super) text: &'r [u8],
}

/// The use that a session is still of.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum SessionState {
    /// It begins the next transaction.
    Usable,
    /// Nothing: a new one finds out what became of the transaction.
    Unusable,
}

/// A transactional producer.
pub(super) struct Session {
    /// `transactional.id`, which is also the name of the group under which the ids are committed.
    id: String,
    producer: Arc<KafkaProducer>,
    reports: Arc<Reports>,
    consumer: Arc<BaseConsumer<Silent>>,
    committed: HashMap<String, Committed>,
    /// The brokers have ended the transactions of producers before this one.
    is_open: bool,
    state: SessionState,
    patience: Duration,
    lifetime: Duration,
}

impl Session {
    /// Makes the clients; nothing is sent yet.
    pub(super) fn new(shared: &Shared, id: &str) -> Result<Session, Failure> {
        let mut config = shared.config();
        if config.get("message.timeout.ms") == Some("0") {
            // A record has the time of its transaction.
            config.remove("message.timeout.ms");
        }
        let mut of_group = config.clone();
        of_group.set("group.id", id).set("enable.auto.commit", "false");
        let consumer = BaseConsumer::from_config_and_context(&of_group, Silent);
        config.set("transactional.id", id);
        let lifetime = config.get("transaction.timeout.ms").and_then(|ms| ms.parse().ok());
        let reports = Arc::<Reports>::default();
        let producer = KafkaProducer::start(config, shared.batch_bytes(), reports.clone(), shared.log());
        Ok(Session {
            id: id.to_owned(),
            producer: Arc::new(producer.map_err(|error| verdict::of_creation(&error))?),
            reports,
            consumer: Arc::new(consumer.map_err(|error| verdict::of_creation(&error))?),
            committed: HashMap::new(),
            is_open: false,
            state: SessionState::Usable,
            patience: shared.patience,
            lifetime: lifetime.map_or(TRANSACTION_WITHIN, Duration::from_millis),
        })
    }

    /// Returns whether it can begin a transaction whose batches have so many bytes at most.
    pub(super) fn fits(&self, batch_bytes: usize) -> bool {
        self.state == SessionState::Usable
            && self.producer.batch_bytes == batch_bytes
            && self.producer.fatal().is_none()
    }

    /// Ends the transactions of earlier producers, and learns what they have committed to a topic.
    pub(super) async fn open(&mut self, topic: &str) -> Result<(), Failure> {
        let deadline = Instant::now() + self.patience;
        while !self.is_open {
            match self.call(|producer| producer.init_transactions(LOOKS_EVERY)).await {
                Ok(()) => self.is_open = true,
                Err(error) if is_retriable(&error) => {
                    let held = |failure: &Failure| matches!(failure.verdict, Verdict::Hold(_));
                    let trouble = self.producer.trouble();
                    if trouble.as_ref().is_some_and(held) || Instant::now() >= deadline {
                        return Err(trouble.unwrap_or_else(|| self.judge(&error)));
                    }
                    sleep(CALLS_AGAIN).await;
                }
                Err(error) => {
                    self.state = SessionState::Unusable;
                    return Err(self.judge(&error));
                }
            }
        }
        if self.committed.len() >= TOPICS_MAX {
            self.committed.clear();
        }
        if !self.committed.contains_key(topic) {
            let (consumer, name, within) = (self.consumer.clone(), topic.to_owned(), self.patience);
            let text = blocking(move || committed_text(&consumer, &name, within)).await;
            let text = text.map_err(|error| self.judge(&error))?;
            self.committed.insert(topic.to_owned(), Committed::parse(&text));
        }
        Ok(())
    }

    /// Returns whether a record was committed before.
    pub(super) fn has(&self, topic: &str, id: RecordId) -> bool {
        self.committed.get(topic).is_some_and(|committed| committed.has(id))
    }

    /// Commits records together with their ids, or none of them. After a failure that leaves it unknown which, the session is of no
    /// use any more.
    pub(super) async fn commit(&mut self, topic: &str, records: &[Record<'_>]) -> Result<(), Failure> {
        self.state = SessionState::Unusable;
        self.producer.native().begin_transaction().map_err(|error| self.judge(&error))?;
        if let Err(failure) = self.produce(topic, records).await {
            return self.abort(failure).await;
        }
        let before = self.committed.get(topic).cloned().unwrap_or_default();
        let mut committed = before.with(records.iter().map(|record| record.id));
        if let Err(error) = self.send_ids(topic, committed.text()).await {
            return self.abort(self.judge(&error)).await;
        }
        // The library's own limit of time: a shorter one may leave it in a state of which it knows nothing.
        let ended = timeout(self.lifetime, self.call(|producer| producer.commit_transaction(Timeout::Never)));
        match ended.await {
            Ok(Ok(())) => {
                self.committed.insert(topic.to_owned(), committed);
                self.state = SessionState::Usable;
                Ok(())
            }
            Ok(Err(error)) if needs_abort(&error) => self.abort(self.judge(&error)).await,
            Ok(Err(error)) => Err(self.judge(&error)),
            Err(_) => Err(unanswered("the commit", self.lifetime)),
        }
    }

    /// Gives records to librdkafka, and waits until the brokers have them.
    async fn produce(&self, topic: &str, records: &[Record<'_>]) -> Result<(), Failure> {
        let waiter = Arc::<Waiter>::default();
        for record in records {
            self.reports.begin(record.id, &waiter);
            if let Err(code) = self.producer.produce(topic, record.key, record.text, record.id) {
                return Err(verdict::of_report(self.cause(code)));
            }
        }
        self.wait(&waiter).await?;
        let answers = records.iter().filter_map(|record| self.reports.take(record.id).flatten());
        let codes: Vec<RDKafkaErrorCode> = answers.collect();
        let is_purged = |code: &RDKafkaErrorCode| {
            matches!(code, RDKafkaErrorCode::PurgeQueue | RDKafkaErrorCode::PurgeInflight)
        };
        match (codes.iter().find(|code| !is_purged(code)), codes.first()) {
            (Some(code), _) => Err(verdict::of_report(self.cause(*code))),
            (None, Some(code)) => Err(self.fault().await.unwrap_or_else(|| verdict::of_report(*code))),
            (None, None) => Ok(()),
        }
    }

    /// Waits for all reports: as long as the transaction lives, or for `patience` while no broker can be reached.
    async fn wait(&self, waiter: &Waiter) -> Result<(), Failure> {
        let begin = Instant::now();
        while timeout(LOOKS_EVERY, waiter.wait()).await.is_err() {
            if let Some(failure) = self.fault().await {
                return Err(failure);
            }
            match self.producer.trouble() {
                Some(trouble) if matches!(trouble.verdict, Verdict::Hold(_)) => return Err(trouble),
                Some(trouble) if begin.elapsed() >= self.patience => return Err(trouble),
                _ if begin.elapsed() >= self.lifetime => {
                    return Err(unanswered("the records", self.lifetime));
                }
                _ => {}
            }
        }
        Ok(())
    }

    /// Returns what stopped the transaction, while one runs. Another one cannot begin: librdkafka says that this is why, or what the
    /// fault of this one is.
    async fn fault(&self) -> Option<Failure> {
        let error = self.call(|producer| producer.begin_transaction()).await.err()?;
        (error.rdkafka_error_code() != Some(RDKafkaErrorCode::State)).then(|| self.judge(&error))
    }

    /// Makes the ids of everything that was committed a part of the transaction.
    async fn send_ids(&self, topic: &str, text: String) -> KafkaResult<()> {
        let deadline = Instant::now() + self.patience;
        loop {
            let (topic, text) = (topic.to_owned(), text.clone());
            let (consumer, within) = (self.consumer.clone(), self.patience);
            let send = move |producer: &BaseProducer<Context>| {
                let mut offsets = TopicPartitionList::new();
                let mut offset = offsets.add_partition(&topic, 0);
                offset.set_offset(Offset::Offset(1))?;
                offset.set_metadata(text);
                let group = consumer.group_metadata().ok_or(KafkaError::Canceled)?;
                producer.send_offsets_to_transaction(&offsets, &group, within)
            };
            match self.call(send).await {
                Err(error) if is_retriable(&error) && Instant::now() < deadline => sleep(CALLS_AGAIN).await,
                ended => return ended,
            }
        }
    }

    /// Ends the transaction so that none of its records counts, and returns why.
    async fn abort(&mut self, failure: Failure) -> Result<(), Failure> {
        let abort = |producer: &BaseProducer<Context>| {
            producer.abort_transaction(Timeout::Never)?;
            producer.flush(PURGED_WITHIN)
        };
        // Without a connection nobody hears of it: the next session ends the transaction.
        if !failure.is_of_connection()
            && let Ok(Ok(())) = timeout(self.patience, self.call(abort)).await
        {
            self.state = SessionState::Usable;
        }
        self.reports.forget();
        Err(failure)
    }

    /// Runs a call that may wait.
    async fn call(
        &self,
        call: impl FnOnce(&BaseProducer<Context>) -> KafkaResult<()> + Send + 'static,
    ) -> KafkaResult<()> {
        let producer = self.producer.clone();
        blocking(move || call(producer.native())).await
    }

    /// Returns the fault that stopped the producer, if that is what the code says.
    fn cause(&self, code: RDKafkaErrorCode) -> RDKafkaErrorCode {
        self.producer.fatal().filter(|_| code == RDKafkaErrorCode::Fatal).unwrap_or(code)
    }

    /// Judges a call that failed. No single record is at fault.
    fn judge(&self, error: &KafkaError) -> Failure {
        let code = self.cause(error.rdkafka_error_code().unwrap_or(RDKafkaErrorCode::Unknown));
        let words = match error {
            KafkaError::Transaction(error) => plain(&error.string()),
            error => plain(&error.to_string()),
        };
        verdict::of_transaction(code, &self.id, &words)
    }
}

fn unanswered(what: &str, within: Duration) -> Failure {
    let answer = format!("the brokers do not answer {what} within {} seconds", within.as_secs_f32());
    Failure { verdict: Verdict::Later(Wait::Busy), answer }
}

/// Runs a call that may wait on a thread for such calls. One that panics is a failure like others.
async fn blocking<T: Send + 'static>(
    call: impl FnOnce() -> KafkaResult<T> + Send + 'static,
) -> KafkaResult<T> {
    spawn_blocking(call).await.unwrap_or(Err(KafkaError::Canceled))
}

/// Reads what the last transaction has committed with the records of a topic.
fn committed_text(consumer: &BaseConsumer<Silent>, topic: &str, within: Duration) -> KafkaResult<String> {
    let mut asked = TopicPartitionList::new();
    asked.add_partition(topic, 0);
    let answers = consumer.committed_offsets(asked, within)?;
    let Some(answer) = answers.elements().into_iter().next() else { return Ok(String::new()) };
    match answer.error() {
        // Nothing was committed to a topic that is not there.
        Err(error) if error.rdkafka_error_code() == Some(RDKafkaErrorCode::UnknownTopicOrPartition) => {
            Ok(String::new())
        }
        Err(error) => Err(error),
        Ok(()) => Ok(answer.metadata().to_owned()),
    }
}

fn is_retriable(error: &KafkaError) -> bool {
    matches!(error, KafkaError::Transaction(error) if error.is_retriable() && !error.is_fatal())
}

fn needs_abort(error: &KafkaError) -> bool {
    matches!(error, KafkaError::Transaction(error) if error.txn_requires_abort())
}
