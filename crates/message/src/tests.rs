//! Rows for the record's rules: spans, fields, tags, structured data, acknowledgements.

use crate::*;
use std::panic::AssertUnwindSafe;
use std::sync::{Arc, Mutex};

fn batch(text: &str) -> Batch {
    let mut batch = Batch::new(
        Arc::new(text.as_bytes().to_vec()),
        vec![Arc::new(Origin { tags: vec![".source.s".into()], source: "s".into(), ..Origin::default() })],
        Stamp::default(),
        Ack::none(),
    );
    let whole = Span::received(0, text.len());
    batch.messages.push(Message { raw: whole, text: whole, ..Message::default() });
    batch
}

fn text(batch: &Batch, name: &str) -> Option<String> {
    batch.field(0, &FieldName::parse(name)).map(|bytes| String::from_utf8_lossy(&bytes).into_owned())
}

#[test]
fn a_message_of_another_batch_is_copied_whole() {
    let mut one = Batch::new(
        Arc::new(b"host prog text".to_vec()),
        vec![Arc::new(Origin::default()), Arc::new(Origin { source: "s".into(), ..Origin::default() })],
        Stamp::default(),
        Ack::none(),
    );
    let mut message = Message { origin: 1, ..Message::default() };
    message.host = Span::received(0, 4);
    message.text = Span::received(10, 4);
    one.messages.push(message);
    one.set_field(0, &FieldName::parse("a"), b"1", ValueKind::Integer);
    one.set_field(0, &FieldName::parse("a"), b"2", ValueKind::Integer);
    one.add_tag(0, "t");
    let mut other = Batch::default();
    assert_eq!((other.push_copy(&one, 0), other.push_copy(&one, 0)), (0, 1));
    for index in 0..2 {
        let shown: Vec<&[u8]> = [Field::Host, Field::Message, Field::Source]
            .iter()
            .map(|field| other.fixed(index, *field))
            .collect();
        assert_eq!(shown, [&b"host"[..], b"text", b"s"]);
        assert_eq!(other.values(index), [(&b"a"[..], &b"2"[..], ValueKind::Integer)]);
        assert_eq!(other.tags(index), ["t"]);
    }
    assert_eq!(other.origins.len(), 1);
}

#[test]
fn no_origin_gets_the_number_of_another() {
    let origins = (0..ORIGINS_MAX).map(|_| Arc::new(Origin::default())).collect();
    let mut batch = Batch::new(Arc::default(), origins, Stamp::default(), Ack::none());
    let last = batch.origins[ORIGINS_MAX - 1].clone();
    assert_eq!(usize::from(batch.push_origin(&last)), ORIGINS_MAX - 1);
    let one_more = std::panic::catch_unwind(AssertUnwindSafe(|| batch.push_origin(&Arc::default())));
    assert!(one_more.is_err(), "an origin got the number of another one");
}

#[test]
fn later_values_hide_older_ones() {
    let mut batch = batch("hello");
    batch.set_field(0, &FieldName::parse("user"), b"anna", ValueKind::String);
    batch.set_field(0, &FieldName::parse("user"), b"bela", ValueKind::String);
    assert_eq!(text(&batch, "user").as_deref(), Some("bela"));
    assert_eq!(batch.values(0).len(), 1);
    batch.unset_field(0, &FieldName::parse("user"));
    assert_eq!(text(&batch, "user"), None);
    assert!(batch.values(0).is_empty());
}

#[test]
fn setting_the_program_drops_the_received_tag() {
    let mut batch = batch("su[1]: hi");
    batch.messages[0].msghdr = Span::received(0, 7);
    batch.set_field(0, &FieldName::parse("PROGRAM"), b"sudo", ValueKind::String);
    assert_eq!(text(&batch, "LEGACY_MSGHDR").as_deref(), Some(""));
    assert_eq!(text(&batch, "PROGRAM").as_deref(), Some("sudo"));
}

