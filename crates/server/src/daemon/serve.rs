//! Starts the server, runs its loop, and shuts it down in order.
//!
//! In: settings, signals, commands of the control socket. Out: a process that works until it is stopped.
//! Holds: the running parts; one loop that takes one event after the other is their only owner.
//! Limits: [`DRAIN`] for queues at shutdown.

use super::{
    commands::Control,
    console::Console,
    descriptors::{self, Shares},
    event::{EVENTS_MAX, Event},
    ledger::LedgerKeeper,
    notify::Notifier,
    page::{self, OpenPageError},
    running::{Running, StartError},
    settings::Settings,
    signals,
};
use crate::{control::Socket, data_folder::layout::LEDGER, terminal};
use evidence::Ledger;
use message::Severity;
use std::{
    fmt, io,
    path::PathBuf,
    process::{self, ExitCode},
    sync::{
        Arc,
        mpsc::{self, Receiver, RecvTimeoutError, SyncSender},
    },
    time::Duration,
};
use transport::{InternalLog, Registry};

/// Longest time in which destinations may write their queues at shutdown.
const DRAIN: Duration = Duration::from_secs(10);
/// Interval at which parsers with timers are notified of the time.
const TICK: Duration = Duration::from_secs(1);
/// Status line for the service manager while all is well.
const STATUS_RUNNING: &str = "Running";

/// The reasons why the server does not start.
#[derive(Debug)]
enum ServeError {
    /// The data folder cannot be made.
    DataFolder { path: PathBuf, source: io::Error },
    /// The parts of the configuration cannot be started.
    Start(StartError),
    /// The system passes no signals on.
    Signals(io::Error),
    /// The control socket cannot be opened.
    Control(io::Error),
    /// The page cannot be opened.
    Page(OpenPageError),
    /// No thread can be started for the ledger.
    LedgerThread(io::Error),
    /// The file for the process id cannot be written.
    Pidfile { path: PathBuf, source: io::Error },
    /// No thread can be started for the watchdog.
    WatchdogThread(io::Error),
}

impl fmt::Display for ServeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ServeError::DataFolder { path, source } => {
                write!(f, "cannot make the data folder {}: {source}", path.display())
            }
            ServeError::Start(error) => error.fmt(f),
            ServeError::Signals(error) => write!(f, "cannot listen for signals: {error}"),
            ServeError::Control(error) => error.fmt(f),
            ServeError::Page(error) => error.fmt(f),
            ServeError::LedgerThread(error) => write!(f, "cannot start the ledger's thread: {error}"),
            ServeError::Pidfile { path, source } => write!(f, "cannot write {}: {source}", path.display()),
            ServeError::WatchdogThread(error) => {
                write!(f, "cannot start the thread of the watchdog: {error}")
            }
        }
    }
}

impl std::error::Error for ServeError {}

/// Runs until a signal or a command stops it.
pub(crate) fn run(settings: Settings) -> ExitCode {
    run_with(settings, signals::listen)
}

/// Passes the signals of this process on to the loop.
type Listen = fn(SyncSender<Event>) -> io::Result<()>;

/// Runs until a command stops it: the signals are those of the tests' own process.
#[cfg(test)]
pub(crate) fn run_without_signals(settings: Settings) -> ExitCode {
    run_with(settings, |_| Ok(()))
}

fn run_with(settings: Settings, listen: Listen) -> ExitCode {
    let settings = settings.with_absolute_paths();
    let console = Arc::new(Console::new(settings.levels.clone()));
    let echo = console.clone();
    let log =
        InternalLog::new(settings.name, Some(Box::new(move |severity, text| echo.write(severity, text))));
    match serve(&settings, &log, listen) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            terminal::complain_styled(&format!("{}: {error}\n", settings.name));
            ExitCode::FAILURE
        }
    }
}

/// The entries of the data folder that only the server's user may read. Other files there may be outputs,
/// with modes of their own.
const PRIVATE: [&str; 14] = [
    "logspaces",
    "disk-buffers",
    "dead-letters",
    "positions",
    "users.json",
    "sessions.json",
    "token-uses.json",
    "factors.key",
    "identity",
    "searches.ledger",
    "rows.key",
    "objects",
    "alerts",
    "scratch",
];

