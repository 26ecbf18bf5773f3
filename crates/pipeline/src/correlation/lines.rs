//! Joins messages that are lines of one: `group-lines()`.
//!
//! In: messages, each a line of the message of its key. Out: the joined messages: the last line's message with the
//! text of all. Holds: the lines of each key that are not complete.
//! Limits: [`TEXT_BYTES_MAX`] bytes a joined text, above it the text ends there; those of [`Limits`].

use super::{
    Clock, ContextState, Contexts, EndedContext, Inject, Key, Limits, MadeBatches, Scope, context_message,
};
use crate::parser::{Input, Parser};
use message::{Batch, Field, FieldName, Selection, ValueKind};
use std::sync::Arc;
use template::{ContextMessage, Renderer, Template};
use wire::{Joiner, LineUse, MultiLine, Preceding};

/// Longest joined text: more than the longest message of a source.
const TEXT_BYTES_MAX: usize = 1 << 20;

/// Options of `group-lines()`.
#[derive(Clone, Debug)]
pub struct LinesOptions {
    /// `key()`.
    pub key: Arc<Template>,
    /// `scope()`.
    pub scope: Scope,
    /// `timeout()`: seconds after the last line.
    pub timeout_s: i64,
    /// `template()`: the text of a line.
    pub line: Input,
    /// `line-separator()`.
    pub separator: Vec<u8>,
    /// `multi-line-mode()` and its patterns.
    pub mode: Arc<MultiLine>,
    /// `inject-mode()`.
    pub inject: Inject,
}

/// The lines that wait; they outlive a reload.
#[derive(Debug)]
pub struct LinesState {
    clock: Clock,
    lines: Contexts<Lines>,
}

/// Lines of one key.
#[derive(Debug)]
struct Lines {
    joiner: Joiner,
    text: Vec<u8>,
    /// The message of the last line.
    last: Option<ContextMessage>,
}

impl Default for LinesState {
    fn default() -> LinesState {
        LinesState { clock: Clock::default(), lines: Contexts::new(Limits::default()) }
    }
}

/// A parser that joins lines.
pub struct GroupLines {
    options: LinesOptions,
    context_id: FieldName,
    state: Arc<LinesState>,
}

impl GroupLines {
    /// Makes a parser with the state of an earlier one, or a new one.
    pub fn new(options: LinesOptions, state: Arc<LinesState>) -> GroupLines {
        let context_id = FieldName::Named(".classifier.context_id".to_owned());
        GroupLines { options, context_id, state }
    }

    fn line(&self, batch: &mut Batch, index: usize, renderer: &mut Renderer, made: &mut MadeBatches<'_>) {
        let (options, state) = (&self.options, &self.state);
        if let Some(now_s) = state.clock.follow(batch.messages[index].event, renderer.now) {
            self.expire(now_s, renderer, made);
        }
        let id = options.key.value(batch, index, renderer).into_owned();
        batch.set_field(index, &self.context_id, &id, ValueKind::String);
        let key = Key::of(options.scope, batch, index, &id);
        let place = options.line.span(batch, index, renderer);
        let line = batch.bytes(place).to_vec();
        let (member, _) = context_message(batch, index);
        let create = || Lines { joiner: Joiner::new(options.mode.clone()), text: Vec::new(), last: None };
        let ended = state.lines.change(key, state.clock.now_s(), create, |_, lines| {
            let begun = lines.last.is_some();
            let before = lines.size();
            let preceding = if begun { Preceding::OpenMessage } else { Preceding::Nothing };
            let joined = lines.joiner.judge(&line, preceding);
            if joined.closes && begun {
                self.finish(lines, renderer, made);
            }
            match joined.line {
                LineUse::Open => lines.add(&line, &options.separator, member),
                LineUse::Ends(size) => {
                    lines.add(line.get(..size).unwrap_or(&line), &options.separator, member);
                    self.finish(lines, renderer, made);
                }
                LineUse::Skipped => {}
            }
            ContextState::Open { timeout_s: options.timeout_s, added: lines.size() - before }
        });
        if let Some(EndedContext { mut value, .. }) = ended {
            self.finish(&mut value, renderer, made);
        }
    }

    fn expire(&self, now_s: i64, renderer: &mut Renderer, made: &mut MadeBatches<'_>) {
        for EndedContext { mut value, .. } in self.state.lines.expire(now_s) {
            self.finish(&mut value, renderer, made);
        }
    }

    /// Makes the message of the lines so far.
    fn finish(&self, lines: &mut Lines, renderer: &mut Renderer, made: &mut MadeBatches<'_>) {
        let text = std::mem::take(&mut lines.text);
        let Some(last) = lines.last.take() else { return };
        let batch = made.batch(renderer.now);
        let index = batch.push_copy(&last.batch, last.index);
        batch.set_field(index, &FieldName::Fixed(Field::Message), &text, ValueKind::String);
    }
}

impl Lines {
    /// Returns the number of bytes that they take.
    fn size(&self) -> isize {
        let last = self.last.as_ref().map_or(0, |last| last.batch.extra.len());
        (self.text.capacity() + last) as isize
    }

    fn add(&mut self, line: &[u8], separator: &[u8], member: ContextMessage) {
        if self.last.is_some() {
            self.text.extend_from_slice(separator);
        }
        let left = TEXT_BYTES_MAX.saturating_sub(self.text.len());
        self.text.extend_from_slice(&line[..line.len().min(left)]);
        self.last = Some(member);
    }
}

impl Parser for GroupLines {
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
        let mut made = MadeBatches::new(made, &self.options.inject);
        for index in within.iter() {
            self.line(batch, index, renderer, &mut made);
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

    fn close(&self, renderer: &mut Renderer, made: &mut Vec<Batch>) {
        let mut made = MadeBatches::new(made, &self.options.inject);
        self.expire(i64::MAX, renderer, &mut made);
        made.finish();
    }

    fn tick(&self, renderer: &mut Renderer, made: &mut Vec<Batch>) {
        let mut made = MadeBatches::new(made, &self.options.inject);
        if let Some(now_s) = self.state.clock.tick(renderer.now) {
            self.expire(now_s, renderer, &mut made);
        }
        made.finish();
    }
}