#[test]
fn fixed_fields_keep_the_type_that_they_are_set_with() {
    let mut batch = batch("su[1]: hi");
    let (pid, source) = (FieldName::parse("PID"), FieldName::parse("SOURCE"));
    batch.messages[0].pid = Span::received(3, 1);
    assert_eq!(batch.kind(0, &pid), ValueKind::String);
    batch.set_field(0, &pid, b"7", ValueKind::Integer);
    batch.set_field(0, &source, b"2.5", ValueKind::Double);
    let typed = |batch: &Batch, name| {
        batch.typed_field(0, name).map(|(value, kind)| (String::from_utf8_lossy(&value).into_owned(), kind))
    };
    assert_eq!(typed(&batch, &pid), Some(("7".to_owned(), ValueKind::Integer)));
    assert_eq!(typed(&batch, &source), Some(("2.5".to_owned(), ValueKind::Double)));
    assert_eq!(batch.values(0), [(&b"SOURCE"[..], &b"2.5"[..], ValueKind::Double)]);
    let copy = batch.copy_of(&Selection::all(1));
    assert_eq!(typed(&copy, &pid), typed(&batch, &pid));
    batch.set_field(0, &pid, b"7", ValueKind::String);
    assert_eq!(typed(&batch, &pid), Some(("7".to_owned(), ValueKind::String)));
    batch.set_field(0, &pid, b"8", ValueKind::Integer);
    batch.set_fixed(0, Field::Pid, Span::received(3, 1));
    assert_eq!(typed(&batch, &pid), Some(("1".to_owned(), ValueKind::String)));
}

#[test]
fn tags_come_from_marks_origin_and_rewrites() {
    let mut batch = batch("x");
    batch.messages[0].marks.add(Mark::MissingPri);
    batch.add_tag(0, "mine");
    assert_eq!(batch.tags(0), ["syslog.missing_pri", "mine", ".source.s"]);
    batch.clear_tag(0, ".source.s");
    batch.clear_tag(0, "mine");
    assert_eq!(batch.tags(0), ["syslog.missing_pri"]);
    batch.add_tag(0, "mine");
    assert!(batch.has_tag(0, "mine"));
    assert!(Marks::has_tag("syslog.missing_pri") && !Marks::has_tag("mine"));
}

#[track_caller]
fn check_sdata(sdata: &str, want: &str) {
    let show = |param: SdParam<'_>| {
        let value = String::from_utf8_lossy(&param.value()).into_owned();
        format!("{}.{}={value}", String::from_utf8_lossy(param.id), String::from_utf8_lossy(param.name))
    };
    assert_eq!(sd_params(sdata.as_bytes()).map(show).collect::<Vec<_>>().join(" "), want);
}

