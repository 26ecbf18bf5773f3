//! The templates of an rsyslog configuration, by name.
//!
//! In: `template(...)` objects and `$template` directives, converted before anything else. Out: templates for
//! destinations and names of files, and the statements that define them.

use std::collections::BTreeMap;

use super::convert;
use super::piece::{self, Piece};
use super::printed::PrintedTemplate;
use super::property::{self, Needs};
use crate::parse::quoted;
use crate::rsyslog::name::identifier;
use crate::rsyslog::read;
use crate::rsyslog::refusal::{Converted, Refusal};
use crate::rsyslog::report::Judge;
use crate::rsyslog::syntax::{Node, Parameters, Statement, is_on};
use crate::tree::Version;

/// The built-in templates of rsyslog, and whether they need the helpers of tags and times. The ones that are a default
/// of ours have no text.
const BUILT_IN: &[(&str, &str, bool)] = &[
    ("RSYSLOG_TraditionalFileFormat", "", false),
    ("RSYSLOG_TraditionalForwardFormat", "", false),
    ("RSYSLOG_SysklogdFileFormat", "", false),
    ("RSYSLOG_WallFmt", "", false),
    ("RSYSLOG_StdUsrMsgFmt", "", false),
    ("RSYSLOG_FileFormat", "$(template rsyslog_iso) ${HOST} $(template rsyslog_tag) ${MESSAGE}\n", true),
    (
        "RSYSLOG_ForwardFormat",
        "<${PRI}>$(template rsyslog_iso) ${HOST} $(template rsyslog_tag) ${MESSAGE}",
        true,
    ),
    (
        "RSYSLOG_SyslogProtocol23Format",
        "<${PRI}>1 $(template rsyslog_iso) ${HOST} ${PROGRAM:--} ${PID:--} ${MSGID:--} ${SDATA:--} ${MESSAGE}\n",
        true,
    ),
    (
        "RSYSLOG_SyslogRFC5424Format",
        "<${PRI}>1 $(template rsyslog_iso) ${HOST} ${PROGRAM:--} ${PID:--} ${MSGID:--} ${SDATA:--} ${MESSAGE}\n",
        true,
    ),
];

/// A template under its name.
#[derive(Clone, Debug)]
struct Entry {
    converted: Converted<PrintedTemplate>,
    needs: Needs,
    is_built_in: bool,
    is_used: bool,
}

/// All templates.
#[derive(Clone, Default, Debug)]
pub(crate) struct Templates {
    entries: BTreeMap<String, Entry>,
}

/// The end of the text that a destination writes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Ending {
    /// The end that the template has.
    AsWritten,
    /// A line feed, added where the template has none.
    LineFeed,
}

/// The properties of a destination's format.
pub(crate) struct Printing {
    /// `template(...)` and what belongs to it, or nothing.
    pub(crate) options: String,
    /// True when it prints the format of RFC 5424.
    pub(crate) is_rfc5424: bool,
}

impl Templates {
    /// Reads all templates, wherever they are defined.
    pub(crate) fn collect(statements: &[Statement]) -> Templates {
        let mut templates = Templates::default();
        let objects = property::objects(statements);
        for (name, text, needs_helpers) in BUILT_IN {
            let converted = PrintedTemplate {
                text: (*text).to_string(),
                // A forward in this format is printed by syslog(), which needs the digits.
                has_fraction: text.starts_with("<${PRI}>1 "),
                ..Default::default()
            };
            let entry = Entry {
                converted: Ok(converted),
                needs: Needs { tag: *needs_helpers, iso: *needs_helpers, ..Needs::default() },
                is_built_in: true,
                is_used: false,
            };
            templates.entries.insert((*name).to_string(), entry);
        }
        for statement in statements {
            let found = match &statement.node {
                Node::Object { kind, parameters, body } if kind == "template" => {
                    object(parameters.clone(), body)
                }
                Node::Directive { name, value } if name.eq_ignore_ascii_case("template") => directive(value),
                _ => continue,
            };
            if let Some((name, parts)) = found {
                let mut needs = Needs { objects: objects.clone(), ..Needs::default() };
                let converted = parts.and_then(|parts| convert::convert(&parts, &mut needs));
                templates
                    .entries
                    .insert(name, Entry { converted, needs, is_built_in: false, is_used: false });
            }
        }
        templates
    }

    /// Refuses all but the first template, in the order of names, of those whose names are the same here.
    pub(crate) fn refuse_same_names(&mut self) {
        let mut known: BTreeMap<String, String> = BTreeMap::new();
        for (name, entry) in &mut self.entries {
            match known.get(&template_name(name)) {
                Some(other) => entry.converted = Err(Refusal::same_name("template", name, other)),
                None => {
                    known.insert(template_name(name), name.clone());
                }
            }
        }
    }

    /// Refuses the templates that do not pass a judge.
    pub(crate) fn refuse_wrong(&mut self, judge: Judge) {
        for (name, entry) in &mut self.entries {
            let Ok(converted) = &entry.converted else { continue };
            let mut needs = Needs::default();
            needs.add_helpers(&entry.needs);
            let definition = format!("template {} {};", template_name(name), quoted(&converted.text));
            let version = format!("@version: {}\n", Version::CURRENT);
            let text = [version].into_iter().chain(needs.statements()).chain([definition]);
            if let Some(error) = judge(&text.collect::<Vec<_>>().join("\n")) {
                entry.converted = Err(Refusal::Invalid(error));
            }
        }
    }

