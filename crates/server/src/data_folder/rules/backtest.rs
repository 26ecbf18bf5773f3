//! `duramen rules test`: what rules would have reported over the history of a logspace.
//!
//! In: files of rules, a logspace on disk. Out: transitions in the order of their times, then a summary. Messages are
//! evaluated exactly as they will be while they arrive. Limits: messages that are not sealed yet are not read; a
//! segment that cannot be read counts as a time in which nobody listened.

use super::{
    super::{
        author::now_us,
        logspace::{Folder, KeyFiles, Location, SealedMessages, SealedPart, VerbError, Walk, time},
    },
    files::{self, FilesError},
    show,
};
use crate::terminal;
use clap::Args;
use serde_json::json;
use std::{fmt, path::PathBuf, sync::Arc};
use watch::{Change, Evaluator, Input, Limits, Rule, Selecting, Transition};

/// Options of `test`.
#[derive(Args, Debug)]
pub(super) struct Options {
    /// Files of rules, YAML or JSON
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
    /// Name of the logspace, or its directory (a path with a slash)
    #[arg(long)]
    logspace: String,
    /// Only messages received from this time on: ISO 8601, seconds since 1970, now-7d
    #[arg(long)]
    from: Option<String>,
    /// Only messages received before this time
    #[arg(long)]
    to: Option<String>,
    /// Print a JSON object for each transition, and one for the summary
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    folder: Folder,
    #[command(flatten)]
    keys: KeyFiles,
}

/// The reason why rules are not tried.
#[derive(Debug)]
pub(super) enum BacktestError {
    /// The rules cannot be used.
    Files(FilesError),
    /// The logspace cannot be read.
    Logspace(VerbError),
}

impl fmt::Display for BacktestError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            BacktestError::Files(error) => error.fmt(f),
            BacktestError::Logspace(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for BacktestError {}

/// Tries the rules; returns false when some messages could not be read.
pub(super) fn run(options: &Options) -> Result<bool, BacktestError> {
    let files = files::read(&options.files).map_err(BacktestError::Files)?;
    let rules: Vec<Arc<Rule>> = files.into_iter().flat_map(|file| file.rules).collect();
    let evaluator = Evaluator::new(rules.clone(), Limits::default(), Selecting::ByMarks);
    let evaluator = evaluator.ok_or(BacktestError::Files(FilesError::TooMany))?;
    history(options, &rules, evaluator).map_err(BacktestError::Logspace)
}

/// Gives the history to the rules.
fn history(options: &Options, rules: &[Arc<Rule>], evaluator: Evaluator) -> Result<bool, VerbError> {
    let (from_us, to_us) = (moment(&options.from)?, moment(&options.to)?);
    let location = Location::new(&options.logspace, &options.folder);
    let messages = SealedMessages::open(&location, &options.keys, (from_us, to_us))?;
    let ids: Vec<&str> = rules.iter().map(|rule| rule.id.as_ref()).collect();
    location.record("rules test", &ids.join(" "), json!({"from_us": from_us, "to_us": to_us}))?;
    let mut test = Backtest::new(evaluator, rules, options);
    messages.walk(&mut |part| {
        match part {
            SealedPart::Message(document) => test.message(document),
            SealedPart::Unread(unread) => {
                errln!("duramen: {}", unread.reason);
                test.gap(unread.facts);
            }
        }
        test.print();
        Walk::On
    });
    // Later messages show that nothing more was received before the end.
    if let Some(to_us) = to_us.filter(|to_us| messages.last_us().is_some_and(|last_us| last_us >= *to_us)) {
        test.evaluator.apply(Input::Mark(to_us), &mut test.transitions);
        test.print();
    }
    test.summary(messages.end());
    Ok(test.unread == 0)
}

/// Reads a time of the command line.
fn moment(text: &Option<String>) -> Result<Option<i64>, VerbError> {
    let read = |text: &String| {
        let time = query::parse_time(text, now_us(), 0);
        time.ok_or_else(|| VerbError::RelativeTime { text: text.clone() })
    };
    text.as_ref().map(read).transpose()
}

/// A run over the history.
struct Backtest<'a> {
    evaluator: Evaluator,
    rules: std::collections::HashMap<&'a str, &'a Rule>,
    options: &'a Options,
    transitions: Vec<Transition>,
    /// Messages evaluated, with the times of the first and the last.
    messages: u64,
    received_us: Option<(i64, i64)>,
    /// Messages of segments that could not be read, or not to their ends.
    unread: u64,
    fired: u64,
    occurred: u64,
    degraded: u64,
}

