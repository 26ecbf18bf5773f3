//! Invitations: how a new user, or one who has forgotten the password, sets one that nobody else knows.
//!
//! In: names, the time as an argument. Out: the text of an invitation, once; the user that it is for. Holds nothing.
//! Limits: one for each user, valid for [`INVITATION_HOURS`] and for one password; the file of users has a hash of the text.
//! A lock, another password and another invitation end it.

use super::{AccountError, Accounts, NAME_RULE, StoredInvitation, User, allowed_name, drawn_id};
use crate::api_tokens::hex;
use aws_lc_rs::{constant_time::verify_slices_are_equal, digest};
use std::fmt;

/// Hours for which an invitation is valid.
pub const INVITATION_HOURS: u64 = 72;
/// Random bytes of the text of an invitation.
const TEXT_BYTES: usize = 32;

/// An invitation that has just been made: its text is shown once.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct NewInvitation {
    /// The text, in hexadecimal.
    pub text: String,
    /// Seconds since 1970 when it ends.
    pub expires_s: u64,
}

/// The reasons for which an invitation is refused. Only who has its text learns that it is too old.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum InvitationFault {
    /// There is none of this text: it was used, withdrawn, replaced, or never made.
    Unknown,
    /// It is too old.
    Expired,
}

impl fmt::Display for InvitationFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            InvitationFault::Unknown => {
                "this invitation is not valid: it was used, replaced by another, or not copied completely; \
                 ask an administrator for a new one"
            }
            InvitationFault::Expired => "this invitation is too old: ask an administrator for a new one",
        })
    }
}

fn draw(now_s: u64) -> Result<(StoredInvitation, NewInvitation), AccountError> {
    let mut bytes = [0; TEXT_BYTES];
    getrandom::fill(&mut bytes).map_err(|_| AccountError::Random)?;
    let text = hex(&bytes);
    let expires_s = now_s.saturating_add(INVITATION_HOURS * 3_600);
    Ok((StoredInvitation { sha256: hash(&text), expires_s }, NewInvitation { text, expires_s }))
}

fn hash(text: &str) -> String {
    hex(digest::digest(&digest::SHA256, text.as_bytes()).as_ref())
}

impl User {
    /// Returns true if the user has an invitation of this hash, whether it is too old or not.
    fn is_invited_by(&self, hash: &str) -> bool {
        let is_this = |invitation: &StoredInvitation| {
            verify_slices_are_equal(invitation.sha256.as_bytes(), hash.as_bytes()).is_ok()
        };
        !self.locked && self.invitation.as_ref().is_some_and(is_this)
    }
}

impl Accounts {
    /// Adds a user without a password and without rights, with an invitation to set a password.
    pub fn add_invited(&self, name: &str, now_s: u64) -> Result<NewInvitation, AccountError> {
        if !allowed_name(name) {
            return Err(AccountError::Refused(NAME_RULE));
        }
        let (invitation, new) = draw(now_s)?;
        self.insert(name, User { invitation: Some(invitation), ..User::new(drawn_id()?, String::new()) })?;
        Ok(new)
    }

    /// Makes an invitation for a user, to set another password; an earlier one is not valid any more.
    pub fn invite(&self, name: &str, now_s: u64) -> Result<NewInvitation, AccountError> {
        let (invitation, new) = draw(now_s)?;
        self.update(|file| {
            let user = file.user(name)?;
            if user.locked {
                return Err(AccountError::Refused("the user is locked out: unlock them first"));
            }
            if user.directory.is_some() {
                return Err(AccountError::OfDirectory);
            }
            user.invitation = Some(invitation);
            Ok(())
        })?;
        Ok(new)
    }

    /// Returns the user that an invitation is for, and when it ends in seconds since 1970.
    pub fn invited(&self, text: &str, now_s: u64) -> Result<(String, u64), AccountError> {
        let (file, hash) = (self.known()?, hash(text));
        let found = file.users.iter().find(|(_, user)| user.is_invited_by(&hash));
        let found = found.and_then(|(name, user)| Some((name.clone(), user.invitation.as_ref()?.expires_s)));
        match found {
            None => Err(AccountError::Invitation(InvitationFault::Unknown)),
            Some((_, expires_s)) if now_s >= expires_s => {
                Err(AccountError::Invitation(InvitationFault::Expired))
            }
            Some(invited) => Ok(invited),
        }
    }

    /// Sets the password of the user that an invitation is for, and uses the invitation up; returns the name of the user.
    pub fn accept_invitation(&self, text: &str, password: &str, now_s: u64) -> Result<String, AccountError> {
        let (name, _) = self.invited(text, now_s)?;
        let password = self.hashed(&name, password)?;
        let hash = hash(text);
        self.update(|file| {
            let user = file.user(&name)?;
            // Somebody else may have used it meanwhile.
            if !user.is_invited_by(&hash) {
                return Err(AccountError::Invitation(InvitationFault::Unknown));
            }
            user.replace_password(password);
            Ok(())
        })?;
        Ok(name)
    }
}

#[cfg(test)]
mod tests;
