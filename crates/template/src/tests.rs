//! Rows for macros, functions, escapes and errors of templates.

mod forms;
mod functions;
mod known;
mod origins;

use super::*;
use jiff::tz::TimeZone;
use known::Known;
use message::{Ack, Batch, FieldName, Format, Message, Origin, Priority, Span, Stamp, ValueKind};
use std::sync::Arc;

fn batch() -> Batch {
    const BYTES: &[u8] = b"gate cron[77]: disk full[ex@1 k=\"v\"]";
    let origin = Origin {
        source: "s_in".into(),
        peer: "[::ffff:192.0.2.9]:4000".parse().ok(),
        local: "192.0.2.1:514".parse().ok(),
        host_from: "relay".into(),
        tags: vec![".source.s_in".into()],
        transport: message::Transport::Udp,
        ..Origin::default()
    };
    let mut batch = Batch::new(
        Arc::new(BYTES.to_vec()),
        vec![Arc::new(origin)],
        Stamp::known(1_795_262_400_000_000, 0),
        Ack::none(),
    );
    batch.rcptid = 10;
    let mut message = Message::default();
    message.raw = Span::received(0, BYTES.len());
    message.host = Span::received(0, 4);
    message.program = Span::received(5, 4);
    message.pid = Span::received(10, 2);
    message.msghdr = Span::received(5, 10);
    message.text = Span::received(15, 9);
    message.sdata = Span::received(24, 12);
    message.pri = Priority(165);
    message.format = Format::Rfc5424;
    // Saturday, 2026-11-21 23:59:59.123456 in a zone one hour east.
    message.event = Stamp::known(1_795_301_999_123_456, 3600);
    batch.messages.push(message);
    for (name, value, kind) in [
        ("user", "o'neil", ValueKind::String),
        ("count", "7", ValueKind::Integer),
        ("list", "a,\"b,c\",d", ValueKind::List),
        ("empty", "", ValueKind::String),
        (".dot.one", "1", ValueKind::String),
        ("..", "..", ValueKind::String),
        ("path", "../../etc/passwd", ValueKind::String),
    ] {
        batch.set_field(0, &FieldName::parse(name), value.as_bytes(), kind);
    }
    batch
}

fn renderer(options: RenderOptions) -> Renderer {
    let site = Site {
        loghost: "loghost".into(),
        host_id: 0xabcd,
        run_id: 3,
        started_us: 1_795_262_390_000_000,
        environment: vec![("HOME".into(), "/root".into())],
        ..Site::default()
    };
    let mut renderer = Renderer::new(options, Arc::new(site));
    renderer.now = Stamp::known(1_795_262_400_500_000, 0);
    renderer
}

#[track_caller]
fn check(template: &str, want: &str) {
    let mut known = Known::default();
    let inner = Template::parse("<$HOST>", &known).unwrap();
    known.templates.insert("t_inner".into(), Arc::new(inner));
    let template = Template::parse(template, &known).unwrap();
    let (batch, mut renderer) = (batch(), renderer(RenderOptions::default()));
    for _ in 0..2 {
        let mut out = Vec::new();
        template.render(&batch, 0, &mut renderer, &mut out);
        assert_eq!(String::from_utf8_lossy(&out), want, "{}", template.text());
    }
}

