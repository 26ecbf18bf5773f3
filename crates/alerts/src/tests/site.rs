//! A logspace, the threads that watch it, clocks that tests set; and what should come out.

use crate::{
    Alert, AlertFilter, GapReason, KeptTransition, MarkKind, RuleSet, SavedRule, SavedRules, Store, Watcher,
    follower::{Ending, LIMITS, Pace},
};
use logspace::{Clock, Logspace, LogspaceOptions, Unheard};
use lookup::{CancelToken, Document};
use message::{
    Ack, AckSink, Batch, Delivery, Message, Origin, Outcome, Outlet, Selection, Span, Stamp, WriteBudget,
};
use sim::SimClock;
use std::{
    path::PathBuf,
    sync::{
        Arc,
        mpsc::{Sender, channel},
    },
    thread,
    time::{Duration, Instant},
};
use tempfile::TempDir;
use watch::{Evaluator, Input, Selecting, Transition};

/// Longest that a test waits for another thread.
const PATIENCE: Duration = Duration::from_secs(60);
/// A time on a day that is over.
pub(super) const START_US: i64 = 1_700_000_000_000_000;
/// Microseconds of a second.
pub(super) const S: i64 = 1_000_000;

struct TestClock(SimClock);

impl Clock for TestClock {
    fn wall_us(&self) -> i64 {
        self.0.wall_us()
    }

    fn uptime_us(&self) -> i64 {
        self.0.uptime_us()
    }

    fn boot_id(&self) -> String {
        self.0.boot_id()
    }
}

struct Sink(Sender<Outcome>);

impl AckSink for Sink {
    fn acknowledge(&self, outcome: Outcome) {
        let _ = self.0.send(outcome);
    }
}

/// Waits for a condition.
#[track_caller]
pub(super) fn wait_until(what: &str, mut done: impl FnMut() -> bool) {
    let deadline = Instant::now() + PATIENCE;
    while !done() {
        assert!(Instant::now() < deadline, "waited in vain: {what}");
        thread::yield_now();
        thread::park_timeout(Duration::from_millis(2));
    }
}

pub(super) struct Site {
    pub(super) folder: TempDir,
    pub(super) clock: SimClock,
    pub(super) logspace: Arc<Logspace>,
    pub(super) watcher: Watcher,
    /// The rules that are in the folder.
    rules: String,
    /// The rules that people keep on the server.
    pub(super) saved: SavedRules,
    /// The sets of rules in the order in which they came into force.
    pub(super) sets: Vec<String>,
    pub(super) transitions_kept: u64,
}

impl Site {
    pub(super) fn new(rules: &str) -> Site {
        let folder = TempDir::new().unwrap();
        let options = LogspaceOptions {
            refresh: Duration::from_millis(5),
            retry: Duration::from_millis(5),
            retention_check: Duration::from_millis(5),
            commit_gap: Duration::ZERO,
            segment_messages_max: 40,
            recode: false,
            ..LogspaceOptions::default()
        };
        let logspace =
            Arc::new(Logspace::open(&folder.path().join("space"), options, Arc::new(Unheard)).unwrap());
        let clock = SimClock::new(START_US);
        let watcher = watcher(&folder.path().join("alerts/alerts.db"), &clock, crate::TRANSITIONS_KEPT);
        let mut site = Site {
            folder,
            clock,
            logspace,
            watcher,
            rules: String::new(),
            saved: SavedRules::default(),
            sets: Vec::new(),
            transitions_kept: crate::TRANSITIONS_KEPT,
        };
        if !rules.is_empty() {
            site.change_rules(rules);
        }
        site
    }

    pub(super) fn database(&self) -> PathBuf {
        self.folder.path().join("alerts/alerts.db")
    }

    pub(super) fn store(&self) -> &Store {
        self.watcher.store()
    }

    fn named(&self) -> [(String, Arc<Logspace>); 1] {
        [("space".to_owned(), Arc::clone(&self.logspace))]
    }

