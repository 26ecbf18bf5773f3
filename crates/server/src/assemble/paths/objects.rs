//! Named objects, inserted into log paths where they are used.
//!
//! In: references. Out: steps, and the drivers of sources and destinations, which are made at their first use.
//! Holds: nothing. Limits: [`OBJECTS_DEEP_MAX`] levels; an object that uses itself is an error.

use crate::assemble::lowering::Lowering;
use config::{
    Diagnostic,
    tree::{Item, Kind, Object, Reference, Statement},
};
use pipeline::route::{Channel, CountedParser, OutletStep, ParserCounters, Path, Step, StepFlags};
use std::sync::Arc;

/// Most objects inside each other, as deep as the pipeline runs.
const OBJECTS_DEEP_MAX: usize = 60;

/// Compiled steps, and the sources that they take messages from.
#[derive(Default)]
pub(crate) struct CompiledSteps {
    pub(crate) sources: Vec<String>,
    pub(crate) steps: Vec<Step>,
}

impl<'t> Lowering<'t> {
    /// Compiles objects that no path uses, for their errors only: their parts are dropped again.
    pub(crate) fn unused_objects(&mut self) {
        let tree = self.tree;
        for statement in &tree.statements {
            let Statement::Object(object) = statement else { continue };
            if self.walked_once.contains(&std::ptr::from_ref(object)) {
                continue;
            }
            let before =
                (self.sources.len(), self.destinations.len(), self.logspaces.len(), self.outlets.len());
            let (databases, taps) = (self.databases.len(), self.taps.len());
            let families = self.families.len();
            let (parsers, paths) = (self.counters.parsers.len(), self.counters.paths.len());
            let lookups = self.counters.lookups.len();
            self.object(object, &mut CompiledSteps::default());
            self.sources.truncate(before.0);
            self.destinations.truncate(before.1);
            self.logspaces.truncate(before.2);
            self.outlets.truncate(before.3);
            self.families.truncate(families);
            self.databases.truncate(databases);
            self.taps.truncate(taps);
            self.counters.parsers.truncate(parsers);
            self.counters.paths.truncate(paths);
            self.counters.lookups.truncate(lookups);
        }
    }

    /// Returns the steps of all sources, as if a path named each of them: they run even if no other path
    /// names them.
    pub(crate) fn all_sources(&mut self) -> CompiledSteps {
        let tree = self.tree;
        let mut compiled = CompiledSteps::default();
        for statement in &tree.statements {
            match statement {
                Statement::Object(object) if object.kind == Kind::Source => {
                    self.object(object, &mut compiled)
                }
                _ => {}
            }
        }
        compiled
    }

    pub(crate) fn reference(&mut self, reference: &'t Reference, into: &mut CompiledSteps) {
        match reference {
            Reference::Named(kind, name) => {
                if let Some(object) = self.objects.get(&(*kind, name.text.as_str())).copied() {
                    self.object(object, into);
                }
            }
            Reference::InPlace(kind, items, span) => {
                let place = format!("{}:{}", self.tree.texts.name(span.text), span.start);
                let name = self.anonymous_name(*kind, place);
                // Messages of a source that is written inside of a named one belong to the named one.
                let around =
                    self.walking.iter().rfind(|object| object.kind == Kind::Source && *kind == Kind::Source);
                let name = around.map_or(name.clone(), |object| format!("{}#{name}", object.name.text));
                self.items(*kind, &name, items, into);
            }
        }
    }

    /// Inserts a named object where it is used. One that uses itself has no end and is an error.
    fn object(&mut self, object: &'t Object, into: &mut CompiledSteps) {
        let address = std::ptr::from_ref(object);
        if self.walking.iter().any(|open| std::ptr::eq(*open, object)) {
            let message = format!("{} `{}` uses itself", object.kind.word(), object.name.text);
            self.report.push(Diagnostic::error(object.name.span, message));
            return;
        }
        if self.walking.len() >= OBJECTS_DEEP_MAX {
            let message = format!("objects use each other more than {OBJECTS_DEEP_MAX} levels deep");
            self.report.push(Diagnostic::error(object.name.span, message));
            return;
        }
        self.walked_once.insert(address);
        self.walking.push(object);
        self.items(object.kind, &object.name.text, &object.items, into);
        self.walking.pop();
    }

    fn items(&mut self, kind: Kind, name: &str, items: &'t [Item], into: &mut CompiledSteps) {
        let mut inside = CompiledSteps::default();
        match kind {
            Kind::Source if items.iter().any(|item| matches!(item, Item::Call(_))) => {
                self.source_drivers(name, items);
                into.sources.push(name.to_owned());
            }
            Kind::Destination => {
                for (id, outlet) in self.destination_drivers(name, items) {
                    into.steps.extend(self.driver_label(name, &id, items));
                    into.steps.push(Step::Outlet(OutletStep { name: id, outlet }));
                }
            }
            _ => {}
        }
        for item in items {
            match item {
                Item::Call(call) if kind == Kind::Rewrite => {
                    into.steps.extend(self.call_label(kind, name, call));
                    into.steps.extend(self.rewrite(call).map(Step::Rewrite));
                }
                Item::Call(call) if kind == Kind::Parser => {
                    into.steps.extend(self.call_label(kind, name, call));
                    let step = self.parser(call).map(|step| self.counted(name, step));
                    into.steps.extend(step);
                }
                Item::Call(_) => {}
                Item::Step(step) if matches!(kind, Kind::Destination | Kind::Source) => {
                    self.step(step, &mut inside);
                }
                Item::Step(step) => self.step(step, into),
            }
        }
        if !inside.steps.is_empty() && kind == Kind::Source {
            // The steps of a source apply to its own messages only: those of other sources take the empty
            // channel.
            let own = Channel { steps: inside.steps, ..Channel::default() };
            into.sources.extend(inside.sources);
            into.steps.push(Step::Junction(vec![own, Channel::default()]));
        } else if !inside.steps.is_empty() {
            // A destination changes its own copy of a message, and a message that it stops counts as delivered.
            let flags = StepFlags { drop_unmatched: true, ..StepFlags::default() };
            let path = Path { steps: inside.steps, flags, ..Path::default() };
            into.steps.push(Step::Embedded(vec![path]));
        }
    }

    /// Makes a parser that counts under its name; all uses of it count together.
    fn counted(&mut self, name: &str, step: Step) -> Step {
        let Step::Parser(parser) = step else { return step };
        let counters: Arc<ParserCounters> = self.environment.reload_state.get(&format!("parser {name}"));
        if !self.counters.parsers.iter().any(|(known, _)| known == name) {
            self.counters.parsers.push((name.to_owned(), counters.clone()));
        }
        Step::Parser(Arc::new(CountedParser::new(parser, counters)))
    }

    /// Returns the name of an object written in place: the same each time that position is compiled.
    fn anonymous_name(&mut self, kind: Kind, place: String) -> String {
        let count = self.anonymous.len();
        let number = *self.anonymous.entry((kind, place)).or_insert(count);
        format!("anon-{}{number}", kind.word())
    }
}
