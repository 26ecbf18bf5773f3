//! Answers, friendly and hostile.

use super::*;

fn naming(prefix: &str) -> Naming {
    Naming { prefix: prefix.to_owned(), single: "value".to_owned() }
}

fn shown(values: &Values) -> String {
    let one = |value: &NamedValue| {
        format!("{}={} {:?}", value.name.as_str(), String::from_utf8_lossy(&value.value), value.kind)
    };
    values.list.iter().map(one).collect::<Vec<_>>().join("; ")
}

#[track_caller]
fn check(prefix: &str, text: &[u8], want: &str) {
    let naming = naming(prefix);
    let mut gathering = Gathering::new(&naming);
    gathering.set_single(text);
    assert_eq!(shown(&gathering.finish()), want);
}

#[test]
fn the_members_of_an_object_are_values_with_their_types() {
    check(
        "",
        br#"{"role": "web", "id": 7, "up": true, "load": 0.5, "none": null}"#,
        "role=web String; id=7 Integer; up=true Boolean; load=0.5 Double",
    );
    check(
        "cmdb.",
        br#"{"owner": {"name": "Ann", "of": {"team": 3}}}"#,
        "cmdb.owner.name=Ann String; cmdb.owner.of.team=3 Integer",
    );
    check("", br#"{"tags": ["a", 1, {"b": null}]}"#, r#"tags=["a",1,{"b":null}] Json"#);
    check("", b"{}", "");
    check("", br#"{"": 1, "a\u0000b": 2, "c\n": 3}"#, "");
}

#[test]
fn anything_else_is_one_value() {
    check("x.", b"plain text\n", "x.value=plain text\n String");
    check("x.", b"\"quoted\"", "x.value=quoted String");
    check("x.", b"12", "x.value=12 Integer");
    check("x.", b"[1,2]", "x.value=[1,2] Json");
    check("x.", b"{\"a\": ", "x.value={\"a\":  String");
    check("x.", b"\xff\xfe", "x.value=\u{fffd}\u{fffd} String");
    check("x.", b"", "x.value= String");
    check("x.", b"${HOST} $(env PATH)", "x.value=${HOST} $(env PATH) String");
}

#[test]
fn a_name_without_a_prefix_may_be_a_field() {
    let naming = naming("");
    let mut gathering = Gathering::new(&naming);
    gathering.set(b"HOST", b"a", ValueKind::String);
    gathering.set(b"\xff", b"no text", ValueKind::String);
    let values = gathering.finish();
    assert!(matches!(values.list.as_slice(), [NamedValue { name: FieldName::Fixed(_), .. }]), "{values:?}");
}

#[test]
fn an_answer_has_an_end() {
    let deep = [b"[".repeat(1000), b"]".repeat(1000)].concat();
    let naming = naming("p.");
    let mut gathering = Gathering::new(&naming);
    gathering.set_single(&deep);
    // It is no JSON for the library, so it is a text.
    assert_eq!(gathering.finish().list.len(), 1);

    let mut gathering = Gathering::new(&naming);
    for number in 0..2 * VALUES_MAX {
        gathering.set(number.to_string().as_bytes(), b"x", ValueKind::String);
    }
    assert_eq!(gathering.finish().list.len(), VALUES_MAX);

    let mut gathering = Gathering::new(&naming);
    gathering.set(b"a", &vec![b'x'; VALUES_BYTES_MAX], ValueKind::String);
    gathering.set("n".repeat(FIELD_NAME_BYTES_MAX - 1).as_bytes(), b"", ValueKind::String);
    gathering.set(b"b", &vec![b'x'; VALUES_BYTES_MAX - 3], ValueKind::String);
    gathering.set(b"c", b"", ValueKind::String);
    let values = gathering.finish();
    assert_eq!(values.list.iter().map(|value| value.name.as_str()).collect::<Vec<_>>(), ["p.b"]);
    assert_eq!(values.bytes(), VALUES_BYTES_MAX + VALUE_OVERHEAD_BYTES);
}
