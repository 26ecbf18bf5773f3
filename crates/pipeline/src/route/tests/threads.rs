//! Rows for paths on threads of their own: which thread runs what, in which order, and what is counted.

use super::*;

/// Stops messages with `no` in them, and waits for that.
struct Waiting;

impl Parser for Waiting {
    fn parse(&self, batch: &mut Batch, within: &Selection, _: &mut Renderer) -> Selection {
        let mut read = within.clone();
        for index in within.iter() {
            if batch.fixed(index, Field::Message).starts_with(b"no") {
                read.remove(index);
            }
        }
        read
    }

    fn parse_waiting(
        &self,
        batch: &mut Batch,
        within: &Selection,
        renderer: &mut Renderer,
        ack: &Ack,
    ) -> Selection {
        ack.fail();
        self.parse(batch, within, renderer)
    }

    fn waits(&self) -> bool {
        true
    }

    fn close(&self, _: &mut Renderer, made: &mut Vec<Batch>) {
        made.push(batch("made", &["closed"]));
    }
}

/// A thread that does its jobs on demand.
#[derive(Default)]
struct Held(Mutex<Vec<Job>>);

impl Held {
    fn run(&self) -> usize {
        let jobs = std::mem::take(&mut *self.0.lock().unwrap());
        let count = jobs.len();
        jobs.into_iter().for_each(|job| job());
        count
    }
}

impl Lanes for Held {
    fn count(&self) -> usize {
        1
    }

    fn send(&self, _: usize, job: Job) {
        self.0.lock().unwrap().push(job);
    }
}

fn waiting() -> Step {
    Step::Parser(Arc::new(CountedParser::new(Arc::new(Waiting), Arc::default())))
}

struct Setup {
    seen: Seen,
    held: Arc<Held>,
    router: Arc<Router>,
}

impl Setup {
    /// Gives each path with a parser that waits the same thread.
    fn new(paths: impl FnOnce(&Builder) -> Vec<Path>) -> Setup {
        let (seen, held) = (Seen::default(), Arc::new(Held::default()));
        let mut paths = paths(&Builder { seen: seen.clone() });
        for path in paths.iter_mut().filter(|path| path.waits()) {
            path.thread = Some(PathThread::new(held.clone()));
        }
        let router = Arc::new(Router::new(Plan { paths, ..Plan::default() }).unwrap());
        Setup { seen, held, router }
    }

    fn shown(&self) -> String {
        let seen = std::mem::take(&mut *self.seen.lock().unwrap());
        seen.iter().map(|(name, text)| format!("{name}:{text}")).collect::<Vec<_>>().join(" ")
    }
}

/// Shows what outlets got at once, and what they got from the thread.
#[track_caller]
fn check_threads(paths: impl FnOnce(&Builder) -> Vec<Path>, texts: &[&str], at_once: &str, later: &str) {
    let setup = Setup::new(paths);
    Entrance::new(setup.router.clone()).take(batch("s", texts), &WriteBudget::none());
    let first = setup.shown();
    setup.held.run();
    assert_eq!((first.as_str(), setup.shown().as_str()), (at_once, later));
}

#[test]
fn a_path_that_waits_holds_up_no_other() {
    check_threads(
        |b| {
            vec![
                path(vec![b.to("before")], ""),
                path(vec![b.to("start"), waiting(), b.to("end")], "flow-control"),
                path(vec![b.to("behind")], ""),
            ]
        },
        &["a", "no"],
        "before:a before:no behind:a behind:no",
        "start!:a start!:no end!:a",
    );
    // Where nobody comes behind it, a path may be final.
    check_threads(
        |b| vec![path(vec![b.to("one")], ""), path(vec![waiting(), b.to("two")], "final")],
        &["a", "no"],
        "one:a one:no",
        "two:a",
    );
    // What an earlier path took does not get there.
    check_threads(
        |b| vec![path(vec![b.has("a"), b.to("one")], "final"), path(vec![waiting(), b.to("two")], "")],
        &["a", "b"],
        "one:a",
        "two:b",
    );
}

