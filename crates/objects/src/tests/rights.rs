//! Who sees and changes what.

use super::*;

/// The calls that a user may make: see, change, share, delete.
fn may(site: &Site, user: &str, id: &ObjectId) -> String {
    let sees = site.query(user, id).is_some();
    let changes = site.change(user, &any(id), "a", user).is_ok();
    let shares = {
        let acl = site.store.object(&caller("root"), id).unwrap().acl;
        site.share(user, id, acl).is_ok()
    };
    let deletes = site.delete(user, id).is_ok();
    if deletes {
        site.restore("root", id, None).unwrap();
    }
    let lists = site.list(user, Filter::default()).iter().any(|object| object.id == *id);
    let letter = |is_allowed: bool, letter: &'static str| if is_allowed { letter } else { "-" };
    [
        letter(sees, "see"),
        letter(lists, "list"),
        letter(changes, "change"),
        letter(shares, "share"),
        letter(deletes, "delete"),
    ]
    .join(" ")
}

#[test]
fn each_level_allows_what_it_says() {
    let site = Site::new();
    let id = site.create("eva", content("a", "one"));
    let (nothing, all) = ("- - - - -", "see list change share delete");
    assert_eq!(may(&site, "eva", &id), all);
    assert_eq!(may(&site, "bob", &id), nothing);
    assert_eq!(may(&site, "root", &id), "see - change share delete", "in no list that was not asked for");
    for (level, want) in
        [(Level::View, "see list - - -"), (Level::Edit, "see list change - delete"), (Level::Own, all)]
    {
        site.share("eva", &id, vec![entry("user:bob", level)]).unwrap();
        assert_eq!((may(&site, "bob", &id).as_str(), may(&site, "ann", &id).as_str()), (want, nothing));
        site.share("eva", &id, vec![entry("everyone", level)]).unwrap();
        assert_eq!((may(&site, "bob", &id).as_str(), may(&site, "ann", &id).as_str()), (want, want));
    }
    let both = vec![entry("everyone", Level::View), entry("user:bob", Level::Edit)];
    site.share("eva", &id, both).unwrap();
    assert_eq!(may(&site, "bob", &id), "see list change - delete", "the highest level counts");
    let object = site.store.object(&caller("bob"), &id).unwrap();
    assert_eq!((object.summary.level, object.summary.is_shared), (Level::Edit, true));
    assert!(site.share("bob", &id, Vec::new()).unwrap_err().to_string().contains("to own it"));
}

#[test]
fn an_owner_can_be_replaced_and_an_administrator_sees_all() {
    let site = Site::new();
    let id = site.create("eva", content("a", "one"));
    let give = |user: &str, owner: &str| {
        let owner = Some(owner.parse().unwrap());
        site.act(user, |store, request| store.share(request, &any(&id), Vec::new(), owner))
    };
    assert!(matches!(give("bob", "bob"), Err(StoreError::NotFound)));
    assert!(matches!(give("eva", ""), Err(StoreError::People)));
    let given = give("eva", "bob").unwrap();
    assert_eq!(given.summary.owner.name(), "bob");
    assert!(site.query("eva", &id).is_none() && site.query("bob", &id).is_some());
    site.create("bob", content("b", "two"));
    let all = Filter { ownership: Ownership::All, ..Filter::default() };
    assert_eq!(names(&site.list("root", all.clone())), ["a", "b"]);
    assert!(matches!(site.store.list(&caller("bob"), &all), Err(StoreError::NotAdministrator)));
    assert!(site.list("root", Filter::default()).is_empty());
    let twice = vec![entry("user:x", Level::View), entry("user:x", Level::Own)];
    assert!(matches!(site.share("bob", &id, twice), Err(StoreError::People)));
    let many = (0..201).map(|n| entry(&format!("user:u{n}"), Level::View)).collect();
    assert!(matches!(site.share("bob", &id, many), Err(StoreError::People)));
}

#[test]
fn deleted_objects_are_for_those_who_may_restore_them() {
    let site = Site::new();
    let id = site.create("eva", content("a", "one"));
    site.share("eva", &id, vec![entry("user:bob", Level::View), entry("user:ann", Level::Edit)]).unwrap();
    site.delete("eva", &id).unwrap();
    let deleted =
        |user: &str| site.list(user, Filter { presence: Presence::Deleted, ..Filter::default() }).len();
    assert_eq!((deleted("eva"), deleted("ann"), deleted("bob")), (1, 1, 0));
    assert!(site.query("bob", &id).is_none());
    assert!(matches!(site.restore("bob", &id, None), Err(StoreError::NotFound)));
    assert!(site.restore("ann", &id, None).is_ok());
}

