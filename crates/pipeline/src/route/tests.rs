//! Rows for paths, junctions, conditions and flags; and a property: every message goes where a naive model
//! says, in order.

mod consumed;
mod parallel;
mod threads;
mod traced;

use super::*;
use crate::{Definitions, Filter, Parser, Rewrite, filter, rewrite::Operation};
use message::{
    Ack, AckSink, Batch, Delivery, Field, FieldName, Intake, Message, Origin, Outcome, Outlet, Selection,
    Stamp, WriteBudget,
};
use proptest::prelude::*;
use std::sync::{Arc, Mutex};
use template::{Renderer, Template};

/// The messages that outlets got: the name of the outlet and the text of the message.
type Seen = Arc<Mutex<Vec<(String, String)>>>;

struct Recorder {
    name: String,
    seen: Seen,
}

impl Outlet for Recorder {
    fn deliver(&self, delivery: Delivery, _budget: &WriteBudget) {
        let mark = if delivery.controlled { "!" } else { "" };
        for index in delivery.selection.iter() {
            let text = String::from_utf8_lossy(delivery.batch.fixed(index, Field::Message)).into_owned();
            self.seen.lock().unwrap().push((format!("{}{mark}", self.name), text));
        }
    }
}

/// Builds steps that record into one list.
struct Builder {
    seen: Seen,
}

impl Builder {
    fn to(&self, name: &str) -> Step {
        let outlet = Arc::new(Recorder { name: name.into(), seen: self.seen.clone() });
        Step::Outlet(OutletStep { name: name.into(), outlet })
    }

    fn has(&self, text: &str) -> Step {
        Step::Filter(has(text))
    }

    fn set(&self, text: &str) -> Step {
        let value = Arc::new(Template::parse(text, &Definitions::default()).unwrap());
        Step::Rewrite(Arc::new(Rewrite::new(Operation::Set { field: FieldName::parse("MESSAGE"), value })))
    }
}

fn has(text: &str) -> FilterStep {
    let expr = filter::parse(&format!("message('{text}')"), &Definitions::default()).unwrap();
    FilterStep::new(Arc::new(Filter::new(expr)))
}

fn path(steps: Vec<Step>, flags: &str) -> Path {
    Path { sources: vec!["s".into()], steps, flags: flag(flags), ..Path::default() }
}

fn inner(steps: Vec<Step>, flags: &str) -> Path {
    Path { steps, flags: flag(flags), ..Path::default() }
}

fn channel(steps: Vec<Step>, flags: &str) -> Channel {
    Channel { steps, flags: flag(flags), ..Channel::default() }
}

fn when(text: &str, steps: Vec<Step>) -> Channel {
    Channel { condition: Some(has(text)), steps, ..Channel::default() }
}

fn flag(names: &str) -> StepFlags {
    let has = |name: &str| names.split(' ').any(|given| given == name);
    let flow_control = match (has("flow-control"), has("no-flow-control")) {
        (true, _) => Some(true),
        (_, true) => Some(false),
        _ => None,
    };
    StepFlags {
        last: has("final"),
        fallback: has("fallback"),
        catchall: has("catchall"),
        flow_control,
        drop_unmatched: has("drop-unmatched"),
    }
}

fn batch(source: &str, texts: &[&str]) -> Batch {
    let origin = Origin { source: source.into(), ..Origin::default() };
    let mut batch = Batch::new(Arc::default(), vec![Arc::new(origin)], Stamp::default(), Ack::none());
    for text in texts {
        let mut message = Message::default();
        message.text = batch.add_extra(text.as_bytes());
        batch.messages.push(message);
    }
    batch
}

/// Routes messages of source `s` and shows what each outlet got, as `outlet:message`.
#[track_caller]
fn check(paths: impl FnOnce(&Builder) -> Vec<Path>, texts: &[&str], want: &str) {
    check_from("s", paths, texts, want);
}

#[track_caller]
fn check_from(source: &str, paths: impl FnOnce(&Builder) -> Vec<Path>, texts: &[&str], want: &str) {
    let seen = Seen::default();
    let paths = paths(&Builder { seen: seen.clone() });
    let router = Router::new(Plan { paths, ..Plan::default() }).unwrap();
    router.take(batch(source, texts), &WriteBudget::none());
    let shown: Vec<String> =
        seen.lock().unwrap().iter().map(|(name, text)| format!("{name}:{text}")).collect();
    assert_eq!(shown.join(" "), want);
}

