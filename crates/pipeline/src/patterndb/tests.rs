//! Rows for databases: refused ones, parts left out, effects of rules. Actions, parsers and trees have files
//! of their own.

mod actions;
mod tree;

use super::*;
use crate::{
    Definitions,
    correlation::{Inherit, Inject, Limits},
    parser::{Input, Parser},
};
use message::{Ack, Batch, Field, FieldName, Message, Origin, Selection, Stamp};
use std::sync::Arc;
use template::{RenderOptions, Renderer, Template};

fn database(rules: &str) -> Database {
    let text = format!(
        "<patterndb version='6' pub_date='2026-01-02'>\n<ruleset name='n' id='n'>{rules}</ruleset></patterndb>"
    );
    Database::load(text.as_bytes(), "", &Definitions::default()).unwrap()
}

#[track_caller]
fn refused(text: &str, want: &str) {
    let error = Database::load(text.as_bytes(), "", &Definitions::default()).unwrap_err();
    assert_eq!(error.to_string(), want);
}

#[test]
fn files_that_are_refused() {
    refused("<x/>", "1:1: Unexpected <x> tag, expected a <patterndb>");
    refused("", "1:1: the file has no <patterndb>");
    refused("<patterndb version='1'/>", "1:1: patterndb version 1 is too old: versions 2 to 6 are read");
    refused("<patterndb version='7'/>", "1:1: patterndb version 7 is too new: versions 2 to 6 are read");
    refused("<patterndb>\n <group/></patterndb>", "2:2: Unexpected <group> tag, expected a <ruleset>");
    refused("<patterndb>\n\ttext</patterndb>", "1:12: Unexpected text, text=[[text]]");
    refused("<patterndb>\n<ruleset>", "2:10: the file ends inside of an element");
    refused("<patterndb>&evil;</patterndb>", "1:12: unknown entity &evil;");
    let rule = |inner: &str| format!("<patterndb><ruleset><rules>\n{inner}</rules></ruleset></patterndb>");
    refused(&rule("<rule/>"), "2:1: No id attribute for rule element");
    refused(
        &rule("<rule id='a' context-scope='galaxy'/>"),
        "2:1: Unknown context scope galaxy: known are process, program, host, global",
    );
    refused(
        &rule("<rule id='a'>\n<name/></rule>"),
        "3:1: Unexpected <name> tag, expected <patterns>, <pattern>, <tags>, <tag> or <actions>",
    );
    refused(
        &rule("<rule id='a'><value>x</value></rule>"),
        "2:14: a value misses its name attribute in rule a",
    );
    refused(
        &rule("<rule id='a'><value name='x'>${x</value></rule>"),
        "2:30: Error compiling value template, rule=a, text=${x, error=template is wrong at byte 0: a macro starts with ${ here and its '}' is missing",
    );
    refused(
        &rule("<rule id='a'><value name='x' type='stone'>y</value></rule>"),
        "2:43: Unknown type stone of value x",
    );
    refused(
        &rule("<rule id='a'><actions><action><create-context/></action></actions></rule>"),
        "2:31: context-id attribute is missing from <create-context>, rule=a",
    );
    let condition = "<rule id='a'><actions><action condition='x('/></actions></rule>";
    let load = |rule: &str| Database::load(rule.as_bytes(), "", &Definitions::default());
    let error = load(&rule(condition)).unwrap_err();
    assert!(error.to_string().starts_with("2:23: Error compiling conditional expression, text=x(, error="));
    refused(
        "<patterndb><ruleset><x/></ruleset></patterndb>",
        "1:21: Unexpected <x> tag, expected <rules>, <urls>, <url>, <description>, <patterns> or <pattern>",
    );
    refused(
        &rule("<rule id='a'><actions><action trigger='dawn'/></actions></rule>"),
        "2:23: Unknown trigger type: dawn",
    );
    refused(
        "<patterndb><ruleset><pattern>a</pattern></ruleset><ruleset><pattern>b</pattern></ruleset>\n\
         <ruleset><pattern>a</pattern><pattern>b</pattern></ruleset></patterndb>",
        "2:39: Joining rulesets with mismatching program name sets, program=b",
    );
    assert!(
        Database::load(b"<patterndb>\xff", "", &Definitions::default()).unwrap_err().reason.contains("UTF-8")
    );
    let error = Database::load(b"<patterndb>\n\nab\xff", "", &Definitions::default()).unwrap_err();
    assert_eq!(error.to_string(), "3:3: text is no UTF-8");
    let deep = "<patterns>".repeat(100_000);
    refused(&format!("<patterndb><ruleset>{deep}"), "1:1000021: the file ends inside of an element");
}

