//! The folder of objects, export and import.

use super::*;
use crate::{Outcome, PlanError, apply, export, limits, plan};
use std::{collections::BTreeMap, fs, path::Path, process::Command};

const FILE: &str =
    r#"{"id": "failed", "kind": "search", "name": "Failed logins", "spec": {"query": "failed"}}"#;

fn write(folder: &Path, name: &str, text: &str) {
    fs::create_dir_all(folder).unwrap();
    fs::write(folder.join(name), text).unwrap();
}

/// The files of a folder.
fn contents(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let named = |path: std::path::PathBuf| {
        (path.file_name().unwrap().to_string_lossy().into_owned(), fs::read(&path).unwrap())
    };
    entries.map(named).collect()
}

#[test]
fn objects_of_files_are_seen_and_not_changed() {
    let site = Site::new();
    let folder = site.folder.path().join("etc");
    write(&folder, "a.json", FILE);
    let private =
        FILE.replace("\"failed\",", "\"mine\", \"owner\": \"eva\", \"acl\": [],").replace("Failed", "My");
    write(&folder, "b.json", &private);
    write(&folder, "c.json.disabled", "not read");
    write(&folder, ".hidden.json", "not read");
    site.store.reload(&folder);
    assert!(site.store.troubles().is_empty(), "{:?}", site.store.troubles());
    assert_eq!(names(&site.list("bob", Filter::default())), ["Failed logins"]);
    assert_eq!(names(&site.list("eva", Filter::default())), ["Failed logins", "My logins"]);
    assert_eq!(
        names(&site.list("eva", Filter { ownership: Ownership::Mine, ..Filter::default() })),
        ["My logins"]
    );
    let id: ObjectId = "failed".parse().unwrap();
    let object = site.store.object(&caller("bob"), &id).unwrap();
    assert_eq!((object.summary.level, object.summary.revision), (Level::View, 0));
    for user in ["bob", "root"] {
        let refused = site.change(user, &any(&id), "x", "x").unwrap_err();
        assert!(refused.to_string().contains("a.json: it is changed there"), "{refused}");
        assert!(matches!(site.delete(user, &id), Err(StoreError::ReadOnly { .. })));
    }
    assert!(site.store.versions(&caller("bob"), &id).unwrap().is_empty());
    assert!(site.store.version(&caller("bob"), &id, 1).is_err());
    assert!(matches!(site.delete("bob", &"mine".parse().unwrap()), Err(StoreError::NotFound)));
    fs::remove_file(folder.join("a.json")).unwrap();
    site.store.reload(&folder);
    assert!(site.query("bob", &id).is_none());
    site.store.reload(&site.folder.path().join("nowhere"));
    assert!(site.store.troubles().is_empty(), "there need not be a folder");
}

#[test]
fn a_file_with_a_fault_costs_itself_only() {
    let site = Site::new();
    let folder = site.folder.path().join("etc");
    write(&folder, "a.json", FILE);
    write(&folder, "b.json", "{\n  \"id\": \"b\",\n  \"kind\": \"search\",\n}");
    write(&folder, "c.json", FILE);
    write(&folder, "d.json", &FILE.replace("\"failed\",", "\"other\","));
    write(
        &folder,
        "e.json",
        &FILE.replace("\"failed\",", "\"e\",").replace("Failed", "X").replace("failed\"}", "(\"}"),
    );
    write(&folder, "f.json", &" ".repeat(limits::FILE_BYTES_MAX as usize + 1));
    fs::create_dir(folder.join("g.json")).unwrap();
    assert!(Command::new("mkfifo").arg(folder.join("h.json")).status().unwrap().success());
    std::os::unix::fs::symlink(folder.join("i.json"), folder.join("i.json")).unwrap();
    site.store.reload(&folder);
    let shown = site.store.troubles().join("\n").replace(&folder.display().to_string(), "etc");
    let want = [
        "objects: etc/b.json:4:1: trailing comma",
        "objects: etc/c.json: etc/a.json has the same id",
        "objects: etc/d.json: etc/a.json has the same name",
        "objects: etc/e.json: spec.query: ",
        "objects: etc/f.json: it has more than 262144 bytes",
        "objects: etc/g.json: ",
        "objects: etc/h.json: it is no ordinary file",
        "objects: etc/i.json: ",
    ];
    assert_eq!(shown.lines().count(), want.len(), "{shown}");
    for (line, want) in shown.lines().zip(want) {
        assert!(line.starts_with(want), "{line}");
    }
    assert_eq!(names(&site.list("bob", Filter::default())), ["Failed logins"]);
}

