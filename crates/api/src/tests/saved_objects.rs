//! Saved objects: who may do what with them, conflicts, the ledger, and a store that cannot be used.

use super::{
    scopes::{EVA, Site, cookie},
    *,
};
use serde_json::{Value, json};

pub(super) const BOB: &str = "bob";
const ANN: &str = "ann";

/// The status, the tag and the body of a call.
pub(super) struct Reply {
    pub(super) status: u16,
    etag: String,
    pub(super) body: Value,
}

impl Site {
    /// Calls as a user who has seen a state of the object.
    pub(super) fn call(&self, who: &'static str, request: &str, seen: &str, body: &Value) -> Reply {
        let body = if body.is_null() { String::new() } else { body.to_string() };
        let condition = if seen.is_empty() { String::new() } else { format!("if-match: {seen}\r\n") };
        let headers = format!("{}{condition}", self.session(who));
        let (status, head, text) = self.server.ask(request, &headers, &body);
        let etag = head.split("etag: ").nth(1).and_then(|rest| rest.split("\r\n").next());
        let body = serde_json::from_str(&text).unwrap_or_else(|_| panic!("{request}: {text}"));
        Reply { status, etag: etag.unwrap_or_default().to_owned(), body }
    }

    pub(super) fn make(&self, who: &'static str, name: &str) -> String {
        let made = self.call(who, "POST /api/v1/objects", "", &search(name, "open"));
        assert_eq!((made.status, made.etag.as_str()), (201, "\"1\""), "{}", made.body);
        made.body["id"].as_str().unwrap().to_owned()
    }

    pub(super) fn share(&self, id: &str, acl: Value) {
        let shared = self.call(EVA, &format!("PUT /api/v1/objects/{id}/acl"), "*", &json!({"acl": acl}));
        assert_eq!(shared.status, 200, "{}", shared.body);
    }

    fn entries(&self) -> Vec<String> {
        let ledger = self.server.backend.ledger.lock().unwrap();
        ledger.iter().filter(|line| line.contains("-object")).cloned().collect()
    }
}

fn search(name: &str, query: &str) -> Value {
    json!({"kind": "search", "name": name, "spec": {"query": query, "logspace": "all"}})
}

/// The status of each call about an object.
fn statuses(site: &Site, who: &'static str, id: &str) -> [u16; 9] {
    let path = format!("/api/v1/objects/{id}");
    let call = |request: &str, body: Value| site.call(who, request, "*", &body).status;
    let lists = site.call(who, "GET /api/v1/objects", "", &Value::Null).body;
    let is_listed = lists["objects"].as_array().unwrap().iter().any(|object| object["id"] == id);
    let acl = site.call(EVA, &format!("GET {path}/acl"), "", &Value::Null).body;
    let statuses = [
        if is_listed { 200 } else { 404 },
        call(&format!("GET {path}"), Value::Null),
        call(&format!("GET {path}/versions"), Value::Null),
        call(&format!("GET {path}/versions/1"), Value::Null),
        call(&format!("PUT {path}"), search("a", who)),
        call(&format!("GET {path}/acl"), Value::Null),
        call(&format!("PUT {path}/acl"), json!({"acl": acl["acl"]})),
        call(&format!("DELETE {path}"), Value::Null),
        call(&format!("POST {path}/restore"), json!({})),
    ];
    if statuses[7] == 200 && statuses[8] != 200 {
        site.call(EVA, &format!("POST {path}/restore"), "*", &json!({}));
    }
    statuses
}

#[test]
fn each_call_obeys_the_level_of_the_caller() {
    let site = Site::start();
    // An administrator of every logspace, besides eva.
    let id = site.make(BOB, "of bob");
    let root = statuses(&site, EVA, &id);
    assert_eq!(root, [404, 200, 200, 200, 200, 200, 200, 200, 200], "an administrator, of a private object");
    let id = site.make(EVA, "a");
    let all = [200; 9];
    let nothing = [404; 9];
    assert_eq!(statuses(&site, EVA, &id), all);
    assert_eq!(statuses(&site, BOB, &id), nothing);
    // Restoring what is not deleted makes a version like the last one: it needs the right to edit.
    let view = [200, 200, 200, 200, 403, 403, 403, 403, 403];
    let edit = [200, 200, 200, 200, 200, 403, 403, 200, 200];
    for (level, want) in [("view", view), ("edit", edit), ("own", all)] {
        site.share(&id, json!([{"principal": "user:bob", "level": level}]));
        assert_eq!((statuses(&site, BOB, &id), statuses(&site, ANN, &id)), (want, nothing), "{level}");
        site.share(&id, json!([{"principal": "everyone", "level": level}]));
        assert_eq!((statuses(&site, BOB, &id), statuses(&site, ANN, &id)), (want, want), "{level}");
    }
}

