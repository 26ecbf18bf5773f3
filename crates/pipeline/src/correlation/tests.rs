//! Rows for keys, times, contexts, groups and joined lines.

use super::*;
use crate::{
    Definitions, Filter, filter,
    parser::{Input, Parser},
};
use message::{Ack, Batch, Field, FieldName, Message, Origin, Selection, Stamp};
use std::sync::Arc;
use template::{RenderOptions, Renderer, Template};
use wire::{LinePattern, MultiLine};

fn template(text: &str) -> Arc<Template> {
    Arc::new(Template::parse(text, &Definitions::default()).unwrap())
}

fn condition(text: &str) -> Option<Arc<Filter>> {
    (!text.is_empty()).then(|| Arc::new(Filter::new(filter::parse(text, &Definitions::default()).unwrap())))
}

/// A batch of one message `host program text` at a second.
fn one(line: &str, second: i64) -> Batch {
    let stamp = Stamp::known(second * 1_000_000, 0);
    let mut batch = Batch::new(Arc::default(), vec![Arc::new(Origin::default())], stamp, Ack::none());
    let mut message = Message::default();
    message.event = stamp;
    batch.messages.push(message);
    let mut parts = line.splitn(3, ' ');
    for field in [Field::Host, Field::Program, Field::Message] {
        let span = batch.add_extra(parts.next().unwrap_or_default().as_bytes());
        batch.set_fixed(0, field, span);
    }
    batch
}

/// Runs lines `second host program text`, `second tick` or `second close`; shows the output through a
/// template.
fn run(parser: &dyn Parser, shown: &str, lines: &[&str]) -> Vec<String> {
    let shown = template(shown);
    let mut renderer = Renderer::new(RenderOptions::default(), Arc::default());
    let mut out = Vec::new();
    for line in lines {
        let (second, line) = line.split_once(' ').unwrap();
        let mut batch = one(line, second.parse().unwrap());
        renderer.now = batch.received;
        let mut made = Vec::new();
        let left = match line {
            "tick" => {
                parser.tick(&mut renderer, &mut made);
                Selection::none(1)
            }
            "close" => {
                parser.close(&mut renderer, &mut made);
                Selection::none(1)
            }
            _ => parser.parse_making(&mut batch, &Selection::all(1), &mut renderer, &mut made),
        };
        let mut show = |batch: &Batch, selection: &Selection, mark: &str| {
            for index in selection.iter() {
                let mut text = mark.as_bytes().to_vec();
                shown.render(batch, index, &mut renderer, &mut text);
                out.push(String::from_utf8(text).unwrap());
            }
        };
        made.iter().for_each(|made| show(made, &Selection::all(made.len()), "+"));
        show(&batch, &left, "");
    }
    out
}

#[test]
fn keys_tell_scopes_apart() {
    let mut batch = one("h p text", 0);
    let pid = batch.add_extra(b"7");
    batch.set_fixed(0, Field::Pid, pid);
    let shown = |scope| {
        let key = Key::of(scope, &batch, 0, b"id");
        let fields: Vec<String> = key
            .fields()
            .map(|(field, value)| format!("{field:?}={}", String::from_utf8_lossy(value)))
            .collect();
        assert_eq!(key.id(), b"id");
        fields.join(" ")
    };
    assert_eq!(shown(Scope::Process), "Host=h Program=p Pid=7");
    assert_eq!(shown(Scope::Program), "Host=h Program=p");
    assert_eq!(shown(Scope::Host), "Host=h");
    assert_eq!(shown(Scope::Global), "");
    // A short field must not borrow from the next one.
    let key = |line: &str| Key::of(Scope::Program, &one(line, 0), 0, b"");
    assert_ne!(key("ab c x"), key("a bc x"));
    assert_eq!(Scope::from_name("HOST"), Some(Scope::Host));
    assert_eq!(Scope::from_name("planet"), None);
}

#[test]
fn time_follows_messages_and_continues_without_them() {
    let clock = Clock::default();
    let at = |second: i64| Stamp::known(second * 1_000_000, 0);
    assert_eq!((clock.now_s(), clock.tick(at(1000))), (0, None));
    assert_eq!(clock.follow(at(100), at(1000)), Some(100));
    assert_eq!(clock.follow(at(90), at(1001)), None);
    assert_eq!(clock.now_s(), 100);
    // Without messages it continues from where the messages left it.
    assert_eq!(clock.tick(at(1004)), Some(103));
    assert_eq!(clock.tick(at(1004)), None);
    // A message from the future moves it to the present at most.
    assert_eq!(clock.follow(at(9999), at(1005)), Some(1005));
}