#[test]
fn macros_of_the_header() {
    check("$HOST $FULLHOST $HOST_FROM $FULLHOST_FROM $LOGHOST", "gate gate relay relay loghost");
    check("$PROGRAM[$PID]: ${MSG}|$MESSAGE|$MSGONLY", "cron[77]: disk full|disk full|disk full");
    check("$MSGHDR$MSG", "cron[77]: disk full");
    check(
        "$PRI $FACILITY $FACILITY_NUM $LEVEL $SEVERITY $PRIORITY $SEVERITY_NUM",
        "165 local4 20 notice notice notice 5",
    );
    check("$TAG $BSDTAG $TAGS", "a5 5U .source.s_in");
    check(
        "$SOURCE $SOURCEIP $SOURCEPORT $DESTIP $DESTPORT $PROTO $PROTO_NAME",
        "s_in 192.0.2.9 4000 192.0.2.1 514 17 udp",
    );
    check("$RCPTID $UNIQID $HOSTID $RUNID $SYSUPTIME", "10 0000abcd@000000000000000a 0000abcd 3 1050");
    check("$SDATA ${.SDATA.ex@1.k} $MSGFORMAT $RAWMSG_SIZE", "[ex@1 k=\"v\"] v rfc5424 36");
    check("[$SEQNUM][$MSGID]", "[][]");
}

#[test]
fn macros_of_times() {
    check(
        "$DATE|$ISODATE|$FULLDATE|$UNIXTIME",
        "Nov 21 23:59:59|2026-11-21T23:59:59+01:00|2026 Nov 21 23:59:59|1795301999",
    );
    check(
        "$YEAR-$MONTH-$DAY $HOUR:$MIN:$SEC.$MSEC $USEC $TZ $TZOFFSET",
        "2026-11-21 23:59:59.123 123456 +01:00 +01:00",
    );
    check("$WEEK_DAY $WEEK_DAY_NAME $WEEKDAY $MONTH_NAME $MONTH_ABBREV", "7 Saturday Sat November Nov");
    check("$YEAR_DAY $WEEK $ISOWEEK $MONTH_WEEK $HOUR12 $AMPM", "325 46 47 3 11 PM");
    check(
        "$R_ISODATE $C_ISODATE $P_UNIXTIME $S_HOUR $R_HOUR",
        "2026-11-21T12:00:00+00:00 2026-11-21T12:00:00+00:00 1795262400 23 12",
    );
}

#[test]
fn options_change_times() {
    let options = RenderOptions {
        zone: Some(TimeZone::get("Asia/Tokyo").unwrap()),
        fraction_digits: 2,
        stamp_format: wire::StampFormat::Iso,
        ..RenderOptions::default()
    };
    let template = Template::parse("$STAMP $DATE $HOUR $TZ", &Known::default()).unwrap();
    let mut out = Vec::new();
    template.render(&batch(), 0, &mut renderer(options), &mut out);
    assert_eq!(String::from_utf8_lossy(&out), "2026-11-22T07:59:59.12+09:00 Nov 22 07:59:59.12 07 +09:00");
}

#[test]
fn names_defaults_and_dollars() {
    check("${user} ${none} ${none:-else} ${empty:-else} ${user:-else}", "o'neil  else else o'neil");
    check("$$HOST $} $", "$HOST $} $");
    check("$none) ${HOST}@@x", ") gate@x");
    check("${HOST}@example", "gate@example");
}

#[test]
fn functions_of_text() {
    check("$(echo $HOST  'a b' \"c\\\"d\")", "gate a b c\"d");
    check("$(length $HOST) $(substr $HOST 1 2) $(substr $HOST -2) $(substr $HOST 0 -1)", "4 at te gat");
    check("$(strip '  a b  ')|$(uppercase $HOST)|$(lowercase ÁB)", "a b|GATE|áb");
    check(
        "$(sanitize a/b) $(sanitize -i '@ ' -r + 'a b@c') $(replace-delimiter ',;' - 'a,b;c')",
        "a_b a+b+c a-b-c",
    );
    check(
        "$(padding $HOST 8 ab) $(base64-encode $HOST) $(url-encode 'a b') $(url-decode a%20b)",
        "ababgate Z2F0ZQ== a%20b a b",
    );
    check(
        "$(or '' $none $HOST) $(ipv4-to-int 192.0.2.1) $(dirname /a/b) $(basename /a/b)",
        "gate 3221225985 /a b",
    );
    check("$(binary 0x41 66 0103)", "ABC");
    check(
        "$(extract '[a-z]' $HOST) $(extract --match 2 --group 1 '([a-z])' $HOST) $(extract --ignore-case GA $HOST)",
        "g t ga",
    );
    check(
        "$(extract --group 2 '(g)(x)?' $HOST none)|$(extract --match 9 '' $HOST none)|$(extract x $HOST)",
        "none|none|",
    );
    check("$(field , 1 'a,b,,d')$(field , 3 'a,b,,d' x)$(field , 4 'a,b,,d')$(field ', ' 2 'a, b')", "adb");
    check(
        "$(field , 5 'a,b' none) $(field , 0 a none) $(field '' 1 a none) $(field , x a none)",
        "none none none none",
    );
    check("[$(compress-blanks '  a   b ')] $(quote-csv 'a \"b\"')", "[ a b ] \"a \"\"b\"\"\"");
    check("$(env HOME) $(template t_inner) $(template none other text)", "/root <gate> other text");
}

