//! Reads the rights of accounts again while their sessions last.
//!
//! In: accounts, the directory, the time as arguments. Out: changed accounts, and what became of each. Holds: when a directory that could
//! not be asked is asked again.
//! Limits: an account is read again after `recheck()`. While the directory cannot be asked its rights hold for `keep-rights()`, then it is
//! suspended. A directory that failed is asked again after [`RETRY_S`].

use crate::{
    error::DirectoryError,
    ldap::{Ldap, PersonKey},
    person::LDAP,
};
use accounts::{AccountChange, AccountError, Accounts, DirectoryAccount, DirectoryState};

/// Seconds before a directory that failed is asked again.
const RETRY_S: u64 = 30;

/// The outcome for an account, or of the attempt.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Refreshed {
    /// The account has other rights than before.
    Rights {
        /// Name of the account.
        account: String,
    },
    /// The account is suspended.
    Suspended {
        /// Name of the account.
        account: String,
        /// Why.
        state: DirectoryState,
    },
    /// The directory could not be asked, for this reason.
    Unavailable {
        /// The reason.
        reason: String,
    },
}

/// The rights of accounts, read again from time to time.
#[derive(Default)]
pub struct Refresher {
    not_before_s: u64,
}

impl Refresher {
    /// Reads the rights of the accounts that are due. Without a directory all its accounts are suspended: the configuration
    /// does not name it any more.
    pub async fn refresh(
        &mut self,
        ldap: Option<&Ldap>,
        accounts: &Accounts,
        now_s: u64,
    ) -> Result<Vec<Refreshed>, AccountError> {
        let mut known = accounts.directory_accounts()?;
        known.retain(|one| {
            one.source == LDAP && matches!(one.state, DirectoryState::Active | DirectoryState::Unchecked)
        });
        let mut done = Vec::new();
        let Some(ldap) = ldap else {
            for one in known {
                suspend(accounts, &one, DirectoryState::Unchecked, &mut done)?;
            }
            return Ok(done);
        };
        let options = ldap.options();
        let recheck_s = options.recheck.as_secs();
        // A time in the future is that of another clock.
        let age_s = |one: &DirectoryAccount| now_s.checked_sub(one.checked_s).unwrap_or(u64::MAX);
        if now_s >= self.not_before_s {
            for one in known.iter().filter(|one| age_s(one) >= recheck_s) {
                match check(ldap, accounts, one, now_s, &mut done).await? {
                    None => {}
                    Some(error) => {
                        done.push(Refreshed::Unavailable { reason: error.to_string() });
                        if !error.is_of_one_entry() {
                            self.not_before_s = now_s.saturating_add(RETRY_S.min(recheck_s));
                            break;
                        }
                    }
                }
            }
            known = accounts.directory_accounts()?;
        }
        let keep_s = options.keep_rights.as_secs();
        for one in known.iter().filter(|one| one.source == LDAP && one.state == DirectoryState::Active) {
            if age_s(one) >= keep_s.max(recheck_s) {
                suspend(accounts, one, DirectoryState::Unchecked, &mut done)?;
            }
        }
        Ok(done)
    }
}

/// Looks an account up; returns the error when that could not be done.
async fn check(
    ldap: &Ldap,
    accounts: &Accounts,
    one: &DirectoryAccount,
    now_s: u64,
    done: &mut Vec<Refreshed>,
) -> Result<Option<DirectoryError>, AccountError> {
    let person = match ldap.look_up(PersonKey::Id(&one.subject)).await {
        Ok(person) => person,
        Err(error) => return Ok(Some(error)),
    };
    let Some(person) = person.filter(|person| !person.is_disabled) else {
        suspend(accounts, one, DirectoryState::Gone, done)?;
        return Ok(None);
    };
    let Some(rights) = &person.rights else {
        suspend(accounts, one, DirectoryState::NoGroup, done)?;
        return Ok(None);
    };
    if accounts.checked_by_directory(&person.with(rights), now_s)? != AccountChange::None {
        done.push(Refreshed::Rights { account: one.account.clone() });
    }
    Ok(None)
}

