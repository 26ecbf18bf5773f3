//! The HTTP side of the running server.
//!
//! In: settings, logspaces, counters. Out: the page and the API on an address. Holds the runtime of its sockets.

mod directory;

use super::{
    figures::{self, Collector},
    ledger::LedgerKeeper,
    memory,
    running::Shared,
    settings::Settings,
};
use crate::data_folder::layout::USERS;
use accounts::{AccountError, Accounts};
use api::{
    Backend, ConnectionLimits, Ids, Limits, ListenOptions, ListenerAnswer, Listening, Policy, Scope,
    SecurityEvent, State,
};
use evidence::LedgerEntry;
use message::Severity;
use std::{
    collections::BTreeMap,
    env,
    ffi::OsStr,
    fmt,
    fs::{self, OpenOptions},
    io::{self, Write},
    net::SocketAddr,
    os::unix::fs::{DirBuilderExt, OpenOptionsExt},
    path::{Path, PathBuf},
    sync::Arc,
    time::Duration,
};
use tokio::runtime::Runtime;
use transport::InternalLog;

/// Key of the row ids, in the data folder.
const ROWS_KEY: &str = "rows.key";
/// Sessions, in the data folder.
const SESSIONS: &str = "sessions.json";
/// When API tokens were used last, in the data folder.
const TOKEN_USES: &str = "token-uses.json";
/// Key of second factors, in the data folder.
const FACTORS_KEY: &str = "factors.key";
/// Folder of evidence packages until they are downloaded, in the data folder.
const SCRATCH: &str = "scratch";
/// The password of the first run, in the data folder, when standard output is the system's journal.
const FIRST_PASSWORD: &str = "first-password";
/// Threads for sockets; searches run on threads of their own.
const SOCKET_THREADS: usize = 2;
/// Time for which searches may continue when the server stops.
const GRACE: Duration = Duration::from_secs(2);

/// The reasons why the page is not opened.
#[derive(Debug)]
pub(super) enum OpenPageError {
    /// The file of users cannot be read or written.
    Accounts(AccountError),
    /// The first user cannot be recorded.
    Ledger(io::Error),
    /// A file or folder of the data folder cannot be used.
    Data { path: PathBuf, source: io::Error },
    /// No threads can be started.
    Threads(io::Error),
    /// The system has no random numbers, or the address cannot be listened on.
    Listen(io::Error),
}

impl fmt::Display for OpenPageError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            OpenPageError::Accounts(error) => error.fmt(f),
            OpenPageError::Ledger(error) => write!(f, "cannot write the ledger: {error}"),
            OpenPageError::Data { path, source } => write!(f, "cannot use {}: {source}", path.display()),
            OpenPageError::Threads(error) => write!(f, "cannot start the threads of the page: {error}"),
            OpenPageError::Listen(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for OpenPageError {}

/// The open page.
pub(crate) struct Page {
    runtime: Runtime,
    listening: Listening,
    /// The password made at the first run.
    password: Option<String>,
    scheme: &'static str,
}

struct Server {
    shared: Arc<Shared>,
    collector: Arc<Collector>,
    ledger: LedgerKeeper,
    scratch: PathBuf,
}

impl Backend for Server {
    fn scopes(&self) -> Vec<Arc<Scope>> {
        self.shared.scopes()
    }

    fn metrics(&self) -> String {
        figures::prometheus(&self.collector.samples())
    }

    fn scratch(&self) -> &Path {
        &self.scratch
    }

    fn listeners(&self) -> Vec<ListenerAnswer> {
        let answer = |(transport, address): (&str, SocketAddr)| ListenerAnswer {
            transport: transport.to_owned(),
            address: address.ip().to_string(),
            port: address.port(),
        };
        self.shared.listeners().into_iter().map(answer).collect()
    }

    fn not_running(&self) -> Vec<String> {
        self.shared.config().left_out
    }

    fn source_troubles(&self) -> Vec<String> {
        self.collector.source_troubles()
    }

    fn rule_troubles(&self) -> Vec<String> {
        self.shared.rule_troubles()
    }

    fn alerts(&self) -> Option<Arc<alerts::Store>> {
        self.shared.watcher().map(|watcher| Arc::clone(watcher.store()))
    }

    fn rule_followers(&self) -> Vec<alerts::FollowerStatus> {
        self.shared.watcher().map(alerts::Watcher::status).unwrap_or_default()
    }

    fn rule_problems(&self) -> Vec<String> {
        self.shared.watcher().map(alerts::Watcher::problems).unwrap_or_default()
    }

    fn stopped_rules(&self) -> BTreeMap<String, String> {
        self.shared.stopped_rules()
    }

    fn destination_troubles(&self) -> Vec<String> {
        self.collector.destination_troubles()
    }

    fn policy(&self) -> Arc<Policy> {
        self.shared.page().policy()
    }

    fn directory(&self) -> Option<Arc<::directory::Ldap>> {
        self.shared.directory().present()
    }

    fn release_memory(&self) {
        transport::release_free_memory();
    }

    fn note(&self, entry: &LedgerEntry) -> io::Result<()> {
        self.ledger.note(entry)
    }

    fn security(&self, event: &SecurityEvent) -> io::Result<()> {
        self.ledger.security(event)
    }
}

/// Opens the page, if the settings ask for it.
pub(crate) fn open(
    settings: &Settings,
    shared: Arc<Shared>,
    collector: Arc<Collector>,
    log: &InternalLog,
    ledger: LedgerKeeper,
    connections: ConnectionLimits,
) -> Result<Option<Page>, OpenPageError> {
    let Some(address) = settings.http else { return Ok(None) };
    let Some(objects) = shared.objects().cloned() else { return Ok(None) };
    let host = shared.site().loghost.clone();
    let accounts = Accounts::at(&settings.data.join(USERS)).on_host(&host).with_administrator();
    let password = accounts.first_run().map_err(OpenPageError::Accounts)?;
    if password.is_some() {
        let recorded = ledger.append("(first run)", "add-user", "", serde_json::json!({"user": "admin"}));
        recorded.map_err(OpenPageError::Ledger)?;
    }
    let key = settings.data.join(ROWS_KEY);
    let unusable = |path: &Path, source| OpenPageError::Data { path: path.to_owned(), source };
    let ids = Ids::load_or_draw(&key).map_err(|source| unusable(&key, source))?;
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(SOCKET_THREADS)
        .thread_name("http")
        .enable_all()
        .build()
        .map_err(OpenPageError::Threads)?;
    let tls = shared.clone();
    let place = ListenOptions {
        address,
        redirects: shared.page().redirects(),
        tls: Arc::new(move || tls.page().config()),
        connections,
    };
    let is_encrypted = shared.page().config().is_some();
    let scratch = settings.data.join(SCRATCH);
    empty(&scratch).map_err(|source| unusable(&scratch, source))?;
    let limits = shared.page().limits(memory::usable_bytes().map_or_else(Limits::default, Limits::of_memory));
    runtime.spawn(directory::keep_current(shared.clone(), accounts.clone(), ledger.clone(), log.clone()));
    let server = Arc::new(Server { shared, collector, ledger, scratch });
    let state = State::new(server, accounts, objects, ids, &host).map_err(OpenPageError::Listen)?;
    let sessions = settings.data.join(SESSIONS);
    if let Err(error) = state.keep_sessions(&sessions) {
        let file = sessions.display();
        log.write(
            Severity::WARNING,
            &format!("Everybody has to log in again; file='{file}', error='{error}'"),
        );
    }
    let uses = settings.data.join(TOKEN_USES);
    if let Err(error) = state.keep_token_uses(&uses) {
        let file = uses.display();
        log.write(
            Severity::WARNING,
            &format!("Earlier uses of API tokens are not known; file='{file}', error='{error}'"),
        );
    }
    let factors = settings.data.join(FACTORS_KEY);
    if let Err(error) = state.keep_factor_key(&factors) {
        let file = factors.display();
        log.write(
            Severity::WARNING,
            &format!("Users with a second factor cannot log in; file='{file}', error='{error}'"),
        );
    }
    let state = Arc::new(state.with_limits(limits));
    let listening = runtime.block_on(api::listen(place, state)).map_err(OpenPageError::Listen)?;
    let scheme = if is_encrypted { "https" } else { "http" };
    Ok(Some(Page { runtime, listening, password, scheme }))
}

/// Makes a private folder, without the files of an earlier run.
fn empty(folder: &Path) -> io::Result<()> {
    match fs::remove_dir_all(folder) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
        _ => {}
    }
    fs::DirBuilder::new().mode(0o700).create(folder)
}

