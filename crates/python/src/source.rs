//! The process of a source or a fetcher.
//!
//! In: a class; how many of its messages are acknowledged; pauses. Out: the messages that it posts. Holds: the process; a task reads
//! its pipe.
//! Limits: [`FRAMES_MAX`] frames wait; then the process waits. What is written to the process has [`WRITE_WITHIN`].

use crate::{
    process::Process,
    program::Program,
    protocol::{
        changes::{Change, Input},
        frame,
        hello::hello,
        message::{Item, Writer},
        outcome::Malformed,
    },
    values::Values,
};
use std::{io, time::Duration};
use tokio::{
    sync::mpsc::{Receiver, channel},
    time::timeout,
};
use transport::InternalLog;

/// Most frames of the process that wait.
const FRAMES_MAX: usize = 4;
/// Time in which the process has to read what is written to it.
const WRITE_WITHIN: Duration = Duration::from_secs(10);

/// A report of the process.
#[derive(Debug)]
pub enum SourceEvent {
    /// Messages, which [`posts`] reads.
    Posts(Vec<u8>),
    /// A text that it wants to have read as a message.
    Question(Vec<u8>),
    /// The name of the transport of its messages.
    Transport(String),
    /// `run()` has returned; a fault, or nothing.
    Finished(String),
}

/// A message of a source.
pub struct Post<'a> {
    /// The text that the server reads, when user code has not made the message itself.
    pub text: Option<&'a [u8]>,
    /// The values that user code has set.
    pub change: Change<'a>,
}

/// Bytes that are no messages.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct PostsError;

impl From<Malformed> for PostsError {
    fn from(_: Malformed) -> PostsError {
        PostsError
    }
}

/// Reads the messages of a frame.
pub fn posts(frame: &[u8]) -> Result<Vec<Post<'_>>, PostsError> {
    let (mut input, mut posts) = (Input(frame), Vec::new());
    while !input.0.is_empty() {
        let text = match input.byte()? {
            0 => None,
            1 => Some(input.counted()?),
            _ => return Err(PostsError),
        };
        let change = input.result()?.ok_or(PostsError)?;
        posts.push(Post { text, change });
    }
    Ok(posts)
}

/// A class that makes messages, in a process of its own. It ends when this is dropped.
pub struct SourceProcess {
    frames: Receiver<(u8, Vec<u8>)>,
    process: Process,
}

impl SourceProcess {
    /// Starts it. To be called in a runtime, on a thread that lives longer than the process. An error is why the class cannot be used.
    pub async fn start(program: &Program, log: &InternalLog) -> Result<SourceProcess, io::Error> {
        let mut process = Process::start(program, log)?;
        let mut body = Vec::new();
        let (input, output) = (process.input.as_mut(), process.output.take());
        let (Some(input), Some(mut output)) = (input, output) else {
            return Err(io::Error::other("no pipes"));
        };
        let answer = timeout(program.timeout.max(WRITE_WITHIN), async {
            frame::write(input, b'H', &hello(program)).await?;
            frame::read(&mut output, &mut body).await
        });
        match answer.await {
            Ok(Ok(b'h')) => {}
            Ok(Ok(b'e')) => return Err(io::Error::other(first_line(&body))),
            Ok(Ok(_)) => return Err(io::Error::other("the process sent what is no answer")),
            Ok(Err(_)) => {
                let status = process.kill().map(|status| format!(": {status}")).unwrap_or_default();
                let class = &program.class;
                return Err(io::Error::other(format!(
                    "the process ended before class {class} was ready{status}"
                )));
            }
            Err(_) => return Err(io::Error::other(format!("class {} was not ready in time", program.class))),
        }
        let (sender, frames) = channel(FRAMES_MAX);
        tokio::spawn(async move {
            let mut body = Vec::new();
            while let Ok(kind) = frame::read(&mut output, &mut body).await {
                if sender.send((kind, std::mem::take(&mut body))).await.is_err() {
                    return;
                }
            }
        });
        Ok(SourceProcess { frames, process })
    }

    /// Waits for a report. `None` when the process has ended, or sent what is none.
    pub async fn event(&mut self) -> Option<SourceEvent> {
        let (kind, body) = self.frames.recv().await?;
        match kind {
            b'm' => Some(SourceEvent::Posts(body)),
            b'q' => Some(SourceEvent::Question(body)),
            b't' => Some(SourceEvent::Transport(String::from_utf8_lossy(&body).into_owned())),
            b'x' => Some(SourceEvent::Finished(first_line(&body))),
            _ => None,
        }
    }

    /// Answers a question: the message as it was read; nothing when the text is none.
    pub async fn answer(&mut self, item: Option<Item<'_>>, values: &mut dyn Values) -> io::Result<()> {
        let mut body = Vec::new();
        if let Some(item) = item {
            Writer::default().append(&item, values, &[], &mut body);
            // The message alone, without its length.
            body.drain(..4);
        }
        self.write(b'V', &body).await
    }

    /// Lets it wait before it posts more, or continue.
    pub async fn pause(&mut self) -> io::Result<()> {
        self.write(b'p', b"").await
    }

    /// Ends a pause.
    pub async fn wake_up(&mut self) -> io::Result<()> {
        self.write(b'w', b"").await
    }

    /// Asks `run()` to return.
    pub async fn request_exit(&mut self) -> io::Result<()> {
        self.write(b's', b"").await
    }

    /// Reports messages that are acknowledged: the number of the first, and how many.
    pub async fn acknowledge(&mut self, runs: &[(u64, u32)]) -> io::Result<()> {
        let runs = runs.iter().flat_map(|(first, count)| {
            let (first, count) = (first.to_le_bytes(), count.to_le_bytes());
            first.into_iter().chain(count)
        });
        let body: Vec<u8> = runs.collect();
        self.write(b'a', &body).await
    }

    /// Kills it. Returns how it had ended.
    pub fn kill(self) -> String {
        self.process.kill().map_or_else(|| "killed".to_owned(), |status| status.to_string())
    }

    async fn write(&mut self, kind: u8, body: &[u8]) -> io::Result<()> {
        let Some(input) = &mut self.process.input else { return Err(io::Error::other("no pipe")) };
        match timeout(WRITE_WITHIN, frame::write(input, kind, body)).await {
            Ok(result) => result,
            Err(_) => Err(io::ErrorKind::TimedOut.into()),
        }
    }
}

fn first_line(text: &[u8]) -> String {
    String::from_utf8_lossy(text).lines().next().unwrap_or_default().to_owned()
}

#[cfg(test)]
mod tests;
