//! A conversation with the process of a class.
//!
//! In: batches of messages. Out: their [`Outcome`]. Holds: the process, when it runs; the macros that user code has asked for,
//! which later messages bring along.
//! Limits: a call of user code may take `timeout()`, then the process is killed; [`LEARNED_MAX`] macros are brought along.

use crate::{
    frame::{self, How},
    hello::hello,
    message::{Item, Writer},
    outcome::{Answers, End, Outcome},
    process::Process,
    program::Program,
    values::{Named, Values},
};
use message::Stamp;
use std::{io, sync::Arc, time::Duration};
use tokio::{
    io::AsyncWriteExt,
    time::{Instant, timeout_at},
};
use transport::InternalLog;

/// Most macros that messages bring along.
const LEARNED_MAX: usize = 200;

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
}

/// Why a conversation ended.
enum Broken {
    Late,
    Io(io::Error),
    Nonsense,
}

impl From<io::Error> for Broken {
    fn from(error: io::Error) -> Broken {
        Broken::Io(error)
    }
}

impl Interpreter {
    /// Makes one whose process does not run yet.
    pub fn new(program: Arc<Program>, values: Box<dyn Values>, log: InternalLog) -> Interpreter {
        let (learned, writer, frame) = (Vec::new(), Writer::default(), Vec::new());
        Interpreter { program, values, log, process: None, learned, batch: 0, writer, frame }
    }

    /// Shows messages to the class. To be called in a runtime, always the same.
    pub async fn ask(&mut self, items: &[Item<'_>], pace: Pace, now: Stamp) -> Outcome {
        let mut answers = Answers::new(items.len());
        let mut process = match self.process.take() {
            Some(process) => process,
            None => match self.start().await {
                Ok(process) => process,
                Err(end) => return answers.finish(end),
            },
        };
        match self.talk(&mut process, items, pace, now, &mut answers).await {
            Ok(()) => {
                self.process = Some(process);
                answers.finish(End::Done)
            }
            Err(broken) => {
                let end = self.end_of(process, broken);
                answers.finish(End::Lost(end))
            }
        }
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
        let deadline = Instant::now() + self.program.timeout;
        let answer = async {
            if let Some(input) = &mut process.input {
                frame::write(input, b'H', &hello(&self.program)).await?;
            }
            frame::read(&mut process.output, &mut body).await
        };
        let answer = timeout_at(deadline, answer).await;
        let broken = match answer {
            Ok(Ok(b'h')) => return Ok(process),
            Ok(Ok(b'e')) => return Err(End::Refused(String::from_utf8_lossy(&body).into_owned())),
            Ok(Ok(_)) => Broken::Nonsense,
            Ok(Err(error)) => Broken::Io(error),
            Err(_) => Broken::Late,
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
        answers: &mut Answers,
    ) -> Result<(), Broken> {
        let patience = self.program.timeout;
        self.batch = self.batch.wrapping_add(1).max(1);
        self.write_batch(items, pace, now);
        let mut deadline = Instant::now() + patience;
        let Process { input: Some(input), output, .. } = process else { return Err(Broken::Nonsense) };
        within(deadline, input.write_all(&self.frame)).await?;
        let mut body = Vec::new();
        loop {
            match within(deadline, frame::read(output, &mut body)).await? {
                b'r' => answers.results(&body).map_err(|_| Broken::Nonsense)?,
                b'f' => answers.flush(&body).map_err(|_| Broken::Nonsense)?,
                b'd' => return Ok(()),
                b'g' => {
                    // Questions are no progress: user code that only asks is late all the same.
                    let answer = self.answer(items, &body).ok_or(Broken::Nonsense)?;
                    within(deadline, frame::write(input, b'V', &answer)).await?;
                    continue;
                }
                _ => return Err(Broken::Nonsense),
            }
            deadline = Instant::now() + patience;
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
        let (question, text) = rest.split_first()?;
        let text = String::from_utf8_lossy(text);
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

async fn within<T>(deadline: Instant, work: impl Future<Output = io::Result<T>>) -> Result<T, Broken> {
    match timeout_at(deadline, work).await {
        Ok(result) => Ok(result?),
        Err(_) => Err(Broken::Late),
    }
}
