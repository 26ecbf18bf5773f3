//! The converted configuration as text.
//!
//! In: the results of the converter. Out: statements in the order in which people read them: options, templates,
//! sources, destinations, rulesets, paths.

use std::collections::BTreeSet;

use super::converter::{Converter, DEFAULT_RULESET, Source, block_name, braced};
use crate::parse::quoted;
use crate::rsyslog::name::identifier;
use crate::rsyslog::report::{Conversion, Outcome};
use crate::rsyslog::template::property::{self, Needs};
use crate::tree::Version;

/// Leaves out messages of inputs whose control characters stay.
const NOT_RECEIVED: &str = " and tags(\".rsyslog.received\")";

impl Converter {
    /// Returns the text and the findings.
    pub(crate) fn finish(mut self, name: &str) -> Conversion {
        let templates = self.templates.statements();
        let mut needs = std::mem::take(&mut self.needs);
        self.templates.needs(&mut needs);
        let mut out = vec![
            format!("@version: {}\n", Version::CURRENT),
            format!("# Converted from {} by `duramen convert rsyslog`.\n", name.replace(['\n', '\r'], " ")),
        ];
        let left_out = self.findings.iter().filter(|finding| finding.outcome == Outcome::Unsupported).count();
        if left_out > 0 {
            out.push(format!("# {left_out} statements are not supported and left out: see the report.\n"));
        }
        let options = self.options.iter().map(|(name, value)| format!("{name}({value});")).collect();
        out.push(statement("options", options));
        out.extend(needs.statements());
        if needs.input {
            out.push(self.input_template());
        }
        if self.escapes() {
            out.push(self.escaping());
        }
        out.extend(templates);
        let sources = self.source_statements(&needs);
        out.extend(sources.iter().map(|(_, text)| text.clone()));
        for (name, body) in &self.destinations {
            out.push(format!("destination {name} {{ {body} }};\n"));
        }
        self.blocks(&mut out);
        self.paths(&sources, &mut out);
        Conversion { text: out.join("\n"), findings: self.findings }
    }

    /// Returns one source for every ruleset that has inputs.
    fn source_statements(&self, needs: &Needs) -> Vec<(String, String)> {
        let mut out: Vec<(String, String)> = Vec::new();
        for source in &self.sources {
            if out.iter().any(|(ruleset, _)| *ruleset == source.ruleset) {
                continue;
            }
            let same = self.sources.iter().filter(|other| other.ruleset == source.ruleset);
            let inputs = RulesetInputs {
                needs,
                is_traditional: self.traditional_rulesets.contains(&source.ruleset),
                is_uniform: same.clone().all(is_escaped) || self.state.keeps_controls,
            };
            let drivers = same.map(|source| inputs.driver(source)).collect();
            let head = format!("source {}", source_name(&source.ruleset));
            out.push((source.ruleset.clone(), statement(&head, drivers)));
        }
        out
    }

    /// Rulesets that are called, or that no input feeds, as blocks; those that others call first.
    fn blocks(&mut self, out: &mut Vec<String>) {
        let is_fed = |name: &String| self.sources.iter().any(|source| source.ruleset == *name);
        let unfed = self.rulesets.keys().filter(|name| *name != DEFAULT_RULESET && !is_fed(name));
        let called = self.rulesets.values().flat_map(|ruleset| &ruleset.calls);
        let called: BTreeSet<String> = called.chain(unfed).cloned().collect();
        let mut done: BTreeSet<String> = BTreeSet::new();
        let mut waiting: Vec<String> = called.into_iter().collect();
        loop {
            let is_ready = |name: &String| match self.rulesets.get(name) {
                Some(ruleset) => ruleset.calls.iter().all(|inner| done.contains(inner)),
                None => true,
            };
            let Some(next) = waiting.iter().position(is_ready) else { break };
            let name = waiting.remove(next);
            let steps = self.rulesets.get(&name).map(|ruleset| ruleset.steps.clone()).unwrap_or_default();
            out.push(statement(&format!("block log {}()", block_name(&name)), steps));
            done.insert(name);
        }
        // A ruleset that calls itself never ends, so its block does nothing.
        for name in waiting {
            out.push(format!("# Ruleset {name} calls itself.\nblock log {}() {{ }};\n", block_name(&name)));
        }
    }

    /// Returns true when control characters are escaped.
    fn escapes(&self) -> bool {
        !self.state.keeps_controls && self.sources.iter().any(is_escaped)
    }