#[test]
fn functions_of_numbers_and_lists() {
    check(
        "$(+ $count 3) $(- 1 2) $(* 3 4) $(/ 7 2) $(% 7 0) $(+ 1.5 1)",
        "10 -1 12 3 NaN 2.50000000000000000000",
    );
    check(
        "$(sum 1 2 x) $(min 3 1) $(max 3 1) $(average 1 2 6) $(round 2.5) $(ceil 2.1) $(floor 2.9)",
        "3 1 3 3 3 3 2",
    );
    check(
        "$(list-head $list)|$(list-nth 1 $list)|$(list-tail $list)|$(list-count $list)",
        "a|b,c|\"b,c\",d|3",
    );
    check("$(list-append $list e) $(list-slice 0:1 $list) $(list-search d $list)", "a,\"b,c\",d,e a 2");
    check("$(explode ; a;b c) $(implode + $list)", "a,b,c a+b,c+d");
}

#[test]
fn functions_of_conditions() {
    check("$(if '$FACILITY eq local4' yes no) $(if '$count ge 8' no $HOST)", "yes gate");
    check("$(grep '$PROGRAM eq cron' $HOST $PID)|$(grep '$PROGRAM eq x' $HOST)", "gate,77|");
    check("$(tag .source.s_in) $(tag x) $(tag x a b) $(tags-head x .source.s_in)", "1 0 b .source.s_in");
    check("$(if \"$PROGRAM eq cron\" \"$(echo $HOST)\" no)", "gate");
}

#[test]
fn value_pairs() {
    check(
        "$(format-json host=$HOST a.b=1 a.c=int(2) .x=y)",
        "{\"host\":\"gate\",\"a\":{\"c\":2,\"b\":\"1\"},\"_x\":\"y\"}",
    );
    check("$(format-flat-json a.b=1 a.c=2)", "{\"a.c\":\"2\",\"a.b\":\"1\"}");
    check("$(format-json cou* --add-prefix a.)", "{\"a\":{\"count\":7}}");
    check("$(format-json --key count --key list)", "{\"list\":[\"a\",\"b,c\",\"d\"],\"count\":7}");
    check(
        "$(format-json --scope rfc3164 --exclude DATE)",
        "{\"PROGRAM\":\"cron\",\"PRIORITY\":\"notice\",\"PID\":\"77\",\"MESSAGE\":\"disk full\",\"HOST\":\"gate\",\"FACILITY\":\"local4\"}",
    );
    check("$(format-json --subkeys .dot. x=int(no))", "");
    check("$(format-json .dot.* --replace-prefix .dot=x)", "{\"x\":{\"one\":\"1\"}}");
    check("$(format-json --leave-initial-dot .x.y=1)", "{\".x\":{\"y\":\"1\"}}");
    check("$(format-json --subkeys .dot.)", "{\"one\":\"1\"}");
    check("$(format-welf u=$user m=$MSG)", "m=\"disk full\" u=o'neil");
    check("$(format-welf a=q\\\"r c=\"s \\\"t\")", "a=q\"r c=\"s \\\"t\"");
    check("$(names .dot.*)|$(values .dot.*)", ".dot.one|1");
    check("$(names --scope core --exclude *E)", "FACILITY,HOST,PID,PRIORITY,PROGRAM");
    check("$(format-json a.b.c=1 a.b=2 a=3)", "{\"a\":{\"b\":{\"c\":\"1\",\"b\":\"2\"},\"a\":\"3\"}}");
    check("$(format-json a..b=1 c.=2)", "{\"c\":\"2\",\"a\":{\".b\":\"1\"}}");
    check("$(list-append '' 'a\"b' \"c'd\" e)", "'a\"b',\"c'd\",e");
    check("$(echo \"a\\tb\" 'c\\d' e\\f (g\\h))", "a\\tb c\\d ef (gh)");
    check("$(echo \"a\\\" b)|$(echo \"a\\\"b\")", "a\\ b|a\"b");
    check(
        "$(+ 9223372036854775807 1)|$(* 9223372036854775807 3)",
        "-9223372036854775808|9223372036854775805",
    );
    check("$(+ \"5 \" 1)|$(+ \" 5\" 1)|$(+ 0x10 1)", "NaN|6|17.00000000000000000000");
    check("$(ceil -0.4)|$(round -0.4)|$(ceil 1.5 1)|$(round 1.25 1)", "0|-0|NaN|1.3");
    check("$(echo a\\ b)|$(substr $HOST -9)|$(substr $HOST -9 2)", "a b||");
}

