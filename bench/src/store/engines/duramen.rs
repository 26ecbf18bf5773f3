//! Duramen: a TCP source and a logspace, queried over HTTP as by the page.
//!
//! In: options of the logspace. Out: the cost of storing and of answers. Every message is acknowledged by the
//! journal before it counts. Limits: a run fails after [`STILL`] without another message found.

use super::{
    client::Client,
    server::{Server, Setup},
};
use crate::{
    process::{cpu, memory},
    store::{
        engine::{Answer, Engine, Intake},
        plain::{self, Corpus},
        questions::Question,
    },
};
use std::{
    io,
    path::{Path, PathBuf},
    thread,
    time::{Duration, Instant},
};

/// Longest time without another message found.
const STILL: Duration = Duration::from_secs(60);
/// Interval at which the server is asked for its progress.
const POLL: Duration = Duration::from_millis(50);

/// One server with one logspace.
pub(in crate::store) struct Duramen {
    name: String,
    binary: PathBuf,
    folder: PathBuf,
    setup: Setup,
    running: Option<(Server, Client)>,
}

impl Duramen {
    pub(in crate::store) fn new(name: &str, setup: Setup, binary: &Path, out: &Path) -> Duramen {
        let folder = out.join(format!("store-{}", name.replace(' ', "-")));
        Duramen { name: name.to_owned(), binary: binary.to_owned(), folder, setup, running: None }
    }

    /// Starts it empty.
    pub(in crate::store) fn create(&mut self) -> io::Result<&mut (Server, Client)> {
        let server = Server::create(&self.binary, &self.folder, self.setup.clone())?;
        let client = server.client()?;
        Ok(self.running.insert((server, client)))
    }

    /// Ends it and removes its data.
    pub(in crate::store) fn destroy(mut self) -> io::Result<()> {
        self.running.take().map_or(Ok(()), |(server, _)| server.remove())
    }

    /// The server, and a session with it.
    pub(in crate::store) fn running(&mut self) -> io::Result<&mut (Server, Client)> {
        self.running.as_mut().ok_or_else(|| io::Error::other("the server does not run"))
    }
}

impl Engine for Duramen {
    fn name(&self) -> String {
        self.name.clone()
    }

    fn take_in(&mut self, corpus: &Corpus) -> io::Result<Intake> {
        let (server, client) = self.create()?;
        let before = cpu(server.id())?;
        let start = Instant::now();
        let (path, port) = (corpus.path.clone(), server.port());
        let sender = thread::spawn(move || plain::send(&path, port));
        wait_for(client, corpus.messages)?;
        let seconds = start.elapsed().as_secs_f64();
        let cpu_s = cpu(server.id())? - before;
        sender.join().map_err(|_| io::Error::other("the sender ended by a bug"))??;
        let (sealed, settled) = server.settle()?;
        let journal_mib = server.journal_bytes()? as f64 / 1048576.0;
        Ok(Intake {
            seconds,
            settled_s: settled.duration_since(start).as_secs_f64(),
            cpu_s: Some(cpu(server.id())? - before),
            memory_mib: Some(memory(server.id())?),
            message_bytes: sealed.bytes as f64 / sealed.messages as f64,
            note: format!(
                "{} sealed; CPU until found {:.2} s a million; journal left {journal_mib:.0} MiB",
                sealed.messages,
                cpu_s * 1e6 / corpus.messages as f64
            ),
        })
    }

    fn take_up(&mut self, corpus: &Corpus) -> io::Result<bool> {
        let Some(server) = Server::reopen(&self.binary, &self.folder)? else { return Ok(false) };
        let client = server.client()?;
        let (_, client) = self.running.insert((server, client));
        wait_for(client, corpus.messages)?;
        Ok(true)
    }

    fn ask(&mut self, question: &'static Question) -> io::Result<Option<Answer>> {
        let (_, client) = self.running()?;
        client.ask(question).map(Some)
    }

    fn memory_mib(&self) -> Option<f64> {
        self.running.as_ref().and_then(|(server, _)| memory(server.id()).ok())
    }

    fn pause(&mut self) -> io::Result<()> {
        self.running()?.0.pause()
    }

    fn resume(&mut self) -> io::Result<()> {
        let (server, client) = self.running()?;
        server.resume()?;
        *client = server.client()?;
        Ok(())
    }

    fn leave(mut self: Box<Self>) -> io::Result<()> {
        self.running.take().map_or(Ok(()), |(mut server, _)| server.pause())
    }

    fn remove(self: Box<Self>) -> io::Result<()> {
        self.destroy()
    }
}

/// Waits until exactly this number of messages is found.
pub(in crate::store) fn wait_for(client: &Client, messages: u64) -> io::Result<()> {
    let (mut seen, mut since) = (0, Instant::now());
    while seen < messages {
        thread::sleep(POLL);
        let total = client.total()?;
        if total > seen {
            (seen, since) = (total, Instant::now());
        } else if since.elapsed() > STILL {
            return Err(io::Error::other(format!(
                "{seen} of {messages} messages are found, and no more come"
            )));
        }
        if seen > messages {
            return Err(io::Error::other(format!("{seen} messages are found, {messages} were sent")));
        }
    }
    Ok(())
}
