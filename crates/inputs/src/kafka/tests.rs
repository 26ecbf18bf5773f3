//! Topics that librdkafka plays, read by a source; and brokers that are away.

use super::records::{Record, Records};
use crate::KafkaSource;
use intake::{
    BatchReader, Run, Settings, SettingsCell, SourceDriver, SourceOptions, Sources,
    testing::{Setup, source_options, spec},
};
use message::{Batch, FieldName, Intake, Origin, WriteBudget};
use rdkafka::{
    ClientConfig,
    mocking::MockCluster,
    producer::{BaseProducer, BaseRecord, DefaultProducerContext, Producer},
};
use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::{Duration, Instant},
};
use transport::{
    InternalLog,
    kafka::{ClientRole, Properties},
    stats::Registry,
    testing::{Collected, PATIENCE, eventually},
};
use wire::ParseFlags;

/// The options of a source of messages as RFC 5424 has them.
fn syslog_options() -> SourceOptions {
    let mut options = source_options();
    options.decode.flags = options.decode.flags.with(ParseFlags::SYSLOG_PROTOCOL);
    options
}

fn source(brokers: &str) -> SourceDriver {
    let properties = Properties::new(ClientRole::Consumer, brokers);
    let topics = vec!["logs".to_owned()];
    let kafka = KafkaSource { properties, topics, stores_metadata: true, records_max: 3 };
    SourceDriver::Input(Arc::new(kafka))
}

/// Shows the place of each message that was received, and its text.
fn shown(collected: &Collected) -> Vec<String> {
    let names = [".kafka.topic", ".kafka.partition", ".kafka.offset", ".kafka.key", "MESSAGE"];
    let names: Vec<FieldName> = names.iter().map(|name| FieldName::parse(name)).collect();
    collected.batches(|batches| {
        let places = batches.iter().flat_map(|batch| (0..batch.len()).map(move |index| (batch, index)));
        let value = |(batch, index): (&Batch, usize), name| {
            batch
                .field(index, name)
                .map_or("-".to_owned(), |value| String::from_utf8_lossy(&value).into_owned())
        };
        let show = |place| names.iter().map(|name| value(place, name)).collect::<Vec<_>>().join(" ");
        places.map(show).collect()
    })
}

/// A record: partition, offset, key, value.
type Row<'a> = (i32, i64, Option<&'a str>, Option<&'a [u8]>);

