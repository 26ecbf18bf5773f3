//! Calls of template functions, run for a message.
//!
//! In: a compiled call, a message. Out: text, appended, and its type. Holds nothing.
//! Limits: those of compiling.

use super::{context, fact, format, items, machine, moment};
use crate::{
    renderer::Renderer,
    template::{Call, Template},
    value::list_append,
};
use message::{Batch, ValueKind};

/// Appends the result of a call and returns its type.
pub(super) fn append(
    call: &Call,
    batch: &Batch,
    index: usize,
    renderer: &mut Renderer,
    out: &mut Vec<u8>,
) -> ValueKind {
    let inner = |template: &Template, renderer: &mut Renderer, out: &mut Vec<u8>| {
        template.render_inner(batch, index, renderer, out)
    };
    match call {
        Call::Text { arguments, action } => {
            let mut bytes = Vec::new();
            let mut ends = Vec::with_capacity(arguments.len());
            for argument in arguments {
                inner(argument, renderer, &mut bytes);
                ends.push(bytes.len());
            }
            action.run(&slices(&bytes, &ends), out)
        }
        Call::If { condition, branches: [yes, no] } => {
            let branch = if condition.holds(batch, index, renderer) { yes } else { no };
            inner(branch, renderer, out)
        }
        Call::Fold { .. } | Call::Grep { .. } | Call::ContextLength | Call::ContextValues(_) => {
            append_over(call, batch, index, renderer, out)
        }
        Call::Template(template) => inner(template, renderer, out),
        Call::Fallback(text) => inner(text, renderer, out),
        Call::Environment(name) => {
            let name = name.value(batch, index, renderer).into_owned();
            out.extend_from_slice(environment(&name, renderer));
            ValueKind::String
        }
        Call::Tag { .. } | Call::TagsHead(_) => append_tags(call, batch, index, renderer, out),
        Call::Listing { pairs, listed } => pairs.append_list(batch, index, renderer, *listed, out),
        Call::Format { pairs, style } => {
            format::append(pairs, style, batch, index, renderer, out);
            style.kind()
        }
        Call::ListFunction(items) => items::append(items, batch, index, renderer, out),
        Call::TimeFunction(moment) => {
            moment::append(moment, batch, index, renderer, out);
            ValueKind::String
        }
        Call::Machine(question) => {
            machine::append(question, batch, index, renderer, out);
            ValueKind::String
        }
        Call::Fact(fact) => {
            fact::append(fact, batch, index, renderer, out);
            ValueKind::String
        }
        Call::Dynamic { name, templates, fallback } => {
            let name = name.value(batch, index, renderer).into_owned();
            let named = std::str::from_utf8(&name).ok().and_then(|name| templates.get(name));
            inner(named.map_or(fallback, |template| template), renderer, out)
        }
    }
}

/// Appends the result of a call that uses the tags of the message.
fn append_tags(
    call: &Call,
    batch: &Batch,
    index: usize,
    renderer: &mut Renderer,
    out: &mut Vec<u8>,
) -> ValueKind {
    let mut has = |name: &Template| {
        let name = name.value(batch, index, renderer).into_owned();
        batch.has_tag(index, &String::from_utf8_lossy(&name)).then_some(name)
    };
    match call {
        Call::Tag { name, answers } => match (has(name).is_some(), answers) {
            (has, Some([yes, no])) => (if has { yes } else { no }).render_inner(batch, index, renderer, out),
            (has, None) => {
                out.push(if has { b'1' } else { b'0' });
                ValueKind::Boolean
            }
        },
        Call::TagsHead(names) => match names.iter().find_map(has) {
            Some(name) => {
                out.extend_from_slice(&name);
                ValueKind::String
            }
            None => ValueKind::Null,
        },
        _ => ValueKind::Null,
    }
}

/// Appends the result of a call that uses every message of the correlation.
fn append_over(
    call: &Call,
    batch: &Batch,
    index: usize,
    renderer: &mut Renderer,
    out: &mut Vec<u8>,
) -> ValueKind {
    match call {
        Call::Fold { arguments, action } => {
            let (mut bytes, mut ends) = (Vec::new(), Vec::new());
            context::each(batch, index, renderer, |batch, index, renderer| {
                for argument in arguments {
                    argument.render_inner(batch, index, renderer, &mut bytes);
                    ends.push(bytes.len());
                }
            });
            action.run(&slices(&bytes, &ends), out)
        }
        Call::Grep { condition, arguments, most } => {
            let start = out.len();
            let mut found = 0;
            context::each(batch, index, renderer, |batch, index, renderer| {
                if found < *most && condition.holds(batch, index, renderer) {
                    found += 1;
                    append_list(arguments, batch, index, renderer, (start, out));
                }
            });
            ValueKind::List
        }
        Call::ContextLength => {
            out.extend_from_slice((renderer.context.len() + 1).to_string().as_bytes());
            ValueKind::Integer
        }
        Call::ContextValues(arguments) => {
            let start = out.len();
            context::each(batch, index, renderer, |batch, index, renderer| {
                append_list(arguments, batch, index, renderer, (start, out));
            });
            ValueKind::List
        }
        _ => ValueKind::Null,
    }
}

/// Appends the arguments of one message to the list that starts at an offset of the output.
fn append_list(
    arguments: &[Template],
    batch: &Batch,
    index: usize,
    renderer: &mut Renderer,
    (start, out): (usize, &mut Vec<u8>),
) {
    for argument in arguments {
        let mut value = Vec::new();
        argument.render_inner(batch, index, renderer, &mut value);
        list_append(&value, start, out);
    }
}

/// Returns the slices of bytes that end at `ends`.
fn slices<'a>(bytes: &'a [u8], ends: &[usize]) -> Vec<&'a [u8]> {
    let starts = std::iter::once(0).chain(ends.iter().copied());
    starts.zip(ends).map(|(start, end)| &bytes[start..*end]).collect()
}

fn environment<'a>(name: &[u8], renderer: &'a Renderer) -> &'a [u8] {
    let found = renderer.site.environment.iter().find(|(known, _)| known.as_bytes() == name);
    found.map_or(b"", |(_, value)| value.as_bytes())
}
