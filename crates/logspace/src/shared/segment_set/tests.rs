//! Rows for the segments that queries see.

use super::*;
use crate::segments::{Indexed, Segments};
use message::{Ack, Batch, Message, Origin, Selection, Span, Stamp};

/// A view of `count` messages from `first` on, received at `received_us`.
fn view(first: u64, count: usize, received_us: i64) -> Arc<dyn SegmentView> {
    let mut growing = Indexed.begin(first);
    let text = b"x\n".repeat(count);
    let message = |at: usize| {
        let mut message = Message::default();
        message.raw = Span::received(at * 2, 1);
        message
    };
    let received = Stamp::known(received_us, 0);
    let mut batch = Batch::new(Arc::new(text), vec![Arc::new(Origin::default())], received, Ack::none());
    batch.messages = (0..count).map(message).collect();
    if count > 0 {
        growing.append(&batch, &Selection::all(count));
    }
    growing.view()
}

/// The entry of ten messages from `first` on, received at the times `first` to `first + 9`.
fn entry(first: u64, state: SegmentState) -> SealedEntry {
    SealedEntry {
        path: PathBuf::from(format!("{first}.ds")),
        bytes: 100 + first,
        extent: extent(first, 10),
        state,
        form: SegmentForm::Sealed,
        archived_to: None,
    }
}

fn extent(first: u64, count: u64) -> Locked {
    Locked { first, count, received_us: (first as i64, (first + count) as i64 - 1) }
}

fn readable(first: u64) -> SealedEntry {
    entry(first, SegmentState::Open(view(first, 10, first as i64)))
}

fn archived(first: u64, state: SegmentState) -> SealedEntry {
    SealedEntry { archived_to: Some(PathBuf::from(format!("/archive/{first}.ds"))), ..entry(first, state) }
}

fn set(sealed: Vec<SealedEntry>) -> SegmentSet {
    let sequence = sealed.iter().map(|entry| entry.extent.first + entry.extent.count).max().unwrap_or(0);
    SegmentSet::new(sealed, sequence, Vec::new(), None)
}

fn firsts(extents: &[Locked]) -> Vec<u64> {
    extents.iter().map(|extent| extent.first).collect()
}

fn visible(snapshot: &Snapshot) -> Vec<u64> {
    snapshot.segments.iter().map(|segment| segment.first_sequence()).collect()
}

#[test]
fn a_snapshot_says_what_cannot_be_read() {
    let sealed = vec![
        readable(0),
        entry(10, SegmentState::Locked),
        archived(20, SegmentState::Away),
        entry(30, SegmentState::Damaged),
        entry(40, SegmentState::Unlocked(view(40, 10, 40))),
        archived(50, SegmentState::Open(view(50, 10, 50))),
    ];
    let set = set(sealed);
    let snapshot = set.snapshot();
    assert_eq!((visible(&snapshot), snapshot.sequence), (vec![0, 40, 50], 60));
    let unread = [&snapshot.locked, &snapshot.away, &snapshot.damaged].map(|extents| firsts(extents));
    assert_eq!(unread, [vec![10], vec![20], vec![30]]);
    assert_eq!(set.archived(), (2, 1));
    // A segment that is away has no file to read; archived ones are read where they are.
    let files: Vec<String> = set.files().iter().map(|path| path.display().to_string()).collect();
    assert_eq!(files, ["0.ds", "10.ds", "30.ds", "40.ds", "/archive/50.ds"]);
    let load = set.load();
    assert_eq!((load.segments, load.bytes, load.recoded, load.unsealed_messages), (6, 750, 0, 0));
}

#[test]
fn complete_and_active_segments_follow_the_sealed_ones() {
    let set = set(vec![readable(0)]);
    assert_eq!(set.newest_us(), Some(9));
    set.refresh(view(10, 0, 0));
    assert_eq!(
        (visible(&set.snapshot()), set.snapshot().sequence),
        (vec![0], 10),
        "an empty one is not shown"
    );
    set.refresh(view(10, 3, 70));
    assert_eq!((visible(&set.snapshot()), set.snapshot().sequence), (vec![0, 10], 13));
    assert_eq!((set.newest_us(), set.load().unsealed_messages), (Some(70), 3));
    set.freeze(view(10, 5, 80));
    assert_eq!((visible(&set.snapshot()), set.snapshot().sequence), (vec![0, 10], 15));
    assert_eq!((set.newest_us(), set.load().unsealed_messages), (Some(80), 5));
    set.refresh(view(15, 2, 90));
    assert_eq!((set.newest_us(), set.load().unsealed_messages), (Some(90), 7));
    // An older view never takes the number back.
    set.refresh(view(15, 1, 90));
    assert_eq!(set.snapshot().sequence, 17);
    let sealed = SealedEntry { extent: extent(10, 5), ..readable(10) };
    set.seal(sealed);
    assert_eq!((visible(&set.snapshot()), set.load().unsealed_messages), (vec![0, 10, 15], 1));
    set.remove(0);
    assert_eq!((visible(&set.snapshot()), set.load().segments), (vec![10, 15], 1));
    assert_eq!(SegmentSet::new(Vec::new(), 0, Vec::new(), None).newest_us(), None);
}

