//! Rows for tests, operators, stored matches and errors of filters; no bytes make a filter panic.

use super::*;
use crate::Definitions;
use message::{
    Ack, Batch, Facility, Field, FieldName, Message, Origin, Priority, Selection, Severity, Span, Stamp,
    ValueKind,
};
use proptest::prelude::*;
use std::sync::Arc;
use template::{Condition, RenderOptions, Renderer, Template, Version};

fn batch(lines: &[(u16, &str, &str)]) -> Batch {
    let origin = |source: &str, peer: &str| {
        Arc::new(Origin {
            source: source.into(),
            peer: peer.parse().ok(),
            tags: vec![format!(".source.{source}")],
            ..Origin::default()
        })
    };
    let origins = vec![origin("s_a", "192.0.2.9:1"), origin("s_b", "[2001:db8::1]:1"), origin("s_c", "")];
    let mut batch = Batch::new(Arc::default(), origins, Stamp::known(0, 0), Ack::none());
    for (number, (pri, program, text)) in lines.iter().enumerate() {
        let mut message = Message::default();
        message.pri = Priority(*pri);
        message.program = batch.add_extra(program.as_bytes());
        message.text = batch.add_extra(text.as_bytes());
        message.host = batch.add_extra(b"gate");
        message.msghdr = Span::EMPTY;
        message.origin = (number % 3) as u16;
        batch.messages.push(message);
    }
    batch
}

fn sample() -> Batch {
    let mut batch = batch(&[
        (38, "sshd", "Failed password for root"),
        (22, "postfix/smtp", "status=sent"),
        (4, "kernel", "IN=eth0 DPT=22 "),
        (191, "", ""),
    ]);
    batch.set_field(0, &FieldName::parse("count"), b"7", ValueKind::Integer);
    batch.add_tag(1, "mine");
    batch
}

fn renderer() -> Renderer {
    Renderer::new(RenderOptions::default(), Arc::default())
}

/// Checks which messages of the sample a filter selects, by batch and one by one.
#[track_caller]
fn check(text: &str, want: &[usize]) {
    let mut definitions = Definitions::default();
    let kernel = Filter::new(parse("program(kernel)", &definitions).unwrap());
    definitions.filters.insert("f_kernel".into(), Arc::new(kernel));
    let filter = Filter::new(parse(text, &definitions).unwrap());
    let mut batch = sample();
    let all = Selection::all(batch.len());
    let selected: Vec<usize> = filter.select(&batch, &all, &mut renderer()).iter().collect();
    assert_eq!(selected, want, "{text}");
    let single: Vec<usize> =
        all.iter().filter(|index| filter.holds(&batch, *index, &mut renderer())).collect();
    assert_eq!(single, want, "one by one: {text}");
    let storing: Vec<usize> = filter.select_storing(&mut batch, &all, &mut renderer()).iter().collect();
    assert_eq!(storing, want, "storing: {text}");
}

#[test]
fn facilities_and_severities() {
    check("facility(auth, mail)", &[0, 1]);
    check("facility(kern..mail)", &[1, 2]);
    check("facility(23)", &[3]);
    check("level(warning..emerg)", &[2]);
    check("severity(info) or priority(debug)", &[0, 1, 3]);
}

#[test]
fn patterns_on_fields() {
    check("program('^(sshd|kernel)$')", &[0, 2]);
    check("program('post' type(string) flags(prefix))", &[1]);
    check("program('*d' type(glob))", &[0]);
    check("host('GATE' type(pcre) flags(ignore-case))", &[0, 1, 2, 3]);
    check("message('DPT=(22|23) ')", &[2]);
    check("match('^sshd: Failed')", &[0]);
    check("match('7' value('count'))", &[0]);
    check("match('^gate-sshd$' template('$HOST-$PROGRAM'))", &[0]);
    check("match('^(mail|kern)$' value('FACILITY'))", &[1, 2]);
    check("not message('.')", &[3]);
}

#[test]
fn origins_tags_and_names() {
    check("source(s_a)", &[0, 3]);
    check("tags(mine, .source.s_c)", &[1, 2]);
    check("netmask(192.0.2.0/255.255.255.0)", &[0, 3]);
    check("netmask(127.0.0.1)", &[2]);
    check("netmask6('2001:db8::/32')", &[1]);
    check("netmask6('::1')", &[2]);
    check("filter(f_kernel) or program(sshd)", &[0, 2]);
}

