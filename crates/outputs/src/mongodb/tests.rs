//! Addresses, logins, documents, answers and their verdicts; exchanges are in `exchanges`.

mod exchanges;

use super::{
    answer::{self, Answer, Question},
    document::Document,
    options::{InsertOrder, Mechanism, MongodbLogin, Waiters},
    scram::{self, ScramError},
    uri::MongodbUri,
};
use crate::testing::shown;
use delivery::Judgement;
use message::TypedValue;
use transport::mongodb::{Document as Read, Scalar, Value, Writer};

#[track_caller]
fn check_uri(text: &str, want: &str) {
    let found = match MongodbUri::parse(text) {
        Ok(uri) => {
            let servers: Vec<String> =
                uri.servers.iter().map(|(host, port)| format!("{host}:{port}")).collect();
            format!("{} {:?} {:?}", servers.join(","), uri.login, uri.database)
        }
        Err(error) => error.to_string(),
    };
    assert_eq!(found, want, "{text}");
}

#[test]
fn an_address_has_servers_login_and_database() {
    check_uri("mongodb://127.0.0.1:27017/syslog?wtimeoutMS=60000", "127.0.0.1:27017 None Some(\"syslog\")");
    check_uri("mongodb://localhost:1234/syslog-ng", "localhost:1234 None Some(\"syslog-ng\")");
    check_uri("mongodb://%2Ftmp%2Fmongo.sock/syslog", "/tmp/mongo.sock:0 None Some(\"syslog\")");
    check_uri("mongodb:///tmp/mongo.sock/syslog", "/tmp/mongo.sock:0 None Some(\"syslog\")");
    check_uri("mongodb:///tmp/mongo.sock", "/tmp/mongo.sock:0 None None");
    check_uri(
        "mongodb://u%40x:p%3aw@a,b:27018,[::1]:27019,[::2]/d",
        "a:27017,b:27018,::1:27019,::2:27017 Some((\"u@x\", \"p:w\")) Some(\"d\")",
    );
    check_uri("mongodb://a", "a:27017 None None");
    check_uri("http://a/d", "it does not begin with mongodb://");
    check_uri("a:27017/d", "it does not begin with mongodb://");
    check_uri(
        "mongodb+srv://a/d",
        "mongodb+srv:// is not supported; name the servers: mongodb://host1,host2/database?replicaSet=name&tls=true",
    );
    check_uri("mongodb:///d", "it names no server");
    check_uri("mongodb://a,,b/d", "it names no server");
    check_uri("mongodb://a:x/d", "a server has a port that is none");
    check_uri("mongodb://u:sec?ret@a/d", "a server has a port that is none");
    check_uri("mongodb://u:1?sec=ret@a/d", "`sec` is not supported: no driver has it");
    check_uri(
        "mongodb://u:1?ret@a/d",
        "a setting has a name that is none: are `%`, `@`, `:`, `/` and `?` of a password escaped?",
    );
    check_uri("mongodb://a:0/d", "it names no server");
    check_uri("mongodb://u@a/d", "its user has no password");
    check_uri("mongodb://u:@a/d", "its user has no password");
    check_uri("mongodb://a/a.b", "`a.b` is no name of a database");
    check_uri("mongodb://%zz/d", "a % is not followed by two hexadecimal digits of a UTF-8 text");
    check_uri("mongodb://%+1/d", "a % is not followed by two hexadecimal digits of a UTF-8 text");
    check_uri("mongodb://%ff/d", "a % is not followed by two hexadecimal digits of a UTF-8 text");
}

#[track_caller]
fn check_settings(settings: &str, want: &str) {
    let found = match MongodbUri::parse(&format!("mongodb://a/d?{settings}")) {
        Ok(uri) => {
            let MongodbUri { source, mechanism, set, direct, tls, ca_file, cert_file, concern, .. } = &uri;
            let concern = format!("{:?} {:?} {:?}", concern.waiters, concern.within, concern.journal)
                .replace("None", "-");
            let rest =
                format!("{source:?} {mechanism:?} {set:?} {direct:?} {tls:?} {ca_file:?} {cert_file:?}");
            let times = format!("{:?} {:?} {:?}", uri.connect, uri.answer, uri.selection);
            let rest = format!("{rest} {times}").replace("None", "-");
            format!("{concern} {rest} {}", uri.ignored.join(",")).trim_end().to_owned()
        }
        Err(error) => error.to_string(),
    };
    assert_eq!(found, want, "{settings}");
}