#[test]
fn elements_are_refused_where_they_do_not_belong() {
    for (around, want) in [
        ("", "a <rule>"),
        ("<rule id='a'><examples>", "an <example>"),
        ("<rule id='a'><examples><example>", "<test_message> or <test_values>"),
        ("<rule id='a'><examples><example><test_values>", "a <test_value>"),
        ("<rule id='a'><actions>", "an <action>"),
        ("<rule id='a'><actions><action>", "<message> or <create-context>"),
        ("<rule id='a'><actions><action><create-context context-id='c'>", "a <message>"),
        ("<rule id='a'><actions><action><message>", "<values>, <value>, <tags> or <tag>"),
        ("<rule id='a'><pattern>", "text"),
    ] {
        refused(
            &format!("<patterndb><ruleset><rules>\n{around}<x/>"),
            &format!("2:{}: Unexpected <x> tag, expected {want}", around.len() + 1),
        );
    }
}

#[test]
fn examples_belong_to_their_rule() {
    let database = database(
        "<url>http://a</url><description>of a</description><rules><rule id='a'/><rule id='b' context-timeout='-5'>
         <url>http://b</url><description>of b</description><examples>
         <example><test_message program='app'>a text</test_message>
         <test_values><test_value name='n' type='int'>7</test_value><test_value name='m'>x</test_value></test_values></example>
         <example><test_message>another</test_message></example></examples></rule></rules>",
    );
    let value = |name: &str, value: &str, kind: Option<&str>| TestValue {
        name: name.into(),
        value: value.into(),
        kind: kind.map(str::to_owned),
    };
    let want = [
        Example {
            rule: 1,
            program: Some("app".into()),
            message: Some("a text".into()),
            values: vec![value("n", "7", Some("int")), value("m", "x", None)],
        },
        Example { rule: 1, program: None, message: Some("another".into()), values: Vec::new() },
    ];
    assert_eq!(database.examples, want);
    assert_eq!(database.rules[1].context_timeout_s, -5);
}

#[test]
fn messages_inherit_as_configured() {
    let inherit = |attribute: &str| {
        let text = format!(
            "<patterndb><ruleset><rules><rule id='a'><actions><action><message {attribute}/></action></actions></rule></rules></ruleset></patterndb>"
        );
        let database = Database::load(text.as_bytes(), "", &Definitions::default()).map_err(|e| e.reason)?;
        match &database.rules[0].actions[0].content {
            Content::Message(message) => Ok(message.inherit),
            other => panic!("{other:?}"),
        }
    };
    for (attribute, want) in [
        ("", Ok(Inherit::None)),
        ("inherit-properties='Context'", Ok(Inherit::Context)),
        ("inherit-properties='TRUE'", Ok(Inherit::LastMessage)),
        ("inherit-properties='1'", Ok(Inherit::LastMessage)),
        ("inherit-properties='false'", Ok(Inherit::None)),
        ("inherit-mode='context' inherit-properties='0'", Ok(Inherit::None)),
        ("inherit-mode='last-message'", Ok(Inherit::LastMessage)),
        ("inherit-properties='x'", Err("Unknown inherit-properties x".to_owned())),
    ] {
        assert_eq!(inherit(attribute), want, "{attribute}");
    }
}