#[test]
fn an_object_gives_no_right_to_messages() {
    let site = Site::start();
    let id = site.make(EVA, "a");
    site.share(&id, json!([{"principal": "user:bob", "level": "own"}]));
    let seen = site.call(BOB, &format!("GET /api/v1/objects/{id}"), "", &Value::Null).body;
    assert_eq!(seen["spec"]["logspace"], "all");
    let (status, _) = site.text(BOB, "POST /api/v1/search", &json!({"logspace": "all", "query": "open"}));
    assert_eq!(status, 404);
    // Who may search nothing makes no searches, and that is written down.
    let refused = site.call(ANN, "POST /api/v1/objects", "", &search("x", "y"));
    assert_eq!((refused.status, &refused.body["error"]["code"]), (403, &json!("forbidden")));
    let events = site.server.backend.events.lock().unwrap();
    let is_refusal =
        |event: &SecurityEvent| matches!(event, SecurityEvent::Refused { user, .. } if user == "ann");
    assert!(events.iter().any(is_refusal));
}

#[test]
fn people_are_shown_to_owners_only_and_must_exist() {
    let site = Site::start();
    let id = site.make(EVA, "a");
    site.share(
        &id,
        json!([{"principal": "everyone", "level": "view"}, {"principal": "user:bob", "level": "edit"}]),
    );
    let object = |who| site.call(who, &format!("GET /api/v1/objects/{id}"), "", &Value::Null).body;
    assert_eq!(object(EVA)["acl"].as_array().unwrap().len(), 2);
    assert!(object(BOB)["acl"].is_null() && object(ANN)["acl"].is_null());
    assert_eq!((object(BOB)["level"].as_str(), object(ANN)["level"].as_str()), (Some("edit"), Some("view")));
    let share = |who, body: Value| site.call(who, &format!("PUT /api/v1/objects/{id}/acl"), "*", &body);
    let nobody = json!([{"principal": "user:nobody", "level": "view"}]);
    let refused = share(EVA, json!({"acl": nobody}));
    assert_eq!((refused.status, &refused.body["error"]["message"]), (400, &json!("there is no user nobody")));
    assert_eq!(share(BOB, json!({"acl": nobody})).status, 403, "who may not share learns of no user");
    assert_eq!(share(EVA, json!({"acl": [], "owner": "nobody"})).status, 400);
    assert_eq!(share(EVA, json!({"acl": [{"principal": "group:x", "level": "view"}]})).status, 400);
    assert_eq!(share(EVA, json!({"acl": [{"principal": "everyone", "level": "rule"}]})).status, 400);
    // Somebody who is gone meanwhile is in the list no more, and another one of the name gets nothing.
    site.server.accounts.remove("bob").unwrap();
    site.server.accounts.add("bob", "another password").unwrap();
    let acl = object(EVA)["acl"].clone();
    assert_eq!(acl.as_array().unwrap().len(), 1, "{acl}");
    let given = share(EVA, json!({"acl": acl, "owner": "ann"}));
    assert_eq!((given.status, &given.body["owner"]), (200, &json!("ann")), "{}", given.body);
}

#[test]
fn a_change_begins_with_the_state_that_was_seen() {
    let site = Site::start();
    let id = site.make(EVA, "a");
    let path = format!("/api/v1/objects/{id}");
    let put = |seen: &str, query: &str| site.call(EVA, &format!("PUT {path}"), seen, &search("a", query));
    let missing = put("", "x");
    assert_eq!((missing.status, &missing.body["error"]["code"]), (428, &json!("condition_needed")));
    for condition in ["1", "W/\"1\"", "\"one\"", "\"1\", \"2\"", "\"-1\""] {
        assert_eq!(put(condition, "x").status, 400, "{condition}");
    }
    let changed = put("\"1\"", "two");
    assert_eq!((changed.status, changed.etag.as_str()), (200, "\"2\""));
    let late = put("\"1\"", "three");
    assert_eq!((late.status, &late.body["error"]["code"]), (412, &json!("changed")));
    assert!(late.body["error"]["message"].as_str().unwrap().starts_with("eva has changed the object"));
    assert_eq!(late.body["current"]["spec"]["query"], "two");
    assert_eq!(
        (&late.body["current"]["revision"], &late.body["base"]["spec"]["query"]),
        (&json!(2), &json!("open"))
    );
    for call in ["DELETE ", "POST ", "PUT "] {
        let (place, body) = match call {
            "POST " => (format!("{path}/restore"), json!({})),
            "PUT " => (format!("{path}/acl"), json!({"acl": []})),
            _ => (path.clone(), Value::Null),
        };
        let late = site.call(EVA, &format!("{call}{place}"), "\"1\"", &body);
        assert_eq!((late.status, &late.body["current"]["revision"]), (412, &json!(2)), "{call}");
    }
    let back = site.call(EVA, &format!("POST {path}/restore"), "\"2\"", &json!({"revision": 1}));
    assert_eq!((back.status, &back.body["spec"]["query"]), (200, &json!("open")));
    let versions = site.call(EVA, &format!("GET {path}/versions"), "", &Value::Null).body;
    let shown: Vec<&str> =
        versions.as_array().unwrap().iter().map(|one| one["action"].as_str().unwrap()).collect();
    assert_eq!(shown, ["restore", "change", "create"]);
    let again = site.call(EVA, "POST /api/v1/objects", "", &search("a", "x"));
    assert_eq!((again.status, &again.body["error"]["code"]), (409, &json!("conflict")));
}