#[test]
fn the_last_glob_decides() {
    check("$(names --exclude .dot.* --key .dot.*)", ".dot.one");
    check("$(names --key .dot.* --exclude .dot.*)", "");
    check("$(names --scope dot-nv-pairs --exclude .dot.* --exclude ..)", ".SDATA.ex@1.k");
    check("$(names --scope nv-pairs --exclude * --key HOST --key PROGRAM)", "HOST,PROGRAM");
    check(
        "$(names --scope nv-pairs --exclude *a* --key MSGHDR)",
        "HOST,HOST_FROM,LEGACY_MSGHDR,MESSAGE,MSGFORMAT,MSGHDR,PID,PROGRAM,SOURCE,count,empty,list,user",
    );
    check("$(names --scope selected-macros --exclude *R*)", "DATE,FACILITY,HOST,MESSAGE,PID,SEQNUM,TAGS");
    check("$(names --key S_WEEK*)", "S_WEEK,S_WEEKDAY,S_WEEK_DAY,S_WEEK_DAY_ABBREV,S_WEEK_DAY_NAME");
}

#[test]
fn json_names_are_split_at_their_delimiter() {
    check("$(format-json a~b=1 .x.y=2 --key-delimiter ~)", "{\"a\":{\"b\":\"1\"},\".x.y\":\"2\"}");
    check("$(format-flat-json a~b=1 .x.y=2 --key-delimiter ~)", "{\"a~b\":\"1\",\".x.y\":\"2\"}");
    check(
        "$(format-json a@1.2.b=1 a@b.c=2 x@1.2=3 y@18372.4..z=4)",
        "{\"y@18372.4\":{\".z\":\"4\"},\"x@1.2\":\"3\",\"a@b\":{\"c\":\"2\"},\"a@1.2\":{\"b\":\"1\"}}",
    );
    check_error(
        "$(format-json --key-delimiter ab a=1)",
        "template is wrong at byte 14: --key-delimiter needs one character, not `ab`",
    );
}

#[test]
fn the_first_letter_decides_the_truth_value() {
    check(
        "$(format-json a=boolean(TRUE) b=boolean(False) c=boolean(t1) d=boolean(0) e=boolean(1))",
        "{\"e\":true,\"d\":false,\"c\":true,\"b\":false,\"a\":true}",
    );
    check("$(format-json a=boolean(on))$(format-json a=boolean(yes))", "");
}