/// Removes the permissions of other users from files of earlier versions.
fn close_to_others(settings: &Settings, log: &InternalLog) {
    let inside = PRIVATE.map(|name| settings.data.join(name));
    let mut closed = 0;
    for path in inside.iter().chain([&settings.positions]) {
        match journal::tighten(path) {
            Ok(count) => closed += count,
            Err(error) => {
                let text = format!(
                    "Cannot take the permissions of other users; filename='{}', error='{error}'",
                    path.display()
                );
                log.write(Severity::WARNING, &text);
            }
        }
    }
    if closed > 0 {
        log.write(
            Severity::NOTICE,
            &format!(
                "Took the permissions of other users from files; folder='{}', files='{closed}'",
                settings.data.display()
            ),
        );
    }
}

fn serve(settings: &Settings, log: &InternalLog, listen: Listen) -> Result<(), ServeError> {
    let notifier = Notifier::from_environment();
    let (events, inbox) = mpsc::sync_channel(EVENTS_MAX);
    let registry = Registry::default();
    journal::make_private_folders(&settings.data)
        .map_err(|source| ServeError::DataFolder { path: settings.data.clone(), source })?;
    let shares = Shares::of(descriptors::raise(log));
    close_to_others(settings, log);
    let running = Running::start(settings, registry.clone(), log.clone(), shares.senders);
    let mut running = running.map_err(ServeError::Start)?;
    let (name, version) = (settings.name, env!("CARGO_PKG_VERSION"));
    log.write(Severity::NOTICE, &format!("{name} starting up; version='{version}'"));
    listen(events.clone()).map_err(ServeError::Signals)?;
    let ledger = LedgerKeeper::new(Ledger::at(&settings.data.join(LEDGER)), log.clone());
    let control =
        Control::new(events, registry, running.shared(), running.passwords(), ledger.clone(), settings);
    let collector = control.collector();
    let _socket = Socket::open(&settings.control, Arc::new(control)).map_err(ServeError::Control)?;
    let page = page::open(settings, running.shared(), collector, log, ledger.clone(), shares.page);
    let page = page.map_err(ServeError::Page)?;
    let shared = running.shared();
    let key_of = Box::new(move || shared.logspaces().first().and_then(|(_, space)| space.signing_key().ok()));
    let signing = ledger.start(key_of).map_err(ServeError::LedgerThread)?;
    if let Some(path) = &settings.pidfile {
        std::fs::write(path, format!("{}\n", process::id()))
            .map_err(|source| ServeError::Pidfile { path: path.clone(), source })?;
    }
    if let Some(page) = &page {
        page.print_address(settings);
    }
    notifier.start_watchdog().map_err(ServeError::WatchdogThread)?;
    notifier.ready(STATUS_RUNNING);
    work(&inbox, &mut running, log, &notifier);
    notifier.stopping();
    // Senders of further events get an error at once.
    drop(inbox);
    log.write(Severity::NOTICE, &format!("{name} shutting down; version='{version}'"));
    if let Some(page) = page {
        page.close();
    }
    if let Some(objects) = running.shared().objects() {
        objects.close();
    }
    signing.stop();
    running.stop(DRAIN);
    if let Some(path) = &settings.pidfile {
        // The file is no longer needed; it may be gone already.
        let _ = std::fs::remove_file(path);
    }
    Ok(())
}

/// Handles events until one of them stops the server.
fn work(inbox: &Receiver<Event>, running: &mut Running, log: &InternalLog, notifier: &Notifier) {
    loop {
        notifier.alive();
        let event = match inbox.recv_timeout(TICK) {
            Ok(event) => event,
            Err(RecvTimeoutError::Timeout) => {
                running.tick();
                continue;
            }
            Err(RecvTimeoutError::Disconnected) => return,
        };
        match event {
            Event::Stop => return,
            Event::Reopen => running.reopen(),
            Event::Reload(answer) => {
                log.write(
                    Severity::NOTICE,
                    "Configuration reload request received, reloading configuration;",
                );
                log.write(Severity::NOTICE, "Loading the new configuration;");
                notifier.reloading();
                let result = running.reload();
                notifier.ready(match &result {
                    Ok(()) => STATUS_RUNNING,
                    Err(_) => "Running with the old configuration: the new one has errors",
                });
                match &result {
                    Ok(()) => {
                        log.write(Severity::NOTICE, "New configuration initialized;");
                        log.write(Severity::NOTICE, "Configuration reload finished;");
                    }
                    Err(error) => {
                        log.write(Severity::ERROR, "Error in the configuration, keeping the old one;");
                        terminal::complain_styled(&format!("{error}\n"));
                    }
                }
                if let Some(answer) = answer {
                    // The client may have hung up.
                    let _ = answer.send(result);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests;
