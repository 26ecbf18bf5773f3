//! The thread of a source: polls, makes batches, holds back, gives partitions up, ends.
//!
//! In: records. Out: batches. Holds: the consumer. Limits: the window of the source: when it is full, the partitions are
//! paused and the group still hears of us. Partitions that go to another member are waited for during [`GIVES_UP_WITHIN`], and at
//! the end all of them during [`SETTLES_WITHIN`].

use super::{
    consumer::{self, Member, Reassignment},
    offsets::{Offsets, Place},
    options::KafkaSource,
    records::{Record, Records},
};
use crate::broker::TroubleReport;
use intake::{BatchReader, Completion, InputTask, READ_BYTES, Run};
use message::{Origin, Outcome, Transport};
use rdkafka::{
    Message, Offset, TopicPartitionList,
    consumer::{Consumer, RebalanceProtocol},
    error::{KafkaError, KafkaResult},
    message::BorrowedMessage,
};
use std::{
    sync::Arc,
    thread,
    time::{Duration, Instant},
};
use tokio::{
    runtime::{Builder, Runtime},
    sync::watch,
    time::timeout,
};
use transport::{InternalLog, kafka::plain, own_name, stats};

/// The sentences of our log when nothing can be read, and when that is over.
const FAILS: &str = "Cannot read topics of Kafka, trying again";
const WORKS: &str = "Topics of Kafka are read again";
/// Longest wait for a record: then it looks whether it has to end.
const HEARS_EVERY: Duration = Duration::from_millis(100);
/// Pause before a consumer that could not be made, or that failed for good, is made again.
const AGAIN: Duration = Duration::from_secs(10);
/// How long a full window is waited for before the partitions are paused: paused ones lose what was fetched for them.
const PAUSES_AFTER: Duration = Duration::from_secs(1);
/// Longest wait for the acknowledgements of partitions that go to another member. The group waits for us as long.
const GIVES_UP_WITHIN: Duration = Duration::from_secs(5);
/// Longest wait for acknowledgements at the end. What is not acknowledged by then is read again.
const SETTLES_WITHIN: Duration = Duration::from_secs(2);
/// How often positions, brokers and topics are looked after.
const LOOKS_EVERY: Duration = Duration::from_secs(1);
/// How often brokers that were away are asked, and records that a destination gave up are read again.
const TRIES_EVERY: Duration = Duration::from_secs(5);
/// Longest wait for an answer that nothing depends on.
const ANSWERS_WITHIN: Duration = Duration::from_secs(1);

/// Reads topics on a thread of its own until it is stopped.
pub(super) fn read_topics(options: KafkaSource, task: InputTask) {
    let InputTask { cell, log, stop, .. } = task;
    let mut batch_reader = BatchReader::new(&cell);
    // A destination that waits for a disk must not keep the group waiting for us.
    batch_reader.disable_inline_writes();
    let failed = log.clone();
    let spawned = Builder::new_current_thread().enable_time().build().and_then(|runtime| {
        let reader = Reader::new(batch_reader, options, log, (stop, runtime));
        thread::Builder::new().name("kafka".to_owned()).spawn(move || reader.run())
    });
    if let Err(error) = spawned {
        failed.error(&format!("Cannot start the thread of a source; error='{error}'"));
    }
}

struct Reader {
    batch_reader: BatchReader,
    origin: Arc<Origin>,
    options: KafkaSource,
    offsets: Arc<Offsets>,
    log: InternalLog,
    stop: watch::Receiver<bool>,
    /// Waits for the window and for the stop.
    runtime: Runtime,
    is_paused: bool,
    looked: Instant,
    tried: Instant,
    trouble: TroubleReport,
}

/// The reason why a consumer is no longer read.
enum End {
    Stopped,
    Failed(KafkaError),
}

impl Reader {
    fn new(
        batch_reader: BatchReader,
        options: KafkaSource,
        log: InternalLog,
        (stop, runtime): (watch::Receiver<bool>, Runtime),
    ) -> Reader {
        let (origin, now) = (origin(&batch_reader), Instant::now());
        let offsets = Arc::default();
        Reader {
            trouble: TroubleReport::new(batch_reader.settings(), log.clone(), FAILS, WORKS),
            batch_reader,
            origin,
            options,
            offsets,
            log,
            stop,
            runtime,
            is_paused: false,
            looked: now,
            tried: now,
        }
    }

