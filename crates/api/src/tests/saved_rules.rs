//! Rules as saved objects: who may save them, over which logspaces, who sees them in the list.

use super::scopes::{EVA, Site};
use accounts::Right;
use serde_json::{Value, json};
use std::{collections::BTreeMap, path::PathBuf};

const BOB: &str = "bob";

/// The status and the body of a call on any state of an object.
fn call(site: &Site, who: &'static str, request: &str, body: &Value) -> (u16, Value) {
    let text = if body.is_null() { String::new() } else { body.to_string() };
    let headers = format!("{}if-match: *\r\n", site.session(who));
    let (status, _, answer) = site.server.ask(request, &headers, &text);
    (status, serde_json::from_str(&answer).unwrap_or_else(|_| panic!("{request}: {answer}")))
}

fn rule(name: &str, logspace: &str, more: Value) -> Value {
    let mut spec = json!({"logspace": logspace, "query": "failed", "kind": "match"});
    more.as_object().into_iter().flatten().for_each(|(key, value)| spec[key] = value.clone());
    json!({"kind": "rule", "name": name, "spec": spec})
}

fn save(site: &Site, who: &'static str, body: &Value) -> String {
    let (status, made) = call(site, who, "POST /api/v1/objects", body);
    assert_eq!(status, 201, "{made}");
    made["id"].as_str().unwrap().to_owned()
}

#[track_caller]
fn refused(site: &Site, who: &'static str, request: &str, body: &Value, want: (u16, &str)) {
    let (status, answer) = call(site, who, request, body);
    let message = answer["error"]["message"].as_str().unwrap_or_default();
    assert!(status == want.0 && message.contains(want.1), "{request}: {status} {answer}");
}

/// Titles and states of the rules that a user is shown.
fn listed(site: &Site, who: &'static str, parameters: &str) -> Vec<(String, String)> {
    let (status, answer) = call(site, who, &format!("GET /api/v1/rules{parameters}"), &Value::Null);
    assert_eq!(status, 200, "{answer}");
    let text = |rule: &Value, name: &str| rule[name].as_str().unwrap().to_owned();
    answer["rules"]
        .as_array()
        .unwrap()
        .iter()
        .map(|rule| (text(rule, "title"), text(rule, "state")))
        .collect()
}

#[test]
fn a_rule_is_saved_by_those_who_may_search_what_it_watches() {
    let site = Site::start();
    let made = "POST /api/v1/objects";
    refused(&site, BOB, made, &rule("a", "all", json!({})), (400, "no logspace \"all\" that you may search"));
    refused(&site, EVA, made, &rule("a", "nowhere", json!({})), (400, "\"nowhere\""));
    for logspace in ["open-only", "both"] {
        refused(&site, BOB, made, &rule("a", logspace, json!({})), (400, "rules cannot watch logspace"));
    }
    refused(&site, EVA, made, &rule("a", "all", json!({"query": "("})), (400, "spec.query: in the query"));
    refused(&site, EVA, made, &rule("a", "all", json!({"id": "x"})), (400, "spec.id"));
    let id = save(&site, EVA, &rule("Failed", "all", json!({})));
    let path = format!("/api/v1/objects/{id}");
    // A rule that is switched off watches nothing, so that anybody may keep one.
    let off = save(&site, BOB, &rule("mine", "all", json!({"enabled": false})));
    let on = rule("mine", "all", json!({"enabled": true}));
    refused(&site, BOB, &format!("PUT /api/v1/objects/{off}"), &on, (400, "that you may search"));
    // One who may edit the rule of another one needs the right as well.
    let shared = json!({"acl": [{"principal": "user:bob", "level": "own"}]});
    assert_eq!(call(&site, EVA, &format!("PUT {path}/acl"), &shared).0, 200);
    let other = rule("Failed", "all", json!({"query": "secret"}));
    refused(&site, BOB, &format!("PUT {path}"), &other, (400, "that you may search"));
    refused(
        &site,
        BOB,
        &format!("POST {path}/restore"),
        &json!({"revision": 1}),
        (400, "that you may search"),
    );
    assert_eq!(
        call(&site, BOB, &format!("PUT {path}"), &rule("Failed", "all", json!({"enabled": false}))).0,
        200
    );
    refused(
        &site,
        BOB,
        &format!("POST {path}/restore"),
        &json!({"revision": 1}),
        (400, "that you may search"),
    );
}

