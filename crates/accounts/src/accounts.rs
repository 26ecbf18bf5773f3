//! Users and their rights: names, password hashes, grants and API tokens in one file.
//!
//! In: a name and a password. Out: the credential, or nothing. Holds: the file's content; it is read again when it
//! changes, so that `duramen user` works beside a running server. Changes lock the folder, so that none is lost.
//! Limits: names of 1 to 64 of `[A-Za-z0-9._@-]`, passwords as [`crate::password`] allows them; the file holds at most 10,000 users.

mod directory;
mod factor;
mod grants;
mod invitations;
mod lock;
mod overview;
mod roles;
mod tokens;

pub use directory::{AccountChange, DirectoryAccount, DirectoryRights, DirectoryState, DirectoryUser};
pub use grants::{EVERY_LOGSPACE, Grant, RIGHTS, Right};
pub use invitations::{INVITATION_HOURS, InvitationFault, NewInvitation};
pub use overview::UserFacts;
pub use roles::{Role, SourcedGrant};

use crate::{
    api_tokens::{ApiToken, TokenError, hex, unhex},
    durable,
    password::{
        self, PASSWORD_CHARS_MIN, PASSWORD_CHARS_MIN_WITH_FACTOR, PasswordContext, PasswordFault, normalized,
    },
    second_factor::{CodeFault, FactorKeyError, StoredFactor},
};
use argon2::{
    ARGON2ID_IDENT, Argon2, Params, PasswordVerifier, Version,
    password_hash::{PasswordHash, PasswordHasher, SaltString},
};
use aws_lc_rs::digest;
use objects::{UserId, Users};
use serde::{Deserialize, Serialize};
use std::{
    collections::{BTreeMap, HashMap},
    fmt, fs, io,
    os::unix::fs::MetadataExt,
    path::{Path, PathBuf},
    sync::{Arc, Mutex, PoisonError},
};

/// Most users of one file: it is read completely at each login.
const USERS_MAX: usize = 10_000;
/// The rule for names of users.
const NAME_RULE: &str = "a user name has 1 to 64 of the characters A-Z a-z 0-9 . _ @ -";
/// Characters of a generated password; those that look alike are left out.
const PASSWORD_ALPHABET: &[u8] = b"abcdefghjkmnpqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ23456789";
/// Characters of a generated password: 20 of 55 are 115 bits.
const PASSWORD_LENGTH: usize = 20;
/// Letters of an id; each stands for five bits.
const ID_ALPHABET: &[u8; 32] = b"abcdefghijkmnpqrstuvwxyz23456789";
/// A hash of no password: unknown users cost the same time as known ones.
const NOBODY: &str =
    "$argon2id$v=19$m=19456,t=2,p=1$c29tZXNhbHRvZm91cnM$4WRwzVbFNkjIDeBhWrcmPKyIT9sNy1HFnkyNR2bVVBo";

/// The file of users.
#[derive(Clone, Debug)]
pub struct Accounts {
    path: PathBuf,
    /// Name of this machine, which passwords must not consist of.
    host: Arc<str>,
    /// True if changes are refused that would leave no administrator.
    needs_administrator: bool,
    /// The content read last and the version it came from; replaced at each change of the file.
    last: Arc<Mutex<Option<Read>>>,
}

/// Identifies the current password of a user: another password, or another user of that name, is another credential. It is
/// another one as well after all sessions were ended by command.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct CredentialId(pub [u8; 32]);

/// A version of the file and its content.
type Read = (FileId, Arc<File>);

/// The properties that distinguish two versions of the file.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct FileId {
    inode: u64,
    size: u64,
    changed: (i64, i64),
}

