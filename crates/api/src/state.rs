//! The state shared by all calls.
//!
//! In: the parts of the running server. Out: access to them, and the threads of searches.
//! Limits: [`crate::SEARCHES_MAX`] searches, [`TAILS_MAX`] tails, the exports and the memory of [`Limits`]; further ones wait
//! or are refused.

mod factors;
mod ledger;
pub(crate) mod limits;
pub(crate) mod packages;
pub(crate) mod reports;
pub(crate) mod slots;
mod tokens;
pub(crate) mod workers;

use crate::{
    access::{
        credentials::Credentials,
        policy::Policy,
        security_event::SecurityEvent,
        sessions::{Activity, Proof, SessionFileError, Sessions, User},
    },
    error::ApiError,
    json::{ids::Ids, types::ListenerAnswer},
    scope::Scope,
    state::{
        limits::Limits,
        packages::Packages,
        reports::Reports,
        slots::{Slot, Slots},
        workers::Workers,
    },
};
use accounts::{
    AccountError, Accounts, ApiToken, EVERY_LOGSPACE, FactorKey, RIGHTS, Right, SecondFactors, TokenUses,
};
use evidence::LedgerEntry;
use objects::Store;
use query::{MemoryPool, ResultCache};
use std::{
    collections::BTreeMap,
    io,
    path::{Path, PathBuf},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::{Duration, SystemTime, UNIX_EPOCH},
};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// Live tails at once; further ones are refused.
pub const TAILS_MAX: usize = 256;
/// Delay before another import or export of objects should be tried.
const OBJECT_FILES_WAIT: Duration = Duration::from_secs(2);

/// The running server, as the API sees it.
pub trait Backend: Send + Sync {
    /// The logspaces in the order of the configuration.
    fn scopes(&self) -> Vec<Arc<Scope>>;

    /// All figures as Prometheus text.
    fn metrics(&self) -> String;

    /// Lists the addresses on which the server waits for syslog, in the order of the configuration.
    fn listeners(&self) -> Vec<ListenerAnswer> {
        Vec::new()
    }

    /// Parts of the configuration that were left out because they are not supported, one sentence each.
    fn not_running(&self) -> Vec<String> {
        Vec::new()
    }

    /// Lists the problems of listeners that have refused connections for some time, one sentence each.
    fn source_troubles(&self) -> Vec<String> {
        Vec::new()
    }

    /// Lists the reasons why destinations cannot write to the disks of this machine at present, one sentence each.
    fn destination_troubles(&self) -> Vec<String> {
        Vec::new()
    }

    /// Lists the reasons why rules are not evaluated, or late, one sentence each. May wait for a reload.
    fn rule_troubles(&self) -> Vec<String> {
        Vec::new()
    }

    /// Returns the database of alerts; none where rules do not run.
    fn alerts(&self) -> Option<Arc<alerts::Store>> {
        None
    }

    /// Returns the figures of each logspace that rules watch. May wait for a reload.
    fn rule_followers(&self) -> Vec<alerts::FollowerStatus> {
        Vec::new()
    }

    /// Lists the reasons why rules were left out, one sentence each. May wait for a reload.
    fn rule_problems(&self) -> Vec<String> {
        Vec::new()
    }

    /// Returns why saved rules that are switched on do not run, by their ids. May wait for a reload.
    fn stopped_rules(&self) -> BTreeMap<String, String> {
        BTreeMap::new()
    }

    /// Returns the private folder for temporary files, on the disk of the data.
    fn scratch(&self) -> &Path;

    /// The options of the page that calls obey, as they are now.
    fn policy(&self) -> Arc<Policy> {
        Arc::default()
    }

    /// Returns the directory of people who have no password here, as it is configured now.
    fn directory(&self) -> Option<Arc<directory::Ldap>> {
        None
    }

    /// Returns memory to the system that searches used and no longer need.
    fn release_memory(&self) {}

    /// Records a request in the ledger, before it is answered.
    fn note(&self, entry: &LedgerEntry) -> io::Result<()>;

    /// Records a security event in the ledger. Repeated failures are counted, not listed.
    fn security(&self, event: &SecurityEvent) -> io::Result<()>;
}

/// The state that all calls share.
pub struct State {
    backend: Arc<dyn Backend>,
    accounts: Accounts,
    credentials: Credentials,
    sessions: Mutex<Sessions>,
    /// File of the sessions; a writer holds it, so that the newest state is written last.
    session_file: Mutex<Option<PathBuf>>,
    factor_key: Mutex<Option<Arc<FactorKey>>>,
    second_factors: Mutex<SecondFactors>,
    token_uses: Mutex<TokenUses>,
    /// File of the last uses of tokens; a writer holds it, as above.
    token_uses_file: Mutex<Option<PathBuf>>,
    objects: Arc<Store>,
    host: String,
    ids: Ids,
    reports: Mutex<Reports>,
    packages: Mutex<Packages>,
    pub(crate) searches: Workers,
    pub(crate) tails: Arc<Semaphore>,
    /// Each may last for hours, so that they must not take the searches' turns.
    exports: Slots,
    /// An import or an export of objects has all files in memory.
    object_files: Arc<Semaphore>,
    memory: MemoryPool,
    results: ResultCache,
}