#[test]
fn a_rule_is_given_to_those_who_may_search_what_it_watches() {
    let site = Site::start();
    let id = save(&site, EVA, &rule("Failed", "all", json!({})));
    let path = format!("PUT /api/v1/objects/{id}/acl");
    let give = json!({"acl": [], "owner": "bob"});
    refused(&site, EVA, &path, &give, (400, "bob may not search all, which the rule watches"));
    site.server.accounts.grant("bob", "all", &[Right::Search]).unwrap();
    let (status, given) = call(&site, EVA, &path, &give);
    assert_eq!((status, &given["owner"]), (200, &json!("bob")));
}

#[test]
fn saved_rules_are_listed_for_those_who_may_see_them() {
    let site = Site::start();
    let id = save(&site, EVA, &rule("Failed", "all", json!({})));
    save(&site, EVA, &rule("Off", "all", json!({"enabled": false})));
    let row = |title: &str, state: &str| (title.to_owned(), state.to_owned());
    assert_eq!(listed(&site, EVA, ""), [row("Failed", "waiting"), row("Off", "off")]);
    assert_eq!(listed(&site, EVA, "?logspace=other"), []);
    assert_eq!(listed(&site, EVA, "?text=OFF"), [row("Off", "off")]);
    assert_eq!(listed(&site, EVA, &format!("?id={id}")), [row("Failed", "waiting")]);
    assert_eq!(listed(&site, BOB, ""), []);
    refused(&site, BOB, "GET /api/v1/rules?of=all", &Value::Null, (403, "of all users"));
    let shared = json!({"acl": [{"principal": "user:bob", "level": "view"}]});
    assert_eq!(call(&site, EVA, &format!("PUT /api/v1/objects/{id}/acl"), &shared).0, 200);
    assert_eq!(listed(&site, BOB, ""), [row("Failed", "waiting")]);
    // Those of others are for administrators who ask for them, and that is in the ledger.
    save(&site, BOB, &rule("Of bob", "all", json!({"enabled": false})));
    assert_eq!(listed(&site, EVA, "").len(), 2);
    assert_eq!(listed(&site, EVA, "?of=all").len(), 3);
    let ledger = site.server.backend.ledger.lock().unwrap();
    assert!(ledger.iter().any(|line| line.starts_with("eva list-objects")), "{ledger:?}");
}

#[test]
fn the_id_of_a_rule_in_a_file_is_taken() {
    let site = Site::start();
    let path = PathBuf::from("/etc/duramen/rules/a.yaml");
    let id = save(&site, EVA, &rule("Failed", "all", json!({})));
    let taken = BTreeMap::from([("failed".to_owned(), path.clone()), (id.clone(), path)]);
    site.server.state.shared_objects().set_taken(taken);
    let text = json!({"id": "failed", "kind": "rule", "name": "x",
        "spec": {"logspace": "all", "query": "*", "kind": "match"}});
    let files = json!({"files": [{"name": "x.json", "text": text.to_string()}]});
    let (status, answer) = call(&site, EVA, "POST /api/v1/object-files/plan", &files);
    assert!(status == 400 && answer.to_string().contains("/etc/duramen/rules/a.yaml"), "{status} {answer}");
    let change = format!("PUT /api/v1/objects/{id}");
    refused(&site, EVA, &change, &rule("Failed", "all", json!({})), (409, "/etc/duramen/rules/a.yaml"));
    // It can still be removed.
    assert_eq!(call(&site, EVA, &format!("DELETE /api/v1/objects/{id}"), &Value::Null).0, 200);
}

#[test]
fn an_owner_has_so_many_rules_and_no_more() {
    let site = Site::start();
    let ids: Vec<String> =
        (0..200).map(|number| save(&site, EVA, &rule(&format!("r{number}"), "all", json!({})))).collect();
    refused(
        &site,
        EVA,
        "POST /api/v1/objects",
        &rule("x", "all", json!({})),
        (409, "at most 200 objects of kind rule"),
    );
    let path = format!("/api/v1/objects/{}", ids[0]);
    assert_eq!(call(&site, EVA, &format!("DELETE {path}"), &Value::Null).0, 200);
    save(&site, EVA, &rule("x", "all", json!({})));
    refused(&site, EVA, &format!("POST {path}/restore"), &json!({}), (409, "at most 200"));
}
