//! Pattern databases: any text is a database or an error, and any database accepts any message; also patterns
//! of grok.

use message::{Ack, Batch, Field, Message, Origin, Selection, Stamp};
use pipeline::{
    Definitions,
    correlation::{Inject, Limits},
    grok::{Grok, GrokLibrary},
    parser::{Input, Parser},
    patterndb::{Database, DbOptions, DbParser, DbState, merge},
};
use std::sync::Arc;
use template::{RenderOptions, Renderer};

/// Runs the target.
pub(crate) fn run(bytes: &[u8]) {
    let parts: Vec<&[u8]> = bytes.splitn(3, |byte| *byte == 0).collect();
    let [head, program, text] = parts.as_slice() else { return };
    // Bytes that are not a file become one rule with this pattern.
    let pattern = String::from_utf8_lossy(head).replace(['<', '&'], "");
    let own = format!(
        "<patterndb version='4'><ruleset><rules><rule id='r' context-id='$MSG' context-timeout='1'><patterns>\
         <pattern>{pattern}</pattern></patterns></rule></rules></ruleset></patterndb>"
    );
    let around = Definitions::default();
    let _ = merge(&String::from_utf8_lossy(head), &mut String::new());
    let _ = Grok::compile(&pattern, &GrokLibrary::default(), Vec::new());
    let loaded = Database::load(head, "p.", &around).or_else(|_| Database::load(own.as_bytes(), "", &around));
    let Ok(database) = loaded else { return };
    let (database, limits) =
        (Arc::new(database), Limits { contexts: 64, bytes: 1 << 16, messages: 8, rates: 16 });
    database.explain(&String::from_utf8_lossy(program), text);
    let options = DbOptions {
        program: Input::program(),
        message: Input::message(),
        drop_unmatched: false,
        inject: Inject::PassThrough,
    };
    let parser = DbParser::new(database, Arc::new(DbState::new(limits)), options);
    let mut renderer = Renderer::new(RenderOptions::default(), Arc::default());
    for second in 0..4 {
        renderer.now = Stamp::known(second * 1_000_000, 0);
        let mut batch =
            Batch::new(Arc::default(), vec![Arc::new(Origin::default())], renderer.now, Ack::none());
        let mut message = Message::default();
        message.event = renderer.now;
        batch.messages.push(message);
        for (field, value) in [(Field::Program, program), (Field::Message, text)] {
            let span = batch.add_extra(value);
            batch.set_fixed(0, field, span);
        }
        parser.parse_making(&mut batch, &Selection::all(1), &mut renderer, &mut Vec::new());
    }
    parser.end_contexts(&mut renderer, &mut Vec::new());
}
