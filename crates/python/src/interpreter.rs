//! A conversation with the process of a class.
//!
//! In: batches of messages. Out: their [`Outcome`]. Holds: the process, when it runs; the macros that user code has asked for,
//! which later messages bring along.
//! Limits: a call of user code may take `timeout()`, then the process is killed; [`LEARNED_MAX`] macros are brought along.

use crate::{
    patience::{CallError, Patience},
    process::Process,
    program::Program,
    protocol::{
        changes::Change,
        frame::{self, How},
        hello::hello,
        message::{Item, Writer},
        outcome::{Answers, End, Outcome, Reports},
    },
    values::{Named, Values},
};
use message::{Batch, Selection, Stamp};
use std::{io, sync::Arc, time::Duration};
use tokio::{io::AsyncWriteExt, time::Instant};
use transport::InternalLog;

/// Most macros that messages bring along.
const LEARNED_MAX: usize = 200;
/// Time that a process may take to load its class, even if `timeout()` is shorter: that is for calls of the class.
const START_WITHIN: Duration = Duration::from_secs(10);

/// How results come.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Pace {
    /// Many in one answer; those of the last moment are lost with the process.
    Gathered,
    /// Each at once: the first message without one is that at which the process ended.
    Single,
}

/// A class in a process of its own, which is started when it is first asked, and again after it has ended.
pub struct Interpreter {
    program: Arc<Program>,
    values: Box<dyn Values>,
    log: InternalLog,
    process: Option<Process>,
    learned: Vec<String>,
    batch: u32,
    writer: Writer,
    frame: Vec<u8>,
    patience: Patience,
}

/// Why a conversation ended.
enum Broken {
    Late,
    Io(io::Error),
    Nonsense,
}

impl From<CallError> for Broken {
    fn from(error: CallError) -> Broken {
        match error {
            CallError::Late => Broken::Late,
            CallError::Io(error) => Broken::Io(error),
        }
    }
}

impl Interpreter {
    /// Makes one whose process does not run yet.
    pub fn new(program: Arc<Program>, values: Box<dyn Values>, log: InternalLog) -> Interpreter {
        let (learned, writer, frame, patience) =
            (Vec::new(), Writer::default(), Vec::new(), Patience::default());
        Interpreter { program, values, log, process: None, learned, batch: 0, writer, frame, patience }
    }

    /// Makes one that hurries when its configuration ends.
    pub(crate) fn with_patience(self, patience: Patience) -> Interpreter {
        Interpreter { patience, ..self }
    }

