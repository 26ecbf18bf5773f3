//! `duramen user invite`: a link by which a user sets a password.
//!
//! In: a name, the address of the page. Out: the link, once, on standard output; a changed file of users, which has a hash of it.
//! Written to the ledger first, without the link.

use super::record;
use accounts::{AccountError, Accounts, INVITATION_HOURS};
use serde_json::json;
use std::{
    path::Path,
    time::{Duration, SystemTime, UNIX_EPOCH},
};

/// Makes an invitation of a user, who is added if there is none of that name, and prints its link.
pub(super) fn make(data: &Path, accounts: &Accounts, name: &str, url: &str) -> Result<(), AccountError> {
    let now_s = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or(Duration::ZERO).as_secs();
    let is_new = !accounts.exists(name);
    let action = if is_new { "add-user" } else { "invite-user" };
    record::append(data, action, "", json!({"user": name}))?;
    let made = match is_new {
        true => accounts.add_invited(name, now_s),
        false => accounts.invite(name, now_s),
    };
    let invitation = record::failure(data, action, name, made)?;
    outln!("{}/invitation#{}", url.trim_end_matches('/'), invitation.text);
    errln!("The link is shown only once, valid for {INVITATION_HOURS} hours, and for one password.");
    if is_new {
        errln!("{name} may see nothing yet: duramen user grant {name} LOGSPACE search");
    }
    Ok(())
}
