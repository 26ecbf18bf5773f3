//! librdkafka's producer, and the thread that hears its reports.
//!
//! In: records. Out: their reports, the state of the connections, lines for our log. Holds: librdkafka's producer, a thread
//! that waits for its events. Limits: [`HEARS_EVERY`] for the end of the thread, which ends the producer; who drops this
//! waits [`ENDS_WITHIN`] for it at most.

use super::{
    reports::{Answer, Reports},
    verdict,
};
use crate::link::failure::Failure;
use message::RecordId;
use rdkafka::{
    ClientContext,
    config::{ClientConfig, FromClientConfigAndContext, RDKafkaLogLevel},
    error::KafkaError,
    producer::{BaseProducer, BaseRecord, DeliveryResult, Producer, ProducerContext},
    types::RDKafkaErrorCode,
};
use std::{
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicBool, Ordering},
        mpsc,
    },
    thread,
    time::Duration,
};
use transport::{InternalLog, kafka::LibraryLog};

/// The name that librdkafka has for the bytes of a batch.
pub(super) const BATCH_BYTES: &str = "batch.size";
/// Longest wait of the thread for an event.
const HEARS_EVERY: Duration = Duration::from_millis(100);
/// Longest wait for the end of the thread. A process that ends while librdkafka still encrypts may crash.
const ENDS_WITHIN: Duration = Duration::from_secs(2);

/// The part that librdkafka calls.
pub(super) struct Context {
    reports: Arc<Reports>,
    /// The reason why brokers cannot be reached, until one answers.
    trouble: Mutex<Option<Failure>>,
    /// The last words about the connection to a broker.
    fault: Mutex<String>,
    log: LibraryLog,
}

impl Context {
    /// A problem with credentials explains that no broker can be reached, not the other way round.
    fn note(&self, failure: Failure) {
        let mut trouble = self.trouble.lock().unwrap_or_else(PoisonError::into_inner);
        if trouble.as_ref().is_none_or(Failure::is_of_connection) || !failure.is_of_connection() {
            *trouble = Some(failure);
        }
    }

    fn has_reached(&self) {
        *self.trouble.lock().unwrap_or_else(PoisonError::into_inner) = None;
    }
}

impl ClientContext for Context {
    fn log(&self, level: RDKafkaLogLevel, _facility: &str, words: &str) {
        self.log.tell(level, words);
    }

    fn stats_raw(&self, _statistics: &[u8]) {}

    fn error(&self, error: KafkaError, words: &str) {
        let code = error.rdkafka_error_code().unwrap_or(RDKafkaErrorCode::Unknown);
        let mut fault = self.fault.lock().unwrap_or_else(PoisonError::into_inner);
        match code {
            RDKafkaErrorCode::BrokerTransportFailure | RDKafkaErrorCode::Resolve => {
                words.clone_into(&mut fault)
            }
            RDKafkaErrorCode::AllBrokersDown => {
                let words = format!("{words}; {fault}");
                verdict::of_connections(code, &words).into_iter().for_each(|failure| self.note(failure));
            }
            _ => match verdict::of_connections(code, words) {
                Some(failure) => self.note(failure),
                None => self.log.tell(RDKafkaLogLevel::Warning, words),
            },
        }
    }
}

impl ProducerContext for Context {
    type DeliveryOpaque = Box<RecordId>;

    fn delivery(&self, result: &DeliveryResult<'_>, id: Box<RecordId>) {
        let answer: Answer = match result {
            Ok(_) => None,
            Err((error, _)) => Some(error.rdkafka_error_code().unwrap_or(RDKafkaErrorCode::Unknown)),
        };
        if answer.is_none() {
            self.has_reached();
        }
        self.reports.answer(*id, answer);
    }
}

/// A producer that runs.
pub(super) struct KafkaProducer {
    /// Most bytes of a batch, unless it is a single record.
    pub(super) batch_bytes: usize,
    native: Option<Arc<BaseProducer<Context>>>,
    context: Arc<Context>,
    stops: Arc<AtomicBool>,
    ended: Mutex<mpsc::Receiver<()>>,
}

/// A record that was not produced.
pub(super) type ProduceError = RDKafkaErrorCode;

impl KafkaProducer {
    /// Makes a producer. It connects by itself, and again whenever it has to.
    pub(super) fn start(
        mut config: ClientConfig,
        batch_bytes: usize,
        reports: Arc<Reports>,
        log: InternalLog,
    ) -> Result<KafkaProducer, KafkaError> {
        config.set(BATCH_BYTES, batch_bytes.to_string());
        let context = Context {
            reports,
            trouble: Mutex::default(),
            fault: Mutex::default(),
            log: LibraryLog::new(log),
        };
        let native = Arc::new(BaseProducer::from_config_and_context(&config, context)?);
        let context = native.context().clone();
        let stops = Arc::<AtomicBool>::default();
        let (end, ended) = mpsc::channel();
        let (hears, told) = (native.clone(), stops.clone());
        let hear = move || {
            while !told.load(Ordering::Relaxed) {
                hears.poll(HEARS_EVERY);
            }
            // The last one who has the producer ends it here: what is on its way is answered as purged.
            drop(hears);
            drop(end);
        };
        thread::Builder::new()
            .name("kafka reports".to_owned())
            .spawn(hear)
            .map_err(|error| KafkaError::ClientCreation(error.to_string()))?;
        Ok(KafkaProducer { batch_bytes, native: Some(native), context, stops, ended: Mutex::new(ended) })
    }

    /// Returns librdkafka's producer.
    pub(super) fn native(&self) -> &BaseProducer<Context> {
        self.native.as_ref().expect("it is taken only when this is dropped")
    }

    /// Gives a record to librdkafka, which copies it.
    pub(super) fn produce(
        &self,
        topic: &str,
        key: Option<&[u8]>,
        text: &[u8],
        id: RecordId,
    ) -> Result<(), ProduceError> {
        let record = BaseRecord::with_opaque_to(topic, Box::new(id)).payload(text);
        let record = match key {
            Some(key) => record.key(key),
            None => record,
        };
        self.native()
            .send(record)
            .map_err(|(error, _)| error.rdkafka_error_code().unwrap_or(RDKafkaErrorCode::InvalidTopic))
    }

    /// Returns the reason why this producer can produce nothing any more.
    pub(super) fn fatal(&self) -> Option<RDKafkaErrorCode> {
        self.native().client().fatal_error().map(|(code, _)| code)
    }

    /// Returns the reason why brokers cannot be reached.
    pub(super) fn trouble(&self) -> Option<Failure> {
        self.context.trouble.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

impl Drop for KafkaProducer {
    fn drop(&mut self) {
        self.stops.store(true, Ordering::Relaxed);
        self.native = None;
        let ended = self.ended.get_mut().unwrap_or_else(PoisonError::into_inner);
        let _ = ended.recv_timeout(ENDS_WITHIN);
    }
}
