//! Runs batches through the paths.
//!
//! In: a batch of one source. Out: deliveries at outlets. Holds: the plan, and which paths each source enters.
//! A message counts as matched by a branch when no step of it stopped the message; that decides `final`,
//! `fallback` and the branches of an `if`. Messages that a parser consumed count as matched. Nothing is allocated for a
//! message that no step changes.
//! Limits: [`super::DEPTH_MAX`] levels.

use super::{
    Channel, DEPTH_MAX, Event, FilterStep, Label, Parallel, Path, PathCounters, Plan, PlanError, Refusal,
    Step, StepFlags, TapPoint, Watch,
    flow::{Flow, join},
    parallel::Luggage,
};
use crate::parser::Parser;
use message::{Ack, Batch, Delivery, Intake, Selection, Stamp, WriteBudget};
use std::{collections::HashMap, sync::Arc};
use template::Renderer;

/// The compiled log paths of one configuration.
#[derive(Debug)]
pub struct Router {
    plan: Plan,
    /// Paths that messages of a source enter, at their head or inside.
    entries: HashMap<String, Vec<usize>>,
    /// Paths with `catchall`: the only ones for sources that no path names.
    catchall: Vec<usize>,
    /// True when a path has a source inside it, and not at its head.
    inner_sources: bool,
    /// True when some parser has timers.
    timed: bool,
}

/// The state that stays the same while one batch runs.
struct Run<'a> {
    source: &'a str,
    ack: Ack,
    budget: &'a WriteBudget,
    renderer: Renderer,
    /// The event of a run without messages.
    news: Option<News>,
    /// The observer.
    watch: Option<&'a mut dyn Watch>,
}

impl Run<'_> {
    fn tell(&mut self, event: Event<'_>) {
        if let Some(watch) = &mut self.watch {
            watch.see(event);
        }
    }
}

/// Events for parsers besides messages.
#[derive(Clone, Copy)]
enum News {
    /// Time has passed.
    Tick,
    /// No more messages come.
    Close,
}

/// A branch of a fork: a path or a channel.
struct Branch<'a> {
    condition: Option<&'a FilterStep>,
    steps: &'a [Step],
    flags: StepFlags,
    tap: Option<&'a TapPoint>,
    counters: Option<&'a PathCounters>,
    sources: &'a [String],
    label: Option<&'a Label>,
    /// True for a top-level path, which takes only messages of its own sources.
    top: bool,
}

impl Router {
    /// Compiles paths.
    pub fn new(plan: Plan) -> Result<Router, PlanError> {
        let mut entries: HashMap<String, Vec<usize>> = HashMap::new();
        let mut catchall = Vec::new();
        let mut inner_sources = false;
        for (index, path) in plan.paths.iter().enumerate() {
            let mut inner = Vec::new();
            collect_sources(&path.steps, 1, &mut inner)?;
            inner_sources |= !inner.is_empty();
            for source in path.sources.iter().chain(inner) {
                let paths = entries.entry(source.clone()).or_default();
                if paths.last() != Some(&index) {
                    paths.push(index);
                }
            }
            if path.flags.catchall {
                catchall.push(index);
            }
        }
        for paths in entries.values_mut() {
            paths.extend(&catchall);
            paths.sort_unstable();
            paths.dedup();
        }
        let timed = plan.paths.iter().any(|path| path.steps.iter().any(is_timed));
        Ok(Router { plan, entries, catchall, inner_sources, timed })
    }

    /// Runs the timers of parsers. The messages they make continue along their paths.
    pub fn tick(&self, now: Stamp) {
        self.bring(News::Tick, now, None);
    }

    /// Ends the input of those parsers: they emit the messages that they hold back.
    pub fn close(&self, now: Stamp) {
        self.bring(News::Close, now, None);
    }

    /// Does the work of [`Router::tick`] and [`Router::close`] with an observer.
    pub fn end_watched(&self, now: Stamp, watch: &mut dyn Watch) {
        self.bring(News::Tick, now, Some(watch));
        self.bring(News::Close, now, Some(watch));
    }

    fn bring(&self, news: News, now: Stamp, watch: Option<&mut dyn Watch>) {
        if !self.timed {
            return;
        }
        let mut renderer = Renderer::new(self.plan.options.clone(), self.plan.site.clone());
        renderer.now = now;
        let budget = &WriteBudget::none();
        // The observer is borrowed only as long as the budget.
        let watch = watch.map(|watch| -> &mut dyn Watch { watch });
        let mut run = Run { source: "", ack: Ack::none(), budget, renderer, news: Some(news), watch };
        let branches: Vec<Branch<'_>> = self.plan.paths.iter().map(|path| branch_of(path, true)).collect();
        let flow = Flow { batch: Arc::default(), selection: Selection::none(0), made: false };
        self.fork(&branches, flow, &mut run, &mut Selection::none(0), false, None);
    }

