//! Dashboards: panels of one snapshot, what a user may not see in none of them, values that cannot change a query.

use super::{
    saved_objects::BOB,
    scopes::{EVA, Site, store},
};
use serde_json::{Value, json};

fn panel(id: &str, row: u16, kind: &str, query: &str) -> Value {
    json!({"id": id, "title": id, "kind": kind, "x": 0, "y": row, "w": 6, "h": 1, "query": query})
}

fn spec(panels: Vec<Value>) -> Value {
    json!({"logspace": "all", "time": {"from": "", "to": ""}, "panels": panels,
        "parameters": [{"name": "host"}, {"name": "n", "type": "number", "default": "0"}]})
}

impl Site {
    /// Saves a dashboard of eva that everyone may see.
    fn dashboard(&self, spec: &Value) -> String {
        let body = json!({"kind": "dashboard", "name": "Board", "spec": spec});
        let made = self.call(EVA, "POST /api/v1/objects", "", &body);
        assert_eq!(made.status, 201, "{}", made.body);
        let id = made.body["id"].as_str().unwrap().to_owned();
        self.share(&id, json!([{"principal": "everyone", "level": "view"}]));
        id
    }

    fn run_board(&self, who: &'static str, id: &str, request: Value) -> (u16, Value) {
        let reply = self.call(who, &format!("POST /api/v1/dashboards/{id}/run"), "", &request);
        (reply.status, reply.body)
    }

    fn draft(&self, who: &'static str, spec: Value, run: Value) -> (u16, Value) {
        let reply = self.call(who, "POST /api/v1/dashboards/run", "", &json!({"spec": spec, "run": run}));
        (reply.status, reply.body)
    }

    /// The number of messages that a query of a panel finds with values.
    #[track_caller]
    fn total(&self, query: &str, run: Value) -> Value {
        let (status, body) = self.draft(EVA, spec(vec![panel("a", 0, "number", query)]), run);
        assert_eq!(status, 200, "{body}");
        let panel = &body["panels"][0];
        if panel["error"].is_null() { panel["answer"]["total"].clone() } else { panel["error"].clone() }
    }
}

#[test]
fn all_panels_are_of_one_snapshot() {
    let site = Site::start();
    let id = site.dashboard(&spec(vec![
        panel("all", 0, "number", ""),
        panel("hosts", 1, "bar", "* | top host"),
        panel("time", 2, "line", ""),
        panel("sum", 3, "number", "* | stats count() as n"),
        panel("list", 4, "messages", "secret"),
        json!({"id": "note", "kind": "text", "x": 0, "y": 9, "w": 1, "h": 1, "text": "hello"}),
    ]));
    let (status, body) = site.run_board(EVA, &id, json!({}));
    assert_eq!(status, 200, "{body}");
    let panels = body["panels"].as_array().unwrap();
    let ids: Vec<&str> = panels.iter().map(|panel| panel["id"].as_str().unwrap()).collect();
    assert_eq!(ids, ["all", "hosts", "time", "sum", "list"]);
    assert!(panels.iter().all(|panel| panel["answer"]["snapshot"] == body["snapshot"]["all"]), "{body}");
    assert_eq!(panels[0]["answer"]["total"], 20);
    assert_eq!(panels[1]["answer"]["table"]["rows"], json!([["open", 10, 50.0], ["secret", 10, 50.0]]));
    let bars = panels[2]["answer"]["bars"]["counts"].as_array().unwrap();
    assert_eq!((bars.len(), bars.iter().filter_map(Value::as_u64).sum::<u64>()), (60, 20));
    assert_eq!(panels[3]["answer"]["table"]["rows"], json!([[20]]));
    assert_eq!(panels[4]["answer"]["rows"].as_array().unwrap().len(), 10);
    // Messages that come later are in no panel of an earlier snapshot, and in all of a later one.
    store(&site.all, "all", 21, 31);
    let (_, later) = site.run_board(EVA, &id, json!({"panels": ["sum", "all"]}));
    let figures: Vec<&Value> =
        later["panels"].as_array().unwrap().iter().map(|panel| &panel["answer"]["total"]).collect();
    assert_eq!(figures, [30, 30]);
    assert_ne!(later["snapshot"], body["snapshot"]);
    let entries = site.server.backend.ledger.lock().unwrap();
    assert_eq!(entries.iter().filter(|line| line.contains("run-dashboard")).count(), 2, "{entries:?}");
}

