//! Invitations in a file of users.

use crate::{AccountError, INVITATION_HOURS, InvitationFault, accounts::tests::accounts};

const NOW_S: u64 = 1_800_000_000;
const PASSWORD: &str = "quite long enough";

#[track_caller]
fn refused<T: std::fmt::Debug>(outcome: Result<T, AccountError>, want: InvitationFault) {
    match outcome {
        Err(AccountError::Invitation(fault)) => assert_eq!(fault, want),
        other => panic!("{other:?}"),
    }
}

#[test]
fn an_invitation_sets_one_password() {
    let (folder, accounts) = accounts();
    let new = accounts.add_invited("eva", NOW_S).unwrap();
    assert_eq!((new.text.len(), new.expires_s), (64, NOW_S + INVITATION_HOURS * 3_600));
    assert_eq!(accounts.invited(&new.text, NOW_S).unwrap(), ("eva".to_owned(), new.expires_s));
    for password in ["", PASSWORD] {
        assert!(accounts.verify("eva", password).unwrap().is_none(), "nobody logs in without a password");
    }
    assert!(accounts.credential("eva").unwrap().is_none());
    let kept = std::fs::read_to_string(folder.path().join("users.json")).unwrap();
    assert!(!kept.contains(&new.text) && kept.contains("sha256"), "{kept}");
    assert!(matches!(accounts.accept_invitation(&new.text, "short", NOW_S), Err(AccountError::Password(_))));
    assert_eq!(accounts.accept_invitation(&new.text, PASSWORD, NOW_S).unwrap(), "eva");
    assert!(accounts.verify("eva", PASSWORD).unwrap().is_some());
    refused(accounts.accept_invitation(&new.text, "another long one", NOW_S), InvitationFault::Unknown);
    refused(accounts.invited(&new.text, NOW_S), InvitationFault::Unknown);
    assert!(accounts.verify("eva", PASSWORD).unwrap().is_some(), "the password stays");
}

#[test]
fn an_invitation_ends_by_itself_and_by_what_replaces_it() {
    let (_folder, accounts) = accounts();
    let old = accounts.add_invited("eva", NOW_S).unwrap();
    assert!(accounts.invited(&old.text, old.expires_s - 1).is_ok());
    refused(accounts.invited(&old.text, old.expires_s), InvitationFault::Expired);
    refused(accounts.accept_invitation(&old.text, PASSWORD, old.expires_s), InvitationFault::Expired);
    for wrong in ["", "x", &old.text[1..], &old.text.to_uppercase()] {
        refused(accounts.invited(wrong, NOW_S), InvitationFault::Unknown);
    }
    let replaced = accounts.invite("eva", NOW_S).unwrap();
    refused(accounts.invited(&old.text, NOW_S), InvitationFault::Unknown);
    accounts.lock("eva").unwrap();
    refused(accounts.invited(&replaced.text, NOW_S), InvitationFault::Unknown);
    assert!(matches!(accounts.invite("eva", NOW_S), Err(AccountError::Refused(_))));
    accounts.unlock("eva").unwrap();
    refused(accounts.invited(&replaced.text, NOW_S), InvitationFault::Unknown);
    let set = accounts.invite("eva", NOW_S).unwrap();
    accounts.set_password("eva", PASSWORD).unwrap();
    refused(accounts.invited(&set.text, NOW_S), InvitationFault::Unknown);
    let gone = accounts.invite("eva", NOW_S).unwrap();
    accounts.remove("eva").unwrap();
    refused(accounts.invited(&gone.text, NOW_S), InvitationFault::Unknown);
    assert!(matches!(accounts.invite("eva", NOW_S), Err(AccountError::Name(_))));
}

#[test]
fn a_user_who_has_a_password_keeps_it_until_the_invitation_is_used() {
    let (_folder, accounts) = accounts();
    accounts.add("eva", PASSWORD).unwrap();
    let before = accounts.credential("eva").unwrap();
    let new = accounts.invite("eva", NOW_S).unwrap();
    assert!(accounts.credential("eva").unwrap() == before, "sessions stay");
    let facts = accounts.overview().unwrap();
    assert_eq!((facts[0].has_password, facts[0].invited_until_us), (true, Some(new.expires_s * 1_000_000)));
    accounts.accept_invitation(&new.text, "another long one", NOW_S).unwrap();
    assert!(accounts.credential("eva").unwrap() != before, "sessions end");
    assert_eq!(accounts.overview().unwrap()[0].invited_until_us, None);
}

#[test]
fn who_has_no_password_yet_is_no_administrator() {
    let (_folder, accounts) = accounts();
    let accounts = accounts.with_administrator();
    accounts.add("eva", PASSWORD).unwrap();
    accounts.grant("eva", "*", &crate::RIGHTS).unwrap();
    let new = accounts.add_invited("bob", NOW_S).unwrap();
    accounts.grant("bob", "*", &crate::RIGHTS).unwrap();
    assert!(matches!(accounts.remove("eva"), Err(AccountError::LastAdministrator)));
    accounts.accept_invitation(&new.text, PASSWORD, NOW_S).unwrap();
    accounts.remove("eva").unwrap();
}