#[test]
fn a_file_hides_an_object_with_its_id_until_it_is_removed() {
    let site = Site::new();
    let id = site.create("eva", content("a", "one"));
    let folder = site.folder.path().join("etc");
    write(&folder, "a.json", &FILE.replace("\"failed\",", &format!("\"{id}\",")));
    site.store.reload(&folder);
    assert_eq!(names(&site.list("eva", Filter::default())), ["Failed logins"]);
    assert!(matches!(site.change("eva", &any(&id), "x", "x"), Err(StoreError::ReadOnly { .. })));
    fs::remove_file(folder.join("a.json")).unwrap();
    site.store.reload(&folder);
    assert_eq!(site.query("eva", &id), Some(json!("one")));
}

#[test]
fn an_export_is_imported_elsewhere_and_exported_with_the_same_bytes() {
    let site = Site::new();
    let id = site.create("eva", in_folder("a", "Work", &["y", "x"]));
    site.share("eva", &id, vec![entry("user:bob", Level::Edit), entry("everyone", Level::View)]).unwrap();
    site.create("bob", content("b", "host:gw1 AND \"ä\u{1}\""));
    let gone = site.create("bob", content("gone", "x"));
    site.delete("bob", &gone).unwrap();
    let (out, again) = (site.folder.path().join("out"), site.folder.path().join("again"));
    assert_eq!(export(&site.store, &out).unwrap().len(), 2);
    let other = Site::new();
    let run = |act: fn(&Store, &Request<'_>, &Path) -> Result<Vec<crate::Step>, PlanError>| {
        let request = Request { caller: &caller("root"), now_us: NOW_US, record: &|_| Ok(()) };
        act(&other.store, &request, &out).map(|mut steps| {
            // Ids of one millisecond are in no order.
            steps.sort_by(|one, other| one.name.cmp(&other.name));
            steps.into_iter().map(|step| step.outcome).collect::<Vec<_>>()
        })
    };
    assert_eq!(run(plan).unwrap(), [Outcome::Create, Outcome::Create]);
    assert!(other.list("eva", Filter::default()).is_empty(), "a plan changes nothing");
    assert_eq!(run(apply).unwrap(), [Outcome::Create, Outcome::Create]);
    assert_eq!(run(apply).unwrap(), [Outcome::Same, Outcome::Same]);
    export(&other.store, &again).unwrap();
    assert_eq!(contents(&out), contents(&again));
    other.change("bob", &any(&id), "a", "changed").unwrap();
    assert_eq!(run(plan).unwrap(), [Outcome::Change, Outcome::Same]);
    other.delete("eva", &id).unwrap();
    assert_eq!(run(apply).unwrap(), [Outcome::Change, Outcome::Same]);
    assert_eq!(other.query("bob", &id), Some(json!("failed")));
    assert_eq!(other.store.versions(&caller("eva"), &id).unwrap().len(), 4, "the history stays");
}

#[test]
fn an_import_with_a_fault_changes_nothing() {
    let site = Site::new();
    let folder = site.folder.path().join("in");
    let request = Request { caller: &caller("root"), now_us: NOW_US, record: &|_| Ok(()) };
    let run = || apply(&site.store, &request, &folder).unwrap_err().to_string();
    assert!(run().contains("there is no folder"));
    let named = |id: &str, name: &str| {
        FILE.replace("\"failed\",", &format!("\"{id}\", \"owner\": \"eva\",")).replace("Failed logins", name)
    };
    write(&folder, "a.json", &named("a", "one"));
    write(&folder, "b.json", "[]");
    assert!(run().contains("b.json:1:"));
    fs::remove_file(folder.join("b.json")).unwrap();
    site.create("eva", content("two", "x"));
    write(&folder, "c.json", &named("c", "two"));
    let text = run();
    assert!(text.contains("c.json: its owner has another object with the name \"two\""), "{text}");
    assert_eq!(names(&site.list("eva", Filter::default())), ["two"]);
    assert!(export(&site.store, Path::new("/dev/null/x")).unwrap_err().to_string().contains("cannot write"));
}
