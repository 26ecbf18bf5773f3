//! Finds the logspace of each message, and delivers it there.
//!
//! In: deliveries. Out: deliveries to logspaces, each with the same acknowledgement. Holds: the renderer of names.
//! Limits: [`NAMES_MAX`] remembered names. A message whose name gets no logspace goes to the one for the overflow; when
//! that cannot be opened either, everything waits until it can.

use super::{
    inbox::{Inbox, Waiting},
    members::{AddError, Members},
};
use crate::assemble::folder_name;
use logspace::Logspace;
use message::{Batch, Delivery, Outlet, Render, Selection, Severity, Stamp, WriteBudget};
use std::{
    collections::{HashMap, HashSet},
    sync::{Arc, atomic::Ordering::Relaxed},
    time::{Duration, Instant},
};
use transport::{InternalLog, LogPause};

/// Most texts whose names are remembered, and most names that were refused.
const NAMES_MAX: usize = 10_000;
/// How often logspaces are looked at that got no message for long.
const LOOK: Duration = Duration::from_secs(10);
/// How long a name goes to the overflow after its logspace could not be opened.
const REFUSED_FOR: Duration = Duration::from_secs(60);
/// How long to wait before opening the logspace for the overflow is tried again.
const RETRY: Duration = Duration::from_secs(1);

/// The part of a family that works on its thread.
pub(super) struct Sorter {
    pub(super) inbox: Arc<Inbox>,
    pub(super) members: Arc<Members>,
    pub(super) names: Box<dyn Render>,
    /// Names that other logspaces have.
    pub(super) taken: HashSet<String>,
    pub(super) overflow: String,
    pub(super) logspaces_max: usize,
    pub(super) idle_after: Option<Duration>,
    pub(super) log: InternalLog,
    pub(super) memory: Memory,
}

/// Names that were seen before, and when.
pub(super) struct Memory {
    known: HashMap<Vec<u8>, Arc<str>>,
    refused: HashMap<Arc<str>, Instant>,
    last_message: HashMap<String, Instant>,
    pause: LogPause,
    sequence: u64,
}

impl Default for Memory {
    fn default() -> Memory {
        Memory {
            known: HashMap::new(),
            refused: HashMap::new(),
            last_message: HashMap::new(),
            pause: LogPause::new(REFUSED_FOR),
            sequence: 0,
        }
    }
}

impl Sorter {
    /// Works until the inbox is closed and empty.
    pub(super) fn run(mut self) {
        let mut next_look = Instant::now() + LOOK;
        loop {
            match self.inbox.take(next_look) {
                Waiting::Deliveries(deliveries) => {
                    deliveries.into_iter().for_each(|delivery| self.sort(delivery))
                }
                Waiting::Nothing => {}
                Waiting::Closed => return,
            }
            if Instant::now() >= next_look {
                self.seal_idle();
                next_look = Instant::now() + LOOK;
            }
        }
    }

    fn sort(&mut self, delivery: Delivery) {
        let Delivery { batch, selection, ack, controlled, .. } = delivery;
        let total = selection.count() as u64;
        let groups = self.by_name(&batch, &selection);
        self.add_missing(groups.iter().map(|(name, _)| name));
        for (name, selection) in groups {
            let count = selection.count() as u64;
            match self.target(&name, count) {
                Some(logspace) => {
                    let (batch, ack) = (batch.clone(), ack.clone());
                    let part = Delivery { batch, selection, ack, controlled, first: None };
                    logspace.deliver(part, &WriteBudget::none());
                }
                None => {
                    ack.fail();
                    self.members.counters.dropped_closed.fetch_add(count, Relaxed);
                }
            }
        }
        self.members.counters.queued.fetch_sub(total, Relaxed);
    }

    /// Returns the names of the selected messages, each with its messages.
    fn by_name(&mut self, batch: &Batch, selection: &Selection) -> Vec<(Arc<str>, Selection)> {
        self.names.begin(now());
        let mut groups: Vec<(Arc<str>, Selection)> = Vec::new();
        let mut places: HashMap<Arc<str>, usize> = HashMap::new();
        let (mut text, mut last, mut last_place) = (Vec::new(), Vec::new(), None::<usize>);
        for index in selection.iter() {
            self.memory.sequence += 1;
            text.clear();
            self.names.render(batch, index, self.memory.sequence, &mut text);
            let place = match last_place {
                Some(place) if last == text => place,
                _ => {
                    let name = self.name(&text);
                    *places.entry(name.clone()).or_insert_with(|| {
                        groups.push((name, Selection::none(batch.len())));
                        groups.len() - 1
                    })
                }
            };
            if let Some((_, chosen)) = groups.get_mut(place) {
                chosen.add(index);
            }
            last_place = Some(place);
            std::mem::swap(&mut last, &mut text);
        }
        groups
    }

