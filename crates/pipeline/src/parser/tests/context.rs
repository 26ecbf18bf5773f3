//! Rows for `add-contextual-data()`.

use super::{batch, renderer, shown};
use crate::{
    Definitions, Filter, filter,
    parser::{Context, ContextReading, ContextTable, Contexts, Parser, Selector},
};
use message::{Field, FieldName, Selection, Span};
use std::sync::Arc;
use template::Template;

fn table(text: &str, reading: ContextReading<'_>) -> ContextTable {
    ContextTable::parse(text, reading, &Definitions::default()).unwrap()
}

fn message_template() -> Arc<Template> {
    Arc::new(Template::parse("$MESSAGE", &Definitions::default()).unwrap())
}

#[track_caller]
fn check(context: &Context, text: &str, want: &str) {
    let mut batch = batch(&[text.as_bytes(), text.as_bytes()]);
    let read = context.parse(&mut batch, &Selection::all(2), &mut renderer());
    assert!(read.is_all());
    assert_eq!((shown(&batch, 0).as_str(), shown(&batch, 1).as_str()), (want, want), "{text}");
}

const TABLE: &str =
    "web,site,Pest\r\nweb,\"note, long\",\"a \"\"b\"\"\nc\"\n\nunknown,site,none\ndb,seen,$MESSAGE!\n";

#[test]
fn rows_of_the_selector_are_added() {
    let contexts =
        Arc::new(Contexts::new(table(TABLE, ContextReading { prefix: "c.", ..ContextReading::default() })));
    let mut context =
        Context { selector: Selector::Text(message_template()), default: None, contexts: contexts.clone() };
    check(&context, "web", "c.site=Pest|c.note, long=a \"b\"\nc");
    check(&context, "db", "c.seen=db!");
    check(&context, "WEB", "");
    context.default = Some("unknown".into());
    check(&context, "WEB", "c.site=none");
    contexts.replace(table("WEB,x,y", ContextReading::default()));
    check(&context, "WEB", "x=y");
}

#[test]
fn selectors_may_be_globs_or_filters() {
    let reading = ContextReading { ignore_case: true, globs: true, ..ContextReading::default() };
    let contexts = Arc::new(Contexts::new(table("w*,k,first\n*b,k,second\nw*,l,also\n", reading)));
    let glob = Context { selector: Selector::Glob(message_template()), default: None, contexts };
    check(&glob, "WeB", "k=first|l=also");
    check(&glob, "db", "k=second");
    check(&glob, "x", "");
    let reading = ContextReading { ignore_case: true, ..ContextReading::default() };
    let contexts = Arc::new(Contexts::new(table("F_Web,k,v\nf_all,k,w\n", reading)));
    let named = |name: &str, text: &str| {
        (name.to_owned(), Arc::new(Filter::new(filter::parse(text, &Definitions::default()).unwrap())))
    };
    let filters = vec![named("f_web", "message(\"web\")"), named("f_all", "message(\".\")")];
    let context = Context { selector: Selector::Filters(filters), default: None, contexts };
    check(&context, "a web", "k=v");
    check(&context, "x", "k=w");
    check(&context, "", "");
}

#[test]
fn names_of_fields_set_the_fields() {
    let contexts = Arc::new(Contexts::new(table("a,HOST,named\n", ContextReading::default())));
    let context = Context { selector: Selector::Text(message_template()), default: None, contexts };
    let mut batch = batch(&[b"a"]);
    batch.set_fixed(0, Field::Host, Span::EMPTY);
    context.parse(&mut batch, &Selection::all(1), &mut renderer());
    assert_eq!(batch.field(0, &FieldName::parse("HOST")).as_deref(), Some(&b"named"[..]));
}

#[test]
fn a_wrong_table_names_its_line() {
    let check = |text: &str, want: &str| {
        let error =
            ContextTable::parse(text, ContextReading::default(), &Definitions::default()).unwrap_err();
        assert_eq!(error.to_string(), want);
    };
    check("a,b,c\n\nd,e\n", "line 3: a row is selector,name,value; this one has 2 columns");
    check("a,b,c,d", "line 1: a row is selector,name,value; this one has 4 columns");
    check("a,\"b\n\",c\nd,\"e", "line 3: a quote is not closed");
    check("a,\"b\"x,c", "line 1: a quoted column ends at its quote");
    check("a,b,$(nosuch)", "line 1: template is wrong at byte 2: unknown template function nosuch");
}
