//! Answers the commands of the control socket.
//!
//! In: commands of syslog-ng-ctl's protocol. Out: text. Holds: a channel to the loop, and the counters.

use super::{
    super::{
        console::Levels,
        event::Event,
        figures::{self, Account, Collector},
        ledger::LedgerKeeper,
        running::Shared,
        settings::Settings,
    },
    dead_letters,
    error::CommandError,
};
use crate::{
    assemble,
    control::{Commands, Stream},
    data_folder::dead_letters::{DeadRequest, Verb},
    taps::{TapRequest, Taps},
};
use config::Disk;
use evidence::{Identity, Keys};
use logspace::{MoveError, Moved};
use std::{
    path::PathBuf,
    sync::{
        Arc,
        mpsc::{self, RecvTimeoutError, SyncSender},
    },
    time::{Duration, Instant},
};
use transport::{Registry, tls::Passwords};

/// Longest wait for a reload.
const RELOAD_TIMEOUT: Duration = Duration::from_secs(55);

/// Answer to `syslog-ng-ctl show-license-info`.
const LICENSE: &str =
    concat!("OK Duramen ", env!("CARGO_PKG_VERSION"), ", free software under the Apache License 2.0");

/// Longest wait for a seal: a segment of a million messages takes some seconds.
const SEAL_TIMEOUT: Duration = Duration::from_secs(50);

/// Answers commands.
pub(crate) struct Control {
    events: SyncSender<Event>,
    shared: Arc<Shared>,
    collector: Arc<Collector>,
    levels: Levels,
    config: PathBuf,
    skip_unsupported: bool,
    passwords: Passwords,
    ledger: LedgerKeeper,
    taps: Taps,
}

impl Control {
    pub(crate) fn new(
        events: SyncSender<Event>,
        registry: Registry,
        shared: Arc<Shared>,
        passwords: Passwords,
        ledger: LedgerKeeper,
        settings: &Settings,
    ) -> Control {
        let collector = Arc::new(Collector::new(registry, shared.clone()));
        Control {
            events,
            shared,
            collector,
            levels: settings.levels.clone(),
            config: settings.config.clone(),
            skip_unsupported: settings.skip_unsupported,
            passwords,
            ledger,
            taps: Taps::default(),
        }
    }

    /// Returns the collector that the figures are read from.
    pub(crate) fn collector(&self) -> Arc<Collector> {
        self.collector.clone()
    }

    fn send(&self, event: Event) -> Result<(), CommandError> {
        self.events.send(event).map_err(|_| CommandError::ShuttingDown)
    }

    fn reload(&self) -> Result<String, CommandError> {
        let (answer, done) = mpsc::sync_channel(1);
        self.send(Event::Reload(Some(answer)))?;
        match done.recv_timeout(RELOAD_TIMEOUT) {
            Ok(Ok(())) => Ok("OK Config reload successful".into()),
            Ok(Err(error)) => Err(CommandError::Reload(error)),
            Err(RecvTimeoutError::Disconnected) => Err(CommandError::ShuttingDown),
            Err(RecvTimeoutError::Timeout) => Err(CommandError::SlowReload),
        }
    }

    fn query(&self, line: &str) -> Result<String, CommandError> {
        let figures = self.collector.figures();
        let (verb, pattern) = line.split_once(' ').unwrap_or((line, "*"));
        match verb {
            "GET" => Ok(figures::names_and_values(&figures, pattern)),
            "GET_RESET" => {
                let answer = figures::names_and_values(&figures, pattern);
                self.collector.reset_matching(&figures, pattern);
                Ok(answer)
            }
            "GET_SUM_RESET" => {
                let answer = format!("{}\n", figures::query_sum(&figures, pattern));
                self.collector.reset_matching(&figures, pattern);
                Ok(answer)
            }
            "LIST" => Ok(figures::names(&figures, pattern)),
            "GET_SUM" => Ok(format!("{}\n", figures::query_sum(&figures, pattern))),
            _ => Err(CommandError::UnknownQuery(verb.to_owned())),
        }
    }

    /// Returns or sets the level of our own log. Every form has one answer, as in syslog-ng.
    fn level(&self, rest: &str) -> Result<String, CommandError> {
        let mut words = rest.split_whitespace();
        let done = match (words.next().unwrap_or_default(), words.next()) {
            ("LEVEL" | "VERBOSE" | "DEBUG" | "TRACE", None) => true,
            ("LEVEL", Some(name)) | (name, Some("ON")) => self.levels.set(name),
            (name, Some("OFF")) => self.levels.set_below(name),
            _ => false,
        };
        match done {
            true => Ok(format!("OK syslog-ng log level set to {}", self.levels.number())),
            false => Err(CommandError::UnknownLevel(rest.to_owned())),
        }
    }