impl State {
    /// The state of a server on the machine `host`, with the default limits; fails when the system has no random
    /// numbers.
    pub fn new(
        backend: Arc<dyn Backend>,
        accounts: Accounts,
        objects: Arc<Store>,
        ids: Ids,
        host: &str,
    ) -> io::Result<State> {
        let limits = Limits::default();
        objects.set_users(Arc::new(accounts.clone()));
        Ok(State {
            backend,
            accounts,
            credentials: Credentials::new()?,
            sessions: Mutex::default(),
            session_file: Mutex::default(),
            factor_key: Mutex::default(),
            second_factors: Mutex::default(),
            token_uses: Mutex::default(),
            token_uses_file: Mutex::default(),
            objects,
            host: host.to_owned(),
            ids,
            reports: Mutex::default(),
            packages: Mutex::default(),
            searches: Workers::new(),
            tails: Arc::new(Semaphore::new(TAILS_MAX)),
            exports: Slots::new(limits.exports, limits.exports_per_user),
            object_files: Arc::new(Semaphore::new(1)),
            memory: MemoryPool::new(limits.searches_memory, limits.search_memory),
            results: ResultCache::new(limits.kept_results),
        })
    }

    /// Keeps sessions in a file, beginning with those that it has; fails when they cannot be read.
    pub fn keep_sessions(&self, path: &Path) -> Result<(), SessionFileError> {
        *self.session_file.lock().unwrap_or_else(PoisonError::into_inner) = Some(path.to_owned());
        *self.sessions() = Sessions::load(path)?;
        Ok(())
    }

    /// The same with other limits.
    pub fn with_limits(self, limits: Limits) -> State {
        State {
            exports: Slots::new(limits.exports, limits.exports_per_user),
            memory: MemoryPool::new(limits.searches_memory, limits.search_memory),
            results: ResultCache::new(limits.kept_results),
            ..self
        }
    }

    /// The memory of all searches and exports.
    pub(crate) fn memory(&self) -> &MemoryPool {
        &self.memory
    }

    /// The results of searches that are kept for the next ones.
    pub(crate) fn results(&self) -> &ResultCache {
        &self.results
    }

    pub(crate) fn backend(&self) -> &dyn Backend {
        self.backend.as_ref()
    }

    pub(crate) fn accounts(&self) -> &Accounts {
        &self.accounts
    }

    #[cfg(test)]
    pub(crate) fn shared_objects(&self) -> Arc<Store> {
        self.objects.clone()
    }

    pub(crate) fn objects(&self) -> &Store {
        &self.objects
    }

    pub(crate) fn credentials(&self) -> &Credentials {
        &self.credentials
    }

    /// The user of a session's token; nothing when there is no such session any more.
    pub(crate) fn session(
        self: &Arc<Self>,
        token: &str,
        activity: Activity,
    ) -> Result<Option<User>, ApiError> {
        let (policy, now_s) = (self.backend.policy(), now_s());
        let credential = |name: &str| self.accounts.credential(name);
        let user = self.sessions().user(token, &policy, now_s, activity, credential);
        let user = user.map_err(|error| ApiError::internal(error.to_string()))?;
        if user.is_some() && self.sessions().take_due(now_s) {
            let state = Arc::clone(self);
            // Without it the session may seem idle for some minutes more after a restart.
            tokio::task::spawn_blocking(move || state.write_sessions());
        }
        Ok(user)
    }

    /// Writes the sessions to their file, if there is one.
    pub(crate) async fn save_sessions(self: &Arc<Self>) -> io::Result<()> {
        let state = Arc::clone(self);
        tokio::task::spawn_blocking(move || state.write_sessions()).await.map_err(io::Error::other)?
    }

    fn write_sessions(&self) -> io::Result<()> {
        let path = self.session_file.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(path) = path.as_deref() else { return Ok(()) };
        let bytes = self.sessions().encode()?;
        Sessions::save(path, &bytes)
    }

    /// Returns true if a user's credentials are still valid: the password, the session, the API token.
    pub(crate) fn is_current(&self, user: &User) -> Result<bool, ApiError> {
        let policy = self.backend.policy();
        let is_present = |credential| self.accounts.credential(&user.name).map(|now| now == Some(credential));
        let is_current = match &user.proof {
            Proof::Session(hash, credential) => is_present(*credential)
                .map(|is_present| is_present && self.sessions().is_open(hash, &policy, now_s())),
            // A password alone is not enough any more once there is a second factor.
            Proof::Password(credential) => is_present(*credential)
                .and_then(|is_present| Ok(is_present && self.accounts.factor(&user.name)?.is_none())),
            Proof::Token(token) => self
                .accounts
                .has_token(&user.name, &token.id)
                .map(|has_token| has_token && token.is_in_force(policy.token_lifetime, now_s())),
        };
        is_current.map_err(|error| ApiError::internal(error.to_string()))
    }

