//! `add-contextual-data()` with a server: the step of a log path.
//!
//! In: messages. Out: the same with the values of their keys. Holds: what is known of the server's keys, and who asks it.
//! Limits: [`KEY_BYTES_MAX`] of a key, a longer one has no values; [`EXTRA_BYTES_MAX`] of values in a batch, then messages are marked.
//!
//! The keys of a batch are looked up together, each once. A batch waits only for a server that works.

use crate::{
    asker::{Asker, Terms},
    fault::Cause,
    key::Key,
    known::{Answer, CacheLimits, Entry, Known, LookupStore, Permission, add},
    servers::Backend,
    values::Values,
};
use message::{Batch, FieldName, Mark, Selection, Span, ValueKind};
use pipeline::{Parser, parser::Selector};
use std::{collections::HashMap, mem, sync::Arc, time::Instant};
use template::{Condition, Renderer};
use transport::InternalLog;

/// Longest key.
const KEY_BYTES_MAX: usize = 1024;
/// Most bytes of made values in a batch; spans address less than 2 GiB.
const EXTRA_BYTES_MAX: usize = 1 << 28;
/// The value that says why there was no answer.
const FAILED: &str = ".lookup.failed";

/// `on-failure()`: what becomes of a message whose key cannot be looked up.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum OnFailure {
    /// `mark`: it passes without values, and `.lookup.failed` says why.
    Mark,
    /// `pass`: it passes without values.
    Pass,
    /// `no-match`: it does not match.
    Stop,
}

/// The step.
pub struct LookupStep {
    options: StepOptions,
    asking: Asking,
}

/// Who asks, and what is known. Without an asker nobody is asked.
struct Asking {
    limits: CacheLimits,
    store: Arc<LookupStore>,
    asker: Option<Asker>,
}

/// The options of the step itself.
pub struct StepOptions {
    /// The template of the key, or filters whose names are keys.
    pub selector: Selector,
    /// `default-selector()`: the key of messages whose own key has no values.
    pub default: Option<String>,
    /// `ignore-case()`: keys are written small.
    pub ignore_case: bool,
    /// `on-failure()`
    pub on_failure: OnFailure,
}

/// The knowledge of a key when its messages continue.
enum Outcome {
    Values(Arc<Values>),
    Missing,
    Stale(Option<Arc<Values>>),
    Failed(Cause),
}

impl Outcome {
    fn of(answer: Result<Answer, Cause>) -> Outcome {
        match answer {
            Ok(Answer::Values(values)) => Outcome::Values(values),
            Ok(Answer::Missing) => Outcome::Missing,
            Ok(Answer::Refused) => Outcome::Failed(Cause::Refused),
            Err(cause) => Outcome::Failed(cause),
        }
    }
}

impl LookupStep {
    /// Makes the step. Without a log it asks nobody: a configuration is only tried.
    pub fn new(
        options: StepOptions,
        backend: Backend,
        limits: CacheLimits,
        store: Arc<LookupStore>,
        log: Option<InternalLog>,
    ) -> LookupStep {
        let terms = |log| Terms {
            name: backend.name.clone(),
            timeout: backend.timeout,
            reopen: backend.reopen,
            limits,
            store: store.clone(),
            log,
            lanes: Box::new(move || backend.lanes()),
        };
        let asker = log.map(|log| Asker::new(Arc::new(terms(log))));
        LookupStep { options, asking: Asking { limits, store, asker } }
    }

    /// Returns the key of a message.
    fn key(&self, batch: &Batch, index: usize, renderer: &mut Renderer) -> Vec<u8> {
        let mut key = match &self.options.selector {
            Selector::Text(template) | Selector::Glob(template) => {
                template.value(batch, index, renderer).into_owned()
            }
            Selector::Filters(filters) => {
                let found = filters.iter().find(|(_, filter)| filter.holds(batch, index, renderer));
                found.map_or_else(Vec::new, |(name, _)| name.clone().into_bytes())
            }
        };
        if self.options.ignore_case {
            key.make_ascii_lowercase();
        }
        key
    }
}

impl Asking {
    /// Looks keys up, in memory and then at the server.
    fn outcomes(&self, keys: &[Key]) -> Vec<Outcome> {
        let now = Instant::now();
        let mut known = self.store.known(keys, &self.limits, now);
        let is_asked = |key: &Key| (1..=KEY_BYTES_MAX).contains(&key.len());
        let missed: Vec<usize> = (0..keys.len())
            .filter(|place| is_asked(&keys[*place]) && !matches!(known[*place], Known::Fresh(_)))
            .collect();
        let answers = self.answers(keys, &missed, now);
        let mut answers = missed.into_iter().zip(answers).peekable();
        let mut outcomes = Vec::with_capacity(keys.len());
        for (place, known) in known.iter_mut().enumerate() {
            let outcome = match mem::replace(known, Known::Nothing) {
                Known::Fresh(found) => Outcome::of(Ok(found)),
                _ if !is_asked(&keys[place]) => Outcome::Missing,
                older => {
                    let answer = answers.next().map_or(Err(Cause::Paused), |(_, answer)| answer);
                    match (answer, older) {
                        (Err(_), Known::Expired(entry)) if entry.is_usable(&self.limits, now) => stale(entry),
                        (answer, _) => Outcome::of(answer),
                    }
                }
            };
            outcomes.push(outcome);
        }
        outcomes
    }

