//! The effects of rules on a message: values, tags, contexts, actions.
//!
//! In: a message and its rule; the time. Out: the message with its values; made messages.
//! Holds: the contexts and what `rate` counts. They survive a reload of the database and of the configuration.
//! Limits: those of [`Limits`]. At the limit of counts those whose time has passed are dropped, and if too few are, all
//! of them.

use super::{Action, Content, Database, Rate, Rule, Trigger, intern::InternTable};
use crate::correlation::{
    Clock, ContextState, Contexts, EndedContext, Key, Limits, MadeBatches, Synthetic, context_message,
};
use message::{Batch, FieldName, Span, ValueKind};
use std::{
    collections::HashMap,
    sync::{Arc, Mutex, PoisonError},
};
use template::{Condition, Context, ContextMessage, Renderer};

const CONTEXT_ID: &[u8] = b".classifier.context_id";

/// The state of the rules of a database.
#[derive(Debug)]
pub struct DbState {
    clock: Clock,
    contexts: Contexts<RuleContext>,
    rates: Mutex<HashMap<Key, Bucket>>,
    rates_max: usize,
}

/// A context of a database.
#[derive(Debug)]
struct RuleContext {
    /// The rule of its last message, and the database it is in.
    database: Arc<Database>,
    rule: usize,
    messages: Context,
}

/// The runs that an action has left.
#[derive(Clone, Copy, Debug)]
struct Bucket {
    left: u32,
    filled_s: i64,
    seconds: u32,
}

/// A message that a rule matched.
pub(super) struct Event<'a> {
    pub(super) database: &'a Arc<Database>,
    pub(super) rule: usize,
    pub(super) batch: &'a mut Batch,
    pub(super) index: usize,
}

/// A context to make once no other is held.
struct PendingContext {
    key: Key,
    timeout_s: i64,
    open: RuleContext,
    size: isize,
}

impl Default for DbState {
    fn default() -> DbState {
        DbState::new(Limits::default())
    }
}

impl DbState {
    /// Makes a state without contexts.
    pub fn new(limits: Limits) -> DbState {
        DbState {
            clock: Clock::default(),
            contexts: Contexts::new(limits),
            rates: Mutex::default(),
            rates_max: limits.rates,
        }
    }

    /// Returns the number of contexts.
    pub fn contexts(&self) -> usize {
        self.contexts.len()
    }

    /// Returns the number of contexts that ended early because of a limit.
    pub fn early(&self) -> u64 {
        self.contexts.early()
    }

    /// Moves the time to that of a message.
    pub(super) fn follow(
        &self,
        batch: &Batch,
        index: usize,
        renderer: &mut Renderer,
        made: &mut MadeBatches<'_>,
    ) {
        if let Some(now_s) = self.clock.follow(batch.messages[index].event, renderer.now) {
            self.expire(now_s, renderer, made);
        }
    }

    /// Moves the time as the present has moved.
    pub(super) fn tick(&self, renderer: &mut Renderer, made: &mut MadeBatches<'_>) {
        if let Some(now_s) = self.clock.tick(renderer.now) {
            self.expire(now_s, renderer, made);
        }
    }

    /// Ends all contexts, as if their time had passed.
    pub(super) fn end_all(&self, renderer: &mut Renderer, made: &mut MadeBatches<'_>) {
        self.expire(i64::MAX, renderer, made);
    }

    fn expire(&self, now_s: i64, renderer: &mut Renderer, made: &mut MadeBatches<'_>) {
        for ended in self.contexts.expire(now_s) {
            self.time_out(ended, renderer, made);
        }
    }