#[test]
fn networks_end_where_their_mask_does() {
    let check = |text: &str, peer: &str, want: bool| {
        let network = Netmask::parse(text).unwrap();
        assert_eq!(network.has(peer.parse().ok()), want, "{peer} in {text}");
    };
    check("10.1.2.3/8", "10.255.255.255:1", true);
    check("10.0.0.0/8", "11.0.0.0:1", false);
    check("0.0.0.0/0", "203.0.113.9:1", true);
    check("192.0.2.1/32", "192.0.2.1:1", true);
    check("192.0.2.1/32", "192.0.2.0:1", false);
    check("192.0.2.1", "192.0.2.1:1", true);
    check("192.0.2.0/255.255.255.0", "[::ffff:192.0.2.7]:1", true);
    check("0.0.0.0/0", "[2001:db8::1]:1", false);
    let check6 = |text: &str, peer: &str, want: bool| {
        let network = Netmask6::parse(text).unwrap();
        assert_eq!(network.has(peer.parse().ok()), want, "{peer} in {text}");
    };
    check6("2001:db8::1/33", "[2001:db8:7fff::9]:1", true);
    check6("2001:db8::/33", "[2001:db8:8000::]:1", false);
    check6("::/0", "[2001:db8::1]:1", true);
    check6("2001:db8::1/128", "[2001:db8::2]:1", false);
    check6("::/0", "192.0.2.1:1", false);
    for text in ["10.0.0.0/33", "10.0.0/8", "10.0.0.0/x", ""] {
        assert!(Netmask::parse(text).is_err(), "{text}");
    }
    for text in ["::/129", "::/-1", "10.0.0.0/8"] {
        assert!(Netmask6::parse(text).is_err(), "{text}");
    }
}

#[test]
fn sets_hold_ranges_in_either_order() {
    let mut facilities = FacilitySet::default();
    facilities.add_range(Facility(5), Facility(3));
    facilities.add(Facility(127));
    facilities.add(Facility(128));
    let held: Vec<u16> = (0..300).filter(|code| facilities.has(Facility(*code))).collect();
    assert_eq!(held, [3, 4, 5, 127]);
    let mut severities = SeveritySet::default();
    severities.add_range(Severity(3), Severity(1));
    let held: Vec<u8> = (0..8).filter(|code| severities.has(Severity(*code))).collect();
    assert_eq!(held, [1, 2, 3]);
}

/// Checks that at most a limited number of values have a bucket of their own: beyond it, all buckets are full
/// again.
#[test]
fn buckets_are_dropped_when_there_are_too_many() {
    let key = Template::parse("$PROGRAM", &Definitions::default()).unwrap();
    let limit = RateLimit::new(Arc::new(key), 1);
    let (mut batch, mut renderer) = (sample(), renderer());
    let mut passes = |program: &str| {
        batch.extra.clear();
        batch.messages[0].program = batch.add_extra(program.as_bytes());
        limit.passes(&batch, 0, &mut renderer)
    };
    assert!(passes("0"));
    (1..rate::KEYS_MAX).for_each(|number| assert!(passes(&number.to_string())));
    assert!(!passes("0"), "a full table still knows its values");
    assert!(passes("one more"));
    assert!(passes("0"));
}

