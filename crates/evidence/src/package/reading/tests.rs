//! Rows of the plain reading. `verify.html` must read them the same way:

use super::*;

/// 2026-11-22T18:00:00Z.
const RECEIVED_US: i64 = 1_795_370_400_000_000;

/// Name of the form, the fields, and the fields that rest on the exporter's word.
fn check_row(raw: &str, message: &Value, want: &str) {
    let sealed = ReceivedBytes { raw: raw.as_bytes(), received_us: RECEIVED_US, peer: "10.9.8.7" };
    let mut message = message.clone();
    let read = describe(&message, sealed);
    assert_eq!(read.to_string(), want, "{raw}");
    message["read"] = read;
    let compared = check(&message, sealed).unwrap();
    assert_eq!(compared.wrong, Vec::<String>::new(), "{raw}");
    // Every field that is not admitted is found when it has another value.
    for name in ["host", "program", "pid", "msgid", "message"] {
        if compared.admitted.iter().any(|admitted| admitted == name) {
            continue;
        }
        let mut other = message.clone();
        other[name] = "somebody else's".into();
        assert_eq!(check(&other, sealed).unwrap().wrong, [name], "{raw}");
    }
    let mut other = message.clone();
    other["values"]["added"] = "x".into();
    assert_eq!(check(&other, sealed).unwrap().wrong, ["values.added"], "{raw}");
}

/// A message as it is stored: priority, time, host, program, pid, msgid, text, values.
fn stored(priority: u64, event_us: i64, fields: [&str; 5], values: Value) -> Value {
    let [host, program, pid, msgid, message] = fields;
    json!({"priority": priority, "event_us": event_us, "host": host, "program": program, "pid": pid, "msgid": msgid,
        "message": message, "values": values})
}

#[test]
fn e4_fields_follow_from_the_bytes() {
    let us = RECEIVED_US;
    let rows = [
        (
            r#"<165>1 2026-11-22T18:00:00.5Z h app 1 ID [a@1 b="c\"d" b="e"][x] text"#,
            stored(
                165,
                us + 500_000,
                ["h", "app", "1", "ID", "text"],
                json!({".SDATA.a@1.b": ["e", "c\"d"]}),
            ),
            r#"{"as":"rfc5424","word":[]}"#,
        ),
        (
            "<13>1 2026-11-22T19:00:00+01:00 - - - - - \u{feff}t",
            stored(13, us, ["10.9.8.7", "", "", "", "t"], json!({"user": "eva"})),
            r#"{"as":"rfc5424","host":"peer","word":["values.user"]}"#,
        ),
        (
            "<13>1 - h a - - -",
            stored(13, us, ["h", "a", "", "", ""], json!({})),
            r#"{"as":"rfc5424","word":[]}"#,
        ),
        (
            "<34>Nov 22 19:00:00 mymachine su[12]: 'su root' failed\n",
            stored(34, us, ["mymachine", "su", "12", "", "'su root' failed"], json!({})),
            r#"{"as":"rfc3164","offset_s":3600,"word":[]}"#,
        ),
        (
            "<34>Nov  2 18:00:00 su: x",
            stored(34, us - 20 * 86_400_000_000, ["gw", "su", "", "", "x"], json!({})),
            r#"{"as":"rfc3164","offset_s":0,"word":["host"]}"#,
        ),
        (
            "<34>Nov 22 18:00:00 su su: x",
            stored(34, us, ["gw", "su", "", "", "su: x"], json!({})),
            r#"{"as":"rfc3164-nohost","offset_s":0,"word":["host"]}"#,
        ),
        (
            "<13>prog: n4711",
            stored(13, us, ["10.9.8.7", "prog", "", "", "n4711"], json!({})),
            r#"{"as":"rfc3164","host":"peer","word":[]}"#,
        ),
        (
            "no header",
            stored(13, us, ["", "", "", "", "no header"], json!({})),
            r#"{"as":"text","word":["priority"]}"#,
        ),
        (
            "<999>x \u{0}",
            stored(13, us + 1, ["h", "p", "", "", "y"], json!({})),
            r#"{"as":"rfc3164","word":["priority","event_us","host","program","message"]}"#,
        ),
    ];
    for (raw, message, want) in rows {
        check_row(raw, &message, want);
    }
}