    /// Makes the logspaces of names that have none and may have one, at the same time.
    fn add_missing<'n>(&mut self, names: impl Iterator<Item = &'n Arc<str>>) {
        let is_refused = |since: &Instant| since.elapsed() < REFUSED_FOR;
        let mut missing = self.members.missing(names);
        missing.retain(|name| {
            !self.is_of_others(name) && !self.memory.refused.get(name).is_some_and(is_refused)
        });
        if missing.is_empty() {
            return;
        }
        for (name, error) in self.members.add(&missing, self.logspaces_max, &self.overflow) {
            self.report(&name, &error);
            if self.memory.refused.len() >= NAMES_MAX {
                self.memory.refused.clear();
            }
            self.memory.refused.insert(name, Instant::now());
        }
    }

    /// Returns true for the name of the overflow or of another logspace of the configuration.
    fn is_of_others(&self, name: &str) -> bool {
        *name == *self.overflow || self.taken.contains(name)
    }

    /// Returns the name of a logspace for a text.
    fn name(&mut self, text: &[u8]) -> Arc<str> {
        if let Some(name) = self.memory.known.get(text) {
            return name.clone();
        }
        if self.memory.known.len() >= NAMES_MAX {
            self.memory.known.clear();
        }
        let name: Arc<str> = folder_name(text).into();
        self.memory.known.insert(text.to_owned(), name.clone());
        name
    }

    /// Returns the logspace of a name, or the one for the overflow; `None` when the family ends before one can be
    /// opened.
    fn target(&mut self, name: &Arc<str>, messages: u64) -> Option<Arc<Logspace>> {
        let own = if self.is_of_others(name) { None } else { self.members.named(name) };
        match own {
            Some(logspace) => {
                self.touch(name);
                Some(logspace)
            }
            None => {
                let overflow = self.overflow_logspace()?;
                if **name != *self.overflow {
                    self.members.counters.overflowed.fetch_add(messages, Relaxed);
                }
                Some(overflow)
            }
        }
    }

    fn report(&mut self, name: &str, error: &AddError) {
        if let Some(names) = self.memory.pause.count(1, Instant::now()) {
            let (template, overflow) = (self.members.template(), &self.overflow);
            let text = format!(
                "No logspace for a name, its messages go to another; logspace='{name}', template='{template}', overflow='{overflow}', names='{names}', error='{error}'"
            );
            self.log.write(Severity::WARNING, &text);
        }
    }

    fn overflow_logspace(&mut self) -> Option<Arc<Logspace>> {
        let name: Arc<str> = self.overflow.as_str().into();
        let mut pause = LogPause::new(REFUSED_FOR);
        loop {
            if let Some(logspace) = self.members.named(&name) {
                self.touch(&name);
                return Some(logspace);
            }
            match self.members.add(std::slice::from_ref(&name), 0, &name).pop() {
                None => {}
                Some((_, error)) => {
                    if pause.count(1, Instant::now()).is_some() {
                        let text = format!("Holding messages back; logspace='{name}', error='{error}'");
                        self.log.write(Severity::ERROR, &text);
                    }
                    if !self.inbox.pause(Instant::now() + RETRY) {
                        return None;
                    }
                }
            }
        }
    }

    fn touch(&mut self, name: &str) {
        match self.memory.last_message.get_mut(name) {
            Some(last) => *last = Instant::now(),
            None => {
                self.memory.last_message.insert(name.to_owned(), Instant::now());
            }
        }
    }

    /// Lets logspaces that got no message for long seal what they have in memory.
    fn seal_idle(&mut self) {
        let Some(idle_after) = self.idle_after else { return };
        for member in self.members.list() {
            let now = Instant::now();
            let last = self.memory.last_message.entry(member.spec.name.clone()).or_insert(now);
            if last.elapsed() >= idle_after && member.logspace.stats().unsealed_messages > 0 {
                *last = now;
                // It is sealed in the background: nobody waits.
                let _ = member.logspace.seal_now(Duration::ZERO);
            }
        }
    }
}

/// Returns the time for macros of the current time.
fn now() -> Stamp {
    let now = jiff::Zoned::now();
    Stamp::known(now.timestamp().as_microsecond(), now.offset().seconds())
}