    /// Has the threads follow the rules of the folder.
    pub(super) fn follow(&self) {
        let texts = match self.rules.as_str() {
            "" => Vec::new(),
            rules => vec![("rules.yaml".to_owned(), format!("rules:\n{rules}"))],
        };
        self.watcher.follow(RuleSet::of(texts), self.saved.clone(), &self.named()).unwrap();
    }

    /// Changes the rules of objects, each on a line with its id first, and waits until they are in force.
    pub(super) fn change_saved(&mut self, rules: &str) {
        let one = |line: &str| {
            let id = line.trim_start_matches("- {id: ").split(',').next().unwrap();
            SavedRule { id: id.to_owned(), logspaces: Vec::new(), text: format!("rules:\n{line}\n") }
        };
        let running = rules.lines().map(one).collect();
        self.saved = SavedRules { running, problems: Vec::new() };
        self.watcher.follow_saved(self.saved.clone()).unwrap();
        self.wait_for_rules();
    }

    /// All rules that should be in force.
    fn wanted(&self) -> String {
        let saved = self.saved.running.iter().map(|one| one.text.trim_start_matches("rules:\n"));
        std::iter::once(self.rules.as_str()).chain(saved).collect()
    }

    /// Changes the rules of the folder, and waits until they are in force.
    pub(super) fn change_rules(&mut self, rules: &str) {
        rules.clone_into(&mut self.rules);
        self.follow();
        self.wait_for_rules();
    }

    /// Waits until the rules of the folder are in force.
    pub(super) fn wait_for_rules(&mut self) {
        let (before, wanted) = (self.sets.len(), self.wanted());
        if self.sets.last() == Some(&wanted) {
            return;
        }
        wait_until("the rules", || self.changes() > before);
        self.sets.push(wanted);
        assert_eq!(self.changes(), self.sets.len());
    }

    /// The number of sets of rules that came into force.
    pub(super) fn changes(&self) -> usize {
        let marks = self.store().marks("space", 0).unwrap();
        marks.iter().filter(|mark| matches!(mark.kind, MarkKind::Begun | MarkKind::Changed)).count()
    }

    /// Ends the threads, as an end of the server or a crash would, and starts others with the same rules.
    pub(super) fn restart(&mut self, ending: Ending) {
        self.watcher.end_all(ending);
        self.clock.pass(Duration::from_secs(3));
        self.watcher = watcher(&self.database(), &self.clock, self.transitions_kept);
        self.follow();
    }

    /// Delivers messages, `host text` each, received now; returns once they are durable.
    pub(super) fn send(&self, lines: &[String]) {
        let (mut text, mut messages) = (Vec::new(), Vec::new());
        for line in lines {
            let start = text.len();
            let (host, _) = line.split_once(' ').unwrap();
            text.extend_from_slice(format!("<13>{line}").as_bytes());
            let raw = Span::received(start, text.len() - start);
            let mut message = Message::default();
            message.raw = raw;
            message.host = raw.part(4, 4 + host.len());
            message.text = raw.part(5 + host.len(), raw.len());
            messages.push(message);
            text.push(b'\n');
        }
        let received = Stamp::known(self.clock.wall_us(), 0);
        let mut batch = Batch::new(Arc::new(text), vec![Arc::new(Origin::default())], received, Ack::none());
        batch.messages = messages;
        let selection = Selection::all(batch.len());
        let (sender, receiver) = channel();
        let ack = Ack::new(Box::new(Sink(sender)));
        let delivery = Delivery { batch: Arc::new(batch), selection, ack, controlled: true, first: None };
        self.logspace.deliver(delivery, &WriteBudget::none());
        assert_eq!(receiver.recv_timeout(PATIENCE), Ok(Outcome::Done));
    }

    /// Waits until everything is evaluated and written.
    pub(super) fn settle(&self) {
        wait_until("the messages", || {
            let status = &self.watcher.status()[0];
            self.logspace.is_quiet() && status.cursor == self.logspace.snapshot().sequence
        });
    }