    /// Returns notes about a definition, or the reason why it cannot be converted.
    pub(crate) fn defined(&self, name: &str) -> Converted<Vec<String>> {
        let Some(entry) = self.entries.get(name) else {
            return Err(Refusal::Incomplete("a template without a name or a text"));
        };
        entry.converted.as_ref().map(|converted| converted.notes.clone()).map_err(Clone::clone)
    }

    fn used(&mut self, name: &str, needs: &mut Needs) -> Converted<PrintedTemplate> {
        let key = name.trim();
        let found = self.entries.iter_mut().find(|(known, _)| known.eq_ignore_ascii_case(key));
        let Some((_, entry)) = found else { return Err(Refusal::undefined("template", key)) };
        entry.is_used = true;
        needs.raw |= entry.needs.raw;
        needs.add_helpers(&entry.needs);
        let left_out = |why| Refusal::Template { name: key.to_string(), why: Box::new(why) };
        entry.converted.clone().map_err(left_out)
    }

    /// Returns the options of a destination that prints with a template.
    pub(crate) fn printing(&mut self, name: &str, ending: Ending, needs: &mut Needs) -> Converted<Printing> {
        let converted = self.used(name, needs)?;
        let mut options = String::new();
        if !converted.text.is_empty() {
            let reference = template_name(name);
            options = match ending == Ending::LineFeed && !converted.text.ends_with('\n') {
                true => format!(" template({})", quoted(&format!("$(template {reference})\n"))),
                false => format!(" template({reference})"),
            };
        }
        if converted.has_fraction {
            options.push_str(" frac-digits(6)");
        }
        if converted.is_utc {
            options.push_str(" time-zone(\"UTC\")");
        }
        let is_rfc5424 =
            matches!(name.trim(), "RSYSLOG_SyslogProtocol23Format" | "RSYSLOG_SyslogRFC5424Format");
        Ok(Printing { options, is_rfc5424 })
    }

    /// Converts a template to the name of a file.
    pub(crate) fn file_name(&mut self, name: &str, needs: &mut Needs) -> Converted<String> {
        let converted = self.used(name, needs)?;
        match converted.text.contains('\n') {
            true => Err(Refusal::malformed(format!(
                "template `{name}` is no name of a file: it has several lines"
            ))),
            false => Ok(converted.text),
        }
    }

    /// Returns the statements that define them.
    pub(crate) fn statements(&self) -> Vec<String> {
        let mut out = Vec::new();
        for (name, entry) in &self.entries {
            if let (Ok(converted), true) = (&entry.converted, entry.is_used || !entry.is_built_in)
                && !converted.text.is_empty()
            {
                out.push(format!("template {} {};\n", template_name(name), quoted(&converted.text)));
            }
        }
        out
    }

    /// Adds the needs of the defined templates, including unused ones, which are defined as well.
    pub(crate) fn needs(&self, needs: &mut Needs) {
        let is_defined = |entry: &&Entry| entry.converted.is_ok() && (entry.is_used || !entry.is_built_in);
        for entry in self.entries.values().filter(is_defined) {
            needs.add_helpers(&entry.needs);
        }
    }
}

/// Returns the name of a template here.
fn template_name(name: &str) -> String {
    identifier(name.trim())
}

/// Reads `template(name="..." type="string" string="...")`.
fn object(mut parameters: Parameters, body: &[Statement]) -> Option<(String, Converted<Vec<Piece>>)> {
    let name = parameters.take("name")?;
    let kind = parameters.take("type").unwrap_or_default().to_ascii_lowercase();
    let is_object =
        ["option.jsonf", "option.json"].iter().any(|option| parameters.take_switch(option) == Some(true));
    parameters.ignore(&["option.casesensitive"]);
    let parts = match kind.as_str() {
        "string" => piece::parse(&parameters.take("string").unwrap_or_default()),
        "list" => piece::list(body),
        "subtree" => Ok(vec![piece::subtree(parameters.take("subtree").unwrap_or_default())]),
        other => Err(Refusal::unsupported_many(format!("templates of type `{other}`"))),
    };
    let parts = match (parts, is_object && kind == "list") {
        (Ok(mut parts), true) => {
            parts.insert(0, Piece::Text("{".to_string()));
            parts.push(Piece::Text("}\n".to_string()));
            Ok(parts)
        }
        (parts, _) => parts,
    };
    let sql = parameters
        .rows
        .iter()
        .any(|row| row.name.ends_with("sql") && row.values.iter().any(|value| is_on(value)));
    Some((
        name,
        if sql {
            Err(Refusal::instead("templates for SQL are not supported: sql() has columns() and values()"))
        } else {
            parts
        },
    ))
}

/// Reads `$template name,"text"[,options]`.
fn directive(value: &str) -> Option<(String, Converted<Vec<Piece>>)> {
    let (name, rest) = value.split_once(',')?;
    if rest.trim_start().starts_with('=') {
        return Some((name.trim().to_string(), Err(Refusal::unsupported_many("templates made by plug-ins"))));
    }
    let (text, options) = read::quoted(rest)?;
    let parts = match options.to_ascii_lowercase().contains("sql") {
        true => {
            Err(Refusal::instead("templates for SQL are not supported: sql() has columns() and values()"))
        }
        false => piece::parse(&text),
    };
    Some((name.trim().to_string(), parts))
}