#[test]
fn contexts_end_in_order_and_live_on_when_changed() {
    let contexts: Contexts<u32> = Contexts::new(Limits::default());
    let key = |name: &str| Key::of(Scope::Global, &one("h p t", 0), 0, name.as_bytes());
    let add = |name: &str, now_s, timeout_s| {
        contexts.change(
            key(name),
            now_s,
            || 0,
            |_, count| {
                *count += 1;
                ContextState::Open { timeout_s, added: 10 }
            },
        );
    };
    let ended = |now_s| -> Vec<(String, u32)> {
        let name = |key: &Key| String::from_utf8_lossy(key.id()).into_owned();
        contexts.expire(now_s).iter().map(|ended| (name(&ended.key), ended.value)).collect()
    };
    add("a", 0, 10);
    add("b", 0, 5);
    add("a", 4, 10);
    assert_eq!(ended(5), []);
    assert_eq!(ended(6), [("b".to_owned(), 1)]);
    assert_eq!(ended(14), []);
    add("c", 14, 0);
    assert_eq!(ended(15), [("a".to_owned(), 2), ("c".to_owned(), 1)]);
    // A shorter time counts from the message that has it.
    add("d", 20, 100);
    add("d", 21, 1);
    assert_eq!(ended(23), [("d".to_owned(), 2)]);
    assert_eq!((contexts.len(), contexts.early()), (0, 0));
}

#[test]
fn a_flood_of_contexts_or_bytes_is_bounded() {
    let limits = Limits { contexts: 320, bytes: 32 << 10, messages: 10, ..Limits::default() };
    let key = |number: u32| Key::of(Scope::Global, &one("h p t", 0), 0, &number.to_le_bytes());
    for (added, most) in [(0, 640), (1 << 10, 64)] {
        let contexts: Contexts<()> = Contexts::new(limits);
        let mut ended = 0;
        for number in 0..10_000 {
            let over =
                contexts.change(key(number), 0, || (), |_, ()| ContextState::Open { timeout_s: 9, added });
            ended += u64::from(over.is_some());
        }
        assert!(contexts.len() <= most, "{}", contexts.len());
        assert_eq!((contexts.len() as u64 + ended, ended), (10_000, contexts.early()));
    }
}

fn grouping(only: &str, trigger: &str, having: &str, inject: Inject, sort: &str) -> GroupingBy {
    GroupingBy::new(group_options(only, trigger, having, inject, sort), Arc::default())
}

fn group_options(only: &str, trigger: &str, having: &str, inject: Inject, sort: &str) -> GroupOptions {
    let value = |name: &str, text: &str| (FieldName::parse(name), template(text));
    GroupOptions {
        key: template("$PROGRAM"),
        scope: Scope::Host,
        timeout_s: 10,
        only: condition(only),
        trigger: condition(trigger),
        having: condition(having),
        sort_key: (!sort.is_empty()).then(|| template(sort)),
        aggregate: Synthetic {
            inherit: Inherit::Context,
            values: vec![value("MESSAGE", "$(context-length): $(context-values $MSG) ${CONTEXT_ID}")],
            tags: vec!["group".into()],
        },
        inject,
    }
}

#[test]
fn groups() {
    let lines = ["1 h p c", "2 h q x", "3 h p a", "4 i p z", "5 h p end", "9 h p b", "20 h q y"];
    let all = grouping("", "message(end)", "", Inject::PassThrough, "");
    assert_eq!(
        run(&all, "$HOST $MSG", &lines),
        [
            "h c",
            "h x",
            "h a",
            "i z",
            "+h 4: c,a,end,end p",
            "h end",
            "h b",
            "+h 2: x,x q",
            "+i 2: z,z p",
            "+h 2: b,b p",
            "h y"
        ],
    );
    let some = grouping(
        "not message(x)",
        "message(end)",
        "\"$(context-length)\" >= \"3\"",
        Inject::AggregateOnly,
        "$MSG",
    );
    assert_eq!(run(&some, "$HOST $MSG [$TAGS]", &lines), ["+h 4: a,c,end,end p [group]"]);
    let ticking = grouping("", "", "", Inject::AggregateOnly, "");
    assert_eq!(run(&ticking, "$MSG", &["1 h p a", "5 tick", "11 tick", "12 tick", "13 tick"]), ["+2: a,a p"]);
}

