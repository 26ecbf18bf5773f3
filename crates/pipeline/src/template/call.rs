//! Calls of template functions: which exist, and what each is given.
//!
//! In: the words of `$(name arguments)`, once; a message, often. Out: text, appended, and its type.
//! Holds: compiled arguments. Limits: [`super::DEPTH_MAX`] levels.

use super::{
    Condition, Escape, Surroundings, Template,
    arguments::Word,
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
    /// `if`: condition, text when it holds, text when not.
    If { condition: Arc<dyn Condition>, branches: [Template; 2] },
    /// `grep`: the list of the arguments, when the condition holds.
    Grep { condition: Arc<dyn Condition>, arguments: Vec<Template> },
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
const SPECIAL: [&str; 11] = [
    "if",
    "grep",
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
        "grep" => scope.grep(rest),
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

    fn grep(&self, words: &[Word]) -> Result<Call, TemplateError> {
        match words {
            [condition, arguments @ ..] if !arguments.is_empty() => {
                Ok(Call::Grep { condition: self.condition(condition)?, arguments: self.all(arguments)? })
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
        Call::Grep { condition, arguments } => {
            let start = out.len();
            let holds = condition.holds(batch, index, renderer);
            for argument in arguments.iter().filter(|_| holds) {
                let mut value = Vec::new();
                inner(argument, renderer, &mut value);
                super::list::append_after(&value, start, out);
            }
            ValueKind::List
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

/// The slices of bytes that end at `ends`.
fn slices<'a>(bytes: &'a [u8], ends: &[usize]) -> Vec<&'a [u8]> {
    let starts = std::iter::once(0).chain(ends.iter().copied());
    starts.zip(ends).map(|(start, end)| &bytes[start..*end]).collect()
}

fn environment<'a>(name: &[u8], renderer: &'a Renderer) -> &'a [u8] {
    let found = renderer.site.environment.iter().find(|(known, _)| known.as_bytes() == name);
    found.map_or(b"", |(_, value)| value.as_bytes())
}
