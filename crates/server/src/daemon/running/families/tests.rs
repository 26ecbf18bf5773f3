//! Families of logspaces on a disk: messages find their logspace, again after a restart, and never another's.

use super::{Family, Members, Surroundings};
use crate::{
    assemble::{FamilySpec, LogspaceSpec, SealingSpec},
    daemon::running::opener::Opener,
};
use message::{
    Ack, AckSink, Batch, Delivery, Message, Origin, Outcome, Outlet, Render, Selection, Span, Stamp,
    WriteBudget,
};
use std::{
    collections::HashSet,
    path::Path,
    sync::{Arc, mpsc},
    time::Duration,
};
use transport::InternalLog;

/// Renders the text of a message as the name.
struct TextIsName;

impl Render for TextIsName {
    fn begin(&mut self, _now: Stamp) {}

    fn render(&mut self, batch: &Batch, index: usize, _sequence: u64, out: &mut Vec<u8>) {
        out.extend_from_slice(batch.bytes(batch.messages[index].text));
    }

    fn render_name(&mut self, batch: &Batch, index: usize, sequence: u64, out: &mut Vec<u8>) {
        self.render(batch, index, sequence, out);
    }
}

fn spec(max: usize) -> FamilySpec {
    let base = LogspaceSpec {
        id: "d#0".to_owned(),
        name: "$MSG".to_owned(),
        retention_age: None,
        retention_bytes: None,
        legal_hold: false,
        clock_wait: None,
        segment_memory: Some(16 << 20),
        sealing: SealingSpec::default(),
    };
    let (overflow, combined) = ("overflow".to_owned(), "all".to_owned());
    FamilySpec { base, names: Box::new(TextIsName), overflow, combined, logspaces_max: max, idle_after: None }
}

fn opened(data: &Path, max: usize) -> Family {
    let log = InternalLog::new("duramen", None);
    let opener = Opener::new(data.to_owned(), log.clone());
    let spec = spec(max);
    let members = Arc::new(Members::open(opener, spec.base.clone()).unwrap());
    let taken: HashSet<String> = ["plain", "all", "overflow"].map(str::to_owned).into();
    Family::start(spec, members, Surroundings { taken, log }).unwrap()
}

/// Reports the acknowledgement of a batch.
struct Told(mpsc::Sender<Outcome>);

impl AckSink for Told {
    fn acknowledge(&self, outcome: Outcome) {
        self.0.send(outcome).unwrap();
    }
}

/// Delivers one message for each text and waits until it is acknowledged.
fn deliver(family: &Family, texts: &[&str]) -> Outcome {
    let bytes = texts.concat().into_bytes();
    let origins = vec![Arc::new(Origin::default())];
    let mut batch = Batch::new(Arc::new(bytes), origins, Stamp::known(1_000_000, 0), Ack::none());
    let mut start = 0;
    for text in texts {
        let mut message = Message::default();
        message.text = Span::received(start, text.len());
        batch.messages.push(message);
        start += text.len();
    }
    let (tell, told) = mpsc::channel();
    let selection = Selection::all(texts.len());
    let ack = Ack::new(Box::new(Told(tell)));
    let delivery = Delivery { batch: Arc::new(batch), selection, ack, controlled: true, first: None };
    family.deliver(delivery, &WriteBudget::none());
    told.recv_timeout(Duration::from_secs(30)).unwrap()
}

/// Returns the logspaces in the order in which they were made, each with the number of its messages.
fn held(family: &Family) -> Vec<String> {
    let held = family.members.list().into_iter().map(|member| {
        let below = member.logspace.seal_now(Duration::from_secs(30)).unwrap();
        format!("{} {}", member.spec.name, below)
    });
    held.collect()
}

#[test]
fn messages_find_their_logspace_again_after_a_restart() {
    let data = tempfile::tempdir().unwrap();
    let family = opened(data.path(), 3);
    assert_eq!(deliver(&family, &["web", "db", "WEB", "web", "a/b"]), Outcome::Done);
    let made = ["web 3".to_owned(), "db 1".to_owned(), held(&family)[2].clone()];
    assert_eq!(held(&family), made);
    assert!(made[2].starts_with("a_b-"), "{}", made[2]);
    drop(family);
    let family = opened(data.path(), 3);
    assert_eq!(held(&family), made);
    // There are as many as there may be: others share one, which is not counted.
    assert_eq!(deliver(&family, &["mail", "db", "ftp"]), Outcome::Done);
    assert_eq!(held(&family)[1..], ["db 2".to_owned(), made[2].clone(), "overflow 2".to_owned()]);
    assert_eq!((family.members.stats().overflowed, family.members.count()), (2, 4));
    drop(family);
    // Fewer are allowed now: those that are there stay.
    assert_eq!(held(&opened(data.path(), 1)).len(), 4);
}

#[test]
fn folders_of_others_are_not_used() {
    let data = tempfile::tempdir().unwrap();
    let old = data.path().join("logspaces/old");
    std::fs::create_dir_all(&old).unwrap();
    let family = opened(data.path(), 10);
    assert_eq!(deliver(&family, &["plain", "old", "all", "overflow", "good"]), Outcome::Done);
    assert_eq!(held(&family), ["good 1", "overflow 4"]);
    assert_eq!(std::fs::read_dir(&old).unwrap().count(), 0);
    assert_eq!(family.members.stats().overflowed, 3);
}

#[test]
fn a_change_of_sealing_needs_a_restart() {
    let data = tempfile::tempdir().unwrap();
    let family = opened(data.path(), 10);
    let mut base = spec(10).base;
    base.retention_age = Some(Duration::from_secs(60));
    family.members.follow(&base).unwrap();
    base.sealing.recode = true;
    assert!(family.members.follow(&base).is_err());
}
