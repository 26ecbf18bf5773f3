//! Changes, versions, names, deletion, the ledger.

use super::*;
use crate::{Action, ContentError, Kind, Origin, limits};

#[test]
fn an_object_is_made_changed_deleted_and_restored() {
    let site = Site::new();
    let id = site.create("eva", content(" Failed  logins ", "failed"));
    let object = site.store.object(&caller("eva"), &id).unwrap();
    assert_eq!((object.summary.name.as_str(), object.etag().as_str()), ("Failed  logins", "\"1\""));
    assert_eq!((object.summary.level, object.summary.origin), (Level::Own, Origin::Page));
    *site.now_us.borrow_mut() += 5;
    let changed = site.change("eva", &at(&id, 1), "Failed", "failed AND root").unwrap();
    assert_eq!((changed.summary.revision, changed.summary.changed_us), (2, NOW_US + 5));
    assert_eq!((changed.summary.created_us, changed.summary.created_by.as_str()), (NOW_US, "eva"));
    site.delete("eva", &id).unwrap();
    assert!(site.list("eva", Filter::default()).is_empty());
    assert!(matches!(site.change("eva", &any(&id), "x", "x"), Err(StoreError::Deleted)));
    assert!(matches!(site.delete("eva", &id), Err(StoreError::Deleted)));
    assert!(matches!(site.share("eva", &id, Vec::new()), Err(StoreError::Deleted)));
    let deleted = Filter { presence: Presence::Deleted, ..Filter::default() };
    assert_eq!(names(&site.list("eva", deleted)), ["Failed"]);
    let back = site.restore("eva", &id, None).unwrap();
    assert_eq!((back.summary.revision, back.summary.deleted_us), (4, None));
    let first = site.restore("eva", &id, Some(1)).unwrap();
    assert_eq!(
        (first.summary.name.as_str(), &first.content.spec["query"]),
        ("Failed  logins", &json!("failed"))
    );
    assert!(matches!(site.restore("eva", &id, Some(77)), Err(StoreError::NotFound)));
    let versions = site.store.versions(&caller("eva"), &id).unwrap();
    let shown: Vec<(u64, Action)> =
        versions.iter().map(|version| (version.revision, version.action)).collect();
    let want = [
        (5, Action::Restore),
        (4, Action::Restore),
        (3, Action::Delete),
        (2, Action::Change),
        (1, Action::Create),
    ];
    assert_eq!(shown, want);
    let second = site.store.version(&caller("eva"), &id, 2).unwrap();
    assert_eq!((second.summary.revision, &second.content.spec["query"]), (2, &json!("failed AND root")));
    assert!(matches!(site.store.version(&caller("eva"), &id, 6), Err(StoreError::NotFound)));
    let ledger = site.ledger.borrow();
    assert_eq!(ledger[0], "eva create Failed  logins 1");
    assert_eq!(ledger[4], "eva restore Failed  logins 5");
}

#[test]
fn who_was_slower_gets_both_states_and_changes_nothing() {
    let site = Site::new();
    let id = site.create("eva", content("a", "one"));
    site.share("eva", &id, vec![entry("user:bob", Level::Edit)]).unwrap();
    site.change("bob", &at(&id, 2), "a", "two").unwrap();
    let Err(StoreError::Changed { current, base }) = site.change("eva", &at(&id, 2), "a", "three") else {
        panic!("the second change is taken");
    };
    assert_eq!((&current.content.spec["query"], current.summary.changed_by.as_str()), (&json!("two"), "bob"));
    assert_eq!(base.unwrap().content.spec["query"], "one");
    assert_eq!(site.query("eva", &id), Some(json!("two")));
    let never = site.act("eva", |store, request| store.delete(request, &at(&id, 9)));
    assert!(matches!(never, Err(StoreError::Changed { base: None, .. })));
    assert_eq!(site.ledger.borrow().len(), 3, "a refused change is not in the ledger as one");
}

#[test]
fn a_name_is_there_once_for_an_owner_in_a_folder() {
    let site = Site::new();
    let id = site.create("eva", content("a", "one"));
    let again = |user: &str, content| site.act(user, |store, request| store.create(request, content, ""));
    let taken = again("eva", content("a", "two")).unwrap_err();
    assert_eq!(taken.to_string(), "its owner has another object with the name \"a\"");
    assert!(again("bob", content("a", "two")).is_ok(), "names of others stay unknown");
    let elsewhere = again("eva", in_folder("a", "Work / Mondays", &[])).unwrap();
    assert_eq!(elsewhere.summary.folder, "Work/Mondays");
    let other = site.create("eva", content("b", "two"));
    assert!(matches!(site.change("eva", &any(&other), "a", "x"), Err(StoreError::NameTaken { .. })));
    site.delete("eva", &id).unwrap();
    assert!(site.change("eva", &any(&other), "a", "x").is_ok());
    assert!(matches!(site.restore("eva", &id, None), Err(StoreError::NameTaken { .. })));
}

#[test]
fn lists_are_filtered_and_sorted() {
    let site = Site::new();
    for (name, folder, tags) in
        [("b", "", &[][..]), ("A", "", &["x"]), ("c", "Work", &["x", "y"]), ("d", "Work/Old", &[])]
    {
        site.create("eva", in_folder(name, folder, tags));
    }
    site.create("bob", content("private", "x"));
    let list = |filter| names(&site.list("eva", filter)).join(" ");
    assert_eq!(list(Filter::default()), "A b c d");
    assert_eq!(list(Filter { folder: "Work".into(), ..Filter::default() }), "c d");
    assert_eq!(list(Filter { folder: "Wor".into(), ..Filter::default() }), "");
    assert_eq!(list(Filter { tag: "x".into(), ..Filter::default() }), "A c");
    assert_eq!(list(Filter { text: "mondays OLD".into(), ..Filter::default() }), "d");
    assert_eq!(list(Filter { text: "failed".into(), limit: 2, ..Filter::default() }), "A b");
    assert_eq!(list(Filter { kind: "search".parse().ok(), ..Filter::default() }), "A b c d");
    assert_eq!(list(Filter { presence: Presence::Deleted, ..Filter::default() }), "");
    assert!(site.list("eva", Filter::default())[0].summary == "failed");
}