#[test]
fn a_panel_shows_only_what_its_viewer_may_search() {
    let site = Site::start();
    let mut own = panel("own", 1, "number", "");
    own["logspace"] = json!("open-only");
    let mut none = panel("none", 2, "number", "");
    none["logspace"] = json!("nothing");
    let id = site.dashboard(&spec(vec![panel("all", 0, "number", ""), own, none]));
    let (status, body) = site.run_board(BOB, &id, json!({}));
    assert_eq!(status, 200, "{body}");
    let panels = &body["panels"];
    let refused =
        |name: &str| json!({"code": "forbidden", "message": format!("bob needs the right to search {name}")});
    assert_eq!(panels[0]["error"], refused("all"));
    assert!(panels[0]["answer"].is_null() && panels[0]["query"] == "");
    assert_eq!(panels[1]["answer"]["total"], 10, "the part that bob may see");
    assert_eq!(panels[2]["error"], refused("nothing"), "as one that is there");
    assert_eq!(body["snapshot"].as_object().unwrap().len(), 1);
    // The default of the dashboard is replaced, not that of a panel.
    let (_, body) = site.run_board(BOB, &id, json!({"in": "both"}));
    assert_eq!(body["panels"][0]["answer"]["total"], 14);
    assert_eq!(body["panels"][1]["logspace"], "open-only");
    // A dashboard that the user may not read is not found.
    site.share(&id, json!([]));
    assert_eq!(site.run_board(BOB, &id, json!({})).0, 404);
    assert_eq!(site.run_board(BOB, "nothing", json!({})).0, 404);
    // Who may search nothing gets no panels.
    site.share(&id, json!([{"principal": "everyone", "level": "view"}]));
    let (status, body) = site.run_board("ann", &id, json!({}));
    assert_eq!(
        (status, &body["error"]["message"]),
        (403, &json!("ann needs the right to search a logspace"))
    );
    let entries = site.server.backend.ledger.lock().unwrap();
    assert!(
        !entries.iter().any(|line| line.contains("bob run-dashboard") && line.contains("all")),
        "{entries:?}"
    );
}

#[test]
fn no_value_widens_a_query() {
    let site = Site::start();
    let with = |host: &str| site.total("host:${host}", json!({"params": {"host": host}}));
    assert_eq!((with("open"), with("OPEN"), with("")), (json!(10), json!(10), json!(20)));
    let hostile = [
        "*",
        "o*",
        "open OR secret",
        "x\" OR host:\"secret",
        "\\\" OR *",
        "x) OR (*",
        "| head 5",
        "${host}",
        "/.*/",
        "[* TO *]",
    ];
    for value in hostile {
        assert_eq!(with(value), 0, "{value}");
        let filter = json!({"filters": [{"field": "host", "value": value}]});
        assert_eq!(site.total("host:open OR *", filter), 0, "{value}");
        let field = json!({"filters": [{"field": value, "value": "open"}]});
        let total = site.total("host:open", field);
        assert!(total.as_u64().is_some_and(|total| total <= 10), "{value}: {total}");
    }
    let filter = json!({"filters": [{"field": "host", "value": "open"}]});
    assert_eq!(site.total("secret OR all", filter.clone()), 10);
    assert_eq!(site.total("* | stats count() as n", filter), 10);
}

#[test]
fn requests_that_do_not_fit_are_refused() {
    let site = Site::start();
    let id = site.dashboard(&spec(vec![panel("a", 0, "number", "host:${host}")]));
    let check = |request: Value, want: &str| {
        let (status, body) = site.run_board(EVA, &id, request);
        assert!(
            status == 400 && body["error"]["message"].as_str().unwrap().contains(want),
            "{status} {body}"
        );
    };
    check(json!({"params": {"user": "x"}}), "no parameter \"user\"");
    check(json!({"params": {"n": "5 OR 6"}}), "takes a number");
    check(json!({"panels": ["b"]}), "no panel \"b\"");
    check(json!({"pannels": []}), "unknown field");
    check(json!({"filters": vec![json!({"field": "a", "value": "b"}); 21]}), "at most 20");
    // A fault of one panel is its own.
    let (status, body) = site.run_board(EVA, &id, json!({"from": "tea", "to": "now"}));
    assert_eq!((status, &body["panels"][0]["error"]["code"]), (200, &json!("bad_request")));
    let (status, body) = site.run_board(EVA, &id, json!({"filters": [{"field": "", "value": "b"}]}));
    assert_eq!((status, &body["panels"][0]["error"]["code"]), (200, &json!("query_syntax")), "{body}");
    let (status, body) = site.draft(EVA, json!({"panels": [panel("a", 0, "number", "(")]}), json!({}));
    assert!(status == 400 && body["error"]["message"].as_str().unwrap().contains("panel \"a\""), "{body}");
    let search = site.make(EVA, "a");
    assert_eq!(
        site.run_board(EVA, &search, json!({})).1["error"]["message"],
        format!("{search} is a search")
    );
}

#[test]
fn a_number_is_compared_with_the_time_before() {
    let site = Site::start();
    let mut compared = panel("a", 0, "number", "");
    compared["options"] = json!({"compare": true});
    // Messages 1 to 20 come one a second from START_US on.
    let run = json!({"from": "2096-11-21T04:00:15Z", "to": "2096-11-21T04:00:30Z"});
    let (_, body) = site.draft(EVA, spec(vec![compared.clone()]), run);
    let panel = &body["panels"][0];
    assert_eq!((&panel["answer"]["total"], &panel["previous"]["total"]), (&json!(6), &json!(14)), "{body}");
    let (_, body) = site.draft(EVA, spec(vec![compared]), json!({"from": "", "to": "now"}));
    assert!(body["panels"][0]["previous"].is_null(), "an open end has no time before: {body}");
}