#[test]
fn settings_of_an_address_are_honoured_listed_or_refused() {
    check_settings("", "- - - - - - - - - - - - -");
    check_settings(
        "w=2&wtimeoutMS=5&journal=true&authSource=admin&authMechanism=SCRAM-SHA-1&replicaSet=rs&directConnection=false",
        "Some(Servers(2)) Some(5ms) Some(true) Some(\"admin\") Some(Sha1) Some(\"rs\") Some(false) - - - - - -",
    );
    check_settings(
        "ssl=true&tlsCAFile=/a%20b&tlsCertificateKeyFile=/c&connectTimeoutMS=1&socketTimeoutMS=0&serverSelectionTimeoutMS=3",
        "- - - - - - - Some(true) Some(\"/a b\") Some(\"/c\") Some(1ms) - Some(3ms)",
    );
    check_settings("w=majority", "Some(Majority) - - - - - - - - - - - -");
    check_settings("w=0&safe=true", "Some(Servers(0)) - - - - - - - - - - - -");
    check_settings("safe=false", "Some(Servers(0)) - - - - - - - - - - - -");
    check_settings("w=dc1&retryWrites=true", "Some(Named(\"dc1\")) - - - - - - - - - - - - retryWrites");
    check_settings("w=-1", "`w` has a value that it cannot have");
    check_settings("wtimeoutMS=x", "`wtimeoutMS` has a value that it cannot have");
    check_settings("tls=maybe", "`tls` has a value that it cannot have");
    check_settings(
        "tlsInsecure=true",
        "`tlsInsecure` is not supported: write tls(peer-verify(...)) beside uri()",
    );
    check_settings(
        "authMechanism=GSSAPI",
        "`authMechanism` is not supported: SCRAM-SHA-256 and SCRAM-SHA-1 are",
    );
    check_settings("loadBalanced=true", "`loadBalanced` is not supported: name a server that takes writes");
    check_settings("colour=red", "`colour` is not supported: no driver has it");
    assert_eq!(Waiters::parse(""), None);
}

/// Compares our last words, and checks those of the server.
#[track_caller]
fn check_login(mechanism: Mechanism, [nonce, server_first, want, server_last]: [&str; 4]) {
    let login = MongodbLogin {
        user: "user".to_owned(),
        password: "pencil".to_owned(),
        source: "admin".to_owned(),
        mechanism: None,
    };
    let last = scram::last(&login, mechanism, nonce, server_first);
    match last {
        Ok(last) => {
            assert_eq!(last.message, want);
            assert_eq!(last.check(server_last), Ok(()));
            assert!(last.check("v=AAAA").is_err() && last.check("e=other-error").is_err());
        }
        Err(ScramError(why)) => assert_eq!(why, want),
    }
}

#[test]
fn logins_are_those_of_the_standards() {
    // RFC 7677, section 3.
    let joined = "r=rOprNGfwEbeRWgbNEkqO%hvYDpWUa2RaTCAfuxFIlj)hNlF$k0";
    check_login(
        Mechanism::Sha256,
        [
            "rOprNGfwEbeRWgbNEkqO",
            &format!("{joined},s=W22ZaJ0SNY7soEsUEjb6gQ==,i=4096"),
            &format!("c=biws,{joined},p=dHzbZapWIk4jUhN+Ute9ytag9zjfMHgsqmmiz7AndVQ="),
            "v=6rriTRBi23WpRR/wtup+mMhUZUn/dB5nLTJRsjl95G4=",
        ],
    );
    // The example of MongoDB's specification of logins.
    let joined = "r=fyko+d2lbbFgONRv9qkxdawLHo+Vgk7qvUOKUwuWLIWg4l/9SraGMHEE";
    check_login(
        Mechanism::Sha1,
        [
            "fyko+d2lbbFgONRv9qkxdawL",
            &format!("{joined},s=rQ9ZY3MntBeuP3E1TDVC4w==,i=10000"),
            &format!("c=biws,{joined},p=MC2T8BvbmWRckDw8oWl5IVghwCY="),
            "v=UMWeI25JD1yNYZRMpZ4VHvhZ9e0=",
        ],
    );
    assert_eq!(scram::first("a=b,c", "x"), "n,,n=a=3Db=2Cc,r=x");
}

