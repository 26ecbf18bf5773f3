//! Runs batches through the paths.
//!
//! In: a batch of one source. Out: deliveries at outlets. Holds nothing between batches.
//! A message counts as matched by a branch when no step of it stopped the message; that decides `final`,
//! `fallback` and the branches of an `if`. Messages that a parser consumed count as matched. Nothing is allocated for a
//! message that no step changes.
//! Limits: [`super::DEPTH_MAX`] levels.

use super::{
    compile::collect_sources,
    counters::PathCounters,
    flow::{BranchContext, Flow, FlowControl, TimerEvent, join},
    plan::{Channel, FilterStep, OutletStep, Parallel, Path, Router, Step, StepFlags},
    tap::TapPoint,
    tracer::{Event, Label, Refusal, Tracer},
};
use crate::parser::Parser;
use message::{Ack, Batch, Delivery, Intake, Selection, Stamp, WriteBudget};
use std::sync::Arc;
use template::Renderer;

/// The state that stays the same while one batch runs.
struct Run<'a> {
    source: &'a str,
    ack: Ack,
    budget: &'a WriteBudget,
    renderer: Renderer,
    /// The event of a run without messages.
    timer: Option<TimerEvent>,
    tracer: Option<&'a mut dyn Tracer>,
    /// The router when paths may go to their threads; without it, all run on this one.
    shared: Option<&'a Arc<Router>>,
}

impl Run<'_> {
    #[inline]
    fn emit(&mut self, event: Event<'_>) {
        if let Some(tracer) = &mut self.tracer {
            tracer.record(event);
        }
    }
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
    /// The index in the plan of a top-level path, which takes only messages of its own sources.
    top: Option<usize>,
}

impl Router {
    /// Runs the timers of parsers. The messages they make continue along their paths.
    pub fn tick(self: &Arc<Self>, now: Stamp) {
        self.deliver_timer(TimerEvent::Tick, now, None, Some(self));
    }

    /// Ends the input of parsers, so they emit the messages that they hold back.
    pub fn close(self: &Arc<Self>, now: Stamp) {
        self.deliver_timer(TimerEvent::Close, now, None, Some(self));
    }

    /// Does the work of [`Router::tick`] and [`Router::close`] with a tracer.
    pub fn end_traced(&self, now: Stamp, tracer: &mut dyn Tracer) {
        self.deliver_timer(TimerEvent::Tick, now, Some(tracer), None);
        self.deliver_timer(TimerEvent::Close, now, Some(tracer), None);
    }

    fn deliver_timer(
        &self,
        event: TimerEvent,
        now: Stamp,
        tracer: Option<&mut dyn Tracer>,
        shared: Option<&Arc<Router>>,
    ) {
        // The end of input also ends the processes that parsers wait for.
        let is_for_processes = self.threaded && event == TimerEvent::Close;
        if !self.timed && !is_for_processes {
            return;
        }
        let mut renderer = Renderer::new(self.plan.options.clone(), self.plan.site.clone());
        renderer.now = now;
        let budget = &WriteBudget::none();
        // The tracer is borrowed only as long as the budget.
        let tracer = tracer.map(|tracer| -> &mut dyn Tracer { tracer });
        let ack = Ack::none();
        let mut run = Run { source: "", ack, budget, renderer, timer: Some(event), tracer, shared };
        let branches: Vec<Branch<'_>> =
            (0..self.plan.paths.len()).map(|index| self.top_branch(index)).collect();
        let flow = Flow { batch: Arc::default(), selection: Selection::none(0), made: false };
        self.fork(&branches, flow, &mut run, &mut Selection::none(0), FlowControl::Off, None);
    }

    /// Runs the rest of a path: the only one of this router.
    pub(super) fn resume(&self, flow: Flow, context: BranchContext) {
        let mut renderer = Renderer::new(self.plan.options.clone(), self.plan.site.clone());
        renderer.now = context.now;
        // A thread of `parallelize()` has no write budget.
        let (source, ack, budget) = (&context.source, context.ack, &WriteBudget::none());
        let mut run = Run { source, ack, budget, renderer, timer: None, tracer: None, shared: None };
        let mut failed = Selection::none(flow.selection.batch_len());
        self.sequence(&self.plan.paths[0].steps, flow, &mut run, &mut failed, context.control);
    }

