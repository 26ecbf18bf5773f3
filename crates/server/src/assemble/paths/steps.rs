//! Turns log paths of the language into the plan of the pipeline.
//!
//! In: log statements. Out: a [`Plan`]. Named objects are inserted where they are used. Limits: `STEPS_MAX`
//! steps altogether: objects that use others that use others can grow without bound.

use crate::assemble::lowering::Lowering;
use crate::lanes::LaneThreads;
use config::Diagnostic;
use config::tree::{
    Call, Condition, Flag, Item, Kind, LogFlag, Object, Path as LogPath, Reference, Statement,
    Step as LogStep,
};
use pipeline::route::{
    Channel, CountedParser, OutletStep, Parallel, ParserCounters, Path, PathCounters, Plan, Step, StepFlags,
};
use std::{sync::Arc, thread::available_parallelism};

/// Most steps of all paths together.
pub(crate) const STEPS_MAX: usize = 200_000;

/// Most objects inside each other, as deep as the pipeline runs.
const OBJECTS_DEEP_MAX: usize = 60;

/// The block that contains the steps.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Around {
    Path,
    Channel,
}

/// The compiled steps of a path.
#[derive(Default)]
pub(crate) struct Lowered {
    sources: Vec<String>,
    steps: Vec<Step>,
}

impl<'t> Lowering<'t> {
    /// All log paths, in the order of the configuration.
    pub(crate) fn plan(&mut self) -> Plan {
        let tree = self.tree;
        let mut plan = Plan {
            options: self.global_render_options(),
            site: self.environment.site.clone(),
            counters: self.environment.kept.get("router"),
            ..Plan::default()
        };
        self.tallies.router = plan.counters.clone();
        for statement in &tree.statements {
            if let Statement::Log(path) = statement {
                let (name, tap) = self.path_tap(path);
                let counters = self.path_counters(&name);
                let mut lowered = Path { tap: Some(tap), counters, ..self.path(path) };
                if has_flag(&path.flags, LogFlag::Catchall) {
                    let head = self.all_sources();
                    lowered.sources.extend(head.sources);
                    lowered.steps.splice(0..0, head.steps);
                }
                plan.paths.push(lowered);
            }
        }
        plan
    }

