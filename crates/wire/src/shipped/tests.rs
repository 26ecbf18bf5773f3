//! Bodies of each format, well-formed and odd, and their messages.

use super::{BodyError, BulkItem, HecMeta, ShippedReader};
use crate::DecodeOptions;
use message::{Ack, Batch, Field, Origin, Stamp, ValueKind};
use std::sync::Arc;

const RECEIVED: Stamp =
    Stamp { unix_us: 1_795_000_000_000_000, offset_s: 0, quality: message::ZoneQuality::Known };

fn batch(body: &[u8]) -> Batch {
    Batch::new(Arc::new(body.to_vec()), vec![Arc::new(Origin::default())], RECEIVED, Ack::none())
}

fn reader() -> ShippedReader {
    ShippedReader::new(DecodeOptions::default(), "")
}

/// `host program[pid] severity time text {pairs}`, a line a message; the time only where it was sent.
fn show(batch: &Batch) -> String {
    let shown = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let message = |index: usize| {
        let message = &batch.messages[index];
        let mut values = batch.values(index);
        values.reverse();
        let pairs: Vec<String> = values
            .iter()
            .map(|(name, value, kind)| {
                let kind = if *kind == ValueKind::String { String::new() } else { format!(":{kind:?}") };
                format!("{}={}{kind}", shown(name), shown(value))
            })
            .collect();
        let time = if message.event.unix_us == RECEIVED.unix_us {
            String::new()
        } else {
            format!("{} ", message.event.unix_us)
        };
        let pid = batch.fixed(index, Field::Pid);
        format!(
            "{} {}[{}] {}.{} {time}{} {{{}}}",
            shown(batch.fixed(index, Field::Host)),
            shown(batch.fixed(index, Field::Program)),
            shown(pid),
            message.pri.facility().name().unwrap_or("?"),
            message.pri.severity().name(),
            shown(batch.fixed(index, Field::Message)),
            pairs.join(" ")
        )
    };
    (0..batch.len()).map(message).collect::<Vec<_>>().join("\n")
}

fn read(body: &[u8], decode: impl FnOnce(&mut ShippedReader, &mut Batch) -> Result<(), BodyError>) -> String {
    let mut batch = batch(body);
    match decode(&mut reader(), &mut batch) {
        Ok(()) => show(&batch),
        Err(error) => {
            assert!(batch.is_empty(), "a refused body left messages");
            format!("{} at {}", error.reason, error.offset)
        }
    }
}

#[track_caller]
fn check_lines(body: &str, want: &str) {
    let got = read(body.as_bytes(), |reader, batch| {
        reader.lines(batch, 0);
        Ok(())
    });
    assert_eq!(got, want);
}