#[test]
fn omissions_are_reported() {
    let database = database(
        "<rules><rule id='a'><patterns><pattern>x @WORD:w@</pattern><pattern>y</pattern>\n<pattern>y</pattern></patterns></rule></rules>",
    );
    let shown = |database: &Database| -> Vec<String> {
        let finding = |f: &Finding| format!("{}:{} {}", f.line, f.column, f.reason);
        database.findings.iter().map(finding).collect()
    };
    let programs = "<patterndb><ruleset><pattern>a@</pattern></ruleset></patterndb>";
    let programs = Database::load(programs.as_bytes(), "", &Definitions::default()).unwrap();
    let unpaired = "the at sign at byte 1 of the pattern has no partner; @@ stands for an at sign";
    assert_eq!(shown(&programs), [format!("1:30 program 'a@' is left out: {unpaired}")]);
    assert_eq!(
        shown(&database),
        [
            "2:65 pattern 'x @WORD:w@' of rule a is left out: the parser at byte 2 of the pattern is wrong: there is no parser WORD",
            "3:10 pattern 'y' of rule a is left out: the same pattern is in rule a already",
        ]
    );
    assert_eq!((database.version.as_str(), database.pub_date.as_str()), ("6", "2026-01-02"));
}

#[test]
fn what_people_see() {
    let rules = "<patterns><pattern>app</pattern></patterns><rules><rule id='r'><patterns><pattern>a @STRING:s@ b</pattern>\
                 <pattern>a x b</pattern><pattern>ab</pattern></patterns><values><value name='v'>1</value></values>\
                 <tags><tag>t</tag></tags></rule></rules>";
    let database = database(rules);
    assert_eq!(database.dump_programs("f"), "[0]\t'' RULES\n[1]\t  'app' RULES\n");
    assert_eq!(
        database.dump_rules("app", "f").unwrap(),
        "[0]\t'' \n[1]\t  'a' \n[2]\t    ' ' \n[3]\t      'x b' rule_id='r'\n\
         [3]\t      @STRING:s@ [f:2:108]'' \n[4]\t        ' b' rule_id='r'\n[2]\t    'b' rule_id='r'\n",
    );
    assert_eq!(database.dictionary(None, Dictionary::Values), ["v", "s", "v", "v"]);
    assert_eq!(database.dictionary(Some("app"), Dictionary::Tags), [".classifier.system", "t"].repeat(3));
    assert_eq!(database.matching("app", "a x b"), ["r", "r"]);
    let steps = database.explain("app", b"a y b");
    let shown: Vec<String> = steps
        .iter()
        .map(|step| match &step.parser {
            Some((kind, name)) => format!("@{kind}:{name}={}+{}@", step.value_at, step.value_length),
            None => format!("{}/{}", step.literal.as_deref().unwrap_or("-"), step.length),
        })
        .collect();
    assert_eq!(shown, ["/0", "a/1", " /1", "@STRING:s=2+1@", "-/0", " b/2"]);
}

/// Runs lines `second host program[pid]: text` through a database and shows what comes out, line by line.
struct Bench {
    parser: DbParser,
    renderer: Renderer,
    template: Template,
}

impl Bench {
    fn new(database: Database, inject: Inject, limits: Limits, template: &str) -> Bench {
        let options =
            DbOptions { program: Input::program(), message: Input::message(), drop_unmatched: false, inject };
        Bench {
            parser: DbParser::new(Arc::new(database), Arc::new(DbState::new(limits)), options),
            renderer: Renderer::new(RenderOptions::default(), Arc::default()),
            template: Template::parse(template, &Definitions::default()).unwrap(),
        }
    }

    fn show(&mut self, batch: &Batch, selection: &Selection, out: &mut Vec<String>) {
        for index in selection.iter() {
            let mut text = Vec::new();
            self.template.render(batch, index, &mut self.renderer, &mut text);
            out.push(String::from_utf8(text).unwrap());
        }
    }