#[test]
fn paths_run_in_order_each_on_its_own_copy() {
    check(
        |b| vec![path(vec![b.set("x$MSG"), b.to("one")], ""), path(vec![b.has("a"), b.to("two")], "")],
        &["a", "b"],
        "one:xa one:xb two:a",
    );
    check(|b| vec![path(vec![b.to("one"), b.set("x"), b.to("two")], "")], &["a"], "one:a two:x");
}

#[test]
fn flags_of_paths() {
    check(
        |b| vec![path(vec![b.has("a"), b.to("one")], "final"), path(vec![b.to("two")], "")],
        &["a", "b"],
        "one:a two:b",
    );
    check(
        |b| vec![path(vec![b.to("rest")], "fallback"), path(vec![b.has("a"), b.to("one")], "")],
        &["a", "b"],
        "one:a rest:b",
    );
    check(
        |b| vec![path(vec![b.has("a"), b.to("one")], "drop-unmatched"), path(vec![b.to("rest")], "fallback")],
        &["a", "b"],
        "one:a",
    );
    check_from(
        "other",
        |b| vec![path(vec![b.to("one")], ""), path(vec![b.to("all")], "catchall")],
        &["a"],
        "all:a",
    );
    check_from("other", |b| vec![path(vec![b.to("one")], "")], &["a"], "");
}

#[test]
fn embedded_paths_decide_whether_the_outer_one_matched() {
    let paths = |b: &Builder| {
        vec![
            path(vec![b.has("a"), Step::Embedded(vec![inner(vec![b.has("b"), b.to("in")], "")])], "final"),
            path(vec![b.to("next")], ""),
        ]
    };
    check(paths, &["a", "ab", "c"], "in:ab next:a next:c");
    let first_of_two = |b: &Builder| {
        vec![path(
            vec![Step::Embedded(vec![
                inner(vec![b.has("a"), b.to("one")], "final"),
                inner(vec![b.to("two")], "fallback"),
                inner(vec![b.has("b"), b.to("three")], ""),
            ])],
            "",
        )]
    };
    check(first_of_two, &["ab", "b", "c"], "one:ab three:b two:c");
}

#[test]
fn junctions_join_in_order() {
    check(
        |b| {
            let channels = vec![channel(vec![b.has("a"), b.set("x$MSG")], "final"), channel(vec![], "final")];
            vec![path(vec![Step::Junction(channels), b.to("d")], "")]
        },
        &["b", "a1", "c", "a2"],
        "d:b d:xa1 d:c d:xa2",
    );
    check(
        |b| {
            vec![path(
                vec![Step::Junction(vec![channel(vec![b.set("x")], ""), channel(vec![], "")]), b.to("d")],
                "",
            )]
        },
        &["a", "b"],
        "d:x d:x d:a d:b",
    );
    check(
        |b| {
            let stop = path(vec![Step::Junction(vec![channel(vec![b.has("a")], "")]), b.to("d")], "final");
            vec![stop, path(vec![b.to("next")], "")]
        },
        &["a", "b"],
        "d:a next:b",
    );
}

#[test]
fn conditions_choose_one_branch() {
    let branches = |b: &Builder, otherwise: Option<Channel>| {
        let list = vec![when("a", vec![b.to("if")]), when("b", vec![b.to("elif")])];
        vec![path(vec![Step::conditional(list, otherwise), b.to("after")], "")]
    };
    check(
        |b| branches(b, Some(channel(vec![b.to("else")], ""))),
        &["ab", "b", "c"],
        "if:ab elif:b else:c after:ab after:b after:c",
    );
    check(|b| branches(b, None), &["c"], "after:c");
    // The steps of the chosen branch may stop a message; then no other branch is tried.
    check(
        |b| {
            let list = vec![when("a", vec![b.has("z"), b.to("if")])];
            let chosen = Step::conditional(list, Some(channel(vec![b.to("else")], "")));
            vec![path(vec![chosen, b.to("after")], "final"), path(vec![b.to("next")], "")]
        },
        &["a", "b"],
        "else:b after:b next:a",
    );
    // Without an expression every step of the branch decides.
    check(
        |b| {
            let first = channel(vec![b.has("a"), b.set("changed"), b.has("never"), b.to("if")], "");
            vec![path(
                vec![Step::conditional(vec![first], Some(channel(vec![b.to("else")], ""))), b.to("after")],
                "",
            )]
        },
        &["a", "b"],
        "else:a else:b after:a after:b",
    );
}