#[test]
fn what_cannot_be_recorded_is_not_done() {
    let site = Site::new();
    let id = site.create("eva", content("a", "one"));
    *site.is_ledger_full.borrow_mut() = true;
    assert!(matches!(site.change("eva", &any(&id), "a", "two"), Err(StoreError::Record(_))));
    let fresh = site.act("eva", |store, request| store.create(request, content("b", "x"), ""));
    assert!(matches!(fresh, Err(StoreError::Record(_))));
    assert!(matches!(site.delete("eva", &id), Err(StoreError::Record(_))));
    assert!(site.share("eva", &id, vec![entry("everyone", Level::Own)]).is_err());
    assert_eq!(site.query("eva", &id), Some(json!("one")));
    assert_eq!((site.list("eva", Filter::default()).len(), site.query("bob", &id)), (1, None));
    assert_eq!(site.store.versions(&caller("eva"), &id).unwrap().len(), 1);
}

#[test]
fn deleted_objects_are_removed_after_a_month() {
    let site = Site::new();
    let old = site.create("eva", content("old", "x"));
    site.delete("eva", &old).unwrap();
    let pass = |us: i64| *site.now_us.borrow_mut() += us;
    pass(limits::DELETED_KEPT_US);
    let young = site.create("eva", content("young", "x"));
    site.delete("eva", &young).unwrap();
    assert!(site.query("eva", &old).is_some(), "a month to the microsecond");
    pass(1);
    let other = site.create("eva", content("other", "x"));
    site.delete("eva", &other).unwrap();
    assert!(site.query("eva", &old).is_none() && site.query("eva", &young).is_some());
    assert!(site.ledger.borrow().contains(&"eva purge old 2".to_owned()));
    // A clock that goes back removes nothing and breaks nothing.
    pass(-10 * limits::DELETED_KEPT_US);
    let earlier = site.create("eva", content("earlier", "x"));
    site.delete("eva", &earlier).unwrap();
    assert!(site.restore("eva", &young, None).is_ok());
}

#[test]
fn contents_have_limits() {
    let kind: Kind = "search".parse().unwrap();
    let make = |name: &str, folder: &str, tags: Vec<String>, spec| {
        Content::new(kind, (name, folder), "", tags, spec).map(drop)
    };
    let none = Vec::new;
    assert_eq!(make("a", "", none(), json!({})), Ok(()));
    for name in ["", "  ", "a\nb", "a\u{202e}b", "\u{0}", &"x".repeat(201)] {
        assert_eq!(make(name, "", none(), json!({})), Err(ContentError::Name), "{name:?}");
    }
    for folder in ["/", "a//b", "a/", "/a", "a/\u{7}", &"x".repeat(201)] {
        assert_eq!(make("a", folder, none(), json!({})), Err(ContentError::Folder), "{folder:?}");
    }
    let tags = |tags: &[&str]| tags.iter().map(|tag| (*tag).to_owned()).collect::<Vec<_>>();
    assert_eq!(make("a", "", tags(&[""]), json!({})), Err(ContentError::Tags));
    assert_eq!(make("a", "", (0..33).map(|n| n.to_string()).collect(), json!({})), Err(ContentError::Tags));
    let twice = Content::new(kind, ("a", ""), "", tags(&["b", "a", "b"]), json!({})).unwrap();
    assert_eq!(twice.tags, ["a", "b"]);
    let long = Content::new(kind, ("a", ""), &"x".repeat(4_001), none(), json!({}));
    assert_eq!(long.map(drop), Err(ContentError::Description));
    let site = Site::new();
    let comment = "x".repeat(501);
    let commented = site.act("eva", |store, request| store.create(request, content("a", "x"), &comment));
    assert!(matches!(commented, Err(StoreError::Comment)));
    assert!("chart".parse::<Kind>().unwrap_err().to_string().contains("known: search, dashboard"));
}

#[test]
fn versions_of_an_object_are_bounded() {
    let site = Site::new();
    let id = site.create("eva", content("a", "0"));
    // As many changes take seconds: each is synced.
    let last = limits::VERSIONS_MAX + 2;
    let connection = crate::database::open(&site.path()).unwrap();
    connection
        .execute_batch(&format!(
            "WITH RECURSIVE n(r) AS (SELECT 2 UNION ALL SELECT r + 1 FROM n WHERE r < {last})
             INSERT INTO object_version SELECT object_id, r, 'change', folder, name, description, tags, summary,
                 spec, spec_version, changed_us, changed_by, remark FROM object_version, n;
             UPDATE object SET revision = {last};"
        ))
        .unwrap();
    site.change("eva", &any(&id), "a", "last").unwrap();
    let versions = site.store.versions(&caller("eva"), &id).unwrap();
    assert_eq!((versions.len() as u64, versions[0].revision), (limits::VERSIONS_MAX, last + 1));
    assert!(versions.is_sorted_by(|newer, older| newer.revision == older.revision + 1));
    assert_eq!(site.query("eva", &id), Some(json!("last")));
}
