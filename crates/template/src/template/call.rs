//! Calls of template functions: which exist, and what each is given.
//!
//! In: the words of `$(name arguments)`, once; a message, often. Out: text, appended, and its type.
//! Holds: compiled arguments. Limits: [`super::DEPTH_MAX`] levels.

mod items;
mod machine;
mod moment;
mod place;
mod preset;

use super::{
    Condition, Surroundings, Template,
    arguments::Word,
    context,
    format::{self, Style},
    function::{self, Action},
    options::Options,
    pairs::ValuePairs,
    parse::{self, TemplateError},
    render::Renderer,
};
use message::{Batch, ValueKind};
use std::{collections::HashMap, sync::Arc};

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
    Listing { pairs: ValuePairs, values: bool },
    /// `format-json`, `format-welf`, `graphite-output` and their kin.
    Format { pairs: ValuePairs, style: Style },
    /// `map`, `filter`, `iterate`.
    Items(items::Items),
    /// `format-date`, `stardate`.
    Moment(moment::Moment),
    /// `uuid`, `dns-resolve-ip`, `getent`.
    Machine(machine::Question),
    /// `geoip2`
    Place(place::Place),
    /// `template` whose name is a macro: the templates it may name, and the text for others.
    Dynamic { name: Template, templates: Arc<HashMap<String, Arc<Template>>>, fallback: Template },
}

/// Functions that are more than a function of their arguments' text.
const SPECIAL: [&str; 25] = [
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
    "format-cef-extension",
    "graphite-output",
    "map",
    "filter",
    "iterate",
    "format-date",
    "stardate",
    "uuid",
    "dns-resolve-ip",
    "getent",
    "geoip2",
];

/// Functions of the language that do not run here, and why.
const REFUSED: [(&str, &str); 2] = [
    ("python", "Python does not run inside of this program; use program() or http()"),
    ("slog", "it works only as the whole template() of file()"),
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
        "names" | "values" => {
            let pairs = ValuePairs::parse(rest, around, depth + 1)?;
            Ok(Call::Listing { pairs, values: function == "values" })
        }
        "format-json" => scope.format(rest, Style::Nested),
        "format-flat-json" => scope.format(rest, Style::Flat),
        "format-welf" => scope.format(rest, Style::Welf),
        "format-cef-extension" => scope.format(rest, Style::Cef),
        "graphite-output" => scope.graphite(rest),
        "map" => Ok(Call::Items(scope.map(rest)?)),
        "filter" => Ok(Call::Items(scope.filter(rest)?)),
        "iterate" => Ok(Call::Items(scope.iterate(rest)?)),
        "format-date" => Ok(Call::Moment(scope.date(rest)?)),
        "stardate" => Ok(Call::Moment(scope.stardate(rest)?)),
        "uuid" => Ok(Call::Machine(scope.uuid(rest)?)),
        "dns-resolve-ip" => Ok(Call::Machine(scope.host_name(rest)?)),
        "getent" => Ok(Call::Machine(scope.entry(rest)?)),
        "geoip2" => Ok(Call::Place(scope.place(rest)?)),
        _ => scope.defined(&function, rest),
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

    /// Compiles `[--max-count N] 'condition' text ...`.
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
        if name.text.contains('$') {
            return Ok(Call::Dynamic {
                name: self.one(name)?,
                templates: self.around.templates(),
                fallback: self.joined(fallback)?,
            });
        }
        match self.around.template(&name.text) {
            Some(template) => Ok(Call::Template(template)),
            None if fallback.is_empty() => {
                let reason = format!("$(template): there is no template {}", name.text);
                Err(TemplateError::at(name.offset, reason))
            }
            None => Ok(Call::Fallback(self.joined(fallback)?)),
        }
    }

    /// Compiles words as one template.
    fn joined(&self, words: &[Word]) -> Result<Template, TemplateError> {
        let texts: Vec<&str> = words.iter().map(|word| word.text.as_str()).collect();
        let offset = words.first().map_or(self.offset, |word| word.offset);
        parse::nested(&texts.join(" "), self.around, self.depth + 1).map_err(|error| error.shifted(offset))
    }

    fn format(&self, words: &[Word], style: Style) -> Result<Call, TemplateError> {
        Ok(Call::Format { pairs: ValuePairs::parse(words, self.around, self.depth + 1)?, style })
    }

    /// Compiles `[--timestamp SECONDS]` and pairs.
    fn graphite(&self, words: &[Word]) -> Result<Call, TemplateError> {
        let mut time = None;
        let mut options = Options::new(words, &["timestamp"]);
        while let Some((_, text)) = options.next()? {
            time = Some(parse::nested(&text, self.around, self.depth + 1)?);
        }
        self.format(options.rest(), Style::Graphite(time))
    }

    /// Compiles a function of the configuration, one that is written as a template, or one of text.
    fn defined(&self, function: &str, words: &[Word]) -> Result<Call, TemplateError> {
        if let Some(template) = self.around.function(function) {
            return Ok(Call::Template(template));
        }
        if let Some((_, why)) = REFUSED.iter().find(|(name, _)| *name == function) {
            return self.wrong(format!("is not supported: {why}"));
        }
        match preset::text(function) {
            Some(text) => Ok(Call::Template(Arc::new(parse::nested(text, self.around, self.depth + 1)?))),
            None => self.text(function, words),
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
                let known = SPECIAL.into_iter().chain(preset::names()).chain(function::names());
                Err(TemplateError::unknown(self.offset, "template function", self.name, known))
            }
        }
    }
}

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
        Call::Listing { pairs, values } => pairs.append_list(batch, index, renderer, *values, out),
        Call::Format { pairs, style } => {
            format::append(pairs, style, batch, index, renderer, out);
            style.kind()
        }
        Call::Items(items) => items::append(items, batch, index, renderer, out),
        Call::Moment(moment) => {
            moment::append(moment, batch, index, renderer, out);
            ValueKind::String
        }
        Call::Machine(question) => {
            machine::append(question, batch, index, renderer, out);
            ValueKind::String
        }
        Call::Place(place) => {
            place::append(place, batch, index, renderer, out);
            ValueKind::String
        }
        Call::Dynamic { name, templates, fallback } => {
            let name = name.value(batch, index, renderer).into_owned();
            let named = std::str::from_utf8(&name).ok().and_then(|name| templates.get(name));
            inner(named.map_or(fallback, |template| template), renderer, out)
        }
    }
}

/// Appends the result of a call that looks at the tags of the message.
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

/// Appends the result of a call that looks at every message of the correlation.
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

/// Appends the arguments of one message to the list that starts at a place of the output.
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
        super::list::append_after(&value, start, out);
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
