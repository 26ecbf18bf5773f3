//! Calls of template functions: which exist, and what each is given.
//!
//! In: the words of `$(name arguments)`. Out: a call with compiled arguments. Holds nothing.
//! Limits: [`super::parse::DEPTH_MAX`] levels.

mod fact;
mod items;
mod machine;
mod moment;

use super::{arguments::Word, call_compiler::CallCompiler, error::TemplateError, options::Options, preset};
use crate::{
    function,
    template::{Call, Listed, PairsFormat, Surroundings, Template, ValuePairs},
};
use std::sync::Arc;

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
    (
        "python",
        "Python runs in a process of its own, and a template cannot wait for it; set a value by a parser python(class(...)), and name it here",
    ),
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
    let compiler = CallCompiler { name: &name.text, offset: name.offset, around, depth };
    let function = name.text.replace('_', "-");
    match function.as_str() {
        "if" => compiler.conditional(rest),
        "grep" | "context-lookup" => compiler.grep(rest),
        "context-length" if rest.is_empty() => Ok(Call::ContextLength),
        "context-length" => compiler.wrong("no argument expected"),
        "context-values" => Ok(Call::ContextValues(compiler.all(rest)?)),
        "template" => compiler.template(rest),
        "tag" => compiler.tag(rest),
        "tags-head" => Ok(Call::TagsHead(compiler.all(rest)?)),
        "env" => Ok(Call::Environment(compiler.only(rest)?)),
        "names" | "values" => {
            let pairs = ValuePairs::parse(rest, around, depth + 1)?;
            let listed = if function == "values" { Listed::Values } else { Listed::Names };
            Ok(Call::Listing { pairs, listed })
        }
        "format-json" => compiler.format(rest, PairsFormat::Nested),
        "format-flat-json" => compiler.format(rest, PairsFormat::Flat),
        "format-welf" => compiler.format(rest, PairsFormat::Welf),
        "format-cef-extension" => compiler.format(rest, PairsFormat::Cef),
        "graphite-output" => compiler.graphite(rest),
        "map" => Ok(Call::ListFunction(compiler.map(rest)?)),
        "filter" => Ok(Call::ListFunction(compiler.filter(rest)?)),
        "iterate" => Ok(Call::ListFunction(compiler.iterate(rest)?)),
        "format-date" => Ok(Call::TimeFunction(compiler.date(rest)?)),
        "stardate" => Ok(Call::TimeFunction(compiler.stardate(rest)?)),
        "uuid" => Ok(Call::Machine(compiler.uuid(rest)?)),
        "dns-resolve-ip" => Ok(Call::Machine(compiler.host_name(rest)?)),
        "getent" => Ok(Call::Machine(compiler.entry(rest)?)),
        "geoip2" => Ok(Call::Fact(compiler.address_fact(rest)?)),
        _ => compiler.defined(&function, rest),
    }
}

impl CallCompiler<'_> {
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
        Template::nested(&texts.join(" "), self.around, self.depth + 1).map_err(|error| error.shifted(offset))
    }

    fn format(&self, words: &[Word], style: PairsFormat) -> Result<Call, TemplateError> {
        Ok(Call::Format { pairs: ValuePairs::parse(words, self.around, self.depth + 1)?, style })
    }

    /// Compiles `[--timestamp SECONDS]` and pairs.
    fn graphite(&self, words: &[Word]) -> Result<Call, TemplateError> {
        let mut time = None;
        let mut options = Options::new(words, &["timestamp"]);
        while let Some((_, text)) = options.next()? {
            time = Some(Template::nested(&text, self.around, self.depth + 1)?);
        }
        self.format(options.rest(), PairsFormat::Graphite(time))
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
            Some(text) => Ok(Call::Template(Arc::new(Template::nested(text, self.around, self.depth + 1)?))),
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