#[test]
fn text_that_is_not_url_encoded_is_left_out() {
    check(
        "<$(url-decode %)><$(url-decode 'a%20b%')><$(url-decode %zz x)><$(url-decode a%00b c)>",
        "<><><x><c>",
    );
    check("<$(url-decode a%41 %)><$(url-decode a%c3%A9+b)>", "<aA><a\u{e9}+b>");
}

#[test]
fn values_are_made_harmless() {
    let known = Known::default();
    let escaped = "'$user' $(echo $user) $(echo $(echo $user)) $(format-json a=$user) ${none:-\"}";
    let escaped = Template::parse(escaped, &known).unwrap().escaped();
    let name = Template::parse("/var/log/${path}/${..}$(echo ${path})", &known).unwrap();
    let (batch, mut renderer) = (batch(), renderer(RenderOptions::default()));
    let mut out = Vec::new();
    escaped.render(&batch, 0, &mut renderer, &mut out);
    assert_eq!(
        String::from_utf8_lossy(&out),
        "'o\\'neil' o\\'neil o\\'neil {\\\"a\\\":\\\"o\\'neil\\\"} \\\""
    );
    out.clear();
    name.render_escaped(&batch, 0, &mut renderer, Escape::FileName, &mut out);
    assert_eq!(String::from_utf8_lossy(&out), "/var/log/.._.._etc_passwd/__.._.._etc_passwd");
}

#[track_caller]
fn check_error(template: &str, want: &str) {
    assert_eq!(Template::parse(template, &Known::default()).unwrap_err().to_string(), want);
}

#[test]
fn messages_of_a_correlation() {
    let context: Context = [("3", "alice"), ("5", "bob")]
        .into_iter()
        .map(|(count, user)| {
            let mut batch = batch();
            batch.set_field(0, &FieldName::parse("count"), count.as_bytes(), ValueKind::Integer);
            batch.set_field(0, &FieldName::parse("user"), user.as_bytes(), ValueKind::String);
            ContextMessage { batch: Arc::new(batch), index: 0 }
        })
        .collect();
    let check = |text: &str, context: &Context, want: &str| {
        let template = Template::parse(text, &Known::default()).unwrap();
        let mut renderer = renderer(RenderOptions::default());
        renderer.context = context.clone();
        let mut out = Vec::new();
        template.render(&batch(), 0, &mut renderer, &mut out);
        assert_eq!((String::from_utf8_lossy(&out).as_ref(), renderer.context.len()), (want, context.len()));
    };
    check("$count@0 $count@1 ${count}@2 [$count@3] ${user}@2x", &context, "7 5 3 [] alicex");
    check("$(context-length) $(context-values $user $count)", &context, "3 alice,3,bob,5,\"o'neil\",7");
    check("$(sum $count) $(max $count) $(min $count)@1 $(average $count)", &context, "15 7 5 5");
    check(
        "$(grep '$count ge 5' $user) $(context-lookup -m 1 '$count ge 2' $count)",
        &context,
        "bob,\"o'neil\" 3",
    );
    check("$(echo $count $count@1)@1 $(context-length)@2", &context, "5  1");
    check("$count@1 $(context-length) $(sum $count)", &Context::new(), " 1 7");
}

#[test]
fn says_what_is_wrong() {
    check_error("${HOST", "template is wrong at byte 0: a macro starts with ${ here and its '}' is missing");
    check_error(
        "x $(lowercas $HOST)",
        "template is wrong at byte 4: unknown template function lowercas, did you mean lowercase?",
    );
    check_error("$(echo 'a)", "template is wrong at byte 7: this quote is not closed");
    check_error("$(echo a", "template is wrong at byte 2: the ')' of this function is missing");
    check_error(
        "$(if 'facilty(kern)' a b)",
        "template is wrong at byte 5: $(if): condition: cannot read facilty(kern) (byte 0 of the expression)",
    );
    check_error("$(substr a)", "template is wrong at byte 2: $(substr): 2 to 3 arguments expected, 1 given");
    check_error(
        "${HOST:x}",
        "template is wrong at byte 6: after a colon in a macro only - and a default value may follow",
    );
    check_error("$HOST@1000001", "template is wrong at byte 5: no message is more than 1000000 places back");
    check_error(
        "$(format-json --scop all)",
        "template is wrong at byte 14: unknown option scop, did you mean scope?",
    );
}

