//! The converted configuration as text.
//!
//! In: what the converter has. Out: statements in the order in which people read them: options, templates, sources,
//! destinations, rulesets, paths.

use std::collections::BTreeSet;

use super::Conversion;
use super::report::Outcome;
use super::script::{Converter, DEFAULT_RULESET, Source, block_name, braced};
use super::{identifier, quoted};
use crate::tree::Version;

impl Converter {
    /// The text and the findings.
    pub(super) fn finish(mut self, name: &str) -> Conversion {
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
        out.extend(templates);
        let sources = self.source_statements(needs.raw);
        out.extend(sources.iter().map(|(_, text)| text.clone()));
        for (name, body) in &self.destinations {
            out.push(format!("destination {name} {{ {body} }};\n"));
        }
        self.blocks(&mut out);
        self.paths(&sources, &mut out);
        Conversion { text: out.join("\n"), findings: self.findings }
    }

    /// One source for every ruleset that has inputs.
    fn source_statements(&self, keeps_raw: bool) -> Vec<(String, String)> {
        let mut out: Vec<(String, String)> = Vec::new();
        for source in &self.sources {
            if out.iter().any(|(ruleset, _)| *ruleset == source.ruleset) {
                continue;
            }
            let same = self.sources.iter().filter(|other| other.ruleset == source.ruleset);
            let drivers = same.map(|source| driver(source, keeps_raw)).collect();
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
        // What calls itself has no end: its block does nothing.
        for name in waiting {
            out.push(format!("# Ruleset {name} calls itself.\nblock log {}() {{ }};\n", block_name(&name)));
        }
    }

    fn paths(&self, sources: &[(String, String)], out: &mut Vec<String>) {
        for (ruleset, _) in sources {
            let steps = self.rulesets.get(ruleset).map(|ruleset| ruleset.steps.clone()).unwrap_or_default();
            let mut path = vec![format!("source({});", source_name(ruleset))];
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

fn source_name(ruleset: &str) -> String {
    match ruleset {
        DEFAULT_RULESET => "s_default".to_string(),
        other => format!("s_{}", identifier(other)),
    }
}

/// `driver(... flags(...));`
fn driver(source: &Source, keeps_raw: bool) -> String {
    let takes_flags =
        !source.driver.starts_with("internal(") && !source.driver.starts_with("systemd-journal(");
    let raw = (keeps_raw && takes_flags).then_some("store-raw-message");
    let flags: Vec<String> = source.flags.iter().copied().chain(raw).map(quoted).collect();
    let space = if source.driver.ends_with('(') { "" } else { " " };
    match flags.is_empty() {
        true => format!("{});", source.driver),
        false => format!("{}{space}flags({}));", source.driver, flags.join(" ")),
    }
}

fn statement(head: &str, lines: Vec<String>) -> String {
    let mut text = braced(head, lines).join("\n");
    text.push('\n');
    text
}
