//! The events that a tracer gets, and the messages that timers and taps see.

use super::*;
use std::fmt::Write;

/// Writes each event in a few words.
#[derive(Default)]
struct Written(String);

impl Tracer for Written {
    fn record(&mut self, event: Event<'_>) {
        let texts = |batch: &Batch, selection: &Selection| {
            let text = |index| String::from_utf8_lossy(batch.fixed(index, Field::Message)).into_owned();
            selection.iter().map(text).collect::<Vec<_>>().join(",")
        };
        let mark = |is_on: bool| if is_on { "!" } else { "" };
        let words = match event {
            Event::Enter { label, batch, input, controlled } => {
                format!("enter{} {} {}", mark(controlled), label.what, texts(batch, input))
            }
            Event::Refuse { label, why } => format!("refuse {} {why:?}", label.what),
            Event::Ask { label, batch, input, held } => {
                format!("ask {} {} holds {}", label.what, texts(batch, input), texts(batch, held))
            }
            Event::Leave { matched, last } => format!("leave{} {}", mark(last), matched.count()),
            Event::Begin { label, batch, input } => format!("begin {} {}", label.what, texts(batch, input)),
            Event::End { batch, left } => format!("end {}", texts(batch, left)),
            Event::Made { batch } => format!("made {}", texts(batch, &Selection::all(batch.len()))),
            Event::Gone => "gone".to_owned(),
            Event::Deliver { name, batch, selection, controlled } => {
                format!("deliver{} {name} {}", mark(controlled), texts(batch, selection))
            }
        };
        write!(self.0, "{words}; ").unwrap();
    }
}

fn label(what: &str) -> Option<Box<Label>> {
    Some(Box::new(Label { what: what.into(), ..Label::default() }))
}

/// Returns a path with labels: one of its own, and one before each step.
fn labelled(what: &str, mut path: Path) -> Path {
    path.label = label(what);
    path.steps = with_labels(path.steps);
    path
}

fn with_labels(steps: Vec<Step>) -> Vec<Step> {
    let pair = |(index, step): (usize, Step)| [Step::Label(label(&index.to_string()).unwrap()), step];
    steps.into_iter().enumerate().flat_map(pair).collect()
}

#[track_caller]
fn check_traced(paths: impl FnOnce(&Builder) -> Vec<Path>, texts: &[&str], want: &[&str]) {
    let paths = paths(&Builder { seen: Seen::default() });
    let router = Router::new(Plan { paths, ..Plan::default() }).unwrap();
    let mut written = Written::default();
    router.take_traced(batch("s", texts), &mut written);
    let got: Vec<&str> = written.0.split_terminator("; ").collect();
    assert_eq!(got.join("\n"), want.join("\n"));
}

#[test]
fn a_tracer_sees_where_messages_enter_and_where_not() {
    check_traced(
        |b| {
            vec![
                labelled("one", path(vec![b.has("a"), b.to("d1")], "final flow-control")),
                labelled("two", path(vec![b.set("x"), b.to("d2")], "")),
                labelled("rest", path(vec![b.to("d3")], "fallback")),
            ]
        },
        &["a"],
        &[
            "enter! one a",
            "begin 0 a",
            "end a",
            "begin 1 a",
            "deliver! d1 a",
            "end a",
            "leave! 1",
            "refuse two Final",
            "refuse rest Fallback",
        ],
    );
    check_traced(
        |b| {
            vec![
                labelled("one", path(vec![b.has("a"), b.to("d1")], "final")),
                labelled("two", path(vec![b.set("x"), b.to("d2")], "")),
            ]
        },
        &["b"],
        &[
            "enter one b",
            "begin 0 b",
            "end ",
            "leave! 0",
            "enter two b",
            "begin 0 b",
            "end x",
            "begin 1 x",
            "deliver d2 x",
            "end x",
            "leave 1",
        ],
    );
    // A path of other sources yields no event.
    let other =
        |b: &Builder| vec![Path { sources: vec!["t".into()], ..labelled("t", inner(vec![b.to("d")], "")) }];
    check_traced(other, &["a"], &[]);
}

