//! Log paths of the language, turned into the plan of the pipeline.
//!
//! In: log statements. Out: a [`Plan`]. Holds: nothing. Limits: [`STEPS_MAX`] steps altogether: objects that use others
//! that use others can grow without bound.

use super::objects::CompiledSteps;
use crate::{assemble::lowering::Lowering, lanes::LaneThreads};
use config::{
    Diagnostic,
    tree::{Call, Condition, Flag, LogFlag, Path as LogPath, Statement, Step as LogStep},
};
use pipeline::route::{Channel, Parallel, Path, PathCounters, PathThread, Plan, Step, StepFlags, TapPoint};
use std::{sync::Arc, thread::available_parallelism};

/// Most steps of all paths together.
pub(crate) const STEPS_MAX: usize = 200_000;

/// The kind of block that encloses steps.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Enclosing {
    Path,
    Channel,
}

impl<'t> Lowering<'t> {
    /// Compiles all log paths, in the order of the configuration.
    pub(crate) fn plan(&mut self) -> Plan {
        let tree = self.tree;
        let mut plan = Plan {
            options: self.global_render_options(),
            site: self.environment.site.clone(),
            counters: self.environment.reload_state.get("router"),
            ..Plan::default()
        };
        self.counters.router = plan.counters.clone();
        for statement in &tree.statements {
            if let Statement::Log(path) = statement {
                let (name, tap) = self.path_tap(path);
                let counters = self.path_counters(&name);
                let mut compiled = Path { tap: Some(tap), counters, ..self.path(path) };
                if has_flag(&path.flags, LogFlag::Catchall) {
                    let head = self.all_sources();
                    compiled.sources.extend(head.sources);
                    compiled.steps.splice(0..0, head.steps);
                }
                compiled.thread = compiled.waits().then(|| self.path_thread());
                plan.paths.push(compiled);
            }
        }
        plan
    }

    /// Makes the thread of a path with a parser that waits.
    fn path_thread(&mut self) -> PathThread {
        let lanes = Arc::new(LaneThreads::of_path());
        // It is drained first: its jobs give work to the threads of `parallelize()`.
        self.lanes.insert(0, lanes.clone());
        PathThread::new(lanes)
    }

    /// Returns the point and the names of a top-level path: its name, or its position, with or without the
    /// file.
    fn path_tap(&mut self, path: &LogPath) -> (String, Arc<TapPoint>) {
        let place = self.tree.texts.location(path.span);
        let file = place.name.rsplit('/').next().unwrap_or_default();
        let line = format!("{file}:{}", place.line);
        let mut names: Vec<String> = path.name.iter().map(|name| name.text.clone()).collect();
        names.extend([line, place.line.to_string()]);
        let name = names.first().cloned().unwrap_or_default();
        (name, self.tap("log", names))
    }

    fn path(&mut self, path: &'t LogPath) -> Path {
        let counters = self.named_path_counters(path).unwrap_or_default();
        let compiled = self.steps(&path.steps, Enclosing::Path);
        Path {
            counters,
            name: path.name.as_ref().map(|name| name.text.clone()),
            sources: compiled.sources,
            steps: compiled.steps,
            flags: flags(&path.flags, self.globals.is_yes("log-flow-control").then_some(true)),
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
        let counters: Arc<PathCounters> = self.environment.reload_state.get(&format!("log {name}"));
        if !self.counters.paths.iter().any(|(known, _)| known == name) {
            self.counters.paths.push((name.to_owned(), counters.clone()));
        }
        counters
    }

    fn channel(&mut self, path: &'t LogPath) -> Channel {
        let counters = self.named_path_counters(path);
        let compiled = self.steps(&path.steps, Enclosing::Channel);
        Channel {
            counters,
            sources: compiled.sources,
            steps: compiled.steps,
            flags: flags(&path.flags, None),
            label: self.path_label("channel", path),
            ..Channel::default()
        }
    }

    fn steps(&mut self, steps: &'t [LogStep], enclosing: Enclosing) -> CompiledSteps {
        let mut compiled = CompiledSteps::default();
        let mut embedded = Vec::new();
        for (place, step) in steps.iter().enumerate() {
            if let LogStep::Log(path) = step {
                embedded.push(self.path(path));
                continue;
            }
            close_embedded(&mut embedded, &mut compiled);
            if let LogStep::Parallelize(call) = step {
                let rest = self.steps(&steps[place + 1..], enclosing);
                compiled.sources.extend(rest.sources);
                compiled.steps.extend(self.parallel_step(call, rest.steps, enclosing));
                return compiled;
            }
            self.step(step, &mut compiled);
        }
        close_embedded(&mut embedded, &mut compiled);
        compiled
    }

    /// Makes the step of `parallelize()` with the steps after it. Its threads are not joined again, so it is
    /// refused in a channel.
    fn parallel_step(&mut self, call: &'t Call, rest: Vec<Step>, enclosing: Enclosing) -> Option<Step> {
        if enclosing == Enclosing::Channel {
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

    /// Compiles one step. Those above [`STEPS_MAX`] are left out; the plan is then refused.
    pub(crate) fn step(&mut self, step: &'t LogStep, into: &mut CompiledSteps) {
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
}

fn close_embedded(embedded: &mut Vec<Path>, compiled: &mut CompiledSteps) {
    if !embedded.is_empty() {
        compiled.steps.push(Step::Embedded(std::mem::take(embedded)));
    }
}

fn has_flag(written: &[Flag], wanted: LogFlag) -> bool {
    written.iter().any(|flag| flag.flag == wanted)
}

/// Returns the flags of a path. `flow_control` counts unless a flag says otherwise.
fn flags(written: &[Flag], flow_control: Option<bool>) -> StepFlags {
    let has = |wanted: LogFlag| has_flag(written, wanted);
    let mut flags = StepFlags {
        last: has(LogFlag::Final),
        fallback: has(LogFlag::Fallback),
        catchall: has(LogFlag::Catchall),
        drop_unmatched: has(LogFlag::DropUnmatched),
        flow_control,
    };
    if has(LogFlag::FlowControl) {
        flags.flow_control = Some(true);
    }
    if has(LogFlag::NoFlowControl) {
        flags.flow_control = Some(false);
    }
    flags
}