    /// Returns true when some parser has timers.
    pub(super) fn is_timed(&self) -> bool {
        self.timed
    }

    /// Runs the rest of a path: the only one of this router.
    pub(super) fn carry_on(&self, flow: Flow, luggage: Luggage) {
        let mut renderer = Renderer::new(self.plan.options.clone(), self.plan.site.clone());
        renderer.now = luggage.now;
        // A thread of `parallelize()` has no write budget.
        let (source, ack, budget) = (&luggage.source, luggage.ack, &WriteBudget::none());
        let mut run = Run { source, ack, budget, renderer, news: None, watch: None };
        let mut failed = Selection::none(flow.selection.batch_len());
        self.sequence(&self.plan.paths[0].steps, flow, &mut run, &mut failed, luggage.controlled);
    }

    /// Returns the indexes in the plan of the paths that messages of a source enter.
    pub fn paths_of(&self, source: &str) -> &[usize] {
        self.entries.get(source).unwrap_or(&self.catchall)
    }

    /// Returns the paths, for statistics.
    pub fn plan(&self) -> &Plan {
        &self.plan
    }

    /// Takes a batch as [`Intake::take`] does, with an observer. Steps after `parallelize()` run on this thread as
    /// well.
    pub fn take_watched(&self, batch: Batch, watch: &mut dyn Watch) {
        if let Some(origin) = batch.origins.first().cloned() {
            self.run(batch, (&origin.source, &WriteBudget::none()), Some(watch));
        }
    }