#[test]
fn lists_take_filters_and_refuse_what_they_do_not_know() {
    let site = Site::start();
    for (name, folder) in [("b", ""), ("a", "Work"), ("c", "Work/Old")] {
        let mut body = search(name, "host:gw1");
        body["folder"] = folder.into();
        body["tags"] = json!(["vpn"]);
        assert_eq!(site.call(BOB, "POST /api/v1/objects", "", &body).status, 201);
    }
    let list = |who, parameters: &str| {
        let answer = site.call(who, &format!("GET /api/v1/objects{parameters}"), "", &Value::Null);
        let names = answer.body["objects"].as_array().map(|objects| {
            objects
                .iter()
                .map(|object| object["name"].as_str().unwrap().to_owned())
                .collect::<Vec<_>>()
                .join(" ")
        });
        (answer.status, names.unwrap_or_default(), answer.body["more"] == true)
    };
    let found = |names: &str| (200, names.to_owned(), false);
    assert_eq!(list(BOB, ""), found("b a c"));
    assert_eq!(list(BOB, "?kind=search&folder=Work&q=GW1&tag=vpn"), found("a c"));
    assert_eq!(list(BOB, "?limit=1"), (200, "b".into(), true));
    assert_eq!(list(BOB, "?deleted=true&of=mine"), found(""));
    assert_eq!(list(EVA, ""), found(""));
    assert_eq!(list(EVA, "?of=all"), found("b a c"));
    for parameters in ["?kind=dream", "?of=yours", "?limit=0", "?limit=501", "?colour=red"] {
        assert_eq!(list(BOB, parameters).0, 400, "{parameters}");
    }
    assert_eq!(list(BOB, "?of=all").0, 403);
    assert!(site.entries().contains(&"eva list-objects".to_owned()));
    for body in [
        json!({}),
        json!({"kind": "search", "name": "x", "spec": {"query": "("}}),
        json!({"kind": "search", "name": "", "spec": {}}),
        json!({"kind": "search", "name": "x", "spec": {}, "owner": "eva"}),
        json!({"kind": "search", "name": "x", "spec": {"query": "x".repeat(70_000)}}),
    ] {
        assert_eq!(site.call(BOB, "POST /api/v1/objects", "", &body).status, 400, "{body:.80}");
    }
    for path in ["nothing", "a%2F..", "%FF", "A"] {
        let status = site.call(BOB, &format!("GET /api/v1/objects/{path}"), "", &Value::Null).status;
        assert!(status == 404 || status == 400, "{path}: {status}");
    }
}