fn joining(mode: MultiLine, separator: &str) -> GroupLines {
    joining_into(mode, separator, Inject::AggregateOnly)
}

fn joining_into(mode: MultiLine, separator: &str, inject: Inject) -> GroupLines {
    let options = LinesOptions {
        key: template("$PROGRAM"),
        scope: Scope::Global,
        timeout_s: 10,
        line: Input::message(),
        separator: separator.as_bytes().to_vec(),
        mode: Arc::new(mode),
        inject,
    };
    GroupLines::new(options, Arc::default())
}

#[test]
fn joined_lines() {
    let lines = ["1 h p one", "1 h q two", "2 h p  more", "3 h p next", "30 h q  late", "50 tick"];
    assert_eq!(
        run(&joining(MultiLine::Indented, "|"), "$PROGRAM: $MSG", &lines),
        ["+p: one| more", "+q: two", "+p: next", "+q:  late"],
    );
    let ends =
        LinePattern::new("end", Arc::new(|line| memchr::memmem::find(line, b"end").map(|at| at..at + 3)));
    let mode = MultiLine::PrefixSuffix { prefix: None, suffix: Some(ends) };
    let lines = ["1 h p a", "1 h p b end c", "1 h p d", "2 h p end"];
    assert_eq!(run(&joining(mode, "\n"), "$MSG", &lines), ["+a\nb end", "+d\nend"]);
    // An empty line ends a message and is not part of it; the end of the input ends the last one.
    let lines = ["1 h p a", "1 h p b", "1 h p ", "1 h p ", "2 h p c", "3 close", "4 close"];
    assert_eq!(run(&joining(MultiLine::EmptyLineSeparated, "+"), "$MSG", &lines), ["+a+b", "+c"]);
}

#[test]
fn made_messages_go_where_they_are_sent() {
    let made = Arc::new(std::sync::Mutex::new(Vec::new()));
    let sink = || {
        let made = made.clone();
        Inject::Internal(Sink(Arc::new(move |batch: Batch| {
            let text = |index| String::from_utf8_lossy(batch.fixed(index, Field::Message)).into_owned();
            made.lock().unwrap().extend((0..batch.len()).map(text));
        })))
    };
    let lines = |inject| joining_into(MultiLine::Indented, "", inject);
    let input = ["1 h p a", "1 h p b"];
    let check = |parser: &dyn Parser, consumes: bool, want: &[&str]| {
        assert_eq!((parser.is_timed(), parser.consumes()), (true, consumes));
        assert_eq!(run(parser, "$MSG", &input), want);
        // Users of the context that want no generated messages get the others just the same.
        let mut batch = one("h p c", 1);
        let mut renderer = Renderer::new(RenderOptions::default(), Arc::default());
        let left = parser.parse(&mut batch, &Selection::all(1), &mut renderer);
        assert_eq!(left.count(), usize::from(!consumes));
    };
    check(&lines(Inject::PassThrough), false, &["a", "+a", "b"]);
    check(&lines(Inject::AggregateOnly), true, &["+a"]);
    check(&lines(sink()), false, &["a", "b"]);
    assert_eq!(std::mem::take(&mut *made.lock().unwrap()), ["a", "b"]);
    let group = |inject| grouping("", "message('b')", "", inject, "");
    check(&group(Inject::PassThrough), false, &["a", "+3: a,b,b p", "b"]);
    check(&group(Inject::AggregateOnly), true, &["+3: a,b,b p"]);
    check(&group(sink()), false, &["a", "b"]);
    assert_eq!(*made.lock().unwrap(), ["3: a,b,b p"]);
}

#[test]
fn a_group_with_too_many_messages_ends_early() {
    let state = Arc::new(GroupState::new(Limits { messages: 2, ..Limits::default() }));
    let parser = GroupingBy::new(group_options("", "", "", Inject::AggregateOnly, ""), state.clone());
    let out = run(&parser, "$MSG", &["1 h p a", "1 h p b", "1 h p c", "1 h p d", "1 h q x"]);
    assert_eq!((out, state.early()), (vec!["+4: a,b,c,c p".to_owned()], 1));
}

#[test]
fn filters_of_a_group_may_store_what_they_matched() {
    let only = "match('(.)z' value('MESSAGE') flags('store-matches'))";
    let parser = grouping(only, "message('end')", "", Inject::PassThrough, "");
    assert_eq!(run(&parser, "$MSG $1", &["1 h p az", "2 h p b", "3 h p cz"]), ["az a", "b ", "cz c"]);
}