    fn run<'a>(
        &self,
        mut batch: Batch,
        (source, budget): (&'a str, &'a WriteBudget),
        watch: Option<&'a mut dyn Watch>,
    ) {
        if batch.is_empty() {
            return;
        }
        let ack = std::mem::take(&mut batch.ack);
        let mut renderer = Renderer::new(self.plan.options.clone(), self.plan.site.clone());
        renderer.now = batch.received;
        let selection = Selection::all(batch.len());
        let mut run = Run { source, ack, budget, renderer, news: None, watch };
        let paths = self.paths_of(source);
        let branches: Vec<Branch<'_>> =
            paths.iter().map(|index| branch_of(&self.plan.paths[*index], true)).collect();
        let count = batch.len();
        let mut failed = Selection::none(count);
        let flow = Flow { batch: Arc::new(batch), selection, made: false };
        self.fork(&branches, flow, &mut run, &mut failed, false, None);
        self.plan.counters.add(count - failed.count(), failed.count());
    }

    /// Runs messages through branches. Those that no branch matched are added to `failed`, the flows that leave to
    /// `outs`.
    fn fork(
        &self,
        branches: &[Branch<'_>],
        flow: Flow,
        run: &mut Run<'_>,
        failed: &mut Selection,
        controlled: bool,
        mut outs: Option<&mut Vec<Flow>>,
    ) {
        let Flow { batch, selection, made: flow_made } = flow;
        let mut delivered = Selection::none(batch.len());
        // The last branch gets the batch itself: when nothing else holds it, changing it needs no copy.
        let last = branches.last().filter(|_| branches.iter().all(|branch| !branch.flags.fallback));
        let mut batch = Some(batch);
        for fallback in [false, true] {
            let mut left = selection.clone();
            left.subtract(&delivered);
            for branch in branches.iter().filter(|branch| branch.flags.fallback == fallback) {
                let input = self.entering(branch, &left, run);
                if run.watch.is_some()
                    && input.is_empty()
                    && !self.entering(branch, &selection, run).is_empty()
                {
                    refuse(branch, fallback, run);
                }
                if input.is_empty() && !self.inner_sources && run.news.is_none() {
                    continue;
                }
                let controlled = flow_control(branch.flags, branch.steps, controlled);
                let is_last = last.is_some_and(|last| std::ptr::eq(last, branch));
                let Some(batch) = (if is_last { batch.take() } else { batch.clone() }) else { continue };
                if let Some(tap) = branch.tap {
                    tap.pass(&batch, &input);
                }
                let entered = Flow { batch, selection: input.clone(), made: flow_made };
                let (matched, out) = self.branch(branch, entered, run, failed, controlled);
                if branch.label.is_some() {
                    run.tell(Event::Leave { matched: &matched, last: branch.flags.last });
                }
                if let Some(counters) = branch.counters {
                    counters.add(input.count(), matched.count());
                }
                if branch.flags.last {
                    left.subtract(&matched);
                }
                delivered.or(&matched);
                if let Some(outs) = outs.as_deref_mut() {
                    outs.extend(out);
                }
            }
        }
        let mut unmatched = selection;
        unmatched.subtract(&delivered);
        failed.or(&unmatched);
    }

    /// Returns the messages that enter a branch. One with sources of its own takes only theirs.
    fn entering(&self, branch: &Branch<'_>, left: &Selection, run: &Run<'_>) -> Selection {
        let named = branch.sources.iter().any(|source| source == run.source);
        let passes = match branch.top {
            // Messages that enter further inside do not enter here as well.
            true => named || branch.flags.catchall && !self.enters_inside(branch, run.source),
            false => branch.sources.is_empty(),
        };
        if passes {
            left.clone()
        } else if named {
            Selection::all(left.batch_len())
        } else {
            Selection::none(left.batch_len())
        }
    }

    fn enters_inside(&self, branch: &Branch<'_>, source: &str) -> bool {
        let mut inner = Vec::new();
        self.inner_sources
            && collect_sources(branch.steps, 1, &mut inner).is_ok()
            && inner.iter().any(|known| *known == source)
    }

    /// Runs a branch. Returns the messages that it matched and the flows that leave it.
    fn branch(
        &self,
        branch: &Branch<'_>,
        mut flow: Flow,
        run: &mut Run<'_>,
        failed: &mut Selection,
        controlled: bool,
    ) -> (Selection, Vec<Flow>) {
        let input = flow.selection.clone();
        let mut own = Selection::none(input.batch_len());
        if let Some(label) = branch.label {
            run.tell(Event::Enter { label, batch: &flow.batch, input: &input, controlled });
        }
        if let Some(condition) = branch.condition {
            let asked = branch.label.filter(|_| run.watch.is_some()).map(|label| (label, flow.batch.clone()));
            filter(condition, &mut flow, run);
            let matched = flow.selection.clone();
            if let Some((label, batch)) = asked {
                run.tell(Event::Ask { label, batch: &batch, input: &input, held: &matched });
            }
            // What the steps stop after the condition held is lost to the path around, not to this branch.
            let out = self.sequence(branch.steps, flow, run, failed, controlled);
            return (matched, out);
        }
        let out = self.sequence(branch.steps, flow, run, &mut own, controlled);
        let mut matched = input;
        if !branch.flags.drop_unmatched {
            matched.subtract(&own);
        }
        (matched, out)
    }

    /// Runs steps in order. Messages that they stop are added to `failed`.
    fn sequence(
        &self,
        steps: &[Step],
        mut flow: Flow,
        run: &mut Run<'_>,
        failed: &mut Selection,
        controlled: bool,
    ) -> Vec<Flow> {
        let mut outs = Vec::new();
        let mut label = None;
        for (index, step) in steps.iter().enumerate() {
            if flow.selection.is_empty() && !self.inner_sources && run.news.is_none() {
                return outs;
            }
            if let Some(label) = label {
                run.tell(Event::Begin { label, batch: &flow.batch, input: &flow.selection });
            }
            match step {
                Step::Filter(step) => {
                    let mut stopped = flow.selection.clone();
                    filter(step, &mut flow, run);
                    stopped.subtract(&flow.selection);
                    failed.or(&stopped);
                }
                Step::Rewrite(rewrite) if !flow.selection.is_empty() => {
                    rewrite.apply(Arc::make_mut(&mut flow.batch), &flow.selection, &mut run.renderer);
                }
                Step::Parser(parser) if run.news.is_some() || !flow.selection.is_empty() => {
                    for batch in parse(parser.as_ref(), &mut flow, run, failed) {
                        let rest = &steps[index + 1..];
                        outs.extend(self.made(rest, batch, run, controlled));
                    }
                }
                Step::Rewrite(_) | Step::Parser(_) => {}
                Step::Parallel(parallel) => {
                    spread(parallel, flow, run, failed, controlled);
                    return outs;
                }
                Step::Outlet(step) => deliver(step, &flow, run, controlled),
                Step::Embedded(paths) => {
                    let branches: Vec<Branch<'_>> = paths.iter().map(|path| branch_of(path, false)).collect();
                    self.fork(&branches, flow.clone(), run, failed, controlled, None);
                }
                Step::Junction(channels) => {
                    let rest = &steps[index + 1..];
                    outs.extend(self.junction(channels, rest, flow, run, failed, controlled));
                    return outs;
                }
                Step::Label(next) => {
                    label = Some(next.as_ref());
                    continue;
                }
            }
            if label.take().is_some() {
                run.tell(Event::End { batch: &flow.batch, left: &flow.selection });
            }
        }
        outs.push(flow);
        outs
    }

    /// Runs the channels of a junction, and the steps after it.
    fn junction(
        &self,
        channels: &[Channel],
        rest: &[Step],
        flow: Flow,
        run: &mut Run<'_>,
        failed: &mut Selection,
        controlled: bool,
    ) -> Vec<Flow> {
        let branches: Vec<Branch<'_>> = channels.iter().map(branch_of_channel).collect();
        let mut joining = Vec::with_capacity(branches.len());
        self.fork(&branches, flow, run, failed, controlled, Some(&mut joining));
        let mut outs = Vec::new();
        for flow in joined(joining, run.news.is_some()) {
            outs.extend(match flow.made {
                true => self.made_flow(rest, flow, run, controlled),
                false => self.sequence(rest, flow, run, failed, controlled),
            });
        }
        outs
    }

    /// Runs the rest of a sequence for a batch that a parser made. Messages that are stopped there do not go to other
    /// branches.
    fn made(&self, rest: &[Step], batch: Batch, run: &mut Run<'_>, controlled: bool) -> Vec<Flow> {
        let selection = Selection::all(batch.len());
        run.tell(Event::Made { batch: &batch });
        let outs =
            self.made_flow(rest, Flow { batch: Arc::new(batch), selection, made: true }, run, controlled);
        run.tell(Event::Gone);
        outs
    }

    fn made_flow(&self, rest: &[Step], flow: Flow, run: &mut Run<'_>, controlled: bool) -> Vec<Flow> {
        let news = run.news.take();
        let mut failed = Selection::none(flow.selection.batch_len());
        let outs = self.sequence(rest, flow, run, &mut failed, controlled);
        run.news = news;
        outs
    }
}