#[test]
fn depth_is_limited() {
    let deep = format!("{}{}", "$(echo ".repeat(200), ")".repeat(200));
    assert!(Template::parse(&deep, &Known::default()).unwrap_err().reason.contains("nested deeper"));
}

#[test]
fn functions_of_digests() {
    check("$(md5 abc) $(md4 abc)", "900150983cd24fb0d6963f7d28e17f72 a448017aaf21d8525fc10ae87aa6729d");
    check("$(sha1 a bc) $(sha1 --length 6 abc)", "a9993e364706816aba3e25717850c26c9cd0d89d a9993e");
    check(
        "$(sha256 abc) $(hash --length=8 abc) $(sha512 -l 9 abc)",
        "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad ba7816bf ddaf35a19",
    );
    check_error("$(md5)", "template is wrong at byte 2: $(md5): at least 1 argument expected, 0 given");
    check_error("$(md5 --length x a)", "template is wrong at byte 2: $(md5): x is not a number of digits");
}

#[test]
fn functions_of_elements() {
    check("$(map $(+ 1 $_) 1,2 $(map $(* $_ 10) 3))", "2,3,31");
    check("$(map \"$(if '$_ eq a' $user '')\" $list)", "\"o'neil\",\"\",\"\"");
    check("$(filter '$_ ge b' $list) [$(filter '$_ eq z' $list)]", "\"b,c\",d []");
    check("$(map $(implode '' $(map '$_' $_)) a,b)", "a,b");
    let series = Template::parse("$(iterate $(+ 2 $_) 1)", &Known::default()).unwrap();
    let mut out = Vec::new();
    let mut renderer = renderer(RenderOptions::default());
    (0..3).for_each(|_| series.render(&batch(), 0, &mut renderer, &mut out));
    assert_eq!(String::from_utf8_lossy(&out), "135");
}

#[test]
fn functions_of_times() {
    check("$(format-date '%Y-%m-%d %H:%M %z')", "2026-11-21 23:59 +0100");
    check("$(format-date --time-zone Asia/Tokyo %H:%M) $(format-date %FT%T 0)", "07:59 1970-01-01T00:00:00");
    check("$(format-date %H:%M:%S%z 1.5+02:00)|$(format-date %H x)", "02:00:01+0200|");
    check("$(stardate 1795301999) $(stardate --digits 4 0)", "2026.89 1970.0000");
    check_error(
        "$(format-date --time-zone Nowhere %Y)",
        "template is wrong at byte 2: $(format-date): time zone Nowhere is not known",
    );
}

#[test]
fn functions_that_ask_the_machine() {
    check("$(uuid)", "00000000-0000-4000-8000-000000000000");
    check(
        "$(dns-resolve-ip 192.0.2.1) $(dns-resolve-ip --use-dns=no x)|$(getent passwd root)",
        "192.0.2.1 x|",
    );
    check_error(
        "$(getent password root)",
        "template is wrong at byte 2: $(getent): unknown database password; known are passwd, group, services, protocols",
    );
    check_error(
        "$(python f)",
        "template is wrong at byte 2: $(python): is not supported: Python runs in a process of its own, and a template cannot wait for it; set a value by a parser python(class(...)), and name it here",
    );
}

