//! Rows for the options of value pairs, and for the characters and types of their forms.

use super::{check, check_error, check_of_version};
use crate::{OnError, Rekey, RenderOptions, Template, TypeHint, ValuePairs, Version, tests::known::Known};
use message::{FieldName, TypedValue, ValueKind};

#[test]
fn options_choose_and_rename() {
    check("$(format-json --omit-empty-values a='' b=1 --key empty)", "{\"b\":\"1\"}");
    check("$(format-json --cast --key count a=int(2))", "{\"count\":\"7\",\"a\":2}");
    check("$(format-json --cast --no-cast --key count)", "{\"count\":7}");
    check("$(format-json --cast --auto-cast --key count)", "{\"count\":7}");
    check_of_version(3, 38, "$(format-json --no-cast --key count)", "{\"count\":\"7\"}");
    check("$(format-json --key count --upper)", "{\"COUNT\":7}");
    check("$(format-json --key HOST --lower)", "{\"host\":\"gate\"}");
    check("$(format-json --rekey count --upper --key count)", "{\"COUNT\":7}");
    check("$(format-json --key count --shift 2 --upper)", "{\"UNT\":7}");
    check("$(format-json -k .dot.* --shift-levels 2 user=1)", "{\"user\":\"1\",\"one\":\"1\"}");
    check(
        "$(format-json --key count --add-prefix a. --key HOST --add-prefix b.)",
        "{\"b\":{\"HOST\":\"gate\"},\"a\":{\"count\":7}}",
    );
    check(
        "$(format-json --rekey c* --add-prefix x --rekey xc* --add-prefix y --key count)",
        "{\"yxcount\":7}",
    );
    check("$(format-json --pair a=1 -p count)", "{\"count\":7,\"a\":\"1\"}");
    check("$(names --scope none)|$(names --scope core,none)", "|");
    check_error("$(format-json --shift x)", "template is wrong at byte 14: x is not a count");
    check_error(
        "$(format-json --upper)",
        "template is wrong at byte 14: this option changes names and needs --rekey or --key before it",
    );
    check_error("$(format-json --scope)", "template is wrong at byte 14: missing argument for --scope");
    check_error(
        "$(format-json --key a --replace-prefix b)",
        "template is wrong at byte 22: --replace-prefix needs OLD=NEW",
    );
    check_error(
        "$(format-json --subkeys '')",
        "template is wrong at byte 14: --subkeys requires a non-empty argument",
    );
}