impl Intake for Router {
    fn take(&self, batch: Batch, budget: &WriteBudget) {
        if let Some(origin) = batch.origins.first().cloned() {
            self.run(batch, (&origin.source, budget), None);
        }
    }
}

fn branch_of(path: &Path, top: bool) -> Branch<'_> {
    let Path { sources, steps, flags, label, counters, tap, .. } = path;
    Branch {
        condition: None,
        steps,
        flags: *flags,
        tap: tap.as_deref(),
        counters: Some(counters),
        sources,
        label: label.as_deref(),
        top,
    }
}

fn branch_of_channel(channel: &Channel) -> Branch<'_> {
    let Channel { sources, condition, steps, flags, label, counters } = channel;
    let (condition, label, counters) = (condition.as_ref(), label.as_deref(), counters.as_deref());
    Branch { condition, steps, flags: *flags, tap: None, counters, sources, label, top: false }
}

/// Joins the flows that leave a junction. An event for the parsers inside also reaches those after it.
fn joined(outs: Vec<Flow>, news: bool) -> Vec<Flow> {
    let mut flows = join(outs);
    if news {
        flows.push(Flow { batch: Arc::default(), selection: Selection::none(0), made: false });
    }
    flows
}

/// Runs a parser, or its timers. Returns the batches that it made. Messages that it cannot read are stopped.
fn parse(parser: &dyn Parser, flow: &mut Flow, run: &mut Run<'_>, failed: &mut Selection) -> Vec<Batch> {
    let mut made = Vec::new();
    match run.news {
        Some(News::Tick) => parser.tick(&mut run.renderer, &mut made),
        Some(News::Close) => parser.close(&mut run.renderer, &mut made),
        None => {}
    }
    if run.news.is_some() {
        return apart(made, run);
    }
    let batch = Arc::make_mut(&mut flow.batch);
    let read = parser.parse_making(batch, &flow.selection, &mut run.renderer, &mut made);
    let mut stopped = std::mem::replace(&mut flow.selection, read);
    stopped.subtract(&flow.selection);
    if !parser.consumes() {
        failed.or(&stopped);
    }
    apart(made, run)
}

