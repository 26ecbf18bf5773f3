//! Any text through any parser: none fails, and a text is parsed the same wherever it is in the batch. The
//! first byte chooses the parser.

use message::{Ack, Batch, Message, Origin, Selection, Span, Stamp};
use pipeline::{
    Parser,
    parser::{
        Cef, Csv, CsvDialect, Date, DateFormat, DateTarget, ExtractPath, Input, Json, Kv, Leef, Regexp,
        Sdata, Syslog, Tags, TextParser, Unreadable, VALUES_MAX, Xml,
    },
};
use std::sync::{Arc, OnceLock};
use template::{
    RenderOptions, Renderer,
    pattern::{Pattern, PatternFlags, PatternKind},
};

fn parsers() -> &'static [Box<dyn Parser>] {
    static PARSERS: OnceLock<Vec<Box<dyn Parser>>> = OnceLock::new();
    PARSERS.get_or_init(|| {
        let input = Input::message;
        let csv = |dialect: CsvDialect, greedy: bool| Csv {
            columns: vec!["a".into(), "b".into(), "c".into()],
            delimiters: b",".to_vec(),
            string_delimiters: vec!["::".into()],
            dialect,
            greedy,
            strip_whitespace: greedy,
            drop_invalid: !greedy,
            ..Csv::default()
        };
        let pattern =
            |text: &str| Pattern::compile(text, PatternKind::Pcre, PatternFlags::default()).map(Arc::new);
        let date = Date {
            formats: ["%F %T.%f %z", "%c", "%b %d %T", "%s", "%Y %j %p %Z"]
                .iter()
                .flat_map(|text| DateFormat::parse(text))
                .collect(),
            input: input(),
            zone: jiff::tz::TimeZone::UTC,
            guesses_zone: true,
            into: DateTarget::Event,
        };
        let extract = Json { extract: ExtractPath::parse("a[1].b").ok(), ..Json::default() };
        let xml = Xml { lists: true, strip_whitespace: true, named_data: true, ..Xml::default() };
        let strict = wire::ParseFlags::default()
            .with(wire::ParseFlags::SYSLOG_PROTOCOL)
            .with(wire::ParseFlags::NO_RFC3164_FALLBACK);
        let syslog = wire::DecodeOptions { flags: strict, ..wire::DecodeOptions::default() };
        vec![
            Box::new(TextParser::new(Kv::new(b'=', ", ", Some("stray".into())), input(), "")),
            Box::new(TextParser::new(Kv::new(b':', " ", None), input(), ".kv.")),
            Box::new(TextParser::new(Kv::linux_audit(), input(), "")),
            Box::new(TextParser::new(csv(CsvDialect::EscapeBackslashWithSequences, false), input(), "")),
            Box::new(TextParser::new(csv(CsvDialect::EscapeDoubleChar, true), input(), "")),
            Box::new(TextParser::new(Json::default(), input(), "")),
            Box::new(TextParser::new(extract, input(), "js.")),
            Box::new(TextParser::new(xml, input(), ".xml.")),
            Box::new(TextParser::new(Xml { drop_invalid: true, ..Xml::default() }, input(), "")),
            Box::new(TextParser::new(Sdata, input(), ".SDATA.")),
            Box::new(TextParser::new(Tags, input(), "")),
            Box::new(TextParser::new(Cef, input(), "")),
            Box::new(TextParser::new(Leef, input(), "")),
            Box::new(TextParser::new(
                Regexp::new(pattern("(?<k>\\w+)=(?<v>.*)").into_iter().collect()),
                input(),
                "",
            )),
            Box::new(date),
            Box::new(Syslog::new(syslog, input(), Unreadable::Stops)),
        ]
    })
}

/// Runs the target.
pub(crate) fn run(data: &[u8]) {
    let Some((choice, text)) = data.split_first() else { return };
    let parser = &parsers()[*choice as usize % parsers().len()];
    // The text twice, once among the bytes added by processing: both must be parsed the same.
    let mut batch =
        Batch::new(Arc::new(text.to_vec()), vec![Arc::new(Origin::default())], Stamp::default(), Ack::none());
    let made = batch.add_extra(text);
    for place in [Span::received(0, text.len()), made] {
        let mut message = Message::default();
        (message.raw, message.text) = (place, place);
        batch.messages.push(message);
    }
    let mut renderer = Renderer::new(RenderOptions::default(), Arc::default());
    let read = parser.parse(&mut batch, &Selection::all(2), &mut renderer);
    assert_eq!(read.has(0), read.has(1));
    let values: Vec<_> = batch
        .values(0)
        .into_iter()
        .map(|(name, value, kind)| (name.to_vec(), value.to_vec(), kind))
        .collect();
    let again: Vec<_> = batch
        .values(1)
        .into_iter()
        .map(|(name, value, kind)| (name.to_vec(), value.to_vec(), kind))
        .collect();
    assert_eq!(values, again);
    assert!(values.len() <= VALUES_MAX + 256);
    assert_eq!(batch.tags(0), batch.tags(1));
}