impl<'a> Backtest<'a> {
    fn new(evaluator: Evaluator, rules: &'a [Arc<Rule>], options: &'a Options) -> Backtest<'a> {
        Backtest {
            evaluator,
            rules: rules.iter().map(|rule| (rule.id.as_ref(), rule.as_ref())).collect(),
            options,
            transitions: Vec::new(),
            messages: 0,
            received_us: None,
            unread: 0,
            fired: 0,
            occurred: 0,
            degraded: 0,
        }
    }

    fn message(&mut self, document: &lookup::Document) {
        self.messages += 1;
        let first_us = self.received_us.map_or(document.received_us, |(first_us, _)| first_us);
        self.received_us = Some((first_us, document.received_us));
        self.evaluator.apply(Input::Message(document), &mut self.transitions);
    }

    /// Passes over a segment that cannot be read: silence in it says nothing.
    fn gap(&mut self, facts: &evidence::Facts) {
        self.unread += facts.count;
        let (first_us, last_us) = facts.received_us;
        self.evaluator.apply(Input::Stopped(first_us), &mut self.transitions);
        self.evaluator.apply(Input::Started(last_us), &mut self.transitions);
    }

    /// Prints the transitions since the last call.
    fn print(&mut self) {
        for transition in self.transitions.drain(..) {
            match transition.change {
                Change::Fired => self.fired += 1,
                Change::Occurred => self.occurred += 1,
                Change::Degraded => self.degraded += 1,
                Change::Resolved | Change::Forgotten | Change::Recovered => {}
            }
            let Some(rule) = self.rules.get(transition.rule.as_ref()) else { continue };
            match self.options.json {
                true => outln!("{}", terminal::json(&show::object(rule, &transition).to_string())),
                false => outln!("{}", terminal::line(&show::line(rule, &transition))),
            }
        }
    }

    fn summary(&self, sealed_end: u64) {
        let rules: Vec<_> = self.evaluator.rules().collect();
        if self.options.json {
            let of_rules = rules.iter().map(|(rule, counters)| {
                let of_rule = json!({"matched": counters.matched, "evaluated": counters.evaluated});
                (rule.id.to_string(), of_rule)
            });
            let summary = json!({"summary": {
                "messages": self.messages,
                "received_us": self.received_us,
                "sealed_below": sealed_end,
                "unread": self.unread,
                "fired": self.fired,
                "occurred": self.occurred,
                "degraded": self.degraded,
                "rules": of_rules.collect::<serde_json::Map<_, _>>(),
            }});
            return outln!("{}", terminal::json(&summary.to_string()));
        }
        for (rule, counters) in rules {
            outln!("rule {}: {} messages matched", rule.id, counters.matched);
        }
        let during = self.received_us.map_or_else(String::new, |(first_us, last_us)| {
            format!(" from {} to {}", time(first_us), time(last_us))
        });
        outln!("{} messages{during}: {} fired, {} occurred", self.messages, self.fired, self.occurred);
        if self.unread > 0 {
            outln!("{} messages could not be read", self.unread);
        }
        if self.options.to.is_none() {
            outln!(
                "messages from #{sealed_end} on are not sealed and were not read; `duramen logspace seal` seals them"
            );
        }
    }
}