#[test]
fn operators_and_parentheses() {
    check("not (program(sshd) or program(kernel)) and not facility(local7)", &[1]);
    check("program(sshd) and message(Failed) or facility(mail)", &[0, 1]);
    check("NOT program(sshd)", &[1, 2, 3]);
    check(r#""\x41\o102\x4" eq "ABx4" and program("s\x73hd")"#, &[0]);
    check("'$count' == 7", &[0]);
    check("$count > 6.5", &[0]);
    check("'$PROGRAM' eq 'sshd' or \"1\" eq \"2\"", &[0]);
    check("$SEVERITY_NUM <= 6", &[0, 1, 2]);
    check("'1' == '1' and 1 != 2", &[0, 1, 2, 3]);
    check("$PROGRAM==\"sshd\"", &[0]);
    check("${PROGRAM} eq 'sshd'OR program(kernel)", &[0, 2]);
    check("selector(\"mail.*\")", &[1]);
    check("program(sshd); host(gate)", &[0]);
}

#[test]
fn lists_of_lines() {
    let lines = ["sshd", "kernel"].map(|line| line.as_bytes().to_vec()).into_iter().collect();
    let test = Test::InList { field: FieldName::Fixed(Field::Program), lines: Arc::new(lines) };
    let filter = Filter::new(Expr::Test(test));
    let batch = sample();
    let selected = filter.select(&batch, &Selection::all(batch.len()), &mut renderer());
    assert_eq!(selected.iter().collect::<Vec<_>>(), [0, 2]);
}

#[track_caller]
fn check_compare(version: Version, text: &str, want: bool) {
    let expr = parse(text, &Definitions::new(version)).unwrap();
    assert_eq!(Filter::new(expr).holds(&sample(), 0, &mut renderer()), want, "{text}");
}

#[test]
fn the_version_decides_how_values_compare() {
    let old = Version { major: 3, minor: 38 };
    check_compare(old, "'alma' == 'korte'", true);
    check_compare(old, "'10' < '9'", false);
    check_compare(old, "int(10) == int(9)", false);
    check_compare(old, "string('alma') == string('korte')", false);
    check_compare(old, "'10' > '9'", true);
    check_compare(old, "'9x' == ' 9'", true);
    check_compare(old, "'-3' < '+2'", true);
    let older = Version { major: 3, minor: 7 };
    check_compare(older, "'alma' == 'korte'", false);
    check_compare(older, "'10' < '9'", true);
    check_compare(older, "'07' == '7'", false);
    check_compare(Version { major: 3, minor: 8 }, "'07' == '7'", true);
    check_compare(Version::CURRENT, "'alma' == 'korte'", false);
    check_compare(Version::CURRENT, "'10' < '9'", true);
    check_compare(Version::CURRENT, "int(10) < '9'", false);
    check_compare(Version::CURRENT, "$none == null('')", true);
    check_compare(Version::CURRENT, "double('nan') == double('nan')", false);
    check_compare(Version::CURRENT, "int(1) === string(1)", false);
    check_compare(Version::CURRENT, "int64(9007199254740993) == int64(9007199254740992)", false);
}

#[test]
fn operators_hold_on_the_right_side_of_their_boundary() {
    let check = |text: &str, want: bool| check_compare(Version::CURRENT, text, want);
    // Less, equal, greater.
    for (operator, want) in [
        ("eq", [false, true, false]),
        ("ne", [true, false, true]),
        ("lt", [true, false, false]),
        ("le", [true, true, false]),
        ("gt", [false, false, true]),
        ("ge", [false, true, true]),
        ("==", [false, true, false]),
        ("!=", [true, false, true]),
        ("<", [true, false, false]),
        ("<=", [true, true, false]),
        (">", [false, false, true]),
        (">=", [false, true, true]),
    ] {
        for (right, want) in ["'8'", "'7'", "'6'"].into_iter().zip(want) {
            check(&format!("'7' {operator} {right}"), want);
        }
    }
    check("int(1) === int(1)", true);
    check("int(1) !== int(1)", false);
    check("int(1) !== string(1)", true);
    check("int(01) === int(1)", true);
    check("string(01) === string(1)", false);
    check("double(1.50) === double(1.5)", true);
}

#[test]
fn types_decide_what_is_compared() {
    let check = |text: &str, want: bool| check_compare(Version::CURRENT, text, want);
    check("int(10) > int(9)", true);
    check("string(10) > string(9)", false);
    check("boolean(true) == int(1)", true);
    check("boolean(no) == int(0)", true);
    check("boolean(off) < boolean(ON)", true);
    check("boolean(maybe) == boolean(maybe)", false);
    check("boolean(t) == double(1.0)", true);
    check("boolean(f) == double(0.0)", true);
    check("datetime(1.5) == double(1500)", true);
    check("datetime(1.5) < datetime(1.6)", true);
    check("null('') == null(x)", true);
    check("null('') == int(0)", false);
    check("null('') != int(0)", true);
    check("null('') < int(1)", true);
    check("null('') < double(0.5)", true);
    check("list('a,b') == list('a,b')", true);
    check("list(a) < list(b)", true);
    check("json('[1]') == json('[1]')", true);
    check("list(a) == string(a)", false);
    check("string(a) != list(a)", true);
    check("list(1) == json(1)", false);
    check("int(x) == int(x)", false);
}

#[test]
fn matches_are_stored_and_later_tests_read_them() {
    let text = "match('(Fail)ed (?<what>\\w+)' value(MESSAGE) flags(store-matches)) and '$1' eq 'Fail'";
    let filter = Filter::new(parse(text, &Definitions::default()).unwrap());
    assert!(filter.stores_matches());
    let mut batch = sample();
    batch.set_field(0, &FieldName::parse("3"), b"left over", ValueKind::String);
    let all = Selection::all(batch.len());
    assert_eq!(filter.select_storing(&mut batch, &all, &mut renderer()).iter().collect::<Vec<_>>(), [0]);
    let value = |name: &str| {
        batch.field(0, &FieldName::parse(name)).map(|value| String::from_utf8_lossy(&value).into_owned())
    };
    assert_eq!(value("0").as_deref(), Some("Failed password"));
    assert_eq!((value("2").as_deref(), value("what").as_deref()), (Some("password"), Some("password")));
    assert_eq!(value("3"), None);
}

#[test]
fn the_version_decides_what_an_unused_group_leaves() {
    let check = |minor: u16, want: Option<&str>| {
        let text = "match('(never)|Failed (password)' value(MESSAGE) flags(store-matches))";
        let filter = Filter::new(parse(text, &Definitions::new(Version { major: 4, minor })).unwrap());
        let mut batch = sample();
        batch.set_field(0, &FieldName::parse("1"), b"of before", ValueKind::String);
        let all = Selection::all(batch.len());
        assert_eq!(filter.select_storing(&mut batch, &all, &mut renderer()).iter().next(), Some(0));
        let value =
            batch.field(0, &FieldName::parse("1")).map(|value| String::from_utf8_lossy(&value).into_owned());
        assert_eq!(value.as_deref(), want, "4.{minor}");
    };
    check(11, Some("of before"));
    check(12, None);
}

#[test]
fn rates_are_limited_by_received_time() {
    let key = Template::parse("$HOST", &Definitions::default()).unwrap();
    let filter = Filter::new(Expr::Test(Test::RateLimit(Arc::new(RateLimit::new(Arc::new(key), 2)))));
    let mut batch = sample();
    let all = Selection::all(batch.len());
    for (at_us, want) in [(0, 2), (500_000, 1), (500_000, 0), (9_000_000, 2)] {
        batch.received = Stamp::known(at_us, 0);
        assert_eq!(filter.select(&batch, &all, &mut renderer()).count(), want, "at {at_us}");
    }
    let written = parse("rate-limit(template('$HOST') rate(1))", &Definitions::default()).unwrap();
    assert_eq!(Filter::new(written).select(&batch, &all, &mut renderer()).count(), 1);
    check_error(
        "throttle(rate(0))",
        "`throttle()` needs `rate(...)`: messages a second, at least 1 (byte 0 of the expression)",
    );
}

#[track_caller]
fn check_error(text: &str, want: &str) {
    assert_eq!(parse(text, &Definitions::default()).unwrap_err().to_string(), want);
}

#[test]
fn says_what_is_wrong() {
    check_error("program(a", "expected `)`, found the end of the expression (byte 9 of the expression)");
    check_error(
        "facility(kernel)",
        "unknown facility `kernel`; did you mean `kern`? (byte 9 of the expression)",
    );
    check_error(
        "program(a) program(b)",
        "expected `and`, `or` or the end, found `program` (byte 11 of the expression)",
    );
    check_error(
        "netmask(10.0.0.300)",
        "10.0.0.300 is no network: write it like 10.0.0.0/8 or 10.0.0.0/255.0.0.0 (byte 8 of the expression)",
    );
    check_error(
        "program('(')",
        "regular expression is wrong at byte 1: missing closing parenthesis (byte 8 of the expression)",
    );
    check_error("program(a flags(x))", "unknown flag of a pattern `x` (byte 16 of the expression)");
    check_error(
        "'a'",
        "expected an operator (==, !=, ===, !==, <, <=, >, >=, eq, ne, lt, le, gt, ge), found the end of the expression (byte 3 of the expression)",
    );
    check_error(
        "in-list('f' value(n))",
        "in-list() needs a file and cannot stand in a template (byte 8 of the expression)",
    );
    check_error(
        "host(a) @include",
        "expected `and`, `or` or the end, found `@include` (byte 8 of the expression)",
    );
    check_error("cidr(a)", "filter `cidr` is not supported yet (byte 0 of the expression)");
    check_error("== == ==", "expected a filter, found `==` (byte 0 of the expression)");
    check_error(
        &format!("{}program(a)", "not ".repeat(300)),
        "this is nested more than 128 levels deep (byte 512 of the expression)",
    );
}

proptest! {
    #[test]
    fn no_bytes_make_a_filter_panic(
        pri in 0u16..1024,
        program in proptest::collection::vec(any::<u8>(), 0..12),
        text in proptest::collection::vec(any::<u8>(), 0..60),
    ) {
        let mut batch = batch(&[(0, "", "")]);
        batch.messages[0].pri = Priority(pri);
        batch.set_field(0, &FieldName::parse("PROGRAM"), &program, ValueKind::String);
        batch.set_field(0, &FieldName::parse("MESSAGE"), &text, ValueKind::Integer);
        let all = Selection::all(1);
        for filter in [
            "facility(kern) or level(debug)", "match('(.)(?=.)' flags(store-matches utf8))", "'$MSG' > 5",
            "program('^(a|b)$') or message('[^a]$')", "'$MSG' === '$PROGRAM' or $MSG < $PROGRAM",
        ] {
            let filter = Filter::new(parse(filter, &Definitions::default()).unwrap());
            let one = filter.select(&batch, &all, &mut renderer()).count();
            let storing = filter.select_storing(&mut batch.clone(), &all, &mut renderer()).count();
            prop_assert_eq!(one, storing);
        }
    }

    #[test]
    fn no_text_makes_the_reader_panic(text in "[a-z()'\"$= .<>!{}@,\\\\0-9]{0,40}") {
        let _ = parse(&text, &Definitions::default());
        let _ = Template::parse(&format!("$({text}) ${text}"), &Definitions::default());
    }
}