#[test]
fn a_wrong_server_is_left() {
    let check = |server_first: &str, want: &str| {
        check_login(Mechanism::Sha256, ["abc", server_first, want, ""]);
    };
    check("r=abcdef,s=YQ==", "the server's part of the login cannot be read");
    check("r=abcdef,s=YQ==,i=x", "the server's part of the login cannot be read");
    check("r=abcdef,s=%,i=4096", "the server's part of the login cannot be read");
    check("r=abc,s=YQ==,i=4096", "the server answers another login");
    check("r=other,s=YQ==,i=4096", "the server answers another login");
    check("r=abcdef,s=YQ==,i=4095", "the server wants too few or too many rounds of the digest");
    check("r=abcdef,s=YQ==,i=1000001", "the server wants too few or too many rounds of the digest");
}

/// Shows a document.
fn text(document: Read<'_>) -> String {
    let parts = document.elements().map(|element| {
        let (name, value) = element.expect("an element");
        let value = match value {
            Value::Document(inner) | Value::Array(inner) => text(inner),
            Value::Text(text) => format!("'{}'", String::from_utf8_lossy(text)),
            value => format!("{value:?}"),
        };
        format!("{}: {value}", String::from_utf8_lossy(name))
    });
    format!("{{{}}}", parts.collect::<Vec<_>>().join(", "))
}

