//! Rows of clauses: the conditions they compile to, and those that are refused.

use super::compile;
use crate::language::{parse::parse, tree::Operator};

const NOW: i64 = 1_780_000_000_000_000;

fn show(text: &str, operator: Operator) -> Result<String, String> {
    let tree = parse(text, operator).unwrap().tree;
    let condition = compile(&tree, NOW, 0, &mut Vec::new());
    condition.map(|condition| crate::condition::explain::show(&condition)).map_err(|error| {
        assert!(error.suggestion.is_some(), "{text} has no suggestion");
        format!("{}+{} {}", error.position, error.length, error.message)
    })
}

#[track_caller]
fn check(text: &str, want: &str) {
    assert_eq!(show(text, Operator::And), Ok(want.to_owned()), "{text}");
}

#[track_caller]
fn check_error(text: &str, want: &str) {
    assert_eq!(show(text, Operator::And), Err(want.to_owned()), "{text}");
}

#[test]
fn words_and_phrases() {
    check("Fail", "word fail");
    check("app*", "word app*");
    check("us?r", "word ~us?r");
    check("10.1.2.3", "word 10.1.2.3");
    check("key=val*", "text \"key val*\"");
    check("\"user * Failed\"", "text \"user any failed\"");
    check("\"port scan\"~3", "text \"port scan\"~3");
    check("message:fail", "text \"fail\"");
    check("\"->\"", "text has -> ()");
    check("message:=\"Key: v\"", "text has Key: v (~*key, v*)");
    check("message:==MrSmith", "text \"mrsmith\" case MrSmith");
    check("raw:\"<34>\"", "raw has <34>");
    check("roam~1", "word fuzzy1 roam");
    check("/fail(ed)?/", "text matches fail(ed)? (~*fail*)");
    check("/a\\/bcd [0-9]+/i", "text matches a/bcd [0-9]+ (~*bcd*)");
    check("*", "all");
    check("", "all");
    check("NOT *", "never");
    // The distance of a fuzzy word, as it is written now and as Lucene once did.
    for (text, distance) in
        [("roam~", 2), ("roam~0", 0), ("roam~2", 2), ("roam~0.8", 0), ("roam~0.5", 2), ("roam~0.7", 1)]
    {
        check(text, &format!("word fuzzy{distance} roam"));
    }
    check("message:roam~1", "text \"fuzzy1 roam\"");
    check("message:[a TO b]", "text \"[a TO b]\"");
    check("message:==\"->\"", "text has -> ()");
    check("message:*", "all");
    check("_exists_:message", "all");
    check("_exists_:raw", "all");
    check("raw:=x", "raw has x");
    check("raw:==x", "raw has x");
    check("raw:/x/", "raw matches x");
    check("\"* *\"", "all");
    check("\"-* >\"", "text has - > ()");
    check("/a\\//", "text matches a/ ()");
    check("/(abc|d)e(fgh)/", "text matches (abc|d)e(fgh) (~*fgh*)");
}

#[test]
fn a_network_in_the_text_gets_a_hint() {
    let hints = |text: &str| {
        let tree = parse(text, Operator::And).unwrap().tree;
        let mut hints = Vec::new();
        compile(&tree, NOW, 0, &mut hints).unwrap();
        hints.iter().map(|hint| (hint.position, hint.length)).collect::<Vec<_>>()
    };
    assert_eq!(hints("a 10.0.0.0/8"), [(2, 10)]);
    assert_eq!(hints("a \"10.0.0.0/8\" 10.0.0.0 ip:10.0.0.0/8"), []);
}

#[test]
fn columns() {
    check("HOST:Gw1", "host is gw1");
    check("sd.x@1.y:*", ".SDATA.x@1.y is any");
    check("sd.\\*:x", ".SDATA.* is x");
    check("_exists_:user", "user is any");
    check("f:(a OR B)", "(f is a OR f is b)");
    check("f:\"two words\"", "f is two words");
    check("f:==MrSmith", "f is exactly MrSmith");
    check("f:5.0", "(f is 5.0 OR f is the number 5)");
    check("pid:5", "pid is 5");
    check("host:/gw[0-9]/", "host matches gw[0-9]");
    check("bytes:[100 TO 200}", "bytes is [100 TO 200}");
    check("bytes:>=10", "bytes is [10 TO *}");
    check("name:[a TO M]", "name is [a TO m]");
    check("ip:10.0.0.0/8", "(ip is 10.0.0.0/8 OR ip is 10.0.0.0/8)");
    check("ip:[10.0.0.1 TO 10.0.0.4]", "(ip is 10.0.0.1/32 OR ip is 10.0.0.2/31 OR ip is 10.0.0.4/32)");
    check("ip:[* TO *]", "ip is any");
    check("ip:{10.0.0.1 TO 10.0.0.4}", "ip is 10.0.0.2/31");
    check("ip:<1.0.0.0", "ip is 0.0.0.0/8");
    check("ip:>=255.255.255.254", "ip is 255.255.255.254/31");
    check("ip:[8000:: TO *]", "ip is 8000::/1");
    check("ip:2001:db8::1", "(ip is 2001:db8::1 OR ip is 2001:db8::1/128)");
    check("host:roam~1", "host is fuzzy1 roam");
    check("f:roam~", "f is fuzzy2 roam");
    check("_exists_:sd.\\*", ".SDATA.* is any");
    check("f:(*)", "f is any");
    check("sd.\\*:*", ".SDATA.* is any");
    check("f:(a *)", "(f is any AND f is a)");
}