#[test]
fn forms_of_pairs() {
    check("$(format-cef-extension act=a=b dst=x)", "act=a\\=b dst=x");
    check("[$(format-cef-extension a|b=c k=v)]", "[]");
    check("$(graphite-output --timestamp 5 a=1 b=$count)", "a 1 5\nb 7 5\n");
    check(
        "$(format-gelf)",
        "{\"version\":\"1.1\",\"timestamp\":1795262400,\"short_message\":\"disk full\",\"level\":5,\"host\":\"gate\",\"_program\":\"cron\",\"_pid\":77,\"_facility\":\"local4\",\"_dot\":{\"one\":\"1\"},\"_class\":null,\"_SDATA\":{\"ex@1\":{\"k\":\"v\"}},\"_\":\"..\"}\0",
    );
    // Missing numbers do not make the whole output disappear.
    check("$(format-json PRI SEQNUM)", "{\"SEQNUM\":\"\",\"PRI\":\"165\"}");
    check(
        "$(format-json a = 1 b= 2 c =3 d='' e=4)",
        "{\"e\":\"4\",\"d\":\"\",\"c\":\"3\",\"b\":\"2\",\"a\":\"1\"}",
    );
    check("$(template ${list}) $(template $HOST none)|$(template t_inner)", " none|<gate>");
}

#[track_caller]
fn check_of_version(major: u16, minor: u16, template: &str, want: &str) {
    let known = Known { version: Version { major, minor }, ..Known::default() };
    let template = Template::parse(template, &known).unwrap();
    let mut out = Vec::new();
    template.render(&batch(), 0, &mut renderer(RenderOptions::default()), &mut out);
    assert_eq!(String::from_utf8_lossy(&out), want, "{}", template.text());
}

#[test]
fn the_version_decides_some_meanings() {
    check_of_version(2, 1, "$MSG|$MSGONLY", "cron[77]: disk full|disk full");
    check_of_version(4, 8, "$MSGFORMAT $(format-json MSGFORMAT)", "rfc5424 {\"MSGFORMAT\":\"rfc5424\"}");
    check_of_version(
        4,
        26,
        "$MSGFORMAT $(format-json MSGFORMAT)",
        "syslog:rfc5424 {\"MSGFORMAT\":\"syslog:rfc5424\"}",
    );
}

proptest::proptest! {
    #[test]
    fn pieces_of_any_text_are_its_own(
        text in proptest::collection::vec(proptest::prelude::any::<u8>(), 0..40),
        delimiter in "[,a ]{0,2}",
        number in -3i64..6,
    ) {
        let mut batch = batch();
        for (name, value) in [("t", text.as_slice()), ("d", delimiter.as_bytes()), ("n", number.to_string().as_bytes())] {
            batch.set_field(0, &message::FieldName::parse(name), value, message::ValueKind::String);
        }
        let templates = [
            "$(field $d $n $t)",
            "$(extract --match 1 --group 1 '(a)?[ ,]' $t)",
            "$(extract '' $t)",
            "$(extract --match 3 '' $t)",
        ];
        for template in templates {
            let mut out = Vec::new();
            let template = Template::parse(template, &Known::default()).unwrap();
            template.render(&batch, 0, &mut renderer(RenderOptions::default()), &mut out);
            proptest::prop_assert!(out.is_empty() || memchr::memmem::find(&text, &out).is_some());
        }
    }
}

#[test]
fn what_came_in_a_row_is_copied_as_it_came() {
    check("$HOST $MSGHDR$MSG", "gate cron[77]: disk full");
    check("$HOST  $MSGHDR$MSG[", "gate  cron[77]: disk full[");
    check("$HOST-$PROGRAM[$PID]: $MSG", "gate-cron[77]: disk full");
    check("$MSG$HOST $PROGRAM", "disk fullgate cron");
    check("$HOST $MSGID$PROGRAM $MSG", "gate cron disk full");
    check("$HOST ${user} $PROGRAM", "gate o'neil cron");
    check("$MSG$SDATA", "disk full[ex@1 k=\"v\"]");
    check(" $PROGRAM", " cron");
    check("$PROGRAM[${HOST}", "cron[gate");
}