impl Page {
    /// Prints the address of the page; on the first run also the password, once.
    pub(crate) fn print_address(&self, settings: &Settings) {
        if let Some(password) = &self.password {
            print_password(password, &settings.data, env::var_os("JOURNAL_STREAM").as_deref());
        }
        outln!("{}", greeting(self.scheme, self.listening.address, settings));
    }

    /// Stops listening and ends the calls.
    pub(crate) fn close(self) {
        self.runtime.block_on(self.listening.stop());
        self.runtime.shutdown_timeout(GRACE);
    }
}

/// Returns what is printed when the page is open.
fn greeting(scheme: &str, address: SocketAddr, settings: &Settings) -> String {
    let address = shown(address);
    if !settings.quickstart {
        return format!("The page: {scheme}://{address}/");
    }
    format!(
        "\nThe page: {scheme}://{address}/\n\
         Send something:   logger -n 127.0.0.1 -P 5514 -t hello \"the first message\"\n\
         Point a device:   syslog server = this machine, port 5514, UDP or TCP\n\
         Configuration:    {}\n\
         Data:             {}\n\
         Stop:             Ctrl-C\n",
        settings.config.display(),
        settings.data.display()
    )
}

/// Prints the first password. A service's standard output is the system's journal (`journal` is its device and
/// inode), which others read and which a source may index: there it is written to a file for the server's user
/// alone.
fn print_password(password: &str, data: &Path, journal: Option<&OsStr>) {
    let file = data.join(FIRST_PASSWORD);
    let another = format!("`duramen user --data {} password admin` sets another", data.display());
    if journal.is_none() {
        outln!("First run: the page's user is `admin`, the password: {password}");
        outln!("Write it down, it is shown only once; {another}.");
        return;
    }
    let kept = OpenOptions::new().write(true).create(true).truncate(true).mode(0o600).open(&file);
    match kept.and_then(|mut kept| writeln!(kept, "{password}")) {
        Ok(()) => outln!(
            "First run: the page's user is `admin`, the password is in {}: remove the file when you have read it; {another}.",
            file.display()
        ),
        Err(error) => outln!("First run: cannot write {}: {error}; {another}.", file.display()),
    }
}

/// Returns an address that a browser on this machine can use.
fn shown(address: SocketAddr) -> String {
    match address.ip().is_unspecified() {
        true => format!("127.0.0.1:{}", address.port()),
        false => address.to_string(),
    }
}

#[cfg(test)]
mod tests;