#[test]
fn a_loss_is_new_unless_it_lies_within_a_known_one() {
    let set = set(Vec::new());
    assert!(set.lose(extent(10, 10)));
    for (first, count, is_new) in [
        (10, 10, false),
        (12, 3, false),
        (10, 1, false),
        (19, 1, false),
        (9, 2, true),
        (19, 2, true),
        (30, 1, true),
    ] {
        assert_eq!(set.lose(extent(first, count)), is_new, "{count} from {first} on");
    }
    assert_eq!(firsts(&set.snapshot().lost), [10, 9, 19, 30]);
}

#[test]
fn the_oldest_segment_that_can_be_smaller_is_named() {
    let mut aged = readable(50);
    aged.form = SegmentForm::Aged;
    let mut recoded = readable(40);
    recoded.form = SegmentForm::Recoded;
    let open = || SegmentState::Open(view(10, 10, 10));
    let set = set(vec![
        archived(10, open()),
        entry(0, SegmentState::Locked),
        readable(20),
        readable(30),
        recoded,
        aged,
    ]);
    let but = |firsts: &[u64]| firsts.iter().copied().collect::<BTreeSet<u64>>();
    let name = |found: Option<(u64, PathBuf)>| found.map(|(first, _)| first);
    assert_eq!(name(set.unrecoded(28, &but(&[]))), None, "a message of the first was received later");
    assert_eq!(set.unrecoded(29, &but(&[])), Some((20, PathBuf::from("20.ds"))));
    assert_eq!(name(set.unrecoded(i64::MAX, &but(&[20]))), Some(30));
    assert_eq!(name(set.unrecoded(i64::MAX, &but(&[20, 30]))), None);
    assert_eq!(name(set.unaged(i64::MAX, &but(&[]))), Some(40));
    assert_eq!(name(set.unaged(48, &but(&[]))), None);
    assert_eq!(set.load().recoded, 2);
    let mut smaller = readable(20);
    (smaller.form, smaller.bytes) = (SegmentForm::Recoded, 1);
    set.replace(smaller);
    assert_eq!((name(set.unrecoded(i64::MAX, &but(&[]))), set.load().recoded), (Some(30), 3));
    assert_eq!(set.load().bytes, 110 + 100 + 1 + 130 + 140 + 150);
}

#[test]
fn keys_open_what_they_fit() {
    let set = set(vec![entry(0, SegmentState::Locked), archived(10, SegmentState::Locked), readable(20)]);
    let archive_only = |path: &Path| path.starts_with("/archive").then(|| view(10, 10, 10));
    // For one caller: the published snapshot stays as it is.
    let own = set.snapshot_with(&archive_only);
    assert_eq!((visible(&own), firsts(&own.locked)), (vec![10, 20], vec![0]));
    assert_eq!(firsts(&set.snapshot().locked), [0, 10]);
    assert_eq!(set.unlock(&archive_only), 1);
    assert_eq!((visible(&set.snapshot()), firsts(&set.snapshot().locked)), (vec![10, 20], vec![0]));
    assert_eq!(set.unlock(&|_| None), 0);
    set.lock();
    assert_eq!((visible(&set.snapshot()), firsts(&set.snapshot().locked)), (vec![20], vec![0, 10]));
}

#[test]
fn archives_come_and_go() {
    let open = || SegmentState::Open(view(10, 10, 10));
    let set = set(vec![readable(0), archived(10, open()), archived(20, SegmentState::Away)]);
    let unreadable = |_: &Path| Err(ReadError::Locked { path: PathBuf::new() });
    let mut before = set.snapshot();
    set.attach(&|target| target.ends_with("10.ds"), &unreadable);
    assert!(Arc::ptr_eq(&before, &set.snapshot()), "nothing came or went");
    set.attach(&|_| false, &unreadable);
    assert_eq!((visible(&set.snapshot()), set.archived()), (vec![0], (2, 2)));
    before = set.snapshot();
    set.attach(&|_| true, &unreadable);
    assert!(Arc::ptr_eq(&before, &set.snapshot()), "what cannot be opened is still away");
    set.attach(&|target| target.ends_with("20.ds"), &|_| Ok(SegmentState::Locked));
    assert_eq!((firsts(&set.snapshot().locked), firsts(&set.snapshot().away)), (vec![20], vec![10]));
    set.place(Path::new("20.ds"), open(), None);
    assert_eq!((visible(&set.snapshot()), set.archived()), (vec![0, 10], (1, 1)));
}

#[test]
fn what_is_still_being_read_back_is_named() {
    let starting = |sealed, sequence| {
        let starting = Some(Starting { end: 25, until_us: 500 });
        SegmentSet::new(sealed, sequence, Vec::new(), starting)
    };
    let begun = starting(vec![readable(0)], 10);
    let extent = begun.snapshot().starting.unwrap();
    assert_eq!((extent.first, extent.count, extent.received_us), (10, 15, (9, 500)));
    begun.refresh(view(10, 5, 300));
    let extent = begun.snapshot().starting.unwrap();
    assert_eq!((extent.first, extent.count, extent.received_us), (15, 10, (300, 500)));
    begun.refresh(view(10, 15, 900));
    assert_eq!(begun.snapshot().starting, None);
    begun.started(31);
    assert_eq!(begun.snapshot().sequence, 31);
    begun.started(3);
    assert_eq!(begun.snapshot().sequence, 31);
    // Times of the future do not begin after they end.
    let ahead = starting(Vec::new(), 0);
    ahead.refresh(view(0, 1, 900));
    assert_eq!(ahead.snapshot().starting.unwrap().received_us, (500, 500));
    assert_eq!(starting(Vec::new(), 0).snapshot().starting.unwrap().received_us, (0, 500));
}
