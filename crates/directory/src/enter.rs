//! Lets a person in: what the directory says becomes their account.
//!
//! In: a name and a password, the file of users, the time as an argument. Out: the account with its credential, or why there is none.
//! Holds nothing. An answer that cannot be read ends the task that reads it, and nothing else.

use crate::{
    error::{DirectoryError, SignInError},
    ldap::Ldap,
};
use accounts::{AccountChange, AccountError, Accounts, CredentialId};
use std::sync::Arc;

/// A person who is let in.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Entered {
    /// Name of the account.
    pub account: String,
    /// Its credential.
    pub credential: CredentialId,
    /// The effect on the account of what the directory says.
    pub change: AccountChange,
}

/// The reasons for which a person is not let in.
#[derive(Debug)]
pub enum EnterError {
    /// The name or the password is wrong, or an administrator has locked the account.
    Wrong,
    /// The password is right, but there is no right to be here, for this reason.
    Denied(&'static str),
    /// The entry cannot be an account.
    Unusable(DirectoryError),
    /// The directory cannot be asked.
    Unavailable(DirectoryError),
    /// The file of users cannot be used.
    Accounts(AccountError),
    /// A task ended by a bug.
    Bug,
}

impl Ldap {
    /// Signs a person in, and takes over what the directory says of them.
    pub async fn enter(
        self: &Arc<Self>,
        accounts: &Accounts,
        (name, password): (&str, &str),
        now_s: u64,
    ) -> Result<Entered, EnterError> {
        let (ldap, typed, secret) = (Arc::clone(self), name.to_owned(), password.to_owned());
        let answered = tokio::spawn(async move { ldap.sign_in(&typed, &secret).await }).await;
        let (person, rights) = answered.map_err(|_| EnterError::Bug)?.map_err(|error| match error {
            SignInError::Wrong { .. } => EnterError::Wrong,
            SignInError::NoGroup { .. } => {
                EnterError::Denied("you are in no group that has rights on this server")
            }
            SignInError::Unavailable(error) if error.is_of_one_entry() => EnterError::Unusable(error),
            SignInError::Unavailable(error) => EnterError::Unavailable(error),
        })?;
        let accounts = accounts.clone();
        let taken = tokio::task::spawn_blocking(move || {
            let (account, change) = accounts.signed_in_by_directory(&person.with(&rights), now_s)?;
            Ok((accounts.credential(&account)?, account, change))
        });
        match taken.await.map_err(|_| EnterError::Bug)? {
            Ok((None, ..)) => Err(EnterError::Wrong),
            Ok((Some(credential), account, change)) => Ok(Entered { account, credential, change }),
            Err(AccountError::Taken(reason)) => Err(EnterError::Denied(reason)),
            Err(error) => Err(EnterError::Accounts(error)),
        }
    }
}