#[test]
fn flow_control_reaches_destinations() {
    check(|b| vec![path(vec![b.to("d")], "flow-control")], &["a"], "d!:a");
    check(
        |b| vec![path(vec![Step::Junction(vec![channel(vec![], "flow-control")]), b.to("d")], "")],
        &["a"],
        "d!:a",
    );
    check(
        |b| vec![path(vec![Step::Embedded(vec![inner(vec![b.to("d")], "no-flow-control")])], "flow-control")],
        &["a"],
        "d:a",
    );
}

#[test]
fn sources_inside_of_channels() {
    let paths = |b: &Builder| {
        let mut one = channel(vec![b.set("one-$MSG")], "");
        one.sources = vec!["s1".into()];
        let mut two = channel(vec![b.set("two-$MSG")], "");
        two.sources = vec!["s2".into()];
        vec![inner(vec![Step::Junction(vec![one, two]), b.to("d")], ""), path(vec![b.to("other")], "")]
    };
    check_from("s2", paths, &["a"], "d:two-a");
    check_from("s", paths, &["a"], "other:a");
}

#[test]
fn parsers_stop_what_they_cannot_read() {
    struct Odd;
    impl Parser for Odd {
        fn parse(&self, batch: &mut Batch, within: &Selection, _: &mut Renderer) -> Selection {
            let mut read = within.clone();
            within.iter().filter(|index| index % 2 == 0).for_each(|index| read.remove(index));
            within.iter().for_each(|index| batch.add_tag(index, "parsed"));
            read
        }
    }
    check(
        |b| {
            vec![path(vec![Step::Parser(Arc::new(Odd)), b.to("read")], "final"), path(vec![b.to("rest")], "")]
        },
        &["a", "b", "c"],
        "read:b rest:a rest:c",
    );
}

/// Makes one message per batch, and one at each tick.
struct Maker;

impl Parser for Maker {
    fn parse(&self, _: &mut Batch, within: &Selection, _: &mut Renderer) -> Selection {
        within.clone()
    }

    fn parse_making(
        &self,
        parsed: &mut Batch,
        within: &Selection,
        renderer: &mut Renderer,
        made: &mut Vec<Batch>,
    ) -> Selection {
        made.push(batch("made", &["new-b", "new-a"]));
        self.parse(parsed, within, renderer)
    }

    fn is_timed(&self) -> bool {
        true
    }

    fn tick(&self, renderer: &mut Renderer, made: &mut Vec<Batch>) {
        made.push(batch("made", &[&format!("tick-{}", renderer.now.unix_us)]));
    }
}

#[test]
fn made_messages_go_on_behind_their_parser() {
    let maker = || Step::Parser(Arc::new(Maker));
    let seen = Seen::default();
    let b = Builder { seen: seen.clone() };
    let in_channel =
        Step::Junction(vec![channel(vec![maker(), b.set("x$MSG")], ""), channel(vec![b.has("a")], "")]);
    let paths = vec![
        path(vec![b.to("before"), maker(), b.has("a"), b.to("after")], "final"),
        path(vec![in_channel, b.to("joined")], ""),
        path(vec![Step::Embedded(vec![inner(vec![maker(), b.to("inner")], "")])], ""),
    ];
    let router = Arc::new(Router::new(Plan { paths, ..Plan::default() }).unwrap());
    let shown = |seen: &Seen| {
        let taken = std::mem::take(&mut *seen.lock().unwrap());
        taken.iter().map(|(name, text)| format!("{name}:{text}")).collect::<Vec<_>>().join(" ")
    };
    router.take(batch("s", &["a", "b"]), &WriteBudget::none());
    assert_eq!(
        shown(&seen),
        "before:a before:b after:new-a after:a \
         joined:xnew-b joined:xnew-a joined:xb inner:new-b inner:new-a inner:b",
    );
    router.tick(Stamp::known(7, 0));
    assert_eq!(shown(&seen), "joined:xtick-7 inner:tick-7");
    let counters = &router.plan().paths[0].counters;
    assert_eq!((counters.ingress(), counters.egress()), (2, 1));
}

