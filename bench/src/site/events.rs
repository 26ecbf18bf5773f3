//! The kinds of devices and their events, read from `events.txt`.
//!
//! In: the file. Out: kinds and events.

use super::{names::Names, pattern::Pattern};
use std::{io, ops::Range};

/// The table.
pub(super) struct Events {
    pub(super) events: Vec<Event>,
    /// Names of the devices, all kinds.
    pub(super) hosts: Vec<String>,
}

/// A sequence of lines.
pub(super) struct Event {
    /// The devices that have it, among [`Events::hosts`].
    pub(super) hosts: Range<u64>,
    /// Frequency, relative to the other events.
    pub(super) weight: f64,
    pub(super) steps: Vec<Step>,
}

/// One line of an event.
pub(super) struct Step {
    pub(super) delay_ms: u64,
    pub(super) pri: u64,
    pub(super) text: Pattern,
}

impl Events {
    pub(super) fn read(names: &Names) -> io::Result<Events> {
        let mut table = Events { events: Vec::new(), hosts: Vec::new() };
        // Share of the lines of the current kind, and the index of its first event.
        let (mut share, mut first) = (0.0, 0);
        let places = names.list("place")?;
        for line in
            include_str!("events.txt").lines().filter(|line| !line.is_empty() && !line.starts_with('#'))
        {
            let bad = || io::Error::other(format!("events.txt: cannot read `{line}`"));
            let words: Vec<&str> = line.split(' ').collect();
            match words.as_slice() {
                ["kind", percent, hosts, name] => {
                    table.scale(first, share);
                    (share, first) = (percent.parse().map_err(|_| bad())?, table.events.len());
                    let count: usize = hosts.parse().map_err(|_| bad())?;
                    let hosts = (0..count).map(|host| {
                        format!("{}-{name}-{host:03}", places[(host * 7 + host / 12) % places.len()])
                    });
                    table.hosts.extend(hosts);
                    table.events.push(Event::none(table.hosts.len() - count..table.hosts.len()));
                }
                ["event", weight] => {
                    let hosts = table.events.last().ok_or_else(bad)?.hosts.clone();
                    table.events.push(Event {
                        hosts,
                        weight: weight.parse().map_err(|_| bad())?,
                        steps: Vec::new(),
                    });
                }
                _ => {
                    let step = Step::parse(line, names)?.ok_or_else(bad)?;
                    table.events.last_mut().ok_or_else(bad)?.steps.push(step);
                }
            }
        }
        table.scale(first, share);
        table.events.retain(|event| !event.steps.is_empty());
        Ok(table)
    }

    /// Scales the frequencies of one kind's events so that its lines are the given share of all lines.
    fn scale(&mut self, first: usize, share: f64) {
        let events = &mut self.events[first..];
        let lines: f64 = events.iter().map(|event| event.weight * event.steps.len() as f64).sum();
        events.iter_mut().for_each(|event| event.weight *= share / lines);
    }
}

impl Event {
    /// Keeps the devices of a kind until its first event.
    fn none(hosts: Range<usize>) -> Event {
        Event { hosts: hosts.start as u64..hosts.end as u64, weight: 0.0, steps: Vec::new() }
    }
}

impl Step {
    /// `300 10.6 sshd[{pid}]: text`.
    fn parse(line: &str, names: &Names) -> io::Result<Option<Step>> {
        let mut parts = line.splitn(3, ' ');
        let (Some(delay), Some(priority), Some(text)) = (parts.next(), parts.next(), parts.next()) else {
            return Ok(None);
        };
        let Some((facility, severity)) = priority.split_once('.') else { return Ok(None) };
        let (Ok(delay_ms), Ok(facility), Ok(severity)) =
            (delay.parse(), facility.parse::<u64>(), severity.parse::<u64>())
        else {
            return Ok(None);
        };
        Ok(Some(Step { delay_ms, pri: facility * 8 + severity, text: Pattern::parse(text, names)? }))
    }
}