    fn run(&mut self, lines: &[&str]) -> Vec<String> {
        let mut out = Vec::new();
        for line in lines {
            let (second, rest) = line.split_once(' ').unwrap();
            self.renderer.now = Stamp::known(second.parse::<i64>().unwrap() * 1_000_000, 0);
            let mut made = Vec::new();
            if rest == "tick" {
                self.parser.tick(&mut self.renderer, &mut made);
                made.iter().for_each(|made| self.show(made, &Selection::all(made.len()), &mut out));
                continue;
            }
            let mut batch = line_batch(rest, self.renderer.now);
            let all = Selection::all(1);
            let left = self.parser.parse_making(&mut batch, &all, &mut self.renderer, &mut made);
            made.iter().for_each(|made| self.show(made, &Selection::all(made.len()), &mut out));
            self.show(&batch, &left, &mut out);
        }
        out
    }
}

#[test]
fn what_no_rule_matches_may_be_dropped() {
    let rules = "<rules><rule id='r'><patterns><pattern>x</pattern></patterns></rule></rules>";
    let passes = |drop_unmatched: bool, inject: Inject| {
        let options =
            DbOptions { program: Input::program(), message: Input::message(), drop_unmatched, inject };
        let parser = DbParser::new(Arc::new(database(rules)), Arc::default(), options);
        assert!(parser.is_timed());
        let pass = |text: &str| {
            let mut batch = line_batch(&format!("h a: {text}"), Stamp::default());
            let mut renderer = Renderer::new(RenderOptions::default(), Arc::default());
            parser.parse(&mut batch, &Selection::all(1), &mut renderer).has(0)
        };
        (pass("x"), pass("y"), parser.consumes())
    };
    assert_eq!(passes(false, Inject::PassThrough), (true, true, false));
    assert_eq!(passes(true, Inject::PassThrough), (true, false, false));
    assert_eq!(passes(true, Inject::AggregateOnly), (false, false, true));
}

#[test]
fn a_message_may_be_classified_twice() {
    let rules = "<rules><rule id='r'><patterns><pattern>see @STRING:MESSAGE@</pattern><pattern>so @STRING:w@</pattern></patterns></rule></rules>";
    let mut bench = Bench::new(database(rules), Inject::PassThrough, Limits::default(), "$MSG $w [$TAGS]");
    let mut batch = line_batch("h a: other", Stamp::default());
    for (text, want) in [
        ("other", "other  [.classifier.unknown]"),
        ("so it", "so it it [.classifier.system]"),
        ("see this", "this it [.classifier.system]"),
    ] {
        batch.set_field(0, &FieldName::Fixed(Field::Message), text.as_bytes(), Default::default());
        bench.parser.parse(&mut batch, &Selection::all(1), &mut bench.renderer);
        let mut out = Vec::new();
        bench.show(&batch, &Selection::all(1), &mut out);
        assert_eq!(out, [want]);
    }
}

/// A batch of one line `host program[pid]: text`.
fn line_batch(line: &str, event: Stamp) -> Batch {
    let (host, rest) = line.split_once(' ').unwrap();
    let (tag, text) = rest.split_once(": ").unwrap();
    let (program, pid) = tag.trim_end_matches(']').split_once('[').unwrap_or((tag, ""));
    let mut batch = Batch::new(Arc::default(), vec![Arc::new(Origin::default())], event, Ack::none());
    let mut message = Message::default();
    message.event = event;
    batch.messages.push(message);
    for (field, value) in
        [(Field::Host, host), (Field::Program, program), (Field::Pid, pid), (Field::Message, text)]
    {
        let span = batch.add_extra(value.as_bytes());
        batch.set_fixed(0, field, span);
    }
    batch
}

#[track_caller]
fn check(rules: &str, template: &str, lines: &[&str], want: &[&str]) {
    let mut bench = Bench::new(database(rules), Inject::PassThrough, Limits::default(), template);
    assert_eq!(bench.run(lines), want);
}

