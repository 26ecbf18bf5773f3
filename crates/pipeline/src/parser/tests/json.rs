//! Rows for `json-parser()`.

use super::parsed;
use crate::parser::{ExtractPath, Input, Json, TextParser};

#[track_caller]
fn check_with(json: Json, prefix: &str, text: &str, want: &str) {
    let parser = TextParser::new(json, Input::message(), prefix);
    assert_eq!(parsed(&parser, text.as_bytes()), want, "{text}");
}

#[track_caller]
fn check(text: &str, want: &str) {
    check_with(Json::default(), "", text, want);
}

#[test]
fn members_keep_their_types() {
    let rows = [
        ("{}", ""),
        (r#"{"user":"anna","age":41}"#, "user=anna|age:Integer=41"),
        (r#" { "ok" : true , "bad":False, "none" : NULL } "#, "ok:Boolean=true|bad:Boolean=false|none:Null="),
        (
            r#"{"a":-7,"b":0.5,"c":1e3,"d":1e-9}"#,
            "a:Integer=-7|b:Double=0.500000|c:Double=1000.000000|d:Double=1e-9",
        ),
        (
            r#"{"a":9223372036854775807,"b":92233720368547758070}"#,
            "a:Integer=9223372036854775807|b:Double=92233720368547758070",
        ),
        (r#"{"a":{"b":{"c":"deep"},"d":1}}"#, "a.b.c=deep|a.d:Integer=1"),
        (r#"{"l":["x","y z","a,b"]}"#, "l:List=x,\"y z\",\"a,b\""),
        (r#"{"l":[]}"#, "l:List="),
        (r#"{"l":[1,2]}"#, "l:Json=[1,2]"),
        (r#"{"l":[ 1, {"x" : null, 'y':'"'}, "s" ]}"#, r#"l:Json=[1,{"x":null,"y":"\""},"s"]"#),
        (r#"{"l":["x",2]}"#, r#"l:Json=["x",2]"#),
        (r#"{"l":[1,"a\n\r\t\u0001\u001f\"\\"]}"#, r#"l:Json=[1,"a\n\r\t\u0001\u001f\"\\"]"#),
        ("{'single':'quotes'}", "single=quotes"),
        (r#"{"a":1,}"#, "a:Integer=1"),
        (r#"{"a":1} and more"#, "a:Integer=1"),
        (r#"{"a":1,"a":2}"#, "a:Integer=2"),
    ];
    rows.iter().for_each(|(text, want)| check(text, want));
}

#[test]
fn escapes_are_read() {
    let rows = [
        (r#"{"a":"q\"b\\s\/n\nt\t"}"#, "a=q\"b\\s/n\nt\t"),
        (r#"{"a":"\u00e1\u0151"}"#, "a=áő"),
        (r#"{"a":"\ud83d\ude00"}"#, "a=😀"),
        (r#"{"a":"\ud83d x"}"#, "a=\u{fffd} x"),
        (r#"{"a":"\uZZ"}"#, "a=\u{fffd}ZZ"),
        (r#"{"k\u0065y":1}"#, "key:Integer=1"),
        (r#"{"l":["\u0041","b\"c"]}"#, r#"l:List=A,'b"c'"#),
        (r#"{"a":"b\b f\f r\r x\x"}"#, "a=b\u{8} f\u{c} r\r xx"),
        // A text of an array gets double quotes.
        (
            r#"{"l":[1,'\n\r\t\u0001\u001f\u007f\'"\\']}"#,
            "l:Json=[1,\"\\n\\r\\t\\u0001\\u001f\u{7f}'\\\"\\\\\"]",
        ),
        (
            "{\"long\":\"a text that is longer than a few bytes \\\\ and goes on\"}",
            "long=a text that is longer than a few bytes \\ and goes on",
        ),
    ];
    rows.iter().for_each(|(text, want)| check(text, want));
}

#[test]
fn texts_that_are_not_objects_are_stopped() {
    for text in [
        "",
        "text",
        "1",
        "true",
        "\"a\"",
        "{",
        "{\"a\"",
        "{\"a\":",
        "{\"a\":1",
        "{\"a\" 1}",
        "{a:1}",
        "{\"a\":1 \"b\":2}",
        "{\"a\":1-2}",
        "[1",
        "{\"a\":[1}",
    ] {
        check(text, "stopped");
    }
}

#[test]
fn arrays_at_the_top_are_numbered() {
    check(
        r#"[42, true, null, {"a": "b"}, "x", ["y"]]"#,
        r#"1:Integer=42|2:Boolean=true|3:Null=|4:Json={"a":"b"}|5=x|6:Json=["y"]"#,
    );
    check_with(Json::default(), ".js.", r#"[7, {"a": "b"}]"#, r#"1:Integer=7|2:Json={"a":"b"}"#);
    let many = format!("[{}7]", "0,".repeat(255));
    let want: Vec<String> = (1..=255).map(|number| format!("{number}:Integer=0")).collect();
    check(&many, &want.join("|"));
}

#[test]
fn options_choose_what_is_read() {
    let marker = Json { marker: "@cee:".into(), ..Json::default() };
    check_with(marker.clone(), ".cee.", r#"@cee: {"a":"b"}"#, ".cee.a=b");
    check_with(marker, "", r#"{"a":"b"}"#, "stopped");
    let delimiter = Json { key_delimiter: b'~', ..Json::default() };
    check_with(delimiter, "j.", r#"{"a":{"b":1}}"#, "j.a~b:Integer=1");
    let extract = |path: &str| Json { extract: Some(ExtractPath::parse(path).unwrap()), ..Json::default() };
    let text = r#"{"x":1,"in":{"list":[{"n":1},{"n":2}]}}"#;
    check_with(extract("in.list[1]"), "", text, "n:Integer=2");
    check_with(extract("in"), "", text, r#"list:Json=[{"n":1},{"n":2}]"#);
    check_with(extract("[0]"), "", r#"[{"a":"b"}]"#, "a=b");
    for path in ["x", "in.list[2]", "nothing", "[0]"] {
        check_with(extract(path), "", text, "stopped");
    }
    check_with(extract("in"), "", r#"{"in":{"a":1},"broken"}"#, "stopped");
    for path in ["a..b", "a[", "a[x]", ".a", "a]"] {
        let error = ExtractPath::parse(path).unwrap_err().to_string();
        assert_eq!(error, format!("`{path}` is no member of JSON: write it like name.other[0]"));
    }
}

#[test]
fn hostile_texts_are_bounded() {
    check(&("{\"a\":".repeat(100_000)), "stopped");
    check(&("{\"a\":".repeat(200) + "1" + &"}".repeat(200)), "stopped");
    check(&("{\"a\":".to_owned() + &"[".repeat(1_000_000)), "stopped");
    let many: String = (0..5000).map(|n| format!("\"k{n}\":1,")).collect();
    let parser = TextParser::new(Json::default(), Input::message(), "");
    assert!(parsed(&parser, format!("{{{many}}}").as_bytes()).ends_with("k4095:Integer=1 (cut)"));
    let deep = "{\"name-of-thirty-bytes-or-a-few-more\":".repeat(8) + "1" + &"}".repeat(8);
    assert!(parsed(&parser, deep.as_bytes()).ends_with(":Integer=1 (cut)"));
    assert_eq!(parsed(&parser, b"{\"a\":\"\xff\"}"), "a=\u{fffd}");
    check("{\"a\":\"\\", "stopped");
}
