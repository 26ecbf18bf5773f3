//! Evaluates rules: messages and marks of time to transitions.
//!
//! In: [`Input`]s in order. Out: transitions, in the order of their times; at one tick by rule, then by key.
//! Holds: the state of each rule. Limits: [`Limits`].

use crate::{
    candidates::Candidates,
    key::KeyMaker,
    rule::Rule,
    snapshot::{RestoreError, SnapshotReader, SnapshotWriter},
    state::{self, Context, Listening, MatchedMessage, Role, State, Usage},
    transition::{Cause, Change, Report, Transition},
};
use lookup::Document;
use query::{Matcher, MessageTokens};
use std::{
    cmp::Reverse,
    collections::{BinaryHeap, HashSet},
    sync::Arc,
};

/// Largest time, about 73,000 years after 1970: windows that begin there still have an end.
const TIME_US_MAX: i64 = i64::MAX / 4;

/// An input of an evaluator.
#[derive(Clone, Copy, Debug)]
pub enum Input<'a> {
    /// A message. Those with sequence numbers that were passed already are skipped, so that messages may be read again
    /// after [`Evaluator::restore`]. A received time below an earlier one counts as that one.
    Message(&'a Document),
    /// No message arrived before this time, in microseconds since 1970, except those that were given.
    Mark(i64),
    /// The listeners stopped at this time.
    Stopped(i64),
    /// The listeners started again at this time.
    Started(i64),
}

/// The most that an evaluator keeps.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Limits {
    /// Keys of one rule.
    pub rule_keys_max: usize,
    /// Bytes of one rule's state.
    pub rule_bytes_max: usize,
    /// Keys of all rules.
    pub keys_max: usize,
    /// Bytes of the states of all rules.
    pub bytes_max: usize,
}

impl Default for Limits {
    /// A million keys a rule, four million in all, within 256 MiB and 1 GiB.
    fn default() -> Limits {
        Limits {
            rule_keys_max: 1_000_000,
            rule_bytes_max: 256 << 20,
            keys_max: 4_000_000,
            bytes_max: 1 << 30,
        }
    }
}

/// How the rules that a message may concern are chosen; the transitions are the same.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Selecting {
    /// By the words and values that they require.
    #[default]
    ByMarks,
    /// All of them, for comparison.
    All,
}

/// Counters of a rule since the evaluator was made.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct RuleCounters {
    /// Messages for which its queries were evaluated.
    pub evaluated: u64,
    /// Messages that matched one of its queries.
    pub matched: u64,
    /// Keys that it holds.
    pub keys: usize,
    /// Bytes that its state takes, about.
    pub bytes: usize,
}

/// A rule that is evaluated.
struct Running {
    rule: Arc<Rule>,
    first: Matcher,
    then: Option<Matcher>,
    state: Box<dyn State>,
    usage: Usage,
    ordinals: u64,
    /// Time at which everything that was not tracked no longer matters.
    recovers_us: Option<i64>,
    /// The tick at which it is looked at next.
    due_us: Option<i64>,
    counters: RuleCounters,
}

/// Evaluates rules over one sequence of messages.
pub struct Evaluator {
    rules: Vec<Running>,
    candidates: Candidates,
    selecting: Selecting,
    limits: Limits,
    used: Usage,
    /// Rules by their next tick; entries that a rule no longer waits for are skipped.
    schedule: BinaryHeap<Reverse<(i64, u32)>>,
    /// The time reached; none before the first input.
    now_us: Option<i64>,
    next_sequence: u64,
    tokens: MessageTokens,
    keys: KeyMaker,
    found: Vec<u32>,
}

impl Evaluator {
    /// Makes an evaluator of rules; none when the parts of texts that they require need too much memory.
    pub fn new(rules: Vec<Arc<Rule>>, limits: Limits, selecting: Selecting) -> Option<Evaluator> {
        let queries = rules.iter().map(|rule| [Some(&rule.query), rule.kind.then()]);
        let candidates = Candidates::of(queries).ok()?;
        let found = (0..rules.len() as u32).collect();
        Some(Evaluator {
            rules: rules.into_iter().map(Running::new).collect(),
            candidates,
            selecting,
            limits,
            used: Usage::default(),
            schedule: BinaryHeap::new(),
            now_us: None,
            next_sequence: 0,
            tokens: MessageTokens::default(),
            keys: KeyMaker::default(),
            found,
        })
    }

    /// Takes an input; appends the transitions that follow from it.
    pub fn apply(&mut self, input: Input<'_>, out: &mut Vec<Transition>) {
        match input {
            Input::Message(document) if document.sequence < self.next_sequence => {}
            Input::Message(document) => {
                let at_us = self.advance(document.received_us, out);
                self.message(document, at_us, out);
                self.next_sequence = document.sequence.saturating_add(1);
            }
            Input::Mark(at_us) => {
                self.advance(at_us, out);
            }
            Input::Stopped(at_us) => {
                let at_us = self.advance(at_us, out);
                self.listen(Listening::Stopped(at_us));
            }
            Input::Started(at_us) => {
                let at_us = self.advance(at_us, out);
                self.listen(Listening::Started(at_us));
            }
        }
    }