/// The ways in which reading or changing an account fails.
#[derive(Debug)]
pub enum AccountError {
    /// The file could not be read or written.
    Io {
        /// The file.
        path: PathBuf,
        /// The error of the system.
        source: io::Error,
    },
    /// The file is not what this program writes.
    Format {
        /// The file.
        path: PathBuf,
        /// The fault in the file.
        what: String,
    },
    /// There is no user, role or grant of that name.
    Name(&'static str),
    /// There is one of that name already, or there are as many as there may be.
    Taken(&'static str),
    /// A name, or a number of grants, that is not allowed.
    Refused(&'static str),
    /// There is no role of this name.
    UnknownRole(String),
    /// The password must not be set.
    Password(PasswordFault),
    /// The API token cannot be made or found.
    Token(TokenError),
    /// The invitation is not accepted.
    Invitation(InvitationFault),
    /// The code of the second factor is not accepted.
    Code(CodeFault),
    /// The key of second factors cannot be used.
    FactorKey(FactorKeyError),
    /// Nobody would be left who may administer every logspace.
    LastAdministrator,
    /// The password of the user is kept in a directory.
    OfDirectory,
    /// The user has no second factor.
    NoFactor,
    /// The user has a second factor already.
    FactorPresent,
    /// The system has no random numbers.
    Random,
}

impl fmt::Display for AccountError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            AccountError::Io { path, source } => write!(f, "cannot use {}: {source}", path.display()),
            AccountError::Format { path, what } => {
                write!(f, "{} is not a users file: {what}", path.display())
            }
            AccountError::Name(what) | AccountError::Taken(what) | AccountError::Refused(what) => {
                f.write_str(what)
            }
            AccountError::UnknownRole(name) => write!(f, "there is no role {name}"),
            AccountError::Password(fault) => fault.fmt(f),
            AccountError::Token(error) => error.fmt(f),
            AccountError::Invitation(fault) => fault.fmt(f),
            AccountError::Code(fault) => fault.fmt(f),
            AccountError::FactorKey(error) => error.fmt(f),
            AccountError::LastAdministrator => f.write_str(
                "nobody would be left who may administer the server: grant another local user the right administer for * first",
            ),
            AccountError::OfDirectory => {
                f.write_str("the password of this user is kept in the directory: it is changed there")
            }
            AccountError::NoFactor => f.write_str("the user has no second factor"),
            AccountError::FactorPresent => f.write_str("there is a second factor already: turn it off first"),
            AccountError::Random => f.write_str("the system gives no random numbers"),
        }
    }
}

impl std::error::Error for AccountError {}

impl From<FactorKeyError> for AccountError {
    fn from(error: FactorKeyError) -> AccountError {
        AccountError::FactorKey(error)
    }
}

#[derive(Serialize, Deserialize, Default, Debug)]
struct File {
    users: BTreeMap<String, User>,
    /// Roles by their names; absent in files of versions before there were roles.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    roles: BTreeMap<String, StoredRole>,
    /// The owners of tokens by the SHA-256 of their texts.
    #[serde(skip)]
    token_owners: HashMap<String, String>,
}

#[derive(Serialize, Deserialize, Debug)]
struct User {
    /// Letters that tell the account from others that had the name before; absent in accounts from before there were ids.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    id: String,
    /// Argon2id in PHC format; empty before a password was set, and for somebody whom a directory knows.
    password: String,
    /// The person of a directory whose account this is; absent for local users.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    directory: Option<DirectoryLink>,
    /// The credential, in hexadecimal, from before the same password was hashed with other parameters: sessions stay open.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    kept_credential: Option<String>,
    /// Grants of the user; absent in files of versions before grants existed: then every right.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    grants: Option<Vec<Grant>>,
    /// Names of the roles of the user; one that is gone gives nothing.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    roles: Vec<String>,
    /// Number of times that all sessions of the user were ended by command: sessions of an earlier number are over.
    #[serde(default, skip_serializing_if = "is_zero")]
    session_epoch: u32,
    /// True while the user may not log in.
    #[serde(default, skip_serializing_if = "is_false")]
    locked: bool,
    /// The invitation to set a password; absent when there is none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    invitation: Option<StoredInvitation>,
    /// The second factor of the user; absent when there is none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    factor: Option<StoredFactor>,
    /// API tokens of the user; absent in files of versions before there were tokens.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    tokens: Vec<ApiToken>,
}

/// An invitation of a user, as the file of users has it.
#[derive(Serialize, Deserialize, Clone, PartialEq, Eq, Debug)]
struct StoredInvitation {
    /// SHA-256 of its text, in hexadecimal.
    sha256: String,
    /// Seconds since 1970 when it ends.
    expires_s: u64,
}

/// The directory's part of an account.
#[derive(Serialize, Deserialize, Clone, PartialEq, Eq, Debug)]
struct DirectoryLink {
    source: String,
    subject: String,
    /// The name in the directory when it was read last.
    name: String,
    rights: DirectoryRights,
    /// Seconds since 1970 when the directory was read last.
    checked_s: u64,
    #[serde(default, skip_serializing_if = "DirectoryState::is_active")]
    state: DirectoryState,
}