    fn config(&self, line: &str) -> Result<String, CommandError> {
        let config = self.shared.config();
        match line {
            "GET ORIGINAL" => Ok(config.original),
            "GET PREPROCESSED" => Ok(config.preprocessed),
            "ID" => Ok(config.id),
            "VERIFY" => {
                let checked = match self.skip_unsupported {
                    true => assemble::check_skipping(&self.config, &Disk::default()).checked,
                    false => assemble::check(&self.config, &Disk::default()),
                };
                let findings = checked.report.render_plain(checked.texts());
                match checked.report.is_usable() {
                    true => Ok(format!("{findings}OK Configuration file has no errors")),
                    false => Err(CommandError::Findings(findings)),
                }
            }
            "SKIPPED" => Ok(config.left_out.iter().map(|one| format!("{one}\n")).collect()),
            _ => Err(CommandError::UnknownConfig(line.to_owned())),
        }
    }

    /// Manages passwords of private keys. A new one is used at once: certificates and keys are read again.
    fn credentials(&self, line: &str) -> Result<String, CommandError> {
        let (verb, rest) = line.split_once(' ').unwrap_or((line, ""));
        match (verb.to_ascii_uppercase().as_str(), rest.split_once(' ')) {
            ("STATUS", _) => {
                let shown = |(path, known): (PathBuf, bool)| {
                    format!("{}\t{}\n", path.display(), if known { "SUCCESS" } else { "PENDING" })
                };
                Ok(format!(
                    "OK Credential storage status follows\n{}",
                    self.passwords.list().into_iter().map(shown).collect::<String>()
                ))
            }
            ("ADD", Some((path, secret))) => {
                self.passwords.add(std::path::Path::new(path), secret);
                self.reload().map(|_| "OK Credentials stored successfully".into())
            }
            _ => Err(CommandError::UnknownCredentials),
        }
    }

    /// Unlocks segments, locks them again, or seals the open one.
    fn logspace(&self, rest: &str) -> Result<String, CommandError> {
        let mut words = rest.splitn(3, ' ');
        let (verb, name) = (words.next().unwrap_or_default(), words.next().unwrap_or_default());
        let known = self.shared.logspaces().into_iter().find(|(known, _)| known == name);
        let (_, logspace) = known.ok_or_else(|| CommandError::NoLogspace(name.to_owned()))?;
        match (verb, words.next()) {
            ("UNLOCK", Some(key)) => {
                let identity = Identity::from_line(key).ok_or(CommandError::NoPrivateKey)?;
                self.record("unlock", name)?;
                let (opened, locked) = logspace.unlock(&Keys::of(vec![identity]));
                Ok(format!("OK {opened} segments opened, {locked} stay locked"))
            }
            ("LOCK", None) => {
                self.record("lock", name)?;
                logspace.lock();
                Ok(format!("OK {} segments are locked", logspace.snapshot().locked.len()))
            }
            ("CONFIRM", None) => {
                logspace.confirm();
                Ok("OK the clock is taken to be right; losses stay named in searches and in the chain of evidence".to_owned())
            }
            ("SEAL", None) => match logspace.seal_now(SEAL_TIMEOUT) {
                Some(below) => Ok(format!("OK everything below message {below} is sealed")),
                None => Err(CommandError::NotSealed),
            },
            ("ARCHIVE", Some(age)) => {
                let age = age.parse().map_err(|_| CommandError::Age)?;
                moved(logspace.archive(Duration::from_secs(age), SEAL_TIMEOUT), "archived")
            }
            ("RESTORE", Some(range)) => {
                let (from, to) = range.split_once(' ').ok_or(CommandError::OneTime)?;
                let number = |text: &str| text.parse().map_err(|_| CommandError::Time);
                moved(logspace.restore(number(from)?..number(to)?, SEAL_TIMEOUT), "restored")
            }
            ("ATTACH" | "DETACH", None) => {
                let (archived, away) =
                    if verb == "ATTACH" { logspace.attach_archive() } else { logspace.detach_archive() };
                Ok(format!("OK {archived} segments are archived, {away} of them away"))
            }
            _ => Err(CommandError::UnknownLogspaceVerb),
        }
    }

    /// Records an action of the owner of the control socket; if that fails, the action is not done.
    fn record(&self, action: &'static str, logspace: &str) -> Result<(), CommandError> {
        let recorded = self.ledger.append("(control socket)", action, logspace, serde_json::Value::Null);
        recorded.map_err(CommandError::Ledger)
    }