#[test]
fn where_the_outcome_matters_all_paths_wait() {
    check_threads(
        |b| vec![path(vec![waiting(), b.to("one")], "final"), path(vec![b.to("two")], "")],
        &["a", "no"],
        "",
        "one:a two:no",
    );
    check_threads(
        |b| vec![path(vec![b.to("rest")], "fallback"), path(vec![waiting(), b.to("one")], "")],
        &["a", "no"],
        "",
        "one:a rest:no",
    );
    // Another source does not wait for them.
    let other = |b: &Builder| Path { sources: vec!["other".into()], ..path(vec![b.to("other")], "") };
    let paths = |b: &Builder| vec![path(vec![waiting()], "final"), path(vec![b.to("two")], ""), other(b)];
    let setup = Setup::new(paths);
    Entrance::new(setup.router.clone()).take(batch("other", &["a"]), &WriteBudget::none());
    assert_eq!(setup.shown(), "other:a");
}

#[test]
fn parsers_that_wait_are_found_wherever_they_are() {
    let is_found = |step: Step| path(vec![step], "").waits();
    assert!(is_found(waiting()));
    assert!(is_found(Step::Junction(vec![channel(vec![waiting()], "")])));
    assert!(is_found(Step::Embedded(vec![inner(vec![waiting()], "")])));
    assert!(!is_found(Step::Junction(vec![channel(vec![], "")])));
}

#[test]
fn batches_stay_in_order_and_are_counted_once() {
    let setup = Setup::new(|b| vec![path(vec![waiting(), b.to("d")], "")]);
    let entrance = Entrance::new(setup.router.clone());
    for text in ["1", "no2", "3"] {
        entrance.take(batch("s", &[text, "x"]), &WriteBudget::none());
    }
    let counters = &setup.router.plan().paths[0].counters;
    assert_eq!((counters.ingress(), counters.egress()), (6, 0));
    assert_eq!(setup.held.run(), 3);
    assert_eq!(setup.shown(), "d:1 d:x d:x d:3 d:x");
    assert_eq!((counters.ingress(), counters.egress()), (6, 5));
}

#[test]
fn the_end_of_input_follows_what_came_before_and_ticks_do_not_pile_up() {
    let setup = Setup::new(|b| vec![path(vec![waiting(), b.to("d")], "")]);
    let entrance = Entrance::new(setup.router.clone());
    setup.router.tick(Stamp::known(1, 0));
    assert_eq!(setup.held.run(), 0, "no parser has timers");
    entrance.take(batch("s", &["a"]), &WriteBudget::none());
    setup.router.close(Stamp::known(1, 0));
    assert_eq!(setup.held.run(), 2);
    assert_eq!(setup.shown(), "d:a d:closed");
    let setup = Setup::new(|b| vec![path(vec![Step::Parser(Arc::new(Maker)), waiting(), b.to("d")], "")]);
    (1..4).for_each(|time| setup.router.tick(Stamp::known(time, 0)));
    assert_eq!(setup.held.run(), 1);
    assert_eq!(setup.shown(), "d:tick-1");
    setup.router.tick(Stamp::known(4, 0));
    assert_eq!((setup.held.run(), setup.shown().as_str()), (1, "d:tick-4"));
}

#[test]
fn what_is_given_up_fails_the_acknowledgement() {
    struct Sink(Arc<Mutex<Vec<Outcome>>>);
    impl AckSink for Sink {
        fn acknowledge(&self, outcome: Outcome) {
            self.0.lock().unwrap().push(outcome);
        }
    }
    let outcomes = Arc::new(Mutex::new(Vec::new()));
    let setup = Setup::new(|_| vec![path(vec![waiting()], "")]);
    let ack = Ack::new(Box::new(Sink(outcomes.clone())));
    let mut acknowledged = batch("s", &["a"]);
    acknowledged.ack = ack;
    Entrance::new(setup.router.clone()).take(acknowledged, &WriteBudget::none());
    assert!(outcomes.lock().unwrap().is_empty(), "the batch waits");
    setup.held.run();
    assert_eq!(*outcomes.lock().unwrap(), [Outcome::Failed]);
}