/// A role.
#[derive(Serialize, Deserialize, Default, Debug)]
struct StoredRole {
    grants: Vec<Grant>,
}

impl File {
    /// Lists the owners of tokens: a call must not look through all users.
    fn index_tokens(&mut self) {
        for (name, user) in &self.users {
            let owned = user.tokens.iter().map(|token| (token.sha256.clone(), name.clone()));
            self.token_owners.extend(owned);
        }
    }

    fn known_user(&self, name: &str) -> Result<&User, AccountError> {
        self.users.get(name).ok_or(AccountError::Name("there is no user of that name"))
    }

    fn user(&mut self, name: &str) -> Result<&mut User, AccountError> {
        self.users.get_mut(name).ok_or(AccountError::Name("there is no user of that name"))
    }
}

impl User {
    /// Makes a user without any rights.
    fn new(id: String, password: String) -> User {
        User {
            id,
            password,
            directory: None,
            kept_credential: None,
            grants: Some(Vec::new()),
            roles: Vec::new(),
            session_epoch: 0,
            locked: false,
            invitation: None,
            factor: None,
            tokens: Vec::new(),
        }
    }

    fn can_log_in(&self) -> bool {
        let has_way_in = match &self.directory {
            Some(link) => link.is_active(),
            None => !self.password.is_empty(),
        };
        !self.locked && has_way_in
    }

    fn replace_password(&mut self, hash: String) {
        (self.password, self.kept_credential, self.invitation) = (hash, None, None);
    }

    fn end_sessions(&mut self) {
        self.session_epoch = self.session_epoch.wrapping_add(1).max(1);
        self.kept_credential = None;
    }

    fn grants(&self) -> Vec<Grant> {
        self.grants.clone().unwrap_or_else(|| vec![Grant::everything()])
    }

    fn credential(&self, name: &str) -> CredentialId {
        if let Some(kept) = self.kept_credential.as_deref().and_then(unhex) {
            return CredentialId(kept);
        }
        let mut context = digest::Context::new(&digest::SHA256);
        let identity = self.directory.iter().flat_map(DirectoryLink::identity);
        for part in [name, &self.password].into_iter().chain(identity) {
            context.update(&(part.len() as u64).to_be_bytes());
            context.update(part.as_bytes());
        }
        // Without it, sessions of earlier versions stay.
        if self.session_epoch > 0 {
            context.update(&self.session_epoch.to_be_bytes());
        }
        let mut id = [0; 32];
        id.iter_mut().zip(context.finish().as_ref()).for_each(|(to, from)| *to = *from);
        CredentialId(id)
    }
}

impl Accounts {
    /// The accounts of a file, which need not exist yet.
    pub fn at(path: &Path) -> Accounts {
        Accounts { path: path.to_owned(), host: "".into(), needs_administrator: false, last: Arc::default() }
    }

    /// The same on a machine of a name, which new passwords must not consist of.
    pub fn on_host(self, host: &str) -> Accounts {
        Accounts { host: host.into(), ..self }
    }

    /// Makes the user `admin` with a new password when there is no user at all. The password is returned once and
    /// stored nowhere.
    pub fn first_run(&self) -> Result<Option<String>, AccountError> {
        if !self.read()?.users.is_empty() {
            return Ok(None);
        }
        let password = generated_password()?;
        self.add("admin", &password)?;
        self.grant("admin", EVERY_LOGSPACE, &RIGHTS)?;
        Ok(Some(password))
    }

    /// Names of all users.
    pub fn names(&self) -> Result<Vec<String>, AccountError> {
        Ok(self.read()?.users.into_keys().collect())
    }

    /// Adds a user without any rights.
    pub fn add(&self, name: &str, password: &str) -> Result<(), AccountError> {
        if !allowed_name(name) {
            return Err(AccountError::Refused(NAME_RULE));
        }
        self.insert(name, User::new(drawn_id()?, self.hashed(name, password)?))
    }

    fn insert(&self, name: &str, user: User) -> Result<(), AccountError> {
        self.update(|file| {
            if file.users.contains_key(name) {
                return Err(AccountError::Taken("there is a user of that name"));
            }
            if file.users.len() >= USERS_MAX {
                return Err(AccountError::Taken("there are 10,000 users already"));
            }
            file.users.insert(name.to_owned(), user);
            Ok(())
        })
    }

