//! Signs people in, and looks up whether they still may.
//!
//! In: a name and a password, or an id. Out: the person with their rights, or the step that failed. Holds: when servers failed last.
//! Limits: exactly one entry has the name; a server that failed within [`AVOID_FOR`] is tried after the others; each connection is
//! used once.

use crate::{
    connection::{Bound, Connection},
    error::{DirectoryError, ServerError, SignInError},
    groups,
    options::LdapOptions,
    person::{Person, STATE_ATTRIBUTES, attribute_is_binary},
};
use accounts::{DirectoryRights, allowed_name};
use ldap3::SearchEntry;
use std::{
    sync::{Arc, Mutex, PoisonError},
    time::{Duration, Instant},
};
use transport::tls::ClientTls;

/// Time for which a server that failed is tried after the others.
const AVOID_FOR: Duration = Duration::from_secs(60);
const USER_STEP: &str = "the search for the user";

/// A directory.
pub struct Ldap {
    options: LdapOptions,
    tls: Option<Arc<ClientTls>>,
    /// When each server failed last.
    failed: Mutex<Vec<Option<Instant>>>,
}

/// The person to look up.
#[derive(Clone, Copy, Debug)]
pub enum PersonKey<'k> {
    /// By the name that they type.
    Name(&'k str),
    /// By the id that they keep.
    Id(&'k str),
}

impl Ldap {
    /// Reads the certificates that the options name.
    pub fn new(options: LdapOptions) -> Result<Ldap, DirectoryError> {
        let is_encrypted =
            !options.allows_plain || options.servers.iter().any(|server| server.url.starts_with("ldaps:"));
        let tls = match is_encrypted {
            true => Some(Arc::new(ClientTls::load(&options.tls).map_err(DirectoryError::Tls)?)),
            false => None,
        };
        let failed = Mutex::new(vec![None; options.servers.len()]);
        Ok(Ldap { options, tls, failed })
    }

    /// The options.
    pub fn options(&self) -> &LdapOptions {
        &self.options
    }

    /// Checks a name and a password, and finds the rights of the person.
    pub async fn sign_in(
        &self,
        name: &str,
        password: &str,
    ) -> Result<(Person, DirectoryRights), SignInError> {
        let wrong = |reason: &str| SignInError::Wrong { reason: reason.to_owned() };
        if password.is_empty() {
            return Err(wrong("an empty password is never right"));
        }
        if !allowed_name(name) {
            return Err(wrong("no account can have this name"));
        }
        let mut connection = self.connect().await?;
        connection.bind_service(&self.options).await?;
        let found = self.find(&mut connection, PersonKey::Name(name)).await?;
        let Some(entry) = found else {
            // It takes as long as for somebody who is there, as far as that is in our hands.
            let _ = connection.bind(&self.nobody(), password).await?;
            return Err(wrong("nobody below base() passes the filter with this name"));
        };
        if let Bound::Refused(reason) = connection.bind(&entry.dn, password).await? {
            return Err(SignInError::Wrong {
                reason: format!("the bind as {} is refused: {reason}", entry.dn),
            });
        }
        // Groups are read with the rights of the service account, as they are when they are read again.
        connection.bind_service(&self.options).await?;
        let person = self.person(&mut connection, &entry).await?;
        if person.is_disabled {
            return Err(SignInError::Wrong { reason: format!("{} is disabled", person.entry) });
        }
        match person.rights.clone() {
            Some(rights) => Ok((person, rights)),
            None => Err(SignInError::NoGroup { entry: person.entry }),
        }
    }

    /// Looks up a person with their rights; nothing when nobody is found.
    pub async fn look_up(&self, wanted: PersonKey<'_>) -> Result<Option<Person>, DirectoryError> {
        let mut connection = self.connect().await?;
        connection.bind_service(&self.options).await?;
        match self.find(&mut connection, wanted).await? {
            Some(entry) => Ok(Some(self.person(&mut connection, &entry).await?)),
            None => Ok(None),
        }
    }

    /// A name that nobody has.
    fn nobody(&self) -> String {
        let attribute = self.options.name_attributes.first().map_or("uid", String::as_str);
        format!("{attribute}=nobody.has.this.name,{}", self.options.base)
    }

    /// Connects to the first server that answers.
    async fn connect(&self) -> Result<Connection, DirectoryError> {
        let mut errors = Vec::new();
        for index in self.order(Instant::now()) {
            let Some(server) = self.options.servers.get(index) else { continue };
            match Connection::open(server, &self.options, self.tls.as_ref()).await {
                Ok(connection) => {
                    self.note(index, None);
                    return Ok(connection);
                }
                Err(error) => {
                    self.note(index, Some(Instant::now()));
                    errors.push(ServerError { server: server.url.clone(), reason: error.to_string() });
                }
            }
        }
        Err(DirectoryError::NoServer(errors))
    }

    /// The servers in the order in which they are tried now.
    fn order(&self, now: Instant) -> Vec<usize> {
        let failed = self.failed.lock().unwrap_or_else(PoisonError::into_inner);
        let is_avoided =
            |at: &Option<Instant>| at.is_some_and(|at| now.saturating_duration_since(at) < AVOID_FOR);
        let mut order: Vec<usize> = (0..failed.len()).collect();
        order.sort_by_key(|index| failed.get(*index).is_some_and(is_avoided));
        order
    }

    fn note(&self, index: usize, failed_at: Option<Instant>) {
        let mut failed = self.failed.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(slot) = failed.get_mut(index) {
            *slot = failed_at;
        }
    }

    /// Finds the one entry.
    async fn find(
        &self,
        connection: &mut Connection,
        wanted: PersonKey<'_>,
    ) -> Result<Option<SearchEntry>, DirectoryError> {
        let options = &self.options;
        let filter = format!("(&{}{})", options.filter, condition(options, wanted));
        let named = options.name_attributes.iter().map(String::as_str);
        let attributes: Vec<&str> =
            named.chain([options.id_attribute.as_str()]).chain(STATE_ATTRIBUTES).collect();
        let mut found = connection.search(&options.base, &filter, &attributes, 1, USER_STEP).await?;
        match found.len() {
            0 | 1 => Ok(found.pop()),
            _ => Err(DirectoryError::Several { attributes: compared(options, wanted) }),
        }
    }

    /// Reads an entry, its groups, and the rights that these give.
    async fn person(
        &self,
        connection: &mut Connection,
        entry: &SearchEntry,
    ) -> Result<Person, DirectoryError> {
        let mut person = Person::read(entry, &self.options)?;
        person.groups = groups::of(connection, &self.options, entry, &person).await?;
        person.rights = self.options.rules.rights(person.groups.iter().map(String::as_str));
        Ok(person)
    }
}

fn compared(options: &LdapOptions, wanted: PersonKey<'_>) -> String {
    match wanted {
        PersonKey::Name(_) => options.name_attributes.join(" or "),
        PersonKey::Id(_) => options.id_attribute.clone(),
    }
}

/// The condition that only the wanted person meets.
fn condition(options: &LdapOptions, wanted: PersonKey<'_>) -> String {
    match wanted {
        PersonKey::Name(name) => {
            let each: String =
                options.name_attributes.iter().map(|attribute| groups::equals(attribute, name)).collect();
            format!("(|{each})")
        }
        PersonKey::Id(id) if attribute_is_binary(&options.id_attribute) => {
            // Each byte as `\xx`.
            let bytes: String =
                id.as_bytes().chunks(2).map(|pair| format!("\\{}", String::from_utf8_lossy(pair))).collect();
            format!("({}={bytes})", options.id_attribute)
        }
        PersonKey::Id(id) => groups::equals(&options.id_attribute, id),
    }
}

#[cfg(test)]
pub(crate) mod tests;
