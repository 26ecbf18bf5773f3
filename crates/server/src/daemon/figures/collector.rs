//! Reads the counters of sources, destinations and logspaces.
//!
//! In: their owners. Out: figures and samples of this moment. Holds the owners' handles.

use super::{
    super::running::Shared,
    logspaces::{
        OF_FAMILIES, OF_LOGSPACES, family_account, family_samples, logspace_account, logspace_samples,
        rule_samples, unsorted,
    },
    lookups::{lookup_figures, lookup_samples},
    statistics::{Account, Figure, Sample},
};
use std::{
    collections::BTreeMap,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    time::Instant,
};
use transport::{Counters, DEAD_REASONS, REFUSAL_REASONS, RefusalReason, Registry, State};

/// The sources of all figures.
pub(crate) struct Collector {
    registry: Registry,
    shared: Arc<Shared>,
    /// Messages received by sources whose counters were removed.
    forgotten: AtomicU64,
}

/// A counter's name in CSV, and the function that reads it.
type Reading = (&'static str, fn(&Counters) -> u64);

const OF_SOURCES: &[Reading] = &[
    ("processed", |counters| read(&counters.processed)),
    ("stamp", |counters| read(&counters.stamp_s)),
    ("connections", |counters| read(&counters.connections)),
    ("connections_refused", |counters| counters.refusals.total()),
    ("kernel_dropped", |counters| read(&counters.kernel_dropped)),
    ("frame_errors", |counters| read(&counters.frame_errors)),
    ("errors", |counters| read(&counters.errors)),
    ("bytes", |counters| read(&counters.bytes)),
];

/// Figures of destinations with dead letters.
const OF_DEAD_LETTERS: &[Reading] = &[
    ("dead", |counters| counters.dead.total()),
    ("dead_letters", |counters| read(&counters.dead.stored)),
    ("dead_letters_evicted", |counters| read(&counters.dead.evicted)),
];

/// Figures of destinations that have used `fallback()`.
const OF_FALLBACK: &[Reading] = &[("written_by_fallback", |counters| read(&counters.written_by_fallback))];

const OF_DESTINATIONS: &[Reading] = &[
    ("processed", |counters| besides_parts(&counters.processed, &counters.written_in_parts)),
    ("written", |counters| besides_parts(&counters.written, &counters.written_in_parts)),
    ("dropped", Counters::dropped),
    ("queued", |counters| read(&counters.queued)),
    ("memory_usage", |counters| read(&counters.memory_usage)),
    ("stamp", |counters| read(&counters.stamp_s)),
    ("connections", |counters| read(&counters.connections)),
    ("errors", |counters| read(&counters.errors)),
    ("truncated_count", |counters| read(&counters.frame_errors)),
    ("bytes", |counters| besides_parts(&counters.bytes, &counters.bytes_in_parts)),
    ("disk_usage", |counters| read(&counters.disk_usage)),
];

/// Returns a total without the share of its parts: the rows of a file and of its destination add up.
fn besides_parts(total: &AtomicU64, in_parts: &AtomicU64) -> u64 {
    // Reads the parts first: a total that is read later is not below them.
    let in_parts = read(in_parts);
    read(total).saturating_sub(in_parts)
}

fn read(counter: &AtomicU64) -> u64 {
    counter.load(Ordering::Relaxed)
}

/// Returns a destination's dropped messages, by reason.
fn dropped_of(counters: &Counters) -> [(&'static str, u64); 8] {
    [
        ("queue_full", read(&counters.dropped_queue_full)),
        ("queue_full_oldest", read(&counters.dropped_queue_full_oldest)),
        ("queue_full_severity", read(&counters.dropped_queue_full_severity)),
        ("unwritable", read(&counters.dropped_unwritable)),
        ("refused", read(&counters.dropped_refused)),
        ("damaged", read(&counters.dropped_damaged)),
        ("stopped", read(&counters.dropped_stopped)),
        ("suppressed", read(&counters.dropped_suppressed)),
    ]
}

fn is_source(counters: &Counters) -> bool {
    counters.component.starts_with("src.")
}

impl Collector {
    /// Makes a collector of the counters in `registry` and of the running parts.
    pub(crate) fn new(registry: Registry, shared: Arc<Shared>) -> Collector {
        Collector { registry, shared, forgotten: AtomicU64::new(0) }
    }

    /// Lists the reasons why destinations cannot write to the disks of this machine at present, one sentence
    /// each.
    pub(crate) fn destination_troubles(&self) -> Vec<String> {
        let troubles = self.active().filter(|entry| !is_source(entry)).filter_map(|entry| {
            entry.trouble().map(|why| format!("destination {} ({}): {why}", entry.id, entry.instance))
        });
        troubles.collect()
    }

    /// Lists the problems of listeners that have refused connections for some time, and of sources that cannot read, one
    /// sentence each.
    pub(crate) fn source_troubles(&self) -> Vec<String> {
        let now = Instant::now();
        let unread = self.active().filter(|entry| is_source(entry)).filter_map(|entry| {
            entry.trouble().map(|why| format!("source {} ({}): {why}", entry.id, entry.instance))
        });
        let troubles = self.active().filter_map(|entry| {
            let (reason, lasted) = entry.refusals.lasting(now)?;
            let limit = match reason {
                RefusalReason::MaxConnections => "max-connections()",
                RefusalReason::PerAddress => "max-connections-per-address()",
                RefusalReason::Handshakes => "max-handshakes() or max-handshakes-per-address()",
                RefusalReason::OpenFiles => "the limit of open files",
            };
            let (id, instance, seconds) = (&entry.id, &entry.instance, lasted.as_secs());
            Some(format!(
                "source {id} ({instance}): connections are refused for {seconds} s, because of {limit}"
            ))
        });
        troubles.chain(unread).collect()
    }

    /// Lists the servers of lookups that are left alone at present, one sentence each.
    pub(crate) fn lookup_troubles(&self) -> Vec<String> {
        let of_paths = self.shared.counters();
        let troubles = of_paths.lookups.iter();
        let troubles = troubles.filter_map(|(name, store)| {
            store.trouble().map(|why| format!("lookup {name}: {why}; its messages pass without new values"))
        });
        troubles.collect()
    }

    fn active(&self) -> impl Iterator<Item = Arc<Counters>> {
        self.registry.list().into_iter().filter(|entry| entry.state() == State::Active)
    }

    /// Returns the counters to show. Those of a file appear with its first message, as in syslog-ng: it opens
    /// files then.
    fn listed(&self) -> Vec<Arc<Counters>> {
        let mut entries = self.registry.list();
        let is_opened = |counters: &Counters| read(&counters.processed) > 0 || read(&counters.stamp_s) > 0;
        entries.retain(|counters| counters.component != "dst.file" || is_opened(counters));
        entries
    }

    /// Returns the figures of syslog-ng's CSV.
    pub(crate) fn figures(&self) -> Vec<Figure> {
        let entries = self.listed();
        let mut figures = Vec::new();
        let mut sums: BTreeMap<(&str, String), u64> = BTreeMap::new();
        let (mut received, mut queued) = (0, 0);
        for counters in &entries {
            let source = is_source(counters);
            let readings = if source { OF_SOURCES } else { OF_DESTINATIONS };
            let state = if counters.state() == State::Active { 'a' } else { 'o' };
            let dead: &[Reading] = if counters.dead.is_kept() { OF_DEAD_LETTERS } else { &[] };
            let fallback: &[Reading] =
                if read(&counters.written_by_fallback) > 0 { OF_FALLBACK } else { &[] };
            figures.extend(readings.iter().chain(dead).chain(fallback).map(|(kind, value)| Figure {
                component: counters.component.clone(),
                id: counters.id.clone(),
                instance: counters.instance.clone(),
                state,
                kind,
                value: value(counters),
            }));
            if counters.is_part() {
                continue;
            }
            let statement = counters.id.split('#').next().unwrap_or_default().to_owned();
            let processed = read(&counters.processed);
            *sums.entry((if source { "source" } else { "destination" }, statement)).or_default() += processed;
            *(if source { &mut received } else { &mut queued }) += processed;
        }
        for (id, name, logspace) in self.shared.logspaces_by_id() {
            let stats = logspace.stats();
            let statement = id.split('#').next().unwrap_or_default().to_owned();
            *sums.entry(("destination", statement)).or_default() += stats.messages_in_total;
            queued += stats.messages_in_total;
            figures.extend(
                OF_LOGSPACES.iter().map(|(kind, value)| of_logspace([&id, &name], kind, value(&stats))),
            );
        }
        for (id, name, stats) in self.shared.families() {
            let statement = id.split('#').next().unwrap_or_default().to_owned();
            *sums.entry(("destination", statement)).or_default() += unsorted(&stats);
            queued += unsorted(&stats);
            figures.extend(
                OF_FAMILIES.iter().map(|(kind, value)| of_logspace([&id, &name], kind, value(&stats))),
            );
        }
        let of_paths = self.shared.counters();
        for (name, counters) in &of_paths.filters {
            figures.push(of("filter", name, "matched", counters.matched()));
            figures.push(of("filter", name, "not_matched", counters.not_matched()));
        }
        for (name, counters) in &of_paths.parsers {
            figures.push(of("parser", name, "processed", counters.processed()));
            figures.push(of("parser", name, "discarded", counters.discarded()));
            figures.push(of("parser", name, "made", counters.made()));
        }
        figures
            .extend(of_paths.lookups.iter().flat_map(|(name, store)| lookup_figures(name, &store.counts())));
        for (name, counters) in &of_paths.paths {
            figures.push(of("log", name, "ingress", counters.ingress()));
            figures.push(of("log", name, "egress", counters.egress()));
        }
        figures.extend(sums.into_iter().map(|((component, id), value)| total(component, &id, "", value)));
        figures.push(total("center", "", "received", received));
        figures.push(total("center", "", "queued", queued));
        figures.push(of("center", "", "routed", of_paths.router.routed()));
        figures.push(of("center", "", "unrouted", of_paths.router.unrouted()));
        figures
    }

    /// Returns the samples for Prometheus.
    pub(crate) fn samples(&self) -> Vec<Sample> {
        let mut all: Vec<Sample> = self.listed().iter().flat_map(|counters| samples(counters)).collect();
        for (id, name, logspace) in self.shared.logspaces_by_id() {
            all.extend(logspace_samples(&id, &name, &logspace.stats()));
        }
        all.extend(
            self.shared
                .watcher()
                .iter()
                .flat_map(|watcher| watcher.status())
                .flat_map(|status| rule_samples(&status)),
        );
        for (id, name, stats) in self.shared.families() {
            all.extend(family_samples(&id, &name, &stats));
        }
        let of_paths = self.shared.counters();
        let counter = |name, id: &str, value: u64| step_sample(name, id, None, value);
        for (name, counters) in &of_paths.filters {
            let metric = "syslogng_filtered_events_total";
            all.push(step_sample(metric, name, Some("matched"), counters.matched()));
            all.push(step_sample(metric, name, Some("not_matched"), counters.not_matched()));
        }
        all.extend(self.shared.probes.list().into_iter().map(|((name, labels), count)| Sample {
            name: name.into(),
            kind: "counter",
            labels: labels.into_iter().map(|(name, value)| (name.into(), value)).collect(),
            value: count as f64,
        }));
        for (name, counters) in &of_paths.parsers {
            let metric = "syslogng_parsed_events_total";
            all.push(step_sample(metric, name, Some("processed"), counters.processed()));
            all.push(step_sample(metric, name, Some("discarded"), counters.discarded()));
            all.push(step_sample(metric, name, Some("made"), counters.made()));
        }
        all.extend(of_paths.lookups.iter().flat_map(|(name, store)| lookup_samples(name, &store.counts())));
        for (name, counters) in &of_paths.paths {
            all.push(counter("syslogng_route_ingress_total", name, counters.ingress()));
            all.push(counter("syslogng_route_egress_total", name, counters.egress()));
        }
        all.push(counter("duramen_routed_events_total", "", of_paths.router.routed()));
        all.push(counter("duramen_unrouted_events_total", "", of_paths.router.unrouted()));
        all
    }

    /// Returns an account for each destination and for the router: messages received and their outcomes.
    pub(crate) fn accounts(&self) -> Vec<Account> {
        let mut accounts = Vec::new();
        let mut received = read(&self.forgotten);
        for counters in self.registry.list().iter().filter(|counters| !counters.is_part()) {
            let taken = read(&counters.processed);
            if is_source(counters) {
                received += taken;
                continue;
            }
            let mut parts = vec![("written", read(&counters.written)), ("queued", read(&counters.queued))];
            parts.extend(dropped_of(counters));
            if counters.dead.is_kept() {
                parts.push(("dead", counters.dead.total()));
            }
            let name = format!("{};{};{}", counters.component, counters.id, counters.instance);
            accounts.push(Account { name, taken, parts });
        }
        for (id, name, logspace) in self.shared.logspaces_by_id() {
            accounts.push(logspace_account(&id, &name, &logspace.stats()));
        }
        for (id, name, stats) in self.shared.families() {
            accounts.push(family_account(&id, &name, &stats));
        }
        let router = self.shared.counters().router;
        let parts = vec![("routed", router.routed()), ("unrouted", router.unrouted())];
        accounts.push(Account { name: "center;;received".to_owned(), taken: received, parts });
        accounts
    }

    /// Sets the totals of sources and destinations to zero.
    pub(crate) fn reset(&self) {
        self.registry.reset();
        self.shared.probes.reset();
        self.forgotten.store(0, Ordering::Relaxed);
        self.shared.counters().reset();
    }

    /// Sets to zero the totals of sources and destinations with a figure that matches the pattern.
    pub(crate) fn reset_matching(&self, figures: &[Figure], pattern: &str) {
        let matching: Vec<&Figure> = figures.iter().filter(|figure| figure.is_like(pattern)).collect();
        for counters in self.registry.list() {
            let owns = |figure: &&Figure| {
                figure.component == counters.component
                    && figure.id == counters.id
                    && figure.instance == counters.instance
            };
            if matching.iter().any(owns) {
                counters.reset();
            }
        }
    }

    /// Removes the counters of objects that the configuration no longer has.
    pub(crate) fn remove_orphans(&self) {
        let gone = self.registry.remove_orphans();
        let received: u64 =
            gone.iter().filter(|gone| is_source(gone)).map(|source| read(&source.processed)).sum();
        self.forgotten.fetch_add(received, Ordering::Relaxed);
    }
}

fn total(component: &str, id: &str, instance: &str, value: u64) -> Figure {
    let (component, id, instance) = (component.to_owned(), id.to_owned(), instance.to_owned());
    Figure { component, id, instance, state: 'a', kind: "processed", value }
}

fn samples(counters: &Counters) -> Vec<Sample> {
    if is_source(counters) { source_samples(counters) } else { destination_samples(counters) }
}

/// One sample of a source or destination, with labels of its own.
fn sample(
    counters: &Counters,
    kind: &'static str,
    name: &'static str,
    more: &[(&'static str, &str)],
    value: u64,
) -> Sample {
    let driver = counters.component.split_once('.').map_or("", |(_, driver)| driver);
    let known = [("driver", driver), ("id", counters.id.as_str()), ("instance", counters.instance.as_str())];
    let labels =
        known.iter().chain(more).map(|(name, value)| ((*name).into(), (*value).to_owned())).collect();
    Sample { name: name.into(), kind, labels, value: value as f64 }
}

fn source_samples(counters: &Counters) -> Vec<Sample> {
    let counter = |name, more: &[(&'static str, &str)], value| sample(counters, "counter", name, more, value);
    let gauge = |name, value| sample(counters, "gauge", name, &[], value);
    let mut samples = vec![
        counter("syslogng_input_events_total", &[("result", "processed")], read(&counters.processed)),
        counter("syslogng_input_bytes_total", &[], read(&counters.bytes)),
        counter(
            "syslogng_input_transport_errors_total",
            &[("reason", "framing")],
            read(&counters.frame_errors),
        ),
        counter("syslogng_input_transport_errors_total", &[("reason", "socket")], read(&counters.errors)),
        counter("syslogng_input_kernel_dropped_total", &[], read(&counters.kernel_dropped)),
        counter("syslogng_socket_rejected_connections_total", &[], counters.refusals.total()),
        gauge("syslogng_socket_connections", read(&counters.connections)),
        gauge("syslogng_last_successful_read_timestamp_seconds", read(&counters.stamp_s)),
    ];
    samples.extend(REFUSAL_REASONS.map(|reason| {
        let count = counters.refusals.count(reason);
        counter("duramen_refused_connections_total", &[("reason", reason.name())], count)
    }));
    samples
}

fn destination_samples(counters: &Counters) -> Vec<Sample> {
    let counter = |name, more: &[(&'static str, &str)], value| sample(counters, "counter", name, more, value);
    let gauge = |name, value| sample(counters, "gauge", name, &[], value);
    let processed = besides_parts(&counters.processed, &counters.written_in_parts);
    let written = besides_parts(&counters.written, &counters.written_in_parts);
    let bytes = besides_parts(&counters.bytes, &counters.bytes_in_parts);
    let mut samples = vec![
        counter("syslogng_output_events_total", &[("result", "processed")], processed),
        counter("syslogng_output_events_total", &[("result", "delivered")], written),
        counter("syslogng_output_bytes_total", &[], bytes),
    ];
    if counters.is_part() {
        return samples;
    }
    let dropped = |reason, value| {
        counter("syslogng_output_events_total", &[("result", "dropped"), ("reason", reason)], value)
    };
    let capacity = read(&counters.disk_capacity);
    let [events, memory] = match capacity {
        0 => ["syslogng_memory_queue_events", "syslogng_memory_queue_memory_usage_bytes"],
        _ => ["syslogng_disk_queue_events", "syslogng_disk_queue_memory_usage_bytes"],
    };
    samples.extend([
        gauge(events, read(&counters.queued)),
        gauge(memory, read(&counters.memory_usage)),
        counter("syslogng_output_errors_total", &[], read(&counters.errors)),
    ]);
    samples.extend(dropped_of(counters).map(|(reason, value)| dropped(reason, value)));
    if read(&counters.written_by_fallback) > 0 {
        let count = read(&counters.written_by_fallback);
        samples.push(counter("duramen_fallback_messages_total", &[], count));
    }
    if counters.dead.is_kept() {
        samples.extend(DEAD_REASONS.map(|reason| {
            let count = counters.dead.count(reason);
            counter("duramen_dead_letters_total", &[("reason", reason.name())], count)
        }));
        samples.push(counter("duramen_dead_letters_evicted_total", &[], read(&counters.dead.evicted)));
        samples.push(gauge("duramen_dead_letters_stored", read(&counters.dead.stored)));
        samples.push(gauge("duramen_dead_letters_bytes", read(&counters.dead.stored_bytes)));
    }
    if capacity > 0 {
        samples.push(gauge("syslogng_disk_queue_capacity_bytes", capacity));
        samples.push(gauge("syslogng_disk_queue_disk_usage_bytes", read(&counters.disk_usage)));
    }
    samples
}

fn of(component: &str, name: &str, kind: &'static str, value: u64) -> Figure {
    let (component, id) = (component.to_owned(), name.to_owned());
    Figure { component, id, instance: String::new(), state: 'a', kind, value }
}

fn of_logspace([id, name]: [&str; 2], kind: &'static str, value: u64) -> Figure {
    Figure { instance: name.to_owned(), ..of("dst.logspace", id, kind, value) }
}

fn step_sample(name: &'static str, id: &str, result: Option<&str>, value: u64) -> Sample {
    let mut labels = Vec::new();
    if !id.is_empty() {
        labels.push(("id".into(), id.to_owned()));
    }
    labels.extend(result.map(|result| ("result".into(), result.to_owned())));
    Sample { name: name.into(), kind: "counter", labels, value: value as f64 }
}

#[cfg(test)]
mod tests;