    /// Changes a user's password.
    pub fn set_password(&self, name: &str, password: &str) -> Result<(), AccountError> {
        let password = self.hashed(name, password)?;
        self.update(|file| {
            let user = file.user(name)?;
            if user.directory.is_some() {
                return Err(AccountError::OfDirectory);
            }
            user.replace_password(password);
            Ok(())
        })
    }

    /// Ends all sessions of a user, on a server that runs as well as after a start.
    pub fn end_sessions(&self, name: &str) -> Result<(), AccountError> {
        self.update(|file| {
            file.user(name)?.end_sessions();
            Ok(())
        })
    }

    /// Removes a user.
    pub fn remove(&self, name: &str) -> Result<(), AccountError> {
        self.update(|file| {
            let removed = file.users.remove(name);
            removed.map(drop).ok_or(AccountError::Name("there is no user of that name"))
        })
    }

    /// Returns true if there is a user of that name.
    pub fn exists(&self, name: &str) -> bool {
        self.read().is_ok_and(|file| file.users.contains_key(name))
    }

    /// Returns the id of the account that has a name now.
    pub fn id(&self, name: &str) -> Result<Option<UserId>, AccountError> {
        let file = self.known()?;
        let Some(user) = file.users.get(name) else { return Ok(None) };
        let id = UserId::new(name, &user.id).map_err(|_| AccountError::Format {
            path: self.path.clone(),
            what: format!("the id of {name} has other characters than a-z and 0-9"),
        })?;
        Ok(Some(id))
    }

    /// The user's credential when the password is right. Takes some 20 ms by design, also for unknown users.
    pub fn verify(&self, name: &str, password: &str) -> Result<Option<CredentialId>, AccountError> {
        let file = self.known()?;
        let known = file.users.get(name).filter(|user| user.can_log_in() && user.directory.is_none());
        let stored = known.map_or(NOBODY, |user| user.password.as_str());
        let parsed = PasswordHash::new(stored)
            .map_err(|error| AccountError::Format { path: self.path.clone(), what: error.to_string() })?;
        let form = normalized(password);
        let matches = |text: &str| Argon2::default().verify_password(text.as_bytes(), &parsed).is_ok();
        // Earlier versions hashed passwords as they were typed.
        let is_right = matches(&form) || (form != password && matches(password));
        let Some(user) = known.filter(|_| is_right) else { return Ok(None) };
        if is_outdated(&parsed) {
            // The password works as well as before if that fails.
            let _ = self.rehash(name, stored, &form);
        }
        Ok(Some(user.credential(name)))
    }

    /// Hashes a right password with the parameters of this version, unless it was changed meanwhile. Its credential stays.
    fn rehash(&self, name: &str, stored: &str, password: &str) -> Result<(), AccountError> {
        let fresh = hash(password)?;
        self.update(|file| {
            let user = file.user(name)?;
            if user.password == stored {
                user.kept_credential = Some(hex(&user.credential(name).0));
                user.password = fresh;
            }
            Ok(())
        })
    }

    /// Checks a new password of a user, and hashes it.
    fn hashed(&self, name: &str, password: &str) -> Result<String, AccountError> {
        let chars_min = match self.factor(name)? {
            Some(_) => PASSWORD_CHARS_MIN_WITH_FACTOR,
            None => PASSWORD_CHARS_MIN,
        };
        let context = PasswordContext { user: name, host: &self.host, chars_min };
        hash(&password::check(password, context).map_err(AccountError::Password)?)
    }

    /// The credential that a user has now; nothing when there is no such user, or when they may not log in.
    pub fn credential(&self, name: &str) -> Result<Option<CredentialId>, AccountError> {
        let file = self.known()?;
        let user = file.users.get(name).filter(|user| user.can_log_in());
        Ok(user.map(|user| user.credential(name)))
    }

    /// The file's content, read only when the file has changed.
    fn known(&self) -> Result<Arc<File>, AccountError> {
        let id = fs::metadata(&self.path).ok().map(|found| FileId {
            inode: found.ino(),
            size: found.size(),
            changed: (found.mtime(), found.mtime_nsec()),
        });
        let mut last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        match (&*last, id) {
            (Some((known, file)), Some(id)) if *known == id => Ok(file.clone()),
            _ => {
                let file = Arc::new(self.read()?);
                *last = id.map(|id| (id, file.clone()));
                Ok(file)
            }
        }
    }