#[test]
fn reads_structured_data() {
    check_sdata("", "");
    check_sdata("[a@1 b=\"c\"]", "a@1.b=c");
    check_sdata("[a@1 b=\"c\" d=\"e\"][f]", "a@1.b=c a@1.d=e f.=");
    check_sdata(r#"[a b="q\"\\\]\n"]"#, "a.b=q\"\\]\\n");
    check_sdata("[a b=\"c", "");
    check_sdata("[a b=c]", "");
}

#[test]
fn structured_data_is_a_field() {
    let mut batch = batch(r#"[x@1 y="5"]"#);
    batch.messages[0].sdata = batch.messages[0].raw;
    assert_eq!(text(&batch, ".SDATA.x@1.y").as_deref(), Some("5"));
    assert_eq!(text(&batch, ".SDATA.x@1.z"), None);
    batch.set_field(0, &FieldName::parse(".SDATA.x@1.y"), b"6", ValueKind::String);
    assert_eq!(text(&batch, ".SDATA.x@1.y").as_deref(), Some("6"));
}

#[test]
fn a_copy_reads_the_same_and_pins_nothing() {
    let mut whole = batch("su[1]: hi");
    let second = Message { program: Span::received(0, 2), ..whole.messages[0].clone() };
    whole.messages.push(second);
    whole.set_field(1, &FieldName::parse("user"), b"anna", ValueKind::String);
    whole.set_field(1, &FieldName::parse("user"), b"", ValueKind::String);
    whole.set_field(1, &FieldName::parse("HOST"), b"made", ValueKind::String);
    let mut one = Selection::none(2);
    one.add(1);
    let copy = whole.copy_of(&one);
    assert_eq!((copy.len(), copy.received_bytes.len()), (1, whole.received_bytes.len()));
    for name in ["MESSAGE", "PROGRAM", "HOST", "user", "PID"] {
        let name = FieldName::parse(name);
        assert_eq!(copy.field(0, &name), whole.field(1, &name));
    }
    assert_eq!(copy.tags(0), whole.tags(1));
}

#[test]
fn a_copy_was_received_when_its_batch_was() {
    let mut batch = batch("text");
    batch.received = Stamp::known(7_000_000, 3600);
    assert_eq!(batch.copy_of(&Selection::all(1)).received, Stamp::known(7_000_000, 3600));
}

#[test]
fn all_that_a_batch_has_counts_as_held() {
    let mut batch = batch("text");
    let before = batch.held_bytes();
    assert_eq!(before, 4 + size_of::<Message>());
    batch.add_extra(b"12345");
    assert_eq!(batch.held_bytes(), before + 5);
    batch.messages.push(Message::default());
    assert_eq!(batch.held_bytes(), before + 5 + size_of::<Message>());
}

#[test]
fn record_ids_follow_each_other_and_are_written_and_read() {
    let id = RecordId { incarnation: 0xfedc_ba98_7654_3210, sequence: 17 };
    assert_eq!(id.to_string(), "fedcba98765432100000000000000011");
    assert_eq!(RecordId::parse(&id.to_string()), Some(id));
    assert_eq!(id.after(3), RecordId { sequence: 20, ..id });
    for text in [
        "",
        "fedcba9876543210000000000000001",
        "+edcba98765432100000000000000011",
        "gedcba98765432100000000000000011",
    ] {
        assert_eq!(RecordId::parse(text), None, "{text}");
    }
}

#[test]
fn selections_are_sets() {
    for length in [0, 1, 63, 64, 65, 200] {
        let all = Selection::all(length);
        assert_eq!(all.iter().collect::<Vec<_>>(), (0..length).collect::<Vec<_>>());
        let mut even = Selection::none(length);
        (0..length).step_by(2).for_each(|index| even.add(index));
        let mut odd = all.clone();
        odd.subtract(&even);
        assert_eq!(odd.count() + even.count(), length);
        even.or(&odd);
        assert_eq!(even, all);
    }
}

#[test]
fn selections_know_their_bounds() {
    let mut some = Selection::none(130);
    [0, 63, 64, 129].into_iter().for_each(|index| some.add(index));
    assert_eq!((some.batch_len(), some.count(), some.words().len()), (130, 4, 3));
    assert!(some.has(63) && some.has(64) && !some.has(65) && !some.has(130) && !some.has(1_000));
    assert_eq!(some.first(3).iter().collect::<Vec<_>>(), [0, 63, 64]);
    assert_eq!(some.first(0), Selection::none(130));
    let mut both = Selection::all(130);
    assert!(both.is_all() && !some.is_all() && !some.is_empty());
    both.and(&some);
    assert_eq!(both, some);
    both.remove(63);
    both.remove(1_000);
    assert_eq!(both.iter().collect::<Vec<_>>(), [0, 64, 129]);
    assert!(Selection::none(130).is_empty() && Selection::all(0).is_all());
    assert_eq!(Selection::all(65).words(), [u64::MAX, 1]);
    let beyond = std::panic::catch_unwind(|| Selection::none(64).add(64));
    assert!(beyond.is_err(), "a message that the batch does not have was selected");
}

#[test]
fn spans_are_cut_at_their_end() {
    let whole = Span::extra(10, 5);
    for (from, to, want) in
        [(0, 5, "+10..15"), (1, 3, "+11..13"), (2, 99, "+12..15"), (4, 2, "+12..12"), (9, 9, "+15..15")]
    {
        assert_eq!(format!("{:?}", whole.part(from, to)), want);
    }
    assert_eq!(format!("{:?}", Span::received(3, 4)), "3..7");
    assert!(whole.is_extra() && !Span::received(3, 4).is_extra() && !whole.is_empty());
    assert!(Span::EMPTY.is_empty() && whole.part(2, 2).is_empty());
}

#[test]
fn formats_have_their_names() {
    let formats =
        [Format::Raw, Format::Rfc3164, Format::Rfc5424, Format::Internal, Format::DevKmsg, Format::Journal];
    let want = ["raw", "rfc3164", "rfc5424", "internal", "linux:devkmsg", "linux:journald"];
    assert_eq!(formats.map(Format::name), want);
}

#[test]
fn stamps_are_ordered_by_time_first() {
    let stamp = |unix_us, offset_s, quality| Stamp { unix_us, offset_s, quality };
    let rising = [
        stamp(-1, 0, ZoneQuality::Known),
        stamp(0, -60, ZoneQuality::Known),
        stamp(0, 60, ZoneQuality::Known),
        stamp(1, -60, ZoneQuality::Known),
    ];
    assert!(rising.is_sorted_by(|one, other| one < other));
    assert_eq!((rising[0].unix_s(), rising[0].micros()), (-1, 999_999));
    assert_eq!((rising[3].unix_s(), rising[3].micros()), (0, 1));
}

#[test]
fn a_peer_is_an_address_or_a_network() {
    let network = |text: &str| peer_network(text.parse().unwrap());
    assert_eq!(network("2001:db8::1"), network("2001:db8::ffff:0:0:2"));
    assert_ne!(network("2001:db8::1"), network("2001:db8:0:1::1"));
    assert_ne!(network("10.0.0.1"), network("10.0.0.2"));
    assert_eq!(network("10.0.0.1"), network("::ffff:10.0.0.1"));
    let masked = |text: &str, bits| masked_address(text.parse().unwrap(), bits);
    assert_eq!(masked("10.0.0.1", 120), masked("10.0.0.2", 120));
    assert_ne!(masked("10.0.0.1", 95), masked("10.0.0.2", 95), "a mask of IPv6 does not cut IPv4");
    assert_eq!(masked("10.0.0.1", 96), masked("192.168.1.1", 96));
    assert_eq!(masked("2001:db8::1", 0), [0; 16]);
    assert_ne!(masked("2001:db8::1", 128), masked("2001:db8::2", 200));
}

struct Sink(Arc<Mutex<Vec<Outcome>>>);

impl AckSink for Sink {
    fn acknowledge(&self, outcome: Outcome) {
        self.0.lock().unwrap().push(outcome);
    }
}

#[test]
fn one_holder_that_gave_up_is_enough() {
    for (failing, want) in [(None, Outcome::Done), (Some(0), Outcome::Failed), (Some(2), Outcome::Failed)] {
        let seen = Arc::new(Mutex::new(Vec::new()));
        let holders = vec![Ack::new(Box::new(Sink(seen.clone()))); 3];
        assert_eq!(format!("{:?} {:?}", holders[0], Ack::none()), "Ack(pending) Ack(none)");
        for (index, holder) in holders.into_iter().enumerate() {
            assert!(seen.lock().unwrap().is_empty(), "acknowledged with {index} of 3 gone");
            if failing == Some(index) {
                holder.fail();
            }
        }
        assert_eq!(*seen.lock().unwrap(), [want]);
    }
    Ack::none().fail();
}

#[test]
fn the_last_clone_acknowledges() {
    let seen = Arc::new(Mutex::new(Vec::new()));
    let first = Ack::new(Box::new(Sink(seen.clone())));
    let second = first.clone();
    drop(first);
    assert!(seen.lock().unwrap().is_empty());
    second.fail();
    drop(second);
    assert_eq!(*seen.lock().unwrap(), [Outcome::Failed]);
}

#[test]
fn names_of_priorities() {
    assert_eq!(Priority(165).facility().name(), Some("local4"));
    assert_eq!(Priority(165).severity().name(), "notice");
    assert_eq!(Severity::from_name("WARN"), Some(Severity(4)));
    assert_eq!(Facility::from_name("local7"), Some(Facility(23)));
    assert_eq!(Facility(24).name(), None);
}

#[test]
fn stamps_are_written_and_read() {
    for (unix_us, offset_s, text) in [
        (1_700_000_000_123_456, 3600, "1700000000.123456+01:00"),
        (0, -5400, "0.000000-01:30"),
        (-500_000, 0, "-1.500000+00:00"),
        (7_000_000, 99 * 3600 + 59 * 60, "7.000000+99:59"),
    ] {
        let stamp = Stamp::known(unix_us, offset_s);
        assert_eq!(stamp.to_text(), text);
        assert_eq!(Stamp::from_text(text.as_bytes()), Some(stamp));
    }
    for text in [
        "",
        "1",
        "1.5+00:00",
        "1.000000",
        "1.000000+1",
        "1.000000+100:00",
        "1.000000+00:60",
        "9223372036854775807.000000+00:00",
        "1.000000\u{e9}0:0",
    ] {
        assert_eq!(Stamp::from_text(text.as_bytes()), None, "{text}");
    }
}