#[test]
fn a_tracer_sees_conditions_and_made_messages() {
    let branches = |b: &Builder| {
        let mut first = when("a", vec![b.to("then")]);
        first.label = label("if");
        let mut otherwise = channel(vec![b.to("else")], "");
        otherwise.label = label("else");
        vec![path(vec![Step::conditional(vec![first], Some(otherwise))], "")]
    };
    check_traced(
        branches,
        &["a", "b"],
        &[
            "enter if a,b",
            "ask if a,b holds a",
            "deliver then a",
            "leave! 1",
            "enter else b",
            "deliver else b",
            "leave! 1",
        ],
    );
    // Messages that a parser generated arrive one at a time.
    check_traced(
        |b| vec![labelled("p", path(vec![Step::Parser(Arc::new(Maker)), b.has("a"), b.to("d")], ""))],
        &["a"],
        &[
            "enter p a",
            "begin 0 a",
            "made new-b",
            "begin 1 new-b",
            "end ",
            "gone",
            "made new-a",
            "begin 1 new-a",
            "end new-a",
            "begin 2 new-a",
            "deliver d new-a",
            "end new-a",
            "gone",
            "end a",
            "begin 1 a",
            "end a",
            "begin 2 a",
            "deliver d a",
            "end a",
            "leave 1",
        ],
    );
}

/// Refuses every job.
struct NoLanes;

impl Lanes for NoLanes {
    fn count(&self) -> usize {
        1
    }

    fn send(&self, _: usize, _: Job) {
        panic!("a traced path runs on the thread that asked");
    }
}

fn parallel(steps: Vec<Step>) -> Step {
    let made = Parallel::new(steps, None, Arc::new(NoLanes), Default::default(), Arc::default());
    Step::Parallel(made.unwrap())
}

#[test]
fn a_traced_path_does_not_leave_its_thread() {
    check_traced(
        |b| vec![path(vec![b.set("x$MSG"), parallel(vec![b.has("a"), b.to("d")])], "flow-control")],
        &["a", "b"],
        &["deliver! d xa"],
    );
}

/// Makes a message at each tick and at the end.
struct Timed;

impl Parser for Timed {
    fn parse(&self, _: &mut Batch, within: &Selection, _: &mut Renderer) -> Selection {
        within.clone()
    }

    fn is_timed(&self) -> bool {
        true
    }

    fn tick(&self, renderer: &mut Renderer, made: &mut Vec<Batch>) {
        made.push(batch("made", &[&format!("tick-{}", renderer.now.unix_us)]));
    }

    fn close(&self, renderer: &mut Renderer, made: &mut Vec<Batch>) {
        made.push(batch("made", &[&format!("close-{}", renderer.now.unix_us)]));
    }
}

#[test]
fn timers_are_found_wherever_they_are() {
    let timed = || Step::Parser(Arc::new(Timed));
    type Around = fn(Vec<Step>) -> Step;
    let arounds: [Around; 4] = [
        |steps| Step::Junction(vec![channel(steps, "")]),
        |steps| Step::Embedded(vec![inner(steps, "")]),
        |steps| Step::Junction(vec![channel(vec![], "final"), channel(steps, "final")]),
        parallel,
    ];
    for (number, around) in arounds.into_iter().enumerate() {
        let seen = Seen::default();
        let b = Builder { seen: seen.clone() };
        let paths = vec![path(vec![around(vec![timed(), b.to("d")])], "")];
        let router = Arc::new(Router::new(Plan { paths, ..Plan::default() }).unwrap());
        router.tick(Stamp::known(7, 0));
        router.close(Stamp::known(8, 0));
        let shown: Vec<String> =
            seen.lock().unwrap().iter().map(|(to, text)| format!("{to}:{text}")).collect();
        assert_eq!(shown, ["d:tick-7", "d:close-8"], "{number}");
        // A tracer sees them as well: first the tick, then the end.
        let mut written = Written::default();
        router.end_traced(Stamp::known(9, 0), &mut written);
        let made: Vec<&str> = written.0.split("; ").filter(|event| event.starts_with("made")).collect();
        assert_eq!(made, ["made tick-9", "made close-9"], "{number}");
    }
    // A parser behind a junction has timers too, and so has one behind another one.
    let seen = Seen::default();
    let b = Builder { seen: seen.clone() };
    let junction = Step::Junction(vec![channel(vec![timed()], "")]);
    let paths = vec![path(vec![junction, b.has("tick"), timed(), b.to("d")], "")];
    let router = Arc::new(Router::new(Plan { paths, ..Plan::default() }).unwrap());
    router.tick(Stamp::known(7, 0));
    let texts: Vec<String> = seen.lock().unwrap().iter().map(|(_, text)| text.clone()).collect();
    assert_eq!(texts, ["tick-7", "tick-7"]);
}