    /// Runs a top-level path on its thread. That messages entered it is counted already.
    pub(super) fn continue_path(
        &self,
        index: usize,
        flow: Flow,
        context: BranchContext,
        timer: Option<TimerEvent>,
    ) {
        let mut renderer = Renderer::new(self.plan.options.clone(), self.plan.site.clone());
        renderer.now = context.now;
        let (source, ack, budget) = (&context.source, context.ack, &WriteBudget::none());
        let mut run = Run { source, ack, budget, renderer, timer, tracer: None, shared: None };
        let mut failed = Selection::none(flow.selection.batch_len());
        let branch = self.top_branch(index);
        let (matched, _) = self.branch(&branch, flow, &mut run, &mut failed, context.control);
        if let Some(counters) = branch.counters {
            counters.add(0, matched.count());
        }
    }

    /// Takes a batch as [`Intake::take`] does, with a tracer. Steps after `parallelize()` run on this thread as
    /// well.
    pub fn take_traced(&self, batch: Batch, tracer: &mut dyn Tracer) {
        if let Some(origin) = batch.origins.first().cloned() {
            self.run(batch, (&origin.source, &WriteBudget::none()), Some(tracer), None);
        }
    }

    /// Runs a batch. With `shared`, paths that have a thread run on it.
    pub(super) fn run<'a>(
        &'a self,
        mut batch: Batch,
        (source, budget): (&'a str, &'a WriteBudget),
        tracer: Option<&'a mut dyn Tracer>,
        shared: Option<&'a Arc<Router>>,
    ) {
        if batch.is_empty() {
            return;
        }
        let ack = std::mem::take(&mut batch.ack);
        let mut renderer = Renderer::new(self.plan.options.clone(), self.plan.site.clone());
        renderer.now = batch.received;
        let selection = Selection::all(batch.len());
        let mut run = Run { source, ack, budget, renderer, timer: None, tracer, shared };
        let paths = self.paths_of(source);
        let branches: Vec<Branch<'_>> = paths.iter().map(|index| self.top_branch(*index)).collect();
        let count = batch.len();
        let mut failed = Selection::none(count);
        let flow = Flow { batch: Arc::new(batch), selection, made: false };
        self.fork(&branches, flow, &mut run, &mut failed, FlowControl::Off, None);
        self.plan.counters.add(count - failed.count(), failed.count());
    }

    /// Runs messages through branches. Messages that no branch matched are added to `failed`, and the flows
    /// that leave the branches to `outs`.
    fn fork(
        &self,
        branches: &[Branch<'_>],
        flow: Flow,
        run: &mut Run<'_>,
        failed: &mut Selection,
        control: FlowControl,
        mut outs: Option<&mut Vec<Flow>>,
    ) {
        let Flow { batch, selection, made: flow_made } = flow;
        let mut delivered = Selection::none(batch.len());
        // A fallback branch may still come after the last one in the list, so with one the batch stays here.
        // The last branch gets the batch itself: when nothing else holds it, changing it needs no copy.
        let last = branches.last().filter(|_| branches.iter().all(|branch| !branch.flags.fallback));
        let mut batch = Some(batch);
        // Two rounds over one list instead of two lists: `fallback` is rare, and most lists have a handful of branches.
        for fallback in [false, true] {
            let mut left = selection.clone();
            left.subtract(&delivered);
            for branch in branches.iter().filter(|branch| branch.flags.fallback == fallback) {
                let input = self.entering(branch, &left, run);
                // Only a tracer needs to know why nothing entered: this computes it twice, but never in
                // normal operation.
                if run.tracer.is_some()
                    && input.is_empty()
                    && !self.entering(branch, &selection, run).is_empty()
                {
                    let why = if fallback { Refusal::Fallback } else { Refusal::Final };
                    refuse(branch, why, run);
                }
                // Without messages a branch has work only for messages of a source inside it, or for its timers.
                if input.is_empty() && !self.inner_sources && run.timer.is_none() {
                    continue;
                }
                let control = flow_control(branch.flags, branch.steps, control);
                let is_last = last.is_some_and(|last| std::ptr::eq(last, branch));
                let Some(batch) = (if is_last { batch.take() } else { batch.clone() }) else { continue };
                if let Some(tap) = branch.tap {
                    tap.pass(&batch, &input);
                }
                // The selection is copied, the batch is not: a selection is one bit per message.
                let entered = Flow { batch, selection: input.clone(), made: flow_made };
                let Some(entered) = self.send_to_thread(branch, entered, run, control) else {
                    delivered.or(&input);
                    continue;
                };
                let (matched, out) = self.branch(branch, entered, run, failed, control);
                if branch.label.is_some() {
                    run.emit(Event::Leave { matched: &matched, last: branch.flags.last });
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

    /// Returns the branch of a top-level path.
    fn top_branch(&self, index: usize) -> Branch<'_> {
        Branch { top: Some(index), ..branch_of(&self.plan.paths[index]) }
    }

    /// Returns the messages that enter a branch. One with sources of its own takes only theirs.
    fn entering(&self, branch: &Branch<'_>, left: &Selection, run: &Run<'_>) -> Selection {
        // Compared by name once per batch: all messages of a batch are from one source.
        let named = branch.sources.iter().any(|source| source == run.source);
        let passes = match branch.top {
            // Messages that enter further inside do not enter here as well.
            Some(_) => named || branch.flags.catchall && !self.enters_inside(branch, run.source),
            None => branch.sources.is_empty(),
        };
        if passes {
            left.clone()
        } else if named {
            // Messages of a source inside a path skip the steps before it: no step has selected them until here.
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

    /// Sends messages, or a timer event, to the thread of a path, and returns those of a path without one. Messages on a thread count
    /// as matched: paths for which it matters what becomes of them do not get here.
    fn send_to_thread(
        &self,
        branch: &Branch<'_>,
        flow: Flow,
        run: &Run<'_>,
        control: FlowControl,
    ) -> Option<Flow> {
        let index = branch.top.filter(|_| self.threaded);
        let thread = index.and_then(|index| Some((index, self.plan.paths[index].thread.as_ref()?)));
        let (Some((index, thread)), Some(router)) = (thread, run.shared) else { return Some(flow) };
        if let Some(counters) = branch.counters {
            counters.add(flow.selection.count(), 0);
        }
        let (source, now) = (run.source.to_owned(), run.renderer.now);
        let context = BranchContext { source, ack: run.ack.clone(), now, control };
        router.continue_on(thread, index, flow, context, run.timer);
        None
    }

    /// Runs a branch. Returns the messages that it matched and the flows that leave it.
    fn branch(
        &self,
        branch: &Branch<'_>,
        mut flow: Flow,
        run: &mut Run<'_>,
        failed: &mut Selection,
        control: FlowControl,
    ) -> (Selection, Vec<Flow>) {
        let input = flow.selection.clone();
        let mut own = Selection::none(input.batch_len());
        if let Some(label) = branch.label {
            run.emit(Event::Enter { label, batch: &flow.batch, input: &input, controlled: control.is_on() });
        }
        if let Some(condition) = branch.condition {
            let asked =
                branch.label.filter(|_| run.tracer.is_some()).map(|label| (label, flow.batch.clone()));
            filter(condition, &mut flow, run);
            let matched = flow.selection.clone();
            if let Some((label, batch)) = asked {
                run.emit(Event::Ask { label, batch: &batch, input: &input, held: &matched });
            }
            // Messages that the steps stop after the condition matched are lost to the enclosing path, not to this branch.
            let out = self.sequence(branch.steps, flow, run, failed, control);
            return (matched, out);
        }
        let out = self.sequence(branch.steps, flow, run, &mut own, control);
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
        control: FlowControl,
    ) -> Vec<Flow> {
        let mut outs = Vec::new();
        let mut label = None;
        for (index, step) in steps.iter().enumerate() {
            // A stopped batch ends here: a flow without messages would only be joined and thrown away.
            if flow.selection.is_empty() && !self.inner_sources && run.timer.is_none() {
                return outs;
            }
            if let Some(label) = label {
                run.emit(Event::Begin { label, batch: &flow.batch, input: &flow.selection });
            }
            match step {
                Step::Filter(step) => {
                    let mut stopped = flow.selection.clone();
                    filter(step, &mut flow, run);
                    stopped.subtract(&flow.selection);
                    failed.or(&stopped);
                }
                Step::Rewrite(rewrite) if !flow.selection.is_empty() => {
                    // Copies the batch only while another branch or a queue holds it.
                    rewrite.apply(Arc::make_mut(&mut flow.batch), &flow.selection, &mut run.renderer);
                }
                Step::Parser(parser) if run.timer.is_some() || !flow.selection.is_empty() => {
                    for batch in parse(parser.as_ref(), &mut flow, run, failed) {
                        let rest = &steps[index + 1..];
                        outs.extend(self.made(rest, batch, run, control));
                    }
                }
                Step::Rewrite(_) | Step::Parser(_) => {}
                Step::Parallel(parallel) => {
                    spread(parallel, flow, run, failed, control);
                    return outs;
                }
                Step::Outlet(step) => deliver(step, &flow, run, control),
                Step::Embedded(paths) => {
                    // Messages do not return from embedded paths: the flow continues past them, in a copy of
                    // pointers.
                    let branches: Vec<Branch<'_>> = paths.iter().map(branch_of).collect();
                    self.fork(&branches, flow.clone(), run, failed, control, None);
                }
                Step::Junction(channels) => {
                    let rest = &steps[index + 1..];
                    outs.extend(self.junction(channels, rest, flow, run, failed, control));
                    return outs;
                }
                Step::Label(next) => {
                    label = Some(next.as_ref());
                    continue;
                }
            }
            if label.take().is_some() {
                run.emit(Event::End { batch: &flow.batch, left: &flow.selection });
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
        control: FlowControl,
    ) -> Vec<Flow> {
        let branches: Vec<Branch<'_>> = channels.iter().map(branch_of_channel).collect();
        let mut joining = Vec::with_capacity(branches.len());
        let entered = self.inner_sources.then(|| flow.batch.clone());
        self.fork(&branches, flow, run, failed, control, Some(&mut joining));
        let mut flows = join(joining);
        // Messages of a source further down enter there although none came out here.
        if let Some(batch) = entered.filter(|_| flows.is_empty()) {
            let selection = Selection::none(batch.len());
            flows.push(Flow { batch, selection, made: false });
        }
        // An event for the parsers inside also reaches those after the junction.
        if run.timer.is_some() {
            flows.push(Flow { batch: Arc::default(), selection: Selection::none(0), made: false });
        }
        let mut outs = Vec::new();
        for flow in flows {
            outs.extend(match flow.made {
                true => self.made_flow(rest, flow, run, control),
                false => self.sequence(rest, flow, run, failed, control),
            });
        }
        outs
    }

    /// Runs the rest of a sequence for a batch that a parser made. Messages that are stopped there do not go to other
    /// branches.
    fn made(&self, rest: &[Step], batch: Batch, run: &mut Run<'_>, control: FlowControl) -> Vec<Flow> {
        let selection = Selection::all(batch.len());
        run.emit(Event::Made { batch: &batch });
        let outs = self.made_flow(rest, Flow { batch: Arc::new(batch), selection, made: true }, run, control);
        run.emit(Event::Gone);
        outs
    }

    fn made_flow(&self, rest: &[Step], flow: Flow, run: &mut Run<'_>, control: FlowControl) -> Vec<Flow> {
        // This flow has messages, not the timer event, which later parsers get once, with its own flow.
        let timer = run.timer.take();
        let mut failed = Selection::none(flow.selection.batch_len());
        let outs = self.sequence(rest, flow, run, &mut failed, control);
        run.timer = timer;
        outs
    }
}

impl Intake for Router {
    fn take(&self, batch: Batch, budget: &WriteBudget) {
        if let Some(origin) = batch.origins.first().cloned() {
            self.run(batch, (&origin.source, budget), None, None);
        }
    }
}

fn branch_of(path: &Path) -> Branch<'_> {
    let Path { sources, steps, flags, label, counters, tap, .. } = path;
    Branch {
        condition: None,
        steps,
        flags: *flags,
        tap: tap.as_deref(),
        counters: Some(counters),
        sources,
        label: label.as_deref(),
        top: None,
    }
}

fn branch_of_channel(channel: &Channel) -> Branch<'_> {
    let Channel { sources, condition, steps, flags, label, counters } = channel;
    let (condition, label, counters) = (condition.as_ref(), label.as_deref(), counters.as_deref());
    Branch { condition, steps, flags: *flags, tap: None, counters, sources, label, top: None }
}

/// Runs a parser, or its timers. Returns the batches that it made. Messages that it cannot read are stopped.
fn parse(parser: &dyn Parser, flow: &mut Flow, run: &mut Run<'_>, failed: &mut Selection) -> Vec<Batch> {
    let mut made = Vec::new();
    match run.timer {
        Some(TimerEvent::Tick) => parser.tick(&mut run.renderer, &mut made),
        Some(TimerEvent::Close) => parser.close(&mut run.renderer, &mut made),
        None => {}
    }
    if run.timer.is_some() {
        return split_single(made, run);
    }
    // Parsers change nearly every message they see: one copy for all of them, if another branch holds the batch.
    let batch = Arc::make_mut(&mut flow.batch);
    let read = match parser.waits() {
        true => parser.parse_waiting(batch, &flow.selection, &mut run.renderer, &run.ack),
        false => parser.parse_making(batch, &flow.selection, &mut run.renderer, &mut made),
    };
    let mut stopped = std::mem::replace(&mut flow.selection, read);
    stopped.subtract(&flow.selection);
    if !parser.consumes() {
        failed.or(&stopped);
    }
    split_single(made, run)
}

/// Splits batches into batches of one message each when there is a tracer, so that it sees the path of each message.
fn split_single(made: Vec<Batch>, run: &Run<'_>) -> Vec<Batch> {
    if run.tracer.is_none() {
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

/// Sends messages to the threads of `parallelize()`; for this path they count as matched.
fn spread(parallel: &Parallel, flow: Flow, run: &mut Run<'_>, failed: &mut Selection, control: FlowControl) {
    if run.tracer.is_some() {
        let rest = parallel.rest();
        rest.sequence(parallel.steps(), flow, run, failed, control);
        return;
    }
    match run.timer {
        Some(TimerEvent::Tick) => return parallel.tick(run.renderer.now),
        Some(TimerEvent::Close) => return parallel.close(run.renderer.now),
        None => {}
    }
    let (source, ack, now) = (run.source, &run.ack, run.renderer.now);
    let context = || BranchContext { source: source.to_owned(), ack: ack.clone(), now, control };
    parallel.send(&flow, &mut run.renderer, context);
}

fn filter(step: &FilterStep, flow: &mut Flow, run: &mut Run<'_>) {
    if flow.selection.is_empty() {
        return;
    }
    // Only `store-matches` writes to messages: any other filter leaves a shared batch shared.
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
fn refuse(branch: &Branch<'_>, why: Refusal, run: &mut Run<'_>) {
    if let Some(label) = branch.label {
        run.emit(Event::Refuse { label, why });
    }
}

fn deliver(step: &OutletStep, flow: &Flow, run: &mut Run<'_>, control: FlowControl) {
    if flow.selection.is_empty() {
        return;
    }
    let controlled = control.is_on();
    let (name, batch, selection) = (&step.name, flow.batch.as_ref(), &flow.selection);
    run.emit(Event::Deliver { name, batch, selection, controlled });
    // Every destination holds the same batch, and a clone of the acknowledgement until it is done.
    let (batch, selection) = (flow.batch.clone(), flow.selection.clone());
    step.outlet
        .deliver(Delivery { batch, selection, ack: run.ack.clone(), controlled, first: None }, run.budget);
}

/// Returns the flow control of a branch: set by its own flags, else on if its surroundings or one of its
/// channels have it.
fn flow_control(flags: StepFlags, steps: &[Step], around: FlowControl) -> FlowControl {
    flags.flow_control.unwrap_or_else(|| around.is_on() || steps.iter().any(asks_for_control)).into()
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
