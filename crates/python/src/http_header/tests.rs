//! Headers that a real interpreter makes, and what is wrong with others.

use super::*;
use crate::{CodeBlock, Contents, OptionValue, Role, Typing};
use std::{path::PathBuf, time::Duration};
use tokio::runtime::Builder;

const CODE: &str = r#"
import os, time
class Signer:
    def __init__(self, options):
        self.key, self.calls = options["key"], 0
    def get_headers(self, body, headers):
        self.calls += 1
        if body == "raise": raise ValueError("no")
        if body == "list": return ("a: b",)
        if body == "number": return [7]
        if body == "colon": return ["a b"]
        if body == "control": return ["A: b\r\nEvil: c"]
        if body == "framing": return ["content-length : 7"]
        if body == "many": return ["a: b"] * 101
        if body == "large": return ["a: " + "x" * 70000]
        if body == "exit": os._exit(3)
        if body == "hang": time.sleep(60)
        if body == "bytes": return [b"A: b"]
        return ["X-Sum: %s %d %d" % (self.key, len(body.encode("utf-8", "surrogateescape")), self.calls), "X-Has:" + headers[-1]]
    def on_http_response_received(self, code):
        if code == 500: raise ValueError("bad day")
        self.key = code
class Plain:
    def get_headers(self, body, headers): return []
class Wrong:
    pass
"#;

fn class(name: &str) -> HeaderClass {
    let program = Program {
        role: Role::HttpHeader,
        interpreter: PathBuf::from("python3"),
        class: name.to_owned(),
        name: name.to_owned(),
        options: vec![("key".to_owned(), OptionValue::Text("secret".to_owned()))],
        imports: Vec::new(),
        code: vec![CodeBlock { source: CODE.to_owned(), file: "test".to_owned(), line: 1 }],
        path: Vec::new(),
        folder: PathBuf::new(),
        contents: Contents::Message,
        typing: Typing::Typed,
        reopen_after: Duration::ZERO,
        no_data_pause: Duration::ZERO,
        flags: Vec::new(),
        timeout: Duration::from_secs(1),
        memory_bytes_max: None,
    };
    HeaderClass::new(Arc::new(program), InternalLog::new("test", None))
}

/// Shows the headers, or why there are none.
async fn ask(class: &mut HeaderClass, body: &[u8]) -> String {
    match class.headers(body, &["Host: h".to_owned(), "Content-Type: text/plain".to_owned()]).await {
        Ok(headers) => {
            let shown = headers.iter().map(|(name, value)| format!("{name}={value}"));
            shown.collect::<Vec<_>>().join(" ")
        }
        Err(error) => error.to_string(),
    }
}

#[test]
fn headers_are_made_of_the_body_and_faults_are_told() {
    let runtime = Builder::new_current_thread().enable_all().build().expect("a runtime");
    runtime.block_on(async {
        let mut class = class("Signer");
        assert_eq!(ask(&mut class, b"body").await, "X-Sum=secret 4 1 X-Has=Content-Type: text/plain");
        assert_eq!(class.received(401).await, Ok(()));
        assert!(ask(&mut class, b"\xff\0 raw").await.starts_with("X-Sum=401 6 2 "));
        let wrong = class.received(500).await.map_err(|error| error.to_string());
        assert_eq!(wrong, Err("ValueError: bad day".to_owned()));
        for (body, want) in [
            ("raise", "ValueError: no"),
            ("list", "TypeError: get_headers() must return a list of strings, not tuple"),
            ("number", "TypeError: get_headers() must return a list of strings, not of int"),
            ("colon", "get_headers() returned what is no header; write \"Name: value\""),
            ("control", "get_headers() returned a control character in the header A"),
            ("framing", "get_headers() returned the header content-length, which is made here"),
            ("many", "get_headers() returned more than 100 headers"),
            ("large", "get_headers() returned more than 65536 bytes"),
            ("bytes", "A=b"),
            ("exit", "the process ended: exit status: 3"),
        ] {
            let found = ask(&mut class, body.as_bytes()).await;
            assert!(found.starts_with(want), "{body}: {found}");
        }
        // It was started again, and knows nothing of before.
        assert!(ask(&mut class, b"body").await.starts_with("X-Sum=secret 4 1 "));
    });
}

#[test]
fn a_class_that_hangs_is_ended_and_one_that_cannot_be_made_is_told() {
    let runtime = Builder::new_current_thread().enable_all().build().expect("a runtime");
    runtime.block_on(async {
        let mut signer = class("Signer");
        assert!(ask(&mut signer, b"hang").await.starts_with("user code took more than 1 s"));
        assert!(ask(&mut signer, b"body").await.starts_with("X-Sum=secret"));
        let mut plain = class("Plain");
        assert_eq!((ask(&mut plain, b"").await.as_str(), plain.received(200).await), ("", Ok(())));
        for (name, want) in [("Wrong", "class Wrong has no method get_headers()"), ("None", "AttributeError")]
        {
            let error = class(name).headers(b"", &[]).await.expect_err("it is no class of headers");
            assert!(matches!(&error, HeaderError::Unusable(text) if text.starts_with(want)), "{error:?}");
        }
    });
}