#[test]
fn severities_are_ordered() {
    check("sev:<=err", "(severity is emerg OR severity is alert OR severity is crit OR severity is err)");
    check("level:>info", "severity is debug");
    check("severity:error", "severity is err");
    check("severity:4", "severity is warning");
    check("severity:w*", "severity is w*");
    check("facility:[kern TO user]", "(facility is kern OR facility is user)");
    check("severity:{err TO notice}", "severity is warning");
    check("severity:<alert", "severity is emerg");
    check("severity:\"err\"", "severity is err");
    check("severity:==err", "severity is err");
    check("severity:7", "severity is debug");
    check("facility:127", "facility is 127");
    check("facility:==local7", "facility is local7");
    check("severity:*", "severity is any");
}

#[test]
fn times() {
    check("@received:[now-1h TO now}", "received 1779996400000000..1780000000000000");
    check("@event:1970-01-02", "event 86400000000..172800000000");
    check("@event:>1970-01-02", "event 172800000000..9223372036854775807");
    check("@skew:>5m", "skew 300000001..9223372036854775807");
    check("@event:>=1970-01-02", "event 86400000000..9223372036854775807");
    check("@event:<1970-01-02", "event -9223372036854775808..86400000000");
    check("@event:<=1970-01-02", "event -9223372036854775808..172800000000");
    check("@event:[1970-01-02 TO 1970-01-03]", "event 86400000000..259200000000");
    check("@event:{1970-01-02 TO 1970-01-04}", "event 172800000000..259200000000");
    check("@event:\"1970-01-02\"", "event 86400000000..172800000000");
    check("@skew:>=5m", "skew 300000000..9223372036854775807");
    check("@skew:<5m", "skew -9223372036854775808..300000000");
    check("@skew:<=5m", "skew -9223372036854775808..300000001");
    check("@skew:[-1m TO 1m]", "skew -60000000..60000001");
    check("ts:<now", "(ts is {* TO 1780000000} OR ts is {* TO 2026-05-28t20:26:40z})");
}

#[test]
fn lucene_signs_when_or_is_the_default() {
    let check = |text: &str, want: &str| assert_eq!(show(text, Operator::Or), Ok(want.to_owned()), "{text}");
    check("a b", "(word a OR word b)");
    check("a +b", "word b");
    check("a b -c", "((word a OR word b) AND NOT word c)");
    check("-a", "NOT word a");
    check("a OR -b", "(word a OR NOT word b)");
    check("a b AND c", "(word a OR (word b AND word c))");
}

#[test]
fn refuses_impossible_pipelines() {
    check_error("a sev:wrning", "2+10 no severity is called wrning");
    check_error("sev:[err TO crit]", "0+17 the range is empty");
    check_error("b:[5 TO 1]", "0+10 the range is empty");
    check_error("b:{1 TO 1]", "0+10 the range is empty");
    check_error("ip:[10.0.0.9 TO 10.0.0.1]", "0+25 the range is empty");
    check_error("@event:yesterdayish", "0+19 yesterdayish is no time");
    check_error("@event:[now TO now-1h]", "0+22 the range is empty");
    check_error("@skew:5", "0+7 @skew is asked by a range");
    check_error("_exists_:@skew", "0+14 @skew is asked by a range");
    check_error("@skew:>soon", "0+11 soon is no duration");
    check_error("@skew:[1m TO -1m]", "0+17 the range is empty");
    check_error("@event:/x/", "0+10 @event takes a time or a range of times");
    check_error("severity:<emerg", "0+15 the range is empty");
    check_error("severity:8", "0+10 no severity is called 8");
    check_error("facility:128", "0+12 no facility is called 128");
    check_error("severity:>debug", "0+15 the range is empty");
    check_error("ip:>255.255.255.255", "0+19 the range is empty");
    check_error("message:=\"\"", "0+11 an empty text");
    check_error("raw:\"\"", "0+6 raw takes an exact text or a regular expression");
    check_error(&format!("\"{}\"", "w ".repeat(65)), "0+132 the phrase has more than 64 words");
    check(&format!("\"{}\"", "w ".repeat(64)), &format!("text \"{}\"", vec!["w"; 64].join(" ")));
    check_error("/a(/", "0+4 the regular expression cannot be read: unclosed group");
    check_error("/(\\w{1000}){1000}/", "0+18 the regular expression is too large");
    check_error("\"\"", "0+2 nothing between the quotes");
    check_error("10.0/8~", "0+7 only a single word can be fuzzy");
    check_error("host:=x", "0+7 := searches the bytes of message and raw only");
    check_error("f:\"a b\"~2", "0+9 f holds whole values, not words that can move");
    check_error("raw:a*", "0+6 raw takes an exact text or a regular expression");
}
