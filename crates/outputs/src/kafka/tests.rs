//! Names of topics, verdicts, and records on their way to nobody and to brokers that librdkafka plays.

use super::{
    connection::{KafkaConnection, Shared},
    reports::{Lookup, Reports, Waiter},
    topic,
    transaction::TransactionConnection,
    verdict,
};
use delivery::{Cell, Connection, HoldReason, Row, Verdict, Wait};
use message::RecordId;
use rdkafka::{
    ClientContext,
    mocking::MockCluster,
    types::{RDKafkaApiKey, RDKafkaErrorCode as Code, RDKafkaRespErr as ErrorCode},
};
use std::{
    sync::Arc,
    time::{Duration, Instant},
};
use tokio::runtime::Builder;
use transport::{
    DeadReason,
    kafka::{ClientRole, Properties},
};

#[track_caller]
fn check_topic(text: &[u8], want: &str) {
    let found = topic::check(text).map_or_else(|error| format!("{error:?}"), str::to_owned);
    assert_eq!(found, want, "{}", String::from_utf8_lossy(text));
}

#[test]
fn names_of_topics_are_legal_or_refused() {
    check_topic(b"logs", "logs");
    check_topic(b"Web.logs_2-x", "Web.logs_2-x");
    check_topic(&[b'a'; 249], &"a".repeat(249));
    check_topic(&[b'a'; 250], "TooLong");
    check_topic(b"", "Empty");
    check_topic(b".", "Dots");
    check_topic(b"..", "Dots");
    check_topic(b"...", "...");
    check_topic(b"__consumer_offsets", "Reserved");
    check_topic(b"_schemas", "_schemas");
    for text in ["a b", "a/b", "a\nb", "a\0", "a,b", "ä", "^a"] {
        check_topic(text.as_bytes(), "Character");
    }
    check_topic(b"a\xff", "Character");
}

#[track_caller]
fn check_report(code: Code, want: Verdict) {
    assert_eq!(verdict::of_report(code).verdict, want, "{code:?}");
}

#[test]
fn reports_are_judged_by_their_code() {
    check_report(Code::MessageSizeTooLarge, Verdict::Split(DeadReason::TooLarge));
    check_report(Code::InvalidRecord, Verdict::Split(DeadReason::Constraint));
    check_report(Code::InvalidTopic, Verdict::Dead(DeadReason::BadName));
    check_report(Code::UnknownTopic, Verdict::Hold(HoldReason::Schema));
    check_report(Code::UnknownTopicOrPartition, Verdict::Hold(HoldReason::Schema));
    check_report(Code::TopicAuthorizationFailed, Verdict::Hold(HoldReason::Access));
    check_report(Code::ClusterAuthorizationFailed, Verdict::Hold(HoldReason::Credentials));
    check_report(Code::QueueFull, Verdict::Later(Wait::Busy));
    for code in [Code::MessageTimedOut, Code::PurgeInflight, Code::NotEnoughReplicas, Code::Unknown] {
        check_report(code, Verdict::Later(Wait::BackOff));
    }
    let words = verdict::of_connections(Code::AllBrokersDown, "1/1 \u{1b}[1mbrokers\nmore");
    assert_eq!(words.map(|failure| failure.answer).as_deref(), Some("1/1 [1mbrokers"));
    assert_eq!(verdict::of_connections(Code::MessageTimedOut, ""), None);
}

fn id(sequence: u64) -> RecordId {
    RecordId { incarnation: 7, sequence }
}

#[test]
fn a_record_on_its_way_is_not_produced_again() {
    let (reports, first, second) = (Reports::default(), Arc::<Waiter>::default(), Arc::<Waiter>::default());
    assert_eq!(reports.begin(id(1), &first), Lookup::New);
    assert_eq!(reports.begin(id(1), &second), Lookup::Sent);
    assert_eq!(reports.take(id(1)), None);
    reports.answer(id(1), Some(Code::InvalidTopic));
    reports.answer(id(1), None);
    assert_eq!(reports.begin(id(1), &second), Lookup::Answered(Some(Code::InvalidTopic)));
    assert_eq!(reports.begin(id(1), &first), Lookup::New, "it was answered, and is sent again");
    reports.answer(id(1), None);
    assert_eq!(reports.take(id(1)), Some(None));
    assert_eq!(reports.take(id(1)), None);
    assert_eq!(reports.begin(id(2), &first), Lookup::New);
    reports.give_up();
    assert_eq!(reports.take(id(2)), Some(Some(Code::PurgeInflight)), "its producer is gone");
    reports.answer(id(9), None);
    assert_eq!(reports.take(id(9)), None, "nobody sent it");
}

fn rows(texts: &[&str]) -> Vec<Row> {
    let row = |(number, text): (usize, &&str)| Row {
        id: id(number as u64),
        cells: vec![Cell::Null, Cell::Bytes(text.as_bytes().to_vec())],
    };
    texts.iter().enumerate().map(row).collect()
}

/// Sends rows, and tells what became of them.
fn send(connection: &mut dyn Connection, rows: &[Row]) -> Vec<String> {
    let runtime = Builder::new_current_thread().enable_all().build().expect("a runtime");
    let judgements = runtime.block_on(connection.send("logs", rows));
    judgements.iter().map(|judgement| format!("{} {:?}", judgement.rows, judgement.verdict)).collect()
}

