//! Counters of the test, each with a number of its own: what the readers of statistics see.

use super::super::{prometheus, statistics::csv};
use super::*;
use crate::terminal::testing::golden;
use std::time::Duration;
use transport::{DeadReason, stats::add};

/// Sets each counter to a different number, from `first` on.
fn number(counters: &Counters, first: usize) {
    let all = [
        &counters.processed,
        &counters.written,
        &counters.queued,
        &counters.memory_usage,
        &counters.dropped_queue_full,
        &counters.dropped_unwritable,
        &counters.dropped_refused,
        &counters.dropped_damaged,
        &counters.disk_usage,
        &counters.dropped_stopped,
        &counters.dropped_suppressed,
        &counters.connections,
        &counters.kernel_dropped,
        &counters.bytes,
        &counters.errors,
        &counters.frame_errors,
        &counters.stamp_s,
        &counters.dropped_queue_full_oldest,
        &counters.dropped_queue_full_severity,
    ];
    all.into_iter().zip(first..).for_each(|(counter, number)| add(counter, number));
}

fn collector() -> Collector {
    let registry = Registry::default();
    let source = registry.register("src.network", "s_in#0", "tcp,127.0.0.1:514");
    number(&source, 100);
    source.refuse(RefusalReason::PerAddress, Instant::now());
    let gone = registry.register("src.udp", "s_gone#0", "127.0.0.1:515");
    number(&gone, 200);
    gone.orphan();
    let whole = registry.register("dst.file", "d_file#0", "/x/$HOST");
    number(&whole, 300);
    add(&whole.written_in_parts, 7);
    add(&whole.bytes_in_parts, 8);
    let part = registry.register_part(&whole, "/x/web").unwrap();
    number(&part, 400);
    registry.register("dst.file", "d_silent#0", "/never");
    let table = registry.register("dst.sql", "d_sql#0", "db;t");
    number(&table, 500);
    add(&table.disk_capacity, 99_000);
    table.dead.keep();
    (0..3).for_each(|_| table.dead.add(DeadReason::Type));
    add(&table.dead.stored, 2);
    add(&table.dead.stored_bytes, 77);
    add(&table.dead.evicted, 1);
    Collector::new(registry, Shared::empty())
}

fn balance(collector: &Collector) -> String {
    collector.accounts().iter().map(Account::line).collect()
}

#[test]
fn every_counter_is_shown_under_its_name() {
    let collector = collector();
    let shown = [csv(&collector.figures()), prometheus(&collector.samples()), balance(&collector)];
    golden::check("daemon/figures.txt", &shown.join("\n"));
}

#[test]
fn totals_begin_again_and_the_account_stays_right() {
    let collector = collector();
    collector.remove_orphans();
    assert!(balance(&collector).contains("center;;received: 300 = 0"), "{}", balance(&collector));
    let figures = collector.figures();
    assert!(figures.iter().all(|figure| figure.id != "s_gone#0"));
    collector.reset_matching(&figures, "dst.sql.*.written");
    let of = |id: &str, kind: &str| {
        let figures = collector.figures();
        figures.iter().find(|figure| figure.id == id && figure.kind == kind).map(|figure| figure.value)
    };
    assert_eq!((of("d_sql#0", "written"), of("d_sql#0", "processed")), (Some(0), Some(502)));
    assert_eq!(of("s_in#0", "processed"), Some(100));
    collector.reset_matching(&figures, "nothing*");
    assert_eq!(of("s_in#0", "processed"), Some(100));
    collector.reset();
    assert_eq!(of("s_in#0", "processed"), Some(102), "what waits counts as taken just now");
    assert!(balance(&collector).contains("center;;received: 102 = 0"), "{}", balance(&collector));
}

#[test]
fn troubles_are_those_of_active_owners() {
    let registry = Registry::default();
    let destination = registry.register("dst.file", "d#0", "/x");
    destination.set_trouble(Some("no space".to_owned()));
    let gone = registry.register("dst.file", "e#0", "/y");
    gone.set_trouble(Some("no space".to_owned()));
    gone.orphan();
    registry.register("src.kafka", "k#0", "kafka,h:1,t,g").set_trouble(Some("brokers are down".to_owned()));
    let start = Instant::now().checked_sub(Duration::from_secs(90)).unwrap();
    for (name, reason) in [
        ("a", RefusalReason::MaxConnections),
        ("b", RefusalReason::PerAddress),
        ("c", RefusalReason::Handshakes),
        ("d", RefusalReason::OpenFiles),
    ] {
        let source = registry.register("src.network", name, "tcp");
        (0..=9).for_each(|tens| source.refuse(reason, start + Duration::from_secs(tens * 10)));
    }
    let collector = Collector::new(registry, Shared::empty());
    assert_eq!(collector.destination_troubles(), ["destination d#0 (/x): no space"]);
    let limits = [
        "max-connections()",
        "max-connections-per-address()",
        "max-handshakes() or max-handshakes-per-address()",
        "the limit of open files",
    ];
    let mut want: Vec<String> = ["a", "b", "c", "d"]
        .iter()
        .zip(limits)
        .map(|(id, limit)| format!("source {id} (tcp): connections are refused for 90 s, because of {limit}"))
        .collect();
    want.push("source k#0 (kafka,h:1,t,g): brokers are down".to_owned());
    assert_eq!(collector.source_troubles(), want);
}
