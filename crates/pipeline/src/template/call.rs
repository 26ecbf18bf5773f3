//! Calls of template functions: which exist, and what each is given.
//!
//! In: the words of `$(name arguments)`, once; a message, often. Out: text, appended, and its type.
//! Holds: compiled arguments. Limits: [`super::DEPTH_MAX`] levels.

use super::{
    Condition, Escape, Surroundings, Template,
    arguments::Word,
    context,
    function::{self, Action},
    json,
    pairs::Pairs,
    parse::{self, TemplateError},
    render::Renderer,
};
use message::{Batch, ValueKind};
use std::sync::Arc;

/// A compiled call.
#[derive(Clone, Debug)]
pub(super) enum Call {
    /// A function of the text of its arguments.
    Text { arguments: Vec<Template>, action: Action },
    /// A function over the arguments of every message of the correlation: `sum` and its kin.
    Fold { arguments: Vec<Template>, action: Action },
    /// `if`: condition, text when it holds, text when not.
    If { condition: Arc<dyn Condition>, branches: [Template; 2] },
    /// `grep` and `context-lookup`: the list of the arguments of those messages for which the condition holds.
    Grep { condition: Arc<dyn Condition>, arguments: Vec<Template>, most: usize },
    /// `context-length`: how many messages the correlation has.
    ContextLength,
    /// `context-values`: the list of the arguments of all messages.
    ContextValues(Vec<Template>),
    /// `template`: a named template.
    Template(Arc<Template>),
    /// `template` of a name that does not exist: the text given instead.
    Fallback(Template),
    /// `tag`: whether the message has a tag, and the texts for both answers.
    Tag { name: Template, answers: Option<[Template; 2]> },
    /// `tags-head`: the first of some tags that the message has.
    TagsHead(Vec<Template>),
    /// `env`.
    Environment(Template),
    /// `names` and `values`.
    Listing { pairs: Pairs, values: bool },
    /// `format-json`, `format-flat-json`, `format-welf`.
    Format { pairs: Pairs, style: json::Style },
}

/// Functions that are more than a function of their arguments' text.
const SPECIAL: [&str; 14] = [
    "if",
    "grep",
    "context-length",
    "context-lookup",
    "context-values",
    "template",
    "tag",
    "tags-head",
    "env",
    "names",
    "values",
    "format-json",
    "format-flat-json",
    "format-welf",
];

/// Compiles a call.
pub(super) fn compile(
    words: &[Word],
    around: &dyn Surroundings,
    depth: usize,
) -> Result<Call, TemplateError> {
    let Some((name, rest)) = words.split_first() else {
        return Err(TemplateError::at(0, "the name of the function is missing"));
    };
    let scope = Scope { name: &name.text, offset: name.offset, around, depth };
    let function = name.text.replace('_', "-");
    match function.as_str() {
        "if" => scope.conditional(rest),
        "grep" | "context-lookup" => scope.grep(rest),
        "context-length" if rest.is_empty() => Ok(Call::ContextLength),
        "context-length" => scope.wrong("no argument expected"),
        "context-values" => Ok(Call::ContextValues(scope.all(rest)?)),
        "template" => scope.template(rest),
        "tag" => scope.tag(rest),
        "tags-head" => Ok(Call::TagsHead(scope.all(rest)?)),
        "env" => Ok(Call::Environment(scope.only(rest)?)),
        "names" | "values" => Ok(Call::Listing { pairs: Pairs::globs(rest), values: function == "values" }),
        "format-json" | "format-flat-json" | "format-welf" => {
            let style = match function.as_str() {
                "format-json" => json::Style::Nested,
                "format-flat-json" => json::Style::Flat,
                _ => json::Style::Welf,
            };
            Ok(Call::Format { pairs: Pairs::parse(rest, around, depth + 1)?, style })
        }
        _ => scope.text(&function, rest),
    }
}