#[test]
fn changes_are_in_the_ledger_and_nothing_is_changed_without_it() {
    let site = Site::start();
    let id = site.make(BOB, "a");
    let path = format!("/api/v1/objects/{id}");
    site.call(BOB, &format!("PUT {path}"), "*", &search("b", "x"));
    site.call(BOB, &format!("DELETE {path}"), "*", &Value::Null);
    site.call(BOB, &format!("POST {path}/restore"), "*", &json!({}));
    site.call(EVA, &format!("GET {path}"), "", &Value::Null);
    site.call(EVA, &format!("PUT {path}/acl"), "*", &json!({"acl": []}));
    let want = [
        "bob create-object",
        "bob change-object",
        "bob delete-object",
        "bob restore-object",
        "eva read-object",
        "eva share-object",
    ];
    assert_eq!(site.entries(), want);
    let server = Server::listening(Given { is_full: true, ..Given::default() }, |options| options);
    let credential = server.accounts.credential("eva").unwrap().unwrap();
    server.state.sessions().open("t", "eva", credential, &crate::Policy::default(), crate::state::now_s());
    let session = "cookie: duramen_session=t\r\nx-requested-by: t\r\nif-match: *\r\n";
    let caller =
        objects::Caller { user: server.accounts.id("eva").unwrap().unwrap(), is_administrator: true };
    let request = objects::Request { caller: &caller, now_us: 1, record: &|_| Ok(()) };
    let content =
        objects::Content::new("search".parse().unwrap(), ("a", ""), "", Vec::new(), json!({"query": "kept"}));
    let object = server.state.objects().create(&request, content.unwrap(), "").unwrap();
    let path = format!("/api/v1/objects/{}", object.summary.id);
    for (request, body) in [
        (format!("PUT {path}"), search("a", "lost")),
        (format!("DELETE {path}"), Value::Null),
        (format!("PUT {path}/acl"), json!({"acl": []})),
    ] {
        let (status, _, text) = server.ask(&request, session, &body.to_string());
        assert!(status == 500 && text.contains("nothing was changed"), "{request}: {status} {text}");
    }
    let kept = server.state.objects().object(&caller, &object.summary.id).unwrap();
    assert_eq!((kept.summary.revision, &kept.content.spec["query"]), (1, &json!("kept")));
}

#[test]
fn without_a_database_the_objects_of_files_are_there() {
    let server = Server::start();
    let store = server.state.objects();
    let path = server.folder.path().join("objects/objects.db");
    let files = server.folder.path().join("etc");
    std::fs::create_dir(&files).unwrap();
    std::fs::write(files.join("b.json"), "{").unwrap();
    let text = json!({"id": "failed", "kind": "search", "name": "Failed", "spec": {}}).to_string();
    std::fs::write(files.join("a.json"), text).unwrap();
    let broken = server.folder.path().join("broken/objects.db");
    std::fs::create_dir_all(broken.parent().unwrap()).unwrap();
    std::fs::write(&broken, "no database".repeat(1_000)).unwrap();
    assert!(path.exists() && store.troubles().is_empty());
    let objects = Arc::new(objects::Store::open(&broken));
    objects.reload(&files);
    let ids = Ids::load_or_draw(&server.folder.path().join("rows.key")).unwrap();
    let state = State::new(server.backend.clone(), server.accounts.clone(), objects, ids, "loghost.example");
    let state = Arc::new(state.unwrap());
    let options = ListenOptions::plain(([127, 0, 0, 1], 0).into());
    let listening = server.runtime.block_on(listen(options, state)).unwrap();
    let mut other = Server::start();
    let first = std::mem::replace(&mut other.address, listening.address);
    let basic = "authorization: Basic ZXZhOmEgbG9uZyBwYXNzd29yZA==\r\nx-requested-by: t\r\nif-match: *\r\n";
    let ask = |request: &str, body: &str| {
        let (status, _, text) = other.ask(request, basic, body);
        (status, serde_json::from_str::<Value>(&text).unwrap())
    };
    let (status, list) = ask("GET /api/v1/objects", "");
    assert_eq!((status, &list["objects"][0]["name"]), (200, &json!("Failed")), "{list}");
    assert!(list["objects"][0]["file"].as_str().unwrap().ends_with("etc/a.json"));
    let (status, refused) = ask("PUT /api/v1/objects/failed", &search("x", "y").to_string());
    assert!(status == 403 && refused["error"]["message"].as_str().unwrap().contains("it is changed there"));
    let (status, refused) = ask("GET /api/v1/objects/other", "");
    assert_eq!((status, &refused["error"]["code"]), (503, &json!("objects_unavailable")));
    assert!(!refused.to_string().contains("broken"), "paths are for administrators: {refused}");
    let session = other.login("a long password").1;
    let token = session.split("duramen_session=").nth(1).unwrap().split(';').next().unwrap().to_owned();
    let (_, _, health) = other.ask("GET /api/v1/health", &format!("cookie: duramen_session={token}\r\n"), "");
    let health: Value = serde_json::from_str(&health).unwrap();
    let troubles = health["objects"].as_array().unwrap();
    assert_eq!((health["status"].as_str(), troubles.len()), (Some("degraded"), 2), "{health}");
    assert!(troubles[0].as_str().unwrap().contains("broken/objects.db is damaged"), "{health}");
    assert!(troubles[1].as_str().unwrap().contains("etc/b.json:1:1: EOF"), "{health}");
    let (_, _, health) = other.ask("GET /api/v1/health", "", "");
    assert!(health.contains("degraded") && !health.contains("b.json"), "{health}");
    other.address = first;
    server.runtime.block_on(listening.stop());
}

