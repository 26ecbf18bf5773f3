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
        let owner = Some(owner.to_owned());
        site.act(user, |store, request| store.share(request, &any(&id), Vec::new(), owner))
    };
    assert!(matches!(give("bob", "bob"), Err(StoreError::NotFound)));
    assert!(matches!(give("eva", "no name"), Err(StoreError::People)));
    let given = give("eva", "bob").unwrap();
    assert_eq!(given.summary.owner, "bob");
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
