//! A session with one server of a directory.
//!
//! In: a server, options. Out: binds and searches, or the step that failed. Holds: the connection, which a task of its own drives and
//! which ends when this is dropped.
//! Limits: a time for the connection with its handshake, and for each request. Referrals are not followed: they would take passwords to
//! other hosts.

use crate::{
    error::{DirectoryError, answer, reason},
    options::{LdapOptions, Security, Server},
};
use ldap3::{
    Ldap, LdapConnAsync, LdapConnSettings, LdapError, Scope, SearchEntry, SearchOptions,
    adapters::{Adapter, EntriesOnly, PagedResults},
};
use std::{fmt, fs, io, sync::Arc, time::Duration};
use transport::tls::ClientTls;

/// Entries of a page: Active Directory sends 1,000 at most.
const PAGE_ENTRIES: i32 = 500;
/// Longest password file.
const PASSWORD_BYTES_MAX: usize = 4_096;

/// The outcome of a bind.
pub(crate) enum Bound {
    /// The server accepts the name and the password.
    Accepted,
    /// It does not: its answer.
    Refused(String),
}

/// A connection that cannot be opened.
#[derive(Debug)]
pub(crate) struct ConnectError(LdapError);

impl From<LdapError> for ConnectError {
    fn from(error: LdapError) -> ConnectError {
        ConnectError(error)
    }
}

impl fmt::Display for ConnectError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            LdapError::LdapResult { result } => write!(
                f,
                "StartTLS is refused, and passwords are not sent without it ({}); use ldaps:// if the server offers that",
                answer(result)
            ),
            other => f.write_str(&reason(other)),
        }
    }
}

impl std::error::Error for ConnectError {}

/// A session.
pub(crate) struct Connection {
    ldap: Ldap,
    server: String,
    timeout: Duration,
}

impl Connection {
    /// Connects, and encrypts the connection.
    pub(crate) async fn open(
        server: &Server,
        options: &LdapOptions,
        tls: Option<&Arc<ClientTls>>,
    ) -> Result<Connection, ConnectError> {
        let is_plain = server.security == Security::StartTls && options.allows_plain;
        let mut settings = LdapConnSettings::new()
            .set_conn_timeout(options.timeout)
            .set_starttls(server.security == Security::StartTls && !is_plain);
        if let Some(tls) = tls {
            settings = settings.set_config(Arc::clone(tls.config()));
        }
        let opened = LdapConnAsync::with_settings(settings, &server.url).await;
        let (connection, ldap) = opened?;
        tokio::spawn(async move {
            // A connection that breaks shows in the request that waits for its answer.
            let _ = connection.drive().await;
        });
        Ok(Connection { ldap, server: server.url.clone(), timeout: options.timeout })
    }

    /// Binds as the service account, or stays anonymous when there is none.
    pub(crate) async fn bind_service(&mut self, options: &LdapOptions) -> Result<(), DirectoryError> {
        if options.bind_dn.is_empty() {
            return match self.bind_with("", "", "the anonymous bind").await? {
                Bound::Accepted => Ok(()),
                Bound::Refused(reason) => Err(self.failed("the anonymous bind", reason)),
            };
        }
        let password = service_password(options)?;
        match self.bind_with(&options.bind_dn, &password, "the bind of the service account").await? {
            Bound::Accepted => Ok(()),
            Bound::Refused(reason) => {
                let reason = format!("{reason}: check bind-dn() and the password in password-file()");
                Err(self.failed("the bind of the service account", reason))
            }
        }
    }

    /// Binds as a person. The password is not empty: a server would take that for an anonymous bind, and accept it (RFC 4513, 5.1.2).
    pub(crate) async fn bind(&mut self, dn: &str, password: &str) -> Result<Bound, DirectoryError> {
        if dn.is_empty() || password.is_empty() {
            return Ok(Bound::Refused("an empty name or password".to_owned()));
        }
        self.bind_with(dn, password, "the bind of the user").await
    }

    async fn bind_with(
        &mut self,
        dn: &str,
        password: &str,
        step: &'static str,
    ) -> Result<Bound, DirectoryError> {
        let answered = self.ldap.with_timeout(self.timeout).simple_bind(dn, password).await;
        let result = answered.map_err(|error| self.failed(step, reason(&error)))?;
        match result.rc {
            0 => Ok(Bound::Accepted),
            // The server could not decide.
            1 | 2 | 3 | 7 | 8 | 10 | 13 | 51 | 52 | 80 => Err(self.failed(step, answer(&result))),
            _ => Ok(Bound::Refused(answer(&result))),
        }
    }

    /// Searches below a base; at most `most` entries, and one more to show that there are too many.
    pub(crate) async fn search(
        &mut self,
        base: &str,
        filter: &str,
        attributes: &[&str],
        most: usize,
        step: &'static str,
    ) -> Result<Vec<SearchEntry>, DirectoryError> {
        let found = self.entries(base, filter, attributes, most).await;
        found.map_err(|error| self.failed(step, reason(&error)))
    }

    async fn entries(
        &mut self,
        base: &str,
        filter: &str,
        attributes: &[&str],
        most: usize,
    ) -> Result<Vec<SearchEntry>, LdapError> {
        let attributes: Vec<String> = attributes.iter().map(|name| (*name).to_owned()).collect();
        let adapters: Vec<Box<dyn Adapter<_, _>>> =
            vec![Box::new(EntriesOnly::new()), Box::new(PagedResults::new(PAGE_ENTRIES))];
        let limit = SearchOptions::new().timelimit(self.timeout.as_secs().try_into().unwrap_or(i32::MAX));
        let begun = self
            .ldap
            .with_timeout(self.timeout)
            .with_search_options(limit)
            .streaming_search_with(adapters, base, Scope::Subtree, filter, attributes)
            .await;
        let mut stream = begun?;
        let mut entries = Vec::new();
        while let Some(entry) = stream.next().await? {
            entries.push(SearchEntry::construct(entry));
            if entries.len() > most {
                // The rest is not read: the connection is not used for anything else afterwards.
                return Ok(entries);
            }
        }
        stream.finish().await.success()?;
        Ok(entries)
    }

    pub(crate) fn failed(&self, step: &'static str, reason: String) -> DirectoryError {
        DirectoryError::Request { server: self.server.clone(), step, reason }
    }
}

/// Reads the password of the service account, without the end of its line.
fn service_password(options: &LdapOptions) -> Result<String, DirectoryError> {
    let Some(path) = &options.password_file else { return Ok(String::new()) };
    let failed = |source| DirectoryError::PasswordFile { path: path.clone(), source };
    let invalid = |what: &str| failed(io::Error::new(io::ErrorKind::InvalidData, what));
    let text = fs::read_to_string(path).map_err(failed)?;
    let password = text.trim_end_matches(['\n', '\r']);
    if password.is_empty() {
        return Err(invalid("the file is empty"));
    }
    if password.len() > PASSWORD_BYTES_MAX {
        return Err(invalid("the file is too long for a password"));
    }
    Ok(password.to_owned())
}