    /// Compiles objects that no path uses, for their errors only.
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
            let (parsers, paths) = (self.tallies.parsers.len(), self.tallies.paths.len());
            self.object(object, &mut Lowered::default());
            self.sources.truncate(before.0);
            self.destinations.truncate(before.1);
            self.logspaces.truncate(before.2);
            self.outlets.truncate(before.3);
            self.databases.truncate(databases);
            self.taps.truncate(taps);
            self.tallies.parsers.truncate(parsers);
            self.tallies.paths.truncate(paths);
        }
    }

    fn path(&mut self, path: &'t LogPath) -> Path {
        let counters = self.named_path_counters(path).unwrap_or_default();
        let lowered = self.steps(&path.steps, Around::Path);
        Path {
            counters,
            name: path.name.as_ref().map(|name| name.text.clone()),
            sources: lowered.sources,
            steps: lowered.steps,
            flags: flags(&path.flags, self.globals.yes("log-flow-control", false)),
            label: self.path_label("log", path),
            ..Path::default()
        }
    }

    /// Returns the counters of a named path, at the top or inside another one.
    fn named_path_counters(&mut self, path: &LogPath) -> Option<Arc<PathCounters>> {
        path.name.as_ref().map(|name| self.path_counters(&name.text))
    }

    /// Returns the counters of a name, which all paths of that name share.
    fn path_counters(&mut self, name: &str) -> Arc<PathCounters> {
        let counters: Arc<PathCounters> = self.environment.kept.get(&format!("log {name}"));
        if !self.tallies.paths.iter().any(|(known, _)| known == name) {
            self.tallies.paths.push((name.to_owned(), counters.clone()));
        }
        counters
    }

    /// Returns the steps of all sources, as if a path named each of them: they run even if no other path
    /// names them.
    fn all_sources(&mut self) -> Lowered {
        let tree = self.tree;
        let mut lowered = Lowered::default();
        for statement in &tree.statements {
            match statement {
                Statement::Object(object) if object.kind == Kind::Source => self.object(object, &mut lowered),
                _ => {}
            }
        }
        lowered
    }

    fn channel(&mut self, path: &'t LogPath) -> Channel {
        let counters = self.named_path_counters(path);
        let lowered = self.steps(&path.steps, Around::Channel);
        Channel {
            counters,
            sources: lowered.sources,
            steps: lowered.steps,
            flags: flags(&path.flags, false),
            label: self.path_label("channel", path),
            ..Channel::default()
        }
    }

    fn steps(&mut self, steps: &'t [LogStep], around: Around) -> Lowered {
        let mut lowered = Lowered::default();
        let mut embedded = Vec::new();
        for (place, step) in steps.iter().enumerate() {
            if let LogStep::Log(path) = step {
                embedded.push(self.path(path));
                continue;
            }
            close_embedded(&mut embedded, &mut lowered);
            if let LogStep::Parallelize(call) = step {
                let rest = self.steps(&steps[place + 1..], around);
                lowered.sources.extend(rest.sources);
                lowered.steps.extend(self.parallel(call, rest.steps, around));
                return lowered;
            }
            self.step(step, &mut lowered);
        }
        close_embedded(&mut embedded, &mut lowered);
        lowered
    }

    /// Makes the step of `parallelize()` with the steps after it. Its threads are not joined again, so it is
    /// refused in a channel.
    fn parallel(&mut self, call: &'t Call, rest: Vec<Step>, around: Around) -> Option<Step> {
        if around == Around::Channel {
            let message = "parallelize() cannot stand in a channel or an `if`: what it spreads joins nothing";
            self.report.push(Diagnostic::error(call.span, message).help("put it before the junction"));
            return None;
        }
        let key = match call.option("partition-key").and_then(|option| option.args.first()) {
            Some(arg) => Some(Arc::new(self.template_argument(arg)?)),
            None => None,
        };
        let workers = call.option("workers").or_else(|| call.option("partitions")).and_then(Call::number);
        let count = workers.and_then(|count| usize::try_from(count).ok()).filter(|count| *count > 0);
        let count = count.unwrap_or_else(|| available_parallelism().map_or(1, usize::from));
        let lanes = Arc::new(LaneThreads::new(count));
        self.lanes.push(lanes.clone());
        let site = self.environment.site.clone();
        let parallel = Parallel::new(rest, key, lanes, self.global_render_options(), site);
        let parallel = parallel.map_err(|error| Diagnostic::error(call.span, error.to_string()));
        parallel.map_err(|error| self.report.push(error)).ok().map(Step::Parallel)
    }

    fn step(&mut self, step: &'t LogStep, into: &mut Lowered) {
        self.steps_made += 1;
        if self.steps_made > STEPS_MAX {
            return;
        }
        match step {
            LogStep::Use(reference) => self.reference(reference, into),
            LogStep::Filter(filter) => {
                into.steps.extend(self.filter_label(filter));
                into.steps.extend(self.filter_step(filter).map(Step::Filter));
            }
            // A junction without channels passes all messages on.
            LogStep::Junction(junction) if junction.branches.is_empty() => {}
            LogStep::Junction(junction) => {
                let channels = junction.branches.iter().map(|branch| self.channel(&branch.path)).collect();
                into.steps.push(Step::Junction(channels));
            }
            LogStep::Channel(path) => {
                let channel = self.channel(path);
                into.steps.push(Step::Junction(vec![channel]));
            }
            LogStep::Log(path) => {
                let path = self.path(path);
                into.steps.push(Step::Embedded(vec![path]));
            }
            LogStep::If(condition) => {
                let step = self.condition(condition);
                into.steps.push(step);
            }
            // The steps after parallelize() are made with it.
            LogStep::Parallelize(_) | LogStep::Later(_, _) => {}
        }
    }

    fn condition(&mut self, condition: &'t Condition) -> Step {
        let mut branches = Vec::new();
        for arm in &condition.arms {
            let test = arm.test.as_ref().and_then(|test| self.filter_step(test));
            branches.push(Channel { condition: test, ..self.channel(&arm.path) });
        }
        self.condition_labels(condition, &mut branches);
        let otherwise = condition.otherwise.as_ref().map(|path| {
            let label = self.label(|_| "else".to_owned(), path.span);
            Channel { label, ..self.channel(path) }
        });
        Step::conditional(branches, otherwise)
    }

    fn reference(&mut self, reference: &'t Reference, into: &mut Lowered) {
        match reference {
            Reference::Named(kind, name) => {
                if let Some(object) = self.objects.get(&(*kind, name.text.as_str())).copied() {
                    self.object(object, into);
                }
            }
            Reference::InPlace(kind, items, span) => {
                let place = format!("{}:{}", self.tree.texts.name(span.text), span.start);
                let name = self.anonymous_name(*kind, place);
                // Messages of a source inside of a named one are messages of that.
                let around =
                    self.walking.iter().rfind(|object| object.kind == Kind::Source && *kind == Kind::Source);
                let name = around.map_or(name.clone(), |object| format!("{}#{name}", object.name.text));
                self.items(*kind, &name, items, into);
            }
        }
    }

    /// Inserts a named object where it is used. One that uses itself has no end and is an error.
    fn object(&mut self, object: &'t Object, into: &mut Lowered) {
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

    fn items(&mut self, kind: Kind, name: &str, items: &'t [Item], into: &mut Lowered) {
        let mut inside = Lowered::default();
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
            // What a destination does to a message stays inside of it, and what it stops counts as delivered.
            let flags = StepFlags { drop_unmatched: true, ..StepFlags::default() };
            let path = Path { steps: inside.steps, flags, ..Path::default() };
            into.steps.push(Step::Embedded(vec![path]));
        }
    }

    /// Makes a parser that counts under its name; all uses of it count together.
    fn counted(&mut self, name: &str, step: Step) -> Step {
        let Step::Parser(parser) = step else { return step };
        let counters: Arc<ParserCounters> = self.environment.kept.get(&format!("parser {name}"));
        if !self.tallies.parsers.iter().any(|(known, _)| known == name) {
            self.tallies.parsers.push((name.to_owned(), counters.clone()));
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

fn close_embedded(embedded: &mut Vec<Path>, lowered: &mut Lowered) {
    if !embedded.is_empty() {
        lowered.steps.push(Step::Embedded(std::mem::take(embedded)));
    }
}

fn has_flag(written: &[Flag], wanted: LogFlag) -> bool {
    written.iter().any(|flag| flag.flag == wanted)
}

fn flags(written: &[Flag], flow_control: bool) -> StepFlags {
    let has = |wanted: LogFlag| has_flag(written, wanted);
    let mut flags = StepFlags {
        last: has(LogFlag::Final),
        fallback: has(LogFlag::Fallback),
        catchall: has(LogFlag::Catchall),
        drop_unmatched: has(LogFlag::DropUnmatched),
        flow_control: flow_control.then_some(true),
    };
    if has(LogFlag::FlowControl) {
        flags.flow_control = Some(true);
    }
    if has(LogFlag::NoFlowControl) {
        flags.flow_control = Some(false);
    }
    flags
}

/// The outlets of the drivers of a destination, by id.
pub(crate) type Outlets = Vec<(String, Arc<crate::assemble::LateBoundOutlet>)>;
