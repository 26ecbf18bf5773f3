//! A naive model of rules: every window is recomputed from all messages, at every moment at which it might matter.
//!
//! In: a rule and events. Out: its transitions, as tuples. Holds the whole past.

mod past;

use super::site::Event;
use crate::{Aggregate, Cause, Change, Kind, Rule, Threshold, Transition, Window};
use lookup::Document;
use std::collections::{BTreeMap, BTreeSet};

/// The parts of a transition that must be equal: cause, change, key, ordinal, figure, first message.
pub(super) type Outcome = (Cause, &'static str, Vec<Vec<u8>>, u64, Option<String>, Option<u64>);

/// Returns what must be equal in the transitions of a rule.
pub(super) fn outcomes(transitions: &[Transition], rule: &str) -> Vec<Outcome> {
    let of_rule = transitions.iter().filter(|transition| transition.rule.as_ref() == rule);
    let mut outcomes: Vec<Outcome> = of_rule
        .map(|t| {
            (t.cause, t.change.name(), t.key.clone(), t.ordinal, t.value.map(|v| v.to_string()), t.first)
        })
        .collect();
    outcomes.sort();
    outcomes
}

type Key = Vec<Vec<u8>>;

/// A message in the view of a rule.
struct Past<'a> {
    at: i64,
    document: &'a Document,
    first: bool,
    then: bool,
}

impl Past<'_> {
    fn key(&self, rule: &Rule, names: &[query::Name]) -> Option<Key> {
        let value = |name: &query::Name| {
            let value = name.value(self.document).map(|(value, _)| value).filter(|value| !value.is_empty());
            value.or_else(|| rule.missing.clone())
        };
        names.iter().map(value).collect()
    }
}

/// A moment at which something may change.
#[derive(Clone, Copy, Debug)]
enum Moment {
    Tick(i64),
    Message(usize),
}

#[derive(Clone, Copy, PartialEq, Debug)]
enum Phase {
    Idle,
    Pending(i64),
    Firing(u64),
}

/// The model of one rule.
pub(super) struct Model<'a> {
    rule: &'a Rule,
    past: Vec<Past<'a>>,
    start: i64,
    end: i64,
    /// Stops of the listeners: from and to.
    stops: Vec<(i64, i64)>,
    phases: BTreeMap<Key, Phase>,
    next: u64,
    out: Vec<Outcome>,
}

/// Returns the transitions of a rule.
pub(super) fn model(rule: &Rule, events: &[Event]) -> Vec<Outcome> {
    let (mut first, mut then) = (rule.query.matcher(), rule.kind.then().map(query::Query::matcher));
    let (mut past, mut stops) = (Vec::new(), Vec::new());
    let (mut start, mut now, mut stopped) = (None, i64::MIN, None);
    for event in events {
        let (Event::Mark(at) | Event::Stopped(at) | Event::Started(at)) = event else {
            let Event::Message(document) = event else { continue };
            now = now.max(document.received_us);
            start = start.or(Some(now));
            let then = then.as_mut().is_some_and(|then| then.matches(document));
            past.push(Past { at: now, document, first: first.matches(document), then });
            continue;
        };
        now = now.max(*at);
        start = start.or(Some(now));
        match event {
            Event::Stopped(_) if stopped.is_none() => stopped = Some(now),
            Event::Started(_) => stops.extend(stopped.take().map(|from| (from, now))),
            _ => {}
        }
    }
    stops.extend(stopped.map(|from| (from, i64::MAX / 8)));
    let start = start.unwrap_or(0);
    let phases = BTreeMap::new();
    let mut model = Model { rule, past, start, end: now, stops, phases, next: 0, out: Vec::new() };
    model.run();
    model.out.sort();
    model.out
}

