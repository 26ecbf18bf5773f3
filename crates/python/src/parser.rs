//! The step `python()` of a log path.
//!
//! In: messages. Out: the same, changed by the class; those that it does not match are stopped. Holds: a thread, which holds the process.
//! Limits: one batch at a time; the thread of a log path that brings another waits.
//!
//! A message at which the class raises an exception does not match, as in the reference. So does one at which the process ends: what
//! had no result is shown again, each result at once, and a message at which the process ends twice, or does not return, is the one.
//! While the class cannot be loaded, messages wait, unless the configuration ends.

use crate::{
    interpreter::{Interpreter, Pace},
    patience::Patience,
    program::Program,
    protocol::{changes::Changes, message::Item, outcome::End},
    values::ValuesFactory,
};
use message::{Ack, Batch, Selection, Stamp};
use pipeline::Parser;
use std::{
    mem,
    sync::{
        Arc, Mutex, PoisonError,
        mpsc::{Receiver, Sender, SyncSender, channel, sync_channel},
    },
    thread,
    time::Duration,
};
use template::Renderer;
use tokio::{
    runtime::{Builder, Runtime},
    time::{Instant, sleep},
};
use transport::InternalLog;

/// Pause before a class that cannot be loaded is tried again.
const LOAD_AGAIN: Duration = Duration::from_secs(5);
/// Pause between two looks whether the configuration ends.
const LOOK_AGAIN: Duration = Duration::from_millis(100);
/// Ends of the process at a message, after which that counts as the cause.
const ENDS_MAX: u32 = 2;

/// `python()` as a parser.
pub struct PythonParser {
    class: String,
    requests: Mutex<Option<Sender<Request>>>,
    log: InternalLog,
}

/// Work for the thread.
enum Request {
    Parse { batch: Box<Batch>, within: Selection, now: Stamp, answer: SyncSender<Parsed> },
    Close(SyncSender<()>),
}

/// A batch after the class has seen it.
struct Parsed {
    batch: Batch,
    read: Selection,
    given_up: usize,
}

impl PythonParser {
    /// Makes one, whose process starts with its first message.
    pub fn new(
        program: Arc<Program>,
        values: &dyn ValuesFactory,
        log: InternalLog,
        patience: Patience,
    ) -> PythonParser {
        let class = program.class.clone();
        let interpreter = Interpreter::new(program, values.values(), log.clone());
        let interpreter = interpreter.with_patience(patience.clone());
        let shown =
            Showing { class: class.clone(), interpreter, log: log.clone(), patience, trouble: String::new() };
        let (requests, work) = channel();
        let thread = thread::Builder::new().name("python-parser".into()).spawn(move || shown.run(&work));
        if let Err(error) = &thread {
            log.error(&format!(
                "Cannot start the thread of a Python parser; class='{class}', error='{error}'"
            ));
        }
        PythonParser { class, requests: Mutex::new(thread.is_ok().then_some(requests)), log }
    }

    fn send(&self, request: Request) -> bool {
        let requests = self.requests.lock().unwrap_or_else(PoisonError::into_inner);
        requests.as_ref().is_some_and(|requests| requests.send(request).is_ok())
    }
}

impl Parser for PythonParser {
    fn parse(&self, batch: &mut Batch, within: &Selection, renderer: &mut Renderer) -> Selection {
        self.parse_waiting(batch, within, renderer, &Ack::none())
    }

    fn parse_waiting(
        &self,
        batch: &mut Batch,
        within: &Selection,
        renderer: &mut Renderer,
        ack: &Ack,
    ) -> Selection {
        let (answer, parsed) = sync_channel(1);
        let (whole, now) = (mem::take(batch), renderer.now);
        let request = Request::Parse { batch: Box::new(whole), within: within.clone(), now, answer };
        let parsed = if self.send(request) { parsed.recv().ok() } else { None };
        let Some(parsed) = parsed else {
            ack.fail();
            self.log.error(&format!("The thread of a Python parser is gone; class='{}'", self.class));
            return Selection::none(within.batch_len());
        };
        if parsed.given_up > 0 {
            ack.fail();
        }
        *batch = parsed.batch;
        parsed.read
    }

    fn waits(&self) -> bool {
        true
    }

    fn close(&self, _: &mut Renderer, _: &mut Vec<Batch>) {
        let (done, closed) = sync_channel(1);
        if self.send(Request::Close(done)) {
            // An error means that the thread is gone, and its process with it.
            let _ = closed.recv();
        }
    }
}

/// The thread, which shows messages to the class.
struct Showing {
    class: String,
    interpreter: Interpreter,
    log: InternalLog,
    patience: Patience,
    /// Why the class cannot be loaded, as it was last said.
    trouble: String,
}