    fn run(mut self) {
        while !self.is_stopped() {
            let error = match consumer::start(&self.options, &self.log) {
                Ok(member) => {
                    let end = self.read(&member);
                    self.settle(&member);
                    consumer::close(member, &self.log);
                    self.offsets.places().iter().for_each(|place| self.offsets.end(place));
                    match end {
                        End::Stopped => return,
                        End::Failed(error) => error,
                    }
                }
                Err(error) => error,
            };
            self.show(Some(plain(&error.to_string())));
            let stop = &mut self.stop;
            // Both outcomes are looked at in the loop's condition.
            let _ =
                self.runtime.block_on(async { timeout(AGAIN, stop.wait_for(|stop| *stop)).await.is_ok() });
        }
    }

    fn is_stopped(&self) -> bool {
        *self.stop.borrow() || self.stop.has_changed().is_err()
    }

    fn id(&self) -> &str {
        &self.batch_reader.settings().id
    }

    /// Reads until it is stopped or the consumer fails for good.
    fn read(&mut self, member: &Member) -> End {
        self.is_paused = false;
        while !self.is_stopped() {
            if self.batch_reader.refresh() {
                self.origin = origin(&self.batch_reader);
                self.trouble.show_again(self.batch_reader.settings());
            }
            while let Some(reassignment) = member.context().take_reassignment() {
                self.apply(member, reassignment);
            }
            self.look_after(member);
            if let Err(error) = self.read_some(member) {
                return End::Failed(error);
            }
            self.store(member);
        }
        End::Stopped
    }

    /// Waits for the window, then reads a batch. An error ends the consumer.
    fn read_some(&mut self, member: &Member) -> KafkaResult<()> {
        let patience = if self.is_paused { HEARS_EVERY } else { PAUSES_AFTER };
        let has_room = self.wait_for_room(patience);
        if has_room == self.is_paused {
            let list = member.assignment()?;
            if has_room {
                member.resume(&list)?
            } else {
                member.pause(&list)?
            }
            self.is_paused = !has_room;
        }
        let mut records = Records::default();
        let mut patience = if self.is_paused { Duration::ZERO } else { HEARS_EVERY };
        let mut ending = Ok(());
        while records.count < self.options.records_max && records.bytes.len() < READ_BYTES {
            match member.poll(patience) {
                Some(Ok(record)) => records.push(record_of(&record), &mut self.batch_reader),
                Some(Err(error @ KafkaError::MessageConsumptionFatal(_))) => {
                    ending = Err(error);
                    break;
                }
                // The context has heard of it.
                Some(Err(_)) | None => break,
            }
            patience = Duration::ZERO;
        }
        if records.count > 0 {
            member.context().health.has_reached();
            self.forward(records);
        }
        ending
    }

    fn wait_for_room(&mut self, limit: Duration) -> bool {
        let (window, stop) = (self.batch_reader.window.clone(), &mut self.stop);
        self.runtime.block_on(async {
            tokio::select! {
                biased;
                () = window.wait_for_room() => true,
                _ = stop.wait_for(|stop| *stop) => false,
                () = tokio::time::sleep(limit) => false,
            }
        })
    }

    fn forward(&mut self, mut records: Records) {
        stats::add(&self.batch_reader.settings().counters.frame_errors, records.empty);
        let update = self.offsets.update(records.ranges.clone());
        let runs = [Run { frames: self.batch_reader.frames(), origin: self.origin.clone() }];
        let bytes = Arc::new(std::mem::take(&mut records.bytes));
        match self.batch_reader.decode(bytes, &runs) {
            Some(mut batch) => {
                if self.options.stores_metadata {
                    records.store_metadata(&mut batch);
                }
                self.batch_reader.deliver(batch, Some(Box::new(update)));
            }
            None => update.complete(Outcome::Done),
        }
    }

    fn apply(&mut self, member: &Member, reassignment: Reassignment) {
        let is_cooperative = matches!(member.rebalance_protocol(), RebalanceProtocol::Cooperative);
        let applied = match reassignment {
            Reassignment::Assign(list) => {
                let places = places_of(&list);
                for place in &places {
                    self.offsets.begin(place.clone());
                    member.context().health.has_topic(&place.0);
                }
                member.context().health.has_reached();
                self.say("Partitions came to this server", &places);
                let assigned =
                    if is_cooperative { member.incremental_assign(&list) } else { member.assign(&list) };
                assigned.and_then(|()| if self.is_paused { member.pause(&list) } else { Ok(()) })
            }
            Reassignment::Revoke(list) => {
                let places = places_of(&list);
                // Partitions that were lost have another member already.
                let limit = if member.assignment_lost() { Duration::ZERO } else { GIVES_UP_WITHIN };
                self.offsets.wait(&places, limit);
                self.store(member);
                places.iter().for_each(|place| self.offsets.end(place));
                self.say("Partitions leave this server", &places);
                if is_cooperative { member.incremental_unassign(&list) } else { member.unassign() }
            }
        };
        if let Err(error) = applied {
            self.log.error(&format!(
                "Cannot change the partitions that are read; id='{}', error='{}'",
                self.id(),
                plain(&error.to_string())
            ));
        }
    }