impl Model<'_> {
    fn run(&mut self) {
        match &self.rule.kind {
            Kind::Match { quiet_us: None } => self.each_message(|model, index| {
                let key = model.past[index].key(model.rule, &model.rule.by)?;
                model.occur(Moment::Message(index), key, None);
                Some(())
            }),
            Kind::Match { quiet_us: Some(quiet) } => {
                let quiet = *quiet;
                self.stateful(&[quiet], |model, key, moment| model.count(key, moment, quiet) > 0, None);
            }
            Kind::Count { threshold, window } | Kind::Distinct { threshold, window, .. } => {
                let (threshold, window) = (*threshold, *window);
                match window {
                    Window::Sliding { us, hysteresis_permille } => {
                        self.sliding(threshold, us, hysteresis_permille)
                    }
                    Window::Tumbling { us } => self.windows(us, us),
                }
            }
            Kind::Value { window: Window::Tumbling { us }, .. } => self.windows(*us, *us),
            Kind::Value { window: Window::Sliding { us, .. }, .. } => self.windows(us / 60, us / 60 * 60),
            Kind::Absence { .. } => self.absence(),
            Kind::NewValue { .. } => self.new_value(),
            Kind::Sequence { .. } => self.sequence(),
            Kind::NotFollowed { .. } => self.not_followed(),
        }
    }

    fn each_message(&mut self, act: impl Fn(&mut Self, usize) -> Option<()>) {
        for index in 0..self.past.len() {
            if self.past[index].first {
                act(self, index);
            }
        }
    }

    /// Returns moments in order: a tick before the messages of its time.
    fn moments(&self, ticks: impl IntoIterator<Item = i64>) -> Vec<Moment> {
        let ticks: BTreeSet<i64> =
            ticks.into_iter().filter(|at| (self.start..=self.end).contains(at)).collect();
        let mut moments: Vec<(i64, u8, usize, Moment)> =
            ticks.into_iter().map(|at| (at, 0, 0, Moment::Tick(at))).collect();
        moments.extend((0..self.past.len()).map(|i| (self.past[i].at, 1, i, Moment::Message(i))));
        moments.sort_by_key(|(at, order, index, _)| (*at, *order, *index));
        moments.into_iter().map(|(.., moment)| moment).collect()
    }

    fn at(&self, moment: Moment) -> i64 {
        match moment {
            Moment::Tick(at) => at,
            Moment::Message(index) => self.past[index].at,
        }
    }

    fn emit(
        &mut self,
        moment: Moment,
        change: Change,
        key: &Key,
        ordinal: u64,
        value: Option<f64>,
        first: Option<u64>,
    ) {
        let cause = match moment {
            Moment::Tick(at) => Cause::Tick(at),
            Moment::Message(index) => Cause::Message(self.past[index].document.sequence),
        };
        let value = value.map(|value| value.to_string());
        self.out.push((cause, change.name(), key.clone(), ordinal, value, first));
    }

    fn occur(&mut self, moment: Moment, key: Key, first: Option<u64>) {
        let ordinal = self.ordinal();
        self.emit(moment, Change::Occurred, &key, ordinal, None, first);
    }

    fn ordinal(&mut self) -> u64 {
        self.next += 1;
        self.next - 1
    }

    /// Messages of a key that precede a moment, or are it.
    fn of_key<'b>(&'b self, key: &'b Key, moment: Moment) -> impl Iterator<Item = &'b Past<'b>> {
        let until = match moment {
            Moment::Tick(at) => self.past.iter().take_while(|past| past.at < at).count(),
            Moment::Message(index) => index + 1,
        };
        let of_key =
            move |past: &&Past<'_>| past.first && past.key(self.rule, &self.rule.by).as_ref() == Some(key);
        self.past[..until].iter().filter(of_key)
    }

    /// Counts messages or distinct values of a key within the time before a moment.
    fn count(&self, key: &Key, moment: Moment, within: i64) -> u64 {
        let now = self.at(moment);
        let inside = self.of_key(key, moment).filter(|past| now - past.at < within);
        match &self.rule.kind {
            Kind::Distinct { field, .. } => {
                let values: BTreeSet<_> =
                    inside.filter_map(|past| field.value(past.document)).map(|(v, _)| v).collect();
                values.len() as u64
            }
            _ => inside.count() as u64,
        }
    }

    fn keys(&self) -> BTreeSet<Key> {
        let firsts = self.past.iter().filter(|past| past.first);
        firsts.filter_map(|past| past.key(self.rule, &self.rule.by)).collect()
    }

    /// A condition that begins at a message and ends at a tick, some time after a message.
    fn stateful(&mut self, delays: &[i64], holds: impl Fn(&Self, &Key, Moment) -> bool, value: Option<f64>) {
        let ticks: Vec<i64> =
            self.past.iter().flat_map(|past| delays.iter().map(|delay| past.at + delay)).collect();
        for moment in self.moments(ticks) {
            for key in self.keys() {
                let phase = self.phases.get(&key).copied().unwrap_or(Phase::Idle);
                let mine = self.is_of(moment, &key);
                match phase {
                    Phase::Idle if mine => {
                        let ordinal = self.ordinal();
                        self.emit(moment, Change::Fired, &key, ordinal, value, None);
                        self.phases.insert(key, Phase::Firing(ordinal));
                    }
                    Phase::Firing(ordinal)
                        if matches!(moment, Moment::Tick(_)) && !holds(self, &key, moment) =>
                    {
                        self.emit(moment, Change::Resolved, &key, ordinal, value.map(|_| 0.0), None);
                        self.phases.remove(&key);
                    }
                    _ => {}
                }
            }
        }
    }

    /// Returns true if a moment is a first message of a key.
    fn is_of(&self, moment: Moment, key: &Key) -> bool {
        matches!(moment, Moment::Message(i) if self.past[i].first
            && self.past[i].key(self.rule, &self.rule.by).as_ref() == Some(key))
    }

    fn sliding(&mut self, threshold: Threshold, within: i64, permille: u16) {
        let hold = self.rule.hold_us;
        let enough = |count: u64| threshold.holds(count as f64);
        let fires_at = (1..).find(|count| enough(*count)).unwrap();
        let ticks: Vec<i64> = self.past.iter().flat_map(|past| [past.at + within, past.at + hold]).collect();
        for moment in self.moments(ticks) {
            for key in self.keys() {
                let count = self.count(&key, moment, within);
                let value = Some(count.min(fires_at) as f64);
                let tick = matches!(moment, Moment::Tick(_));
                match self.phases.get(&key).copied().unwrap_or(Phase::Idle) {
                    Phase::Idle if enough(count) && self.is_of(moment, &key) && hold == 0 => {
                        let ordinal = self.ordinal();
                        self.emit(moment, Change::Fired, &key, ordinal, value, None);
                        self.phases.insert(key, Phase::Firing(ordinal));
                    }
                    Phase::Idle if enough(count) && self.is_of(moment, &key) => {
                        self.phases.insert(key, Phase::Pending(self.at(moment)));
                    }
                    Phase::Pending(_) if tick && !enough(count) => {
                        self.phases.remove(&key);
                    }
                    Phase::Pending(since) if tick && self.at(moment) >= since + hold => {
                        let ordinal = self.ordinal();
                        self.emit(moment, Change::Fired, &key, ordinal, value, None);
                        self.phases.insert(key, Phase::Firing(ordinal));
                    }
                    Phase::Firing(ordinal) if tick && count * 1_000 < fires_at * u64::from(permille) => {
                        self.emit(moment, Change::Resolved, &key, ordinal, value, None);
                        self.phases.remove(&key);
                    }
                    _ => {}
                }
            }
        }
    }

    /// The figure of a key over the time from one moment to another.
    fn figure(&self, key: &Key, moment: Moment, from: i64) -> Option<f64> {
        let inside: Vec<&Past<'_>> = self.of_key(key, moment).filter(|past| past.at >= from).collect();
        let numbers = |field: &query::Name| -> Vec<f64> {
            inside.iter().filter_map(|past| field.number(past.document)).collect()
        };
        match &self.rule.kind {
            Kind::Count { .. } => Some(inside.len() as f64),
            Kind::Distinct { field, threshold, .. } => {
                let values: BTreeSet<_> =
                    inside.iter().filter_map(|past| field.value(past.document)).map(|(v, _)| v).collect();
                Some((values.len() as u64).min(threshold.count_cap()) as f64)
            }
            Kind::Value { field, aggregate, .. } => {
                let numbers = numbers(field);
                let sum: f64 = numbers.iter().sum();
                let figure = match aggregate {
                    Aggregate::Sum => sum,
                    Aggregate::Avg => sum / numbers.len() as f64,
                    Aggregate::Min => numbers.iter().copied().fold(f64::INFINITY, f64::min),
                    Aggregate::Max => numbers.iter().copied().fold(f64::NEG_INFINITY, f64::max),
                };
                (!numbers.is_empty()).then_some(figure)
            }
            _ => None,
        }
    }

    /// Windows that are judged at the end of each step; sliding ones may also begin to hold at a message.
    fn windows(&mut self, step: i64, length: i64) {
        let (threshold, resolve) = match &self.rule.kind {
            Kind::Count { threshold, .. } | Kind::Distinct { threshold, .. } => (*threshold, None),
            Kind::Value { threshold, resolve, .. } => (*threshold, *resolve),
            _ => return,
        };
        let counts = !matches!(self.rule.kind, Kind::Value { .. });
        let always = counts && self.rule.by.is_empty() && threshold.holds(0.0);
        let whole_only = !(counts && matches!(threshold, Threshold::AtLeast(_) | Threshold::MoreThan(_)));
        let crosses = match &self.rule.kind {
            Kind::Value { aggregate, .. } if step < length => matches!(
                (aggregate, threshold),
                (Aggregate::Max | Aggregate::Sum, Threshold::AtLeast(_) | Threshold::MoreThan(_))
                    | (Aggregate::Min, Threshold::AtMost(_) | Threshold::LessThan(_))
            ),
            _ => false,
        };
        let first = self.start.div_euclid(step) + 1;
        let ticks: Vec<i64> = (first..).map(|n| n * step).take_while(|at| *at <= self.end).collect();
        let mut keys = self.keys();
        keys.extend(always.then(Vec::new));
        for moment in self.moments(ticks) {
            let now = self.at(moment);
            let from = match moment {
                Moment::Tick(at) => at - length,
                Moment::Message(_) => (now.div_euclid(step) + 1) * step - length,
            };
            for key in &keys {
                let phase = self.phases.get(key).copied().unwrap_or(Phase::Idle);
                let value = self.figure(key, moment, from);
                let holds = value.is_some_and(|value| threshold.holds(value));
                if let Moment::Message(index) = moment {
                    let mine = self.is_of(moment, key) && figure_of(self.rule, self.past[index].document);
                    if crosses && mine && holds && phase == Phase::Idle {
                        self.begin(moment, key, value);
                    }
                    continue;
                }
                let there = self
                    .of_key(key, moment)
                    .any(|past| past.at >= from && figure_of(self.rule, past.document));
                if !there && phase == Phase::Idle && !(always && key.is_empty()) {
                    continue;
                }
                if step == length && whole_only && from < self.start {
                    continue;
                }
                match phase {
                    Phase::Idle if holds => self.begin(moment, key, value),
                    Phase::Pending(_) if !holds => {
                        self.phases.remove(key);
                    }
                    Phase::Pending(since) if now - since >= self.rule.hold_us => {
                        let ordinal = self.ordinal();
                        self.emit(moment, Change::Fired, key, ordinal, value, None);
                        self.phases.insert(key.clone(), Phase::Firing(ordinal));
                    }
                    Phase::Firing(ordinal) if !holds => {
                        let ends =
                            value.is_none_or(|value| resolve.is_none_or(|resolve| resolve.holds(value)));
                        if ends {
                            self.emit(moment, Change::Resolved, key, ordinal, value, None);
                            self.phases.remove(key);
                        }
                    }
                    _ => {}
                }
            }
        }
    }

    fn begin(&mut self, moment: Moment, key: &Key, value: Option<f64>) {
        let phase = match self.rule.hold_us {
            0 => {
                let ordinal = self.ordinal();
                self.emit(moment, Change::Fired, key, ordinal, value, None);
                Phase::Firing(ordinal)
            }
            _ => Phase::Pending(self.at(moment)),
        };
        self.phases.insert(key.clone(), phase);
    }
}

/// Returns true if a rule takes something from a message that matches.
fn figure_of(rule: &Rule, document: &Document) -> bool {
    match &rule.kind {
        Kind::Distinct { field, .. } => field.value(document).is_some(),
        Kind::Value { field, .. } => field.number(document).is_some(),
        _ => true,
    }
}