#[test]
fn a_tap_sees_what_enters_its_path() {
    struct Watcher(Mutex<Vec<usize>>);
    impl Viewer for Watcher {
        fn look(&self, _: &Batch, selection: &Selection) {
            self.0.lock().unwrap().push(selection.count());
        }
    }
    let watcher = Arc::new(Watcher(Mutex::default()));
    let tap = Arc::new(TapPoint::default());
    tap.open(watcher.clone());
    check(
        |b| {
            let first = path(vec![b.has("a"), b.to("one")], "final");
            vec![first, Path { tap: Some(tap.clone()), ..path(vec![b.has("b"), b.to("two")], "") }]
        },
        &["a", "b", "c"],
        "one:a two:b",
    );
    assert_eq!(*watcher.0.lock().unwrap(), [2]);
}

#[test]
fn sources_inside_of_paths() {
    // Messages of a source inside a path enter there, also in a path that takes the messages of all others.
    let paths = |b: &Builder| {
        let mut one = channel(vec![b.set("one-$MSG")], "");
        one.sources = vec!["s1".into()];
        let junction = Step::Junction(vec![one, channel(vec![b.set("all-$MSG")], "")]);
        let mut embedded = inner(vec![b.to("e")], "");
        embedded.sources = vec!["s2".into()];
        vec![inner(vec![b.set("x$MSG"), junction, b.to("d"), Step::Embedded(vec![embedded])], "catchall")]
    };
    check_from("s1", paths, &["a"], "d:one-a");
    check_from("s2", paths, &["a"], "e:a");
    check_from("other", paths, &["a"], "d:all-xa");
}

#[test]
fn flow_control_of_parts_reaches_what_is_around() {
    let junction = |b: &Builder, outer: &str, inner_flags: &str| {
        let nested = Step::Junction(vec![channel(vec![], "flow-control")]);
        let channels = vec![channel(vec![nested], inner_flags), channel(vec![b.has("never")], "")];
        vec![path(vec![Step::Junction(channels), b.to("d")], outer)]
    };
    check(|b| junction(b, "", ""), &["a"], "d!:a");
    check(|b| junction(b, "", "no-flow-control"), &["a"], "d:a");
    check(|b| junction(b, "no-flow-control", ""), &["a"], "d:a");
    let embedded =
        |b: &Builder, flags: &str| vec![path(vec![Step::Embedded(vec![inner(vec![b.to("d")], "")])], flags)];
    check(|b| embedded(b, "flow-control"), &["a"], "d!:a");
    check(|b| embedded(b, ""), &["a"], "d:a");
    let behind_threads = |b: &Builder| {
        let rest = vec![Step::Junction(vec![channel(vec![], "flow-control")])];
        vec![path(vec![b.to("d"), parallel(rest)], "")]
    };
    check_traced(behind_threads, &["a"], &["deliver! d a"]);
}

#[test]
fn filters_may_store_what_they_matched() {
    let expr = "match('(a+)(b)' value('MESSAGE') flags('store-matches'))";
    let filter = Arc::new(Filter::new(filter::parse(expr, &Definitions::default()).unwrap()));
    check(
        |b| vec![path(vec![Step::Filter(FilterStep::new(filter)), b.set("$2-$1"), b.to("d")], "")],
        &["xaab", "c", "ab"],
        "d:b-aa d:b-a",
    );
}

#[test]
fn a_plan_shows_its_steps() {
    let b = Builder { seen: Seen::default() };
    let steps = [
        b.has("a"),
        b.set("x"),
        Step::Parser(Arc::new(Timed)),
        Step::Junction(vec![channel(vec![], "")]),
        Step::Embedded(vec![inner(vec![], "")]),
        b.to("d_name"),
        Step::Label(label("a label").unwrap()),
        parallel(vec![b.to("d_behind")]),
    ];
    let names = ["Filter(", "Rewrite(", "Parser", "Junction(", "Embedded(", "d_name", "a label", "d_behind"];
    for (step, name) in steps.iter().zip(names) {
        assert!(format!("{step:?}").contains(name), "{name}: {step:?}");
    }
    let text = format!("log paths are nested deeper than {DEPTH_MAX} levels");
    assert_eq!(PlanError::Depth.to_string(), text);
}