    /// Returns the rewrite that escapes control characters, as rsyslog does when it receives a message.
    fn escaping(&self) -> String {
        const LETTERS: [(&str, &str); 8] = [
            ("\\t", "#011"),
            ("\\n", "#012"),
            ("\\r", "#015"),
            ("\\a", "#007"),
            ("\\x08", "#010"),
            ("\\x0b", "#013"),
            ("\\x0c", "#014"),
            ("\\x1b", "#033"),
        ];
        let letters = LETTERS.iter().filter(|(letter, _)| !(self.state.keeps_tabs && *letter == "\\t"));
        let steps = letters.map(|(letter, written)| {
            format!("    subst(\"{letter}\", \"{written}\" value(\"MESSAGE\") type(\"string\") flags(\"global\" \"substring\"));\n")
        });
        let steps: String = steps.collect();
        format!("# Control characters are escaped on reception.\nrewrite r_escape {{\n{steps}}};\n")
    }

    /// Returns the template of `%inputname%`.
    fn input_template(&self) -> String {
        let names: BTreeSet<&str> = self.sources.iter().map(|source| source.input.as_str()).collect();
        let text = names.iter().fold("\"\"".to_string(), |rest, name| {
            format!("$(if tags(\"{}\") \"{name}\" {rest})", input_tag(name))
        });
        format!("# %inputname% of rsyslog.\ntemplate {} {};\n", property::INPUT_TEMPLATE, quoted(&text))
    }

    fn paths(&self, sources: &[(String, String)], out: &mut Vec<String>) {
        for (ruleset, _) in sources {
            let steps = self.rulesets.get(ruleset).map(|ruleset| ruleset.steps.clone()).unwrap_or_default();
            let mut path = vec![format!("source({});", source_name(ruleset))];
            let is_own = |source: &&Source| source.ruleset == *ruleset;
            let mut own = self.sources.iter().filter(is_own);
            if self.escapes() && own.clone().any(is_escaped) {
                let others = if own.any(|source| !is_escaped(source)) { NOT_RECEIVED } else { "" };
                path.push(format!("if (message(\"[\\\\x01-\\\\x1f]\"){others}) {{ rewrite(r_escape); }};"));
            }
            path.extend(steps);
            out.push(statement("log", path));
        }
        let has_default = sources.iter().any(|(ruleset, _)| ruleset == DEFAULT_RULESET);
        let default = self.rulesets.get(DEFAULT_RULESET).filter(|ruleset| !ruleset.steps.is_empty());
        if let (false, Some(default)) = (has_default, default) {
            let mut path = vec!["# No input was configured here: add source(...).".to_string()];
            path.extend(default.steps.clone());
            out.push(statement("log", path));
        }
    }
}

/// Returns true for inputs whose messages rsyslog escapes: those from the network, not those of files.
fn is_escaped(source: &Source) -> bool {
    source.driver.starts_with("network(")
}

fn source_name(ruleset: &str) -> String {
    match ruleset {
        DEFAULT_RULESET => "s_default".to_string(),
        other => format!("s_{}", identifier(other)),
    }
}

/// The common properties of the inputs of a ruleset.
struct RulesetInputs<'n> {
    needs: &'n Needs,
    /// They only know RFC 3164.
    is_traditional: bool,
    /// All of them escape control characters, or none does: their messages need no mark.
    is_uniform: bool,
}

impl RulesetInputs<'_> {
    /// Prints `driver(... flags(...));`, with the rewrites of its messages.
    fn driver(&self, source: &Source) -> String {
        let is_ours = source.driver.starts_with("internal(") || source.driver.starts_with("systemd-journal(");
        let raw = (self.needs.raw && !is_ours).then_some("store-raw-message");
        let flags =
            source.flags.iter().copied().filter(|flag| !self.is_traditional || *flag != "syslog-protocol");
        let flags: Vec<String> = flags.chain(raw).map(quoted).collect();
        let mut options = Vec::new();
        let mut tags = Vec::new();
        if self.needs.input {
            tags.push(input_tag(&source.input));
        }
        if is_escaped(source) && !self.is_uniform {
            tags.push(".rsyslog.received".to_string());
        }
        if !tags.is_empty() {
            let tags: Vec<String> = tags.iter().map(|tag| quoted(tag)).collect();
            options.push(format!("tags({})", tags.join(" ")));
        }
        if !flags.is_empty() {
            options.push(format!("flags({})", flags.join(" ")));
        }
        let space = if source.driver.ends_with('(') || options.is_empty() { "" } else { " " };
        let driver = format!("{}{space}{});", source.driver, options.join(" "));
        match source.steps.is_empty() {
            true => driver,
            false => {
                format!("channel {{ source {{ {driver} }}; rewrite {{ {} }}; }};", source.steps.join(" "))
            }
        }
    }
}

/// Returns the tag of messages of an input.
fn input_tag(input: &str) -> String {
    format!(".rsyslog.{input}")
}

fn statement(head: &str, lines: Vec<String>) -> String {
    let mut text = braced(head, lines).join("\n");
    text.push('\n');
    text
}
