//! The site at work: events begin, continue and end, with one line each millisecond.
//!
//! In: a seed. Out: lines. Holds: the open events, a few thousand.

use super::{
    events::Events,
    names::Names,
    random::{Random, even, mix, skewed, unit},
    value::{Moment, Values},
    write,
};
use std::{cmp::Reverse, collections::BinaryHeap, io};

/// A word that exactly one line has.
pub(crate) const NEEDLE: &str = "deadbeefcafe4711deadbeefcafe4711";
/// The line that has it.
const NEEDLE_LINE: u64 = 370_000;
/// Most that the clock of a device is late.
const SKEW_MS: u64 = 1_500;

/// The site.
pub(crate) struct Site {
    table: Events,
    values: Values,
    /// Sums of the weights up to each event, the last one 1.
    weights: Vec<f64>,
    random: Random,
    /// The events that have lines left, the next to print first.
    going: BinaryHeap<Reverse<Going>>,
    line: u64,
    events: u64,
}

/// An event between two of its lines.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Going {
    /// The line that it gets next, or a later one.
    due: u64,
    /// Number of the event since the beginning.
    serial: u64,
    seed: u64,
    host: u64,
    event: usize,
    step: usize,
}

impl Site {
    /// A site whose lines are determined by `seed`.
    pub(crate) fn new(seed: u64) -> io::Result<Site> {
        let names = Names::read();
        let table = Events::read(&names)?;
        let total: f64 = table.events.iter().map(|event| event.weight).sum();
        let weights = table.events.iter().scan(0.0, |sum, event| {
            *sum += event.weight / total;
            Some(*sum)
        });
        Ok(Site {
            values: Values::new(&names)?,
            weights: weights.collect(),
            table,
            random: Random::new(seed),
            going: BinaryHeap::new(),
            line: 0,
            events: 0,
        })
    }

    /// Adds the next line, with its newline.
    pub(crate) fn write_line(&mut self, out: &mut Vec<u8>) {
        let going = match self.due() {
            Some(going) => going,
            None => self.begin(),
        };
        self.write_step(out, going);
        self.line += 1;
        let next = Going { step: going.step + 1, ..going };
        if let Some(step) = self.table.events[going.event].steps.get(next.step) {
            let delay = step.delay_ms / 2 + even(self.random.next(), step.delay_ms + 1);
            self.going.push(Reverse(Going { due: self.line + delay, ..next }));
        }
    }

    /// Returns the event that continues now, if there is one.
    fn due(&mut self) -> Option<Going> {
        let Reverse(next) = *self.going.peek()?;
        if next.due > self.line {
            return None;
        }
        self.going.pop();
        Some(next)
    }

    fn begin(&mut self) -> Going {
        let chance = unit(self.random.next());
        let event = self.weights.partition_point(|sum| *sum < chance).min(self.weights.len() - 1);
        let hosts = &self.table.events[event].hosts;
        let host = hosts.start + skewed(self.random.next(), hosts.end - hosts.start);
        self.events += 1;
        Going {
            due: self.line,
            serial: 40_000_000 + self.events,
            seed: self.random.next(),
            host,
            event,
            step: 0,
        }
    }

    fn write_step(&mut self, out: &mut Vec<u8>, going: Going) {
        let step = &self.table.events[going.event].steps[going.step];
        let moment = Moment {
            seed: going.seed,
            host: going.host,
            host_name: &self.table.hosts[going.host as usize],
            serial: going.serial,
            ms: self.line.saturating_sub(mix(going.host) % SKEW_MS),
            fresh: self.random.next(),
        };
        out.push(b'<');
        write::number(out, step.pri);
        write::framed_clock(out, ">Nov  1 ", moment.ms, " ");
        write::text(out, moment.host_name);
        out.push(b' ');
        step.text.write(out, &self.values, &moment, &mut self.random);
        if self.line == NEEDLE_LINE {
            write::text(out, " trace=");
            write::text(out, NEEDLE);
        }
        out.push(b'\n');
    }
}
