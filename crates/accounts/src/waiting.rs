//! Log-ins that wait for a code of the second factor, and second factors that are being enrolled.
//!
//! In: right passwords, secrets, with the time as an argument. Out: the user of a ticket, the secret of an enrolment. Holds: both, in
//! memory only: after a restart one begins again with the password.
//! Limits: a ticket is valid for [`LOGIN_FOR`] and [`CODE_ATTEMPTS_MAX`] codes, a secret that is not confirmed for [`ENROLMENT_FOR`]; at most
//! [`WAITING_MAX`] of each, the oldest is forgotten.

use crate::{CredentialId, Secret, TokenHash};
use std::{
    collections::HashMap,
    hash::Hash,
    time::{Duration, Instant},
};

/// Time within which the code has to come after the password.
const LOGIN_FOR: Duration = Duration::from_secs(300);
/// Codes that may be tried after one right password.
pub const CODE_ATTEMPTS_MAX: u32 = 5;
/// Time within which a new secret has to be confirmed.
const ENROLMENT_FOR: Duration = Duration::from_secs(600);
/// Most log-ins that wait, and most enrolments.
const WAITING_MAX: usize = 1_000;

struct Login {
    user: String,
    credential: CredentialId,
    since: Instant,
    attempts: u32,
}

struct Enrolment {
    secret: Secret,
    since: Instant,
}

/// Log-ins and enrolments that wait for codes.
#[derive(Default)]
pub struct SecondFactors {
    logins: HashMap<TokenHash, Login>,
    enrolments: HashMap<String, Enrolment>,
}

impl SecondFactors {
    /// Notes that a user has given the right password, under a fresh random ticket.
    pub fn begin_login(&mut self, ticket: &str, user: &str, credential: CredentialId, now: Instant) {
        make_room(&mut self.logins, |login| login.since, LOGIN_FOR, now);
        let login = Login { user: user.to_owned(), credential, since: now, attempts: 0 };
        self.logins.insert(TokenHash::of(ticket), login);
    }

    /// Counts an attempt with a code; returns the user of the ticket, and nothing when it is not valid any more.
    pub fn attempt(&mut self, ticket: &str, now: Instant) -> Option<(String, CredentialId)> {
        let hash = TokenHash::of(ticket);
        let login = self.logins.get_mut(&hash)?;
        login.attempts += 1;
        let is_valid =
            now.saturating_duration_since(login.since) < LOGIN_FOR && login.attempts <= CODE_ATTEMPTS_MAX;
        if !is_valid {
            self.logins.remove(&hash);
            return None;
        }
        Some((login.user.clone(), login.credential))
    }

    /// Ends a ticket: its code was accepted.
    pub fn end_login(&mut self, ticket: &str) {
        self.logins.remove(&TokenHash::of(ticket));
    }

    /// Keeps a secret of a user until its app has shown a code; an earlier one is forgotten.
    pub fn begin_enrolment(&mut self, user: &str, secret: Secret, now: Instant) {
        make_room(&mut self.enrolments, |enrolment| enrolment.since, ENROLMENT_FOR, now);
        self.enrolments.insert(user.to_owned(), Enrolment { secret, since: now });
    }

    /// Returns the secret that a user enrols.
    pub fn enrolment(&self, user: &str, now: Instant) -> Option<Secret> {
        let enrolment = self.enrolments.get(user)?;
        let is_valid = now.saturating_duration_since(enrolment.since) < ENROLMENT_FOR;
        is_valid.then(|| enrolment.secret.clone())
    }

    /// Forgets the secret that a user enrols.
    pub fn end_enrolment(&mut self, user: &str) {
        self.enrolments.remove(user);
    }
}

/// Forgets what is too old, and the oldest when there is no room for another.
fn make_room<K: Eq + Hash + Clone, V>(
    waiting: &mut HashMap<K, V>,
    since: impl Fn(&V) -> Instant,
    valid_for: Duration,
    now: Instant,
) {
    waiting.retain(|_, one| now.saturating_duration_since(since(one)) < valid_for);
    if waiting.len() >= WAITING_MAX {
        let oldest = waiting.iter().min_by_key(|(_, one)| since(one)).map(|(key, _)| key.clone());
        oldest.map(|key| waiting.remove(&key));
    }
}

#[cfg(test)]
mod tests {
    //! Tickets that are used, too old, tried too often, and too many.

    use super::*;

    const CREDENTIAL: CredentialId = CredentialId([7; 32]);

    #[test]
    fn a_ticket_is_valid_for_some_codes_and_minutes() {
        let (mut factors, now) = (SecondFactors::default(), Instant::now());
        factors.begin_login("a", "eva", CREDENTIAL, now);
        assert_eq!(factors.attempt("b", now), None);
        for _ in 0..CODE_ATTEMPTS_MAX {
            assert_eq!(factors.attempt("a", now), Some(("eva".to_owned(), CREDENTIAL)));
        }
        assert_eq!(factors.attempt("a", now), None);
        factors.begin_login("c", "eva", CREDENTIAL, now);
        assert_eq!(factors.attempt("c", now + LOGIN_FOR), None);
        factors.begin_login("d", "eva", CREDENTIAL, now);
        factors.end_login("d");
        assert_eq!(factors.attempt("d", now), None);
    }

    #[test]
    fn a_secret_waits_for_its_code_and_the_oldest_makes_room() {
        let (mut factors, now) = (SecondFactors::default(), Instant::now());
        let secret = Secret::draw().unwrap();
        factors.begin_enrolment("eva", secret.clone(), now);
        assert_eq!(factors.enrolment("eva", now).unwrap().text(), secret.text());
        assert!(factors.enrolment("eva", now + ENROLMENT_FOR).is_none());
        for number in 0..WAITING_MAX {
            let later = now + Duration::from_millis(1 + number as u64);
            factors.begin_enrolment(&number.to_string(), Secret::draw().unwrap(), later);
        }
        assert!(factors.enrolment("eva", now).is_none() && factors.enrolment("0", now).is_some());
        assert_eq!(factors.enrolments.len(), WAITING_MAX);
        factors.end_enrolment("0");
        assert!(factors.enrolment("0", now).is_none());
    }
}