    pub(super) fn transitions(&self) -> Vec<KeptTransition> {
        self.store().transitions("space", 0, usize::MAX).unwrap()
    }

    pub(super) fn alerts(&self) -> Vec<Alert> {
        self.store().alerts(&AlertFilter { limit: 1_000, ..AlertFilter::default() }).unwrap()
    }

    /// Returns the messages of the logspace.
    pub(super) fn documents(&self) -> Vec<Document> {
        let mut documents = Vec::new();
        for segment in &self.logspace.snapshot().segments {
            let mut all = 0..segment.len();
            let read = segment.read(&mut all, &CancelToken::unlimited(), &mut |_, document| {
                documents.push(document.clone());
                true
            });
            read.unwrap();
        }
        documents
    }

    /// Returns the ids of the transitions that one evaluator without interruption reports over the messages, the marks
    /// and the gaps.
    pub(super) fn expected(&self) -> Vec<String> {
        let mut model = Model { sets: self.sets.clone().into(), evaluator: None, out: Vec::new() };
        let mut marks = self.store().marks("space", 0).unwrap().into_iter().peekable();
        let gaps = self.store().gaps("space", 0).unwrap();
        let mut gaps = gaps.into_iter().filter(|gap| gap.reason != GapReason::StateLost).peekable();
        for document in self.documents() {
            while let Some(mark) = marks.next_if(|mark| mark.sequence <= document.sequence) {
                while let Some(gap) = gaps.next_if(|gap| gap.from < mark.sequence) {
                    model.gap(gap.received_us);
                }
                model.mark(mark.kind, mark.at_us);
            }
            while let Some(gap) = gaps.next_if(|gap| gap.from <= document.sequence) {
                model.gap(gap.received_us);
            }
            model.give(Input::Message(&document));
        }
        marks.for_each(|mark| model.mark(mark.kind, mark.at_us));
        model.out.iter().map(|transition| transition.id.to_string()).collect()
    }

    /// Checks that exactly the expected transitions are in the database, each once.
    #[track_caller]
    pub(super) fn check(&self) {
        let (mut expected, transitions) = (self.expected(), self.transitions());
        let mut found: Vec<String> = transitions.into_iter().map(|transition| transition.id).collect();
        expected.sort_unstable();
        found.sort_unstable();
        assert_eq!(found, expected);
    }
}

fn watcher(database: &std::path::Path, clock: &SimClock, kept: u64) -> Watcher {
    let pace = Pace { save_gap: Duration::from_secs(3600), save_messages: 70 };
    Watcher::with(Store::keeping(database, kept), Arc::new(TestClock(clock.clone())), pace)
}

/// One evaluator without interruption.
struct Model {
    sets: std::collections::VecDeque<String>,
    evaluator: Option<Evaluator>,
    out: Vec<Transition>,
}

impl Model {
    fn give(&mut self, input: Input<'_>) {
        if let Some(evaluator) = &mut self.evaluator {
            evaluator.apply(input, &mut self.out);
        }
    }

    fn gap(&mut self, received_us: (i64, i64)) {
        self.give(Input::Stopped(received_us.0));
        self.give(Input::Started(received_us.1));
    }

    fn mark(&mut self, kind: MarkKind, at_us: i64) {
        match kind {
            MarkKind::Passed => self.give(Input::Mark(at_us)),
            MarkKind::Stopped => self.give(Input::Stopped(at_us)),
            MarkKind::Started => self.give(Input::Started(at_us)),
            MarkKind::Begun | MarkKind::Changed => {
                let text = format!("rules:\n{}", self.sets.pop_front().unwrap());
                let rules = watch::read(&text).unwrap();
                let mut next = Evaluator::new(rules, LIMITS, Selecting::ByMarks).unwrap();
                if let (MarkKind::Changed, Some(last)) = (kind, &self.evaluator) {
                    next.restore(&last.snapshot()).unwrap();
                }
                self.evaluator = Some(next);
            }
        }
    }
}