    fn read(&self) -> Result<File, AccountError> {
        let text = match fs::read_to_string(&self.path) {
            Ok(text) => text,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(File::default()),
            Err(source) => return Err(AccountError::Io { path: self.path.clone(), source }),
        };
        let read = serde_json::from_str(&text);
        let mut file: File =
            read.map_err(|error| AccountError::Format { path: self.path.clone(), what: error.to_string() })?;
        file.index_tokens();
        Ok(file)
    }

    /// Changes the file. Nobody else changes it meanwhile.
    fn update(&self, change: impl FnOnce(&mut File) -> Result<(), AccountError>) -> Result<(), AccountError> {
        let failed = |source| AccountError::Io { path: self.path.clone(), source };
        let _locked = durable::lock(&self.path).map_err(failed)?;
        let mut file = self.read()?;
        let had_administrator = file.has_administrator();
        change(&mut file)?;
        if self.needs_administrator && had_administrator && !file.has_administrator() {
            return Err(AccountError::LastAdministrator);
        }
        self.write(&file)
    }

    /// Replaces the file in one step; only the owner may read it.
    fn write(&self, file: &File) -> Result<(), AccountError> {
        let failed = |source| AccountError::Io { path: self.path.clone(), source };
        let text = serde_json::to_string_pretty(file).map_err(|error| failed(error.into()))?;
        durable::replace(&self.path, text.as_bytes()).map_err(failed)
    }
}

impl Users for Accounts {
    fn id_of(&self, name: &str) -> Option<UserId> {
        // Who cannot be read about is nobody: that gives nobody anything.
        self.id(name).ok().flatten()
    }
}

fn is_false(flag: &bool) -> bool {
    !*flag
}

fn is_zero(number: &u32) -> bool {
    *number == 0
}

/// Draws the letters of an id: 16 of 32 are 80 bits.
fn drawn_id() -> Result<String, AccountError> {
    let mut bytes = [0; 16];
    getrandom::fill(&mut bytes).map_err(|_| AccountError::Random)?;
    Ok(bytes.iter().map(|byte| char::from(ID_ALPHABET[usize::from(byte % 32)])).collect())
}

/// Returns true if a name consists of 1 to 64 allowed characters.
pub fn allowed_name(name: &str) -> bool {
    let allowed = |c: char| c.is_ascii_alphanumeric() || "._@-".contains(c);
    !name.is_empty() && name.len() <= 64 && name.chars().all(allowed)
}

/// Returns true if a password should be hashed again: with other parameters, or by another function, than those of this version.
fn is_outdated(hash: &PasswordHash<'_>) -> bool {
    let present = Params::default();
    let costs = |params: &Params| (params.m_cost(), params.t_cost(), params.p_cost());
    hash.algorithm != ARGON2ID_IDENT
        || hash.version != Some(Version::V0x13.into())
        || !Params::try_from(hash).is_ok_and(|params| costs(&params) == costs(&present))
}

/// Hashes a password with the parameters of this version.
fn hash(password: &str) -> Result<String, AccountError> {
    let mut salt = [0; 16];
    getrandom::fill(&mut salt).map_err(|_| AccountError::Random)?;
    let salt = SaltString::encode_b64(&salt).map_err(|_| AccountError::Random)?;
    let hash = Argon2::default().hash_password(password.as_bytes(), &salt);
    // Only a password that is longer than every limit cannot be hashed.
    let hash = hash.map_err(|_| AccountError::Password(PasswordFault::TooLong))?;
    Ok(hash.to_string())
}

/// Returns a random password, which its user is expected to replace.
pub fn generated_password() -> Result<String, AccountError> {
    let mut password = String::new();
    while password.len() < PASSWORD_LENGTH {
        let mut bytes = [0; 64];
        getrandom::fill(&mut bytes).map_err(|_| AccountError::Random)?;
        password.extend(letters(&bytes));
    }
    password.truncate(PASSWORD_LENGTH);
    Ok(password)
}

/// The letters of a password that random bytes stand for: each letter is equally likely.
fn letters(bytes: &[u8]) -> impl Iterator<Item = char> + '_ {
    // Bytes above the largest multiple of the alphabet's size would make some letters more likely.
    let fair = PASSWORD_ALPHABET.len() * (256 / PASSWORD_ALPHABET.len());
    let fair = bytes.iter().map(|byte| usize::from(*byte)).filter(move |byte| *byte < fair);
    fair.map(|byte| PASSWORD_ALPHABET[byte % PASSWORD_ALPHABET.len()] as char)
}

#[cfg(test)]
mod tests;