    fn health(&self) -> String {
        let start = Instant::now();
        let figures = self.collector.figures().len();
        let mut troubles = self.shared.troubles();
        troubles.extend(self.collector.source_troubles());
        troubles.extend(self.collector.destination_troubles());
        troubles.extend(self.collector.lookup_troubles());
        let status = if troubles.is_empty() { "1" } else { "0" };
        format!(
            "OK syslogng_is_healthy {status}\nsyslogng_stats_figures {figures}\nsyslogng_mainloop_io_worker_roundtrip_latency_seconds {:.6}\n{}",
            start.elapsed().as_secs_f64(),
            troubles.into_iter().chain(self.shared.notes()).collect::<Vec<_>>().join("\n")
        )
    }
}

impl Control {
    fn tap(&self, request: &str) -> Result<Stream, CommandError> {
        let request: TapRequest = serde_json::from_str(request).map_err(CommandError::TapRequest)?;
        let (places, definitions) = self.shared.taps();
        let session = self.taps.open(&request, &places, &definitions, self.shared.site().clone());
        let session = session.map_err(CommandError::Tap)?;
        Ok(Box::new(move |peer| session.serve(peer)))
    }
}

impl Control {
    /// Returns the work on dead letters that a client requests. Removals and replays are recorded.
    fn dead_letters(&self, request: &str) -> Result<Stream, CommandError> {
        let request: DeadRequest = serde_json::from_str(request).map_err(CommandError::DeadRequest)?;
        match request.verb {
            Verb::List => {}
            Verb::Cat => self.record("read dead letters", &request.destination)?,
            Verb::Replay => self.record("replay dead letters", &request.destination)?,
            Verb::Drop => self.record("drop dead letters", &request.destination)?,
        }
        let stores = self.shared.dead_letters();
        let ((_, definitions), site) = (self.shared.taps(), self.shared.site().clone());
        Ok(Box::new(move |peer| dead_letters::serve(&request, &stores, (&definitions, &site), peer)))
    }
}

/// Returns the answer to a move.
fn moved(moved: Result<Moved, MoveError>, what: &str) -> Result<String, CommandError> {
    let Moved { segments, bytes } = moved.map_err(CommandError::Move)?;
    Ok(format!("OK {what} {segments} segments, {bytes} bytes"))
}

impl Commands for Control {
    type Error = CommandError;

    fn stream(&self, line: &str) -> Option<Result<Stream, CommandError>> {
        if let Some(request) = line.strip_prefix("DEAD ") {
            return Some(self.dead_letters(request));
        }
        line.strip_prefix("TAP ").map(|request| self.tap(request))
    }

    fn answered(&self, line: &str) {
        if line.split(' ').next() == Some("STOP") {
            // The loop has ended only if the server is already shutting down.
            let _ = self.send(Event::Stop);
        }
    }

    fn command(&self, line: &str) -> Result<String, CommandError> {
        let (verb, rest) = line.split_once(' ').unwrap_or((line, ""));
        match (verb, rest) {
            ("STATS", "" | "CSV") => Ok(figures::csv(&self.collector.figures())),
            ("STATS", "PROMETHEUS") => Ok(figures::prometheus(&self.collector.samples())),
            ("STATS", "BALANCE") => Ok(self.collector.accounts().iter().map(Account::line).collect()),
            ("RESET_STATS", _) => {
                self.collector.reset();
                Ok("OK The statistics of syslog-ng have been reset to 0.".into())
            }
            ("REMOVE_ORPHANED_STATS", _) => {
                self.collector.remove_orphans();
                Ok("OK Orphaned statistics have been removed.".into())
            }
            ("QUERY", rest) => self.query(rest),
            ("RELOAD", _) => self.reload(),
            ("REOPEN", _) => {
                self.send(Event::Reopen).map(|()| "OK Re-open of log destination files initiated".into())
            }
            // The stop itself follows its answer, see `answered`. A stop in progress counts as well.
            ("STOP", _) => Ok("OK Shutdown initiated".into()),
            ("HEALTHCHECK", _) => Ok(self.health()),
            ("LOG", rest) => self.level(rest),
            ("LICENSE", _) => Ok(LICENSE.to_owned()),
            ("LISTFILES", _) => {
                Ok(self.shared.config().files.iter().map(|file| format!("{file}\n")).collect())
            }
            ("EXPORT_CONFIG_GRAPH", _) => Ok(self.shared.config().graph),
            ("CONFIG", rest) => self.config(rest),
            ("PWD", rest) => self.credentials(rest),
            ("LOGSPACE", rest) => self.logspace(rest),
            _ => Err(CommandError::Unknown(line.to_owned())),
        }
    }
}