/// The next message of a batch, and what is known of it.
struct Progress {
    next: usize,
    pace: Pace,
    /// True when the class had begun with the next message.
    is_begun: bool,
    /// Ends of the process at the next message, when that was known.
    ends: u32,
    /// Ends of the process before it began with the next message.
    idle_ends: u32,
}

impl Progress {
    /// Begins at a message of which nothing is known.
    fn at(next: usize, pace: Pace) -> Progress {
        Progress { next, pace, is_begun: false, ends: 0, idle_ends: 0 }
    }
}

impl Showing {
    fn run(mut self, work: &Receiver<Request>) {
        let runtime = Builder::new_current_thread().enable_all().build();
        let runtime = match runtime {
            Ok(runtime) => runtime,
            Err(error) => {
                let class = &self.class;
                self.log.error(&format!("Cannot run a Python parser; class='{class}', error='{error}'"));
                return;
            }
        };
        while let Ok(request) = work.recv() {
            match request {
                Request::Parse { batch, within, now, answer } => {
                    let parsed = self.parse(&runtime, *batch, &within, now);
                    // Nobody waits for it when the server has ended.
                    let _ = answer.send(parsed);
                }
                Request::Close(done) => {
                    self.interpreter.close();
                    let _ = done.send(());
                }
            }
        }
        // The process leaves while the runtime of its pipes still exists.
        self.interpreter.close();
    }

    fn parse(&mut self, runtime: &Runtime, mut batch: Batch, within: &Selection, now: Stamp) -> Parsed {
        let places: Vec<usize> = within.iter().collect();
        let mut read = Selection::none(batch.len());
        let mut progress = Progress::at(0, Pace::Gathered);
        while progress.next < places.len() {
            if self.patience.is_over() {
                break;
            }
            let left = &places[progress.next..];
            let mut changes = Changes::new(left.len());
            let items: Vec<Item<'_>> =
                left.iter().map(|index| Item { batch: &batch, index: *index, sequence: 0 }).collect();
            let end = runtime.block_on(self.interpreter.exchange(&items, progress.pace, now, &mut changes));
            for (index, change) in left.iter().zip(changes.results()) {
                if let Some(change) = change {
                    change.apply(&mut batch, *index, &|name| self.interpreter.is_macro(name));
                    read.add(*index);
                }
            }
            if changes.count() > 0 {
                progress = Progress::at(progress.next + changes.count(), progress.pace);
                self.trouble.clear();
            }
            progress.is_begun = changes.is_begun();
            if progress.next < places.len() && !self.went_wrong(&end, &mut progress, runtime) {
                break;
            }
        }
        let given_up = places.len() - progress.next.min(places.len());
        if given_up > 0 {
            self.log.error(&format!(
                "Messages given up: the configuration ends before a Python parser has read them; class='{}', messages='{given_up}'",
                self.class
            ));
        }
        Parsed { batch, read, given_up }
    }

    /// Decides what becomes of the next message, for which there is no result. Returns false when all that are left are given up.
    fn went_wrong(&mut self, end: &End, progress: &mut Progress, runtime: &Runtime) -> bool {
        match end {
            End::Refused(why) | End::Missing(why) => return self.wait_for_class(why, runtime),
            End::Lost(_) | End::Late(_) if progress.pace == Pace::Gathered => {
                progress.pace = Pace::Single;
                return true;
            }
            // A process that ends before it begins with a message was ended by somebody else, or its class cannot be used.
            End::Lost(why) if !progress.is_begun => {
                progress.idle_ends += 1;
                return progress.idle_ends < ENDS_MAX || self.wait_for_class(why, runtime);
            }
            End::Lost(_) => progress.ends += 1,
            // The class returned without a result, which our script does not do.
            End::Late(_) | End::Done => progress.ends = ENDS_MAX,
        }
        if progress.ends >= ENDS_MAX {
            let why = match end {
                End::Lost(why) | End::Late(why) => why,
                _ => "there is no result for it",
            };
            self.log.error(&format!(
                "A message ended a Python parser, it counts as one that does not match; class='{}', error='{why}'",
                self.class
            ));
            *progress = Progress::at(progress.next + 1, Pace::Gathered);
        }
        true
    }

    /// Waits before a class that cannot be loaded is tried again. Returns false when the configuration ends.
    fn wait_for_class(&mut self, why: &str, runtime: &Runtime) -> bool {
        let shown = why.lines().next().unwrap_or_default();
        if self.trouble != shown {
            self.trouble = shown.to_owned();
            self.log.error(&format!(
                "A Python parser cannot be used, messages wait for it; class='{}', error='{shown}'",
                self.class
            ));
        }
        let again = Instant::now() + LOAD_AGAIN;
        while Instant::now() < again && !self.patience.is_ending() {
            runtime.block_on(async { sleep(LOOK_AGAIN).await });
        }
        !self.patience.is_ending()
    }
}

#[cfg(test)]
mod tests;