    /// Sequence number of the next message: all before it are evaluated.
    pub fn next_sequence(&self) -> u64 {
        self.next_sequence
    }

    /// The time reached, in microseconds since 1970; none before the first input.
    pub fn now_us(&self) -> Option<i64> {
        self.now_us
    }

    /// The time of the next tick: a mark before it changes nothing, if no message arrives. None when no rule waits.
    pub fn next_tick_us(&self) -> Option<i64> {
        self.rules.iter().filter_map(|running| running.due_us).min()
    }

    /// The rules, in the order in which they were given, with their counters.
    pub fn rules(&self) -> impl Iterator<Item = (&Rule, RuleCounters)> {
        self.rules.iter().map(|running| {
            let Usage { keys, bytes } = running.usage;
            (running.rule.as_ref(), RuleCounters { keys, bytes, ..running.counters })
        })
    }

    /// Returns the state as bytes.
    pub fn snapshot(&self) -> Vec<u8> {
        let mut out = SnapshotWriter::new();
        out.number(self.next_sequence);
        out.optional_time(self.now_us);
        out.number(self.rules.len() as u64);
        self.rules.iter().for_each(|running| running.save(&mut out));
        out.finish()
    }

    /// Takes the state of a snapshot into a new evaluator. A rule that the snapshot does not have in this version
    /// starts at the time of the snapshot. Returns the identifiers of those. After an error the evaluator holds a part of
    /// the snapshot: make another one.
    pub fn restore(&mut self, snapshot: &[u8]) -> Result<Vec<Arc<str>>, RestoreError> {
        let mut from = SnapshotReader::open(snapshot)?;
        self.next_sequence = from.number()?;
        self.now_us = from.optional_time()?;
        let mut missing: Vec<Arc<str>> = Vec::new();
        let mut restored = HashSet::new();
        for _ in 0..from.count()? {
            let id = from.bytes()?;
            let version = from.bytes()?;
            let body = from.part()?;
            let known = self.rules.iter().position(|running| {
                running.rule.id.as_bytes() == id && running.rule.version.0.as_slice() == version
            });
            if let Some(known) = known {
                self.rules[known].load(body)?;
                restored.insert(known);
            }
        }
        from.end()?;
        for position in 0..self.rules.len() {
            if !restored.contains(&position) {
                missing.push(Arc::clone(&self.rules[position].rule.id));
                if let Some(now_us) = self.now_us {
                    // A start reports nothing.
                    self.run(position, &mut Vec::new(), &mut |running, context, _| {
                        running.start(now_us, context);
                    });
                }
            }
            self.refresh(position);
        }
        Ok(missing)
    }

    /// Moves the time forward and gives the rules their ticks; returns the time reached.
    fn advance(&mut self, at_us: i64, out: &mut Vec<Transition>) -> i64 {
        let at_us = at_us.clamp(-TIME_US_MAX, TIME_US_MAX);
        let Some(now_us) = self.now_us else {
            self.now_us = Some(at_us);
            for position in 0..self.rules.len() {
                self.run(position, out, &mut |running, context, _| running.start(at_us, context));
            }
            return at_us;
        };
        let at_us = at_us.max(now_us);
        self.now_us = Some(at_us);
        while let Some(Reverse((due_us, position))) = self.schedule.peek().copied() {
            if due_us > at_us {
                break;
            }
            self.schedule.pop();
            let position = position as usize;
            if self.rules[position].due_us == Some(due_us) {
                self.rules[position].due_us = None;
                self.run(position, out, &mut |running, context, _| running.tick(due_us, context));
            }
        }
        at_us
    }

    /// Gives a message to the rules that it concerns.
    fn message(&mut self, document: &Document, at_us: i64, out: &mut Vec<Transition>) {
        self.tokens.forget();
        let mut found = std::mem::take(&mut self.found);
        if self.selecting == Selecting::ByMarks {
            self.candidates.find(document, &mut self.tokens, &mut found);
        }
        for position in &found {
            let position = *position as usize;
            let role = self.rules[position].role(document, &mut self.tokens);
            let Some(role) = role else { continue };
            let seen = MatchedMessage { document, at_us, role };
            self.rules[position].state.expire(at_us);
            self.refresh(position);
            self.run(position, out, &mut |running, context, keys| running.message(&seen, keys, context));
        }
        self.found = found;
    }

    fn listen(&mut self, listening: Listening) {
        for position in 0..self.rules.len() {
            self.rules[position].state.listen(listening);
            self.rules[position].due_us = None;
            self.refresh(position);
        }
    }