fn shared(brokers: &str, settings: &[(&str, &str)], patience: Duration) -> Arc<Shared> {
    let mut properties = Properties::new(ClientRole::Producer, brokers);
    for (name, value) in settings {
        properties.set(name, value).expect("librdkafka knows it");
    }
    Arc::new(Shared::new(properties, 10, patience))
}

fn connection(brokers: &str, settings: &[(&str, &str)], patience: Duration) -> KafkaConnection {
    KafkaConnection::new(shared(brokers, settings, patience))
}

fn transactions(brokers: &str, settings: &[(&str, &str)], patience: Duration) -> TransactionConnection {
    TransactionConnection::new(shared(brokers, settings, patience), "duramen-test".to_owned())
}

const LONG: Duration = Duration::from_secs(20);

#[test]
fn brokers_report_each_record() {
    let cluster = MockCluster::new(1).expect("brokers of librdkafka");
    cluster.create_topic("logs", 1, 1).expect("a topic");
    let mut connection = connection(&cluster.bootstrap_servers(), &[("message.max.bytes", "1000")], LONG);
    let long = "x".repeat(2000);
    assert_eq!(
        send(&mut connection, &rows(&["one", &long, "three"])),
        ["1 Delivered", "1 Dead(TooLarge)", "1 Delivered"]
    );
    // The same ids again: what was answered is forgotten.
    assert_eq!(send(&mut connection, &rows(&["one"])), ["1 Delivered"]);
}

/// Stops the broker, and checks that two rows wait for it and are delivered when it is back.
#[track_caller]
fn check_that_rows_wait_for_the_broker<C: ClientContext>(
    cluster: &MockCluster<'_, C>,
    connection: &mut dyn Connection,
) {
    cluster.broker_down(1).expect("it goes");
    let rows = rows(&["one", "two"]);
    let away = send(connection, &rows);
    assert!(away == ["2 Later(Busy)"] || away == ["2 Later(Reopen)"], "{away:?}");
    cluster.broker_up(1).expect("it comes back");
    let deadline = Instant::now() + LONG;
    let mut found = send(connection, &rows);
    while found != ["2 Delivered"] && Instant::now() < deadline {
        found = send(connection, &rows);
    }
    assert_eq!(found, ["2 Delivered"]);
}

#[test]
fn who_asks_again_gets_the_report_of_the_first_record() {
    let cluster = MockCluster::new(1).expect("brokers of librdkafka");
    cluster.create_topic("logs", 1, 1).expect("a topic");
    let mut connection = connection(&cluster.bootstrap_servers(), &[], Duration::from_millis(200));
    check_that_rows_wait_for_the_broker(&cluster, &mut connection);
}

#[test]
fn a_certificate_that_cannot_be_read_holds() {
    let settings = [("security.protocol", "ssl"), ("ssl.ca.location", "/nonexistent/ca.pem")];
    let mut connection = connection("127.0.0.1:1", &settings, LONG);
    assert_eq!(send(&mut connection, &rows(&["one"])), ["1 Hold(Credentials)"]);
}

#[test]
fn a_transaction_is_committed_or_its_rows_come_again() {
    let cluster = MockCluster::new(1).expect("brokers of librdkafka");
    cluster.create_topic("logs", 1, 1).expect("a topic");
    let mut connection = transactions(&cluster.bootstrap_servers(), &[("message.max.bytes", "1000")], LONG);
    let long = "x".repeat(2000);
    // The record that is too large is not in the transaction of the others.
    assert_eq!(
        send(&mut connection, &rows(&["one", &long, "three"])),
        ["1 Delivered", "1 Dead(TooLarge)", "1 Delivered"]
    );
    // The same ids again: they were committed, and are not sent.
    assert_eq!(send(&mut connection, &rows(&["one", "-", "three"])), ["3 Delivered"]);
    let forbidden = [ErrorCode::RD_KAFKA_RESP_ERR_TOPIC_AUTHORIZATION_FAILED];
    cluster.request_errors(RDKafkaApiKey::AddPartitionsToTxn, &forbidden);
    let more: Vec<Row> = rows(&["a", "b", "c", "d", "e"]).split_off(3);
    assert_eq!(send(&mut connection, &more), ["2 Hold(Access)"]);
    assert_eq!(send(&mut connection, &more), ["2 Delivered"]);
    cluster.request_errors(RDKafkaApiKey::EndTxn, &[ErrorCode::RD_KAFKA_RESP_ERR_PRODUCER_FENCED]);
    let last = [Row { id: id(9), ..more[0].clone() }];
    assert_eq!(send(&mut connection, &last), ["1 Later(BackOff)"]);
    assert_eq!(send(&mut connection, &last), ["1 Delivered"], "a new producer");
}

#[test]
fn transactions_wait_for_brokers_that_are_away() {
    let cluster = MockCluster::new(1).expect("brokers of librdkafka");
    cluster.create_topic("logs", 1, 1).expect("a topic");
    let mut connection = transactions(&cluster.bootstrap_servers(), &[], Duration::from_millis(500));
    check_that_rows_wait_for_the_broker(&cluster, &mut connection);
}
