//! Rows for filters in templates.

use super::*;
use message::{Ack, Batch, FieldName, Message, Origin, Priority, Span, Stamp, ValueKind};
use template::{Context, ContextMessage, RenderOptions, Renderer, Site};

fn batch() -> Batch {
    const BYTES: &[u8] = b"gate cron[77]: disk full";
    let origins = vec![Arc::new(Origin::default())];
    let mut batch = Batch::new(Arc::new(BYTES.to_vec()), origins, Stamp::known(0, 0), Ack::none());
    let mut message = Message::default();
    message.host = Span::received(0, 4);
    message.program = Span::received(5, 4);
    message.pid = Span::received(10, 2);
    message.text = Span::received(15, 9);
    message.pri = Priority(165);
    batch.messages.push(message);
    set(&mut batch, "o'neil", "7");
    batch.set_field(0, &FieldName::parse("list"), b"a,\"b,c\",d", ValueKind::List);
    batch
}

fn set(batch: &mut Batch, user: &str, count: &str) {
    batch.set_field(0, &FieldName::parse("user"), user.as_bytes(), ValueKind::String);
    batch.set_field(0, &FieldName::parse("count"), count.as_bytes(), ValueKind::Integer);
}

#[track_caller]
fn check(text: &str, context: &Context, want: &str) {
    let mut definitions = Definitions::default();
    let expr = filter::parse("program(cron)", &definitions).unwrap();
    definitions.filters.insert("f_cron".into(), Arc::new(Filter::new(expr)));
    let template = Template::parse(text, &definitions).unwrap();
    let mut renderer = Renderer::new(RenderOptions::default(), Arc::new(Site::default()));
    renderer.context = context.clone();
    let mut out = Vec::new();
    template.render(&batch(), 0, &mut renderer, &mut out);
    assert_eq!(String::from_utf8_lossy(&out), want, "{text}");
}

#[test]
fn conditions_of_templates_are_filters() {
    let none = Context::new();
    check(
        "$(if 'facility(local4)' yes no) $(if ('$count' > 6 and not program(x)) $HOST no)",
        &none,
        "yes gate",
    );
    check("$(grep 'program(cron)' $HOST $PID)|$(grep 'program(x)' $HOST)", &none, "gate,77|");
    check("$(if program(\"cron\" type(string)) \"$(echo $HOST)\" no)", &none, "gate");
    check("$(if 'filter(f_cron)' yes no)", &none, "yes");
    check("$(map \"$(if ('$_' eq 'a') $user '')\" $list)", &none, "\"o'neil\",\"\",\"\"");
    check("$(filter ('$_' ge 'b') $list) [$(filter ('$_' eq 'z') $list)]", &none, "\"b,c\",d []");
}

#[test]
fn conditions_see_each_message_of_a_correlation() {
    let context: Context = [("3", "alice"), ("5", "bob")]
        .into_iter()
        .map(|(count, user)| {
            let mut batch = batch();
            set(&mut batch, user, count);
            ContextMessage { batch: Arc::new(batch), index: 0 }
        })
        .collect();
    check(
        "$(grep ('$count' > 4) $user) $(context-lookup -m 1 ('$count' > 1) $count)",
        &context,
        "bob,\"o'neil\" 3",
    );
}

#[test]
fn says_what_is_wrong_with_a_condition() {
    assert_eq!(
        Template::parse("$(if 'facilty(kern)' a b)", &Definitions::default()).unwrap_err().to_string(),
        "template is wrong at byte 5: $(if): condition: unknown filter `facilty`; did you mean `facility`? (byte 0 of the expression)",
    );
}