    /// Lets a rule do something within its room.
    fn run(
        &mut self,
        position: usize,
        out: &mut Vec<Transition>,
        act: &mut dyn FnMut(&mut Acting<'_>, &mut Context<'_>, &mut KeyMaker),
    ) {
        let running = &mut self.rules[position];
        let limits = self.limits;
        let of_rule = Usage { keys: limits.rule_keys_max, bytes: limits.rule_bytes_max };
        let of_all = Usage { keys: limits.keys_max, bytes: limits.bytes_max };
        let room = running.usage.below(of_rule).least(self.used.below(of_all));
        let rule = Arc::clone(&running.rule);
        let ordinals = &mut running.ordinals;
        let mut context = Context { rule: &rule, ordinals, room, refused: None, out };
        let mut acting = Acting { state: running.state.as_mut(), recovers_us: &mut running.recovers_us };
        act(&mut acting, &mut context, &mut self.keys);
        self.refresh(position);
    }

    /// Counts what a rule uses, and schedules its next tick.
    fn refresh(&mut self, position: usize) {
        let running = &mut self.rules[position];
        let usage = running.state.usage();
        self.used = Usage {
            keys: self.used.keys - running.usage.keys + usage.keys,
            bytes: self.used.bytes - running.usage.bytes + usage.bytes,
        };
        running.usage = usage;
        let due_us = running.state.next_tick().into_iter().chain(running.recovers_us).min();
        if due_us != running.due_us {
            running.due_us = due_us;
            self.schedule.extend(due_us.map(|due_us| Reverse((due_us, position as u32))));
        }
    }
}

/// The parts of a rule that act.
struct Acting<'a> {
    state: &'a mut dyn State,
    recovers_us: &'a mut Option<i64>,
}

impl Acting<'_> {
    fn start(&mut self, at_us: i64, context: &mut Context<'_>) {
        self.state.start(at_us, context);
        self.note(Cause::Tick(at_us), at_us, context);
    }

    fn message(&mut self, seen: &MatchedMessage<'_>, keys: &mut KeyMaker, context: &mut Context<'_>) {
        self.state.message(seen, keys, context);
        self.note(Cause::Message(seen.document.sequence), seen.at_us, context);
    }

    fn tick(&mut self, at_us: i64, context: &mut Context<'_>) {
        if self.state.next_tick().is_some_and(|due_us| due_us <= at_us) {
            self.state.tick(at_us, context);
        }
        if self.recovers_us.is_some_and(|recovers_us| recovers_us <= at_us) {
            *self.recovers_us = None;
            report(Change::Recovered, Cause::Tick(at_us), at_us, context);
        }
        self.note(Cause::Tick(at_us), at_us, context);
    }

    /// Notes that something was not tracked: until what was missed no longer matters, the rule is degraded.
    fn note(&mut self, cause: Cause, at_us: i64, context: &mut Context<'_>) {
        if context.refused.is_some() {
            if self.recovers_us.is_none() {
                report(Change::Degraded, cause, at_us, context);
            }
            *self.recovers_us = Some(at_us.saturating_add(context.rule.kind.memory_us()));
        }
    }
}

/// Reports a change of a whole rule.
fn report(change: Change, cause: Cause, at_us: i64, context: &mut Context<'_>) {
    let report = Report { key: b"", ordinal: 0, change, cause, at_us, value: None, first: None };
    context.out.push(report.of(context.rule));
}

impl Running {
    fn new(rule: Arc<Rule>) -> Running {
        Running {
            first: rule.query.matcher(),
            then: rule.kind.then().map(query::Query::matcher),
            state: state::of(&rule),
            usage: Usage::default(),
            ordinals: 0,
            recovers_us: None,
            due_us: None,
            counters: RuleCounters::default(),
            rule,
        }
    }

    /// Returns the queries that a message matches.
    fn role(&mut self, document: &Document, tokens: &mut MessageTokens) -> Option<Role> {
        self.counters.evaluated += 1;
        let first = self.first.matches_sharing(document, tokens);
        let then = self.then.as_ref().is_some_and(|then| then.matches_sharing(document, tokens));
        let role = match (first, then) {
            (true, true) => Role::Both,
            (true, false) => Role::First,
            (false, true) => Role::Then,
            (false, false) => return None,
        };
        self.counters.matched += 1;
        Some(role)
    }

    fn save(&self, out: &mut SnapshotWriter) {
        out.bytes(self.rule.id.as_bytes());
        out.bytes(&self.rule.version.0);
        out.part(&mut |part| {
            part.number(self.ordinals);
            part.optional_time(self.recovers_us);
            self.state.save(part);
        });
    }

    fn load(&mut self, mut from: SnapshotReader<'_>) -> Result<(), RestoreError> {
        self.ordinals = from.number()?;
        self.recovers_us = from.optional_time()?;
        self.state.load(&mut from)?;
        from.end()
    }
}