    /// Asks the server, if it works. One that fails is asked for a single key, and not waited for.
    fn answers(&self, keys: &[Key], missed: &[usize], now: Instant) -> Vec<Result<Answer, Cause>> {
        let (Some(first), Some(asker)) = (missed.first(), &self.asker) else {
            return vec![Err(Cause::Paused); missed.len()];
        };
        match self.store.permission(now) {
            Permission::Ask => asker.ask(missed.iter().map(|place| keys[*place].clone()).collect()),
            Permission::Probe => {
                asker.probe(keys[*first].clone());
                vec![Err(Cause::Paused); missed.len()]
            }
            Permission::Wait => vec![Err(Cause::Paused); missed.len()],
        }
    }
}

fn stale(entry: Entry) -> Outcome {
    Outcome::Stale(match entry.found {
        Answer::Values(values) => Some(values),
        Answer::Missing | Answer::Refused => None,
    })
}

/// The keys of a batch, each once, and the key of each message.
#[derive(Default)]
struct Keys {
    places: HashMap<Key, usize>,
    list: Vec<Key>,
    of_messages: Vec<(usize, usize)>,
}

impl Keys {
    fn add(&mut self, index: usize, key: &[u8]) {
        // Neighbours often have the same key.
        let last = self.of_messages.last().map(|(_, place)| *place);
        let same = last.filter(|place| *self.list[*place] == *key);
        let place = same.or_else(|| self.places.get(key).copied()).unwrap_or_else(|| {
            self.list.push(key.into());
            self.places.insert(key.into(), self.list.len() - 1);
            self.list.len() - 1
        });
        self.of_messages.push((index, place));
    }
}

impl Parser for LookupStep {
    fn parse(&self, batch: &mut Batch, within: &Selection, renderer: &mut Renderer) -> Selection {
        let mut keys = Keys::default();
        for index in within.iter() {
            keys.add(index, &self.key(batch, index, renderer));
        }
        let mut outcomes = self.asking.outcomes(&keys.list);
        let is_missing = |outcome: &Outcome| matches!(outcome, Outcome::Missing | Outcome::Stale(None));
        if let Some(default) = &self.options.default
            && outcomes.iter().any(is_missing)
        {
            let default = self.asking.outcomes(&[default.as_bytes().into()]);
            if let [Outcome::Values(values) | Outcome::Stale(Some(values))] = default.as_slice() {
                for outcome in outcomes.iter_mut().filter(|outcome| is_missing(outcome)) {
                    *outcome = Outcome::Values(values.clone());
                }
            }
        }
        self.apply(&keys, &outcomes, batch, within)
    }

    fn waits(&self) -> bool {
        true
    }
}

impl LookupStep {
    /// Gives messages the values of their keys.
    fn apply(&self, keys: &Keys, outcomes: &[Outcome], batch: &mut Batch, within: &Selection) -> Selection {
        let mut matched = within.clone();
        let mut spans: Vec<Option<Vec<(Span, Span)>>> = vec![None; outcomes.len()];
        let mut mark = None;
        let (mut found, mut missing, mut stale, mut failed) = (0, 0, 0, 0);
        for (index, place) in &keys.of_messages {
            let values = match &outcomes[*place] {
                Outcome::Values(values) => {
                    found += 1;
                    values
                }
                Outcome::Stale(Some(values)) => {
                    stale += 1;
                    values
                }
                Outcome::Stale(None) => {
                    stale += 1;
                    continue;
                }
                Outcome::Missing => {
                    missing += 1;
                    continue;
                }
                Outcome::Failed(cause) => {
                    failed += 1;
                    match self.options.on_failure {
                        OnFailure::Mark => {
                            let name = *mark.get_or_insert_with(|| batch.add_extra(FAILED.as_bytes()));
                            let why = batch.add_extra(cause.word().as_bytes());
                            batch.push_value(*index, name, why, ValueKind::String);
                        }
                        OnFailure::Pass => {}
                        OnFailure::Stop => matched.remove(*index),
                    }
                    continue;
                }
            };
            set(batch, *index, values, &mut spans[*place]);
        }
        let counters = &self.asking.store.counters;
        add(&counters.found, found);
        add(&counters.missing, missing);
        add(&counters.stale, stale);
        add(&counters.failed, failed);
        matched
    }
}

/// Gives a message values, which a batch holds once.
pub(crate) fn set(batch: &mut Batch, index: usize, values: &Values, spans: &mut Option<Vec<(Span, Span)>>) {
    if spans.is_none() {
        if batch.extra.len() + values.bytes() > EXTRA_BYTES_MAX {
            batch.messages[index].marks.add(Mark::ValuesCut);
            return;
        }
        let held = |value: &crate::values::NamedValue| {
            (batch.add_extra(value.name.as_str().as_bytes()), batch.add_extra(&value.value))
        };
        *spans = Some(values.list.iter().map(held).collect());
    }
    for (value, (name, text)) in values.list.iter().zip(spans.iter().flatten()) {
        match &value.name {
            FieldName::Fixed(field) => batch.set_typed(index, *field, *text, value.kind),
            FieldName::Sdata(_) | FieldName::Named(_) => batch.push_value(index, *name, *text, value.kind),
        }
    }
}

#[cfg(test)]
mod tests;