/// Splits batches into batches of one message each when there is an observer, so that it sees the way of each message.
fn apart(made: Vec<Batch>, run: &Run<'_>) -> Vec<Batch> {
    if run.watch.is_none() {
        return made;
    }
    let singles = made.iter().flat_map(|batch| {
        (0..batch.len()).map(|index| {
            let mut one = Selection::none(batch.len());
            one.add(index);
            batch.copy_of(&one)
        })
    });
    singles.collect()
}

fn is_timed(step: &Step) -> bool {
    match step {
        Step::Parser(parser) => parser.is_timed(),
        Step::Junction(channels) => channels.iter().any(|channel| channel.steps.iter().any(is_timed)),
        Step::Embedded(paths) => paths.iter().any(|path| path.steps.iter().any(is_timed)),
        Step::Parallel(parallel) => parallel.is_timed(),
        Step::Filter(_) | Step::Rewrite(_) | Step::Outlet(_) | Step::Label(_) => false,
    }
}

/// Sends messages to the threads of `parallelize()`; for this path they count as taken.
fn spread(parallel: &Parallel, flow: Flow, run: &mut Run<'_>, failed: &mut Selection, controlled: bool) {
    if run.watch.is_some() {
        let rest = parallel.rest();
        rest.sequence(parallel.steps(), flow, run, failed, controlled);
        return;
    }
    match run.news {
        Some(News::Tick) => return parallel.tick(run.renderer.now),
        Some(News::Close) => return parallel.close(run.renderer.now),
        None => {}
    }
    let (source, ack, now) = (run.source, &run.ack, run.renderer.now);
    let luggage = || Luggage { source: source.to_owned(), ack: ack.clone(), now, controlled };
    parallel.send(&flow, &mut run.renderer, luggage);
}

fn filter(step: &FilterStep, flow: &mut Flow, run: &mut Run<'_>) {
    if flow.selection.is_empty() {
        return;
    }
    let before = flow.selection.count();
    flow.selection = if step.filter.stores_matches() {
        step.filter.select_storing(Arc::make_mut(&mut flow.batch), &flow.selection, &mut run.renderer)
    } else {
        step.filter.select(&flow.batch, &flow.selection, &mut run.renderer)
    };
    let matched = flow.selection.count();
    step.counters.add(matched, before - matched);
}

/// Reports that messages did not enter a branch of their source.
fn refuse(branch: &Branch<'_>, fallback: bool, run: &mut Run<'_>) {
    if let Some(label) = branch.label {
        let why = if fallback { Refusal::Fallback } else { Refusal::Final };
        run.tell(Event::Refuse { label, why });
    }
}

fn deliver(step: &super::OutletStep, flow: &Flow, run: &mut Run<'_>, controlled: bool) {
    if flow.selection.is_empty() {
        return;
    }
    let (name, batch, selection) = (&step.name, flow.batch.as_ref(), &flow.selection);
    run.tell(Event::Deliver { name, batch, selection, controlled });
    let (batch, selection) = (flow.batch.clone(), flow.selection.clone());
    step.outlet.deliver(Delivery { batch, selection, ack: run.ack.clone(), controlled }, run.budget);
}

/// Returns true when destinations below may not drop: the branch, one of its channels, or its surroundings say so.
fn flow_control(flags: StepFlags, steps: &[Step], around: bool) -> bool {
    flags.flow_control.unwrap_or_else(|| around || steps.iter().any(asks_for_control))
}

fn asks_for_control(step: &Step) -> bool {
    match step {
        Step::Junction(channels) => channels.iter().any(|channel| {
            channel.flags.flow_control.unwrap_or_else(|| channel.steps.iter().any(asks_for_control))
        }),
        Step::Parallel(parallel) => parallel.steps().iter().any(asks_for_control),
        _ => false,
    }
}

/// Collects the sources inside a path, and refuses paths that are nested too deep.
fn collect_sources<'a>(
    steps: &'a [Step],
    depth: usize,
    found: &mut Vec<&'a String>,
) -> Result<(), PlanError> {
    if depth > DEPTH_MAX {
        return Err(PlanError::Depth);
    }
    for step in steps {
        match step {
            Step::Junction(channels) => {
                for channel in channels {
                    found.extend(&channel.sources);
                    collect_sources(&channel.steps, depth + 1, found)?;
                }
            }
            Step::Embedded(paths) => {
                for path in paths {
                    found.extend(&path.sources);
                    collect_sources(&path.steps, depth + 1, found)?;
                }
            }
            Step::Parallel(parallel) => collect_sources(parallel.steps(), depth + 1, found)?,
            _ => {}
        }
    }
    Ok(())
}