#[test]
fn a_permalink_leads_to_the_page_and_tells_nothing() {
    let server = Server::start();
    let place = |path: &str| {
        let (status, head, _) = server.ask(&format!("GET {path}"), "", "");
        (
            status,
            head.split("location: ").nth(1).and_then(|rest| rest.split("\r\n").next()).map(str::to_owned),
        )
    };
    assert_eq!(place("/o/failed-logins"), (303, Some("../?load=failed-logins".to_owned())));
    for path in ["/o/A", "/o/%FF", "/o/a%0d%0ab", "/o/..%2f", "/o/a?b=c#d"] {
        let (status, location) = place(path);
        let is_plain = location.as_deref() == Some("../?load=a");
        assert!(status == 404 || is_plain, "{path}: {status} {location:?}");
    }
}

#[test]
fn all_objects_as_files_are_for_administrators_only() {
    let site = Site::start();
    site.make(EVA, "a");
    site.make(BOB, "b");
    for who in [BOB, ANN] {
        for request in
            ["GET /api/v1/object-files", "POST /api/v1/object-files/plan", "POST /api/v1/object-files/apply"]
        {
            let refused = site.call(who, request, "", &json!({"files": []}));
            assert_eq!((refused.status, &refused.body["error"]["code"]), (403, &json!("forbidden")));
        }
    }
    let mut files = site.call(EVA, "GET /api/v1/object-files", "", &Value::Null).body;
    assert_eq!(files["files"].as_array().unwrap().len(), 2);
    let plan = |files: &Value| site.call(EVA, "POST /api/v1/object-files/plan", "", files);
    let same = plan(&files);
    let outcomes = |reply: &Reply| -> Vec<String> {
        let steps = reply.body["steps"].as_array().unwrap().iter();
        steps.map(|step| format!("{} {}", step["outcome"], step["members"])).collect()
    };
    assert_eq!(outcomes(&same), ["\"same\" []", "\"same\" []"], "{}", same.body);
    let text = files["files"][0]["text"].as_str().unwrap().replace("\"open\"", "\"shut\"");
    files["files"][0]["text"] = text.clone().into();
    assert_eq!(outcomes(&plan(&files))[0], "\"change\" [\"spec.query\"]");
    let applied = site.call(EVA, "POST /api/v1/object-files/apply", "", &files);
    assert_eq!((applied.status, outcomes(&applied).len()), (200, 2), "{}", applied.body);
    assert_eq!(outcomes(&plan(&files)), ["\"same\" []", "\"same\" []"]);
    let entries = site.entries();
    assert!(entries.iter().any(|line| line.contains("change-object")), "{entries:?}");
    files["files"][0]["text"] = text.replace("\"shut\"", "\"(shut\"").into();
    files["files"][1]["text"] = "{\n}".into();
    let refused = site.call(EVA, "POST /api/v1/object-files/apply", "", &files);
    let problems = &refused.body["problems"];
    assert_eq!((refused.status, problems.as_array().unwrap().len()), (400, 2), "{problems}");
    assert!(problems[0]["line"].as_u64() > Some(5) && problems[1]["line"] == 2, "{problems}");
    assert_eq!(plan(&json!({"files": [], "x": 1})).status, 400);
}

#[test]
fn another_user_of_a_name_inherits_no_objects() {
    let site = Site::start();
    let id = site.make(BOB, "of bob");
    site.server.accounts.remove("bob").unwrap();
    site.server.accounts.add("bob", "a long password").unwrap();
    site.server.accounts.grant("bob", "both", &[accounts::Right::Search]).unwrap();
    let fresh = cookie(
        &site.server.ask("POST /api/v1/login", "", r#"{"user":"bob","password":"a long password"}"#).1,
    );
    let ask = |request: &str| site.server.ask(request, &format!("{fresh}if-match: *\r\n"), "").0;
    assert_eq!(ask(&format!("GET /api/v1/objects/{id}")), 404);
    assert_eq!(ask(&format!("DELETE /api/v1/objects/{id}")), 404);
    let orphan = site.call(EVA, &format!("GET /api/v1/objects/{id}"), "", &Value::Null).body;
    assert_eq!((&orphan["owner"], &orphan["owner_removed"]), (&json!("bob"), &json!(true)));
    // An administrator may give it away, also to the new account.
    let body = json!({"acl": [], "owner": "bob"});
    let given = site.call(EVA, &format!("PUT /api/v1/objects/{id}/acl"), "*", &body);
    assert_eq!((given.status, &given.body["owner_removed"]), (200, &Value::Null), "{}", given.body);
    assert_eq!(ask(&format!("GET /api/v1/objects/{id}")), 200);
}