struct Scope<'a> {
    name: &'a str,
    offset: usize,
    around: &'a dyn Surroundings,
    depth: usize,
}

impl Scope<'_> {
    fn one(&self, word: &Word) -> Result<Template, TemplateError> {
        parse::nested(&word.text, self.around, self.depth + 1).map_err(|error| error.shifted(word.offset))
    }

    fn all(&self, words: &[Word]) -> Result<Vec<Template>, TemplateError> {
        words.iter().map(|word| self.one(word)).collect()
    }

    fn only(&self, words: &[Word]) -> Result<Template, TemplateError> {
        match words {
            [word] => self.one(word),
            _ => self.wrong(format!("one argument expected, {} given", words.len())),
        }
    }

    fn wrong<T>(&self, reason: impl std::fmt::Display) -> Result<T, TemplateError> {
        Err(TemplateError::at(self.offset, format!("$({}): {reason}", self.name)))
    }

    fn condition(&self, word: &Word) -> Result<Arc<dyn Condition>, TemplateError> {
        self.around.condition(&word.text).map_err(|reason| {
            TemplateError::at(word.offset, format!("$({}): condition: {reason}", self.name))
        })
    }

    fn conditional(&self, words: &[Word]) -> Result<Call, TemplateError> {
        match words {
            [condition, yes, no] => Ok(Call::If {
                condition: self.condition(condition)?,
                branches: [self.one(yes)?, self.one(no)?],
            }),
            _ => self.wrong("a condition and two texts expected"),
        }
    }

    /// `[--max-count N] 'condition' text ...`
    fn grep(&self, words: &[Word]) -> Result<Call, TemplateError> {
        let (most, words) = match words {
            [option, number, rest @ ..] if matches!(option.text.as_str(), "--max-count" | "-m") => {
                match number.text.parse() {
                    Ok(most) => (most, rest),
                    Err(_) => return self.wrong(format!("{} is no number of messages", number.text)),
                }
            }
            _ => (usize::MAX, words),
        };
        match words {
            [condition, arguments @ ..] if !arguments.is_empty() => {
                let condition = self.condition(condition)?;
                Ok(Call::Grep { condition, arguments: self.all(arguments)?, most })
            }
            _ => self.wrong("a condition and at least one text expected"),
        }
    }

    fn template(&self, words: &[Word]) -> Result<Call, TemplateError> {
        let Some((name, fallback)) = words.split_first() else {
            return self.wrong("the name of a template expected");
        };
        match self.around.template(&name.text) {
            Some(template) => Ok(Call::Template(template)),
            None if fallback.is_empty() => {
                let reason = format!("$(template): there is no template {}", name.text);
                Err(TemplateError::at(name.offset, reason))
            }
            None => {
                let texts: Vec<&str> = fallback.iter().map(|word| word.text.as_str()).collect();
                let joined = parse::nested(&texts.join(" "), self.around, self.depth + 1);
                Ok(Call::Fallback(joined.map_err(|error| error.shifted(name.offset))?))
            }
        }
    }

    fn tag(&self, words: &[Word]) -> Result<Call, TemplateError> {
        match words {
            [name] => Ok(Call::Tag { name: self.one(name)?, answers: None }),
            [name, yes] => {
                let no = Template::literal("0");
                Ok(Call::Tag { name: self.one(name)?, answers: Some([self.one(yes)?, no]) })
            }
            [name, yes, no] => {
                Ok(Call::Tag { name: self.one(name)?, answers: Some([self.one(yes)?, self.one(no)?]) })
            }
            _ => self.wrong("one tag and at most two texts expected"),
        }
    }

    fn text(&self, function: &str, words: &[Word]) -> Result<Call, TemplateError> {
        let texts: Vec<&str> = words.iter().map(|word| word.text.as_str()).collect();
        match function::compile(function, &texts) {
            Some(Ok((action, used))) if function::folds(function) => {
                Ok(Call::Fold { arguments: self.all(&words[used..])?, action })
            }
            Some(Ok((action, used))) => Ok(Call::Text { arguments: self.all(&words[used..])?, action }),
            Some(Err(reason)) => self.wrong(reason),
            None => {
                let known = SPECIAL.into_iter().chain(function::names());
                Err(TemplateError::unknown(self.offset, "template function", self.name, known))
            }
        }
    }
}