    /// Shows messages to a destination. To be called in a runtime, always the same.
    pub async fn ask(&mut self, items: &[Item<'_>], pace: Pace, now: Stamp) -> Outcome {
        let mut answers = Answers::new(items.len());
        let end = self.exchange(items, pace, now, &mut answers).await;
        answers.finish(end)
    }

    /// Shows messages to the class, and gathers its reports.
    pub(crate) async fn exchange(
        &mut self,
        items: &[Item<'_>],
        pace: Pace,
        now: Stamp,
        reports: &mut dyn Reports,
    ) -> End {
        let mut process = match self.process.take() {
            Some(process) => process,
            None => match self.start().await {
                Ok(process) => process,
                Err(end) => return end,
            },
        };
        match self.talk(&mut process, items, pace, now, reports).await {
            Ok(()) => {
                self.process = Some(process);
                End::Done
            }
            Err(broken) => match broken {
                Broken::Late => End::Late(self.end_of(process, broken)),
                _ => End::Lost(self.end_of(process, broken)),
            },
        }
    }

    /// Asks a class that sees no messages. Returns the kind and the body of its answer.
    pub(crate) async fn call(&mut self, kind: u8, body: &[u8]) -> Result<(u8, Vec<u8>), End> {
        let mut process = match self.process.take() {
            Some(process) => process,
            None => self.start().await?,
        };
        let mut answer = Vec::new();
        let talk = async {
            let Process { input: Some(input), output: Some(output), .. } = &mut process else {
                return Err(io::Error::other("no pipes"));
            };
            frame::write(input, kind, body).await?;
            frame::read(output, &mut answer).await
        };
        let broken = match self.patience.within(Instant::now(), self.program.timeout, talk).await {
            Ok(kind @ (b'l' | b'n' | b'd')) => {
                self.process = Some(process);
                return Ok((kind, answer));
            }
            Ok(_) => Broken::Nonsense,
            Err(error) => error.into(),
        };
        match broken {
            Broken::Late => Err(End::Late(self.end_of(process, broken))),
            _ => Err(End::Lost(self.end_of(process, broken))),
        }
    }

    /// Returns true for a name that is computed.
    pub(crate) fn is_macro(&self, name: &str) -> bool {
        self.values.is_macro(name)
    }

    /// Ends the process.
    pub fn close(&mut self) {
        self.process = None;
    }

    async fn start(&mut self) -> Result<Process, End> {
        let missing = |error: io::Error| {
            let interpreter = self.program.interpreter.display();
            let advice = match error.kind() {
                io::ErrorKind::NotFound => {
                    ": install the package python3, or name one in python-interpreter()"
                }
                _ => "",
            };
            End::Missing(format!("cannot start '{interpreter}': {error}{advice}"))
        };
        let mut process = Process::start(&self.program, &self.log).map_err(missing)?;
        let mut body = Vec::new();
        let answer = async {
            if let Some(input) = &mut process.input {
                frame::write(input, b'H', &hello(&self.program)).await?;
            }
            match &mut process.output {
                Some(output) => frame::read(output, &mut body).await,
                None => Err(io::Error::other("no pipe")),
            }
        };
        let broken = match self
            .patience
            .within(Instant::now(), self.program.timeout.max(START_WITHIN), answer)
            .await
        {
            Ok(b'h') => return Ok(process),
            Ok(b'e') => return Err(End::Refused(String::from_utf8_lossy(&body).into_owned())),
            Ok(_) => Broken::Nonsense,
            Err(error) => error.into(),
        };
        let end = self.end_of(process, broken);
        Err(End::Refused(format!("{end}, before class {} was ready", self.program.class)))
    }

    /// Sends a batch, and reads what comes until it is done.
    async fn talk(
        &mut self,
        process: &mut Process,
        items: &[Item<'_>],
        pace: Pace,
        now: Stamp,
        reports: &mut dyn Reports,
    ) -> Result<(), Broken> {
        self.batch = self.batch.wrapping_add(1).max(1);
        self.write_batch(items, pace, now);
        let mut began = Instant::now();
        let (patience, limit) = (self.patience.clone(), self.program.timeout);
        let Process { input: Some(input), output: Some(output), .. } = process else {
            return Err(Broken::Nonsense);
        };
        patience.within(began, limit, input.write_all(&self.frame)).await?;
        let mut body = Vec::new();
        loop {
            match patience.within(began, limit, frame::read(output, &mut body)).await? {
                b'd' => return Ok(()),
                b'g' => {
                    // Questions are no progress: user code that only asks is late all the same.
                    let answer = self.answer(items, &body).ok_or(Broken::Nonsense)?;
                    patience.within(began, limit, frame::write(input, b'V', &answer)).await?;
                    continue;
                }
                kind => reports.report(kind, &body).map_err(|_| Broken::Nonsense)?,
            }
            began = Instant::now();
        }
    }

    fn write_batch(&mut self, items: &[Item<'_>], pace: Pace, now: Stamp) {
        self.values.begin(now);
        frame::begin(b'B', &mut self.frame);
        self.frame.push(u8::from(pace == Pace::Single));
        self.frame.extend_from_slice(&self.batch.to_le_bytes());
        for item in items {
            self.writer.append(item, self.values.as_mut(), &self.learned, &mut self.frame);
        }
        frame::end(&mut self.frame);
    }

    /// Answers a question of user code about a message of the batch.
    fn answer(&mut self, items: &[Item<'_>], body: &[u8]) -> Option<Vec<u8>> {
        let (index, rest) = body.split_first_chunk::<4>()?;
        let Item { batch, index, sequence } = *items.get(u32::from_le_bytes(*index) as usize)?;
        let (question, rest) = rest.split_first()?;
        let (length, rest) = rest.split_first_chunk::<4>()?;
        let (text, change) = rest.split_at_checked(u32::from_le_bytes(*length) as usize)?;
        let text = String::from_utf8_lossy(text);
        let changed = match change {
            [] => None,
            change => Some(self.changed(batch, index, change)?),
        };
        let (batch, index) = changed.as_ref().map_or((batch, index), |changed| (changed, 0));
        let (how, kind, value) = match question {
            b'n' => match self.values.named(batch, index, sequence, &text) {
                Named::Macro(value, kind) => {
                    self.learn(&text);
                    (How::Value, kind, value)
                }
                Named::Alias(name) => (How::Alias, Default::default(), name.into_bytes()),
                Named::Nothing => (How::Nothing, Default::default(), Vec::new()),
            },
            b't' => match self.values.template(batch, index, sequence, &text) {
                Ok(value) => (How::Value, Default::default(), value),
                Err(fault) => (How::Nothing, Default::default(), fault.0.into_bytes()),
            },
            _ => return None,
        };
        Some([&[how as u8, kind as u8], value.as_slice()].concat())
    }

    /// Returns a message as user code has changed it.
    fn changed(&self, batch: &Batch, index: usize, change: &[u8]) -> Option<Batch> {
        let mut one = Selection::none(batch.len());
        one.add(index);
        let mut changed = batch.copy_of(&one);
        Change::of(change)?.apply(&mut changed, 0, &|name| self.values.is_macro(name));
        Some(changed)
    }

    fn learn(&mut self, name: &str) {
        if self.learned.len() < LEARNED_MAX && !self.learned.iter().any(|known| known == name) {
            self.learned.push(name.to_owned());
        }
    }

    /// Kills the process, and says how it ended.
    fn end_of(&self, process: Process, broken: Broken) -> String {
        let status = process.kill();
        let limit = Duration::as_secs(&self.program.timeout);
        let text = match (broken, status) {
            (Broken::Late, _) if self.patience.is_ending() => {
                "user code does not return, killing it: the configuration ends".to_owned()
            }
            (Broken::Late, _) => format!("user code took more than {limit} s, killing it: timeout()"),
            (Broken::Nonsense, _) => "the process sent what is no answer, killing it".to_owned(),
            (Broken::Io(_), Some(status)) => format!("the process ended: {status}"),
            (Broken::Io(error), None) => format!("cannot talk to the process, killing it: {error}"),
        };
        self.log.error(&format!(
            "Python failed, starting it again; class='{}', error='{text}'",
            self.program.class
        ));
        text
    }
}