    fn say(&self, sentence: &str, places: &[Place]) {
        /// Partitions that are named.
        const NAMED_MAX: usize = 20;
        let mut names: Vec<String> =
            places.iter().take(NAMED_MAX).map(|(topic, partition)| format!("{topic}[{partition}]")).collect();
        names.sort();
        let (id, group, count) = (self.id(), self.options.group(), places.len());
        self.log.notice(&format!(
            "{sentence}; id='{id}', group='{group}', count='{count}', partitions='{}'",
            names.join(" ")
        ));
    }

    /// Gives the acknowledged positions to librdkafka, which commits them.
    fn store(&self, member: &Member) {
        let reached = self.offsets.take_reached();
        if reached.is_empty() {
            return;
        }
        let mut list = TopicPartitionList::with_capacity(reached.len());
        for ((topic, partition), end) in &reached {
            // An offset of a broker is never negative.
            let _ = list.add_partition_offset(topic, *partition, Offset::Offset(*end));
        }
        if let Err(error) = member.store_offsets(&list) {
            let error = plain(&error.to_string());
            self.log.warning(&format!("Cannot keep positions; id='{}', error='{error}'", self.id()));
        }
    }

    /// Looks after what no record tells.
    fn look_after(&mut self, member: &Member) {
        let now = Instant::now();
        if now.duration_since(self.looked) < LOOKS_EVERY {
            return;
        }
        self.looked = now;
        if now.duration_since(self.tried) >= TRIES_EVERY {
            self.tried = now;
            self.read_again(member);
            self.probe(member);
        }
        let health = &member.context().health;
        let trouble = health.trouble();
        // A consumer that was made again, and has heard of nobody yet, has not ended the trouble of the one before.
        if trouble.is_some() || health.is_known() {
            self.show(trouble);
        }
    }

    /// Reads again what a destination gave up.
    fn read_again(&self, member: &Member) {
        for ((topic, partition), first) in self.offsets.failed() {
            // When it returns, nothing that was fetched before comes any more.
            if member.seek(&topic, partition, Offset::Offset(first), ANSWERS_WITHIN).is_ok() {
                self.log.warning(&format!(
                    "A destination gave up messages, they are read again; id='{}', partition='{topic}[{partition}]', offset='{first}'",
                    self.id()
                ));
                self.offsets.begin((topic, partition));
            }
        }
    }

    /// Asks whether brokers and topics that were away are there: without records nothing else would say it.
    fn probe(&self, member: &Member) {
        let health = &member.context().health;
        if health.trouble().is_none() {
            return;
        }
        let named = self.options.topics.iter().find(|topic| !topic.starts_with('^'));
        let missing = health.missing();
        let asked = missing.iter().filter(|topic| !topic.is_empty()).map(String::as_str);
        let asked = asked.chain(missing.is_empty().then(|| named.map_or("", String::as_str)));
        for topic in asked {
            let topic = Some(topic).filter(|topic| !topic.is_empty());
            let Ok(answer) = member.fetch_metadata(topic, ANSWERS_WITHIN) else { return };
            health.has_reached();
            for found in answer.topics().iter().filter(|found| found.error().is_none()) {
                health.has_topic(found.name());
            }
        }
    }

    /// Shows a trouble, or that it is over, in the log and in the health of the server.
    fn show(&mut self, trouble: Option<String>) {
        self.trouble.show(self.batch_reader.settings(), trouble);
    }

    /// Waits for acknowledgements before the consumer ends, and gives the positions to librdkafka.
    fn settle(&self, member: &Member) {
        let places = self.offsets.places();
        if !self.offsets.wait(&places, SETTLES_WITHIN) {
            let id = self.id();
            self.log.notice(&format!("Some records are not acknowledged, they are read again; id='{id}'"));
        }
        self.store(member);
    }
}

fn origin(batch_reader: &BatchReader) -> Arc<Origin> {
    let settings = batch_reader.settings();
    let mut origin = settings.origin(Transport::Local, None, own_name(&settings.options.hosts));
    origin.transport_name = "kafka".to_owned();
    Arc::new(origin)
}

fn record_of<'a>(record: &'a BorrowedMessage<'_>) -> Record<'a> {
    Record {
        topic: record.topic(),
        partition: record.partition(),
        offset: record.offset(),
        key: record.key(),
        value: record.payload(),
    }
}

fn places_of(list: &TopicPartitionList) -> Vec<Place> {
    let elements = list.elements();
    elements.iter().map(|element| (element.topic().into(), element.partition())).collect()
}