/// Checks the values that a message inherits from those that it is made from.
#[test]
fn made_messages_inherit() {
    let shown = |inherit: Inherit| {
        let mut options = group_options("", "message('end')", "", Inject::AggregateOnly, "");
        options.aggregate = Synthetic { inherit, ..Synthetic::default() };
        let parser = GroupingBy::new(options, Arc::default());
        let mut renderer = Renderer::new(RenderOptions::default(), Arc::default());
        let mut made = Vec::new();
        for (text, pairs) in [("one", "a=1 b=1"), ("two", "b=2 c=2"), ("end", "d=3")] {
            let mut batch = one(&format!("h p {text}"), 7);
            for (name, value) in pairs.split(' ').filter_map(|pair| pair.split_once('=')) {
                batch.set_field(0, &FieldName::parse(name), value.as_bytes(), message::ValueKind::String);
            }
            if text == "one" {
                batch.set_field(0, &FieldName::Fixed(Field::Msgid), b"id", message::ValueKind::String);
                batch.set_field(0, &FieldName::Fixed(Field::Pid), b"9", message::ValueKind::String);
            }
            parser.parse_making(&mut batch, &Selection::all(1), &mut renderer, &mut made);
        }
        let shown = template("$PRI $UNIXTIME $HOST,$PROGRAM,$PID,$MSGID,$MSG a=$a b=$b c=$c d=$d");
        let mut out = Vec::new();
        made.iter().for_each(|made| shown.render(made, 0, &mut renderer, &mut out));
        String::from_utf8(out).unwrap()
    };
    assert_eq!(shown(Inherit::None), "13 7 h,,,, a= b= c= d=");
    assert_eq!(shown(Inherit::LastMessage), "13 7 h,p,,,end a= b= c= d=3");
    assert_eq!(shown(Inherit::Context), "13 7 h,p,9,id,end a=1 b=2 c=2 d=3");
}

#[test]
fn ways_to_inherit_have_names() {
    for (name, want) in [
        ("none", Some(Inherit::None)),
        ("Last-Message", Some(Inherit::LastMessage)),
        ("context", Some(Inherit::Context)),
        ("last", None),
    ] {
        assert_eq!(Inherit::from_name(name), want, "{name}");
    }
    assert!(Inherit::NAMES.iter().all(|name| Inherit::from_name(name).is_some()));
    assert!(Scope::NAMES.iter().all(|name| Scope::from_name(name).is_some()));
}

#[test]
fn many_made_messages_are_several_batches() {
    let parser = grouping("", "", "", Inject::AggregateOnly, "");
    let mut renderer = Renderer::new(RenderOptions::default(), Arc::default());
    let mut made = Vec::new();
    for number in 0..1030 {
        let mut batch = one(&format!("h{number} p x"), 1);
        renderer.now = batch.received;
        parser.parse_making(&mut batch, &Selection::all(1), &mut renderer, &mut made);
    }
    let mut later = one("h p x", 100);
    renderer.now = later.received;
    parser.parse_making(&mut later, &Selection::all(1), &mut renderer, &mut made);
    assert_eq!(made.iter().map(Batch::len).collect::<Vec<_>>(), [1024, 6]);
    // All of them are generated, and share one origin.
    let parser = GroupingBy::new(
        GroupOptions {
            aggregate: Synthetic::default(),
            ..group_options("", "", "", Inject::AggregateOnly, "")
        },
        Arc::default(),
    );
    let mut made = Vec::new();
    for line in ["h p x", "i p x"] {
        parser.parse_making(&mut one(line, 1), &Selection::all(1), &mut renderer, &mut made);
    }
    parser.parse_making(&mut one("j p x", 50), &Selection::all(1), &mut renderer, &mut made);
    assert_eq!((made[0].len(), made[0].origins.len()), (2, 1));
}

#[test]
fn joined_lines_are_bounded() {
    let parser = joining(MultiLine::Indented, "");
    let line = format!("1 h p  {}", "x".repeat(300_000));
    let lines: Vec<&str> = std::iter::repeat_n(line.as_str(), 10).chain(["90 tick"]).collect();
    let out = run(&parser, "$MSG", &lines);
    assert_eq!(out.iter().map(String::len).collect::<Vec<_>>(), [(1 << 20) + 1]);
}
