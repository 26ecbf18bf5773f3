//! Measures classifying messages with a database that matches a tenth of them.
//!
//! In: an optional number of rounds. Out: nanoseconds per message, the best of the rounds, on one core.

#![expect(clippy::disallowed_methods, reason = "it measures time")]

use message::{Ack, Batch, Message, Origin, Selection, Span, Stamp};
use pipeline::{
    Definitions,
    correlation::Inject,
    parser::{Input, Parser},
    patterndb::{Database, DbOptions, DbParser},
};
use std::{sync::Arc, time::Instant};
use template::{RenderOptions, Renderer};

/// Messages of a batch.
const MESSAGES: usize = 1000;

fn database() -> Database {
    let mut rules = String::new();
    let starts = (0..40).map(|number| format!("session {number} of @ESTRING:x: @from @IPvANY:ip@"));
    let login = "Accepted publickey for @ESTRING:user: @from @IPvANY:device@ port @NUMBER:port@ ssh2";
    for (number, pattern) in starts.chain([login.to_owned()]).enumerate() {
        rules.push_str(&format!(
            "<rule id='{number}' class='security'><patterns><pattern>{pattern}</pattern></patterns>\
             <values><value name='object'>ssh</value></values><tags><tag>secevt</tag></tags></rule>"
        ));
    }
    let text = format!(
        "<patterndb version='4'><ruleset><patterns><pattern>sshd</pattern></patterns><rules>{rules}</rules></ruleset></patterndb>"
    );
    Database::load(text.as_bytes(), "", &Definitions::default()).unwrap_or_else(|error| panic!("{error}"))
}

fn batch() -> Batch {
    let mut bytes = Vec::new();
    let mut places = Vec::new();
    for number in 0..MESSAGES {
        let start = bytes.len();
        let text = match number % 10 {
            0 => format!(
                "Accepted publickey for user{number} from 10.0.{}.7 port 5123 ssh2: RSA",
                number % 250
            ),
            _ => {
                format!("session opened for user{number} by (uid=0), with some more words behind it a=b c=d")
            }
        };
        bytes.extend_from_slice(b"sshd");
        bytes.extend_from_slice(text.as_bytes());
        places.push((start, text.len()));
    }
    let mut batch =
        Batch::new(Arc::new(bytes), vec![Arc::new(Origin::default())], Stamp::default(), Ack::none());
    for (start, length) in places {
        let mut message = Message::default();
        message.program = Span::received(start, 4);
        message.text = Span::received(start + 4, length);
        batch.messages.push(message);
    }
    batch
}

fn main() {
    let rounds: usize = std::env::args().nth(1).and_then(|text| text.parse().ok()).unwrap_or(2000);
    let options = DbOptions {
        program: Input::program(),
        message: Input::message(),
        drop_unmatched: false,
        inject: Inject::PassThrough,
    };
    let parser = DbParser::new(Arc::new(database()), Arc::default(), options);
    let mut renderer = Renderer::new(RenderOptions::default(), Arc::default());
    let (template, all) = (batch(), Selection::all(MESSAGES));
    let mut best = f64::MAX;
    for _ in 0..rounds {
        let mut batch = template.clone();
        let start = Instant::now();
        parser.parse(&mut batch, &all, &mut renderer);
        best = best.min(start.elapsed().as_nanos() as f64 / MESSAGES as f64);
    }
    println!("{best:.1} ns a message, best of {rounds} batches of {MESSAGES}");
}
