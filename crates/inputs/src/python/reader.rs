//! The thread of a source: starts the process of its class, and again when it has ended.
//!
//! In: reports of the process, outcomes of batches. Out: batches; acknowledgements and pauses to the process. Holds: the process.
//! Limits: the window of the source: when it is full the process is paused, and nothing more is read from it. At the stop, `run()` has
//! [`RETURNS_WITHIN`] to return, and destinations [`SETTLES_WITHIN`] to acknowledge.

use super::{options::PythonSource, posts::Posts};
use crate::broker::TroubleReport;
use ::python::{Item, SourceEvent, SourceProcess};
use intake::InputTask;
use std::{io, thread, time::Duration};
use tokio::{
    runtime::Builder,
    sync::watch,
    time::{Instant, timeout, timeout_at},
};
use transport::InternalLog;

/// The sentences of our log when nothing can be read, and when that is over.
const FAILS: &str = "Cannot run a source in Python, trying again";
const WORKS: &str = "A source in Python runs again";
/// First pause before an ended process is started again; each further one is twice as long.
const PAUSE_MIN: Duration = Duration::from_millis(250);
/// Longest pause.
const PAUSE_MAX: Duration = Duration::from_secs(30);
/// A process that ran so long has ended a row of failures.
const STEADY_AFTER: Duration = Duration::from_secs(10);
/// Time for `run()` to return after `request_exit()`.
const RETURNS_WITHIN: Duration = Duration::from_secs(5);
/// Time for messages in flight to become safe at the stop.
const SETTLES_WITHIN: Duration = Duration::from_secs(1);

/// Reads on a thread of its own until it is stopped.
pub(super) fn read_class(options: PythonSource, task: InputTask) {
    let failed = task.log.clone();
    let spawned = Builder::new_current_thread().enable_all().build().and_then(|runtime| {
        let run = move || runtime.block_on(read(&options, task));
        thread::Builder::new().name("python-source".to_owned()).spawn(run)
    });
    if let Err(error) = spawned {
        failed.error(&format!("Cannot start the thread of a source; error='{error}'"));
    }
}

/// Why a process is not used any more.
enum Ending {
    /// The source is stopped.
    Stopped,
    /// It ended, or has to be ended.
    Broken(String),
}

impl From<io::Error> for Ending {
    fn from(error: io::Error) -> Ending {
        Ending::Broken(format!("cannot talk to the process: {error}"))
    }
}

async fn read(options: &PythonSource, task: InputTask) {
    let InputTask { cell, log, mut stop, .. } = task;
    let mut posts = Posts::new(&cell, options.values.values());
    let mut trouble = TroubleReport::new(posts.reader.settings(), log.clone(), FAILS, WORKS);
    let mut pause = PAUSE_MIN;
    loop {
        posts.restart();
        let began = Instant::now();
        let started = tokio::select! {
            biased;
            _ = stop.wait_for(|stop| *stop) => return,
            started = SourceProcess::start(&options.program, &log) => started,
        };
        let why = match started {
            Err(why) => why.to_string(),
            Ok(mut process) => {
                trouble.show(posts.reader.settings(), None);
                match converse(&mut process, &mut posts, &mut stop, &log).await {
                    Ending::Stopped => return,
                    Ending::Broken(why) => format!("{why}; the process: {}", process.kill()),
                }
            }
        };
        posts.refresh();
        trouble.show(posts.reader.settings(), Some(why));
        pause = if began.elapsed() >= STEADY_AFTER { PAUSE_MIN } else { pause };
        if timeout(pause, stop.wait_for(|stop| *stop)).await.is_ok() {
            return;
        }
        pause = (pause * 2).min(PAUSE_MAX);
    }
}

/// Reads what the process posts until it ends or the source is stopped.
async fn converse(
    process: &mut SourceProcess,
    posts: &mut Posts,
    stop: &mut watch::Receiver<bool>,
    log: &InternalLog,
) -> Ending {
    let mut is_paused = false;
    loop {
        let (window, book) = (posts.reader.window.clone(), posts.book.clone());
        let done = tokio::select! {
            biased;
            _ = stop.wait_for(|stop| *stop) => return finish(process, posts).await,
            () = book.changed() => acknowledge(process, posts).await,
            () = window.wait_for_room(), if is_paused => {
                is_paused = false;
                process.wake_up().await.map_err(Ending::from)
            }
            event = process.event(), if !is_paused => handle(process, posts, event, log).await,
        };
        if let Err(ending) = done {
            return ending;
        }
        if !is_paused && !posts.reader.window.has_room() {
            is_paused = true;
            if let Err(error) = process.pause().await {
                return error.into();
            }
        }
    }
}

async fn handle(
    process: &mut SourceProcess,
    posts: &mut Posts,
    event: Option<SourceEvent>,
    log: &InternalLog,
) -> Result<(), Ending> {
    let nonsense = || Ending::Broken("it sent what is no message".to_owned());
    match event {
        None => return Err(Ending::Broken("it ended, or sent what is no report".to_owned())),
        Some(SourceEvent::Posts(frame)) => posts.forward(&frame).map_err(|_| nonsense())?,
        Some(SourceEvent::Transport(name)) => posts.set_transport(name),
        Some(SourceEvent::Question(text)) => {
            let batch = posts.answer(&text);
            let item = batch.as_ref().map(|batch| Item { batch, index: 0, sequence: 0 });
            posts.values.begin(posts.reader.clock().now());
            process.answer(item, posts.values.as_mut()).await?;
        }
        Some(SourceEvent::Finished(fault)) if fault.is_empty() => {
            let id = &posts.reader.settings().id;
            log.notice(&format!("run() of a source in Python has returned, it posts no more; id='{id}'"));
        }
        Some(SourceEvent::Finished(fault)) => return Err(Ending::Broken(fault)),
    }
    Ok(())
}

async fn acknowledge(process: &mut SourceProcess, posts: &Posts) -> Result<(), Ending> {
    match posts.book.take() {
        None => Err(Ending::Broken("a destination gave up messages".to_owned())),
        Some(runs) if runs.is_empty() => Ok(()),
        Some(runs) => Ok(process.acknowledge(&runs).await?),
    }
}

/// Lets `run()` return, and waits for acknowledgements.
async fn finish(process: &mut SourceProcess, posts: &mut Posts) -> Ending {
    let returns = Instant::now() + RETURNS_WITHIN;
    let mut is_open = process.request_exit().await.is_ok();
    while is_open {
        let book = posts.book.clone();
        tokio::select! {
            biased;
            () = book.changed() => is_open = acknowledge(process, posts).await.is_ok(),
            event = timeout_at(returns, process.event()) => match event {
                Ok(Some(SourceEvent::Posts(frame))) => is_open = posts.forward(&frame).is_ok(),
                Ok(Some(SourceEvent::Finished(_)) | None) | Err(_) => break,
                Ok(Some(_)) => {}
            },
        }
    }
    let settles = Instant::now() + SETTLES_WITHIN;
    while is_open && !posts.book.is_settled() {
        let book = posts.book.clone();
        is_open =
            timeout_at(settles, book.changed()).await.is_ok() && acknowledge(process, posts).await.is_ok();
    }
    if is_open {
        // What came between the last look and the last acknowledgement; an error means that the process has ended.
        let _ = acknowledge(process, posts).await;
    }
    Ending::Stopped
}
