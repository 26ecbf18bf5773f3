//! Messages that a correlation makes, and the values that it sets on a message.
//!
//! In: templates and tags, once; the messages of a context, often. Out: another message in a batch of generated
//! messages.
//! The message that is made counts as the last of its context: `@1` is the one that caused it.
//! Holds: the templates. Limits: none of its own.

use super::{Key, MadeBatches};
use message::{Batch, Field, FieldName, Message, Origin, Priority, Transport};
use std::sync::Arc;
use template::{Context, Renderer, Template};

/// The values that a message inherits from the context it is made from.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Inherit {
    /// Only the time of the last message.
    #[default]
    None,
    /// All of the last message.
    LastMessage,
    /// All of the last message, and the values that only earlier ones have.
    Context,
}

impl Inherit {
    /// All names, for messages to users.
    pub const NAMES: [&str; 3] = ["none", "last-message", "context"];

    /// Returns the mode of a name, in either case.
    pub fn from_name(name: &str) -> Option<Inherit> {
        let modes = [Inherit::None, Inherit::LastMessage, Inherit::Context];
        let place = Inherit::NAMES.iter().position(|known| known.eq_ignore_ascii_case(name))?;
        modes.get(place).copied()
    }
}

/// Values and tags for a message, and what it inherits.
#[derive(Clone, Debug, Default)]
pub struct Synthetic {
    /// The values that it inherits.
    pub inherit: Inherit,
    /// Its values, in order.
    pub values: Vec<(FieldName, Arc<Template>)>,
    /// Its tags.
    pub tags: Vec<String>,
}

/// Facility user and severity notice, as every message of no known sender.
const USER_NOTICE: Priority = Priority(13);

impl Synthetic {
    /// Sets the values and tags on a message.
    pub(crate) fn apply(&self, batch: &mut Batch, index: usize, renderer: &mut Renderer) {
        for tag in &self.tags {
            batch.add_tag(index, tag);
        }
        let mut bytes = Vec::new();
        for (name, template) in &self.values {
            bytes.clear();
            let kind = template.render_typed(batch, index, renderer, &mut bytes);
            batch.set_field(index, name, &bytes, kind);
        }
    }

    /// Makes a message from the messages of a context, of which there is at least one. The key provides host, program
    /// and process id as far as its scope includes them.
    pub(crate) fn make(
        &self,
        members: &mut Context,
        key: Option<&Key>,
        renderer: &mut Renderer,
        made: &mut MadeBatches<'_>,
    ) {
        let Some(last) = members.last() else { return };
        let batch = made.batch(renderer.now);
        let index = match self.inherit {
            Inherit::None => push_local(batch, &last.batch, last.index),
            Inherit::LastMessage => batch.push_copy(&last.batch, last.index),
            Inherit::Context => {
                let index = batch.push_copy(&last.batch, last.index);
                members.iter().rev().skip(1).for_each(|one| merge(batch, index, &one.batch, one.index));
                index
            }
        };
        for (field, value) in key.into_iter().flat_map(Key::fields) {
            batch.set_field(index, &FieldName::Fixed(field), value, message::ValueKind::String);
        }
        std::mem::swap(members, &mut renderer.context);
        renderer.context_id.extend_from_slice(key.map_or(b"", Key::id));
        self.apply(batch, index, renderer);
        renderer.context_id.clear();
        std::mem::swap(members, &mut renderer.context);
    }
}

/// Adds a message of our own, at the time of another.
fn push_local(batch: &mut Batch, other: &Batch, index: usize) -> usize {
    let origin = Origin { transport: Transport::Local, ..Origin::default() };
    let known = batch.origins.iter().position(|known| known.source.is_empty() && known.peer.is_none());
    let origin = match known {
        Some(place) => place as u16,
        None => batch.push_origin(&Arc::new(origin)),
    };
    let event = other.messages[index].event;
    let mut message = Message::default();
    message.event = event;
    message.pri = USER_NOTICE;
    message.origin = origin;
    message.utf8 = true;
    batch.messages.push(message);
    batch.messages.len() - 1
}

/// Copies to a message the values that it lacks and another one has.
fn merge(batch: &mut Batch, index: usize, other: &Batch, from: usize) {
    for field in [Field::Host, Field::Program, Field::Pid, Field::Msgid, Field::Message] {
        if batch.fixed(index, field).is_empty() && !other.fixed(from, field).is_empty() {
            let span = batch.add_extra(other.fixed(from, field));
            batch.set_fixed(index, field, span);
        }
    }
    let mut values = other.values(from);
    values.reverse();
    for (name, value, kind) in values {
        let name = FieldName::Named(String::from_utf8_lossy(name).into_owned());
        if batch.field(index, &name).is_none() {
            batch.set_field(index, &name, value, kind);
        }
    }
}