const LOGIN: &str = "<patterns><pattern>gate</pattern></patterns><rules>\
    <rule id='in' class='security' context-id='${user}' context-timeout='10' context-scope='host'>\
    <patterns><pattern>in @STRING:user@ @NUMBER:count@</pattern></patterns>\
    <values><value name='seen'>$(context-length)</value><value name='kind'>fixed</value>\
    <value name='before' type='int64'>${count}@1</value></values><tags><tag>entry</tag></tags>";

#[test]
fn classes_values_and_tags() {
    let rules =
        format!("{LOGIN}</rule><rule id='out'><patterns><pattern>out</pattern></patterns></rule></rules>");
    let shown = "${.classifier.class} ${.classifier.rule_id} $TAGS u=$user k=$kind n=$seen b=$before c=${.classifier.context_id}";
    check(
        &rules,
        shown,
        &[
            "1 h gate[1]: in ann 5",
            "2 h gate[2]: in ann 6",
            "3 h gate: out",
            "4 h gate: what",
            "5 h door: in ann 7",
        ],
        &[
            "security in .classifier.security,entry u=ann k=fixed n=1 b= c=ann",
            "security in .classifier.security,entry u=ann k=fixed n=2 b=5 c=ann",
            "system out .classifier.system u= k= n= b= c=",
            "unknown  .classifier.unknown u= k= n= b= c=",
            "unknown  .classifier.unknown u= k= n= b= c=",
        ],
    );
}

#[test]
fn programs_prefixes_and_no_rulesets() {
    let rules = "<patterns><pattern>app-@NUMBER:instance@</pattern></patterns><rules><rule id='r'><patterns>\
                 <pattern>x @STRING:y@</pattern></patterns><values><value name='v'>1</value></values></rule></rules>";
    let text = format!("<patterndb version='4'><ruleset>{rules}</ruleset></patterndb>");
    let prefixed = Database::load(text.as_bytes(), ".db.", &Definitions::default()).unwrap();
    let shown = "${.db.instance} ${.db.y} ${.db.v} ${.classifier.rule_id}";
    let mut bench = Bench::new(prefixed, Inject::PassThrough, Limits::default(), shown);
    assert_eq!(bench.run(&["1 h app-7: x z", "1 h app: x z"]), ["7 z 1 r", "   "]);
    let empty = Database::load(b"<patterndb version='4'/>", "", &Definitions::default()).unwrap();
    let mut bench = Bench::new(empty, Inject::PassThrough, Limits::default(), "[${.classifier.class}]");
    assert_eq!(bench.run(&["1 h app: x"]), ["[]"]);
    bench.parser.replace(Arc::new(database(rules)));
    assert_eq!(bench.run(&["1 h app: x"]), ["[unknown]"]);
}

#[test]
fn inject_modes() {
    let rules = "<rules><rule id='r'><patterns><pattern>x</pattern></patterns><actions><action>\
                 <message><values><value name='MESSAGE'>made</value></values></message></action></actions></rule></rules>";
    let run = |inject| {
        Bench::new(database(rules), inject, Limits::default(), "$MSG").run(&["1 h a: x", "1 h a: y"])
    };
    assert_eq!(run(Inject::PassThrough), ["made", "x", "y"]);
    assert_eq!(run(Inject::AggregateOnly), ["made"]);
    let seen = Arc::new(std::sync::Mutex::new(0));
    let count = seen.clone();
    let sink = crate::correlation::Sink(Arc::new(move |batch: Batch| *count.lock().unwrap() += batch.len()));
    assert_eq!(run(Inject::Internal(sink)), ["x", "y"]);
    assert_eq!(*seen.lock().unwrap(), 1);
}