/// Random messages made from parts of headers, each with a statement about its fields, some of them changed.
fn cases() -> Vec<(Vec<u8>, Value)> {
    let parts: [&[u8]; 27] = [
        b"<13>",
        b"<191>",
        b"<192>",
        b"1 ",
        b"Nov 22 18:00:00",
        b"Nov  2 18:00:00.25",
        b"Dec 31 23:59:59",
        b"Feb 30 01:00:00",
        b"2026-11-22T18:00:00",
        b".5",
        b"Z",
        b"+01:30",
        b" ",
        b" ",
        b"host",
        b"- ",
        b"[a@1 b=\"c\\\"d\"]",
        b"[x]",
        b"a=\"",
        b"\\",
        b"]",
        b":",
        b"[12]",
        b"\xc3\xa4",
        b"\xff\xef\xbb\xbf",
        b"\n",
        b"prog[1]: ",
    ];
    let mut seed = 7_u64;
    let mut next = |most: usize| {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (seed >> 33) as usize % most
    };
    let mut cases = Vec::new();
    for number in 0..6_000 {
        let mut raw = Vec::new();
        if number % 2 == 0 {
            raw.extend_from_slice(b"<13>1 2026-11-22T18:00:00Z h p - - ");
        }
        (0..next(9)).for_each(|_| raw.extend_from_slice(parts[next(parts.len())]));
        // Fields as one of the forms yields them, so that not all are admitted.
        let sealed = ReceivedBytes { raw: &raw, received_us: RECEIVED_US, peer: "10.9.8.7" };
        let Some(reading) = Reading::of(FORMS[next(4)], sealed) else { continue };
        let fields = [reading.host, reading.program, reading.pid, reading.msgid, reading.message].map(text);
        let event = match reading.time {
            Time::Absent => RECEIVED_US,
            Time::Known(us) => us,
            Time::Local(us) => us - 3_600_000_000,
        };
        let mut values = Map::new();
        for (name, value) in &reading.values {
            values.insert(name.clone(), text(value).into());
        }
        let mut message = stored(13, event, fields.each_ref().map(String::as_str), values.into());
        message["read"] = describe(&message, sealed);
        (message["received_us"], message["peer"]) = (RECEIVED_US.into(), "10.9.8.7".into());
        if next(3) == 0 {
            let names = ["host", "program", "pid", "msgid", "message", "event_us", "priority"];
            message[names[next(names.len())]] = "other".into();
        }
        if next(20) == 0 {
            message["read"]["as"] = FORMS[next(4)].into();
        }
        cases.push((raw, message));
    }
    cases
}

#[test]
fn e4_the_page_reads_as_the_command_does() {
    use base64::{Engine, engine::general_purpose::STANDARD};
    let node = std::process::Command::new("node").arg("--version").output();
    if !node.is_ok_and(|output| output.status.success()) {
        return;
    }
    let cases = cases();
    let said = |(raw, message): &(Vec<u8>, Value)| {
        let sealed = ReceivedBytes { raw, received_us: RECEIVED_US, peer: "10.9.8.7" };
        match check(message, sealed) {
            Some(compared) => json!(compared.wrong).to_string(),
            None => "null".to_owned(),
        }
    };
    let mine: Vec<String> = cases.iter().map(said).collect();
    assert!(mine.iter().filter(|said| *said == "[]").count() > cases.len() / 3, "most are as they say");
    assert!(mine.iter().filter(|said| *said != "[]").count() > cases.len() / 10, "some are found");
    let dir = tempfile::tempdir().unwrap();
    let rows: Vec<Value> =
        cases.iter().map(|(raw, message)| json!([STANDARD.encode(raw), message])).collect();
    std::fs::write(dir.path().join("rows.json"), json!(rows).to_string()).unwrap();
    let page = crate::package::VERIFY_PAGE;
    let script = page.split("<script>").nth(1).unwrap().split("</script>").next().unwrap();
    let runner = format!(
        "globalThis.crypto ??= require('crypto').webcrypto;{script};\n\
         for (const [raw, message] of JSON.parse(require('fs').readFileSync(process.argv[2], 'utf8')))\
         console.log(JSON.stringify(wrongFields(message, unbase64(raw))));"
    );
    std::fs::write(dir.path().join("run.cjs"), runner).unwrap();
    let run = std::process::Command::new("node")
        .args(["run.cjs", "rows.json"])
        .current_dir(dir.path())
        .output()
        .unwrap();
    let page = String::from_utf8_lossy(&[run.stdout, run.stderr].concat()).into_owned();
    let page: Vec<&str> = page.lines().collect();
    for (at, (mine, page)) in mine.iter().zip(&page).enumerate() {
        let (raw, message) = &cases[at];
        assert_eq!(mine, page, "{:?} {message}", String::from_utf8_lossy(raw));
    }
    assert_eq!(mine.len(), page.len(), "{page:?}");
}

#[test]
fn reading_is_total() {
    let parts = [
        "<13>",
        "1 ",
        "Nov 22 18:00:00",
        "2026-11-22T18:00:00",
        ".",
        "Z",
        "+",
        " ",
        "[",
        "a=\"",
        "\\",
        "]",
        ":",
        "\u{e4}",
        "-",
    ];
    let mut seed = 7_usize;
    for _ in 0..20_000 {
        let mut raw = String::new();
        for _ in 0..seed % 9 {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            raw.push_str(parts[(seed >> 33) % parts.len()]);
        }
        seed = seed.wrapping_add(0x9e37_79b9);
        let sealed = ReceivedBytes { raw: raw.as_bytes(), received_us: RECEIVED_US, peer: "" };
        let mut message = stored(13, RECEIVED_US, ["", "", "", "", ""], json!({}));
        message["read"] = describe(&message, sealed);
        assert_eq!(check(&message, sealed).map(|compared| compared.wrong), Some(Vec::new()), "{raw}");
    }
}