#[test]
fn counts_what_passes() {
    let step = has("a");
    let steps = vec![Step::Filter(step.clone())];
    let plan = Plan { paths: vec![path(steps, "")], ..Plan::default() };
    let router = Router::new(plan).unwrap();
    router.take(batch("s", &["a", "b", "ab"]), &WriteBudget::none());
    router.take(batch("s", &[]), &WriteBudget::none());
    let counters = &router.plan().paths[0].counters;
    assert_eq!((step.counters.matched(), step.counters.not_matched()), (2, 1));
    assert_eq!((counters.ingress(), counters.egress()), (3, 2));
    let all = &router.plan().counters;
    assert_eq!((all.routed(), all.unrouted()), (2, 1));
    router.take(batch("nowhere", &["a", "b"]), &WriteBudget::none());
    assert_eq!((all.routed(), all.unrouted()), (2, 3));
}

#[test]
fn the_batch_is_acknowledged_when_the_last_delivery_is_dropped() {
    struct Keeper(Mutex<Vec<Delivery>>);
    impl Outlet for Keeper {
        fn deliver(&self, delivery: Delivery, _budget: &WriteBudget) {
            self.0.lock().unwrap().push(delivery);
        }
    }
    struct Sink(Arc<Mutex<Vec<Outcome>>>);
    impl AckSink for Sink {
        fn acknowledge(&self, outcome: Outcome) {
            self.0.lock().unwrap().push(outcome);
        }
    }
    let keeper = Arc::new(Keeper(Mutex::default()));
    let step = Step::Outlet(OutletStep { name: "d".into(), outlet: keeper.clone() });
    let router = Router::new(Plan { paths: vec![path(vec![step], "")], ..Plan::default() }).unwrap();
    let outcomes = Arc::new(Mutex::new(Vec::new()));
    let mut batch = batch("s", &["a"]);
    batch.ack = Ack::new(Box::new(Sink(outcomes.clone())));
    router.take(batch, &WriteBudget::none());
    assert!(outcomes.lock().unwrap().is_empty());
    keeper.0.lock().unwrap().clear();
    assert_eq!(*outcomes.lock().unwrap(), [Outcome::Done]);
}

#[test]
fn depth_is_limited() {
    let mut steps = Vec::new();
    for _ in 0..=DEPTH_MAX {
        steps = vec![Step::Junction(vec![channel(steps, "")])];
    }
    let plan = Plan { paths: vec![path(steps, "")], ..Plan::default() };
    assert_eq!(Router::new(plan).unwrap_err(), PlanError::Depth);
}

/// A path for the model: its condition, its action, and the paths inside.
#[derive(Clone, Debug)]
enum Model {
    Has(char),
    Set(char),
    To(u8),
    Junction(Vec<(Vec<Model>, bool, bool)>),
    Embedded(Vec<(Vec<Model>, bool, bool)>),
    If(char, Vec<Model>, Vec<Model>),
}

impl Model {
    fn step(&self, b: &Builder) -> Step {
        let steps = |models: &[Model]| models.iter().map(|model| model.step(b)).collect::<Vec<_>>();
        let flags = |last: bool, fallback: bool| StepFlags { last, fallback, ..StepFlags::default() };
        match self {
            Model::Has(letter) => b.has(&letter.to_string()),
            Model::Set(letter) => b.set(&format!("${{MSG}}{letter}")),
            Model::To(number) => b.to(&number.to_string()),
            Model::Junction(list) => Step::Junction(
                list.iter()
                    .map(|(models, last, fallback)| Channel {
                        steps: steps(models),
                        flags: flags(*last, *fallback),
                        ..Channel::default()
                    })
                    .collect(),
            ),
            Model::Embedded(list) => Step::Embedded(
                list.iter()
                    .map(|(models, last, fallback)| Path {
                        steps: steps(models),
                        flags: flags(*last, *fallback),
                        ..Path::default()
                    })
                    .collect(),
            ),
            Model::If(letter, yes, no) => {
                Step::conditional(vec![when(&letter.to_string(), steps(yes))], Some(channel(steps(no), "")))
            }
        }
    }
}

