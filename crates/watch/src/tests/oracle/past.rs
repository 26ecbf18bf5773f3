//! The naive model of rules that look for silence, for new values and for messages that follow each other.

use super::{Key, Model, Moment, Past};
use crate::{Change, Kind, Rule};
use std::collections::{BTreeMap, BTreeSet};

impl Model<'_> {
    /// Listening time before a time.
    fn listened(&self, at: i64) -> i64 {
        let paused = self.stops.iter().map(|(from, to)| at.clamp(*from, *to) - from).sum::<i64>();
        at - paused
    }

    pub(super) fn absence(&mut self) {
        let Kind::Absence { within_us, learn, keys, forget_us } = &self.rule.kind else { return };
        let (within, learn, forget) = (*within_us, *learn, *forget_us);
        let mut expected: BTreeSet<Key> = keys.iter().map(|key| vec![key.to_vec()]).collect();
        expected.extend(self.rule.by.is_empty().then(Vec::new));
        let start = self.listened(self.start);
        // Each key: expected or still learnt with a count, or silent; and since when, in listening time.
        let mut states: BTreeMap<Key, (i64, Result<u64, u32>)> = BTreeMap::new();
        let heard = u64::MAX;
        expected.iter().for_each(|key| {
            states.insert(key.clone(), (start, Ok(heard)));
        });
        // Every second is a candidate in these tests: times are whole seconds.
        let seconds = (self.start..=self.end).step_by(500_000);
        for moment in self.moments(seconds.collect::<Vec<_>>()) {
            let now = self.listened(self.at(moment));
            let stopped = self.stops.iter().any(|(from, to)| {
                (*from < self.at(moment)) && self.at(moment) <= *to && self.at(moment) != *to
            });
            match moment {
                Moment::Tick(_) if stopped => {}
                Moment::Tick(_) => {
                    let all: Vec<Key> = states.keys().cloned().collect();
                    for key in &all {
                        let (since, state) = states[key];
                        if let Ok(ordinal) = state
                            && ordinal != heard
                            && now - since >= forget
                            && !expected.contains(key)
                        {
                            self.emit(moment, Change::Forgotten, key, ordinal, None, None);
                            states.remove(key);
                        }
                    }
                    for key in &all {
                        let Some((since, state)) = states.get(key).copied() else { continue };
                        if state == Ok(heard) && now - since >= within {
                            let ordinal = self.ordinal();
                            self.emit(moment, Change::Fired, key, ordinal, None, None);
                            states.insert(key.clone(), (now, Ok(ordinal)));
                        }
                    }
                }
                Moment::Message(index) => {
                    if !self.past[index].first {
                        continue;
                    }
                    let Some(key) = self.past[index].key(self.rule, &self.rule.by) else { continue };
                    let count = match states.get(&key) {
                        Some((_, Ok(ordinal))) => {
                            if *ordinal != heard {
                                let ordinal = *ordinal;
                                self.emit(moment, Change::Resolved, &key, ordinal, None, None);
                            }
                            u32::MAX
                        }
                        Some((last, Err(count))) if now - last < within => count + 1,
                        _ => 1,
                    };
                    let state = if count >= learn { Ok(heard) } else { Err(count) };
                    states.insert(key, (now, state));
                }
            }
        }
    }

    pub(super) fn new_value(&mut self) {
        let Kind::NewValue { field, learn_us, remember_us } = &self.rule.kind else { return };
        let (field, learn, remember) = (field.clone(), *learn_us, *remember_us);
        let whole = |past: &Past<'_>, rule: &Rule| {
            let mut key = past.key(rule, &rule.by)?;
            key.push(field.value(past.document)?.0);
            Some(key)
        };
        self.each_message(|model, index| {
            let now = model.past[index].at;
            let key = whole(&model.past[index], model.rule)?;
            let known = model.past[..index].iter().any(|past| {
                past.first && now - past.at < remember && whole(past, model.rule).as_ref() == Some(&key)
            });
            if !known && now >= model.start + learn {
                model.occur(Moment::Message(index), key, None);
            }
            Some(())
        });
    }

    pub(super) fn sequence(&mut self) {
        let Kind::Sequence { then_by, within_us, .. } = &self.rule.kind else { return };
        let (then_by, within) = (then_by.clone(), *within_us);
        for index in 0..self.past.len() {
            let Some(key) =
                Some(&self.past[index]).filter(|p| p.then).and_then(|p| p.key(self.rule, &then_by))
            else {
                continue;
            };
            let now = self.past[index].at;
            let used = self.past[..index]
                .iter()
                .rposition(|past| past.then && past.key(self.rule, &then_by).as_ref() == Some(&key));
            let opened = (used.unwrap_or(0)..index).rev().find(|at| {
                let past = &self.past[*at];
                past.first && past.key(self.rule, &self.rule.by).as_ref() == Some(&key)
            });
            if let Some(first) = opened.filter(|at| now - self.past[*at].at < within) {
                let first = self.past[first].document.sequence;
                self.occur(Moment::Message(index), key, Some(first));
            }
        }
    }

    pub(super) fn not_followed(&mut self) {
        let Kind::NotFollowed { then_by, within_us, forget_us, .. } = &self.rule.kind else { return };
        let (then_by, within, forget) = (then_by.clone(), *within_us, *forget_us);
        let ticks: Vec<i64> =
            self.past.iter().flat_map(|past| [past.at + within, past.at + within + forget]).collect();
        // Each key: an unanswered first message with its time, or an instance with the time at which it fired.
        let mut open: BTreeMap<Key, (i64, u64)> = BTreeMap::new();
        let mut firing: BTreeMap<Key, (i64, u64, u64)> = BTreeMap::new();
        for moment in self.moments(ticks) {
            let now = self.at(moment);
            let Moment::Message(index) = moment else {
                for (key, (fired, ordinal, first)) in firing.clone() {
                    if now - fired >= forget {
                        self.emit(moment, Change::Forgotten, &key, ordinal, None, Some(first));
                        firing.remove(&key);
                    }
                }
                for (key, (at, first)) in open.clone() {
                    if now - at >= within {
                        let ordinal = self.ordinal();
                        self.emit(moment, Change::Fired, &key, ordinal, None, Some(first));
                        open.remove(&key);
                        firing.insert(key, (now, ordinal, first));
                    }
                }
                continue;
            };
            let past = &self.past[index];
            let (opens, sequence) =
                (past.first.then(|| past.key(self.rule, &self.rule.by)).flatten(), past.document.sequence);
            if let Some(key) = past.then.then(|| past.key(self.rule, &then_by)).flatten() {
                open.remove(&key);
                if let Some((_, ordinal, first)) = firing.remove(&key) {
                    self.emit(moment, Change::Resolved, &key, ordinal, None, Some(first));
                }
            }
            if let Some(key) = opens.filter(|key| !firing.contains_key(key)) {
                open.entry(key).or_insert((now, sequence));
            }
        }
    }
}
