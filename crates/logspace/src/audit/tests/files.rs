//! Files against a chain that has grown since it was read, and against one that does not know them.

use super::super::{
    files::FileCheck,
    report::{AuditReport, FindingKind},
};
use crate::{
    Logspace, LogspaceOptions, RebuildIndex, Unheard,
    evidence_log::keys_beside,
    files::{
        chain_file::read_chain,
        layout::{self, segment_path},
    },
};
use evidence::{Chain, Keys, Record};
use journal::OsDisk;
use lookup::CancelToken;
use message::{Ack, Batch, Message, Origin, Outlet, Selection, Span, Stamp, WriteBudget};
use std::{fs, path::Path, sync::Arc, time::Duration};

/// Messages of a segment.
const MANY: u64 = 10;
const PATIENCE: Duration = Duration::from_secs(10);

fn deliver(logspace: &Logspace, received_us: i64) {
    let message = |at: usize| {
        let mut message = Message::default();
        message.raw = Span::received(at * 2, 1);
        message.text = message.raw;
        message
    };
    let received = Stamp::known(received_us, 0);
    let origins = vec![Arc::new(Origin::default())];
    let mut batch = Batch::new(Arc::new(b"x\n".repeat(MANY as usize)), origins, received, Ack::none());
    batch.messages = (0..MANY as usize).map(message).collect();
    let (batch, selection) = (Arc::new(batch), Selection::all(MANY as usize));
    let delivery = message::Delivery { batch, selection, ack: Ack::none(), controlled: true, first: None };
    logspace.deliver(delivery, &WriteBudget::none());
}

/// Three sealed segments; returns the chain.
fn fill(dir: &Path) -> Chain {
    let (commit_gap, refresh) = (Duration::ZERO, Duration::from_millis(1));
    let options = LogspaceOptions { recode: false, commit_gap, refresh, ..LogspaceOptions::default() };
    let logspace = Logspace::open(dir, options, Arc::new(Unheard)).unwrap();
    for number in 1..=3 {
        deliver(&logspace, 1_767_225_600_000_000 + number as i64);
        while logspace.snapshot().sequence < number * MANY {
            std::thread::yield_now();
        }
        assert_eq!(logspace.seal_now(PATIENCE), Some(number * MANY));
    }
    logspace.close();
    read_chain(&OsDisk, dir).unwrap()
}

fn parsed(records: &[Record]) -> Chain {
    Chain::parse(records.iter().map(Record::print).collect::<String>().as_bytes())
}

/// Checks the files of a folder against a chain; returns the report, with the kinds of what is wrong.
fn check(dir: &Path, chain: &Chain, journal_first: Option<u64>) -> (AuditReport, Vec<(FindingKind, String)>) {
    let (signers, cancel) = (keys_beside(dir).unwrap(), CancelToken::unlimited());
    let mut report = AuditReport::default();
    let check = FileCheck { dir, keys: &Keys::default(), signers: &signers, journal_first, cancel: &cancel };
    check.run(chain, &mut report).unwrap();
    let said = report.findings.iter().map(|finding| (finding.kind, finding.text.clone())).collect();
    (report, said)
}

fn put_chain(dir: &Path, records: &[Record]) {
    let text: String = records.iter().map(Record::print).collect();
    fs::write(dir.join("evidence/chain"), text).unwrap();
}

#[test]
fn what_the_server_does_meanwhile_is_no_finding() {
    let dir = tempfile::tempdir().unwrap();
    let dir = dir.path();
    let chain = fill(dir);
    let early = parsed(&chain.records()[..2]);
    let (report, said) = check(dir, &early, Some(0));
    assert_eq!((said, report.segments, report.messages), (vec![], 2, 2 * MANY), "one was sealed meanwhile");
    let (report, said) = check(dir, &chain, Some(0));
    assert_eq!((said, report.segments, report.messages), (vec![], 3, 3 * MANY));
    let sizes = layout::segment_files(dir).unwrap().into_iter().map(|path| fs::metadata(path).unwrap().len());
    assert_eq!(report.bytes, sizes.sum::<u64>());
    RebuildIndex { now_us: 1, ..RebuildIndex::default() }.run(dir, MANY).unwrap();
    let (report, said) = check(dir, &chain, Some(0));
    assert_eq!((said, report.segments, report.messages), (vec![], 3, 3 * MANY), "one was written again");
    // The same without the record of it: the file is not the one that was sealed.
    put_chain(dir, chain.records());
    let (_, said) = check(dir, &chain, Some(0));
    assert!(said.iter().any(|(kind, _)| *kind == FindingKind::Foreign), "{said:?}");
}