    /// Sets the values and tags of a message's rule on it, and runs the actions.
    pub(super) fn apply(
        &self,
        event: Event<'_>,
        renderer: &mut Renderer,
        made: &mut MadeBatches<'_>,
        interned: &mut InternTable,
    ) {
        let Event { database, rule: number, batch, index } = event;
        let rule = &database.rules[number];
        let Some(template) = &rule.context else {
            give(&rule.gives, batch, index, renderer, interned);
            if !rule.actions.is_empty() {
                self.run_alone(database, number, batch, index, renderer, made);
            }
            return;
        };
        let id = template.value(batch, index, renderer).into_owned();
        let name = interned.span(batch, CONTEXT_ID);
        let value = batch.add_extra(&id);
        batch.push_value(index, name, value, ValueKind::String);
        let key = Key::of(rule.context_scope, batch, index, &id);
        let now_s = self.clock.now_s();
        let mut pending = Vec::new();
        let create = || RuleContext { database: database.clone(), rule: number, messages: Context::new() };
        let ended = self.contexts.change(key, now_s, create, |key, open| {
            if open.rule != number || !Arc::ptr_eq(&open.database, database) {
                (open.rule, open.database) = (number, database.clone());
            }
            std::mem::swap(&mut renderer.context, &mut open.messages);
            renderer.context_id.extend_from_slice(key.id());
            give(&rule.gives, batch, index, renderer, interned);
            renderer.context_id.clear();
            let (member, added) = context_message(batch, index);
            let mut run = ActionRun { state: self, database, number, key: Some(key), pending: &mut pending };
            run.actions(Trigger::Match, &member, renderer, made);
            std::mem::swap(&mut renderer.context, &mut open.messages);
            open.messages.push(member);
            match open.messages.len() > self.contexts.messages_max() {
                true => ContextState::Full,
                false => ContextState::Open { timeout_s: rule.context_timeout_s, added },
            }
        });
        self.open(pending, renderer, made);
        if let Some(ended) = ended {
            self.time_out(ended, renderer, made);
        }
    }

    /// Runs the actions of a rule without a context.
    fn run_alone(
        &self,
        database: &Arc<Database>,
        number: usize,
        batch: &Batch,
        index: usize,
        renderer: &mut Renderer,
        made: &mut MadeBatches<'_>,
    ) {
        let (member, _) = context_message(batch, index);
        let mut pending = Vec::new();
        let mut run = ActionRun { state: self, database, number, key: None, pending: &mut pending };
        run.actions(Trigger::Match, &member, renderer, made);
        self.open(pending, renderer, made);
    }

    /// Runs the actions of a context whose time has passed.
    fn time_out(
        &self,
        ended: EndedContext<RuleContext>,
        renderer: &mut Renderer,
        made: &mut MadeBatches<'_>,
    ) {
        let EndedContext { key, value: RuleContext { database, rule, mut messages }, .. } = ended;
        let Some(last) = messages.pop() else { return };
        let mut pending = Vec::new();
        std::mem::swap(&mut renderer.context, &mut messages);
        let mut run = ActionRun {
            state: self,
            database: &database,
            number: rule,
            key: Some(&key),
            pending: &mut pending,
        };
        run.actions(Trigger::Timeout, &last, renderer, made);
        std::mem::swap(&mut renderer.context, &mut messages);
        self.open(pending, renderer, made);
    }

    /// Makes contexts that actions requested.
    fn open(&self, pending: Vec<PendingContext>, renderer: &mut Renderer, made: &mut MadeBatches<'_>) {
        for PendingContext { key, timeout_s, open, size } in pending {
            let (database, rule) = (open.database.clone(), open.rule);
            let create = || RuleContext { database, rule, messages: Context::new() };
            let change = |_: &Key, old: &mut RuleContext| {
                *old = open;
                ContextState::Open { timeout_s, added: size }
            };
            if let Some(ended) = self.contexts.change(key, self.clock.now_s(), create, change) {
                self.time_out(ended, renderer, made);
            }
        }
    }

    /// Returns true when an action may run once more, and counts it.
    fn is_within(&self, rate: Rate, key: Key) -> bool {
        let now_s = self.clock.now_s();
        let mut rates = self.rates.lock().unwrap_or_else(PoisonError::into_inner);
        if rates.len() >= self.rates_max && !rates.contains_key(&key) {
            rates.retain(|_, bucket| now_s - bucket.filled_s <= i64::from(bucket.seconds));
            if rates.len() > self.rates_max / 10 * 9 {
                rates.clear();
            }
        }
        let full = Bucket { left: rate.count, filled_s: now_s, seconds: rate.seconds };
        let bucket = rates.entry(key).or_insert(full);
        let new = (now_s - bucket.filled_s).max(0) * i64::from(rate.count) / i64::from(rate.seconds);
        if new > 0 {
            let new = u32::try_from(new).unwrap_or(u32::MAX);
            bucket.left = bucket.left.saturating_add(new).min(rate.count);
            bucket.filled_s = now_s;
        }
        let may = bucket.left > 0;
        bucket.left -= u32::from(may);
        may
    }
}