#[test]
fn values_are_places_in_the_text() {
    let rules =
        "<rules><rule id='r'><patterns><pattern>a @STRING:s@ @NUMBER:n@</pattern></patterns></rule></rules>";
    let mut bench = Bench::new(database(rules), Inject::PassThrough, Limits::default(), "");
    let mut batch = Batch::new(
        Arc::new(b"a word 12".repeat(50)),
        vec![Arc::new(Origin::default())],
        Stamp::default(),
        Ack::none(),
    );
    for line in 0..50 {
        let mut message = Message::default();
        message.text = message::Span::received(line * 9, 9);
        batch.messages.push(message);
    }
    bench.parser.parse(&mut batch, &Selection::all(50), &mut bench.renderer);
    assert_eq!(batch.field(49, &FieldName::parse("n")).as_deref(), Some(&b"12"[..]));
    // Names and constants only once, whatever the number of messages.
    assert!(batch.extra.len() < 100, "{}", batch.extra.len());
}

#[test]
fn merged_files() {
    let check = |text: &str, want: &str| {
        let mut out = String::new();
        merge(text, &mut out).unwrap();
        assert_eq!(out, want);
    };
    check(
        "<?xml version='1.0'?><patterndb version='4'><!-- no --><ruleset name=\"a&lt;'b\">x &amp; y</ruleset></patterndb>",
        "<ruleset name='a&lt;&apos;b'>x &amp; y</ruleset>",
    );
    check(
        "<patterndb version='1'><program><pattern>p</pattern><rule><pattern>r</pattern><url>u</url></rule></program></patterndb>",
        "<ruleset><pattern>p</pattern><rule><patterns>\n<pattern>r</pattern>\n</patterns><urls>\n<url>u</url>\n</urls></rule></ruleset>",
    );
    // Line breaks in a value are spaces, unless they are written as references.
    check("<patterndb><a b='1\n2&#10;3&#9;4&amp;amp;'/></patterndb>", "<a b='1 2&#10;3&#9;4&amp;amp;'></a>");
    for wrong in [
        "<patterndb><a></b></patterndb>",
        "<patterndb><a b='&unknown;'/></patterndb>",
        "<patterndb><a b='1' b='2'/></patterndb>",
    ] {
        assert!(merge(wrong, &mut String::new()).is_err(), "{wrong}");
    }
}

#[test]
fn patterns_of_logs() {
    let check = |lines: &[&str], support_percent: f64, outliers: bool, want: &[&str]| {
        let lines: Vec<String> = lines.iter().map(|line| (*line).to_owned()).collect();
        let options =
            PatternizeOptions { support_percent, outliers, delimiters: " =".to_owned(), samples: 1 };
        let shown: Vec<String> = patternize(&lines, &options)
            .iter()
            .map(|cluster| {
                format!(
                    "{} {} {}",
                    cluster.support,
                    cluster.pattern(ValueNames::Numbered),
                    cluster.samples.join("|")
                )
            })
            .collect();
        assert_eq!(shown, want);
    };
    let lines = ["in joe a=1", "in ann a=2", "in bob b=3", "out tim", "out x@y", "once"];
    check(&lines, 34.0, false, &["2 in @ESTRING:.dict.string0: @a= in joe a=1", "2 out  out tim"]);
    check(&lines[3..], 34.0, false, &["1 out tim out tim", "1 out x@@y out x@y", "1 once once"]);
    check(&["a 1", "a 2", "a 3", "b 1", "c x@y"], 60.0, true, &["3 a  a 1", "1 b 1 b 1", "1 c x@@y c x@y"]);
    check(&[], 4.0, true, &[]);
    // Delimiters may be at signs, and values may go without a name.
    let lines = ["to a@x=1", "to b@x=1"].map(str::to_owned);
    let options =
        PatternizeOptions { support_percent: 50.0, outliers: false, delimiters: "@ ".to_owned(), samples: 9 };
    let clusters = patternize(&lines[..1], &options);
    assert_eq!(clusters[0].pattern(ValueNames::Numbered), "to a@@x=1");
    let options = PatternizeOptions { support_percent: 100.0, delimiters: " =".to_owned(), ..options };
    let clusters = patternize(&lines, &options);
    assert_eq!(clusters[0].pattern(ValueNames::Unnamed), "to @ESTRING::=@1");
    assert_eq!(clusters[0].samples, lines);
}