/// Appends the result of a call and says its type.
pub(super) fn append(
    call: &Call,
    batch: &Batch,
    index: usize,
    renderer: &mut Renderer,
    escape: Escape,
    out: &mut Vec<u8>,
) -> ValueKind {
    let inner = |template: &Template, renderer: &mut Renderer, out: &mut Vec<u8>| {
        template.render_inner(batch, index, renderer, escape, out)
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
            append_over(call, batch, index, renderer, escape, out)
        }
        Call::Template(template) => inner(template, renderer, out),
        Call::Fallback(text) => inner(text, renderer, out),
        Call::Environment(name) => {
            let name = name.value(batch, index, renderer).into_owned();
            out.extend_from_slice(environment(&name, renderer));
            ValueKind::String
        }
        Call::Tag { name, answers } => {
            let name = name.value(batch, index, renderer).into_owned();
            let has = batch.has_tag(index, &String::from_utf8_lossy(&name));
            match answers {
                Some([yes, no]) => inner(if has { yes } else { no }, renderer, out),
                None => {
                    out.push(if has { b'1' } else { b'0' });
                    ValueKind::Boolean
                }
            }
        }
        Call::TagsHead(names) => {
            for name in names {
                let name = name.value(batch, index, renderer).into_owned();
                if batch.has_tag(index, &String::from_utf8_lossy(&name)) {
                    out.extend_from_slice(&name);
                    return ValueKind::String;
                }
            }
            ValueKind::Null
        }
        Call::Listing { pairs, values } => pairs.append_list(batch, index, renderer, *values, out),
        Call::Format { pairs, style } => {
            json::append(pairs, *style, batch, index, renderer, out);
            ValueKind::Json
        }
    }
}

/// Appends the result of a call that looks at every message of the correlation.
fn append_over(
    call: &Call,
    batch: &Batch,
    index: usize,
    renderer: &mut Renderer,
    escape: Escape,
    out: &mut Vec<u8>,
) -> ValueKind {
    match call {
        Call::Fold { arguments, action } => {
            let (mut bytes, mut ends) = (Vec::new(), Vec::new());
            context::each(batch, index, renderer, |batch, index, renderer| {
                for argument in arguments {
                    argument.render_inner(batch, index, renderer, escape, &mut bytes);
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
                    append_list(arguments, batch, index, renderer, escape, (start, out));
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
                append_list(arguments, batch, index, renderer, escape, (start, out));
            });
            ValueKind::List
        }
        _ => ValueKind::Null,
    }
}

/// Appends the arguments of one message to the list that starts at a place of the output.
fn append_list(
    arguments: &[Template],
    batch: &Batch,
    index: usize,
    renderer: &mut Renderer,
    escape: Escape,
    (start, out): (usize, &mut Vec<u8>),
) {
    for argument in arguments {
        let mut value = Vec::new();
        argument.render_inner(batch, index, renderer, escape, &mut value);
        super::list::append_after(&value, start, out);
    }
}

/// The slices of bytes that end at `ends`.
fn slices<'a>(bytes: &'a [u8], ends: &[usize]) -> Vec<&'a [u8]> {
    let starts = std::iter::once(0).chain(ends.iter().copied());
    starts.zip(ends).map(|(start, end)| &bytes[start..*end]).collect()
}

fn environment<'a>(name: &[u8], renderer: &'a Renderer) -> &'a [u8] {
    let found = renderer.site.environment.iter().find(|(known, _)| known.as_bytes() == name);
    found.map_or(b"", |(_, value)| value.as_bytes())
}