#[test]
fn members_that_the_configuration_names_are_as_those_that_are_collected() {
    for (pairs, want) in [
        ("a=1 b=$HOST", r#"{"b":"gate","a":"1"}"#),
        ("b=2 a=1", r#"{"b":"2","a":"1"}"#),
        ("a=1 a=$HOST", r#"{"a":"gate"}"#),
        ("a=1 a=2", r#"{"a":"2"}"#),
        (".a=$HOST z=1", r#"{"z":"1","_a":"gate"}"#),
        (".a=$HOST _a=1", r#"{"_a":"1","_a":"gate"}"#),
        ("a.b=$HOST a.c=1", r#"{"a":{"c":"1","b":"gate"}}"#),
        ("a.b=1", r#"{"a":{"b":"1"}}"#),
        (r#"'a\"b'=$HOST"#, r#"{"a\\\"b":"gate"}"#),
        ("a=$count b=int64($count) c=string($count)", r#"{"c":"7","b":7,"a":7}"#),
        ("--cast a=$count b=int64($count)", r#"{"b":7,"a":"7"}"#),
        ("--omit-empty-values a= b=$none c=$HOST", r#"{"c":"gate"}"#),
        ("--omit-empty-values a= b=1", r#"{"b":"1"}"#),
        ("--omit-empty-values a=", "{}"),
        ("a=", r#"{"a":""}"#),
        ("", "{}"),
    ] {
        check(&format!("$(format-json {pairs})"), want);
        // A scope without names makes it collect them.
        check(&format!("$(format-json --key no-such-name {pairs})"), want);
    }
    check("$(format-flat-json a.b=$HOST a.c=1)", r#"{"a.c":"1","a.b":"gate"}"#);
}

#[test]
fn characters_are_escaped_as_each_form_needs() {
    check(
        "$(format-json a='\u{8}\u{c}\n\r\t\u{1}\u{1f}\u{7f} \"\\')",
        r#"{"a":"\b\f\n\r\t\u0001\u001f\u007f \"\\"}"#,
    );
    check("$(format-welf a='\\\n\r\t\u{1}\"')", r#"a=\\\n\r\t\x01""#);
    check("$(format-welf a=' \"')", r#"a=" \"""#);
    check("$(format-cef-extension a='\\=\n\r\u{1}\u{1f}|')", r"a=\\\=\n\r\u0001\u001f|");
}

#[test]
fn values_keep_their_types_in_json() {
    check("$(format-json a=double(1.50) b=double(-2))", "{\"b\":-2,\"a\":1.50}");
    check("$(format-json a=double(inf))|$(format-json a=double(x))", "|");
    check("$(format-json a=null(x) b=json([1]) c=json())", "{\"c\":\"\",\"b\":[1],\"a\":null}");
    check("$(format-json a=list(x,y) b=list() c=literal(7))", "{\"c\":7,\"b\":[],\"a\":[\"x\",\"y\"]}");
}

#[track_caller]
fn check_on_error(on_error: OnError, template: &str, want: &str) {
    let template = Template::parse(template, &Known::default()).unwrap();
    let mut out = Vec::new();
    let mut renderer = super::renderer(RenderOptions { on_error, ..RenderOptions::default() });
    template.render(&super::batch(), 0, &mut renderer, &mut out);
    assert_eq!(String::from_utf8(out).unwrap(), want);
}

#[test]
fn values_that_do_not_fit_their_type_follow_on_error() {
    let template = "$(format-json a=int(x) b=1)";
    check_on_error(OnError::DropMessage, template, "");
    check_on_error(OnError::DropProperty, template, "{\"b\":\"1\"}");
    check_on_error(OnError::FallbackToString, template, "{\"b\":\"1\",\"a\":\"x\"}");
    let template = "$(format-cef-extension a|b=c k=v)";
    check_on_error(OnError::DropMessage, template, "");
    check_on_error(OnError::DropProperty, template, "k=v");
    for (name, want) in [
        ("drop-message", Some(OnError::DropMessage)),
        ("silently-drop-property", Some(OnError::DropProperty)),
        ("fallback_to_string", Some(OnError::FallbackToString)),
        ("drop", None),
    ] {
        assert_eq!(OnError::from_name(name), want, "{name}");
    }
}

/// Checks the pairs that a selection, made option by option, finds in the sample.
#[track_caller]
fn check_pairs(build: impl FnOnce(&mut ValuePairs), want: &[(&str, &str, ValueKind)]) {
    let mut pairs = ValuePairs::new(Version::CURRENT);
    build(&mut pairs);
    let mut batch = super::batch();
    batch.set_field(0, &FieldName::parse("blob"), b"xy", ValueKind::Bytes);
    let mut renderer = super::renderer(RenderOptions::default());
    let found: Vec<(String, String, ValueKind)> = pairs
        .pairs(&batch, 0, &mut renderer)
        .map(|(name, value, kind)| (name, String::from_utf8(value).unwrap(), kind))
        .collect();
    let found: Vec<(&str, &str, ValueKind)> =
        found.iter().map(|(name, value, kind)| (name.as_str(), value.as_str(), *kind)).collect();
    assert_eq!(found, want);
}

#[test]
fn selections_are_made_option_by_option() {
    use ValueKind::*;
    check_pairs(|_| {}, &[]);
    check_pairs(|pairs| pairs.key("co*", Vec::new()), &[("count", "7", Integer)]);
    check_pairs(|pairs| pairs.key("co*", vec![Rekey::Upper]), &[("COUNT", "7", Integer)]);
    check_pairs(
        |pairs| {
            pairs.key("co*", Vec::new());
            pairs.key("us*", Vec::new());
            pairs.rekey("c*", vec![Rekey::Shift(1), Rekey::AddPrefix("x".into())]);
            pairs.exclude("u*");
        },
        &[("xount", "7", Integer)],
    );
    check_pairs(
        |pairs| {
            pairs.pair("mine", Template::literal("1"));
            pairs.key("empty", Vec::new());
        },
        &[("empty", "", String), ("mine", "1", String)],
    );
    check_pairs(
        |pairs| {
            pairs.key("empty", Vec::new());
            pairs.key("count", Vec::new());
            pairs.omit_empty();
            pairs.cast_to_strings();
        },
        &[("count", "7", String)],
    );
    check_pairs(|pairs| pairs.key("blob", Vec::new()), &[]);
    check_pairs(
        |pairs| {
            pairs.key("blob", Vec::new());
            pairs.include_bytes();
        },
        &[("blob", "xy", Bytes)],
    );
    let mut pairs = ValuePairs::new(Version::CURRENT);
    assert!(pairs.scope("all_nv_pairs") && !pairs.scope("everything-else"));
}

#[test]
fn versions_decide_where_they_changed() {
    let version = |major: u16, minor: u16| Version { major, minor };
    let check = |test: fn(Version) -> bool, before: Version, from: Version, want: bool| {
        assert_eq!((test(before), test(from)), (!want, want), "{before:?} {from:?}");
    };
    check(Version::is_typed, version(3, 38), version(4, 0), true);
    check(Version::clears_unused_groups, version(4, 11), version(4, 12), true);
    check(Version::has_prefixed_formats, version(4, 11), version(4, 12), true);
    check(Version::compares_numbers_as_text, version(3, 7), version(3, 8), false);
    check(Version::has_tag_in_message, version(2, 1), version(3, 0), false);
}

/// Compares the values that a selection of explicit pairs gives with their types.
#[track_caller]
fn check_typed(on_error: OnError, pairs: &[(&str, &str)], want: &str) {
    let mut selection = ValuePairs::new(Version::CURRENT);
    for (name, template) in pairs {
        let (hint, text) = template.split_once(':').unwrap();
        let template = Template::parse(text, &Known::default()).unwrap();
        let template = TypeHint::from_name(hint).map_or(template.clone(), |hint| template.hinted(hint));
        selection.pair(name, template);
    }
    selection.include_bytes();
    let mut renderer = super::renderer(RenderOptions { on_error, ..RenderOptions::default() });
    let mut found = Vec::new();
    let done = selection.typed_pairs(&super::batch(), 0, &mut renderer, &mut |path, value| {
        let path: Vec<_> = path.iter().map(|part| String::from_utf8_lossy(part)).collect();
        let value = match value {
            TypedValue::Text(text) => format!("text {}", String::from_utf8_lossy(text)),
            TypedValue::Json(text) => format!("json {}", String::from_utf8_lossy(text)),
            value => format!("{value:?}"),
        };
        found.push(format!("{}={value}", path.join("/")));
    });
    let found = done.map_or_else(|error| error.to_string(), |()| found.join("; "));
    assert_eq!(found, want);
}

#[test]
fn values_have_the_types_that_receivers_store() {
    let all = OnError::DropMessage;
    check_typed(
        all,
        &[("a.b", "int:0x10"), ("c", "double:1.5"), ("d", "boolean:true"), (".e.f", "none:$HOST")],
        "_e/f=text gate; a/b=Integer(16); c=Double(1.5); d=Boolean(true)",
    );
    check_typed(
        all,
        &[("t", "datetime:1.0005"), ("u", "datetime:-2")],
        "t=Datetime(1001); u=Datetime(-2000)",
    );
    check_typed(
        all,
        &[("a", "null:x"), ("b", "json:[1]"), ("c", "literal:7"), ("d", "bytes:x"), ("e", "list:a,b")],
        "a=Null; b=json [1]; c=json 7; d=Bytes([120]); e=List([[97], [98]])",
    );
    let wrong = [("a", "int:x"), ("b", "datetime:1e300"), ("c", "none:1")];
    check_typed(all, &wrong, "the value of a is no Integer");
    check_typed(OnError::DropProperty, &wrong, "c=text 1");
    check_typed(OnError::FallbackToString, &wrong, "a=text x; b=text 1e300; c=text 1");
}
