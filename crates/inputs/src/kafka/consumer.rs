//! librdkafka's consumer, and what it says.
//!
//! In: settings and topics. Out: records, partitions that come and go, lines of our log. Holds: the consumer; its threads are
//! librdkafka's. Limits: who closes it waits [`CLOSES_WITHIN`] at most; a gap is reported once in [`GAPS_EVERY`], with how many
//! there were.

use super::{
    health::{Health, Subject, subject},
    options::KafkaSource,
};
use rdkafka::{
    ClientContext, TopicPartitionList,
    config::{FromClientConfigAndContext, RDKafkaLogLevel},
    consumer::{BaseConsumer, Consumer, ConsumerContext, RebalanceProtocol},
    error::{KafkaError, KafkaResult},
    types::{RDKafkaErrorCode as Code, RDKafkaRespErr},
};
use std::{
    collections::VecDeque,
    sync::{
        Mutex, PoisonError,
        atomic::{AtomicBool, Ordering},
        mpsc,
    },
    thread,
    time::{Duration, Instant},
};
use transport::{
    InternalLog, LogPause,
    kafka::{LibraryLog, plain},
};

/// Longest wait for the end of the consumer: it commits, and leaves the group.
const CLOSES_WITHIN: Duration = Duration::from_secs(3);
/// Least time between two reports of gaps.
const GAPS_EVERY: Duration = Duration::from_secs(1);

/// Partitions that come or go. Nothing is read until it is applied.
pub(super) enum Reassignment {
    Assign(TopicPartitionList),
    Revoke(TopicPartitionList),
}

/// The part that librdkafka calls.
pub(super) struct Context {
    pub(super) health: Health,
    topics: Vec<String>,
    reassignments: Mutex<VecDeque<Reassignment>>,
    closes: AtomicBool,
    log: InternalLog,
    library: LibraryLog,
    gaps: Mutex<LogPause>,
}

impl Context {
    /// Returns partitions that came or went.
    pub(super) fn take_reassignment(&self) -> Option<Reassignment> {
        self.reassignments.lock().unwrap_or_else(PoisonError::into_inner).pop_front()
    }

    /// A position is not there any more: records were deleted before they were read.
    fn report_gap(&self, words: &str) {
        let mut gaps = self.gaps.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(count) = gaps.count(1, Instant::now()) {
            self.log.error(&format!(
                "The brokers do not have the next record of a partition any more, records are missing; words='{}', partitions='{count}'",
                plain(words)
            ));
        }
    }
}

impl ClientContext for Context {
    fn log(&self, level: RDKafkaLogLevel, facility: &str, words: &str) {
        match facility {
            "OFFSET" if matches!(level, RDKafkaLogLevel::Warning) => self.report_gap(words),
            _ => self.library.tell(level, words),
        }
    }

    fn stats_raw(&self, _statistics: &[u8]) {}

    fn error(&self, error: KafkaError, words: &str) {
        let code = error.rdkafka_error_code().unwrap_or(Code::Unknown);
        if self.health.note(code, words, &self.topics) && subject(code) == Subject::Other {
            self.library.tell(RDKafkaLogLevel::Warning, words);
        }
    }
}

impl ConsumerContext for Context {
    /// Only notes the change: it is applied between two batches.
    fn rebalance(&self, consumer: &BaseConsumer<Self>, event: RDKafkaRespErr, list: &mut TopicPartitionList) {
        if self.closes.load(Ordering::Relaxed) {
            // librdkafka waits for it before it ends.
            let _ = match consumer.rebalance_protocol() {
                RebalanceProtocol::Cooperative => consumer.incremental_unassign(list),
                _ => consumer.unassign(),
            };
            return;
        }
        let reassignment = match event {
            RDKafkaRespErr::RD_KAFKA_RESP_ERR__ASSIGN_PARTITIONS => Reassignment::Assign(list.clone()),
            _ => Reassignment::Revoke(list.clone()),
        };
        self.reassignments.lock().unwrap_or_else(PoisonError::into_inner).push_back(reassignment);
    }

    fn commit_callback(&self, result: KafkaResult<()>, _offsets: &TopicPartitionList) {
        match result.as_ref().map_err(KafkaError::rdkafka_error_code) {
            Ok(()) => self.health.has_reached(),
            Err(Some(Code::NoOffset)) => {}
            Err(code) => {
                let why = code.map_or_else(|| "unknown".to_owned(), |code| plain(&code.to_string()));
                let words = format!("positions cannot be committed, they are with the next ones: {why}");
                self.library.tell(RDKafkaLogLevel::Warning, &words);
            }
        }
    }
}

/// A member of a group.
pub(super) type Member = BaseConsumer<Context>;

/// Makes a consumer and subscribes to the topics. It connects by itself, and again whenever it has to.
pub(super) fn start(options: &KafkaSource, log: &InternalLog) -> Result<Member, KafkaError> {
    let context = Context {
        health: Health::default(),
        topics: options.topics.clone(),
        reassignments: Mutex::default(),
        closes: AtomicBool::new(false),
        log: log.clone(),
        library: LibraryLog::new(log.clone()),
        gaps: Mutex::new(LogPause::new(GAPS_EVERY)),
    };
    let member = BaseConsumer::from_config_and_context(options.properties.config(), context)?;
    let topics: Vec<&str> = options.topics.iter().map(String::as_str).collect();
    member.subscribe(&topics)?;
    Ok(member)
}

/// Commits what was acknowledged, leaves the group and ends the consumer. Brokers that do not answer are not waited for.
pub(super) fn close(member: Member, log: &InternalLog) {
    member.context().closes.store(true, Ordering::Relaxed);
    while let Some(reassignment) = member.context().take_reassignment() {
        let (Reassignment::Assign(list) | Reassignment::Revoke(list)) = reassignment;
        let _ = match member.rebalance_protocol() {
            RebalanceProtocol::Cooperative => member.incremental_unassign(&list),
            _ => member.unassign(),
        };
    }
    let (end, ended) = mpsc::channel::<()>();
    let ending = move || {
        drop(member);
        drop(end);
    };
    match thread::Builder::new().name("kafka end".to_owned()).spawn(ending) {
        Ok(_) => {
            if ended.recv_timeout(CLOSES_WITHIN) == Err(mpsc::RecvTimeoutError::Timeout) {
                log.warning("Kafka does not answer, some records may be read again");
            }
        }
        // The consumer was dropped with the closure.
        Err(error) => log.error(&format!("Cannot start a thread; error='{error}'")),
    }
}
