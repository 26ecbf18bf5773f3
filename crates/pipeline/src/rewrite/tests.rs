//! Rows for each rewrite.

use super::*;
use crate::{Definitions, Filter, filter};
use message::{Ack, Batch, FieldName, Message, Origin, Priority, Selection, Stamp, ValueKind};
use std::sync::Arc;
use template::{
    OnError, RenderOptions, Renderer, Template,
    pattern::{PatternFlags, PatternKind},
};

fn sample() -> Batch {
    let mut batch = Batch::new(
        Arc::default(),
        vec![Arc::new(Origin { tags: vec![".source.s".into()], ..Origin::default() })],
        Stamp::default(),
        Ack::none(),
    );
    let mut message = Message::default();
    message.pri = Priority(13);
    message.text = batch.add_extra(b"user anna from 192.0.2.1 port 22");
    message.program = batch.add_extra(b"sshd");
    message.msghdr = batch.add_extra(b"sshd: ");
    message.sdata = batch.add_extra(b"[x@1 k=\"v\"]");
    batch.messages.push(message);
    for (name, value) in [("a.one", "1"), ("a.two", "2"), ("b", "3")] {
        batch.set_field(0, &FieldName::parse(name), value.as_bytes(), ValueKind::String);
    }
    batch
}

fn template(text: &str) -> Arc<Template> {
    Arc::new(Template::parse(text, &Definitions::default()).unwrap())
}

/// Runs a rewrite and checks what a template shows then.
#[track_caller]
fn check(operation: Operation, shown: &str, want: &str) {
    check_if(operation, "program(sshd)", shown, want);
}

#[track_caller]
fn check_if(operation: Operation, condition: &str, shown: &str, want: &str) {
    let condition = filter::parse(condition, &Definitions::default()).unwrap();
    let rewrite = Rewrite { operation, condition: Some(Arc::new(Filter::new(condition))), rendering: None };
    let mut batch = sample();
    let mut renderer = Renderer::new(RenderOptions::default(), Arc::default());
    rewrite.apply(&mut batch, &Selection::all(1), &mut renderer);
    let mut out = Vec::new();
    template(shown).render(&batch, 0, &mut renderer, &mut out);
    assert_eq!(String::from_utf8_lossy(&out), want);
}

fn field(name: &str) -> FieldName {
    FieldName::parse(name)
}

fn subst(pattern: &str, kind: PatternKind, flags: &str, replacement: &str) -> Operation {
    let mut set = PatternFlags::default();
    flags.split_whitespace().for_each(|flag| set.set(flag).unwrap());
    Operation::subst(field("MESSAGE"), pattern, kind, set, template(replacement)).unwrap()
}

#[test]
fn sets_and_unsets() {
    check(Operation::Set { field: field("new"), value: template("$PROGRAM/$b") }, "$new", "sshd/3");
    check(Operation::Set { field: field("PROGRAM"), value: template("x") }, "$MSGHDR", "x: ");
    check(Operation::Unset { field: field("b") }, "[$b]", "[]");
    check(Operation::Unset { field: field("HOST") }, "[$HOST]", "[]");
    check_if(Operation::Unset { field: field("b") }, "program(other)", "$b", "3");
    check(
        Operation::Set { field: field(".SDATA.x@1.k"), value: template("w]") },
        "$SDATA",
        "[x@1 k=\"w\\]\"]",
    );
    check(
        Operation::Set { field: field(".SDATA.y.p"), value: template("1") },
        "$SDATA",
        "[x@1 k=\"v\"][y p=\"1\"]",
    );
    check(Operation::Unset { field: field(".SDATA.x@1.k") }, "[$SDATA]", "[]");
}

#[test]
fn substitutes() {
    use PatternKind::*;
    check(subst("(\\w+) from", Pcre, "", "<$1> from"), "$MSG", "user <anna> from 192.0.2.1 port 22");
    check(subst("[0-9]+", Pcre, "global", "N"), "$MSG", "user anna from N.N.N.N port N");
    check(subst("(\\d)", Pcre, "global", "$1$1"), "$MSG", "user anna from 119922.00.22.11 port 2222");
    check(subst("x*", Pcre, "global", "-"), "$(substr $MSG 0 7)", "-u-s-e-");
    check(subst("anna", Literal, "substring", "bela"), "$MSG", "user bela from 192.0.2.1 port 22");
    check(subst("ANNA", Pcre, "ignore-case", "$$"), "$MSG", "user $ from 192.0.2.1 port 22");
    check(subst(".*", Pcre, "global", "all"), "$MSG", "all");
    check(subst("2*", Pcre, "global", "-"), "$(substr $MSG -3)", "- -");
    check(
        subst("(?<who>an+a)", Pcre, "store-matches", "<$who>"),
        "$who $MSG",
        "anna user <anna> from 192.0.2.1 port 22",
    );
    check(subst("nothing", Pcre, "global", "x"), "$MSG", "user anna from 192.0.2.1 port 22");
    check(subst("^.*$", Pcre, "", ""), "[$MSG]", "[]");
    check(subst("anna", Pcre, "", "${none:-nobody}"), "$MSG", "user nobody from 192.0.2.1 port 22");
}