#[test]
fn lines_are_json_syslog_or_text() {
    check_lines("plain\r\n\n  \nlast", " [] user.notice plain {}\n [] user.notice last {}");
    check_lines("<34>1 2026-01-02T03:04:05Z h app 7 - - hi", "h app[7] auth.crit 1767323045000000 hi {}");
    check_lines(
        r#"{"message":"a\nb \u00e9\ud83d\ude00","host":{"name":"web"},"n":1,"f":-2.5e3,"b":true,"z":null,"l":[1,{"a":2}]}"#,
        "web [] user.notice a\nb é😀 {n=1:Integer f=-2.5e3:Double b=true:Boolean z=:Null l=[1,{\"a\":2}]:Json}",
    );
    // A text that only looks like JSON is text.
    check_lines(r#"{"a":1"#, r#" [] user.notice {"a":1 {}"#);
    check_lines(r#"{"a":1} tail"#, r#" [] user.notice {"a":1} tail {}"#);
    check_lines(r#"[{"msg":"x"},"y"]"#, " [] user.notice x {}\n [] user.notice y {}");
    check_lines(r#"[{"msg":"x"},2]"#, r#" [] user.notice [{"msg":"x"},2] {}"#);
}

/// Checks the part of the body that a format keeps for each message: the bytes as received.
#[track_caller]
fn check_raw(
    body: &str,
    decode: impl FnOnce(&mut ShippedReader, &mut Batch) -> Result<(), BodyError>,
    want: &[&str],
) {
    let mut batch = batch(body.as_bytes());
    decode(&mut reader(), &mut batch).unwrap();
    let raw = |message: &message::Message| String::from_utf8_lossy(batch.bytes(message.raw)).into_owned();
    assert_eq!(batch.messages.iter().map(raw).collect::<Vec<_>>(), want);
}

#[test]
fn a_message_keeps_its_part_of_the_body() {
    let lines = |reader: &mut ShippedReader, batch: &mut Batch| {
        reader.lines(batch, 0);
        Ok(())
    };
    check_raw(
        "{\"msg\":\"a\"}\n text \n{\"msg\":\"b\"}",
        lines,
        &["{\"msg\":\"a\"}", " text", "{\"msg\":\"b\"}"],
    );
    check_raw(
        " [ {\"msg\":\"a\"} , {\"msg\":\"b\"}, \"c\"]",
        lines,
        &["{\"msg\":\"a\"}", "{\"msg\":\"b\"}", "c"],
    );
    check_raw(" {\"msg\":\"a\"} ", |reader, batch| reader.documents(batch, 0), &["{\"msg\":\"a\"}"]);
    check_raw(" [{\"msg\":\"a\"}]", |reader, batch| reader.documents(batch, 0), &["{\"msg\":\"a\"}"]);
    let record = "{\"body\":{\"stringValue\":\"o\"}}";
    let body =
        format!("{{\"resourceLogs\":[{{\"scopeLogs\":[{{\"logRecords\":[  {record} ,\n{record}]}}]}}]}}");
    check_raw(&body, |reader, batch| reader.otlp_json(batch, 0), &[record, record]);
    check_raw(
        "{\"short_message\":\"g\"}\0\0",
        |reader, batch| reader.gelf(batch, 0),
        &["{\"short_message\":\"g\"}"],
    );
}

#[test]
fn a_frame_that_is_not_gelf_is_still_a_message() {
    let body = "xx{\"short_message\":\"g\"}yyodd!zz";
    let mut batch = batch(body.as_bytes());
    let mut marks = message::Marks::NONE;
    marks.add(message::Mark::Truncated);
    let good = body.find('{').unwrap()..body.find("yy").unwrap();
    let odd = body.find("odd").unwrap()..body.find("zz").unwrap();
    let frames = [
        crate::Frame { start: good.start, end: good.end, marks: message::Marks::NONE },
        crate::Frame { start: odd.start, end: odd.end, marks },
    ];
    assert_eq!(reader().gelf_frames(&mut batch, &frames, 0), 1);
    let raw = |index: usize| String::from_utf8_lossy(batch.bytes(batch.messages[index].raw)).into_owned();
    assert_eq!([raw(0), raw(1)], ["{\"short_message\":\"g\"}", "odd!"]);
    let has = |index: usize, mark| batch.messages[index].marks.has(mark);
    assert!(!has(0, message::Mark::ParseError) && !has(0, message::Mark::Truncated));
    assert!(has(1, message::Mark::ParseError) && has(1, message::Mark::Truncated));
}

#[test]
fn fields_find_their_place() {
    check_lines(
        r#"{"@timestamp":"2026-01-02T03:04:05.678+01:00","log.level":"WARN","service":{"name":"shop"},"process":{"pid":12},"message":"m"}"#,
        " shop[12] user.warning 1767319445678000 m {log.level=WARN}",
    );
    check_lines(
        r#"{"HOST":"h","PROGRAM":"p","PID":"1","MESSAGE":"m","PRIORITY":"err","FACILITY":"mail","ISODATE":"2026-01-02T03:04:05+0000"}"#,
        "h p[1] mail.err 1767323045000000 m {}",
    );
    check_lines(
        r#"{"syslogtag":"sshd[123]:","msg":" m","pri":"38","time":1767323045678}"#,
        " sshd[123] auth.info 1767323045678000  m {}",
    );
    check_lines(r#"{"level":30,"msg":"pino"}"#, " [] user.info pino {level=30:Integer}");
    // The first of a kind is used; one of a wrong type is not.
    check_lines(r#"{"message":"a","log":"b","pid":{},"time":"soon"}"#, " [] user.notice a {log=b time=soon}");
    check_lines(
        r#"{"a":{"b":{"c":"d"}},"":1}"#,
        " [] user.notice {\"a\":{\"b\":{\"c\":\"d\"}},\"\":1} {a.b.c=d _=1:Integer}",
    );
}

#[test]
fn times_have_units() {
    for (time, want) in [
        ("1767323045", 1_767_323_045_000_000_i64),
        ("1767323045.25", 1_767_323_045_250_000),
        ("1767323045250", 1_767_323_045_250_000),
        ("1767323045250001", 1_767_323_045_250_001),
        ("1767323045250001999", 1_767_323_045_250_001),
    ] {
        check_lines(&format!(r#"{{"ts":{time},"msg":"m"}}"#), &format!(" [] user.notice {want} m {{}}"));
    }
}

#[track_caller]
fn check_bulk(body: &str, want: &str, items: &str) {
    let mut batch = batch(body.as_bytes());
    let shown = match reader().bulk(&mut batch, 0) {
        Ok(items) => {
            let range =
                |range: &Option<std::ops::Range<usize>>| range.clone().map_or("-", |range| &body[range]);
            let one = |item: &BulkItem| {
                format!("{} {} {} {}", item.operation.name(), range(&item.index), range(&item.id), item.taken)
            };
            items.iter().map(one).collect::<Vec<_>>().join(", ")
        }
        Err(error) => format!("{} at {}", error.reason, error.offset),
    };
    assert_eq!((show(&batch).as_str(), shown.as_str()), (want, items));
}

#[test]
fn bulk_pairs_actions_and_documents() {
    check_bulk(
        "{\"create\":{\"_index\":\"logs\"}}\n{\"message\":\"a\"}\n{ \"index\" : {\"_id\":\"7\",\"x\":[1]} }\r\n{\"message\":\"b\"}\r\n",
        " [] user.notice a {}\n [] user.notice b {}",
        "create logs - true, index - 7 true",
    );
    check_bulk(
        "{\"index\":{}}\nno json\n{\"delete\":{\"_id\":\"1\"}}\n{\"update\":{}}\n{\"doc\":{}}\n{\"index\":{}}\n{\"message\":\"c\"} x\n",
        "",
        "index - - false, delete - 1 false, update - - false, index - - false",
    );
    check_bulk(
        "{\"index\":{}}\n{\"message\":\"a\"}\n{\"what\":{}}\n{}\n",
        "",
        "an action that is not known at 37",
    );
    check_bulk("{\"index\":{}}\n", "", "an action without a document at 13");
    check_bulk("", "", "");
}

#[track_caller]
fn check_hec(body: &str, want: &str) {
    assert_eq!(read(body.as_bytes(), |reader, batch| reader.hec_events(batch, 0)), want);
}

#[test]
fn hec_events_follow_each_other() {
    check_hec(
        r#"{"time":1767323045.5,"host":"h","sourcetype":"st","event":"one"} {"event":{"message":"two","n":1,"host":"inner"},"host":"h","fields":{"k":"v"}}"#,
        "h [] user.notice 1767323045500000 one {sourcetype=st}\nh [] user.notice two {n=1:Integer host=inner k=v}",
    );
    check_hec(r#"{"event":{"a":1}}"#, r#" [] user.notice {"a":1} {a=1:Integer}"#);
    check_hec(r#"{"event":[1]}{"event":5}"#, " [] user.notice [1] {}\n [] user.notice 5 {}");
    check_hec("", "");
    check_hec(r#"{"event":"a"}{"time":1}"#, "an object without an event at 23");
    check_hec(r#"{"event":""}"#, "an object without an event at 11");
    check_hec(r#"{"event":"a"}x"#, "no JSON value at 13");
}

#[test]
fn hec_raw_lines_have_the_metadata() {
    let meta = HecMeta {
        host: Some("h".to_owned()),
        time: Some("1767323045".to_owned()),
        values: vec![("source", "s".to_owned())],
    };
    let got = read(b"one\ntwo\n", |reader, batch| {
        reader.hec_raw(batch, 0, &meta);
        Ok(())
    });
    assert_eq!(
        got,
        "h [] user.notice 1767323045000000 one {source=s}\nh [] user.notice 1767323045000000 two {source=s}"
    );
}

#[track_caller]
fn check_gelf(body: &str, want: &str) {
    assert_eq!(read(body.as_bytes(), |reader, batch| reader.gelf(batch, 0)), want);
}

#[test]
fn gelf_has_own_fields() {
    check_gelf(
        r#"{"version":"1.1","host":"h","short_message":"s","full_message":"long","timestamp":1767323045.5,"level":3,"_pid":5,"_host":"other","_user_id":9}"#,
        "h [5] user.err 1767323045500000 s {full_message=long host=other user_id=9:Integer}",
    );
    check_gelf(
        "{\"short_message\":\"s\",\"facility\":\"billing\"}\0",
        " [] user.notice s {facility=billing}",
    );
    check_gelf("[]", "no JSON object at 1");
    check_gelf("{\"a\":1}x", "something behind the JSON at 7");
}

#[track_caller]
fn check_loki(body: &str, want: &str) {
    assert_eq!(read(body.as_bytes(), |reader, batch| reader.loki_json(batch, 0)), want);
}

#[test]
fn loki_streams_share_labels() {
    check_loki(
        r#"{"streams":[{"values":[["1767323045000000000","one",{"trace":"t"}],["1767323046000000000","t\"wo"]],"stream":{"host":"h","job":"j","level":"error"}}]}"#,
        "h j[] user.err 1767323045000000 one {trace=t host=h job=j level=error}\n\
         h j[] user.err 1767323046000000 t\"wo {host=h job=j level=error}",
    );
    check_loki(r#"{"streams":[]}"#, "");
    check_loki(r#"{"streams":[{"stream":{},"values":[["x","l"]]}]}"#, "no time of a line at 39");
    check_loki("[]", "no JSON object at 1");
}

/// Protobuf of nested texts: `(field, bytes)`.
fn nested(fields: &[(u8, &[u8])]) -> Vec<u8> {
    fields.iter().flat_map(|(field, bytes)| [&[field << 3 | 2, bytes.len() as u8], *bytes].concat()).collect()
}

fn varint(field: u8, number: u64) -> Vec<u8> {
    let mut bytes = vec![field << 3];
    let mut rest = number;
    while rest >= 0x80 {
        bytes.push(rest as u8 | 0x80);
        rest >>= 7;
    }
    bytes.push(rest as u8);
    bytes
}

#[test]
fn loki_protobuf_is_the_same() {
    let time = [varint(1, 1_767_323_045), varint(2, 5_000)].concat();
    let meta = nested(&[(1, b"trace"), (2, b"t")]);
    let entry = nested(&[(1, &time), (2, b"line"), (3, &meta)]);
    let stream = nested(&[(1, br#"{host="h", q="a\"b"}"#), (2, &entry)]);
    let body = nested(&[(1, &stream)]);
    let decode = |reader: &mut ShippedReader, batch: &mut Batch| reader.loki_protobuf(batch, 0);
    assert_eq!(read(&body, decode), "h [] user.notice 1767323045000005 line {trace=t host=h q=a\"b}");
    assert_eq!(read(&body[..body.len() - 1], decode), "protobuf that is cut off at 2");
    assert_eq!(read(&nested(&[(1, &nested(&[(1, b"{x}")]))]), decode), "no labels of a stream at 5");
}

/// The same record in both forms.
const OTLP: &str = " shop[41] user.warning 1767323045000000 paid {severity_number=13:Integer severity_text=W \
                    trace_id=0aff n=5:Integer ok=true:Boolean l=[\"x\"]:Json resource.service.name=shop \
                    resource.process.pid=41:Integer scope.name=lib}";

#[test]
fn otlp_protobuf_is_mapped() {
    let attribute = |name: &[u8], value: Vec<u8>| nested(&[(1, name), (2, &value)]);
    let resource = nested(&[
        (1, &attribute(b"service.name", nested(&[(1, b"shop")]))),
        (1, &attribute(b"process.pid", varint(3, 41))),
    ]);
    let list = nested(&[(5, &nested(&[(1, &nested(&[(1, b"x")]))]))]);
    let mut record = vec![1 << 3 | 1];
    record.extend(1_767_323_045_000_000_000_u64.to_le_bytes());
    record.extend(varint(2, 13));
    record.extend(nested(&[
        (3, b"W"),
        (5, &nested(&[(1, b"paid")])),
        (6, &attribute(b"n", varint(3, 5))),
        (6, &attribute(b"ok", varint(2, 1))),
        (6, &attribute(b"l", list)),
        (9, &[10, 255]),
    ]));
    let scope = nested(&[(1, &nested(&[(1, b"lib")])), (2, &record)]);
    let logs = [
        nested(&[(1, &resource)]),
        vec![2 << 3 | 2, (scope.len() & 127) as u8 | 128, (scope.len() >> 7) as u8],
        scope,
    ]
    .concat();
    let body = [vec![1 << 3 | 2, (logs.len() & 127) as u8 | 128, (logs.len() >> 7) as u8], logs].concat();
    let decode = |reader: &mut ShippedReader, batch: &mut Batch| reader.otlp_protobuf(batch, 0);
    assert_eq!(read(&body, decode), OTLP);
    assert_eq!(read(&[0xff], decode), "no protobuf number at 1");
}

#[test]
fn otlp_json_is_mapped() {
    let body = r#"{"resourceLogs":[{"scopeLogs":[{"logRecords":[ {"timeUnixNano":"1767323045000000000",
        "severityNumber":"SEVERITY_NUMBER_WARN","severityText":"W","body":{"stringValue":"paid"},"traceId":"0aff",
        "attributes":[{"key":"n","value":{"intValue":"5"}},{"key":"ok","value":{"boolValue":true}},
        {"key":"l","value":{"arrayValue":["x"]}}]}],"scope":{"name":"lib"}}],"resource":{"attributes":[
        {"key":"service.name","value":{"stringValue":"shop"}},{"key":"process.pid","value":{"intValue":41}}]}}]}"#;
    let decode = |reader: &mut ShippedReader, batch: &mut Batch| reader.otlp_json(batch, 0);
    assert_eq!(read(body.as_bytes(), decode), OTLP);
    assert_eq!(read(b"{}", decode), "");
    assert_eq!(read(br#"{"resourceLogs":[{"scopeLogs":[5]}]}"#, decode), "no JSON object at 32");
}

#[test]
fn journal_entries_may_be_cut() {
    let mut body =
        b"__CURSOR=c1\n__REALTIME_TIMESTAMP=1767323045000000\n_HOSTNAME=h\nSYSLOG_IDENTIFIER=app\n_PID=3\n\
                     PRIORITY=3\nMESSAGE\n\x03\0\0\0\0\0\0\0a\nb\n\n"
            .to_vec();
    let size = body.len();
    body.extend_from_slice(b"MESSAGE=cut");
    assert_eq!(ShippedReader::journal_size(&body), size);
    let got = read(&body, |reader, batch| {
        assert_eq!(reader.journal(batch, 0), size);
        Ok(())
    });
    assert_eq!(
        got,
        "h app[3] user.err 1767323045000000 a\nb {.journald.__CURSOR=c1 \
         .journald.__REALTIME_TIMESTAMP=1767323045000000 .journald._HOSTNAME=h .journald.SYSLOG_IDENTIFIER=app \
         .journald._PID=3 .journald.PRIORITY=3 .journald.MESSAGE=a\nb}"
    );
}

#[test]
fn limits_hold() {
    let deep = format!("{{\"a\":{}1{}}}", "[".repeat(80), "]".repeat(80));
    check_gelf(&deep, "JSON too deep at 71");
    let many: Vec<String> = (0..2_000).map(|index| format!("\"k{index}\":1")).collect();
    let mut batch = batch(format!("{{{}}}", many.join(",")).as_bytes());
    reader().lines(&mut batch, 0);
    assert_eq!(batch.values(0).len(), super::entry::FIELDS_MAX);
    let long = format!("{{\"{}\":1}}", "ä".repeat(100));
    let mut batch = self::batch(long.as_bytes());
    reader().lines(&mut batch, 0);
    assert_eq!(batch.values(0)[0].0.len(), 128);
    // Objects below the deepest name stay JSON.
    let nested = format!("{}1{}", "{\"a\":".repeat(20), "}".repeat(20));
    check_lines(
        &nested,
        &format!(
            " [] user.notice {nested} {{{}={}1{}:Json}}",
            ["a"; 17].join("."),
            "{\"a\":".repeat(3),
            "}".repeat(3)
        ),
    );
}

#[test]
fn a_prefix_is_put_before_pairs() {
    let mut batch = batch(br#"{"message":"m","k":"v"}"#);
    ShippedReader::new(DecodeOptions::default(), ".json.").lines(&mut batch, 0);
    assert_eq!(show(&batch), " [] user.notice m {.json.k=v}");
}

#[test]
fn severities_of_opentelemetry_are_those_of_syslog() {
    let numbers: String = (0..=25)
        .map(|number| format!("{{\"severityNumber\":{number},\"body\":{{\"stringValue\":\"x\"}}}},"))
        .collect();
    let body = format!(
        "{{\"resourceLogs\":[{{\"scopeLogs\":[{{\"logRecords\":[{}]}}]}}]}}",
        numbers.trim_end_matches(',')
    );
    let mut batch = batch(body.as_bytes());
    reader().otlp_json(&mut batch, 0).unwrap();
    let got: Vec<u8> = batch.messages.iter().map(|message| message.pri.severity().0).collect();
    // A record without a severity, or with an unknown one, is a notice, as elsewhere.
    let want = [5, 7, 7, 7, 7, 7, 7, 7, 7, 6, 5, 5, 5, 4, 4, 4, 4, 3, 2, 1, 1, 0, 0, 0, 0, 5];
    assert_eq!(got, want);
}