/// Checks a message's statement about its own reading; shows the admitted and the wrong fields, `none` for an
/// invalid statement.
#[track_caller]
fn check_statement(raw: &str, read: &Value, want: &str) {
    let sealed = ReceivedBytes { raw: raw.as_bytes(), received_us: RECEIVED_US, peer: "10.9.8.7" };
    let mut message = stored(13, RECEIVED_US, ["h", "p", "", "", "m"], json!({}));
    message["read"] = read.clone();
    let shown = check(&message, sealed).map_or("none".to_owned(), |compared| {
        let Compared { admitted, wrong, is_host_peer, offset_s } = compared;
        format!("{} / {} {is_host_peer} {offset_s:?}", admitted.join(" "), wrong.join(" "))
    });
    assert_eq!(shown, want, "{read}");
}

#[test]
fn a_statement_of_reading_is_one_of_the_format() {
    let whole = "<13>1 - h p - - - m";
    let rows = [
        (json!({"as": "rfc5424", "word": []}), " /  false None"),
        (json!({"as": "rfc5424", "word": ["pid"]}), "pid /  false None"),
        (json!({"as": "rfc5424", "word": [], "host": null, "offset_s": null}), " /  false None"),
        (json!({"as": "rfc5424", "word": [], "host": "peer"}), " / host true None"),
        (json!({"as": "rfc5424", "word": ["host"], "host": "peer"}), "host /  true None"),
        (json!({"as": "rfc5424", "word": [], "host": "other"}), "none"),
        (json!({"as": "rfc5424", "word": [], "host": 1}), "none"),
        (json!({"as": "rfc5424", "word": [1]}), "none"),
        (json!({"as": "rfc5424", "word": "pid"}), "none"),
        (json!({"as": "rfc5424"}), "none"),
        (json!({"as": "other", "word": []}), "none"),
        (json!({"word": []}), "none"),
        (json!({"as": "rfc3164-nohost", "word": []}), "none"),
        (json!({"as": "rfc5424", "word": [], "more": 1}), "none"),
        (json!([]), "none"),
        (json!({"as": "text", "word": ["host", "program"]}), "host program / priority message false None"),
    ];
    for (read, want) in rows {
        check_statement(whole, &read, want);
    }
}

#[test]
fn a_zone_is_of_quarters_of_an_hour_up_to_sixteen_hours() {
    let local = "<13>Nov 22 18:00:00 h p: m";
    for (offset_s, is_one) in [
        (json!(0), true),
        (json!(900), true),
        (json!(901), false),
        (json!(-900), true),
        (json!(57_600), true),
        (json!(-57_600), true),
        (json!(58_500), false),
        (json!(-58_500), false),
        (json!(i64::MAX), false),
        (json!("0"), false),
        (json!(0.5), false),
    ] {
        let wrong = if offset_s == json!(0) { "" } else { "event_us" };
        let want = if is_one { format!(" / {wrong} false Some({offset_s})") } else { "none".to_owned() };
        check_statement(local, &json!({"as": "rfc3164", "word": [], "offset_s": offset_s}), &want);
    }
    check_statement(local, &json!({"as": "rfc3164", "word": []}), " / event_us false None");
    // A zone that does not exist is not named, and the time rests on the maker's word.
    for (shift_us, want) in [
        (3_600_000_000, r#"{"as":"rfc3164","offset_s":-3600,"word":[]}"#),
        (1, r#"{"as":"rfc3164","word":["event_us"]}"#),
        (17 * 3_600_000_000, r#"{"as":"rfc3164","word":["event_us"]}"#),
    ] {
        let sealed = ReceivedBytes { raw: local.as_bytes(), received_us: RECEIVED_US, peer: "" };
        let message = stored(13, RECEIVED_US + shift_us, ["h", "p", "", "", "m"], json!({}));
        assert_eq!(describe(&message, sealed).to_string(), want);
    }
}

#[test]
fn values_are_compared_as_sets() {
    let raw = "<13>1 - h p - - [a b=\"1\" b=\"2\" c=\"3\"] m";
    for (values, wrong) in [
        (json!({".SDATA.a.b": ["2", "1"], ".SDATA.a.c": "3"}), ""),
        (json!({".SDATA.a.b": ["1", "2", "1"], ".SDATA.a.c": ["3"]}), ""),
        (json!({".SDATA.a.b": "1", ".SDATA.a.c": "3"}), "values..SDATA.a.b"),
        (json!({".SDATA.a.b": ["1", 2], ".SDATA.a.c": 3}), "values..SDATA.a.b values..SDATA.a.c"),
        (json!({".SDATA.a.b": ["1", "2"]}), "values..SDATA.a.c"),
        (json!({".SDATA.a.b": ["1", "2"], ".SDATA.a.c": "3", "d": ""}), "values.d"),
    ] {
        let sealed = ReceivedBytes { raw: raw.as_bytes(), received_us: RECEIVED_US, peer: "" };
        let mut message = stored(13, RECEIVED_US, ["h", "p", "", "", "m"], values.clone());
        message["read"] = json!({"as": "rfc5424", "word": []});
        assert_eq!(check(&message, sealed).unwrap().wrong.join(" "), wrong, "{values}");
    }
}