#[test]
fn substitutes_in_bytes_as_they_came() {
    let bytes = b"user anna from".to_vec();
    let mut batch =
        Batch::new(Arc::new(bytes), vec![Arc::new(Origin::default())], Stamp::default(), Ack::none());
    for (start, length) in [(5, 4), (0, 14), (0, 4)] {
        let mut message = Message::default();
        message.text = message::Span::received(start, length);
        batch.messages.push(message);
    }
    let operation = subst("n+", PatternKind::Pcre, "global", "-");
    let rewrite = Rewrite { operation, condition: None, rendering: None };
    let mut renderer = Renderer::new(RenderOptions::default(), Arc::default());
    rewrite.apply(&mut batch, &Selection::all(3), &mut renderer);
    let texts = [0, 1, 2].map(|index| batch.fixed(index, message::Field::Message).to_vec());
    assert_eq!(texts, [b"a-a".to_vec(), b"user a-a from".to_vec(), b"user".to_vec()]);
}

#[test]
fn times_are_shown_in_another_zone() {
    let tokyo = jiff::tz::TimeZone::get("Asia/Tokyo").unwrap();
    let shown = |zone: Zone, want: &str| check(Operation::SetZone { zone }, "$ISODATE", want);
    shown(Zone::Known(tokyo), "1970-01-01T09:00:00+09:00");
    shown(Zone::Rendered(template("Asia/${none:-Tokyo}")), "1970-01-01T09:00:00+09:00");
    shown(Zone::Rendered(template("Nowhere/Land")), "1970-01-01T00:00:00+00:00");
}

/// The stamp of the sample is 1970-01-01 00:00 UTC.
#[test]
fn times_are_read_in_another_zone() {
    let tokyo = || jiff::tz::TimeZone::get("Asia/Tokyo").unwrap();
    let fix = |zone: Zone| Operation::FixZone { zone };
    check(fix(Zone::Known(tokyo())), "$ISODATE $UNIXTIME", "1970-01-01T00:00:00+09:00 -32400");
    check(fix(Zone::Rendered(template("$none"))), "$ISODATE", "1970-01-01T00:00:00+00:00");
    // A message received two hours before its own time was sent two zones to the east.
    let mut batch = sample();
    batch.messages[0].event = Stamp::known(7_200_000_000, 0);
    let mut renderer = Renderer::new(RenderOptions::default(), Arc::default());
    Rewrite::new(Operation::GuessZone).apply(&mut batch, &Selection::all(1), &mut renderer);
    assert_eq!((batch.messages[0].event.unix_us, batch.messages[0].event.offset_s), (0, 7200));
}

#[test]
fn pairs_are_set_under_other_names() {
    let mut pairs = template::ValuePairs::new(Default::default());
    pairs.key("a.*", Vec::new());
    pairs.pair("made", Template::clone(&template("<$b>")));
    check(Operation::MapPairs { pairs: Arc::new(pairs) }, "${a.one} ${a.two} $b $made", "1 2 3 <3>");
}

#[test]
fn conditions_may_store_what_they_matched() {
    let condition = "match('from ([0-9]+)' value('MESSAGE') flags('store-matches'))";
    check_if(Operation::Set { field: field("new"), value: template("<$1>") }, condition, "$new", "<192>");
}