/// Sends one message through a path, as the manual describes it: false when some step stopped it.
fn walk(models: &[Model], text: &str, seen: &mut Vec<(String, String)>, out: &mut Vec<String>) -> bool {
    let Some((first, rest)) = models.split_first() else {
        out.push(text.to_owned());
        return true;
    };
    match first {
        Model::Has(letter) if text.contains(*letter) => walk(rest, text, seen, out),
        Model::Has(_) => false,
        Model::Set(letter) => walk(rest, &format!("{text}{letter}"), seen, out),
        Model::To(number) => {
            seen.push((number.to_string(), text.to_owned()));
            walk(rest, text, seen, out)
        }
        Model::Embedded(list) => {
            let taken = fork(list, text, seen, &mut Vec::new());
            walk(rest, text, seen, out) && taken
        }
        Model::Junction(list) => {
            let mut outs = Vec::new();
            let taken = fork(list, text, seen, &mut outs);
            outs.iter().fold(taken, |matched, text| walk(rest, text, seen, out) && matched)
        }
        Model::If(letter, yes, no) => {
            let mut outs = Vec::new();
            let branch = if text.contains(*letter) { yes } else { no };
            let taken = walk(branch, text, seen, &mut outs);
            outs.iter().fold(taken, |matched, text| walk(rest, text, seen, out) && matched)
        }
    }
}

fn fork(
    list: &[(Vec<Model>, bool, bool)],
    text: &str,
    seen: &mut Vec<(String, String)>,
    out: &mut Vec<String>,
) -> bool {
    let mut taken = false;
    for pass in [false, true] {
        if pass && taken {
            break;
        }
        for (models, last, _) in list.iter().filter(|(_, _, fallback)| *fallback == pass) {
            let matched = walk(models, text, seen, out);
            taken |= matched;
            if matched && *last {
                break;
            }
        }
    }
    taken
}

fn models(depth: u32) -> BoxedStrategy<Vec<Model>> {
    let letter = || prop_oneof![Just('a'), Just('b'), Just('c')];
    let leaf = prop_oneof![
        letter().prop_map(Model::Has),
        letter().prop_map(Model::Set),
        (0u8..4).prop_map(Model::To)
    ];
    if depth == 0 {
        return proptest::collection::vec(leaf, 0..4).boxed();
    }
    let list = || proptest::collection::vec((models(depth - 1), any::<bool>(), any::<bool>()), 1..4);
    let step = prop_oneof![
        3 => leaf,
        1 => list().prop_map(Model::Junction),
        1 => list().prop_map(Model::Embedded),
        1 => (letter(), models(depth - 1), models(depth - 1)).prop_map(|(l, yes, no)| Model::If(l, yes, no)),
    ];
    proptest::collection::vec(step, 0..4).boxed()
}

proptest! {
    #[test]
    fn every_message_goes_where_the_model_says(
        list in proptest::collection::vec((models(2), any::<bool>(), any::<bool>()), 1..4),
        texts in proptest::collection::vec("[0-9]{2}[abc]{0,3}", 1..6),
    ) {
        let mut want = Vec::new();
        for text in &texts {
            fork(&list, text, &mut want, &mut Vec::new());
        }
        let seen = Seen::default();
        let builder = Builder { seen: seen.clone() };
        let paths = list.iter().map(|(models, last, fallback)| Path {
            sources: vec!["s".into()],
            steps: models.iter().map(|model| model.step(&builder)).collect(),
            flags: StepFlags { last: *last, fallback: *fallback, ..StepFlags::default() },
            ..Path::default()
        });
        let router = Router::new(Plan { paths: paths.collect(), ..Plan::default() }).unwrap();
        let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
        router.take(batch("s", &texts), &WriteBudget::none());
        let mut got = seen.lock().unwrap().clone();
        got.sort();
        want.sort();
        prop_assert_eq!(got, want);
    }
}
