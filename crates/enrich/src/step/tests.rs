//! Messages and the values of their keys.

use super::*;
use crate::{
    fault::Fault,
    testing::{LIMITS, Stage},
};
use message::{Ack, Message, Origin, Stamp};
use pipeline::Definitions;
use std::time::Duration;
use template::{RenderOptions, Site, Template};

fn batch(texts: &[&str]) -> Batch {
    let bytes = Arc::new(texts.concat().into_bytes());
    let mut batch = Batch::new(bytes, vec![Arc::new(Origin::default())], Stamp::default(), Ack::none());
    let mut at = 0;
    for text in texts {
        let mut message = Message::default();
        message.text = Span::received(at, text.len());
        batch.messages.push(message);
        at += text.len();
    }
    batch
}

fn step(stage: Stage, default: Option<&str>, on_failure: OnFailure) -> LookupStep {
    let template = Template::parse("$MESSAGE", &Definitions::default()).unwrap();
    LookupStep {
        options: StepOptions {
            selector: Selector::Text(Arc::new(template)),
            default: default.map(str::to_owned),
            ignore_case: true,
            on_failure,
        },
        asking: Asking { limits: LIMITS, store: stage.store.clone(), asker: Some(stage.asker) },
    }
}

/// Runs messages through the step, and shows their values; `stopped` for those that do not match.
fn run(step: &LookupStep, texts: &[&str]) -> String {
    let mut batch = batch(texts);
    let mut renderer = Renderer::new(RenderOptions::default(), Arc::new(Site::default()));
    let read = step.parse(&mut batch, &Selection::all(texts.len()), &mut renderer);
    let shown = |index: usize| {
        if !read.has(index) {
            return "stopped".to_owned();
        }
        let pair = |(name, value, _): (&[u8], &[u8], _)| {
            format!("{}={}", String::from_utf8_lossy(name), String::from_utf8_lossy(value))
        };
        batch.values(index).into_iter().map(pair).collect::<Vec<_>>().join("|")
    };
    (0..texts.len()).map(shown).collect::<Vec<_>>().join(" ")
}

#[test]
fn messages_get_the_values_of_their_keys() {
    let step = step(Stage::new(1, 10), None, OnFailure::Mark);
    assert_eq!(run(&step, &["a1", "A1", "n", "a2", "r", ""]), "of=a1 of=a1  of=a2 .lookup.failed=refused ");
    let counts = step.asking.store.counts();
    assert_eq!((counts.found, counts.missing, counts.failed, counts.answered), (3, 2, 1, 3));
    // Too long for a key.
    assert_eq!(run(&step, &["x".repeat(KEY_BYTES_MAX + 1).as_str()]), "");
    assert_eq!(step.asking.store.counts().answered, 3);
}

#[test]
fn a_default_stands_in_for_keys_without_values() {
    let step = step(Stage::new(1, 10), Some("anybody"), OnFailure::Mark);
    assert_eq!(run(&step, &["a1", "n", "", "f"]), "of=a1 of=anybody of=anybody .lookup.failed=server");
}

#[test]
fn a_message_without_an_answer_has_the_fate_that_is_asked_for() {
    for (on_failure, want) in [
        (OnFailure::Mark, ".lookup.failed=server of=a"),
        (OnFailure::Pass, " of=a"),
        (OnFailure::Stop, "stopped of=a"),
    ] {
        assert_eq!(run(&step(Stage::new(1, 1), None, on_failure), &["f", "a"]), want);
    }
}

#[test]
fn older_values_are_used_while_the_server_fails() {
    let stage = Stage::new(1, 1);
    stage.set_down(1);
    let step = step(stage, Some("anybody"), OnFailure::Mark);
    let store = step.asking.store.clone();
    let found = |text: &str| {
        let naming = crate::values::Naming { prefix: String::new(), single: "value".to_owned() };
        let mut gathering = crate::values::Gathering::new(&naming);
        gathering.set_single(text.as_bytes());
        Answer::Values(Arc::new(gathering.finish()))
    };
    let ago = |seconds| Instant::now().checked_sub(Duration::from_secs(seconds)).unwrap();
    store.answered(b"known", &found("old"), &LIMITS, ago(61));
    store.answered(b"none", &Answer::Missing, &LIMITS, ago(61));
    store.answered(b"ancient", &found("too old"), &LIMITS, ago(121));
    assert_eq!(
        run(&step, &["known", "none", "ancient", "other"]),
        "value=old  .lookup.failed=server .lookup.failed=paused"
    );
    assert_eq!(store.counts().stale, 2);
    // Nobody is asked while the server is left alone.
    let before = store.counts().unanswered;
    assert_eq!(run(&step, &["known", "more"]), "value=old .lookup.failed=paused");
    assert_eq!(store.counts().unanswered, before);
    assert_eq!(store.counts().paused, 1);
}

#[test]
fn a_trial_asks_nobody() {
    let mut step = step(Stage::new(1, 1), None, OnFailure::Mark);
    step.asking.asker = None;
    assert_eq!(run(&step, &["a"]), ".lookup.failed=paused");
    assert!(step.asking.store.works());
    step.asking.store.failed(&Fault::timeout(), Duration::from_secs(1), Instant::now());
    assert!(step.waits() && step.asking.store.works(), "one failure is none");
}