#[test]
fn tags_and_priorities() {
    check(Operation::SetTag { tag: template("t-$b") }, "$TAGS", ".source.s,t-3");
    check(Operation::ClearTag { tag: template(".source.s") }, "[$TAGS]", "[]");
    check(Operation::SetSeverity { value: template("crit") }, "$FACILITY.$SEVERITY", "user.crit");
    check(Operation::SetSeverity { value: template("7") }, "$PRI", "15");
    check(Operation::SetSeverity { value: template("8") }, "$PRI", "13");
    check(Operation::SetSeverity { value: template("9") }, "$PRI", "13");
    check(Operation::SetFacility { value: template("127") }, "$PRI", "1021");
    check(Operation::SetFacility { value: template("128") }, "$PRI", "13");
    check(Operation::SetFacility { value: template("local3") }, "$PRI", "157");
    check(Operation::SetFacility { value: template("$none") }, "$PRI", "13");
    check(Operation::SetFacility { value: template("700") }, "$PRI", "13");
    check(Operation::SetPri { value: template("42") }, "$PRI", "42");
    check(Operation::SetPri { value: template("1023") }, "$PRI", "1023");
    check(Operation::SetPri { value: template("1024") }, "$PRI", "13");
    check(Operation::SetPri { value: template("70000") }, "$PRI", "13");
}

#[test]
fn groups_and_names() {
    let names = Operation::globs(["a.*"]).unwrap();
    check(
        Operation::GroupSet { names: names.clone(), value: template("<$_>") },
        "${a.one}${a.two}$b[$_]",
        "<1><2>3[]",
    );
    check(Operation::GroupUnset { names }, "[${a.one}${a.two}]$b", "[]3");
    check(Operation::Rename { from: field("b"), to: field("c") }, "[$b]$c", "[]3");
    check(Operation::Rename { from: field("none"), to: field("b") }, "$b", "3");
    check(Operation::Rename { from: field("b"), to: field("b") }, "$b", "3");
    check(Operation::SetMatches { list: template("x,\"y,z\"") }, "$1|$2|$3|$*", "x|y,z||x,\"y,z\"");
    check(Operation::UnsetMatches, "[$1]", "[]");
}

/// Checks which values of an earlier match survive a later one, with the meaning of each version.
#[test]
fn groups_of_a_match_replace_those_before() {
    let check_after = |pattern: &str, keeps_unused_groups: bool, want: &str| {
        let set = PatternFlags { keeps_unused_groups, ..PatternFlags::default() };
        let replacement = template("$1|$2|$3|$4.");
        let subst = Operation::subst(field("MESSAGE"), pattern, PatternKind::Pcre, set, replacement).unwrap();
        let mut batch = sample();
        let mut renderer = Renderer::new(RenderOptions::default(), Arc::default());
        for operation in [Operation::SetMatches { list: template("a,b,c,d") }, subst] {
            Rewrite::new(operation).apply(&mut batch, &Selection::all(1), &mut renderer);
        }
        let text = batch.field(0, &field("MESSAGE")).unwrap_or_default().into_owned();
        let text = String::from_utf8_lossy(&text).into_owned();
        assert_eq!(text.split('.').next(), Some(want), "{pattern}");
    };
    check_after("(user) (x)?(a)", false, "user||a|");
    check_after("(user) (x)?(a)", true, "user|b|a|");
    check_after("(x)?user(y)?", true, "|||");
    check_after("(x)?(us)er", false, "|us||");
}

/// `set()` with options of its own prints in its own way; later steps print as before.
#[track_caller]
fn check_rendered(options: RenderOptions, value: &str, want: &str) {
    let operation = Operation::Set { field: field("made"), value: template(value) };
    let rewrite = Rewrite { rendering: Some(options), ..Rewrite::new(operation) };
    let mut batch = sample();
    let mut renderer = Renderer::new(RenderOptions::default(), Arc::default());
    rewrite.apply(&mut batch, &Selection::all(1), &mut renderer);
    let mut out = Vec::new();
    template("${made}|$(format-json n=int64(x))|").render(&batch, 0, &mut renderer, &mut out);
    assert_eq!(String::from_utf8_lossy(&out), format!("{want}||"), "{value}");
}

#[test]
fn values_are_printed_as_their_rewrite_says() {
    let with = |on_error| RenderOptions { on_error, ..RenderOptions::default() };
    let value = "$(format-json n=int64(x) s=y)";
    check_rendered(with(OnError::DropMessage), value, "");
    check_rendered(with(OnError::DropProperty), value, "{\"s\":\"y\"}");
    check_rendered(with(OnError::FallbackToString), value, "{\"s\":\"y\",\"n\":\"x\"}");
    let zone = jiff::tz::TimeZone::fixed(jiff::tz::offset(2));
    let shifted = RenderOptions {
        zone: Some(zone),
        fraction_digits: 3,
        stamp_format: wire::StampFormat::Iso,
        ..RenderOptions::default()
    };
    check_rendered(shifted, "$(substr $STAMP 23)", "+02:00");
}
