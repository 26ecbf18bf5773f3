//! Specifications, their faults, and the queries that values make of them.

use super::super::checked::check_fault;
use super::*;
use serde_json::json;
use std::{collections::BTreeMap, fs, path::Path};

const GOLDEN: &str = "src/kind/dashboard/testdata/version-1.json";

/// A dashboard with one panel of a kind and a query.
fn with(kind: &str, query: &str) -> Value {
    json!({"panels": [{"id": "a", "title": "Top", "kind": kind, "x": 0, "y": 0, "w": 4, "h": 3, "query": query}]})
}

/// The same with a member of the panel set.
fn with_member(kind: &str, member: &str, value: Value) -> Value {
    let mut spec = with(kind, if kind == "text" { "" } else { "*" });
    spec["panels"][0][member] = value;
    spec
}

#[test]
fn the_form_of_version_1_stays_readable_and_stable() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(GOLDEN);
    let read = || serde_json::from_slice::<Value>(&fs::read(&path).unwrap()).unwrap();
    let written = read();
    let checked = check(&written["input"]).unwrap();
    if std::env::var_os("UPDATE").is_some() {
        let golden = json!({"input": written["input"], "spec": checked.spec, "summary": checked.summary});
        fs::write(&path, format!("{golden:#}\n")).unwrap();
    }
    let written = read();
    assert_eq!((&checked.spec, &json!(checked.summary)), (&written["spec"], &written["summary"]));
    assert_eq!(check(&checked.spec).unwrap().spec, checked.spec);
}

#[test]
fn a_dashboard_gets_its_defaults() {
    let checked = check(&json!({})).unwrap();
    assert_eq!(
        checked.spec,
        json!({"logspace": "", "time": {"clock": "received", "from": "now-1h", "to": "now"}, "refresh_s": 0,
            "parameters": [], "panels": []})
    );
    assert_eq!(check(&with("number", "failed")).unwrap().summary, "Top");
}

