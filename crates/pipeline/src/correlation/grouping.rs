//! Groups messages by a key and makes one message from each group: `grouping-by()`.
//!
//! In: messages. Out: the same with the id of their group; a message when a group is complete or its time has passed.
//! Holds: the groups. Limits: those of [`Limits`].

use super::{
    Clock, ContextState, Contexts, EndedContext, Inject, Key, Limits, MadeBatches, Scope, Synthetic,
    context_message,
};
use crate::{filter::Filter, parser::Parser};
use message::{Batch, FieldName, Selection, ValueKind};
use std::sync::Arc;
use template::{Condition, Context, Renderer, Template};

/// Options of `grouping-by()`.
#[derive(Clone, Debug)]
pub struct GroupOptions {
    /// `key()`.
    pub key: Arc<Template>,
    /// `scope()`.
    pub scope: Scope,
    /// `timeout()`: seconds after the last message.
    pub timeout_s: i64,
    /// `where()`: only messages for which it holds are grouped.
    pub only: Option<Arc<Filter>>,
    /// `trigger()`: a group is complete when it holds for its last message.
    pub trigger: Option<Arc<Filter>>,
    /// `having()`: a message is made only from groups for which it is true.
    pub having: Option<Arc<Filter>>,
    /// `sort-key()`: the order of the messages of a group.
    pub sort_key: Option<Arc<Template>>,
    /// `aggregate()`: the message that is made.
    pub aggregate: Synthetic,
    /// `inject-mode()`.
    pub inject: Inject,
}

/// The groups of a parser; they outlive a reload.
#[derive(Debug)]
pub struct GroupState {
    clock: Clock,
    groups: Contexts<Context>,
}

impl Default for GroupState {
    fn default() -> GroupState {
        GroupState::new(Limits::default())
    }
}

impl GroupState {
    /// Makes a state without groups.
    pub fn new(limits: Limits) -> GroupState {
        GroupState { clock: Clock::default(), groups: Contexts::new(limits) }
    }

    /// Returns the number of groups that ended early because of a limit.
    pub fn early(&self) -> u64 {
        self.groups.early()
    }
}

/// A parser that groups.
pub struct GroupingBy {
    options: GroupOptions,
    context_id: FieldName,
    state: Arc<GroupState>,
}

impl GroupingBy {
    /// Makes a parser with the state of an earlier one, or a new one.
    pub fn new(options: GroupOptions, state: Arc<GroupState>) -> GroupingBy {
        let context_id = FieldName::Named(".classifier.context_id".to_owned());
        GroupingBy { options, context_id, state }
    }

    /// Puts a message into its group.
    fn group(&self, batch: &mut Batch, index: usize, renderer: &mut Renderer, made: &mut MadeBatches<'_>) {
        let (options, state) = (&self.options, &self.state);
        if let Some(now_s) = state.clock.follow(batch.messages[index].event, renderer.now) {
            self.expire(now_s, renderer, made);
        }
        let id = options.key.value(batch, index, renderer).into_owned();
        batch.set_field(index, &self.context_id, &id, ValueKind::String);
        let key = Key::of(options.scope, batch, index, &id);
        let (member, added) = context_message(batch, index);
        let mut complete = None;
        let ended = state.groups.change(
            key.clone(),
            state.clock.now_s(),
            Context::new,
            |_, members: &mut Context| {
                let is_complete = options.trigger.as_ref().is_some_and(|trigger| {
                    std::mem::swap(&mut renderer.context, members);
                    let holds = trigger.holds(batch, index, renderer);
                    std::mem::swap(&mut renderer.context, members);
                    holds
                });
                members.push(member);
                if is_complete {
                    complete = Some(std::mem::take(members));
                    return ContextState::Closed;
                }
                match members.len() > state.groups.messages_max() {
                    true => ContextState::Full,
                    false => ContextState::Open { timeout_s: options.timeout_s, added },
                }
            },
        );
        if let Some(members) = complete {
            self.aggregate(&key, members, renderer, made);
        }
        if let Some(EndedContext { key, value, .. }) = ended {
            self.aggregate(&key, value, renderer, made);
        }
    }

    fn expire(&self, now_s: i64, renderer: &mut Renderer, made: &mut MadeBatches<'_>) {
        for EndedContext { key, value, .. } in self.state.groups.expire(now_s) {
            self.aggregate(&key, value, renderer, made);
        }
    }

    /// Makes the message of a group.
    fn aggregate(
        &self,
        key: &Key,
        mut members: Context,
        renderer: &mut Renderer,
        made: &mut MadeBatches<'_>,
    ) {
        if let Some(sort_key) = &self.options.sort_key {
            members.sort_by_cached_key(|one| sort_key.value(&one.batch, one.index, renderer).into_owned());
        }
        if let Some(having) = &self.options.having {
            let Some(last) = members.pop() else { return };
            std::mem::swap(&mut renderer.context, &mut members);
            let holds = having.holds(&last.batch, last.index, renderer);
            std::mem::swap(&mut renderer.context, &mut members);
            members.push(last);
            if !holds {
                return;
            }
        }
        self.options.aggregate.make(&mut members, Some(key), renderer, made);
    }
}

impl Parser for GroupingBy {
    fn parse(&self, batch: &mut Batch, within: &Selection, renderer: &mut Renderer) -> Selection {
        self.parse_making(batch, within, renderer, &mut Vec::new())
    }

    fn parse_making(
        &self,
        batch: &mut Batch,
        within: &Selection,
        renderer: &mut Renderer,
        made: &mut Vec<Batch>,
    ) -> Selection {
        let chosen = self.options.only.as_ref().map(|only| match only.stores_matches() {
            true => only.select_storing(batch, within, renderer),
            false => only.select(batch, within, renderer),
        });
        let mut made = MadeBatches::new(made, &self.options.inject);
        for index in chosen.as_ref().unwrap_or(within).iter() {
            self.group(batch, index, renderer, &mut made);
        }
        made.finish();
        match self.options.inject {
            Inject::AggregateOnly => Selection::none(within.batch_len()),
            Inject::PassThrough | Inject::Internal(_) => within.clone(),
        }
    }

    fn consumes(&self) -> bool {
        matches!(self.options.inject, Inject::AggregateOnly)
    }

    fn is_timed(&self) -> bool {
        true
    }

    fn tick(&self, renderer: &mut Renderer, made: &mut Vec<Batch>) {
        let mut made = MadeBatches::new(made, &self.options.inject);
        if let Some(now_s) = self.state.clock.tick(renderer.now) {
            self.expire(now_s, renderer, &mut made);
        }
        made.finish();
    }
}