#[track_caller]
fn check_document(values: &[(&str, TypedValue<'_>)], want: &str) {
    let mut document = Document::default();
    for (name, value) in values {
        let path: Vec<&[u8]> = name.split('/').map(str::as_bytes).collect();
        document.add(&path, value.clone());
    }
    let found = match document.finish() {
        Ok((elements, has_id)) => {
            let mut bytes = Vec::new();
            Writer::whole(&mut bytes, |writer| writer.elements(&elements));
            let id = if has_id { "own " } else { "" };
            format!("{id}{}", text(Read::split(&bytes).expect("a document").0))
        }
        Err(error) => format!("{:?}: {}", error.reason, error.text),
    };
    assert_eq!(found, want);
}

#[test]
fn values_are_elements_in_documents_of_their_names() {
    let one = || TypedValue::Integer(1);
    check_document(&[], "{}");
    check_document(&[("b", one()), ("a", TypedValue::Text(b"x"))], "{a: 'x', b: Integer(1)}");
    check_document(
        &[("a/b", one()), ("a/c/d", one()), ("e", one())],
        "{a: {b: Integer(1), c: {d: Integer(1)}}, e: Integer(1)}",
    );
    check_document(
        &[("a", one()), ("a/b", TypedValue::Boolean(true))],
        "{a: {a: Integer(1), b: Boolean(true)}}",
    );
    check_document(&[("a/a", one()), ("a", TypedValue::Null)], "{a: {a: Integer(1)}}");
    check_document(&[("_id", one())], "own {_id: Integer(1)}");
    check_document(&[("a\0b", one())], "BadName: a name has a NUL");
    check_document(&[(&"a/".repeat(90), one())], "BadName: a name has more than 90 parts");
    check_document(
        &[
            ("a", TypedValue::Text(b"\xff\0z")),
            ("b", TypedValue::List(vec![b"x".to_vec(), b"y".to_vec()])),
            ("c", TypedValue::Bytes(b"\xff")),
            ("d", TypedValue::Datetime(5)),
            ("e", TypedValue::Double(1.5)),
        ],
        "{a: '\\xff\0z', b: {0: 'x', 1: 'y'}, c: Binary([255]), d: Other, e: Double(1.5)}",
    );
}

#[test]
fn json_is_a_document_if_it_can_be_one() {
    let json = |text: &'static str| TypedValue::Json(text.as_bytes());
    check_document(
        &[("a", json("{\"b\":[1,null,2.5,\"x\",false],\"c\":{}}"))],
        "{a: {b: {0: Integer(1), 1: Other, 2: Double(2.5), 3: 'x', 4: Boolean(false)}, c: {}}}",
    );
    check_document(&[("a", json("{\"b\":"))], "{a: '{\"b\":'}");
    check_document(&[("a", json("{\"\\u0000\":1}"))], "{a: '{\"\\u0000\":1}'}");
    let deep = format!("{}{}", "[".repeat(100), "]".repeat(100));
    check_document(&[("a", TypedValue::Json(deep.as_bytes()))], &format!("{{a: '{deep}'}}"));
}

/// An answer, written as JSON.
fn document(json: &str) -> Vec<u8> {
    fn put(name: &[u8], value: &serde_json::Value, writer: &mut Writer<'_>) {
        match value {
            serde_json::Value::Object(map) => writer.document(name, |writer| fill(map, writer)),
            serde_json::Value::Array(list) => {
                writer.array(name, list.len(), |writer, index, name| put(name, &list[index], writer));
            }
            serde_json::Value::String(text) if name == b"_id" && text.len() == 32 => {
                writer.put(name, Scalar::Uuid(u128::from_str_radix(text, 16).expect("an id")));
            }
            serde_json::Value::String(text) => writer.put(name, text.as_str()),
            serde_json::Value::Bool(is_true) => writer.put(name, *is_true),
            serde_json::Value::Number(number) => writer.put(name, Scalar::Double(number.as_f64().unwrap())),
            serde_json::Value::Null => writer.put(name, Scalar::Null),
        }
    }
    fn fill(map: &serde_json::Map<String, serde_json::Value>, writer: &mut Writer<'_>) {
        map.iter().for_each(|(name, value)| put(name.as_bytes(), value, writer));
    }
    let serde_json::Value::Object(map) = serde_json::from_str(json).expect("JSON") else {
        panic!("no object")
    };
    let mut bytes = Vec::new();
    Writer::whole(&mut bytes, |writer| fill(&map, writer));
    bytes
}

/// Compares what an answer says of three documents, the last of which has an id of its own.
#[track_caller]
fn check_answer(order: InsertOrder, json: &str, want: &str) {
    let bytes = document(json);
    let question = Question { has_own_id: &[false, false, true], order, is_unconfirmed: false };
    let found = match answer::read(Read::split(&bytes).expect("a document").0, question) {
        Ok(Answer::Refused(failure)) => format!("refused: {:?} {}", failure.verdict, failure.answer),
        Ok(Answer::Outcomes(outcomes)) => {
            let judgements = outcomes.of_documents.into_iter().map(|outcome| match outcome {
                Ok(()) => Judgement::delivered(1).remove(0),
                Err(failure) => Judgement { rows: 1, verdict: failure.verdict, answer: failure.answer },
            });
            let repeated = if outcomes.is_repeated { "repeated: " } else { "" };
            let doubtful = outcomes.doubtful.iter().map(|at| format!("doubtful {at}: ")).collect::<String>();
            format!("{repeated}{doubtful}{}", shown(&judgements.collect::<Vec<_>>()))
        }
        Err(breach) => breach.0.to_owned(),
    };
    assert_eq!(found, want, "{json}");
}

#[test]
fn each_document_has_the_verdict_of_its_own_error() {
    let (ordered, free) = (InsertOrder::Ordered, InsertOrder::Unordered);
    check_answer(ordered, r#"{"n":3,"ok":1}"#, "1 Delivered ; 1 Delivered ; 1 Delivered ");
    let validation =
        r#"{"n":2,"ok":1,"writeErrors":[{"index":1,"code":121,"errmsg":"Document failed validation"}]}"#;
    check_answer(
        free,
        validation,
        "1 Delivered ; 1 Dead(Constraint) 121 Document failed validation; 1 Delivered ",
    );
    let first = validation.replace("\"n\":2", "\"n\":1");
    check_answer(ordered, &first, "1 Delivered ; 1 Dead(Constraint) 121 Document failed validation");
    // A document that is there already, by its id, and by one of the configuration's.
    let stored = r#"{"n":1,"ok":1,"writeErrors":[
        {"index":0,"code":11000,"keyPattern":{"_id":1},"errmsg":"E11000 duplicate key error"},
        {"index":2,"code":11000,"keyPattern":{"_id":1},"errmsg":"E11000 duplicate key error dup key: { _id: \"s\" }"}]}"#;
    check_answer(
        free,
        stored,
        "repeated: 1 Delivered ; 1 Delivered ; 1 Dead(Constraint) 11000 E11000 duplicate key error dup key\n\
         E11000 duplicate key error dup key: { _id: \"s\" }",
    );
    let other = r#"{"n":2,"ok":1,"writeErrors":[{"index":0,"code":11000,"keyPattern":{"user":1},"errmsg":"E11000"}]}"#;
    check_answer(free, other, "doubtful 0: 1 Dead(Constraint) 11000 E11000; 1 Delivered ; 1 Delivered ");
    let old = r#"{"n":2,"ok":1,"writeErrors":[{"index":0,"code":11000,"errmsg":"E11000 index: _id_ dup key: { : 1 }"}]}"#;
    check_answer(free, old, "repeated: 1 Delivered ; 1 Delivered ; 1 Delivered ");
    let moved = r#"{"n":2,"ok":1,"writeErrors":[{"index":2,"code":10107,"errmsg":"not primary"}]}"#;
    check_answer(free, moved, "1 Delivered ; 1 Delivered ; 1 Later(Busy) 10107 not primary");
}

#[test]
fn numbers_that_do_not_add_up_are_not_believed() {
    let uncertain = "Later(BackOff) the server does not say what became of each document";
    let all = format!("1 {uncertain}; 1 {uncertain}; 1 {uncertain}");
    check_answer(InsertOrder::Ordered, r#"{"n":2,"ok":1}"#, &all);
    check_answer(InsertOrder::Unordered, r#"{"ok":1}"#, &all);
    let one = r#"{"n":0,"ok":1,"writeErrors":[{"index":1,"code":2,"errmsg":"x"}]}"#;
    check_answer(InsertOrder::Ordered, one, &format!("1 {uncertain}; 1 Dead(Rejected) 2 x"));
    let wrong = "an error is about a document that was not sent";
    check_answer(InsertOrder::Ordered, r#"{"n":0,"ok":1,"writeErrors":[{"index":3,"code":2}]}"#, wrong);
    check_answer(InsertOrder::Ordered, r#"{"n":0,"ok":1,"writeErrors":[{"index":-1,"code":2}]}"#, wrong);
    check_answer(InsertOrder::Ordered, r#"{"ok":1,"writeErrors":[7]}"#, "an error is no document");
}

#[test]
fn what_is_stored_too_seldom_is_sent_again() {
    let concern = |code: u32| {
        format!(
            r#"{{"n":3,"ok":1,"writeConcernError":{{"code":{code},"codeName":"X","errmsg":"waiting for replication timed out"}}}}"#
        )
    };
    let check = |code, verdict: &str| {
        let one = format!("1 {verdict} {code} X: waiting for replication timed out");
        check_answer(InsertOrder::Ordered, &concern(code), &[one.as_str(); 3].join("; "));
    };
    check(64, "Later(Busy)");
    check(91, "Later(Busy)");
    check(100, "Hold(Schema)");
    let both = r#"{"n":2,"ok":1,"writeConcernError":{"code":64,"errmsg":"w"},
        "writeErrors":[{"index":0,"code":11000,"keyPattern":{"_id":1}}]}"#;
    check_answer(
        InsertOrder::Unordered,
        both,
        "repeated: 1 Later(Busy) 64 w; 1 Later(Busy) 64 w; 1 Later(Busy) 64 w",
    );
}

#[test]
fn a_command_that_is_refused_says_whom_it_is_about() {
    let check =
        |json: &str, want: &str| check_answer(InsertOrder::Ordered, json, &format!("refused: {want}"));
    check(
        r#"{"ok":0,"code":13,"codeName":"Unauthorized","errmsg":"not authorized on logs to execute command { insert: \"x\" }"}"#,
        "Hold(Access) 13 Unauthorized: not authorized on logs to execute command",
    );
    check(
        r#"{"ok":0,"code":10107,"codeName":"NotWritablePrimary","errmsg":"not primary"}"#,
        "Later(Busy) 10107 NotWritablePrimary: not primary",
    );
    check(r#"{"ok":0,"code":18,"errmsg":"x"}"#, "Hold(Credentials) 18 x");
    check(r#"{"ok":0,"code":14031,"errmsg":"x"}"#, "Hold(Quota) 14031 x");
    check(r#"{"ok":0,"code":112,"errmsg":"x"}"#, "Later(BackOff) 112 x");
    check(r#"{"ok":0,"code":7777,"errmsg":"x","errorLabels":["RetryableWriteError"]}"#, "Later(Busy) 7777 x");
    check(r#"{"ok":0,"code":10334,"errmsg":"x"}"#, "Split(TooLarge) 10334 x");
    check(r#"{"ok":0,"code":2,"errmsg":"bad 'value'"}"#, "Split(Rejected) 2 bad\nbad 'value'");
    check(r#"{"ok":0}"#, "Split(Rejected) 0 ");
}