fn suspend(
    accounts: &Accounts,
    one: &DirectoryAccount,
    state: DirectoryState,
    done: &mut Vec<Refreshed>,
) -> Result<(), AccountError> {
    if one.state == state {
        return Ok(());
    }
    match accounts.suspend_by_directory(&one.account, state) {
        // It was removed meanwhile.
        Err(AccountError::Name(_)) => return Ok(()),
        outcome => outcome?,
    }
    done.push(Refreshed::Suspended { account: one.account.clone(), state });
    Ok(())
}

#[cfg(test)]
mod tests {
    //! Directories that are away, for a short time and for a long one, or not configured any more.

    use super::*;
    use crate::{LdapOptions, rules::GroupRules};
    use accounts::{DirectoryRights, DirectoryUser};
    use std::{net::TcpListener, time::Duration};

    fn away(recheck: u64, keep: u64) -> Ldap {
        let address = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
        Ldap::new(LdapOptions {
            servers: vec![format!("ldap://{address}").parse().unwrap()],
            recheck: Duration::from_secs(recheck),
            keep_rights: Duration::from_secs(keep),
            rules: GroupRules::default(),
            ..crate::ldap::tests::options()
        })
        .unwrap()
    }

    struct Bench {
        accounts: Accounts,
        refresher: Refresher,
        _folder: tempfile::TempDir,
    }

    impl Bench {
        /// The account `eva` of a directory that was read at second 1,000.
        fn new() -> Bench {
            let folder = tempfile::tempdir().unwrap();
            let accounts = Accounts::at(&folder.path().join("users.json"));
            let rights = DirectoryRights::default();
            let person = DirectoryUser { source: LDAP, subject: "1", name: "eva", rights: &rights };
            accounts.signed_in_by_directory(&person, 1_000).unwrap();
            Bench { accounts, refresher: Refresher::default(), _folder: folder }
        }

        fn at(&mut self, ldap: Option<&Ldap>, now_s: u64) -> Vec<&'static str> {
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
            let done = runtime.block_on(self.refresher.refresh(ldap, &self.accounts, now_s)).unwrap();
            let shown = |one: &Refreshed| match one {
                Refreshed::Rights { .. } => "rights",
                Refreshed::Suspended { state: DirectoryState::Unchecked, .. } => "unchecked",
                Refreshed::Suspended { .. } => "suspended",
                Refreshed::Unavailable { .. } => "unavailable",
            };
            done.iter().map(shown).collect()
        }

        fn may_sign_in(&self) -> bool {
            self.accounts.credential("eva").unwrap().is_some()
        }
    }

    #[test]
    fn rights_hold_for_a_limited_time_while_the_directory_is_away() {
        let (mut bench, ldap) = (Bench::new(), away(900, 3_600));
        assert_eq!(bench.at(Some(&ldap), 1_899), [""; 0], "not due yet");
        assert_eq!(bench.at(Some(&ldap), 1_900), ["unavailable"]);
        assert_eq!(bench.at(Some(&ldap), 1_901), [""; 0], "it is not asked all the time");
        assert_eq!(bench.at(Some(&ldap), 1_930), ["unavailable"]);
        assert!(bench.may_sign_in());
        assert_eq!(bench.at(Some(&ldap), 4_600), ["unavailable", "unchecked"]);
        assert!(!bench.may_sign_in());
        assert_eq!(bench.at(Some(&ldap), 4_630), ["unavailable"], "it is looked for again, for its tokens");
    }

    #[test]
    fn a_clock_that_was_set_back_does_not_make_rights_last() {
        let (mut bench, ldap) = (Bench::new(), away(900, 3_600));
        assert_eq!(bench.at(Some(&ldap), 10), ["unavailable", "unchecked"]);
    }

    #[test]
    fn accounts_of_a_directory_that_is_not_configured_are_suspended() {
        let mut bench = Bench::new();
        bench.accounts.add("bob", "quite long enough").unwrap();
        assert_eq!(bench.at(None, 1_001), ["unchecked"]);
        assert_eq!(bench.at(None, 1_002), [""; 0]);
        assert!(!bench.may_sign_in() && bench.accounts.credential("bob").unwrap().is_some());
    }
}
