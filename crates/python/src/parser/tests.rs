//! A parser with a real interpreter.

use super::*;
use crate::{CodeBlock, Contents, Named, Role, TemplateFault, Typing, Values};
use message::{Field, FieldName, Message, Origin, ValueKind};
use std::sync::atomic::{AtomicUsize, Ordering};

/// Values of which there is only the text.
struct Texts;

impl Values for Texts {
    fn begin(&mut self, _: Stamp) {}

    fn pairs(&mut self, batch: &Batch, index: usize, _: u64, add: &mut dyn FnMut(&str, &[u8], ValueKind)) {
        add("MESSAGE", batch.fixed(index, Field::Message), ValueKind::String);
    }

    fn is_macro(&self, name: &str) -> bool {
        name == "LENGTH"
    }

    fn named(&mut self, batch: &Batch, index: usize, _: u64, name: &str) -> Named {
        match name {
            "LENGTH" => {
                let length = batch.fixed(index, Field::Message).len();
                Named::Macro(length.to_string().into_bytes(), ValueKind::Integer)
            }
            "MSG" => Named::Alias("MESSAGE".to_owned()),
            _ => Named::Nothing,
        }
    }

    fn template(
        &mut self,
        batch: &Batch,
        index: usize,
        _: u64,
        text: &str,
    ) -> Result<Vec<u8>, TemplateFault> {
        Ok([text.as_bytes(), batch.fixed(index, Field::Message)].concat())
    }
}

struct Factory;

impl ValuesFactory for Factory {
    fn values(&self) -> Box<dyn Values> {
        Box::new(Texts)
    }
}

const CODE: &str = r#"
import os
from syslogng import LogParser, LogTemplate
class Parser(LogParser):
    def init(self, options):
        self.count = 0
        return True
    def parse(self, msg):
        text = msg.get_as_str("MESSAGE")
        self.count += 1
        if text == "no": return False
        if text == "none": return None
        if text == "raise": raise ValueError("no")
        if text == "exit": os._exit(3)
        if text == "giant":
            msg["v"] = "x" * 9000000
            return True
        if text == "macros":
            before = msg["LENGTH"], LogTemplate("t:").format(msg)
            msg["MSG"] = "longer text"
            msg["v"] = repr((before, msg["LENGTH"], LogTemplate("t:").format(msg), msg["MESSAGE"], msg.get("x")))
            msg["LENGTH"] = 5
            return True
        msg["v"] = text + "!"
        return True
"#;

fn parser(code: &str, patience: &Patience) -> (PythonParser, Arc<AtomicUsize>) {
    let said = Arc::new(AtomicUsize::new(0));
    let count = said.clone();
    let log = InternalLog::new(
        "test",
        Some(Box::new(move |_, _| {
            count.fetch_add(1, Ordering::Relaxed);
        })),
    );
    let program = Program {
        role: Role::Parser,
        interpreter: "python3".into(),
        class: "Parser".into(),
        name: "python(Parser)".into(),
        options: Vec::new(),
        imports: Vec::new(),
        code: vec![CodeBlock { source: code.into(), file: "test".into(), line: 1 }],
        path: Vec::new(),
        folder: "/nonexistent".into(),
        contents: Contents::Message,
        typing: Typing::Typed,
        reopen_after: Duration::ZERO,
        no_data_pause: Duration::ZERO,
        flags: Vec::new(),
        timeout: Duration::from_secs(60),
        memory_bytes_max: None,
    };
    (PythonParser::new(Arc::new(program), &Factory, log, patience.clone()), said)
}

/// Shows the value `v` of each message that the parser lets pass.
fn parse(parser: &PythonParser, texts: &[&str]) -> String {
    let mut batch =
        Batch::new(Arc::default(), vec![Arc::new(Origin::default())], Stamp::default(), Ack::default());
    for text in texts {
        let span = batch.add_extra(text.as_bytes());
        let mut message = Message::default();
        message.text = span;
        batch.messages.push(message);
    }
    let mut renderer = Renderer::new(Default::default(), Arc::default());
    let within = Selection::all(batch.len());
    let read = parser.parse(&mut batch, &within, &mut renderer);
    let value = |index| batch.field(index, &FieldName::parse("v")).unwrap_or_default().into_owned();
    read.iter().map(|index| String::from_utf8_lossy(&value(index)).into_owned()).collect::<Vec<_>>().join(" ")
}

#[test]
fn a_message_costs_itself_only() {
    let (parser, _) = parser(CODE, &Patience::default());
    assert_eq!(parse(&parser, &["a", "no", "b", "none", "raise", "c", "giant"]), "a! b! c!");
    assert_eq!(parse(&parser, &["a", "exit", "b", "exit", "c"]), "a! b! c!");
    assert_eq!(parse(&parser, &["macros"]), "((6, 't:macros'), 11, 't:longer text', b'longer text', None)");
    parser.close(&mut Renderer::new(Default::default(), Arc::default()), &mut Vec::new());
    assert_eq!(parse(&parser, &["a"]), "a!");
}

#[test]
fn an_end_of_the_configuration_ends_what_waits() {
    let patience = Patience::default();
    let (parser, said) = parser("class Other: pass", &patience);
    let waits = thread::spawn(move || parse(&parser, &["a", "b"]));
    while said.load(Ordering::Relaxed) == 0 {
        thread::yield_now();
    }
    patience.end(Duration::from_secs(10));
    assert_eq!(waits.join().unwrap(), "");
}
