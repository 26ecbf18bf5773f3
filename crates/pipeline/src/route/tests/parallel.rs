//! Rows for `parallelize()`: which thread runs what, and that nothing is lost.

use super::*;

/// Lanes that run each job at once, and record which lane ran it.
#[derive(Default)]
struct Noted(Mutex<Vec<usize>>);

impl Lanes for Noted {
    fn count(&self) -> usize {
        2
    }

    fn send(&self, lane: usize, job: Job) {
        self.0.lock().unwrap().push(lane);
        job();
    }
}

#[test]
fn the_rest_of_a_path_runs_in_lanes() {
    let lanes = Arc::new(Noted::default());
    let parallel = |rest: Vec<Step>, key: &str| {
        let key = (!key.is_empty()).then(|| Arc::new(Template::parse(key, &Definitions::default()).unwrap()));
        let made = Parallel::new(rest, key, lanes.clone(), Default::default(), Arc::default());
        Step::Parallel(made.unwrap())
    };
    check(
        |b| {
            vec![
                path(vec![b.has("a"), parallel(vec![b.set("$MSG!"), b.to("one")], "")], "final"),
                path(vec![b.to("two")], ""),
            ]
        },
        &["a1", "b", "a2"],
        "one:a1! one:a2! two:b",
    );
    let texts: Vec<String> = (0..50).map(|number| format!("key{}", number % 7)).collect();
    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    let seen = Seen::default();
    let builder = Builder { seen: seen.clone() };
    let paths = vec![path(vec![parallel(vec![builder.to("out")], "$MSG")], "")];
    Router::new(Plan { paths, ..Plan::default() }).unwrap().take(batch("s", &texts), &WriteBudget::none());
    assert_eq!(*lanes.0.lock().unwrap(), [0, 0, 1]);
    assert_eq!(seen.lock().unwrap().len(), 50);
    // Without a key, batches go to the lanes in turn.
    lanes.0.lock().unwrap().clear();
    let paths = vec![path(vec![parallel(vec![builder.to("out")], "")], "")];
    let router = Router::new(Plan { paths, ..Plan::default() }).unwrap();
    (0..5).for_each(|_| router.take(batch("s", &["a", "b"]), &WriteBudget::none()));
    assert_eq!(*lanes.0.lock().unwrap(), [0, 1, 0, 1, 0]);
    let flow = |b: &Builder| vec![path(vec![parallel(vec![b.to("one")], "")], "flow-control")];
    check(flow, &["a"], "one!:a");
}