    pub(crate) fn sessions(&self) -> MutexGuard<'_, Sessions> {
        self.sessions.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn ids(&self) -> &Ids {
        &self.ids
    }

    pub(crate) fn reports(&self) -> MutexGuard<'_, Reports> {
        self.reports.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn packages(&self) -> MutexGuard<'_, Packages> {
        self.packages.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes a slot for an export of a user.
    pub(crate) fn export_slot(&self, user: &User) -> Result<Slot, ApiError> {
        self.exports.take(&user.name)
    }

    /// Takes the turn for an import or an export of objects.
    pub(crate) fn object_files(&self) -> Result<OwnedSemaphorePermit, ApiError> {
        let busy =
            |_| ApiError::busy("files of objects are being read or written; try again", OBJECT_FILES_WAIT);
        self.object_files.clone().try_acquire_owned().map_err(busy)
    }

    pub(crate) fn host(&self) -> &str {
        &self.host
    }

    /// Returns true if a user has a right in a logspace, and the API token of the call leaves it to them.
    pub(crate) fn may(&self, user: &User, logspace: &str, right: Right) -> Result<bool, ApiError> {
        if user.token().is_some_and(|token| !token.permits(logspace, right)) {
            return Ok(false);
        }
        self.accounts.may(&user.name, logspace, right).map_err(|error| ApiError::internal(error.to_string()))
    }

    /// Returns true if a user may read the figures of the server. A token needs its scope for that, which was checked, and
    /// every logspace, but not the scope `administer`: it is in files of other programs.
    pub(crate) fn may_read_metrics(&self, user: &User) -> Result<bool, ApiError> {
        let is_reached = user.token().is_none_or(|token| token.permits(EVERY_LOGSPACE, Right::Search));
        let may = self.accounts.may(&user.name, EVERY_LOGSPACE, Right::Administer);
        may.map(|may| may && is_reached).map_err(|error| ApiError::internal(error.to_string()))
    }

    /// The rights that a user has in at least one logspace and that the API token of the call leaves, in the order of [`RIGHTS`].
    pub(crate) fn rights(&self, name: &str, token: Option<&ApiToken>) -> Result<Vec<Right>, ApiError> {
        let permits = |logspace: &str, right| token.is_none_or(|token| token.permits(logspace, right));
        let internal = |error: AccountError| ApiError::internal(error.to_string());
        let scopes = self.backend.scopes();
        let names = || scopes.iter().map(|scope| scope.name.as_str());
        let mut found = Vec::new();
        for right in RIGHTS {
            // A grant for every logspace answers for all of them at once.
            for logspace in std::iter::once(EVERY_LOGSPACE).chain(names()) {
                if permits(logspace, right) && self.accounts.may(name, logspace, right).map_err(internal)? {
                    found.push(right);
                    break;
                }
            }
        }
        Ok(found)
    }

    /// The logspaces that a user may search.
    pub(crate) fn scopes(&self, user: &User) -> Result<Vec<Arc<Scope>>, ApiError> {
        let mut seen = Vec::new();
        for scope in self.backend.scopes() {
            if self.may(user, &scope.name, Right::Search)? {
                seen.push(scope);
            }
        }
        Ok(seen)
    }

    /// Returns a logspace by name if the user has a right there; without a name, the only one. A logspace
    /// that the user may not search is reported as missing.
    pub(crate) fn scope(
        &self,
        user: &User,
        name: Option<&str>,
        right: Right,
    ) -> Result<Arc<Scope>, ApiError> {
        let all = self.scopes(user)?;
        let found = match name {
            Some(name) => {
                let found = all.into_iter().find(|scope| scope.name == name);
                if found.is_none() && self.backend.scopes().iter().any(|scope| scope.name == name) {
                    self.refused(user, name, Right::Search);
                }
                found
            }
            None if all.len() > 1 => {
                let names: Vec<&str> = all.iter().map(|scope| scope.name.as_str()).collect();
                return Err(ApiError::bad_request(format!(
                    "say which logspace: one of {}",
                    names.join(", ")
                )));
            }
            None => all.into_iter().next(),
        };
        let missing = || match name {
            Some(name) => ApiError::not_found(format!("there is no logspace {name:?}")),
            None if self.backend.scopes().is_empty() => {
                ApiError::not_found("the configuration has no logspace() destination")
            }
            None => ApiError::not_found(format!("there is no logspace that {} may search", user.name)),
        };
        let scope = found.ok_or_else(missing)?;
        if right != Right::Search && !self.may(user, &scope.name, right)? {
            let text = format!("{} may not {right} logspace {}", user.name, scope.name);
            return Err(self.refuse(user, &scope.name, right, text));
        }
        Ok(scope)
    }
}

/// Seconds since 1970.
pub(crate) fn now_s() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs())
}
