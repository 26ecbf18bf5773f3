//! The folder of objects, export and import.

use super::*;
use crate::{ObjectFile, Outcome, PlanError, apply, export, limits, plan, read_folder, write_folder};
use std::{collections::BTreeMap, fs, path::Path, process::Command};

const FILE: &str =
    r#"{"id": "failed", "kind": "search", "name": "Failed logins", "spec": {"query": "failed"}}"#;

fn write(folder: &Path, name: &str, text: &str) {
    fs::create_dir_all(folder).unwrap();
    fs::write(folder.join(name), text).unwrap();
}

/// A plan, or what it says done.
type Import = fn(&Store, &Request<'_>, &[ObjectFile]) -> Result<Vec<crate::Step>, PlanError>;

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
        "objects: etc/e.json:1:",
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
    let files = export(&site.store).unwrap();
    assert!(files.len() == 2 && files.is_sorted_by(|one, other| one.path < other.path));
    assert_eq!(write_folder(&out, &files).unwrap(), Vec::<std::path::PathBuf>::new());
    let other = Site::new();
    let run = |act: Import| {
        let request = Request { caller: &caller("root"), now_us: NOW_US, record: &|_| Ok(()) };
        act(&other.store, &request, &read_folder(&out).unwrap()).map(|mut steps| {
            // Ids of one millisecond are in no order.
            steps.sort_by(|one, other| one.name.cmp(&other.name));
            let shown = |step: crate::Step| (step.outcome, step.members.join(" "));
            steps.into_iter().map(shown).collect::<Vec<_>>()
        })
    };
    let created = || vec![(Outcome::Create, String::new()), (Outcome::Create, String::new())];
    let same = || (Outcome::Same, String::new());
    assert_eq!(run(plan).unwrap(), created());
    assert!(other.list("eva", Filter::default()).is_empty(), "a plan changes nothing");
    assert_eq!(run(apply).unwrap(), created());
    assert_eq!(run(apply).unwrap(), [same(), same()]);
    write(&again, "old.json", "an object that is no more");
    let others = write_folder(&again, &export(&other.store).unwrap()).unwrap();
    assert_eq!(others, [again.join("old.json")]);
    fs::remove_file(again.join("old.json")).unwrap();
    assert_eq!(contents(&out), contents(&again));
    other.change("bob", &any(&id), "a", "changed").unwrap();
    let change = (Outcome::Change, "folder description tags spec.query".to_owned());
    assert_eq!(run(plan).unwrap(), [change, same()]);
    other.delete("eva", &id).unwrap();
    let change = (Outcome::Change, "deleted folder description tags spec.query".to_owned());
    assert_eq!(run(apply).unwrap(), [change, same()]);
    assert_eq!(other.query("bob", &id), Some(json!("failed")));
    assert_eq!(other.store.versions(&caller("eva"), &id).unwrap().len(), 4, "the history stays");
}

#[test]
fn an_import_with_a_fault_changes_nothing() {
    let site = Site::new();
    let folder = site.folder.path().join("in");
    let request = Request { caller: &caller("root"), now_us: NOW_US, record: &|_| Ok(()) };
    let run = || apply(&site.store, &request, &read_folder(&folder).unwrap()).unwrap_err().to_string();
    assert!(read_folder(&folder).unwrap_err().to_string().contains("No such file"));
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
    let files = export(&site.store).unwrap();
    assert!(write_folder(Path::new("/dev/null/x"), &files).unwrap_err().to_string().contains("cannot use"));
    let outside = ObjectFile { path: "..".into(), bytes: Vec::new() };
    assert!(write_folder(&folder, &[outside]).is_err(), "a server cannot name a file outside");
}

#[test]
fn files_are_read_within_their_limits_and_with_all_their_problems() {
    let site = Site::new();
    let folder = site.folder.path().join("in");
    write(&folder, "a.json", &" ".repeat(limits::FILE_BYTES_MAX as usize + 1));
    fs::create_dir(folder.join("b.json")).unwrap();
    let text = read_folder(&folder).unwrap_err().to_string();
    assert!(text.contains("a.json: it has more than") && text.contains("b.json: "), "{text}");
    fs::remove_file(folder.join("a.json")).unwrap();
    fs::remove_dir(folder.join("b.json")).unwrap();
    for number in 0..=limits::FILES_BYTES_MAX / limits::FILE_BYTES_MAX as usize {
        write(&folder, &format!("{number}.json"), &" ".repeat(limits::FILE_BYTES_MAX as usize));
    }
    assert!(read_folder(&folder).unwrap_err().to_string().contains("have more than"));
}

#[test]
fn what_the_configuration_keeps_is_not_imported() {
    let site = Site::new();
    let (kept, folder) = (site.folder.path().join("etc"), site.folder.path().join("in"));
    write(&kept, "kept.json", FILE);
    write(&folder, "a.json", FILE);
    site.store.reload(&kept);
    let request = Request { caller: &caller("root"), now_us: NOW_US, record: &|_| Ok(()) };
    let refused = plan(&site.store, &request, &read_folder(&folder).unwrap()).unwrap_err().to_string();
    assert!(refused.contains("a.json: the object is kept in") && refused.contains("kept.json"), "{refused}");
}

#[test]
fn built_in_objects_are_seen_by_everyone_and_changed_by_nobody() {
    let folder = tempfile::tempdir().unwrap();
    let store = Store::open(&folder.path().join("objects.db")).with_built_in();
    store.reload(folder.path());
    let caller = Caller { user: "ann".parse().unwrap(), is_administrator: false };
    let names = |store: &Store| -> Vec<String> {
        store.list(&caller, &Filter::default()).unwrap().into_iter().map(|object| object.name).collect()
    };
    assert_eq!(names(&store), ["Authentication", "Firewall", "Overview", "The log server itself"]);
    let id: ObjectId = "shipped-overview".parse().unwrap();
    let object = store.object(&caller, &id).unwrap();
    assert_eq!(object.summary.level, Level::View);
    let root = Caller { user: "root".parse().unwrap(), is_administrator: true };
    let request = Request { caller: &root, now_us: 1, record: &|_| Ok(()) };
    let target = Target { id, expected: Expected::Any };
    let refused = store.delete(&request, &target).unwrap_err().to_string();
    assert_eq!(refused, "the object is a part of the program: copy it to change it");
    // A file of the same id or name takes its place.
    let file = r#"{"id": "shipped-overview", "kind": "dashboard", "name": "Ours", "spec": {}}"#;
    std::fs::write(folder.path().join("a.json"), file).unwrap();
    std::fs::write(
        folder.path().join("b.json"),
        file.replace("shipped-overview", "fw").replace("Ours", "Firewall"),
    )
    .unwrap();
    store.reload(folder.path());
    assert_eq!(names(&store), ["Authentication", "Firewall", "Ours", "The log server itself"]);
    assert_eq!(store.troubles(), Vec::<String>::new());
}
