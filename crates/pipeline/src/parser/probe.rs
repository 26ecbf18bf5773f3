//! `metrics-probe()`: counts messages by values that they have.
//!
//! In: the messages that reach it. Out: the same, all of them; [`Probes`] counts. Holds: the names of a probe's labels.
//! A label without a value is left out, as in Prometheus, where both mean the same.
//! Limits: [`SERIES_MAX`] series of all probes; further ones are counted without labels.

use super::Parser;
use message::{Batch, Selection};
use std::{
    collections::{BTreeMap, HashMap},
    sync::{Arc, Mutex, PoisonError},
};
use template::{Renderer, Template};

/// Most series: senders of messages may choose the values of labels.
pub const SERIES_MAX: usize = 10_000;

/// Ends the value of a label while they are counted: no byte of text.
const END: u8 = 0xff;

/// Name of a metric, and its labels by name.
pub type Series = (String, Vec<(String, String)>);

/// The counts of all probes. They survive reloads.
#[derive(Debug, Default)]
pub struct Probes(Mutex<BTreeMap<Series, u64>>);

impl Probes {
    /// Returns all counts, by name and labels.
    pub fn list(&self) -> Vec<(Series, u64)> {
        let counts = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        counts.iter().map(|(series, count)| (series.clone(), *count)).collect()
    }

    /// Sets all counts to zero.
    pub fn reset(&self) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).values_mut().for_each(|count| *count = 0);
    }

    fn add(&self, added: impl Iterator<Item = (Series, u64)>) {
        let mut counts = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        for (series, count) in added {
            let is_full = counts.len() >= SERIES_MAX && !counts.contains_key(&series);
            let series = if is_full { (series.0, Vec::new()) } else { series };
            let total = counts.entry(series).or_default();
            *total = total.saturating_add(count);
        }
    }
}

/// Counts messages.
pub struct Probe {
    /// Name of the metric, as Prometheus shows it.
    pub key: String,
    /// Names of labels, and the templates of their values.
    pub labels: Vec<(String, Arc<Template>)>,
    /// `increment()`: the number that a message adds; 1 if not set. A text that is not a number adds nothing.
    pub increment: Option<Arc<Template>>,
    /// The counters.
    pub probes: Arc<Probes>,
}

impl Probe {
    /// Returns a name in which characters that names of metrics and labels cannot have are replaced.
    pub fn name(text: &str) -> String {
        let fits = |(at, char): (usize, char)| {
            if char.is_ascii_alphabetic() || char == '_' || at > 0 && char.is_ascii_digit() {
                char
            } else {
                '_'
            }
        };
        text.chars().enumerate().map(fits).collect()
    }

    fn increment(&self, batch: &Batch, index: usize, renderer: &mut Renderer) -> u64 {
        let Some(template) = &self.increment else { return 1 };
        let text = template.value(batch, index, renderer);
        std::str::from_utf8(&text).ok().and_then(|text| text.trim().parse().ok()).unwrap_or(0)
    }
}

impl Parser for Probe {
    fn parse(&self, batch: &mut Batch, within: &Selection, renderer: &mut Renderer) -> Selection {
        // Neighbours mostly have the same labels: their values are compared as bytes, joined by what ends no text.
        let mut counted: HashMap<Vec<u8>, u64> = HashMap::new();
        let mut values = Vec::new();
        for index in within.iter() {
            values.clear();
            for (_, template) in &self.labels {
                let start = values.len();
                template.render(batch, index, renderer, &mut values);
                values[start..].iter_mut().filter(|byte| **byte == END).for_each(|byte| *byte = b'?');
                values.push(END);
            }
            let increment = self.increment(batch, index, renderer);
            match counted.get_mut(&values) {
                Some(count) => *count = count.saturating_add(increment),
                None => drop(counted.insert(values.clone(), increment)),
            }
        }
        let named = counted.into_iter().map(|(values, count)| {
            let texts = values.split(|byte| *byte == END).map(String::from_utf8_lossy);
            let labels = self.labels.iter().map(|(name, _)| name).zip(texts);
            let filled = labels.filter(|(_, value)| !value.is_empty());
            (
                (self.key.clone(), filled.map(|(name, value)| (name.clone(), value.into_owned())).collect()),
                count,
            )
        });
        self.probes.add(named);
        within.clone()
    }
}