/// Makes the frames of some records, and shows what becomes of them.
#[track_caller]
fn check(records: &[Row<'_>], want: &[&str], empty: usize) {
    let (setup, options) = (Collected::new(), syslog_options());
    let counters = Registry::default().register("src.kafka", "s#0", "");
    let settings = Settings {
        id: "s#0".to_owned(),
        component: "kafka".to_owned(),
        driver: source("h:1"),
        options: Arc::new(options),
        intake: setup.clone(),
        counters,
    };
    let mut reader = BatchReader::new(&SettingsCell::new(settings));
    let mut found = Records::default();
    for (partition, offset, key, value) in records {
        let key = key.map(str::as_bytes);
        let record = Record { topic: "logs", partition: *partition, offset: *offset, key, value: *value };
        found.push(record, &mut reader);
    }
    let runs = [Run { frames: reader.frames(), origin: Arc::new(Origin::default()) }];
    if let Some(mut batch) = reader.decode(Arc::new(std::mem::take(&mut found.bytes)), &runs) {
        found.store_metadata(&mut batch);
        reader.deliver(batch, None);
    }
    assert_eq!(shown(&setup), want);
    assert_eq!((found.count, found.empty), (records.len(), empty));
}

#[test]
fn each_message_knows_its_record() {
    let text: Option<&[u8]> = Some(b"<13>1 - h p - - - one");
    check(&[(0, 5, None, text)], &["logs 0 5 - one"], 0);
    check(
        &[
            (0, 5, Some("k"), text),
            (1, 9, None, None),
            (1, 10, Some("longer"), text),
            (0, 6, None, Some(b"")),
        ],
        &["logs 0 5 k one", "logs 1 10 longer one"],
        2,
    );
    check(&[(0, 0, None, None)], &[], 1);
    check(&[(0, 0, None, Some(b"\r\n\0")), (0, 1, Some(""), text)], &["logs 0 1  one"], 1);
    check(&[(0, 0, None, Some(b"<13>1 - h p - - - \xff\xfe\0x"))], &["logs 0 0 - \u{fffd}\u{fffd}\0x"], 0);
    let long = [b"<13>1 - h p - - - ".as_slice(), &b"x".repeat(3 << 20)].concat();
    let kept = format!("logs 0 0 - {}", "x".repeat(65_536 - 18));
    check(&[(0, 0, None, Some(&long)), (0, 1, None, text)], &[&kept, "logs 0 1 - one"], 0);
}

/// Makes a topic with ten records on brokers that librdkafka plays.
fn ten_records() -> (MockCluster<'static, DefaultProducerContext>, String) {
    let cluster = MockCluster::new(1).expect("brokers of librdkafka");
    cluster.create_topic("logs", 1, 1).expect("a topic");
    let brokers = cluster.bootstrap_servers();
    let mut config = ClientConfig::new();
    config.set("bootstrap.servers", &brokers);
    let producer: BaseProducer = config.create().expect("a producer");
    for number in 0..10 {
        let text = format!("<13>1 - h p - - - {number}");
        producer
            .send(BaseRecord::to("logs").payload(&text).key("k"))
            .map_err(|(error, _)| error)
            .expect("room");
    }
    producer.flush(PATIENCE).expect("it takes them");
    (cluster, brokers)
}

#[test]
fn records_of_a_topic_are_read() {
    let (_cluster, brokers) = ten_records();
    let mut setup = Setup::new(|_| source(&brokers), syslog_options());
    setup.collected.wait(10);
    let want: Vec<String> = (0..10).map(|number| format!("logs 0 {number} k {number}")).collect();
    assert_eq!(shown(&setup.collected), want);
    setup.sources.stop(PATIENCE);
}

/// An intake that gives its first batch up.
struct GivesUpOnce {
    has_given_up: AtomicBool,
    collected: Arc<Collected>,
}

impl Intake for GivesUpOnce {
    fn take(&self, batch: Batch, budget: &WriteBudget) {
        if !self.has_given_up.swap(true, Ordering::Relaxed) {
            batch.ack.fail();
        }
        self.collected.take(batch, budget);
    }
}

#[test]
fn what_a_destination_gave_up_is_read_again() {
    let (_cluster, brokers) = ten_records();
    let collected = Collected::new();
    let intake = Arc::new(GivesUpOnce { has_given_up: AtomicBool::new(false), collected: collected.clone() });
    let log = InternalLog::new("test", None);
    let mut sources = Sources::start(Registry::default(), log, 1, None).expect("threads");
    let staged = sources.stage(vec![spec(source(&brokers), syslog_options(), intake)]).expect("a source");
    sources.commit(staged);
    collected.wait(10);
    collected.wait(20);
    let want: Vec<String> = (0..20).map(|number| number % 10).map(|n| format!("logs 0 {n} k {n}")).collect();
    assert_eq!(shown(&collected), want);
    sources.stop(PATIENCE);
}

#[test]
fn brokers_that_are_away_are_said_and_do_not_hold_the_stop() {
    let mut setup = Setup::new(|_| source("127.0.0.1:1"), source_options());
    let trouble = || setup.registry.list().iter().find_map(|counters| counters.trouble());
    eventually("the trouble", || trouble().is_some());
    let begin = Instant::now();
    setup.sources.stop(PATIENCE);
    assert!(begin.elapsed() < Duration::from_secs(5), "{:?}", begin.elapsed());
}