#[test]
fn a_chain_that_is_another_one_explains_nothing() {
    let (dir, other) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let (chain, elsewhere) = (fill(dir.path()), fill(other.path()));
    let early = parsed(&chain.records()[..2]);
    put_chain(dir.path(), elsewhere.records());
    let (_, said) = check(dir.path(), &early, None);
    let kinds: Vec<FindingKind> = said.iter().map(|(kind, _)| *kind).collect();
    assert_eq!(kinds, [FindingKind::Foreign], "{said:?}");
}

#[test]
fn the_next_record_is_one_that_the_server_completes() {
    let dir = tempfile::tempdir().unwrap();
    let dir = dir.path();
    let chain = fill(dir);
    let records = chain.records();
    let early = parsed(&records[..2]);
    put_chain(dir, &records[..2]);
    let note = [(FindingKind::Note, "record 2 is not in the chain yet".to_owned())];
    let unknown = (FindingKind::Foreign, "a segment that the chain does not know".to_owned());
    let unknown_one = [unknown.clone()];
    // The journal still has its messages, or it does not.
    assert_eq!(check(dir, &early, Some(0)).1, note);
    assert_eq!(check(dir, &early, Some(2 * MANY)).1, note);
    assert_eq!(check(dir, &early, Some(2 * MANY + 1)).1, unknown_one);
    assert_eq!(check(dir, &early, None).1, unknown_one);
    // One that does not follow is nothing that the server completes.
    put_chain(dir, &records[..1]);
    let gap = (FindingKind::Chain, "record 2 of a segment does not follow the one before".to_owned());
    let first = parsed(&records[..1]);
    assert_eq!(check(dir, &first, None).1, [unknown.clone(), unknown.clone()]);
    fs::remove_file(dir.join(segment_path(1_767_225_600_000_000, MANY))).unwrap();
    assert_eq!(check(dir, &first, Some(0)).1, [unknown.clone(), gap.clone()]);
    // Without a chain its loss is said once more.
    fs::remove_file(dir.join("evidence/chain")).unwrap();
    let lost = (FindingKind::Chain, "there is no chain of evidence, and there are 2 segments".to_owned());
    let (_, said) = check(dir, &Chain::default(), None);
    assert!(said.contains(&lost) && said.contains(&gap), "{said:?}");
}

#[test]
fn every_file_in_the_place_of_a_segment_is_looked_at() {
    let dir = tempfile::tempdir().unwrap();
    let dir = dir.path();
    let chain = fill(dir);
    let day = layout::segment_files(dir).unwrap()[0].parent().unwrap().to_owned();
    let put = |name: &str, bytes: &[u8]| fs::write(day.join(name), bytes).unwrap();
    let own = fs::read(layout::segment_files(dir).unwrap()[0].clone()).unwrap();
    let say = || check(dir, &chain, Some(0)).1;
    put("00000000000000000500.ds", &own);
    let copied = "a segment that was removed was put back, or one was copied to another place";
    assert_eq!(say(), [(FindingKind::Foreign, copied.to_owned())]);
    put("00000000000000000500.ds", b"no segment");
    let (kind, text) = say().remove(0);
    assert!(kind == FindingKind::Foreign && text.starts_with("not a segment that can be read: "), "{text}");
    fs::remove_file(day.join("00000000000000000500.ds")).unwrap();
    std::os::unix::fs::symlink("/etc/hostname", day.join("00000000000000000500.ds")).unwrap();
    let link = "a link that no record of an archive explains, or no file";
    assert_eq!(say(), [(FindingKind::Foreign, link.to_owned())]);
}