#[test]
fn faults_are_named_with_their_member_and_column() {
    check_fault(check, json!([]), "", "a JSON object");
    check_fault(check, json!({"panles": []}), "", "unknown field `panles`");
    check_fault(check, with("sphere", "*"), "", "unknown variant `sphere`");
    check_fault(check, json!({"refresh_s": 1}), "refresh_s", "5 to 86400");
    check_fault(check, json!({"time": {"from": "tea"}}), "time.from", "tea");
    check_fault(check, json!({"logspace": "a\nb"}), "logspace", "no name");
    check_fault(
        check,
        with("number", "host:(a"),
        "panels.0.query",
        "panel \"Top\": missing closing parenthesis at 6",
    );
    check_fault(check, with("number", "a ${b}"), "panels.0.query", "there is no parameter b at 3");
    check_fault(check, with("bar", "* | top ${b}"), "panels.0.query", "${ cannot stand here at 9");
    for (kind, query) in [
        ("number", "* | top host"),
        ("number", "* | stats count() by host"),
        ("number", "* | head 5"),
        ("line", "* | top host"),
        ("heat", "*"),
        ("heat", "* | timechart 1d count()"),
        ("bar", "* | stats count()"),
        ("pie", "*"),
        ("pie", "* | timechart 1h count()"),
        ("table", "* | head 5"),
        ("messages", "* | top host"),
    ] {
        check_fault(check, with(kind, query), "panels.0.query", "panel \"Top\": ");
    }
    check_fault(check, with("text", "*"), "panels.0.query", "a panel of text has no query");
    check_fault(
        check,
        with_member("number", "text", json!("a")),
        "panels.0.text",
        "only a panel of kind text",
    );
    check_fault(check, with_member("text", "text", json!("a".repeat(9_000))), "panels.0.text", "8192 bytes");
    check_fault(check, with_member("number", "id", json!("A")), "panels.0.id", "a-z");
    check_fault(check, with_member("number", "title", json!("a\nb")), "panels.0.title", "in one line");
    check_fault(check, with_member("number", "x", json!(9)), "panels.0.w", "12 columns");
    check_fault(check, with_member("number", "w", json!(0)), "panels.0.w", "12 columns");
    check_fault(check, with_member("number", "w", json!(65_535)), "panels.0.w", "12 columns");
    check_fault(check, with_member("number", "h", json!(0)), "panels.0.h", "1 to 40 rows");
    check_fault(check, with_member("number", "y", json!(1_001)), "panels.0.h", "row 0 to 1000");
    check_fault(check, with_member("number", "x", json!(-1)), "", "u16");
    check_fault(check, with_member("number", "time", json!({"from": "tea"})), "panels.0.time.from", "tea");
    check_fault(
        check,
        with_member("number", "options", json!({"rows": 5})),
        "panels.0.options.rows",
        "of a table",
    );
    check_fault(check, with_member("table", "options", json!({"size": 5})), "", "unknown field `size`");
    check_fault(
        check,
        with_member("line", "options", json!({"compare": true})),
        "panels.0.options.unit",
        "only a number",
    );
    check_fault(
        check,
        with_member("number", "options", json!({"columns": ["a"]})),
        "panels.0.options.columns",
        "only a list",
    );
    let panel = with("number", "*")["panels"][0].clone();
    let mut two = json!({"panels": [panel.clone(), panel]});
    check_fault(check, two.clone(), "panels.1.id", "another panel has the id");
    two["panels"][1]["id"] = json!("b");
    check_fault(check, two.clone(), "panels.1.y", "\"b\" lies on the panel \"a\"");
    two["panels"][1]["x"] = json!(4);
    assert!(check(&two).is_ok());
    let many: Vec<Value> = (0..41)
        .map(|n| json!({"id": format!("p{n}"), "kind": "number", "x": 0, "y": n, "w": 1, "h": 1}))
        .collect();
    check_fault(check, json!({"panels": many}), "panels", "at most 40");
    check_fault(check, json!({"parameters": [{"name": "Host"}]}), "parameters.0.name", "in lower case");
    check_fault(check, json!({"parameters": [{"name": "a"}, {"name": "a"}]}), "parameters.1.name", "twice");
    check_fault(
        check,
        json!({"parameters": [{"name": "a", "type": "number", "default": "x"}]}),
        "parameters",
        "\"x\" is none",
    );
    let mut needs = with("number", "ms:>${ms}");
    needs["parameters"] = json!([{"name": "ms", "type": "number"}]);
    check_fault(check, needs.clone(), "panels.0.query", "the parameter ms has no value at 5");
    needs["parameters"] = json!([{"name": "ms", "type": "number", "default": "500"}]);
    assert!(check(&needs).is_ok());
}

#[test]
fn values_take_the_place_of_parameters_and_change_nothing_else() {
    let mut spec = with("number", "host:${host} AND ms:>${ms}");
    spec["parameters"] = json!([{"name": "host"}, {"name": "ms", "type": "number", "default": "5"}]);
    let dashboard = Dashboard::deserialize(&check(&spec).unwrap().spec).unwrap();
    let bound = |pairs: &[(&str, &str)]| {
        let given: BTreeMap<String, String> =
            pairs.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
        let values = dashboard.values(&given).map_err(|error| error.to_string())?;
        dashboard.panels[0].query_with(&values, &[]).map_err(|error| error.to_string())
    };
    assert_eq!(bound(&[]).unwrap(), "host:* AND ms:>5");
    assert_eq!(bound(&[("host", "gw1"), ("ms", "-2")]).unwrap(), "host:\"gw1\" AND ms:>\\-2");
    assert_eq!(bound(&[("host", "* OR *"), ("ms", " ")]).unwrap(), "host:\"\\* OR \\*\" AND ms:>5");
    assert!(bound(&[("ms", "5 OR *")]).unwrap_err().contains("takes a number"));
    assert!(bound(&[("user", "x")]).unwrap_err().contains("no parameter \"user\""));
    assert!(bound(&[("host", &"x".repeat(1_025))]).unwrap_err().contains("1024 bytes"));
}