/// Sets the values and tags of a rule on a message; constant ones are written once per batch.
fn give(
    gives: &Synthetic,
    batch: &mut Batch,
    index: usize,
    renderer: &mut Renderer,
    interned: &mut InternTable,
) {
    for tag in &gives.tags {
        let tag = interned.span(batch, tag.as_bytes());
        batch.push_value(index, tag, Span::EMPTY, ValueKind::Tag);
    }
    for (name, template) in &gives.values {
        let (value, kind) = match template.constant() {
            Some(constant) => {
                let kind = template.hint().map_or(ValueKind::String, |hint| hint.kind());
                (interned.span(batch, constant), kind)
            }
            None => {
                let mut bytes = Vec::new();
                let kind = template.render_typed(batch, index, renderer, &mut bytes);
                (batch.add_extra(&bytes), kind)
            }
        };
        match name {
            FieldName::Fixed(field) => batch.set_fixed(index, *field, value),
            FieldName::Sdata(name) | FieldName::Named(name) => {
                let name = interned.span(batch, name.as_bytes());
                batch.push_value(index, name, value, kind);
            }
        }
    }
}

/// The actions of one rule at one moment.
struct ActionRun<'a> {
    state: &'a DbState,
    database: &'a Arc<Database>,
    number: usize,
    key: Option<&'a Key>,
    pending: &'a mut Vec<PendingContext>,
}

impl ActionRun<'_> {
    /// Runs the actions of a trigger for a message; the messages before it are the renderer's context.
    fn actions(
        &mut self,
        trigger: Trigger,
        last: &ContextMessage,
        renderer: &mut Renderer,
        made: &mut MadeBatches<'_>,
    ) {
        let database = self.database;
        let rule = &database.rules[self.number];
        for (place, action) in rule.actions.iter().enumerate() {
            if action.trigger == trigger && self.happens(rule, place, action, last, renderer) {
                self.act(action, last, renderer, made);
            }
        }
    }

    fn happens(
        &self,
        rule: &Rule,
        place: usize,
        action: &Action,
        last: &ContextMessage,
        renderer: &mut Renderer,
    ) -> bool {
        if let Some(condition) = &action.condition
            && !condition.holds(&last.batch, last.index, renderer)
        {
            return false;
        }
        action.rate.is_none_or(|rate| {
            let id = format!("{}:{place}", rule.id);
            let key = Key::of(rule.context_scope, &last.batch, last.index, id.as_bytes());
            self.state.is_within(rate, key)
        })
    }

    fn act(
        &mut self,
        action: &Action,
        last: &ContextMessage,
        renderer: &mut Renderer,
        made: &mut MadeBatches<'_>,
    ) {
        match &action.content {
            Content::Nothing => {}
            Content::Message(message) => self.make(message, last, renderer, made),
            Content::CreateContext { id, timeout_s, scope, message } => {
                let id = id.value(&last.batch, last.index, renderer).into_owned();
                let mut batches = Vec::new();
                let inject = crate::correlation::Inject::PassThrough;
                self.make(message, last, renderer, &mut MadeBatches::new(&mut batches, &inject));
                let Some(batch) = batches.pop() else { return };
                let key = Key::of(*scope, &batch, 0, &id);
                let size = batch.extra.len() as isize;
                let messages = vec![ContextMessage { batch: Arc::new(batch), index: 0 }];
                let open = RuleContext { database: self.database.clone(), rule: self.number, messages };
                self.pending.push(PendingContext { key, timeout_s: *timeout_s, open, size });
            }
        }
    }

    fn make(
        &self,
        message: &Synthetic,
        last: &ContextMessage,
        renderer: &mut Renderer,
        made: &mut MadeBatches<'_>,
    ) {
        let mut members = std::mem::take(&mut renderer.context);
        members.push(last.clone());
        message.make(&mut members, self.key, renderer, made);
        members.pop();
        renderer.context = members;
    }
}