#[test]
fn principals_have_two_forms() {
    for text in ["everyone", "user:eva", "user:a.b@c-d_1"] {
        assert_eq!(text.parse::<crate::Principal>().unwrap().to_string(), text);
    }
    for text in ["", "eva", "user:", "user:a b", "group:x", "user:ä", &format!("user:{}", "x".repeat(65))] {
        assert!(text.parse::<crate::Principal>().is_err(), "{text}");
    }
}

/// The accounts of a server.
struct Accounts(std::sync::Mutex<Vec<&'static str>>);

impl crate::Users for Accounts {
    fn id_of(&self, name: &str) -> Option<crate::UserId> {
        let ids = self.0.lock().unwrap();
        ids.iter().map(|id| id.parse::<crate::UserId>().unwrap()).find(|id| id.name() == name)
    }
}

#[test]
fn another_user_of_a_name_inherits_nothing() {
    let site = Site::new();
    let accounts = std::sync::Arc::new(Accounts(vec!["eva", "bob#b1", "root"].into()));
    site.store.set_users(accounts.clone());
    // Of before there were ids, shared with somebody of after.
    let id = site.create("eva", content("a", "one"));
    let bob = AclEntry { principal: crate::Principal::User("bob#b1".parse().unwrap()), level: Level::Edit };
    site.share("eva", &id, vec![bob]).unwrap();
    let own = site.create("bob#b1", content("b", "two"));
    assert!(site.query("eva", &id).is_some() && site.query("bob#b1", &id).is_some());
    *accounts.0.lock().unwrap() = vec!["eva#e2", "bob#b2", "root"];
    for user in ["eva#e2", "bob#b2"] {
        assert_eq!(may(&site, user, &id), "- - - - -", "{user}");
        assert!(site.query(user, &own).is_none() && site.list(user, Filter::default()).is_empty());
        let mine = Filter { ownership: Ownership::Mine, ..Filter::default() };
        assert!(site.list(user, mine).is_empty());
    }
    site.create("bob#b2", content("b", "the name is free for another owner"));
    let object = site.store.object(&caller("root"), &id).unwrap();
    assert!(!object.summary.is_owner_present && !object.summary.is_shared && object.acl.is_empty());
    assert_eq!(object.summary.owner.name(), "eva");
    let owner = Some("eva#e2".parse().unwrap());
    let given =
        site.act("root", |store, request| store.share(request, &any(&id), Vec::new(), owner)).unwrap();
    assert!(given.summary.is_owner_present && site.query("eva#e2", &id).is_some());
}

#[test]
fn files_name_people_and_the_store_knows_their_accounts() {
    let site = Site::new();
    let accounts = std::sync::Arc::new(Accounts(vec!["eva#e1", "bob#b1", "root"].into()));
    site.store.set_users(accounts.clone());
    let id = site.create("eva#e1", content("a", "one"));
    let bob = AclEntry { principal: crate::Principal::User("bob#b1".parse().unwrap()), level: Level::Edit };
    site.share("eva#e1", &id, vec![bob]).unwrap();
    let files = crate::export(&site.store).unwrap();
    let text = String::from_utf8(files[0].bytes.clone()).unwrap();
    assert!(text.contains("\"owner\": \"eva\"") && text.contains("\"user:bob\""), "{text}");
    let request = Request { caller: &caller("root"), now_us: NOW_US, record: &|_| Ok(()) };
    let outcome = || crate::plan(&site.store, &request, &files).map(|steps| steps[0].members.join(" "));
    assert_eq!(outcome().unwrap(), "");
    // The same names, other people: the file would give it to them, and the plan says so.
    *accounts.0.lock().unwrap() = vec!["eva#e2", "bob#b2", "root"];
    assert_eq!(outcome().unwrap(), "owner acl");
    let after = crate::export(&site.store).unwrap();
    assert!(String::from_utf8_lossy(&after[0].bytes).contains("\"owner\": \"\""));
    let same = crate::plan(&site.store, &request, &after).unwrap();
    assert!(same[0].members.is_empty(), "{:?}", same[0].members);
    *accounts.0.lock().unwrap() = vec!["eva#e2", "root"];
    let refused = outcome().unwrap_err().to_string();
    assert!(refused.contains(".json:2:10: acl: there is no user bob on this server"), "{refused}");
}
